"""What is read off finished trees: their units, as columns, and the edges of their graphs.

It runs for every unit: as plain Python, or compiled with the C types of `tree_walk.pxd`.
"""

from collections.abc import Sequence
from typing import Any

from spacy_ucca.native.columns import BITS_MASK, ROOT

_new = tuple.__new__  # of a NamedTuple, without its own __new__, which takes twice as long

N_UNIT_COLUMNS = 12


def list_units(state: Any, start: int, offset: int, nodes: list[int], columns: list[int]) -> None:
    """List the units of a finished tree depth first, the root first.

    state (State): A state that is done.
    start (int): How many units of other sentences come before.
    offset (int): How many tokens of other sentences come before.
    nodes (List[int]): The nodes behind the units are added here.
    columns (List[int]): For each unit, `N_UNIT_COLUMNS` integers are added: the number of its parent
        (itself for a root), its depth, how many siblings come before, head, first and last token (-1
        without any), label, height, number of children, bits of their labels, a place for its last
        descendant, the step that attached it (-1 for a root).
    """
    heads, firsts, lasts, labels = state.head, state.first, state.last, state.label
    heights, bits, steps, below = state.height, state.child_labels, state.when, state.children
    begin = len(columns) - start * N_UNIT_COLUMNS  # where unit 0 is, of these and all before
    stack, parents, ranks = [ROOT], [start], [0]
    count = start
    while stack:
        node, parent, rank = stack.pop(), parents.pop(), ranks.pop()
        nodes.append(node)
        depth = 0 if count == parent else columns[begin + parent * N_UNIT_COLUMNS + 1] + 1
        head, last = heads[node], lasts[node]
        kids = below[node]
        n_kids = len(kids)
        columns += (
            parent,
            depth,
            rank,
            head + offset if head >= 0 else -1,
            firsts[node] + offset if last >= 0 else -1,
            last + offset if last >= 0 else -1,
            labels[node],
            heights[node],
            n_kids,
            (bits[node] >> 1) & BITS_MASK,
            count,
            steps[node],
        )
        for i in range(n_kids - 1, -1, -1):
            stack.append(kids[i])
            parents.append(count)
            ranks.append(i)
        count += 1
    for i in range(count - 1, start, -1):  # parents come before their children
        at = begin + i * N_UNIT_COLUMNS
        parent, end = begin + columns[at] * N_UNIT_COLUMNS + 10, columns[at + 10]
        if columns[parent] < end:
            columns[parent] = end


def list_edges(
    state: Any,
    tokens: Sequence[int],
    parts: Sequence[tuple[tuple[str, ...], str]],
    implicit: str,
    terminal: tuple[str, ...],
    edge: type,
    edges: list[Any],
    kinds: list[str],
    scores: dict[int, float],
) -> list[int]:
    """List the edges of the graph of a finished tree, those to tokens and those to the children of each unit, children in
    text order.

    state (State): A state that is done.
    tokens (Sequence[int]): Which token each of its tokens is in the graph.
    parts (Sequence[Tuple[Tuple[str, ...], str]]): The categories of each label, and the kind of units with it.
    implicit (str): The kind of implicit units.
    terminal (Tuple[str, ...]): The categories of edges to tokens.
    edge (type): The type of edges: a tuple of parent, child, categories and whether it is remote.
    edges (List[EdgeTuple]): Edges are added here.
    kinds (List[str]): The kinds of units are added here; that of the root is its last.
    scores (Dict[int, float]): The scores of edges are added here, by their index.
    RETURNS (List[int]): The unit of each node, -1 where there is none.
    """
    first, label, below, terminals = state.first, state.label, state.children, state.terminals
    is_implicit, sure = state.implicit, state.scores
    numbers = [-1] * len(label)
    numbers[ROOT] = len(kinds) - 1
    stack = [ROOT]
    while stack:
        node = stack.pop()
        unit = numbers[node]
        for token in terminals[node]:
            edges.append(_new(edge, (unit, ~tokens[token], terminal, False)))
        children = below[node]
        last = -1
        for child in children:
            if first[child] < last:
                children = sorted(children, key=first.__getitem__)
                break
            last = first[child]
        for child in children:
            categories, kind = parts[label[child]]
            number = numbers[child] = len(kinds)
            kinds.append(implicit if is_implicit[child] else kind)
            if child in sure:
                scores[len(edges)] = sure[child]
            edges.append(_new(edge, (unit, number, categories, False)))
            stack.append(child)
    return numbers
