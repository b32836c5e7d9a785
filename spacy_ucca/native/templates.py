"""The feature templates of TUPA Sparse, as Figure 1 of the paper's supplement prints them.

Only what the figure says is here, as text and taken apart ("A Transition-Based DAG Parser for UCCA", ACL 2017,
supplement A), and which columns of a state it needs.

An element is an item with its properties: `s0lwe` is the word and the edge label of the leftmost child of
the top of the stack, and `s0es1eb0td` has three items. Items: `s` stack, `b` buffer, each with its index,
then any of `l`, `r`, `u`: leftmost, rightmost, only child, the later of the earlier. Properties:

    w t d   word form, POS tag, dependency label of the head terminal h*
    e       label of the edge to the node; as long as nothing leads to it, of the edge to its head child
    p q     the only punctuation between the head terminals of s0 and s1, if there is one; their number
    x y     gap type ("none", "pass", "gap"); sum of gap lengths
    P C R   number of parents, of children, of remote children

Two items without properties (`s0b0`): whether there is an edge from the first to the second; with `e` after
them, its label. `a0`, `a1` are the last two actions.
"""

import re
from typing import NamedTuple

from .columns import Column, is_node, list_nodes

# "s0wcq" of the figure stands for "s0weq", as with s1: nothing there is called c.
FIGURE = {
    # Features from (Zhang and Clark, 2009)
    "unigrams": """
        s0tde s0we s1tde s1we s2tde s2we s3tde s3we
        b0wtd b1wtd b2wtd b3wtd
        s0lwe s0rwe s0uwe s1lwe s1rwe s1uwe
    """,
    "bigrams": """
        s0ws1w s0ws1e s0es1w s0es1e s0wb0w s0wb0td
        s0eb0w s0eb0td s1wb0w s1wb0td s1eb0w s1eb0td
        b0wb1w b0wb1td b0tdb1w b0tdb1td
    """,
    "trigrams": """
        s0es1es2w s0es1es2e s0es1eb0w s0es1eb0td
        s0es1wb0w s0es1wb0td s0ws1es2e s0ws1eb0td
    """,
    "separator": """
        s0wp s0wep s0wq s0weq s0es1ep s0es1eq
        s1wp s1wep s1wq s1weq
    """,
    # (Zhu et al., 2013)
    "extended": """
        s0llwe s0lrwe s0luwe s0rlwe s0rrwe
        s0ruwe s0ulwe s0urwe s0uuwe s1llwe
        s1lrwe s1luwe s1rlwe s1rrwe s1ruwe
    """,
    # (Maier, 2015)
    "disco": """
        s0xwe s1xwe s2xwe s3xwe
        s0xtde s1xtde s2xtde s3xtde
        s0xy s1xy s2xy s3xy
        s0xs1e s0xs1w s0xs1x s0ws1x s0es1x
        s0xs2e s0xs2w s0xs2x s0ws2x s0es2x
        s0ys1y s0ys2y s0xb0td s0xb0w
    """,
    # Features from (Tokgöz and Eryiğit, 2015)
    "counts": "s0P s0C s0wP s0wC b0P b0C b0wP b0wC",
    "edges": "s0s1 s1s0 s0b0 b0s0 s0b0e b0s0e",
    "history": "a0 a1",
    # Novel, UCCA-specific features
    "remote": "s0R s0wR b0R b0wR",
}
TEMPLATES: tuple[str, ...] = tuple(name for group in FIGURE.values() for name in group.split())

# Of the head terminal; the scorer looks them up in the tokens, `p` and `q` too.
TOKEN_PROPERTIES = "wtdpq"

_ITEM = re.compile("([sba][0-9][lru]*)([wtdepqxyPCR]*)")


class Value(NamedTuple):
    """One value that templates are made of: a property of an item ("w" of "s0l"), the edge between two
    items ("s0b0", property "" or "e") or an action ("a0")."""

    item: str
    name: str = ""

    def __str__(self) -> str:
        return self.item + self.name


def parse_template(template: str) -> tuple[Value, ...]:
    """Take a template apart.

    template (str): As the figure writes it: "s0es1eb0td".
    RETURNS (Tuple[Value, ...]): Its values: ("s0", "e"), ("s1", "e"), ("b0", "t"), ("b0", "d").
    RAISES (ValueError): If it is none.
    """
    items: list[tuple[str, str]] = _ITEM.findall(template)
    if not items or "".join(item + names for item, names in items) != template:
        raise ValueError(template)
    if len(items) == 2 and not items[0][1]:
        return (Value(items[0][0] + items[1][0], items[1][1]),)
    if template.startswith("a"):
        return (Value(template),)
    # p and q are of s0 and s1 together, whichever they stand behind.
    return tuple(
        Value("" if name in "pq" else item, name) for item, names in items for name in names
    )


PARSED: tuple[tuple[Value, ...], ...] = tuple(map(parse_template, TEMPLATES))
VALUES: tuple[Value, ...] = tuple(dict.fromkeys(v for parsed in PARSED for v in parsed))


# All but what is looked up in the tokens: properties of nodes, then edges, then actions.
CATEGORIES: tuple[Value, ...] = tuple(
    sorted(
        (v for v in VALUES if not v.name or v.name not in TOKEN_PROPERTIES),
        key=lambda v: (not is_node(v.item), v.item.startswith("a")),
    )
)
# The nodes of all values; each path comes after that of its parent.
NODES: tuple[str, ...] = list_nodes(value.item for value in VALUES)

_PROPERTIES = {
    **{"e": "edge label", "x": "gap type", "y": "gap length"},
    **{"P": "parents", "C": "all children", "R": "remote children"},
}


def _column(value: Value) -> Column:
    if is_node(value.item):
        return Column(value.item, _PROPERTIES[value.name])
    if value.item.startswith("a"):
        return Column(value.item, "action code")
    return Column(value.item[:2], "label between" if value.name else "edge", value.item[2:])


# The columns of rows: head terminals of `NODES`, then `CATEGORIES`.
TEMPLATE_COLUMNS: tuple[Column, ...] = (
    *(Column(node, "terminal") for node in NODES),
    *map(_column, CATEGORIES),
)
