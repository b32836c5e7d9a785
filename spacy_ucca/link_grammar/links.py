"""The undirected labeled graph of a Link Grammar parse, over the tokens of a sentence, and how links come to tokens.

`align_links` moves links from the words of Link Grammar to tokens. Both are stretches of one text, and may differ.

Words and tokens that overlap are a block. The links of all words in a block belong to one token of the block: the first
with a letter or digit, or else the first token.

- One word, one token: nothing changes.
- Several words in a token ("10pm"): links between these words are left out, their other links are the token's.
- A word over several tokens ("don't" over "do", "n't"): if the word has links, links with the label JOIN join the other
  tokens to the chosen one; if not, none of the tokens has links.
- A word without a token, or a token without a word, has no links.

Blocks are stretches of text, so links that do not cross before do not cross after.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..conversion.graph import ROOT, Arc, BilexicalGraph, Token
from ..errors import Errors, GraphError
from .properties import is_connected, is_planar

__all__ = ["Link", "LinkGraph"]


class Link(NamedTuple):
    """A link between two tokens by their indices, from 0. ROOT, which may be on the left, is the wall there."""

    left: int
    right: int
    label: str

    @classmethod
    def between(cls, i: int, j: int, label: str) -> "Link":
        """RETURNS (Link): The link between two tokens, given in any order."""
        return cls(min(i, j), max(i, j), label)


@dataclass(frozen=True)
class LinkGraph:
    """Labeled links over the tokens of a sentence.

    tokens (Tuple[Token, ...]): The tokens in text order.
    links (Tuple[Link, ...]): The links.
    id (str): The id of the sentence, or "".
    punct (Tuple[bool, ...]): Whether each token is punctuation. None is, if it is empty.
    tags (Tuple[str, ...]): What Link Grammar writes after each word: ".v" for a verb, "[!].v" or "[?].v" if it guessed that,
        or "". None are known, if it is empty.
    RAISES (GraphError): If a link does not lead from a token or ROOT to a later token, or has no label.
    """

    tokens: tuple[Token, ...]
    links: tuple[Link, ...] = ()
    id: str = ""
    punct: tuple[bool, ...] = ()
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.tokens)
        for link in self.links:
            if not (ROOT <= link.left < link.right < n and link.label):
                raise GraphError(Errors.UC900.format(link=tuple(link), n=n))

    @classmethod
    def from_bilexical(cls, graph: BilexicalGraph) -> "LinkGraph":
        """Forget the directions of a graph.

        graph (BilexicalGraph): Any graph, with cycles too.
        RETURNS (LinkGraph): A link for each arc; two arcs with one label between two tokens become one.
        """
        links = (Link.between(a.head, a.dependent, a.label) for a in graph.arcs)
        return cls(graph.tokens, tuple(dict.fromkeys(links)), graph.id, graph.punct)

    @property
    def words(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The words."""
        return tuple(token.form for token in self.tokens)

    @property
    def dropped(self) -> tuple[int, ...]:
        """RETURNS (Tuple[int, ...]): The tokens without a link."""
        linked = {node for link in self.links for node in link[:2]}
        return tuple(token for token in range(len(self.tokens)) if token not in linked)

    @property
    def is_connected(self) -> bool:
        """RETURNS (bool): Whether all tokens that have a link are joined to ROOT, and there is one."""
        joined = [*((link.left, link.right) for link in self.links)]
        dropped = ((ROOT, token) for token in self.dropped)
        return bool(joined) and is_connected((*joined, *dropped), len(self.tokens))

    @property
    def is_complete(self) -> bool:
        """RETURNS (bool): Whether it is connected and no token is dropped."""
        return not self.dropped and self.is_connected

    @property
    def is_planar(self) -> bool:
        """RETURNS (bool): Whether no two links cross."""
        return is_planar((link.left, link.right) for link in self.links)

    def oriented(self, rightward: Sequence[bool] | None = None) -> BilexicalGraph:
        """Give links directions.

        rightward (Optional[Sequence[bool]]): For each link whether its head is on the left. If it is None, all are so:
            what files of links have.
        RETURNS (BilexicalGraph): An arc for each link.
        """
        ways = rightward if rightward is not None else [True] * len(self.links)
        arcs = (
            Arc(link.left, link.right, link.label)
            if way
            else Arc(link.right, link.left, link.label)
            for link, way in zip(self.links, ways, strict=True)
        )
        return BilexicalGraph(self.tokens, tuple(arcs), self.punct, self.id)


