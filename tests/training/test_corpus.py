"""The corpus reader: what it gives for training, and what it refuses."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import registry
from spacy.vocab import Vocab

from spacy_ucca.conversion.bilexical import to_bilexical
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.tokens.storage import find_key
from spacy_ucca.training.corpus import (
    UccaCorpus,
    bare_copy,
    create_mixture,
    graph_to_doc,
    read_docbin,
    write_docbin,
)
from spacy_ucca.training.sdp_corpus import SdpCorpus


@pytest.fixture
def nlp():
    return spacy.blank("en")


@pytest.fixture
def docs(sample) -> list[Doc]:
    vocab = Vocab()
    return [graph_to_doc(graph, vocab) for graph in sample]


@pytest.fixture
def path(docs, tmp_path):
    found = tmp_path / "deep" / "er" / "train.spacy"
    assert write_docbin(docs, found) == len(docs)
    return found


def tagged(doc: Doc) -> Doc:
    """The Doc with tags, and with each sentence's words hanging on its first word."""
    start = 0
    for token in doc:
        start = token.i if token.is_sent_start else start
        token.tag_, token.pos_, token.lemma_ = f"T{token.i}", "NOUN", token.text
        token.set_morph("Number=Sing")
        token.dep_ = "ROOT" if token.i == start else "dep"
        token.head = doc[start]
    return doc


def syntax(doc: Doc) -> list[tuple]:
    return [
        (t.tag_, t.pos_, t.lemma_, str(t.morph), t.dep_, t.head.i, bool(t.is_sent_start))
        for t in doc
    ]


# Docs of graphs


def test_doc_of_a_graph(sample):
    vocab = Vocab()
    for graph in sample:
        doc = graph_to_doc(graph, vocab)
        assert doc._.ucca == graph and tuple(t.text for t in doc) == graph.words
        assert len(list(doc.sents)) == 1
    joined = Graph.join(sample)
    doc = graph_to_doc(joined, vocab)
    assert [sent.text.split()[0] for sent in doc.sents]
    assert [sent._.ucca for sent in doc.sents] == list(joined.roots)
    assert len(graph_to_doc(read_brackets("~")[0], vocab)) == 0


def test_sentences_begin_with_words_attached_to_nothing():
    (graph,) = read_brackets(r"~\s [ [H [P a]] ] ~\s [ [H [P b] ~\n [A c]] ]")
    doc = graph_to_doc(graph, Vocab())
    assert [t.i for t in doc if t.is_sent_start] == [0, 3]


def test_spaces_given_and_wrong():
    (graph,) = read_brackets("[H [P a] [A b]]")
    assert graph_to_doc(graph, Vocab(), spaces=[False, True]).text == "ab "
    with pytest.raises(UccaError, match="UC219"):
        graph_to_doc(graph, Vocab(), spaces=[True])
    (graph,) = read_brackets(r"[H [P a] [A \e]]")
    doc = graph_to_doc(graph, Vocab())  # an empty word: the Doc has a token all the same
    assert [token.text for token in doc] == ["a", "_"]
    assert doc._.ucca == graph.replace(words=("a", "_"))


# Reading


