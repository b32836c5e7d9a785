"""Paths in directed graphs of numbered nodes: reachable nodes, cycles, and depths in a forest."""

from collections.abc import Callable, Iterable, Sequence


def reached(starts: Iterable[int], following: Callable[[int], Iterable[int]]) -> set[int]:
    """Find the nodes that paths lead to.

    starts (Iterable[int]): Where paths begin.
    following (Callable[[int], Iterable[int]]): The nodes next to a node.
    RETURNS (Set[int]): The nodes, those that paths begin at included.
    """
    nodes = set(starts)
    waiting = [*nodes]
    while waiting:
        for node in following(waiting.pop()):
            if node not in nodes:
                nodes.add(node)
                waiting.append(node)
    return nodes


def find_cycle(pairs: Iterable[tuple[int, int]]) -> list[int] | None:
    """Find a cycle.

    pairs (Iterable[Tuple[int, int]]): The edges, as pairs of parent and child.
    RETURNS (Optional[List[int]]): The nodes of a cycle, each the child of the one after it; the first node stands
        at the end again. None if there is no cycle.
    """
    from graphlib import CycleError, TopologicalSorter  # `import spacy_ucca` does without

    sorter: TopologicalSorter[int] = TopologicalSorter()
    for parent, child in pairs:
        sorter.add(parent, child)
    try:
        sorter.prepare()
    except CycleError as err:
        cycle: list[int] = err.args[1]
        return cycle
    return None


def forest_depths(parents: Sequence[int]) -> list[int]:
    """Count the nodes above each node of a forest.

    parents (Sequence[int]): The parent of each node; a negative number for a root. There is no cycle.
    RETURNS (List[int]): The depth of each node; 0 for a root.
    """
    depths = [0 if parent < 0 else -1 for parent in parents]
    for node in range(len(depths)):
        path = []
        while depths[node] < 0:
            path.append(node)
            node = parents[node]
        depth = depths[node]
        for node in reversed(path):
            depth += 1
            depths[node] = depth
    return depths
