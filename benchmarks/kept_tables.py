"""Tables that grow by a row with each command: rows kept in a JSON file, the table in a page of the docs.

What rows hold is measured by `all_parsers.py` and `sdp_parsers.py`; nothing is measured here.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import srsly
import typer

from spacy_ucca.cli._util import write_json

Row = dict[str, Any]

# Options of the scripts
COMMAND = typer.Option("", help="The command that trains it")
REPEAT = typer.Option(3, min=1, help="Rounds of timing")
ROWS = typer.Option(..., "--json", help="The file of the rows")
PAGE = typer.Option(None, help="A Markdown file to put the table into")


class KeptTable(NamedTuple):
    """What a table is like.

    script (str): The name of the script, for the marks in the page.
    key (Tuple[str, ...]): A row takes the place of that with the same values of these.
    columns (Mapping[str, Callable[[Row], str]]): The text of each cell, by the head of its column.
    rank (Callable[[Row], float]): Rows are sorted by this, the greatest first, `group` by `group`.
    group (str): What rows stand together for, in the order in which they came.
    """

    script: str
    key: tuple[str, ...]
    columns: Mapping[str, Callable[[Row], str]]
    rank: Callable[[Row], float]
    group: str

    @property
    def marks(self) -> tuple[str, str]:
        """RETURNS (Tuple[str, str]): The lines before and after the table in a page."""
        return f"<!-- table of benchmarks/{self.script} -->", "<!-- end of the table -->"

    def add(self, rows: list[Row], row: Row) -> None:
        """Put a row into the place of that of the same key, or at the end."""
        for i, other in enumerate(rows):
            if all(other[name] == row[name] for name in self.key):
                rows[i] = row
                return
        rows.append(row)

    def markdown(self, rows: list[Row]) -> str:
        """RETURNS (str): The table."""
        order = list(dict.fromkeys(row[self.group] for row in rows))
        lines = ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        for row in sorted(rows, key=lambda row: (order.index(row[self.group]), -self.rank(row))):
            lines.append("| " + " | ".join(cell(row) for cell in self.columns.values()) + " |")
        return "\n".join(lines)

    def put(self, page: Path, table: str) -> None:
        """Put the table between the marks of a page.
        RAISES (BadParameter): If there is no page, or it has no marks."""
        text = page.read_text("utf8") if page.is_file() else ""
        before, start, rest = text.partition(self.marks[0])
        _, end, after = rest.partition(self.marks[1])
        if not start or not end:
            marks = "' and '".join(self.marks)
            raise typer.BadParameter(f"{page} has no lines '{marks}'.")
        page.write_text(f"{before}{start}\n\n{table}\n\n{end}{after}", "utf8")

    def update(self, new: Iterable[Row], json: Path, page: Path | None) -> None:
        """Add rows to the file, print the table and put it into a page.

        new (Iterable[Row]): The rows.
        json (Path): The file of all rows.
        page (Optional[Path]): The page.
        """
        rows: list[Row] = srsly.read_json(json)["rows"] if json.exists() else []
        for row in new:
            self.add(rows, row)
        write_json(json, {"rows": rows})
        table = self.markdown(rows)
        typer.echo(table)
        if page is not None:
            self.put(page, table)


def percent(value: float | None) -> float | None:
    """RETURNS (Optional[float]): A score in percent, to a tenth."""
    return None if value is None else round(100 * value, 1)


def tenth(name: str) -> Callable[[Row], str]:
    """RETURNS (Callable): The cell of a number, to a tenth; empty without one."""
    return lambda row: f"{row[name]:.1f}" if row.get(name) is not None else ""


def whole(name: str) -> Callable[[Row], str]:
    """RETURNS (Callable): The cell of a whole number; empty without one."""
    return lambda row: f"{row[name]:,}" if row.get(name) else ""


def text(name: str, mark: str = "") -> Callable[[Row], str]:
    """RETURNS (Callable): The cell of a text, between marks."""
    return lambda row: f"{mark}{row[name]}{mark}"


def megabytes(folder: Path | None) -> float | None:
    """RETURNS (Optional[float]): The size of all files in a directory, in millions of bytes."""
    if folder is None:
        return None
    return round(sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6, 1)


def words_per_second(
    run: Callable[[list[Any]], Any], make: Callable[[], list[Any]], repeat: int
) -> int:
    """Time something on Docs, in CPU time.

    run (Callable[[List[Doc]], Any]): What is timed.
    make (Callable[[], List[Doc]]): Makes new Docs for each round.
    repeat (int): Rounds.
    RETURNS (int): Tokens per second in the best round.
    """
    seconds = []
    for _ in range(repeat):
        docs = make()
        start = time.process_time()
        run(docs)
        seconds.append(time.process_time() - start)
    return round(sum(map(len, docs)) / min(seconds))
