"""UCCA graphs to bilexical graphs over tokens, and back.

The way there is Algorithm 1 of the supplementary notes to "A Transition-Based DAG Parser for UCCA"
(Hershcovich, Abend and Rappoport, ACL 2017), appendix D: each edge (u, v) from a unit to another one
or to a token becomes an arc between their head tokens, if these differ. A head is found by always
taking the child with the most head-like category, the leftmost on ties (`Unit.head`). Remote edges do not lead to
heads, of which the appendix says nothing: so the primary arcs are a tree, and the tree that keeps one head for
each token is that of section 3.1 of the draft "Broad-Coverage Semantic Constituency Parsing".

The way back is Algorithm 2: a unit for each token, and in it, where the token has dependents, another
one for the token alone, whose category is guessed from the dependents'. (The paper's listing hangs
dependents on the inner unit; its text and the tools of its authors, on the outer one.) With `levels`,
which is our own and the default, dependents go to as many units around the token as their categories
ask for. With `one_unit`, which is the Algorithm 2 of the draft, a token and its dependents share one unit.

What is lost: all units as such, so whether something belongs to a unit or to a larger one with the same
head; implicit units and all that hangs only on them, because nothing of them is a token; linkage; remote
edges between units with the same head token; roots but one (others become tops); paragraphs and details.
The category of a unit around its head is guessed. Several categories of an edge are kept, joined by "|".
"""

from collections.abc import Sequence

from ..errors import Errors, GraphError
from ..graph import FOUNDATIONAL, LINKAGE, PUNCT, Graph, GraphBuilder
from ..graph.algorithms import find_cycle, reached
from ..graph.categories import INNER_PARTS, PUNCTUATION, SCENE_PARTS, TERMINAL, split_label
from ..graph.data import TEXT, with_text
from .graph import ROOT, TOP, Arc, BilexicalGraph, Token

# Labels that tools give to arcs from the root, and that are no categories
ROOT_LABELS = frozenset((TOP, "ROOT", "root", "top"))
# Units around a token with `levels`, from the outside: the category of the unit that contains the token,
# and the categories of its siblings
LEVELS = (("H", "HL"), ("P", SCENE_PARTS + "D"), ("C", INNER_PARTS))

# The ways back by name, as options of `from_bilexical`: ours, that of the ACL paper's notes, that of the draft
WAYS = {
    "levels": {"levels": True, "one_unit": False},
    "published": {"levels": False, "one_unit": False},
    "draft": {"levels": False, "one_unit": True},
}


class CycleError(GraphError):
    """Primary arcs that go round in a circle, through a token."""

    def __init__(self, message: str, token: int) -> None:
        super().__init__(message)
        self.token = token


def to_bilexical(
    graph: Graph, *, tree: bool = False, tokens: Sequence[Token] | None = None
) -> BilexicalGraph:
    """Convert a UCCA graph to a bilexical graph (Algorithm 1).

    The head of a root is a top: the category of the root's child with that head labels its arc from ROOT.
    All other primary arcs form trees below the tops.

    graph (Graph): The graph.
    tree (bool): Keep one head per token, and so no remote arcs.
    tokens (Optional[Sequence[Token]]): The tokens, if they have lemmas or tags.
    RETURNS (BilexicalGraph): Its arcs are sorted by dependent, primary before remote, and head. A token
        attached to nothing has none.
    """
    head = [graph[unit].head for unit in range(len(graph))]
    unsorted_arcs: set[Arc] = set()
    for parent, child, categories, remote in graph.edge_tuples:
        if graph.kinds[parent] == LINKAGE or (remote and tree):
            continue
        above, below = head[parent], ~child if child < 0 else head[child]
        if above is None or below is None:
            continue
        if above != below:
            unsorted_arcs.add(Arc(above, below, "|".join(categories), remote))
        elif not remote and graph.index.parent_edge[parent] < 0:
            unsorted_arcs.add(Arc(ROOT, below, "|".join(categories)))
    arcs = sorted(unsorted_arcs, key=lambda arc: (arc.dependent, arc.remote, arc.head, arc.label))
    return BilexicalGraph(
        tokens=tuple(tokens if tokens is not None else map(Token, graph.words)),
        arcs=tuple(arcs),
        punct=graph.punct,
        id=str(graph.details.get("id", "")),
        text=str(graph.details.get(TEXT, "")),
    )


