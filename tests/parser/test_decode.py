"""From scores to graphs: batches of Docs, remote edges without cycles, implicit units."""

import gc
from types import SimpleNamespace

import numpy
import pytest
import spacy
from random_models import random_docs, random_model
from spacy.tokens import Doc
from thinc.api import Model
from transition_walks import check_well_formed
from util import no_syntax

from spacy_ucca.features.unit_rows import UnitTable
from spacy_ucca.graph import Graph
from spacy_ucca.layers.numpy_products import undisturbed
from spacy_ucca.parser import decode as decode_module
from spacy_ucca.parser.calibration import Calibration
from spacy_ucca.parser.decode import (
    add_implicit,
    add_remotes,
    decode_all,
)
from spacy_ucca.parser.labels import Inventory
from spacy_ucca.parser.settings import DEFAULT_THRESHOLD
from spacy_ucca.tokens.sentences import find_sentences
from spacy_ucca.transition import State


@pytest.fixture(scope="module", params=["tree", "tupa"])
def inventory(request: pytest.FixtureRequest, sample: list[Graph]) -> Inventory:
    return Inventory.collect(request.param, sample, {"nsubj", "obj"})


@pytest.fixture(scope="module")
def vocab():
    return spacy.blank("en").vocab


def parse(model: Model, inventory: Inventory, docs: list[Doc]) -> list[list[Graph]]:
    """The graphs of the sentences of each Doc."""
    sentences = find_sentences(docs, inventory.dep_ids)
    states = decode_all(model.predict(docs), inventory, sentences).states
    found: dict[int, list[Graph]] = {id(doc): [] for doc in docs}
    for sentence, state in zip(sentences, states):
        assert state.done
        words = [sentence.doc[int(i)].text for i in sentence.tokens]
        found[id(sentence.doc)].append(inventory.system.to_graph(state, words))
    return [found[id(doc)] for doc in docs]


@pytest.mark.parametrize("seed", range(4))
def test_random_weights_give_well_formed_graphs(inventory: Inventory, vocab, seed: int) -> None:
    docs = random_docs(vocab, seed)
    model = random_model(inventory, seed)
    for doc, graphs in zip(docs, parse(model, inventory, docs)):
        assert len(graphs) == sum(any(not t.is_space for t in sent) for sent in doc.sents)
        for graph in graphs:
            check_well_formed(graph)


@pytest.mark.parametrize("depth", [1, 2])
def test_a_batch_equals_its_docs_one_by_one(inventory: Inventory, vocab, depth: int) -> None:
    docs = random_docs(vocab, 9, 20)
    model = random_model(inventory, 1, hidden_depth=depth)
    together = parse(model, inventory, docs)
    for doc, graphs in zip(docs, together):
        alone = parse(model, inventory, [doc])[0]
        assert len(alone) == len(graphs)
        assert all(a.same_structure(b) for a, b in zip(alone, graphs))


def test_slices_of_rows_give_the_same(
    inventory: Inventory, vocab, monkeypatch: pytest.MonkeyPatch
) -> None:
    if inventory.system_name == "tupa":
        pytest.skip("tupa has actions only")
    docs = random_docs(vocab, 3)
    model = random_model(inventory, 2)
    before = parse(model, inventory, docs)
    monkeypatch.setattr(decode_module, "MAX_ROWS", 3)
    after = parse(model, inventory, docs)
    for a, b in zip(before, after):
        assert all(x.same_structure(y) for x, y in zip(a, b))


def test_nothing_to_parse(inventory: Inventory, vocab) -> None:
    model = random_model(inventory)
    for docs in ([], [Doc(vocab)], [Doc(vocab, words=["\n", " "])], [Doc(vocab), Doc(vocab)]):
        assert find_sentences(docs, {}) == []
        assert decode_all(model.predict(docs), inventory, []).states == []


