"""The parser of a pipeline, with static word vectors as one more thing that it reads, to be trained further.

    python scripts/add_vectors.py OUTPUT PIPELINE VECTORS

What the parser has learned stays: weights of what is new begin at zero, so that it parses nearly as before (its input is
normalized with the vectors in it, hence not quite). VECTORS is a directory that `spacy-ucca vectors` or `spacy init vectors`
wrote. Scores of edges are to be calibrated again.
"""

import sys
from pathlib import Path
from typing import Any

import numpy
import spacy
from mean_weights import NAME, parameters
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.initialize import load_vectors_into_model
from thinc.api import fix_random_seed

VECTOR_WIDTH = 128  # that of `configs/vectors.cfg`
LAYER = "static_vectors"


def add_vectors(output: Path, pipeline: Path, vectors: Path) -> None:
    """Write a pipeline whose parser reads vectors.

    output (Path): The directory of the new pipeline.
    pipeline (Path): The pipeline.
    vectors (Path): The vectors.
    """
    old = spacy.load(pipeline)
    weights = parameters(old, pipeline)
    if any(layer.name == LAYER for layer, _ in weights):
        raise SystemExit(f"{pipeline}: its {NAME} has static vectors already.")
    config = {k: v for k, v in old.get_pipe_config(NAME).items() if k != "factory"}
    embed = config["model"]["tok2vec"].get("embed")
    if not embed or "include_static_vectors" not in embed:
        raise SystemExit(f"{pipeline}: the tok2vec of its {NAME} is not spacy-ucca.Tok2Vec.v1.")
    embed.update(include_static_vectors=True, vector_width=VECTOR_WIDTH)
    new = spacy.load(pipeline, exclude=[NAME])
    load_vectors_into_model(new, vectors)
    following = old.pipe_names[old.pipe_names.index(NAME) + 1 :]
    fix_random_seed(0)
    parser: Any = new.add_pipe(NAME, config=config, before=following[0] if following else None)
    _initialize(new, parser, old.get_pipe(NAME))
    found = [(layer, name) for layer, name in parameters(new, output) if layer.name != LAYER]
    for (layer, name), (grown, _) in zip(weights, found, strict=True):
        grown.set_param(name, _widened(layer.get_param(name), grown.get_param(name), name))
    new.to_disk(output)


def _initialize(nlp: Language, parser: Any, trained: Any) -> None:
    """Give a parser the labels of another, and weights."""
    doc = Doc(nlp.vocab, words=["words"])
    parser.initialize(lambda: [Example(doc, doc)], nlp=nlp, labels=trained.label_data)


def _widened(weights: numpy.ndarray, wider: numpy.ndarray, name: str) -> numpy.ndarray:
    """RETURNS (ndarray): Weights, with zeros for the columns that are new; with ones where all columns are scaled."""
    result = numpy.full_like(wider, float(name == "G"))
    result[..., : weights.shape[-1]] = weights
    return result


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    add_vectors(*map(Path, sys.argv[1:]))
    print(f"{sys.argv[1]}: {sys.argv[2]} with the vectors of {sys.argv[3]}.")
