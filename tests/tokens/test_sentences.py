"""The sentences of a batch: what they hold, and how batches are divided."""

import random

import numpy
import pytest
import spacy
from spacy.tokens import Doc

from spacy_ucca.tokens import sentences as sentences_module
from spacy_ucca.tokens.sentences import decoding_parts, find_sentences, read_syntax


@pytest.fixture(scope="module")
def vocab():
    return spacy.blank("en").vocab


@pytest.mark.parametrize("seed", range(20))
def test_parts_are_neither_too_large_nor_smaller_than_need_be(vocab, monkeypatch, seed) -> None:
    for name, value in (("PART_TOKENS", 12), ("PART_DOCS", 3), ("MAX_TOKENS", 40)):
        monkeypatch.setattr(sentences_module, name, value)
    lengths = random.Random(seed).choices([0, 1, 2, 5, 11, 20, 50], k=30)
    docs = [Doc(vocab, words=["a"] * n) for n in lengths]
    parts = list(decoding_parts(iter(docs)))
    assert [doc for part in parts for doc in part] == docs
    for part, after in zip(parts, [*parts[1:], []]):
        size = sum(map(len, part))
        assert size <= 12 or (len(part) <= 3 and size <= 40) or len(part) == 1
        larger = size + (len(after[0]) if after else 99)
        assert larger > (12 if len(part) >= 3 else 40) or not after
    assert not list(decoding_parts([]))


def test_find_sentences(vocab) -> None:
    first = Doc(vocab, words=["a", "\n", "b", "\n\n", "c"], sent_starts=[1, 0, 0, 1, 1])
    bare = Doc(vocab, words=[" ", "x", "y"])
    found = find_sentences([first, Doc(vocab), bare], {})
    assert [s.tokens.tolist() for s in found] == [[0, 2], [4], [1, 2]]
    assert [s.places.tolist() for s in found] == [[0, 2], [4], [6, 7]]
    assert [s.doc for s in found] == [first, first, bare]
    assert [len(s) for s in found] == [2, 1, 2]
    assert find_sentences([], {}) == []


def test_find_sentences_by_the_user_hook(vocab) -> None:
    """Where a Doc divides itself by its hook, its sentences are these, whatever its tokens say."""
    words, starts = ["a", "b", "c", "d", "e"], [1, 0, 1, 0, 0]
    hooked, other = (Doc(vocab, words=words, sent_starts=starts) for _ in range(2))
    hooked.user_hooks["sents"] = lambda doc: iter([doc[:1], doc[1:4], doc[4:]])
    found = find_sentences([other, hooked], {})
    assert [s.tokens.tolist() for s in found] == [[0, 1], [2, 3, 4], [0], [1, 2, 3], [4]]
    assert [s.doc for s in found] == [other] * 2 + [hooked] * 3


def test_read_syntax(vocab) -> None:
    doc = Doc(
        vocab,
        words=["the", "\n", "cat", "slept", "it", "ran"],
        heads=[2, 0, 3, 3, 5, 5],
        deps=["det", "", "nsubj", "ROOT", "nsubj", "ROOT"],
    )
    ids = {vocab.strings["nsubj"]: 1, vocab.strings["det"]: 2}
    syntax = read_syntax(doc, numpy.array([0, 2, 3]), ids)
    assert syntax.heads == [1, 2, 2] and syntax.deps == [2, 1, 0]
    syntax = read_syntax(doc, numpy.array([4, 5]), ids)
    assert syntax.heads == [1, 1] and syntax.deps == [1, 0]
    # heads that are left out, as whitespace is, are unknown
    syntax = read_syntax(doc, numpy.array([0, 3]), ids)
    assert syntax.heads == [-1, 1]
    # a parser that has learned no labels reads no trees
    syntax = read_syntax(doc, numpy.array([0, 2, 3]), {})
    assert syntax.heads == [-1, -1, -1] and syntax.deps == [0, 0, 0]
    bare = read_syntax(Doc(vocab, words=["a", "b"]), numpy.array([0, 1]), ids)
    assert bare.heads == [-1, -1] and bare.deps == [0, 0]


@pytest.mark.parametrize("seed", range(30))
def test_sentences_have_the_syntax_that_read_syntax_finds(vocab, seed) -> None:
    rng = random.Random(seed)
    docs = []
    for n in rng.choices(range(12), k=4):
        words = rng.choices(["a", "b", "\n", " "], weights=[4, 4, 1, 1], k=n)
        starts = [i == 0 or rng.random() < 0.3 for i in range(n)]
        doc = Doc(vocab, words=words, sent_starts=[int(start) for start in starts])
        if rng.random() < 0.8:  # heads anywhere, also in whitespace and in other sentences
            heads = [rng.choice([i, rng.randrange(n)]) for i in range(n)]
            doc = Doc(vocab, words=words, heads=heads, deps=rng.choices("xyz", k=n))
        docs.append(doc)
    ids = rng.choice([{vocab.strings.add("x"): 1, vocab.strings.add("y"): 2}, {}])
    for sentence in find_sentences(docs, ids):
        expected = read_syntax(sentence.doc, sentence.tokens, ids)
        for name in ("heads", "deps", "left", "right"):
            assert getattr(sentence.syntax, name) == getattr(expected, name)
