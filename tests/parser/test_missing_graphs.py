"""What is given to `initialize` and to scorers: examples without graphs, as spaCy's own corpus reader makes some; labels."""

import warnings
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Corpus, Example
from spacy.training.augment import create_lower_casing_augmenter
from util import VOCAB

from spacy_ucca.conversion.bilexical import to_bilexical
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.sdp_parser.scorer import sdp_score
from spacy_ucca.tokens.scorer import ucca_score
from spacy_ucca.training.corpus import graph_to_doc

PARSERS = ["ucca_parser", "ucca_span_parser", "sdp_parser"]
TEXT = "[H [A Ann] [P sees] [A Bob]] [U .]"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (graph,) = read_brackets(TEXT)
    docs = [graph_to_doc(graph, VOCAB) for _ in range(3)]
    for doc in docs:
        doc._.sdp = to_bilexical(graph)
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "train.spacy")
    return tmp_path / "train.spacy"


def read(path: Path, **kwargs: Any) -> list[Example]:
    return list(Corpus(path, **kwargs)(spacy.blank("en")))


def initialize(factory: str, examples: list[Example]) -> list[str]:
    """RETURNS (List[str]): The warnings."""
    nlp = spacy.blank("en")
    nlp.add_pipe(factory)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nlp.initialize(lambda: examples)
    return [str(w.message) for w in caught if "UW352" in str(w.message)]


@pytest.mark.parametrize("factory", PARSERS)
def test_what_the_reader_dropped_is_said(factory: str, path: Path) -> None:
    whole = read(path)
    assert not initialize(factory, whole)
    for kwargs in (
        {"gold_preproc": True},
        {"max_length": 3},
        {"augmenter": create_lower_casing_augmenter(1.0)},
    ):
        dropped = read(path, **kwargs)
        if dropped:
            (message,) = initialize(factory, [*whole, *dropped])
            assert f"{len(dropped)} of {3 + len(dropped)}" in message and factory in message
        with pytest.raises((ValueError, TypeError), match=r"UC312|E930") as caught:
            initialize(factory, dropped)
        if dropped:
            assert all(name in str(caught.value) for name in ("gold_preproc", "max_length"))


@pytest.mark.parametrize("factory", PARSERS)
def test_empty_docs_need_no_graph(factory: str, path: Path) -> None:
    vocab = VOCAB
    assert not initialize(factory, [*read(path), Example(Doc(vocab), Doc(vocab))])


@pytest.mark.parametrize("score", [ucca_score, sdp_score])
def test_no_reference_has_a_graph(score: Any, path: Path) -> None:
    with pytest.warns(UserWarning, match=r"UW351.*gold-preproc.*max_length"):
        score(read(path, gold_preproc=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score([])
        score(read(path))


@pytest.mark.parametrize("factory", PARSERS)
def test_wrong_labels(factory: str, path: Path) -> None:
    """The file of `spacy init labels` was damaged, or is that of another component."""
    key = "spans" if factory == "ucca_span_parser" else "labels"
    wrong: list[Any] = [3, "A", ["A", 3], ["A", ""], ["A", "A"], []]
    for labels in wrong:
        nlp = spacy.blank("en")
        parser: Any = nlp.add_pipe(factory)
        given = labels if factory == "sdp_parser" else {key: labels}
        with pytest.raises(UccaError, match=r"UC354.*init labels") as caught:
            parser.initialize(lambda: read(path), nlp=nlp, labels=given)
        assert factory in str(caught.value) and "`cfg`" not in str(caught.value)
    trained: Any = spacy.blank("en")
    trained.add_pipe(factory)
    trained.initialize(lambda: read(path))
    data = trained.get_pipe(factory).label_data
    nlp = spacy.blank("en")
    parser = nlp.add_pipe(factory)
    parser.initialize(lambda: read(path), nlp=nlp, labels=data)
    assert parser.label_data == data


def test_predictions_of_another_text(path: Path) -> None:
    """A typographic apostrophe, say. Tokens and case may differ."""
    (graph,) = read_brackets(TEXT)
    vocab = VOCAB
    gold = graph_to_doc(graph, vocab)
    same = graph_to_doc(graph.replace(words=["ann", "sees", "Bob", "."]), vocab)
    other = graph_to_doc(graph.replace(words=["Ann", "sees", "Rob", "."]), vocab)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ucca_score([Example(same, gold), Example(Doc(vocab), gold)])["ucca_r"] == 0.5
    with pytest.warns(UserWarning, match=r"UW354.*1 of 2 .*'Ann sees Rob"):
        assert ucca_score([Example(other, gold), Example(same, gold)])["ucca_r"] == 0.5
