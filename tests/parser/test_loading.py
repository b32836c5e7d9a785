"""A damaged `ucca_parser` is refused where it is loaded; a training that fails says why."""

import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from damage import CHECKSUMS, check_damage_is_refused, check_weights_are_finite, load
from spacy.language import Language
from util import make_examples, make_nlp, overfit

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.parser.trainable import checksums

SHIPPED = Path(__file__).parents[2] / "models" / "en_ucca_sm"


def test_damaged_settings(trained: Language, tmp_path: Path) -> None:
    check_damage_is_refused(trained, "ucca_parser", tmp_path)


def test_weights(graphs: list[Graph], tmp_path: Path) -> None:
    nlp = make_nlp(graphs)
    overfit(nlp, graphs, steps=2)
    check_weights_are_finite(nlp, "ucca_parser", tmp_path)


@pytest.mark.parametrize("rate", [1e30, float("nan")])
def test_training_that_fails(rate: float, graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    examples = make_examples(nlp.vocab, graphs)
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = rate
    nlp.update(examples, sgd=optimizer)
    with pytest.raises(ValueError, match="UC342"):
        for _ in range(3):
            nlp.update(examples, sgd=optimizer)


def test_evaluation_after_training_that_fails(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = float("nan")
    nlp.update(make_examples(nlp.vocab, graphs), sgd=optimizer)
    with pytest.raises(ValueError, match="UC342"):
        nlp.evaluate(make_examples(nlp.vocab, graphs))


def test_unknown_categories_are_named_once(graphs: list[Graph]) -> None:
    odd = read_brackets("[H [A You] [ZZZ left] [Y&A it] [ZZZ now]]")
    with pytest.warns(UserWarning, match="UW309") as caught:
        nlp = make_nlp([*graphs, *odd, *odd])
    messages = [str(w.message) for w in caught if "UW309" in str(w.message)]
    assert len(messages) == 2 and all("'You left it now" in message for message in messages)
    assert "ZZZ" in nlp.get_pipe("ucca_parser").labels  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_nlp(graphs)


@pytest.mark.parametrize("beam_width", [1, 4])
def test_scores_that_are_not_finite(beam_width: int, graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    parser: Any = nlp.get_pipe("ucca_parser")
    parser.beam_width = beam_width
    for layer in parser.model.walk():
        for name in layer.param_names:
            if layer.has_param(name):  # each weight is finite, and their products are not
                layer.set_param(name, layer.get_param(name) + numpy.float32(1e30))
    with pytest.raises(UccaError, match="UC343"):
        nlp.evaluate(make_examples(nlp.vocab, graphs))


def test_a_missing_file_of_labels(trained: Language, tmp_path: Path) -> None:
    trained.to_disk(tmp_path)
    (tmp_path / "ucca_parser" / "cfg").unlink()
    with pytest.raises(UccaError, match=r"UC340.*no labels"):
        load(trained, "ucca_parser", tmp_path)
    blank = spacy.blank("en")
    blank.add_pipe("ucca_parser")
    blank.to_disk(tmp_path / "blank")
    spacy.load(tmp_path / "blank")  # neither labels nor weights


def test_a_config_of_another_model(tree: Language, tmp_path: Path) -> None:
    tree.to_disk(tmp_path)
    config = tree.config.copy()
    config["components"]["ucca_parser"]["model"]["hidden_depth"] = 3
    config.to_disk(tmp_path / "config.cfg")
    with pytest.raises(UccaError, match=r"UC340.*no weights 'W1'"):
        spacy.load(tmp_path)


def test_the_shipped_pipeline_has_checksums() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parser: Any = spacy.load(SHIPPED).get_pipe("ucca_parser")
    assert parser.cfg[CHECKSUMS]["weights"] == checksums(parser.cfg, parser.model)["weights"]
    assert not {"settings", "configured"} & parser.cfg.keys()
