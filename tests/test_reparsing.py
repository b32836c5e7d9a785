"""The choice of units one by one: against trying all sets of them, and where a sentence has too many to try."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_ucca.voting import reparsing
from spacy_ucca.voting.reparsing import best_units, cross

A, C = ("FN", ("A",)), ("FN", ("C",))
Worth = dict[int, dict[tuple, float]]


@st.composite
def units(draw, max_words: int = 6, max_units: int = 9) -> Worth:
    """What labels are worth, by words."""
    values = st.integers(-3, 5).map(float)
    masks = st.integers(1, 2**max_words - 1)
    label = st.dictionaries(st.sampled_from([A, C]), values, min_size=1)
    return draw(st.dictionaries(masks, label, max_size=max_units))


def chosen(worth: Worth) -> dict[int, tuple]:
    chains = {words: {(label,) for label in labels} for words, labels in worth.items()}
    return best_units(chains, lambda words, label: worth[words][label])


def total(worth: Worth, found: dict[int, tuple]) -> float:
    return sum(worth[words][label] for words, labels in found.items() for label in labels)


def fits(masks) -> bool:
    return not any(cross(a, b) for a, b in combinations(masks, 2))


@settings(deadline=None)
@given(units())
def test_no_units_that_fit_together_are_worth_more(worth):
    found = chosen(worth)
    assert fits(found)
    assert all(worth[words][label] > 0 for words, labels in found.items() for label in labels)
    value = {words: max(labels.values()) for words, labels in worth.items()}
    sets = (s for n in range(len(value) + 1) for s in combinations(value, n) if fits(s))
    assert total(worth, found) == max(sum(value[words] for words in s) for s in sets)


@given(units(), st.randoms())
def test_order_says_nothing(worth, random):
    items = list(worth.items())
    random.shuffle(items)
    assert chosen(dict(items)) == chosen(worth)


@pytest.mark.parametrize(
    "a, b, crossing", [(3, 6, True), (3, 12, False), (3, 7, False), (5, 6, True)]
)
def test_units_cross_that_share_words_and_have_others(a, b, crossing):
    assert cross(a, b) is cross(b, a) is crossing


def test_what_is_worth_nothing_leaves_its_chain():
    gain = {A: 1.0, C: -1.0}
    assert best_units({3: [(A, C)], 4: [(C,)]}, lambda _, label: gain[label]) == {3: (A,)}
    assert best_units({}, lambda _, label: gain[label]) == {}


def test_a_long_row_of_units_that_cross_is_exact():
    # Each of 2,000 crosses its neighbours, so that every other one can stay; the uneven ones are worth more.
    masks = [3 << i for i in range(2000)]
    found = best_units({m: [(A,)] for m in masks}, lambda m, _: 1.5 if m in masks[1::2] else 1.0)
    assert sorted(found) == masks[1::2]


def test_too_many_that_cross_are_chosen_greedily(monkeypatch):
    worth: Worth = {15 << i: {A: float(i % 5 + 1)} for i in range(60)}
    exact = chosen(worth)
    for name in ("MOST_SETS", "DEEPEST"):
        with monkeypatch.context() as patch:
            patch.setattr(reparsing, name, 0)
            found = chosen(worth)
        assert fits(found) and 0 < total(worth, found) <= total(worth, exact)


def test_units_that_all_cross():
    worth: Worth = {(1 << 300) - 1 << i: {A: 1.0 + i % 7} for i in range(300)}
    found = chosen(worth)
    assert fits(found) and total(worth, found) == 7
