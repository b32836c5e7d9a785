"""`spacy-ucca samsa`: score simplifications against their sources."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ._command import app
from ._text_pairs import LINES_HELP, OTHER_HELP, PAIRS_HELP, run_pairs
from ._util import JSON_HELP, PROGRESS_HELP, user_errors

if TYPE_CHECKING:
    from spacy.tokens import Doc

KEYS = ("source", "simplification")


@app.command("samsa")
def samsa_cli(
    pairs: Path = typer.Argument(..., help=PAIRS_HELP.format(" and ".join(KEYS))),
    other: Path = typer.Argument(None, help=OTHER_HELP),
    model: str = typer.Option(..., "--model", "-m", help="Pipeline: its name or directory"),
    output: Path = typer.Option(None, "--output", "-o", help=LINES_HELP),
    all_scenes: bool = typer.Option(
        False, "--all-scenes", help="Count adjectives, possessives and the like as Scenes too"
    ),
    json_path: Path = typer.Option(None, "--json", help=f"{JSON_HELP} ('-': standard output)"),
    gpu_id: int = typer.Option(-1, "--gpu-id", "-g", help="GPU id; -1: CPU"),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Score simplifications by SAMSA: does each keep the Scenes of its source, one to a sentence? A simplification may have
    several sentences; the pipeline finds them.

    The score of a file is the mean of its pairs. `samsa_abl` has no penalty for Scenes that share a sentence.
    """

    def score(source: "Doc", simplification: "Doc") -> dict[str, float]:
        from ..applications import samsa

        found = samsa(source, simplification, all_scenes=all_scenes)
        return {"samsa": found.samsa, "samsa_abl": found.samsa_abl}

    with user_errors():
        run_pairs((pairs, other), model, KEYS, score, output, json_path, gpu_id, show)
