"""`sentence_boundaries`: no sentence goes on after a blank line, whatever finds the others; sentences that are given stay."""

import copy
import pickle
import random
import warnings

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from util import VOCAB, make_nlp, overfit

from spacy_ucca.graph import Graph
from spacy_ucca.text.split import text_paragraphs
from spacy_ucca.tokens.boundaries import set_boundaries, set_sentence_starts

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
    """RETURNS (Language): `sentence_boundaries`, and a component that finds sentences in some way."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_boundaries")
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
    with nlp.select_pipes(disable="sentence_boundaries"):
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
    words = ["a", "\n\n", "b", "c", "\n\n", "d"]
    starts = [True, False, False, True, False, False]
    given = Doc(nlp.vocab, words=words, sent_starts=starts)
    parsed = Doc(nlp.vocab, words=words, heads=[0, 0, 0, 3, 3, 3], deps=["dep"] * 6)
    for doc in (given, parsed):
        before = [sent.text for sent in doc.sents]
        assert set_boundaries(doc) is doc
        assert [sent.text for sent in doc.sents] == before


@pytest.mark.parametrize("seed", range(50))
def test_tokens_that_are_set_stay(seed: int) -> None:
    """The others get what they would have got, but no second start where one was given between the same words."""
    nlp, rng = spacy.blank("en"), random.Random(seed)
    text = " ".join(make_text(rng) for _ in range(3))
    doc = nlp(text)
    alone = [token.is_sent_start for token in set_boundaries(nlp(text))]
    given = [True] + [rng.choice([None, None, None, True, False]) for _ in doc[1:]]
    if None not in given:
        return
    for token, value in zip(doc, given, strict=True):
        token.is_sent_start = value
    for token in set_boundaries(doc):
        if given[token.i] is not None:
            assert token.is_sent_start is given[token.i]
            continue
        last = max((i for i in range(token.i) if not doc[i].is_space), default=-1)
        started = True in given[last + 1 : token.i]
        expected = None if started and not token.is_space else alone[token.i]
        assert token.is_sent_start is expected


@pytest.mark.parametrize("kind", ["sentencizer", "senter", "parser"])
@pytest.mark.parametrize("first", [True, False])
def test_a_warning_in_the_wrong_place(kind: str, first: bool) -> None:
    nlp = make_pipeline(kind)
    nlp.remove_pipe("sentence_boundaries")
    nlp.add_pipe("sentence_boundaries", "breaks", **{"first" if first else "last": True})
    nlp.add_pipe("sentence_boundaries", "again", after="breaks")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for text in ["", "a", "a b\n\nc", "a\n\nb"]:
            nlp(text)
        with nlp.select_pipes(disable=kind):
            nlp(Doc(nlp.vocab, words=["a", "b"], sent_starts=[True, False]))
    messages = [str(w.message) for w in caught]
    assert len(messages) == 2 * (not first)  # one for each component
    for name, message in zip(("breaks", "again"), messages, strict=False):
        assert message.startswith("[UW306]") and "first=True" in message
        assert f"'{name}'" in message and f"'{kind}'" in message


def test_no_warning_of_gold_sentences() -> None:
    nlp = make_pipeline("sentencizer")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp(Doc(nlp.vocab, words=["a", "b"], sent_starts=[True, False]))


@pytest.mark.parametrize("kind", ["", "sentencizer", "parser"])
def test_it_can_be_pickled(kind: str) -> None:
    """As for `n_process`, where processes are spawned."""
    nlp = make_pipeline(kind)
    own = nlp.get_pipe("sentence_boundaries")
    for again in (pickle.loads(pickle.dumps(own)), pickle.loads(pickle.dumps(copy.deepcopy(own)))):
        for text in ("a\n\nb", '"a." b'):
            found = [[t.is_sent_start for t in pipe(nlp.make_doc(text))] for pipe in (own, again)]
            assert found[0] == found[1]


def test_line_breaks_in_single_tokens() -> None:
    """As in Docs that are made of words."""
    words = ["\n", "\n", "a", "\n", "\n", "b", "\n", "c", " ", "\n"]
    doc = set_boundaries(Doc(VOCAB, words=words))
    assert [token.i for token in doc if token.is_sent_start] == [0, 5]


def test_graphs_have_a_root_for_each_paragraph(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    overfit(nlp, graphs, steps=5)
    nlp.add_pipe("sentence_boundaries", first=True)
    doc = nlp("John left\n\nMary sings loudly\n \n\n")
    assert [root.text for root in doc._.ucca.roots] == ["John left", "Mary sings loudly"]
    assert len(list(doc.sents)) == 2


@pytest.mark.parametrize("starts", [[], [True], [True, False, True], [False, False, True, True]])
def test_sentences_that_are_set(starts: list[bool]) -> None:
    one, other = (Doc(VOCAB, words=["w"] * len(starts)) for _ in range(2))
    set_sentence_starts(one, starts)
    for token, start in zip(other, starts):
        token.is_sent_start = start
    assert [t.is_sent_start for t in one] == [t.is_sent_start for t in other]
    assert one.has_annotation("SENT_START", require_complete=True) or len(starts) < 2
    assert [s.text for s in one.sents] == [s.text for s in other.sents]


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [
        ('He said: "Go." Then', [":", "Go", ".", '"']),
        ('He said: "Go."', [":", "Go", ".", '"']),
        ('He said. "Go', [".", "Go"]),
        ("(He left.) Then", ["He", ".", ")"]),
        ("(“He left.”) Then", ["“", ".", "”", ")"]),
        ("»Geh.« Dann", ["Geh", ".", "«"]),
        ("« Va. » Alors", ["."]),
        ('He left."Go', ["."]),
        ("He left.“...and then?” she", [".", "...", "?", "”"]),
        ("他走了。“《红》很。”", ["。", "”"]),
        ('Go."\n\n"Why', [".", '"', "\n\n", "Why"]),
        ("\n Go.\nNow", ["."]),
        ("Peut-être viendra.", ["-", "être", "."]),
        ("C'est-à-dire", ["-", "à", "-", "dire"]),
        ("He came - she left -now", []),
        ("He came. -She", ["."]),
        ("==== Go", ["=", "=", "="]),
        ("Mary Mary", []),
        ("¿Qué? ¡Va!", ["Qué", "?", "Va", "!"]),
        ('"', []),
        ("", []),
    ],
)
def test_where_no_sentence_starts(text: str, goes_on: list[str]) -> None:
    doc = set_boundaries(spacy.blank("xx")(text))
    assert [t.text for t in doc if t.is_sent_start is False] == goes_on


@pytest.mark.parametrize("kind", ["", "sentencizer", "senter", "parser"])
def test_only_a_parser_is_told_where_no_sentence_starts(kind: str) -> None:
    """It can start the sentence at another word; the others could not."""
    nlp = make_pipeline(kind)
    doc = nlp.get_pipe("sentence_boundaries")(nlp.make_doc('He said: "Go." Then'))
    assert any(token.is_sent_start is False for token in doc) == (kind == "parser")


def test_a_parser_keeps_to_it() -> None:
    nlp, rng = make_pipeline("parser"), random.Random(0)
    n_changed = 0
    for text in ('"' + make_text(rng).strip() + '" ' + make_text(rng) for _ in range(60)):
        starts = [token for token in nlp(text) if token.is_sent_start and token.i]
        told = set_boundaries(nlp.make_doc(text))
        assert all(told[token.i].is_sent_start is not False for token in starts)
        with nlp.select_pipes(disable="sentence_boundaries"):
            free = [token for token in nlp(text) if token.is_sent_start and token.i]
        n_changed += any(told[token.i].is_sent_start is False for token in free)
    assert n_changed > 10
