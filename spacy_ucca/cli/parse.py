"""`spacy-ucca parse`: parse texts, or the tokens of UCCA XML files, and write the graphs."""

from collections.abc import Sequence
from contextlib import closing
from enum import Enum
from functools import partial
from pathlib import Path

import typer

from ..errors import UccaError
from ..files import check_outputs
from ._parse_jobs import ParseSettings, divide_into_jobs, read_items, start_parsing
from ._parse_output import SUFFIXES, is_one_file, open_output, part_of
from ._util import (
    BEAM_HELP,
    GUIDELINES_HELP,
    PROGRESS_HELP,
    STDIN,
    BadFiles,
    app,
    draws_branches,
    exists,
    find_xml,
    progress_bar,
    standard_output,
    user_errors,
    warn,
)
from ._workers import run_jobs


class Target(str, Enum):
    xml = "xml"
    jsonl = "jsonl"
    svg = "svg"
    tree = "tree"


class Sentences(str, Enum):
    auto = "auto"
    parser = "parser"
    file = "file"


@app.command("parse")
def parse_cli(
    source: Path = typer.Argument(
        ...,
        metavar="INPUT",
        help="A text file, UCCA XML file, directory of .txt or of .xml, or - for standard input",
    ),
    model: str = typer.Option(..., "--model", "-m", help="Pipeline: its name or directory"),
    output: Path = typer.Option(
        None, "--output", "-o", help="Directory, or a .jsonl file. Default: standard output"
    ),
    target: Target = typer.Option(Target.tree, "--to", "-t", help="Output format"),
    sentences: Sentences = typer.Option(
        Sentences.auto,
        "--sentences",
        "-s",
        help="How XML input is divided into sentences: by the pipeline ('parser'), or one sentence per file ('file'). "
        "'auto' chooses 'file' if most files look like single sentences. The end of a paragraph always ends a sentence",
    ),
    lines: bool = typer.Option(
        False, "--lines", help="Each line of a text is a passage of its own"
    ),
    guidelines: str = typer.Option(None, "--guidelines", help=GUIDELINES_HELP),
    beam_width: int = typer.Option(None, "--beam-width", min=1, help=BEAM_HELP),
    n_process: int = typer.Option(1, "--n-process", "-n", help="Processes; -1: one for each core"),
    batch_size: int = typer.Option(None, "--batch-size", "-b", min=1, help="Paragraphs at a time"),
    gpu_id: int = typer.Option(-1, "--gpu-id", "-g", help="GPU id; -1: CPU"),
    resume: bool = typer.Option(
        False, "--resume", help="Keep what is in the output, and parse only what is missing"
    ),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Parse texts to UCCA graphs.

    Of UCCA XML, the tokens, paragraphs and ids are used and the annotation is ignored. If a file names guidelines that the
    pipeline has learned, its graph follows these, unless --guidelines is given. Each file gives a file of the same name.
    """
    files, is_xml = find_input(source)
    if n_process == 0 or n_process < -1:
        raise typer.BadParameter("Use a positive number, or -1.", param_hint="--n-process")
    check_output(files, output, target.value, lines=lines, resume=resume)
    bad = BadFiles()
    with user_errors():
        screen = standard_output(text=True) if output is None else None
        settings = ParseSettings(
            model,
            target.value,
            is_xml=is_xml,
            one_sentence=is_one_sentence(files, sentences.value, is_xml),
            guidelines=guidelines,
            beam_width=beam_width,
            batch_size=batch_size,
            gpu_id=gpu_id,
            color=screen is not None and screen.isatty(),
            ascii=screen is not None and not draws_branches(screen),
        )
        parse(
            settings,
            files,
            output,
            lines=lines,
            resume=resume,
            n_process=n_process,
            bad=bad,
            show=show,
        )
    bad.finish()


def parse(
    settings: ParseSettings,
    files: Sequence[Path],
    output: Path | None,
    *,
    lines: bool = False,
    resume: bool = False,
    n_process: int = 1,
    bad: BadFiles | None = None,
    show: bool | None = False,
) -> int:
    """Parse files and write a graph for each, a few at a time.

    settings (ParseSettings): The pipeline and the format.
    files (Sequence[Path]): Texts, or UCCA XML.
    output (Optional[Path]): Directory, or .jsonl file; standard output if it is None.
    lines (bool): Whether each line of a text is a passage.
    resume (bool): Whether to keep what is in the output.
    n_process (int): The number of processes. Each loads the pipeline.
    bad (Optional[BadFiles]): Collects the files that cannot be parsed.
    show (Optional[bool]): Whether to show progress.
    RETURNS (int): The number of passages written.
    RAISES (UccaError): If the pipeline sets no graphs, or the output cannot be used.
    """
    bad = bad or BadFiles()
    n = 0
    with (
        open_output(output, settings.target, list(files), resume=resume) as opened,
        progress_bar(show=show) as advance,
    ):
        items = opened.missing(read_items(files, lines=lines, bad=bad), bad)
        jobs = divide_into_jobs(items)
        with closing(run_jobs(partial(start_parsing, settings), jobs, n_process)) as results:
            for parsed in results:
                for source, reason in parsed.bad:
                    bad.add(source, reason)
                for text in parsed.graphs:
                    opened.write(text)
                n += parsed.n
                advance(n, None if lines else len(files))
    return n


def is_one_sentence(files: Sequence[Path], sentences: str, is_xml: bool) -> bool:
    """RETURNS (bool): Whether each paragraph is one sentence, as the option --sentences says or, with "auto", as the
    files look."""
    if sentences != "auto" or not is_xml:
        return sentences == "file"
    from .passages import are_sentences

    single = are_sentences(files)
    warn(f"Sentences: {'each file is one' if single else 'divided by the pipeline'}.")
    return single


def find_input(source: Path) -> tuple[list[Path], bool]:
    """Find the files that the argument INPUT stands for.

    source (Path): The argument.
    RETURNS (Tuple[List[Path], bool]): The files, and whether they are UCCA XML.
    RAISES (BadParameter): If there is nothing to parse.
    """
    if str(source) == STDIN:
        return [source], False
    if not exists(source):
        raise typer.BadParameter(f"'{source}' does not exist.", param_hint="INPUT")
    if not source.is_dir():
        return [source], source.suffix.lower() == ".xml"
    texts = sorted(path for path in source.iterdir() if path.suffix.lower() == ".txt")
    # In a corpus the .txt files are its lists, its passages are in the folder `xml`.
    if texts and not any(source.glob("*.xml")) and not (source / "xml").is_dir():
        return texts, False
    try:
        return find_xml(source), True
    except UccaError:
        message = f"'{source}' has neither .txt nor .xml files."
        raise typer.BadParameter(message, param_hint="INPUT") from None


def check_output(
    files: Sequence[Path], output: Path | None, target: str, *, lines: bool, resume: bool
) -> None:
    """RAISES (BadParameter): If output and format do not fit, or input would be overwritten."""
    several = lines or len(files) > 1
    if output is None:
        if resume:
            raise typer.BadParameter("Standard output needs none.", param_hint="--resume")
        if several and target in ("xml", "svg"):
            message = f"Several {target} documents need --output DIR."
            raise typer.BadParameter(message, param_hint="--output")
        return
    try:
        if is_one_file(output, target):
            check_outputs([output, part_of(output)], files)
        elif not lines:
            suffix = SUFFIXES[target]
            check_outputs(dict.fromkeys(output / (p.stem + suffix) for p in files), files)
    except UccaError as err:
        raise typer.BadParameter(str(err), param_hint="--output") from None
