"""Build the Thinc models of `ucca_parser`: scorers of actions, remote edges and implicit units over one token encoder."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d, Ints2d

from .errors import Errors
from .features.state_rows import ELEMENTS_OF_STATE, STATE, TEMPLATES, Columns, Schema
from .features.unit_rows import PAIRS, UNITS
from .layers.element_scorer import ElementScorer
from .layers.slot_scorer import ScorerStep, SlotScorer
from .layers.template_scorer import TemplateScorer
from .transition import TransitionSystem
from .transitions.systems import system_class

Scorers = dict[str, ScorerStep]

# The logit of "no edge" in an untrained scorer of remote edges or implicit units. With even odds its first graphs would
# have thousands of edges, and scoring them would take hours.
NO_EDGE_LOGIT = 5.0


def build_ucca_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    system: str = "tree",
    hidden_width: int = 192,
    hidden_depth: int = 1,
    pair_width: int = 64,
    unit_width: int = 64,
    backward: bool = False,
) -> Model[list[Doc], Scorers]:
    """Build the model of `ucca_parser`.

    tok2vec (Model[List[Doc], List[Floats2d]]): The token encoder: any spaCy tok2vec, a listener, a
        transformer, or `spacy-ucca.Tok2Vec.v1`.
    system (str): The transition system: "tree" or "tupa", or another one that is registered. Those derived from `tree` have
        scorers for remote edges and implicit units too.
    hidden_width (int): Width of the hidden layers that choose actions.
    hidden_depth (int): Their number.
    pair_width (int): Width of the hidden layer that finds remote edges.
    unit_width (int): Width of the hidden layer that finds implicit units.
    backward (bool): Has to be False.
    RETURNS (Model[List[Doc], Dict[str, ScorerStep]]): The model. Its output scores rows of features.
    RAISES (ValueError): If there is no such system, or `backward` is True.
    """
    if backward:
        raise ValueError(Errors.UC327.format(name="backward"))
    scorers = {
        "actions": (SlotScorer(hidden_width, hidden_depth), STATE),
        "remotes": (SlotScorer(pair_width, 1), PAIRS),
        "implicit": (SlotScorer(unit_width, 1), UNITS),
    }
    own = {name: scorers[name] for name in system_class(system).scorers}
    return build_parser_model(tok2vec, system, own)


def build_element_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    hidden_width: int,
    hidden_depth: int,
    widths: Mapping[str, int],
) -> Model[list[Doc], Scorers]:
    """Build the model of `ucca_parser` over the elements of the TUPA paper.

    tok2vec (Model[List[Doc], List[Floats2d]]): The token encoder; the network sees its output for the head terminal of each
        node.
    hidden_width (int): Width of the hidden layers.
    hidden_depth (int): Their number.
    widths (Mapping[str, int]): The width of the embeddings of "edge label", "punctuation", "gap" and "action".
    RETURNS (Model[List[Doc], Dict[str, ElementStep]]): The model, for the transition system "tupa".
    """
    actions = ElementScorer(hidden_width, hidden_depth, widths)
    return build_parser_model(tok2vec, "tupa", {"actions": (actions, ELEMENTS_OF_STATE)})


def build_sparse_model(
    token_attributes: Model[list[Doc], list[Ints2d]], min_update: int
) -> Model[list[Doc], Scorers]:
    """Build the model of `ucca_parser` over templates of features, without vectors.

    token_attributes (Model[List[Doc], List[Ints2d]]): Looks up the attributes of tokens that templates
        read.
    min_update (int): How many updates a feature is in before its weights count.
    RETURNS (Model[List[Doc], Dict[str, TemplateStep]]): The model, for the transition system "tupa".
    """
    actions = TemplateScorer(min_update)
    return build_parser_model(token_attributes, "tupa", {"actions": (actions, TEMPLATES)})


def build_parser_model(
    tok2vec: Model, system: str, scorers: Mapping[str, tuple[Model, Columns | None]]
) -> Model[list[Doc], Scorers]:
    """Build a model of `ucca_parser` of any scorers.

    tok2vec (Model): Its output goes to the scorers.
    system (str): The transition system.
    scorers (Mapping[str, Tuple[Model, Optional[Columns]]]): By the names of `TransitionSystem.scorers`: a scorer, such as a
        SlotScorer, and the columns of its rows, if these can be chosen.
    RETURNS (Model[List[Doc], Dict[str, ScorerStep]]): The model.
    """
    layers = {"tok2vec": tok2vec}
    for name, (scorer, columns) in scorers.items():
        if columns is not None:
            set_columns(scorer, columns, columns.first)
        layers[name] = scorer
    return Model(
        "ucca_parser",
        forward,
        init=init,
        layers=list(layers.values()),
        refs=dict(layers),
        attrs={"system": system},
    )


def set_columns(scorer: Model, columns: Columns, names: Sequence[str]) -> None:
    """Say what a scorer reads; the names are saved with it.

    scorer (Model): The scorer.
    columns (Columns): The columns of its rows.
    names (Sequence[str]): Their names. In a model that is loaded, its file says them, or is of spacy-ucca 0.2.
    """
    scorer.attrs["columns of rows"], scorer.attrs["reads"] = columns, [*names]


def find_scorers(model: Model) -> dict[str, Model]:
    """RETURNS (Dict[str, Model]): The scorers of a parser model, by name."""
    return {name: model.get_ref(name) for name in model.ref_names if name != "tok2vec"}


def read_new_columns(model: Model) -> None:
    """Have the rows of a model the columns of new models, before it is initialized.

    model (Model): From `build_parser_model`.
    """
    for scorer in map(model.get_ref, model.ref_names):
        if columns := scorer.attrs.get("columns of rows"):
            set_columns(scorer, columns, columns.new)


def make_schemas(model: Model, system: TransitionSystem, n_deps: int) -> dict[str, Schema]:
    """Make the schemas of the rows of all scorers.

    model (Model): From `build_parser_model`. A model with weights has the columns that it was trained with.
    system (TransitionSystem): The system.
    n_deps (int): The number of dependency labels, 0 included.
    RETURNS (Dict[str, Schema]): The columns of each scorer that has such.
    RAISES (VersionError): If there is no such column in this version.
    """
    return {
        name: scorer.attrs["columns of rows"].schema(system, n_deps, scorer.attrs["reads"])
        for name, scorer in find_scorers(model).items()
        if "reads" in scorer.attrs
    }


def configure(model: Model, schemas: Mapping[str, Schema], n_outputs: Mapping[str, int]) -> None:
    """Set the widths of rows and outputs of a new model, before `model.initialize`. Weights it had before go.

    model (Model): From `build_ucca_model`.
    schemas (Mapping[str, Schema]): The columns of the rows of each scorer.
    n_outputs (Mapping[str, int]): The number of classes of each scorer.
    """
    for name, scorer in find_scorers(model).items():
        kind = scorer.attrs["kind"]
        if scorer.has_dim("nO"):
            old, scorer = scorer, kind.build(scorer)
            kept = old.attrs.keys() & {"columns of rows", "reads"}
            scorer.attrs.update({key: old.attrs[key] for key in kept})
            replace_scorer(model, name, scorer)
        kind.set_sizes(scorer, schemas[name], n_outputs[name])


def model_sizes(
    model: Model, schemas: Mapping[str, Schema], n_outputs: Mapping[str, int]
) -> dict[str, dict[str, int]]:
    """RETURNS (Dict[str, Dict[str, int]]): By scorer of a parser model, the dimensions it needs for these rows and
    classes."""
    return {
        name: scorer.attrs["kind"].sizes(schemas[name], n_outputs[name])
        for name, scorer in find_scorers(model).items()
    }


def init_output_bias(scorer: Model) -> None:
    """Set the output bias of a new SlotScorer so that it predicts class 0, "no edge", which nearly all rows have."""
    output: Any = scorer.get_param("O")
    output[0, -1] = NO_EDGE_LOGIT
    scorer.set_param("O", output)


def resize_output(
    model: Model,
    old_schemas: Mapping[str, Schema],
    new_schemas: Mapping[str, Schema],
    n_outputs: Mapping[str, int],
    classes: Mapping[str, Mapping[int, int]],
) -> None:
    """Add outputs for new labels to a trained model and keep its weights. Its scorers are replaced by larger
    ones, so gradients and moments of the old sizes are dropped.

    model (Model): The model of the component.
    old_schemas (Mapping[str, Schema]): The columns of the rows of each scorer so far.
    new_schemas (Mapping[str, Schema]): The columns from now on.
    n_outputs (Mapping[str, int]): The number of classes of each scorer from now on.
    classes (Mapping[str, Mapping[int, int]]): The new number of each class of each scorer.
    """
    actions = classes["actions"]
    for name, scorer in find_scorers(model).items():
        before, after = old_schemas[name], new_schemas[name]
        values = before.values_in(after, actions)
        places = {"values": values, "classes": classes[name], "actions": actions}
        larger = scorer.attrs["kind"].grow(scorer, after, n_outputs[name], places)
        replace_scorer(model, name, larger)


def replace_scorer(model: Model, name: str, scorer: Model) -> None:
    """Put another scorer in the place of one of a model.

    model (Model): The model.
    name (str): The name of the scorer.
    scorer (Model): The new one.
    """
    for node in scorer.walk():
        node.ops = model.ops
    model.layers[model.layers.index(model.get_ref(name))] = scorer
    model.set_ref(name, scorer)


def init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    if tok2vec.has_dim("nO") is None and X:
        tok2vec.set_dim("nO", tok2vec.predict(X[:1])[0].shape[1])
    for name, scorer in find_scorers(model).items():
        if scorer.has_dim("nI") is None:
            scorer.set_dim("nI", tok2vec.get_dim("nO"))
        scorer.initialize()
        if name in ("remotes", "implicit"):
            init_output_bias(scorer)


def forward(model: Model, docs: list[Doc], is_train: bool) -> tuple[Scorers, Callable]:
    ops: Any = model.ops
    vectors, backprop_tok2vec = model.get_ref("tok2vec")(docs, is_train)
    lengths = list(map(len, vectors))
    scorers = find_scorers(model)
    width = next(iter(scorers.values())).get_dim("nI")
    X = ops.xp.concatenate(vectors) if vectors else ops.alloc2f(0, width)
    steps: Scorers = {}
    finishers = []
    for name, scorer in scorers.items():
        steps[name], finish = scorer.attrs["kind"].begin(scorer, docs, X, is_train)
        finishers.append(finish)

    def backprop(_: Any = None) -> Any:
        dX = sum(finish() for finish in finishers)
        return backprop_tok2vec(ops.unflatten(dX, numpy.array(lengths, dtype="int32")))

    return steps, backprop
