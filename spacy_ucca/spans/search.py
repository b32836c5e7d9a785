"""The labels of whole trees of spans at once: the most probable ones that follow the rules of UCCA.

By dynamic programming over the tree, for all sentences of a batch together and with all labels: the best labels below
a span are found for all that it may be itself. A span may also get no label; what is under it then belongs to the unit
above. What units may be made of is `composition.py`'s, the ways to be a unit are `remedies.MODES`; how
probable labels are is `labeling.py`'s.

What breaks a rule costs so much that it is chosen only where there is nothing else, so there always is a result.
Not seen are remote edges, and units that were moved (`A-down1`): the unit that they belong to takes no notice of
them, nor does the one that they stand in. What is wrong there is left to `repair.py`.
"""

from collections.abc import Sequence

import numpy

from ..categories import PUNCTUATION, TERMINAL, split_label
from ..composition import BANNED, FREE, MAIN, PLAIN, SCENES, TOP, bits, fits, level_of
from ..conversion.tree import ROOT_LABEL, NodeLabel
from ..remedies import MODES, Mode

__all__ = ["BROKEN", "MISSING", "NEVER", "LabelRules", "best_labels"]

# In negative log probabilities. A Scene may lack its main relation: it is the child of a remote edge, or implicit.
BROKEN, MISSING = 25.0, 2.0
NEVER = 1e6
PUNCT = TOP + 1  # the level of punctuation units: no children at all
N_LEVELS = PUNCT + 1
PART = 1_024  # spans looked at together: what bounds memory

_NEEDS = numpy.array([mode.needed > 0 for mode in MODES])
_SINGLE = numpy.array([mode.single for mode in MODES])
# What it costs that no child has what is needed, and that Scenes stand beside tokens
_LACKING = numpy.array(
    [(MISSING if mode.single else BROKEN) if mode.needed else 0.0 for mode in MODES]
)
_TOKENS = numpy.array([BROKEN if mode.needed & SCENES else 0.0 for mode in MODES])
_PLAIN = (numpy.arange(N_LEVELS) == PLAIN).astype("int64")  # whether all below a level is plain


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
        # (N_LEVELS, modes, kinds) what a child costs, if it is one that does not give what is needed, or does.
        shape = N_LEVELS, len(MODES), len(kinds)
        self.without, self.giving = numpy.zeros((2, *shape))
        for i in numpy.ndindex(shape):
            level, mode, value = i[0], MODES[i[1]], kinds[i[2]]
            self.without[i], self.giving[i] = _child_costs(level, mode, value)
        # (2, labels) what the last unit of a chain may be and what the chain costs, if all is plain or not.
        below = [[_below(chain, plain) for chain in chains] for plain in (False, True)]
        self.level = numpy.array([[level for level, _ in row] for row in below])
        self.cost = numpy.array([[cost for _, cost in row] for row in below])


def _categories(label: NodeLabel) -> int:
    """RETURNS (int): The categories of a node that count for the unit above, as bits."""
    if label.move or label.name in (ROOT_LABEL, TERMINAL):
        return 0
    return bits(c for c in split_label(label.name) if c != PUNCTUATION)


def _child_costs(level: int, mode: Mode, own: int) -> tuple[float, float]:
    """RETURNS (Tuple[float, float]): What it costs that a unit of some level, made as a mode says, has a child with some
    categories: if that gives nothing of what is needed, and if it does."""
    if level == PUNCT:
        return BROKEN, NEVER
    allowed = mode.allowed & ~BANNED[level]
    without = BROKEN * (own & ~(allowed & ~mode.needed)).bit_count()
    given = own & allowed & mode.needed
    if not given:
        return without, NEVER
    too_many = given.bit_count() - 1 if mode.single else 0
    return without, BROKEN * ((own & ~allowed).bit_count() + too_many)


def _below(chain: tuple[NodeLabel, ...], plain: bool) -> tuple[int, float]:
    """RETURNS (Tuple[int, float]): What the last unit of a chain may be, and what is wrong within the chain."""
    level, cost = PLAIN if plain else FREE, 0.0
    for i, label in enumerate(chain):
        own = _categories(label)
        # An argument alone lacks its main relation; how likely that is the probability of the label says.
        if i and (level == PUNCT or (own and not _fits(own, level))):
            cost += BROKEN
        level = _level(label, level == PLAIN and not label.move)
    return level, cost


def _fits(own: int, level: int) -> bool:
    return any(
        fits(all_of_it, level, (all_of_it & MAIN).bit_count(), False)
        for all_of_it in (own, own | bits("P"))
    )


def _level(label: NodeLabel, plain: bool) -> int:
    if label.name == ROOT_LABEL:
        return TOP
    if label.name == PUNCTUATION:
        return PUNCT
    return PLAIN if plain else level_of(_categories(label._replace(move="")))


def best_labels(
    rules: LabelRules,
    costs: numpy.ndarray,
    no_label: numpy.ndarray,
    parents: numpy.ndarray,
    has_tokens: numpy.ndarray,
) -> numpy.ndarray:
    """Find the labels of trees that cost least, all that breaks rules included.

    rules (LabelRules): The labels.
    costs (ndarray): (n, n_classes) what each label of each span costs: its negative log probability. Finite.
    no_label (ndarray): (n,) what it costs that a span has none. Finite; those of roots are not looked at: they have one.
    parents (ndarray): (n,) the span above each, or -1.
    has_tokens (ndarray[bool]): (n,) whether a span has tokens that are in no span below it.
    RETURNS (ndarray[int64]): (n,) the class of each; 0 for no label.
    """
    return _Search(rules, costs, no_label, parents, has_tokens).run()


