"""Scenes as JSON lines, for search indexes and tables: a line for each Scene. Written only.

    {"id": "504", "scene": 0, "sentence": 0, "unit": 4, "kind": "parallel", "host": null, "score": 0.899, "text": "John moved to Paris",
     "offsets": [[18, 37]], "relation": {...}, "participants": [{...}, ...], "adverbials": [], "times": []}

`scene` and `host` are numbers of `graph.scenes`, `unit` is one of the graph, `sentence` one of `graph.roots`, all from 0. Offsets
are those of characters in the text, [start, end) of each stretch; without a text, in the words joined by spaces. The relation, and
each participant, adverbial and time, is an object:

    {"unit": 5, "text": "to Paris", "offsets": [[29, 37]], "center": "Paris", "shared": false, "implicit": false, "score": 0.959}

`center` is the text of its minimal center, by which it is best looked up. One that belongs to another Scene is `shared`, one that no
word stands for `implicit`. Scores are those of the edges, null on graphs that nobody predicted; that of a Scene is that of
its relation.

Keeps: the id, Scenes, their implicit and shared units, scores to three digits. Loses: other units, punctuation, linkage, other
categories, paragraphs, details; and all of it for programs that want the graph, as nothing reads it back.
"""

import json
from collections.abc import Iterator
from typing import Any

from ..graph import Edge, Graph
from ..text.spacing import Places, find_places, without_spaces

DIGITS = 3
ARGUMENTS = {"participants": "A", "adverbials": "D", "times": "T"}


def write_scenes(graph: Graph) -> str:
    """RETURNS (str): The Scenes of a graph, one line of JSON for each; nothing for a graph without Scenes."""
    graph = without_spaces(graph)
    name = str(graph.details.get("id", ""))
    records = scene_records(graph, find_places(graph), DIGITS)
    lines = (json.dumps({"id": name, **record}, ensure_ascii=False) for record in records)
    return "".join(line + "\n" for line in lines)


def scene_records(
    graph: Graph, places: Places, digits: int | None = None
) -> Iterator[dict[str, Any]]:
    """Describe the Scenes of a graph as plain data.

    graph (Graph): The graph.
    places (Places): Where its tokens stand.
    digits (Optional[int]): Of the scores; None for all.
    YIELDS (Dict[str, Any]): Each Scene, in the order of `graph.scenes`.
    """

    def describe(edge: Edge) -> dict[str, Any]:
        unit, center = edge.child.index, edge.child.minimal_center.index
        return {
            "unit": unit,
            "text": places.text_of(unit),
            "offsets": [[*span] for span in places.offsets(unit)],
            "center": places.text_of(center),
            "shared": edge.remote,
            "implicit": edge.child.is_implicit,
            "score": _rounded(edge.score, digits),
        }

    numbers = {scene: i for i, scene in enumerate(graph.scenes)}
    sentences = {root: i for i, root in enumerate(graph.roots)}
    for scene, number in numbers.items():
        *_, root = scene.ancestors(itself=True)
        relation = next(e for e in scene.edges_by("P", "S") if e.child == scene.main_relation)
        yield {
            "scene": number,
            "sentence": sentences.get(root),
            "unit": scene.index,
            "kind": scene.scene_kind,
            "host": numbers[scene.host] if scene.host else None,
            "score": _rounded(scene.scene_score, digits),
            "text": places.text_of(scene.index),
            "offsets": [[*span] for span in places.offsets(scene.index)],
            "relation": describe(relation),
            **{
                name: [describe(edge) for edge in scene.edges_by(category)]
                for name, category in ARGUMENTS.items()
            },
        }


def _rounded(score: float | None, digits: int | None) -> float | None:
    return score if score is None or digits is None else round(score, digits)


def scene_numbers(graph: Graph) -> list[int | None]:
    """RETURNS (List[Optional[int]]): For each unit, by its index, the number of the smallest Scene that it belongs to by primary
    edges, in `graph.scenes`; None where it is in none."""
    numbers: list[int | None] = [None] * len(graph.kinds)
    own = {scene.index: i for i, scene in enumerate(graph.scenes)}
    for unit in graph.units:  # parents come first
        parent = unit.parent
        above = None if parent is None else numbers[parent.index]
        numbers[unit.index] = own.get(unit.index, above)
    return numbers
