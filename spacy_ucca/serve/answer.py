"""A graph, and what it says, in the forms that a page or a program asks for, as JSON."""

import json
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from spacy.tokens import Doc

from ..drawing.html import direction
from ..drawing.render import WRAP, render_svg, render_tree
from ..errors import Errors, UccaError
from ..extract import predications
from ..formats import registry
from ..graph import Graph
from ..graph.unit import Unit
from ..matcher import UccaMatcher
from ..matcher.plain import Sentences, describe_match
from ..text.spacing import find_places
from ..tokens.language import get_lang
from .limits import Refusal
from .query import find_matches


def _write(form: registry.Format, doc: Doc, *_: object) -> str:
    try:
        return form.write(doc._.ucca, [doc])
    except UccaError as err:
        raise Refusal(400, Errors.UC761.format(name=form.name, reason=err)) from None


DEFAULT = ("svg", "tree", "xml", "json", "predications")
FORMATS: dict[str, Callable[[Doc, Collection[Unit], float], Any]] = {
    "svg": lambda doc, matched, width: render_svg(doc._.ucca, wrap=width, highlight=matched),
    "tree": lambda doc, *_: render_tree(doc._.ucca),
    "json": lambda doc, *_: doc._.ucca.to_json(doc),
    "predications": lambda doc, *_: [found.to_dict() for found in predications(doc)],
    **{name: partial(_write, form) for name, form in registry.FORMATS.items() if form.writes},
}


def encode_answer(
    doc: Doc,
    formats: Collection[str] = DEFAULT,
    query: UccaMatcher | None = None,
    check: Callable[[], None] = lambda: None,
    best: Sequence[tuple[float, Graph]] = (),
    width: float = WRAP,
) -> bytes:
    """Make the answer to a text.

    doc (Doc): The text with its graph.
    formats (Collection[str]): The forms of the graph, of `FORMATS`.
    query (Optional[UccaMatcher]): The pattern to find.
    check (Callable): Called before each form; what it raises ends the work.
    best (Sequence[Tuple[float, Graph]]): Graphs found by beam search, with their probabilities.
    width (float): The maximum width of pictures in pixels.
    RETURNS (bytes): JSON: the text as it was parsed, its language, each form, the matches of the query, the best graphs, the direction of writing, and a
        summary in words.
    RAISES (Refusal): If the graph cannot be written in one of the formats, or the query is not answered.
    """
    answer: dict[str, Any] = {"text": doc.text, "lang": get_lang(doc)}
    matches = []
    if query is not None:
        matches = find_matches(doc, query, check)
        sentences, places = Sentences(doc._.ucca), find_places(doc._.ucca, doc)
        answer["matches"] = [describe_match(match, sentences, places) for match in matches]
    matched = {unit for match in matches for unit in match.values()}
    for name, make in FORMATS.items():
        if name in formats:
            check()
            answer[name] = make(doc, matched, width)
    if best:
        answer["n_best"] = []
        for probability, graph in best:
            check()
            found: dict[str, Any] = {"probability": probability}
            found |= {"svg": render_svg(graph, wrap=width)} if "svg" in formats else {}
            found |= {"json": graph.to_json()} if "json" in formats else {}
            answer["n_best"].append(found)
    answer["direction"] = direction(doc._.ucca)
    answer["summary"] = summarize(doc._.ucca)
    check()
    return json.dumps(answer).encode("ascii")


def summarize(graph: Graph) -> str:
    """RETURNS (str): What a graph has, such as "2 sentences, 6 tokens, 2 Scenes, 12 edges"."""
    counts = (
        (len(graph.roots), "sentence"),
        (len(graph.words), "token"),
        (len(graph.scenes), "Scene"),
        (len(graph.edges), "edge"),
    )
    return ", ".join(f"{n} {what}" + "s" * (n != 1) for n, what in counts)
