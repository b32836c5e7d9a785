"""Upper bounds: what comes back, and what the pages of the docs say of it."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from spacy.vocab import Vocab
from strategies import graphs

from spacy_ucca.conversion.bounds import (
    CONVERSIONS,
    MEASURES,
    upper_bounds,
)
from spacy_ucca.conversion.constituency import to_constituency
from spacy_ucca.conversion.tree import first_steps
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.graph.categories import join_categories, split_label
from spacy_ucca.metric.score import score_graphs
from spacy_ucca.training.convert import convert_corpus, read_passages
from spacy_ucca.training.corpus import read_docbin

DOCS = Path(__file__).parents[2] / "docs"


def test_what_is_lost(sample):
    found = upper_bounds(sample)
    assert list(found) == list(CONVERSIONS)
    assert all(list(values) == list(MEASURES) for values in found.values())
    exact = found["constituency, all moves, with remotes"]
    assert exact["ucca_primary_f"] == exact["ucca_remote_f"] == exact["ucca_las"] == 1
    bare = found["constituency, all moves, no remotes"]
    assert bare["ucca_primary_f"] == 1 and not bare["ucca_remote_f"]
    ways = [found[f"bilexical, {way}, no remotes"] for way in ("draft", "published", "levels")]
    draft, published, levels = (way["ucca_unlabeled_primary_f"] for way in ways)
    assert 0.5 < draft < published < levels < 1
    assert not any(way["ucca_remote_f"] for way in ways)
    assert {way["ucca_las"] for way in ways} == {1}
    for bound in found.values():
        assert bound["ucca_f"] <= bound["ucca_weak_f"] <= bound["ucca_unlabeled_f"]
        assert bound["ucca_las"] <= bound["ucca_uas"]


@given(graphs())
def test_names_say_what_is_converted(graph):
    graph = graph.without(implicit=True)  # what has no words is lost
    # and so is the order of several categories, which normalization looks at
    edges = [
        e._replace(categories=split_label(join_categories(e.categories))) for e in graph.edge_tuples
    ]
    graph = Graph(graph.words, graph.kinds, edges, punct=graph.punct)
    pairs = [(CONVERSIONS["constituency, all moves, with remotes"](graph), graph)]
    scores = score_graphs(pairs)
    assert scores["ucca_exact_primary_f"] in (1, None) and scores["ucca_exact_f"] in (1, None)
    for name, convert in CONVERSIONS.items():
        back = convert(graph)
        assert back.words == graph.words
        assert name.endswith("with remotes") or not any(edge.remote for edge in back.edges)


def test_one_step_each():
    (graph,) = read_brackets(
        "[H [P#1 [C#2 gave]] [A#3 it] [P#1- [C#2- up]]] [H go [A* =3]] [H come [A* =3]]"
    )
    assert {s.label for s in first_steps(to_constituency(graph)).spans} >= {"A-remote-down1"}
    back = CONVERSIONS["constituency, one step, with remotes"](graph)
    assert write_brackets(back).strip() == (
        "[H [P [C#1 gave] [A#2 it] [C#1- up]]] [H go [A* =2]] [H come]"
    )


CORPORA = [
    ("Wiki", "UCCA_English-Wiki-1.2", ""),
    ("EWT", "UCCA_English-EWT", "UD_English-EWT/en_ewt-ud-dev.conllu"),
]
ROWS = {
    "trees, draft": "bilexical, draft, no remotes",
    "trees, TUPA's notes": "bilexical, published, no remotes",
    "trees, levels": "bilexical, levels, no remotes",
    "arcs, TUPA's notes": "bilexical, published, with remotes",
    "arcs, levels": "bilexical, levels, with remotes",
    "constituency trees": "constituency, all moves, no remotes",
}


@pytest.mark.slow
@pytest.mark.parametrize(("title", "name", "ud"), CORPORA)
def test_they_are_those_of_the_docs(corpora, tmp_path, title, name, ud):
    options = {"ids": [corpora / name / "dev.txt"], "ud": [corpora / ud] if ud else []}
    path = tmp_path / "dev.spacy"
    convert_corpus(corpora / name, path, **options)
    sentences = [doc._.ucca for doc in read_docbin(path, Vocab())]
    passages = [passage.graph for passage in read_passages(corpora / name, **options)]
    page = (DOCS / "conversion.md").read_text("utf8")
    (head,) = re.findall(r"^\| conversion \| (.*) \|$", page, re.MULTILINE)
    for graphs_of, over in ((passages, "passages"), (sentences, "sentences")):
        found = upper_bounds(graphs_of)
        column = head.split(" | ").index(f"{title} {over}")
        for row, conversion in ROWS.items():
            (cells,) = re.findall(rf"^\| {row} \| (.*) \|$", page, re.MULTILINE)
            bound = found[conversion]
            values = (bound[m] for m in ("ucca_f", "ucca_unlabeled_f", "ucca_weak_f"))
            assert cells.split(" | ")[column] == "/".join(f"{100 * v:.1f}" for v in values)
            assert round(bound["ucca_las"], 3) == round(bound["ucca_uas"], 3) == 1
