"""Make the parser of a pipeline narrower, to train it on: keep the units that say most about the others, and let them do the
work of those that go.

    python scripts/narrow.py PIPELINE OUTPUT DATA.spacy... --lstm 96 --hidden 96 --pair 32 --unit 32

Widths are those of `spacy-ucca.UccaModel.v1` with one BiLSTM: `encode.width`, `hidden_width`, `pair_width`, `unit_width`.
Units that go are predicted from those that stay, by least squares over the data; what read them reads the prediction.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy
import spacy
import typer
from spacy.tokens import Doc
from spacy.util import minibatch
from thinc.api import Config, Model

from spacy_ucca.component import UccaParser
from spacy_ucca.layers.slot_scorer import SlotStep
from spacy_ucca.model import configure
from spacy_ucca.training.corpus import read_docbin

N_DOCS = 1500  # of each file
N_ROWS = 30_000  # of activations
PENALTY = 1e-6  # of least squares, beside the mean square of a unit
LIKELY = 0.02  # pairs that probably have a remote edge all count: of the others there are too many

app = typer.Typer(add_completion=False)


def keep_units(values: numpy.ndarray, importance: numpy.ndarray, n_kept: int) -> numpy.ndarray:
    """Choose units one by one: each explains most of what those before it leave of all.

    values (ndarray): (n_rows, n_units) activations.
    importance (ndarray): (n_units,) how much is made of each.
    n_kept (int): How many to keep.
    RETURNS (ndarray[int]): (n_kept,) the units, in order.
    """
    centred = (values - values.mean(axis=0)) * importance
    left = centred.T @ centred
    kept: list[int] = []
    for _ in range(n_kept):
        own = numpy.maximum(numpy.diag(left), 1e-9)
        explained = (left**2).sum(axis=0) / own
        explained[kept] = -1
        best = int(explained.argmax())
        kept.append(best)
        left = left - numpy.outer(left[:, best], left[best]) / own[best]
    return numpy.sort(kept)


def predict_units(values: numpy.ndarray, units: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray): (n_kept + 1, n_units) weights that make all units of those that stay and of 1."""
    inputs = numpy.hstack([values[:, units], numpy.ones((len(values), 1))])
    squares = inputs.T @ inputs
    penalty = PENALTY * numpy.trace(squares) / len(squares)
    weights = numpy.linalg.solve(squares + penalty * numpy.eye(len(squares)), inputs.T @ values)
    weights[:, units] = numpy.eye(len(squares))[:, : len(units)]
    return weights


