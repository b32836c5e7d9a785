"""Read standard UCCA XML: check the file, build the `Graph`, and keep in its details what the graph does not hold."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn

from ..errors import Errors, FormatError, GraphError, Warnings
from ..graph import EdgeTuple, Graph
from ..graph.algorithms import find_cycle
from ..graph.categories import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT, PUNCTUATION, TERMINAL
from ..graph.data import GUIDELINES, LANG, TEXT, unit_number, with_text
from .elements import Element, parse_elements
from .mend import closing_edges, known_text, warn_of

WORD, PUNCTUATION_MARK = "Word", "Punctuation"
TRUE = "True"
ROOT = {"annotationID": "0"}
UNIT_TYPES = (FOUNDATIONAL, PUNCT, LINKAGE)
SITE_TAGS = frozenset(("unitGroups", "units", "LRUunits"))
# Edges to tokens and punctuation: their categories have nothing beside the tag.
PLAIN = (TERMINAL, PUNCTUATION)
# Key of the elements inside a <category>, beside its attributes: no attribute can have that name.
MORE = "more elements"


# An edge, what each of its categories has beside the tag, and what else is kept of it
DetailedEdge = tuple[EdgeTuple, list[dict[str, Any]], dict[str, Any]]


class XmlReader:
    """One reading of one file."""

    def __init__(self, name: str, default_id: str) -> None:
        self.name = name
        self.default_id = default_id
        self.xml: dict[str, Any] = {}
        self.ids: dict[str, int] = {}
        self.layer, self.number = "", 0

    def fail(self, message: str, line: int, **values: object) -> NoReturn:
        raise FormatError(message.format(where=f"{self.name}, line {line}", **values))

    def read(self, data: bytes | str) -> Graph:
        root = parse_elements(data, self.name, "attributes")
        layers = self._root(root)
        self._tokens(layers["0"])
        self._units(layers["1"])
        details: dict[str, Any] = {"id": root.attrib.get("passageID", self.default_id)}
        extra = self.xml.get("extra", {})
        details |= {key: extra.pop(key) for key in (GUIDELINES, LANG) if key in extra}
        if (text := known_text(self.words, extra.get(TEXT), self.name)) is not None:
            details = with_text(details, text)
            del extra[TEXT]
        if not extra:
            self.xml.pop("extra", None)
        try:
            return Graph(
                self.words,
                self.kinds,
                self.edges,
                punct=self.punct,
                paragraphs=self.paragraphs,
                details={**details, "xml": self.xml},
            )
        except GraphError as err:
            self._explain_cycle()
            raise FormatError(Errors.UC114.format(where=self.name, reason=err)) from None

    def _root(self, root: Element) -> dict[str, Element]:
        """Take the passage's own details. RETURNS (Dict[str, Element]): Layers 0 and 1."""
        tags = {child.tag for child in root.children}
        if tags & SITE_TAGS:
            self.fail(Errors.UC104, root.line)
        if root.tag != "root" or "layer" not in tags:
            self.fail(Errors.UC103, root.line, tag=root.tag)
        attributes = {key: value for key, value in root.attrib.items() if key != "passageID"}
        if attributes != ROOT:
            self.xml["root"] = attributes
        rest, entry = self._common(root)
        self.xml.update(entry)
        layers: dict[str, Element] = {}
        for child in rest:
            number = child.attrib.get("layerID", "")
            if child.tag == "layer" and number in layers:
                self.fail(Errors.UC106, child.line, what="layer", id=number)
            if child.tag == "layer" and number in ("0", "1"):
                layers[number] = child
            else:
                self.xml.setdefault("more", []).append(child.plain())
        for number in ("0", "1"):
            if number not in layers:
                self.fail(Errors.UC105, root.line, layer=number)
        return layers

    def _common(self, element: Element) -> tuple[list[Element], dict[str, Any]]:
        """Separate <attributes> and <extra> from the other children of an element."""
        entry: dict[str, Any] = {}
        if not element.children:
            return element.children, entry
        rest = []
        for child in element.children:
            if child.tag in ("attributes", "extra") and child.tag not in entry:
                if child.attrib:
                    entry[child.tag] = child.attrib
            else:
                rest.append(child)
        return rest, entry

    def _nodes(self, layer: Element) -> list[Element]:
        """Take a layer's own details and check its nodes' ids. RETURNS (List[Element]): Its nodes."""
        number = layer.attrib["layerID"]
        rest, entry = self._common(layer)
        nodes: list[Element] = []
        for child in rest:
            if child.tag != "node":
                entry.setdefault("more", []).append(child.plain())
                continue
            node_id = child.attrib.get("ID")
            if not node_id:
                self.fail(Errors.UC112, child.line, tag="node", of="", attribute="ID")
            if node_id in self.ids:
                self.fail(Errors.UC106, child.line, what="node", id=node_id)
            self.ids[node_id] = ~len(nodes) if number == "0" else len(nodes)
            nodes.append(child)
        if entry:
            self.xml.setdefault("layers", {})[number] = entry
        return nodes

    def _node_entry(self, node: Element, entry: dict[str, Any]) -> None:
        """Complete what is kept of a node: its id, if it is not the next number, and the unknown."""
        self.number += 1
        node_id = node.attrib["ID"]
        if node_id != f"{self.layer}.{self.number}":
            entry["id"] = node_id
            self.number = unit_number(node_id, self.number)
        if len(node.attrib) > 2:
            entry["other"] = {k: v for k, v in node.attrib.items() if k not in ("ID", "type")}

    def _tokens(self, layer: Element) -> None:
        self.words: list[str] = []
        self.punct: list[bool] = []
        self.paragraphs: list[int] = []
        self.layer, self.number = "0", 0
        position = 0
        entries: dict[str, Any] = {}
        for node in self._nodes(layer):
            node_id, kind = node.attrib["ID"], node.attrib.get("type", "")
            if kind not in (WORD, PUNCTUATION_MARK):
                types = f"{WORD}, {PUNCTUATION_MARK}"
                self.fail(Errors.UC107, node.line, id=node_id, type=kind, types=types)
            rest, entry = self._common(node)
            attributes = entry.pop("attributes", {})
            if "text" not in attributes:
                of = f" of '{node_id}'"
                self.fail(Errors.UC112, node.line, tag="attributes", of=of, attribute="text")
            self.words.append(attributes.pop("text"))
            self.punct.append(kind == PUNCTUATION_MARK)
            paragraph = self._integer(node, attributes, "paragraph", 1)
            follows = bool(self.paragraphs) and self.paragraphs[-1] == paragraph
            expected = position + 1 if follows else 1
            position = self._integer(node, attributes, "paragraph_position", expected)
            self.paragraphs.append(paragraph)
            if position != expected:
                entry["position"] = position
            if attributes:
                entry["attributes"] = attributes
            for child in rest:
                if child.tag == "edge":
                    self.fail(Errors.UC116, child.line, id=node_id)
                entry.setdefault("more", []).append(child.plain())
            self._node_entry(node, entry)
            if entry:
                entries[str(len(self.words) - 1)] = entry
        if entries:
            self.xml["tokens"] = entries

    def _integer(self, node: Element, attributes: dict[str, str], name: str, default: int) -> int:
        value = attributes.pop(name, None)
        if value is None:
            return default
        try:
            return int(value)
        except ValueError:
            self.fail(Errors.UC113, node.line, attribute=name, id=node.attrib["ID"], value=value)

    def _units(self, layer: Element) -> None:
        self.kinds: list[str] = []
        self.owners: dict[int, int] = {}
        self.detailed: list[DetailedEdge] = []
        self.layer, self.number = "1", 0
        entries: dict[str, Any] = {}
        self.nodes = self._nodes(layer)
        for unit, node in enumerate(self.nodes):
            kind = node.attrib.get("type", "")
            if kind not in UNIT_TYPES:
                node_id, types = node.attrib["ID"], ", ".join(UNIT_TYPES)
                self.fail(Errors.UC107, node.line, id=node_id, type=kind, types=types)
            rest, entry = self._common(node)
            if kind == FOUNDATIONAL and _take_true(entry, "implicit"):
                kind = IMPLICIT
            self.kinds.append(kind)
            self._node_entry(node, entry)
            for child in rest:
                if child.tag == "edge":
                    self._edge(unit, child)
                else:
                    entry.setdefault("more", []).append(child.plain())
            if entry:
                entries[str(unit)] = entry
        if entries:
            self.xml["units"] = entries
        self.edges, details = keep_edges(self.detailed, self.name)
        self.xml.update(details)

    def _edge(self, parent: int, element: Element) -> None:
        attrib = element.attrib
        parent_id, child_id = self.nodes[parent].attrib["ID"], attrib.get("toID", "")
        child = self.ids.get(child_id)
        if child is None:
            self.fail(Errors.UC108, element.line, parent=parent_id, child=child_id)
        rest, entry = self._common(element)
        remote = bool(entry) and _take_true(entry, "remote")
        categories: list[str] = []
        beside: list[dict[str, Any]] = []
        for sub in rest:
            if sub.tag != "category":
                entry.setdefault("more", []).append(sub.plain())
                continue
            categories.append(sub.attrib.pop("tag", ""))
            if sub.children:
                beside.append({**sub.attrib, MORE: [s.plain() for s in sub.children]})
            else:
                beside.append(sub.attrib)
        kind = attrib.get("type", "")
        if not categories:  # files written before 2019
            categories.append(kind)
        elif kind != categories[0] and kind:
            entry["type"] = kind
        if not all(categories):
            self.fail(Errors.UC109, element.line, parent=parent_id, child=child_id)
        if len(attrib) > 2:
            entry["other"] = {k: v for k, v in attrib.items() if k not in ("toID", "type")}
        if not remote and self.kinds[parent] != LINKAGE:
            if child in self.owners and child >= 0:
                where = f"{self.name}, line {element.line}"
                warn_of(Warnings.UW103.format(where=where, label="|".join(categories)))
                remote = True
            elif child in self.owners:
                first = self.nodes[self.owners[child]].attrib["ID"]
                self.fail(Errors.UC110, element.line, child=child_id, first=first, second=parent_id)
            else:
                self.owners[child] = parent
        self.detailed.append((EdgeTuple(parent, child, tuple(categories), remote), beside, entry))

    def _explain_cycle(self) -> None:
        """Say where a cycle is, if there is one."""
        cycle = find_cycle((e.parent, e.child) for e in self.edges if e.child >= 0)
        if cycle is not None:
            path = " -> ".join(self.nodes[unit].attrib["ID"] for unit in cycle)
            self.fail(Errors.UC111, self.nodes[cycle[0]].line, path=path)


