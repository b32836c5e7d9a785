"""What a graph is made of: its stored fields, the index that follows from its edges, and its details.

The index has the parents and children of each unit and its tokens; making it checks the invariants. Details are what a graph
carries beside units and edges: its guidelines, and what formats keep.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ..errors import Errors, GraphError, UccaError
from .categories import CATEGORY_NAMES, IMPLICIT, KINDS, LINKAGE, hint_at

if TYPE_CHECKING:
    from .graph import Graph

_KINDS = frozenset(KINDS)


class EdgeTuple(NamedTuple):
    """An edge as stored. `child` is a unit's index, or `~token`."""

    parent: int
    child: int
    categories: tuple[str, ...]
    remote: bool = False


class Index(NamedTuple):
    """What follows from the edges of a graph.

    out (List[List[int]]): The edges from each unit.
    into (List[List[int]]): The edges to each unit.
    parent_edge (List[int]): The primary edge to each unit, or -1.
    token_edge (List[int]): The edge to each token, or -1.
    starts (List[int]): The first token of each unit; the number of tokens, if it has none.
    masks (List[int]): All tokens of each unit, counted from its first one, as a bit set whose lowest bit is set: long
        texts stay cheap.
    """

    out: list[list[int]]
    into: list[list[int]]
    parent_edge: list[int]
    token_edge: list[int]
    starts: list[int]
    masks: list[int]


def check_words(words: Sequence[str], tokens: Sequence[str], message: str = Errors.UC201) -> None:
    """RAISES (UccaError): If the words of a graph are not those of a Doc, or of another graph."""
    if [*words] == [*tokens]:
        return
    at = next(i for i, (a, b) in enumerate(zip_longest(words, tokens)) if a != b)
    found, expected = (repr(side[at]) if at < len(side) else "the end" for side in (words, tokens))
    sizes = {"n": len(words), "tokens": len(tokens)}
    raise UccaError(message.format(**sizes, index=at, found=found, expected=expected))


def make_index(words: Sequence[str], kinds: Sequence[str], edges: Sequence[EdgeTuple]) -> Index:
    """Derive adjacency and yields.

    words (Sequence[str]): The tokens.
    kinds (Sequence[str]): The kind of each unit.
    edges (Sequence[EdgeTuple]): All edges.
    RETURNS (Index): What follows from them.
    RAISES (GraphError): If two primary parents, a cycle or another broken invariant is found.
    """
    n_words, n_units = len(words), len(kinds)
    if not _KINDS.issuperset(kinds):
        kind = next(kind for kind in kinds if kind not in _KINDS)
        raise GraphError(Errors.UC007.format(kind=kind, kinds=", ".join(KINDS)))
    out: list[list[int]] = [[] for _ in range(n_units)]
    into: list[list[int]] = [[] for _ in range(n_units)]
    parent_edge, token_edge = [-1] * n_units, [-1] * n_words
    pending = [0] * n_units  # children that are units
    for i, (parent, child, categories, remote) in enumerate(edges):
        if not (0 <= parent < n_units and -n_words <= child < n_units and categories):
            _refuse_edge(n_words, n_units, i, edges[i])
        out[parent].append(i)
        if child < 0:
            if remote:
                _refuse_edge(n_words, n_units, i, edges[i])
            if token_edge[~child] >= 0:
                what = {"token": ~child, "word": words[~child]}
                _refuse_claim(Errors.UC004, edges, token_edge[~child], i, **what)
            token_edge[~child] = i
            continue
        pending[parent] += 1
        into[child].append(i)
        if not remote and kinds[parent] != LINKAGE:
            if parent_edge[child] >= 0:
                _refuse_claim(Errors.UC002, edges, parent_edge[child], i, child=child)
            parent_edge[child] = i
    masks, starts = [0] * n_units, [n_words] * n_units
    linked = LINKAGE in kinds
    for unit in bottom_up(edges, out, into, pending):
        start, mask = n_words, 0
        for i in out[unit]:
            _, child, _, remote = edges[i]
            if remote:
                continue
            first, part = (~child, 1) if child < 0 else (starts[child], masks[child])
            if linked and child >= 0 and kinds[child] == LINKAGE:
                # What it links belongs to other units, so only its own tokens count.
                own = sorted(~edges[k].child for k in out[child] if edges[k].child < 0)
                if not own:
                    continue
                first, part = own[0], sum(1 << (token - own[0]) for token in own)
            if not mask:
                start, mask = first, part
            elif first >= start:
                mask |= part << (first - start)
            else:
                start, mask = first, part | mask << (start - first)
        if mask:
            if kinds[unit] == IMPLICIT:
                raise GraphError(Errors.UC005.format(index=unit))
            starts[unit], masks[unit] = start, mask
    return Index(out, into, parent_edge, token_edge, starts, masks)


