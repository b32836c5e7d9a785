"""Who did what to whom as comma-separated values: a row for each predication, after a line with the names of the columns. Written only.

    id,sentence,scene,relation,lemma,subject,object,...
    504,0,1,moved,move,John,,...

`id` is that of the text, `sentence` the number of its sentence and `scene` that of the Scene in `graph.scenes`, from 0. The other
columns are the keys of `Predication.to_dict()`. `start` and `end` count characters of the text or, without one, of the words joined by
spaces; they are empty for an implicit relation. Several values stand in one cell with "; " between; other lists are JSON. A cell has no ends of lines, so that a row is
a line.

Tags and dependencies find subjects and objects best, so `spacy-ucca parse` passes on its Docs; a graph alone has none.

Keeps: the id, predications, scores to three digits. Loses: other units, punctuation, linkage, other categories, paragraphs,
details; and all of it for programs that want the graph, as nothing reads it back.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..formats.scenes import DIGITS
from ..formats.text import one_line
from ..graph import Graph
from ..graph.data import plain_details
from ..text.spacing import doc_words, find_places, without_spaces
from ..tokens.carry import join_docs
from .network import plain_cell
from .predications import COLUMNS, predications

NAMES = tuple(dict.fromkeys(("id", "sentence", "scene", *COLUMNS)))  # of columns


def write_csv(graph: Graph, docs: Sequence[Doc] = ()) -> str:
    """Write the predications of a graph.

    graph (Graph): The graph.
    docs (Sequence[Doc]): Its Docs, one after the other, with their tags and dependencies, if there are some.
    RETURNS (str): The line of names, and a line for each predication.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, NAMES, lineterminator="\n")
    writer.writeheader()
    for row in predication_rows(graph, docs):
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return out.getvalue()


def predication_rows(graph: Graph, docs: Sequence[Doc] = ()) -> Iterator[dict[str, Any]]:
    """Find the predications of a graph.

    graph (Graph): The graph.
    docs (Sequence[Doc]): See `write_csv`.
    YIELDS (Dict[str, Any]): The columns of each. Offsets are those of the text.
    """
    graph = graph if docs else without_spaces(graph)
    doc = _one_doc(graph, docs)
    places = find_places(graph)
    numbers = {scene.index: i for i, scene in enumerate(graph.scenes)}
    sentences = {root.index: i for i, root in enumerate(graph.roots)}
    for found in predications(doc):
        span = found.relation
        *_, root = found.scene.ancestors(itself=True)
        yield {
            "id": str(graph.details.get("id", "")),
            "sentence": sentences.get(root.index),
            **found.to_dict(),
            "scene": numbers[found.scene.index],
            "start": places.tokens[span.start][0] if span else None,
            "end": places.tokens[span.end - 1][1] if span else None,
        }


def _one_doc(graph: Graph, docs: Sequence[Doc]) -> Doc:
    """RETURNS (Doc): A Doc with the words and the graph; with tags and dependencies, if Docs of these words have some."""
    words = doc_words(graph.words)
    joined = join_docs(docs) if docs else None
    if joined is None or [token.text for token in joined] != words:
        joined = Doc(Vocab(), words=words)
    joined._.ucca = graph.replace(words=words, details=plain_details(graph))
    return joined


def _cell(value: Any) -> Any:
    value = plain_cell(value)
    if isinstance(value, float):
        return round(value, DIGITS)
    return one_line(value) if isinstance(value, str) else value
