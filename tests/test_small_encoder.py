"""scripts/small_encoder.py: what is left gives the vectors that it gave before."""

from pathlib import Path

import numpy
import pytest
import small_encoder
import spacy
import tiny_bert
from spacy.language import Language
from spacy.tokens import DocBin
from typer.testing import CliRunner

TEXTS = ["the mouse eats che ese .", "The mouse eats a mouse .", "a b"]


@pytest.fixture
def large(tmp_path: Path) -> Path:
    nlp = spacy.blank("xx")
    source = str(tiny_bert.write_directory(tmp_path / "bert", unigram=True))
    model = {"source": source, "n_layers": 3, "n_frozen": 1}
    nlp.add_pipe("ucca_encoder", name="encoder", config={"model": model})
    nlp.initialize()
    nlp.to_disk(tmp_path / "large")
    nlp = spacy.load(tmp_path / "large")
    DocBin(docs=map(nlp.make_doc, TEXTS)).to_disk(tmp_path / "texts.spacy")
    return tmp_path / "large"


def shrink(large: Path, *options: str) -> Language:
    out = large.with_name("small")
    args = [str(large), str(out), str(large.with_name("texts.spacy")), "--lang", "en", *options]
    result = CliRunner().invoke(small_encoder.app, args)
    assert result.exit_code == 0, result.output
    return spacy.load(out)


def vectors(nlp: Language, text: str) -> numpy.ndarray:
    """RETURNS (ndarray): What the encoder gives for each token."""
    encoder = nlp.get_pipe("encoder")
    (found,) = encoder.predict([nlp.make_doc(text)])
    return numpy.asarray(found)


@pytest.mark.parametrize("layers, n", [("0,1,2", 3), ("0,1", 2), ("1", 1)])
def test_texts_have_the_vectors_of_these_layers(large: Path, layers: str, n: int) -> None:
    small = shrink(large, "--layers", layers, "--least", "1")
    whole = spacy.load(large)
    model = whole.get_pipe("encoder").model
    (encoder,) = model.shims
    if layers == "1":  # in the place of the first
        for name in [name for name in encoder.weights if "layer.1." in name]:
            encoder.weights[name.replace("layer.1.", "layer.0.")] = encoder.weights[name]
    model.attrs["n_layers"] = n
    assert small.get_pipe("encoder").model.attrs["n_layers"] == n
    for text in TEXTS:
        assert numpy.array_equal(vectors(small, text), vectors(whole, text))


def test_pieces_go_and_every_word_has_some(large: Path) -> None:
    before = len(tiny_bert.UNIGRAM)
    small = shrink(large, "--layers", "0", "--least", "2", "--frozen", "1")
    (encoder,) = small.get_pipe("encoder").model.shims
    pieces = encoder.pieces.pieces
    assert len(pieces) == len(encoder.rows) < before and small.lang == "en"
    # "che" and "ese" are in one text alone; letters stay
    assert "▁eats" in pieces and "b" in pieces and not {"che", "ese"} & {*pieces}
    assert numpy.isfinite(vectors(small, "cheese 中 b 🙂")).all()
    assert small.get_pipe("encoder").model.attrs["n_frozen"] == 1
    few = shrink(large, "--layers", "0", "--least", "1", "--most", "2")
    (encoder,) = few.get_pipe("encoder").model.shims
    assert "b" in encoder.pieces.pieces and "▁eats" not in encoder.pieces.pieces


def test_mistakes_are_told_before_anything_is_written(large: Path) -> None:
    out, texts, empty = (
        str(large.with_name(name)) for name in ("small", "texts.spacy", "no.spacy")
    )
    DocBin().to_disk(empty)
    spacy.blank("en").to_disk(large.with_name("blank"))
    given = [str(large), out, texts]
    for args, code, message in (
        ([*given, "--layers", "0,1,3"], 2, "'0,1,3'. Give numbers from 0 to 2"),
        ([*given, "--layers=-1,-2"], 2, "from 0 to 2"),
        ([*given, "--layers", "a,b"], 2, "from 0 to 2"),
        ([*given, "--layers", ""], 2, "from 0 to 2"),
        ([*given, "--layers", "0,1", "--frozen", "3"], 2, "3 is more than 2"),
        ([str(large.with_name("blank")), out, texts], 2, "no `ucca_encoder` named `encoder`"),
        ([str(large), texts, texts], 2, "is a file"),
        ([str(large), out, out], 1, "UC211"),
        ([str(large), out, empty, "--layers", "0"], 1, "no.spacy: no words"),
        ([out, out, texts], 1, "UC508"),
        ([*given, "--lang", "qq"], 1, "UC591"),
    ):
        runner = CliRunner(env={"COLUMNS": "1000"})
        result = runner.invoke(small_encoder.app, ["--lang", "en", *args])
        assert result.exit_code == code and message in result.output, result.output
        assert not Path(out).exists()
