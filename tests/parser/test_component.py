"""`ucca_parser` in spaCy: life cycle, settings, labels, training."""

import warnings
from dataclasses import replace
from typing import Any

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Adam
from util import (
    make_doc,
    make_examples,
    make_nlp,
    overfit,
    parse,
    same_graphs,
    tiny_config,
)

from spacy_ucca.component import UccaParser
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.parser.settings import DEFAULT_THRESHOLD

SYSTEMS = ("tree", "tupa")


def weights(nlp: Language) -> bytes:
    return b"".join(
        node.get_param(name).tobytes()
        for node in nlp.get_pipe("ucca_parser").model.walk()
        for name in node.param_names
        if node.has_param(name)
    )


# Before training


def test_factory_and_defaults() -> None:
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("ucca_parser", config={"scorer": None})
    assert isinstance(pipe, UccaParser) and pipe.is_trainable
    assert pipe.labels == () and pipe.label_data is None
    assert nlp.pipe_labels["ucca_parser"] == []
    assert nlp.get_pipe_meta("ucca_parser").factory == "ucca_parser"
    with pytest.raises(ValueError):
        nlp.add_pipe("ucca_parser", name="other", config={"model": {"system": 3}})


@pytest.mark.parametrize(("width", "density"), [(0, 0.1), (-2, 0.1), (4, 1.5), (4, -0.1)])
def test_beams_that_cannot_be_are_a_clear_error(width: int, density: float) -> None:
    nlp = spacy.blank("en")
    with pytest.raises(ValueError, match="UC352"):
        nlp.add_pipe("ucca_parser", config={"beam_width": width, "beam_density": density})
    pipe = nlp.add_pipe("ucca_parser")
    with pytest.raises(ValueError, match="UC352"):
        pipe.beam_width, pipe.beam_density = width, density


@pytest.mark.parametrize("name", ["ucca_parser", "ucca_span_parser"])
@pytest.mark.parametrize("threshold", [-0.1, 1.1, 40.0])
def test_thresholds_that_cannot_be_are_a_clear_error(name: str, threshold: float) -> None:
    nlp = spacy.blank("en")
    for setting in ("remote_threshold", "implicit_threshold"):
        with pytest.raises(ValueError, match="UC352"):
            nlp.add_pipe(name, config={setting: threshold})
    pipe = nlp.add_pipe(name)
    for setting in ("remote_threshold", "implicit_threshold"):
        with pytest.raises(ValueError, match="UC352"):
            setattr(pipe, setting, threshold)
        assert getattr(pipe, setting) == DEFAULT_THRESHOLD


@pytest.mark.parametrize("name", ["ucca_parser", "ucca_span_parser"])
def test_configs_of_other_versions(name: str) -> None:
    """Those that 0.2 saved have null for a threshold and for a setting of 0.1; with a value, that is refused."""
    empty = {"extras_threshold": None, "remote_threshold": None, "implicit_threshold": None}
    pipe = spacy.blank("en").add_pipe(name, config={**empty, "beam_votes": False})
    assert (pipe.remote_threshold, pipe.implicit_threshold) == (DEFAULT_THRESHOLD,) * 2
    for old in ({"extras_threshold": 0.3}, {"beam_votes": True}):
        with pytest.raises(ValueError, match=f"UC327.*{name}"):
            spacy.blank("en").add_pipe(name, config=old)


@pytest.mark.parametrize(
    "settings",
    [
        *({"beam_width": value} for value in (2.5, True, "x", None)),
        *({"exploration": value} for value in (7, -1, "x")),
        *({"exploration_start": value} for value in (-1, 0.5)),
        *({"remote_threshold": value} for value in ("a", True, float("nan"))),
    ],
)
def test_settings_of_the_wrong_kind_are_a_clear_error(settings: dict) -> None:
    pipe = spacy.blank("en").add_pipe("ucca_parser")
    before = pipe.settings
    for name, value in settings.items():
        with pytest.raises(ValueError, match=r"\[UC"):
            setattr(pipe, name, value)
    assert pipe.settings == before


