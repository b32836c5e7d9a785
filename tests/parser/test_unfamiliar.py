"""Warnings about Docs that are not like those a parser has learned from: once a pipeline, and not without cause."""

import warnings
from collections.abc import Sequence

import pytest
import spacy
from spacy.attrs import DEP, TAG
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from util import VOCAB, make_doc, make_nlp, parse, tiny_config

from spacy_ucca.graph import Graph
from spacy_ucca.parser.checks import UnfamiliarDocs, find_unknown

GERMAN = (
    "Am Freitag besuchte er mit seinem Bruder die alte Stadt an der Küste, wo seine Großmutter seit vielen Jahren in einem "
    "kleinen Haus wohnte."
)
ENGLISH = (
    "On Friday he and his brother visited the old town on the coast, where their grandmother had lived in a small house "
    "for many years."
)
NAMES = "Anna, Boris, Clara, David, Emma, Frank, Gustav, Heinz, Ida, Julius, Karl, Ludwig, Martha"


def caught_from(nlp: Language, docs: Sequence[Doc]) -> list[str]:
    """RETURNS (List[str]): The warnings of this kind that the parser gives, each Doc parsed alone and all together."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for doc in docs:
            nlp.get_pipe("ucca_parser").predict([doc])
        nlp.get_pipe("ucca_parser").predict(docs)
    return [str(w.message) for w in caught if "[UW301]" not in str(w.message)]


def make_docs(vocab: Vocab, graphs: Sequence[Graph], attr: str, value: str) -> list[Doc]:
    """RETURNS (List[Doc]): Docs like those of the training, but for one attribute, which has the same value everywhere."""
    docs = [make_doc(vocab, graph, gold=False) for graph in graphs]
    for doc in docs:
        for token in doc:
            setattr(token, attr, value)
    return docs


@pytest.mark.parametrize(
    "attr, value, remedy", [("tag_", "VVFIN", "`tagger`"), ("dep_", "dobj", "`parser`")]
)
def test_warns_once_of_unknown_values(
    graphs: list[Graph], attr: str, value: str, remedy: str
) -> None:
    nlp = make_nlp(graphs)
    (message,) = caught_from(nlp, make_docs(nlp.vocab, graphs, attr, value))
    assert "[UW304]" in message and f"({value})" in message and remedy in message
    assert not caught_from(nlp, make_docs(nlp.vocab, graphs, attr, value))
    again = spacy.blank("en")
    again.add_pipe("ucca_parser", config=tiny_config())
    again.from_bytes(nlp.to_bytes())
    assert len(caught_from(again, make_docs(again.vocab, graphs, attr, value))) == 1


def test_known_values_give_no_warning(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse(nlp, [*graphs, Graph.join(graphs)])


def test_labels_keep_the_tags(graphs: list[Graph]) -> None:
    pipe = make_nlp(graphs).get_pipe("ucca_parser")
    assert pipe.label_data["tags"] == ["N", "X"]
    pipe.add_label("Y")
    assert pipe.label_data["tags"] == ["N", "X"]


def test_tags_of_the_tagger_are_known(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    both = spacy.blank("en")
    both.add_pipe("tagger").add_label("RARE")
    both.add_pipe("ucca_parser", config=tiny_config())
    examples = [spacy.training.Example(d, d) for d in (make_doc(nlp.vocab, g) for g in graphs)]
    both.get_pipe("ucca_parser").initialize(lambda: examples, nlp=both)
    assert both.get_pipe("ucca_parser").inventory.tags == ("N", "RARE", "X")


def test_parsers_that_stored_no_tags_say_nothing_of_them(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs)
    nlp.get_pipe("ucca_parser").cfg.pop("tags")
    nlp.from_bytes(nlp.to_bytes())
    assert nlp.get_pipe("ucca_parser").inventory.tags == ()
    assert not caught_from(nlp, make_docs(nlp.vocab, graphs, "tag_", "VVFIN"))


@pytest.mark.parametrize("n", [3, 10, 40])
def test_a_few_unknown_values_are_chance(n: int) -> None:
    vocab = VOCAB
    known = frozenset({0, vocab.strings["NN"]})
    for n_unknown in range(n + 1):
        tags = ["NEW"] * n_unknown + ["NN"] * (n - n_unknown)
        doc = Doc(vocab, words=["word"] * n, tags=tags)
        assert find_unknown(doc, TAG, known) == (["NEW"] if n_unknown >= max(3, n / 10) else [])
        assert find_unknown(doc, DEP, known) == []  # it has none
        spaces = Doc(vocab, words=["\n"] * n, tags=tags)
        assert find_unknown(spaces, TAG, known) == []


def test_names_that_are_symbols_of_spacy_are_known(graphs: list[Graph]) -> None:
    # "nsubj" is number 429 in every vocabulary; "nsubj:pass" is a hash.
    nlp = make_nlp(graphs)
    known = nlp.get_pipe("ucca_parser").inventory.known_values[DEP]
    assert {nlp.vocab.strings[name] for name in ("det", "nsubj", "obj", "punct")} <= known


def says_foreign(docs: Sequence[Doc], lang: str) -> bool:
    """RETURNS (bool): Whether a parser of a language warns of the language of Docs, one after the other."""
    watch = UnfamiliarDocs("ucca_parser", lang)
    messages = [message for doc in docs for message in watch.messages([doc], {})]
    assert all("[UW305]" in message and repr(lang) in message for message in messages)
    assert len(messages) <= 1
    return bool(messages)


@pytest.mark.parametrize(
    "lang, text, foreign",
    [
        *[
            ("en", ENGLISH, False),
            ("en", GERMAN, True),
            ("de", GERMAN, False),
            ("de", ENGLISH, True),
        ],
        *[
            ("xx", GERMAN, False),
            ("en", "", False),
            ("en", "😀 ", False),
            ("en", "12 34 , . ", False),
        ],
    ],
)
def test_language_of_words(lang: str, text: str, foreign: bool) -> None:
    nlp = spacy.blank(lang)
    assert says_foreign([nlp(text * 10)], lang) == foreign
    assert says_foreign([nlp(text)] * 10, lang) == foreign
    assert says_foreign([nlp.make_doc(word) for word in text.split() * 10], lang) == foreign
    assert not says_foreign([nlp(text)], lang)  # too little to tell


def test_a_list_of_names_in_a_text_is_no_other_language() -> None:
    nlp = spacy.blank("en")
    docs = [nlp(text) for text in (ENGLISH, NAMES, ENGLISH, ENGLISH)] * 10
    assert not says_foreign(docs, "en")


@pytest.mark.parametrize("n_stop", range(13, 17))
def test_words_are_counted_afresh_after_each_decision(n_stop: int) -> None:
    vocab = spacy.blank("en").vocab
    late = [Doc(vocab, words=[word]) for word in ["the"] * n_stop + ["anna"] * (100 - n_stop)]
    before = [Doc(vocab, words=["the"] * 100)] * 3
    assert says_foreign(late, "en") == says_foreign([*before, *late], "en") == (n_stop < 15)
    assert not says_foreign([*before, *late[:-1]], "en")


def test_a_text_that_comes_later_is_seen() -> None:
    nlp = spacy.blank("en")
    assert says_foreign([nlp(ENGLISH)] * 50 + [nlp(GERMAN)] * 10, "en")


@pytest.mark.parametrize(
    "lang, own, foreign", [("de", "en", True), ("xx", "en", False), ("de", "", False)]
)
def test_language_of_the_vocabulary(lang: str, own: str, foreign: bool) -> None:
    assert says_foreign([spacy.blank(lang)("Eins zwei")] * 3, own) == foreign


@pytest.mark.parametrize("n_docs", [1, 7, 8, 100, 1000])
def test_few_docs_of_a_batch_are_read(n_docs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    doc, read = spacy.blank("en")(ENGLISH), []
    monkeypatch.setattr("spacy_ucca.parser.checks.find_unknown", lambda *args: read.append(args))
    assert not [*UnfamiliarDocs("ucca_parser", "en").messages([doc] * n_docs, {TAG: frozenset()})]
    assert min(n_docs, 4) <= len(read) <= 8


def test_warns_once_of_another_language(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs, lang="en")
    docs = [nlp.make_doc(text * 10) for text in (ENGLISH, GERMAN, GERMAN)]
    (message,) = caught_from(nlp, docs)
    assert "[UW305]" in message and "'en'" in message and "Am Freitag" in message
    assert not caught_from(nlp, docs)
