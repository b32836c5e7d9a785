"""Votes: laws that hold for any graphs, and the choice of units compared with trying all."""

from collections.abc import Iterator
from itertools import chain, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import changed, graphs, renumbered

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import iter_xml, read_xml
from spacy_ucca.graph import IMPLICIT, LINKAGE, PUNCT, EdgeTuple, Graph, Unit
from spacy_ucca.scorer import score_pair
from spacy_ucca.voting import DEFAULT, MAJORITY, vote


def read(text: str) -> Graph:
    (graph,) = read_brackets(text, source="-")
    return graph


@st.composite
def rivals(draw, n: int, max_words: int = 5, max_units: int = 7) -> list[Graph]:
    """Trees over the same words, each of which is under a unit or the root; no unit is empty."""
    words = draw(st.lists(st.sampled_from("ab"), min_size=1, max_size=max_words))
    found = []
    for _ in range(n):
        parents = [draw(st.integers(0, i)) for i in range(draw(st.integers(0, max_units)))]
        over = [draw(st.integers(0, len(parents))) for _ in words]
        kept = {0, *over}
        for unit in range(len(parents), 0, -1):
            if unit in kept:
                kept.add(parents[unit - 1])
        number = {unit: i for i, unit in enumerate(sorted(kept))}
        edges = [
            EdgeTuple(number[parents[unit - 1]], number[unit], draw(st.sampled_from(["A", "C"])))
            for unit in sorted(kept)[1:]
        ]
        edges = [edge._replace(categories=(edge.categories,)) for edge in edges]
        edges += [EdgeTuple(number[unit], ~i, ("Terminal",)) for i, unit in enumerate(over)]
        found.append(Graph(words, ["FN"] * len(number), edges))
    return found


def node(unit: Unit) -> tuple:
    return unit.tokens(), unit.categories


def pieces_of(graph: Graph) -> set[tuple]:
    """Each unit with its children."""
    return {(node(unit), tuple(sorted(map(node, unit.children)))) for unit in graph.units}


def is_told_apart(graph: Graph) -> bool:
    """RETURNS (bool): Whether the metric tells the units apart: which of several without words it scores depends on their order."""
    kept = (unit for unit in graph if unit.kind not in (IMPLICIT, LINKAGE, PUNCT))
    return sum(not unit.tokens(punct=False) for unit in kept) <= 1


def listed(graph: Graph) -> list[tuple]:
    """The edges as they are voted on: by words and category."""
    return sorted(node(unit) for unit in graph.units if not unit.is_root)


def trees_of(voters: list[Graph]) -> Iterator[list[tuple]]:
    """All trees of what is under units in some voter, down to where there are less words: as lists of edges."""
    pieces: dict[tuple, set[tuple]] = {}
    for voter in voters:
        for unit in voter.units:
            if not unit.is_root and not unit.parent.is_root:
                if unit.parent.tokens() == unit.tokens():
                    continue  # one of a chain, which stays whole
            chained: list[tuple] = []
            bottom = unit
            while not unit.is_root and [c.tokens() for c in bottom.children] == [unit.tokens()]:
                (bottom,) = bottom.children
                chained.append(node(bottom))
            children = tuple(map(node, bottom.children))
            pieces.setdefault(node(unit), set()).add((tuple(chained), children))

    def below(unit: tuple) -> Iterator[list[tuple]]:
        for chained, children in pieces[unit]:
            for parts in product(*(list(below(child)) for child in children)):
                yield [*chained, *children, *chain.from_iterable(parts)]

    yield from map(sorted, below(node(voters[0].root)))


# Laws


@settings(deadline=None)
@given(graphs(max_roots=3), st.lists(st.floats(0.1, 9), min_size=1, max_size=4), st.booleans())
def test_a_graph_and_itself_are_that_graph(graph, weights, pieces):
    found = vote([graph] * len(weights), weights, pieces=pieces)
    assert found.same_structure(graph)
    if is_told_apart(graph):
        assert score_pair(found, graph).tally("average").f1 == 1


