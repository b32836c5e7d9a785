"""Pieces of words against a search of all divisions, and WordPiece by examples."""

import pickle
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_bert import PIECES, SCORES, UNIGRAM

from spacy_ucca.encoder.pieces import MAX_PIECES, Pieces

unigram = Pieces("unigram", UNIGRAM, SCORES, begin=0, end=2, unknown=3)
wordpiece = Pieces("wordpiece", PIECES, begin=2, end=3, unknown=1, lower=True)


def best_score(text):
    """The score of the best division, of all there are, and whether it has an unknown character, which costs as much as the rarest
    piece and 10 more."""
    known = dict(zip(UNIGRAM[4:], SCORES[4:]))
    least = min(SCORES) - 10
    divisions = []
    for cuts in product([False, True], repeat=len(text) - 1):
        bounds = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), len(text)]
        parts = [text[a:b] for a, b in pairwise(bounds)]
        if all(part in known or len(part) == 1 for part in parts):
            score = sum(known.get(part, least) for part in parts)
            divisions.append((score, any(part not in known for part in parts)))
    return max(divisions)


@given(st.text(alphabet="themousacb.", min_size=1, max_size=9), st.booleans())
def test_unigram_takes_the_best_of_all_divisions(word, after_space):
    text = "▁" + word if after_space else word
    found, (best, has_unknown) = unigram.of(word, after_space), best_score(text)
    assert (3 in found) == has_unknown
    if 3 not in found:
        assert "".join(UNIGRAM[i] for i in found) == text
        assert sum(unigram.scores[i] for i in found) == pytest.approx(best, abs=1e-4)


def test_unknown_characters_in_a_row_are_one_piece():
    assert [UNIGRAM[i] for i in unigram.of("☃☃the☃")] == ["▁", "<unk>", "the", "<unk>"]


@pytest.mark.parametrize("space", ["", " ", "\n", " \t\n", "\u3000"])
def test_white_space_has_no_pieces(space):
    assert unigram.of(space) == wordpiece.of(space) == []


def test_unigram_reads_other_forms_of_a_character_as_one():
    assert unigram.of("ｔｈｅ") == unigram.of("the") != [3]


def test_names_of_special_pieces_are_not_special():
    assert 2 not in unigram.of("</s>") and 0 not in unigram.of("<s>")
    assert 3 not in wordpiece.of("[SEP]")


def test_long_words_take_linear_time():
    assert len(unigram.of("the" * 2000, after_space=False)) == MAX_PIECES


@pytest.mark.parametrize(
    "word, pieces",
    [
        ("Eats", ["eat", "##s"]),
        ("cheese.", ["che", "##ese", "."]),
        ("éating", ["eat", "##ing"]),
        ("ABC", ["[UNK]"]),
        ("Éats", ["eat", "##s"]),
        ("a.b", ["a", ".", "b"]),
        ("bc", ["b", "##c"]),
    ],
)
def test_wordpiece_takes_the_longest_piece_that_fits(word, pieces):
    assert [PIECES[i] for i in wordpiece.of(word)] == pieces


@pytest.mark.parametrize("pieces", [unigram, wordpiece])
def test_saved_pieces_divide_words_the_same_way(pieces):
    words = ["the", "mouses", "eating", "☃", "A.", "cheese"]
    for copy in (Pieces.from_dict(pieces.to_dict()), pickle.loads(pickle.dumps(pieces))):
        assert [copy.of(word) for word in words] == [pieces.of(word) for word in words]
