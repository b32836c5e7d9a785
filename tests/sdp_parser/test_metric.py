"""The SDP metric: by hand, against a count without sets, and laws."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from spacy_ucca.conversion.graph import ROOT, TOP, Arc, BilexicalGraph, Token
from spacy_ucca.errors import UccaError
from spacy_ucca.sdp_parser.metric import WAYS, arc_label, score_bilexical


def graph(*arcs, n=4):
    return BilexicalGraph(tuple(Token(f"w{i}") for i in range(n)), tuple(Arc(*a) for a in arcs))


@st.composite
def bilexical_graphs(draw, n):
    pairs = [(h, d) for h in range(-1, n) for d in range(n) if h != d]
    arcs = [
        Arc(h, d, draw(st.sampled_from("AB")), draw(st.booleans()))
        for h, d in draw(st.lists(st.sampled_from(pairs), max_size=8))
    ]
    return BilexicalGraph(tuple(Token(str(i)) for i in range(n)), tuple(arcs))


@st.composite
def corpora(draw):
    sizes = draw(st.lists(st.integers(1, 4), max_size=4))
    return [(draw(bilexical_graphs(n)), draw(bilexical_graphs(n))) for n in sizes]


def test_by_hand():
    gold = [
        graph((ROOT, 1, TOP), (1, 0, "ARG1"), (1, 2, "ARG2"), (3, 2, "BV")),
        graph((ROOT, 0, TOP), n=1),
    ]
    found = [
        graph((ROOT, 2, TOP), (1, 0, "ARG1"), (1, 2, "ARG1"), (2, 3, "BV"), (0, 3, "loc")),
        graph((ROOT, 0, "root"), n=1),
    ]
    scores = score_bilexical(found, gold).to_scores()
    # With tops: guessed 6, gold 5; right are 1 -> 0 and the top of the second, whatever it is called.
    assert (scores["sdp_lp"], scores["sdp_lr"]) == (2 / 6, 2 / 5)
    assert scores["sdp_lf"] == pytest.approx(4 / 11)
    assert scores["sdp_lm"] == 1 / 2
    assert (scores["sdp_notop_lp"], scores["sdp_notop_lr"]) == (1 / 4, 1 / 3)
    assert (scores["sdp_up"], scores["sdp_ur"]) == (3 / 6, 3 / 5)
    assert (scores["sdp_notop_up"], scores["sdp_notop_ur"]) == (2 / 4, 2 / 3)
    # Nothing but a top: nothing is wrong without it.
    assert scores["sdp_notop_lm"] == scores["sdp_um"] == 1 / 2
    assert scores["sdp_per_type"]["BV"] == {"p": 0, "r": 0, "f": 0}
    assert scores["sdp_per_type"]["ARG2"] == {"p": None, "r": 0, "f": 0}
    assert scores["sdp_per_type"]["TOP"] == {"p": 1 / 2, "r": 1 / 2, "f": 1 / 2}


def test_a_star_is_a_part_of_the_label():
    scores = score_bilexical([graph((0, 1, "A", True))], [graph((0, 1, "A"))]).to_scores()
    assert (scores["sdp_lf"], scores["sdp_uf"]) == (0, 1)


def test_nothing():
    assert set(score_bilexical([], []).to_scores().values()) == {None}
    scores = score_bilexical([graph()], [graph()]).to_scores()
    assert scores["sdp_lf"] is None and scores["sdp_lm"] == 1


def brute_force(pairs, labeled, tops):
    """Counts by going through all that could be an arc."""
    matches = guessed = gold = whole = 0
    for left, right in pairs:
        same = True
        n = len(left.tokens)
        labels = {arc_label(a) for a in (*left.arcs, *right.arcs)} if labeled else {None}
        for head in range(-1 if tops else 0, n):
            for dependent in range(n):
                for label in labels:
                    has = [
                        any(
                            (a.head, a.dependent) == (head, dependent)
                            and label in (None, arc_label(a))
                            for a in g.arcs
                        )
                        for g in (left, right)
                    ]
                    guessed, gold, matches = guessed + has[0], gold + has[1], matches + all(has)
                    same = same and has[0] == has[1]
        whole += same
    return matches, guessed, gold, whole, len(pairs)


@given(corpora())
def test_brute_force(pairs):
    counts = score_bilexical(*zip(*pairs)) if pairs else score_bilexical([], [])
    for name, tally in counts.tallies.items():
        expected = brute_force(pairs, *WAYS[name])
        found = (tally[key] for key in ("matches", "guessed", "gold", "whole", "sentences"))
        assert tuple(found) == expected
    assert sum(t["matches"] for t in counts.types.values()) == counts.tallies["sdp_l"]["matches"]


@given(corpora())
def test_swapping_sides_swaps_precision_and_recall(pairs):
    one = score_bilexical([a for a, _ in pairs], [b for _, b in pairs]).to_scores()
    other = score_bilexical([b for _, b in pairs], [a for a, _ in pairs]).to_scores()
    for name in ("sdp_l", "sdp_u", "sdp_notop_l", "sdp_notop_u"):
        assert one[name + "p"] == other[name + "r"]
        assert one[name + "f"] == other[name + "f"] and one[name + "m"] == other[name + "m"]


def test_what_does_not_fit_is_refused():
    with pytest.raises(UccaError, match=r"UC870.*1 predicted graphs, but 2"):
        score_bilexical([graph()], [graph(), graph()])
    with pytest.raises(UccaError, match=r"UC871.*differ from word 4"):
        score_bilexical([graph(n=3)], [graph(n=4)])
