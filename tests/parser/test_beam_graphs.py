"""The graphs of the parses of a beam, with their probabilities."""

import itertools
import warnings
from pathlib import Path

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from util import ODD_TEXTS, make_doc, make_nlp, overfit, same_graphs

from spacy_ucca.component import UccaParser
from spacy_ucca.graph import Graph
from spacy_ucca.parser.calibration import Calibration
from spacy_ucca.parser.decode import best_combinations
from spacy_ucca.rules.linkage import add_linkage
from spacy_ucca.rules.repair import repair
from spacy_ucca.tokens.extension import get_punct


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_combinations_are_the_best_of_all(seed: int, n: int) -> None:
    rng = numpy.random.default_rng(seed)
    choices = [numpy.log(rng.dirichlet(numpy.ones(rng.integers(1, 5)))).tolist() for _ in range(4)]
    every = sorted(
        (-sum(own[k] for own, k in zip(choices, chosen)), chosen)
        for chosen in itertools.product(*(range(len(own)) for own in choices))
    )
    found = best_combinations(choices, n)
    assert [tuple(chosen) for _, chosen in found] == [chosen for _, chosen in every[:n]]
    assert numpy.allclose([-total for total, _ in found], [total for total, _ in every[:n]])
    if n >= len(every):
        assert numpy.isclose(sum(numpy.exp(total) for total, _ in found), 1)


def test_of_nothing_there_is_one() -> None:
    assert best_combinations([], 4) == [(0.0, [])]


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


def test_graphs_come_by_probability(unsure: Language, parser: UccaParser, sample: list[Graph]):
    docs = docs_of(unsure, sample)
    likeliest = parser.predict(docs)
    found = parser.beam_parse(docs)
    for doc, graphs, best in zip(docs, found, likeliest, strict=True):
        weights = [weight for weight, _ in graphs]
        assert weights == sorted(weights, reverse=True) and 1 <= len(graphs) <= parser.beam_width
        if len([*doc.sents] if len(doc) else []) == 1:
            assert numpy.isclose(sum(weights), 1.0)
        assert {graph.words for _, graph in graphs} == {tuple(token.text for token in doc)}
        # The likeliest parse is among them. Several parses that are mended to one graph may be likelier together.
        assert any(graph.same_structure(best) for _, graph in graphs)
        for i, (_, graph) in enumerate(graphs):
            assert not any(graph.same_structure(other) for _, other in graphs[:i])
    firsts = same_graphs([graphs[0][1] for graphs in found], likeliest)
    assert sum(firsts) > len(docs) / 2
    assert sum(len(graphs) > 1 for graphs in found[: len(sample)]) > len(sample) / 2


def test_as_many_as_are_asked_for(unsure: Language, parser: UccaParser, sample: list[Graph]):
    docs = docs_of(unsure, sample)
    parser.beam_width = 1
    found = parser.beam_parse(docs, 7)
    assert max(map(len, found)) == 7 and parser.beam_width == 1
    parser.beam_width = 9  # a wider beam knows more parses, of which the best are given
    assert max(map(len, parser.beam_parse(docs, 2))) == 2
    for n in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="beam_width"):
            parser.beam_parse(docs, n)


@pytest.mark.parametrize("mend", [True, False])
@pytest.mark.parametrize("linkage", [True, False])
def test_all_graphs_are_repaired_and_linked(unsure, parser, sample, mend, linkage):
    docs = docs_of(unsure, sample)
    parser.repair, parser.linkage = mend, linkage
    found = parser.beam_parse(docs)
    parser.repair, parser.linkage = False, False
    differ = n = 0
    for doc, beam, decoded in zip(docs, found, parser.beam_parse(docs), strict=True):
        expected = []
        for weight, before in decoded:
            graph = repair(before, get_punct(doc)) if mend else before
            expected.append((weight, add_linkage(graph) if linkage else graph))
            differ += not graph.same_structure(before)
        if len(beam) == len(
            decoded
        ):  # no parses that are one graph before they are mended, or after that
            assert all(a[0] == b[0] for a, b in zip(beam, expected))
            assert all(a[1].same_structure(b[1]) for a, b in zip(beam, expected))
            n += 1
        assert numpy.isclose(sum(w for w, _ in beam), sum(w for w, _ in expected))
    assert n > len(docs) / 2 and (differ or not mend)  # or the test says little


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
