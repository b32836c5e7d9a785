"""Repair graphs that a parser made where they break the rules of UCCA.

A parser decides on one edge after the other, so some of its units have children that no annotator would put together:
a Participant beside a Center, Scenes within a Process. `repair` gives such edges other categories, as few as it can
and rather those that the parser was not sure of. It leaves out remote edges and implicit units that do not fit, and
gives Scenes without a Process or State one: their words, if they have nothing else, or an implicit one. Which tokens
hang together never changes.

Units are repaired from the root down. The children of each get the cheapest categories that make it a unit of some
type that its category allows. The cost of changing the children of its children is included.
"""

from collections.abc import Iterable, Sequence

from ..graph import EdgeTuple, Graph
from ..graph.categories import (
    FOUNDATIONAL,
    IMPLICIT,
    LINK_ARGUMENT,
    LINK_RELATION,
    LINKAGE,
    PUNCT,
    PUNCTUATION,
)
from .bit_grammar import BitGrammar, UnitType, bit_grammar, bits
from .draft import (
    DROP_COST,
    IMPLICIT_COST,
    NEW,
    NEW_COST,
    PART_COST,
    WORD_COST,
    Draft,
    repair_actions,
)
from .grammar import CATEGORIES, Table

__all__ = ["repair"]


def repair(
    graph: Graph,
    punct: Sequence[bool] | None = None,
    *,
    categories: Iterable[str] | None = None,
    table: Table = CATEGORIES,
) -> Graph:
    """Repair a graph where it breaks the rules of UCCA, including those that the `ucca` package checks.

    graph (Graph): A graph, of one sentence or several. Tokens that hang on nothing stay so.
    punct (Optional[Sequence[bool]]): Which tokens are punctuation, if it is not what the graph says: units over
        others will be no punctuation units.
    categories (Optional[Iterable[str]]): The categories that edges may get, where any of them fits; if not given, those
        that the corpora of all guidelines have.
    table (Table): The rules about categories.
    RETURNS (Graph): A graph that follows the rules; the same one, if it did.
    """
    if punct is not None and tuple(map(bool, punct)) != graph.punct:
        graph = graph.replace(punct=punct)
    grammar = bit_grammar(table)
    draft = Draft(graph)
    repair_tokens(draft)
    repair_linkage(draft)
    draft.index_edges(grammar.not_remote)
    labels = LabelRepair(
        draft, grammar, NEW if categories is None else NEW & bits(frozenset(categories))
    )
    labels.repair()
    # Labels that fitted a remote edge may be changed once it is gone.
    while drop_remotes(draft, grammar):
        labels.repair()
    return draft.build()


# Categories that only edges of punctuation and linkage units have.
_RESERVED = frozenset((PUNCTUATION, LINK_RELATION, LINK_ARGUMENT))


def repair_tokens(draft: Draft) -> None:
    """Bring punctuation units and punctuation tokens together, give tokens of the root a unit, and mark units without
    children as implicit.

    draft (Draft): The graph, before its edges are indexed.
    """
    punct, kinds = draft.graph.punct, draft.kinds
    tokens: dict[int, list[int]] = {}
    parents: set[int] = set()
    tops = {unit for unit, kind in enumerate(kinds) if kind != LINKAGE}
    for parent, child, _, remote in draft.edges:
        if child < 0:
            tokens.setdefault(parent, []).append(~child)
        elif not remote:
            parents.add(parent)
            if kinds[parent] != LINKAGE:
                tops.discard(child)
    for unit, kind in enumerate(kinds):
        unit_tokens = tokens.get(unit, [])
        if kind == PUNCT and (unit in parents or not all(punct[token] for token in unit_tokens)):
            kinds[unit] = FOUNDATIONAL
        if kind != LINKAGE and not unit_tokens and unit not in parents and unit not in tops:
            kinds[unit] = IMPLICIT  # no other kind fits
    # Units with children that are neither tokens nor punctuation units.
    mixed = {p for p, child, _, _ in draft.edges if child >= 0 and kinds[child] != PUNCT}
    for unit, unit_tokens in tokens.items():
        flagged = [token for token in unit_tokens if punct[token]]
        if unit in tops:
            for token in unit_tokens:
                _wrap(draft, unit, token)
        elif not flagged or kinds[unit] != FOUNDATIONAL:
            continue
        elif len(unit_tokens) == 1 and unit not in parents:
            kinds[unit] = PUNCT
        elif unit in mixed:
            for token in flagged:
                _wrap(draft, unit, token)
    _repair_punctuation_edges(draft)


