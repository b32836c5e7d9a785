"""How the directions of links settle as the corpus grows: section 5.1 and the precision and recall figure of "Deriving
Multi-Headed Projective Dependency Parses from Link Grammar Parses" (Hong and Eisner).

    spacy-ucca links en_ewt-ud-train.conllu links/en.conllu
    python benchmarks/link_stability.py links/en.conllu --seeds 0,1,2 \\
        --json docs/link-stability.json --svg docs/link-stability.svg

Directions are found for growing random parts of a file of links; each part is the beginning of a larger one. What all
its sentences say is the key: precision is the share of a part's directions (a label and a direction that it may have)
that the key has too, recall the share of the key's directions that the part has. `--svg` needs
`pip install 'spacy-ucca[docs,links]'`; `--draw FILE` draws what `--json` wrote.
"""

import random
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import srsly
import typer
from measuring import JSON, report, table
from runs import parse_seeds

from spacy_ucca.bilexical.directions import BOTH, LEFT, RIGHT, Direction, orient
from spacy_ucca.bilexical.link_corpus import read_links
from spacy_ucca.bilexical.links import LinkGraph

FIGURES = ("precision", "recall")


def allowed(directions: Iterable[Direction]) -> set[tuple[str, str]]:
    """RETURNS (Set[Tuple[str, str]]): The labels, each with the directions that it may have."""
    both = (LEFT, RIGHT)
    return {
        (d.label, way) for d in directions for way in (both if d.allowed == BOTH else [d.allowed])
    }


def measure(
    graphs: Sequence[LinkGraph], sizes: Sequence[int], seed: int, time_limit: float
) -> list[dict[str, float]]:
    """Find the directions of growing parts of a corpus.

    graphs (Sequence[LinkGraph]): The corpus.
    sizes (Sequence[int]): How many sentences the parts have, from the smallest to all.
    seed (int): Of the order of sentences.
    time_limit (float): Seconds for each part.
    RETURNS (List[Dict[str, float]]): For each part its precision and recall, labels, cost, gap and seconds.
    """
    graphs = list(graphs)
    random.Random(seed).shuffle(graphs)
    runs = [orient(graphs[:size], time_limit=time_limit) for size in sizes]
    key = allowed(runs[-1].directions.values())
    found = []
    for run in runs:
        own = allowed(run.directions.values())
        shares = {"precision": len(own & key) / len(own), "recall": len(own & key) / len(key)}
        ways = run.to_dict()
        rest = ("labels", "both", "objective", "gap", "seconds")
        found.append({**shares, **{name: float(ways[name]) for name in rest}})
    return found


def draw(corpora: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Draw the curves, one panel for each corpus.

    corpora (Dict[str, List[Dict[str, Any]]]): For each corpus its parts, each with `sentences` and figures.
    path (Path): The SVG file.
    """
    try:
        import matplotlib
    except ImportError:
        raise typer.BadParameter(
            "Pictures need matplotlib: pip install 'spacy-ucca[docs]'.", param_hint="--svg"
        ) from None
    matplotlib.use("svg")
    # The same figures give the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "link stability", "svg.fonttype": "none"})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(corpora), figsize=(5.6 * len(corpora), 4), squeeze=False, layout="constrained"
    )
    for axis, (name, points) in zip(axes[0], corpora.items(), strict=True):
        for figure_name, marker in zip(FIGURES, "os", strict=True):
            axis.plot(
                [point["sentences"] for point in points],
                [100 * point[figure_name] for point in points],
                label=figure_name,
                marker=marker,
            )
        axis.set_title(name)
        axis.set_xlabel("sentences")
        axis.set_ylabel("%")
        axis.set_ylim(0, 102)
        axis.grid(alpha=0.3)
        axis.legend(loc="lower right")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def main(
    links: list[Path] = typer.Argument(None, help="CoNLL-U files of `spacy-ucca links`"),
    parts: int = typer.Option(8, min=2, help="Each part is half of the next one; so many"),
    seeds: str = "0,1,2",
    time_limit: float = typer.Option(600, help="Seconds for each part"),
    svg: Path | None = typer.Option(None, help="Draw the curves into this file"),
    drawn: Path | None = typer.Option(
        None, "--draw", help="Draw this file of figures; solve nothing"
    ),
    json: Path | None = JSON,
) -> None:
    """Find the directions of growing parts of link corpora."""
    if drawn is not None:
        if svg is None:
            raise typer.BadParameter("Say where to, with --svg.", param_hint="--draw")
        draw(srsly.read_json(drawn)["corpora"], svg)
        return
    if not links:
        raise typer.BadParameter("Give files of links (or --draw).")
    corpora: dict[str, list[dict[str, Any]]] = {}
    rows = [["corpus", "sentences", *FIGURES, "labels", "both", "cost", "gap, %", "seconds"]]
    for path in links:
        graphs = [parse.graph for parse, _ in read_links(path) if parse.is_connected]
        sizes = sorted({max(len(graphs) >> i, 1) for i in range(parts)})
        found = [measure(graphs, sizes, seed, time_limit) for seed in parse_seeds(seeds)]
        points: list[dict[str, Any]] = []
        for size, runs in zip(sizes, zip(*found, strict=True), strict=True):
            means = {name: statistics.mean(run[name] for run in runs) for name in runs[0]}
            points.append({"sentences": size, **means})
            cells = [f"{100 * means[name]:.1f}" for name in FIGURES]
            cells += [f"{means[name]:.0f}" for name in ("labels", "both", "objective")]
            cells += [f"{100 * means['gap']:.2f}", f"{means['seconds']:.1f}"]
            rows.append([path.stem, f"{size:,}", *cells])
        corpora[path.stem] = points
    result = {"corpora": corpora, "seeds": parse_seeds(seeds)}
    report(result, table(rows, "<" + ">" * 8), json)
    if svg is not None:
        draw(corpora, svg)


if __name__ == "__main__":
    typer.run(main)
