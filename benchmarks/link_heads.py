"""Do the directions found for links agree with Link Grammar's dictionary? It marks the head of some types
of links (h on the connector of the head, d on that of the dependent), which `spacy-ucca orient` is not told.

    python benchmarks/link_heads.py links/oriented/labels.tsv en_ewt-ud-dev.conllu --limit 400

Link Grammar parses the sentences; each link with a mark is compared with the commoner direction of its label. Links of the
wall, which can only lead away from it, are left out. The library runs in this process: input that it crashes on ends it.
"""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import typer
from measuring import JSON, report, table

from spacy_ucca.bilexical.link_worker import Library
from spacy_ucca.formats.conllu import read_ud_sentences

LEFT_WALL = 0


def read_directions(path: Path) -> dict[str, str]:
    """RETURNS (Dict[str, str]): The commoner direction of each label in a file labels.tsv."""
    with path.open(encoding="utf8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["label"]: row["majority"] for row in rows}


def compare(
    parse: dict[str, Any], directions: dict[str, str], counts: Counter[tuple[str, str, bool]]
) -> None:
    """Count the links of a parse whose head is marked.

    parse (Dict[str, Any]): What `Library.parse` gives.
    directions (Dict[str, str]): The direction of each label.
    counts (Counter[Tuple[str, str, bool]]): Links by label, marked head, and whether the direction agrees.
    """
    for (left, _, name), head in zip(parse["links"], parse["heads"], strict=True):
        label = name.rstrip("*")
        if left != LEFT_WALL and head is not None and label in directions:
            counts[label, head, (directions[label] == "right") == (head == "left")] += 1


def main(
    labels: Path = typer.Argument(..., help="labels.tsv of `spacy-ucca orient`", exists=True),
    conllu: Path = typer.Argument(..., help="CoNLL-U: its texts are parsed", exists=True),
    limit: int = typer.Option(0, help="Sentences at most (0: all)"),
    max_length: int = typer.Option(35, help="Longer sentences are left out"),
    lang: str = "en",
    json: Path | None = JSON,
) -> None:
    """Compare directions with the heads that Link Grammar's dictionary marks."""
    library = Library(lang, 10)
    directions = read_directions(labels)
    counts: Counter[tuple[str, str, bool]] = Counter()
    total = 0
    for sentence in read_ud_sentences(conllu)[: limit or None]:
        if len(sentence.words) <= max_length and sentence.text.strip():
            parse = library.parse(sentence.text)
            if parse["status"] == "parsed":
                total += sum(left != LEFT_WALL for left, _, _ in parse["links"])
                compare(parse, directions, counts)
    agree = sum(n for (_, _, same), n in counts.items() if same)
    rows = [["label", "marked head", "links", "agree"]]
    rows += (
        [label, head, f"{n:,}", "yes" if same else "no"]
        for (label, head, same), n in counts.most_common()
    )
    text = table(rows, "<<><")
    share = 100 * agree / max(counts.total(), 1)
    text += f"\n\n{total:,} links, {counts.total():,} with a marked head, {agree:,} agree ({share:.1f}%)"
    figures = {"links": total, "marked": counts.total(), "agree": agree}
    report({**figures, "labels": rows[1:]}, text, json)


if __name__ == "__main__":
    typer.run(main)
