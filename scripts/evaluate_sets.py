"""Score a pipeline on each development set of some folders.

    python scripts/evaluate_sets.py PIPELINE METRICS FOLDER...

Runs `spacy-ucca evaluate` on every .spacy file of a FOLDER, if it is there; the scores of x.spacy go to METRICS/x.json.
"""

import subprocess
import sys
from pathlib import Path


def evaluate_sets(pipeline: Path, metrics: Path, *folders: Path) -> None:
    """Write the scores of each set.

    pipeline (Path): The pipeline.
    metrics (Path): Directory to write to.
    *folders (Path): The .spacy files with gold graphs.
    """
    files = [file for folder in folders for file in sorted(folder.glob("*.spacy"))]
    if not files:
        raise SystemExit(f"{folders[0]}: no .spacy file.")
    for file in files:
        print(file, flush=True)
        command = [sys.executable, "-m", "spacy_ucca", "evaluate", str(pipeline), str(file)]
        scores = ["--json", str(metrics / f"{file.stem}.json")]
        subprocess.run([*command, *scores, "--per-type", "--progress"], check=True)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    evaluate_sets(*map(Path, sys.argv[1:]))
