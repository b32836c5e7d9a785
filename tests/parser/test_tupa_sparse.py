"""`spacy-ucca.TupaSparse.v1` in `ucca_parser`: it learns, it is stored, it gets new labels, its rate decays."""

import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_model_from_config, registry
from util import make_doc, make_examples, parse, same_graphs, tiny_config

from spacy_ucca.component import UccaParser
from spacy_ucca.features.state_rows import BatchRows
from spacy_ucca.graph import Graph
from spacy_ucca.tokens.sentences import find_sentences

MODEL = {"@architectures": "spacy-ucca.TupaSparse.v1", "min_update": 2}
DECAY = "spacy-ucca.learn_rate_decay.v1"


@pytest.fixture(scope="module")
def graphs(sample: list[Graph]) -> list[Graph]:
    return sample[:8]


def make_sparse(graphs: list[Graph], model: dict = MODEL) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config={"model": model, "scorer": None})
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    return nlp


def learn(nlp: Language, graphs: list[Graph], epochs: int = 12) -> list[float]:
    optimizer = nlp.create_optimizer()
    examples = make_examples(nlp.vocab, graphs)
    return [nlp.update(examples, sgd=optimizer)["ucca_parser"] for _ in range(epochs)]


def records(nlp: Language, graphs: list[Graph]) -> list[Any]:
    return [graph.to_record() for graph in parse(nlp, graphs)]


@pytest.fixture(scope="module")
def trained(graphs: list[Graph]) -> Language:
    nlp = make_sparse(graphs)
    learn(nlp, graphs)
    return nlp


def perceptron(nlp: Language) -> Any:
    return nlp.get_pipe("ucca_parser").model.get_ref("actions").shims[0].perceptron


def test_a_small_sample_is_learned_by_heart(sample: list[Graph]) -> None:
    """With remote edges, implicit units and linkage, as far as transitions make them."""
    nlp = make_sparse(sample)
    losses = learn(nlp, sample, 15)
    assert losses[0] > 0.2 and losses[-1] < 0.01
    pipe = nlp.get_pipe("ucca_parser")
    targets = [pipe.inventory.system.target(graph) for graph in sample]
    assert any(unit.is_implicit for graph in targets for unit in graph)
    assert sum(same_graphs(parse(nlp, sample), targets)) > 0.9 * len(sample)


def test_averages_are_used_to_predict(trained: Language, graphs: list[Graph]) -> None:
    ours = perceptron(trained)
    assert ours.n_seen and not (ours.average == ours.weights[: ours.n_rows]).all()
    pipe = trained.get_pipe("ucca_parser")
    doc = make_doc(trained.vocab, graphs[0], gold=False)
    (sentence,) = find_sentences([doc], pipe.inventory.dep_ids)
    step = pipe.model.predict([doc])["actions"]
    state = pipe.inventory.system.start(len(sentence))
    rows = BatchRows(pipe.inventory.schemas["actions"], [sentence])
    row = rows.of([state], [0])
    numbers = ours.index.find(step.feature_ids(row)[0])
    expected = ours.average[ours.rows[numbers]].sum(axis=0)
    assert step.predict(row)[0].tolist() == pytest.approx(expected.tolist(), abs=1e-4)


def test_it_is_stored(trained: Language, sample: list[Graph], tmp_path: Path) -> None:
    expected = records(trained, sample)
    trained.to_disk(tmp_path)
    again = load_model_from_config(trained.config).from_bytes(trained.to_bytes())
    for nlp in (spacy.load(tmp_path), again, pickle.loads(pickle.dumps(trained))):
        assert records(nlp, sample) == expected
        assert perceptron(nlp).to_bytes() == perceptron(trained).to_bytes()
        assert nlp.get_pipe("ucca_parser").label_data == trained.get_pipe("ucca_parser").label_data
    nlp = spacy.load(tmp_path)
    assert learn(nlp, sample[:8], 1)[0] < 0.1  # goes on from what it knows
    assert records(trained, sample) == expected


def test_a_copy_learns_alone(trained: Language, graphs: list[Graph]) -> None:
    pipe = trained.get_pipe("ucca_parser")
    copy = UccaParser(trained.vocab, pipe.model.copy()).from_bytes(pipe.to_bytes())
    before = perceptron(trained).to_bytes()
    copy.update(make_examples(trained.vocab, graphs[:2]))
    assert perceptron(trained).to_bytes() == before


