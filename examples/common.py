"""What the examples share: loading a pipeline, reading a text, the words of a unit, and errors in one line."""

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc, Span

import spacy_ucca
from spacy_ucca.errors import Errors, UccaError
from spacy_ucca.training.pipelines import UCCA, names_assigning

MODEL = typer.Argument(..., help="Pipeline with `ucca_parser`: its name or directory")
TEXT = typer.Argument(..., help="A text, a file in UTF-8, or - for standard input")


def run(main: Callable) -> None:
    """Run a script: mistakes of the user end it with a message and exit code 1."""

    @wraps(main)
    def command(*args: Any, **kwargs: Any) -> None:
        try:
            main(*args, **kwargs)
        except UccaError as err:
            typer.echo(f"Error: {err}", err=True)
            raise typer.Exit(1) from None

    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(command)
    app()


def load(model: str) -> Language:
    """RETURNS (Language): The pipeline."""
    try:
        nlp = spacy.load(model)
    except (OSError, ValueError) as err:
        raise UccaError(Errors.UC508.format(model=model, reason=err)) from None
    if not names_assigning(nlp, UCCA):
        raise UccaError(Errors.UC630.format(model=model))
    return nlp


def read(text: str) -> str:
    """RETURNS (str): The text, or what is in the file of that name."""
    try:
        if text == "-":
            return typer.get_binary_stream("stdin").read().decode("utf8").strip()
        path = Path(text)
        return path.read_text("utf8").strip() if path.is_file() else text
    except UnicodeDecodeError as err:
        raise UccaError(Errors.UC507.format(reason=err.reason, position=err.start)) from None
    except (OSError, ValueError):  # a text that can be no name: too long, or with a NUL
        return text


def graph_of(doc: Doc) -> spacy_ucca.Graph:
    """RETURNS (Graph): The graph of a Doc.
    RAISES (UccaError): If it has none."""
    graph = doc._.ucca
    if graph is None:
        raise UccaError(Errors.UC602.format(what="Doc"))
    return graph


def sentences_of(doc: Doc) -> list[Span]:
    """RETURNS (List[Span]): The sentences of a Doc, without those of whitespace alone; all of it where nobody has
    found sentences."""
    spans = doc.sents if len(doc) and doc.has_annotation("SENT_START") else [doc[:]]
    return [span for span in spans if span.text.strip()]


def relation_edge(scene: spacy_ucca.Unit) -> spacy_ucca.Edge:
    """RETURNS (Edge): The edge from a Scene to its main relation."""
    return next(edge for edge in scene.edges_by("P", "S") if edge.child == scene.main_relation)


def words(unit: spacy_ucca.Unit, doc: Doc, *, remotes: bool = False) -> str:
    """RETURNS (str): The text of a unit as it stands in the Doc, "..." where words of others are left out."""
    if unit.is_implicit:
        return "(implicit)"
    return " ... ".join(span.text for span in unit.spans(doc, remotes=remotes))


def joined(tokens: Iterable[int], doc: Doc) -> str:
    """RETURNS (str): Some tokens of a Doc as a text: with the spaces of the Doc, and one where words are left out."""
    text, previous = "", 0
    for token in sorted(tokens):
        if text and (token - 1 != previous or doc[previous].whitespace_):
            text += " "
        text += doc[token].text
        previous = token
    return text
