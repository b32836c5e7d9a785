"""How accuracy grows with the training data: `spacy train` on growing random parts of a corpus.

    python benchmarks/learning_curve.py --train corpus/en/train/ewt.spacy --dev corpus/en/dev/ewt.spacy \\
        --syntax training/en/syntax/model-best --output training/curve --seeds 0,1,2 --jobs 2 \\
        --json learning-curve.json --svg learning-curve.svg

Each seed draws its own order of the Docs, and a smaller part is the beginning of a larger one. The number of
epochs stays, so the number of steps follows the size: what counts in steps (`total_steps`, `warmup_steps`,
`eval_frequency`, `max_steps`) is the configuration's, which must fit the whole corpus (`--set`), times the
fraction. Runs that are finished are left out, so the command can be stopped and given again. `--svg` needs
`pip install 'spacy-ucca[docs]'`; `--draw FILE` draws what `--json` wrote, and trains nothing.
"""

import random
from pathlib import Path
from typing import Any

import srsly
import typer
from measuring import JSON, report, table
from runs import METRICS, Run, make_all, named_files, over_seeds, parse_overrides, parse_seeds
from spacy.tokens import Doc
from spacy.util import load_config
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_ucca.corpus import find_docbins, read_docbin, write_docbin

CONFIG = Path(__file__).parents[1] / "configs" / "ucca.cfg"
STEPS = (
    "training.max_steps",
    "training.eval_frequency",
    "training.optimizer.learn_rate.total_steps",
    "training.optimizer.learn_rate.warmup_steps",
)


def scaled_steps(config: Config, overrides: dict[str, Any], fraction: float) -> dict[str, int]:
    """Make what counts in steps follow the size of the data.

    config (Config): The configuration.
    overrides (Dict[str, Any]): Settings that replace the configuration's.
    fraction (float): The part of the corpus.
    RETURNS (Dict[str, int]): Settings for that part; zeros ("no limit") stay zeros.
    """
    scaled = {}
    for name in STEPS:
        value: Any = overrides.get(name)
        if value is None:
            value = config
            for part in name.split("."):
                value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, int) and value:
            scaled[name] = max(round(value * fraction), 1)
    return scaled


def write_part(docs: list[Doc], fraction: float, seed: int, path: Path) -> tuple[int, int]:
    """Write a random part of a corpus; with the same seed, smaller parts are in larger ones.

    docs (List[Doc]): The corpus.
    fraction (float): How much of it.
    seed (int): Of the order.
    path (Path): The .spacy file.
    RETURNS (Tuple[int, int]): Its Docs and tokens.
    """
    order = list(range(len(docs)))
    random.Random(seed).shuffle(order)
    part = [docs[i] for i in sorted(order[: max(round(fraction * len(docs)), 1)])]
    write_docbin(part, path)
    return len(part), sum(len(doc) for doc in part)


