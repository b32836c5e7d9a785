"""Print the table of a paper, our scores beside its own.

    python scripts/paper_table.py TABLE.json METRICS [OUT.json]

TABLE.json has the `title`, the `columns` (name and the key of a metrics file), and the `rows`: a `name`, the `file` in the
folder METRICS, and the values of the `paper` in the order of the columns, null where it has none. Rows without a file yet
have "-". The table is printed as Markdown; OUT.json gets the same as data.
"""

import json
import sys
from pathlib import Path
from typing import Any


def read_rows(table: dict[str, Any], metrics: Path) -> list[dict[str, Any]]:
    """Collect the scores of a table.

    table (Dict[str, Any]): What TABLE.json has.
    metrics (Path): The folder of metrics files.
    RETURNS (List[Dict[str, Any]]): For each row its `name`, and by column `ours` and the `paper`'s, in percent.
    """
    rows = []
    for row in table["rows"]:
        path = metrics / row["file"]
        scores = json.loads(path.read_text("utf8")) if path.is_file() else {}
        ours = {}
        for name, key in table["columns"].items():
            value = scores.get(key)
            ours[name] = None if value is None else round(100 * value, 1)
        paper = dict(zip(table["columns"], row.get("paper", ())))
        rows.append({"name": row["name"], "ours": ours, "paper": paper})
    return rows


def format_table(table: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """RETURNS (str): The table as Markdown."""
    columns = list(table["columns"])
    in_paper = [c for c in columns if any(row["paper"].get(c) is not None for row in rows)]
    head = ["", *columns, *(f"{column}, paper" for column in in_paper)]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        values = [row["ours"].get(c) for c in columns] + [row["paper"].get(c) for c in in_paper]
        lines.append([row["name"], *("-" if v is None else f"{v:.1f}" for v in values)])
    return "\n".join([table["title"], "", *(f"| {' | '.join(line)} |" for line in lines)])


def main(arguments: list[str]) -> None:
    """Read the files that are named and print the table."""
    table = json.loads(Path(arguments[0]).read_text("utf8"))
    rows = read_rows(table, Path(arguments[1]))
    if not any(value is not None for row in rows for value in row["ours"].values()):
        files = ", ".join(row["file"] for row in table["rows"])
        raise SystemExit(f"{arguments[1]} has none of {files}. Train and evaluate first.")
    print(format_table(table, rows))
    if len(arguments) > 2:
        out = json.dumps({"title": table["title"], "rows": rows}, indent=1)
        Path(arguments[2]).write_text(out + "\n", "utf8")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(sys.argv[1:])
