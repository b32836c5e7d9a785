"""Arguments that are mistakes: each gets a message that says what to give."""

from pathlib import Path

import pytest
from cli_runs import run
from typer.main import get_command

from spacy_ucca.cli import app

COMMANDS = get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_value_of_a_command_is_empty(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty path would be the current directory."""
    (tmp_path / "a.txt").write_text("I came.\n", "utf8")
    monkeypatch.chdir(tmp_path)
    arguments = [p for p in COMMANDS[name].params if p.param_type_name == "argument"]
    options = [p for p in COMMANDS[name].params if p.param_type_name != "argument"]
    given = {p.name: "a.txt" for p in arguments}
    for param in arguments:
        first = [*{**given, param.name: ""}.values()]
        for values in (first, ["a.txt", *first]) if param.nargs < 0 else (first,):
            result = run(name, *values, code=2)
            assert "UC582" in result.stderr and "The input is empty" in result.stderr
    for param in options:
        if not param.is_flag and "help" not in param.name:
            result = run(name, *given.values(), param.opts[0], "", code=2)
            assert "UC582" in result.stderr and param.opts[0] in result.stderr
    assert [*tmp_path.iterdir()] == [tmp_path / "a.txt"]


@pytest.mark.parametrize("args", [("parse",), ("find", "P"), ("split",)])
@pytest.mark.parametrize(
    "text", [("Hello",), ("Ann can't swim.",), ("Hello", "world"), ("x" * 999,)]
)
def test_a_text_in_place_of_a_file(
    args: tuple[str, ...], text: tuple[str, ...], model: str
) -> None:
    result = run(*args, *text, "-m", model, code=2)
    assert "UC583" in result.stderr and text[0] in result.stderr
    command = result.stderr.rpartition("spacy-ucca ")[2]  # it is one that can be run
    given = command.replace("PATTERN", "H").replace("MODEL", model).split()
    assert run(*given, input="".join(text)).stdout
