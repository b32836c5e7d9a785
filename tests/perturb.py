"""Graphs changed at random in small ways: what a parser's errors look like. Pure functions on Graph."""

from __future__ import annotations

import random
from collections.abc import Callable

from spacy_ucca.graph import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT, EdgeTuple, Graph
from spacy_ucca.rules.validate import validate_graph

CATEGORIES = tuple("HASPDTCENRFLGQ")


def delete_unit(graph: Graph, rng: random.Random) -> Graph:
    """Without a unit; its children go to its parent, remote edges to it go away."""
    options = _units(graph, (FOUNDATIONAL, IMPLICIT))
    if not options:
        return graph
    gone = rng.choice(options)
    parent = graph.edge_tuples[graph.index.parent_edge[gone]].parent
    edges = []
    for edge in graph.edge_tuples:
        if edge.child == gone:
            continue
        if edge.parent == gone:
            if edge.remote and any(e[:2] == (parent, edge.child) for e in graph.edge_tuples):
                continue
            edge = edge._replace(parent=parent)
        edges.append(edge)
    return _without_unit(graph, edges, gone)


def relabel_edge(graph: Graph, rng: random.Random) -> Graph:
    """With another category, or two, on an edge."""
    options = [i for i, e in enumerate(graph.edge_tuples) if e.child >= 0 and not _fixed(graph, e)]
    if not options:
        return graph
    chosen = rng.choice(options)
    # H leads where it is one of two: the toolkit never ends on some graphs where it does not
    tags = tuple(rng.sample(CATEGORIES, 2 if rng.random() < 0.15 else 1))
    tags = tuple(sorted(tags, key=lambda tag: tag != "H"))
    return _with_edges(
        graph,
        [
            e._replace(categories=tags) if i == chosen else e
            for i, e in enumerate(graph.edge_tuples)
        ],
    )


def reattach_unit(graph: Graph, rng: random.Random) -> Graph:
    """With a unit, or a token, under another parent."""
    options = [
        i
        for i, e in enumerate(graph.edge_tuples)
        if not e.remote and graph.kinds[e.parent] not in (LINKAGE, PUNCT)
    ]
    for _ in range(10):
        if not options:
            break
        chosen = rng.choice(options)
        edge = graph.edge_tuples[chosen]
        parent = rng.choice(_units(graph, (FOUNDATIONAL,), roots=True))
        if parent == edge.parent or (edge.child >= 0 and parent in _below(graph, edge.child)):
            continue
        edges = list(graph.edge_tuples)
        edges[chosen] = edge._replace(parent=parent)
        return _with_edges(graph, edges)
    return graph


def add_remote(graph: Graph, rng: random.Random) -> Graph:
    """With one more remote edge."""
    children = _units(graph, (FOUNDATIONAL,))
    parents = _units(graph, (FOUNDATIONAL,), roots=True)
    for _ in range(10):
        if not children:
            break
        child, parent = rng.choice(children), rng.choice(parents)
        known = {e[:2] for e in graph.edge_tuples}
        if parent in _below(graph, child) or (parent, child) in known:
            continue
        edge = EdgeTuple(parent, child, (rng.choice(CATEGORIES),), True)
        return _with_edges(graph, [*graph.edge_tuples, edge])
    return graph


def drop_remote(graph: Graph, rng: random.Random) -> Graph:
    """Without one of the remote edges."""
    options = [i for i, e in enumerate(graph.edge_tuples) if e.remote]
    if not options:
        return graph
    chosen = rng.choice(options)
    return _with_edges(graph, [e for i, e in enumerate(graph.edge_tuples) if i != chosen])


def add_implicit(graph: Graph, rng: random.Random) -> Graph:
    """With one more implicit unit."""
    parent = rng.choice(_units(graph, (FOUNDATIONAL,), roots=True))
    edge = EdgeTuple(parent, len(graph.kinds), (rng.choice(CATEGORIES),))
    return Graph(
        graph.words,
        [*graph.kinds, IMPLICIT],
        [*graph.edge_tuples, edge],
        punct=graph.punct,
        paragraphs=graph.paragraphs,
    )


def drop_implicit(graph: Graph, rng: random.Random) -> Graph:
    """Without one of the implicit units."""
    options = _units(graph, (IMPLICIT,))
    options = [u for u in options if not graph.index.out[u]]
    if not options:
        return graph
    gone = rng.choice(options)
    return _without_unit(graph, [e for e in graph.edge_tuples if e.child != gone], gone)