def bottom_up(
    edges: Sequence[EdgeTuple],
    out: Sequence[Sequence[int]],
    into: Sequence[Sequence[int]],
    pending: list[int] | None = None,
) -> list[int]:
    """Order units, children before parents, over all edges (Kahn's algorithm).

    edges (Sequence[EdgeTuple]): All edges.
    out (Sequence[Sequence[int]]): Those from each unit.
    into (Sequence[Sequence[int]]): Those to each unit.
    pending (Optional[List[int]]): How many edges to units each has, if that is known. It is changed.
    RETURNS (List[int]): The units.
    RAISES (GraphError): If there is a cycle.
    """
    if pending is None:
        pending = [sum(edges[i].child >= 0 for i in edge_numbers) for edge_numbers in out]
    order = [u for u, n in enumerate(pending) if n == 0]
    for unit in order:  # grows while it is walked
        for i in into[unit]:
            parent = edges[i].parent
            pending[parent] -= 1
            if pending[parent] == 0:
                order.append(parent)
    if len(order) < len(pending):
        raise GraphError(Errors.UC003.format(index=next(u for u, n in enumerate(pending) if n > 0)))
    return order


def _refuse_edge(n_words: int, n_units: int, i: int, edge: EdgeTuple) -> NoReturn:
    if not 0 <= edge.parent < n_units:
        message = Errors.UC001.format(edge=i, what="unit", index=edge.parent, n=n_units)
    elif edge.child >= n_units:
        message = Errors.UC001.format(edge=i, what="unit", index=edge.child, n=n_units)
    elif edge.child < 0 and ~edge.child >= n_words:
        message = Errors.UC001.format(edge=i, what="token", index=~edge.child, n=n_words)
    elif not edge.categories:
        message = Errors.UC006.format(edge=i)
    else:
        message = Errors.UC011.format(edge=i)  # a remote edge to a token
    raise GraphError(message)


def _refuse_claim(message: str, edges: Sequence[EdgeTuple], *claims: int, **what: Any) -> NoReturn:
    first, second = (edges[i].parent for i in claims)
    raise GraphError(message.format(first=first, second=second, **what))


NUMBERED = "xml"  # the details that belong to units, edges and tokens, by their numbers
GUIDELINES = "guidelines"
LANG = "lang"  # the code of the language
TEXT = "text"  # the text that the words are from, with its white space


def check_categories(graph: "Graph", categories: Iterable[str]) -> None:
    """RAISES (UccaError): If there is a category that neither UCCA nor the graph has."""
    unknown = [c for c in categories if c not in CATEGORY_NAMES]
    if not unknown:
        return
    known = {c for edge in graph.edge_tuples for c in edge.categories}
    for category in unknown:
        if category not in known:
            raise UccaError(Errors.UC014.format(category=category, hint=hint_at(category)))


def with_guidelines(details: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Name the guidelines in the details of a graph.

    details (Mapping[str, Any]): The details.
    name (str): The name of the guidelines; "" if they are not known.
    RETURNS (Dict[str, Any]): New details; without guidelines if these are not known.
    """
    others = {key: value for key, value in details.items() if key != GUIDELINES}
    return {**others, GUIDELINES: name} if name else others


def read_guidelines(details: Mapping[str, Any]) -> str:
    """RETURNS (str): The name of the guidelines in the details of a graph; "" if they name none."""
    return str(details.get(GUIDELINES, ""))


def common_details(graphs: Iterable["Graph"]) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The guidelines and the language of graphs, where all name the same."""
    parts = [graph.details for graph in graphs]
    values = {key: {str(part.get(key, "")) for part in parts} for key in (GUIDELINES, LANG)}
    return {
        key: names.pop() for key, names in values.items() if len(names) == 1 and "" not in names
    }


def plain_details(graph: "Graph") -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The details of a graph that do not speak of numbers of its units, edges and
    tokens, such as its id: they stay true when these get other numbers."""
    return {key: value for key, value in graph.details.items() if key != NUMBERED}


def with_text(details: Mapping[str, Any], text: str | None) -> dict[str, Any]:
    """Put the text that the words are from in the details of a graph.

    details (Mapping[str, Any]): The details.
    text (Optional[str]): The text; None if it is not known.
    RETURNS (Dict[str, Any]): New details; without a text if it is not known.
    """
    others = {key: value for key, value in details.items() if key != TEXT}
    return others if text is None else {**others, TEXT: text}


def unit_number(node_id: str, default: int) -> int:
    """RETURNS (int): The number in a node's id, such as 12 of "1.12"; `default` if it has none."""
    suffix = node_id.rpartition(".")[2]
    return int(suffix) if suffix.isdecimal() and suffix.isascii() else default