def from_bilexical(
    bilexical: BilexicalGraph, *, levels: bool = True, one_unit: bool = False
) -> Graph:
    """Convert a bilexical graph to a UCCA graph (Algorithm 2).

    The first primary arc of a token says where its unit goes, or its first arc if all are remote. All
    other arcs become remote edges to the unit of the token alone, which is what most remote edges of
    annotators lead to (without `levels`: to the whole unit, unless that would close a cycle, as for the
    noun of a relative clause); they are dropped if they close a cycle all the same. Tokens under a label
    Terminal share the unit of their head. Tops go under one root; a token without a head that has
    dependents is one too. A token without any arc is attached to nothing.

    bilexical (BilexicalGraph): The graph.
    levels (bool): Build units from the inside: with E, C, N and Q; then, as a Scene, with A, D, T,
        P and S; then with H and L. All else goes to the outermost. If False, all dependents of a
        token go into one unit, as published.
    one_unit (bool): Make one unit for each token, as the draft does, whatever `levels` is: no unit within it has the
        token alone.
    RETURNS (Graph): The graph.
    RAISES (GraphError): If the primary arcs have a cycle.
    """
    return _Rebuilder(bilexical, levels and not one_unit, one_unit).build()


def guess_label(labels: frozenset[str], punct: bool = False) -> str:
    """The function Label of Algorithm 2: the category of a token within its unit.

    labels (FrozenSet[str]): The categories of the token's dependents.
    punct (bool): Whether the token is punctuation.
    RETURNS (str): The category. A Process may have been a State: nothing tells them apart.
    """
    if punct:
        return PUNCTUATION
    if "H" in labels:
        return "H"
    return "P" if "A" in labels else "C"


