"""`spacy-ucca convert`: convert corpora to training data, brackets, or XML of sentences; files from format to format."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, UccaError
from ..files import NothingWritten, OutputDirectory, check_outputs, open_whole
from ..formats.recognise import guess_output, is_directory
from ..formats.registry import FORMATS, READABLE
from ._command import app
from ._graphs import name_others, warn_of_made_up
from ._util import (
    JSON_HELP,
    LIST_HELP,
    PASSAGES_HELP,
    PROGRESS_HELP,
    STDIN,
    UD_HELP,
    BadFiles,
    check_name,
    exists,
    make_directory,
    progress_bar,
    standard_output,
    table,
    user_errors,
    warn,
    write_json,
)

if TYPE_CHECKING:
    from ..formats.convert import FormatReport
    from ..graph import Graph
    from ..training.convert import ConversionReport

MAX_SHOWN = 20
SPACY, BRACKETS = ".spacy", ".txt"
MAX_UNKNOWN = 8  # categories that UCCA does not know


@app.command("convert")
def convert_cli(
    paths: list[Path] = typer.Argument(
        ...,
        metavar="INPUT... OUTPUT",
        help="Graphs of any format (corpora, directories, files, '-' for standard input), then a .spacy file for training, a .txt file for "
        "brackets, a directory for XML of sentences, or a file whose suffix says another format. With --to: a file, a "
        "directory, or '-' for standard output",
    ),
    to: str = typer.Option(
        None,
        "--to",
        help="Convert files to this format and report what is lost. Default: the format that the output's suffix says",
    ),
    source_format: str = typer.Option(
        None, "--from", help="With --to: format of the input files. Default: guessed"
    ),
    sentences: bool = typer.Option(
        False, "--sentences", help="With --to: divide passages into sentences by annotation"
    ),
    lists: list[Path] = typer.Option([], "--list", "-l", help=LIST_HELP, exists=True),
    ud: list[Path] = typer.Option([], "--ud", help=UD_HELP, exists=True),
    passages: bool = typer.Option(False, "--passages", help=PASSAGES_HELP),
    model: str = typer.Option(
        None,
        "--model",
        "-m",
        help="Pipeline that predicts the tags and dependencies of the .spacy file",
    ),
    guidelines: str = typer.Option(
        "",
        "--guidelines",
        help="Name of the guidelines that the corpus follows, such as v1. Default: what the files say, or v2",
    ),
    limit: int = typer.Option(0, "--limit", min=0, help="Maximum number of sentences; 0: all"),
    strict: bool = typer.Option(
        False, "--strict", help="Exit with 1 if anything was left out or, with --to, lost"
    ),
    json_path: Path = typer.Option(None, "--json", help=f"{JSON_HELP} ('-': standard output)"),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Convert graphs to training data, or, with --to, files between formats."""
    *sources, output = paths
    if not sources:
        raise typer.BadParameter("Give the input and the output.", param_hint="INPUT... OUTPUT")
    for path in sources:
        if not exists(path) and str(path) != STDIN:
            raise typer.BadParameter(f"'{path}' does not exist.", param_hint="INPUT...")
    if to is None and (said := guess_output(output)) in FORMATS:
        to = said
    if to is not None:
        given = {"--list": lists, "--ud": ud, "--model": model, "--guidelines": guidelines}
        for option in (option for option, value in given.items() if value):
            raise typer.BadParameter("Not with --to, which takes all as it is.", param_hint=option)
        if passages and sentences:
            raise typer.BadParameter("Not with --passages.", param_hint="--sentences")
        convert_formats(
            sources,
            output,
            to=to,
            source_format=source_format,
            sentences=sentences,
            limit=limit,
            strict=strict,
            json_path=json_path,
            show=show,
        )
        return
    for option, value in (("--from", source_format), ("--sentences", sentences)):
        if value:
            raise typer.BadParameter("Only with --to.", param_hint=option)
    suffix = "" if is_directory(output) else output.suffix.lower()
    if suffix not in (SPACY, BRACKETS, "") or str(output) == STDIN:
        message = (
            f"'{output}' is neither a directory nor a file whose name says a format. Say it (--to)."
        )
        raise typer.BadParameter(message, param_hint="OUTPUT")
    if model is not None and suffix != SPACY:
        raise typer.BadParameter("Only a .spacy file has tags.", param_hint="--model")
    bad = BadFiles()
    with user_errors():
        file = output if suffix else None
        check_outputs([file, json_path], [*sources, *lists, *ud, *([model] if model else [])])
        options = {"ids": lists, "ud": ud, "passages": passages, "limit": limit}
        options["guidelines"] = guidelines
        others = [json_path]
        report = convert(sources, output, model=model, others=others, bad=bad, show=show, **options)
        counts = f"{report.passages} passages, {report.sentences} sentences, {report.tokens} tokens"
        warn(f"{output}: {counts}.")
        write_json(json_path, report.to_dict())
    bad.finish()
    if strict and report.skipped:
        raise typer.Exit(1)


