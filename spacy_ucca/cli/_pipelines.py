"""Load a pipeline for a command, and change its settings as options say."""

import spacy
import typer
from spacy.language import Language

from ..tokens.load import load
from ..training.pipelines import loading, require_parsers, set_beam_width


def load_pipeline(
    model: str,
    gpu_id: int = -1,
    *,
    lang: str | None = None,
    texts: bool = False,
    beam_width: int | None = None,
    guidelines: str | None = None,
    back: str | None = None,
) -> Language:
    """Load a pipeline.

    model (str): The name of an installed pipeline, or a directory.
    gpu_id (int): The GPU to use, or -1.
    lang (Optional[str]): The code of the language; None for that of the pipeline.
    texts (bool): Whether the pipeline gets texts: if it is for any language, it guesses that of each.
    beam_width, guidelines, back: See `set_beam_width`, `set_guidelines` and `set_way_back`.
    RETURNS (Language): The pipeline.
    RAISES (UccaError): If it cannot be loaded.
    """
    with loading(model):
        if gpu_id >= 0:
            spacy.require_gpu(gpu_id)
        nlp = load(model, lang=lang) if texts or lang is not None else spacy.load(model)
    set_beam_width(nlp, beam_width)
    set_guidelines(nlp, guidelines)
    set_way_back(nlp, back)
    return nlp


def set_guidelines(nlp: Language, guidelines: str | None) -> None:
    """Set the guidelines that the parsers in a pipeline follow.

    nlp (Language): The pipeline.
    guidelines (Optional[str]): Their name; None leaves them as they are.
    RAISES (BadParameter): If a parser has not learned them, or the pipeline has no parser that could.
    """
    if guidelines is None:
        return
    try:
        for parser in require_parsers(nlp):
            parser.guidelines = guidelines
    except ValueError as err:
        raise typer.BadParameter(str(err), param_hint="--guidelines") from None


def set_way_back(nlp: Language, way: str | None) -> None:
    """Set how components make graphs of dependencies or arcs.

    nlp (Language): The pipeline.
    way (Optional[str]): One of WAYS; None leaves them as they are.
    RAISES (BadParameter): If there is no such way, or no such component.
    """
    if way is None:
        return
    from ..by_conversion.components import GraphMaker
    from ..conversion.bilexical import WAYS

    makers = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, GraphMaker)]
    if way not in WAYS or not makers:
        known, pipes = ", ".join(WAYS), "ucca_from_dependencies, ucca_from_bilexical"
        raise typer.BadParameter(
            f"One of {known}, for a pipeline with one of {pipes}.", param_hint="--back"
        )
    for maker in makers:
        for name, value in WAYS[way].items():
            setattr(maker, name, value)
