"""Units that follow the rules of UCCA, chosen together by what each is worth.

By what each is worth alone, units are put together that nobody had together: Centers beside Participants, Scenes within
Processes. Here the categories of a whole tree are chosen at once, by the search of `tree_labels.py`: units may be left
out, others taken in that cross none, and each may be what some graph has made of it. Units of punctuation alone are not
among them, so that what needs one beside it (a Linker a Scene) is left out.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy

from ..bit_sets import tokens_in
from ..categories import join_categories
from ..conversion.tree import ROOT_LABEL, NodeLabel
from ..tree_labels import NEVER, LabelRules, best_labels
from .ballots import Chain
from .reparsing import best_units, fitting

# What all of the votes count beside a broken rule and a missing Center, which `tree_labels.py` counts in negative log
# probabilities. From 1 to 16 it is all the same.
ALL_VOTES = 4.0


def best_by_rules(
    sentences: Sequence[int], worth: Mapping[int, Mapping[Chain, float]]
) -> dict[int, Chain]:
    """Choose units and what they are.

    sentences (Sequence[int]): The words of each sentence, as bit sets.
    worth (Mapping[int, Mapping[Chain, float]]): By words, each within a sentence: what units with these may be, from the
        top down, and what that is worth.
    RETURNS (Dict[int, Chain]): By words, what was chosen.
    """
    best = {words: max(values.values()) for words, values in worth.items()}
    taken = best_units(best)
    others = sorted(best.keys() - set(taken), key=lambda words: (-best[words], words))
    units = [*taken, *fitting(taken, others)]
    units.sort(key=lambda words: (-words.bit_count(), words))
    classes = sorted({chain for words in units for chain in worth[words]})
    n, n_roots = len(sentences) + len(units), len(sentences)
    costs = numpy.full((n, len(classes) + 2), NEVER)  # the first is no label, the last the root's
    costs[:n_roots, -1] = 0.0
    no_label, parents, left = numpy.zeros(n), numpy.full(n, -1), [*sentences, *units]
    around = {i: root for root, words in enumerate(sentences) for i in tokens_in(words)}
    number = {chain: i for i, chain in enumerate(classes, start=1)}
    for row, words in enumerate(units, start=n_roots):
        for chain, value in worth[words].items():
            costs[row, number[chain]] = ALL_VOTES * (best[words] - value)
        no_label[row] = ALL_VOTES * best[words]
        inside = tokens_in(words)
        parents[row] = around[inside[0]]
        left[parents[row]] &= ~words
        around.update(dict.fromkeys(inside, row))
    has_tokens = numpy.array([words != 0 for words in left])
    found = best_labels(_rules(tuple(classes)), costs, no_label, parents, has_tokens)
    chosen = zip(units, found[n_roots:].tolist(), strict=True)
    return {words: classes[label - 1] for words, label in chosen if label}


@lru_cache(maxsize=128)
def _rules(classes: tuple[Chain, ...]) -> LabelRules:
    nodes = [tuple(NodeLabel(join_categories(label[1])) for label in chain) for chain in classes]
    return LabelRules([(), *nodes, (NodeLabel(ROOT_LABEL),)])
