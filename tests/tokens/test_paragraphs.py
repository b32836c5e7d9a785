"""`paragraph_breaks`: no sentence goes on after a blank line, whatever finds the others; sentences that are given stay."""

import random

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from util import make_nlp, overfit

from spacy_ucca.graph import Graph
from spacy_ucca.text.split import text_paragraphs
from spacy_ucca.tokens.paragraphs import start_sentences_after_blank_lines

GAPS = [" ", "\n", "  ", "\n\n", "\n \n", "\r\n\r\n", " \n\t\n ", "\n\n\n", "\n\n \n\n"]
WORDS = ["John", "left", ".", "Mary", "?", "🎉", "the", "A."]


def make_text(rng: random.Random) -> str:
    """RETURNS (str): Words with white space of any kind around them; may be empty."""
    n = rng.randrange(12)
    gaps = ["", *rng.choices(GAPS, k=n)]
    return (
        rng.choice(["", *GAPS])
        + "".join(gap + rng.choice(WORDS) for gap in gaps[:n])
        + rng.choice(["", *GAPS])
    )


def make_pipeline(kind: str) -> Language:
    """RETURNS (Language): `paragraph_breaks`, and a component that finds sentences in some way."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("paragraph_breaks")
    if kind:
        nlp.add_pipe(kind, config={"min_action_freq": 1} if kind == "parser" else {})
    if kind in ("senter", "parser"):
        heads = [max(i - 1, 0) for i in range(len(WORDS))]
        gold = Doc(nlp.vocab, words=WORDS, heads=heads, deps=["ROOT"] + ["dep"] * (len(WORDS) - 1))
        examples = [Example(Doc(nlp.vocab, words=WORDS), gold)]
        optimizer = nlp.initialize(lambda: examples)
        for _ in range(10):
            nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.mark.parametrize("kind", ["", "sentencizer", "senter", "parser"])
def test_no_sentence_has_a_blank_line(kind: str) -> None:
    nlp, rng = make_pipeline(kind), random.Random(kind)
    texts = ["", "\n\n", " ", "John\n\nleft.", *(make_text(rng) for _ in range(60))]
    docs = list(nlp.pipe(texts))
    with nlp.select_pipes(disable="paragraph_breaks"):
        plain = list(nlp.pipe(texts))
    n_mended = 0
    for text, doc, old in zip(texts, docs, plain, strict=True):
        assert doc.text == text
        found = [n_paragraphs(sent) for sent in sentences(doc)]
        assert all(n < 2 for n in found), repr(text)
        if any(n_paragraphs(sent) > 1 for sent in sentences(old)):
            n_mended += 1
        elif kind != "parser":  # to which given boundaries are news, even where it finds them
            assert words_of(doc) == words_of(old)
    assert n_mended > 10


def sentences(doc: Doc) -> list[str]:
    """RETURNS (List[str]): The sentences; the text, if nothing has divided it."""
    return [sent.text for sent in doc.sents] if doc.has_annotation("SENT_START") else [doc.text]


def words_of(doc: Doc) -> list[list[str]]:
    """RETURNS (List[List[str]]): The words of each sentence that has some."""
    return [sent.split() for sent in sentences(doc) if sent.strip()]


def n_paragraphs(text: str) -> int:
    """RETURNS (int): The number of paragraphs, none for white space alone."""
    return len(text_paragraphs(text))


def test_given_sentences_stay() -> None:
    nlp = spacy.blank("en")
    words, starts = ["a", "\n\n", "b", "c", "\n\n", "d"], [1, 0, 0, 1, 0, 0]
    given = Doc(nlp.vocab, words=words, sent_starts=starts)
    parsed = Doc(nlp.vocab, words=words, heads=[0, 0, 0, 3, 3, 3], deps=["dep"] * 6)
    for doc in (given, parsed):
        before = [sent.text for sent in doc.sents]
        assert start_sentences_after_blank_lines(doc) is doc
        assert [sent.text for sent in doc.sents] == before


def test_line_breaks_in_single_tokens() -> None:
    """As in Docs that are made of words."""
    words = ["\n", "\n", "a", "\n", "\n", "b", "\n", "c", " ", "\n"]
    doc = start_sentences_after_blank_lines(Doc(spacy.blank("en").vocab, words=words))
    assert [token.i for token in doc if token.is_sent_start] == [0, 5]


def test_graphs_have_a_root_for_each_paragraph(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    overfit(nlp, graphs, steps=5)
    nlp.add_pipe("paragraph_breaks", first=True)
    doc = nlp("John left\n\nMary sings loudly\n \n\n")
    assert [root.text for root in doc._.ucca.roots] == ["John left", "Mary sings loudly"]
    assert len(list(doc.sents)) == 2
