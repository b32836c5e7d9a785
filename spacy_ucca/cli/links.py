"""`spacy-ucca links`: parse text with Link Grammar and write undirected links to a CoNLL-U file."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, FormatError
from ..files import check_outputs
from ..formats.recognise import TEXT
from ._command import Json, Limit, Show, app
from ._parse_input import kind_of
from ._util import (
    STDIN,
    exists,
    open_for_writing,
    printable,
    progress,
    read_text,
    table,
    warn,
    write_json,
)

if TYPE_CHECKING:
    from ..link_grammar.link_grammar import TokenizedSentence


@app.command("links")
def links(
    source: Path = typer.Argument(
        ..., metavar="INPUT", help="A text file, a CoNLL-U file, or - for a text on standard input"
    ),
    output: Path = typer.Argument(..., help="The CoNLL-U file to write"),
    lang: str = typer.Option(
        "en", "--lang", "-l", help="The language: en and ru have large grammars"
    ),
    lines: bool = typer.Option(
        False, "--lines", help="Each line of a text is a sentence. Default: rules find sentences"
    ),
    limit: Limit = 0,
    timeout: int = typer.Option(
        10,
        "--timeout",
        help="Seconds per sentence, for a parse with all words and again for one without some",
        min=1,
    ),
    max_length: int = typer.Option(
        100, "--max-length", help="Maximum number of tokens in a sentence", min=1
    ),
    n_process: int = typer.Option(
        1, "--n-process", "-n", help="Number of sentences to parse at the same time", min=1
    ),
    json_path: Json = None,
    show: Show = None,
) -> None:
    """Parse text with Link Grammar and write undirected labeled links, as arcs from left to right.

    Sentences that cannot be parsed, or whose links are not connected, are counted and written without heads.
    """
    if str(source) != STDIN and not exists(source):
        raise typer.BadParameter(f"'{source}' does not exist.", param_hint="INPUT")
    check_outputs([output, json_path], [source])
    from ..link_grammar.link_grammar import (
        LinkCounts,
        LinkGrammar,
        format_links,
        sentences_of_conllu,
    )

    source_sentences: Iterator[TokenizedSentence]
    kind = kind_of(source, TEXT if str(source) == STDIN else None)
    if kind not in (TEXT, "conllu"):
        raise FormatError(Errors.UC542.format(path=source, kind=kind))
    if kind == "conllu":
        source_sentences = sentences_of_conllu(source)
    else:
        source_sentences = _sentences_of_text(source, lang, lines)
    sentences = list(islice(source_sentences, limit or None))
    if not sentences:
        raise FormatError(Errors.UC115.format(where=source))
    counts = LinkCounts()
    options = {"timeout": timeout, "max_length": max_length, "n_process": n_process}
    with LinkGrammar(lang, **options) as grammar, open_for_writing(output) as file:
        parses = grammar.pipe(sentences)
        for parse in progress(parses, total=len(sentences), show=show, unit="sentence"):
            counts.add(parse)
            file.write(format_links(parse.graph) + "\n")
    figures = {"version": grammar.version, **counts.to_dict()}
    warn(format_counts(figures))
    write_json(json_path, figures)


def _sentences_of_text(source: Path, lang: str, lines: bool) -> "Iterator[TokenizedSentence]":
    import spacy

    from ..link_grammar.link_grammar import sentences_of_docs

    try:
        nlp = spacy.blank(lang)
    except ImportError:
        nlp = spacy.blank("xx")
    if not lines:
        nlp.add_pipe("sentencizer")
    docs = (nlp(line.strip()) for line in read_text(source).splitlines() if line.strip())
    return sentences_of_docs(docs, "" if str(source) == STDIN else f"{printable(source.stem)}-")


def format_counts(figures: dict[str, Any]) -> str:
    """RETURNS (str): The numbers of sentences by status, as a table with percentages."""
    n = figures["sentences"]
    rows = [["sentences", f"{n:,}", ""]]
    rows += ([k, f"{v:,}", f"{100 * v / n:.1f}%"] for k, v in figures["statuses"].items() if v)
    return table(rows, "<>>")
