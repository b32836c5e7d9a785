"""`spacy-ucca bilexical`: convert bilexical graphs. `spacy-ucca dependencies`: write the trees of UCCA graphs as dependencies."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import Errors, UccaError
from ..files import check_outputs, write_whole
from ..formats.recognise import is_directory
from ._command import Show, app, choice, existing, flag, model_option
from ._util import make_directory, progress, warn, write_json

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ..sdp_parser.statistics import ArcStatistics


SPACY, SDP, CONLLU = ".spacy", ".sdp", ".conllu"


@app.command("bilexical")
def bilexical(
    data: Path = existing(
        "A file: .conllu (its enhanced dependencies), .conll, .sdp; or .spacy with UCCA graphs, or a directory "
        "of these"
    ),
    output: Path = typer.Argument(..., help="The file to write: .spacy, .sdp or .conllu"),
    model: str = model_option(
        "Pipeline that predicts tags and dependencies, in place of those in the file"
    ),
    cut: bool = typer.Option(
        True, "--cut/--no-cut", help="Cut words off enhanced labels: obl:from becomes obl"
    ),
    empty: str = choice(
        "join", ("join", "drop"), help="Join arcs through empty words of CoNLL-U, or leave them out"
    ),
    year: int = typer.Option(
        2015, help="Version of the .sdp format: 2014 or 2015", min=2014, max=2015
    ),
    tree: bool = flag(
        "Of UCCA graphs: keep one head for each token, and no remote edges", "--tree"
    ),
    limit: int = typer.Option(
        0, "--limit", "-n", help="Maximum number of sentences; 0: all", min=0
    ),
    json_path: Path = typer.Option(
        None,
        "--json",
        help="Write statistics of the graphs, candidate edges and features to a JSON file ('-': standard output)",
    ),
    show: Show = None,
) -> None:
    """Convert bilexical graphs to .spacy files for `sdp_parser`, or between file formats.

    UCCA graphs are converted to bilexical graphs. In .spacy files the UCCA graphs are kept too.
    """
    if output.suffix not in (SPACY, SDP, CONLLU):
        raise typer.BadParameter(
            f"'{output}' ends in none of .spacy, .sdp, .conllu.", param_hint="OUTPUT"
        )
    from ..formats.conll import format_conllu
    from ..formats.sdp import format_sdp
    from ..sdp_parser.extension import get_sdp
    from ..sdp_parser.statistics import ArcStatistics
    from ..training.corpus import find_docbins, write_docbin
    from ..training.sdp_corpus import BilexicalReport, iter_bilexical_docs, require_arcs
    from ._pipelines import load_pipeline

    files = find_docbins(data) if data.is_dir() else [data]
    if tree and data.is_file() and data.suffix != SPACY:
        raise UccaError(Errors.UC549.format(path=data))
    check_outputs([output, json_path], [*files, *([model] if model else [])])
    nlp = load_pipeline(model) if model else None
    report = BilexicalReport()
    docs = iter_bilexical_docs(data, report, nlp=nlp, cut=cut, empty=empty, tree=tree, limit=limit)
    statistics = ArcStatistics() if json_path is not None else None
    if statistics is not None:
        docs = _counted(docs, statistics)
    make_directory(output.parent)
    shown = progress(docs, total=limit or None, show=show, unit="doc")
    if output.suffix == SPACY:
        write_docbin(shown, output, require_arcs)
    else:
        blocks = []
        for doc in shown:
            graph = get_sdp(doc)
            assert graph is not None
            blocks.append(
                format_sdp(graph, year=year) if output.suffix == SDP else format_conllu(graph)
            )
        write_whole(output, "\n".join(blocks))
    warn(
        f"{output}: {report.docs} Docs, {report.tokens} tokens, {report.arcs} arcs, {report.multi_headed} tokens with "
        f"several heads."
    )
    if report.dropped:
        warn(f"{report.dropped} arcs of empty words, or from a token to itself, are left out.")
    if report.hidden:
        warn(
            f"{report.hidden} arcs stand beside another between the same tokens: parsers learn the first."
        )
    if statistics is not None:
        write_json(json_path, statistics.to_dict())


def _counted(docs: Iterable["Doc"], statistics: "ArcStatistics") -> Iterator["Doc"]:
    for doc in docs:
        statistics.add(doc)
        yield doc


@app.command("dependencies")
def dependencies(
    data: Path = existing("A .spacy file with gold graphs, or a directory of them"),
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