def _wrap(draft: Draft, parent: int, token: int) -> None:
    """Put a unit between a unit and one of its tokens."""
    punct = draft.graph.punct[token]
    i = next(i for i, e in enumerate(draft.edges) if e.child == ~token)
    unit = len(draft.kinds)
    draft.kinds.append(PUNCT if punct else FOUNDATIONAL)
    draft.edges[i] = draft.edges[i]._replace(parent=unit)
    draft.edges.append(EdgeTuple(parent, unit, (PUNCTUATION if punct else "F",)))
    into = (k for k, e in enumerate(draft.edges) if e.child == parent and not e.remote)
    draft.score_new(len(draft.edges) - 1, into)


def _repair_punctuation_edges(draft: Draft) -> None:
    """Give edges of punctuation units the category of punctuation, and no others; leave out remote ones."""
    kinds, edges = draft.kinds, draft.edges
    for i, (parent, child, categories, remote) in enumerate(edges):
        if child < 0 or kinds[parent] == LINKAGE:
            continue
        if kinds[child] == PUNCT or kinds[parent] == PUNCT:
            if remote:
                draft.dropped.add(i)
            elif categories != (PUNCTUATION,):
                edges[i] = edges[i]._replace(categories=(PUNCTUATION,))
        elif not _RESERVED.isdisjoint(categories):
            allowed = tuple(c for c in categories if c not in _RESERVED)
            edges[i] = edges[i]._replace(categories=allowed or ("F",))


def repair_linkage(draft: Draft) -> None:
    """Leave out linkage units without one LR and an LA, and a second one of the same linker.

    draft (Draft): The graph, before its edges are indexed.
    """
    linkers: set[int] = set()
    links: dict[int, list[int]] = {u: [] for u, k in enumerate(draft.kinds) if k == LINKAGE}
    if not links:
        return
    for i, edge in enumerate(draft.edges):
        if edge.parent in links:
            links[edge.parent].append(i)
    for link_edges in links.values():
        ends: dict[str, list[int]] = {LINK_RELATION: [], LINK_ARGUMENT: []}
        for i in link_edges:
            child, categories = draft.edges[i].child, draft.edges[i].categories
            if len(categories) == 1 and child >= 0 and draft.kinds[child] != PUNCT:
                ends.get(categories[0], []).append(i)
        first = ends[LINK_RELATION][:1]
        linker = draft.edges[first[0]].child if first else -1
        if linker < 0 or linker in linkers or not ends[LINK_ARGUMENT]:
            draft.dropped.update(link_edges)
            continue
        linkers.add(linker)
        draft.linked.update(draft.edges[i].child for i in (*first, *ends[LINK_ARGUMENT]))
        draft.dropped.update(set(link_edges).difference(first, ends[LINK_ARGUMENT]))


def drop_remotes(draft: Draft, grammar: BitGrammar) -> bool:
    """Drop remote edges whose category bans something under their child.

    draft (Draft): The graph; categories of primary edges are final unless an edge is dropped.
    grammar (BitGrammar): The rules.
    RETURNS (bool): Whether any edge was dropped.
    """
    remotes = [
        (unit, i) for unit, edges in enumerate(draft.remotes) for i in edges if draft.labels[i]
    ]
    # Check all edges before dropping any.
    wrong = [_is_banned(draft, grammar, unit, i) for unit, i in remotes]
    dropped = False
    for (_, i), is_wrong in zip(remotes, wrong):
        if is_wrong or _has_other_parent(draft, grammar, i):
            draft.labels[i] = 0
            dropped = True
    return dropped