def test_parts_of_rows_score_as_whole_rows(vocab) -> None:
    inventory = Inventory("tree", ["A", "H"], remote_labels=["A"], remote_children=["A"])
    model = random_model(inventory)
    docs = random_docs(vocab, 6)
    sentences = find_sentences(docs, {})
    schema = inventory.schemas["remotes"]
    states = [random_state(inventory.system, len(s), i) for i, s in enumerate(sentences)]
    units = UnitTable(states, [s.syntax for s in sentences])
    pairs = units.pairs(numpy.ones(3, dtype="bool"))
    assert len(pairs[0]) > 10
    places = numpy.concatenate([*(s.places for s in sentences), [-1]]).astype("int32")
    step = model.predict(docs)["remotes"]
    rows = units.pair_rows(schema, *pairs)
    whole = step.predict(rows._replace(tokens=places[rows.tokens]))
    parts = [
        part._replace(rows=part.rows._replace(tokens=places[part.rows.tokens]))
        for part in units.pair_parts(schema, *pairs)
    ]
    numpy.testing.assert_allclose(step.predict_parts(parts), whole, rtol=1e-4, atol=1e-5)


def test_units_of_a_batch_are_those_of_its_sentences(vocab) -> None:
    inventory = Inventory("tree", ["A", "H"], remote_labels=["A"], remote_children=["A"])
    sentences = find_sentences(random_docs(vocab, 6), {})
    schemas = inventory.schemas
    states = [random_state(inventory.system, len(s), i) for i, s in enumerate(sentences)]
    syntaxes = [s.syntax for s in sentences]
    together = UnitTable(states, syntaxes)
    flags = numpy.array([False, True, True])
    pairs = together.pairs(flags)
    rows = together.pair_rows(schemas["remotes"], *pairs), together.unit_rows(schemas["implicit"])
    start = words = n_pairs = n_units = 0
    for state, syntax in zip(states, syntaxes):
        alone = UnitTable([state], [syntax])
        own = alone.pairs(flags)
        own_rows = alone.pair_rows(schemas["remotes"], *own), alone.unit_rows(schemas["implicit"])
        part = slice(n_pairs, n_pairs + len(own[0]))
        for a, b in zip(pairs, own):
            numpy.testing.assert_array_equal(a[part], b + start)
        found = rows[0].tokens[part]
        numpy.testing.assert_array_equal(
            numpy.where(found >= 0, found - words, -1), own_rows[0].tokens
        )
        numpy.testing.assert_array_equal(rows[0].categories[part], own_rows[0].categories)
        numpy.testing.assert_array_equal(rows[0].bits[part], own_rows[0].bits)
        part = slice(n_units, n_units + len(own_rows[1][1]))
        numpy.testing.assert_array_equal(rows[1][1][part], own_rows[1][1] + start)
        numpy.testing.assert_array_equal(rows[1][0].categories[part], own_rows[1][0].categories)
        start, words = start + len(alone.nodes), words + state.n_tokens
        n_pairs, n_units = n_pairs + len(own[0]), n_units + len(own_rows[1][1])
    assert n_pairs == len(pairs[0]) > 10 and n_units == len(rows[1][1])


def random_state(system, n: int, seed: int) -> State:
    rng = numpy.random.default_rng(seed)
    state = system.start(n)
    while not state.done:
        system.apply(state, int(rng.choice(numpy.nonzero(system.valid(state))[0])))
    return state


def done_state(inventory: Inventory, n: int, names: str) -> State:
    system = inventory.system
    number = {str(a): i for i, a in enumerate(system.actions)}
    state = system.start(n)
    for name in names.split():
        system.apply(state, number[name])
    assert state.done
    return state


def test_remote_edges_make_no_cycle_and_the_surest_wins() -> None:
    """Two Scenes that would each be a remote child of the other: only one may."""
    inventory = Inventory("tree", ["A", "H"], remote_labels=["A", "H"], remote_children=["A", "H"])
    scene = "SHIFT NODE-A NODE-H RIGHT-EDGE-H"  # [H [H [A w]]]
    for surest in range(2):
        state = done_state(inventory, 2, f"{scene} {scene}")
        units = UnitTable([state], [no_syntax(2)])
        flags = inventory.remote_children
        parents, children = units.pairs(flags)
        assert len(parents) > 2

        def predict(parts, surest: int = surest, n: int = len(parents)) -> numpy.ndarray:
            scores = numpy.zeros((n, 3), dtype="float32")
            scores[:, 1] = 1.0 + numpy.arange(n) / n
            scores[surest, 1] = 5.0
            return scores

        step = SimpleNamespace(predict_parts=predict)
        places = numpy.array([0, 1, -1], dtype="int32")
        schema = inventory.schemas["remotes"]
        add_remotes(step, schema, [0, 1, 2], flags[units.label], units, places, Calibration())
        pair = units.nodes[parents[surest]], units.nodes[children[surest]]
        assert (*pair, 1) == state.remotes[0]
        assert 0 < len(state.remotes) < len(parents)
        graph = inventory.system.to_graph(state, ["a", "b"])  # refuses cycles
        check_well_formed(graph)


