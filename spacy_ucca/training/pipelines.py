"""Whole pipelines, as this package takes them from its users: loaded by name, the parsers in them, and what these
get their vectors from.
"""

import configparser
from collections.abc import Iterable
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ..component import UccaParser
from ..errors import Errors, UccaError
from ..span_parser.component import UccaSpanParser

__all__ = ["load_pipeline", "run_upstream", "set_beam_width", "trained_parsers", "upstream_of"]


def load_pipeline(model: str, gpu_id: int = -1) -> Language:
    """Load a pipeline.

    model (str): The name of an installed one, or a directory.
    gpu_id (int): The GPU to use, or -1.
    RETURNS (Language): The pipeline.
    RAISES (UccaError): If it cannot be loaded.
    """
    try:
        if gpu_id >= 0:
            spacy.require_gpu(gpu_id)
        return spacy.load(model)
    except (OSError, ValueError, ImportError, KeyError, configparser.Error) as err:
        reason = " ".join(str(err).split())
        raise UccaError(Errors.UC508.format(model=model, reason=reason)) from None


def trained_parsers(nlp: Language) -> list[UccaParser | UccaSpanParser]:
    """RETURNS (List[Union[UccaParser, UccaSpanParser]]): The parsers of a pipeline, of either kind, that are not
    disabled."""
    return [pipe for _, pipe in nlp.pipeline if isinstance(pipe, UccaParser | UccaSpanParser)]


def set_beam_width(nlp: Language, width: int | None) -> None:
    """Say how many parses of a sentence the parsers of a pipeline follow. A pipeline that is saved keeps it.

    nlp (Language): The pipeline.
    width (Optional[int]): How many; None leaves it as it is.
    """
    if width is None:
        return
    for name, parser in nlp.pipeline:
        if isinstance(parser, UccaParser):
            nlp.get_pipe_config(name)["beam_width"] = width
            parser.beam_width = width


def upstream_of(nlp: Language, name: str) -> list[Any]:
    """Find where a component gets its vectors from.

    nlp (Language): The pipeline.
    name (str): The component.
    RETURNS (List[Pipe]): The components that it listens to (a tok2vec, a transformer), in their order.
    """
    return [pipe for _, pipe in nlp.pipeline if name in getattr(pipe, "listening_components", ())]


def run_upstream(components: Iterable[Any], docs: list[Doc]) -> None:
    """Have a parser's vectors made. They and what comes with them are written to the Docs, as always.

    components (Iterable[Pipe]): From `upstream_of`.
    docs (List[Doc]): The batch.
    """
    for component in components:
        # Not `predict`: `pipe` of a transformer takes sentences of one length together, the others their padding.
        for _ in component.pipe(docs, batch_size=len(docs)):
            pass