@settings(deadline=None)
@given(graphs(), st.data())
def test_numbers_of_units_say_nothing(graph, data):
    found = vote([graph, data.draw(renumbered(graph)), data.draw(renumbered(graph))])
    assert found.same_structure(graph)
    if is_told_apart(graph):
        assert score_pair(found, graph).tally("average").f1 == 1


@settings(deadline=None)
@given(graphs(max_roots=2), st.data())
def test_what_most_say_is_the_result(graph, data):
    other = data.draw(changed(graph).filter(lambda other: other.words == graph.words))
    for graphs_, weights in (([graph, other, graph], None), ([other, graph], (1, 1.5))):
        for pieces in (True, False):
            found = vote(graphs_, weights, thresholds=MAJORITY, pieces=pieces)
            assert found.same_structure(graph)


@settings(deadline=None)
@given(st.data())
def test_what_goes_together_went_together(data):
    voters = data.draw(rivals(3))
    found = vote(voters, data.draw(st.lists(st.floats(0.1, 9), min_size=3, max_size=3)))
    pieces = set().union(*map(pieces_of, voters))
    assert pieces_of(found) <= pieces
    assert found.words == voters[0].words and len(found.roots) == 1
    assert not any(unit.tokens() == () for unit in found.units if unit.kind == "FN")


@settings(deadline=None)
@given(st.data())
def test_mended_graphs_are_what_the_result_is_made_of(data):
    voters = [with_scores(graph, data) for graph in data.draw(rivals(6))]
    voters, mended = (
        voters[:3],
        voters[3:],
    )  # of any structure: that categories alone change is not asked for
    weights = data.draw(st.lists(st.floats(0.1, 9), min_size=3, max_size=3))
    found = vote(voters, weights, mended=mended)
    assert pieces_of(found) <= set().union(*map(pieces_of, mended))
    for copied in (lambda graph: graph, lambda graph: Graph.from_record(graph.to_record())):
        same = vote(voters, weights, mended=list(map(copied, voters)))
        assert same.to_record() == vote(voters, weights).to_record()


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_no_tree_of_these_pieces_has_more_votes(data):
    voters = data.draw(rivals(3, max_words=4, max_units=4))
    weights = data.draw(st.sampled_from([(1, 1, 1), (3, 2, 2), (1, 5, 2)]))
    found = vote(voters, weights)
    edges = list(map(listed, voters))

    def votes(tree) -> float:
        shares = (sum(w for w, e in zip(weights, edges) if edge in e) for edge in tree)
        return sum(share / sum(weights) - DEFAULT.primary for share in shares)

    trees = list(trees_of(voters))
    assert listed(found) in trees
    assert votes(listed(found)) == pytest.approx(max(map(votes, trees)))


@settings(deadline=None)
@given(st.data())
def test_unit_by_unit_no_fewer_votes(data):
    voters = data.draw(rivals(3))
    weights = data.draw(st.sampled_from([(1, 1, 1), (3, 2, 2), (1, 5, 2)]))
    found = vote(voters, weights, pieces=False)
    edges = list(map(listed, voters))
    assert found.words == voters[0].words and len(found.roots) == 1
    assert set(listed(found)) <= set().union(*edges)
    assert all(unit.is_root or unit.tokens() for unit in found.units)

    def votes(graph: Graph) -> float:
        shares = (sum(w for w, e in zip(weights, edges) if edge in e) for edge in listed(graph))
        return sum(share / sum(weights) - DEFAULT.primary for share in shares)

    assert votes(found) >= votes(vote(voters, weights)) - 1e-6


@settings(deadline=None)
@given(st.data(), st.booleans())
def test_order_says_nothing(data, pieces):
    voters = [with_scores(graph, data) for graph in data.draw(rivals(4))]
    weights = data.draw(st.lists(st.floats(0.1, 9), min_size=4, max_size=4))
    found = vote(voters, weights, pieces=pieces)
    order = data.draw(st.permutations(range(4)))
    other = vote([voters[i] for i in order], [weights[i] for i in order], pieces=pieces)
    assert other.same_structure(found)


