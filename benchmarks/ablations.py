"""What each part of the parser gives: one `spacy train` for each line of a table and each seed.

    python benchmarks/ablations.py --train corpus/en/train/ewt.spacy --dev corpus/en/dev/ewt.spacy \\
        --syntax training/en/syntax/model-best --output training/ablations --seeds 0,1,2 --jobs 2

The table is a JSON file: a configuration, settings for all lines, and for each line the settings that differ
(or another `config`). Runs that are finished are left out, unless their settings have changed, so the command
can be stopped and given again. At the end it prints a table in Markdown: labeled F1 in percent on each
development set, mean and standard deviation over seeds.
"""

import re
from pathlib import Path
from typing import Any

import srsly
import typer
from measuring import JSON, report
from runs import METRICS, Run, make_all, named_files, over_seeds, parse_overrides, parse_seeds

HERE = Path(__file__).parent
Scores = dict[str, dict[str, dict[str, float]]]


def read_table(path: Path) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Read which lines there are.

    path (Path): The JSON file. Configurations are named from the directory above it.
    RETURNS (Dict[str, Tuple[Path, Dict[str, Any]]]): For each line its configuration and its settings.
    """
    table = srsly.read_json(path)
    unknown = set(table) - {"config", "overrides", "runs"}
    if unknown or not table.get("runs"):
        raise typer.BadParameter(f"{path} needs `config` and `runs`; it has {sorted(table)}.")
    lines = {}
    for name, settings in table["runs"].items():
        settings = {**table.get("overrides", {}), **settings}
        config = path.resolve().parents[1] / settings.pop("config", table.get("config", ""))
        if not config.is_file():
            raise typer.BadParameter(f"{path}, '{name}': there is no configuration {config}.")
        lines[name] = config, settings
    return lines


def markdown(lines: dict[str, Scores], dev: list[str]) -> str:
    """RETURNS (str): A table: mean and standard deviation in percent, "-" where nothing was scored."""
    head = [f"{d} {metric}" if len(dev) > 1 else metric for d in dev for metric in METRICS]
    rows = ["| | " + " | ".join(head) + " |", "|---" * (len(head) + 1) + "|"]
    for name, scores in lines.items():
        cells = []
        for d in dev:
            for metric in METRICS:
                found = scores.get(d, {}).get(metric)
                cells.append("-" if found is None else _cell(found))
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _cell(found: dict[str, float]) -> str:
    mean = f"{100 * found['mean']:.1f}"
    return mean if found["n"] == 1 else f"{mean} ± {100 * found['sd']:.1f}"


def main(
    train: Path = typer.Option(..., help=".spacy file or directory", exists=True),
    dev: list[Path] = typer.Option(..., help="A .spacy file; may be given several times"),
    output: Path = typer.Option(..., help="Where runs are kept"),
    syntax: Path | None = typer.Option(
        None, help="The tagger and parser, if the config wants them"
    ),
    table: Path = typer.Option(HERE / "ablations.json", help="The lines", exists=True),
    only: str = typer.Option("", help="Lines whose names match this regular expression"),
    seeds: str = "0,1,2",
    overrides: list[str] = typer.Option([], "--set", help="For all runs: training.dropout=0.3"),
    mapping: list[str] = typer.Option([], "--map", help="Replace a category on both sides: T=D"),
    jobs: int = typer.Option(1, help="Runs at a time"),
    gpu: int = -1,
    keep_models: bool = True,
    json: Path | None = JSON,
) -> None:
    """Train and score each line of a table with each seed."""
    files = named_files(dev)
    common = {"paths.train": str(train), "paths.dev": str(dev[0]), **parse_overrides(overrides)}
    if syntax is not None:
        common["paths.syntax"] = str(syntax)
    lines = {
        name: line for name, line in read_table(table).items() if not only or re.search(only, name)
    }
    runs: dict[str, list[Run]] = {}
    for name, (config, settings) in lines.items():
        slug = re.sub(r"\W+", "-", name).strip("-")
        runs[name] = [
            Run(
                folder=output / slug / f"seed-{seed}",
                config=config,
                overrides={**common, **settings, "system.seed": seed},
                dev=files,
                mapping=tuple(mapping),
                gpu=gpu,
                about={"line": name, "seed": seed},
            )
            for seed in parse_seeds(seeds)
        ]
    # Seed by seed, so that a table of one seed is there early.
    order = [run for group in zip(*runs.values(), strict=True) for run in group]
    found, failed = make_all(order, jobs, keep_model=keep_models)
    scores = {
        name: over_seeds(found[run.folder] for run in group if run.folder in found)
        for name, group in runs.items()
    }
    result = {
        "lines": scores,
        "overrides": {name: settings for name, (_, settings) in lines.items()},
        "seeds": parse_seeds(seeds),
        "mapping": mapping,
        "seconds": {
            name: [found[run.folder]["seconds"] for run in group if run.folder in found]
            for name, group in runs.items()
        },
        "failed": failed,
    }
    report(result, markdown(scores, list(files)), json)
    if failed:
        typer.echo(f"{failed} runs failed.", err=True)
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
