"""Training runs that can be taken up again: one `spacy train` and its scores on development sets.

Runs are made, left out if they are finished, and put together as mean and standard deviation over seeds.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

METRICS = {
    "primary": "ucca_primary_f",
    "remote": "ucca_remote_f",
    "all": "ucca_f",
    "implicit": "ucca_implicit_f",
}


@dataclass(frozen=True)
class Run:
    """One training run.

    folder (Path): Where it is kept: `model-best`, `train.log`, `scores.json`.
    config (Path): The configuration.
    overrides (Mapping[str, Any]): Settings to replace, by their dotted names.
    dev (Mapping[str, Path]): .spacy files to score on, by name.
    mapping (Tuple[str, ...]): Categories to replace on both sides, as "T=D".
    gpu (int): The GPU, or -1.
    about (Mapping[str, Any]): What is written beside the scores.
    """

    folder: Path
    config: Path
    overrides: Mapping[str, Any]
    dev: Mapping[str, Path]
    mapping: tuple[str, ...] = ()
    gpu: int = -1
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scores_path(self) -> Path:
        """RETURNS (Path): Where the scores are written; the file is there when the run is finished."""
        return self.folder / "scores.json"

    def training_command(self) -> list[str]:
        """RETURNS (List[str]): The arguments of `spacy train`. Values are written as JSON, as it reads them."""
        command = ["-m", "spacy", "train", str(self.config), "--output", str(self.folder)]
        command += ["--gpu-id", str(self.gpu)]
        for name, value in self.overrides.items():
            command += [f"--{name}", value if isinstance(value, str) else json.dumps(value)]
        return command

    def key(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): What the scores depend on: if it has changed, the run is made again."""
        command = [part for part in self.training_command() if part != str(self.folder)]
        text = self.config.read_text("utf8")
        dev = {name: str(path) for name, path in self.dev.items()}
        return {"command": command, "config": text, "dev": dev, "mapping": list(self.mapping)}

    def finished(self) -> dict[str, Any] | None:
        """RETURNS (Optional[Dict[str, Any]]): What an earlier run of the same settings found."""
        if not self.scores_path.exists():
            return None
        found = json.loads(self.scores_path.read_text("utf8"))
        return found if found.get("key") == self.key() else None

    def make(self, *, keep_model: bool = True) -> dict[str, Any]:
        """Train and score.

        keep_model (bool): Whether to leave the weights where they are.
        RETURNS (Dict[str, Any]): The `scores` on each development set, `seconds` of training, `key`.
        RAISES (RuntimeError): If a command fails, with the end of what it said.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self.scores_path.unlink(missing_ok=True)
        log = self.folder / "train.log"
        start = time.perf_counter()
        call(self.training_command(), log)
        seconds = time.perf_counter() - start
        best = self.folder / "model-best"
        scores = self.score(best)
        _remove(self.folder / "model-last")
        if not keep_model:
            _remove(best)
        result = {
            "scores": scores,
            "seconds": round(seconds, 1),
            "about": dict(self.about),
            "key": self.key(),
        }
        self.scores_path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", "utf8")
        return result

    def score(self, pipeline: Path) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): What `spacy-ucca evaluate` finds of a pipeline on each development set."""
        scores: dict[str, Any] = {}
        for name, path in self.dev.items():
            out = self.folder / f"{name}.json"
            command = ["-m", "spacy_ucca", "evaluate", str(pipeline), str(path), "--json", str(out)]
            for item in self.mapping:
                command += ["--map", item]
            call([*command, "--gpu-id", str(self.gpu), "--no-progress"], self.folder / "train.log")
            scores[name] = json.loads(out.read_text("utf8"))
        return scores


def call(arguments: list[str], log: Path) -> None:
    """Run Python, in one thread unless the environment says otherwise, and keep what it says."""
    env = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **os.environ}
    with log.open("a", encoding="utf8") as file:
        done = subprocess.run([sys.executable, *arguments], stdout=file, stderr=file, env=env)
    if done.returncode:
        tail = "\n".join(log.read_text("utf8", errors="replace").splitlines()[-5:])
        raise RuntimeError(
            f"{' '.join(arguments)}\nended with {done.returncode}; see {log}:\n{tail}"
        )


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def make_all(
    runs: Iterable[Run], jobs: int, *, keep_model: bool = True
) -> tuple[dict[Path, dict[str, Any]], int]:
    """Make the runs that are not finished.

    runs (Iterable[Run]): The runs.
    jobs (int): How many at a time, each in one thread.
    keep_model (bool): Whether to keep the weights.
    RETURNS (Tuple[Dict[Path, Dict], int]): What was found, by the folder of the run, and how many failed.
    """

    def one(run: Run) -> tuple[Path, dict[str, Any] | None]:
        found = run.finished()
        if found is None:
            typer.echo(f"Training {run.folder}", err=True)
            try:
                found = run.make(keep_model=keep_model)
            except RuntimeError as err:
                typer.echo(f"Failed: {err}", err=True)
        return run.folder, found

    with ThreadPoolExecutor(max_workers=max(jobs, 1)) as pool:
        results = list(pool.map(one, runs))
    found = {folder: result for folder, result in results if result is not None}
    return found, len(results) - len(found)


def over_seeds(results: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """Put runs together that differ by their seed.

    results (Iterable[Mapping]): What `Run.make` gave.
    RETURNS (Dict[str, Dict[str, Dict[str, float]]]): For each development set and metric, `mean`, `sd` (of
        the sample; 0 for one run) and `n`; metrics that had nothing to score are left out.
    """
    values: dict[str, dict[str, list[float]]] = {}
    for result in results:
        for dev, scores in result["scores"].items():
            for name, key in METRICS.items():
                if scores.get(key) is not None:
                    values.setdefault(dev, {}).setdefault(name, []).append(scores[key])
    return {
        dev: {
            name: {
                "mean": statistics.fmean(found),
                "sd": statistics.stdev(found) if len(found) > 1 else 0.0,
                "n": len(found),
            }
            for name, found in metrics.items()
        }
        for dev, metrics in values.items()
    }


def parse_seeds(text: str) -> list[int]:
    """RETURNS (List[int]): The seeds of "0,1,2"."""
    try:
        return [int(seed) for seed in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not of the form 0,1,2.") from None


def parse_overrides(items: Iterable[str]) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The settings of "training.dropout=0.3", values as JSON where they are."""
    overrides: dict[str, Any] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not (name and equals):
            raise typer.BadParameter(f"'{item}' is not of the form training.dropout=0.3.")
        try:
            overrides[name] = json.loads(value)
        except ValueError:
            overrides[name] = value
    return overrides


def named_files(items: Iterable[Path]) -> dict[str, Path]:
    """RETURNS (Dict[str, Path]): .spacy files by their names without the suffix; names must differ."""
    files: dict[str, Path] = {}
    for path in items:
        if path.stem in files:
            raise typer.BadParameter(f"Two development sets are named {path.stem}.")
        files[path.stem] = path
    return files
