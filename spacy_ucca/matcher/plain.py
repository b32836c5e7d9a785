"""Matches as plain data: the sentence, and where it and the units stand in a text. Commands and the served page answer with it."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from ..errors import UccaError
from ..graph import Graph
from ..graph.unit import Unit
from ..text.spacing import Places
from ..text.split import sentence_ends

Match = Mapping[str, Unit]


class Sentences:
    """The sentences of a graph.

    graph (Graph): The graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        try:
            ends = sentence_ends(graph)
        except UccaError:  # no edge at all
            ends = []
        self.ends = ends or [len(graph.words)]

    def around(self, match: Match) -> tuple[int, int]:
        """RETURNS (Tuple[int, int]): The first token of the sentence of a match, and the token after its last one, without white space
        around; of all sentences, if its units are in several."""
        tokens = [i for unit in match.values() for i in unit.tokens()]
        if not tokens:  # all are implicit
            above = next(iter(match.values())).ancestors()
            tokens = [i for unit in above for i in unit.tokens()] or [0]
        first = bisect_right(self.ends, min(tokens))
        last = bisect_right(self.ends, max(tokens))
        start, end = self.ends[first - 1] if first else 0, self.ends[min(last, len(self.ends) - 1)]
        words = self.graph.words
        while start < end and words[start].isspace():
            start += 1
        while start < end and words[end - 1].isspace():
            end -= 1
        return start, end


def describe_match(match: Match, sentences: Sentences, places: Places) -> dict[str, Any]:
    """Make plain data of a match.

    match (Mapping[str, Unit]): The units by their names.
    sentences (Sentences): The sentences of the graph.
    places (Places): Where its tokens stand in the text.
    RETURNS (Dict[str, Any]): The `sentence`, the character at which it starts (`start`), and for each name the number of the `unit`, its
        `label`, its `text` and its `spans`: the characters of its stretches, each from the first to after the last. All count from
        the beginning of the text.
    """
    first, end = sentences.around(match)
    start = places.tokens[first][0] if first < end else 0
    units = {
        name: {
            "unit": unit.index,
            "label": unit.label,
            "text": places.text_of(unit.index),
            "spans": [[*span] for span in places.offsets(unit.index)],
        }
        for name, unit in match.items()
    }
    sentence = places.text[start : places.tokens[end - 1][1]] if first < end else ""
    return {"sentence": sentence, "start": start, "units": units}
