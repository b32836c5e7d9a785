"""Print the tables of a paper, our values beside its own.

    python scripts/paper_tables.py TABLES.json METRICS [OUT.json]

TABLES.json is a list of tables. Each has a `title`, perhaps a `note`, `columns`, `rows` and a `unit`: "percent" (of shares,
the default), "count" or "number" (two decimals). A value is that of a key in a JSON file of the folder METRICS:

- A row with a `file` reads the key that its column names, in the object that its `under` leads to, if it has one.
- A row with a `key` reads it in the file that its column names.
- A row with neither has a table of `cells`: by column, the file and the key.

A key with dots leads into objects: `edges.remote`. The `paper` of a row has its values in the order of the columns, null where
it has none; `unit` of a row replaces that of the table. A unit may differ by column: {"nodes": "count"}; other columns are
percent. What is not measured yet is "-". The tables are printed as Markdown; OUT.json gets the same as data.
"""

import json
import sys
from pathlib import Path
from typing import Any

UNITS = ("percent", "count", "number")


class Metrics:
    """The JSON files of a folder.

    folder (Path): The folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, Any] = {}

    def get(self, file: str, key: str) -> float | None:
        """RETURNS (Optional[float]): The value of a key in a file; None if one of them is not there."""
        if file not in self._files:
            path = self.folder / file
            self._files[file] = read_json(path) if path.is_file() else {}
        value = self._files[file]
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value if isinstance(value, int | float) else None


def read_json(path: Path) -> Any:
    """RETURNS (Any): What a file says. Ends the program if it is no JSON."""
    try:
        return json.loads(path.read_text("utf8"))
    except (OSError, ValueError) as error:
        sys.exit(
            f"{path} cannot be read as JSON: {error}. Delete it and run the command that makes it."
        )


def cells(table: dict[str, Any], row: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """RETURNS (Dict[str, Tuple[str, str]]): By column, the file and the key of a row's values."""
    if "cells" in row:
        return {column: (file, key) for column, (file, key) in row["cells"].items()}
    if "file" in row:
        under = f"{row['under']}." if "under" in row else ""
        return {column: (row["file"], under + key) for column, key in table["columns"].items()}
    return {column: (file, row["key"]) for column, file in table["columns"].items()}


def unit_of(unit: str | dict[str, str], column: str) -> str:
    """RETURNS (str): The unit of a column, where the unit of a row is `unit`."""
    return unit.get(column, "percent") if isinstance(unit, dict) else unit


def read_rows(table: dict[str, Any], metrics: Metrics) -> list[dict[str, Any]]:
    """Collect the values of a table.

    table (Dict[str, Any]): An item of TABLES.json.
    metrics (Metrics): The files.
    RETURNS (List[Dict[str, Any]]): For each row its `name` and `unit`, and by column `ours` and the `paper`'s.
    """
    rows = []
    for row in table["rows"]:
        unit = row.get("unit", table.get("unit", "percent"))
        places = cells(table, row)
        ours: dict[str, float | None] = {}
        for column in table["columns"]:
            value = metrics.get(*places[column]) if column in places else None
            if value is not None and unit_of(unit, column) == "percent":
                value = round(100 * value, 1)
            ours[column] = value
        paper = dict(zip(table["columns"], row.get("paper", ())))
        rows.append({"name": row["name"], "unit": unit, "ours": ours, "paper": paper})
    return rows


def format_value(value: float | None, unit: str) -> str:
    """RETURNS (str): A value of a table."""
    if value is None:
        return "-"
    return {"percent": f"{value:.1f}", "count": f"{value:,.0f}", "number": f"{value:.2f}"}[unit]


def format_table(table: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """RETURNS (str): The table as Markdown."""
    columns = list(table["columns"])
    in_paper = [c for c in columns if any(row["paper"].get(c) is not None for row in rows)]
    head = ["", *columns, *(f"{column}, paper" for column in in_paper)]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        values = [row["ours"][c] for c in columns] + [row["paper"].get(c) for c in in_paper]
        units = [unit_of(row["unit"], column) for column in (*columns, *in_paper)]
        lines.append([row["name"], *map(format_value, values, units)])
    notes = [table["note"], ""] if "note" in table else []
    return "\n".join([table["title"], "", *notes, *(f"| {' | '.join(line)} |" for line in lines)])


def main(arguments: list[str]) -> None:
    """Read the files that are named and print the tables."""
    folder = Path(arguments[1])
    metrics = Metrics(folder)
    tables = read_json(Path(arguments[0]))
    made = [(table, read_rows(table, metrics)) for table in tables]
    if all(v is None for _, rows in made for row in rows for v in row["ours"].values()):
        wanted = {file for t in tables for row in t["rows"] for file, _ in cells(t, row).values()}
        sys.exit(f"{folder} has none of {', '.join(sorted(wanted))}. Train and evaluate first.")
    print("\n\n".join(format_table(table, rows) for table, rows in made))
    if len(arguments) > 2:
        data = [{"title": table["title"], "rows": rows} for table, rows in made]
        Path(arguments[2]).write_text(json.dumps(data, indent=1) + "\n", "utf8")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(sys.argv[1:])
