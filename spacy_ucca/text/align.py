"""Alignment by character: the words of a graph to other words of the same text, both ways.

`align_words` says which words share characters; `project` moves a graph by it, from the terminals of a
passage to spaCy's tokens or back. No spaCy is needed: a Doc is a sequence of tokens with a `text`.

spaCy's own `spacy.training.Alignment` gives the same alignment where both texts have the same characters
(a test holds us to it), but refuses all others; here they are aligned as far as they agree.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import normalize

from ..graph import EdgeTuple, Graph
from ..graph.categories import LINK_RELATION, LINKAGE, PUNCT, priority
from ..graph.edit import subgraph
from ..graph.unit import Unit, smallest_around

__all__ = ["Alignment", "Problem", "Report", "align_words", "characters", "matches", "project"]

# Differing stretches longer than this (product of both lengths) are left unaligned: they have nothing
# in common to hold on to, and comparing them character by character would take minutes.
_MAX_COMPARED = 4_000_000

# How the Penn Treebank escapes brackets; a character with its accents
_PIECE = re.compile(r"-[LR][RSC]B-|\\[/*]|\S[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]*")
_BRACKETS = dict(zip(("-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"), "()[]{}"))
_ALIKE = {"''": '"“”„‟«»', "'": "`´‘’‚‛‹›", "--": "–—―"}
_SIGNS = {ord(char): sign for sign, chars in _ALIKE.items() for char in chars}


@dataclass(frozen=True)
class Alignment:
    """Which words of two sequences share characters.

    a2b (Tuple[Tuple[int, ...], ...]): For each word of `a` the words of `b`, in order.
    b2a (Tuple[Tuple[int, ...], ...]): For each word of `b` the words of `a`, in order.
    differing (Tuple[Tuple[int, int], ...]): Pairs of words aligned although they differ in some
        character, such as other quotation marks.
    """

    a2b: tuple[tuple[int, ...], ...]
    b2a: tuple[tuple[int, ...], ...]
    differing: tuple[tuple[int, int], ...] = ()


def align_words(a: Sequence[str], b: Sequence[str]) -> Alignment:
    """Align two ways of cutting a text into words by the characters they share: see `characters`. Where these
    differ, stretches are aligned that can be only each other.

    a (Sequence[str]): Words.
    b (Sequence[str]): Other words of the text.
    RETURNS (Alignment): The alignment. Words of whitespace align to nothing.
    """
    chars_a, owner_a, _ = characters(a)
    chars_b, owner_b, _ = characters(b)
    a2b: list[list[int]] = [[] for _ in a]
    b2a: list[list[int]] = [[] for _ in b]
    differing: list[tuple[int, int]] = []
    for i, j, alike in matches(chars_a, owner_a, chars_b, owner_b):
        word_a, word_b = owner_a[i], owner_b[j]
        if not a2b[word_a] or a2b[word_a][-1] != word_b:
            a2b[word_a].append(word_b)
            b2a[word_b].append(word_a)
        if not alike and (not differing or differing[-1] != (word_a, word_b)):
            differing.append((word_a, word_b))
    return Alignment(
        tuple(tuple(sorted(set(words))) for words in a2b),
        tuple(tuple(sorted(set(words))) for words in b2a),
        tuple(differing),
    )


def characters(words: Sequence[str]) -> tuple[list[str], list[int], list[tuple[int, int]]]:
    """Find the characters of words as they are compared: without whitespace, case, forms of Unicode, kinds of quotation marks and
    dashes, and escapes of the Penn Treebank.

    words (Sequence[str]): The words.
    RETURNS (Tuple[List[str], List[int], List[Tuple[int, int]]]): The characters, and of each the word and the place in all words
        joined.
    """
    chars: list[str] = []
    owner: list[int] = []
    places: list[tuple[int, int]] = []
    start = 0
    for i, word in enumerate(words):
        for piece in _PIECE.finditer(word):
            found = _compared(piece[0])
            chars += found
            owner += [i] * len(found)
            places += [(start + piece.start(), start + piece.end())] * len(found)
        start += len(word)
    return chars, owner, places


@lru_cache(maxsize=4096)
def _compared(piece: str) -> str:
    piece = _BRACKETS.get(piece, piece if len(piece) == 1 else piece.removeprefix("\\"))
    folded = normalize("NFKD", piece.translate(_SIGNS)).casefold()
    return "".join(normalize("NFKD", folded).split())


def matches(
    chars_a: list[str],
    owner_a: list[int],
    chars_b: list[str],
    owner_b: list[int],
    *,
    best: bool = False,
) -> Iterator[tuple[int, int, bool]]:
    """Align the characters of words.

    chars_a, chars_b (List[str]): The characters.
    owner_a, owner_b (List[int]): The word of each.
    best (bool): Between equal words, as many characters as can be and no others, as fits two writings of one word. Otherwise the
        longest stretches, which differ in texts of other words.
    YIELDS (Tuple[int, int, bool]): Pairs of characters, in order, with whether they are the same.
    """
    if chars_a == chars_b:
        yield from ((i, i, True) for i in range(len(chars_a)))
        return
    # First whole words, which are few and rarely alike by chance; then characters between them.
    words_a, starts_a = _runs(chars_a, owner_a)
    words_b, starts_b = _runs(chars_b, owner_b)
    for tag, a0, a1, b0, b1 in _opcodes(words_a, words_b):
        i0, i1, j0, j1 = starts_a[a0], starts_a[a1], starts_b[b0], starts_b[b1]
        if tag == "equal":
            yield from ((i0 + k, j0 + k, True) for k in range(i1 - i0))
        elif tag == "replace" and (i1 - i0) * (j1 - j0) <= _MAX_COMPARED:
            if best:
                firsts = [
                    [k == 0 or owner[k] != owner[k - 1] for k in range(*ends)]
                    for owner, ends in ((owner_a, (i0, i1)), (owner_b, (j0, j1)))
                ]
                pairs = _most_alike(chars_a[i0:i1], chars_b[j0:j1], *firsts)
                yield from ((i0 + i, j0 + j, True) for i, j in pairs)
                continue
            for inner, p0, p1, q0, q1 in _opcodes(chars_a[i0:i1], chars_b[j0:j1]):
                a, b = range(i0 + p0, i0 + p1), range(j0 + q0, j0 + q1)
                letters = any(
                    map(str.isalnum, chars_a[a.start : a.stop] + chars_b[b.start : b.stop])
                )
                yield from _stretch(inner, a, b, owner_a, owner_b, letters)


def _most_alike(
    a: list[str], b: list[str], first_a: list[bool], first_b: list[bool]
) -> list[tuple[int, int]]:
    """RETURNS (List[Tuple[int, int]]): Pairs of equal characters, in order: as many as can be, and of these ways the one that keeps
    most beginnings and stretches of words."""
    import numpy as np

    same = np.array([*map(ord, a)])[:, None] == np.array([*map(ord, b)])
    gains = same * (4 + 2 * np.outer(first_a, first_b)).astype("int32")
    goes_on = np.outer(np.logical_not(first_a), np.logical_not(first_b))
    sums = np.zeros((len(a) + 1, len(b) + 1), dtype="int32")  # the best of any two beginnings
    ends = np.zeros_like(sums)  # the best that ends in this pair
    for i, row in enumerate(gains):
        before = np.maximum(sums[i, :-1], ends[i, :-1] + goes_on[i])
        ends[i + 1, 1:] = (row + before) * same[i]
        sums[i + 1, 1:] = np.maximum.accumulate(np.maximum(sums[i, 1:], ends[i + 1, 1:]))
    pairs = []
    i, j, is_end = len(a), len(b), False
    while sums[i, j]:
        if is_end or sums[i, j] == ends[i, j]:
            rest = ends[i, j] - gains[i - 1, j - 1] - goes_on[i - 1, j - 1]
            i, j = i - 1, j - 1
            pairs.append((i, j))
            is_end = bool(ends[i, j]) and rest == ends[i, j]
        elif sums[i, j] == sums[i - 1, j]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def _stretch(
    tag: str, a: range, b: range, owner_a: list[int], owner_b: list[int], letters: bool
) -> Iterator[tuple[int, int, bool]]:
    """Pairs of characters in one stretch. Other characters in place of some are those of the same words,
    if there is one word on each side, or signs only (such as quotation marks) and one on one side."""
    if tag == "equal":
        yield from ((i, j, True) for i, j in zip(a, b, strict=True))
    elif tag == "replace":
        one_a = owner_a[a[0]] == owner_a[a[-1]]
        one_b = owner_b[b[0]] == owner_b[b[-1]]
        if (one_a and one_b) or (not letters and (one_a or one_b)):
            yield from ((i, j, False) for i in a for j in b)


def _opcodes(a: Sequence[str], b: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    # Frequent words of a long text find little that others do not, and take minutes; all characters are frequent
    fast = len(b) > 2000 and any(len(part) > 1 for part in b)
    return SequenceMatcher(None, a, b, autojunk=fast).get_opcodes()


def _runs(chars: list[str], owner: list[int]) -> tuple[list[str], list[int]]:
    """The words that have characters, and where each begins, with the end of all."""
    starts = [k for k in range(len(chars)) if k == 0 or owner[k] != owner[k - 1]]
    starts.append(len(chars))
    return ["".join(chars[s:e]) for s, e in pairwise(starts)], starts


class Problem(NamedTuple):
    """Something that did not come over as it was.

    kind (str): "word" (a word of the graph has no token), "token" (a token has no word of the graph),
        "differs" (aligned, but not the same characters), "merged" (several words with units of their
        own became one token), "unit" (a unit was left without words and dropped).
    words (Tuple[int, ...]): Words of the graph concerned.
    tokens (Tuple[int, ...]): Tokens concerned.
    reason (str): What happened, in words.
    """

    kind: str
    words: tuple[int, ...]
    tokens: tuple[int, ...]
    reason: str


@dataclass(frozen=True)
class Report:
    """How moving a graph to other tokens went.

    words (int): Words of the graph.
    tokens (int): Tokens it was moved to.
    attached (int): Tokens that got a unit.
    whitespace (Tuple[int, ...]): Tokens of whitespace: attached to nothing, which is no problem.
    problems (Tuple[Problem, ...]): What did not come over as it was.
    """

    words: int
    tokens: int
    attached: int
    whitespace: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = field(default=())

    @property
    def lossless(self) -> bool:
        """RETURNS (bool): Whether every unit and edge of the graph came over."""
        return all(problem.kind in ("differs", "token") for problem in self.problems)

    def __str__(self) -> str:
        head = f"{self.attached} of {self.tokens} tokens attached, from {self.words} words"
        return "\n".join([head, *(f"{p.kind}: {p.reason}" for p in self.problems)])


Host = tuple[int, tuple[str, ...]]  # the unit that a token goes to, and the categories


def project(graph: Graph, doc: Sequence[Any]) -> tuple[Graph | None, Report]:
    """Move a graph to other tokens of its text.

    A token that is a part of a word goes to the word's unit. A token of several words goes to the unit
    that has exactly these words, if one inside a Scene has; else to the unit of one of them: a word no
    other token speaks for before others, then by head priority, then the leftmost. Tokens without a
    word, such as whitespace, are attached to nothing. Units left without words are dropped, with what
    is under them and their edges; a linkage unit goes with its linker.

    graph (Graph): The graph.
    doc (Sequence): A Doc, or any tokens with a `text`, or the words themselves.
    RETURNS (Tuple[Optional[Graph], Report]): The graph over the tokens, None if no word of it is found
        in them; and what did not align and why. Of the details only texts, such as its id, are kept.
    """
    words = [token if isinstance(token, str) else token.text for token in doc]
    alignment = align_words(graph.words, words)
    problems = list(_unaligned(graph, words, alignment))
    hosts: list[Host | None] = []
    for token, sources in enumerate(alignment.b2a):
        attached = [s for s in sources if graph.index.token_edge[s] >= 0]
        host = _host(graph, attached, alignment) if attached else None
        hosts.append(host)
        if host is not None and len({graph.index.token_edge[s] for s in attached}) > 1:
            units = {unit.index for s in attached if (unit := graph.unit_of(s))}
            if len(units) > 1:
                text = " ".join(graph.words[s] for s in attached)
                reason = (
                    f"'{text}' is one token, '{words[token]}', under '{_label(graph[host[0]])}'"
                )
                problems.append(Problem("merged", tuple(attached), (token,), reason))
    whitespace = tuple(i for i, word in enumerate(words) if not word.strip())
    n_attached = sum(host is not None for host in hosts)
    moved = (
        _moved(graph, words, alignment, hosts, problems) if n_attached or not graph.words else None
    )
    problems.sort(key=lambda p: (p.words or p.tokens, p.kind))
    report = Report(len(graph.words), len(words), n_attached, whitespace, tuple(problems))
    return moved, report


def _unaligned(graph: Graph, words: Sequence[str], alignment: Alignment) -> Iterator[Problem]:
    for i, tokens in enumerate(alignment.a2b):
        if not tokens and graph.index.token_edge[i] >= 0:
            reason = f"the word '{graph.words[i]}' (number {i}) of the graph is in no token"
            yield Problem("word", (i,), (), reason)
    for i, sources in enumerate(alignment.b2a):
        if not sources and words[i].strip():
            reason = f"the token '{words[i]}' (number {i}) is in no word of the graph"
            yield Problem("token", (), (i,), reason)
    for i, j in alignment.differing:
        reason = f"the word '{graph.words[i]}' and the token '{words[j]}' are not written alike"
        yield Problem("differs", (i,), (j,), reason)


def _host(graph: Graph, sources: list[int], alignment: Alignment) -> Host:
    """The unit for a token of these words, and the categories of the edge."""
    edges = {s: graph.edge_tuples[graph.index.token_edge[s]] for s in sources}
    parents = {edge.parent for edge in edges.values()}
    spoken_for = {s for s in sources if any(len(alignment.b2a[t]) == 1 for t in alignment.a2b[s])}
    if len(parents) > 1 and not spoken_for:
        unit = smallest_around(graph.unit_of(sources[0]), set(sources))
        if unit is not None and not unit.is_root and not unit.is_scene and unit.kind != LINKAGE:
            if set(unit.tokens()) == set(sources):
                return unit.index, edges[sources[0]].categories
    best = min(
        sources,
        key=lambda s: (
            s in spoken_for,
            graph.kinds[edges[s].parent] == PUNCT,
            priority(graph[edges[s].parent].categories),
            s,
        ),
    )
    return edges[best].parent, edges[best].categories


def _label(unit: Unit) -> str:
    return unit.label or "root"


def _moved(
    graph: Graph,
    words: list[str],
    alignment: Alignment,
    hosts: list[Host | None],
    problems: list[Problem],
) -> Graph:
    gone = _left_empty(graph, {host[0] for host in hosts if host is not None})
    for unit in graph:
        if unit.index in gone and (unit.parent is None or unit.parent.index not in gone):
            reason = f"the unit {_label(unit)} '{unit.text}' is left without words"
            lost = unit.tokens()
            if unit.kind == LINKAGE:
                reason, lost = "a linkage unit is left without its linker", ()
            problems.append(Problem("unit", lost, (), reason))
    units = [unit for unit in range(len(graph.kinds)) if unit not in gone]
    number = {unit: i for i, unit in enumerate(units)}
    wordless = subgraph(graph, units=units, tokens=(), check=False)
    terminals = [
        EdgeTuple(number[host[0]], ~token, host[1])
        for token, host in enumerate(hosts)
        if host is not None
    ]
    sources = alignment.b2a
    paragraphs: list[int] = []
    for token in range(len(words)):
        before = paragraphs[-1] if paragraphs else min(graph.paragraphs, default=1)
        paragraphs.append(graph.paragraphs[sources[token][0]] if sources[token] else before)
    return wordless.replace(
        words=words,
        edges=[*wordless.edge_tuples, *terminals],
        punct=[bool(group) and all(graph.punct[s] for s in group) for group in sources],
        paragraphs=paragraphs,
        details={key: value for key, value in graph.details.items() if isinstance(value, str)},
    )


def _left_empty(graph: Graph, filled: set[int]) -> set[int]:
    """Units that had words and have none any more, what hangs under them, and linkage units that
    lose their linker."""
    alive = set(filled)
    for unit in filled:
        parent = graph[unit].parent
        while parent is not None and parent.index not in alive:
            alive.add(parent.index)
            parent = parent.parent
    gone = {
        unit
        for unit, mask in enumerate(graph.index.masks)
        if mask and unit not in alive and graph.kinds[unit] != LINKAGE
    }
    roots_gone = {root.index for root in graph.roots} & gone
    stack = list(gone)
    while stack:
        for edge in graph[stack.pop()].edges:
            child = edge.child.index
            if not edge.remote and edge.parent.kind != LINKAGE and child not in gone:
                gone.add(child)
                stack.append(child)
    for linkage in graph.linkages:
        children = [e for e in linkage.edges if e.child.index not in gone]
        if children != list(linkage.edges) and not any(
            LINK_RELATION in e.categories for e in children
        ):
            gone.add(linkage.index)
    # A text whose only root lost its words still has its root, so that the result is a sentence.
    return gone - roots_gone if len(roots_gone) == len(graph.roots) else gone
