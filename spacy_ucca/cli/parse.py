"""`spacy-ucca parse`: parse texts, or the words of files that have some, and write the graphs in any format."""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import typer

from ..distributed.workers import JOB_SIZE, divide, run_jobs
from ..errors import Errors, UccaError
from ..files import check_outputs
from ..files.whole import open_table
from ..formats.recognise import JSON, TEXT, check_output_suffix, guess_output, is_directory, name_of
from ..formats.registry import FORMATS, PARQUET, READABLE
from ._command import BeamWidth, Gpu, Guidelines, Lang, Model, Show, app, choice, flag, output_to
from ._graphs import warn_of_made_up
from ._parse_input import find_input, read_items
from ._parse_jobs import Parser, join_pieces, lost, needs_docs
from ._parse_output import (
    DRAWN,
    RESUMABLE,
    can_resume,
    check_run,
    describe_run,
    keep_run,
    open_output,
    part_of,
    suffix_of,
    takes_one,
)
from ._util import (
    BadFiles,
    check_name,
    progress_bar,
    refuse_options,
    standard_output,
    tree_options,
    warn,
)
from .passages import ParseSettings, in_pieces, size_of, with_sentences

ENGINE_HELP = "'ray' parses .parquet, .jsonl and .txt files on the cluster that RAY_ADDRESS names, or on this machine, and writes Parquet"
MAX_LANGS = 10  # that are told
SENTENCES = ("auto", "parser", "file")  # who divides texts into sentences
TOLD = ("implicit units", "remote edges")  # what a user is told that a format has no place for


@app.command("parse")
def parse(
    model: Model,
    sources: list[Path] = typer.Argument(
        ...,
        metavar="INPUT...",
        help="Files: texts, JSON lines with texts (MRP too), Parquet, words (CoNLL-U, .spacy) or graphs of any format; directories "
        "of these; or - for standard input",
    ),
    output: Path = output_to(
        "Directory, or a file, whose suffix says the format. Default: standard output", stream=True
    ),
    target: str = typer.Option(
        None,
        "--to",
        "-t",
        help="Output format: tree, svg, parquet, or one that `convert` writes. Default: what --output says, or tree",
    ),
    source_format: str = typer.Option(
        None,
        "--from",
        help="Format of the input: text, json, or one that `convert` reads. Default: guessed, file by file",
    ),
    sentences: str = choice(
        "auto",
        SENTENCES,
        "--sentences",
        "-s",
        help="How input is divided into sentences: by the pipeline ('parser'), or one sentence per passage ('file'). "
        "'auto' takes the sentences that the input has, and takes graphs as single sentences if most look so. The end of "
        "a paragraph always ends a sentence",
    ),
    lines: bool = flag("Each line of a text is a passage of its own", "--lines"),
    text_field: str = typer.Option("text", help="Column of Parquet with the texts"),
    id_field: str = typer.Option("id", help="Column of Parquet with their ids"),
    lang: Lang = None,
    guidelines: Guidelines = None,
    beam_width: BeamWidth = None,
    n_best: int = typer.Option(
        1,
        "--n-best",
        min=1,
        help="Write so many graphs of each text, the most probable first, as NAME.1, NAME.2, ...",
    ),
    n_process: int = typer.Option(1, "--n-process", "-n", help="Processes; -1: one for each core"),
    batch_size: int = typer.Option(None, "--batch-size", "-b", min=1, help="Paragraphs at a time"),
    gpu_id: Gpu = -1,
    resume: bool = flag("Keep what is in the output, and parse only what is missing", "--resume"),
    predications: Path = typer.Option(None, help="Parquet file for who did what to whom"),
    show: Show = None,
    engine: str = choice("local", ("local", "ray"), help=ENGINE_HELP),
) -> None:
    """Parse texts to UCCA graphs.

    Of files with words, the words, sentences, paragraphs and ids are used and the annotation is ignored. If a file names
    guidelines that the pipeline has learned, its graph follows these, unless --guidelines is given. Each text gives a file
    named by its id, or like the file it is from.
    """
    stage: Any = {"lang": lang, "guidelines": guidelines, "beam_width": beam_width}
    reader: Any = {"text": text_field, "id": id_field}
    if engine == "ray":
        given: Any = {"--to": target, "--from": source_format, "--batch-size": batch_size}
        given |= {"--n-best": n_best > 1, "--predications": predications}
        refuse_options(given, "--engine ray has none: leave it out.")
        if output is None:
            raise typer.BadParameter("--engine ray needs a directory.", param_hint="--output")
        options = {"workers": n_process, "resume": resume}
        _parse_with_ray(sources, output, model, stage, {**reader, "lines": lines}, options, show)
        return
    if source_format is not None:
        check_name("--from", source_format, [TEXT, JSON, *READABLE])
    files = find_input(sources, "parse -")
    to = find_target(target, output)
    if n_process == 0 or n_process < -1:
        raise typer.BadParameter("Use a positive number, or -1.", param_hint="--n-process")
    check_output(files, output, to, lines=lines or n_best > 1, resume=resume)
    if predications is not None:
        if resume or predications.suffix.lower() != suffix_of(PARQUET):
            raise typer.BadParameter(Errors.UC771, param_hint="--predications")
        check_outputs([output if to == PARQUET else None, predications], files)
    whole = needs_docs(to) or predications is not None  # texts are not divided
    for option, value in (("--resume", resume), (f"--to {to}", whole)):
        if value and n_best > 1:
            raise typer.BadParameter(f"Not with {option}.", param_hint="--n-best")
    bad = BadFiles()
    _name_losses(to)
    settings = ParseSettings(
        model,
        to,
        sentences=sentences,
        **stage,
        n_best=n_best,
        batch_size=batch_size,
        gpu_id=gpu_id,
        tree={} if output is not None else tree_options(standard_output(text=True)),
        predications=predications is not None,
    )
    run = None
    if output is not None and can_resume(output, to):
        run = describe_run(model, **stage, sentences=sentences)
        if resume:
            check_run(output, run)
    done: Counter[str] = Counter()
    langs: Counter[str] = Counter()
    with (
        open_output(output, to, files, resume=resume) as opened,
        open_table(output if to == PARQUET else None, "spacy_ucca.distributed.schema") as graphs,
        open_table(predications, "spacy_ucca.extract.table") as facts,
        progress_bar(show=show) as advance,
    ):
        items = read_items(files, lines=lines, source_format=source_format, **reader)
        items = with_sentences(items, settings.sentences)
        missing = opened.missing(items, bad, resume=resume, n_best=n_best)
        if not whole and n_best == 1:
            missing = in_pieces(missing, JOB_SIZE)
        jobs = divide(missing, size_of)
        start = partial(Parser, settings)
        results = run_jobs(start, jobs, n_process, lost=lost)
        with closing(results):
            for parsed in join_pieces(settings, chain.from_iterable(results)):
                for table, rows in zip((graphs, facts), parsed.rows):
                    table.write(rows)
                if parsed.error is not None:
                    bad.add(parsed.source, parsed.error)
                    continue
                if parsed.text is not None:
                    opened.write(parsed.text)
                if run is not None and output is not None:
                    keep_run(output, run)
                    run = None
                done["all"] += 1
                done["made up"] += parsed.made_up
                langs[parsed.lang or "in doubt"] += 1
                advance(done["all"], None if lines else len(files))
        opened.failed = graphs.failed = facts.failed = not done and bool(bad.files)
        opened.name_renamed()
    warn_of_made_up(done["made up"])
    if langs.keys() - {"in doubt"}:
        counts = ", ".join(f"{lang} {n}" for lang, n in langs.most_common(MAX_LANGS))
        warn(f"Languages, as guessed (--lang says one): {counts}.")
    bad.finish()


