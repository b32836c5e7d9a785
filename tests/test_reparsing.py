"""The choice of units one by one: against trying all sets of them, and where a sentence has too many to try."""

from collections.abc import Iterable
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_ucca.voting import reparsing
from spacy_ucca.voting.reparsing import best_units, cross, fitting


def units(max_words: int = 6, max_units: int = 9) -> st.SearchStrategy[dict[int, float]]:
    """What units are worth, by their words."""
    worth = st.integers(-3, 5).map(float)
    return st.dictionaries(st.integers(1, 2**max_words - 1), worth, max_size=max_units)


def fits(units: Iterable[int]) -> bool:
    return not any(cross(a, b) for a, b in combinations(units, 2))


def total(worth: dict[int, float], units: Iterable[int]) -> float:
    return sum(worth[unit] for unit in units)


@settings(deadline=None)
@given(units())
def test_no_units_that_fit_together_are_worth_more(worth):
    found = best_units(worth)
    assert fits(found) and all(worth[unit] > 0 for unit in found)
    sets = (s for n in range(len(worth) + 1) for s in combinations(worth, n) if fits(s))
    assert total(worth, found) == max(total(worth, s) for s in sets)


@given(units(), st.randoms())
def test_order_says_nothing(worth, random):
    items = list(worth.items())
    random.shuffle(items)
    assert set(best_units(dict(items))) == set(best_units(worth))


@given(units())
def test_more_units_that_fit(worth):
    found = best_units(worth)
    more = fitting(found, sorted(worth))
    assert fits({*found, *more})
    assert all(not fits({*found, *more, unit}) for unit in worth.keys() - {*found, *more})


@pytest.mark.parametrize(
    "a, b, crossing", [(3, 6, True), (3, 12, False), (3, 7, False), (5, 6, True)]
)
def test_units_cross_that_share_words_and_have_others(a, b, crossing):
    assert cross(a, b) is cross(b, a) is crossing


def test_a_long_row_of_units_that_cross_is_exact():
    # Each of 2,000 crosses its neighbours, so that every other one can stay; the uneven ones are worth more.
    masks = [3 << i for i in range(2000)]
    worth = {mask: 1.5 if i % 2 else 1.0 for i, mask in enumerate(masks)}
    assert sorted(best_units(worth)) == masks[1::2]


def test_too_many_that_cross_are_chosen_greedily(monkeypatch):
    worth = {15 << i: float(i % 5 + 1) for i in range(60)}
    exact = best_units(worth)
    for name in ("MOST_SETS", "DEEPEST"):
        with monkeypatch.context() as patch:
            patch.setattr(reparsing, name, 0)
            found = best_units(worth)
        assert fits(found) and 0 < total(worth, found) <= total(worth, exact)


def test_units_that_all_cross():
    worth = {(1 << 300) - 1 << i: 1.0 + i % 7 for i in range(300)}
    (found,) = best_units(worth)
    assert worth[found] == 7
