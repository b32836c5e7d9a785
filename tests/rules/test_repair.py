"""What `repair` makes of any graph follows the rules, those of the `ucca` package too, and nothing is lost."""

import itertools
import random
from collections import Counter
from pathlib import Path

import pytest
import spacy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from official import passage
from perturb import broken
from spacy.tokens import Doc
from strategies import graphs

from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.graph import EdgeTuple, Graph
from spacy_ucca.graph.categories import FOUNDATIONAL, LINKAGE, PUNCT, TERMINAL
from spacy_ucca.rules.bit_grammar import bit_grammar, bits
from spacy_ucca.rules.grammar import CATEGORIES
from spacy_ucca.rules.repair import repair

MODEL = Path(__file__).parents[2] / "models" / "en_ucca_sm"


def scored(graph: Graph, seed: int) -> Graph:
    rng = random.Random(seed)
    return Graph(
        graph.words,
        graph.kinds,
        graph.edge_tuples,
        punct=graph.punct,
        scores={i: rng.random() for i in range(len(graph.edge_tuples)) if rng.random() < 0.8},
    )


def punctuation_alone() -> Graph:
    """RETURNS (Graph): "!" and "?" in a unit, one of them in a unit of its own: no rule has anything against it."""
    edges = [(0, 1, "H"), (1, ~0, TERMINAL), (1, 2, "U"), (2, ~1, TERMINAL)]
    tuples = [EdgeTuple(parent, child, (category,), False) for parent, child, category in edges]
    return Graph(["!", "?"], [FOUNDATIONAL, FOUNDATIONAL, PUNCT], tuples, punct=[True, True])


@settings(max_examples=200)
@given(graphs(max_roots=2, max_units=9), st.integers(0, 9))
@example(punctuation_alone(), 0)
def test_what_is_repaired_follows_the_rules(graph: Graph, seed: int) -> None:
    graph = scored(graph, seed) if seed else graph
    repaired = repair(graph)
    empty = {"no-empty-unit"} if any(not root.tokens() for root in graph.roots) else set()
    assert set(broken(repaired)) <= empty
    assert repair(repaired) is repaired
    if not broken(graph):
        assert repaired is graph


def test_a_root_that_a_linkage_has_is_a_root() -> None:
    edges = [(0, 2, "H"), (0, ~0, TERMINAL), (2, ~1, TERMINAL), (1, 0, "LA")]
    tuples = [EdgeTuple(parent, child, (category,), False) for parent, child, category in edges]
    repaired = repair(Graph(["a", "b"], [FOUNDATIONAL, LINKAGE, FOUNDATIONAL], tuples))
    assert not repaired.root.terminals and [u.label for u in repaired.root.children] == ["F", "H"]


@settings(max_examples=200)
@given(graphs(max_units=9, loose=False))
def test_the_toolkit_agrees(graph: Graph) -> None:
    validation = pytest.importorskip("ucca.validation")
    if graph.words:
        assert list(validation.validate(passage(repair(graph)), linkage=False)) == []


@settings(max_examples=200)
@example(*read_brackets("[H ^. a a [D|T:FN ]]"))
@given(graphs(max_roots=2, max_units=9))
def test_tokens_stay_together(graph: Graph) -> None:
    def yields(graph: Graph) -> Counter:
        units = (unit for unit in graph.units if unit.kind != LINKAGE and unit.tokens())
        return Counter((unit.tokens(), unit.parent.tokens()) for unit in units if unit.parent)

    repaired = repair(graph)
    assert repaired.words == graph.words and repaired.punct == graph.punct
    assert not yields(graph) - yields(repaired)
    wrapped = yields(repaired) - yields(graph)
    # Tokens that one unit holds may get a unit of their own; punctuation among them gets another one.
    together = {unit.terminals for unit in graph.units}
    together |= {tuple(t for t in tokens if not graph.punct[t]) for tokens in together}
    assert all(len(tokens) == 1 or tokens in together for tokens, _ in wrapped)


