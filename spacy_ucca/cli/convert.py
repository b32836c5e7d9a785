"""`spacy-ucca convert`: convert corpora to training data, brackets, or XML of sentences; files from format to format."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, UccaError
from ..files import NothingWritten, OutputDirectory, check_outputs
from ..formats.recognise import guess_output, is_directory
from ..formats.registry import FORMATS, READABLE
from ._command import Json, Limit, Lists, Passages, Show, Ud, app, flag, model_option
from ._graphs import name_others, warn_of_made_up
from ._util import (
    STDIN,
    BadFiles,
    check_name,
    exists,
    first_names,
    make_directory,
    open_for_writing,
    progress_bar,
    refuse_options,
    standard_output,
    table,
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
def convert(
    paths: list[Path] = typer.Argument(
        ...,
        metavar="INPUT... OUTPUT",
        help="Graphs of any format (corpora, directories, files, '-' for standard input), then a .spacy file for training, a .txt file for "
        "brackets, a directory for XML of sentences, or a file whose suffix says another format. With --to: a file, a "
        "directory, or '-' for standard output",
    ),
    to: str = typer.Option(
        None,
        help="Convert files to this format and report what is lost. Default: the format that the output's suffix says",
    ),
    source_format: str = typer.Option(
        None, "--from", help="With --to: format of the input files. Default: guessed"
    ),
    sentences: bool = flag(
        "With --to: divide passages into sentences by annotation", "--sentences"
    ),
    lists: Lists = [],
    ud: Ud = [],
    passages: Passages = False,
    model: str = model_option(
        "Pipeline that predicts the tags and dependencies of the .spacy file"
    ),
    guidelines: str = typer.Option(
        "",
        help="Name of the guidelines that the corpus follows, such as v1. Default: what the files say, or v2",
    ),
    limit: Limit = 0,
    strict: bool = flag("Exit with 1 if anything was left out or, with --to, lost", "--strict"),
    json_path: Json = None,
    show: Show = None,
) -> None:
    """Convert graphs to training data, or, with --to, files between formats."""
    *sources, output = paths
    if not sources:
        raise typer.BadParameter("Give the input and the output.", param_hint="INPUT... OUTPUT")
    for path in sources:
        if not exists(path) and str(path) != STDIN:
            raise typer.BadParameter(f"'{path}' does not exist.", param_hint="INPUT...")
    if to is None and (said := guess_output(output)) in FORMATS:
        to = said
    bad = BadFiles()
    if to is not None:
        given = {"--list": lists, "--ud": ud, "--model": model, "--guidelines": guidelines}
        refuse_options(given, "Not with --to, which takes all as it is.")
        if passages:
            refuse_options({"--sentences": sentences}, "Not with --passages.")
        options = {"source_format": source_format, "sentences": sentences, "limit": limit}
        found = _convert_formats(sources, output, to, options, json_path, bad, show)
        write_json(json_path, found.to_dict())
        is_changed = bool(found.losses or found.notes)
    else:
        refuse_options({"--from": source_format, "--sentences": sentences}, "Only with --to.")
        options = {"ids": lists, "ud": ud, "passages": passages, "limit": limit}
        options["guidelines"] = guidelines
        report = _convert_corpora(sources, output, model, options, json_path, bad, show)
        write_json(json_path, report.to_dict())
        is_changed = bool(report.skipped)
    bad.finish()
    if strict and is_changed:
        raise typer.Exit(1)


def _convert_corpora(
    sources: Sequence[Path],
    output: Path,
    model: str | None,
    options: dict[str, Any],
    json_path: Path | None,
    bad: BadFiles,
    show: bool | None,
) -> "ConversionReport":
    """Convert corpora to a .spacy file, a .txt file or a directory. `options` are arguments of `iter_docs`.

    RETURNS (ConversionReport): The counts, and what was left out and why.
    """
    from ..training.convert import ConversionReport, convert_corpus

    suffix = "" if is_directory(output) else output.suffix.lower()
    if suffix not in (SPACY, BRACKETS, "") or str(output) == STDIN:
        message = (
            f"'{output}' is neither a directory nor a file whose name says a format. Say it (--to)."
        )
        raise typer.BadParameter(message, param_hint="OUTPUT")
    if model is not None and suffix != SPACY:
        raise typer.BadParameter("Only a .spacy file has tags.", param_hint="--model")
    inputs = [*sources, *options["ids"], *options["ud"], *([model] if model else [])]
    check_outputs([output if suffix else None, json_path], inputs)
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
            _write_xml(graphs, OutputDirectory(output, sources, [json_path]), bad)
        if not report.sentences:
            raise UccaError(Errors.UC503.format(path=", ".join(map(str, sources))))
    name_skipped(report, bad)
    counts = f"{report.passages} passages, {report.sentences} sentences, {report.tokens} tokens"
    warn(f"{output}: {counts}.")
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

    with open_for_writing(output) as file:
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


def _convert_formats(
    sources: Sequence[Path],
    output: Path,
    to: str,
    options: dict[str, Any],
    json_path: Path | None,
    bad: BadFiles,
    show: bool | None,
) -> "FormatReport":
    """Convert files and tell what was lost. `options` are arguments of `convert_files`."""
    from ..formats.convert import convert_files
    from ..formats.files import find_files

    check_name("--to", to, FORMATS)
    source_format = options["source_format"]
    if source_format is not None:
        check_name("--from", source_format, READABLE)
    is_file = str(output) != STDIN and not is_directory(output)
    inputs = find_files(sources, source_format, on_left_out=name_others)
    check_outputs([output if is_file else None, json_path], inputs)
    with progress_bar(show=show, unit="file") as advance:
        report = convert_files(
            inputs,
            standard_output() if str(output) == STDIN else output,
            to=to,
            others=[json_path],
            on_bad=bad.add,
            on_file=advance,
            **options,
        )
    name = "standard output" if str(output) == STDIN else str(output)
    warn(f"{name}: {_counts(report)} from {', '.join(report.formats) or 'nothing'} to {to}.")
    for note in report.notes:
        warn(f"Note: {note}")
    warn(_losses(report, to) if report.graphs else "No graph was written.")
    warn_of_made_up(report.made_up)
    return report


def _counts(report: "FormatReport") -> str:
    counts = ((report.graphs, "graph"), (report.words, "word"), (report.files, "file"))
    graphs, words, files = (f"{n:,} {what}{'s' * (n != 1)}" for n, what in counts)
    return f"{graphs} of {words} in {files}"


def _losses(report: "FormatReport", to: str) -> str:
    """RETURNS (str): A table of what was lost: the number of each kind and its meaning."""
    from ..formats.roundtrip import KINDS

    unknown = first_names(sorted(report.unknown), MAX_UNKNOWN)
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
