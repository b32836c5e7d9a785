"""Spaces between words: texts that a tokenizer divides and that come back as they were."""

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_ucca.text.spacing import PARAGRAPH_BREAK, spaces_between, text_of


@pytest.mark.parametrize(
    "text",
    [
        "The cat (a tabby) slept; it wasn't cold, was it?",
        'He said "I am tired, very tired" and left.',
        "It costs $5, or 10%...",
        "She’s “here”!",
        "A low-budget, mid-tempo song—his first—was pop/rock and R&B.",
        "The boys' parents liked the 'mangy' student, didn't they?",
        '"Conseil!" I called. "It\'s \'ready\' now!"',
    ],
)
def test_spaces_as_english_has_them(text):
    nlp = spacy.blank("en")
    words = [t.text for t in nlp(text)]
    assert Doc(nlp.vocab, words=words, spaces=spaces_between(words)).text == text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("It ' s $ 3 . 5 of rock ' n ' roll .", "It's $3.5 of rock'n'roll."),
        ("from 1940 – 1980 , he – and others – sang", "from 1940–1980, he – and others – sang"),
        ("one - two", "one-two"),
        ("- one / ( two )", "- one / (two)"),
        ("ca n't", "can't"),
    ],
)
def test_words_that_corpora_cut(words, text):
    assert text_of(words.split(), spaces_between(words.split())) == text


@given(st.lists(st.text(min_size=1), max_size=8), st.data())
def test_text_has_the_words_in_order(words, data):
    spaces = spaces_between(words)
    assert len(spaces) == len(words) and not any(spaces[-1:])
    ends = data.draw(st.sets(st.integers(1, len(words)))) if words else set()
    text = text_of(words, spaces, sorted(ends))
    assert "".join(text.split()) == "".join("".join(words).split())


def test_paragraphs():
    text = text_of(["a", "b", "c", "d"], [True, False, True, False], [2, 4])
    assert text == f"a b{PARAGRAPH_BREAK}c d"