@pytest.mark.parametrize(
    "before, after",
    [
        ("[H [P came] [A John] [C here]]", "[H [P came] [A John] [A here]]"),
        ("[H [A [C a] [C man] [A old]] [P came]]", "[H [A [C a] [C man] [E old]] [P came]]"),
        ("[D slowly]", "[F slowly]"),
        ("[H [P came] [F#1 it]] [H [P went] [F* =1]]", "[H [P came] [F it]] [H [P went]]"),
        ("[H [S [E [P run] [A he]] [C man]]]", "[H [C [E [P run] [A he]] [C man]]]"),
        ("[H [A John] [S|A friend]]", "[H [A John] [S|A friend]]"),
        ("[H [P was] [A John] [S|A friend]]", "[H [P was] [A John] [A friend]]"),
        ("[H [P came] [A#1 John] [L and] ]", "[H [P came] [A John] [R and]]"),
        ("[H [A [C a] [N and] [C b] [E c]] [P d]]", "[H [A [C a] [N and] [C b] [C c]] [P d]]"),
        ("[H great [A IMPLICIT]]", "[H [S great] [A IMPLICIT]]"),
        (
            "[H [A#1 Ann] [P came]] [H [A [E kind [A* =1]] [C aunt]] [P left]]",
            "[H [A#1 Ann] [P came]] [H [A [E [S kind] [A* =1]] [C aunt]] [P left]]",
        ),
        ("[H [P b]] [L and] [H [P c]] [A IMPLICIT]", "[H [P b]] [L and] [H [P c]]"),
    ],
)
def test_what_is_repaired_how(before: str, after: str) -> None:
    (graph,) = read_brackets(before)
    found = repair(graph)
    assert broken(found) == []
    assert write_brackets(found).strip() == after


def test_a_scene_without_relation_gets_an_implicit_one() -> None:
    (graph,) = read_brackets("[H [A John] [D quickly]]")
    found = repair(graph)
    assert [unit.label for unit in found.units if unit.is_implicit] == ["P"]
    assert found.without(implicit=True).same_structure(graph)


@pytest.mark.parametrize("seed", range(40))
def test_no_other_choice_changes_less(seed: int) -> None:
    """By brute force: all categories of all children of one unit."""
    rng = random.Random(seed)
    own = rng.choice("AH")
    grammar = bit_grammar(CATEGORIES)
    level = grammar.level_of(bits(own))
    labels = [rng.choice("HLGPSADTCENQRF") for _ in range(rng.randint(1, 3))]
    inner = f"[{own} " + " ".join(f"[{label} a]" for label in labels) + "]"
    (graph,) = read_brackets(inner if own == "H" else f"[H [P b] {inner}]")
    repaired = repair(graph)
    assert broken(repaired) == []
    unit = next(
        u for u in repaired.units if u.categories == (own,) and len(u.tokens()) == len(labels)
    )
    found = [edge.label for edge in unit.edges if not edge.child.is_implicit]

    def allowed(choice: tuple[str, ...]) -> bool:
        n_main = sum(label in "PS" for label in choice)
        with_process = grammar.fits(bits((*choice, "P")), level, n_main + 1, False)
        return with_process or grammar.fits(bits(choice), level, n_main, False)

    changes = [
        sum(a != b for a, b in zip(choice, labels))
        for choice in itertools.product("HLGPSADTCENQRF", repeat=len(labels))
        if allowed(choice)
    ]
    assert sum(a != b for a, b in zip(found, labels)) == min(changes)


@pytest.mark.parametrize("sure", ["C", "P"])
def test_what_the_parser_is_sure_of_stays(sure: str) -> None:
    (graph,) = read_brackets("[H [C a] [P b]]")
    scores = {
        e.index: 0.99 if e.label == sure else 0.5 if e.label == "H" else 0.1 for e in graph.edges
    }
    found = repair(Graph(graph.words, graph.kinds, graph.edge_tuples, scores=scores))
    first, second = found.root.children[0].edges
    kept, other = (first, second) if sure == "C" else (second, first)
    assert (kept.label, kept.score) == (sure, 0.99)
    assert other.label not in "CP" if sure == "P" else other.label == "C"
    assert other.score == pytest.approx(0.9)  # it is not what was there, which had 0.1


def test_gold_graphs_stay_as_they_are(sample: list[Graph]) -> None:
    for graph in sample:
        if not broken(graph):
            assert repair(graph) is graph


@pytest.fixture(scope="module")
def nlp():
    return spacy.load(MODEL)


def noise(rng: random.Random) -> str:
    words = (
        'the a . , ( ) " and but I great was not $ 5 ... :) - because who 😀 שלום of !! &'.split()
    )
    return " ".join(rng.choice(words) for _ in range(rng.randint(1, 60)))