class _Search:
    """The search. Tables have a row for each span, then all levels and modes that the unit above may have."""

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
        shape = n, N_LEVELS, len(MODES)
        # A span under a unit: what it costs if it gives nothing of what is needed there, and if it does.
        self.without, self.giving = numpy.zeros((2, *shape))
        # All spans under one together: if none gives it; if any may; what it costs more that one does.
        self.none_gives, self.any_gives = numpy.zeros((2, *shape))
        self.more = numpy.full(shape, numpy.inf)
        # The best mode of a unit, by level, what it costs, and whether a child gives what is needed.
        self.inner = numpy.zeros((n, N_LEVELS))
        self.mode = numpy.zeros((n, N_LEVELS), dtype="int64")
        self.is_given = numpy.zeros((n, N_LEVELS), dtype="bool")

    def run(self) -> numpy.ndarray:
        """RETURNS (ndarray[int64]): (n,) the classes."""
        depths = _depths(self.parents)
        rows = [numpy.nonzero(depths == d)[0] for d in range(int(depths.max(initial=-1)) + 1)]
        for at in reversed(rows):
            for start in range(0, len(at), PART):
                self._fill(at[start : start + PART])
        n = len(self.costs)
        self.chosen, self.level, self.way = numpy.zeros((3, n), dtype="int64")
        self.must = numpy.zeros(n, dtype="bool")
        for at in rows:
            self._choose(at)
        return self.chosen

    # From the leaves up: what all possibilities cost

    def _fill(self, rows: numpy.ndarray) -> None:
        rules = self.rules
        tokens = _TOKENS * self.has_tokens[rows, None, None]
        # As a unit, by its level: its children, and what it needs of them.
        more = self.more[rows]
        total = self.any_gives[rows] + tokens + _NEEDS * numpy.minimum(more, _LACKING)
        mode = total.argmin(axis=2)[:, :, None]
        self.mode[rows] = mode[:, :, 0]
        self.inner[rows] = numpy.take_along_axis(total, mode, axis=2)[:, :, 0]
        is_given = _NEEDS & (more <= _LACKING)
        self.is_given[rows] = numpy.take_along_axis(is_given, mode, axis=2)[:, :, 0]
        # As a child, with the best label of each kind.
        values = numpy.stack([self._values(rows, plain) for plain in (0, 1)], axis=1)
        values = numpy.minimum.reduceat(values[:, :, rules.by_kind], rules.cuts, axis=2)
        values = values[:, _PLAIN, None]
        # Without a label, its children are those of the unit above.
        gone = self.no_label[rows, None, None] + tokens
        without = numpy.minimum((values + rules.without).min(axis=3), gone + self.none_gives[rows])
        giving = numpy.minimum((values + rules.giving).min(axis=3), gone + self.any_gives[rows] + more)
        self.without[rows], self.giving[rows] = without, giving
        inner = self.parents[rows] >= 0
        above, without, giving = self.parents[rows[inner]], without[inner], giving[inner]
        numpy.add.at(self.none_gives, above, without)
        numpy.add.at(
            self.any_gives, above, numpy.where(_SINGLE, without, numpy.minimum(without, giving))
        )
        numpy.minimum.at(self.more, above, _more(without, giving, _SINGLE))

    def _values(self, rows: numpy.ndarray, plain: int | numpy.ndarray) -> numpy.ndarray:
        """RETURNS (ndarray): (n, n_classes) what each label costs, with all below it."""
        below = self.inner[rows[:, None], self.rules.level[plain]]
        return self.costs[rows] + self.rules.cost[plain] + below

    # From the roots down: what was best

    def _choose(self, rows: numpy.ndarray) -> None:
        rules, above = self.rules, self.parents[rows]
        is_root = above < 0
        level, way = self.level[above], self.way[above]
        without, giving = self.without[rows, level, way], self.giving[rows, level, way]
        # One child has to give what is needed, if none does it anyway; where there is to be one only, no other may.
        order = numpy.lexsort((_more(without, giving, _SINGLE[way]), above))
        first = numpy.ones(len(rows), dtype="bool")
        first[order[1:]] = above[order[1:]] != above[order[:-1]]
        gives = self.must[above] & (first | (~_SINGLE[way] & (giving <= without))) & ~is_root
        plain = numpy.where(is_root, 0, _PLAIN[level])
        values = self._values(rows, plain)
        table = numpy.where(gives[:, None], rules.giving[level, way], rules.without[level, way])
        values += numpy.where(is_root[:, None], 0.0, table[:, rules.kind])
        chosen = values.argmin(axis=1)
        children = numpy.where(
            gives,
            self.any_gives[rows, level, way] + self.more[rows, level, way],
            self.none_gives[rows, level, way],
        )
        gone = self.no_label[rows] + _TOKENS[way] * self.has_tokens[rows] + children
        labeled = is_root | (values.min(axis=1) <= gone)
        self.chosen[rows] = numpy.where(labeled, chosen, 0)
        # What the children come under: this unit, or the same as this span.
        level = numpy.where(labeled, rules.level[plain, chosen], level)
        self.level[rows] = level
        self.way[rows] = numpy.where(labeled, self.mode[rows, level], way)
        self.must[rows] = numpy.where(labeled, self.is_given[rows, level], gives)


def _more(without: numpy.ndarray, giving: numpy.ndarray, single: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray): What it costs more that a child gives what is needed. Of several that may all do so, the one that
    does it gladly has done it already."""
    return numpy.where(single, giving - without, numpy.maximum(giving - without, 0.0))


def _depths(parents: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray[int64]): (n,) how many spans are above each."""
    depths = numpy.zeros(len(parents), dtype="int64")
    rows, above = numpy.arange(len(parents)), parents
    while len(rows):
        rows, above = rows[above >= 0], above[above >= 0]
        depths[rows] += 1
        above = parents[above]
    return depths
