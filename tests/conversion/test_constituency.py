"""UCCA graphs to constituency trees and back: what comes back, how discontinuity is repaired, any tree."""

import hypothesis.strategies as st
import pytest
from hypothesis import given
from strategies import NODE_LABELS, graphs, trees

from spacy_ucca.conversion.constituency import (
    RemoteEdge,
    count_labels,
    from_constituency,
    remote_edges,
    to_constituency,
)
from spacy_ucca.conversion.graph import Token
from spacy_ucca.conversion.tree import (
    ConstituencyTree,
    LabeledSpan,
    NodeLabel,
    format_chain,
    parse_chain,
)
from spacy_ucca.errors import GraphError
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.formats.penn import format_penn
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import EdgeTuple, Graph


def one(text: str) -> Graph:
    return read_brackets(text)[0]


def reachable(graph: Graph) -> Graph:
    """What the notes promise to keep: without roots that have no tokens as well, but for one."""
    kept = graph.without(implicit=True, linkage=True)
    gone = {root.index for root in kept.roots if not root.tokens()}
    if len(gone) == len(kept.roots):
        gone.pop()
    number = {u: i for i, u in enumerate(u for u in range(len(kept.kinds)) if u not in gone)}
    edges = [
        EdgeTuple(number[e.parent], e.child if e.child < 0 else number[e.child], *e[2:])
        for e in kept.edge_tuples
        if e.parent in number
    ]
    return Graph(kept.words, [kept.kinds[u] for u in number], edges, punct=kept.punct)


@given(graphs(max_roots=3))
def test_all_but_implicit_units_and_linkage_comes_back(graph):
    tree = to_constituency(graph)
    expected = reachable(graph)
    assert from_constituency(tree, remote_edges(graph)).same_structure(expected)
    bare = from_constituency(tree)
    assert bare.same_structure(expected.without(remotes=True))
    assert bare.punct == graph.punct and bare.details == graph.details


@given(graphs(max_words=12, max_units=12))
def test_each_node_is_one_unit_or_a_moved_token(graph):
    tree = to_constituency(graph)
    names = [node.label.name for node in tree.nodes]
    units = [u for u in reachable(graph).units if u.tokens()]
    assert sorted(n for n in names if n != "Terminal") == sorted(u.label or "ROOT" for u in units)
    for node in tree.nodes:
        assert (node.end == node.start + 1 and node.label.move) or node.label.name != "Terminal"
    if not any(u.is_discontinuous for u in units):
        loose = any(graph.unit_of(i) is None for i in range(len(graph.words)))
        assert loose or not any(node.label.move for node in tree.nodes)


@given(graphs())
def test_marks_are_at_the_children_of_remote_edges(graph):
    tree, edges = to_constituency(graph), remote_edges(graph)
    assert set(tree.remote_children) == {edge.child for edge in edges}
    plain = to_constituency(graph, mark_remotes=False)
    assert not plain.remote_children
    assert [n._replace(label=n.label._replace(remote=False)) for n in tree.nodes] == list(
        plain.nodes
    )
    assert from_constituency(plain, edges).same_structure(from_constituency(tree, edges))


def naive_nodes(tree: ConstituencyTree) -> list[tuple[int, int]]:
    """Ends of the spans by nesting, without using `nodes`."""
    return [(s.start, s.end) for s in tree.spans for _ in s.label.split("+")]


