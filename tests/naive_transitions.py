"""The transition systems once more, written out on an explicit graph: slow, plain, for comparison.

Nothing here uses what the systems keep for speed (heights, bits, keys). A node is a number; `kind` says
what it is, `edges` is a plain list of (parent, label, child, remote).
"""

import copy

from spacy_ucca.graph import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT, Graph, GraphBuilder
from spacy_ucca.transitions import tupa as transition_tupa
from spacy_ucca.transitions.tree import TreeSystem

LINK_LABELS = ("LA", "LR")


class Naive:
    """What both systems share.

    n (int): The number of tokens.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.kind = {"root": "root"}
        self.edges: list[tuple[str, str, str, bool]] = []
        self.stack = ["root"]
        self.buffer: list[str] = []  # the next item first
        self.done = n == 0
        self.n_swaps = 0
        self.swapped: set[frozenset[str]] = set()
        self.chain: dict[str, int] = {}

    def copy(self) -> "Naive":
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list | set | dict):
                setattr(other, name, value.copy())
        return other

    def new(self, kind: str) -> str:
        name = f"{kind}{len(self.kind)}"
        self.kind[name] = kind
        return name

    def primary_parent(self, node: str) -> str | None:
        found = [
            p
            for p, _, c, remote in self.edges
            if c == node and not remote and self.kind[p] != LINKAGE
        ]
        assert len(found) <= 1
        return found[0] if found else None

    def reaches(self, start: str, end: str) -> bool:
        return start == end or any(self.reaches(c, end) for p, _, c, _ in self.edges if p == start)

    def connected(self, parent: str, child: str) -> bool:
        return any((p, c) == (parent, child) for p, _, c, _ in self.edges)

    def build(self, words: list[str]) -> Graph:
        builder = GraphBuilder(words)
        primary = {
            c: label for p, label, c, remote in self.edges if not remote and self.kind[p] != LINKAGE
        }
        number = {}
        for node, kind in self.kind.items():
            if kind in ("root", "unit", IMPLICIT, LINKAGE):
                name = FOUNDATIONAL if kind in ("root", "unit") else kind
                if name == FOUNDATIONAL and primary.get(node) == "U":
                    name = PUNCT
                number[node] = builder.add_unit(name)
        for parent, label, child, remote in self.edges:
            if self.kind[child] == "token":
                builder.add_terminal(number[parent], int(child.split("@")[1]))
            else:
                builder.add_edge(number[parent], number[child], *label.split("|"), remote=remote)
        return builder.build()


class NaiveTupa(Naive):
    """The `tupa` system, after the docstring of `TupaSystem`."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        for i in range(n):
            self.kind[f"@{i}"] = "token"
            self.buffer.append(f"@{i}")
        self.leaving: str | None = None

    def count(self, kind: str) -> int:
        return sum(k == kind for k in self.kind.values())

    def may_edge(self, parent: str, child: str, label: str, remote: bool) -> bool:
        kinds, is_link = self.kind, label in LINK_LABELS
        if kinds[parent] in ("token", IMPLICIT) or kinds[child] in ("root", LINKAGE):
            return False
        if self.connected(parent, child):
            return False
        if kinds[parent] == LINKAGE or is_link:
            return kinds[parent] == LINKAGE and is_link and kinds[child] != "token" and not remote
        if kinds[child] == "token" or label == "Terminal":
            return (
                kinds[child] == "token"
                and label == "Terminal"
                and not remote
                and parent != "root"
                and self.primary_parent(child) is None
            )
        if self.reaches(child, parent):
            return False
        return (self.primary_parent(child) is not None) == remote

    def valid(self, move: str, label: str) -> bool:
        kinds = self.kind
        s0 = self.stack[-1]
        if self.leaving is not None:
            return move == ("REDUCE" if s0 == self.leaving else "SHIFT")
        s1 = self.stack[-2] if len(self.stack) > 1 else None
        attached = self.primary_parent(s0) is not None
        if move == "SHIFT":
            return bool(self.buffer)
        if move == "FINISH":
            return not self.buffer and s1 is None
        if move == "IMPLICIT":
            few = self.count(IMPLICIT) < transition_tupa.MAX_IMPLICIT * self.n
            return kinds[s0] in ("root", "unit") and few
        if s1 is None:
            return False
        if move == "REDUCE":
            return attached or kinds[s0] == LINKAGE
        if move == "NODE":
            if label in LINK_LABELS:
                few = self.count(LINKAGE) < transition_tupa.MAX_LINKAGE * self.n
                return kinds[s0] in ("unit", IMPLICIT) and few
            if label == "Terminal" or kinds[s0] == "token":
                return label == "Terminal" and kinds[s0] == "token" and not attached
            return (
                kinds[s0] == "unit"
                and not attached
                and self.chain[s0] < transition_tupa.MAX_CHAIN
                and self.count("unit") < transition_tupa.MAX_UNITS * self.n
            )
        if move == "SWAP":
            return s1 != "root" and (self.free_swap() or self.stuck())
        parent, child = (s0, s1) if move.startswith("LEFT") else (s1, s0)
        return self.may_edge(parent, child, label, move.endswith("REMOTE"))

    def free_swap(self) -> bool:
        few = self.n_swaps < transition_tupa.MAX_SWAPS * self.n + transition_tupa.MORE_SWAPS
        return few and frozenset(self.stack[-2:]) not in self.swapped

    def stuck(self) -> bool:
        """An empty buffer, a unit without a parent on top, and what lies below cannot take it but can
        be reduced itself."""
        s0, s1 = self.stack[-1], self.stack[-2]
        return (
            not self.buffer
            and self.kind[s0] == "unit"
            and self.primary_parent(s0) is None
            and (self.primary_parent(s1) is not None or self.kind[s1] == LINKAGE)
            and not self.may_edge(s1, s0, "A", False)
            and not self.may_edge(s1, s0, "LA", False)
        )

    def apply(self, move: str, label: str) -> None:
        s0 = self.stack[-1]
        s1 = self.stack[-2] if len(self.stack) > 1 else ""
        if move == "SHIFT":
            self.stack.append(self.buffer.pop(0))
        elif move == "REDUCE":
            self.stack.pop()
            self.leaving = None
        elif move == "FINISH":
            self.done = True
        elif move == "SWAP":
            if not self.free_swap():
                self.leaving = s1
            self.stack.remove(s1)
            self.buffer.insert(0, s1)
            self.swapped.add(frozenset((s0, s1)))
            self.n_swaps += 1
        else:
            self.swapped = set()
            if move == "NODE":
                node = self.new(LINKAGE if label in LINK_LABELS else "unit")
                self.chain[node] = self.chain.get(s0, 0) + 1
                self.edges.append((node, label, s0, False))
                self.buffer.insert(0, node)
            elif move == "IMPLICIT":
                node = self.new(IMPLICIT)
                self.edges.append((s0, label, node, False))
                self.buffer.insert(0, node)
            else:
                parent, child = (s0, s1) if move.startswith("LEFT") else (s1, s0)
                self.edges.append((parent, label, child, move.endswith("REMOTE")))
                if move.endswith("EDGE") and label not in LINK_LABELS:
                    self.chain[parent] = 0


