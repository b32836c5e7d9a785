"""Arguments that are mistakes: each gets a message that says what to give."""

from pathlib import Path

import pytest
import spacy
from cli_runs import run
from commands import COMMANDS
from spacy.tokens import DocBin

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.conllu import read_ud_sentences
from spacy_ucca.formats.files import read_graphs
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.training.corpus import graph_to_doc


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
        if not param.is_flag and "help" not in param.name and param.default != "":
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


def test_a_wrong_model_is_told_what_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By every command that has one."""
    monkeypatch.chdir(tmp_path)
    doc = graph_to_doc(*read_brackets("[H [A I] [P came]]"), spacy.blank("en").vocab)
    DocBin(store_user_data=True, docs=[doc]).to_disk("docs.spacy")
    Path("texts.txt").write_text("I came.\tI came.\n", "utf8")
    docs = ("bilexical", "calibrate", "convert", "evaluate", "finetune", "label")
    asked = 0
    for name, command in COMMANDS.items():
        names = {param.name for param in command.params}
        if "model" not in names and name != "evaluate":
            continue
        file = "docs.spacy" if name in docs else "texts.txt"
        arguments = [p.name for p in command.params if p.param_type_name == "argument"]
        values = {"model": "no_model", "pattern": "P", "output": "out.spacy"}
        args = [values.get(argument, file) for argument in arguments]
        args = ["no_model", file] if name == "evaluate" else args
        args += ["out.spacy"] if name == "convert" else []
        args += [] if "model" in arguments or name == "evaluate" else ["--model", "no_model"]
        args += ["-o", "out"] if name in ("calibrate", "finetune") else []
        error = run(name, *args, code=1).stderr
        assert "UC508" in error and "models/en_ucca_sm" in error and "README" in error, name
        asked += 1
    assert asked >= 12


def test_a_directory_in_place_of_a_file(model: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("samsa", "usim"):
        error = run(name, folder, "-m", model, code=1).stderr
        assert "UC585" in error and str(folder) in error and "Give a file" in error
    assert "UC585" in run("links", folder, tmp_path / "out.conllu", code=1).stderr
    for read in (read_graphs, read_xml, read_ud_sentences):
        with pytest.raises(UccaError, match=r"UC584.*folder.*find_files"):
            list(read(folder))
