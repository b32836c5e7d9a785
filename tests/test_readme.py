"""Check README and CONTRIBUTING: code runs; commands, options and files exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import COMMANDS

ROOT = Path(__file__).parent.parent
TEXTS = {name: (ROOT / name).read_text("utf8") for name in ("README.md", "CONTRIBUTING.md")}
BLOCKS = re.findall(r"```python\n(.*?)```", TEXTS["README.md"], re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_code_runs(number):
    code = BLOCKS[number]
    if "models/" in code and not (ROOT / "models").exists():
        pytest.skip("no pipeline ships yet")
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, encoding="utf8"
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", TEXTS)
def test_links_and_files_are_there(name):
    for target in re.findall(r"\]\(([^)]+)\)", TEXTS[name]):
        assert target.startswith("http") or (ROOT / target).exists(), target
    for path in re.findall(r"`((?:spacy_ucca|tests|benchmarks|configs)/[\w./]+)`", TEXTS[name]):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("name", TEXTS)
def test_commands_and_options_are_there(name):
    blocks = "".join(re.findall(r"```bash\n(.*?)```", TEXTS[name], re.DOTALL)).replace("\\\n", " ")
    lines = [line for line in blocks.splitlines() if line.startswith("spacy-ucca ")]
    for line in [*lines, *re.findall(r"`(spacy-ucca [^`\n]+)`", TEXTS[name])]:
        _, command, *rest = line.partition("#")[0].split()
        if command == "--version":
            continue
        assert command in COMMANDS, line
        known = {option for param in COMMANDS[command].params for option in param.opts}
        assert {word for word in rest if word.startswith("--")} <= known | {"--help"}, line


def test_two_commands_come_first():
    first = re.search(r"```bash\n(.*?)```", TEXTS["README.md"], re.DOTALL)[1]
    assert [line.split()[:2] for line in first.splitlines()] == [
        ["make", "parse"],
        ["make", "test"],
    ]


def test_contributing_has_the_commands_of_make_test():
    makefile = (ROOT / "Makefile").read_text("utf8")
    recipe = re.search(r"^test:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[1]
    lines = [
        line.strip().replace("$(BIN)", ".venv/bin").replace("$(JOBS)", "2")
        for line in recipe.splitlines()
    ]
    assert lines and all(line in TEXTS["CONTRIBUTING.md"] for line in lines)
    assert (ROOT / ".ci" / "run").read_text("utf8").endswith("make test\nmake slow\n")
