"""Graphs that a parser made, mended where they break the rules of `validation.py`.

A parser decides on one edge after the other, so some of its units have what no annotator would put together:
a Participant beside a Center, Scenes within a Process. `repair` gives such edges other categories, as few as
it can and rather those that the parser was not sure of, leaves out remote edges and implicit units that do
not fit, and gives Scenes without a Process or State one: their words, if they are all that there is, or else an implicit
one. Which tokens hang together never changes.

Units are settled from the root down, each with what its own category allows it to be: Parallel Scenes, a
Scene, or a Center with what belongs to it. Which sentences of a batch need this is `screening.py`'s.
"""

from collections.abc import Sequence

from ..graph import EdgeTuple, Graph
from ..graph.categories import LINK_ARGUMENT, LINK_RELATION, PUNCTUATION
from ..graph.unit import (
    FOUNDATIONAL,
    IMPLICIT,
    LINKAGE,
    PUNCT,
)
from .edits import (
    DROP_COST,
    IMPLICIT_COST,
    MODES,
    NEW_COST,
    PART_COST,
    WORD_COST,
    Mode,
    options,
    weight_of,
)
from .grammar import (
    BANNED,
    BITS,
    CONNECTOR,
    FLAT,
    FREE,
    FUNCTION,
    MAIN,
    NAMES,
    OF_SCENES,
    OTHER,
    PLAIN,
    SCENES,
    TOP,
    bits,
    fits,
    level_of,
)

_NEW = -1  # stands for a new Process or State among the edges of a unit
# What no edges have but those of punctuation and of linkage units.
_WRONG = frozenset((PUNCTUATION, LINK_RELATION, LINK_ARGUMENT))


def repair(graph: Graph, punct: Sequence[bool] | None = None) -> Graph:
    """Mend a graph where it breaks the rules of `validation.py`, those of the `ucca` package among them.

    graph (Graph): A graph, of one sentence or several. Tokens that hang on nothing stay so.
    punct (Optional[Sequence[bool]]): Which tokens are punctuation, if it is not what the graph says: units over
        others will be no punctuation units.
    RETURNS (Graph): A graph that follows them; the same one, if it did.
    """
    if punct is not None and tuple(map(bool, punct)) != graph.punct:
        graph = Graph(
            graph.words,
            graph.kinds,
            graph.edge_tuples,
            punct=punct,
            paragraphs=graph.paragraphs,
            details=graph.details,
            scores=graph.scores,
        )
    return _Repair(graph).run()


