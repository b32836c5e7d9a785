"""`spacy-ucca compare`: write an HTML page of gold and predicted graphs with errors marked."""

from collections.abc import Iterator
from pathlib import Path

import typer

from ..errors import Errors, UccaError
from ..files import check_outputs
from ..graph import Graph
from ._command import Mapping, Passages, Show, app
from ._graphs import GRAPHS_HELP
from ._pairs import Pairing
from ._util import BadFiles, file_or_stream, open_for_writing, warn
from .score import parse_mapping


@app.command("compare")
def compare(
    gold: Path = typer.Argument(..., help=f"{GRAPHS_HELP}, gold", exists=True),
    predicted: Path = typer.Argument(
        ..., help="Predicted: files of the same names, or graphs of the same ids", exists=True
    ),
    output: Path = typer.Option(
        None, "--output", "-o", callback=file_or_stream, help="HTML file. Default: standard output"
    ),
    worst: bool = typer.Option(
        False, "--worst", "-w", help="Start with the sentences of lowest F1"
    ),
    limit: int = typer.Option(
        200, "--limit", "-n", min=1, help="Maximum number of sentences to draw"
    ),
    passages: Passages = False,
    mapping: Mapping = [],
    show: Show = None,
) -> None:
    """Write an HTML page that compares gold and predicted graphs: errors marked, scores of each sentence and of all.

    Files are matched by name, graphs of a file by id, Docs of two .spacy files by order. They are divided into sentences as
    the gold annotation divides them.
    """
    replaced = parse_mapping(mapping)
    bad = BadFiles()
    check_outputs([output], [gold, predicted])
    from ..drawing.page_comparison import render_comparison

    docs = gold.suffix == predicted.suffix == ".spacy"
    pairs = _docs(gold, predicted) if docs else _files(gold, predicted, bad, show)
    names: list[str] = []
    sides: tuple[list[Graph], list[Graph]] = ([], [])
    for name, where, theirs, ours in pairs:
        try:
            parts = _sentences(theirs, ours, passages)
        except UccaError as err:
            bad.add(where, err)
            continue
        for i, part in enumerate(parts, start=1):
            names.append(f"{name}, sentence {i}" if len(parts) > 1 else name)
            for side, graph in zip(sides, part, strict=True):
                side.append(graph)
    title = f"{gold.name} and {predicted.name}"
    page = render_comparison(
        *sides, title=title, names=names, worst=worst, limit=limit, mapping=replaced
    )
    with open_for_writing(output) as file:
        file.write(page)
    if output is not None:
        warn(f"{output}: open it in a browser.")
    bad.finish()


def _files(
    gold: Path, predicted: Path, bad: BadFiles, show: bool | None
) -> Iterator[tuple[str, object, Graph, Graph]]:
    for pair in Pairing(gold, predicted, "compared", bad, show):
        yield pair.name, pair.predicted_file, pair.gold, pair.predicted


def _docs(gold: Path, predicted: Path) -> Iterator[tuple[str, object, Graph, Graph]]:
    from spacy.vocab import Vocab

    from ..training.corpus import read_docbin

    vocab = Vocab()
    sides = [[doc for doc in read_docbin(path, vocab) if len(doc)] for path in (gold, predicted)]
    n_gold, n_predicted = map(len, sides)
    if n_gold != n_predicted:
        counts = {"n_gold": n_gold, "n_predicted": n_predicted}
        raise UccaError(Errors.UC612.format(gold=gold, predicted=predicted, **counts))
    for i, (theirs, ours) in enumerate(zip(*sides, strict=True), start=1):
        yield f"Doc {i}", f"Doc {i} of {predicted}", theirs._.ucca, ours._.ucca


def _sentences(gold: Graph, predicted: Graph, passages: bool) -> list[tuple[Graph, Graph]]:
    """Divide a pair of graphs into the sentences of the gold annotation.

    RAISES (UccaError): If the graphs are over different tokens.
    """
    from ..metric.score import compared_parts
    from ..text.split import sentence_ends, split_at

    next(compared_parts(predicted, gold))  # refuses other tokens
    if passages or not gold.edge_tuples:
        return [(gold, predicted)]
    ends = sentence_ends(gold)
    if len(ends) < 2:
        return [(gold, predicted)]
    return list(zip(split_at(gold, ends), split_at(predicted, ends), strict=True))