def with_scores(graph: Graph, data) -> Graph:
    scores = data.draw(st.lists(st.floats(0, 1), max_size=len(graph.edge_tuples)))
    return Graph(
        graph.words,
        graph.kinds,
        graph.edge_tuples,
        punct=graph.punct,
        scores=dict(enumerate(scores)),
    )


# What is voted on beside units with words

HEAD = "[H [A Ann] [P saw] [A#1 [F the] [C cat]]]"


def test_remote_edges_and_implicit_units():
    plain = read(f"{HEAD} [H [P ate]]")
    remote = read(f"{HEAD} [H [P ate] [A* =1]]")
    implicit = read(f"{HEAD} [H [P ate] [A IMPLICIT]]")
    both = read(f"{HEAD} [H [P ate] [A* =1] [A IMPLICIT]]")
    assert vote([plain, remote, implicit, both]).same_structure(both)
    assert vote([plain, remote, implicit, both], thresholds=MAJORITY).same_structure(plain)
    assert vote([plain, remote, plain, plain]).same_structure(plain)
    assert vote([remote, plain, remote], thresholds=MAJORITY).same_structure(remote)


@pytest.mark.parametrize("extra", ["[A* =1]", "[A IMPLICIT]"])
def test_what_many_hold_possible(extra):
    plain, graph = read(f"{HEAD} [H [P ate]]"), read(f"{HEAD} [H [P ate] {extra}]")

    def believed(score: float) -> Graph:
        scores = {i: score if e.remote or e.child == implicit else 1.0 for i, e in enumerate(edges)}
        return Graph(graph.words, graph.kinds, edges, scores=scores)

    edges = graph.edge_tuples
    implicit = graph.kinds.index(IMPLICIT) if IMPLICIT in graph.kinds else None
    for scores, kept in (
        ([0.5, 0.4, 0.4], True),  # likely enough to nobody alone, with a majority in mind
        ([0.1, 0.1, 0.2], False),  # all have it, and none thinks so
        ([0.7, 0, 0], False),
        ([0.9, 0.3, 0], True),
    ):
        found = vote([believed(score) if score else plain for score in scores], [1, 1, 1.1])
        assert found.same_structure(graph if kept else plain)
        for edge in found.edges:
            mean = (scores[0] + scores[1] + 1.1 * scores[2]) / 3.1
            if edge.remote or edge.child.kind == IMPLICIT:
                assert edge.score == pytest.approx(mean, abs=1e-3)


def test_punctuation_that_is_nowhere_else_is_sure():
    graph = read("[H [A Ann] [P left] [U .]]")
    unsure = Graph(
        graph.words,
        graph.kinds,
        graph.edge_tuples,
        punct=graph.punct,
        scores=dict.fromkeys(range(len(graph.edge_tuples)), 0.2),
    )
    found = vote([unsure, unsure])
    assert found.same_structure(graph)
    assert {edge.score for edge in found.edges if edge.child.kind == PUNCT} == {1.0}


def test_remote_edges_go_where_their_units_went():
    # The second has a unit more around the parent, and the child of its edge is voted out in favour of others.
    first = read(f"{HEAD} [H [P ate] [A* =1]]")
    other = read("[H [H [A Ann] [P saw] [A#1 [F the] [C cat]]] [H [P ate] [A* =1]]]")
    assert vote([first, other, first, first]).same_structure(first)
    assert len([e for e in vote([first, other], [2, 1]).edges if e.remote]) == 1


def test_punctuation_does_not_divide():
    inside = read("[H [A Ann] [P left] [U .]]")
    outside = read("[H [A Ann] [P left]] [U .]")
    label = read("[H [A Ann] [S left] [U .]]")
    found = vote([inside, outside, outside])
    assert found.same_structure(outside)
    assert found.units[1].incoming[0].score == 1  # the Scene has the same words
    assert vote([outside, inside, label]).same_structure(inside)


