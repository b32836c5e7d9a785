"""`spacy-ucca samsa`: score simplifications against their sources."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ._command import Gpu, Json, Model, Show, app
from ._text_pairs import PAIRS_HELP, LinesOutput, Other, run_pairs

if TYPE_CHECKING:
    from spacy.tokens import Doc

KEYS = ("source", "simplification")


@app.command("samsa")
def samsa_cli(
    model: Model,
    pairs: Path = typer.Argument(..., help=PAIRS_HELP.format(" and ".join(KEYS))),
    other: Other = None,
    output: LinesOutput = None,
    all_scenes: bool = typer.Option(
        False, "--all-scenes", help="Count adjectives, possessives and the like as Scenes too"
    ),
    json_path: Json = None,
    gpu_id: Gpu = -1,
    show: Show = None,
) -> None:
    """Score simplifications by SAMSA: does each keep the Scenes of its source, one to a sentence? A simplification may have
    several sentences; the pipeline finds them.

    The score of a file is the mean of its pairs. `samsa_abl` has no penalty for Scenes that share a sentence.
    """

    def score(source: "Doc", simplification: "Doc") -> dict[str, float]:
        from ..applications import samsa

        found = samsa(source, simplification, all_scenes=all_scenes)
        return {"samsa": found.samsa, "samsa_abl": found.samsa_abl}

    run_pairs((pairs, other), model, KEYS, score, output, json_path, gpu_id, show)
