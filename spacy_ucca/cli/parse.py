"""`spacy-ucca parse`: parse texts, or the tokens of UCCA XML files, and write the graphs."""

import json
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import GraphError, UccaError
from ..graph import Graph
from ._util import (
    BEAM_HELP,
    GUIDELINES_HELP,
    PROGRESS_HELP,
    STDIN,
    BadFiles,
    app,
    find_xml,
    make_directory,
    progress,
    user_errors,
    warn,
)

if TYPE_CHECKING:
    from spacy.language import Language


SUFFIXES = {"xml": ".xml", "jsonl": ".jsonl", "svg": ".svg", "tree": ".txt"}


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
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Parse texts to UCCA graphs.

    Of UCCA XML, the tokens, paragraphs and ids are used and the annotation is ignored. If a file names guidelines that the
    pipeline has learned, its graph follows these, unless --guidelines is given. Each file gives a file of the same name.
    """
    files, is_xml = find_input(source)
    if n_process == 0 or n_process < -1:
        raise typer.BadParameter("Use a positive number, or -1.", param_hint="--n-process")
    check_output(files, output, target.value, lines=lines)
    from ._pipelines import load_pipeline, set_beam_width, set_guidelines

    bad = BadFiles()
    with user_errors():
        nlp = load_pipeline(model, gpu_id)
        set_guidelines(nlp, guidelines)
        set_beam_width(nlp, beam_width)
        parse(
            nlp,
            files,
            output,
            is_xml=is_xml,
            target=target.value,
            sentences=sentences.value,
            lines=lines,
            guidelines=guidelines,
            bad=bad,
            show=show,
            n_process=n_process,
            batch_size=batch_size,
        )
    bad.finish()


def parse(
    nlp: "Language",
    files: Sequence[Path],
    output: Path | None,
    *,
    is_xml: bool,
    target: str = "xml",
    sentences: str = "auto",
    lines: bool = False,
    guidelines: str | None = None,
    bad: BadFiles | None = None,
    show: bool | None = False,
    n_process: int = 1,
    batch_size: int | None = None,
) -> int:
    """Parse files and write a graph for each, a few at a time.

    nlp (Language): The pipeline.
    files (Sequence[Path]): Texts, or UCCA XML.
    output (Optional[Path]): Directory, or .jsonl file; standard output if it is None.
    is_xml (bool): Whether the files are UCCA XML.
    target (str): "xml", "jsonl", "svg" or "tree".
    sentences (str): "auto", "parser" or "file".
    lines (bool): Whether each line of a text is a passage.
    guidelines (Optional[str]): The guidelines to follow; with None, those that a file of UCCA XML names.
    bad (Optional[BadFiles]): Collects the files that cannot be parsed.
    show (Optional[bool]): Whether to show progress.
    n_process (int): For `nlp.pipe`.
    batch_size (Optional[int]): For `nlp.pipe`.
    RETURNS (int): The number of passages written.
    RAISES (UccaError): If the pipeline sets no graphs, or the output cannot be written.
    """
    from ..training.pipelines import trained_parsers
    from .passages import are_sentences, run, text_passages, xml_passages

    bad = bad or BadFiles()
    one_sentence = sentences == "file"
    if sentences == "auto" and is_xml:
        one_sentence = are_sentences(files)
        warn(f"Sentences: {'each file is one' if one_sentence else 'divided by the pipeline'}.")
    if is_xml:
        known = [] if guidelines else [n for p in trained_parsers(nlp) for n in p.known_guidelines]
        passages = xml_passages(nlp, files, one_sentence=one_sentence, guidelines=known, bad=bad)
    else:
        passages = text_passages(nlp, files, lines=lines, one_sentence=one_sentence, bad=bad)
    parsed = run(nlp, passages, bad, n_process=n_process, batch_size=batch_size)
    total = None if lines else len(files)
    n = 0
    with open_output(output, target) as write:
        for passage in progress(parsed, total=total, show=show, unit="passage"):
            try:
                graph = passage.graph()
            except GraphError as err:
                bad.add(passage.source, err)
                continue
            write(passage.name, graph)
            n += 1
    return n


def find_input(source: Path) -> tuple[list[Path], bool]:
    """Find the files that the argument INPUT stands for.

    source (Path): The argument.
    RETURNS (Tuple[List[Path], bool]): The files, and whether they are UCCA XML.
    RAISES (BadParameter): If there is nothing to parse.
    """
    if str(source) == STDIN:
        return [source], False
    if not source.exists():
        raise typer.BadParameter(f"'{source}' does not exist.", param_hint="INPUT")
    if not source.is_dir():
        return [source], source.suffix.lower() == ".xml"
    texts = sorted(source.glob("*.txt"))
    # In a corpus the .txt files are its lists, its passages are in the folder `xml`.
    if texts and not any(source.glob("*.xml")) and not (source / "xml").is_dir():
        return texts, False
    try:
        return find_xml(source), True
    except UccaError:
        message = f"'{source}' has neither .txt nor .xml files."
        raise typer.BadParameter(message, param_hint="INPUT") from None


def check_output(files: Sequence[Path], output: Path | None, target: str, *, lines: bool) -> None:
    """RAISES (BadParameter): If output and format do not fit, or input would be overwritten."""
    several = lines or len(files) > 1
    if output is None:
        if several and target in ("xml", "svg"):
            message = f"Several {target} documents need --output DIR."
            raise typer.BadParameter(message, param_hint="--output")
        return
    suffix = SUFFIXES[target]
    for path in files:
        if (output / (path.stem + suffix)).absolute() == path.absolute():
            raise typer.BadParameter(f"Would overwrite the input {path}.", param_hint="--output")


class open_output:
    """Open the output. The context gives a function that writes a graph under a name.

    output (Optional[Path]): Directory, .jsonl file, or None for standard output.
    target (str): The format.
    """

    def __init__(self, output: Path | None, target: str) -> None:
        self.output = output
        self.target = target
        self.file = None
        if output is None:
            self.stream = sys.stdout
        elif target == "jsonl" and output.suffix == ".jsonl":
            make_directory(output.parent)
            self.file = self.stream = output.open("w", encoding="utf8")
        else:
            make_directory(output)

    def __enter__(self) -> Callable[[str, Graph], None]:
        return self.write

    def __exit__(self, *exc: object) -> None:
        if self.file is not None:
            self.file.close()

    def write(self, name: str, graph: Graph) -> None:
        """Write one graph.

        name (str): The name of its file, without suffix.
        graph (Graph): The graph.
        """
        to_stream = self.output is None or self.file is not None
        if self.target == "xml":
            from ..formats.xml import write_xml, write_xml_string

            if to_stream:
                self.stream.write(write_xml_string(graph).decode("utf8"))
            else:
                write_xml(graph, self.output / f"{name}.xml")  # type: ignore[operator]
            return
        if self.target == "jsonl":
            record = {"id": graph.details["id"], **graph.to_record()}
            text = json.dumps(record, ensure_ascii=False) + "\n"
        else:
            from .render import draw

            text = draw(graph, self.target, file=self.stream if to_stream else None)
            if to_stream and self.target == "tree":
                text += "\n"
        if to_stream:
            self.stream.write(text)
        else:
            path = self.output / (name + SUFFIXES[self.target])  # type: ignore[operator]
            path.write_text(text, "utf8")
