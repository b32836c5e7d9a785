"""Score a pipeline on each development set of some folders.

    python scripts/evaluate_sets.py PIPELINE METRICS FOLDER...

Runs `spacy-ucca evaluate` on every .spacy file of a FOLDER, if it is there; the scores of x.spacy go to METRICS/x.json.
Other .json files of METRICS are removed: scripts/write_scores.py packages all that are there.
"""

import subprocess
import sys
from pathlib import Path


def evaluate_sets(pipeline: Path, metrics: Path, *folders: Path) -> None:
    """Write the scores of each set.

    pipeline (Path): The pipeline.
    metrics (Path): Directory to write to.
    *folders (Path): The .spacy files with gold graphs.
    RAISES (SystemExit): If there are none, two have one name, or a command fails: with its exit code.
    """
    files = [file for folder in dict.fromkeys(folders) for file in sorted(folder.glob("*.spacy"))]
    if not files:
        raise SystemExit(f"{folders[0]}: no .spacy file.")
    named: dict[str, Path] = {}
    for file in files:
        if (other := named.setdefault(f"{file.stem}.json", file)) != file:
            message = f"The scores of {other} and {file} would go to one file"
            raise SystemExit(f"{message}, {metrics / file.stem}.json. Rename one of them.")
    for path in sorted(metrics.glob("*.json")):
        if path.name not in named:
            print(f"{path} is removed: it is of another set.")
            path.unlink()
    for file in files:
        print(file, flush=True)
        command = [sys.executable, "-m", "spacy_ucca", "evaluate", str(pipeline), str(file)]
        scores = ["--json", str(metrics / f"{file.stem}.json")]
        done = subprocess.run([*command, *scores, "--per-type", "--progress"])
        if done.returncode:  # the command has said why
            raise SystemExit(done.returncode)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    evaluate_sets(*map(Path, sys.argv[1:]))
