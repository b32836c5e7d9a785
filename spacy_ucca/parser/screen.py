"""Which sentences of a batch may break a rule: a look at all their units at once, before any graph is made.

Most parses follow the rules, and to find that out one by one would cost a good part of parsing. What is found here
is mended by `repair.py`, with the rules of `composition.py`; nothing that breaks one of them is missed.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy

from ..features.unit_rows import UnitTable
from ..graph.categories import PUNCTUATION, TERMINAL, split_label
from ..rules.grammar import (
    ARGUMENTS,
    BANNED,
    BESIDE_SCENES,
    CENTER,
    CONNECTOR,
    FUNCTION,
    GROUND,
    INNER,
    MAIN,
    NOT_BESIDE_CONNECTOR,
    OF_SCENES,
    PARALLEL,
    SCENES,
    TOP,
    bits,
    level_of,
)
from ..transition import State, TransitionSystem

# An edge that the tree does not have: parent and child, as units (-1: an implicit unit), and the number of its label.
Extra = tuple[int, int, int]


class Labels(NamedTuple):
    """What is known of each label of a transition system, by its number.

    bits (ndarray[int32]): Its categories; none for edges to tokens and punctuation.
    level (ndarray[int32]): What units with it may be.
    n_main (ndarray[int32]): How many of its categories are P or S.
    punct, token (ndarray[bool]): Whether it is that of punctuation units, or of tokens.
    wrong (ndarray[bool]): Whether it mixes U with other categories.
    """

    bits: numpy.ndarray
    level: numpy.ndarray
    n_main: numpy.ndarray
    punct: numpy.ndarray
    token: numpy.ndarray
    wrong: numpy.ndarray

    @classmethod
    def of(cls, system: TransitionSystem) -> "Labels":
        """RETURNS (Labels): Those of a transition system."""
        names = [split_label(label) if label else () for label in system.label_names]
        own = [bits(tuple(c for c in name if c not in (TERMINAL, PUNCTUATION))) for name in names]
        return cls(
            numpy.array(own, dtype="int32"),
            numpy.array([level_of(label) for label in own], dtype="int32"),
            numpy.array([(label & MAIN).bit_count() for label in own], dtype="int32"),
            numpy.array([name == (PUNCTUATION,) for name in names]),
            numpy.array([name == (TERMINAL,) for name in names]),
            numpy.array([PUNCTUATION in name and len(name) > 1 for name in names]),
        )


def screen(labels: Labels, units: UnitTable, implicit: Sequence[Extra] = ()) -> numpy.ndarray:
    """Find the sentences that may break a rule.

    labels (Labels): Those of the transition system.
    units (UnitTable): The units of all sentences.
    implicit (Sequence[Extra]): Edges to implicit units that are not among them.
    RETURNS (ndarray[bool]): (n_sentences,) those that `repair` should look at.
    """
    n = len(units.nodes)
    label, parent, child = units.label, units.parent, numpy.arange(n)
    below_root = units.depth > 0
    remotes = _remotes(units)
    extra = numpy.array([*implicit, *remotes], dtype="int64").reshape((-1, 3))
    is_remote = numpy.arange(len(extra)) >= len(implicit)
    start, end, via = extra.T
    # Categories of the children of each unit, and of the edges to it.
    own, into = numpy.zeros(n, dtype="int32"), labels.bits[label]
    numpy.bitwise_or.at(own, parent[below_root], into[below_root])
    numpy.bitwise_or.at(own, start, labels.bits[via])
    level = numpy.where(below_root, labels.level[label], TOP)
    n_main = numpy.bincount(parent[below_root], labels.n_main[label[below_root]], minlength=n)
    n_main += numpy.bincount(start, labels.n_main[via], minlength=n)
    p, c, via = start[is_remote], end[is_remote], via[is_remote]
    n_connector = ((into & CONNECTOR) > 0).astype("int32")
    if len(p):
        into = into.copy()
        numpy.bitwise_or.at(into, c, labels.bits[via])
        numpy.maximum.at(level, c, labels.level[via])
        numpy.add.at(n_connector, c, (labels.bits[via] & CONNECTOR) > 0)

    def has(what: int) -> numpy.ndarray:
        return (own & what) != 0

    # The same as `repair.fits`, of all units.
    bad = (own & _BANNED[level] != 0) | (n_main > 1) | (n_connector > 1)
    bad |= has(PARALLEL) & (~has(SCENES) | has(~BESIDE_SCENES))
    bad |= has(INNER) & (has(MAIN | ARGUMENTS | GROUND) | ~has(CENTER))
    bad |= has(CONNECTOR) & has(NOT_BESIDE_CONNECTOR)
    bad |= has(ARGUMENTS) & ~has(MAIN)
    is_unit = below_root & ~labels.token[label]
    bad |= labels.wrong[label] | (
        labels.punct[label] & (numpy.bincount(parent[is_unit], minlength=n) > 0)
    )
    for unit in numpy.nonzero(units.last < 0)[0].tolist():  # no tokens below
        bad[unit] |= not units.states[units.sentence[unit]].implicit[units.nodes[unit]]
    for unit in numpy.nonzero(has(SCENES))[0].tolist():
        state, node = units.states[units.sentence[unit]], units.nodes[unit]
        bad[unit] |= _has_tokens(state, node)
    # Units are in depth-first order: those below one come right after it.
    scenes = numpy.concatenate([[0], numpy.cumsum(has(OF_SCENES))])
    is_main = (into & MAIN) != 0
    bad |= is_main & (scenes[units.end + 1] > scenes[child])
    if len(p):
        inside = numpy.zeros(n + 1, dtype="int32")
        numpy.add.at(inside, child[is_main], 1)
        numpy.add.at(inside, units.end[is_main] + 1, -1)
        plain = numpy.cumsum(inside)[:n] > 0
        going_on = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(p, minlength=n) > 0)])
        more = (scenes[units.end[c] + 1] > scenes[c]) | (going_on[units.end[c] + 1] > going_on[c])
        wrong = (plain[p] | ((labels.bits[via] & MAIN) != 0)) & more
        wrong |= (labels.bits[via] & FUNCTION != 0) | (labels.bits[via] == 0)
        wrong |= labels.punct[label[c]] | (parent[c] == p) | (units.depth[c] == 0)
        pairs = numpy.sort(p * n + c)
        wrong[1:] |= pairs[1:] == pairs[:-1]
        numpy.logical_or.at(bad, p, wrong)
    found = numpy.array([bool(state.links) for state in units.states])
    found[units.sentence[bad]] = True
    return found


_BANNED = numpy.array(BANNED, dtype="int32")


def _has_tokens(state: State, node: int) -> bool:
    """RETURNS (bool): Whether tokens hang on a node itself, not on one below."""
    if state.is_token[node] or state.terminals[node]:
        return True
    return any(state.is_token[child] for child in state.children[node])


def _remotes(units: UnitTable) -> list[Extra]:
    """RETURNS (List[Extra]): The remote edges of all states."""
    found: list[Extra] = []
    for i, state in enumerate(units.states):
        if state.remotes:
            start, stop = int(units.starts[i]), int(units.starts[i + 1])
            number = {node: start + k for k, node in enumerate(units.nodes[start:stop])}
            found += [(number[p], number.get(c, -1), label) for p, c, label in state.remotes]
    return found