class _Rebuilder:
    """Builds a graph from a bilexical graph, from the tops down."""

    def __init__(self, bilexical: BilexicalGraph, levels: bool, one_unit: bool) -> None:
        n = len(bilexical.tokens)
        self.bilexical, self.levels, self.one_unit = bilexical, levels, one_unit
        self.primary: list[Arc | None] = [None] * n
        self.remotes: list[Arc] = []
        self.dependents: list[list[int]] = [[] for _ in range(n)]
        self.outgoing: list[list[Arc]] = [[] for _ in range(n)]
        for arc in bilexical.arcs:
            if arc.head != ROOT:
                self.outgoing[arc.head].append(arc)
        for token, arcs in enumerate(bilexical.incoming()):
            if arcs:
                self.primary[token] = arcs[0]
                self.remotes += (arc for arc in arcs[1:] if arc.head != ROOT)
                if arcs[0].head != ROOT:
                    self.dependents[arcs[0].head].append(token)
        self.builder = GraphBuilder(bilexical.words, punct=bilexical.punct)
        self.root = self.builder.add_unit()
        # The unit with the token alone, and the outermost one that it is the head of
        self.inner = [-1] * n
        self.unit = [-1] * n
        # Where dependents with a category go; any other goes to the outermost unit
        self.places: list[dict[str, int]] = [{} for _ in range(n)]
        self.parents: dict[int, list[int]] = {}

    def build(self) -> Graph:
        waiting = []
        for token, arc in enumerate(self.primary):
            if arc is None and self.outgoing[token]:
                self.primary[token] = arc = Arc(ROOT, token, TOP)
            if arc is not None and arc.head == ROOT:
                waiting.append(token)
        waiting.reverse()
        while waiting:
            token = waiting.pop()
            self._add(token)
            waiting.extend(reversed(self.dependents[token]))
        arcs = [arc for arc in self.primary if arc is not None]
        if any(self.unit[arc.dependent] < 0 for arc in arcs):
            path = find_cycle((arc.head, arc.dependent) for arc in arcs) or []
            raise CycleError(Errors.UC732.format(path=self._words(path)), min(path))
        for arc in self.remotes:
            if self.unit[arc.head] >= 0:
                self._add_remote(arc)
        if self.bilexical.id:
            self.builder.details["id"] = self.bilexical.id
        if self.bilexical.text:
            self.builder.details = with_text(self.builder.details, self.bilexical.text)
        return self.builder.build()

    def _add(self, token: int) -> None:
        arc = self.primary[token]
        assert arc is not None
        head, categories = arc.head, split_label(arc.label)
        if arc.label == TERMINAL:
            if head == ROOT:
                self.inner[token] = self.unit[token] = self.root
            else:
                self.inner[token], self.unit[token] = self.inner[head], self.unit[head]
                self.places[token] = self.places[head]
            self.builder.add_terminal(self.inner[token], token)
            return
        if head == ROOT:
            parent = self.root
            if arc.label in ROOT_LABELS:
                categories = (PUNCTUATION,) if self.bilexical.punct[token] else ("H",)
        else:
            parent = self.places[head].get(categories[0], self.unit[head])
        unit = self.unit[token] = self._unit(parent, categories)
        labels = self._labels(token)
        if self.levels and head == ROOT and categories[0] == "H":
            # The root is the parent of parallel Scenes and of everything between them.
            self.places[token] = dict.fromkeys("HLGU", self.root)
            labels -= {"H", "L"}
        for label, below in self._stack(labels, token):
            unit = self._unit(unit, (label,))
            for category in below:
                self.places[token][category] = unit
        self.inner[token] = unit
        if categories[0] == PUNCTUATION and unit == self.unit[token] and labels <= {PUNCTUATION}:
            if self.bilexical.punct[token]:
                self.builder.kinds[unit] = PUNCT
        self.builder.add_terminal(unit, token)

    def _labels(self, token: int) -> frozenset[str]:
        """RETURNS (FrozenSet[str]): The categories of a token's dependents, remote ones too, but for
        Terminal. Those of tokens under its Terminal arcs count with them: they share its unit."""

        def joined(token: int) -> list[int]:
            under = (arc for arc in self.outgoing[token] if arc.label == TERMINAL)
            return [arc.dependent for arc in under if arc == self.primary[arc.dependent]]

        arcs = (arc for part in reached((token,), joined) for arc in self.outgoing[part])
        return frozenset(c for a in arcs if a.label != TERMINAL for c in split_label(a.label))

    def _stack(self, labels: frozenset[str], token: int) -> list[tuple[str, str]]:
        """RETURNS (List[Tuple[str, str]]): The units within a token's outermost one that
        it is the head of, from the outside: the category of each, and of what else is in it."""
        if not labels or self.one_unit:
            return []
        if not self.levels:
            return [(guess_label(labels, self.bilexical.punct[token]), "")]
        if labels == {PUNCTUATION}:
            return []
        used = [level for level in LEVELS if not labels.isdisjoint(level[1])] or [LEVELS[-1]]
        inside = [below for _, below in used[1:]]
        return list(zip((label for label, _ in used), [*inside, ""], strict=True))

    def _unit(self, parent: int, categories: Sequence[str]) -> int:
        unit = self.builder.add_unit(FOUNDATIONAL)
        self.builder.add_edge(parent, unit, *categories)
        self.parents[unit] = [parent]
        return unit

    def _add_remote(self, arc: Arc) -> None:
        categories = split_label(arc.label)
        parent = self.places[arc.head].get(categories[0], self.unit[arc.head])
        above = reached((parent,), lambda unit: self.parents.get(unit, ()))
        inner, whole = self.inner[arc.dependent], self.unit[arc.dependent]
        # Annotators mostly share the referent alone, without its modifiers.
        for child in (inner,) if self.levels else (whole, inner):
            if child not in above and parent not in self.parents.get(child, ()):
                self.builder.add_edge(parent, child, *categories, remote=True)
                self.parents[child].append(parent)
                return

    def _words(self, path: list[int]) -> str:
        words = self.bilexical.words
        return " -> ".join(f"{t + 1} '{words[t]}'" for t in path)
