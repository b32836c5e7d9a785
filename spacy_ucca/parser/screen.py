"""Find the sentences of a batch that may break a rule of UCCA: check all units at once, before graphs are built.

Most parses follow the rules, and checking graphs one by one would take a good part of the time of parsing. No violation
is missed; a few of the sentences returned break no rule.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy

from ..features.unit_rows import UnitTable
from ..graph.categories import PUNCTUATION, TERMINAL, split_label
from ..rules.bit_grammar import BitGrammar, bit_grammar, bits
from ..rules.grammar import CATEGORIES, Table
from ..transition import State, TransitionSystem

# An edge that the tree does not have: parent and child, as units (-1: an implicit unit), and the number of its label.
PredictedEdge = tuple[int, int, int]


class Labels(NamedTuple):
    """Properties of each label of a transition system, by its number.

    grammar (BitGrammar): The rules.
    bits (ndarray[int32]): Its categories; none for edges to tokens and punctuation.
    banned (ndarray[int32]): The categories that no child of a unit with it has.
    n_main (ndarray[int32]): How many of its categories are P or S.
    punct, token (ndarray[bool]): Whether it is that of punctuation units, or of tokens.
    wrong (ndarray[bool]): Whether it mixes U with other categories.
    """

    grammar: BitGrammar
    bits: numpy.ndarray
    banned: numpy.ndarray
    n_main: numpy.ndarray
    punct: numpy.ndarray
    token: numpy.ndarray
    wrong: numpy.ndarray

    @classmethod
    def of(cls, system: TransitionSystem, table: Table = CATEGORIES) -> "Labels":
        """RETURNS (Labels): Those of a transition system, by the rules of a table."""
        grammar = bit_grammar(table)
        names = [split_label(label) if label else () for label in system.label_names]
        categories = [
            bits(tuple(c for c in name if c not in (TERMINAL, PUNCTUATION))) for name in names
        ]
        banned = [grammar.levels[grammar.level_of(label)].banned for label in categories]
        n_main = [(label & grammar.at_most_one).bit_count() for label in categories]
        return cls(
            grammar,
            numpy.array(categories, dtype="int32"),
            numpy.array(banned, dtype="int32"),
            numpy.array(n_main, dtype="int32"),
            numpy.array([name == (PUNCTUATION,) for name in names]),
            numpy.array([name == (TERMINAL,) for name in names]),
            numpy.array([PUNCTUATION in name and len(name) > 1 for name in names]),
        )


def find_violations(
    labels: Labels, units: UnitTable, implicit: Sequence[PredictedEdge] = ()
) -> numpy.ndarray:
    """Find the sentences that may break a rule.

    labels (Labels): Those of the transition system.
    units (UnitTable): The units of all sentences.
    implicit (Sequence[PredictedEdge]): Edges to implicit units that are not among them.
    RETURNS (ndarray[bool]): (n_sentences,) those that `repair` should look at.
    """
    n, grammar = len(units.nodes), labels.grammar
    label, parent, child = units.label, units.parent, numpy.arange(n)
    below_root = units.depth > 0
    remotes = _remotes(units)
    extra = numpy.array([*implicit, *remotes], dtype="int64").reshape((-1, 3))
    is_remote = numpy.arange(len(extra)) >= len(implicit)
    start, end, via = extra.T
    # Categories of the outgoing and of the incoming edges of each unit.
    outgoing, incoming = numpy.zeros(n, dtype="int32"), labels.bits[label]
    numpy.bitwise_or.at(outgoing, parent[below_root], incoming[below_root])
    numpy.bitwise_or.at(outgoing, start, labels.bits[via])
    banned = numpy.where(below_root, labels.banned[label], grammar.levels[grammar.top].banned)
    n_main = numpy.bincount(parent[below_root], labels.n_main[label[below_root]], minlength=n)
    n_main += numpy.bincount(start, labels.n_main[via], minlength=n)
    p, c, via = start[is_remote], end[is_remote], via[is_remote]
    n_parents = ((incoming & grammar.one_parent) > 0).astype("int32")
    if len(p):
        incoming = incoming.copy()
        numpy.bitwise_or.at(incoming, c, labels.bits[via])
        numpy.bitwise_or.at(banned, c, labels.banned[via])
        numpy.add.at(n_parents, c, (labels.bits[via] & grammar.one_parent) > 0)
    bad = (outgoing & banned != 0) | (n_main > 1) | (n_parents > 1) | ~grammar.together[outgoing]
    is_unit = below_root & ~labels.token[label]
    bad |= labels.wrong[label] | (
        labels.punct[label] & (numpy.bincount(parent[is_unit], minlength=n) > 0)
    )
    for unit in numpy.nonzero(units.last < 0)[0].tolist():  # no tokens below
        bad[unit] |= not units.states[units.sentence[unit]].implicit[units.nodes[unit]]
    for unit in numpy.nonzero(outgoing & grammar.not_beside_tokens)[0].tolist():
        state, node = units.states[units.sentence[unit]], units.nodes[unit]
        bad[unit] |= _has_tokens(state, node)
    # Units are in depth-first order: the units below one come right after it.
    banned_below = numpy.concatenate([[0], numpy.cumsum((outgoing & grammar.deep) != 0)])
    is_deep = (incoming & grammar.deep_in) != 0
    bad |= is_deep & (banned_below[units.end + 1] > banned_below[child])
    if len(p):
        inside = numpy.zeros(n + 1, dtype="int32")
        numpy.add.at(inside, child[is_deep], 1)
        numpy.add.at(inside, units.end[is_deep] + 1, -1)
        in_deep = numpy.cumsum(inside)[:n] > 0
        going_on = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(p, minlength=n) > 0)])
        more = (banned_below[units.end[c] + 1] > banned_below[c]) | (
            going_on[units.end[c] + 1] > going_on[c]
        )
        wrong = (in_deep[p] | ((labels.bits[via] & grammar.deep_in) != 0)) & more
        wrong |= (labels.bits[via] & grammar.not_remote != 0) | (labels.bits[via] == 0)
        wrong |= labels.punct[label[c]] | (parent[c] == p) | (units.depth[c] == 0)
        pairs = numpy.sort(p * n + c)
        wrong[1:] |= pairs[1:] == pairs[:-1]
        numpy.logical_or.at(bad, p, wrong)
    may_violate = numpy.array([bool(state.links) for state in units.states])
    may_violate[units.sentence[bad]] = True
    return may_violate


def _has_tokens(state: State, node: int) -> bool:
    """RETURNS (bool): Whether tokens hang on a node itself, not on one below."""
    if state.is_token[node] or state.terminals[node]:
        return True
    return any(map(state.is_token.__getitem__, state.children[node]))


def _remotes(units: UnitTable) -> list[PredictedEdge]:
    """RETURNS (List[PredictedEdge]): The remote edges of all states."""
    remotes: list[PredictedEdge] = []
    for i, state in enumerate(units.states):
        if state.remotes:
            start, stop = int(units.starts[i]), int(units.starts[i + 1])
            number = {node: start + k for k, node in enumerate(units.nodes[start:stop])}
            remotes += [(number[p], number.get(c, -1), label) for p, c, label in state.remotes]
    return remotes
