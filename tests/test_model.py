"""SlotScorer: gradients, batching, and what it computes, against naive ways to do the same."""

from functools import partial

import numpy
import pytest
from thinc.api import Model
from util import random_rows

from spacy_ucca.features.state_rows import Schema
from spacy_ucca.layers.element_scorer import ElementTokens
from spacy_ucca.layers.rows import Rows
from spacy_ucca.layers.slot_scorer import SlotScorer, unpack_bits
from spacy_ucca.model import (
    build_element_model,
    build_ucca_model,
    configure,
    make_schemas,
    resize_output,
)
from spacy_ucca.native.columns import LABEL_BITS
from spacy_ucca.native.elements import ACTION, GAP, LABEL, MARK
from spacy_ucca.parser.labels import Inventory

SCHEMA = Schema(("a", "b", "c"), (("x", 4), ("a0 action", 3), ("y", 2)), ("p", "q"))
N_TOKENS, N_ROWS, WIDTH, HIDDEN, CLASSES = 6, 9, 5, 7, 4
NAMES = ["T", "pad", "V", "B", "b0", "O"]


def make_scorer(depth: int = 1, seed: int = 0) -> Model:
    scorer = SlotScorer(HIDDEN, depth)
    sizes = {"nO": CLASSES, "nI": WIDTH, "nF": len(SCHEMA.tokens), "nV": SCHEMA.n_values}
    for name, size in {**sizes, "nB": len(SCHEMA.bits) * LABEL_BITS}.items():
        scorer.set_dim(name, size)
    scorer.initialize()
    rng = numpy.random.default_rng(seed)
    for name in scorer.param_names:  # biases too: a test with zeros would not see them
        shape = scorer.get_param(name).shape
        scorer.set_param(name, rng.normal(0, 0.5, shape).astype("float32"))
    return scorer


def make_input(n: int = N_TOKENS, n_rows: int = N_ROWS, seed: int = 1) -> tuple:
    rng = numpy.random.default_rng(seed)
    X = rng.normal(0, 1, (n, WIDTH)).astype("float32")
    return X, random_rows(rng, SCHEMA, n_rows, n)


def naive_bits(bits: numpy.ndarray) -> numpy.ndarray:
    return numpy.array(
        [[(int(b) >> k) & 1 for b in row for k in range(LABEL_BITS)] for row in bits], "float64"
    ).reshape((len(bits), -1))


