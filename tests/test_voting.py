"""Votes: laws that hold for any graphs, and the choice of units compared with trying all."""

from collections import Counter
from collections.abc import Iterable
from itertools import chain, combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import changed, graphs, renumbered

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import iter_xml, read_xml
from spacy_ucca.graph import IMPLICIT, LINKAGE, PUNCT, EdgeTuple, Graph, Unit
from spacy_ucca.repair import repair
from spacy_ucca.scorer import score_pair
from spacy_ucca.validation import validate_graph
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


def wordless(graph: Graph) -> list[Unit]:
    """RETURNS (List[Unit]): The units without words, other than implicit ones, linkage and punctuation."""
    kept = (unit for unit in graph if unit.kind not in (IMPLICIT, LINKAGE, PUNCT))
    return [unit for unit in kept if not unit.tokens(punct=False)]


def is_told_apart(graph: Graph) -> bool:
    """RETURNS (bool): Whether the metric tells the units apart: which of several without words it scores depends on their order."""
    return len(wordless(graph)) <= 1


def listed(graph: Graph) -> list[tuple]:
    """The edges as they are voted on: by words and category."""
    return sorted(node(unit) for unit in graph.units if not unit.is_root)


def fit(edges: Iterable[tuple]) -> bool:
    """RETURNS (bool): Whether no two of some units cross."""
    tokens = [set(tokens) for tokens, _ in edges]
    return all(a <= b or b <= a or not a & b for a, b in combinations(tokens, 2))


# Laws


@settings(deadline=None)
@given(graphs(max_roots=3), st.lists(st.floats(0.1, 9), min_size=1, max_size=4))
def test_a_graph_and_itself_are_that_graph(graph, weights):
    found = vote([graph] * len(weights), weights)
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
        assert vote(graphs_, weights, thresholds=MAJORITY).same_structure(graph)


@settings(deadline=None)
@given(graphs(max_roots=2).map(repair), st.integers(1, 3))
def test_by_rules_a_graph_that_follows_them_and_itself_are_that_graph(graph, n):
    graph = graph.without(implicit=True, remotes=True)
    assume(not any(validate_graph(graph)))
    # A Scene of punctuation alone is no unit that is voted on: a Linker has no Scene beside it then.
    assert vote([graph] * n, rules=not wordless(graph)).same_structure(graph)


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_no_units_have_more_votes(data):
    voters = data.draw(rivals(3, max_words=4, max_units=4))
    weights = data.draw(st.sampled_from([(1, 1, 1), (3, 2, 2), (1, 5, 2)]))
    graph = vote(voters, weights)
    assert graph.words == voters[0].words and len(graph.roots) == 1
    assert not any(unit.tokens() == () for unit in graph.units if unit.kind == "FN")
    found = listed(graph)
    edges = list(map(listed, voters))

    def votes(units) -> float:  # one that is there twice needs those who have it twice
        places = ((unit, sorted(units)[:i].count(unit)) for i, unit in enumerate(sorted(units)))
        shares = (sum(w for w, e in zip(weights, edges) if e.count(u) > n) for u, n in places)
        return sum(share / sum(weights) - DEFAULT.primary for share in shares)

    # The units of the same words are those of one of the graphs.
    chains = {
        tuple(unit for unit in own if unit[0] == tokens) for own in edges for tokens, _ in own
    }
    sets = (s for n in range(len(chains) + 1) for s in combinations(chains, n))
    single = (s for s in sets if len({found[0][0] for found in s}) == len(s))
    trees = (list(chain(*s)) for s in single if fit(chain(*s)))
    assert votes(found) == pytest.approx(max(map(votes, trees)))


