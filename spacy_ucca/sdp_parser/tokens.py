"""The tokens of a batch of sentences as NumPy arrays, and the pairs of tokens that an edge may join."""

from dataclasses import dataclass

import numpy


@dataclass(frozen=True)
class Tokens:
    """The tokens of a batch, sentence after sentence, without whitespace.

    form, lemma, tag, dep (ndarray[uint64]): (n,) attributes, by hash; 0 is none.
    head (ndarray[int64]): (n,) the syntactic head of each, by its number in the batch; the token itself for a root.
    start, end (ndarray[int64]): (n,) where the sentence of each token begins and ends in the batch.
    depth (ndarray[int64]): (n,) how many steps each is from its root; computed.
    """

    form: numpy.ndarray
    lemma: numpy.ndarray
    tag: numpy.ndarray
    dep: numpy.ndarray
    head: numpy.ndarray
    start: numpy.ndarray
    end: numpy.ndarray
    depth: numpy.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        depth = numpy.zeros(len(self.head), dtype="int64")
        at = self.head
        going = numpy.flatnonzero(at != numpy.arange(len(at)))
        while len(going):
            depth[going] += 1
            going = going[self.head[at[going]] != at[going]]
            at = at.copy()
            at[going] = self.head[at[going]]
        object.__setattr__(self, "depth", depth)

    def __len__(self) -> int:
        return len(self.head)

    @property
    def index(self) -> numpy.ndarray:
        """RETURNS (ndarray[int64]): (n,) the place of each token in its sentence, from 0."""
        return numpy.arange(len(self)) - self.start


@dataclass(frozen=True)
class Pairs:
    """Ordered pairs of tokens, sorted by head and then dependent. With (i, j) there is always (j, i).

    head, dependent (ndarray[int64]): (n_pairs,) tokens, by their numbers in the batch.
    """

    head: numpy.ndarray
    dependent: numpy.ndarray

    def __len__(self) -> int:
        return len(self.head)

    def find(self, heads: numpy.ndarray, dependents: numpy.ndarray) -> numpy.ndarray:
        """RETURNS (ndarray[int64]): (n,) the numbers of the pairs with these heads and dependents; -1 where there
        is no such pair."""
        if not len(self):
            return numpy.full(len(heads), -1)
        factor = 1 + max(self.dependent.max(), dependents.max(initial=0))
        known = self.head * factor + self.dependent
        wanted = heads * factor + dependents
        at = numpy.minimum(numpy.searchsorted(known, wanted), len(known) - 1)
        return numpy.where(known[at] == wanted, at, -1)

    def reverse(self) -> numpy.ndarray:
        """RETURNS (ndarray[int64]): (n_pairs,) the number of (j, i) for each (i, j)."""
        return numpy.lexsort((self.head, self.dependent))


def find_pairs(tokens: Tokens, used: numpy.ndarray, max_distance: int) -> Pairs:
    """Find the ordered pairs of tokens that are near each other in a sentence (section 3.2 of the paper).

    tokens (Tokens): The tokens.
    used (ndarray[bool]): (n,) whether each may have edges: whether it is no singleton.
    max_distance (int): The maximum distance of two tokens: 1 is side by side. 0 is no limit.
    RETURNS (Pairs): The pairs.
    """
    longest = int((tokens.end - tokens.start).max(initial=0))
    reach = min(max_distance or longest, max(longest - 1, 0))
    used_tokens = numpy.flatnonzero(used)
    # Each token with all places around it: what is outside its sentence, or not used, goes.
    offsets = numpy.concatenate([numpy.arange(-reach, 0), numpy.arange(1, reach + 1)])
    heads, dependents = [], []
    rows = max(1, 4_000_000 // max(len(offsets), 1))  # at a time, for the sake of memory
    for first in range(0, len(used_tokens), rows):
        head = used_tokens[first : first + rows, None]
        dependent = head + offsets
        inside = (dependent >= tokens.start[head]) & (dependent < tokens.end[head])
        inside &= used[numpy.where(inside, dependent, 0)]
        heads.append(numpy.broadcast_to(head, inside.shape)[inside])
        dependents.append(dependent[inside])
    if not heads:
        return Pairs(numpy.zeros(0, dtype="int64"), numpy.zeros(0, dtype="int64"))
    return Pairs(numpy.concatenate(heads), numpy.concatenate(dependents))