@given(graphs(max_roots=2))
def test_spans_are_nested_and_nodes_are_their_links(graph):
    tree = to_constituency(graph)
    assert len({(s.start, s.end) for s in tree.spans}) == len(tree.spans)
    assert [(n.start, n.end) for n in tree.nodes] == naive_nodes(tree)
    for i, node in enumerate(tree.nodes):
        around = [
            j
            for j, other in enumerate(tree.nodes[:i])
            if other.start <= node.start and node.end <= other.end
        ]
        assert node.parent == (around[-1] if around else -1)
    for token, parent in enumerate(tree.token_parents):
        around = [j for j, n in enumerate(tree.nodes) if n.start <= token < n.end]
        assert parent == (around[-1] if around else -1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The example of the notes
        ("[H [A Hammond] [P defended] [A Dylan] [D vigorously] [U .]]",
         "(TOP (ROOT (H (A (_ Hammond)) (P (_ defended)) (A (_ Dylan)) (D (_ vigorously)) (U (PUNCT .)))))"),
        # A sibling in a gap moves down; its label says whose child it is
        ("[H [P#1 gave] [A it] [P#1- up]]",
         "(TOP (ROOT (H (P (_ gave) (A-down1 (_ it)) (_ up)))))"),
        # Through two units
        ("[H [P#1 [C#2 gave]] [A it] [P#1- [C#2- up]]]",
         "(TOP (ROOT (H (P (C (_ gave) (A-down2 (_ it)) (_ up))))))"),
        # Of a unit that crosses, the part in the gap moves left
        ("[A#1 a] [P#2 b] [A#1- c] [P#2- d]",
         "(TOP (ROOT (A (_ a) (Terminal-left1 (_ b)) (_ c)) (P (_ d))))"),
        ("[A#1 a] [P#2 [C b]] [A#1- c] [D x] [P#2- [E d]]",
         "(TOP (ROOT (A (_ a) (C-left2 (_ b)) (_ c)) (D (_ x)) (P (E (_ d)))))"),
        # A child of a remote edge is marked, and with a move as well
        ("[H [A#1 Tom] [P came]] [L and] [H [P won] [A* =1]]",
         "(TOP (ROOT (H (A-remote (_ Tom)) (P (_ came))) (L (_ and)) (H (P (_ won)))))"),
        ("[H [P#1 gave] [A#2 it] [P#1- up]] [H [P won] [A* =2]]",
         "(TOP (ROOT (H (P (_ gave) (A-remote-down1 (_ it)) (_ up))) (H (P (_ won)))))"),
        # Tokens attached to nothing, roots, several categories
        ("~x [H [S|A his] [A#1 big] [C dog] [A#1- one]] ~y",
         "(TOP (_ x) (ROOT (H (S|A (_ his)) (A (_ big) (C-down1 (_ dog)) (_ one)))) (_ y))"),
        ("[ [H go]] [ [H stop]]", "(TOP (ROOT (H (_ go))) (ROOT (H (_ stop))))"),
    ],
)  # fmt: skip
def test_by_example(text, expected):
    graph = one(text)
    tree = to_constituency(graph)
    assert format_penn(tree).strip() == expected
    back = from_constituency(tree, remote_edges(graph))
    assert write_brackets(back) == write_brackets(reachable(graph))


def test_no_words():
    tree = to_constituency(one("~"))
    assert tree == ConstituencyTree(()) and format_penn(tree) == "(TOP)\n"
    assert len(from_constituency(tree).roots) == 1


def test_spans_of_chains():
    tree = to_constituency(one("[H [A [C#1 Tom]] [P came]] [H [P won] [A* =1]]"))
    assert tree.spans == (
        LabeledSpan(0, 3, "ROOT"),
        LabeledSpan(0, 2, "H"),
        LabeledSpan(0, 1, "A+C-remote"),
        LabeledSpan(1, 2, "P"),
        LabeledSpan(2, 3, "H+P"),
    )
    assert [str(n.label) for n in tree.nodes] == ["ROOT", "H", "A", "C-remote", "P", "H", "P"]
    assert tree.remote_children == (3,)
    assert count_labels([tree, tree])["A+C-remote"] == 2


@given(st.lists(NODE_LABELS, min_size=1, max_size=4))
def test_labels_are_read_back(labels):
    assert parse_chain(format_chain(labels)) == tuple(labels)


@given(st.text(max_size=12))
def test_any_label_is_read(label):
    assert all(part.name or not label for part in parse_chain(label))


def test_a_mark_without_steps_is_one_step():
    assert parse_chain("A-remote-down")[0] == NodeLabel("A", True, "down", 1)


