"""Build the Thinc models of `ucca_parser`: scorers of actions, remote edges and implicit units over one token encoder."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d, Ints2d

from .errors import Errors
from .features.element_rows import N_MARKS
from .features.state_rows import HISTORY, Schema
from .layers.element_scorer import ElementScorer, ElementTokens
from .layers.slot_scorer import SlotScorer, SlotStep
from .layers.template_scorer import TemplateScorer
from .native.columns import LABEL_BITS
from .native.elements import ACTION
from .transition import TransitionSystem
from .transitions.systems import SYSTEMS
from .transitions.tree import TreeSystem

Scorers = dict[str, SlotStep]

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
    system (str): The transition system: "tree" or "tupa", or another one in `SYSTEMS`. Those
        derived from `TreeSystem` have scorers for remote edges and implicit units too.
    hidden_width (int): Width of the hidden layers that choose actions.
    hidden_depth (int): Their number.
    pair_width (int): Width of the hidden layer that finds remote edges.
    unit_width (int): Width of the hidden layer that finds implicit units.
    backward (bool): Has to be False.
    RETURNS (Model[List[Doc], Dict[str, SlotStep]]): The model. Its output scores rows of features.
    RAISES (ValueError): If `backward` is True.
    """
    if backward:
        raise ValueError(Errors.UC327.format(name="backward"))
    actions = SlotScorer(hidden_width, hidden_depth)
    layers: dict[str, Model] = {"tok2vec": tok2vec, "actions": actions}
    if issubclass(SYSTEMS.get(system, TransitionSystem), TreeSystem):
        layers["remotes"] = SlotScorer(pair_width, 1)
        layers["implicit"] = SlotScorer(unit_width, 1)
    return _parser_model(layers, system, "slots")


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
    return _parser_model({"tok2vec": tok2vec, "actions": actions}, "tupa", "elements")


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
    return _parser_model({"tok2vec": token_attributes, "actions": actions}, "tupa", "templates")


def _parser_model(layers: dict[str, Model], system: str, rows: str) -> Model[list[Doc], Scorers]:
    """RETURNS (Model[List[Doc], Dict[str, SlotStep]]): The model of a token encoder and scorers, by their names."""
    return Model(
        "ucca_parser",
        forward,
        init=init,
        layers=list(layers.values()),
        refs=dict(layers),
        attrs={"system": system, "rows": rows},
    )


def scorer_names(model: Model) -> list[str]:
    """RETURNS (List[str]): The names of the scorers of a parser model."""
    return [name for name in ("actions", "remotes", "implicit") if name in model.ref_names]


def is_initialized(model: Model) -> bool:
    """RETURNS (bool): Whether a parser model has its weights."""
    return model.get_ref("actions").has_dim("nI") is True


def configure(model: Model, schemas: dict[str, Schema], n_outputs: dict[str, int]) -> None:
    """Set the widths of rows and outputs of a new model, before `model.initialize`.

    model (Model): From `build_ucca_model`.
    schemas (Dict[str, Schema]): The columns of the rows of each scorer.
    n_outputs (Dict[str, int]): The number of classes of each scorer.
    """
    for name in scorer_names(model):
        scorer, schema = model.get_ref(name), schemas[name]
        if scorer.name == "template_scorer":
            scorer.set_dim("nO", n_outputs[name], force=True)
            continue
        if scorer.has_param("O"):  # initialized before, perhaps for other labels
            scorer = _replace(model, name, _new(scorer))
        size_scorer(scorer, schema, n_outputs[name])


def size_scorer(scorer: Model, schema: Schema, n_outputs: int) -> None:
    """Set the widths of rows and outputs of a new SlotScorer.

    scorer (Model): The scorer.
    schema (Schema): The columns of its rows.
    n_outputs (int): The number of its classes.
    """
    for dim, size in scorer_sizes(schema, n_outputs).items():
        scorer.set_dim(dim, size)
    if schema.kinds:
        scorer.attrs["columns"] = [
            [kind, size] for kind, (_, size) in zip(schema.kinds, schema.categories)
        ]


def scorer_sizes(schema: Schema, n_outputs: int) -> dict[str, int]:
    """RETURNS (Dict[str, int]): The dimensions of a SlotScorer for rows of a schema."""
    widths = {"nF": len(schema.tokens), "nV": schema.n_values, "nB": len(schema.bits) * LABEL_BITS}
    return {"nO": n_outputs, **widths}


def model_sizes(
    model: Model, schemas: dict[str, Schema], n_outputs: dict[str, int]
) -> dict[str, dict[str, int]]:
    """RETURNS (Dict[str, Dict[str, int]]): By scorer of a parser model, the dimensions it needs for these rows and
    classes."""
    return {
        name: {"nO": n_outputs[name]}
        if model.get_ref(name).name == "template_scorer"
        else scorer_sizes(schemas[name], n_outputs[name])
        for name in scorer_names(model)
    }


