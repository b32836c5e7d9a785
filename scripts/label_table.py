"""Print the first rows of a table of `spacy-ucca orient` as Markdown.

python scripts/label_table.py corpus/full/en/program/labels.tsv 20
"""

import sys
from itertools import islice
from pathlib import Path

ROWS = 20


def main(path: Path, n: int) -> None:
    """Print the header and the first n rows."""
    try:
        with path.open(encoding="utf8") as file:
            header, *rows = (line.rstrip("\n").split("\t") for line in islice(file, n + 1))
    except (OSError, ValueError) as error:
        sys.exit(f"{path} is no table: {error}. Make it: `spacy-ucca orient`.")
    print(f"\nThe commonest labels; all are in {path}\n")
    for row in (header, ["---"] * len(header), *rows):
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not "".join(sys.argv[2:] or "0").isdigit():
        sys.exit(__doc__)
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else ROWS)
