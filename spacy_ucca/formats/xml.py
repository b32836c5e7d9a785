"""Standard UCCA XML, read and written whole; both with and without <category> elements.

What a `Graph` does not hold itself stands in `graph.details["xml"]`, as little as possible: what
the writer would not produce of itself. `details["id"]` is the passage's id; `details["guidelines"]`,
`details["lang"]` and `details["text"]`, the text that the tokens are from, stand in <extra> of the passage. Layout of the details:

    root        attributes of <root> other than the passage's id
    attributes, extra     of the passage
    layers      {"0": {"attributes": ..., "extra": ...}, "1": ...}
    more        elements of no known meaning, other layers among them, as plain data
    old         True where edges have no <category> elements
    category    what the <category> of edges other than Terminal and U has beside the tag
    tokens, units, edges  {index: what this one has}: id, attributes, extra, position, type,
                          categories (one mapping for each), other (attributes of the element)

Keeps everything of a file. Loses of other graphs: roots but one, the scores of predicted edges, the details of other
formats, characters that XML has no place for, and tokens of white space that hang on nothing: to the `ucca` package they
are errors.
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import Warnings
from ..files import write_whole
from ..graph import EdgeTuple, Graph
from ..graph.categories import FOUNDATIONAL, IMPLICIT
from ..graph.data import common_details, unit_number, with_text
from ..text.spacing import original_text, without_spaces
from ..text.split import in_reading_order, merge_roots
from .elements import FORBIDDEN, escape
from .text import cannot_read, check_labels
from .xml_reader import MORE, PLAIN, PUNCTUATION_MARK, ROOT, TRUE, WORD, XmlReader


def read_xml(path: str | Path) -> Graph:
    """Read a passage from a file.

    path (Union[str, Path]): The file.
    RETURNS (Graph): The passage. Its id is `graph.details["id"]`.
    RAISES (FormatError): If it cannot be read as UCCA XML; the message says where and why.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as err:
        raise cannot_read(path, err) from None
    return XmlReader(str(path), path.stem).read(data)


def read_xml_string(data: bytes | str, name: str = "<string>") -> Graph:
    """Read a passage from a string.

    data (Union[bytes, str]): The XML.
    name (str): What messages call it.
    RETURNS (Graph): The passage.
    RAISES (FormatError): If it cannot be read as UCCA XML.
    """
    return XmlReader(name, name).read(data)


def write_xml(graph: Graph, path: str | Path) -> None:
    """Write a passage to a file; the inverse of `read_xml`.

    graph (Graph): The passage. A graph that was not read from XML gets ids by its order; if it has
        several roots, their children go under one root, as `merge_roots` says.
    path (Union[str, Path]): The file. Its name is the passage's id if the graph has none.
    """
    path = Path(path)
    write_whole(path, _write(graph, path.stem))


def write_xml_string(graph: Graph) -> bytes:
    """RETURNS (bytes): What `write_xml` writes, in UTF-8."""
    return _write(graph, "1")


