"""The augmenter of noise: annotation follows its words."""

import random

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Corpus, Example
from spacy.util import registry

from spacy_ucca.training.augment import PARAGRAPH_BREAK, SPACES, STOPS, create_noise

NONE = dict.fromkeys(("lower", "upper", "title", "no_stop", "space", "paragraph"), 0.0)
WORDS = "The cat saw Ann . She sat ! No one else came".split()
HEADS = [1, 2, 2, 2, 2, 6, 6, 6, 9, 11, 9, 11]
DEPS = "det nsubj ROOT obj punct nsubj ROOT punct det nsubj amod ROOT".split()


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


def example(nlp, words=WORDS, **fields) -> Example:
    tags = [f"T{i}" for i in range(len(words))]
    if not fields and words == WORDS:
        fields = {"heads": HEADS, "deps": DEPS}
    spaces = [following not in STOPS for following in [*words[1:], "."]] if words else []
    doc = Doc(nlp.vocab, words=words, spaces=spaces, tags=tags, **fields)
    return Example(nlp.make_doc(doc.text), doc)


def augmented(nlp, eg: Example, n: int = 1, **shares: float) -> list[Doc]:
    augment = create_noise(**{**NONE, **shares})
    found = []
    for _ in range(n):
        (result,) = augment(nlp, eg)
        assert [t.text for t in result.predicted] == [t.text for t in result.reference]
        assert result.predicted.text == result.reference.text
        assert not result.predicted.has_annotation("TAG")
        found.append(result.reference)
    return found


def arcs(doc: Doc) -> dict[str, tuple[str, str]]:
    """RETURNS (Dict[str, Tuple[str, str]]): By tag, which names a word of the original, the tag of its head and its label."""
    return {t.tag_: (t.head.tag_, t.dep_) for t in doc if not t.is_space}


def test_nothing_changes_without_shares(nlp):
    eg = example(nlp)
    assert next(create_noise(**NONE)(nlp, eg)) is eg


@pytest.mark.parametrize("kind", NONE)
def test_annotation_follows_words(nlp, kind):
    eg = example(nlp)
    before = arcs(eg.reference)
    text = eg.reference.text
    docs = augmented(nlp, eg, 20, **{kind: 1.0})
    for doc in docs:
        after = arcs(doc)
        assert after == {tag: before[tag] for tag in after}
        assert len(list(doc.sents)) == 3
        assert all(t.dep_ == "dep" and t.head.i < t.i for t in doc if t.is_space)
    assert eg.reference.text == text
    assert any(doc.text != text for doc in docs)


def test_kinds(nlp):
    eg = example(nlp)
    text = "The cat saw Ann. She sat! No one else came"
    assert eg.reference.text.strip() == text

    def one(**shares: float) -> str:
        return augmented(nlp, eg, **shares)[0].text.strip()

    assert one(lower=1.0) == text.lower() and one(upper=1.0) == text.upper()
    assert one(title=1.0) == "The cat saw Ann. She sat! No one Else Came"
    assert one(no_stop=1.0) == "The cat saw Ann She sat No one else came"
    paragraphs = text.replace(". ", f".{PARAGRAPH_BREAK}").replace("! ", f"!{PARAGRAPH_BREAK}")
    assert one(paragraph=1.0) == paragraphs
    assert (
        one(paragraph=1.0, no_stop=1.0, lower=1.0)
        == paragraphs.translate({ord("."): None, ord("!"): None}).lower()
    )
    spaced = {doc.text for doc in augmented(nlp, eg, 30, space=1.0)}
    assert all("".join(t.split()) == "".join(text.split()) for t in spaced)
    assert all(any(space in t for t in spaced) for space in SPACES)


def test_a_sentence_starts_after_a_blank_line(nlp):
    for fields in (
        {"heads": HEADS, "deps": DEPS},
        {"sent_starts": [i in (0, 5, 8) for i in range(12)]},
    ):
        (doc,) = augmented(nlp, example(nlp, **fields), paragraph=1.0, no_stop=1.0)
        breaks = [t.i for t in doc if t.text == PARAGRAPH_BREAK]
        assert len(breaks) == 2
        assert all(doc[i + 1].is_sent_start and not doc[i].is_sent_start for i in breaks)


@pytest.mark.parametrize("words", [[], ["."], ["!", "."], [" "], ["a"], ["Ann", "\n", "ran"]])
def test_small_docs(nlp, words):
    doc = Doc(nlp.vocab, words=words)
    everything = dict.fromkeys(NONE, 0.5)
    augment = create_noise(**everything)
    for _ in range(20):
        (result,) = augment(nlp, Example(Doc(nlp.vocab, words=words), doc))
        assert len(words) == 0 or len(result.reference) > 0


def test_seeds(nlp):
    eg = example(nlp)

    def texts(seed: int) -> list[str]:
        augment = create_noise(seed=seed)
        return [next(augment(nlp, eg)).reference.text for _ in range(50)]

    assert texts(1) == texts(1) != texts(2)
    assert 3 < len(set(texts(0)))


def test_training_from_a_config(nlp, tmp_path):
    from spacy.tokens import DocBin

    random.seed(0)
    DocBin(docs=[example(nlp).reference] * 5).to_disk(tmp_path / "x.spacy")
    augmenter = registry.resolve({"a": {"@augmenters": "spacy-ucca.Noise.v1", "paragraph": 0.5}})[
        "a"
    ]
    trained = spacy.blank("en")
    for name in ("tagger", "parser"):
        trained.add_pipe(name, config={"min_action_freq": 1} if name == "parser" else {})
    corpus = Corpus(tmp_path / "x.spacy", augmenter=augmenter)
    trained.initialize(lambda: corpus(trained))
    assert "" not in trained.get_pipe("tagger").labels
    losses: dict[str, float] = {}
    for _ in range(3):
        trained.update(list(corpus(trained)), losses=losses)
    assert losses["tagger"] > 0 and losses["parser"] > 0