def test_settings_are_attributes_that_can_be_set() -> None:
    pipe = spacy.blank("en").add_pipe("ucca_parser")
    before = pipe.settings
    pipe.beam_width = 4
    pipe.implicit_threshold = 0.2
    assert (pipe.beam_width, pipe.implicit_threshold, pipe.remote_threshold) == (4, 0.2, 0.4)
    assert pipe.settings == replace(before, beam_width=4, implicit_threshold=0.2)
    assert before.beam_width == 1


def test_not_initialized_is_a_clear_error() -> None:
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("ucca_parser", config=tiny_config())
    with pytest.raises(ValueError, match="E109"), pytest.warns(UserWarning):
        nlp("Some text")
    pipe.add_label("A")
    with pytest.raises(ValueError, match="E109"):
        nlp("Some text")
    doc = Doc(nlp.vocab, words=["a"])
    with pytest.raises(ValueError, match="E109"):
        pipe.update([Example(doc, doc)])


def test_unknown_system_is_a_clear_error(graphs: list[Graph]) -> None:
    nlp = spacy.blank("en")
    with pytest.raises(ValueError, match=r"UC301.*trees"):
        nlp.add_pipe("ucca_parser", config=tiny_config("trees"))
        nlp.initialize(lambda: make_examples(nlp.vocab, graphs))


def test_initialize_takes_a_function_that_gives_examples(graphs: list[Graph]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config=tiny_config())
    examples = make_examples(nlp.vocab, graphs)
    nlp.initialize(get_examples=lambda: examples)
    nlp.initialize(get_examples=lambda: iter(examples))
    for wrong in (lambda: None, lambda: examples[0], lambda: [], examples):
        with pytest.raises(TypeError):
            nlp.initialize(get_examples=wrong)


def test_update_takes_examples(tree: Language, graphs: list[Graph]) -> None:
    pipe = tree.get_pipe("ucca_parser")
    doc = make_doc(tree.vocab, graphs[0])
    for wrong in ([doc], [(doc.text, {})], [None]):
        with pytest.raises(TypeError):
            pipe.update(wrong)
    assert pipe.update([]) == {"ucca_parser": 0.0}


def test_initialize_without_graphs_is_a_clear_error() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config=tiny_config())
    with pytest.raises(ValueError, match="UC312"):
        nlp.initialize()
    doc = Doc(nlp.vocab, words=["a"])
    with pytest.raises(ValueError, match="UC312"):
        nlp.initialize(lambda: [Example(doc, doc)])


def test_initialize_again_with_other_labels(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs[:2])
    before = nlp.get_pipe("ucca_parser").labels
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    after = nlp.get_pipe("ucca_parser").labels
    assert set(before) < set(after)
    overfit(nlp, graphs, steps=2)
    parse(nlp, graphs)


def test_same_seed_gives_same_weights(graphs: list[Graph]) -> None:
    first, second, other = (make_nlp(graphs[:4], seed=seed) for seed in (1, 1, 2))
    assert weights(first) == weights(second) != weights(other)
    for nlp in (first, second):
        fix_random_seed(3)
        optimizer = nlp.create_optimizer()
        for _ in range(3):
            nlp.update(make_examples(nlp.vocab, graphs[:4]), sgd=optimizer, drop=0.3)
    assert weights(first) == weights(second)


# Labels