def test_registered(path, nlp):
    reader = registry.resolve({"c": {"@readers": "spacy-ucca.Corpus.v1", "path": str(path)}})["c"]
    assert len(list(reader(nlp))) > 0


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("with_syntax", [True, False])
def test_examples(sample, docs, tmp_path, nlp, keep, with_syntax):
    joined = graph_to_doc(Graph.join(sample), docs[0].vocab)
    gold = [tagged(doc) if with_syntax else doc for doc in [*docs, joined]]
    write_docbin(gold, tmp_path / "a.spacy")
    examples = list(UccaCorpus(tmp_path / "a.spacy", keep_annotations=keep)(nlp))
    assert [eg.reference._.ucca for eg in examples] == [*sample, Graph.join(sample)]
    for eg, doc in zip(examples, gold, strict=True):
        assert isinstance(eg, Example)
        assert eg.predicted.vocab is nlp.vocab and eg.predicted.text == doc.text
        assert [t.text for t in eg.predicted] == [t.text for t in eg.reference]
        starts = [bool(t.is_sent_start) for t in doc]
        assert [bool(t.is_sent_start) for t in eg.predicted] == starts
        assert eg.predicted._.ucca is None, "the gold graph must not be seen"
        assert {key[1] for key in eg.predicted.user_data} <= {
            "ucca_punct.stored",
            "ucca_guidelines.stored",
        }
        assert eg.predicted._.ucca_guidelines == eg.reference._.ucca.guidelines
        assert syntax(eg.reference) == syntax(doc)
        if keep:
            assert syntax(eg.predicted) == syntax(doc)
        for attr in ("TAG", "DEP", "LEMMA", "MORPH", "POS"):
            assert eg.predicted.has_annotation(attr) == (keep and with_syntax)


def test_preset_sentences_are_respected(path, nlp):
    nlp.add_pipe("parser").add_label("dep")
    nlp.initialize()
    for eg in list(UccaCorpus(path)(nlp))[:20]:
        assert len(list(nlp(eg.predicted).sents)) == 1


def test_limit_shuffle_and_directories(docs, path, nlp):
    assert len(list(UccaCorpus(path, limit=3)(nlp))) == 3
    write_docbin(docs[:2], path.parent.parent / "b.spacy")
    write_docbin(docs[:1], path.parent.parent / ".hidden" / "c.spacy")
    root = path.parent.parent.parent
    texts = [eg.text for eg in UccaCorpus(root)(nlp)]
    assert texts == [d.text for d in docs[:2]] + [d.text for d in docs]
    shuffled = [eg.text for eg in UccaCorpus(path, shuffle=True)(nlp)]
    assert shuffled != [d.text for d in docs] and sorted(shuffled) == sorted(d.text for d in docs)


@pytest.mark.parametrize("kind", ["ucca", "sdp"])
def test_reading_ends_at_the_limit(kind, tmp_path, nlp):
    """No Doc after the limit is read, in any file."""
    doc = Doc(nlp.vocab, words=["a", "b"])
    doc._.ucca = next(iter(read_brackets("[H [A a] [P b]]", source="-")))
    doc._.sdp = to_bilexical(doc._.ucca)
    DocBin(docs=[doc, doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    (tmp_path / "b.spacy").write_bytes(b"?")
    corpus = {"ucca": UccaCorpus, "sdp": SdpCorpus}[kind]
    for limit in (1, 2):
        assert len(list(corpus(tmp_path, limit=limit)(nlp))) == limit
    with pytest.raises(UccaError, match="UC213"):
        list(corpus(tmp_path, limit=3)(nlp))


def test_long_docs_are_divided(sample, tmp_path, nlp):
    joined = tagged(graph_to_doc(Graph.join(sample), Vocab()))
    write_docbin([joined], tmp_path / "a.spacy")
    examples = list(UccaCorpus(tmp_path, max_length=6)(nlp))
    short = [graph for graph in sample if len(graph.words) <= 6]
    assert len(short) > 10
    for eg, graph in zip(examples, short, strict=True):
        assert eg.reference._.ucca.same_structure(graph)
        assert eg.predicted.has_annotation("TAG") and len(list(eg.predicted.sents)) == 1


def test_odd_words(tmp_path, nlp):
    (graph,) = read_brackets(r"[H [A بيت ~\s שלום] ~\n\n [P 👩‍👩‍👧] [A e\u00a0f]]")
    write_docbin([graph_to_doc(graph, Vocab())], tmp_path / "a.spacy")
    (eg,) = UccaCorpus(tmp_path)(nlp)
    assert eg.reference._.ucca.same_structure(graph)


# Refusing


def test_lost_graphs_are_refused(docs, tmp_path, nlp):
    DocBin(docs=docs).to_disk(tmp_path / "lost.spacy")
    with pytest.raises(UccaError, match=r"(?s)UC214.*Doc 1 of .*lost.spacy.*write_docbin"):
        list(UccaCorpus(tmp_path)(nlp))
    docs[3]._.ucca = None
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "lost.spacy")
    with pytest.raises(UccaError, match=r"UC214.*Doc 4"):
        list(UccaCorpus(tmp_path)(nlp))
    with pytest.raises(UccaError, match=r"UC214.*Doc 4"):
        write_docbin(docs, tmp_path / "new.spacy")
    assert not (tmp_path / "new.spacy").exists()


def test_graphs_of_other_words_are_refused(docs, tmp_path, nlp):
    first, second = (find_key(doc, "ucca") for doc in docs[:2])
    docs[1].user_data[second] = docs[0].user_data[first]
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "mixed.spacy")
    with pytest.raises(UccaError, match=r"UC215.*Doc 2 of .*mixed.spacy.*The graph on this Doc"):
        list(UccaCorpus(tmp_path)(nlp))


