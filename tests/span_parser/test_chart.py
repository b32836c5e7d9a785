"""Charts of spans: their layout, CKY and top-down parsing with its oracle, held against all trees of short sentences."""

import itertools
from functools import lru_cache

import numpy
import pytest
from brute_force import all_trees, random_spans
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_ucca.span_parser.batch import N_SHAPES, SpanLayout, head_features
from spacy_ucca.span_parser.chart import SplitOracle, best_trees, parse_top_down, span_probabilities

SEEDS = st.integers(0, 2**32 - 1)


def by_ends(layout, values):
    """RETURNS (List[Dict]): The value of each span of each sentence by its ends."""
    ends = [tuple(pair) for pair in layout.ends.T.tolist()]
    return [dict(zip(ends[part], values[part].tolist())) for part in layout.slices()]


@given(st.lists(st.integers(0, 9), max_size=6))
def test_layout(lengths):
    layout = SpanLayout(lengths)
    assert layout.n_rows == layout.ends.shape[1] == len(layout.sentence)
    expected = [
        (k, i, j) for k, n in enumerate(lengths) for i in range(n) for j in range(i + 1, n + 1)
    ]
    assert list(zip(layout.sentence.tolist(), *layout.ends.tolist())) == expected
    sentence, (start, end) = layout.sentence, layout.ends
    numpy.testing.assert_array_equal(layout.rows(sentence, start, end), numpy.arange(layout.n_rows))
    assert sorted(k for group in layout.groups for k in group.tolist()) == list(range(len(lengths)))
    for group in layout.groups:
        which, first, length = layout.padded(group)
        rows = layout.group_rows(group)
        numpy.testing.assert_array_equal(group[which], sentence[rows])
        numpy.testing.assert_array_equal([first, first + length], layout.ends[:, rows])
    for k, n in enumerate(lengths):
        if n:
            assert layout.ends[:, layout.whole[k]].tolist() == [0, n]


@given(SEEDS, st.lists(st.integers(0, 7), min_size=1, max_size=8))
def test_chart_finds_the_best_of_all_trees(seed, lengths):
    layout = SpanLayout(lengths)
    values = numpy.random.default_rng(seed).normal(size=layout.n_rows).astype("float32")
    chosen = best_trees(layout, values)
    for n, part, table in zip(lengths, layout.slices(), by_ends(layout, values), strict=True):
        found = frozenset(span for span, is_in in zip(table, chosen[part]) if is_in)
        if not n:
            continue
        assert found in all_trees(0, n)
        best = max(sum(table[span] for span in tree) for tree in all_trees(0, n))
        assert sum(table[span] for span in found) == pytest.approx(best, abs=1e-4)


@given(SEEDS, st.lists(st.integers(0, 6), min_size=1, max_size=8))
def test_probabilities_are_those_over_all_trees(seed, lengths):
    layout = SpanLayout(lengths)
    values = numpy.random.default_rng(seed).normal(size=layout.n_rows).astype("float32")
    total, found = span_probabilities(layout, values)
    for k, (n, part, table) in enumerate(
        zip(lengths, layout.slices(), by_ends(layout, values), strict=True)
    ):
        if not n:
            continue
        weights = {tree: numpy.exp(sum(table[span] for span in tree)) for tree in all_trees(0, n)}
        assert total[k] == pytest.approx(numpy.log(sum(weights.values())), abs=1e-3)
        expected = [
            sum(weight for tree, weight in weights.items() if span in tree) / sum(weights.values())
            for span in table
        ]
        numpy.testing.assert_allclose(found[part], expected, atol=1e-3)


def test_chart_of_many_sentences_is_that_of_each(monkeypatch):
    rng = numpy.random.default_rng(0)
    lengths = rng.integers(1, 40, 50)
    layout = SpanLayout(lengths)
    values = rng.normal(size=layout.n_rows).astype("float32")
    together = best_trees(layout, values)
    for n, part in zip(lengths, layout.slices(), strict=True):
        numpy.testing.assert_array_equal(best_trees(SpanLayout([n]), values[part]), together[part])
    monkeypatch.setattr("spacy_ucca.span_parser.batch.MAX_PADDED", 500)
    assert len(SpanLayout(lengths).groups) > len(layout.groups)
    numpy.testing.assert_array_equal(best_trees(SpanLayout(lengths), values), together)


