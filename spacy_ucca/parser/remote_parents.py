"""Which units remote edges may leave: those with a child of a label that nearly all such units have. Most pairs of units are
left out at once by that, and looking at them all is a tenth of the time of parsing."""

from collections import Counter
from collections.abc import Iterable

from ..graph.unit import Unit

COVERAGE = 0.95  # of the remote edges of the training data
FEW = 200  # of fewer, all are covered: 5 % could be all edges of a kind


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