def _parse_with_ray(
    sources: Sequence[Path],
    output: Path,
    model: str,
    stage_options: dict[str, Any],
    reader: dict[str, Any],
    options: dict[str, Any],
    show: bool | None,
) -> None:
    """Parse files on a Ray cluster to Parquet. `reader` are fields of `Reader`, `options` arguments of `ray_engine.parse_texts`."""
    from ..distributed.ray_engine import Summary, parse_texts
    from ..distributed.stage import ParseStage
    from ..distributed.texts import Reader

    stage = ParseStage(model, **stage_options)
    _ = stage.nlp  # so that a mistake is told before Ray starts
    run = describe_run(model, **stage_options, sentences="parser")
    if options["resume"]:
        check_run(output, run)
    with progress_bar(show=show, unit="text") as advance:

        def report(done: Summary) -> None:
            keep_run(output, run)
            advance(done.texts, None)

        done = parse_texts(
            sources, output, stage, reader=Reader(**reader), advance=report, **options
        )
    warn(f"{output}: {done.texts:,} texts of {done.tokens:,} tokens in {done.files:,} new files.")
    if done.errors:
        warn(f"{done.errors:,} texts have no graph: the column `error` says why.")


def _name_losses(to: str) -> None:
    """Say what the output format has no place for, if it is more than details."""
    lost = FORMATS[to].loses if to in FORMATS else ()
    if kinds := [kind for kind in TOLD if kind in lost]:
        warn(f"{to} does not keep all of a UCCA graph: {', '.join(kinds)}. xml and jsonl do.")


def find_target(target: str | None, output: Path | None) -> str:
    """Find the format to write.

    target (Optional[str]): The option --to.
    output (Optional[Path]): The option --output.
    RETURNS (str): The format that was named, or that the output's name says; else "tree".
    RAISES (BadParameter): If there is no such format, or both say different ones.
    """
    if target is None:
        said = guess_output(output) if output is not None else None
        if said or output is None or is_directory(output) or output.suffix == DRAWN["tree"]:
            return said or "tree"
        raise typer.BadParameter(Errors.UC541.format(path=output), param_hint="--output")
    names = [*DRAWN, *(name for name, entry in FORMATS.items() if entry.writes)]
    check_name("--to", target, names)
    if output is not None:
        try:
            check_output_suffix(output, target)
        except UccaError as err:
            raise typer.BadParameter(str(err), param_hint="--output") from None
    return target


def check_output(
    files: Sequence[Path], output: Path | None, target: str, *, lines: bool, resume: bool
) -> None:
    """RAISES (BadParameter): If output and format do not fit, or input would be overwritten."""
    if target == PARQUET and (output is None or is_directory(output)):
        raise typer.BadParameter("Parquet needs a file: out.parquet.", param_hint="--output")
    several = lines or len(files) > 1
    if several and takes_one(target) and (output is None or not is_directory(output)):
        message = f"Several {target} documents need --output DIR."
        raise typer.BadParameter(message, param_hint="--output")
    if output is None:
        if resume:
            raise typer.BadParameter("Standard output needs none.", param_hint="--resume")
        return
    try:
        if not is_directory(output):
            if resume and target not in RESUMABLE:
                raise typer.BadParameter(Errors.UC532.format(path=output), param_hint="--resume")
            check_outputs([output, part_of(output)], files)
        elif not lines:
            suffix = suffix_of(target)
            check_outputs(dict.fromkeys(output / (name_of(p) + suffix) for p in files), files)
    except UccaError as err:
        raise typer.BadParameter(str(err), param_hint="--output") from None
