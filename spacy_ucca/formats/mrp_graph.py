"""Lines of MRP as the MRP metric compares them: all nodes, edges and anchors as they stand there, also where they make no UCCA graph."""

from collections.abc import Callable

from ..errors import Errors, FormatError
from ..metric.mrp import MrpGraph, anchored
from .mrp import FRAMEWORK, IMPLICIT_PROPERTY, REMOTE, is_marked
from .plain_json import Checked, parse_json

_ENDS = ("source", "target")


def read_mrp_graphs(
    text: str,
    *,
    source: str = "text",
    on_bad: Callable[[str, Exception], None] | None = None,
) -> list[tuple[str, MrpGraph]]:
    """Read lines for the MRP metric. Nodes marked as implicit are left out, with their edges.

    text (str): Lines of JSON.
    source (str): What to call the text in messages, such as the name of its file.
    on_bad (Optional[Callable[[str, Exception], None]]): Called with each line that cannot be read, and the reason. Without it, that is
        an error.
    RETURNS (List[Tuple[str, MrpGraph]]): The id and the graph of each line.
    RAISES (FormatError): If the text is empty or, without `on_bad`, a line is no UCCA graph.
    """
    if not text.strip():
        raise FormatError(Errors.UC115.format(where=source))
    graphs = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{source}, line {number}"
            try:
                graphs.append(_read(Checked(parse_json(line, source, number), where)))
            except FormatError as err:
                if on_bad is None:
                    raise
                on_bad(where, err)
    return graphs


def _read(data: Checked) -> tuple[str, MrpGraph]:
    framework = data.maybe("framework", str)
    if framework not in (None, FRAMEWORK):
        data.fail(Errors.UC710, framework=framework)
    text: str = data.maybe("input", str) or ""
    numbers: dict[int | str, int | None] = {}
    spans: list[list[tuple[int, int]]] = []
    for node in data.objects("nodes", needed=False):
        node_id = node.get("id", int, str)
        if node_id in numbers:
            node.fail(Errors.UC106, what="node", id=node_id)
        if is_marked(node, "properties", IMPLICIT_PROPERTY):
            numbers[node_id] = None
            continue
        numbers[node_id] = len(spans)
        spans.append(_spans(node, text))
    edges: dict[tuple[int, int, str], bool] = {}
    for edge in data.objects("edges", needed=False):
        source, target = (_number(edge, numbers, key, edge.get(key, int, str)) for key in _ENDS)
        label = edge.get("label", str).upper()
        if source is not None and target is not None:
            key = "attributes" if edge.data.get("attributes") else "properties"
            edges.setdefault((source, target, label), is_marked(edge, key, REMOTE))
    tops = (_number(data, numbers, "top", top) for top in data.maybe("tops", list) or ())
    found = frozenset(top for top in tops if top is not None)
    return str(data.get("id", str, int)), MrpGraph(*anchored(text, spans), found, edges)


def _number(
    item: Checked, numbers: dict[int | str, int | None], what: str, node: int | str
) -> int | None:
    if not isinstance(node, int | str) or node not in numbers:
        item.fail(Errors.UC712, what=what, id=node)
    return numbers[node]


def _spans(node: Checked, text: str) -> list[tuple[int, int]]:
    spans = []
    for anchor in node.objects("anchors", needed=False):
        start, end = anchor.get("from", int), anchor.get("to", int)
        if not 0 <= start <= end <= len(text):
            anchor.fail(Errors.UC711, start=start, end=end, n=len(text))
        spans.append((start, end))
    return spans
