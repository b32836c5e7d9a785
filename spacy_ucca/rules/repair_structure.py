"""Repair tokens, punctuation and linkage units: they do not depend on the categories of other edges."""

from ..graph import EdgeTuple
from ..graph.categories import (
    FOUNDATIONAL,
    IMPLICIT,
    LINK_ARGUMENT,
    LINK_RELATION,
    LINKAGE,
    PUNCT,
    PUNCTUATION,
)
from .draft import Draft

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
