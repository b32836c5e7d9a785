"""What is given of a sentence stands in its graph, and nothing else changes."""

import random
import warnings
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from util import make_doc, make_nlp, overfit, parse, tiny_config

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph, Unit
from spacy_ucca.graph.categories import MAIN_RELATIONS
from spacy_ucca.parser.given import COMPLETE, NAMES, SCENES, UNCROSSED, UNITS, give_units
from spacy_ucca.training.corpus import UccaCorpus, write_docbin

EXAMPLES = settings(max_examples=30)


@pytest.fixture(scope="module")
def golds(sample: list[Graph]) -> list[Graph]:
    return [g for g in sample if len(g.roots) == 1 and all(map(g.unit_of, range(len(g.words))))]


@pytest.fixture(scope="module")
def unsure(golds: list[Graph]) -> Language:
    """A parser that has hardly learned anything, so that it gives what it is told to unwillingly."""
    nlp = make_nlp(golds, seed=5)
    overfit(nlp, golds, steps=2)
    return nlp


@pytest.fixture(scope="module")
def sure(graphs: list[Graph]) -> Language:
    """A parser that knows its graphs."""
    nlp = make_nlp(graphs, seed=1)
    overfit(nlp, graphs, steps=60)
    return nlp


def parsed(nlp: Language, doc: Doc) -> Graph:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nlp(doc)._.ucca


def made(graph: Graph) -> Counter:
    """RETURNS (Counter): The units of a graph by tokens and label."""
    return Counter((u.tokens(), "|".join(u.categories)) for u in graph.units if u.tokens())


def units_of(graph: Graph) -> list[Unit]:
    return [u for u in graph.units if u.tokens() and u.categories]


@EXAMPLES
@given(seed=st.integers(0, 10**6), n=st.integers(0, 12), width=st.sampled_from([1, 1, 3]))
def test_given_units_stay(
    unsure: Language, golds: list[Graph], seed: int, n: int, width: int
) -> None:
    rng = random.Random(seed)
    graph = rng.choice(golds)
    units = rng.sample(units_of(graph), min(n, len(units_of(graph))))
    doc = make_doc(unsure.vocab, graph, gold=False)
    give_units(doc, graph, units)
    parser = unsure.get_pipe("ucca_parser")
    parser.beam_width, parser.repair = width, seed % 3 > 0  # type: ignore[attr-defined]
    found = parsed(unsure, doc)
    wanted = Counter((u.tokens(), "|".join(u.categories)) for u in units)
    assert not wanted - made(found)
    assert found.words == graph.words
    for unit in units:  # known, so certain
        same = [u for u in found.units if u.tokens() == unit.tokens()]
        scores = [e.score for u in same for e in u.incoming if not e.remote]
        assert 1.0 in scores
    if width > 1:
        (beam,) = parser.beam_parse([doc])  # type: ignore[attr-defined]
        assert all(not wanted - made(other) for _, other in beam)


@EXAMPLES
@given(seed=st.integers(0, 10**6))
def test_with_everything_given_the_gold_tree_comes_back(
    unsure: Language, golds: list[Graph], seed: int
) -> None:
    graph = golds[seed % len(golds)]
    doc = make_doc(unsure.vocab, graph, gold=False)
    give_units(doc, graph, complete=True)
    parser = unsure.get_pipe("ucca_parser")
    parser.beam_width, parser.repair = 1 + seed % 2, True  # type: ignore[attr-defined]
    options = {"remotes": True, "implicit": True, "linkage": True}
    found = parsed(unsure, doc).without(**options)
    assert found.same_structure(graph.without(**options))


def test_golds_have_gaps_and_several_categories(golds: list[Graph]) -> None:
    """Or the laws above say little."""
    units = [unit for graph in golds for unit in units_of(graph)]
    assert any(len(unit.ranges()) > 1 for unit in units)
    assert any(len(unit.categories) > 1 for unit in units)


def random_span(doc: Doc, rng: random.Random) -> Span:
    start = rng.randrange(len(doc))
    return doc[start : rng.randrange(start + 1, len(doc) + 1)]


@EXAMPLES
@given(seed=st.integers(0, 10**6))
def test_names_have_no_parts(unsure: Language, golds: list[Graph], seed: int) -> None:
    rng = random.Random(seed)
    doc = make_doc(unsure.vocab, rng.choice(golds), gold=False)
    span = random_span(doc, rng)[:4]
    doc.spans[NAMES] = [span]
    parser = unsure.get_pipe("ucca_parser")
    parser.beam_width, parser.repair = 1, False  # type: ignore[attr-defined]
    found = parsed(unsure, doc)
    tokens = tuple(range(span.start, span.end))
    assert any(unit.terminals == unit.tokens() == tokens for unit in found.units)


