# cython: boundscheck=False, wraparound=False
"""What is read off finished trees: their units, as columns, and the edges of their graphs.

It runs for every unit: as plain Python, or compiled with the C types of `tree_walk.pxd`.
"""

from collections.abc import Sequence
from typing import Any

from spacy_ucca.native.columns import BITS_MASK, ROOT

_new = tuple.__new__  # of a NamedTuple, without its own __new__, which takes twice as long

N_UNIT_COLUMNS = 11


def list_units(
    state: Any, start: int, offset: int, nodes: list[int], columns: Any, child_bits: Any
) -> None:
    """List the units of a finished tree depth first, the root first.

    state (State): A state that is done.
    start (int): How many units of other sentences come before.
    offset (int): How many tokens of other sentences come before.
    nodes (List[int]): The nodes behind the units are added here.
    columns (ndarray[int32]): (`N_UNIT_COLUMNS`, n_units or more), where of each unit go: the number of its parent (itself for
        a root), its depth, how many siblings come before, head, first and last token (-1 without any), label, height, number
        of children, its last descendant, the step that attached it (-1 for a root).
    child_bits (ndarray[int64]): (n_units or more,) where the labels of the children of each go, as bits.
    """
    heads, firsts, lasts, labels = state.head, state.first, state.last, state.label
    heights, bits, steps, below = state.height, state.child_labels, state.when, state.children
    stack, parents, ranks = [ROOT], [start], [0]
    count = start
    while stack:
        node, parent, rank = stack.pop(), parents.pop(), ranks.pop()
        nodes.append(node)
        head, first, last = heads[node], firsts[node], lasts[node]
        kids = below[node]
        n_kids = len(kids)
        columns[0, count], columns[2, count] = parent, rank
        columns[1, count] = 0 if count == parent else columns[1, parent] + 1
        columns[3, count] = head + offset if head >= 0 else -1
        columns[4, count] = first + offset if last >= 0 else -1
        columns[5, count] = last + offset if last >= 0 else -1
        columns[6, count], columns[7, count] = labels[node], heights[node]
        columns[8, count], columns[9, count], columns[10, count] = n_kids, count, steps[node]
        child_bits[count] = (bits[node] >> 1) & BITS_MASK
        for i in range(n_kids - 1, -1, -1):
            stack.append(kids[i])
            parents.append(count)
            ranks.append(i)
        count += 1
    for i in range(count - 1, start, -1):  # parents come before their children
        parent = columns[0, i]
        columns[9, parent] = max(columns[9, parent], columns[9, i])


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
