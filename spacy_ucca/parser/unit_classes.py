"""The labels of a unit by which the parser classes it: of its implicit children, and of its children.

Remote edges may leave units with a child of a label that nearly all such units have. Most pairs of units are left out at
once by that, and looking at them all is a tenth of the time of parsing.
"""

from collections import Counter
from collections.abc import Iterable

from ..graph.unit import Unit

Bag = tuple[str, ...]

COVERAGE = 0.95  # of the remote edges of the training data
FEW = 200  # of fewer, all are covered: 5 % could be all edges of a kind


def implicit_bag(unit: Unit) -> Bag:
    """RETURNS (Tuple[str, ...]): The labels of the implicit children of a unit, sorted. Implicit
    children of other units, to which it has remote edges, do not count."""
    return tuple(sorted(e.label for e in unit.edges if e.child.is_implicit and not e.remote))


def remote_only_label(unit: Unit) -> str:
    """RETURNS (str): The label of the remote edges of a unit without implicit children, the first of several; "" for
    others."""
    if implicit_bag(unit):
        return ""
    return min((edge.label for edge in unit.edges if edge.remote), default="")


def child_labels(unit: Unit) -> frozenset[str]:
    """RETURNS (FrozenSet[str]): The labels of the primary edges of a unit to units that have tokens."""
    return frozenset(
        edge.label for edge in unit.edges if not edge.remote and not edge.child.is_implicit
    )


def covering_labels(parents: Iterable[frozenset[str]]) -> list[str]:
    """Choose labels so that most units with remote edges have a child with one of them.

    parents (Iterable[FrozenSet[str]]): For each remote edge, what `child_labels` gave of its parent.
    RETURNS (List[str]): Labels, each the most frequent one of the units that those before it leave. None, so that any unit may
        have remote edges, if too many have no such child.
    """
    left = list(parents)
    enough = (1 - COVERAGE) * len(left) if len(left) >= FEW else 0
    chosen: list[str] = []
    while len(left) > enough:
        counts = Counter(label for labels in left for label in labels)
        if not counts:
            return []
        chosen.append(min(counts, key=lambda label: (-counts[label], label)))
        left = [labels for labels in left if chosen[-1] not in labels]
    return chosen
