"""`parse_texts` gives the graphs of `nlp.pipe`, in order, and an error for each text that has none."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_ucca.distributed import workers
from spacy_ucca.distributed.local import ParsedText, parse_texts
from spacy_ucca.errors import UccaError
from spacy_ucca.graph import Graph, GraphBuilder

SHIPPED = Path(__file__).parents[2] / "models" / "en_ucca_sm"
TEXTS = [
    *("John moved to Paris.", "", " \n", "He likes it.\n\nShe does not!", "שלום 🎉", "a\0b"),
    *("After graduation, John moved to Paris, and he likes it there.", "x" * 5_000, "Zoé left."),
]


@Language.component("test_deadly_ucca")
def deadly_ucca(doc: Doc) -> Doc:
    if any(token.text == "die" for token in doc):
        os.kill(os.getpid(), signal.SIGKILL)
    if any(token.text == "explode" for token in doc):
        raise ValueError("this text explodes")
    builder = GraphBuilder([token.text for token in doc])
    root = builder.add_unit()
    for token in doc:
        unit = builder.add_unit("FN")
        builder.add_edge(root, unit, "H")
        builder.add_terminal(unit, token.i)
    doc._.ucca = builder.build()
    return doc


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("test_deadly_ucca")
    path = tmp_path_factory.mktemp("model") / "deadly"
    nlp.to_disk(path)
    return path


@pytest.fixture(autouse=True)
def small_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "JOB_ITEMS", 3)


@pytest.mark.slow
def test_graphs_are_those_of_pipe() -> None:
    expected = [doc._.ucca for doc in spacy.load(SHIPPED).pipe(TEXTS)]
    found = list(parse_texts(SHIPPED, iter(TEXTS), n_process=1))
    assert [parsed.number for parsed in found] == list(range(len(TEXTS)))
    for parsed, graph in zip(found, expected, strict=True):
        assert parsed.graph.same_structure(graph) and parsed.error is None
        assert Graph.from_record(json.loads(parsed.record)) == parsed.graph
    for n_process in (2, 3):
        assert list(parse_texts(SHIPPED, iter(TEXTS), n_process=n_process)) == found


@pytest.mark.parametrize("n_process", [1, 2])
def test_contexts_come_back(n_process: int, model: Path) -> None:
    contexts = [object() for _ in range(10)]  # none of them could be sent
    texts = ((f"Text {i}.", context) for i, context in enumerate(contexts))
    found = list(parse_texts(model, texts, n_process=n_process, as_tuples=True))
    assert [context for _, context in found] == contexts
    assert [parsed.graph.words[1] for parsed, _ in found] == [str(i) for i in range(10)]


@pytest.mark.parametrize("n_process", [1, 2])
def test_a_text_that_cannot_be_parsed_costs_no_other(n_process: int, model: Path) -> None:
    texts = ["One.", "These explode.", None, "Two.", "explode", "x " * 1_000_000, "Three."]
    found = list(parse_texts(model, texts, n_process=n_process))  # type: ignore[arg-type]
    assert [parsed.graph is None for parsed in found] == [
        text not in ("One.", "Two.", "Three.") for text in texts
    ]
    assert [parsed.error is None for parsed in found] == [
        parsed.graph is not None for parsed in found
    ]
    assert found[1].error == "ValueError: this text explodes"


@pytest.mark.slow
def test_a_text_that_kills_its_process_costs_no_other(model: Path) -> None:
    texts = [f"Text {i}." if i != 4 else "Let it die." for i in range(8)]
    with pytest.warns(UserWarning, match=r"UW560.*text 3 to text 5"):
        found = list(parse_texts(model, texts, n_process=2))
    assert [parsed.number for parsed in found] == list(range(8))
    (lost,) = [parsed for parsed in found if parsed.error]
    assert lost.number == 4 and "UC560" in lost.error
    assert all(parsed.graph.words[1] == str(parsed.number) for parsed in found if parsed != lost)


def test_texts_are_taken_as_they_are_needed(model: Path) -> None:
    taken: list[int] = []

    def texts() -> Iterator[str]:
        for i in range(10_000):
            taken.append(i)
            yield f"Text {i}."

    results = parse_texts(model, texts(), n_process=2)
    assert next(results) == ParsedText(0, next(parse_texts(model, ["Text 0."], n_process=1)).record)
    assert len(taken) < 100
    results.close()  # type: ignore[attr-defined]


def test_words_are_forgotten(model: Path) -> None:
    """So that memory is flat over a stream of ever new words."""
    from spacy_ucca.distributed.local import _Parser

    parser = _Parser(model, {})
    (parsed,) = parser([(0, "Old words.")])
    before = len(parser.nlp.vocab.strings)
    for i in range(20):
        (parsed,) = parser([(0, f"new{i} words{i}.")])
        assert parsed.graph.words[0] == f"new{i}"
    assert len(parser.nlp.vocab.strings) == before


def test_options_are_those_of_load(model: Path) -> None:
    with pytest.raises(UccaError, match="UC506"):
        list(parse_texts(model, ["A text."], exclude=["test_deadly_ucca"]))


def test_a_pipeline_that_does_not_exist(tmp_path: Path) -> None:
    for texts in ([], ["A text."]):
        with pytest.raises(OSError, match="E052"):
            list(parse_texts(tmp_path / "none", texts))
