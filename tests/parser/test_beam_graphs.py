"""The graphs of the parses of a beam, with their probabilities."""

import warnings
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from util import ODD_TEXTS, make_doc, make_nlp, overfit, same_graphs

from spacy_ucca.component import UccaParser
from spacy_ucca.graph import Graph
from spacy_ucca.parser.calibration import Calibration
from spacy_ucca.parser.decode import systematic_sample
from spacy_ucca.rules.linkage import add_linkage
from spacy_ucca.rules.repair import repair
from spacy_ucca.tokens.extension import get_punct


def states(*probabilities: float) -> list:
    return [SimpleNamespace(log_probs=numpy.array([0.0, numpy.log(p)])) for p in probabilities]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_each_parse_is_sampled_as_often_as_its_probability_says(seed: int, n: int) -> None:
    rng = numpy.random.default_rng(seed)
    likely = [sorted(rng.dirichlet(numpy.ones(rng.integers(1, 6))), reverse=True) for _ in range(3)]
    parses = [states(*own) for own in likely]
    found = systematic_sample(parses, n)
    assert numpy.isclose(sum(weight for weight, _ in found), 1.0)
    assert len({tuple(map(id, chosen)) for _, chosen in found}) == len(found) <= n
    for i, own in enumerate(parses):
        shares: Counter = Counter()
        for weight, chosen in found:
            shares[id(chosen[i])] += weight
        for state, probability in zip(own, likely[i], strict=True):
            assert abs(shares[id(state)] - probability) < 1 / n + 1e-9
    if n == 40:  # the likeliest is never too unlikely
        assert all(state is own[0] for state, own in zip(found[0][1], parses, strict=True))


def test_of_nothing_there_is_one() -> None:
    assert systematic_sample([], 4) == [(1.0, ())]
    assert [len(chosen) for _, chosen in systematic_sample([states(0.3)], 4)] == [1]


@pytest.fixture(scope="module")
def unsure(sample: list[Graph]) -> Language:
    """Hardly trained, so that its beams are wide."""
    nlp = make_nlp(sample, seed=3)
    overfit(nlp, sample, steps=6)
    return nlp


@pytest.fixture
def parser(unsure: Language, monkeypatch: pytest.MonkeyPatch) -> UccaParser:
    """With a beam of five; what a test sets is undone."""
    parser = unsure.get_pipe("ucca_parser")
    assert isinstance(parser, UccaParser)
    settings = {"beam_width": 5, "remote_threshold": 0.4, "repair": True}
    for name, value in {**settings, "linkage": False}.items():
        monkeypatch.setattr(parser, name, value)
    monkeypatch.setattr(parser, "cfg", dict(parser.cfg))
    return parser


def docs_of(nlp: Language, sample: list[Graph]) -> list[Doc]:
    """RETURNS (List[Doc]): One of each graph, one of all, and one of nothing."""
    every = [*sample, Graph.join(sample)]
    docs = [make_doc(nlp.vocab, graph, gold=False) for graph in every]
    return [*docs, Doc(nlp.vocab), Doc(nlp.vocab, words=["\n"])]


def test_the_first_is_the_likeliest(unsure: Language, parser: UccaParser, sample: list[Graph]):
    docs = docs_of(unsure, sample)
    likeliest = parser.predict(docs)
    found = parser.beam_parse(docs)
    assert all(same_graphs([graphs[0][1] for graphs in found], likeliest))
    for doc, graphs in zip(docs, found, strict=True):
        assert numpy.isclose(sum(weight for weight, _ in graphs), 1.0)
        assert len(graphs) <= parser.beam_width
        assert {graph.words for _, graph in graphs} == {tuple(token.text for token in doc)}
    # Of a sentence alone they are different parses; that few are mended to the same graph does not matter.
    several = [graphs for graphs in found[: len(sample)] if len(graphs) > 1]
    assert len(several) > len(sample) / 2
    assert all(not graphs[0][1].same_structure(graphs[1][1]) for graphs in several[:1])


@pytest.mark.parametrize("mend", [True, False])
@pytest.mark.parametrize("linkage", [True, False])
def test_all_graphs_are_repaired_and_linked(unsure, parser, sample, mend, linkage):
    docs = docs_of(unsure, sample)
    parser.repair, parser.linkage = mend, linkage
    found = parser.beam_parse(docs)
    parser.repair, parser.linkage = False, False
    differ = 0
    for doc, beam, decoded in zip(docs, found, parser.beam_parse(docs), strict=True):
        assert [weight for weight, _ in beam] == [weight for weight, _ in decoded]
        for (_, graph), (_, before) in zip(beam, decoded, strict=True):
            expected = repair(before, get_punct(doc)) if mend else before
            assert graph.same_structure(add_linkage(expected) if linkage else expected)
            differ += not graph.same_structure(before)
    assert differ or not mend  # or the test says little


def test_a_beam_of_one_has_one_graph(unsure, parser, sample):
    docs = docs_of(unsure, sample)
    parser.beam_width = 1
    found = parser.beam_parse(docs)
    assert [weight for ((weight, _),) in found] == [1.0] * len(docs)
    assert all(same_graphs([graphs[0][1] for graphs in found], parser.predict(docs)))


def test_what_it_is_sure_of_stays(trained: Language, graphs: list[Graph], monkeypatch) -> None:
    pipe = trained.get_pipe("ucca_parser")
    monkeypatch.setattr(pipe, "beam_width", 4)
    docs = [make_doc(trained.vocab, graph, gold=False) for graph in graphs]
    assert all(same_graphs([beam[0][1] for beam in pipe.beam_parse(docs)], graphs))


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
def test_any_text(trained: Language, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = trained.get_pipe("ucca_parser")
    monkeypatch.setattr(pipe, "beam_width", 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        doc = trained(text)
        assert doc._.ucca.words == tuple(token.text for token in doc)
        (again,) = trained.pipe([text], batch_size=7)
    assert again._.ucca.same_structure(doc._.ucca)
    assert {graph.words for _, graph in pipe.beam_parse([doc])[0]} == {doc._.ucca.words}


def test_scores_are_calibrated(unsure, parser, sample) -> None:
    docs = docs_of(unsure, sample)
    parser.calibration = Calibration({"remote": [9.0, 0.0]})  # all are right
    parser.remote_threshold = parser.implicit_threshold = 0.1
    extras = [e for b in parser.beam_parse(docs) for _, g in b for e in g.edges if e.remote]
    assert extras and all(edge.score > 0.99 for edge in extras)


def test_graphs_for_calibration_stay_as_they_were_decoded(unsure, parser, sample) -> None:
    docs = docs_of(unsure, sample)
    found = parser.predict(docs, calibration=Calibration(), repair=False)
    parser.repair = False
    assert all(same_graphs(found, parser.predict(docs)))


def test_saved_and_loaded(sample: list[Graph], tmp_path: Path) -> None:
    nlp = make_nlp(sample[:3])
    nlp.get_pipe("ucca_parser").beam_width = 3  # type: ignore[attr-defined]
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path).get_pipe("ucca_parser")
    assert isinstance(loaded, UccaParser) and loaded.beam_width == 3
