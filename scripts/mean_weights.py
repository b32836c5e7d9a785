"""The mean of the weights of several pipelines' parsers, which were trained further from the same one.

    python scripts/mean_weights.py OUTPUT PIPELINE PIPELINE ...

Such weights lie in one valley, whose middle has something of what each side is best at and costs nothing in parsing (Wortsman
et al., 2022, "Model soups"); those that began from different random numbers have no mean. All but the weights of `ucca_parser` is that of
the first PIPELINE. Scores of edges are to be calibrated again.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language

NAME = "ucca_parser"


def parameters(nlp: Language, path: Path) -> list[tuple[Any, str]]:
    """RETURNS (List[Tuple[Model, str]]): All parameters of the parser: layers, and names in them."""
    if NAME not in nlp.pipe_names:
        raise SystemExit(f"{path} has no component {NAME!r}, but {', '.join(nlp.pipe_names)}.")
    layers: Any = nlp.get_pipe(NAME).model.walk()  # type: ignore[attr-defined]
    return [
        (layer, name) for layer in layers for name in layer.param_names if layer.has_param(name)
    ]


def mean_weights(output: Path, pipelines: Sequence[Path]) -> None:
    """Write a pipeline with the mean of the weights.

    output (Path): The directory of the new pipeline.
    pipelines (Sequence[Path]): The pipelines.
    """
    loaded = [spacy.load(path) for path in pipelines]
    found = [parameters(nlp, path) for nlp, path in zip(loaded, pipelines)]
    kinds = [shape_of(nlp, own) for nlp, own in zip(loaded, found)]
    for path, kind in zip(pipelines, kinds):
        if kind != kinds[0]:
            raise SystemExit(
                f"{path}: its {NAME} is not like that of {pipelines[0]}. Only weights that were trained further from the "
                "same ones have a mean."
            )
    for places in zip(*found):
        layer, name = places[0]
        total = sum(other.get_param(name).astype("float64") for other, _ in places)
        layer.set_param(name, (total / len(places)).astype("float32"))
    loaded[0].to_disk(output)


def shape_of(nlp: Language, found: Sequence[tuple[Any, str]]) -> Any:
    """RETURNS (Any): What has to be the same: labels, and names and shapes of parameters."""
    labels = nlp.get_pipe(NAME).labels  # type: ignore[attr-defined]
    return labels, [(layer.name, name, layer.get_param(name).shape) for layer, name in found]


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    mean_weights(Path(sys.argv[1]), [Path(path) for path in sys.argv[2:]])
    print(f"{sys.argv[1]}: the mean of {len(sys.argv) - 2}.")