def keep_edges(
    detailed: Sequence[DetailedEdge], where: str
) -> tuple[list[EdgeTuple], dict[str, Any]]:
    """Take the edges that close no cycle. What categories have beside their tags is kept once, if most of them have it.

    detailed (Sequence[DetailedEdge]): All edges. Entries get what their categories have.
    where (str): The place of the graph, for messages.
    RETURNS (Tuple[List[EdgeTuple], Dict[str, Any]]): The edges, and what belongs in the details of them.
    """
    edges = [edge for edge, _, _ in detailed]
    closing = closing_edges(edges, where)
    kept = [each for i, each in enumerate(detailed) if i not in closing] if closing else detailed
    details: dict[str, Any] = {}
    if any(beside for _, beside, _ in kept):
        counts: Counter[tuple] = Counter()
        for edge, beside, _ in kept:
            if edge.categories[0] not in PLAIN:
                counts.update(tuple(sorted(b.items())) for b in beside if MORE not in b)
        common: dict[str, Any] = dict(counts.most_common(1)[0][0]) if counts else {}
        if common:
            details["category"] = common
        for edge, beside, entry in kept:
            usual = {} if edge.categories[0] in PLAIN else common
            if not beside or any(b != usual for b in beside):
                entry["categories"] = beside
    elif kept:
        details["old"] = True
    if entries := {str(i): entry for i, (_, _, entry) in enumerate(kept) if entry}:
        details["edges"] = entries
    return [edge for i, edge in enumerate(edges) if i not in closing], details


def _take_true(entry: dict[str, Any], name: str) -> bool:
    """Take a boolean from an entry's attributes. What is not the usual "True" stays there."""
    attributes = entry.get("attributes", {})
    value = attributes.get(name, "")
    if value == TRUE:
        del attributes[name]
        if not attributes:
            del entry["attributes"]
    return bool(value.lower() == "true")
