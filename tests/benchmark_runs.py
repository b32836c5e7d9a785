"""Runs a benchmark as its command line would."""

import json
import warnings
from pathlib import Path

import typer
from typer.testing import CliRunner


def run(module, *args: object, folder: Path, code: int = 0) -> dict:
    """RETURNS (Dict): The figures that a benchmark writes."""
    app = typer.Typer()
    app.command()(module.main)
    path = folder / "figures.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = CliRunner().invoke(app, [*map(str, args), "--json", str(path)])
    assert result.exit_code == code, result.output + repr(result.exception)
    figures = json.loads(path.read_text("utf8")) if path.exists() else {}
    return {"output": result.output, **figures}