def _is_banned(draft: Draft, grammar: BitGrammar, unit: int, i: int) -> bool:
    """RETURNS (bool): Whether something below the child of a remote edge may not be there."""
    child, level = draft.children[i], grammar.levels[grammar.level_of(draft.labels[i])]
    categories = 0
    for k in draft.edges_of(child):
        categories |= draft.labels[k]
    if categories & level.banned:
        return True
    return (level.deep or _is_in_deep(draft, grammar, unit)) and _has_banned(draft, grammar, child)


def _has_banned(draft: Draft, grammar: BitGrammar, unit: int) -> bool:
    """RETURNS (bool): Whether an edge below a unit, however deep, has what is banned in Processes and States."""
    stack, seen = [unit], {unit}
    while stack:
        for i in draft.edges_of(stack.pop()):
            if draft.labels[i] & grammar.deep:
                return True
            if draft.labels[i] and draft.children[i] not in seen:
                seen.add(draft.children[i])
                stack.append(draft.children[i])
    return False


def _is_in_deep(draft: Draft, grammar: BitGrammar, unit: int) -> bool:
    """RETURNS (bool): Whether a unit is a Process or State, or in one."""
    stack, seen = [unit], {unit}
    while stack:
        for i in draft.edges_to(stack.pop()):
            if i < 0 or not draft.labels[i]:
                continue
            if draft.labels[i] & grammar.deep_in:
                return True
            if draft.edges[i].parent not in seen:
                seen.add(draft.edges[i].parent)
                stack.append(draft.edges[i].parent)
    return False


def _has_other_parent(draft: Draft, grammar: BitGrammar, i: int) -> bool:
    """RETURNS (bool): Whether a remote edge labels a unit as Connector that another edge labels so too."""
    if not draft.labels[i] & grammar.one_parent:
        return False
    others = (j for j in draft.edges_to(draft.children[i]) if j != i)
    return any(draft.labels[j] & grammar.one_parent for j in others)


INFINITE = float("inf")
_NEW = -1  # stands for a new Process or State among the edges of a unit


