"""The schemes that `benchmarks/scheme.py` counts, on sentences with a graph after either guidelines."""

from collections import Counter
from pathlib import Path

import pytest
import scheme
from benchmark_runs import corpus, model, pipeline, run  # noqa: F401
from scheme_labels import CONSTRUCTIONS, NO_UNIT, instances
from spacy.tokens import Doc
from spacy.vocab import Vocab
from util import make_doc

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph

ROWS = """
1 The DT 2 det
2 two CD 3 nummod
3 dogs NNS 6 nsubj
4 must MD 6 aux
5 have VB 6 aux
6 wanted VBN 0 root
7 to TO 8 mark
8 run VB 6 xcomp
9 last JJ 10 amod
10 week NN 8 obl:unmarked
11 . . 6 punct
"""
V2 = """[H [A [F The] [Q two] [C dogs]] [D must] [F have] [D wanted] [F to] [P run] [T [E last] [C week]]] [U .]"""
V1 = """[H [A [E The] [E two] [C dogs]] [P [E must] [F have] [E wanted] [F to] [C run]] [D [E last] [C week]]] [U .]"""
NEITHER = """[H [A The two dogs] [P must have wanted to run] [A last] [G week]] [U .]"""
FOUND = {
    **dict.fromkeys(("article", "number", "auxiliary", "modal", "modal and auxiliaries"), 1),
    **dict.fromkeys(("infinitive to", "verb with infinitive", "time expression", "adjective"), 1),
}


def conllu(sent_id: str, rows: str = ROWS) -> str:
    lines = [f"# sent_id = {sent_id}"]
    for row in rows.strip().splitlines():
        number, word, tag, head, dep = row.split()
        lines.append("\t".join([number, word, word, "_", tag, "_", head, dep, "_", "_"]))
    return "\n".join(lines) + "\n\n"


def treebank(path: Path, *sent_ids: str) -> dict[str, Doc]:
    path.write_text("".join(map(conllu, sent_ids)), "utf8")
    return scheme.read_treebank(path, Vocab())


@pytest.fixture
def tree(tmp_path: Path) -> Doc:
    return treebank(tmp_path / "one.conllu", "email-1")["email-1"]


def graph(text: str) -> Graph:
    return read_brackets(text)[0]


def test_no_label_is_of_both_schemes() -> None:
    for name, construction in CONSTRUCTIONS.items():
        assert not construction.v1 & construction.v2, name


@pytest.mark.parametrize("text, own, other", [(V2, "v2", "v1"), (V1, "v1", "v2")])
def test_each_scheme_is_told_from_the_other(tree: Doc, text: str, own: str, other: str) -> None:
    counts = scheme.count([(tree, graph(text))])
    found = {name: c for name, c in counts["constructions"].items() if c["n"]}
    assert {name: c["n"] for name, c in found.items()} == FOUND
    for name, shares in found.items():
        if name != "adjective":  # "last" is an Elaborator in both
            assert (shares[own], shares[other]) == (1, 0), name
    assert (counts.get("T", 0), counts.get("Q", 0)) == ((1, 1) if own == "v2" else (0, 0))
    assert counts["scenes"] == 1


def test_words_without_a_unit_are_of_neither(tree: Doc) -> None:
    found = dict(instances(tree, graph(NEITHER)))
    assert found["verb with infinitive"] == "P"  # unanalyzable, as "have to" often is
    assert {
        label for name, label in found.items() if name not in ("adjective", "verb with infinitive")
    } == {NO_UNIT}
    counts = scheme.count([(tree, graph(NEITHER))])["constructions"]
    assert not any(
        counts[name]["v1"] or counts[name]["v2"] for name in FOUND if name != "adjective"
    )


def test_modals_and_auxiliaries_are_mixed_if_some_are_inside(tree: Doc) -> None:
    text = V2.replace(
        "[D must] [F have] [D wanted] [F to] [P run]",
        "[D must] [P [F have] [E wanted] [F to] [C run]]",
    )
    assert dict(instances(tree, graph(text)))["modal and auxiliaries"] == "mixed"


def test_punctuation_belongs_to_no_construction(tree: Doc) -> None:
    text = V2.replace("[C week]]] [U .]", "[C week] [U .]]]")
    assert dict(instances(tree, graph(text)))["time expression"] == "T"


def test_sentences_with_articles_of_both_schemes() -> None:
    doc = Doc(
        Vocab(), words=["the", "dog", "saw", "a", "cat"], tags=["DT", "NN", "VBD", "DT", "NN"],
        heads=[1, 2, 2, 4, 2], deps=["det", "nsubj", "ROOT", "det", "obj"],
    )  # fmt: skip
    pairs = [
        (doc, graph(f"[H [A [{a} the] [C dog]] [P saw] [A [{b} a] [C cat]]]"))
        for a, b in ("EF", "FF", "EE", "FE")
    ]
    counts = scheme.count([*pairs, (doc[:2].as_doc(), graph("[H [A [E the] [C dog]]]"))])
    assert (counts["mixed articles"], counts["several articles"], counts["sentences"]) == (2, 4, 5)
    article = counts["constructions"]["article"]
    assert article["n"] == sum(article["labels"].values()) == 9
    assert article["v1"] == 5 / 9 and article["v2"] == 4 / 9


def test_shares_never_exceed_one(sample: list[Graph]) -> None:
    vocab = Vocab()
    counts = scheme.count((make_doc(vocab, g), g) for g in sample)
    labels = Counter(e.label for g in sample for e in g.edges if not e.is_linkage)
    assert counts["edge labels"] == dict(labels)
    for shares in counts["constructions"].values():
        assert (shares["v1"] or 0) + (shares["v2"] or 0) <= 1


def test_genres_in_turn(tmp_path: Path) -> None:
    ids = ["reviews-1", "email-1", "email-2", "email-3", "weblog-1", "answers-1", "newsgroup-1"]
    trees = treebank(tmp_path / "all.conllu", *ids)
    chosen = scheme.select(trees, 5)
    assert sorted(chosen[:4]) == ["answers-1", "email-1", "newsgroup-1", "weblog-1"]
    assert chosen[4:] == ["email-2"]
    assert set(scheme.select(trees, 100)) == set(ids) - {"reviews-1"}
    short = {name: tree[:2].as_doc() for name, tree in trees.items()}
    assert scheme.select(short, 100) == []


def test_the_whole_script(model, corpus, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "all.conllu"
    treebank(path, "email-1", "weblog-1", "reviews-1")
    found = run(scheme, model, path, "--gold", corpus, folder=tmp_path)
    parsed, gold = found["counts"]["pipeline"], found["counts"][f"gold {corpus.stem}"]
    assert parsed["sentences"] == 2 and parsed["constructions"]["article"]["n"] == 2
    genres = found["genres"]
    assert {name for name, counts in genres.items() if "sentences" in counts} == {"email", "weblog"}
    assert sum(c["constructions"]["article"]["n"] for c in genres.values()) == 2
    assert gold["sentences"] and "does not have" in found["output"]
    run(scheme, model, path, "--limit", "0", folder=tmp_path, code=2)


def test_broken_treebanks_are_a_message(model, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "bad.conllu"
    path.write_text("", "utf8")
    assert "has no sentences" in run(scheme, model, path, folder=tmp_path, code=2)["output"]
    path.write_text(conllu("email-1", ROWS.replace("wanted VBN 0", "wanted VBN 99")), "utf8")
    assert "email-1" in run(scheme, model, path, folder=tmp_path, code=1)["output"]
    path.write_text("some text\n", "utf8")
    assert "line 1" in run(scheme, model, path, folder=tmp_path, code=1)["output"]
