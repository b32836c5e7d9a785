"""`spacy-ucca split`: split sentences by Scenes."""

import json
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import Errors, FormatError, UccaError
from ..files import check_outputs, open_whole
from ..formats.recognise import TEXT
from ._command import Gpu, Model, Output, Show, app
from ._parse_input import find_input, kind_of
from ._text_pairs import parse_each
from ._util import STDIN, BadFiles, make_directory, progress, standard_input, standard_output
from .passages import decode

if TYPE_CHECKING:
    from spacy.language import Language


class Target(str, Enum):
    """What is written: a sentence a line; each sentence of the texts, a tab and what it is split into, as `spacy-ucca samsa` reads; or JSON lines."""

    text = "text"
    tsv = "tsv"
    jsonl = "jsonl"


@app.command("split")
def split(
    model: Model,
    files: list[Path] = typer.Argument(..., help="Text files, or - for standard input"),
    output: Output = None,
    to: Target = typer.Option(
        Target.text,
        "--to",
        "-t",
        help="text: a sentence a line; tsv: each source sentence, a tab and its parts, for `samsa`; jsonl: with tokens",
    ),
    lines: bool = typer.Option(False, "--lines", help="Each line is a text of its own"),
    relative_clauses: bool = typer.Option(
        True, "--relative-clauses/--no-relative-clauses", help="Take relative clauses out too"
    ),
    published: bool = typer.Option(
        False, "--published", help="The rules of the paper, without our changes to them"
    ),
    gpu_id: Gpu = -1,
    show: Show = None,
) -> None:
    """Split sentences by Scenes, with the rules of DSS: each parallel Scene is a sentence, and each relative clause another.

    What is not asserted, such as a condition, stays with its sentence unless --published is given.
    """
    from ._pipelines import load_pipeline

    found = find_input(files, "split -")
    bad = BadFiles()
    check_outputs([output], [model, *found])
    nlp = load_pipeline(model, gpu_id)
    if output is not None:
        make_directory(output.parent)
    options = {"relative_clauses": relative_clauses, "published": published}
    with nullcontext(standard_output()) if output is None else open_whole(output) as file:
        texts = split_each(nlp, read_texts(found, bad, lines=lines), to, **options)
        for text in progress(texts, show=show, unit="text"):
            file.write(text)
    bad.finish()


def read_texts(files: Iterable[Path], bad: BadFiles, *, lines: bool) -> Iterator[tuple[str, str]]:
    """Read texts.

    files (Iterable[Path]): The files.
    bad (BadFiles): Collects the files that are no texts.
    lines (bool): Whether each line is a text of its own.
    YIELDS (Tuple[str, str]): A text, and its place for messages.
    """
    for path in files:
        try:
            is_stream = str(path) == STDIN
            kind = TEXT if is_stream else kind_of(path, None)
            if kind != TEXT:
                raise FormatError(Errors.UC673.format(path=path, kind=kind))
            text = decode(standard_input().read() if is_stream else path.read_bytes())
        except (UccaError, OSError) as err:
            bad.add(path, err)
            continue
        if not lines:
            yield text.strip(), str(path)
            continue
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield line.strip(), f"{path}, line {number}"


def split_each(
    nlp: "Language", texts: Iterable[tuple[str, str]], to: Target, **options: bool
) -> Iterator[str]:
    """Split texts.

    nlp (Language): A pipeline.
    texts (Iterable[Tuple[str, str]]): Texts, each with its place for messages.
    to (Target): The format of the output.
    **options (bool): Those of `split_sentences`.
    YIELDS (str): The output of each text.
    RAISES (UccaError): If a text is too long, or the pipeline sets no graphs.
    """
    from ..applications import split_sentences
    from ..applications.tokens import sentences_of

    for doc in parse_each(nlp, texts):
        sentences = split_sentences(doc, **options)
        if to is Target.text:
            yield "".join(f"{sentence}\n" for sentence in sentences)
        elif to is Target.tsv:
            for source in sentences_of(doc):
                parts = [s for s in sentences if source.start <= min(s.tokens) < source.end]
                yield f"{' '.join(source.text.split())}\t{' '.join(map(str, parts))}\n"
        else:
            records = [{"text": each.text, "tokens": each.tokens} for each in sentences]
            yield json.dumps({"text": doc.text, "sentences": records}, ensure_ascii=False) + "\n"
