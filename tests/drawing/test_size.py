"""Pictures of long and deep graphs: size and work are linear, and what is left out is said."""

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lines_run import lines_run
from strategies import graphs

import spacy_ucca
from spacy_ucca.drawing.page_comparison import render_comparison
from spacy_ucca.drawing.part import MAX_DEPTH, MAX_TOKENS, visible_part
from spacy_ucca.drawing.render import render, render_svg, render_tree
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.metric.compare import compare

SIZES = (160, 320, 640)
PACKAGE = str(Path(spacy_ucca.__file__).parent)


def make(n: int, parents: Callable[[int], int], remote: int = 0, **kinds: bool) -> Graph:
    """Make a graph of a unit over each of n tokens. RETURNS (Graph): With the unit of token i under that of `parents(i)`, the
    root for -1, and a remote edge from every `remote`-th unit to the first one."""
    builder = GraphBuilder(["word"] * n)
    root = builder.add_unit()
    units: list[int] = []
    for i in range(n):
        units.append(builder.add_unit())
        above = parents(i)
        builder.add_edge(root if above < 0 else units[above], units[i], "H" if above < 0 else "A")
        leaf = builder.add_unit()
        builder.add_edge(units[i], leaf, "P")
        builder.add_terminal(leaf, i)
        if kinds.get("implicit"):
            builder.add_edge(units[i], builder.add_unit("IMPLICIT"), "A")
        if remote and i % remote == 1 and above != 0:
            builder.add_edge(units[i], units[0], "A", remote=True)
        if kinds.get("linkage") and i > 1:
            link = builder.add_unit("LKG")
            builder.add_edge(link, units[i], "LR")
            builder.add_edge(link, units[i - 1], "LA")
    return builder.build()