def draw(points: list[dict[str, Any]], path: Path, title: str) -> None:
    """Draw the curves, one panel for each development set.

    points (List[Dict[str, Any]]): For each part, its `docs` and `scores`.
    path (Path): The SVG file.
    title (str): What is above it.
    """
    try:
        import matplotlib
    except ImportError:
        raise typer.BadParameter(
            "Pictures need matplotlib: pip install 'spacy-ucca[docs]'.", param_hint="--svg"
        ) from None
    matplotlib.use("svg")
    # The same figures give the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "learning curve", "svg.fonttype": "none"})
    from matplotlib import pyplot
    from matplotlib.ticker import NullLocator

    names = list(points[-1]["scores"])
    figure, axes = pyplot.subplots(
        1, len(names), figsize=(6.4 * len(names), 4.4), squeeze=False, layout="constrained"
    )
    sizes = [point["docs"] for point in points]
    for axis, name in zip(axes[0], names, strict=True):
        for metric, marker in zip(METRICS, "osD^", strict=True):
            found = [point["scores"].get(name, {}).get(metric) for point in points]
            kept = [(x, y) for x, y in zip(sizes, found, strict=True) if y is not None]
            if not kept:
                continue
            axis.errorbar(
                [x for x, _ in kept],
                [100 * y["mean"] for _, y in kept],
                yerr=[100 * y["sd"] for _, y in kept],
                label=metric,
                marker=marker,
                capsize=3,
            )
        axis.set_xscale("log")
        axis.set_xticks(sizes, [f"{n:,}" for n in sizes])
        axis.xaxis.set_minor_locator(NullLocator())
        axis.set_xlabel("training sentences")
        axis.set_ylabel(f"labeled F1 on {name}, %")
        axis.grid(alpha=0.3)
        axis.legend()
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def main(
    train: Path | None = typer.Option(None, help=".spacy file or directory", exists=True),
    dev: list[Path] = typer.Option([], help="A .spacy file; may be given several times"),
    output: Path | None = typer.Option(None, help="Where runs are kept"),
    syntax: Path | None = typer.Option(
        None, help="The tagger and parser, if the config wants them"
    ),
    config: Path = typer.Option(CONFIG, exists=True),
    fractions: str = typer.Option("0.0625,0.125,0.25,0.5,1", help="Parts of the corpus"),
    seeds: str = "0,1,2",
    overrides: list[str] = typer.Option([], "--set", help="For all runs: training.dropout=0.3"),
    jobs: int = typer.Option(1, help="Runs at a time"),
    gpu: int = -1,
    keep_models: bool = False,
    title: str = "Accuracy by the size of the training data",
    svg: Path | None = typer.Option(None, help="Draw the curves into this file"),
    drawn: Path | None = typer.Option(
        None, "--draw", help="Draw this file of figures; train nothing"
    ),
    json: Path | None = JSON,
) -> None:
    """Train on growing parts of a corpus."""
    if drawn is not None:
        if svg is None:
            raise typer.BadParameter("Say where to, with --svg.", param_hint="--draw")
        draw(srsly.read_json(drawn)["points"], svg, title)
        return
    if train is None or not dev or output is None:
        raise typer.BadParameter("Give --train, --dev and --output (or --draw).")
    files = named_files(dev)
    docs = [doc for path in find_docbins(train) for doc in read_docbin(path, Vocab()) if len(doc)]
    settings = parse_overrides(overrides)
    if syntax is not None:
        settings["paths.syntax"] = str(syntax)
    loaded = load_config(config)
    wanted = sorted({float(fraction) for fraction in fractions.split(",")})
    if not wanted or not 0 < wanted[0] <= wanted[-1] <= 1:
        raise typer.BadParameter("Fractions are above 0 and at most 1.", param_hint="--fractions")
    runs: dict[float, list[Run]] = {fraction: [] for fraction in wanted}
    sizes: dict[float, list[tuple[int, int]]] = {fraction: [] for fraction in wanted}
    for seed in parse_seeds(seeds):
        for fraction in wanted:
            folder = output / f"{fraction:g}" / f"seed-{seed}"
            path = folder / "train.spacy"
            sizes[fraction].append(write_part(docs, fraction, seed, path))
            own = {"paths.train": str(path), "paths.dev": str(dev[0]), "system.seed": seed}
            runs[fraction].append(
                Run(
                    folder=folder,
                    config=config,
                    overrides={**settings, **scaled_steps(loaded, settings, fraction), **own},
                    dev=files,
                    gpu=gpu,
                    about={"fraction": fraction, "seed": seed},
                )
            )
    order = [run for group in zip(*runs.values(), strict=True) for run in group]
    found, failed = make_all(order, jobs, keep_model=keep_models)
    points: list[dict[str, Any]] = [
        {
            "fraction": fraction,
            "docs": round(sum(n for n, _ in sizes[fraction]) / len(sizes[fraction])),
            "tokens": round(sum(n for _, n in sizes[fraction]) / len(sizes[fraction])),
            "scores": over_seeds(
                found[run.folder] for run in runs[fraction] if run.folder in found
            ),
        }
        for fraction in wanted
    ]
    columns = [(name, metric) for name in files for metric in METRICS]
    rows = [["sentences", "tokens", *(f"{name} {metric}" for name, metric in columns)]]
    for point in points:
        cells = (point["scores"].get(name, {}).get(metric) for name, metric in columns)
        rows.append(
            [
                f"{point['docs']:,}",
                f"{point['tokens']:,}",
                *(
                    "-" if c is None else f"{100 * c['mean']:.1f} ± {100 * c['sd']:.1f}"
                    for c in cells
                ),
            ]
        )
    result = {"points": points, "seeds": parse_seeds(seeds), "failed": failed}
    report(result, table(rows, ">" * len(rows[0])), json)
    if svg is not None and any(point["scores"] for point in points):
        draw([point for point in points if point["scores"]], svg, title)
    if failed:
        typer.echo(f"{failed} runs failed.", err=True)
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
