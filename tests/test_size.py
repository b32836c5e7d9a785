"""The package, docs and project file grow by more than 5 % only with a line in CHANGELOG.md. Its table "Size" has the
figures; `python tests/test_size.py` lowers those that are too high."""

import ast
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "spacy_ucca"
CHANGELOG = ROOT / "CHANGELOG.md"
GROWTH = 1.05
# Tokens that make no line of code. The ends of blocks stand on the line of the next statement.
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
ROW = re.compile(r"^\| (.+?) \| ([\d,]+) \|", re.MULTILINE)


def code_lines(path: Path) -> int:
    """RETURNS (int): The number of lines of a Python file that have code: no blank lines, comments and docstrings."""
    lines: set[int] = set()
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type not in NO_CODE:
                lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(path.read_text("utf8"))):
        scopes = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, scopes) and ast.get_docstring(node, clean=False) is not None:
            lines.difference_update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def count_words(*paths: Path) -> int:
    return sum(len(path.read_text("utf8").split()) for path in paths)


def longest(*paths: Path) -> int:
    """RETURNS (int): The number of lines of the longest file."""
    return max(len(path.read_text("utf8").splitlines()) for path in paths)


def measure() -> dict[str, int]:
    """RETURNS (Dict[str, int]): The sizes of this checkout, by their names in the table."""
    modules = [*PACKAGE.rglob("*.py")]
    errors = PACKAGE / "errors.py"  # a list of texts
    return {
        "lines of code in `spacy_ucca/`": sum(map(code_lines, modules)),
        "lines of the longest file": longest(
            *{*modules, *(ROOT / "tests").rglob("*.py")} - {errors}
        ),
        "words in `docs/*.md`": count_words(*(ROOT / "docs").glob("*.md")),
        "words in `README.md`": count_words(ROOT / "README.md"),
        "bytes of `project.yml`": len((ROOT / "project.yml").read_bytes()),
        "lines of the longest `projects/*/project.yml`": longest(
            *(ROOT / "projects").glob("*/project.yml")
        ),
    }


def recorded(text: str) -> dict[str, int]:
    """RETURNS (Dict[str, int]): The figures of the newest table "Size" in a changelog."""
    _, _, table = text.partition("\n### Size\n")
    rows = ROW.findall(re.split(r"\n##", table)[0])
    return {name: int(figure.replace(",", "")) for name, figure in rows}


def lowered(text: str, sizes: dict[str, int]) -> str:
    """RETURNS (str): A changelog with lower figures where sizes are lower. No figure is raised."""
    for name, figure in recorded(text).items():
        if sizes[name] < figure:
            text = text.replace(f"| {name} | {figure:,} |", f"| {name} | {sizes[name]:,} |", 1)
    return text


SIZES = measure()


@pytest.mark.parametrize("name", SIZES)
def test_size_grows_only_with_a_line_in_the_changelog(name):
    figure = recorded(CHANGELOG.read_text("utf8"))[name]
    assert SIZES[name] <= GROWTH * figure, (
        f"{SIZES[name]:,} {name}, more than 5 % over {figure:,}. Make it smaller; or raise the figure in the table "
        '"Size" of CHANGELOG.md and say there what needs it.'
    )


def test_code_is_counted_without_docstrings_comments_and_blank_lines(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        '"""Two\nlines."""\n\n# why\nX = (\n    1,  # one\n)\n\n\ndef f():\n    """D."""\n'
    )
    assert code_lines(path) == 4


def test_figures_are_lowered_and_never_raised():
    text = "## [2]\n\n### Size\n\n| | |\n|---|---|\n| a | 1,200 | why |\n| b | 7 | |\n\n## [1]\n\n| a | 1,200 |\n"
    assert recorded(text) == {"a": 1200, "b": 7}
    new = lowered(text, {"a": 1000, "b": 9})
    assert recorded(new) == {"a": 1000, "b": 7} and new.endswith("| a | 1,200 |\n")


if __name__ == "__main__":
    CHANGELOG.write_text(lowered(CHANGELOG.read_text("utf8"), SIZES), "utf8")
