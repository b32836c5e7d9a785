"""The Thinc model of the span parser: an encoder, and what scores spans, units and pairs of them by its vectors."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..errors import Errors
from ..features.state_rows import Schema
from ..features.unit_rows import PAIRS, UNITS, pair_parts
from ..layers.biaffine import PairScorer, PairStep
from ..layers.slot_scorer import SlotScorer, SlotStep
from ..layers.span_scorer import SpanScorer, SpanStep, TreeScorer
from ..model import init_output_bias, replace_scorer, set_columns
from ..native.columns import LABEL_BITS
from ..transition import TransitionSystem
from .batch import n_values
from .labels import SpanLabels

SCORERS = ("spans", "labels", "pairs", "implicit")
READERS = {"remotes": ("pairs", PAIRS), "implicit": ("implicit", UNITS)}
N_SPLIT = 1  # one more output than labels: the score of a span as a part of a split


class SpanScorers(NamedTuple):
    """The scorers of a batch, over the vectors of its tokens.

    spans (SpanStep): Scores spans.
    labels (Optional[Callable]): Scores labels of spans in trees: takes their vectors and relatives, returns scores and
        the callback for their gradient. None: the scores of `spans` are all.
    pairs (PairStep): Scores pairs of units.
    implicit (SlotStep): Scores the implicit children of units.
    """

    spans: SpanStep
    labels: Callable | None
    pairs: PairStep
    implicit: SlotStep


def build_span_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    hidden_width: int = 250,
    label_width: int = 200,
    pair_width: int = 64,
    unit_width: int = 64,
) -> Model[list[Doc], SpanScorers]:
    """Build the model of `ucca_span_parser`.

    tok2vec (Model[List[Doc], List[Floats2d]]): The token encoder: any spaCy tok2vec, a listener, a transformer, or
        `spacy-ucca.Tok2Vec.v1`.
    hidden_width (int): Width of the hidden layer that scores spans.
    label_width (int): Width of the hidden layer that scores the labels of spans in a tree. 0: they are not scored
        again, and the best label of a span is that by which it was found.
    pair_width (int): Width of the vectors of units, between which remote edges are found.
    unit_width (int): Width of the hidden layer that finds implicit units.
    RETURNS (Model[List[Doc], SpanScorers]): The model.
    RAISES (ValueError): If `label_width` is negative.
    """
    if label_width < 0:
        raise ValueError(Errors.UC845.format(width=label_width))
    layers: dict[str, Model] = {
        "tok2vec": tok2vec,
        "spans": SpanScorer(hidden_width),
        "labels": TreeScorer(label_width),
        "pairs": PairScorer(pair_width),
        "implicit": SlotScorer(unit_width),
    }
    for name, columns in READERS.values():
        set_columns(layers[name], columns, columns.first)
    return Model("span_parser", forward, init=init, layers=list(layers.values()), refs=dict(layers))


def make_schemas(model: Model, system: TransitionSystem, n_deps: int) -> dict[str, Schema]:
    """RETURNS (Dict[str, Schema]): The columns that a model reads of pairs of units and of units."""
    return {
        kind: columns.schema(system, n_deps, model.get_ref(name).attrs["reads"])
        for kind, (name, columns) in READERS.items()
    }


def configure(model: Model, labels: SpanLabels) -> None:
    """Tell a model how many labels there are, before `model.initialize`. Weights it had before go.

    model (Model): From `build_span_model`.
    labels (SpanLabels): The labels.
    """
    for name in SCORERS:
        if model.get_ref(name).has_dim("nO") is True:
            replace_scorer(model, name, _new(model.get_ref(name)))
    for name, dims in model_sizes(model, labels).items():
        for dim, size in dims.items():
            model.get_ref(name).set_dim(dim, size)
    schema = labels.units.schemas["remotes"]
    for name, part in zip(("parents", "children"), pair_parts(schema)):
        tokens, _, bits = part.places
        scorer = model.get_ref("pairs").get_ref(name)
        scorer.set_dim("nF", len(tokens))
        scorer.set_dim("nV", schema.n_values)
        scorer.set_dim("nB", len(bits) * LABEL_BITS)


def model_sizes(model: Model, labels: SpanLabels) -> dict[str, dict[str, int]]:
    """RETURNS (Dict[str, Dict[str, int]]): By scorer of a span model, the dimensions it needs for labels."""
    schemas, n_outputs = labels.units.schemas, labels.units.n_outputs
    return {
        "spans": {"nO": labels.n_classes + N_SPLIT, "nV": n_values(labels.n_deps)},
        "labels": {"nO": labels.n_classes},
        "pairs": {"nO": n_outputs["remotes"], "nV": schemas["remotes"].n_values},
        "implicit": model.get_ref("implicit")
        .attrs["kind"]
        .sizes(schemas["implicit"], n_outputs["implicit"]),
    }


def add_output(model: Model, n_classes: int) -> None:
    """Give a trained model room for one more label of spans, the last one. The scorer is replaced by a larger one, so
    that gradients and moments of the old size are left behind.

    model (Model): The model.
    n_classes (int): The number of classes from now on.
    """
    for name, n_last in (("spans", N_SPLIT), ("labels", 0)):
        old = model.get_ref(name)
        larger = _new(old)
        larger.set_dim("nO", n_classes + n_last)
        if name == "spans":
            larger.set_dim("nV", old.get_dim("nV"))
        places = {"classes": {n_classes - 1: n_classes} if n_last else {}}
        replace_scorer(model, name, old.attrs["kind"].copy_weights(old, larger, places))


def _new(old: Model) -> Model:
    """RETURNS (Model): A scorer like another one, without its weights and sizes."""
    new = old.attrs["kind"].build(old)
    new.attrs.update(old.attrs)
    return new


def init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    if tok2vec.has_dim("nO") is None and X:
        tok2vec.set_dim("nO", tok2vec.predict(X[:1])[0].shape[1])
    widths = {"labels": model.get_ref("spans").get_dim("nH")}
    for name in SCORERS:
        scorer = model.get_ref(name)
        scorer.set_dim("nI", widths.get(name, tok2vec.get_dim("nO")))
        scorer.initialize()
    init_output_bias(model.get_ref("implicit"))


def forward(model: Model, docs: list[Doc], is_train: bool) -> tuple[SpanScorers, Callable]:
    ops: Any = model.ops
    vectors, backprop_tok2vec = model.get_ref("tok2vec")(docs, is_train)
    lengths = [len(v) for v in vectors]
    width = model.get_ref("spans").get_dim("nI")
    X = ops.xp.concatenate(vectors) if vectors else ops.alloc2f(0, width)
    spans, finish_spans = model.get_ref("spans")(X, is_train)
    pairs, finish_pairs = model.get_ref("pairs")(X, is_train)
    implicit, finish_implicit = model.get_ref("implicit")(X, is_train)
    in_trees = model.get_ref("labels")
    labels = partial(in_trees, is_train=is_train) if in_trees.get_dim("nH") else None

    def backprop(_: Any = None) -> Any:
        dX = finish_spans() + finish_pairs() + finish_implicit()
        return backprop_tok2vec(ops.unflatten(dX, numpy.array(lengths, dtype="int32")))

    return SpanScorers(spans, labels, pairs, implicit), backprop