def init_output_bias(scorer: Model) -> None:
    """Set the output bias of a new SlotScorer so that it predicts class 0, "no edge", which nearly all rows have."""
    output: Any = scorer.get_param("O")
    output[0, -1] = NO_EDGE_LOGIT
    scorer.set_param("O", output)


def resize_output(
    model: Model,
    old_schemas: dict[str, Schema],
    new_schemas: dict[str, Schema],
    n_outputs: dict[str, int],
    classes: dict[str, dict[int, int]],
) -> None:
    """Add outputs for new labels to a trained model and keep its weights. Its scorers are replaced by larger
    ones, so gradients and moments of the old sizes are dropped.

    model (Model): The model of the component.
    old_schemas (Dict[str, Schema]): The columns of the rows of each scorer so far.
    new_schemas (Dict[str, Schema]): The columns from now on.
    n_outputs (Dict[str, int]): The number of classes of each scorer from now on.
    classes (Dict[str, Dict[int, int]]): The new number of each class of each scorer.
    """
    scorer: Any
    actions = classes["actions"]
    for name in scorer_names(model):
        scorer, before, after = model.get_ref(name), old_schemas[name], new_schemas[name]
        if scorer.name == "template_scorer":
            scorer.shims[0].perceptron.resize(n_outputs[name], actions)
            scorer.set_dim("nO", n_outputs[name], force=True)
            continue
        values = {}
        for column, (start, end) in enumerate(zip(before.offsets, after.offsets)):
            size = before.categories[column][1]
            moves = before.categories[column][0] in HISTORY
            for value in range(size):
                moved = actions[value - 1] + 1 if moves and value else value
                values[int(start) + value] = int(end) + moved
        history = {
            value: actions[value - 1] + 1 if value else 0 for value in range(len(actions) + 1)
        }
        places = {"V": values, "O": classes[name], f"E {ACTION}": history}
        _replace(model, name, _larger(scorer, after, n_outputs[name], places))


def _replace(model: Model, name: str, scorer: Model) -> Model:
    scorer.ops = model.ops
    model.layers[model.layers.index(model.get_ref(name))] = scorer
    model.set_ref(name, scorer)
    return scorer


def _new(scorer: Model) -> Model:
    """RETURNS (Model): A scorer of the same kind and width, without sizes."""
    width, depth = scorer.get_dim("nH"), scorer.attrs["depth"]
    if scorer.name == "element_scorer":
        return ElementScorer(width, depth, scorer.attrs["widths"])
    return SlotScorer(width, depth)


def _larger(
    scorer: Model, schema: Schema, n_outputs: int, places: dict[str, dict[int, int]]
) -> Model:
    """RETURNS (Model): A copy of a scorer for other rows and classes; rows of parameters go to new places."""
    larger = _new(scorer)
    larger.ops = scorer.ops
    larger.attrs.update(scorer.attrs)
    larger.set_dim("nI", scorer.get_dim("nI"))
    size_scorer(larger, schema, n_outputs)
    larger.initialize()
    for name in scorer.param_names:
        old: Any = scorer.get_param(name)
        grown: Any = larger.get_param(name)
        for row in range(old.shape[0]):
            grown[places[name][row] if name in places else row] = old[row]
        larger.set_param(name, grown)
    return larger


def init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    if tok2vec.has_dim("nO") is None and X:
        tok2vec.set_dim("nO", tok2vec.predict(X[:1])[0].shape[1])
    for name in scorer_names(model):
        scorer = model.get_ref(name)
        scorer.set_dim("nI", tok2vec.get_dim("nO"))
        scorer.initialize()
        if name != "actions":
            init_output_bias(scorer)


def forward(model: Model, docs: list[Doc], is_train: bool) -> tuple[Scorers, Callable]:
    ops: Any = model.ops
    vectors, backprop_tok2vec = model.get_ref("tok2vec")(docs, is_train)
    lengths = [len(v) for v in vectors]
    width = model.get_ref("actions").get_dim("nI")
    X = ops.xp.concatenate(vectors) if vectors else ops.alloc2f(0, width)
    steps: Scorers = {}
    finishers = []
    for name in scorer_names(model):
        scorer = model.get_ref(name)
        inputs = _element_tokens(docs, X) if scorer.name == "element_scorer" else X
        steps[name], finish = scorer(inputs, is_train)
        finishers.append(finish)

    def backprop(_: Any = None) -> Any:
        dX = sum(finish() for finish in finishers)
        return backprop_tok2vec(ops.unflatten(dX, numpy.array(lengths, dtype="int32")))

    return steps, backprop


def _element_tokens(docs: list[Doc], vectors: Any) -> ElementTokens:
    """RETURNS (ElementTokens): The tokens of a batch, with what tells punctuation marks."""
    arrays = [doc.to_array(["IS_PUNCT", "ORTH"]).reshape((-1, 2)) for doc in docs]
    values = numpy.concatenate([numpy.zeros((0, 2), dtype="uint64"), *arrays])
    return ElementTokens(vectors, values[:, 0] > 0, values[:, 1] % N_MARKS + 1)
