"""Parsing by conversion: spaCy's parser on trees of UCCA graphs, and the graphs made of what it says."""

from pathlib import Path

import pytest
import spacy
from odd_texts import check_odd_texts
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab
from util import VOCAB

from spacy_ucca.by_conversion.components import UccaFromDependencies
from spacy_ucca.cli.evaluate import evaluate
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.parser.settings import DependencySettings
from spacy_ucca.tokens.dependencies import has_categories, set_dependencies
from spacy_ucca.tokens.scorer import dependencies_score, ucca_score
from spacy_ucca.training.corpus import (
    UccaCorpus,
    graph_to_doc,
    write_docbin,
)
from spacy_ucca.training.pipelines import without_ucca

GOLD = "[H [A [F The] [C cat]] [P slept] [D today]] [U .]"
MODEL = {
    "@architectures": "spacy.TransitionBasedParser.v2",
    "state_type": "parser",
    "extra_state_tokens": False,
    "hidden_width": 32,
    "maxout_pieces": 2,
    "use_upper": True,
    "tok2vec": {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "width": 32,
        "depth": 1,
        "embed_size": 500,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": True,
        "pretrained_vectors": None,
    },
}


def one(text: str) -> Graph:
    return read_brackets(text)[0]


@pytest.fixture(scope="module")
def data(sample, tmp_path_factory) -> Path:
    """The sample with its trees, as training data."""
    path = tmp_path_factory.mktemp("data") / "sample.spacy"
    docs = [graph_to_doc(graph, Vocab()) for graph in sample]
    for doc in docs:
        set_dependencies(doc, doc._.ucca)
    write_docbin(docs, path)
    return path


def train(nlp: Language, data: Path, steps: int = 25) -> None:
    fix_random_seed(0)
    examples = list(UccaCorpus(data, keep_annotations=False)(nlp))
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)


@pytest.fixture(scope="module")
def trained(data) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_tree_parser", config={"model": MODEL, "min_action_freq": 1})
    nlp.add_pipe("ucca_from_dependencies")
    train(nlp, data)
    return nlp


def test_it_learns_and_is_scored(trained, data, tmp_path):
    scores = evaluate(trained, data)
    assert scores["ucca_dep_las"] > 0.6 and scores["ucca_dep_uas"] >= scores["ucca_dep_las"]
    assert scores["ucca_weak_f"] >= scores["ucca_f"] > 0.5
    assert scores["ucca_unlabeled_f"] >= scores["ucca_weak_f"]
    examples = list(UccaCorpus(data, keep_annotations=False)(trained))
    inside = trained.evaluate(examples)
    assert inside["ucca_f"] == scores["ucca_f"]
    # spaCy's own scores leave nothing out here either: no label is "punct", and P is never a dependent's.
    assert inside["dep_las"] == pytest.approx(scores["ucca_dep_las"])
    trained.to_disk(tmp_path)
    again = evaluate(spacy.load(tmp_path), data)
    assert {k: v for k, v in again.items() if k != "speed"} == {
        k: v for k, v in scores.items() if k != "speed"
    }


def test_sentences_of_a_doc_are_kept(trained, data):
    references = [eg.reference for eg in UccaCorpus(data)(trained)][:6]
    words = [token.text for doc in references for token in doc]
    starts = [token.i == 0 for doc in references for token in doc]
    doc = trained(Doc(trained.vocab, words=words, sent_starts=starts))
    assert [token.is_sent_start for token in doc] == starts
    for root, span in zip(doc._.ucca.roots, doc.sents, strict=True):
        assert span.start <= min(root.tokens()) and max(root.tokens()) < span.end


@pytest.mark.parametrize(
    "text", ["", "Go", " ", "\n\n", "John  moved \n to Paris. 🎉 שלום", "word " * 300]
)
def test_any_text(trained, text):
    doc = trained(text)
    assert doc._.ucca.words == tuple(token.text for token in doc)
    for token in doc:
        assert (doc._.ucca.unit_of(token.i) is None) == token.is_space


