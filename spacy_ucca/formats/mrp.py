"""MRP: the JSON lines of the shared tasks on Meaning Representation Parsing of 2019 and 2020.

    {"id": "1", "flavor": 1, "framework": "ucca", "version": 1.1, "time": "2020-04-01", "input": "John left",
     "tops": [2], "nodes": [{"id": 0, "anchors": [{"from": 0, "to": 4}]}, ..., {"id": 2}, {"id": 3}],
     "edges": [{"source": 3, "target": 0, "label": "A"},
               {"source": 4, "target": 0, "label": "A", "attributes": ["remote"], "values": [true]}, ...]}

One graph in a line. Words are no nodes: a unit has the character spans of the words directly under it as
anchors. Remote edges have an attribute, which files of 2019 call `properties`; both are read. An edge
of several categories is written as several edges, which are joined again on reading: two edges of the same
parent and child, both primary or both remote, are one edge. Order of nodes and edges is mtool's.

Words: an anchor is a word, as in what mtool and the shared tasks write; text between anchors is divided at
white space into words attached to nothing. Where a parser's anchors join words, give the spans of the
companion data to `read_mrp` (`spans`): then each word that an anchor overlaps belongs to its node. A graph
without a text (`details["text"]`) is written with its words joined by spaces. If the text spells words otherwise, or
has more of them, the line has a key `words`, which only this package reads: [from, to, word, node] for each word.

Keeps: words, their text, units, punctuation units, remote edges, several categories, several roots (`tops`), the
id; of what is read also `version`, `time` and other keys of the line (`details["mrp"]`). Implicit
units are nodes without anchors, with the property `implicit` that mtool's validator knows (its converter
drops them: `write_mrp(graph, implicit=False)`). Without the property, nodes without anchors and
outgoing edges are implicit when read.

Loses: linkage units (mtool's validator refuses LR and LA; they are read where a file has them); paragraphs;
punctuation flags other than those of words in punctuation units; units without text that
are not implicit; categories of edges to words; scores; the details of XML; white space in words attached
to nothing.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from ..errors import Errors, FormatError, GraphError
from ..graph import EdgeTuple, Graph, GraphBuilder
from ..graph import categories as ucca
from ..graph.data import GUIDELINES, TEXT, with_guidelines, with_text
from ..text.spacing import find_words, joined_words
from .mend import build_graph
from .plain_json import Checked, iter_objects
from .text import BLANKS, check_labels

if TYPE_CHECKING:
    from ..metric.mrp import MrpGraph

FRAMEWORK, FLAVOR, VERSION = "ucca", 1, 1.1
REMOTE, IMPLICIT_PROPERTY = "remote", "implicit"
# What the graph says itself; all other keys of a line go to the details.
_OWN = {"id", "flavor", "framework", GUIDELINES, "input", "tops", "words", "nodes", "edges"}
Span = tuple[int, int]
_LOOSE = re.compile(f"[^{BLANKS}]+")  # words that no anchor has


def read_mrp(
    text: str,
    *,
    source: str = "text",
    first_line: int = 1,
    spans: Mapping[str, Sequence[Span]] | None = None,
) -> list[Graph]:
    """Read graphs.

    text (str): Lines of JSON.
    source (str): What to call the text in messages, such as the name of its file.
    first_line (int): The number of its first line, for messages.
    spans (Optional[Mapping[str, Sequence[Tuple[int, int]]]]): By a graph's id, the words as spans of its input,
        in text order, such as those of the companion data. Graphs without them are divided by their anchors.
    RETURNS (List[Graph]): The graph of each line.
    RAISES (FormatError): If a line is no UCCA graph; the message says where and why.
    """
    return [_Reader(data).read(spans or {}) for data in iter_objects(text, source, first_line)]


def read_mrp_graphs(
    text: str, *, source: str = "text", on_bad: Callable[[str, Exception], None] | None = None
) -> list[tuple[str, "MrpGraph"]]:
    """Read lines for the MRP metric: all nodes, edges and anchors as they stand there, also where they make no UCCA graph.
    Nodes marked as implicit are left out, with their edges.

    text (str): Lines of JSON.
    source (str): What to call the text in messages, such as the name of its file.
    on_bad (Optional[Callable[[str, Exception], None]]): Called with each line that cannot be read, and the reason. Without it, that is
        an error.
    RETURNS (List[Tuple[str, MrpGraph]]): The id and the graph of each line.
    RAISES (FormatError): If the text is empty or, without `on_bad`, a line is no UCCA graph.
    """
    if not text.strip():
        raise FormatError(Errors.UC115.format(where=source))
    graphs: list[tuple[str, MrpGraph]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            found = iter_objects(line, source, number) if line.strip() else ()
            graphs += map(_read_for_metric, found)
        except FormatError as err:
            if on_bad is None:
                raise
            on_bad(f"{source}, line {number}", err)
    return graphs


def write_mrp(
    graph: Graph, *, text: str | None = None, time: str | None = None, implicit: bool = True
) -> str:
    """Write a graph.

    graph (Graph): The graph.
    text (Optional[str]): The text that the words are from. If they are not found in it one after the
        other, or there is none, they are joined by spaces.
    time (Optional[str]): The day of the conversion, such as "2020-04-01"; today, if neither this nor the
        details say. Readers insist on it.
    implicit (bool): Whether to write implicit units.
    RETURNS (str): One line.
    RAISES (FormatError): If a category is empty.
    """
    check_labels(graph, "MRP", lambda edge: True)
    stored: dict[str, Any] = dict(graph.details.get("mrp", {}))
    given = text if text is not None else graph.details.get(TEXT)
    spans = None
    if isinstance(given, str) and all(graph.words):  # a word without letters has no place in a text
        spans = find_words(graph.words, given)
    given, spans = joined_words(graph.words) if spans is None else (str(given), spans)
    nodes, number = _nodes(graph, spans, implicit)
    version, day = stored.pop("version", VERSION), stored.pop("time", None)
    line = {
        **{"id": str(graph.details.get("id", "1")), "flavor": FLAVOR, "framework": FRAMEWORK},
        **{"version": version, "time": time or day or date.today().isoformat()},
        **{key: value for key, value in stored.items() if key not in _OWN},
        **with_guidelines({}, graph.guidelines),
        **{"input": given, "tops": [number[root.index] for root in graph.roots], "nodes": nodes},
        "edges": _edges(graph, number),
    }
    there = [given[start:end] for start, end in spans]
    if there != [*graph.words] or "".join(given.split()) != "".join("".join(there).split()):
        units = map(graph.unit_of, range(len(there)))
        line["words"] = [
            [*span, word, None if unit is None else number[unit.index]]
            for span, word, unit in zip(spans, graph.words, units, strict=True)
        ]
    return json.dumps(line, ensure_ascii=False) + "\n"


def _nodes(
    graph: Graph, spans: Sequence[Span], implicit: bool
) -> tuple[list[dict[str, Any]], dict[int, int]]:
    """RETURNS (Tuple[List[Dict], Dict[int, int]]): The nodes, those with words by the first of them and then
    the others by their first and last word; and the node of each unit that has one."""
    anchored = [u for i in range(len(graph.words)) if (u := graph.unit_of(i)) is not None]
    rest = [u for u in graph.units if u.kind != ucca.LINKAGE and not u.terminals]
    rest.sort(
        key=lambda u: (u.is_implicit, min(u.tokens(), default=-1), max(u.tokens(), default=-1))
    )
    number: dict[int, int] = {}
    nodes: list[dict[str, Any]] = []
    for unit in (*anchored, *rest):
        if unit.index in number or unit.kind == ucca.LINKAGE or (unit.is_implicit and not implicit):
            continue
        number[unit.index] = len(nodes)
        node: dict[str, Any] = {"id": len(nodes)}
        if unit.is_implicit:
            # Text, because mtool compares values in lower case
            node.update(properties=[IMPLICIT_PROPERTY], values=["true"])
        anchors = [{"from": spans[i][0], "to": spans[i][1]} for i in unit.terminals]
        nodes.append({**node, "anchors": anchors} if anchors else node)
    return nodes, number


def _edges(graph: Graph, number: Mapping[int, int]) -> list[dict[str, Any]]:
    edges = []
    for edge in graph.edges:
        if edge.parent.index in number and edge.child.index in number:
            ends = {"source": number[edge.parent.index], "target": number[edge.child.index]}
            marks = {"attributes": [REMOTE], "values": [True]} if edge.remote else {}
            edges += [{**ends, "label": category, **marks} for category in edge.categories]
    return edges


def _read_for_metric(data: Checked) -> tuple[str, "MrpGraph"]:
    from ..metric.mrp import MrpGraph, anchored

    text = _input(data)
    nodes = data.objects("nodes", needed=False)
    numbers = _numbers(data, nodes)
    kept = [i for i, n in enumerate(nodes) if not _is_marked(n, "properties", IMPLICIT_PROPERTY)]
    place = {i: n for n, i in enumerate(kept)}
    spans = [_anchors(nodes[i], text) for i in kept]
    edges: dict[tuple[int, int, str], bool] = {}
    for source, target, label, remote in _iter_edges(data, numbers):
        if source in place and target in place:
            edges.setdefault((place[source], place[target], label.upper()), remote)
    tops = (numbers[top] for top in data.maybe("tops", list) or ())
    found = frozenset(place[top] for top in tops if top in place)
    return str(data.get("id", str, int)), MrpGraph(*anchored(text, spans), found, edges)


def _input(data: Checked) -> str:
    """RETURNS (str): The text of a line. RAISES (FormatError): If the line is no UCCA graph."""
    framework = data.maybe("framework", str)
    if framework not in (None, FRAMEWORK):
        data.fail(Errors.UC710, framework=framework)
    return data.maybe("input", str) or ""


def _anchors(node: Checked, text: str) -> list[Span]:
    spans = []
    for anchor in node.objects("anchors", needed=False):
        start, end = anchor.get("from", int), anchor.get("to", int)
        if not 0 <= start <= end <= len(text):
            anchor.fail(Errors.UC711, start=start, end=end, n=len(text))
        spans.append((start, end))
    return spans


def _numbers(data: Checked, nodes: list[Checked]) -> dict[int | str, int]:
    """RETURNS (Dict[Union[int, str], int]): The number of each node by its id. RAISES (FormatError): If two have the same, or a
    top is none of them."""
    numbers: dict[int | str, int] = {}
    for number, node in enumerate(nodes):
        node_id = node.get("id", int, str)
        if node_id in numbers:
            node.fail(Errors.UC106, what="node", id=node_id)
        numbers[node_id] = number
    for top in data.maybe("tops", list) or ():
        if not isinstance(top, int | str) or top not in numbers:
            data.fail(Errors.UC712, what="top", id=top)
    return numbers


def _iter_edges(
    data: Checked, numbers: Mapping[int | str, int]
) -> Iterator[tuple[int, int, str, bool]]:
    """YIELDS (Tuple[int, int, str, bool]): The nodes of each edge, its label, and whether it is remote."""
    for edge in data.objects("edges", needed=False):
        ends = []
        for key in ("source", "target"):
            node = edge.get(key, int, str)
            if node not in numbers:
                edge.fail(Errors.UC712, what=key, id=node)
            ends.append(numbers[node])
        marks = "attributes" if edge.data.get("attributes") else "properties"
        label = edge.get("label", str)
        if not label:
            edge.fail(Errors.UC707)
        yield ends[0], ends[1], label, _is_marked(edge, marks, REMOTE)


class _Reader:
    """Reads one line."""

    def __init__(self, data: Checked) -> None:
        self.data = data

    def read(self, companions: Mapping[str, Sequence[Span]]) -> Graph:
        data = self.data
        self.text = _input(data)
        if data.data.get("framework") is None and "nodes" not in data.data:
            data.fail(Errors.UC547)
        graph_id = str(data.get("id", str, int))
        nodes = data.objects("nodes", needed=False)
        anchors = [_anchors(node, self.text) for node in nodes]
        self.numbers = _numbers(data, nodes)
        rows = self._rows()
        if rows:
            builder = GraphBuilder([word for word, _ in rows])
            covered = [[i for i, row in enumerate(rows) if row[1] == u] for u in range(len(nodes))]
        else:
            words = self._words(anchors, companions.get(graph_id))
            builder = GraphBuilder([self.text[start:end] for start, end in words])
            covered = [self._covered(words, spans) for spans in anchors]
        builder.kinds = [ucca.FOUNDATIONAL] * len(nodes)
        builder.edges = self._edges()
        for unit, tokens in enumerate(covered):
            for token in tokens:
                builder.add_terminal(unit, token)
        self._kinds(builder, nodes)
        others = {key: value for key, value in data.data.items() if key not in _OWN}
        guidelines = data.maybe(GUIDELINES, str) or ""
        details = with_guidelines({"id": graph_id, "mrp": others}, guidelines)
        builder.details = with_text(details, data.maybe("input", str))
        try:
            return build_graph(builder, data.where)
        except GraphError as err:
            raise FormatError(Errors.UC114.format(where=data.where, reason=err)) from None

    def _rows(self) -> list[tuple[str, int | None]]:
        """RETURNS (List[Tuple[str, Optional[int]]]): The words of the key `words`, each with the number of its node."""
        try:
            rows = self.data.maybe("words", list) or ()
            numbers: dict[Any, int | None] = {None: None, **self.numbers}
            return [(word + "", numbers[node]) for _, _, word, node in rows]
        except (TypeError, ValueError, KeyError):
            self.data.fail(Errors.UC720)

    def _words(self, anchors: list[list[Span]], given: Sequence[Span] | None) -> list[Span]:
        """RETURNS (List[Span]): The spans of all words, in text order."""
        if given is not None:
            ends = [0, *(end for _, end in given)]
            n = len(self.text)
            bad = [s for s, before in zip(given, ends) if not before <= s[0] <= s[1] <= n]
            if bad:
                self.data.fail(Errors.UC711, start=bad[0][0], end=bad[0][1], n=n)
            return list(given)
        found: list[Span] = []
        end = 0
        for span in [*sorted({s for spans in anchors for s in spans}), (len(self.text),) * 2]:
            if span[0] < end:
                self.data.fail(Errors.UC713, first=found[-1], second=span)
            loose = _LOOSE.finditer(self.text, end, span[0])
            found += (match.span() for match in loose if not match[0].isspace())
            found.append(span)
            end = span[1]
        return found[:-1]

    @staticmethod
    def _covered(words: list[Span], spans: list[Span]) -> list[int]:
        """RETURNS (List[int]): The words that spans overlap, or, if empty, are."""
        numbers: dict[int, None] = {}
        for start, end in spans:
            first = bisect_left(words, start, key=lambda word: word[1])
            for i in range(first, len(words)):
                word = words[i]
                if word[0] > end:
                    break
                if word == (start, end) or (word[0] < end and word[1] > start):
                    numbers[i] = None
        return list(numbers)

    def _edges(self) -> list[EdgeTuple]:
        """RETURNS (List[EdgeTuple]): The edges, those of the same ends joined."""
        joined: dict[tuple[int, int, bool], dict[str, None]] = {}
        for source, target, label, remote in _iter_edges(self.data, self.numbers):
            joined.setdefault((source, target, remote), {})[label] = None
        return [
            EdgeTuple(parent, child, tuple(labels), remote)
            for (parent, child, remote), labels in joined.items()
        ]

    def _kinds(self, builder: GraphBuilder, nodes: list[Checked]) -> None:
        """Say of units what they are by the edges around them."""
        below: list[set[str]] = [set() for _ in nodes]
        above: list[set[str]] = [set() for _ in nodes]
        anchored = {edge.parent for edge in builder.edges if edge.child < 0}
        for edge in builder.edges:
            if edge.child >= 0:
                below[edge.parent].update(edge.categories)
                if not edge.remote:
                    above[edge.child].update(edge.categories)
        links = {ucca.LINK_RELATION, ucca.LINK_ARGUMENT}
        for unit, node in enumerate(nodes):
            if below[unit] and below[unit] <= links and not above[unit]:
                builder.kinds[unit] = ucca.LINKAGE
            elif above[unit] - links == {ucca.PUNCTUATION} and unit in anchored and not below[unit]:
                builder.kinds[unit] = ucca.PUNCT
            elif _is_marked(node, "properties", IMPLICIT_PROPERTY) or (
                unit not in anchored and not below[unit] and above[unit]
            ):
                builder.kinds[unit] = ucca.IMPLICIT


def _is_marked(item: Checked, key: str, name: str) -> bool:
    """RETURNS (bool): Whether something has an attribute or property that is not false."""
    names, values = item.maybe(key, list) or [], item.maybe("values", list) or []
    if name not in names:
        return False
    i = names.index(name)
    value = values[i] if i < len(values) else True
    return bool(value) and str(value).lower() != "false"
