"""`spacy-ucca split`: split sentences by Scenes."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import Errors, FormatError, UccaError
from ..files import check_outputs
from ..formats.recognise import TEXT
from ._command import Gpu, Lang, Model, Show, app, choice, flag, output_to
from ._parse_input import find_input, kind_of
from ._text_pairs import parse_texts
from ._util import STDIN, BadFiles, clear_bars, open_for_writing, read_text, track

if TYPE_CHECKING:
    from spacy.language import Language


@app.command("split")
def split(
    model: Model,
    files: list[Path] = typer.Argument(..., help="Text files, or - for standard input"),
    output: Path = output_to("File to write. Default: standard output", stream=True),
    to: str = choice(
        "text",
        ("text", "tsv", "jsonl"),
        "--to",
        "-t",
        help="text: a sentence a line; tsv: each source sentence, a tab and its parts, for `samsa`; jsonl: with tokens",
    ),
    lines: bool = flag("Each line is a text of its own", "--lines"),
    relative_clauses: bool = typer.Option(
        True, "--relative-clauses/--no-relative-clauses", help="Take relative clauses out too"
    ),
    published: bool = flag("The rules of the paper, without our changes to them", "--published"),
    lang: Lang = None,
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
    nlp = load_pipeline(model, gpu_id, lang=lang, texts=True)
    options = {"relative_clauses": relative_clauses, "published": published}

    def read(paths: Iterable[Path]) -> Iterator[str]:
        texts = _read_texts(paths, bad, lines, nlp.max_length)
        return _split_each(nlp, texts, to, **options)

    with open_for_writing(output) as file:
        for text in track(found, read, show, "text"):
            clear_bars()
            file.write(text)
    bad.finish()


def _read_texts(
    files: Iterable[Path], bad: BadFiles, lines: bool, max_length: int
) -> Iterator[str]:
    for path in files:
        try:
            kind = TEXT if str(path) == STDIN else kind_of(path, None)
            if kind != TEXT:
                raise FormatError(Errors.UC673.format(path=path, kind=kind))
            text = read_text(path)
        except (UccaError, OSError) as err:
            bad.add(path, err)
            continue
        parts = {str(path): text}
        if lines:
            numbered = enumerate(text.split("\n"), start=1)
            parts = {f"{path}, line {n}": line for n, line in numbered if line.strip()}
        for where, part in parts.items():
            if len(part) > max_length:
                bad.add(where, Errors.UC672.format(where=where, n=len(part), most=max_length))
            else:
                yield part.strip()


def _split_each(nlp: "Language", texts: Iterable[str], to: str, **options: bool) -> Iterator[str]:
    from ..applications import split_sentences
    from ..applications.tokens import sentences_of

    for doc in parse_texts(nlp, texts):
        sentences = split_sentences(doc, **options)
        if to == "text":
            yield "".join(f"{sentence}\n" for sentence in sentences)
        elif to == "tsv":
            for source in sentences_of(doc):
                parts = [s for s in sentences if source.start <= min(s.tokens) < source.end]
                yield f"{' '.join(source.text.split())}\t{' '.join(map(str, parts))}\n"
        else:
            records = [{"text": each.text, "tokens": each.tokens} for each in sentences]
            yield json.dumps({"text": doc.text, "sentences": records}, ensure_ascii=False) + "\n"
