"""The index of Scenes: what is found is what a walk over all predications finds, in memory and on disk."""

import random
import sqlite3
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from spacy.tokens import Doc
from written_docs import ODD_TEXTS, doc_of

from spacy_ucca.applications import SceneIndex
from spacy_ucca.applications import index as index_of
from spacy_ucca.errors import UccaError
from spacy_ucca.extract import predications


def words_in(*spans) -> set[str]:
    return {word for s in spans if s for t in s for word in (t.lower_, t.lemma_.lower())}


def wanted(docs, *, words="", lemma=(), subject="", object="", kind=(), negated=None):
    """The same search, by a walk over everything."""
    for name, found in docs.items():
        for p in found:
            who = words_in(p.subject and p.subject.span)
            whom = words_in(p.object and p.object.span)
            rest = words_in(*(a.span for a in p.others), *p.times, *p.places, *p.adverbials)
            if (
                (not lemma or p.lemma.lower() in lemma)
                and (not kind or p.kind in kind)
                and (negated is None or p.is_negated == negated)
                and who.issuperset(subject.split())
                and whom.issuperset(object.split())
                and (who | whom | rest).issuperset(words.split())
            ):
                yield name, p.to_dict()


@pytest.mark.parametrize("on_disk", [False, True])
def test_what_is_found_is_what_there_is(gold, tmp_path, on_disk):
    path = tmp_path / "scenes.db" if on_disk else None
    index = SceneIndex(path)
    for name, doc in gold.items():
        assert index.add(doc, name) == len(predications(doc))
    if on_disk:
        index.close()
        index = SceneIndex(path)
    docs = {name: predications(doc) for name, doc in gold.items()}
    everything = list(wanted(docs))
    assert len(index) == len(everything) == len(index.search(limit=None))
    rng = random.Random(0)
    lemmas = sorted({record["lemma"].lower() for _, record in everything})
    subjects = [p.subject for found in docs.values() for p in found if p.subject]
    nouns = sorted({subject.head.lower_ for subject in subjects if subject.head})
    found = 0
    for words, subject, negated in product(
        ["", "the", "a"], ["", *nouns[:20]], [None, True, False]
    ):
        query = {"words": words, "subject": subject, "negated": negated}
        query["lemma"] = rng.sample(lemmas, 20) if rng.random() < 0.5 else ()
        query["kind"] = ["parallel", "elaborator"] if rng.random() < 0.5 else ()
        hits = [(hit.doc, hit.record) for hit in index.search(limit=None, **query)]
        assert hits == list(wanted(docs, **query)), query
        found += bool(hits)
    assert found > 10
    assert len(index.search(limit=3)) == 3
    index.close()


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_doc_of_the_same_name_takes_its_place(gold, tmp_path, on_disk):
    path = tmp_path / "scenes.db" if on_disk else None
    (name, doc), (_, other) = [*gold.items()][:2]
    index = SceneIndex(path)
    for known in (name, "another", "", ""):
        index.add(doc, known)
    if on_disk:
        index.close()
        index = SceneIndex(path)
    n, n_other = len(predications(doc)), len(predications(other))
    assert index.add(other, name) == n_other and len(index) == 3 * n + n_other
    (subject, *_) = [p.subject.head.text for p in predications(other) if p.subject]
    everything = index.search(limit=None)
    assert [hit.record for hit in everything if hit.doc == name] == [
        p.to_dict() for p in predications(other)
    ]
    hits = [(hit.doc, hit.record) for hit in index.search(subject, limit=None) if hit.doc]
    docs = {"another": predications(doc), name: predications(other)}
    assert hits == [*wanted(docs, words=subject.lower())] != []
    assert index.remove(name) == n_other and index.remove(name) == 0
    assert len(index) == 3 * n == len(index.search(limit=None))


