"""Trees of text in a narrow terminal: nothing is lost, and nothing is wider than need be."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from spacy_ucca.drawing.tree import columns, render_tree
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph

BEGINNING = re.compile(r"[│ ]*[├└]─ ")
# The branches, the category and its name; and the words
PARTS = re.compile(r"([│ ]*(?:[├└]─ \S+ +\S+(?: Scene)?)?) *(.*)")


def joined(tree: str) -> list[str]:
    """RETURNS (List[str]): The lines with those that continue them, with one space for several."""
    lines: list[str] = []
    is_new = True
    for line in tree.splitlines():
        if is_new or not line or BEGINNING.match(line):
            lines.append(line)
        else:
            lines[-1] += " " + re.sub("^[│ ]*", "", line)
        is_new = not line
    return [" ".join(line.split()) for line in lines]


@pytest.mark.parametrize("width", [1, 25, 40, 60, 100])
def test_joined_lines_are_the_tree(width: int, sample: list[Graph]):
    for graph in sample:
        whole, tree = render_tree(graph), render_tree(graph, width=width)
        assert joined(tree) == [" ".join(line.split()) for line in whole.splitlines()]
        for line in tree.splitlines():
            found = PARTS.fullmatch(line)
            assert found is not None
            assert columns(line) <= width or len(found[2].split()) <= 1, line
        plain = re.sub(r"\x1b\[[\d;]*m", "", render_tree(graph, width=width, color=True))
        assert plain == tree
        if max(map(columns, whole.splitlines())) <= width * 2 // 3:
            assert tree == whole


@settings(max_examples=30, deadline=None)
@given(graphs(max_roots=2), st.integers(-5, 90), st.booleans())
def test_no_graph_and_no_width_breaks(graph: Graph, width: int, ascii: bool):
    tree = render_tree(graph, width=width, ascii=ascii)
    words = render_tree(graph, ascii=ascii).split()
    assert [w for w in tree.split() if w not in "│|"] == [w for w in words if w not in "│|"]
    assert render_tree(graph, width=10_000, ascii=ascii) == render_tree(graph, ascii=ascii)


def test_words_continue_below_words_with_branches_drawn_through():
    text = "[H [A#a The very old man] [P slept] [A#a- of whom everybody spoke]] [U .]"
    (graph,) = read_brackets(text)
    assert render_tree(graph, width=36) == (
        "The very old man slept of whom\n"
        "everybody spoke .\n"
        "├─ H  Parallel Scene\n"
        "│  ├─ A  Participant  The very old\n"
        "│  │                  man ... of\n"
        "│  │                  whom everybody\n"
        "│  │                  spoke\n"
        "│  └─ P  Process      slept\n"
        "└─ U  Punctuation     .\n"
    )


@pytest.mark.parametrize(
    ("text", "n"), [("", 0), ("ab", 2), ("我们", 4), ("😀", 2), ("e\u0301", 1), ("❤\ufe0f", 2)]
)
def test_wide_characters_take_two_columns(text: str, n: int):
    assert columns(text) == n


def test_wide_words_are_divided_by_their_columns():
    (graph,) = read_brackets("[H [A 我们 今天 下午 在 图书馆 学习] [P 看]]")
    lines = render_tree(graph, width=36).splitlines()
    assert max(map(columns, lines)) <= 36
    assert any(columns(line) > len(line) + 4 for line in lines)


def test_a_wide_word_moves_to_the_left_on_its_own_line():
    (graph,) = read_brackets("[H [A a] [P b]] [U 東京都庁舎前広場]")
    assert max(map(columns, render_tree(graph, width=34).splitlines())) <= 34
