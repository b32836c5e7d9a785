"""A graph in the forms that a page or a program asks for, as JSON."""

import json
from collections.abc import Callable, Collection

from ..drawing.html import direction
from ..drawing.render import render_svg, render_tree
from ..formats.xml import write_xml_string
from ..graph import Graph

__all__ = ["FORMATS", "encode_answer"]

FORMATS: dict[str, Callable[[Graph], str]] = {
    "svg": render_svg,
    "tree": render_tree,
    "xml": lambda graph: write_xml_string(graph).decode("utf8"),
    "json": lambda graph: json.dumps(graph.to_record(), ensure_ascii=False) + "\n",
}


def encode_answer(
    graph: Graph,
    formats: Collection[str] = tuple(FORMATS),
    check: Callable[[], None] = lambda: None,
) -> bytes:
    """Make the answer to a text.

    graph (Graph): The graph of the text.
    formats (Collection[str]): The forms of the graph, of `FORMATS`.
    check (Callable): Called before each form; what it raises ends the work.
    RETURNS (bytes): JSON: each form, the direction of writing, and a summary in words.
    """
    answer = {}
    for name, make in FORMATS.items():
        if name in formats:
            check()
            answer[name] = make(graph)
    answer["direction"] = direction(graph)
    answer["summary"] = summarize(graph)
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