@settings(deadline=None)
@given(st.data())
def test_by_rules_units_are_what_they_can_be(data):
    voters = [repair(graph) for graph in data.draw(rivals(3, max_words=4, max_units=5))]
    voters = [graph.without(implicit=True) for graph in voters]
    weights = data.draw(st.lists(st.floats(0.1, 9), min_size=3, max_size=3))
    found = vote(voters, weights, rules=True)
    assert set(listed(found)) <= set().union(*map(listed, voters))
    broken = {problem.rule for problem in validate_graph(found)}
    # What is missing may be implicit or remote; repair gives words of the root units.
    assert broken <= {"inner-has-center", "scene-has-main-relation", "no-token-under-root"}


@settings(deadline=None)
@given(st.data(), st.booleans())
def test_order_says_nothing(data, rules):
    voters = [with_scores(graph, data) for graph in data.draw(rivals(4))]
    weights = data.draw(st.lists(st.floats(0.1, 9), min_size=4, max_size=4))
    found = vote(voters, weights, rules=rules)
    order = data.draw(st.permutations(range(4)))
    other = vote([voters[i] for i in order], [weights[i] for i in order], rules=rules)
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
        ([0.7, 0, 0], extra == "[A IMPLICIT]"),  # implicit units need less
        ([0.6, 0, 0], False),
        ([0.9, 0.3, 0], True),
    ):
        found = vote([believed(score) if score else plain for score in scores], [1, 1, 1.1])
        assert found.same_structure(graph if kept else plain)
        for edge in found.edges:
            mean = (scores[0] + scores[1] + 1.1 * scores[2]) / 3.1
            if edge.remote or edge.child.kind == IMPLICIT:
                assert edge.score == pytest.approx(mean, abs=1e-3)


@pytest.mark.parametrize(
    "category, implicit, left", [("A", "A", 0.42), ("T", "A", 0.6), ("A|D", "D|A", 0.42)]
)
def test_what_is_likely_shared_is_not_likely_implicit_too(category, implicit, left):
    graph = read(f"{HEAD} [H [P ate] [{category}* =1] [{implicit} IMPLICIT]]")
    edges = graph.edge_tuples

    def believed(shared: float) -> Graph:
        sure = {i: shared if edge.remote else 0.6 for i, edge in enumerate(edges)}
        return Graph(graph.words, graph.kinds, edges, scores=sure)

    found = vote([believed(0.3), believed(0.3)])
    (edge,) = [edge for edge in found.edges if edge.child.kind == IMPLICIT]
    assert edge.score == pytest.approx(left)
    kept = [unit for unit in vote([believed(0.7)]).units if unit.kind == IMPLICIT]
    assert len(kept) == (category == "T")


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


@given(st.data())
def test_scores_are_how_likely_edges_are_by_all_together(data):
    voters = [with_scores(graph, data) for graph in data.draw(rivals(4))]
    weights = data.draw(st.lists(st.floats(0.1, 3), min_size=4, max_size=4))
    found = vote(voters, weights, shares=False)
    assert found.same_structure(vote(voters, weights))
    sure = [score for voter in voters for score in voter.scores.values()]
    usual = sum(sure) / len(sure) if sure else 1.0
    alike = [Counter(node(unit) for unit in graph.units) for graph in (found, *voters)]
    for unit in found.units:
        # Of several that are alike the first is the surest: too much for a test to say.
        if not unit.parents or any(count[node(unit)] > 1 for count in alike):
            continue
        total = 0.0
        for voter, weight in zip(voters, weights, strict=True):
            own = [u.incoming[0] for u in voter.units if u.parents and node(u) == node(unit)]
            total += sum(weight * max(usual if e.score is None else e.score, 0.01) for e in own)
        assert unit.incoming[0].score == pytest.approx(total / sum(weights), abs=2e-3)


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


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["UCCA_English-EWT", "UCCA_French-20K"])
def test_annotated_passages(corpus, corpora):
    for path in iter_xml(corpora / corpus):
        graph = read_xml(path)
        assert vote([graph, graph]).same_structure(graph), path
        assert vote([graph, graph], rules=True).same_structure(graph), path
