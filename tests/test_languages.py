"""`benchmarks/languages.py`: overlap by hand, its laws, and a run on two made-up treebanks."""

import json
import re
from collections import Counter
from pathlib import Path

import languages
import numpy
import pytest
import spacy
import tiny_bert
from benchmark_runs import run
from languages import Sentence, compare, controls
from spacy.tokens import Doc
from util import make_examples, tiny_config

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import graph_to_doc, write_docbin

DOCS = Path(__file__).parent.parent / "docs"
# Rows of the docs: part and name in the file of figures
ROWS_OF_DOCS = {
    "16 translations": ("means", "mean"),
    "translations of other sentences": ("means", "another sentence"),
    "gold trees of the translations": ("UD", "mean"),
    "English, by `en_ucca_sm`": ("English", "en, en_ucca_sm"),
    "French 20K, gold": ("gold", "en20k-fr20k, gold"),
    "French 20K, parsed": ("gold", "en20k-fr20k, parsed"),
}
VOCAB = spacy.blank("xx").vocab
ENGLISH = "[H [P Wait] [U ,]] [L and] [H [A she] [P sings] [A [E old] [C songs]]] [U .]"
# A Scene and a Linker fewer, other order; "old songs" is a place
OTHER = "[H [T [E vieilles] [C chansons]] [A elle] [P chante]] [U .]"
ALIGNED = {"she": "elle", "sings": "chante", "old": "vieilles", "songs": "chansons"}
ROWS = """
1 She PRON 2 nsubj
2 sings VERB 0 root
3 old ADJ 4 amod
4 songs NOUN 2 obj
5 . PUNCT 2 punct
"""


def make(text: str, names: dict[str, str] | None = None) -> Sentence:
    """RETURNS (Sentence): With a vector of its own for each word, which is that of its name."""
    (graph,) = read_brackets(text)
    doc = graph_to_doc(graph, VOCAB)
    named = [(names or {}).get(t.text, t.text) for t in doc if not t.is_punct]
    known = sorted({*ALIGNED, *ALIGNED.values(), "Wait", "and"})
    vectors = numpy.array([numpy.eye(len(known))[known.index(name)] for name in named])
    return languages.sentence(doc, vectors.reshape(len(named), len(known)), graph)


def test_overlap_by_hand():
    total: Counter[str] = Counter()
    found = compare([make(ENGLISH, ALIGNED)], [make(OTHER)], total)
    # "Wait" and "and" have no counterpart; of "she sings old songs", all aligned words, only "old songs" is left.
    assert found["aligned"] == pytest.approx(4 / 6, abs=1e-4)
    assert (found["unlabeled"], found["labeled"]) == (1, 0)
    assert (found["kept"], found["back"], found["Scenes"]) == (0.5, 1, 1)
    assert (found["P/S"], found["place"]) == (1, 1)
    assert total["process"] == 2 and total["process found"] == total["parallel same"] == 1
    assert total["A"] == total["A found"] == 1 and not total["A same"]


def test_a_sentence_is_like_itself_and_less_so_with_shuffled_words(sample: list[Graph]):
    rng = numpy.random.default_rng(0)
    side = []
    for graph in sample:
        doc = graph_to_doc(graph, VOCAB)
        vectors = rng.normal(size=(len(languages.word_numbers(doc)), 16))
        side.append(languages.sentence(doc, languages.unit_length(vectors), graph))
    found = compare(side, side)
    assert {found[key] for key in languages.SHARES} == {1}
    checks = dict(controls(side, side))
    assert checks["shuffled"]["aligned"] == 1
    for key in ("kept", "place", "unlabeled", "labeled"):
        assert checks["shuffled"][key] < found[key]
    assert checks["another sentence"]["labeled"] < checks["another sentence"]["unlabeled"] < 0.5
    assert checks["right-branching"]["labeled"] == 1  # of any graphs: agreement alone says nothing
    assert checks["flat"]["unlabeled"] == checks["flat"]["labeled"] == 0


def test_sentences_without_aligned_words_lose_all_scenes():
    one, empty = make(ENGLISH), make("[U .]")
    found = compare([one], [empty])
    assert found["aligned"] == found["kept"] == found["unlabeled"] == found["labeled"] == 0
    # Nor do they change the figures of others.
    both = compare([make(ENGLISH, ALIGNED), one], [make(OTHER), empty])
    assert both["unlabeled"] == 1 and both["kept"] == 0.25