SHAPES: dict[str, Callable[[int], Graph]] = {
    "flat": lambda n: make(n, lambda i: -1),
    "deep": lambda n: make(n, lambda i: i - 1),
    "bushy": lambda n: make(n, lambda i: (i - 1) // 2),  # gaps in gaps
    "in tens": lambda n: make(n, lambda i: -1 if i % 10 == 0 else i - 1),
    "remote": lambda n: make(n, lambda i: -1, remote=5),
    "implicit": lambda n: make(n, lambda i: -1, implicit=True),
    "linked": lambda n: make(n, lambda i: -1, linkage=True),
    "sentences": lambda n: Graph.join([make(10, lambda i: -1)] * (n // 10)),
}


# Routes of lines that cross others take long.
COSTLY = {"linked": 4, "remote": 2}


def graphs_of(shape: str, divisor: int = 1) -> list[Graph]:
    """RETURNS (List[Graph]): A graph of n, 2n and 4n units."""
    return [SHAPES[shape](n // COSTLY.get(shape, 1) // divisor) for n in SIZES]


def is_linear(sizes: list[int]) -> bool:
    """RETURNS (bool): Whether what is measured for n, 2n and 4n grows no faster than n, twice as much at the second step."""
    first, second, third = sizes
    return third - second <= 2.3 * (second - first)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("wrap", [None, 1200.0])
def test_size_of_a_picture_is_linear(shape: str, wrap: float | None) -> None:
    drawn = [len(render_svg(graph, wrap=wrap, max_tokens=None)) for graph in graphs_of(shape)]
    assert is_linear(drawn), drawn


@pytest.mark.parametrize("shape", SHAPES)
def test_size_of_a_tree_is_linear(shape: str) -> None:
    drawn = [len(render_tree(graph)) for graph in graphs_of(shape)]
    assert is_linear(drawn), drawn


def steps(function: Callable[[], Any]) -> int:
    """RETURNS (int): The number of lines of the package that run."""
    return lines_run(function, PACKAGE)


@pytest.mark.parametrize("shape", SHAPES)
def test_work_is_linear(shape: str) -> None:
    """Of picture and tree, without the limits."""
    made = graphs_of(shape, 2)
    sizes = [steps(lambda g=g: render_svg(g, wrap=400, max_tokens=None)) for g in made]
    assert is_linear(sizes), sizes
    sizes = [steps(lambda g=g: render_tree(g)) for g in made]
    assert is_linear(sizes), sizes


def numbers(svg: str, what: str) -> set[int]:
    return {int(number) for number in re.findall(rf'data-{what}="(\d+)"', svg)}


def words_in(svg: str) -> list[str | None]:
    root = ElementTree.fromstring(svg)
    return [e.text for e in root.iter() if e.attrib.get("class") == "token"]


@settings(max_examples=60)
@given(graphs(max_roots=3, max_words=12, max_units=12), st.integers(1, 13), st.integers(1, 5))
def test_a_part_is_a_part(graph: Graph, max_tokens: int, max_depth: int) -> None:
    part = visible_part(graph, max_tokens, max_depth)
    end = len(part.graph.words)
    assert end <= max_tokens and graph.words[:end] == part.graph.words
    assert graph.punct[:end] == part.graph.punct
    for unit in part.graph.units:
        whole = graph[part.units[unit.index]]
        assert unit.kind == whole.kind
        assert unit.tokens() == tuple(token for token in whole.tokens() if token < end)
    for edge in part.graph.edges:
        whole_edge = graph.edge_tuples[part.edges[edge.index]]
        assert (edge.categories, edge.remote) == whole_edge[2:]
        ends = part.units[edge.parent.index], part.units[edge.child.index]
        assert ends == whole_edge[:2]
    for token in range(end):
        assert (part.graph.unit_of(token) is None) == (graph.unit_of(token) is None)
    is_whole = (len(part.graph), len(part.graph.edge_tuples)) == (
        len(graph),
        len(graph.edge_tuples),
    )
    assert bool(part.note) == (part.graph is not graph) and (is_whole or part.note)
    # It is drawn, under the numbers of the whole.
    svg = render_svg(graph, max_tokens=max_tokens, max_depth=max_depth)
    assert len(words_in(svg)) == end and (part.note in svg)
    assert numbers(svg, "unit") == set(part.units)
    assert numbers(svg, "edge") == {part.edges[edge.index] for edge in part.graph.edges}
    tree = render_tree(graph, max_tokens=max_tokens, max_depth=max_depth)
    assert tree == render_tree(part.graph) + (f"\n({part.note})\n" if part.note else "")
    for limits in (
        {},
        {"max_tokens": None, "max_depth": None},
        {"max_tokens": len(graph.words) + 1},
    ):
        assert render_svg(graph, **limits) == render_svg(graph)  # type: ignore[arg-type]


def test_a_part_has_whole_sentences_if_one_fits() -> None:
    graph = SHAPES["sentences"](50)
    for limit, end in ((5, 5), (10, 10), (19, 10), (25, 20), (49, 40), (50, 50)):
        assert len(visible_part(graph, limit, None).graph.words) == end


def test_what_is_left_out_is_said() -> None:
    long, deep = SHAPES["flat"](MAX_TOKENS + 1), SHAPES["deep"](MAX_DEPTH + 50)
    svg = render_svg(long)
    assert f"Tokens 1-{MAX_TOKENS:,} of {MAX_TOKENS + 1:,} are drawn." in svg
    assert len(words_in(svg)) == MAX_TOKENS
    for drawn in (render_svg(deep), render_tree(deep)):
        assert f"Levels 1-{MAX_DEPTH} of {MAX_DEPTH + 51} are drawn." in drawn
    assert "of 2,001 are drawn" in (render(long, page=True) or "")
    assert "drawn" not in render_tree(long)
    page = render_comparison(
        SHAPES["flat"](40), SHAPES["in tens"](40), options={"max_tokens": 30, "wrap": 1200}
    )
    assert page.count("Tokens 1-30 of 40 are drawn.") == 2
    for option in ({"max_tokens": 0}, {"max_depth": -1}):
        for style in ("svg", "tree"):
            with pytest.raises(UccaError, match=rf"UC608.*{next(iter(option))}"):
                render(long, style=style, options=option)


def test_errors_are_marked_in_a_part() -> None:
    gold, predicted = read_brackets(
        "[H [A a] [P b]] [H [P c] [A d]]\n\n[H [D a] [P b]] [H [P c] [D d]]"
    )
    marks = compare(gold, predicted).gold.marks
    whole, part = (render_svg(gold, marks=marks, max_tokens=n) for n in (4, 2))
    assert len(re.findall("data-status=", whole)) == 2 * len(re.findall("data-status=", part)) > 0


def test_tooltips_are_short() -> None:
    """A unit may have thousands of words."""
    svg = render_svg(SHAPES["bushy"](300))
    titles = [html.unescape(t) for t in re.findall("<title>([^<]*)", svg)][1:]
    assert 200 < max(map(len, titles)) < 260


def test_the_list_of_errors_is_short() -> None:
    sizes = [
        len(render_comparison(SHAPES["deep"](n), SHAPES["flat"](n), options={"max_tokens": 5}))
        for n in SIZES
    ]
    assert is_linear(sizes), sizes
