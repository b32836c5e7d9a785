"""Runs a benchmark as its command line would, on a tiny pipeline and corpus."""

import json
import warnings
from pathlib import Path

import pytest
import spacy
import typer
from spacy.language import Language
from typer.testing import CliRunner
from util import make_doc, make_examples, tiny_config

from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import write_docbin

TINY = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    **{"width": 8, "depth": 1, "embed_size": 50, "window_size": 1, "maxout_pieces": 2},
    **{"subword_features": True, "pretrained_vectors": None},
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 8, "upstream": "*"}


@pytest.fixture(scope="module")
def pipeline(graphs: list[Graph]) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": TINY})
    nlp.add_pipe("tagger", config={"model": {"tok2vec": LISTENER}})
    nlp.add_pipe("parser", config={"model": {"tok2vec": LISTENER}})
    nlp.add_pipe("ucca_parser", config=tiny_config())
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    return nlp


@pytest.fixture(scope="module")
def model(pipeline: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny"
    pipeline.to_disk(path)
    return path


@pytest.fixture(scope="module")
def corpus(graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> Path:
    nlp = spacy.blank("en")
    path = tmp_path_factory.mktemp("corpus") / "sample.spacy"
    write_docbin((make_doc(nlp.vocab, graph) for graph in graphs), path)
    return path


def run(module, *args: object, folder: Path, code: int = 0) -> dict:
    """RETURNS (Dict): The figures that a benchmark writes."""
    app = typer.Typer()
    app.command()(module.main)
    path = folder / "figures.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Messages are in one line, whatever the length of paths.
        result = CliRunner(env={"COLUMNS": "1000"}).invoke(
            app, [*map(str, args), "--json", str(path)]
        )
    assert result.exit_code == code, result.output + repr(result.exception)
    figures = json.loads(path.read_text("utf8")) if path.exists() else {}
    return {"output": result.output, **figures}