class LabelRepair:
    """Repair of the categories of a graph.

    draft (Draft): The graph.
    grammar (BitGrammar): The rules.
    new (int): The categories that edges may get, as bits. Others are used only where none of these fits.
    """

    def __init__(self, draft: Draft, grammar: BitGrammar, new: int = NEW) -> None:
        self.draft = draft
        self.grammar = grammar
        self.new = new
        self.plain: dict[int, float] = {}

    def repair(self) -> None:
        """Repair all units of the graph."""
        for root in self.draft.roots:
            self._repair_below(root)

    def _repair_below(self, root: int) -> None:
        draft = self.draft
        kids, children = draft.kids, draft.children
        order, stack = [], [root]
        while stack:
            unit = stack.pop()
            order.append(unit)
            stack += [children[i] for i in kids[unit]]
        # Upper bound of the cost of removing everything banned in Processes and States from a unit and below.
        self.plain = dict.fromkeys(order, 0.0)
        for unit in reversed(order):
            if kids[unit] or draft.remotes[unit]:
                below = sum([self.plain[children[i]] for i in kids[unit]])
                self.plain[unit] = self._banned_weight(unit, self.grammar.deep) + below
        levels = {root: self.grammar.top}
        for unit in order:  # parents come before their children
            if kids[unit] or draft.remotes[unit]:
                level = levels[unit]
                self._repair_unit(unit, level)
                for i in kids[unit]:
                    levels[children[i]] = self.grammar.below(level, draft.labels[i])

    def _conflict(self, unit: int, level: int) -> float:
        """RETURNS (float): The cost of making a unit fit its level, in weights of edges."""
        banned, deep = self.grammar.levels[level]
        if not banned or not (self.draft.kids[unit] or self.draft.remotes[unit]):
            return 0.0
        return self.plain[unit] if deep else self._banned_weight(unit, banned)

    def _banned_weight(self, unit: int, banned: int) -> float:
        """RETURNS (float): The weight of the edges of a unit that have some categories."""
        draft = self.draft
        labels, weights = draft.labels, draft.weights
        primary = sum([weights[i] for i in draft.kids[unit] if labels[i] & banned])
        return primary + sum([weights[i] for i in draft.remotes[unit] if labels[i] & banned])

    def _repair_unit(self, unit: int, level: int) -> None:
        """Give the children of a unit categories that go together and with it."""
        draft, grammar = self.draft, self.grammar
        labels, children = draft.labels, draft.children
        categories, n_main, conflict = 0, 0, 0.0
        for i in draft.edges_of(unit):
            categories |= labels[i]
            n_main += (labels[i] & grammar.at_most_one).bit_count()
        for i in draft.kids[unit]:
            if draft.kids[children[i]] or draft.remotes[children[i]]:
                conflict += self._conflict(children[i], grammar.below(level, labels[i]))
        if not conflict and grammar.fits(categories, level, n_main, unit in draft.tokens):
            return
        for new in (self.new, NEW):
            tried = [self._choose(unit, level, unit_type, new) for unit_type in grammar.unit_types]
            cost, best = min(
                (t for t in tried if t is not None), key=lambda t: t[0], default=(INFINITE, {})
            )
            if cost < INFINITE:
                break
        if best.pop(_NEW, 0):
            self.plain[draft.add_relation(unit)] = 0.0
        for i, label in best.items():
            labels[i] = label

    def _choose(
        self, unit: int, level: int, unit_type: UnitType, new: int
    ) -> tuple[float, dict[int, int]] | None:
        """Find the cheapest categories that make a unit one of some type.

        new (int): The categories that edges may get.
        RETURNS (Optional[Tuple[float, Dict[int, int]]]): What they cost, and the categories of each edge; None, if
            it cannot be.
        """
        draft = self.draft
        has_tokens = unit in draft.tokens
        needed, single = unit_type.needed, unit_type.single
        allowed = unit_type.allowed & ~self.grammar.levels[level].banned
        if has_tokens:
            allowed &= ~self.grammar.not_beside_tokens
        if needed and not allowed & needed:
            return None
        total, provided = 0.0, False
        chosen: dict[int, int] = {}
        for i in sorted(draft.remotes[unit], key=lambda i: -draft.weights[i]):
            label = draft.labels[i] & allowed
            if single and (provided or (label & needed).bit_count() > 1):
                label &= ~needed
            provided |= bool(label & needed)
            cost = 0.0 if label == draft.labels[i] else PART_COST if label else DROP_COST
            total += cost * draft.weights[i]
            chosen[i] = label
        gains = []
        bare = draft.is_bare(unit)
        keep = bare and not has_tokens
        for i in draft.kids[unit]:
            without = self._cheapest(i, level, allowed & ~needed, 0, keep, new)
            best = without
            if needed:
                having = self._cheapest(i, level, allowed, needed, keep, new)
                gains.append((having[0] - without[0], i, having[1]))
                if not single and having[0] < without[0]:
                    best, provided = having, True
            total += best[0]
            chosen[i] = best[1]
        if needed and not provided:
            if single:  # a Scene whose relation is not in the text, or all there is of it
                cost = WORD_COST if bare and has_tokens else NEW_COST
                gains.append((cost, _NEW, bits("P")))
            if not gains:
                return None
            gain, i, label = min(gains)
            total += gain
            chosen[i] = label
        return total, chosen

    def _cheapest(
        self, i: int, level: int, allowed: int, needed: int, keep: bool, new: int
    ) -> tuple[float, int]:
        """RETURNS (Tuple[float, int]): The cost of the cheapest categories of an edge with exactly one that is needed,
        and these; 0 leaves an implicit unit out, unless it is to be kept."""
        draft = self.draft
        label, child, weight = draft.labels[i], draft.children[i], draft.weights[i]
        best = (INFINITE, 0)
        droppable = draft.kinds[child] == IMPLICIT and child not in draft.linked
        if droppable and not needed and not keep and not draft.shared[child]:
            best = (IMPLICIT_COST * weight, 0)
        for cost, changed in repair_actions(label, allowed, needed, new):
            cost = cost * weight + self._conflict(child, self.grammar.below(level, changed))
            if cost < best[0]:
                best = cost, changed
        return best
