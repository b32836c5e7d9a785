"""Properties of dependency graphs: acyclic, connected, reachable, planar.

They are those of section 1 of the draft "Deriving Multi-Headed Projective Dependency Parses from Link Grammar Parses" (Hong
and Eisner), after Gómez-Rodríguez and Nivre (2013). All take pairs of nodes, where ROOT is a node left of all tokens, so
they serve graphs with and without directions.
"""

from collections.abc import Iterable

from ..conversion.graph import ROOT, BilexicalGraph
from ..graph.algorithms import find_cycle, reached

Pair = tuple[int, int]


def is_acyclic(arcs: Iterable[Pair]) -> bool:
    """RETURNS (bool): Whether no path leads from a node back to it. `arcs` are pairs of head and dependent."""
    return find_cycle(arcs) is None


def is_reachable(arcs: Iterable[Pair], n: int) -> bool:
    """RETURNS (bool): Whether a path leads from ROOT to each of `n` tokens. `arcs` are pairs of head and dependent."""
    return _reached(arcs) >= set(range(n))


def is_connected(pairs: Iterable[Pair], n: int) -> bool:
    """RETURNS (bool): Whether each of `n` tokens is reached from ROOT when directions do not matter."""
    forward = list(pairs)
    return is_reachable((*forward, *((right, left) for left, right in forward)), n)


def is_planar(pairs: Iterable[Pair]) -> bool:
    """RETURNS (bool): Whether no two of the pairs cross when they are drawn on one side of the text, ROOT before it."""
    inside: list[int] = []  # right ends of what is open, the innermost last
    for left, right in sorted({(min(pair), -max(pair)) for pair in pairs}):
        while inside and inside[-1] <= left:
            inside.pop()
        if inside and -right > inside[-1]:
            return False
        inside.append(-right)
    return True


def broken_properties(graph: BilexicalGraph) -> list[str]:
    """Find the properties that a multi-headed projective dependency parse has and a graph does not have.

    graph (BilexicalGraph): The graph, over the tokens that must have a head.
    RETURNS (List[str]): Those of "acyclic", "connected", "reachable" and "planar" that the graph is not.
    """
    pairs = [(arc.head, arc.dependent) for arc in graph.arcs]
    n = len(graph.tokens)
    has = {
        "acyclic": is_acyclic(pairs),
        "connected": is_connected(pairs, n),
        "reachable": is_reachable(pairs, n),
        "planar": is_planar(pairs),
    }
    return [name for name, value in has.items() if not value]


def is_multi_headed(graph: BilexicalGraph) -> bool:
    """RETURNS (bool): Whether a token has several heads."""
    return any(len({arc.head for arc in arcs}) > 1 for arcs in graph.incoming())


def _reached(arcs: Iterable[Pair]) -> set[int]:
    children: dict[int, list[int]] = {}
    for head, dependent in arcs:
        children.setdefault(head, []).append(dependent)
    return reached((ROOT,), lambda node: children.get(node, ()))
