"""Runs commands, and holds that mistakes give a message and no traceback."""

from typer.testing import CliRunner

from spacy_ucca.cli import app

runner = CliRunner()


def run(*args: object, code: int = 0, input: str | bytes | None = None):
    result = runner.invoke(app, [str(arg) for arg in args], input=input)
    assert result.exit_code == code, result.output + repr(result.exception)
    if result.exception is not None:  # a message, never a traceback
        assert isinstance(result.exception, SystemExit)
    return result
