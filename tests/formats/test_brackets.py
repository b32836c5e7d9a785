"""Bracket notation: written and read back, a graph is the same; the sample covers UCCA."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lines_run import lines_run
from official import passage

from spacy_ucca.errors import FormatError
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.graph.categories import CATEGORY_NAMES, TERMINAL

SAMPLE = Path(__file__).parents[1] / "data" / "sample.txt"


def again(graph: Graph) -> Graph:
    (found,) = read_brackets(write_brackets(graph))
    return found


def same(a: Graph, b: Graph) -> bool:
    return a.same_structure(b) and a.punct == b.punct and a.paragraphs == b.paragraphs


def only(text: str) -> Graph:
    (graph,) = read_brackets(text)
    return graph


# Reading


def test_a_sentence():
    graph = only("# id = x\n[L After] [H [P lunch] [A* =1]] [U ,] [H [A#1 John] [P left]] [U .]\n")
    assert graph.words == ("After", "lunch", ",", "John", "left", ".")
    assert graph.punct == (False, False, True, False, False, True)
    assert graph.details == {"id": "x"}
    assert [unit.label for unit in graph.root.children] == ["L", "H", "U", "H", "U"]
    remote = next(edge for edge in graph.edges if edge.remote)
    assert (remote.child.text, remote.parent.text, remote.label) == ("John", "lunch", "A")


def test_notation():
    graph = only(
        r"[H [P#g gave] [S|A it] [P#g- up] [A IMPLICIT]] [H:PNCT Dr ^.] {X|Y}a ~b ^\^ \IMPLICIT"
    )
    gave = graph[2]
    assert gave.is_discontinuous and gave.text == "gave ... up" and gave.label == "P"
    assert graph[3].categories == ("S", "A")
    assert [u.is_implicit for u in graph].count(True) == 1
    assert graph.words[3:] == ("Dr", ".", "a", "b", "^", "IMPLICIT")
    assert graph.punct[3:] == (True, False, False, False, True, False)
    assert graph.edge_tuples[graph.index.token_edge[5]].categories == ("X", "Y")
    assert graph.unit_of(6) is None and graph.unit_of(7) == graph.root


def test_linkage():
    graph = only("[L#1 But] [H#2 [P rain]]\n[:LKG [LR =1] [LA =2]]")
    (linkage,) = graph.linkages
    assert [(e.label, e.child.text, e.remote) for e in linkage.edges] == [
        ("LR", "But", False),
        ("LA", "rain", False),
    ]


def test_several_roots_and_none():
    graph = only("[ [H [P Stop]] [U !] ] [ [H [P Go]] [U !] ] ~x")
    assert [root.text for root in graph.roots] == ["Stop !", "Go !"]
    assert only("~a ~b").roots == () and only("~").words == ()
    assert len(only("[]").roots) == 1 and only("[]").words == ()


def test_blocks_and_comments():
    text = "# only a comment\n\n\n# k = v\n[H\n  [P a]]\r\n   \n[H [P b]]"
    first, second = read_brackets(text)
    assert (first.words, first.details, second.words) == (("a",), {"k": "v"}, ("b",))
    assert read_brackets("") == [] == read_brackets("\n \n# x = y\n")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("[H [P a]", 1, "not closed"),
        ("# a = b\n[H [P a]]]", 2, "not opened"),
        ("[H a]\n\n\n[H [A* =1]]", 4, "no unit is named #1"),
        ("[H [A* b]]", 1, "holds a name only"),
        ("[H [A* ]]", 1, "names no unit"),
        ("[H [A#1 a] [A* =1 =1]]", 1, "not in the bracket of an edge"),
        ("[H =1]", 1, "not in the bracket"),
        ("[H#1 a] [H#1 b]", 1, "two units"),
        ("[H#1- a]", 1, "go on with"),
        ("[H#1 a] [L [H#1- b]]", 1, "another"),
        ("[H#1 a] [L#1- b]", 1, "another"),
        ("[H:XX a]", 1, "no kind of unit"),
        ("[ [H a] ] [H b]", 1, "outside the roots"),
        ("[ [H a] ] b", 1, "outside the roots"),
        ("[H [ a]]", 1, "only a root"),
        ("[H a\\", 1, "backslash"),
        ("[H:IMPLICIT a]", 1, "[Ii]mplicit"),
        ("[H a]\n[H #b]", 2, "comments"),
        ("# paragraphs = x\n[H a]", 1, "paragraphs"),
        ("# paragraphs = 1*7\n[H a]", 1, "paragraphs"),
    ],
)
def test_mistakes_are_named(text, line, reason):
    with pytest.raises(FormatError, match=f"(?s)UC190.*file.txt, line {line}: .*{reason}"):
        read_brackets(text, source="file.txt")


# Writing


@pytest.mark.parametrize(
    "text",
    [
        "[H [A [F The] [C cat]] [P slept]] [U .]",
        "[A#1 [C#2 a]] [P x] [A#1- [C#2- b] y] [P z] [A#1- w]",
        "[ [A [S|A his] [A* =1]] ]\n[#1 [H b]]",
        "[:PNCT#1 x]\n[ [H y [U* =1]]]",
        "[H [A#1 IMPLICIT] [A [A* =1] IMPLICIT]] a [A* =1]",
        "[H [A ~a] [P b]] ~c",
        "[H#1 a] [H [A:LKG [LA =1]] b]",
        "[:LKG#1 [LR =2]] [:LKG [LA =1] word [LA* =2]] [H#2 x]",
        r"[A\|B\*C\#D\:E\sF\]\} a] {\}\sx}b \[\]\\ \s\n\t\r\u00a0 \e \=1 \{x} \~ \# \^ ^\^ x=y",
        "# paragraphs = 1*1 2*2\n[H a b c]",
        "[H 'שלום' 😀 e\u0301 \u200b بيت]",
    ],
)
def test_round_trip(text):
    graph = only(text)
    assert same(again(graph), graph), write_brackets(graph)
    assert write_brackets(again(graph)) == write_brackets(graph)


def test_round_trip_tells_graphs_apart():
    """`same` is not true of everything: it sees each thing the notation keeps."""
    base = only("[H [A#1 a] [P b] [A IMPLICIT]] [H [A* =1] [P c]] [U .]")
    for text in (
        "[H [A#1 a] [P b] [A IMPLICIT]] [H [A =1] [P c]] [U .]".replace("[A =1]", "[D* =1]"),
        "[H [A#1 a] [P b]] [H [A* =1] [P c]] [U .]",
        "[H [A#1 a] [P b] [A IMPLICIT]] [H [A* =1] [P c]] [U ^.]",
        "[H [A#1 a] [P b] [A]] [H [A* =1] [P c]] [U .]",
        "[H [A a] [P#1 b] [A IMPLICIT]] [H [A* =1] [P c]] [U .]",
    ):
        assert not same(only(text), base)


WORDS = st.one_of(
    st.sampled_from(
        [*"[]\\#=~^{}|*: \n\t", "IMPLICIT", "=1", "#a", "\u00a0", "", "👩‍👩‍👧", "بيت", "..."]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
)
CATEGORIES = st.lists(
    st.one_of(st.sampled_from([*CATEGORY_NAMES]), st.text("A|*#:[] }\\", min_size=1, max_size=3)),
    min_size=1,
    max_size=2,
)


@st.composite
def graphs(draw) -> Graph:
    words = draw(st.lists(WORDS, max_size=8))
    n = draw(st.integers(0, 8))
    builder = GraphBuilder(
        words,
        punct=[draw(st.booleans()) for _ in words],
        paragraphs=[draw(st.integers(1, 2)) for _ in words],
    )
    tokens = [draw(st.integers(-1, n - 1)) for _ in words]
    parents = [draw(st.integers(-1, u - 1)) for u in range(n)]
    full = set(tokens)
    for u in reversed(range(n)):
        if u in full:
            full.add(parents[u])
    for u in range(n):
        kinds = ["FN", "PNCT", "LKG"] + ["IMPLICIT"] * (u not in full)
        builder.add_unit(draw(st.sampled_from(kinds)))
    for u, parent in enumerate(parents):
        if parent >= 0 and builder.kinds[parent] != "LKG":
            # Units without words are told apart by their category alone.
            builder.add_edge(parent, u, *(draw(CATEGORIES) if u in full else [f"E{u}"]))
    for token, unit in enumerate(tokens):
        if unit >= 0 and builder.kinds[unit] != "IMPLICIT":
            builder.add_terminal(unit, token, *draw(st.one_of(st.just([TERMINAL]), CATEGORIES)))
    for u in range(n):
        for v in range(u + 1, n):
            if draw(st.integers(0, 4)) == 0:
                remote = builder.kinds[u] != "LKG" or draw(st.booleans())
                builder.add_edge(u, v, *draw(CATEGORIES), remote=remote)
    try:
        graph = builder.build()
    except ValueError:
        return GraphBuilder(words).build()
    assume(sum(not root.tokens() for root in graph.roots) < 2)
    return graph


@settings(max_examples=400, suppress_health_check=list(HealthCheck))
@given(graphs())
def test_round_trip_of_any_graph(graph):
    assert same(again(graph), graph), write_brackets(graph)


# The sample


def test_sample_is_written_and_read(sample):
    for graph in sample:
        assert same(again(graph), graph)
        assert again(graph).details == graph.details
    joined = Graph.join(sample)
    assert same(again(joined), joined)


def test_sample_covers_ucca(sample):
    assert len(sample) >= 48
    assert len({graph.details["id"] for graph in sample}) == len(sample)
    seen: Counter[str] = Counter()
    for graph in sample:
        seen.update(c for edge in graph.edges for c in edge.categories)
        seen.update(f"remote {c}" for e in graph.edges if e.remote for c in e.categories)
        seen.update(edge.label for edge in graph.edges if len(edge.categories) > 1)
        seen.update(unit.kind for unit in graph)
        seen["discontinuous"] += sum(unit.is_discontinuous for unit in graph)
        seen["unanalyzable"] += sum(len(unit.terminals) > 1 for unit in graph)
        seen["mixed"] += sum(bool(u.terminals) and bool(u.edges) for u in graph)
        seen["participant scene"] += sum("A" in u.categories for u in graph.scenes)
        seen["elaborator scene"] += sum("E" in u.categories for u in graph.scenes)
        seen["remote implicit"] += sum(e.remote and e.child.is_implicit for e in graph.edges)
        seen["one token"] += len(graph.words) == 1
    wanted = {c for c in CATEGORY_NAMES if c != TERMINAL}
    wanted |= {f"remote {c}" for c in "APSDTCE"} | {"S|A", "P|A", "D|T", "A|G"}
    wanted |= {"FN", "PNCT", "LKG", "IMPLICIT", "discontinuous", "unanalyzable", "mixed"}
    wanted |= {"participant scene", "elaborator scene", "remote implicit", "one token"}
    assert {key for key in wanted if not seen[key]} == set()


def test_sample_is_valid(sample):
    """The rules of the `ucca` package's own validation find nothing to say against the sample."""
    validation = pytest.importorskip("ucca.validation")
    for graph in sample:
        assert list(validation.validate(passage(graph))) == [], graph.details["id"]
    wrong = only("[H [A a] [C b]] [U .]")
    assert list(validation.validate(passage(wrong)))


def test_time_grows_with_the_depth():
    """Four times as deep, at most 16 times the lines run: each word has a path."""
    few, many = (_lines_run(depth) for depth in (40, 160))
    assert many < 16 * few


def _lines_run(depth: int) -> int:
    """Lines that are run, with comparisons of units."""
    (graph,) = read_brackets("".join(f"[A w{i} " for i in range(depth)) + "]" * depth)
    return lines_run(lambda: write_brackets(graph))


def test_a_thousand_nested_implicit_units_are_written():
    text = "[H [P a] " + "[A " * 1000 + "[A IMPLICIT]" + "]" * 1001
    (graph,) = read_brackets(text)
    assert read_brackets(write_brackets(graph)) == [graph]
