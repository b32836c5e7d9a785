"""The index of Scenes: what is found is what a walk over all predications finds, in memory and on disk."""

import random
import sqlite3
import threading
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
            index.add(doc, 0)
        assert {hit.doc for hit in index.search(limit=None)} == {str(Path("a/b.txt")), "", "0"}
        assert index.remove(0) == n
        assert len(index) == 3 * n and index.remove(Path("a/b.txt")) == n


def test_a_closed_index_and_one_that_another_writes(gold, tmp_path, monkeypatch):
    (doc, *_) = (doc for doc in gold.values() if predications(doc))
    with SceneIndex(tmp_path / "a.db") as index:
        index.add(doc)
    for use in (partial(index.add, doc), index.search, partial(index.remove, "a"), index.__len__):
        with pytest.raises(UccaError, match=r"UC693.*a\.db.*closed.*Open it again"):
            use()
    index.close()
    with pytest.raises(KeyError), SceneIndex() as index:
        index.close()
        raise KeyError
    assert index_of.WAIT >= 60
    monkeypatch.setattr(index_of, "WAIT", 0)
    with SceneIndex(tmp_path / "a.db") as one, SceneIndex(tmp_path / "a.db") as other:
        n = len(one)
        one.add(doc)
        with pytest.raises(UccaError, match=r"UC693.*a\.db.*locked.*Another process uses it"):
            other.add(doc)
        assert len(other) == n
        one.close()
        assert other.add(doc) and len(other) == n + 2 * n
    assert len(SceneIndex(tmp_path / "a.db")) == 3 * n
    with SceneIndex(tmp_path / "a.db") as one, SceneIndex(tmp_path / "a.db") as other:
        one.add(doc)
        rows = other._db.execute("SELECT * FROM scenes")
        rows.fetchone()
        with pytest.raises(UccaError, match=r"UC693.*locked"):
            one.close()
        rows.close()
    assert len(SceneIndex(tmp_path / "a.db")) == 4 * n


def test_a_new_file_is_made_whole_and_once(tmp_path, monkeypatch):
    errors = []

    def open_it():
        try:
            SceneIndex(path).close()
        except Exception as err:
            errors.append(err)

    for n in range(20):
        path = tmp_path / f"{n}.db"
        threads = [threading.Thread(target=open_it) for _ in range(8)]
        for use in (threading.Thread.start, threading.Thread.join):
            [*map(use, threads)]
    assert errors == []
    with monkeypatch.context() as patch:
        patch.setattr(index_of, "_SCHEMA", index_of._SCHEMA.replace("CREATE VIRTUAL", "STOP"))
        with pytest.raises(UccaError, match=r"UC680.*STOP"):
            SceneIndex(tmp_path / "half.db")
    assert len(SceneIndex(tmp_path / "half.db")) == 0


def test_a_damaged_page_is_named(gold, tmp_path):
    path = tmp_path / "a.db"
    with SceneIndex(path) as index:
        for n, doc in enumerate(gold.values()):
            index.add(doc, n)
    whole, named = path.read_bytes(), 0
    for start in range(4096, len(whole), 4096):
        path.write_bytes(whole[:start] + b"\x7f" * 4096 + whole[start + 4096 :])
        index = SceneIndex(path)
        for use in (
            index.search,
            partial(index.search, "a"),
            index.__len__,
            partial(index.add, doc),
        ):
            try:
                use()
            except UccaError as err:
                named += "UC693" in str(err) and "make it again" in str(err)
        index._db.close()
    assert named > 10


@pytest.mark.parametrize("known", [0, 1])
def test_a_full_disk_leaves_no_part_of_a_doc(gold, tmp_path, known):
    docs = [doc for doc in gold.values() if predications(doc)]
    index = SceneIndex(tmp_path / "a.db")
    for _ in range(known):
        index.add(docs[0], "known")
    pages = index._db.execute("PRAGMA page_count").fetchone()[0]
    index._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(UccaError, match=r"UC693.*full. Make room") as caught:
        for n in range(1000):
            index.add(docs[n % len(docs)], n)
    index.close()
    kept = {hit.doc for hit in SceneIndex(tmp_path / "a.db").search(limit=None)}
    assert kept == (set() if "is lost" in str(caught.value) else {"known", *map(str, range(n))})


def test_wrong_types_are_named(gold):
    doc = next(iter(gold.values()))
    index = SceneIndex()
    for name in ("words", "subject", "object"):
        for value in (3, None, b"a", ["a"]):
            with pytest.raises(UccaError, match=rf"UC675.*`{name}` is .*Give a text\."):
                index.search(**{name: value})
    for name in ("lemma", "kind"):
        for value in (3, None, b"a", ["a", 3], [["a"]]):
            with pytest.raises(UccaError, match=rf"UC675.*`{name}`.*Give a text or several"):
                index.search(**{name: value})
    for value in ("no", 1, []):
        with pytest.raises(UccaError, match=r"UC675.*`negated`.*True or False"):
            index.search(negated=value)
    for limit in ("3", 2.5, True, float("nan"), -1):
        with pytest.raises(UccaError, match="UC682"):
            index.search(limit=limit)
    assert index.search("a\0b", limit=2**70) == []
    for value in (b"a", ["a"], 0.5):
        for use in (partial(index.add, doc, value), partial(index.remove, value)):
            with pytest.raises(UccaError, match=r"UC675.*`name`"):
                use()
    for path in ("", 3, b"a", "a\0b", "\ud800"):
        with pytest.raises(UccaError, match="UC680"):
            SceneIndex(path)
    with pytest.raises(UccaError, match=r"UC693.*half a character"):
        index.search(lemma="\ud800")


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
    with pytest.raises(UccaError, match=r"UC009.*version 1.*version 2"):
        SceneIndex(tmp_path / "old.db")
    with pytest.raises(UccaError, match="UC602"):
        SceneIndex().add(Doc(vocab, words=["a"]))
