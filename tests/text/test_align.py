"""Alignment by character, and graphs moved along it: laws over random cuts of the sample's texts."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training.alignment import Alignment as SpacyAlignment
from spacy.vocab import Vocab

from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.text.align import align_words, project


def only(text: str) -> Graph:
    (graph,) = read_brackets(text)
    return graph


def moved(text: str, words: list[str]) -> str:
    graph, _ = project(only(text), words)
    assert graph is not None and graph.words == tuple(words)
    return write_brackets(graph).strip()


def cuts(data, text: str) -> list[str]:
    """Any words with these characters."""
    places = data.draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=len(text)))
    ends = [0, *sorted(p for p in places if p < len(text)), len(text)]
    return [text[a:b] for a, b in pairwise(ends) if a < b]


TEXT = st.text("ab'é👩‍👧بيתЖ.", min_size=1, max_size=12)


# Words


@settings(max_examples=200)
@given(st.data(), TEXT)
def test_equal_characters_align_as_in_spacy(data, text):
    a, b = cuts(data, text), cuts(data, text)
    found = align_words(a, b)
    theirs = SpacyAlignment.from_strings(a, b)
    assert [list(x) for x in found.a2b] == [list(theirs.x2y[i]) for i in range(len(a))]
    assert [list(x) for x in found.b2a] == [list(theirs.y2x[i]) for i in range(len(b))]
    assert not found.differing


WORDS = st.lists(st.text("ab \n'cé", max_size=4), max_size=8)


@settings(max_examples=300)
@given(WORDS, WORDS)
def test_any_words(a, b):
    """Whatever the words: pairs are seen from both sides, in order, and none crosses another."""
    found = align_words(a, b)
    assert len(found.a2b) == len(a) and len(found.b2a) == len(b)
    pairs = [(i, j) for i, js in enumerate(found.a2b) for j in js]
    assert sorted((i, j) for j, i_s in enumerate(found.b2a) for i in i_s) == pairs
    assert all(j <= k for (i, j), (h, k) in pairwise(pairs) if i < h)
    assert all(a[i].strip() and b[j].strip() for i, j in pairs)
    assert align_words(a, a).a2b == tuple((i,) if w.strip() else () for i, w in enumerate(a))


def test_differing_characters():
    found = align_words(["“", "Wait", "”", "-LRB-", "ﬁ"], ["``", "WAIT", "''", "(", "fi"])
    assert found.a2b == ((0,), (1,), (2,), (3,), (4,)) and not found.differing
    found = align_words(["?", "Wait", "—"], ["!", "wait", "~"])
    assert found.a2b == ((0,), (1,), (2,)) and found.differing == ((0, 0), (2, 2))
    found = align_words(["a", "missing", "b"], ["a", "b", "more"])
    assert found.a2b == ((0,), (), (1,)) and found.b2a == ((0,), (2,), ())
    assert align_words([], ["a"]).b2a == ((),) and align_words(["a"], []).a2b == ((),)


def test_long_texts_without_anything_in_common_end():
    found = align_words(["ab" * 2000], ["cd"] * 2000)
    assert found.a2b == ((),)


# Graphs


def test_parts_of_a_word_go_to_its_unit():
    assert moved("[H [A I] [D can't] [P go.]]", ["I", "ca", "n't", "go", "."]) == (
        "[H [A I] [D ca n't] [P go .]]"
    )


def test_several_words():
    # one unit inside the Scene has exactly these words
    assert moved("[H [A [C T] [U -] [C shirt]] [P fits]]", ["T-shirt", "fits"]) == (
        "[H [A T-shirt] [P fits]]"
    )
    # words of one unit
    assert moved("[H [A New York] [P grows]]", ["NewYork", "grows"]) == "[H [A NewYork] [P grows]]"
    # a Scene is no place for a word: head priority decides
    assert moved("[H [F do] [D n't] [P go]]", ["don't", "go"]) == "[H [D don't] [P go]]"
    assert moved("[H [A it] [F 's] [S hot]] [U .]", ["it's", "hot."]) == "[H [A it's] [S hot.]]"
    # the word that no other token speaks for
    assert moved("[H [P ab] [D cd] [A e]]", ["a", "bcd", "e"]) == "[H [P a] [D bcd] [A e]]"


def test_whitespace_and_unaligned_tokens_are_attached_to_nothing():
    graph, report = project(only("[H [A I] [P ran]] [U .]"), [" ", "I", "\n", "X", "ran", "."])
    assert [graph.unit_of(i) is None for i in range(6)] == [True, False, True, True, False, False]
    assert graph.punct == (False, False, False, False, False, True)
    assert report.whitespace == (0, 2)
    assert [(p.kind, p.tokens) for p in report.problems] == [("token", (3,))]
    assert report.lossless and "'X'" in str(report)


def test_what_is_lost_is_told():
    graph, report = project(
        only(
            "[H#1 [A#2 [F The] [C man]] [P left] [A IMPLICIT]] [L#3 so] [H [A* =2] [P cried]]\n"
            "[:LKG [LR =3] [LA =1]]"
        ),
        ["The", "man", "left", "cried"],
    )
    assert [(p.kind, p.words) for p in report.problems] == [
        ("unit", ()),
        ("unit", (3,)),
        ("word", (3,)),
    ]
    assert not report.lossless and not graph.linkages and report.attached == 4
    graph, report = project(only("[H [A#1 a] [P b]] [L#2 so] [H [P c] [A* =1]]"), ["b", "so", "c"])
    assert write_brackets(graph) == "[H [P b]] [L so] [H [P c]]\n"


def test_nothing_in_common():
    graph, report = project(only("[H [P a]]"), ["xyz", "w"])
    assert graph is None and report.attached == 0
    assert {p.kind for p in report.problems} == {"word", "token"}
    assert project(only("[H [P a]]"), [])[0] is None
    empty, report = project(only("~"), [" "])
    assert empty is not None and len(empty) == 0 and report.lossless


def test_docs():
    doc = Doc(Vocab(), words=["He", "'s", " ", "gone", "👩‍👩‍👧", "!"])
    graph, report = project(only("[H [A He's] [P gone] [G 👩‍👩‍👧]] [U !]"), doc)
    assert report.lossless
    doc._.ucca = graph
    assert doc[0:2]._.ucca.label == "A"


@settings(max_examples=150)
@given(data=st.data())
def test_finer_tokens_and_back(data, sample):
    """A graph moved to parts of its words, with whitespace between, loses nothing on the way back."""
    graph = data.draw(st.sampled_from(sample))
    finer = []
    for word in graph.words:
        finer.extend(cuts(data, word))
        finer.extend(data.draw(st.lists(st.sampled_from([" ", "\n\n", "\u00a0"]), max_size=1)))
    there, report = project(graph, finer)
    assert report.lossless and not report.problems
    back, report = project(there, graph.words)
    assert report.lossless and back.same_structure(graph)
    assert back.punct == graph.punct and back.paragraphs == graph.paragraphs
    assert back.details == graph.details


@settings(max_examples=300)
@given(data=st.data())
def test_any_other_tokens(data, sample):
    """Whatever the tokens: all are attached, what is lost is told, and the rest is as it was."""
    graph = data.draw(st.sampled_from(sample))
    words = cuts(data, "".join(graph.words))
    there, report = project(graph, words)
    assert all(there.unit_of(i) is not None for i in range(len(words)))
    assert report.attached == len(words) and len(there.roots) == 1
    before = [unit for unit in graph]
    dropped = len(before) - len(there.units)
    told = sum(p.kind == "unit" for p in report.problems)
    assert (dropped == 0) == (told == 0) and told <= dropped
    assert report.lossless == (
        not any(p.kind in ("unit", "merged", "word") for p in report.problems)
    )
    # A word that is a token still hangs on a unit of the same label.
    alignment = align_words(graph.words, words)
    for i, found in enumerate(alignment.a2b):
        if len(found) == 1 and len(alignment.b2a[found[0]]) == 1:
            assert there.unit_of(found[0]).label == graph.unit_of(i).label


def test_identity(sample):
    for graph in sample:
        there, report = project(graph, graph.words)
        assert there.same_structure(graph) and not report.problems


def test_sample_on_raw_text(sample):
    """Both directions between the sample's tokens and those of spaCy's English tokenizer."""
    import spacy

    nlp = spacy.blank("en")
    for graph in sample:
        doc = nlp.make_doc(" ".join(graph.words))
        there, report = project(graph, doc)
        assert report.attached == len(doc), str(report)
        back, report = project(there, graph.words)
        assert back.words == graph.words and report.attached == len(graph.words)


@pytest.mark.parametrize("n", [1000])
def test_long_sentences(n):
    text = "[H " + " ".join(f"[A w{i}]" for i in range(n)) + " [P p]]"
    graph = only(text)
    words = ["".join(graph.words[i : i + 3]) for i in range(0, n, 3)] + ["p"]
    there, _ = project(graph, words)
    assert len(there.words) == len(words)
    changed = [w if i % 50 else "“" for i, w in enumerate(graph.words)]
    there, report = project(graph, changed)
    assert report.attached >= n - n // 50