def convert(
    sources: Sequence[Path],
    output: Path,
    *,
    model: str | None = None,
    others: Sequence[Path | None] = (),
    bad: BadFiles | None = None,
    show: bool | None = False,
    **options: Any,
) -> "ConversionReport":
    """Convert corpora.

    sources (Sequence[Path]): The corpora.
    output (Path): A .spacy file, a .txt file or a directory.
    model (Optional[str]): A pipeline for tags and dependencies.
    others (Sequence[Optional[Path]]): Files that are written besides, which no output may replace.
    bad (Optional[BadFiles]): Collects the files that cannot be converted.
    show (Optional[bool]): Whether to show progress.
    options: Arguments of `iter_docs`.
    RETURNS (ConversionReport): The counts, and what was left out and why.
    RAISES (UccaError): If there is nothing to write, or it cannot be written.
    """
    from ..training.convert import ConversionReport, convert_corpus

    bad = bad or BadFiles()
    suffix = "" if is_directory(output) else output.suffix.lower()
    if suffix == SPACY:
        nlp = None
        if model is not None:
            from ._pipelines import load_pipeline

            nlp = load_pipeline(model)
        make_directory(output.parent)
        with progress_bar(show=show) as advance:
            report = convert_corpus(sources, output, nlp=nlp, on_passage=advance, **options)
    else:
        report = ConversionReport()
        graphs = read_graphs(sources, report, show=show, **options)
        if suffix == BRACKETS:
            _write_brackets(graphs, output)
        else:
            _write_xml(graphs, OutputDirectory(output, sources, others), bad)
        if not report.sentences:
            raise UccaError(Errors.UC503.format(path=", ".join(map(str, sources))))
    name_skipped(report, bad)
    return report


def read_graphs(
    sources: Sequence[Path],
    report: "ConversionReport",
    *,
    show: bool | None = False,
    **options: Any,
) -> "Iterator[Graph]":
    """YIELDS (Graph): The sentences or passages of corpora, divided as for training data."""
    from spacy.vocab import Vocab

    from ..training.convert import iter_docs

    with progress_bar(show=show) as advance:
        for doc in iter_docs(sources, report, vocab=Vocab(), on_passage=advance, **options):
            yield doc._.ucca


def name_skipped(report: "ConversionReport", bad: BadFiles) -> None:
    """Report what was not converted. Unreadable files are bad files; ids without a passage and sentences without a match in UD
    are only named.
    """
    others = []
    bad.left_out += report.failed
    for what, reason in report.skipped:
        if Path(what).is_file():
            bad.add(what, reason)
        else:
            others.append(f"{what}: {reason}")
    for line in others[:MAX_SHOWN]:
        warn(f"Left out {line}")
    if len(others) > MAX_SHOWN:
        warn(f"Left out {len(others) - MAX_SHOWN} more.")


def _write_brackets(graphs: "Iterator[Graph]", output: Path) -> None:
    from ..formats.brackets import write_brackets

    make_directory(output.parent)
    with open_whole(output) as file:
        before = ""
        for graph in graphs:
            file.write(before + write_brackets(graph).rstrip("\n") + "\n")
            before = "\n"
        if not before:
            raise NothingWritten


def _write_xml(graphs: "Iterator[Graph]", output: OutputDirectory, bad: BadFiles) -> None:
    from ..formats.xml import write_xml_string

    make_directory(output.path)
    for graph in graphs:
        name = str(graph.details["id"])
        try:
            output.write(name, ".xml", write_xml_string(graph))
        except UccaError as err:
            bad.add(name, err)


def convert_formats(
    sources: Sequence[Path],
    output: Path,
    *,
    to: str,
    source_format: str | None,
    sentences: bool,
    limit: int,
    strict: bool,
    json_path: Path | None,
    show: bool | None,
) -> None:
    """Convert files and report what was lost; the work of `spacy-ucca convert --to`.

    RAISES (Exit): With 1, if a file could not be converted, or something was lost and `strict` is set.
    """
    from ..formats.convert import convert_files
    from ..formats.files import find_files

    check_name("--to", to, FORMATS)
    if source_format is not None:
        check_name("--from", source_format, READABLE)
    bad = BadFiles()
    with user_errors():
        is_file = str(output) != STDIN and not is_directory(output)
        inputs = find_files(sources, source_format, on_left_out=name_others)
        check_outputs([output if is_file else None, json_path], inputs)
        with progress_bar(show=show, unit="file") as advance:
            report = convert_files(
                inputs,
                standard_output() if str(output) == STDIN else output,
                to=to,
                source_format=source_format,
                sentences=sentences,
                limit=limit,
                others=[json_path],
                on_bad=bad.add,
                on_file=advance,
            )
        name = "standard output" if str(output) == STDIN else str(output)
        warn(f"{name}: {_counts(report)} from {', '.join(report.formats) or 'nothing'} to {to}.")
        for note in report.notes:
            warn(f"Note: {note}")
        warn(_losses(report, to) if report.graphs else "No graph was written.")
        warn_of_made_up(report.made_up)
        write_json(json_path, report.to_dict())
    bad.finish()
    if strict and (report.losses or report.notes):
        raise typer.Exit(1)


def _counts(report: "FormatReport") -> str:
    counts = ((report.graphs, "graph"), (report.words, "word"), (report.files, "file"))
    graphs, words, files = (f"{n:,} {what}{'s' * (n != 1)}" for n, what in counts)
    return f"{graphs} of {words} in {files}"


def _losses(report: "FormatReport", to: str) -> str:
    """RETURNS (str): A table of what was lost: the number of each kind and its meaning."""
    from ..formats.roundtrip import KINDS

    unknown = ", ".join(sorted(report.unknown)[:MAX_UNKNOWN]) + ", ..." * (
        len(report.unknown) > MAX_UNKNOWN
    )
    scheme = (
        f"The graph has categories UCCA does not know: {unknown}. If it is of another scheme, such as AMR or UD, it is no "
        "UCCA graph."
    )
    if not report.losses:
        return scheme if unknown else f"Nothing {'else ' if report.notes else ''}was lost."
    measured = "what comes back when it is read again"
    how = measured if report.measured else "what the format has no place for; it is not read"
    rows = [
        [f"{report.losses[kind]:,}", kind, meaning]
        for kind, meaning in KINDS.items()
        if report.losses[kind]
    ]
    lost = f"Not kept by {to} ({how}):\n{table(rows, '><<')}"
    return f"{scheme}\n{lost}" if unknown else lost
