"""Scores of discontinuous units: against a count by the definition, and laws."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perturb import perturb
from strategies import ODD_WORDS, PLAIN_WORDS, graphs, with_spaces

from spacy_ucca.drawing.page_comparison import render_comparison
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import LINKAGE, Graph
from spacy_ucca.metric.counts import DISCONTINUOUS, EVAL_TYPES, EXACT, UNLABELED, Tally
from spacy_ucca.metric.score import score_graphs, score_pair

GAVE = "[H [A She] [P#2 gave] [A it] [P#2- up]] [U .]"


def brackets(text: str) -> Graph:
    (graph,) = read_brackets(text)
    return graph


def items(graph: Graph) -> dict[frozenset[int], set[str]]:
    """RETURNS: The words of each unit with a gap, and the categories of all units with these words."""
    found: dict[frozenset[int], set[str]] = {}
    for unit in graph:
        words = unit.tokens(punct=False)
        if unit.kind == LINKAGE or unit.parent is None or unit.is_punct:
            continue
        between = {t for pair in pairwise(words) for t in range(pair[0] + 1, pair[1])}
        attached = {token for other in graph for token in other.terminals}
        if any(
            not graph.punct[t] and (t in attached or graph.words[t].strip() or not graph.words[t])
            for t in between
        ):
            found.setdefault(frozenset(words), set()).update(unit.categories)
    return found


def by_definition(predicted: Graph, gold: Graph) -> dict[str, Tally]:
    ours, theirs = items(predicted), items(gold)
    both = ours.keys() & theirs.keys()
    matches = {
        UNLABELED: len(both),
        "labeled": sum(bool(ours[words] & theirs[words]) for words in both),
        EXACT: sum(ours[words] == theirs[words] for words in both),
    }
    return {kind: Tally(n, len(ours), len(theirs)) for kind, n in matches.items()}


def tallies(predicted: Graph, gold: Graph) -> dict[str, Tally]:
    counts = score_pair(predicted, gold)
    kinds = (UNLABELED, "labeled", EXACT)
    return {kind: counts.tally(DISCONTINUOUS, kind) for kind in kinds}


@st.composite
def pairs(draw):
    """A graph, with one in which some words and categories have changed places."""
    words = st.one_of(PLAIN_WORDS, ODD_WORDS)
    graph = draw(graphs(words=words, max_words=6, max_units=5, max_roots=3))
    places = [i for i, is_punct in enumerate(graph.punct) if not is_punct]
    moved = dict(zip(places, draw(st.permutations(places)))) if draw(st.booleans()) else {}
    swap = draw(st.dictionaries(st.sampled_from("HPAC"), st.sampled_from("HPAC"), max_size=1))
    edges = [
        edge._replace(child=~moved.get(~edge.child, ~edge.child))
        if edge.child < 0
        else edge._replace(categories=tuple(swap.get(c, c) for c in edge.categories))
        for edge in graph.edge_tuples
    ]
    return graph.replace(edges=edges), graph


@settings(max_examples=300)
@given(pairs())
def test_counts_are_those_of_the_definition(pair) -> None:
    assert tallies(*pair) == by_definition(*pair)


@given(graphs(words=st.one_of(PLAIN_WORDS, ODD_WORDS)))
def test_a_graph_equals_itself(graph) -> None:
    tally = score_pair(graph, graph).tally(DISCONTINUOUS)
    assert tally.matches == tally.guessed == tally.ref == len(items(graph))


@given(st.data())
def test_white_space_that_hangs_on_nothing_makes_no_gap(data) -> None:
    graph = data.draw(graphs())
    spaced = data.draw(with_spaces(graph))
    assert tallies(graph, graph) == tallies(spaced, spaced)


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 9), st.data())
def test_other_scores_stay_apart(sample, rng, n, data) -> None:
    """Remote edges, implicit units and linkage change nothing, and the figures of the toolkit stay as they are."""
    gold = data.draw(st.sampled_from(sample))
    ours = perturb(gold.replace(details={}), rng, n)
    less = (g.without(remotes=True, implicit=True, linkage=True) for g in (ours, gold))
    assert tallies(*less) == tallies(ours, gold) == by_definition(ours, gold)
    counts = score_pair(ours, gold)
    average = sum((counts.tally(c) for c in ("primary", "remote", "implicit")), Tally())
    assert counts.tally("average") == average


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (GAVE, (1, 1, 1)),
        ("[H [A She] [D|P#2 gave] [A it] [D|P#2- up]] [U .]", (1, 1, 1)),
        ("[H [A She] [S#2 gave] [A it] [S#2- up]] [U .]", (0, 1, 1)),
        ("[H [A She] [P gave] [A it] [R up]] [U .]", (0, 0, 1)),
        ("[H [A#2 She] [P gave] [A#2- it] [R up]] [U .]", (0, 1, 1)),
        # A chain over the same words is one item, with the categories of both.
        ("[H [A She] [S#2 [P#3 gave]] [A it] [S#2- [P#3- up]]] [U .]", (1, 1, 1)),
        ("[H [A She] [P#2 [S#3 gave]] [A it] [P#2- [S#3- up]]] [U .]", (1, 1, 1)),
        # A remote edge gives no category.
        ("[H [A She] [S#2 gave] [A it] [S#2- up] [D [P* =2]]] [U .]", (0, 1, 1)),
    ],
)
def test_same_words_and_a_common_category(predicted: str, expected: tuple[int, int, int]) -> None:
    ours, gold = brackets(predicted), brackets(GAVE)
    assert score_pair(ours, gold).tally(DISCONTINUOUS) == Tally(*expected)
    swapped = score_pair(gold, ours).tally(DISCONTINUOUS)
    assert swapped == Tally(expected[0], expected[2], expected[1])


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("[H [P#1 Wait] [U ,] [P#1- go] [D now]]", 0),  # punctuation of another unit
        ("[H [P#1 Wait] ~\\s [P#1- go] [D now]]", 0),  # white space that hangs on nothing
        ("[H [P#1 Wait] [F \\s] [P#1- go] [D now]]", 1),
        ("[H [P#1 Wait] ~oh [P#1- go] [D now]]", 2),  # a word that hangs on nothing: in H too
        ("[H [P#1 Wait] [F to] [P#1- go] [D now]]", 1),
        ("[H [U:FN#1 Wait] [F to] [U#1- go] [D now]]", 0),  # punctuation by its edge
        ("[H#1 Wait] [L#2 and] [D now] [H#3 go] [D:LKG [LR =2] [LA =1] [LA =3]]", 0),
    ],
)
def test_what_makes_a_gap(text: str, n: int) -> None:
    graph = brackets(text)
    assert score_pair(graph, graph).tally(DISCONTINUOUS) == Tally(n, n, n)


def test_named_scores_counts_and_page() -> None:
    other = brackets("[H [A She] [S#2 gave] [A it] [S#2- up]] [U .]")
    scores = score_graphs([(other, brackets(GAVE)), (brackets(GAVE), brackets(GAVE))])
    for kind, value in (("", 0.5), ("unlabeled_", 1.0), ("weak_", 1.0), ("exact_", 0.5)):
        assert [scores[f"ucca_{kind}discontinuous_{m}"] for m in "prf"] == [value] * 3
    assert scores["ucca_counts"][DISCONTINUOUS] == {
        "matches": {**dict.fromkeys((*EVAL_TYPES, EXACT), 2), "labeled": 1, EXACT: 1},
        "predicted": 2,
        "gold": 2,
    }
    plain = brackets("[H [A She] [P slept]]")
    assert score_graphs([(plain, plain)])["ucca_discontinuous_f"] is None
    page = render_comparison(brackets(GAVE), other)
    row = page.partition(f'<th scope="row">{DISCONTINUOUS}</th>')[2].partition("</tr>")[0]
    assert re.findall(r">([^<\s]+)</td>", row) == ["0.0", "0.0", "0.0", "0", "1", "1"]
    assert f"{DISCONTINUOUS}: 0 matched of 1 predicted and 1 gold" in page
