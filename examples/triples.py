"""Who did what to whom: a table of the relations in a text.

    python examples/triples.py models/en_ucca_sm "John moved to Paris because his sister needed help."

There is a row for each Scene and each participant but the first one ("who"), and one for a Scene with a single
participant. UCCA has no roles: "who" is the syntactic subject where the pipeline has a parser and the subject is
a participant, otherwise the first participant in the text. Participants that Scenes share are in the rows of
each; what no word stands for is "(implicit)". The score of a row is the lowest of the parser's scores of its edges: to the
Scene, to its main relation, to "who" and to "whom"; on graphs that nobody predicted there is none. `rows` gives dicts:
`pandas.DataFrame(rows(doc))` is the same table.
"""

import csv
import sys
from collections.abc import Iterator
from enum import Enum

import typer
from common import MODEL, TEXT, graph_of, load, read, relation_edge, run, words
from spacy.tokens import Doc

from spacy_ucca import Edge, Unit

COLUMNS = ("scene", "who", "what", "whom", "adverbials", "times", "kind", "score")


class Format(str, Enum):
    csv = "csv"
    tsv = "tsv"


def main(
    model: str = MODEL,
    text: str = TEXT,
    to: Format = typer.Option(Format.csv, help="Commas or tabs between columns"),
):
    """Print who did what to whom as a table."""
    doc = load(model)(read(text))
    delimiter = "\t" if to is Format.tsv else ","
    writer = csv.DictWriter(sys.stdout, COLUMNS, delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(doc))


def rows(doc: Doc) -> Iterator[dict[str, str | int | float | None]]:
    """YIELDS (Dict[str, Union[str, int, float, None]]): The rows of the table: `COLUMNS`."""
    for number, scene in enumerate(graph_of(doc).scenes, start=1):
        relation = scene.main_relation
        # A noun that is relation and participant at once ("her sister") is no "whom" of itself.
        edges = {edge.child: edge for edge in scene.edges_by("A") if edge.child != relation}
        participants = sorted(edges.values(), key=lambda e: not is_subject(e.child, scene, doc))
        who, *others = participants or [None]
        for whom in others or [None]:
            yield {
                "scene": number,
                "who": text_of(who.child, doc) if who else "",
                "what": text_of(relation, doc),
                "whom": text_of(whom.child, doc) if whom else "",
                "adverbials": "; ".join(text_of(unit, doc) for unit in scene.adverbials),
                "times": "; ".join(text_of(unit, doc) for unit in scene.times),
                "kind": scene.scene_kind,
                "score": lowest(*scene.incoming[:1], relation_edge(scene), who, whom),
            }


def lowest(*edges: Edge | None) -> float | None:
    """RETURNS (Optional[float]): The score of the edge that the parser is least sure of; None if none has one."""
    scores = [edge.score for edge in edges if edge is not None and edge.score is not None]
    return min(scores, default=None)


def text_of(unit: Unit, doc: Doc) -> str:
    """RETURNS (str): The words of a unit on one line; with its center, where it shares that."""
    shares_center = any(edge.remote for edge in unit.edges_by("C"))
    return " ".join(words(unit, doc, remotes=shares_center).split())


def is_subject(unit: Unit, scene: Unit, doc: Doc) -> bool:
    """RETURNS (bool): Whether the syntactic subject of the Scene's main relation is in the unit."""
    relation = set(scene.main_relation.tokens(remotes=True))
    heads = (doc[i] for i in unit.tokens() if doc[i].dep_ == "nsubj")
    return any(token.head.i in relation and token.head != token for token in heads)


if __name__ == "__main__":
    run(main)
