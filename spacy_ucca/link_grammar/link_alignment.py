"""Move links from the words of Link Grammar to tokens. Both are stretches of one text, and may differ.

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

from ..conversion.graph import ROOT
from .links import Link

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