@EXAMPLES
@given(seed=st.integers(0, 10**6))
def test_no_unit_crosses_and_scenes_begin(unsure: Language, golds: list[Graph], seed: int) -> None:
    rng = random.Random(seed)
    doc = make_doc(unsure.vocab, rng.choice(golds), gold=False)
    span, start = random_span(doc, rng), rng.randrange(len(doc))
    parser = unsure.get_pipe("ucca_parser")
    parser.beam_width, parser.repair = 1, False  # type: ignore[attr-defined]
    if seed % 2:
        doc.spans[UNCROSSED] = [span]
        inside = set(range(span.start, span.end))
        for unit in parsed(unsure, doc).units:
            tokens = set(unit.tokens())
            assert tokens <= inside or inside <= tokens or not tokens & inside
    else:
        doc.spans[SCENES] = [doc[start : start + 1]]
        found = parsed(unsure, doc)
        scenes = (u for u in found.units if u.tokens()[:1] == (start,) and not u.is_root)
        mains = ({c for e in u.edges for c in e.categories} & MAIN_RELATIONS for u in scenes)
        assert any(mains)


def test_with_nothing_given_nothing_changes(sure: Language, graphs: list[Graph]) -> None:
    before = parse(sure, graphs)
    docs = [make_doc(sure.vocab, graph, gold=False) for graph in graphs]
    for doc in docs:
        doc.spans[UNITS] = []
        doc.spans["other"] = [doc[0:1]]
    assert [parsed(sure, doc) for doc in docs] == before
    # What one Doc gives is of no matter to others of its batch
    docs = [make_doc(sure.vocab, graph, gold=False) for graph in graphs]
    docs[0].spans[UNITS] = [docs[0][0:1]]
    found = [doc._.ucca for doc in sure.pipe(docs)]
    assert all(a.same_structure(b) for a, b in zip(found[1:], before[1:]))


def test_entities_are_names_by_a_setting(sure: Language, graphs: list[Graph]) -> None:
    parser = sure.get_pipe("ucca_parser")
    graph = max(graphs, key=lambda graph: len(graph.words))
    for keep in (False, True):
        doc = make_doc(sure.vocab, graph, gold=False)
        doc.ents = [Span(doc, 0, 3, "ORG"), Span(doc, 3, 4, "ORG")]
        parser.keep_entities = keep  # type: ignore[attr-defined]
        found = parsed(sure, doc)
        assert any(unit.terminals == (0, 1, 2) for unit in found.units) is keep
    # What was given counts more, and so do ends of sentences
    parser.keep_entities = True  # type: ignore[attr-defined]
    doc = Doc(sure.vocab, words="a b c d".split(), sent_starts=[1, 0, 1, 0])
    doc.ents = [Span(doc, 1, 3, "ORG")]
    assert len(parsed(sure, doc).roots) == 2
    doc = Doc(sure.vocab, words="a b c d".split(), sent_starts=[1, 0, 0, 0])
    doc.ents, doc.spans[UNITS] = [Span(doc, 1, 3, "ORG")], [doc[0:2]]
    assert any(unit.tokens() == (0, 1) for unit in parsed(sure, doc).units)
    parser.keep_entities = False  # type: ignore[attr-defined]


def test_long_sentences_with_much_given(sure: Language, graphs: list[Graph]) -> None:
    n = 300
    doc = Doc(sure.vocab, words=["a"] * n, sent_starts=[1] + [0] * (n - 1))
    doc.spans[UNITS] = [doc[i : i + 3] for i in range(0, n, 3)]
    found = parsed(sure, doc)
    assert {tuple(range(i, i + 3)) for i in range(0, n, 3)} <= {u.tokens() for u in found.units}


def test_what_is_given_survives_white_space(nlp: Language) -> None:
    doc = nlp.make_doc("John  saw the\nman with the telescope.")
    words = [token.i for token in doc if not token.is_space]
    doc.spans[UNITS] = [Span(doc, words[2], words[6] + 1, "A")]
    doc.spans[NAMES] = [Span(doc, words[2], words[3] + 1)]
    graph = nlp(doc)._.ucca
    assert any(u.text == "the man with the telescope" for u in graph.units)
    assert any(len(u.terminals) == 2 and u.text == "the man" for u in graph.units)


