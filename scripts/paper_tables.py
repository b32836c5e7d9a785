"""Print the tables of a paper, our values beside its own.

    python scripts/paper_tables.py TABLES.json METRICS [OUT.json]

TABLES.json is a list of tables. Each has a `title`, perhaps a `note`, `columns`, `rows` and a `unit`: "percent" (of shares,
the default), "share" (the percentage of the sum of the object that the key is in), "count" or "number" (two decimals). A
value is that of a key in a JSON file of the folder METRICS:

- A row with a `file` reads the key that its column names, below the key `under`, if it has one.
- A row with a `key` reads it in the file that its column names.
- A row with a `mean` has the means of the rows that it names.
- A row with none of these has a table of `cells`: by column, the file and the key.

A key with dots leads into objects: `edges.remote`. The `paper` of a row has its values in the order of the columns, null where
it has none; `unit` of a row replaces that of the table, and `units` of the table has those of single columns. What is not
measured yet is "-"; a table with `"sparse": true` has 0 for keys that a file does not have. The tables are printed as Markdown;
OUT.json gets the same as data.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FORMATS = {"percent": ".1f", "share": ".1f", "count": ",.0f", "number": ".2f"}


class Metrics:
    """The JSON files of a folder.

    folder (Path): The folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, Any] = {}

    def get(self, file: str, key: str) -> Any:
        """RETURNS (Any): The value of a key in a file; None if one of them is not there."""
        if file not in self._files:
            path = self.folder / file
            self._files[file] = read_json(path) if path.is_file() else {}
        value = self._files[file]
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def number(self, file: str, key: str, unit: str, sparse: bool) -> float | None:
        """RETURNS (Optional[float]): The value of a key in a unit; None if it is not there, or no number."""
        around = self.get(file, key.rpartition(".")[0]) if "." in key else None
        value = self.get(file, key)
        if value is None and sparse and isinstance(around, dict):
            value = 0
        if not isinstance(value, int | float):
            return None
        if unit == "share":
            value /= sum(around.values()) or 1
        return 100 * value if unit in ("percent", "share") else value


def read_json(path: Path) -> Any:
    """RETURNS (Any): What a file says. Ends the program if it is no JSON."""
    try:
        return json.loads(path.read_text("utf8"))
    except (OSError, ValueError) as error:
        sys.exit(
            f"{path} cannot be read as JSON: {error}. If a command makes it, delete it and run that again."
        )


def cells(table: dict[str, Any], row: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """RETURNS (Dict[str, Tuple[str, str]]): By column, the file and the key of a row's values."""
    if "cells" in row or "mean" in row:
        return {column: (file, key) for column, (file, key) in row.get("cells", {}).items()}
    if "file" in row:
        under = f"{row['under']}." if "under" in row else ""
        return {column: (row["file"], under + key) for column, key in table["columns"].items()}
    return {column: (file, row["key"]) for column, file in table["columns"].items()}


def read_rows(table: dict[str, Any], metrics: Metrics) -> list[dict[str, Any]]:
    """Collect the values of a table.

    table (Dict[str, Any]): An item of TABLES.json.
    metrics (Metrics): The files.
    RETURNS (List[Dict[str, Any]]): For each row its `name` and `unit`, and by column `ours` and the `paper`'s.
    """
    rows = []
    named = {row["name"]: row for row in table["rows"]}
    sparse = table.get("sparse", False)
    for row in table["rows"]:
        unit = row.get("unit", table.get("unit", "percent"))
        places = [cells(table, named[name]) for name in row.get("mean", [row["name"]])]
        ours: dict[str, float | None] = {}
        for column in table["columns"]:
            own = unit_of(table, column, unit)
            values = [
                metrics.number(*part[column], own, sparse) for part in places if column in part
            ]
            value = mean(values) if len(values) == len(places) else None
            if value is not None and own in ("percent", "share"):
                value = round(value, 1)
            ours[column] = value
        if len(row.get("paper", ())) > len(table["columns"]):
            raise ValueError(f"'{row['name']}' has more values of the paper than columns")
        paper = dict(zip(table["columns"], row.get("paper", ())))
        rows.append({"name": row["name"], "unit": unit, "ours": ours, "paper": paper})
    return rows


def unit_of(table: dict[str, Any], column: str, unit: str) -> str:
    """RETURNS (str): The unit of a cell, given that of its row."""
    return str(table.get("units", {}).get(column, unit))


def mean(values: Sequence[float | None]) -> float | None:
    """RETURNS (Optional[float]): The mean of values; None if one is missing."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def format_value(value: float | None, unit: str) -> str:
    """RETURNS (str): A value of a table."""
    if value is None:
        return "-"
    return format(value, FORMATS[unit])


def format_table(table: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """RETURNS (str): The table as Markdown."""
    columns = list(table["columns"])
    in_paper = [c for c in columns if any(row["paper"].get(c) is not None for row in rows)]
    head = ["", *columns, *(f"{column}, paper" for column in in_paper)]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        cells_of_row = [(c, row["ours"][c]) for c in columns]
        cells_of_row += [(c, row["paper"].get(c)) for c in in_paper]
        values = (format_value(v, unit_of(table, c, row["unit"])) for c, v in cells_of_row)
        lines.append([row["name"], *values])
    notes = [table["note"], ""] if "note" in table else []
    return "\n".join([table["title"], "", *notes, *(f"| {' | '.join(line)} |" for line in lines)])


def main(arguments: list[str]) -> None:
    """Read the files that are named and print the tables."""
    source, folder, *output = map(Path, arguments)
    metrics = Metrics(folder)
    tables = read_json(source)
    try:
        made = [(table, read_rows(table, metrics)) for table in tables]
        places = [place for t in tables for row in t["rows"] for place in cells(t, row).values()]
        text = "\n\n".join(format_table(table, rows) for table, rows in made)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        sys.exit(f"{source} is not as the head of this script says: {error!r}.")
    files = sorted({file for file, _ in places})
    if all(v is None for _, rows in made for row in rows for v in row["ours"].values()):
        sys.exit(f"{folder} has none of {', '.join(files)}. Train and evaluate first.")
    print(text)
    for path in output:
        if path.resolve() in {source.resolve(), *((folder / file).resolve() for file in files)}:
            sys.exit(f"{path} is read, so it is not written. Give another file.")
        data = [{"title": table["title"], "rows": rows} for table, rows in made]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(data, indent=1) + "\n", "utf8")
        except OSError as error:
            sys.exit(f"{path} cannot be written: {error.strerror}.")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(sys.argv[1:])
