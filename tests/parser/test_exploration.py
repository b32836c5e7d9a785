"""Training with exploration: states of the model's own, and what it learns from them."""

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.util import fix_random_seed
from util import make_examples, make_nlp, overfit, parse, same_graphs, tiny_config

from spacy_ucca.graph import Graph
from spacy_ucca.parser.targets import explore, stack_targets


def targets_of(nlp: Language, graphs: list[Graph], probability: float):
    """The targets of a batch with so much exploration, and without."""
    pipe = nlp.get_pipe("ucca_parser")
    examples = make_examples(nlp.vocab, graphs)
    pairs = pipe._find_targets(examples)
    steps = pipe.model.predict([eg.predicted for eg in examples])
    found = explore(
        steps["actions"],
        pipe.inventory,
        [sentence for sentence, _ in pairs],
        probability,
    )
    return found, stack_targets(pairs)["actions"]


def in_order(rows) -> list[tuple]:
    columns = numpy.concatenate([rows.tokens, rows.categories, rows.bits], axis=1)
    return sorted(map(tuple, columns.tolist()))


def test_without_chance_it_is_the_gold_parse(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    explored, gold = targets_of(nlp, graphs, 0.0)
    assert in_order(explored.rows) == in_order(gold.rows)
    assert sorted(explored.classes.tolist()) == sorted(gold.classes.tolist())
    assert (explored.best.sum(axis=1) >= 1).all()
    assert (explored.mask | ~explored.best).all()  # what is best is valid


def test_mistakes_are_followed(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    overfit(nlp, graphs, steps=3)
    explored, gold = targets_of(nlp, graphs, 1.0)
    assert in_order(explored.rows) != in_order(gold.rows)
    assert (explored.mask | ~explored.best).all() and explored.best.any(axis=1).all()


def test_a_parser_without_mistakes_explores_nothing(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    overfit(nlp, graphs)
    assert all(same_graphs(parse(nlp, graphs), graphs))
    explored, gold = targets_of(nlp, graphs, 1.0)
    assert in_order(explored.rows) == in_order(gold.rows)


def test_it_learns_the_graphs(graphs: list[Graph]) -> None:
    config = {**tiny_config(), "exploration": 0.5, "exploration_start": 5}
    nlp = make_nlp(graphs, config=config)
    overfit(nlp, graphs)
    assert all(same_graphs(parse(nlp, graphs), graphs))
    assert nlp.config["components"]["ucca_parser"]["exploration"] == 0.5


def test_the_same_seed_gives_the_same_states(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    found = []
    for _ in range(2):
        fix_random_seed(3)
        found.append(in_order(targets_of(nlp, graphs, 0.5)[0].rows))
    assert found[0] == found[1]


def test_only_where_there_is_an_oracle_for_it() -> None:
    config = {**tiny_config("tupa"), "exploration": 0.5}
    with pytest.raises(ValueError, match=r"UC325.*exploration = 0\.0"):
        spacy.blank("en").add_pipe("ucca_parser", config=config)


@pytest.mark.parametrize(("system", "expected"), [("tree", 0.5), ("tupa", 0.0)])
def test_a_parser_explores_by_default_if_it_can(system: str, expected: float) -> None:
    config = {"model": {"system": system}}
    assert spacy.blank("en").add_pipe("ucca_parser", config=config).exploration == expected