def given_of(doc: Doc, **groups: list[Span]) -> Doc:
    for key, spans in groups.items():
        doc.spans[key] = spans
    return doc


def test_contradictions_are_told(sure: Language, graphs: list[Graph]) -> None:
    def new() -> Doc:
        return Doc(sure.vocab, words="a b c d e".split(), sent_starts=[1, 0, 0, 1, 0])

    doc = new()
    cases: list[tuple[Doc, str]] = [
        (given_of(doc, ucca_units=[doc[0:2], doc[1:3]]), "'a b' and 'b c' cross|'b c' and 'a b'"),
        (given_of(doc := new(), ucca_units=[doc[2:4]]), "'c d' is given, and a sentence ends"),
        (given_of(doc := new(), ucca_units=[Span(doc, 0, 1, "Z")]), "label 'Z'.*use one of"),
        (given_of(doc := new(), ucca_names=[doc[0:2]], ucca_units=[doc[0:1]]), "'a b'.*'a' as"),
        (given_of(doc := new(), ucca_uncrossed=[doc[0:2]], ucca_units=[doc[1:3]]), "cross"),
    ]
    for doc, message in cases:
        with pytest.raises(UccaError, match=message):
            parsed(sure, doc)
    doc = new()
    doc.spans[UNITS] = [Span(doc, i, i + 1, "AP"[i], span_id="x") for i in (0, 1)]
    with pytest.raises(UccaError, match="id 'x' have different labels"):
        parsed(sure, doc)
    doc = given_of(doc := new(), ucca_units=[doc[0:1]])
    doc.spans[UNITS].attrs[COMPLETE] = True
    with pytest.raises(UccaError, match="has no label"):
        parsed(sure, doc)
    doc = given_of(doc := new(), ucca_units=[Span(doc, 0, 1, "A")])
    doc.spans[UNITS].attrs[COMPLETE] = True
    with pytest.raises(UccaError, match="no tree has these units"):
        parsed(sure, doc)
    with pytest.raises(UccaError, match="words"):
        give_units(new(), graphs[0])


def test_other_systems_say_that_they_cannot(golds: list[Graph]) -> None:
    nlp = make_nlp(golds, config=tiny_config("tupa"))
    doc = make_doc(nlp.vocab, golds[0], gold=False)
    doc.spans[UNITS] = [doc[0:1]]
    with pytest.raises(UccaError, match="'tupa' cannot keep"):
        parsed(nlp, doc)


def test_partial_annotation_is_learned(golds: list[Graph], tmp_path) -> None:
    """What is given is learned, and of a Doc that says nothing of what the parser does otherwise nothing is."""
    (graph,) = read_brackets("[H [A John] [P saw] [A the man with glasses]]")
    nlp = make_nlp([graph, *golds[:10]], seed=2)
    overfit(nlp, [graph], steps=60)
    doc = make_doc(nlp.vocab, graph, gold=False)
    assert parsed(nlp, doc).same_structure(graph)
    partial = make_doc(nlp.vocab, graph, gold=False)
    partial.spans[UNITS] = [Span(partial, 3, 6, "A")]  # man with glasses
    examples = [Example(make_doc(nlp.vocab, graph, gold=False), partial)]
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01  # type: ignore[misc]
    losses: dict[str, float] = {}
    for _ in range(60):
        nlp.update(examples, sgd=optimizer, losses=losses)
    assert losses["ucca_parser"] > 0
    found = parsed(nlp, make_doc(nlp.vocab, graph, gold=False))
    assert ((3, 4, 5), "A") in made(found)
    # Nothing that it does not know
    losses = {}
    silent = make_doc(nlp.vocab, graph, gold=False)
    silent.spans[UNCROSSED] = [silent[0:6]]
    pipe: Any = nlp.get_pipe("ucca_parser")
    pipe.update([Example(make_doc(nlp.vocab, graph, gold=False), silent)], losses=losses)
    assert losses["ucca_parser"] == 0
    for node in pipe.model.walk():
        assert not any(node.get_grad(name).any() for name in node.grad_names)
    # Files of such Docs are training data
    write = lambda doc, number, where: None  # noqa: E731
    write_docbin([partial], tmp_path / "partial.spacy", write)
    (eg,) = UccaCorpus(tmp_path / "partial.spacy")(nlp)
    assert [span.label_ for span in eg.reference.spans[UNITS]] == ["A"]
