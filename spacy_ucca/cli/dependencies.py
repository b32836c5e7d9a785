"""`spacy-ucca dependencies`: write the trees of UCCA graphs to .spacy files, to train a dependency parser on."""

from pathlib import Path

import typer

from ..files import check_outputs
from ..formats.recognise import is_directory
from ._command import Show, app
from ._util import make_directory, progress, warn

SPACY = ".spacy"


@app.command("dependencies")
def dependencies(
    data: Path = typer.Argument(
        ..., help="A .spacy file with gold graphs, or a directory of them", exists=True
    ),
    output: Path = typer.Argument(..., help="The .spacy file to write, or a directory for several"),
    show: Show = None,
) -> None:
    """Write the trees of UCCA graphs into .spacy files as dependencies, for a dependency parser to learn.

    Tags and graphs are kept. Dependencies in the files are replaced.
    """
    if is_directory(output) != data.is_dir() or not (data.is_dir() or output.suffix == SPACY):
        kind = "no directory" if data.is_dir() else "no .spacy file"
        raise typer.BadParameter(f"'{output}' is {kind}, as the input is.", param_hint="OUTPUT")
    from spacy.vocab import Vocab

    from ..tokens.dependencies import with_dependencies
    from ..training.corpus import find_docbins, read_docbin, write_docbin

    files = {
        path: output / path.relative_to(data) if data.is_dir() else output
        for path in find_docbins(data)
    }
    check_outputs(files.values(), files)
    for source, target in files.items():
        make_directory(target.parent)
        docs = progress(read_docbin(source, Vocab()), show=show, unit="doc")
        n = write_docbin(with_dependencies(docs), target)
        warn(f"{target}: {n} Docs.")