class NaiveTree(Naive):
    """The `tree` system, after the docstring of `TreeSystem`."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.buffer = [f"@{i}" for i in range(n)]

    def terminals(self, node: str) -> list[str]:
        return [c for p, _, c, _ in self.edges if p == node and c.startswith("@")]

    def valid(self, move: str, label: str) -> bool:
        s0 = self.stack[-1]
        s1 = self.stack[-2] if len(self.stack) > 1 else None
        if move == "SHIFT":
            return bool(self.buffer)
        if s1 is None:
            return False
        if move == "MERGE":
            mine = [c for p, _, c, _ in self.edges if p == s0]
            return len(mine) == 1 and mine == self.terminals(s0) and bool(self.terminals(s1))
        if move == "NODE":
            return self.chain.get(s0, 0) < TreeSystem.max_chain
        if move == "RIGHT-EDGE":
            return True
        if move == "LEFT-EDGE":
            return s1 != "root"
        few = self.n_swaps < TreeSystem.max_swaps * self.n
        return s1 != "root" and few and frozenset((s0, s1)) not in self.swapped

    def apply(self, move: str, label: str) -> None:
        s0 = self.stack[-1]
        s1 = self.stack[-2] if len(self.stack) > 1 else ""
        if move == "SHIFT":
            item = self.buffer.pop(0)
            if item.startswith("@"):
                self.kind[item] = "token"
                unit = self.new("unit")
                self.edges.append((unit, "Terminal", item, False))
                item = unit
            self.stack.append(item)
        elif move == "SWAP":
            self.stack.remove(s1)
            self.buffer.insert(0, s1)
            self.swapped.add(frozenset((s0, s1)))
            self.n_swaps += 1
        else:
            self.swapped = set()
            if move == "MERGE":
                (token,) = self.terminals(s0)
                self.edges.remove((s0, "Terminal", token, False))
                self.edges.append((s1, "Terminal", token, False))
                self.stack.pop()
                del self.kind[s0]
                self.kind[s0 + "gone"] = "gone"  # numbers are not given twice
            elif move == "NODE":
                node = self.new("unit")
                self.edges.append((node, label, s0, False))
                self.chain[node] = self.chain.get(s0, 0) + 1
                self.stack[-1] = node
            else:
                parent, child = (s0, s1) if move == "LEFT-EDGE" else (s1, s0)
                self.edges.append((parent, label, child, False))
                self.chain[parent] = 0
                self.stack.remove(child)
        self.done = not self.buffer and self.stack == ["root"]


__all__ = ["NaiveTree", "NaiveTupa"]