class _Writer:
    """Collects the lines of one file."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.xml: Mapping[str, Any] = graph.details.get("xml", {})
        self.lines: list[str] = []

    def element(
        self, depth: int, tag: str, attrib: Mapping[str, str], *, close: bool = True
    ) -> None:
        pairs = "".join(f' {key}="{escape(value)}"' for key, value in attrib.items())
        self.lines.append(f"{'  ' * depth}<{tag}{pairs}{' />' if close else '>'}")

    def plain(self, depth: int, entry: Mapping[str, Any]) -> None:
        """Write elements kept as plain data."""
        for data in entry.get("more", ()):
            self.element(depth, data["tag"], data["attrib"], close=not data["children"])
            if data["children"]:
                self.plain(depth + 1, {"more": data["children"]})
                self.lines.append(f"{'  ' * depth}</{data['tag']}>")

    def common(
        self, depth: int, entry: Mapping[str, Any], attributes: Mapping[str, str] | None = None
    ) -> None:
        self.element(depth, "attributes", {**(attributes or {}), **entry.get("attributes", {})})
        if "extra" in entry:
            self.element(depth, "extra", entry["extra"])

    def write(self, passage_id: str) -> bytes:
        root = {**self.xml.get("root", ROOT), "passageID": passage_id}
        self.element(0, "root", root, close=False)
        extra = {**self.xml.get("extra", {}), **common_details([self.graph])}
        found = original_text(self.graph)
        if found is not None:
            # White space that XML cannot hold, such as a form feed, stays white space between words.
            text = FORBIDDEN.sub(lambda char: " " if char[0].isspace() else char[0], found[0])
            extra = with_text(extra, text)
        self.common(1, {**self.xml, "extra": extra} if extra else self.xml)
        layers = self.xml.get("layers", {})
        for number, write_nodes in (("0", self.tokens), ("1", self.units)):
            self.element(1, "layer", {"layerID": number}, close=False)
            entry = layers.get(number, {})
            self.common(2, entry)
            write_nodes()
            self.plain(2, entry)
            self.lines.append("  </layer>")
        self.plain(1, self.xml)
        self.lines.append("</root>\n")
        return "\n".join(self.lines).encode("utf-8")

    def node(self, node_id: str, kind: str, entry: Mapping[str, Any]) -> None:
        attrib = {"ID": node_id, "type": kind, **entry.get("other", {})}
        self.element(2, "node", attrib, close=False)

    def ids(self, layer: str, what: str, n: int) -> list[str]:
        """RETURNS (List[str]): The ids of all tokens or units, in their order."""
        entries = self.xml.get(what, {})
        node_ids, number = [], 0
        for i in range(n):
            number += 1
            node_id = entries.get(str(i), {}).get("id")
            if node_id is None:
                node_id = f"{layer}.{number}"
            else:
                number = unit_number(node_id, number)
            node_ids.append(node_id)
        return node_ids

    def tokens(self) -> None:
        graph, entries = self.graph, self.xml.get("tokens", {})
        self.token_ids = self.ids("0", "tokens", len(graph.words))
        position, previous = 0, None
        for i, word in enumerate(graph.words):
            entry = entries.get(str(i), {})
            paragraph = graph.paragraphs[i]
            position = position + 1 if paragraph == previous else 1
            position, previous = entry.get("position", position), paragraph
            if bad := FORBIDDEN.findall(word):
                chars = ", ".join(f"U+{ord(c):04X}" for c in bad)
                name = graph.details.get("id", "")
                message = Warnings.UW101.format(token=i, id=name, chars=chars)
                warnings.warn(message, stacklevel=2)
            self.node(self.token_ids[i], PUNCTUATION_MARK if graph.punct[i] else WORD, entry)
            places = {"paragraph": str(paragraph), "paragraph_position": str(position)}
            attributes = {**places, "text": word}
            self.common(3, entry, attributes)
            self.plain(3, entry)
            self.lines.append("    </node>")

    def units(self) -> None:
        graph, entries = self.graph, self.xml.get("units", {})
        out: list[list[int]] = [[] for _ in graph.kinds]
        for i, edge in enumerate(graph.edge_tuples):
            out[edge.parent].append(i)
        self.unit_ids = self.ids("1", "units", len(graph.kinds))
        for unit, kind in enumerate(graph.kinds):
            entry = entries.get(str(unit), {})
            implicit = kind == IMPLICIT
            self.node(self.unit_ids[unit], FOUNDATIONAL if implicit else kind, entry)
            self.common(3, entry, {"implicit": TRUE} if implicit else None)
            for i in out[unit]:
                self.edge(i, graph.edge_tuples[i])
            self.plain(3, entry)
            self.lines.append("    </node>")

    def edge(self, index: int, edge: EdgeTuple) -> None:
        entry = self.xml.get("edges", {}).get(str(index), {})
        child = self.token_ids[~edge.child] if edge.child < 0 else self.unit_ids[edge.child]
        kind = entry.get("type", edge.categories[0])
        attrib = {"toID": child, "type": kind, **entry.get("other", {})}
        self.element(3, "edge", attrib, close=False)
        self.common(4, entry, {"remote": TRUE} if edge.remote else None)
        beside = entry.get("categories")
        if beside is None:
            usual = {} if edge.categories[0] in PLAIN else self.xml.get("category", {})
            old = self.xml.get("old") and len(edge.categories) == 1
            beside = [] if old else [usual] * len(edge.categories)
        for category, details in zip(edge.categories, beside, strict=False):
            more = details.get(MORE, ())
            attributes = {key: value for key, value in details.items() if key != MORE}
            self.element(4, "category", {**attributes, "tag": category}, close=not more)
            if more:
                self.plain(5, {"more": more})
                self.lines.append("        </category>")
        self.plain(4, entry)
        self.lines.append("      </edge>")


def _write(graph: Graph, default_id: str) -> bytes:
    check_labels(graph, "XML", lambda edge: not any(map(FORBIDDEN.search, edge.categories)))
    if "xml" not in graph.details:
        graph = in_reading_order(merge_roots(without_spaces(graph)))
    return _Writer(graph).write(str(graph.details.get("id", default_id)))
