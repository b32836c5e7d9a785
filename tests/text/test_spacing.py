"""Spaces between words: texts that a tokenizer divides and that come back as they were."""

import pytest
import spacy
from conllu_samples import MULTIWORD, surface_tokens
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_ucca.formats.sources import read_sources
from spacy_ucca.text.spacing import PARAGRAPH_BREAK, find_words, spaces_between, text_of


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


# Words that a text spells otherwise


@pytest.mark.parametrize(
    "words, text, places",
    [
        ("I will not go .", "I won't go.", ["I", "won't", "won't", "go", "."]),
        ("Ann left .", "Ann lefft.", ["Ann", "lefft", "."]),
        ("-LRB- `` He '' -RRB- !", "(“he”)!", ["(", "“", "he", "”", ")", "!"]),
        ("cafe\u0301 \ufb01ve", "CAFÉ five", ["CAFÉ", "five"]),
        ("à le bar de les amis", "au bar des amis", ["au", "au", "bar", "des", "des", "amis"]),
        ("zu dem in das", "zum ins", ["zum", "zum", "ins", "ins"]),
        ("da me lo", "¡dámelo", ["dá", "me", "lo"]),
        ("aby by šel", "Aby šel", ["Aby", "Aby", "šel"]),
        ("Ann uh left", "Ann left", ["Ann", "", "left"]),
        ("ANN \n  left", "Ann left", ["Ann", "", "", "left"]),
        ("Ann left", "Ann, my friend, left!", ["Ann", "left"]),
        (
            "<u> soon moved to <u> <u>",
            "Ann soon moved to New York",
            ["Ann", "soon", "moved", "to", "New", "York"],
        ),
        ("d' Hauts-de-Seine à le", "d'Hauts-de-Seine au", ["d'", "Hauts-de-Seine", "au", "au"]),
        ("我 措 了", "我错了", ["我", "错", "了"]),
    ],
)
def test_words_get_the_place_of_what_stands_there(words, text, places):
    found = find_words(words.split(" "), text)
    assert found is not None and [text[start:end] for start, end in found] == places


@pytest.mark.parametrize("text", ["", "Something else", "Ann"])
def test_a_text_of_other_words_is_none(text):
    assert find_words(["He", "slept", "until", "noon"], text) is None


@pytest.mark.parametrize("spec", MULTIWORD)
def test_words_of_a_multiword_token_are_in_its_place(spec):
    """Whether or not they share letters with it."""
    text, tokens = surface_tokens(spec)
    places = find_words([surface for surface, _ in tokens], text)
    owners = [i for i, (_, inner) in enumerate(tokens) for _ in inner]
    words = [word for _, inner in tokens for word in inner]
    for owner, (start, end) in zip(owners, find_words(words, text), strict=True):
        first, last = places[owner]
        assert first <= start < end <= last, text[start:end]


@given(
    data=st.data(), text=st.lists(st.text("abcd", min_size=1, max_size=4), min_size=8, unique=True)
)
def test_a_changed_word_moves_no_other(data, text):
    """Another word, two of one, another case."""
    i = data.draw(st.integers(0, len(text) - 1))
    joined = " ".join(text)
    before = find_words(text, joined)
    for changed in (["☃"], ["☃", "☂"], [text[i].upper()]):
        after = find_words([*text[:i], *changed, *text[i + 1 :]], joined)
        assert after == [*before[:i], *[before[i]] * len(changed), *before[i + 1 :]]


@given(words=st.lists(st.text(max_size=4), max_size=6), text=st.text(max_size=20))
def test_places_of_any_words_are_in_order(words, text):
    spans = find_words(words, text)
    if spans is not None:
        assert len(spans) == len(words) and all(0 <= a <= b <= len(text) for a, b in spans)
        assert spans == sorted(spans) and [b for _, b in spans] == sorted(b for _, b in spans)


TREEBANKS = ("UD_English-EWT", "UD_French-GSD", "UD_French-Sequoia", "UD_German-GSD", "UD_PUD")


@pytest.mark.parametrize("name", TREEBANKS)
def test_treebanks_keep_their_text(corpora, name):
    """Tokens have their own place to the letter, and words of a multiword token are in its place."""
    for path in sorted((corpora / name).glob("*.conllu")):
        if "train" in path.name:
            continue
        blocks = path.read_text("utf8").split("\n\n")
        sources = read_sources("\n\n".join(blocks), "conllu", source="x")
        for block, source in zip(filter(None, blocks), sources, strict=True):
            rows = [line.split("\t") for line in block.split("\n") if line[:1].isdecimal()]
            assert f"# text = {source.text}" in block.split("\n")
            tokens, owners, last = [], [], 0
            for number, form, *_ in rows:
                if "-" in number or (number.isdecimal() and int(number) > last):
                    tokens.append(form)
                    last = int(number.split("-")[-1])
                owners += [len(tokens) - 1] * number.isdecimal()
            places, spans = find_words(tokens, source.text), find_words(source.words, source.text)
            for owner, (start, end) in zip(owners, spans, strict=True):
                first, last = places[owner]
                assert first <= start < end <= last
                assert owners.count(owner) > 1 or (start, end) == (first, last)