def test_new_labels_leave_what_is_known(graphs: list[Graph]) -> None:
    nlp = make_sparse(graphs)
    learn(nlp, graphs)
    expected = parse(nlp, graphs)
    pipe = nlp.get_pipe("ucca_parser")
    n_actions = len(pipe.move_names)
    assert pipe.add_label("X") == 1
    assert len(pipe.move_names) > n_actions
    assert all(same_graphs(parse(nlp, graphs), expected))
    assert all(parse(nlp, graphs))
    again = spacy.blank("en")
    again.add_pipe("ucca_parser", config={"model": MODEL})
    again.from_bytes(nlp.to_bytes())
    assert all(same_graphs(parse(again, graphs), expected))
    assert learn(nlp, graphs, 1)[0] < 0.05


def test_initialize_again_forgets(trained: Language, graphs: list[Graph]) -> None:
    nlp = make_sparse(graphs)
    learn(nlp, graphs, 3)
    assert perceptron(nlp).n_rows > 1
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs[:3]))
    assert perceptron(nlp).n_rows == 1
    assert perceptron(nlp).n_classes == len(nlp.get_pipe("ucca_parser").move_names)


def test_batches_do_not_matter(graphs: list[Graph]) -> None:
    """Learning is online: the order of sentences counts, not how many come at once."""
    whole, single = make_sparse(graphs), make_sparse(graphs)
    learn(whole, graphs, 2)
    for _ in range(2):
        for eg in make_examples(single.vocab, graphs):
            single.update([eg], sgd=single.create_optimizer())
    assert perceptron(single).to_bytes() == perceptron(whole).to_bytes()


def test_min_update_counts(graphs: list[Graph]) -> None:
    sizes = []
    for n in (1, 3, 6):
        nlp = make_sparse(graphs, {**MODEL, "min_update": n})
        learn(nlp, graphs, 3)
        sizes.append(perceptron(nlp).n_rows)
    assert sizes[0] > sizes[1] > sizes[2] > 1


@pytest.mark.parametrize(
    "text", ["", "a", " ", "\n\n", "🎉 👩‍👩‍👧", "שלום עולם .", "so he went , " * 15]
)
def test_any_text_is_parsed(trained: Language, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # no tags, no heads
        doc = trained(text)
    assert doc._.ucca.words == tuple(token.text for token in doc)
    assert len(doc._.ucca.roots) == bool(text.strip())


def test_the_rate_decays_by_epoch(graphs: list[Graph]) -> None:
    nlp = make_sparse(graphs)
    attrs = nlp.get_pipe("ucca_parser").model.get_ref("actions").attrs
    assert attrs["learn_rate"] == 1.0
    before_update = registry.callbacks.get(DECAY)(learn_rate=2.0, decay=0.5)
    for epoch, rate in ((0, 2.0), (1, 4 / 3), (2, 1.0), (18, 0.2)):
        before_update(nlp, {"step": 7, "epoch": epoch})
        assert attrs["learn_rate"] == pytest.approx(rate)
    learn(nlp, graphs, 1)
    assert perceptron(nlp).updates[0, 1] == pytest.approx(0.2)


def test_decay_without_a_perceptron_is_a_clear_error(graphs: list[Graph]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config=tiny_config())
    nlp.add_pipe("sentencizer")
    for name in ("ucca_parser", "sentencizer"):
        with pytest.raises(ValueError, match=f"UC820.*{name}"):
            registry.callbacks.get(DECAY)(component=name)(nlp, {"step": 0, "epoch": 0})


def test_exploration_needs_the_other_system(graphs: list[Graph]) -> None:
    with pytest.raises(ValueError, match="UC325"):
        spacy.blank("en").add_pipe("ucca_parser", config={"model": MODEL, "exploration": 0.5})


def test_nothing_to_learn(trained: Language) -> None:
    doc = Doc(trained.vocab, words=["a"])
    pipe = trained.get_pipe("ucca_parser")
    assert pipe.update([Example(doc, doc)]) == {"ucca_parser": 0.0}
