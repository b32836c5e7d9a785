"""The elements of Figure 1 of the TUPA paper: what is read of a state, by the templates of TUPA Sparse and by the networks.

The supplement says: "The other classifiers use the same elements listed in the feature templates, but all categorical
features are replaced by vector embeddings, and all count-based features are replaced by their numeric value."
"""

from typing import NamedTuple

from .columns import Column, is_node
from .templates import CATEGORIES, NODES, TEMPLATE_COLUMNS, VALUES, Value

WORD, TAG, DEPENDENCY = (
    "word",
    "tag",
    "dependency",
)  # of the head terminal: the token encoder has them
LABEL, MARK, GAP, ACTION = "edge label", "punctuation", "gap", "action"
NUMBER = "number"
N_MARKS = 32  # punctuation marks are hashed into so many

_KINDS = {
    **{"w": WORD, "t": TAG, "d": DEPENDENCY, "e": LABEL, "p": MARK, "q": NUMBER},
    **{"x": GAP, "y": NUMBER, "P": NUMBER, "C": NUMBER, "R": NUMBER},
}


class Element(NamedTuple):
    """An element of the figure.

    name (str): As the figure writes it, such as "s0lw", "s0x", "s0b0e", "p" or "a1".
    kind (str): How a network reads it: as an embedding of a WORD, TAG, DEPENDENCY, LABEL, MARK, GAP or ACTION, or as a
        NUMBER.
    column (Optional[Column]): What it reads of a state; None for `p` and `q`, which are looked up in the tokens.
    """

    name: str
    kind: str
    column: Column | None


def _element(value: Value) -> Element:
    if value.item.startswith("a"):
        kind = ACTION
    elif is_node(value.item) or not value.item:
        kind = _KINDS[value.name]
    else:
        kind = LABEL if value.name else NUMBER  # of an edge, or whether there is one
    if kind in (WORD, TAG, DEPENDENCY):
        column = TEMPLATE_COLUMNS[NODES.index(value.item)]
    elif value.item:
        column = TEMPLATE_COLUMNS[len(NODES) + CATEGORIES.index(value)]
    else:
        column = None
    return Element(str(value), kind, column)


ELEMENTS: tuple[Element, ...] = tuple(map(_element, VALUES))
