"""Random link graphs, and the best directions of a few found by trying all."""

import itertools
from collections import Counter

import hypothesis.strategies as st

from spacy_ucca.conversion.graph import ROOT, Token
from spacy_ucca.link_grammar.direction_program import direction_cost
from spacy_ucca.link_grammar.links import Link, LinkGraph
from spacy_ucca.link_grammar.properties import (
    is_acyclic,
    is_planar,
    is_reachable,
)

LABELS = "ABC"


@st.composite
def link_graphs(draw: st.DrawFn, *, max_tokens: int = 5, planar: bool = True) -> LinkGraph:
    """Connected link graphs, with several links between two tokens now and then."""
    n = draw(st.integers(1, max_tokens))
    links: list[Link] = []
    # Each token is joined to one before it, which makes it connected; more links follow where they fit.
    for right in range(n):
        lefts = [left for left in range(ROOT, right) if not planar or _fits(links, left, right)]
        links.append(Link(draw(st.sampled_from(lefts)), right, draw(st.sampled_from(LABELS))))
    pairs = list(itertools.combinations(range(ROOT, n), 2))
    for left, right in draw(st.lists(st.sampled_from(pairs), max_size=n + 1)):
        link = Link(left, right, draw(st.sampled_from(LABELS)))
        if link not in links and (not planar or _fits(links, left, right)):
            links.append(link)
    return LinkGraph(tuple(Token(f"w{i}") for i in range(n)), tuple(draw(st.permutations(links))))


def _fits(links: list[Link], left: int, right: int) -> bool:
    return is_planar([*(link[:2] for link in links), (left, right)])


def all_directions(graph: LinkGraph) -> list[tuple[bool, ...]]:
    """RETURNS (List[Tuple[bool, ...]]): All directions that make a graph acyclic and reachable, by trying."""
    found = []
    for ways in itertools.product((False, True), repeat=len(graph.links)):
        arcs = [arc[:2] for arc in graph.oriented(ways).arcs] if _rooted(graph, ways) else []
        if arcs and is_acyclic(arcs) and is_reachable(arcs, len(graph.tokens)):
            found.append(ways)
    return found


def _rooted(graph: LinkGraph, ways: tuple[bool, ...]) -> bool:
    return all(way for link, way in zip(graph.links, ways) if link.left == ROOT)


def best_cost(graphs: list[LinkGraph]) -> float:
    """RETURNS (float): The least cost of directions for several graphs, by trying all."""
    best = float("inf")
    for choice in itertools.product(*map(all_directions, graphs)):
        counts: dict[str, Counter[bool]] = {}
        for graph, ways in zip(graphs, choice):
            for link, way in zip(graph.links, ways):
                counts.setdefault(link.label, Counter())[way] += 1
        best = min(best, sum(direction_cost(c[False], c[True]) for c in counts.values()))
    return best


def make(n: int, *links: tuple[int, int, str]) -> LinkGraph:
    return LinkGraph(tuple(Token(f"w{i}") for i in range(n)), tuple(Link(*link) for link in links))


# The wall, a verb after its subject, and the link between these two
TRIANGLE = make(2, (ROOT, 0, "Wd"), (ROOT, 1, "WV"), (0, 1, "S"))
