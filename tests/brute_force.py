"""Every tree and every choice of labels, for comparison with decoders: slow."""

from functools import lru_cache

import hypothesis.strategies as st
import numpy

from spacy_ucca.sdp_parser.batch import NO_EDGE, Pairs

SCORES = st.integers(-6, 6).map(lambda i: i / 2)


@st.composite
def matrices(draw, rows, columns):
    n, m = draw(rows), draw(columns)
    return numpy.array(
        draw(st.lists(st.lists(SCORES, min_size=m, max_size=m), min_size=n, max_size=n))
    ).reshape(n, m)


def all_pairs(n):
    ends = [(i, j) for i in range(n) for j in range(n) if i != j]
    return Pairs(*(numpy.array([e[k] for e in ends], dtype="int64") for k in (0, 1)))


@st.composite
def problems(draw):
    pairs = all_pairs(draw(st.integers(1, 3)))
    labels = draw(st.integers(1, 2))
    return pairs, draw(matrices(st.just(len(pairs)), st.just(labels + 1)))


def total(scores, labels):
    return scores[numpy.arange(len(scores)), labels].sum()


def allowed(pairs, labels, both_directions, deterministic):
    edges = [
        (h, d, label)
        for h, d, label in zip(pairs.head.tolist(), pairs.dependent.tolist(), labels)
        if label != NO_EDGE
    ]
    both = {(h, d) for h, d, _ in edges}
    outgoing = [(h, label) for h, _, label in edges]
    return (both_directions or not any((d, h) in both for h, d in both)) and (
        not deterministic or len(set(outgoing)) == len(outgoing)
    )


@lru_cache
def all_trees(start, end):
    """RETURNS (List[frozenset]): The spans of every binary tree over some tokens."""
    if end - start == 1:
        return [frozenset([(start, end)])]
    return [
        left | right | {(start, end)}
        for split in range(start + 1, end)
        for left in all_trees(start, split)
        for right in all_trees(split, end)
    ]


def random_spans(rng, n):
    """RETURNS (List[Tuple[int, int]]): Some spans of a random tree."""
    trees = all_trees(0, n)
    return [span for span in sorted(trees[rng.integers(len(trees))]) if rng.random() < 0.6]
