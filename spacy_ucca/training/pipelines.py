"""Select components of a pipeline by what they do: set graphs, or learn to. Import the code that a pipeline needs."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING

from spacy.language import Language
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc
from spacy.util import import_file

from ..component import UccaParser
from ..errors import Errors, LanguageError, UccaError, VersionError
from ..graph import Graph
from ..parser.decode import best_combinations
from ..parser.graph_parser import GraphParser

if TYPE_CHECKING:
    from spacy.language import DisabledPipes

CODE = "SPACY_UCCA_CODE"  # the variable that tells processes which code their parent has imported
_imported: set[str] = set()

UCCA, SDP = "doc._.ucca", "doc._.sdp"
DEPENDENCIES = "token.dep"


def names_assigning(nlp: Language, attribute: str) -> list[str]:
    """Find components by what their factories say they assign.

    nlp (Language): The pipeline.
    attribute (str): The attribute, such as "doc._.ucca".
    RETURNS (List[str]): The names of the components that are not disabled, in order.
    """
    return [name for name in nlp.pipe_names if attribute in nlp.get_pipe_meta(name).assigns]


def trained_parsers(nlp: Language) -> list[GraphParser]:
    """RETURNS (List[GraphParser]): The trainable UCCA parsers of a pipeline that are not disabled."""
    return [pipe for _, pipe in nlp.pipeline if isinstance(pipe, GraphParser)]


def require_parsers(nlp: Language) -> list[GraphParser]:
    """RETURNS (List[GraphParser]): The same parsers.
    RAISES (UccaError): If there is none."""
    if parsers := trained_parsers(nlp):
        return parsers
    raise UccaError(Errors.UC332.format(model=nlp.meta.get("name", "")))


def beam_parsers(nlp: Language) -> list[UccaParser]:
    """RETURNS (List[UccaParser]): The parsers of a pipeline that can parse by beam search: each `ucca_parser`."""
    return [pipe for _, pipe in nlp.pipeline if isinstance(pipe, UccaParser)]


def beam_parser(nlp: Language, model: str = "") -> UccaParser:
    """RETURNS (UccaParser): The first of these parsers.
    RAISES (UccaError): If there is none. The message names the model, or else the pipeline."""
    if parsers := beam_parsers(nlp):
        return parsers[0]
    raise UccaError(Errors.UC334.format(model=model or nlp.meta.get("name", "")))


def set_beam_width(nlp: Language, width: int | None) -> None:
    """Set the beam width of the parsers in a pipeline.

    nlp (Language): The pipeline.
    width (Optional[int]): The beam width; None leaves it as it is.
    """
    for parser in beam_parsers(nlp) if width is not None else ():
        parser.beam_width = width


def parse_best(
    parser: UccaParser, docs: list[Doc], n: int, check: Callable[[], None] = lambda: None
) -> list[tuple[float, list[Graph]]]:
    """Parse the Docs of one text by beam search.

    parser (UccaParser): The parser.
    docs (List[Doc]): The Docs, which its pipeline has parsed.
    n (int): How many graphs to find.
    check (Callable): Called after each Doc; what it raises ends the work.
    RETURNS (List[Tuple[float, List[Graph]]]): The most probable combinations of their graphs, with their probabilities.
    """
    beams = []
    for doc in docs:
        beams += parser.beam_parse([doc], n)
        check()
    log_probs = [[log(max(p, 1e-300)) for p, _ in beam] for beam in beams]
    return [
        (exp(total), [beam[k][1] for beam, k in zip(beams, chosen)])
        for total, chosen in best_combinations(log_probs, n)
    ]


def without_ucca(nlp: Language) -> "DisabledPipes":
    """Disable what sets UCCA graphs or bilexical graphs, the parsers whose trees are turned into UCCA graphs (their
    dependencies are UCCA categories), and attribute rulers after these, which change tags that a parser has seen.

    nlp (Language): The pipeline.
    RETURNS (DisabledPipes): A context in which the pipeline predicts tags and dependencies alone.
    """
    from ..by_conversion.components import UccaFromDependencies

    disabled = [*names_assigning(nlp, UCCA), *names_assigning(nlp, SDP)]
    parsers = names_assigning(nlp, DEPENDENCIES)
    for i, (name, pipe) in enumerate(nlp.pipeline):
        if isinstance(pipe, UccaFromDependencies):
            disabled += [n for n in nlp.pipe_names[:i] if n in parsers][-1:]
        if isinstance(pipe, AttributeRuler) and any(n in disabled for n in nlp.pipe_names[:i]):
            disabled.append(name)
    return nlp.select_pipes(disable=disabled)


@contextmanager
def loading(model: str) -> Iterator[None]:
    """Load a pipeline, after the code that it needs. Errors name it.

    model (str): Its name or directory.
    RAISES (UccaError): If it cannot be loaded.
    """
    import_code()  # of the command that started this process
    try:
        yield
    except (LanguageError, VersionError):
        raise
    except Exception as err:  # whatever the libraries raise that read a damaged file
        reason = " ".join(str(err).split())
        if not isinstance(err, (OSError, ValueError, ImportError)):
            reason = f"{type(err).__name__}: {reason}"
        raise UccaError(Errors.UC508.format(model=model, reason=reason)) from None


def import_code(path: Path | None = None) -> None:
    """Import a Python file, which may register functions that a pipeline needs, once a process.

    path (Optional[Path]): The file; None for that which the process that started this one has imported.
    RAISES (UccaError): If it cannot be imported.
    """
    found = str(path or os.environ.get(CODE, ""))
    if not found or found in _imported:
        return
    try:
        import_file("python_code", found)
    except Exception as err:
        reason = f"{type(err).__name__}: {err}"
        raise UccaError(Errors.UC512.format(path=found, reason=reason)) from None
    _imported.add(found)
    os.environ[CODE] = found
