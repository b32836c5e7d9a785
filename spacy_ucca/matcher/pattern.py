"""Patterns as a search reads them, compiled of the dicts that users write."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import Errors, UccaError
from ..graph.categories import hint_of
from .attributes import EdgeSpec, UnitSpec, read_edge_attrs, read_unit_attrs
from .relations import CHILD, PARENT, RELATIONS
from .values import Place

LEFT_ID, REL_OP, RIGHT_ID, RIGHT_ATTRS = "LEFT_ID", "REL_OP", "RIGHT_ID", "RIGHT_ATTRS"
EDGE_ATTRS, OP, AFTER = "EDGE_ATTRS", "OP", "AFTER"
KEYS = (LEFT_ID, REL_OP, RIGHT_ID, RIGHT_ATTRS, EDGE_ATTRS, OP, AFTER)
ROOT_KEYS = (RIGHT_ID, RIGHT_ATTRS)
ABSENT = "!"
MAX_NODES = 250  # a search goes two calls deeper for each


@dataclass(frozen=True)
class Node:
    """A node of a pattern.

    slot (int): Its number.
    name (Union[str, int]): Its RIGHT_ID. Units of nodes that are named by a number are not part of a match.
    left (int): The number of the node that it hangs on; -1 for the root.
    op (str): The relation to that.
    unit (UnitSpec): What it asks of its unit.
    edge (Optional[EdgeSpec]): What it asks of the edge to that.
    after (int): The number of a node whose unit comes before its own; -1 for none.
    same (int): The number of the node whose unit it has, to which it asks for one more relation; -1 for none.
    """

    slot: int
    name: str | int
    left: int
    op: str
    unit: UnitSpec
    edge: EdgeSpec | None
    after: int
    same: int


@dataclass
class Group:
    """Nodes of which all must have a unit, each on the left before those on its right.

    named (List[Node]): Those that a match has, and those that these hang on.
    others (List[Node]): Those of which it is enough that there are such units.
    absent (List[Group]): What must not be there.
    """

    named: list[Node] = field(default_factory=list)
    others: list[Node] = field(default_factory=list)
    absent: "list[Group]" = field(default_factory=list)

    @property
    def nodes(self) -> list[Node]:
        """RETURNS (List[Node]): All nodes."""
        return [*self.named, *self.others]


@dataclass(frozen=True)
class Pattern:
    """A pattern.

    nodes (List[Node]): All nodes, by their numbers.
    group (Group): What must be there.
    names (Dict[str, int]): The nodes whose units a match has.
    categories (List[FrozenSet[str]]): Of each of these a graph has to have at least one category.
    """

    nodes: list[Node]
    group: Group
    names: dict[str, int]
    categories: list[frozenset[str]]


def compile_pattern(pattern: Any, where: str, *, validate: bool = True) -> Pattern:
    """Check a pattern and make it ready for a search.

    pattern (Any): A list of dicts.
    where (str): What messages call it, such as "Pattern 1 of 'key'".
    validate (bool): Refuse categories and kinds of Scenes that UCCA does not have.
    RETURNS (Pattern): The pattern.
    RAISES (UccaError): If it is none. The message names the node.
    """
    if not isinstance(pattern, list | tuple):
        raise UccaError(Errors.UC643.format(where=where, what=type(pattern).__name__))
    if not pattern:
        raise UccaError(Errors.UC643.format(where=where, what="empty"))
    if len(pattern) > MAX_NODES:
        raise UccaError(Errors.UC676.format(where=where, most=MAX_NODES))
    slots: dict[str | int, int] = {}
    nodes: list[Node] = []
    for slot, spec in enumerate(pattern):
        if not isinstance(spec, Mapping):
            what = f"a list with {type(spec).__name__}"
            raise UccaError(Errors.UC643.format(where=where, what=what))
        name = spec.get(RIGHT_ID)
        place = Place(where + (f", node {slot + 1}" if name is None else f", node {name!r}"))
        place = place._replace(validate=validate)
        _check_keys(place, spec, slot == 0)
        if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
            raise place.refuse(RIGHT_ID, name, "a name")
        same = slots.get(name, -1)
        if same >= 0 and RIGHT_ATTRS in spec:
            raise UccaError(Errors.UC648.format(where=place.where))
        if same < 0 and RIGHT_ATTRS not in spec:
            raise UccaError(Errors.UC651.format(where=place.where, missing=RIGHT_ATTRS))
        left = slots[_earlier(place, LEFT_ID, spec, slots, pattern)] if slot else -1
        after = slots[_earlier(place, AFTER, spec, slots, pattern)] if AFTER in spec else -1
        nodes.append(_node(place, spec, slot, name, left, after, same))
        slots.setdefault(name, slot)
    # what must be absent around a node, the nearest first; and -1
    around: dict[int, list[int]] = {-1: [-1]}
    for node in nodes:
        own = [node.slot] if pattern[node.slot].get(OP) == ABSENT else []
        around[node.slot] = own + around[node.left]
    for node in nodes:
        for key, other in ((AFTER, node.after), (RIGHT_ID, node.same)):
            if other >= 0 and around[other][0] not in around[node.slot]:
                name, reason = nodes[other].name, "there is no unit for that node: OP is '!'."
                message = Errors.UC649.format(
                    where=f"{where}, node {node.name!r}", key=key, name=name, reason=reason
                )
                raise UccaError(message)
    group = _make_group(nodes, around)
    names = {n.name: n.slot for n in group.named if n.same < 0 and isinstance(n.name, str)}
    specs = [spec for node in group.nodes for spec in (node.unit, node.edge) if spec is not None]
    return Pattern(nodes, group, names, [spec.some for spec in specs if spec.some is not None])


def _node(
    place: Place,
    spec: Mapping[str, Any],
    slot: int,
    name: str | int,
    left: int,
    after: int,
    same: int,
) -> Node:
    op = spec.get(REL_OP, "")
    if slot and (not isinstance(op, str) or op not in RELATIONS):
        hint = hint_of(str(op), RELATIONS)
        known = ", ".join(RELATIONS)
        raise UccaError(Errors.UC647.format(where=place.where, op=op, hint=hint, known=known))
    if spec.get(OP, ABSENT) != ABSENT:
        raise place.refuse(OP, spec[OP], "'!', which says that there is no such unit")
    edge = None
    if EDGE_ATTRS in spec:
        if op not in (CHILD, PARENT):
            raise UccaError(Errors.UC652.format(where=place.where, op=op))
        edge = read_edge_attrs(place, spec[EDGE_ATTRS])
    unit = read_unit_attrs(place, spec.get(RIGHT_ATTRS, {}))
    return Node(slot, name, left, op, unit, edge, after, same)


def _check_keys(place: Place, spec: Mapping[str, Any], is_root: bool) -> None:
    place.check_keys("a node", spec, KEYS)
    if is_root:
        if others := [key for key in spec if key not in ROOT_KEYS]:
            reason = f"the first node has {others[0]}."
            raise UccaError(Errors.UC650.format(where=place.where, reason=reason))
        if missing := [key for key in ROOT_KEYS if key not in spec]:
            reason = f"{missing[0]} is missing."
            raise UccaError(Errors.UC650.format(where=place.where, reason=reason))
        return
    missing = [key for key in (LEFT_ID, REL_OP, RIGHT_ID) if key not in spec]
    if missing:
        raise UccaError(Errors.UC651.format(where=place.where, missing=" and ".join(missing)))


def _earlier(
    place: Place, key: str, spec: Mapping[str, Any], slots: Mapping[str | int, int], pattern: Any
) -> Any:
    """RETURNS (Union[str, int]): The name of an earlier node that a node refers to.
    RAISES (UccaError): If there is no such node, it comes later, or hangs on this one."""
    name = spec[key]
    if not isinstance(name, str | int):
        raise place.refuse(key, name, "the name of another node")
    if name in slots:
        return name
    lefts = {
        node[RIGHT_ID]: node.get(LEFT_ID)
        for node in pattern
        if isinstance(node, Mapping) and isinstance(node.get(RIGHT_ID), str | int)
    }
    above: Any = name
    seen: list[Any] = []
    while isinstance(above, str | int) and above in lefts and above not in seen:
        seen.append(above)
        above = lefts[above]
    if name not in lefts:
        known = ", ".join(map(repr, slots))
        reason = f"no node has that RIGHT_ID. Use one of: {known}."
    elif spec[RIGHT_ID] in seen:
        cycle = [spec[RIGHT_ID], *seen[: seen.index(spec[RIGHT_ID]) + 1]]
        way = " -> ".join(map(str, cycle))
        reason = f"that is a cycle ({way}). Let one of these nodes hang on an earlier one."
    else:
        reason = "that node comes later. Put it before this one."
    raise UccaError(Errors.UC649.format(where=place.where, key=key, name=name, reason=reason))


def _make_group(nodes: list[Node], around: Mapping[int, list[int]]) -> Group:
    """RETURNS (Group): The nodes that must be there, with the groups that must be absent."""
    groups: dict[int, Group] = {-1: Group()}
    wanted: set[int] = set()
    named = [n for n in nodes if n.same < 0 and isinstance(n.name, str)]
    waiting = [0, *(node.slot for node in named if around[node.slot] == [-1])]
    while waiting:
        slot = waiting.pop()
        if slot >= 0 and slot not in wanted:
            wanted.add(slot)
            waiting += [nodes[slot].left, nodes[slot].after]
    for node in nodes:
        top, *outer = around[node.slot]
        if top not in groups:
            groups[top] = Group()
            groups[outer[0]].absent.append(groups[top])
        if top < 0 and {node.left, node.same} <= wanted:  # looked at as early as possible
            wanted.add(node.slot)
        group = groups[top]
        (group.named if node.slot in wanted else group.others).append(node)
    return groups[-1]


def token_patterns(pattern: Pattern) -> Iterator[tuple[Node, str, list[Any]]]:
    """YIELDS (Tuple[Node, str, List]): The nodes that ask for tokens, with the attribute and the pattern of spaCy's `Matcher`."""
    for node in pattern.nodes:
        if node.unit.head is not None:
            yield node, "HEAD", node.unit.head
        if node.unit.tokens is not None:
            yield node, "TOKENS", node.unit.tokens
