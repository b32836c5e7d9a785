"""Statistics of arcs: each figure against a plain definition."""

import itertools
from collections import Counter
from pathlib import Path

import hypothesis.strategies as st
import numpy
import pytest
import spacy
from hypothesis import given

from spacy_ucca.conversion.graph import ROOT, TOP, Arc, BilexicalGraph, Token
from spacy_ucca.sdp_parser import statistics
from spacy_ucca.sdp_parser.batch import find_pairs, read_batch
from spacy_ucca.sdp_parser.extension import graph_to_sdp_doc
from spacy_ucca.sdp_parser.features import edge_ids, to_rows
from spacy_ucca.sdp_parser.statistics import ArcStatistics, graph_shape
from spacy_ucca.training.sdp_corpus import BilexicalReport, iter_bilexical_docs

SAMPLE = Path(__file__).parents[1] / "data" / "sample.conllu"
VOCAB = spacy.blank("en").vocab


@st.composite
def graphs(draw, max_size: int = 5) -> list[Arc]:
    """RETURNS (List[Arc]): Arcs between few tokens: circles, several roots and tops, and singletons are common."""
    token = st.integers(0, max_size - 1)
    pairs = draw(st.lists(st.tuples(token, token).filter(lambda p: p[0] != p[1]), unique=True))
    arcs = [Arc(*pair, draw(st.sampled_from("ab"))) for pair in pairs]
    return arcs + [Arc(ROOT, top, TOP) for top in draw(st.sets(token))]


@given(graphs())
def test_shape(arcs):
    edges = [(arc.head, arc.dependent) for arc in arcs if arc.head != ROOT]
    nodes = {end for edge in edges for end in edge}
    steps = numpy.zeros((5, 5), dtype="int64")
    for head, dependent in edges:
        steps[head, dependent] = 1
    paths = [numpy.linalg.matrix_power(steps, n) for n in range(6)]
    acyclic = not paths[5].any()
    roots = [node for node in nodes if not steps[:, node].any()]
    several = any(
        a != b and a.head == b.head != ROOT and a.label == b.label
        for a, b in itertools.combinations(arcs, 2)
    )
    # In a tree exactly one path leads from the root to each node.
    is_tree = not edges or (
        acyclic
        and len(roots) == 1
        and all(sum(paths)[roots[0], node] == 1 for node in nodes)
        and len(edges) == len(nodes) - 1
    )
    assert graph_shape(arcs) == {
        "several_roots": len(roots) > 1,
        "several_tops": sum(arc.head == ROOT for arc in arcs) > 1,
        "trees": is_tree,
        "acyclic": acyclic,
        "both_directions": bool((steps & steps.T).any()),
        "same_label": several,
    }


@given(st.lists(graphs(max_size=14), min_size=1, max_size=3))
def test_counts(sentences):
    found = ArcStatistics()
    candidates = near = n_edges = singletons = 0
    for arcs in sentences:
        graph = BilexicalGraph(tuple(Token(f"w{i}") for i in range(14)), tuple(arcs))
        found.add(graph_to_sdp_doc(graph, VOCAB))
        used = {end for arc in arcs for end in arc[:2]} - {ROOT}
        edges = [arc for arc in arcs if arc.head != ROOT]
        candidates += sum(0 < abs(i - j) <= 10 for i in used for j in used)
        near += sum(abs(arc.head - arc.dependent) <= 10 for arc in edges)
        n_edges += len(edges)
        singletons += 14 - len(used)
    figures = found.to_dict()
    assert figures == found.to_dict()  # asking changes nothing
    assert figures["sentences"] == len(sentences)
    assert figures["tokens"] == 14 * len(sentences)
    assert (figures["candidates"], figures["edges"]) == (candidates, n_edges)
    assert figures["near"] == (near / n_edges if n_edges else None)
    assert figures["singletons"] == singletons / (14 * len(sentences))
    shapes = Counter(
        name for arcs in sentences for name, holds in graph_shape(arcs).items() if holds
    )
    for name in graph_shape(()):
        assert figures[name] == shapes[name] / len(sentences)


@pytest.mark.parametrize("pending, at_a_time", [(1, 1), (20_000_000, 64)])
def test_features(monkeypatch, tmp_path, pending, at_a_time):
    """However they are divided, features are those of all candidates together."""
    monkeypatch.setattr(statistics, "PENDING", pending)
    monkeypatch.setattr(statistics, "DOCS", at_a_time)
    (tmp_path / "a.conllx").write_text(SAMPLE.read_text("utf8"), "utf8")
    docs = list(iter_bilexical_docs(tmp_path / "a.conllx", BilexicalReport(), vocab=VOCAB))
    found = ArcStatistics(hash_bits=12)
    for doc in docs:
        found.add(doc)
    tokens = read_batch(docs).tokens
    pairs = find_pairs(tokens, numpy.ones(len(tokens), dtype="bool"), 10)
    ids = numpy.array(sorted({*edge_ids(tokens, pairs).ravel().tolist()}), dtype="uint64")
    rows = Counter(to_rows(ids, 12).tolist())
    shared = sum(n for n in rows.values() if n > 1)
    figures = found.to_dict()
    assert (figures["features"], figures["rows"]) == (len(ids), 4096)
    assert 0 < figures["collisions"] == shared / len(ids) < 1
