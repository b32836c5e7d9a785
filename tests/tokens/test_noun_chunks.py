"""Noun chunks over Universal Dependencies: by hand, and laws that hold of every tree."""

import random

import pytest
import spacy
from spacy.tokens import Doc
from spacy.util import load_model_from_config
from util import VOCAB

from spacy_ucca.tokens.noun_chunks import BEFORE, create_noun_chunks, noun_chunks

# Words with coarse tag, head and label; chunks in brackets
SENTENCES = [
    "[My/PRON/2/nmod:poss old/ADJ/2/amod friends/NOUN/3/nsubj] moved/VERB/3/ROOT to/ADP/6/case [the/DET/6/det city/NOUN/3/obl]",
    "[John/PROPN/2/nsubj Smith/PROPN/0/flat] saw/VERB/2/ROOT [President/PROPN/4/nmod:desc Bush/PROPN/2/obj]",
    "[She/PRON/3/nsubj] is/AUX/3/cop [a/DET/3/det doctor/NOUN/3/ROOT]",
    "[cats/NOUN/0/ROOT] and/CCONJ/4/cc [very/ADV/3/advmod big/ADJ/4/amod dogs/NOUN/0/conj]",
    "There/PRON/1/expl is/VERB/1/ROOT [beer/NOUN/1/nsubj] ,/PUNCT/4/punct [wine/NOUN/2/conj] ,/PUNCT/7/punct [ice/NOUN/7/compound cream/NOUN/2/conj]",
    "[the/DET/4/det big/ADJ/4/amod ,/PUNCT/3/punct red/ADJ/4/amod house/NOUN/4/ROOT] of/ADP/7/case [my/PRON/7/nmod:poss aunt/NOUN/4/nmod]",
    "near/ADP/1/case [Mosul/PROPN/1/ROOT] ,/PUNCT/4/punct [50/NUM/4/nummod km/NOUN/5/compound west/NOUN/1/appos]",
    "it/PRON/2/expl is/AUX/2/cop true/ADJ/2/ROOT that/SCONJ/5/mark [nobody/PRON/5/nsubj] came/VERB/2/csubj",
]


def read(text: str) -> tuple[Doc, list[str]]:
    """RETURNS (Tuple[Doc, List[str]]): A Doc, and its chunks."""
    rows = [word.strip("[]").split("/") for word in text.split()]
    words, pos, heads, deps = zip(*rows)
    vocab = VOCAB
    doc = Doc(vocab, words=words, pos=pos, heads=[int(head) for head in heads], deps=deps)
    starts = [i for i, word in enumerate(text.split()) if word.startswith("[")]
    ends = [i for i, word in enumerate(text.split(), start=1) if word.endswith("]")]
    return doc, [doc[start:end].text for start, end in zip(starts, ends, strict=True)]


@pytest.mark.parametrize("text", SENTENCES)
def test_chunks_by_hand(text: str) -> None:
    doc, expected = read(text)
    assert [doc[start:end].text for start, end, _ in noun_chunks(doc)] == expected


@pytest.mark.parametrize("seed", range(50))
def test_laws(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randrange(1, 30)
    heads = [0] + [rng.randrange(i) for i in range(1, n)]  # all trees with the root first
    labels = ["ROOT"] + [rng.choice(["obj", "case", "flat", "punct", *BEFORE]) for _ in range(1, n)]
    pos = [rng.choice(["NOUN", "PROPN", "PRON", "VERB", "ADP"]) for _ in range(n)]
    doc = Doc(VOCAB, words=["w"] * n, pos=pos, heads=heads, deps=labels)
    before = 0
    for start, end, label in noun_chunks(doc):
        assert before <= start < end <= n  # in order, without overlap
        before = end
        assert doc.vocab.strings[label] == "NP"
        first = doc[start]
        assert first.dep_ not in ("punct", "case") or first.pos_ in ("NOUN", "PROPN", "PRON")
        assert {"NOUN", "PROPN", "PRON"} & {token.pos_ for token in doc[start:end]}


@pytest.mark.parametrize("seed", range(50))
def test_white_space_changes_no_chunk(seed: int) -> None:
    """Wherever it stands, and whatever tag and relation it has: chunks have the same words, and none at their edges."""
    rng = random.Random(seed)
    labels = ["dep", "obj", "case", "flat", "punct", "ROOT", *BEFORE]
    for sentence in SENTENCES:
        doc, chunks = read(sentence)
        order: list[int | None] = []  # tokens of `doc`, or white space
        for i in range(len(doc) + 1):
            order += [None] * rng.choice([0, 0, 1, 2]) + [i] * (i < len(doc))
        place = {i: at for at, i in enumerate(order) if i is not None}
        rows = []
        for at, i in enumerate(order):
            if i is not None:
                token = doc[i]
                rows.append((token.text, token.pos_, place[token.head.i], token.dep_))
                continue
            near = [at - 1] * (at > 0) + [at + 1] * (at + 1 < len(order))
            heads = [other for other in near if order[other] is not None] or [place[0]]
            pos = rng.choice(["NOUN", "PROPN", "PRON", "SPACE"])
            rows.append(
                (rng.choice(["\n", "\n\n", " "]), pos, rng.choice(heads), rng.choice(labels))
            )
        words, pos, heads, deps = zip(*rows)
        spaced = Doc(doc.vocab, words=words, pos=pos, heads=heads, deps=deps)
        found = [spaced[start:end] for start, end, _ in noun_chunks(spaced)]
        for chunk in found:
            assert not chunk[0].is_space and not chunk[-1].is_space
        assert [" ".join(chunk.text.split()) for chunk in found] == chunks


def test_words_under_white_space_have_chunks() -> None:
    words, pos, deps = ["cats", "\n", "\n"], ["NOUN", "PROPN", "NOUN"], ["compound", "ROOT", "flat"]
    doc = Doc(VOCAB, words=words, pos=pos, heads=[1, 1, 1], deps=deps)
    assert [doc[start:end].text for start, end, _ in noun_chunks(doc)] == ["cats"]


def test_docs_without_annotation() -> None:
    vocab = VOCAB
    with pytest.raises(ValueError, match="E029"):
        list(noun_chunks(Doc(vocab, words=["A", "cat"])))
    assert (
        list(noun_chunks(Doc(vocab, words=["A", "cat"], heads=[1, 1], deps=["det", "ROOT"]))) == []
    )


def test_pipelines_have_them_after_they_are_saved(tmp_path) -> None:
    doc, expected = read(SENTENCES[0])
    plain = Doc(spacy.blank("en").vocab).from_bytes(doc.to_bytes())
    assert [
        chunk.text for chunk in plain.noun_chunks
    ] != expected  # spaCy's own look for other labels
    config = spacy.blank("en").config.copy()
    config["nlp"]["after_creation"] = {"@callbacks": "spacy-ucca.noun_chunks.v1"}
    nlp = load_model_from_config(config)
    nlp.to_disk(tmp_path)
    for pipeline in (nlp, spacy.load(tmp_path), create_noun_chunks()(spacy.blank("en"))):
        again = Doc(pipeline.vocab).from_bytes(doc.to_bytes())
        assert [chunk.text for chunk in again.noun_chunks] == expected
        assert [chunk.text for chunk in again[5:].noun_chunks] == expected[1:]
