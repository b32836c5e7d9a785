"""TemplateScorer: scores rows of states by the feature templates of TUPA Sparse.

A feature is a template with its values, as a hash of 64 bits; those of many rows are made at once. All of
it runs in main memory, on any device.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy
from spacy.strings import hash_string  # type: ignore[attr-defined]
from thinc.api import Model, Shim
from thinc.types import Floats2d, Ints2d

from ..native.templates import CATEGORIES, NODES, PARSED, TEMPLATES, TOKEN_PROPERTIES, VALUES, Value
from .perceptron import NO_FEATURE, AveragedPerceptron
from .rows import Rows, Separators, Targets
from .slot_scorer import ScorerKind, ScorerStep

# What a scorer is given of each token: word, tag and dependency label by their hashes, and a flag.
ATTRIBUTES = ("ORTH", "TAG", "DEP", "IS_PUNCT")
_WORD, _PUNCT = 0, 3

_MISSING = numpy.uint64(2**64 - 1)  # the value of what is not there: -1 in rows
_PRIME, _SHIFT = numpy.uint64(0x9E3779B97F4A7C15), numpy.uint64(29)
_SEEDS = numpy.array([hash_string(template) for template in TEMPLATES], dtype="uint64")[:, None]
# (n_templates, longest): the columns of each; those of short ones are filled up with one that holds 0.
_LONGEST = max(map(len, PARSED))
_PLACES = numpy.array(
    [[*map(VALUES.index, parsed), *[len(VALUES)] * (_LONGEST - len(parsed))] for parsed in PARSED]
)
_FROM_STATE = numpy.array([VALUES.index(value) for value in CATEGORIES])
_OF_TOKENS = [v for v in VALUES if v.item in NODES and v.name in TOKEN_PROPERTIES]
_FROM_TOKENS = numpy.array([VALUES.index(value) for value in _OF_TOKENS])
_NODE = numpy.array([NODES.index(value.item) for value in _OF_TOKENS])
_PAIR = [NODES.index("s0"), NODES.index("s1")]
_PROPERTY = numpy.array([TOKEN_PROPERTIES.index(value.name) for value in _OF_TOKENS])


def TemplateScorer(min_update: int = 5) -> Model[Ints2d, "TemplateStep"]:
    """Scores rows of features by templates, with an averaged perceptron.

    min_update (int): How many updates a feature is in before its weights count.
    RETURNS (Model[Ints2d, TemplateStep]): Maps `ATTRIBUTES` of tokens (n_tokens, 4) to a TemplateStep.
    """
    return Model(
        "template_scorer",
        _forward,
        init=_init,
        dims={"nO": None, "nI": None},
        attrs={
            "min_update": min_update,
            "learn_rate": 1.0,
            "kind": TemplateKind(_new_like, ("nO",)),
        },
        shims=[PerceptronShim(None)],
    )


def _new_like(scorer: Model) -> Model:
    return TemplateScorer(scorer.attrs["min_update"])


class TemplateKind(ScorerKind):
    """A TemplateScorer has weights of any features: only classes are counted."""

    def grow(
        self, scorer: Model, schema: Any, n_outputs: int, places: Mapping[str, Mapping[int, int]]
    ) -> Model:
        shim: Any = scorer.shims[0]
        shim.perceptron.resize(n_outputs, places["classes"])
        scorer.set_dim("nO", n_outputs, force=True)
        return scorer


def _init(model: Model, X: Any = None, Y: Any = None) -> None:
    shim: Any = model.shims[0]
    shim.perceptron = AveragedPerceptron(model.get_dim("nO"), model.attrs["min_update"])


def _forward(model: Model, X: Ints2d, is_train: bool) -> tuple["TemplateStep", Callable]:
    step = TemplateStep(model, X)
    return step, step.finish


class PerceptronShim(Shim):
    """What has Thinc save, load and copy a perceptron with its layer. It is no matter of the optimizer.

    perceptron (Optional[AveragedPerceptron]): The perceptron, once there is one.
    """

    def __init__(self, perceptron: AveragedPerceptron | None) -> None:
        super().__init__(perceptron)
        self.perceptron = perceptron

    def finish_update(self, optimizer: Any) -> None:
        pass

    def to_device(self, device_type: str, device_id: int) -> None:
        pass

    def to_bytes(self) -> bytes:
        return self.perceptron.to_bytes() if self.perceptron is not None else b""

    def from_bytes(self, data: bytes) -> "PerceptronShim":
        self.perceptron = AveragedPerceptron.from_bytes(data) if data else None
        return self


class TemplateStep(ScorerStep):
    """A TemplateScorer that has seen the tokens of a batch, and scores any number of rows.

    model (Model): The TemplateScorer.
    X (Ints2d): (n_tokens, 4): `ATTRIBUTES` of the tokens.
    """

    def __init__(self, model: Model, X: Ints2d) -> None:
        self.model: Any = model
        shim: Any = model.shims[0]
        self.perceptron: AveragedPerceptron = shim.perceptron
        tokens: Any = X.get() if hasattr(X, "get") else X
        # A last token stands for those that are missing.
        self.tokens = numpy.vstack([tokens, numpy.full((1, len(ATTRIBUTES)), _MISSING)])
        words = self.tokens[:-1, _WORD].astype("uint64")
        self.separators = Separators(self.tokens[:-1, _PUNCT] > 0, words, int(_MISSING))

    def predict(self, rows: Rows) -> Floats2d:
        """RETURNS (Floats2d): (n_rows, nO) scores, by averaged weights."""
        scores: Any = self.perceptron.scores(self.feature_ids(rows))
        return scores

    def learn(self, right: Targets, n: int) -> float:
        """Learn from rows by the perceptron rule, at the layer's `learn_rate`; no gradient is kept.

        right (Targets): The rows, the right class of each, and the classes to choose from.
        n (int): The number that the loss is divided by.
        RETURNS (float): The loss: how many of the rows would have been wrong.
        """
        assert right.mask is not None
        rate, features = self.model.attrs["learn_rate"], self.feature_ids(right.rows)
        return self.perceptron.learn(features, right.classes, right.mask, rate) / n

    def finish(self, _: Any = None) -> Ints2d:
        """RETURNS (Ints2d): Nothing that a layer below could learn from."""
        return self.model.ops.alloc2i(len(self.tokens) - 1, len(ATTRIBUTES))

    def feature_ids(self, rows: Rows) -> numpy.ndarray:
        """The features of rows. One that is made of something that is not there is left out.

        rows (Rows): The rows.
        RETURNS (ndarray[uint64]): (n, n_templates): the id of each template's feature, 0 for none.
        """
        values = numpy.zeros((len(VALUES) + 1, len(rows.tokens)), dtype="uint64")
        tokens = numpy.where(rows.tokens >= 0, rows.tokens, len(self.tokens) - 1).T
        values[_FROM_STATE] = rows.categories.T.astype("int64").view("uint64")
        values[_FROM_TOKENS] = self.tokens[tokens[_NODE], _PROPERTY[:, None]]
        word, count = self.separators.between(rows.tokens[:, _PAIR])
        values[VALUES.index(Value("", "p"))] = word
        values[VALUES.index(Value("", "q"))] = count.view("uint64")
        missing = values == _MISSING
        ids = numpy.broadcast_to(_SEEDS, (len(TEMPLATES), len(rows.tokens)))
        left_out = numpy.zeros(ids.shape, dtype="bool")
        for places in _PLACES.T:
            ids = (ids ^ values[places]) * _PRIME
            ids ^= ids >> _SHIFT
            left_out |= missing[places]
        ids = numpy.maximum(ids, numpy.uint64(1))
        ids[left_out] = NO_FEATURE
        return numpy.ascontiguousarray(ids.T)