@given(trees(), st.data())
def test_any_tree_becomes_a_graph(tree, data):
    n = len(tree.nodes)
    edges = []
    if n:
        place = st.integers(0, n - 1)
        edge = st.builds(RemoteEdge, place, place, st.sampled_from(["A", "E"]))
        edges = data.draw(st.lists(edge, max_size=5))
    graph = from_constituency(tree, edges)
    assert graph.words == tree.words
    assert len(graph.roots) >= 1
    if tree.words:
        assert all(unit.tokens() for unit in graph.units if not unit.is_root)
    units = [node for node in tree.nodes if node.label.name not in ("ROOT", "Terminal")]
    covered = {i for node in units for i in range(node.start, node.end)}
    moved = any(node.label.move for node in tree.nodes)
    assert moved or all(graph.unit_of(i) is not None for i in covered)
    again = from_constituency(to_constituency(graph), remote_edges(graph))
    assert again.same_structure(graph)


def test_what_the_docstring_says_is_lost():
    def again(text):
        graph = one(text)
        return write_brackets(from_constituency(to_constituency(graph), remote_edges(graph)))

    assert again("[H [P Stop] [A IMPLICIT]]").strip() == "[H [P Stop]]"
    lost = "[H#1 go] [L#2 or] [H#3 stop]"
    assert again(lost + " [:LKG [LR =2] [LA =1] [LA =3]]").strip() == "[H go] [L or] [H stop]"
    assert again("[H {A}go]").strip() == "[H go]"


def test_remote_edges_that_cannot_be():
    tree = to_constituency(one("[H [A Tom] [P came]] [H [P won]]"))
    # ROOT, H, A, P, H, P
    assert len(tree.nodes) == 6
    wanted = RemoteEdge(4, 2, "A")
    found = from_constituency(tree, [wanted, wanted, RemoteEdge(2, 4, "A"), RemoteEdge(2, 1, "A")])
    assert write_brackets(found).strip() == "[H [A#1 Tom] [P came]] [H [P won] [A* =1]]"
    with pytest.raises(GraphError, match="UC804"):
        from_constituency(tree, [RemoteEdge(4, 6, "A")])


@pytest.mark.parametrize(
    "category", ["A+B", "A B", "(A", "A-remote", "A-down1", "ROOT", "Terminal"]
)
def test_categories_that_cannot_be_labels(category):
    graph = Graph(
        ["a"], ["FN", "FN"], [EdgeTuple(0, 1, (category,)), EdgeTuple(1, ~0, ("Terminal",))]
    )
    with pytest.raises(GraphError, match="UC800"):
        to_constituency(graph)


def test_refused():
    tokens = tuple(map(Token, "abcd"))
    for spans, code in (
        ([(0, 0, "A")], "UC801"),
        ([(0, 5, "A")], "UC801"),
        ([(-1, 2, "A")], "UC801"),
        ([(0, 2, "")], "UC801"),
        ([(0, 2, "A"), (0, 2, "B")], "UC802"),
        ([(0, 2, "A"), (1, 3, "B")], "UC802"),
    ):
        with pytest.raises(GraphError, match=code):
            ConstituencyTree(tokens, tuple(LabeledSpan(*s) for s in spans))
    with pytest.raises(GraphError, match="UC012"):
        ConstituencyTree(tokens, (), (True,))


@pytest.mark.parametrize("name", ["A", "A-down1", "A-left1", "Terminal"])
def test_deep_and_long(name):
    n = 1500
    spans = tuple(LabeledSpan(i, n, name if i else "ROOT") for i in range(n))
    tree = ConstituencyTree(tuple(Token("w") for _ in range(n)), spans)
    graph = from_constituency(tree)
    assert len(graph.words) == n
    assert from_constituency(to_constituency(graph)).same_structure(graph)


def test_the_sample_comes_back(sample):
    for graph in sample:
        back = from_constituency(to_constituency(graph), remote_edges(graph))
        assert back.same_structure(graph.without(implicit=True, linkage=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    "corpus",
    ["UCCA_English-Wiki-1.2", "UCCA_English-EWT", "UCCA_German-20K", "UCCA_French-20K"],
)
def test_passages_come_back(passages, corpus):
    for path in passages(corpus, 5):
        graph = read_xml(path)
        back = from_constituency(to_constituency(graph), remote_edges(graph))
        assert back.same_structure(graph.without(implicit=True, linkage=True)), path