def insert_unit(graph: Graph, rng: random.Random) -> Graph:
    """With a unit more between a unit, or some of its siblings too, and its parent."""
    options = [
        i
        for i, e in enumerate(graph.edge_tuples)
        if not e.remote and graph.kinds[e.parent] == FOUNDATIONAL
    ]
    if not options:
        return graph
    parent = graph.edge_tuples[rng.choice(options)].parent
    siblings = [i for i in options if graph.edge_tuples[i].parent == parent]
    moved = set(rng.sample(siblings, min(len(siblings), rng.choice((1, 1, 2, 3)))))
    unit = len(graph.kinds)
    edges = [e._replace(parent=unit) if i in moved else e for i, e in enumerate(graph.edge_tuples)]
    edges.append(EdgeTuple(parent, unit, (rng.choice(CATEGORIES),)))
    return Graph(
        graph.words,
        [*graph.kinds, FOUNDATIONAL],
        edges,
        punct=graph.punct,
        paragraphs=graph.paragraphs,
    )


PERTURBATIONS: tuple[Callable[[Graph, random.Random], Graph], ...] = (
    delete_unit,
    relabel_edge,
    reattach_unit,
    add_remote,
    drop_remote,
    add_implicit,
    drop_implicit,
    insert_unit,
)


def perturb(graph: Graph, rng: random.Random, n: int) -> Graph:
    """Changed `n` times at random."""
    for _ in range(n):
        graph = rng.choice(PERTURBATIONS)(graph, rng)
    return graph


def renumber(graph: Graph, rng: random.Random) -> Graph:
    """The same with its units, but the first, and its edges in another order."""
    order = list(range(1, len(graph.kinds)))
    rng.shuffle(order)
    order = [0, *order]
    number = {unit: i for i, unit in enumerate(order)}
    edges = [
        e._replace(parent=number[e.parent], child=number.get(e.child, e.child))
        for e in graph.edge_tuples
    ]
    rng.shuffle(edges)
    return Graph(
        graph.words,
        [graph.kinds[unit] for unit in order],
        edges,
        punct=graph.punct,
        paragraphs=graph.paragraphs,
    )


def _units(graph: Graph, kinds: tuple[str, ...], roots: bool = False) -> list[int]:
    return [
        unit
        for unit, kind in enumerate(graph.kinds)
        if kind in kinds and (roots or graph.index.parent_edge[unit] >= 0)
    ]


def _fixed(graph: Graph, edge: EdgeTuple) -> bool:
    return graph.kinds[edge.parent] == LINKAGE or graph.kinds[edge.child] == PUNCT


def _below(graph: Graph, unit: int) -> set[int]:
    found, stack = {unit}, [unit]
    while stack:
        for i in graph.index.out[stack.pop()]:
            child = graph.edge_tuples[i].child
            if child >= 0 and child not in found:
                found.add(child)
                stack.append(child)
    return found


def _with_edges(graph: Graph, edges: list[EdgeTuple]) -> Graph:
    return Graph(graph.words, graph.kinds, edges, punct=graph.punct, paragraphs=graph.paragraphs)


def _without_unit(graph: Graph, edges: list[EdgeTuple], gone: int) -> Graph:
    """The graph of these edges, without that unit and without what lost its only parent with it."""
    lost = {gone}
    lost.update(
        u
        for u in range(len(graph.kinds))
        if graph.index.parent_edge[u] >= 0
        and u != gone
        and not any(e.child == u and not e.remote for e in edges)
    )
    number: dict[int, int] = {}
    for unit in range(len(graph.kinds)):
        if unit not in lost:
            number[unit] = len(number)
    kept = [
        e._replace(parent=number[e.parent], child=number.get(e.child, e.child))
        for e in edges
        if e.parent not in lost and e.child not in lost
    ]
    kinds = [kind for unit, kind in enumerate(graph.kinds) if unit not in lost]
    return Graph(graph.words, kinds, kept, punct=graph.punct, paragraphs=graph.paragraphs)


def broken(graph: Graph) -> list[str]:
    """The rules that a graph breaks, those left out that are about tokens or the number of roots."""
    given = {"root-per-sentence", "token-attached", "word-has-space", "function-childless"}
    return sorted({p.rule for p in validate_graph(graph)} - given)
