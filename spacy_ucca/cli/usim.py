"""`spacy-ucca usim`: compare pairs of texts by their graphs."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ._command import Gpu, Json, Model, Show, app
from ._text_pairs import PAIRS_HELP, LinesOutput, Other, run_pairs

if TYPE_CHECKING:
    from spacy.tokens import Doc

KEYS = ("first", "second")


@app.command("usim")
def usim_cli(
    model: Model,
    pairs: Path = typer.Argument(..., help=PAIRS_HELP.format(" and ".join(KEYS))),
    other: Other = None,
    output: LinesOutput = None,
    json_path: Json = None,
    gpu_id: Gpu = -1,
    show: Show = None,
) -> None:
    """Compare pairs of texts: by USim, which aligns units and compares their categories, and by who does what to whom.

    `usim` is the published measure, for sentences and their corrections. It does not see an exchange of roles or of linked
    Scenes, and a passive is far from its active; `predication_f1` sees all three.
    """

    def score(doc: "Doc", other: "Doc") -> dict[str, float]:
        from ..applications import predication_f1, usim

        return {"usim": usim(doc, other).f, "predication_f1": predication_f1(doc, other).f}

    run_pairs((pairs, other), model, KEYS, score, output, json_path, gpu_id, show)
