"""Relations of many pairs of tokens are those of each pair."""

import itertools
import random

import numpy
import pytest
from util import no_syntax, random_syntax

from spacy_ucca.features.unit_rows import relations


@pytest.mark.parametrize("root", ["itself", "none"])
@pytest.mark.parametrize("seed", range(20))
def test_relations_are_those_of_each_pair(seed: int, root: str) -> None:
    rng, n, n_deps = random.Random(seed), 1 + seed % 8, 4
    syntax = random_syntax(rng, n, n_deps) if seed else no_syntax(n)
    pairs = [*itertools.product(range(-1, n), repeat=2)]
    i, j = numpy.array(pairs).T
    heads = [-1 if root == "none" and head == k else head for k, head in enumerate(syntax.heads)]
    for missing in (-1, -2):
        found = relations(numpy.array([*heads, missing]), numpy.array([*syntax.deps, 0]), i, j)
        expected = [syntax.relation(*pair) for pair in pairs]
        for pair, own, theirs in zip(pairs, found.tolist(), expected, strict=True):
            assert own == theirs, pair


def test_no_pairs() -> None:
    none = numpy.zeros(0, dtype="int32")
    assert relations(numpy.array([0, -1]), numpy.array([1, 0]), none, none).shape == (0,)