@contextmanager
def recorded() -> Iterator[dict[int, list[numpy.ndarray]]]:
    """YIELDS (Dict[int, List[ndarray]]): By the id of each scorer, what its hidden layer gives while Docs are parsed."""
    found: dict[int, list[numpy.ndarray]] = {}
    score = SlotStep._scores

    def record(step: SlotStep, hidden: Any) -> Any:
        values = numpy.maximum(hidden, 0)
        scores = score(step, hidden)
        odds = numpy.exp(scores[:, 1:] - scores[:, :1]).sum(axis=1)
        take = odds > LIKELY if step.n_slots == 5 else numpy.zeros(len(values), dtype="bool")
        take[:: max(len(values) // 200, 1)] = True
        found.setdefault(id(step.model), []).append(values[take])
        return scores

    SlotStep._scores = record  # type: ignore[method-assign,assignment]
    try:
        yield found
    finally:
        SlotStep._scores = score  # type: ignore[method-assign]


def narrow_scorer(
    scorer: Model, kept: numpy.ndarray, hidden: numpy.ndarray, inputs: numpy.ndarray
) -> dict[str, numpy.ndarray]:
    """Make the parameters of a narrower SlotScorer.

    scorer (Model): A SlotScorer of one hidden layer.
    kept (ndarray[int]): (n_kept,) the hidden units that stay.
    hidden (ndarray): (n_kept + 1, nH) what makes all of them, from `predict_units`.
    inputs (ndarray): (n_kept_inputs + 1, nI) the same of its inputs.
    RETURNS (Dict[str, ndarray]): The parameters by name.
    """
    params: dict[str, Any] = {name: scorer.get_param(name) for name in scorer.param_names}
    n_slots, width = scorer.get_dim("nF"), scorer.get_dim("nH")
    table = params["T"].reshape((n_slots, width, -1))[:, kept]
    constant = table @ inputs[-1]  # of each slot that has a token
    output = params["O"]
    return {
        "T": (table @ inputs[:-1].T).reshape((n_slots * len(kept), -1)),
        "pad": params["pad"][:, kept] - constant,
        "V": params["V"][:, kept],
        "B": params["B"][:, kept],
        "b0": params["b0"][kept] + constant.sum(axis=0),
        "O": numpy.hstack(
            [output[:, :-1] @ hidden[:-1].T, output[:, -1:] + output[:, :-1] @ hidden[-1][:, None]]
        ),
    }


def narrow_lstm(
    lstm: Model, kept: list[numpy.ndarray], hidden: list[numpy.ndarray]
) -> dict[str, numpy.ndarray]:
    """RETURNS (Dict[str, ndarray]): The parameters of a narrower BiLSTM, given what stays in each direction."""
    found: dict[str, list[numpy.ndarray]] = {"Wx": [], "Wh": [], "b": []}
    for d, (units, weights) in enumerate(zip(kept, hidden)):
        Wx, Wh, b = (numpy.asarray(lstm.get_param(name))[d] for name in found)
        gates = numpy.concatenate([gate * Wh.shape[1] + units for gate in range(4)])
        found["Wx"].append(Wx[gates])
        found["Wh"].append(Wh[gates] @ weights[:-1].T)
        found["b"].append(b[gates] + Wh[gates] @ weights[-1])
    return {name: numpy.stack(parts) for name, parts in found.items()}


def find(model: Model, name: str) -> Model:
    return next(node for node in model.walk() if node.name == name)


def set_params(model: Model, params: dict[str, numpy.ndarray]) -> None:
    for name, value in params.items():
        model.set_param(name, numpy.ascontiguousarray(value, dtype="float32"))


def narrow(
    parser: UccaParser, narrower: UccaParser, docs: list[Doc], widths: dict[str, int]
) -> None:
    """Set the weights of a narrower parser.

    parser (UccaParser): The trained parser.
    narrower (UccaParser): A new one of the same vocabulary.
    docs (List[Doc]): Texts with what the parser reads.
    widths (Dict[str, int]): The widths of the narrower one, by the name of what has them.
    """
    rng = numpy.random.default_rng(0)

    def sample(parts: list[numpy.ndarray]) -> numpy.ndarray:
        values = numpy.concatenate(parts).astype("float64")
        return values[rng.permutation(len(values))[:N_ROWS]]

    scorers = {name: parser.model.get_ref(name) for name in ("actions", "remotes", "implicit")}
    encoder = parser.model.get_ref("tok2vec")
    parts: list[numpy.ndarray] = []
    with recorded() as found:
        for batch in minibatch(docs, 256):
            parser.beam_parse(batch)  # greedy search is compiled: it records nothing
            parts += encoder.predict(batch)
    vectors = sample(parts)
    read = numpy.linalg.norm(
        numpy.vstack([scorers[name].get_param("T") for name in scorers]), axis=0
    )
    half = vectors.shape[1] // 2
    sides = [slice(half), slice(half, None)]
    kept = [keep_units(vectors[:, side], read[side], widths["lstm"] // 2) for side in sides]
    hidden = [predict_units(vectors[:, side], units) for side, units in zip(sides, kept)]
    inputs = predict_units(vectors, numpy.concatenate([kept[0], half + kept[1]]))
    narrower.cfg.update({key: value for key, value in parser.cfg.items() if key != "calibration"})
    narrower._inventory = None
    configure(narrower.model, parser.inventory.schemas, parser.inventory.n_outputs)
    narrower.model.initialize(X=docs[:1])
    for old, new in zip(encoder.walk(), narrower.model.get_ref("tok2vec").walk()):
        if old.name != "bilstm":
            set_params(new, {name: old.get_param(name) for name in old.param_names})
    set_params(find(narrower.model, "bilstm"), narrow_lstm(find(encoder, "bilstm"), kept, hidden))
    for name, scorer in scorers.items():
        # Where texts and labels ask nothing of a scorer
        none = numpy.zeros((1, scorer.get_dim("nH")))
        values = sample(found.get(id(scorer), [none]))
        importance = numpy.linalg.norm(scorer.get_param("O")[:, :-1], axis=0)
        units = keep_units(values, importance, widths[name])
        params = narrow_scorer(scorer, units, predict_units(values, units), inputs)
        set_params(narrower.model.get_ref(name), params)


@app.command()
def main(
    pipeline: str = typer.Argument(..., help="Pipeline with ucca_parser"),
    output: Path = typer.Argument(..., help="Directory to write to"),
    data: list[Path] = typer.Argument(..., help=".spacy files with tags and dependencies"),
    lstm: int = typer.Option(96, help="Width of the BiLSTM"),
    hidden: int = typer.Option(96, help="Width of the layer that chooses actions"),
    pair: int = typer.Option(32, help="Width of the layer that finds remote edges"),
    unit: int = typer.Option(32, help="Width of the layer that finds implicit units"),
) -> None:
    nlp = spacy.load(pipeline)
    docs = []
    for file in data:
        of_file = list(read_docbin(file, nlp.vocab))
        docs += of_file[:: max(len(of_file) // N_DOCS, 1)]
    parser = nlp.get_pipe("ucca_parser")
    config = Config(nlp.get_pipe_config("ucca_parser")).copy()
    del config["factory"]
    config["model"].update(hidden_width=hidden, pair_width=pair, unit_width=unit)
    config["model"]["tok2vec"]["encode"]["width"] = lstm
    place = nlp.pipe_names.index("ucca_parser")
    nlp.remove_pipe("ucca_parser")
    before = nlp.pipe_names[place] if place < len(nlp.pipe_names) else None
    narrower = nlp.add_pipe("ucca_parser", config=config, before=before)
    widths = {"lstm": lstm, "actions": hidden, "remotes": pair, "implicit": unit}
    parser.beam_width = 2
    narrow(parser, narrower, docs, widths)
    nlp.to_disk(output)


if __name__ == "__main__":
    app()