def test_trees_are_compared_by_subtrees():
    words = ["She", "sings", "old", "songs", "."]
    deps = ["nsubj", "ROOT", "amod", "obl:tmod", "punct"]
    tree = Doc(VOCAB, words=words, heads=[1, 1, 3, 1, 1], deps=deps)
    side = languages.in_tree(make(OTHER), tree)
    assert side.units[frozenset({2, 3})] == {"obl"} and not side.scenes
    assert frozenset({0, 1, 2, 3}) in side.units


@pytest.fixture(scope="module")
def model(graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("languages")
    words = {word.lower() for graph in graphs for word in graph.words}
    source = str(tiny_bert.write_directory(folder / "bert", words=words | {"she", "old"}))
    nlp = spacy.blank("xx")
    settings = {"@architectures": "spacy-ucca.Encoder.v1", "source": source}
    nlp.add_pipe("ucca_encoder", config={"model": {**settings, "n_layers": 3, "n_frozen": 1}})
    nlp.add_pipe("ucca_parser", config=tiny_config())
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    nlp.to_disk(folder / "model")
    return folder / "model"


def write_treebanks(folder: Path, *langs: str) -> Path:
    folder.mkdir()
    rows = [line.split() for line in ROWS.strip().splitlines()]
    lines = [
        "\t".join([n, w, w, pos, "_", "_", head, dep, "_", "_"]) for n, w, pos, head, dep in rows
    ]
    text = "".join("\n".join([f"# sent_id = {i}", *lines, "", ""]) for i in (1, 2))
    for lang in langs:
        (folder / f"{lang}_pud-ud-test.conllu").write_text(text, "utf8")
    return folder


def test_it_runs(model, graphs, tmp_path):
    treebanks = write_treebanks(tmp_path / "pud", "en", "sv")
    gold = [tmp_path / f"{name}.spacy" for name in ("one", "two")]
    for path in gold:
        write_docbin((graph_to_doc(graph, VOCAB) for graph in graphs), path)
    options = [x for path in gold for x in ("--gold", path)]
    found = run(languages, model, treebanks, "--english", model, *options, folder=tmp_path)
    assert {*found["languages"]} == {"sv"} and found["languages"]["sv"]["n"] == 2
    # A translation of the same words is the same sentence.
    assert found["languages"]["sv"] == found["means"]["mean"] == found["English"]["en"]
    assert found["English"]["en, model"] == found["English"]["en"]
    assert found["UD"]["sv"]["labeled"] == found["gold"]["one-two, gold"]["labeled"] == 1
    assert {"shuffled", "flat"} < {*found["means"]} and "one-two, parsed" in found["gold"]
    assert "UD labeled" in found["output"]


def test_what_cannot_be_compared_is_refused(model, graphs, tmp_path):
    found = run(languages, model, write_treebanks(tmp_path / "a", "en"), folder=tmp_path, code=2)
    assert "lacks a treebank of 'en' or translations" in found["output"]
    nlp = spacy.blank("xx")
    nlp.add_pipe("ucca_parser", config=tiny_config())
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    nlp.to_disk(tmp_path / "plain")
    treebanks = write_treebanks(tmp_path / "b", "en", "sv")
    found = run(languages, tmp_path / "plain", treebanks, folder=tmp_path, code=2)
    assert "no `ucca_encoder`" in found["output"]


def test_the_docs_have_the_figures():
    figures = json.loads((DOCS / "languages.json").read_text("utf8"))
    text = (DOCS / "results.md").read_text("utf8")
    for name, (part, key) in ROWS_OF_DOCS.items():
        cells = re.search(rf"^\| {re.escape(name)} \|(.+)\|$", text, re.MULTILINE)[1].split("|")
        found = figures[part][key]
        assert cells[0].strip() in ("", f"{found['Scenes']:.2f}")
        for cell, column in zip(cells[1:], ("kept", "unlabeled", "labeled"), strict=True):
            assert cell.strip() in ("", f"{100 * found[column]:.0f}")
    assert f"English ({figures['English']['en']['Scenes']:.2f})" in text
    assert f"trees have {100 * figures['means']['right-branching']['labeled']:.0f}" in text
    (alt,) = re.findall(r"from (\d+) in Indonesian to (\d+) in Korean", text)
    labeled = [f"{100 * figures['languages'][lang]['labeled']:.0f}" for lang in ("id", "ko")]
    assert [*alt] == labeled and [*figures["languages"]][::15] == ["id", "ko"]