JOIN = "join"  # Link Grammar's own labels begin with an upper-case letter
LEFT_WALL, RIGHT_WALL = "LEFT-WALL", "RIGHT-WALL"

Word = tuple[str, int, int]
Span = tuple[int, int]


def align_links(
    text: str, tokens: Sequence[Span], words: Sequence[Word], links: Iterable[tuple[int, int, str]]
) -> list[Link]:
    """Move links between words to tokens.

    text (str): The text.
    tokens (Sequence[Tuple[int, int]]): The places of the tokens in it, in order.
    words (Sequence[Tuple[str, int, int]]): The words of Link Grammar with their places, among them both walls. The left
        one becomes ROOT; the right one is left out with its links, as it stands for nothing in the text.
    links (Iterable[Tuple[int, int, str]]): The links by the indices of words. Wildcards at the end of labels, which say
        nothing ("Ss*"), are cut off.
    RETURNS (List[Link]): The links between tokens, by their places.
    """
    blocks = _blocks(tokens, [(start, end) for _, start, end in words])
    chosen: dict[int, int] = {}  # the token of each word
    members: dict[int, list[int]] = {}  # the tokens of a block, by the chosen one
    for token_ids, word_ids in blocks:
        if token_ids:
            token = _first_named(text, tokens, token_ids)
            members[token] = token_ids
            chosen.update(dict.fromkeys(word_ids, token))
    for i, (form, start, end) in enumerate(words):
        if start == end and form == LEFT_WALL:
            chosen[i] = ROOT
    aligned: set[Link] = set()
    for left, right, label in links:
        if left in chosen and right in chosen and chosen[left] != chosen[right]:
            aligned.add(Link.between(chosen[left], chosen[right], label.rstrip("*")))
    linked = {node for link in aligned for node in link[:2]}
    for token, others in members.items():
        if token in linked:
            aligned.update(Link.between(token, t, JOIN) for t in others if t != token)
    return sorted(aligned)


def align_tags(text: str, tokens: Sequence[Span], words: Sequence[Word]) -> list[str]:
    """Find what Link Grammar writes after the words: a tag of one letter or more, and a mark of guessed ones.

    text, tokens, words: As for `align_links`.
    RETURNS (List[str]): For each token ".v", "[!].v" and the like, of the first word of its block; "" if there is none, for
        words in brackets, which were dropped, and for further tokens of a word.
    """
    tags = [""] * len(tokens)
    for token_ids, word_ids in _blocks(tokens, [(start, end) for _, start, end in words]):
        if token_ids and word_ids:
            form, start, end = words[word_ids[0]]
            if form[: end - start].lower() == text[start:end].lower():
                tags[_first_named(text, tokens, token_ids)] = form[end - start :]
    return tags


def _first_named(text: str, tokens: Sequence[Span], token_ids: Sequence[int]) -> int:
    named = (t for t in token_ids if any(map(str.isalnum, text[slice(*tokens[t])])))
    return next(named, token_ids[0])


def _blocks(tokens: Sequence[Span], words: Sequence[Span]) -> list[tuple[list[int], list[int]]]:
    """RETURNS (List[Tuple[List[int], List[int]]]): Tokens and words that overlap, in the order of the text. What has no
    width is in none."""
    places = [(start, end, 0, i) for i, (start, end) in enumerate(tokens) if start < end]
    places += [(start, end, 1, i) for i, (start, end) in enumerate(words) if start < end]
    blocks: list[tuple[list[int], list[int]]] = []
    reach = 0
    for start, end, kind, i in sorted(places):
        if not blocks or start >= reach:
            blocks.append(([], []))
        blocks[-1][kind].append(i)
        reach = max(reach, end)
    return blocks
