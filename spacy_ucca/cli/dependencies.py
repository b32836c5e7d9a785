"""`spacy-ucca dependencies`: write the trees of UCCA graphs to .spacy files, to train a dependency parser on."""

from pathlib import Path

import typer

from ..files import check_outputs
from ..formats.recognise import is_directory
from ._command import app
from ._util import PROGRESS_HELP, make_directory, progress, user_errors, warn

SPACY = ".spacy"


@app.command("dependencies")
def dependencies_cli(
    data: Path = typer.Argument(
        ..., help="A .spacy file with gold graphs, or a directory of them", exists=True
    ),
    output: Path = typer.Argument(..., help="The .spacy file to write, or a directory for several"),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Write the trees of UCCA graphs into .spacy files as dependencies, for a dependency parser to learn.

    Tags and graphs are kept. Dependencies in the files are replaced.
    """
    if is_directory(output) != data.is_dir() or not (data.is_dir() or output.suffix == SPACY):
        kind = "no directory" if data.is_dir() else "no .spacy file"
        raise typer.BadParameter(f"'{output}' is {kind}, as the input is.", param_hint="OUTPUT")
    with user_errors():
        for path, n in write_dependencies(data, output, show=show).items():
            warn(f"{path}: {n} Docs.")


def write_dependencies(data: Path, output: Path, *, show: bool | None = False) -> dict[Path, int]:
    """Write the trees of graphs to .spacy files.

    data (Path): A .spacy file, or a directory of them.
    output (Path): The .spacy file, or the directory, in which files have the same places as in the input.
    show (Optional[bool]): Whether to show progress.
    RETURNS (Dict[Path, int]): The number of Docs in each file that was written.
    RAISES (UccaError): If there are no such files, a Doc has no graph, or a file would replace itself.
    """
    from spacy.vocab import Vocab

    from ..tokens.dependencies import with_dependencies
    from ..training.corpus import find_docbins, read_docbin, write_docbin

    files = {
        path: output / path.relative_to(data) if data.is_dir() else output
        for path in find_docbins(data)
    }
    written = {}
    check_outputs(files.values(), files)
    for source, target in files.items():
        make_directory(target.parent)
        docs = progress(read_docbin(source, Vocab()), show=show, unit="doc")
        written[target] = write_docbin(with_dependencies(docs), target)
    return written
