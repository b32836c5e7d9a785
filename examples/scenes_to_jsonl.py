"""Scenes as JSON lines, to fill a search index: each is a record with its main relation and its participants, and where
they stand in the text.

    python examples/scenes_to_jsonl.py models/en_ucca_sm "After graduation, John moved to Paris."

Offsets are those of characters in the text, [start, end) of each stretch; `host` is the number of the Scene that this
one is a part of. A participant of another Scene that this one shares is `shared`, one that no word stands for `implicit`.
`score` is how sure the parser is of the edge to what it stands in, null on graphs that nobody predicted: an index can
leave out what is less than, say, 0.5.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from common import MODEL, graph_of, load, read, relation_edge, run, words
from spacy.tokens import Doc

from spacy_ucca import Edge, Unit


def main(
    model: str = MODEL,
    texts: list[str] = typer.Argument(..., help="Texts or files, each a document of the index"),
):
    """Print the Scenes of texts, one JSON record a line."""
    nlp = load(model)
    for number, text in enumerate(texts):
        doc = nlp(read(text))
        name = Path(text).name if doc.text != text else str(number)
        for record in records(doc):
            print(json.dumps({"doc": name, **record}, ensure_ascii=False))


def records(doc: Doc) -> Iterator[dict[str, Any]]:
    """YIELDS (Dict[str, Any]): The record of each Scene."""
    scenes = graph_of(doc).scenes
    numbers = {scene: i for i, scene in enumerate(scenes)}
    for scene in scenes:
        yield {
            "scene": numbers[scene],
            "kind": scene.scene_kind,
            "host": numbers[scene.host] if scene.host else None,
            "score": scene.incoming[0].score if scene.parent else None,
            **place(scene, doc),
            "relation": {**place(scene.main_relation, doc), "score": relation_edge(scene).score},
            "participants": [take_part(edge, doc) for edge in scene.edges_by("A")],
            "adverbials": [place(unit, doc) for unit in scene.adverbials],
            "times": [place(unit, doc) for unit in scene.times],
        }


def place(unit: Unit, doc: Doc) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The text of a unit and its offsets."""
    offsets = [[span.start_char, span.end_char] for span in unit.spans(doc)]
    return {"text": words(unit, doc) if offsets else "", "offsets": offsets}


def take_part(edge: Edge, doc: Doc) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): A participant, with its minimal center, by which it is best looked up."""
    unit = edge.child
    return {
        **place(unit, doc),
        "center": place(unit.minimal_center, doc)["text"],
        "shared": edge.remote,
        "implicit": unit.is_implicit,
        "score": edge.score,
    }


if __name__ == "__main__":
    run(main)
