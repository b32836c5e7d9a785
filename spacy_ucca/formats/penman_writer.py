"""Write graphs in PENMAN notation, which `penman.py` describes."""

from collections.abc import Iterator

from ..graph import EdgeTuple, Graph
from ..graph.categories import CATEGORY_NAMES, LINKAGE, PUNCT
from ..text.spacing import joined_words, original_text, without_spaces
from ..text.split import merge_roots
from .rows import clean
from .text import BLANKS, check_labels, one_line

REMOTE = "remote"
INVERSE = "-of"
INDENT = "    "
WELL_KNOWN = frozenset(CATEGORY_NAMES)
_NOT_IN_ROLES = frozenset(f'{BLANKS}"()/:~')


def write_penman(graph: Graph) -> str:
    """Write a graph in PENMAN notation.

    graph (Graph): The graph. Several roots become one.
    RETURNS (str): The lines of metadata and the graph.
    RAISES (FormatError): If a role cannot hold a category.
    """
    graph = prepare(graph)
    return "\n".join([*head_lines(graph), *Writer(graph).write()]) + "\n"


def prepare(graph: Graph) -> Graph:
    """RETURNS (Graph): The graph as it is written: with one root, without white space.
    RAISES (FormatError): If a role cannot hold a category."""
    graph = merge_roots(without_spaces(graph))
    check_labels(graph, "PENMAN", _comes_back)
    return graph


def head_lines(graph: Graph, *, sentence: bool = False) -> list[str]:
    """Write the metadata of a graph.

    graph (Graph): The graph.
    sentence (bool): Whether the sentence is there in any case: the words joined by spaces, if its text is not known.
    RETURNS (List[str]): The lines.
    """
    lines = [f"# ::tok {' '.join(clean(word, spaces=True) for word in graph.words)}"]
    if "id" in graph.details:
        lines.insert(0, f"# ::id {clean(str(graph.details['id']), spaces=True)}")
    found = original_text(graph)
    if found or sentence:
        lines.append(f"# ::snt {one_line(found[0] if found else joined_words(graph.words)[0])}")
    if graph.guidelines:
        lines.append(f"# ::guidelines {clean(graph.guidelines, spaces=True)}")
    under = {i for i in range(len(graph.words)) if _is_punct_unit(graph, i)}
    if under != (flagged := {i for i, punct in enumerate(graph.punct) if punct}):
        lines.append(f"# ::punct {' '.join(map(str, sorted(flagged)))}".rstrip())
    return lines


def _is_punct_unit(graph: Graph, token: int) -> bool:
    unit = graph.unit_of(token)
    return unit is not None and unit.kind == PUNCT


def _role(edge: EdgeTuple) -> str:
    return "-".join(edge.categories) + f"-{REMOTE}" * edge.remote


def read_role(role: str) -> tuple[tuple[str, ...], bool]:
    """RETURNS (Tuple[Tuple[str, ...], bool]): The categories, and whether the edge is remote."""
    name = role.removesuffix(f"-{REMOTE}")
    parts = tuple(name.split("-"))
    return (parts if WELL_KNOWN.issuperset(parts) else (name,)), name != role


def _comes_back(edge: EdgeTuple) -> bool:
    role = _role(edge)
    held = role and not _NOT_IN_ROLES.intersection(role) and not role.endswith(INVERSE)
    return edge.child < 0 or bool(held and read_role(role) == (edge.categories, edge.remote))


class Writer:
    """Writes units from the root down, without recursion: sentences may be deep."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.name = {unit.index: f"v{i}" for i, unit in enumerate(graph.units)}
        # Linkage units by the unit they stand under, which is the first they lead to, or their parent
        self.placed = {
            u.index: graph.edge_tuples[u.edges[0].index]
            for u in graph.linkages
            if u.edges and u.parent is None
        }
        self.linkage: dict[int, list[int]] = {}
        for link, edge in self.placed.items():
            self.linkage.setdefault(edge.child, []).append(link)

    def write(self) -> list[str]:
        root = self.graph.roots[0].index if self.graph.roots else None
        if root is None:
            return ["(v0 / FN)"]
        lines = [f"({self._head(root)}"]
        stack = [iter(self._roles(root))]
        while stack:
            for role, unit, whole in stack[-1]:
                start = INDENT * len(stack) + role
                if whole:
                    lines.append(f"{start} ({self._head(unit)}")
                    stack.append(iter(self._roles(unit)))
                    break
                lines.append(f"{start} {self.name[unit]}")
            else:
                stack.pop()
                lines[-1] += ")"
        return lines

    def _head(self, unit: int) -> str:
        tokens = ",".join(map(str, self.graph[unit].terminals))
        return f"{self.name[unit]} / {self.concept(unit)}" + (f"~e.{tokens}" if tokens else "")

    def role(self, edge: EdgeTuple) -> str:
        """RETURNS (str): The role of an edge."""
        return _role(edge)

    def concept(self, unit: int) -> str:
        """RETURNS (str): The concept of a unit."""
        return self.graph.kinds[unit]

    def _roles(self, unit: int) -> Iterator[tuple[str, int, bool]]:
        """YIELDS (Tuple[str, int, bool]): Role, unit, and whether the unit is to be written there."""
        linkage = self.graph.kinds[unit] == LINKAGE
        for edge in self.graph[unit].edges:
            edge_tuple = self.graph.edge_tuples[edge.index]
            if edge_tuple is not self.placed.get(unit):
                yield (
                    f":{self.role(edge_tuple)}",
                    edge_tuple.child,
                    not edge_tuple.remote and not linkage,
                )
        for link in self.linkage.get(unit, ()):
            yield f":{_role(self.placed[link])}{INVERSE}", link, True
