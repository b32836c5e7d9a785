"""Corpora to training data: passages of our own sample, and the shared corpora where they are."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.language import Language

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.xml import write_xml
from spacy_ucca.graph import Graph
from spacy_ucca.text.split import merge_roots
from spacy_ucca.training.convert import convert_corpus
from spacy_ucca.training.corpus import UccaCorpus

N = 3


def passages(sample: list[Graph]) -> dict[str, Graph]:
    """Passages of three sentences, those that end so that annotation alone shows it."""
    clear = [g for g in sample if g.words[-1] in (".", "!", "?") and not g.linkages]
    groups = [clear[i : i + N] for i in range(0, len(clear) - N + 1, N)]
    return {f"p{i:02d}": merge_roots(Graph.join(group)) for i, group in enumerate(groups)}


def conllu(name: str, sentences: list[str]) -> str:
    """Words as the sample has them; `'` begins no word of its own in the text."""
    blocks = []
    for n, sentence in enumerate(sentences, start=1):
        text = sentence.replace(" .", ".").replace(" '", "'")
        rows = [f"# sent_id = reviews-{name}-{n:04d}", f"# text = {text}"]
        for i, word in enumerate(sentence.split(), start=1):
            rows.append("\t".join([str(i), word, *"_" * 8]))
        blocks.append("\n".join(rows))
    return "\n\n".join(blocks) + "\n\n"


@pytest.fixture
def corpus(sample, tmp_path) -> Path:
    (tmp_path / "corpus" / "xml").mkdir(parents=True)
    for name, graph in passages(sample).items():
        write_xml(graph, tmp_path / "corpus" / "xml" / f"{name}.xml")
    return tmp_path / "corpus"


def read(path: Path):
    return [eg.reference for eg in UccaCorpus(path)(spacy.blank("en"))]


def test_by_annotation(corpus, sample, tmp_path):
    seen = []
    report = convert_corpus(
        corpus, tmp_path / "out.spacy", on_passage=lambda *counts: seen.append(counts)
    )
    docs = read(tmp_path / "out.spacy")
    whole = passages(sample)
    assert [t.text for d in docs for t in d] == [w for g in whole.values() for w in g.words]
    assert report.passages == len(whole) and report.skipped == []
    assert (report.sentences, report.tokens) == (len(docs), sum(map(len, docs)))
    assert seen == [(i, len(whole)) for i in range(1, len(whole) + 1)]
    by_words = {g.words: g for g in sample}
    n_same = 0
    for doc in docs:
        gold = by_words.get(tuple(t.text for t in doc))
        n_same += gold is not None and doc._.ucca.same_structure(gold)
    assert n_same > 0.9 * len(docs)
    assert len({doc._.ucca.details["id"] for doc in docs}) == len(docs)
    assert json.loads(json.dumps(report.to_dict()))["sentences"] == len(docs)


def test_passages_lists_and_limits(corpus, sample, tmp_path):
    (tmp_path / "list.txt").write_text("p01\n\np00\nnowhere\n", "utf8")
    report = convert_corpus(
        corpus, tmp_path / "out.spacy", ids=[tmp_path / "list.txt"], passages=True
    )
    docs = read(tmp_path / "out.spacy")
    assert [d._.ucca.details["id"] for d in docs] == ["p00", "p01"]
    assert docs[0]._.ucca.same_structure(passages(sample)["p00"])
    assert [s.what for s in report.skipped] == ["nowhere"] and "nowhere" in str(report)
    report = convert_corpus(corpus, tmp_path / "out.spacy", limit=4)
    assert report.sentences == 4 == len(read(tmp_path / "out.spacy"))


def test_several_corpora(corpus, sample, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    write_xml(sample[0], other / "p00.xml")
    (tmp_path / "list.txt").write_text("\ufeffp00\n", "utf8")
    report = convert_corpus(
        [corpus, other], tmp_path / "out.spacy", ids=[tmp_path / "list.txt"], passages=True
    )
    docs = read(tmp_path / "out.spacy")
    assert [len(d) for d in docs] == [len(passages(sample)["p00"].words), len(sample[0].words)]
    assert not report.skipped


def test_by_ud(corpus, sample, tmp_path):
    sentences = [" ".join(g.words) for g in sample if g.words[-1] == "." and not g.linkages][:N]
    group = [g for g in sample if " ".join(g.words) in sentences]
    write_xml(merge_roots(Graph.join(group)), corpus / "xml" / "ud1.xml")
    (tmp_path / "a.conllu").write_text(conllu("ud1", sentences), "utf8")
    (tmp_path / "ids.txt").write_text("ud1-0001\nud1-0003\nud1-0009\n", "utf8")
    report = convert_corpus(
        corpus, tmp_path / "out.spacy", ids=[tmp_path / "ids.txt"], ud=[tmp_path / "a.conllu"]
    )
    docs = read(tmp_path / "out.spacy")
    assert [d._.ucca.details["id"] for d in docs] == ["ud1-0001", "ud1-0003"]
    assert [d._.ucca.same_structure(g) for d, g in zip(docs, group[::2], strict=True)] == [True] * 2
    assert docs[0].text == sentences[0].replace(" .", ".") and report.with_spaces == 2
    assert [s.what for s in report.skipped] == ["ud1-0009"]


def test_bad_files_are_named_and_the_rest_is_done(corpus, tmp_path):
    (corpus / "xml" / "bad.xml").write_text("<root>", "utf8")
    report = convert_corpus(corpus, tmp_path / "out.spacy")
    assert len(report.skipped) == 1 and report.skipped[0].what.endswith("bad.xml")
    assert report.sentences == len(read(tmp_path / "out.spacy"))


def test_nothing_to_convert(corpus, tmp_path):
    with pytest.raises(UccaError, match=r"UC117.*nowhere"):
        convert_corpus(tmp_path / "nowhere", tmp_path / "out.spacy")
    with pytest.raises(UccaError, match=r"UC117.*ids\.txt"):
        convert_corpus(corpus, tmp_path / "out.spacy", ids=[tmp_path / "ids.txt"])
    (tmp_path / "ids.txt").write_text("none\n", "utf8")
    with pytest.raises(UccaError, match=r"(?s)UC218.*none: no passage"):
        convert_corpus(corpus, tmp_path / "out.spacy", ids=[tmp_path / "ids.txt"])
    assert not (tmp_path / "out.spacy").exists()


@Language.component("test_convert_tagger")
def give_tags(doc):
    for token in doc:
        token.tag_ = token.text[0]
    return doc


@Language.component("test_convert_never")
def never(doc):
    raise AssertionError


def test_tags_of_a_pipeline(corpus, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("test_convert_tagger")
    convert_corpus(corpus, tmp_path / "out.spacy", nlp=nlp, limit=10)
    for doc in read(tmp_path / "out.spacy"):
        assert [t.tag_ for t in doc] == [t.text[0] for t in doc]
        assert len(list(doc.sents)) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corpus", "part", "ud", "sentences"),
    [
        ("UCCA_English-EWT", "dev", "UD_English-EWT/en_ewt-ud-dev.conllu", 554),
        ("UCCA_English-Wiki-1.2", "dev", None, 454),
        ("UCCA_German-20K", "dev", None, 631),
    ],
)
def test_shared_corpora(corpora, corpus, part, ud, sentences, tmp_path):
    report = convert_corpus(
        corpora / corpus,
        tmp_path / "out.spacy",
        ids=[corpora / corpus / f"{part}.txt"],
        ud=[corpora / ud] if ud else [],
    )
    assert report.sentences == sentences and report.skipped == []
    assert len(read(tmp_path / "out.spacy")) == sentences