@pytest.mark.slow
def test_what_the_shipped_pipeline_makes_of_noise_follows_the_rules(nlp) -> None:
    rng = random.Random(0)
    n_tokens = 0
    for doc in nlp.pipe(noise(rng) for _ in range(300)):
        n_tokens += len(doc)
        assert broken(doc._.ucca) == [], doc.text
    assert n_tokens > 8_000


def test_a_parser_may_leave_graphs_as_they_are(nlp) -> None:
    parser = nlp.get_pipe("ucca_parser")
    rng = random.Random(1)
    docs = [Doc(nlp.vocab, words=noise(rng).split()) for _ in range(20)]
    with nlp.select_pipes(disable=["ucca_parser"]):
        docs = [nlp(doc) for doc in docs]
    assert not any(broken(graph) for graph in parser.predict(docs))
    parser.repair = False
    try:
        assert any(broken(graph) for graph in parser.predict(docs))
    finally:
        parser.repair = True


def test_punctuation_is_what_the_doc_says(nlp) -> None:
    words = "Ann , who slept . said no !".split()
    rng = random.Random(2)
    for k in range(20):
        doc = Doc(nlp.vocab, words=words)
        flags = tuple(rng.random() < 0.4 for _ in words) if k else (False,) * len(words)
        doc._.ucca_punct = flags
        graph = nlp(doc)._.ucca
        assert graph.punct == flags and broken(graph) == []
    plain = nlp(Doc(nlp.vocab, words=words))._.ucca
    assert plain.punct == tuple(word in ",.!" for word in words)


@settings(max_examples=100)
@given(graphs(max_units=9), st.data())
def test_other_punctuation(graph: Graph, data: st.DataObject) -> None:
    flags = data.draw(st.tuples(*[st.booleans()] * len(graph.words)))
    repaired = repair(graph, flags)
    assert repaired.punct == flags and broken(repaired) == broken(repair(repaired))
    if flags == graph.punct:
        assert repaired.same_structure(repair(graph))


@pytest.mark.parametrize(
    "text, number, percent, below, above",
    [
        ("[H a [A IMPLICIT]]", 1, 15, "[H a]", "[H [S a] [A IMPLICIT]]"),
        (
            *("[H [A#1 b] [P c]] [H a [A* =1]]", 4, 8),
            *("[H [A b] [P c]] [H a]", "[H [A#1 b] [P c]] [H [S a] [A* =1]]"),
        ),
        ("[H [A a] [D b]]", 1, 33, "[H [C a] [D b]]", "[H [A a] [D b] [P IMPLICIT]]"),
        ("[H [A a] [D b]]", 2, 26, "[H [A a] [P b]]", "[H [A a] [D b] [P IMPLICIT]]"),
        ("[H [C a] [P b]]", 1, 47, "[H [A a] [P b]]", "[H [C a] [C b]]"),
        ("[H [C a] [A b]]", 1, 51, "[H [S a] [A b]]", "[H [C a] [E b]]"),
        ("[H [A a] [S|A b] [P c]]", 3, 7, "[H [A a] [S|A b] [G c]]", "[H [A a] [A b] [P c]]"),
        ("[H [P a] [C IMPLICIT]]", 2, 56, "[H [P a]]", "[H [C a] [C IMPLICIT]]"),
        ("[H [P a] [E b]]", 2, 49, "[H [P a] [D b]]", "[H [C a] [E b]]"),
        (
            "[H [A [E a] [Q b]] [P c]]",
            3,
            61,
            *(f"[H [A {x}] [P c]]" for x in ("[C a] [Q b]", "[E a] [C b]")),
        ),
    ],
)
def test_costs_say_how_sure_the_parser_has_to_be(
    text: str, number: int, percent: int, below: str, above: str
) -> None:
    """The least probability of one edge, in percent, that changes what is repaired; all other edges have 50."""
    (graph,) = read_brackets(text)

    def repaired(percent: int) -> str:
        scores = {edge.index: 0.5 for edge in graph.edges}
        scores[graph.edges[number].index] = percent / 100
        return write_brackets(repair(graph.replace(scores=scores))).strip()

    assert repaired(percent - 1) == below
    assert repaired(percent) == above