def naive_scores(scorer: Model, X: numpy.ndarray, rows: Rows) -> numpy.ndarray:
    """What the layer is in words: vectors of the columns side by side, one affine map, ReLU, ...;
    in double precision."""
    param = {name: scorer.get_param(name).astype("float64") for name in scorer.param_names}
    X = X.astype("float64")
    T = param["T"].reshape((len(SCHEMA.tokens), HIDDEN, WIDTH))
    scores = []
    for tokens, categories, bits in zip(rows.tokens, rows.categories, naive_bits(rows.bits)):
        side_by_side = numpy.concatenate([X[t] if t >= 0 else numpy.zeros(WIDTH) for t in tokens])
        hidden = numpy.concatenate(list(T), axis=1) @ side_by_side + param["b0"]
        hidden += sum(param["pad"][k] for k, t in enumerate(tokens) if t < 0)
        hidden += sum(param["V"][c] for c in categories)
        hidden += bits @ param["B"]
        hidden = numpy.maximum(hidden, 0)
        for i in range(1, scorer.attrs["depth"]):
            hidden = numpy.maximum(param[f"W{i}"] @ hidden + param[f"b{i}"], 0)
        scores.append(param["O"][:, :-1] @ hidden + param["O"][:, -1])
    return numpy.array(scores).reshape((len(rows.tokens), CLASSES))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_scores_equal_naive_concatenation(depth: int) -> None:
    scorer = make_scorer(depth)
    X, rows = make_input()
    step = scorer.predict(X)
    numpy.testing.assert_allclose(
        step.predict(rows), naive_scores(scorer, X, rows), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_training_and_prediction_give_the_same_scores_without_dropout(depth: int) -> None:
    scorer = make_scorer(depth)
    X, rows = make_input()
    step, _ = scorer.begin_update(X)
    scores, _ = step.begin_update(rows)
    numpy.testing.assert_allclose(scores, scorer.predict(X).predict(rows), rtol=1e-5, atol=1e-5)


def test_a_batch_equals_its_rows_one_by_one() -> None:
    scorer = make_scorer(2)
    X, rows = make_input()
    step = scorer.predict(X)
    together = step.predict(rows)
    for i in range(N_ROWS):
        one = step.predict(Rows(*(part[i : i + 1] for part in rows)))
        numpy.testing.assert_allclose(together[i : i + 1], one, rtol=1e-5, atol=1e-5)


def naive_loss(scorer: Model, X: numpy.ndarray, parts: list[Rows], weights: list) -> float:
    return sum((naive_scores(scorer, X, rows) * w).sum() for rows, w in zip(parts, weights))


def gradients(scorer: Model, X: numpy.ndarray, parts: list[Rows], weights: list) -> tuple:
    step, finish = scorer.begin_update(X)
    for rows, w in zip(parts, weights):
        _, backprop = step.begin_update(rows)
        backprop(w.astype("float32"))
    dX = finish(None)
    return dX, {name: scorer.get_grad(name) for name in scorer.param_names}


@pytest.mark.parametrize("depth", [1, 2])
def test_gradients_equal_finite_differences(depth: int) -> None:
    """Of all weights and of the token vectors; for two lots of rows over the same tokens."""
    scorer = make_scorer(depth)
    X, first = make_input()
    _, second = make_input(seed=5, n_rows=3)
    parts = [first, second]
    rng = numpy.random.default_rng(2)
    weights = [rng.normal(0, 1, (len(rows.tokens), CLASSES)) for rows in parts]
    dX, found = gradients(scorer, X, parts, weights)
    assert set(found) == {*NAMES, *(f"{k}{i}" for k in "Wb" for i in range(1, depth))}
    eps = 1e-6

    def difference(array: numpy.ndarray, place: tuple) -> float:
        wide = array.astype("float64")
        values = []
        for sign in (1, -1):
            changed = wide.copy()
            changed[place] += sign * eps
            yield_to[0] = changed
            values.append(loss())
        return (values[0] - values[1]) / (2 * eps)

    yield_to: list = [None]
    for name in [*found, "X"]:
        array = X if name == "X" else scorer.get_param(name)
        gradient = dX if name == "X" else found[name]
        assert gradient.shape == array.shape, name

        def loss(name: str = name) -> float:
            if name == "X":
                return naive_loss(scorer, yield_to[0], parts, weights)
            old = scorer.get_param(name)
            scorer.set_param(name, yield_to[0])
            value = naive_loss(scorer, X, parts, weights)
            scorer.set_param(name, old)
            return value

        places = list(numpy.ndindex(array.shape))
        chosen = rng.permutation(len(places))[:60]
        for place in (places[i] for i in chosen):
            expected = difference(array, place)
            assert gradient[place] == pytest.approx(expected, rel=2e-3, abs=2e-3), (name, place)


def test_gradients_with_dropout_follow_the_mask() -> None:
    """With a rate, what is dropped gives no gradient; what is kept is scaled."""
    scorer = make_scorer(1)
    scorer.attrs["dropout_rate"] = 0.5
    X, rows = make_input(n_rows=1)
    seen = set()
    for _ in range(30):
        for name in scorer.param_names:
            scorer.set_grad(name, numpy.zeros_like(scorer.get_param(name)))
        step, _ = scorer.begin_update(X)
        scores, backprop = step.begin_update(rows)
        backprop(numpy.ones_like(scores))
        hidden = scorer.get_grad("O")[0, :-1]
        expected = scorer.get_param("O")[:, :-1] @ hidden + scorer.get_param("O")[:, -1]
        numpy.testing.assert_allclose(scores[0], expected, rtol=1e-4, atol=1e-4)
        assert not scorer.get_grad("b0")[hidden == 0].any()
        seen.add(tuple(hidden > 0))
    assert len(seen) > 1
    still = scorer.predict(X)
    numpy.testing.assert_array_equal(still.predict(rows), still.predict(rows))


@pytest.mark.parametrize("n_tokens", [0, N_TOKENS])
@pytest.mark.parametrize("n_rows", [0, 2])
def test_nothing_to_score(n_tokens: int, n_rows: int) -> None:
    scorer = make_scorer(2)
    X, rows = make_input(n_tokens, n_rows)
    assert scorer.predict(X).predict(rows).shape == (n_rows, CLASSES)
    step, finish = scorer.begin_update(X)
    scores, backprop = step.begin_update(rows)
    backprop(numpy.zeros_like(scores))
    dX = finish(None)
    assert dX.shape == X.shape and not dX.any()


def test_no_rows_at_all_gives_no_gradient() -> None:
    scorer = make_scorer()
    X, _ = make_input()
    _, finish = scorer.begin_update(X)
    dX = finish(None)
    assert dX.shape == X.shape and not dX.any()


def test_unpack_bits() -> None:
    rng = numpy.random.default_rng(0)
    bits = rng.integers(0, 1 << LABEL_BITS, (50, 3))
    bits[0] = (1 << LABEL_BITS) - 1
    bits[1] = [1, 1 << 47, 0]
    numpy.testing.assert_array_equal(unpack_bits(bits), naive_bits(bits))
    assert unpack_bits(bits[:0]).shape == (0, 3 * LABEL_BITS)
    assert unpack_bits(bits[:, ::-1]).tolist() == naive_bits(bits[:, ::-1]).tolist()
    assert unpack_bits(bits[:, :0]).shape == (50, 0)


# Labels added to a trained model


def inventory_model(system: str, labels: list[str]) -> tuple[Inventory, Model]:
    kinds = {"implicit": [["A"], ["A", "C"]], "remote_only": ["A"]}
    is_elements, system = system == "elements", "tupa" if system == "elements" else system
    tok2vec: Model = Model(
        "stub", lambda model, docs, is_train: (docs, lambda d: d), dims={"nO": WIDTH}
    )
    if is_elements:
        model = build_element_model(tok2vec, HIDDEN, 2, {LABEL: 3, MARK: 1, GAP: 2, ACTION: 2})
    else:
        model = build_ucca_model(tok2vec, system, hidden_width=HIDDEN, pair_width=3, unit_width=3)
    make = partial(make_schemas, model)
    some = {"remote_labels": ["A"], "remote_children": ["A"], "deps": ["d"], **kinds}
    inventory = Inventory(system, labels, **some, make_schemas=make)
    configure(model, inventory.schemas, inventory.n_outputs)
    model.initialize(X=None)
    rng = numpy.random.default_rng(0)
    for name in ("actions", *(["remotes", "implicit"] if system == "tree" else [])):
        scorer = model.get_ref(name)
        for param in scorer.param_names:
            shape = scorer.get_param(param).shape
            scorer.set_param(param, rng.normal(0, 0.5, shape).astype("float32"))
    return inventory, model


def moved(rows: Rows, old: Inventory, new: Inventory, name: str) -> Rows:
    """The same rows as the new inventory numbers them."""
    before, after = old.schemas[name], new.schemas[name]
    values = rows.categories - before.offsets
    for k, (column, _) in enumerate(before.categories):
        if "action" in column:
            for i, value in enumerate(values[:, k]):
                if value:
                    action = old.system.actions[value - 1]
                    values[i, k] = new.system.action_ids[action] + 1
    return rows._replace(categories=(values + after.offsets).astype("int32"))


MORE = {
    "an edge": {"labels": ["A", "E", "Q"]},
    "a remote edge": {"labels": ["A", "P"], "remote_labels": ["P", "A"], "remote_children": ["C"]},
    "implicit units": {"labels": ["A"], "implicit": [["A"], ["C"], ["P"]], "remote_only": ["C"]},
}


@pytest.mark.parametrize("system", ["tree", "tupa", "elements"])
@pytest.mark.parametrize("more", MORE)
def test_new_labels_leave_old_scores_as_they_are(system: str, more: str) -> None:
    old, model = inventory_model(system, ["A", "C", "P"])
    rng = numpy.random.default_rng(4)
    X = rng.normal(0, 1, (N_TOKENS, WIDTH)).astype("float32")
    names = [name for name in old.schemas if name in model.ref_names]
    rows = {name: random_rows(rng, old.schemas[name], 20, N_TOKENS) for name in names}
    inputs = X
    if system == "elements":
        inputs = ElementTokens(X, numpy.arange(N_TOKENS) % 2 > 0, numpy.arange(N_TOKENS) + 1)
        for _, categories, _ in rows.values():  # left for the scorer
            categories[:, -2:] = old.schemas["actions"].offsets[-2:]
    before = {name: model.get_ref(name).predict(inputs).predict(rows[name]) for name in names}
    new = old.extended(Inventory(old.system_name, **MORE[more], deps=["d", "e"]))
    assert new.to_dict() != old.to_dict() and new.deps == old.deps
    classes = old.class_numbers_in(new)
    resize_output(model, old.schemas, new.schemas, new.n_outputs, classes)
    for name in names:
        step = model.get_ref(name).predict(inputs)
        after = step.predict(moved(rows[name], old, new, name))
        assert after.shape[1] == new.n_outputs[name]
        fresh = random_rows(rng, new.schemas[name], 50, N_TOKENS)
        if system == "elements":
            fresh.categories[:, -2:] = new.schemas[name].offsets[-2:]
        assert step.predict(fresh).shape[0] == 50
        places = [classes[name][i] for i in range(old.n_outputs[name])]
        assert len(set(places)) == len(places)
        numpy.testing.assert_allclose(after[:, places], before[name], rtol=0, atol=1e-6)
    for action, i in old.system.action_ids.items():
        assert new.system.actions[classes["actions"][i]] == action
    for kind, i in old._implicit_classes.items():
        assert new._implicit_classes[kind] == classes["implicit"][i]
    for label, i in zip(old.remote_labels, range(1, 9)):
        assert new.remote_labels[classes["remotes"][i] - 1] == label