class _Repair:
    """The graph while it is mended: edges by their number, their categories as bits."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.kinds = list(graph.kinds)
        self.edges = list(graph.edge_tuples)
        self.scores = dict(graph.scores)
        self.gone: set[int] = set()  # edges left out

    def run(self) -> Graph:
        """RETURNS (Graph): The mended graph."""
        self._mend_tokens()
        self._mend_links()
        self._index()
        changed = True
        while changed:
            for root in self.roots:
                self._settle_all(root)
            changed = self._drop_remotes()
        return self._build()

    # Before: what does not hang on categories of other units

    def _mend_tokens(self) -> None:
        """Bring punctuation units and punctuation tokens together, and give tokens of the root a unit."""
        punct = self.graph.punct
        tokens: dict[int, list[int]] = {}
        parents: set[int] = set()
        tops = {unit for unit, kind in enumerate(self.kinds) if kind != LINKAGE}
        for parent, child, _, remote in self.edges:
            if child < 0:
                tokens.setdefault(parent, []).append(~child)
            elif not remote:
                parents.add(parent)
                if self.kinds[parent] != LINKAGE:
                    tops.discard(child)
        for unit, kind in enumerate(self.kinds):
            found = tokens.get(unit, [])
            if kind == PUNCT and (unit in parents or not all(punct[token] for token in found)):
                self.kinds[unit] = FOUNDATIONAL
            if kind != LINKAGE and not found and unit not in parents and unit not in tops:
                self.kinds[unit] = IMPLICIT  # nothing is left that it could be
        # Units with children that are neither tokens nor punctuation units.
        mixed = {p for p, child, _, _ in self.edges if child >= 0 and self.kinds[child] != PUNCT}
        for unit, found in tokens.items():
            flagged = [token for token in found if punct[token]]
            if unit in tops:
                for token in found:
                    self._wrap(unit, token)
            elif not flagged or self.kinds[unit] != FOUNDATIONAL:
                continue
            elif len(found) == 1 and unit not in parents:
                self.kinds[unit] = PUNCT
            elif unit in mixed:
                for token in flagged:
                    self._wrap(unit, token)
        kinds = self.kinds
        for i, (parent, child, categories, remote) in enumerate(self.edges):
            if child < 0 or kinds[parent] == LINKAGE:
                continue
            if kinds[child] == PUNCT or kinds[parent] == PUNCT:
                if remote:
                    self.gone.add(i)
                elif categories != (PUNCTUATION,):
                    self.edges[i] = self.edges[i]._replace(categories=(PUNCTUATION,))
            elif not _WRONG.isdisjoint(categories):
                kept = tuple(c for c in categories if c not in _WRONG)
                self.edges[i] = self.edges[i]._replace(categories=kept or ("F",))

    def _wrap(self, parent: int, token: int) -> None:
        """Put a unit between a unit and one of its tokens."""
        punct = self.graph.punct[token]
        i = next(i for i, e in enumerate(self.edges) if e.child == ~token)
        unit = len(self.kinds)
        self.kinds.append(PUNCT if punct else FOUNDATIONAL)
        self.edges[i] = self.edges[i]._replace(parent=unit)
        self.edges.append(EdgeTuple(parent, unit, (PUNCTUATION if punct else "F",)))

    def _mend_links(self) -> None:
        """Leave out linkage units without one LR and an LA, and a second one of the same linker."""
        linkers: set[int] = set()
        self.linked: set[int] = set()
        links: dict[int, list[int]] = {u: [] for u, k in enumerate(self.kinds) if k == LINKAGE}
        if not links:
            return
        for i, edge in enumerate(self.edges):
            if edge.parent in links:
                links[edge.parent].append(i)
        for found in links.values():
            ends: dict[str, list[int]] = {LINK_RELATION: [], LINK_ARGUMENT: []}
            for i in found:
                child, categories = self.edges[i].child, self.edges[i].categories
                if len(categories) == 1 and child >= 0 and self.kinds[child] != PUNCT:
                    ends.get(categories[0], []).append(i)
            first = ends[LINK_RELATION][:1]
            linker = self.edges[first[0]].child if first else -1
            if linker < 0 or linker in linkers or not ends[LINK_ARGUMENT]:
                self.gone.update(found)
                continue
            linkers.add(linker)
            self.linked.update(self.edges[i].child for i in (*first, *ends[LINK_ARGUMENT]))
            self.gone.update(set(found).difference(first, ends[LINK_ARGUMENT]))

    def _index(self) -> None:
        """Look at edges between units by what they connect. Remote edges that nothing can save are left out."""
        n = len(self.kinds)
        self.kids: list[list[int]] = [[] for _ in range(n)]
        self.remotes: list[list[int]] = [[] for _ in range(n)]
        self.shared: list[list[int]] = [[] for _ in range(n)]  # remote edges by their child
        self.tokens: dict[int, list[int]] = {}  # the edges to tokens of each unit
        self.children = [edge.child for edge in self.edges]  # looked up more often than all else
        self.labels = [0] * len(self.edges)
        self.weights = [0.0] * len(self.edges)
        self.primary = [-1] * n
        parent = [-1] * n
        later = []
        kinds, gone = self.kinds, self.gone
        for i, (up, child, categories, remote) in enumerate(self.edges):
            if child < 0:
                if kinds[up] == FOUNDATIONAL:
                    self.tokens.setdefault(up, []).append(i)
            elif kinds[up] == FOUNDATIONAL and i not in gone:
                if remote:
                    later.append(i)
                    continue
                parent[child], self.primary[child] = up, i
                if kinds[child] != PUNCT:
                    self._add(i, self.kids[up], bits(categories))
            elif kinds[up] == IMPLICIT:
                gone.add(i)
        self.roots = [
            u for u, p in enumerate(parent) if p < 0 and self.kinds[u] not in (LINKAGE, PUNCT)
        ]
        seen = set()
        for i in sorted(later, key=lambda i: -self.scores.get(i, 1.0)):
            edge = self.edges[i]
            label = bits(edge.categories) & ~FUNCTION
            pair = edge.parent, edge.child
            if not label or pair in seen or parent[edge.child] in (-1, edge.parent):
                self.gone.add(i)
                continue
            seen.add(pair)
            self._add(i, self.remotes[edge.parent], label)
            self.shared[edge.child].append(i)

    def _add(self, i: int, place: list[int], label: int) -> None:
        place.append(i)
        self.labels[i] = label
        self.weights[i] = weight_of(self.scores.get(i, 1.0))

    # Units, from the root down

    def _settle_all(self, root: int) -> None:
        kids, children = self.kids, self.children
        order, stack = [], [root]
        while stack:
            unit = stack.pop()
            order.append(unit)
            stack += [children[i] for i in kids[unit]]
        # What it costs at most to make all below a unit plain.
        self.plain = dict.fromkeys(order, 0.0)
        for unit in reversed(order):
            if kids[unit] or self.remotes[unit]:
                below = sum([self.plain[children[i]] for i in kids[unit]])
                self.plain[unit] = self._conflict(unit, FLAT) + below
        levels = {root: TOP}
        for unit in order:  # parents come before their children
            if kids[unit] or self.remotes[unit]:
                level = levels[unit]
                self._settle(unit, level)
                for i in kids[unit]:
                    levels[children[i]] = self._below(level, self.labels[i])

    @staticmethod
    def _below(level: int, label: int) -> int:
        """RETURNS (int): What a child may be, given what its parent may be and its categories."""
        return PLAIN if level == PLAIN else level_of(label)

    def _conflict(self, unit: int, level: int) -> float:
        """RETURNS (float): What it costs to make a unit what it may be, in weights of edges."""
        kids, remotes = self.kids[unit], self.remotes[unit]
        if level == FREE or not (kids or remotes):
            return 0.0
        if level == PLAIN:
            return self.plain[unit]
        labels, weights, banned = self.labels, self.weights, BANNED[level]
        own = sum([weights[i] for i in kids if labels[i] & banned])
        return own + sum([weights[i] for i in remotes if labels[i] & banned])

    def _settle(self, unit: int, level: int) -> None:
        """Give the children of a unit categories that go together and with it."""
        labels, children = self.labels, self.children
        own, n_main, conflict = 0, 0, 0.0
        for i in (*self.kids[unit], *self.remotes[unit]):
            own |= labels[i]
            n_main += (labels[i] & MAIN).bit_count()
        for i in self.kids[unit]:
            if self.kids[children[i]] or self.remotes[children[i]]:
                conflict += self._conflict(children[i], self._below(level, labels[i]))
        if not conflict and fits(own, level, n_main, unit in self.tokens):
            return
        tried = [self._choose(unit, level, mode) for mode in MODES]
        _, best = min((t for t in tried if t is not None), key=lambda t: t[0])
        if best.pop(_NEW, 0):
            self._add_relation(unit)
        for i, label in best.items():
            labels[i] = label

    def _add_relation(self, unit: int) -> None:
        """Give a Scene its relation: a State of its tokens, if it has nothing else with words, or an implicit Process. It is
        as likely as the least likely of its other children."""
        tokens = self.tokens.pop(unit, []) if self._is_bare(unit) else []
        new, i = len(self.kinds), len(self.edges)
        scores = [
            self.scores[k] for k in (*self.kids[unit], *self.remotes[unit]) if k in self.scores
        ]
        if scores:
            self.scores[i] = min(scores)
        self.kinds.append(FOUNDATIONAL if tokens else IMPLICIT)
        self.edges.append(EdgeTuple(unit, new, ("S" if tokens else "P",)))
        for k in tokens:
            self.edges[k] = self.edges[k]._replace(parent=new)
        if tokens:
            self.tokens[new] = tokens
        self.children.append(new)
        self.primary.append(i)
        for lists in (self.kids, self.remotes, self.shared):
            lists.append([])
        self.plain[new] = 0.0
        self.kids[unit].append(i)
        self.labels.append(bits(self.edges[i].categories))
        self.weights.append(NEW_COST)

    def _choose(self, unit: int, level: int, mode: Mode) -> tuple[float, dict[int, int]] | None:
        """The cheapest categories that make a unit what a mode says.

        RETURNS (Optional[Tuple[float, Dict[int, int]]]): What it costs, and the categories of each edge; None, if
            it cannot be.
        """
        allowed, needed = mode.allowed & ~BANNED[level], mode.needed
        if (needed and not allowed & needed) or (needed & SCENES and unit in self.tokens):
            return None
        total, provided = 0.0, False
        found: dict[int, int] = {}
        for i in sorted(self.remotes[unit], key=lambda i: -self.weights[i]):
            label = self.labels[i] & allowed
            if mode.single and (provided or (label & needed).bit_count() > 1):
                label &= ~needed
            provided |= bool(label & needed)
            cost = 0.0 if label == self.labels[i] else PART_COST if label else DROP_COST
            total += cost * self.weights[i]
            found[i] = label
        gains = []
        bare, has_tokens = self._is_bare(unit), unit in self.tokens
        keep = bare and not has_tokens
        for i in self.kids[unit]:
            without = self._cheapest(i, level, allowed & ~needed, 0, keep)
            best = without
            if needed:
                having = self._cheapest(i, level, allowed, needed, keep)
                gains.append((having[0] - without[0], i, having[1]))
                if not mode.single and having[0] < without[0]:
                    best, provided = having, True
            total += best[0]
            found[i] = best[1]
        if needed and not provided:
            if mode.single:  # a Scene whose relation is not in the text, or all there is of it
                cost = WORD_COST if bare and has_tokens else NEW_COST
                gains.append((cost, _NEW, bits("P")))
            if not gains:
                return None
            gain, i, label = min(gains)
            total += gain
            found[i] = label
        return total, found

    def _is_bare(self, unit: int) -> bool:
        """RETURNS (bool): Whether a unit has no children of its own with words, beside its tokens."""
        return all(self.kinds[self.children[i]] == IMPLICIT for i in self.kids[unit])

    def _cheapest(
        self, i: int, level: int, allowed: int, needed: int, keep: bool
    ) -> tuple[float, int]:
        """RETURNS (Tuple[float, int]): The cheapest categories of an edge with exactly one that is needed, and what
        they cost; 0 leaves an implicit unit out."""
        label, child, weight = self.labels[i], self.children[i], self.weights[i]
        best = (float("inf"), 0)
        droppable = self.kinds[child] == IMPLICIT and child not in self.linked
        if droppable and not needed and not keep and not self.shared[child]:
            best = (IMPLICIT_COST * weight, 0)
        for cost, new in options(label, allowed, needed):
            cost = cost * weight + self._conflict(child, self._below(level, new))
            if cost < best[0]:
                best = cost, new
        return best

    # Remote edges, which must fit what is under their child

    def _drop_remotes(self) -> bool:
        """Leave out remote edges to units that may not be what they are made by them.

        RETURNS (bool): Whether there were any.
        """
        found = [(unit, i) for unit, own in enumerate(self.remotes) for i in own if self.labels[i]]
        wrong = [self._does_not_fit(unit, i) for unit, i in found]  # as long as all are there
        dropped = False
        for (_, i), is_wrong in zip(found, wrong):
            if is_wrong or self._second_connector(i, self.children[i]):
                self.labels[i] = 0
                dropped = True
        return dropped

    def _does_not_fit(self, unit: int, i: int) -> bool:
        """RETURNS (bool): Whether what is below the child of a remote edge may not be there."""
        child, level = self.children[i], level_of(self.labels[i])
        if level < PLAIN and self._edges_below(child) & BANNED[level]:
            return True
        return (level == PLAIN or self._in_plain(unit)) and self._has_scenes(child)

    def _edges_below(self, unit: int) -> int:
        """RETURNS (int): The categories of the children of a unit, remote ones included."""
        own = 0
        for i in (*self.kids[unit], *self.remotes[unit]):
            own |= self.labels[i]
        return own

    def _has_scenes(self, unit: int) -> bool:
        """RETURNS (bool): Whether something of a Scene is in a unit, or in a unit below."""
        stack, seen = [unit], {unit}
        while stack:
            above = stack.pop()
            for i in (*self.kids[above], *self.remotes[above]):
                if self.labels[i] & OF_SCENES:
                    return True
                if self.labels[i] and self.children[i] not in seen:
                    seen.add(self.children[i])
                    stack.append(self.children[i])
        return False

    def _in_plain(self, unit: int) -> bool:
        """RETURNS (bool): Whether a unit is a Process or State, or in one."""
        stack, seen = [unit], {unit}
        while stack:
            below = stack.pop()
            for i in (self.primary[below], *self.shared[below]):
                if i < 0 or not self.labels[i]:
                    continue
                if self.labels[i] & MAIN:
                    return True
                if self.edges[i].parent not in seen:
                    seen.add(self.edges[i].parent)
                    stack.append(self.edges[i].parent)
        return False

    def _second_connector(self, i: int, child: int) -> bool:
        """RETURNS (bool): Whether a remote edge makes a Connector of what already is one."""
        others = [j for j in (self.primary[child], *self.shared[child]) if j != i]
        return bool(self.labels[i] & CONNECTOR) and any(self.labels[j] & CONNECTOR for j in others)

    # After

    def _build(self) -> Graph:
        """RETURNS (Graph): The graph without what was left out."""
        old, edges, scores, gone = self.graph, self.edges, self.scores, self.gone
        for i, (label, weight) in enumerate(zip(self.labels, self.weights)):
            if not weight or label == bits(edges[i].categories):
                continue
            if not label:
                gone.add(i)
                continue
            categories = tuple(c for c in edges[i].categories if BITS.get(c, OTHER) & label)
            if not categories:
                categories = (NAMES[label],)
                if i in scores:  # what is put in the place of something likely is unlikely
                    scores[i] = 1 - scores[i]
            edges[i] = edges[i]._replace(categories=categories)
        # Implicit units, and linkage units without edges.
        left_out = {edges[i].child for i in gone if self.primary[edges[i].child] == i}
        links = {u for u, k in enumerate(self.kinds) if k == LINKAGE}
        left_out |= links - {e.parent for i, e in enumerate(edges) if links and i not in gone}
        if not gone and edges == list(old.edge_tuples) and self.kinds == list(old.kinds):
            return old
        if gone:
            kept = [i for i, e in enumerate(edges) if i not in gone and e.child not in left_out]
            edges = [edges[i] for i in kept]
            scores = {k: scores[i] for k, i in enumerate(kept) if i in scores}
        if left_out:
            units = [u for u in range(len(self.kinds)) if u not in left_out]
            number = {u: i for i, u in enumerate(units)}
            edges = [
                EdgeTuple(number[parent], number.get(child, child), categories, remote)
                for parent, child, categories, remote in edges
            ]
            self.kinds = [self.kinds[u] for u in units]
        return Graph(
            old.words,
            self.kinds,
            edges,
            punct=old.punct,
            paragraphs=old.paragraphs,
            details=old.details,
            scores=scores,
            check=False,
        )
