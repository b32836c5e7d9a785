"""The Thinc model of the span parser: an encoder, and what scores spans, units and pairs of them by its vectors."""

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..features.state_rows import Columns, Schema
from ..features.unit_rows import PAIRS, UNITS
from ..layers.biaffine import PairScorer
from ..layers.slot_scorer import SlotScorer
from ..layers.span_scorer import SpanScorer, TreeScorer
from ..model import Scorers, build_parser_model, replace_scorer
from ..model import make_schemas as make_parser_schemas
from ..parser.settings import wrong_value
from ..transition import TransitionSystem
from .batch import n_values
from .labels import SpanLabels


def build_span_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    hidden_width: int = 250,
    label_width: int = 200,
    pair_width: int = 64,
    unit_width: int = 64,
) -> Model[list[Doc], Scorers]:
    """Build the model of `ucca_span_parser`.

    tok2vec (Model[List[Doc], List[Floats2d]]): The token encoder: any spaCy tok2vec, a listener, a transformer, or
        `spacy-ucca.Tok2Vec.v1`.
    hidden_width (int): Width of the hidden layer that scores spans.
    label_width (int): Width of the hidden layer that scores the labels of spans in a tree. 0: they are not scored
        again, and the best label of a span is that by which it was found.
    pair_width (int): Width of the vectors of units, between which remote edges are found.
    unit_width (int): Width of the hidden layer that finds implicit units.
    RETURNS (Model[List[Doc], Dict[str, Any]]): The model. It gives what scores spans, labels of spans in trees (None: those of
        spans are all), pairs of units, and implicit children of units.
    RAISES (ValueError): If `label_width` is negative.
    """
    if label_width < 0:
        raise wrong_value("label_width", label_width, "0 or more")
    scorers: dict[str, tuple[Model, Columns | None]] = {
        "spans": (SpanScorer(hidden_width), None),
        "labels": (TreeScorer(label_width, hidden_width), None),
        "pairs": (PairScorer(pair_width), PAIRS),
        "implicit": (SlotScorer(unit_width), UNITS),
    }
    return build_parser_model(tok2vec, "tree", scorers)


def make_schemas(model: Model, system: TransitionSystem, n_deps: int) -> dict[str, Schema]:
    """RETURNS (Dict[str, Schema]): The columns that each scorer of a model reads."""
    schemas = make_parser_schemas(model, system, n_deps)
    spans = Schema((), (("span", n_values(n_deps)),), ())
    return {**schemas, "remotes": schemas["pairs"], "spans": spans, "labels": spans}


def add_output(model: Model, labels: SpanLabels) -> None:
    """Give a trained model room for one more label of spans, the last one. The scorer is replaced by a larger one, so
    that gradients and moments of the old size are left behind.

    model (Model): The model.
    labels (SpanLabels): The labels from now on.
    """
    last = labels.n_classes - 1
    for name, classes in (("spans", {last: last + 1}), ("labels", {})):
        scorer, schema = model.get_ref(name), labels.schemas[name]
        larger = scorer.attrs["kind"].grow(
            scorer, schema, labels.n_outputs[name], {"classes": classes}
        )
        replace_scorer(model, name, larger)
