"""A damaged `ucca_parser` is refused where it is loaded; a training that fails says why."""

import warnings
from pathlib import Path

import pytest
from damage import check_damage_is_refused, check_weights_are_finite
from spacy.language import Language
from util import make_examples, make_nlp, overfit

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph


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
