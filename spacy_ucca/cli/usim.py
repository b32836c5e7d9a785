"""`spacy-ucca usim`: compare pairs of texts by their graphs."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ._command import app
from ._text_pairs import LINES_HELP, OTHER_HELP, PAIRS_HELP, run_pairs
from ._util import JSON_HELP, PROGRESS_HELP, user_errors

if TYPE_CHECKING:
    from spacy.tokens import Doc

KEYS = ("first", "second")


@app.command("usim")
def usim_cli(
    pairs: Path = typer.Argument(..., help=PAIRS_HELP.format(" and ".join(KEYS))),
    other: Path = typer.Argument(None, help=OTHER_HELP),
    model: str = typer.Option(..., "--model", "-m", help="Pipeline: its name or directory"),
    output: Path = typer.Option(None, "--output", "-o", help=LINES_HELP),
    json_path: Path = typer.Option(None, "--json", help=f"{JSON_HELP} ('-': standard output)"),
    gpu_id: int = typer.Option(-1, "--gpu-id", "-g", help="GPU id; -1: CPU"),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Compare pairs of texts: by USim, which aligns units and compares their categories, and by who does what to whom.

    `usim` is the published measure, for sentences and their corrections. It does not see an exchange of roles or of linked
    Scenes, and a passive is far from its active; `predication_f1` sees all three.
    """

    def score(doc: "Doc", other: "Doc") -> dict[str, float]:
        from ..applications import predication_f1, usim

        return {"usim": usim(doc, other).f, "predication_f1": predication_f1(doc, other).f}

    with user_errors():
        run_pairs((pairs, other), model, KEYS, score, output, json_path, gpu_id, show)