def test_queries(vocab):
    tree = ["1 nsubj NNS dog", "1 ROOT VBP bite", "3 det DT the", "1 obj NN man", "1 punct ."]
    doc = doc_of("[H [A Dogs] [P bite] [A [F the] [C man]]] [U .]", vocab, tree)
    with SceneIndex() as index:
        index.add(doc, "d")
        (hit,) = index.search("dog man", lemma="bite", kind="parallel", negated=False)
        assert hit.doc == "d" and hit.sentence == "Dogs bite the man."
        assert hit.record["subject"] == "Dogs" and hit.record["object"] == "the man"
        for query in ("DOGS", "dog*", "man dogs"):
            assert index.search(query)
        for query in ("do", "zebra", "dog NOT man", 'dog" OR "x', "subject : dog AND x"):
            assert not index.search(query)
        assert index.search(subject="dog", object="man") and not index.search(subject="man")
        assert index.search(lemma=["x", "BITE"]) and not index.search(lemma="bit")
        for query, code in ((" ", "UC683"), ("*", "UC683"), ('"', "UC683")):
            with pytest.raises(UccaError, match=code):
                index.search(query)
        with pytest.raises(UccaError, match="UC682"):
            index.search(limit=0)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts(nlp, text):
    with SceneIndex() as index:
        assert index.add(nlp(text)) == len(index) == len(index.search(limit=None))
        for word in text.split():
            if any(c.isalnum() for c in word):
                index.search(word)


def test_what_an_exception_leaves(gold, tmp_path):
    first, second, *_ = (doc for doc in gold.values() if predications(doc))
    with SceneIndex(tmp_path / "a.db") as index:
        n = index.add(first)
    with pytest.raises(KeyError), SceneIndex(tmp_path / "a.db") as index:
        index.add(second)
        raise KeyError
    with SceneIndex(tmp_path / "a.db") as index:
        assert len(index) == n
        index.add(second)
    assert len(SceneIndex(tmp_path / "a.db")) > n


def test_names_are_texts(gold):
    (doc, *_) = (doc for doc in gold.values() if predications(doc))
    with SceneIndex() as index:
        for _ in range(2):
            n = index.add(doc, Path("a") / "b.txt")
            index.add(doc, None)
        assert {hit.doc for hit in index.search(limit=None)} == {str(Path("a/b.txt")), ""}
        assert len(index) == 3 * n and index.remove(Path("a/b.txt")) == n


def test_a_closed_index_and_one_that_another_writes(gold, tmp_path, monkeypatch):
    (doc, *_) = (doc for doc in gold.values() if predications(doc))
    with SceneIndex(tmp_path / "a.db") as index:
        index.add(doc)
    for use in (partial(index.add, doc), index.search, partial(index.remove, "a"), index.__len__):
        with pytest.raises(UccaError, match=r"UC693.*a\.db.*closed.*open it again"):
            use()
    index.close()
    with pytest.raises(KeyError), SceneIndex() as index:
        index.close()
        raise KeyError
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0))
    with SceneIndex(tmp_path / "a.db") as one, SceneIndex(tmp_path / "a.db") as other:
        one.add(doc)
        with pytest.raises(UccaError, match=r"UC693.*a\.db.*locked"):
            other.add(doc)


def test_files_that_are_no_index(tmp_path, monkeypatch, vocab):
    (tmp_path / "text.db").write_text(
        "no database, but long enough to look like a head of one" * 40
    )
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE scenes (id)")
    for path in (tmp_path / "text.db", tmp_path / "other.db", tmp_path / "none" / "a.db", tmp_path):
        with pytest.raises(UccaError, match=r"UC680.*Give a new file"):
            SceneIndex(path)
    SceneIndex(tmp_path / "old.db").close()
    monkeypatch.setattr(index_of, "VERSION", 2)
    with pytest.raises(UccaError, match=r"UC681.*version 1.*version 2"):
        SceneIndex(tmp_path / "old.db")
    with pytest.raises(UccaError, match="UC602"):
        SceneIndex().add(Doc(vocab, words=["a"]))
