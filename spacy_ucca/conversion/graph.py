"""The bilexical graph: labeled arcs between tokens, as in SDP 2015, CoNLL-X and CoNLL-U files.

A plain value, without what converts it or reads it from a file.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..errors import Errors, GraphError

ROOT = -1  # the head of tops
TOP = "TOP"  # the label of an arc from ROOT where a format has none
EMPTY = "_"


class Token(NamedTuple):
    """A token: its form and the other columns of a row.

    form (str): The word.
    lemma, pos, tag, feats (str): Its lemma, coarse and fine part of speech, and features, or "_".
    """

    form: str
    lemma: str = EMPTY
    pos: str = EMPTY
    tag: str = EMPTY
    feats: str = EMPTY


class Arc(NamedTuple):
    """An arc between two tokens by their indices, from 0. The head of a top is ROOT."""

    head: int
    dependent: int
    label: str
    remote: bool = False


@dataclass(frozen=True)
class BilexicalGraph:
    """Labeled arcs over the tokens of a sentence: any graph, with cycles too.

    tokens (Tuple[Token, ...]): The tokens in text order.
    arcs (Tuple[Arc, ...]): The arcs. A token may have any number of heads, or none.
    punct (Tuple[bool, ...]): Whether each token is punctuation. None is, if it is empty.
    id (str): The id of the sentence, or "".
    text (str): The text that the tokens are from, or "" if it is not known.
    RAISES (GraphError): If an arc refers to no token, leads to its own head, or has no label.
    """

    tokens: tuple[Token, ...]
    arcs: tuple[Arc, ...] = ()
    punct: tuple[bool, ...] = ()
    id: str = ""
    text: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        n = len(self.tokens)
        if not self.punct:
            object.__setattr__(self, "punct", (False,) * n)
        if len(self.punct) != n:
            raise GraphError(Errors.UC012.format(n=len(self.punct), what="punct flags", words=n))
        for arc in self.arcs:
            if not (ROOT <= arc.head < n and 0 <= arc.dependent < n and arc.head != arc.dependent):
                raise GraphError(Errors.UC730.format(head=arc.head, dependent=arc.dependent, n=n))
            if not arc.label:
                raise GraphError(Errors.UC731.format(head=arc.head, dependent=arc.dependent))

    @property
    def words(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The words."""
        return tuple(token.form for token in self.tokens)

    @property
    def tops(self) -> tuple[int, ...]:
        """RETURNS (Tuple[int, ...]): The tokens that ROOT is a head of, in text order."""
        return tuple(sorted({arc.dependent for arc in self.arcs if arc.head == ROOT}))

    def incoming(self) -> list[list[Arc]]:
        """RETURNS (List[List[Arc]]): The arcs to each token, the primary ones first."""
        by_token: list[list[Arc]] = [[] for _ in self.tokens]
        for arc in sorted(self.arcs, key=lambda arc: arc.remote):
            by_token[arc.dependent].append(arc)
        return by_token

    def heads(self, token: int) -> Iterator[int]:
        """YIELDS (int): The heads of a token, the primary ones first."""
        return (arc.head for arc in self.incoming()[token])

    def tree(self) -> "BilexicalGraph":
        """Keep one head per token: its first primary arc; nothing where all its arcs are remote.

        RETURNS (BilexicalGraph): A tree, if primary arcs are those of a tree, as `to_bilexical` makes them.
        """
        first = (next((a for a in arcs if not a.remote), None) for arcs in self.incoming())
        return replace(self, arcs=tuple(arc for arc in first if arc is not None))