def test_punctuation_nowhere_else_gets_a_unit_of_its_own():
    first = read("[H [A Ann] [P left]] [U ?] [U !]")
    found = vote([first, over_punct(first)])
    assert all(found.unit_of(i) is not None for i in range(4))


def over_punct(graph: Graph) -> Graph:
    """The graph with both signs under one punctuation unit."""
    keep = [unit for unit in graph.units if unit.kind == "PNCT"]
    last, edges = keep[-1].index, []
    for edge in graph.edge_tuples:
        if edge.child == last:
            continue
        edges.append(edge._replace(parent=keep[0].index) if edge.parent == last else edge)
    number = {unit: unit - (unit > last) for unit in range(len(graph.kinds))}
    edges = [
        EdgeTuple(number[e.parent], e.child if e.child < 0 else number[e.child], *e[2:])
        for e in edges
    ]
    return Graph(graph.words, [k for u, k in enumerate(graph.kinds) if u != last], edges)


def test_sentences_of_most_weight():
    one = read("[H [A Ann] [P left]] [L and] [H [A Bob] [P slept]]")
    two = Graph.join([read("[H [A Ann] [P left]] [L and]"), read("[H [A Bob] [P slept]]")])
    assert vote([one, two, two]).same_structure(two)
    assert vote([one, two], [2, 1]).same_structure(one)
    # Those who divide otherwise still have a say inside.
    other = read("[H [A Ann] [S left]] [L and] [H [A Bob] [S slept]]")
    mixed = Graph.join([read("[H [A Ann] [S left]] [L and]"), read("[H [A Bob] [P slept]]")])
    assert vote([two, other, mixed], [1.1, 1, 1]).same_structure(mixed)


def test_scores_and_weights_decide():
    ours, theirs = read("[H [A Ann] [P left]]"), read("[H [A Ann] [S left]]")
    sure = {i: 0.9 for i in range(len(ours.edge_tuples))}
    unsure = {i: 0.6 for i in range(len(ours.edge_tuples))}
    for a, b in ((ours, theirs), (theirs, ours)):
        assert vote([a, b], [2, 1]).same_structure(a)
        one = Graph(a.words, a.kinds, a.edge_tuples, scores=sure)
        two = Graph(b.words, b.kinds, b.edge_tuples, scores=unsure)
        assert vote([one, two]).same_structure(a)
        assert vote([one, two], [1, 2], scored=False).same_structure(b)


def test_scores_are_shares():
    graphs_ = [read("[H [A Ann] [P left]]")] * 3 + [read("[H [A Ann] [S left]]")]
    scores = {unit.label: unit.incoming[0].score for unit in vote(graphs_).units if unit.parents}
    assert scores == {"H": 1.0, "A": 1.0, "P": 0.75}


@pytest.mark.parametrize("words", [[], ["a"], [" "], ["🦊", "שלום", "."]])
def test_texts_without_units(words):
    loose = Graph(words, [], [])
    root = Graph(words, ["FN"], [])
    assert vote([loose, loose]).same_structure(loose)
    assert vote([root, loose]).same_structure(root)


def test_mistakes():
    graph = read("[H [A Ann] [P left]]")
    with pytest.raises(UccaError, match="UC860"):
        vote([])
    for weights in ([1.0], [1.0, 0.0], [1.0, -1.0], [1.0, float("nan")], []):
        with pytest.raises(UccaError, match="UC861"):
            vote([graph, graph], weights)
    with pytest.raises(UccaError, match="number 2"):
        vote([graph, read("[H [A Bob] [P left]]")])
    with pytest.raises(UccaError, match="UC865"):
        vote([graph, graph], mended=[graph])


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["UCCA_English-EWT", "UCCA_French-20K"])
def test_annotated_passages(corpus, corpora):
    for path in iter_xml(corpora / corpus):
        graph = read_xml(path)
        assert vote([graph, graph]).same_structure(graph), path
        assert vote([graph, graph], pieces=False).same_structure(graph), path