def test_missing_empty_and_broken_files(tmp_path, nlp):
    with pytest.raises(UccaError, match=r"UC210.*--paths.train"):
        UccaCorpus(None)
    with pytest.raises(UccaError, match=r"UC211.*nowhere.*convert"):
        list(UccaCorpus(tmp_path / "nowhere")(nlp))
    with pytest.raises(UccaError, match=r"UC212"):
        list(UccaCorpus(tmp_path)(nlp))
    for content in (b"", b"not a DocBin", b"\x00" * 100):
        (tmp_path / "bad.spacy").write_bytes(content)
        with pytest.raises(UccaError, match=r"UC213.*bad.spacy"):
            list(UccaCorpus(tmp_path)(nlp))
    DocBin(docs=[Doc(Vocab())], store_user_data=True).to_disk(tmp_path / "bad.spacy")
    with pytest.raises(UccaError, match=r"UC216"):
        list(UccaCorpus(tmp_path)(nlp))
    with pytest.raises(UccaError, match=r"UC218"):
        write_docbin([], tmp_path / "none.spacy")


def test_reading_one_file(path, sample):
    assert [doc._.ucca for doc in read_docbin(path, Vocab())] == sample


# Mixtures


def test_a_mixture_reads_some_more_often(nlp, docs, path, tmp_path) -> None:
    write_docbin(docs[:2], tmp_path / "few.spacy")
    corpora = {"many": UccaCorpus(path), "few": UccaCorpus(tmp_path / "few.spacy")}
    read = create_mixture(corpora, {"few": 3})
    expected = [*docs, *docs[:2], *docs[:2], *docs[:2]]
    for _ in range(2):  # epochs
        assert [eg.text for eg in read(nlp)] == [doc.text for doc in expected]
    assert len(list(create_mixture(corpora, {"many": 0})(nlp))) == 2


def test_a_mixture_from_a_config(nlp, docs, path) -> None:
    corpus = {"@readers": "spacy-ucca.Corpus.v1", "path": str(path)}
    block = {"@readers": "spacy-ucca.Mixture.v1", "corpora": {"a": corpus}, "times": {"a": 2}}
    read = registry.resolve({"train": block})["train"]
    assert len(list(read(nlp))) == 2 * len(docs)


@pytest.mark.parametrize("corpora, times", [({}, {}), ({"gold": list}, {"gold": 2, "silver": 1})])
def test_a_mixture_of_nothing_or_with_a_wrong_name(corpora, times) -> None:
    with pytest.raises(ValueError, match=r"silver|mixture"):
        create_mixture(corpora, times)


def test_what_is_known_of_tokens_is_copied(sample):
    for graph in sample[:5]:
        doc = graph_to_doc(graph, Vocab())
        copied = bare_copy(doc, keep_annotations=True)
        assert copied._.ucca is None and copied._.ucca_punct == graph.punct
        again = bare_copy(copied, keep_annotations=True)
        assert again._.ucca_punct == graph.punct
        copied._.ucca_punct = None
        assert bare_copy(copied, keep_annotations=False)._.ucca_punct is None
