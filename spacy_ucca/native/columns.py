"""Columns of the rows of states: which node of a state, and what is read of it.

Nodes are written as in Figure 1 of the TUPA paper: `s0` is the top of the stack, `s1` the item below it, `b0` the first
item of the buffer. Letters behind lead to a child: `l` leftmost, `r` rightmost, `u` only child, `a` the child attached
first, `z` the one attached last. So `s1rr` is the rightmost child of the rightmost child of `s1`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..errors import Errors, VersionError

TOKEN, CATEGORY, BITS = "token", "category", "bits"
ROOT = 0  # the number of the root
N_BUCKETS = 10  # counts, on a logarithmic scale
LABEL_BITS = 48  # labels with higher numbers have no bit in a bit set
BITS_MASK = (1 << LABEL_BITS) - 1


class Property(NamedTuple):
    """What can be read of a node.

    kind (str): TOKEN: the index of a token, -1 for none. CATEGORY: a small number. BITS: a set of labels.
    n_values (Union[int, str]): The number of values of a category; 0 if nothing bounds them. "labels", "relations" and
        "actions" stand for numbers that depend on the transition system.
    """

    kind: str
    n_values: int | str = 0


# The code of a property is its place here.
PROPERTIES: dict[str, Property] = {
    # Of a node. The root has tokens only as s0.
    "label": Property(CATEGORY, "labels"),  # of the primary edge to it; 0 for none
    "head": Property(TOKEN),  # its head terminal
    "first": Property(TOKEN),  # its first and last token
    "last": Property(TOKEN),
    "type": Property(CATEGORY, 6),  # none, root, terminals, both, children, implicit or a token
    "children": Property(CATEGORY, N_BUCKETS),  # their number
    "height": Property(CATEGORY, N_BUCKETS),
    "length": Property(CATEGORY, N_BUCKETS),  # tokens from the first to the last
    "chain": Property(CATEGORY, N_BUCKETS),  # how many unary units in a row it ends
    "child labels": Property(BITS),
    "subtree": Property(CATEGORY, 9),  # how the dependency subtree of its head fits its tokens
    # Of a node and another one
    "relation": Property(CATEGORY, "relations"),  # of their heads in the dependency tree
    "governor": Property(
        CATEGORY, 7
    ),  # where the governor of its head is; the other one is the neighbour
    "gap": Property(CATEGORY, N_BUCKETS + 1),  # from its last token to the first of the other one
    "gap to head": Property(CATEGORY, N_BUCKETS + 1),  # and to the head of the other one
    # Of the state; `a0` is the last action
    "action": Property(CATEGORY, "actions"),
    "stack size": Property(CATEGORY, N_BUCKETS),
    "buffer size": Property(CATEGORY, N_BUCKETS),
    # What templates of TUPA Sparse are made of: hashed values, -1 for none
    "terminal": Property(TOKEN),  # the head terminal, of the root too
    "edge label": Property(
        CATEGORY
    ),  # as long as nothing leads to the node, the rank of the edge to its head child
    "gap type": Property(CATEGORY),
    "gap length": Property(CATEGORY),
    "parents": Property(CATEGORY),  # their number, by remote edges too
    "all children": Property(CATEGORY),  # their number, by remote edges too
    "remote children": Property(CATEGORY),  # their number
    "edge": Property(CATEGORY),  # whether there is one from the node to the other one
    "label between": Property(CATEGORY),  # of that edge
    "action code": Property(CATEGORY),
}
CODES: dict[str, int] = {name: code for code, name in enumerate(PROPERTIES)}


class Column(NamedTuple):
    """One column of a row.

    node (str): A node such as "s0", "b2" or "s1rr"; "a0" for the last action; "" for the state.
    what (str): One of `PROPERTIES`.
    other (str): The other node, of properties of two.
    """

    node: str
    what: str
    other: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.node, self.other, self.what)))


# What the networks of spacy-ucca 0.2 see of a state: tokens, then categories, then bit sets. Their files do not say so.
FIRST_COLUMNS: tuple[Column, ...] = (
    *(Column(node, "head") for node in ("s0", "s1", "s2", "b0")),
    *(Column("s0", "first"), Column("s0", "last"), Column("s1", "first"), Column("s1", "last")),
    Column("s0z", "head"),
    *(Column(node, "type") for node in ("s0", "s1", "s2", "b0")),
    *(Column(node, "label") for node in ("s0", "s1", "s2", "s0a", "s0z", "s1a", "s1z")),
    *(Column(node, "children") for node in ("s0", "s1")),
    *(Column(node, "height") for node in ("s0", "s1", "b0")),
    *(Column(node, "length") for node in ("s0", "s1")),
    *(Column("s1", "gap", "s0"), Column("s0", "gap to head", "b0")),
    *(Column("s1", "relation", "s0"), Column("s0", "relation", "b0")),
    *(Column("s1", "relation", "b0"), Column("s2", "relation", "s0")),
    *(Column("s0", "governor", "s1"), Column("s1", "governor", "s0")),
    *(Column("s0", "subtree"), Column("s1", "subtree")),
    *(Column(back, "action") for back in ("a0", "a1", "a2")),
    *(Column("", "buffer size"), Column("", "stack size"), Column("s0", "chain")),
    *(Column("s0", "child labels"), Column("s1", "child labels")),
)
# What new networks see. Their files have these names, so a column may be added here: it breaks no trained model.
STATE_COLUMNS: tuple[Column, ...] = FIRST_COLUMNS

# How to get at a node: from the stack or the buffer by its index, or from another node by a letter.
WAYS = "sblruaz"
_NODE = re.compile("[sb][0-9][lruaz]*")
_COLUMN = re.compile("(?:([sba][0-9][lruaz]*) )?(?:([sb][0-9][lruaz]*) )?(.*)")


def is_node(name: str) -> bool:
    """RETURNS (bool): Whether that is the name of a node."""
    return bool(_NODE.fullmatch(name))


def parse_column(name: str) -> Column:
    """Read the name of a column.

    name (str): What `str` gives of it.
    RETURNS (Column): The column.
    RAISES (VersionError): If there is none of that name.
    """
    node, other, what = _COLUMN.fullmatch(name).groups("")  # type: ignore[union-attr]
    if what not in PROPERTIES:
        raise VersionError(Errors.UC355.format(column=name))
    return Column(node, what, other)


def list_nodes(names: Iterable[str]) -> tuple[str, ...]:
    """List nodes with those that lead to them.

    names (Iterable[str]): Names of nodes; others are left out.
    RETURNS (Tuple[str, ...]): Each once: items of the stack, then of the buffer, then children behind their parents.
    """
    found = {name[:end] for name in names if is_node(name) for end in range(2, len(name) + 1)}
    return tuple(sorted(found, key=lambda name: (len(name), -ord(name[0]), name)))


def compile_columns(columns: Sequence[Column]) -> list[int]:
    """Translate columns for `rows.fill_rows`.

    columns (Sequence[Column]): The columns.
    RETURNS (List[int]): The number of nodes and the number of columns; for each node, the way to it and its index or the
        number of its parent; for each column, its code and the numbers of its two nodes, 0 for none. Of an action, how
        many steps ago it was.
    RAISES (ValueError): If a column has no such node or property.
    """
    nodes = list_nodes(name for column in columns for name in (column.node, column.other))
    program = [len(nodes), len(columns)]
    for node in nodes:
        start = int(node[1]) if len(node) == 2 else nodes.index(node[:-1])
        program += [WAYS.index(node[0] if len(node) == 2 else node[-1]), start]
    for node, what, other in columns:
        action = re.fullmatch("a([0-9])", node) if what in ("action", "action code") else None
        wrong = [name for name in (node, other) if name and not is_node(name)]
        if what not in CODES or (wrong and not action):
            raise ValueError(f"{node} {what} {other}")
        first, second = (nodes.index(name) if is_node(name) else 0 for name in (node, other))
        program += [CODES[what], int(action[1]) if action else first, second]
    return program