def test_labels_are_those_of_the_data(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    pipe = nlp.get_pipe("ucca_parser")
    expected = {edge.label for graph in graphs for edge in graph.edges}
    assert set(pipe.labels) == expected and "S|A" in expected
    assert nlp.pipe_labels["ucca_parser"] == list(pipe.labels)
    assert all(label in nlp.vocab.strings for label in expected)
    assert {"SHIFT", "NODE-A"} <= set(pipe.move_names)


def test_label_data_through_json_gives_the_same_component(graphs: list[Graph], tmp_path) -> None:
    import srsly

    first = make_nlp(graphs)
    data = first.get_pipe("ucca_parser").label_data
    srsly.write_json(tmp_path / "labels.json", data)
    fix_random_seed(0)
    second = spacy.blank("en")
    pipe = second.add_pipe("ucca_parser", config=tiny_config())
    pipe.initialize(
        lambda: make_examples(second.vocab, graphs[:1]),
        nlp=second,
        labels=srsly.read_json(tmp_path / "labels.json"),
    )
    assert pipe.label_data == data
    assert pipe.labels == first.get_pipe("ucca_parser").labels
    shapes = [n.get_param(p).shape for n in pipe.model.walk() for p in n.param_names]
    model = first.get_pipe("ucca_parser").model
    assert shapes == [n.get_param(p).shape for n in model.walk() for p in n.param_names]


def test_add_label_takes_strings() -> None:
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("ucca_parser", config=tiny_config())
    for wrong in (9, None, ["A"]):
        with pytest.raises(ValueError):
            pipe.add_label(wrong)
    with pytest.raises(ValueError):
        pipe.add_label("")
    assert pipe.add_label("A") == 1 and pipe.add_label("A") == 0
    assert pipe.add_label("A|S") == 1
    assert pipe.labels == ("A", "S|A") or pipe.labels == ("A", "A|S")
    assert pipe.add_label("S|A") == 0  # the same categories


@pytest.mark.filterwarnings("ignore:.*UW301")
@pytest.mark.parametrize("system", SYSTEMS)
def test_add_label_before_initialization(graphs: list[Graph], system: str) -> None:
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("ucca_parser", config=tiny_config(system))
    pipe.add_label("ZZ")
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    assert "ZZ" in pipe.labels and "A" in pipe.labels
    overfit(nlp, graphs, steps=2)
    alone = spacy.blank("en")
    alone.add_pipe("ucca_parser", config=tiny_config(system)).add_label("ZZ")
    alone.initialize()
    assert alone("Any words")._.ucca is not None


@pytest.mark.parametrize("system", SYSTEMS)
def test_add_label_after_training(graphs: list[Graph], system: str) -> None:
    nlp = make_nlp(graphs[:4], config=tiny_config(system))
    optimizer = nlp.create_optimizer()
    for _ in range(5):
        nlp.update(make_examples(nlp.vocab, graphs[:4]), sgd=optimizer)
    pipe = nlp.get_pipe("ucca_parser")
    assert "D" not in pipe.labels
    new = read_brackets("[H [A It] [D ZZ now] [P works]]")[0]
    assert pipe.add_label("D") == 1
    for _ in range(80):
        losses = nlp.update(make_examples(nlp.vocab, [new]), sgd=optimizer)
    found = parse(nlp, [new])[0]
    assert found.same_structure(new), losses
    again = spacy.blank("en")
    again.add_pipe("ucca_parser", config=tiny_config(system))
    again.from_bytes(nlp.to_bytes())
    assert parse(again, [new])[0].same_structure(new)


def test_add_label_keeps_what_is_known(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    overfit(nlp, graphs)
    before = parse(nlp, graphs)
    assert nlp.get_pipe("ucca_parser").add_label("ZZ") == 1
    after = parse(nlp, graphs)
    assert sum(same_graphs(before, after)) >= len(graphs) - 1  # the new label has random weights


# Training


def test_overfitting(trained: Language, graphs: list[Graph]) -> None:
    found = parse(trained, graphs)
    assert all(same_graphs(found, graphs)), [
        (graph.details["id"], str(graph))
        for graph, same in zip(graphs, same_graphs(found, graphs))
        if not same
    ]


def test_losses_are_added_up(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    pipe = nlp.get_pipe("ucca_parser")
    examples = make_examples(nlp.vocab, graphs)
    once = pipe.update(examples)["ucca_parser"]
    assert once > 0
    losses = {"ucca_parser": 1.0, "other": 2.0}
    assert pipe.update(examples, losses=losses) is losses
    assert losses["ucca_parser"] == pytest.approx(1.0 + once) and losses["other"] == 2.0


def test_without_an_optimizer_weights_stay(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs[:2])
    pipe = nlp.get_pipe("ucca_parser")
    before = weights(nlp)
    examples = make_examples(nlp.vocab, graphs[:2])
    pipe.update(examples)
    assert weights(nlp) == before
    pipe.finish_update(nlp.create_optimizer())
    assert weights(nlp) != before


def test_gradients_are_those_of_the_loss(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs[:3])
    pipe: Any = nlp.get_pipe("ucca_parser")
    pipe.exploration = 0.0
    examples = make_examples(nlp.vocab, graphs[:3])
    pipe.update(examples)
    scorers = [pipe.model.get_ref(name) for name in ("actions", "remotes", "implicit")]
    gradients = [scorer.get_grad("O").copy() for scorer in scorers]
    for scorer, gradient in zip(scorers, gradients):
        weights = scorer.get_param("O").copy()
        for place in numpy.argsort(-numpy.abs(gradient), axis=None)[:3]:
            losses = []
            for step in (0.02, -0.02):
                moved = weights.copy()
                moved.flat[place] += step
                scorer.set_param("O", moved)
                losses.append(pipe.update(examples)["ucca_parser"])
            scorer.set_param("O", weights)
            expected = (losses[0] - losses[1]) / 0.04
            assert gradient.flat[place] == pytest.approx(expected, rel=0.05, abs=1e-4)


def test_references_without_graphs_are_skipped(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs[:3])
    bare = Example(
        make_doc(nlp.vocab, graphs[3], gold=False), make_doc(nlp.vocab, graphs[3], gold=False)
    )
    before = weights(nlp)
    assert nlp.update([bare], sgd=nlp.create_optimizer()) == {"ucca_parser": 0.0}
    assert weights(nlp) == before
    pipe = nlp.get_pipe("ucca_parser")
    full = make_examples(nlp.vocab, graphs[:3])
    alone = pipe.update(full)["ucca_parser"]
    mixed = pipe.update([bare, full[0], bare, *full[1:]])["ucca_parser"]
    assert mixed == pytest.approx(alone, rel=1e-4)


def test_empty_docs_in_training(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs[:3])
    empty = Example(Doc(nlp.vocab), Doc(nlp.vocab))
    space = Example(Doc(nlp.vocab, words=["\n"]), Doc(nlp.vocab, words=["\n"]))
    space.reference._.ucca = Graph(["\n"], ["FN"], [])
    sgd = nlp.create_optimizer()
    nlp.update([empty, empty, space], sgd=sgd)
    losses = nlp.update([empty, *make_examples(nlp.vocab, graphs[:3]), space], sgd=sgd)
    assert losses["ucca_parser"] > 0


def test_whitespace_tokens_in_training() -> None:
    """They are attached to nothing, and nothing is learned from them."""
    words = ["The", "\n", "cat", "slept", "\n\n"]
    plain = read_brackets("[H [A [F The] [C cat]] [P slept]]")[0]
    places = [0, 2, 3]
    edges = [e._replace(child=~places[~e.child]) if e.child < 0 else e for e in plain.edge_tuples]
    graph = Graph(words, plain.kinds, edges)
    nlp = make_nlp([graph])
    overfit(nlp, [graph])
    found = parse(nlp, [graph])[0]
    assert found.same_structure(graph)
    assert found.unit_of(1) is None and found.unit_of(4) is None


def test_unknown_labels_are_skipped_with_one_warning(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs[:2])
    strange = read_brackets("[H [A The cat] [ZZ slept]] [U .]")[0]
    examples = make_examples(nlp.vocab, [strange, *graphs[:2], strange])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            nlp.update(examples, sgd=nlp.create_optimizer())
    messages = [str(w.message) for w in caught if "UW302" in str(w.message)]
    assert len(messages) == 1 and "ZZ" in messages[0]


def test_several_sentences_in_one_reference(graphs: list[Graph]) -> None:
    """A Doc of two sentences is learned from as its sentences are."""
    joined = Graph.join(graphs[:2])
    nlp = make_nlp([joined])
    pipe = nlp.get_pipe("ucca_parser")
    together = pipe.update(make_examples(nlp.vocab, [joined]))["ucca_parser"]
    apart = pipe.update(make_examples(nlp.vocab, graphs[:2]))["ucca_parser"]
    assert together == pytest.approx(apart, rel=1e-4)
    overfit(nlp, [joined])
    assert parse(nlp, [joined])[0].same_structure(joined)


def test_use_params(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs[:3])
    optimizer = Adam(0.01, use_averages=True)
    for _ in range(5):
        nlp.update(make_examples(nlp.vocab, graphs[:3]), sgd=optimizer)
    before = weights(nlp)
    with nlp.use_params(optimizer.averages):
        assert weights(nlp) != before
        parse(nlp, graphs[:3])
    assert weights(nlp) == before


def test_rehearse_is_refused_clearly(tree: Language, graphs: list[Graph]) -> None:
    with pytest.raises(NotImplementedError, match="UC313"):
        tree.rehearse(make_examples(tree.vocab, graphs[:1]))


def test_frozen_component_stays(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs[:2])
    before = weights(nlp)
    examples = make_examples(nlp.vocab, graphs[:2])
    nlp.update(examples, sgd=nlp.create_optimizer(), exclude=["ucca_parser"])
    assert weights(nlp) == before


class Spy:
    """A trainable component that keeps the batches it is given."""

    def __init__(self) -> None:
        self.batches: list[list[Example]] = []

    def __call__(self, doc: Doc) -> Doc:
        return doc

    def update(self, examples, **kwargs) -> dict:
        self.batches.append(list(examples))
        return {}


@Language.factory("ucca_spy")
def make_spy(nlp: Language, name: str) -> Spy:
    return Spy()


def test_annotating_component(graphs: list[Graph]) -> None:
    """Its graphs are on the predicted Docs when the next component learns."""
    nlp = make_nlp(graphs[:2])
    spy = nlp.add_pipe("ucca_spy")
    examples = make_examples(nlp.vocab, graphs[:2])
    nlp.update(examples, sgd=nlp.create_optimizer())
    nlp.update(examples, sgd=nlp.create_optimizer(), annotates=["ucca_parser"])
    found = [[eg.predicted._.ucca is not None for eg in batch] for batch in spy.batches]
    assert found == [[False, False], [True, True]]


@pytest.mark.filterwarnings("ignore:.*UW301")
def test_annotating_tagger_before_it(graphs: list[Graph]) -> None:
    """What tags and heads an earlier component gives in training is what counts."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tagger")
    nlp.add_pipe("ucca_parser", config=tiny_config())
    spy = nlp.add_pipe("ucca_spy")

    def examples() -> list[Example]:
        docs = [make_doc(nlp.vocab, graph) for graph in graphs[:3]]
        return [Example(Doc(nlp.vocab, words=[t.text for t in doc]), doc) for doc in docs]

    optimizer = nlp.initialize(examples)
    for _ in range(3):
        nlp.update(examples(), sgd=optimizer, annotates=["sentencizer", "tagger"])
    for attr in ("TAG", "SENT_START"):
        assert all(eg.predicted.has_annotation(attr) for batch in spy.batches for eg in batch)
    assert nlp("The cat slept .")._.ucca is not None
