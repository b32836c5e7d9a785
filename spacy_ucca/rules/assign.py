"""The labels of whole trees at once: the most probable ones that follow the rules of UCCA.

By dynamic programming over the tree, for all sentences of a batch together and with all labels: the best labels below
a unit are found for all that it may be itself. A unit may also get no label; what is under it then belongs to the unit
above. What units may be made of is `composition.py`'s, the ways to be a unit are `remedies.MODES`. How probable labels
are is said by those who ask.

What breaks a rule costs so much that it is chosen only where there is nothing else, so there always is a result.
Not seen are remote edges, and units that were moved (`A-down1`): the unit that they belong to takes no notice of
them, nor does the one that they stand in. What is wrong there is left to `repair.py`.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy

from ..conversion.tree import ROOT_LABEL, NodeLabel
from ..graph.categories import PUNCTUATION, TERMINAL, split_label
from .edits import MODES
from .grammar import (
    BANNED,
    FREE,
    MAIN,
    PLAIN,
    SCENES,
    TOP,
    bits,
    fits,
    level_of,
)

__all__ = ["BROKEN", "MISSING", "NEVER", "LabelRules", "best_labels"]

# In negative log probabilities. A unit may lack its main relation or Center: it is a remote child, or implicit.
BROKEN, MISSING = 25.0, 2.0
NEVER = 1e6
# More levels: Functions have no children but punctuation, punctuation has none at all.
FUNCTION, PUNCT = TOP + 1, TOP + 2
PART = 1_024  # spans looked at together: what bounds memory


class Place(NamedTuple):
    """Where a child may stand: in a unit of some mode and level.

    allowed (int): The categories that it may have.
    needed (int): Those of which one child has to have one.
    single (bool): Whether one child only may.
    plain (bool): Whether there is no Scene below, however deep.
    nothing (bool): Whether there should be no child at all.
    """

    allowed: int
    needed: int = 0
    single: bool = False
    plain: bool = False
    nothing: bool = False

    def without(self, own: int) -> float:
        """RETURNS (float): What a child with some categories costs that gives nothing of what is needed."""
        return BROKEN * (self.nothing + (own & ~(self.allowed & ~self.needed)).bit_count())

    def giving(self, own: int) -> float:
        """RETURNS (float): What it costs as the one that gives it."""
        given = own & self.allowed & self.needed
        if not given:
            return NEVER
        too_many = given.bit_count() - 1 if self.single else 0
        return BROKEN * (too_many + (own & ~self.allowed).bit_count())


# The places in units of each level.
PLACES = [
    [
        Place(mode.allowed & ~BANNED[level], mode.needed, mode.single, level == PLAIN)
        for mode in MODES
    ]
    for level in range(TOP + 1)
]
PLACES += [[place] * len(MODES) for place in (Place(0), Place(0, nothing=True))]
ALL_PLACES = sorted({place for places in PLACES for place in places})
_PLACE = numpy.array([[ALL_PLACES.index(place) for place in places] for places in PLACES])
_PLAIN = numpy.array([int(place.plain) for place in ALL_PLACES])
_NEEDS = numpy.array([place.needed > 0 for place in ALL_PLACES])
_SINGLE = numpy.array([place.single for place in ALL_PLACES])
# What it costs that no child has what is needed, and that Scenes stand beside tokens
_LACKING = numpy.array([BROKEN if place.needed & SCENES else MISSING for place in ALL_PLACES])
_TOKENS = numpy.array([BROKEN if place.needed & SCENES else 0.0 for place in ALL_PLACES])


class LabelRules:
    """What the rules say of labels of spans.

    chains (Sequence[Tuple[NodeLabel, ...]]): The labels, by class; class 0 is no label.
    """

    def __init__(self, chains: Sequence[tuple[NodeLabel, ...]]) -> None:
        self.is_moved = numpy.array([any(link.move for link in chain) for chain in chains])
        # Labels are alike to the unit above if they have the same categories.
        own = [_categories(chain[0]) if chain else 0 for chain in chains]
        kinds = sorted(set(own))
        self.kind = numpy.array([kinds.index(value) for value in own])
        self.by_kind = numpy.argsort(self.kind, kind="stable")
        self.cuts = numpy.searchsorted(self.kind[self.by_kind], numpy.arange(len(kinds)))
        # (places, kinds) what a child costs that does not give what is needed, and one that does.
        self.without, self.giving = numpy.array([_costs(own) for own in kinds]).transpose(1, 2, 0)
        # (2, labels) what the last unit of a chain may be and what the chain costs, if all is plain or not.
        below = [[_below(chain, plain) for chain in chains] for plain in (False, True)]
        self.level = numpy.array([[level for level, _ in row] for row in below])
        self.cost = numpy.array([[cost for _, cost in row] for row in below])


@lru_cache(maxsize=4096)
def _costs(own: int) -> tuple[list[float], list[float]]:
    """RETURNS (Tuple[List[float], List[float]]): What a child with some categories costs in each of all places, if it
    gives nothing of what is needed and if it does."""
    return [p.without(own) for p in ALL_PLACES], [p.giving(own) for p in ALL_PLACES]


def _categories(label: NodeLabel) -> int:
    """RETURNS (int): The categories of a node that count for the unit above, as bits."""
    if label.move or label.name in (ROOT_LABEL, TERMINAL):
        return 0
    return bits(tuple(c for c in split_label(label.name) if c != PUNCTUATION))


@lru_cache(maxsize=4096)
def _below(chain: tuple[NodeLabel, ...], plain: bool) -> tuple[int, float]:
    """RETURNS (Tuple[int, float]): What the last unit of a chain may be, and what is wrong within the chain."""
    level, cost = PLAIN if plain else FREE, 0.0
    for i, label in enumerate(chain):
        own = _categories(label)
        # How likely it is that an only child lacks another one, the probability of the label says.
        if i and (level == PUNCT or (own and not _fits(own, level))):
            cost += BROKEN
        level = _level(label, level == PLAIN and not label.move)
    return level, cost


def _fits(own: int, level: int) -> bool:
    return level != FUNCTION and any(
        fits(children, level, (children & MAIN).bit_count(), False)
        for children in (own, own | bits("P"), own | bits("C"))
    )


def _level(label: NodeLabel, plain: bool) -> int:
    if label.name == ROOT_LABEL:
        return TOP
    if label.name in ("F", PUNCTUATION):
        return FUNCTION if label.name == "F" else PUNCT
    return PLAIN if plain else level_of(_categories(label._replace(move="")))


def best_labels(
    rules: LabelRules,
    costs: numpy.ndarray,
    no_label: numpy.ndarray,
    parents: numpy.ndarray,
    has_tokens: numpy.ndarray,
) -> numpy.ndarray:
    """Find the labels of trees that cost least, what breaks rules included.

    rules (LabelRules): The labels.
    costs (ndarray): (n, n_classes) what each label of each span costs: its negative log probability. Finite.
    no_label (ndarray): (n,) what it costs that a span has none. Roots always have one.
    parents (ndarray): (n,) the span above each, or -1.
    has_tokens (ndarray[bool]): (n,) whether a span has tokens that are in no span below it.
    RETURNS (ndarray[int64]): (n,) the class of each; 0 for no label.
    """
    return _Search(rules, costs, no_label, parents, has_tokens).run()


class _Search:
    """The search. Its tables have a row for each span and a column for each place."""

    def __init__(
        self,
        rules: LabelRules,
        costs: numpy.ndarray,
        no_label: numpy.ndarray,
        parents: numpy.ndarray,
        has_tokens: numpy.ndarray,
    ) -> None:
        self.rules, self.costs, self.no_label = rules, costs, no_label
        self.parents, self.has_tokens = parents, has_tokens
        n = len(costs)
        # What a span costs in each place, if it gives nothing of what is needed there, and if it does.
        self.without, self.giving = numpy.zeros((2, n, len(ALL_PLACES)))
        # What those under it cost there together: if none gives it; if any may; how much more if one has to.
        self.none_gives, self.any_gives = numpy.zeros((2, n, len(ALL_PLACES)))
        self.more = numpy.full((n, len(ALL_PLACES)), numpy.inf)
        # What is under a unit by its level: the best places, and what they cost.
        self.best = numpy.zeros((n, len(PLACES)), dtype="int64")
        self.inner = numpy.zeros((n, len(PLACES)))

    def run(self) -> numpy.ndarray:
        """RETURNS (ndarray[int64]): (n,) the classes."""
        depths = _depths(self.parents)
        order = numpy.argsort(depths, kind="stable")
        rows = numpy.split(order, numpy.cumsum(numpy.bincount(depths))[:-1])
        for at in reversed(rows):
            for start in range(0, len(at), PART):
                self._fill(at[start : start + PART])
        # What is found for each span: its label, the place of those under it, whether one of them has to give.
        self.chosen, self.place = numpy.zeros((2, len(depths)), dtype="int64")
        self.must = numpy.zeros(len(depths), dtype="bool")
        for at in rows:
            self._choose(at)
        return self.chosen

    # From the leaves up: what all possibilities cost

    def _fill(self, rows: numpy.ndarray) -> None:
        rules, more, any_gives = self.rules, self.more[rows], self.any_gives[rows]
        tokens = _TOKENS * self.has_tokens[rows, None]
        # As a unit
        total = (any_gives + tokens + _NEEDS * numpy.minimum(more, _LACKING))[:, _PLACE]
        best = total.argmin(axis=2)
        self.best[rows] = _PLACE[numpy.arange(len(PLACES)), best]
        self.inner[rows] = numpy.take_along_axis(total, best[:, :, None], axis=2)[:, :, 0]
        # As a child: the best label of each kind, in each place
        values = numpy.stack([self._values(rows, plain) for plain in (0, 1)], axis=1)
        values = numpy.minimum.reduceat(values[:, :, rules.by_kind], rules.cuts, axis=2)[:, _PLAIN]
        without, giving = (values + rules.without).min(axis=2), (values + rules.giving).min(axis=2)
        # Without a label, those under it are children of the unit above.
        gone = self.no_label[rows, None] + tokens
        without = numpy.minimum(without, gone + self.none_gives[rows])
        giving = numpy.minimum(giving, gone + any_gives + more)
        self.without[rows], self.giving[rows] = without, giving
        inner = self.parents[rows] >= 0
        above, without, giving = self.parents[rows[inner]], without[inner], giving[inner]
        either = numpy.where(_SINGLE, without, numpy.minimum(without, giving))
        numpy.add.at(self.none_gives, above, without)
        numpy.add.at(self.any_gives, above, either)
        numpy.minimum.at(self.more, above, giving - either)

    def _values(self, rows: numpy.ndarray, plain: int | numpy.ndarray) -> numpy.ndarray:
        """RETURNS (ndarray): (n, n_classes) what each label costs, with all below it."""
        below = self.inner[rows[:, None], self.rules.level[plain]]
        return self.costs[rows] + self.rules.cost[plain] + below

    # From the roots down: what was best

    def _choose(self, rows: numpy.ndarray) -> None:
        rules, above = self.rules, self.parents[rows]
        is_root = above < 0
        place = self.place[above]
        without, giving = self.without[rows, place], self.giving[rows, place]
        # If one has to give what is needed, it is the one that it costs least; others do as they like, if they may.
        likes = ~_SINGLE[place] & (giving <= without)
        order = numpy.lexsort((numpy.where(likes, 0.0, giving - without), above))
        first = numpy.ones(len(rows), dtype="bool")
        first[order[1:]] = above[order[1:]] != above[order[:-1]]
        gives = self.must[above] & (first | likes) & ~is_root
        plain = numpy.where(is_root, 0, _PLAIN[place])
        values = self._values(rows, plain)
        table = numpy.where(gives[:, None], rules.giving[place], rules.without[place])
        values += numpy.where(is_root[:, None], 0.0, table[:, rules.kind])
        chosen = values.argmin(axis=1)
        children = self.none_gives[rows, place]
        some = rows[gives], place[gives]
        children[gives] = self.any_gives[some] + self.more[some]
        gone = self.no_label[rows] + _TOKENS[place] * self.has_tokens[rows] + children
        labeled = is_root | (values.min(axis=1) <= gone)
        self.chosen[rows] = numpy.where(labeled, chosen, 0)
        # Those under it are children of this unit, or stand where it does.
        own = self.best[rows, rules.level[plain, chosen]]
        own_must = _NEEDS[own] & (self.more[rows, own] <= _LACKING[own])
        self.place[rows] = numpy.where(labeled, own, place)
        self.must[rows] = numpy.where(labeled, own_must, gives)


def _depths(parents: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray[int64]): (n,) how many spans are above each."""
    depths = numpy.zeros(len(parents), dtype="int64")
    rows, above = numpy.arange(len(parents)), parents
    while len(rows):
        rows, above = rows[above >= 0], above[above >= 0]
        depths[rows] += 1
        above = parents[above]
    return depths