@pytest.mark.parametrize("threshold", [0.1, DEFAULT_THRESHOLD, 0.8])
def test_remote_edges_are_taken_from_some_probability_on(threshold: float) -> None:
    """Whatever their category."""
    inventory = Inventory("tree", ["A", "H"], remote_labels=["A", "H"], remote_children=["A"])
    scene = "SHIFT NODE-A NODE-H RIGHT-EDGE-H"
    for above in (False, True):
        state = done_state(inventory, 2, f"{scene} {scene}")
        units = UnitTable([state], [no_syntax(2)])
        flags = inventory.remote_children
        n = len(units.pairs(flags)[0])
        probs = numpy.tile([1.0 - threshold, threshold / 2, threshold / 2], (n, 1))
        probs[0] += (-0.02, 0.01, 0.01) if above else (0.02, -0.01, -0.01)
        probs[1:] = 0.98, 0.01, 0.01
        step = SimpleNamespace(predict_parts=lambda parts, probs=probs: numpy.log(probs))
        places = numpy.array([0, 1, -1], dtype="int32")
        schema = inventory.schemas["remotes"]
        args = flags[units.label], units, places, Calibration(), threshold
        add_remotes(step, schema, [0, 1, 2], *args)
        assert len(state.remotes) == above


@pytest.mark.parametrize("threshold", [0.1, DEFAULT_THRESHOLD, 0.8])
def test_implicit_units_are_taken_from_some_probability_on(threshold: float) -> None:
    """All classes count that have one of the category."""
    inventory = Inventory("tree", ["A", "H"])
    bags = [[], [0], [1], [0, 1], [0, 0]]
    schema, system = inventory.schemas["implicit"], inventory.system
    rng = numpy.random.default_rng(0)
    seen = set()
    for _ in range(100):
        state = done_state(inventory, 1, "SHIFT NODE-A NODE-H RIGHT-EDGE-H")
        units = UnitTable([state], [no_syntax(1)])
        probs = rng.dirichlet(numpy.ones(len(bags)), len(units.unit_rows(schema)[1]))
        step = SimpleNamespace(predict=lambda rows, probs=probs: numpy.log(probs))
        places = numpy.array([0, -1], dtype="int32")
        args = system, units, places, Calibration(), threshold
        added = add_implicit(step, schema, bags, *args)
        expected = [
            label
            for row in probs
            for label, k in ((0, 1), (0, 2), (1, 1))
            if sum(p for p, bag in zip(row, bags) if bag.count(label) >= k) > threshold
        ]
        assert [label for _, _, label in added] == expected
        seen.add(tuple(expected))
    assert len(seen) > 3


def test_what_is_elsewhere_in_the_sentence_is_not_implicit_too() -> None:
    inventory = Inventory("tree", ["A", "H"])
    schema, system = inventory.schemas["implicit"], inventory.system
    state = done_state(inventory, 1, "SHIFT NODE-A NODE-H RIGHT-EDGE-H")
    units = UnitTable([state], [no_syntax(1)])
    indices = units.unit_rows(schema)[1]
    parent, child = units.nodes[indices[0]], units.nodes[indices[-1]]
    state.remotes.append((parent, child, 0))
    probs = numpy.tile([0.1, 0.9], (len(indices), 1))  # of an implicit unit of both categories
    step = SimpleNamespace(predict=lambda rows: numpy.log(probs))
    places = numpy.array([0, -1], dtype="int32")
    added = add_implicit(step, schema, [[], [0, 1]], system, units, places, Calibration())
    everything = {(index, label) for index in indices.tolist() for label in (0, 1)}
    assert {(index, label) for index, _, label in added} == everything - {(int(indices[0]), 0)}


def test_garbage_is_collected_again_afterwards() -> None:
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), undisturbed():
        assert not gc.isenabled()
        raise ZeroDivisionError
    assert gc.isenabled()
    gc.disable()  # as the user wants it
    with undisturbed():
        pass
    assert not gc.isenabled()
    gc.enable()