def test_another_parser_before_and_after(trained):
    """The tree takes the place of an earlier parse, and can make room for a later one."""
    ud = spacy.blank("en")
    ud.add_pipe("parser", config={"model": MODEL, "min_action_freq": 1})
    heads = {"words": ["Ann", "left", "."], "heads": [1, 1, 1], "deps": ["nsubj", "ROOT", "punct"]}
    examples = [Example(Doc(ud.vocab, words=heads["words"]), Doc(ud.vocab, **heads))]
    optimizer = ud.initialize(lambda: examples)
    for _ in range(20):
        ud.update(examples, sgd=optimizer)

    def pipeline(clear: bool, last: bool) -> Language:
        nlp = spacy.blank("en", vocab=trained.vocab)
        nlp.add_pipe("parser", name="first", config={"model": MODEL})
        nlp.get_pipe("first").from_bytes(ud.get_pipe("parser").to_bytes())
        nlp.add_pipe("ucca_tree_parser", name="tree", config={"model": MODEL})
        nlp.get_pipe("tree").from_bytes(trained.get_pipe("ucca_tree_parser").to_bytes())
        nlp.add_pipe("ucca_from_dependencies", config={"clear": clear})
        if last:
            nlp.add_pipe("parser", name="last", config={"model": MODEL})
            nlp.get_pipe("last").from_bytes(ud.get_pipe("parser").to_bytes())
        return nlp

    def parse(nlp: Language) -> Doc:
        words = ["John", "moved", "to", "Paris", "."]
        return nlp(Doc(nlp.vocab, words=words, sent_starts=[True, *[False] * 4]))

    def tree(doc: Doc) -> list[tuple[int, str]]:
        return [(token.head.i, token.dep_) for token in doc]

    expected, syntax = parse(trained), parse(ud)
    assert not has_categories(syntax)
    before = parse(pipeline(clear=False, last=False))
    assert tree(before) == tree(expected) and before._.ucca.same_structure(expected._.ucca)
    after = parse(pipeline(clear=True, last=True))
    assert tree(after) == tree(syntax) and after._.ucca.same_structure(expected._.ucca)


def test_a_parse_of_another_scheme_is_refused():
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_from_dependencies")
    doc = Doc(nlp.vocab, words=["Ann", "left"], heads=[1, 1], deps=["nsubj", "ROOT"])
    with pytest.raises(UccaError, match="UC833"):
        nlp(doc)
    with pytest.raises(UccaError, match="UC832"):
        nlp("No parser")
    assert nlp("")._.ucca.words == ()


def test_settings():
    def parse(text: str, **settings) -> str:
        nlp = spacy.blank("en")
        nlp.add_pipe("ucca_from_dependencies", config=settings)
        doc = Doc(nlp.vocab, words=one(text).words)
        set_dependencies(doc, one(text))
        nlp(doc)
        assert doc.has_annotation("DEP") != settings.get("clear", False)
        return write_brackets(doc._.ucca).strip()

    text = "[H [A He] [P [E well] [C slept]] [A here]]"
    assert parse(text) == parse(text, clear=True) == text
    assert parse(text, levels=False, repair=False) == "[H [A He] [E well] [P slept] [A here]]"
    assert parse(text, levels=False) == "[H [A He] [D well] [P slept] [A here]]"
    assert parse(text, one_unit=True, repair=False) == "[H [A He] [E well] slept [A here]]"
    assert "LR" in parse("[H [A He] [P slept]] [L and] [H [P dreamt]]", linkage=True)


def test_gold_graphs_are_not_overwritten_when_corpora_are_tagged():
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_from_dependencies", name="mine")
    with without_ucca(nlp):
        assert nlp.pipe_names == []


# Scores


def example(predicted: str, gold: str = GOLD, **settings) -> Example:
    vocab = VOCAB
    docs = [Doc(vocab, words=one(gold).words) for _ in range(2)]
    set_dependencies(docs[0], one(predicted))
    docs[1]._.ucca = one(gold)
    UccaFromDependencies(settings=DependencySettings(**settings))(docs[0])
    return Example(*docs)


def test_scores_are_those_of_graphs_and_of_trees():
    same = dependencies_score([example(GOLD)])
    assert same["ucca_f"] == same["ucca_dep_las"] == same["ucca_dep_uas"] == 1
    eg = example("[H [A [F The] [C cat]] [P slept] [T today]] [U .]")
    scores = dependencies_score([eg])
    assert (scores["ucca_dep_las"], scores["ucca_dep_uas"]) == (pytest.approx(4 / 5), 1)
    assert {**scores, **ucca_score([eg])} == scores
    eg = example("[H [A [F The] [C cat]] [P slept]] [H [P today]] [U .]")
    assert dependencies_score([eg, example(GOLD)])["ucca_dep_las"] == pytest.approx(9 / 10)
    # The same words under another head
    scores = dependencies_score([example("[H [F The] [A cat] [P slept] [D today]] [U .]")])
    assert scores["ucca_dep_las"] == scores["ucca_dep_uas"] == pytest.approx(4 / 5)


def test_scores_of_trees_need_trees():
    for predicted in ([], [example(GOLD, clear=True)], [example(GOLD), example(GOLD, clear=True)]):
        scores = dependencies_score(predicted)
        assert scores["ucca_dep_las"] is None and scores["ucca_dep_uas"] is None
    eg = example(GOLD)
    eg.reference._.ucca = None
    assert dependencies_score([eg])["ucca_dep_las"] is None


def test_graphs_of_odd_texts_are_valid(trained):
    check_odd_texts(trained)
