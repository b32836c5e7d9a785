"""ElementScorer: what it computes, its gradients, and new labels, against naive ways to do the same."""

import numpy
import pytest
from thinc.api import Model

from spacy_ucca.layers.element_scorer import ElementScorer, ElementTokens
from spacy_ucca.layers.rows import Rows

WIDTH, HIDDEN, N_TOKENS, N_ROWS = 4, 5, 7, 12
COLUMNS = [
    ["edge label", 6],
    ["number", 5],
    ["edge label", 4],
    ["gap", 3],
    ["marks", 4],
    ["number", 5],
]
WIDTHS = {"edge label": 3, "gap": 2, "marks": 1}
SIZES = [size for _, size in COLUMNS]
OFFSETS = numpy.cumsum([0, *SIZES[:-1]])


def make_scorer(depth: int, seed: int = 0) -> Model:
    scorer = ElementScorer(HIDDEN, depth, WIDTHS)
    for dim, size in {"nO": 3, "nI": WIDTH, "nF": 3, "nV": sum(SIZES)}.items():
        scorer.set_dim(dim, size)
    scorer.attrs["columns"] = COLUMNS
    scorer.initialize()
    rng = numpy.random.default_rng(seed)
    for name in scorer.param_names:
        shape = scorer.get_param(name).shape
        scorer.set_param(name, rng.normal(0, 0.5, shape).astype("float32"))
    return scorer


def make_tokens(seed: int = 1) -> ElementTokens:
    rng = numpy.random.default_rng(seed)
    vectors = rng.normal(0, 1, (N_TOKENS, WIDTH)).astype("float32")
    return ElementTokens(vectors, rng.random(N_TOKENS) < 0.5, rng.integers(1, 4, N_TOKENS))


def make_rows(seed: int = 2) -> Rows:
    """The last two columns are empty, as readers of states leave them."""
    rng = numpy.random.default_rng(seed)
    values = numpy.stack([rng.integers(0, size, N_ROWS) for size in SIZES], axis=1)
    values[:, -2:] = 0
    return Rows(
        rng.integers(-1, N_TOKENS, (N_ROWS, 3)).astype("int32"),
        (values + OFFSETS).astype("int32"),
        numpy.zeros((N_ROWS, 0), dtype="int64"),
    )


def naive_scores(scorer: Model, tokens: ElementTokens, rows: Rows) -> numpy.ndarray:
    """One long vector for each row, times one matrix."""
    table = scorer.get_param("T").reshape((3, HIDDEN, WIDTH))
    scores = []
    for own, categories in zip(rows.tokens.tolist(), (rows.categories - OFFSETS).tolist()):
        hidden = scorer.get_param("b0").astype("float64")
        for slot, token in enumerate(own):
            if token < 0:
                hidden = hidden + scorer.get_param("pad")[slot]
            else:
                hidden = hidden + table[slot] @ tokens.vectors[token]
        first, second = sorted(own[:2])
        between = [i for i in range(first + 1, second) if tokens.is_punct[i] and first >= 0]
        categories[-2] = int(tokens.marks[between[0]]) if len(between) == 1 else 0
        categories[-1] = min(len(between), SIZES[-1] - 1)
        inputs = numpy.concatenate(
            [
                scorer.get_param(f"E {kind}")[value] if kind in WIDTHS else [value]
                for (kind, _), value in zip(COLUMNS, categories)
            ]
        )
        hidden = hidden + inputs @ scorer.get_param("F")
        for i in range(scorer.attrs["depth"]):
            if i:
                hidden = scorer.get_param(f"W{i}") @ hidden + scorer.get_param(f"b{i}")
            hidden = numpy.maximum(hidden, 0)
        scores.append(scorer.get_param("O") @ numpy.append(hidden, 1))
    return numpy.array(scores)


@pytest.mark.parametrize("depth", [1, 2])
def test_scores_are_those_of_one_long_vector(depth):
    scorer, tokens, rows = make_scorer(depth), make_tokens(), make_rows()
    expected = naive_scores(scorer, tokens, rows)
    numpy.testing.assert_allclose(scorer.predict(tokens).predict(rows), expected, atol=1e-4)
    step, _ = scorer.begin_update(tokens)
    numpy.testing.assert_allclose(step.begin_update(rows)[0], expected, atol=1e-4)


@pytest.mark.parametrize("depth", [1, 2])
def test_gradients_equal_finite_differences(depth):
    scorer, tokens, rows = make_scorer(depth, seed=3), make_tokens(), make_rows()
    rng = numpy.random.default_rng(5)
    weights = rng.normal(0, 1, (N_ROWS, 3)).astype("float32")
    step, finish = scorer.begin_update(tokens)
    half = slice(0, N_ROWS // 2), slice(N_ROWS // 2, N_ROWS)
    for part in half:  # several batches of rows over the same tokens
        rows_of_part = Rows(*(column[part] for column in rows))
        step.begin_update(rows_of_part)[1](weights[part])
    d_vectors = finish(None)

    def loss() -> float:
        return float((naive_scores(scorer, tokens, rows) * weights).sum())

    for name in scorer.param_names:
        param, gradient = scorer.get_param(name), scorer.get_grad(name)
        for place in zip(*(rng.integers(0, n, 4) for n in param.shape)):
            expected = difference(param, place, loss)
            assert gradient[place] == pytest.approx(expected, rel=2e-2, abs=2e-2), (name, place)
    for place in ((0, 1), (3, 2)):
        expected = difference(tokens.vectors, place, loss)
        assert d_vectors[place] == pytest.approx(expected, rel=2e-2, abs=2e-2)


def difference(array, place, loss) -> float:
    old, values = float(array[place]), []
    for step in (1e-3, -1e-3):
        array[place] = old + step
        values.append(loss())
    array[place] = old
    return (values[0] - values[1]) / 2e-3


def test_nothing_to_score():
    scorer, tokens = make_scorer(2), make_tokens()
    none = Rows(*(column[:0] for column in make_rows()))
    assert scorer.predict(tokens).predict(none).shape == (0, 3)
    step, finish = scorer.begin_update(tokens)
    scores, backprop = step.begin_update(none)
    backprop(scores)
    assert not finish(None).any()
    empty = ElementTokens(tokens.vectors[:0], tokens.is_punct[:0], tokens.marks[:0])
    missing = Rows(
        numpy.full((2, 3), -1, "int32"),
        make_rows().categories[:2],
        none.bits[:0].repeat(2, 0).reshape(2, 0),
    )
    assert scorer.predict(empty).predict(missing).shape == (2, 3)