def test_a_thousand_tokens():
    layout = SpanLayout([1000])
    values = numpy.random.default_rng(0).normal(size=layout.n_rows).astype("float32")
    assert best_trees(layout, values).sum() == 1999


@given(SEEDS, st.integers(1, 7))
def test_top_down_is_greedy(seed, n):
    layout = SpanLayout([n])
    values = numpy.random.default_rng(seed).normal(size=layout.n_rows)
    (table,) = by_ends(layout, values)
    found = parse_top_down(values, n)
    assert frozenset(found) in all_trees(0, n)
    for start, end in found:
        if end - start > 1:
            worth = {k: table[start, k] + table[k, end] for k in range(start + 1, end)}
            best = max(worth, key=worth.get)
            assert {(start, best), (best, end)} <= set(found)
    assert parse_top_down(numpy.zeros(0), 0) == []


@settings(max_examples=50)
@given(SEEDS, st.integers(2, 7))
def test_oracle_keeps_what_can_be_kept(seed, n):
    """In any span, right splits are those after which the best tree has as many gold spans as before."""
    rng = numpy.random.default_rng(seed)
    gold = random_spans(rng, n)
    oracle = SplitOracle(gold)

    @lru_cache(None)
    def kept(start, end):
        return max(len(tree & set(gold)) for tree in all_trees(start, end))

    for start, end in itertools.combinations(range(n + 1), 2):
        if end - start == 1:
            continue
        own = (start, end) in gold
        expected = [
            own + kept(start, split) + kept(split, end) == kept(start, end)
            for split in range(start + 1, end)
        ]
        assert oracle.splits(start, end).tolist() == expected
        assert any(expected)


@given(SEEDS, st.integers(1, 7))
def test_following_the_oracle_gives_the_gold_tree(seed, n):
    rng = numpy.random.default_rng(seed)
    gold = random_spans(rng, n)
    oracle = SplitOracle(gold)

    def choose(start, end, scores):
        return start + 1 + int(rng.choice(numpy.nonzero(oracle.splits(start, end))[0]))

    values = numpy.zeros(n * (n + 1) // 2)
    assert set(gold) <= set(parse_top_down(values, n, choose))


@settings(max_examples=50)
@given(SEEDS, st.lists(st.integers(0, 7), min_size=1, max_size=4))
def test_heads_of_spans(seed, lengths):
    """Against the definitions, token by token."""
    rng = numpy.random.default_rng(seed)
    heads = []
    for n in lengths:
        order = rng.permutation(n).tolist()
        own = [-1] * n
        for place, token in enumerate(order):
            own[token] = order[rng.integers(place)] if place else token
            if rng.random() < 0.1:
                own[token] = -1
        heads.append(own)
    layout = SpanLayout(lengths)
    nearest, shapes = head_features(layout, heads)
    assert not len(shapes) or 0 <= shapes.min() <= shapes.max() < N_SHAPES
    seen = {}
    for k, start, end, found, shape in zip(
        layout.sentence.tolist(),
        *layout.ends.tolist(),
        nearest.tolist(),
        shapes.tolist(),
        strict=True,
    ):
        above, inside = heads[k], range(start, end)

        def depth(token, above=above):
            return 0 if above[token] in (-1, token) else 1 + depth(above[token])

        assert found == min(inside, key=lambda token: (depth(token), token))
        outer = sum(above[i] in (-1, i) or above[i] not in inside for i in inside)
        below = sum(above[i] in inside for i in range(lengths[k]) if i not in inside)
        known = any(head >= 0 for head in above)
        # The same shape says the same.
        n = end - start
        facts = (
            *(start == 0, end == lengths[k], n if n < 6 else (n > 7) + 6),
            *(min(outer, 4) if known else 0, min(below, 3)),
        )
        assert seen.setdefault(shape, facts) == facts
    assert len(set(seen.values())) == len(seen)
