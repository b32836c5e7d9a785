"""Figures of corpora: each as its definition has it, and nodes as the official toolkit counts them."""

import itertools
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from spacy.vocab import Vocab
from strategies import graphs

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import write_xml_string
from spacy_ucca.graph import IMPLICIT, LINKAGE, PUNCT
from spacy_ucca.text.statistics import KIND_NAMES, RELATIONS, count_corpus
from spacy_ucca.training.convert import ConversionReport, iter_docs


def one(text):
    return read_brackets(text)[0]


def interleaved(pair):
    """Whether tokens of two units alternate: one of the first, one of the second, and the same again."""
    first, second = pair
    order = ["first" if t in first else "second" for t in sorted(first | second)]
    return not first & second and len(list(itertools.groupby(order))) > 3


@given(graphs(max_roots=2))
def test_counts_are_those_of_the_definition(graph):
    found = count_corpus([graph])
    kinds = Counter(graph.kinds)
    assert found.nodes["implicit"] == kinds[IMPLICIT]
    assert found.nodes["linkage"] == kinds[LINKAGE]
    assert found.nodes["punctuation"] == kinds[PUNCT]
    assert found.nodes["non-terminals"] == len(graph.kinds)
    assert found.nodes["all"] == len(graph.kinds) + len(graph.words)
    parents = Counter(e.child for e in graph.edge_tuples if graph.kinds[e.parent] != LINKAGE)
    assert found.shared["all"] == sum(n > 1 for n in parents.values())
    parents.update(e.child for e in graph.edge_tuples if graph.kinds[e.parent] == LINKAGE)
    assert found.linked["all"] == sum(n > 1 for n in parents.values())
    gaps = [u for u in graph.units if len(t := u.tokens()) > 1 and t[-1] - t[0] >= len(t)]
    assert found.discontinuous["all"] == sum(u.kind != LINKAGE for u in gaps)
    yields = [set(u.tokens()) for u in gaps if u.kind != LINKAGE]
    assert found.sizes["discontinuous"] == bool(yields)
    assert found.sizes["linkage"] == (LINKAGE in graph.kinds)
    assert found.sizes["crossing"] == sum(map(interleaved, itertools.combinations(yields, 2)))
    unattached = [i for i in range(len(graph.words)) if graph.unit_of(i) is None]
    assert found.sizes["unattached"] == len(unattached)
    remote = [e for e in graph.edge_tuples if e.remote]
    assert found.edges["remote"] == len(remote) == sum(found.relations.values())
    assert sum(n * units for n, units in found.remotes.items()) == len(remote)
    inner = [e for e in graph.edge_tuples if e.child >= 0]
    assert sum(found.edges[n] for n in ("primary", "remote", "linkage")) == len(inner)
    assert found.edges["primary"] + found.edges["remote"] == sum(found.categories.values())


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("[H [A#1 Ann] [P came]] [L and] [H [P left] [A* =1]]", "sibling"),
        ("[H [A#1 Ann] [P tried] [A [P leaving] [A* =1]]]", "descendant"),
        ("[H [P saw] [A [C#1 Ann]] [A* =1]]", "ancestor"),
        ("[H [A#1 Ann] [P saw] [A* =1]]", "same"),
        ("[H [A [C#1 Ann]]] [H [P left] [A* =1]]", "other"),
    ],
)
def test_relations(text, relation):
    found = count_corpus([one(text)])
    assert found.relations == {relation: 1}
    assert list(found.to_dict()["relations"]) == list(RELATIONS)


def test_moves_and_remotes_per_unit():
    graph = one("[H [A#1 Ann] [P#2 gave] [A it] [P#2- up]] [H [P left] [A* =1]] [H go [A* =1]]")
    found = count_corpus([graph, graph])
    assert found.moves == {"down1": 2}
    assert found.remotes == {2: 2}
    assert found.sizes["discontinuous"] == 2
    assert found.to_dict()["remotes"] == {"2": 2}


@pytest.mark.parametrize(
    ("text", "crossing"),
    [
        ("[A#1 a] [P#2 b] [A#1- c] [P#2- d]", 1),
        ("[A#1 a] [P#2 b] [A#1- c] [P#2- d] [A#1- e]", 1),
        ("[A#1 a] [P#2 b] [C c] [P#2- d] [A#1- e]", 0),  # one is in a gap of the other
        ("[A#1 a] [P b] [A#1- c] [P#2 d] [C e] [P#2- f]", 0),
        ("[A#1 [C#2 a]] [P b] [A#1- [C#2- c]]", 0),  # one is within the other
    ],
)
def test_units_cross_that_have_tokens_in_gaps_of_each_other(text, crossing):
    assert count_corpus([one(text)]).sizes["crossing"] == crossing


def test_they_add_up(sample):
    parts = [count_corpus([graph]) for graph in sample]
    total = parts[0]
    for part in parts[1:]:
        total += part
    whole = count_corpus(sample)
    for name, counts in vars(whole).items():
        assert +counts == +getattr(total, name), name
    assert count_corpus([]).to_dict()["nodes"]["all"] == 0


def test_the_toolkit_counts_the_same(sample, convert):
    from ucca import layer1

    for graph in sample:
        if len(graph.roots) != 1:
            continue
        passage = convert.from_standard(ElementTree.fromstring(write_xml_string(graph)))
        found, nodes = count_corpus([graph]), passage.layer(layer1.LAYER_ID).all
        tags = Counter(node.tag for node in nodes)
        implicit = sum(bool(node.attrib.get("implicit")) for node in nodes)
        assert found.nodes["implicit"] == implicit
        assert found.nodes["foundational"] == tags[layer1.NodeTags.Foundational] - implicit
        assert found.nodes["punctuation"] == tags[layer1.NodeTags.Punctuation]
        assert found.nodes["linkage"] == tags[layer1.NodeTags.Linkage]
        units = [node for node in nodes if node.tag == layer1.NodeTags.Foundational]
        assert found.discontinuous["foundational"] == sum(node.discontiguous for node in units)
        edges = [edge for node in units for edge in node.outgoing]
        assert found.edges["remote"] == sum(bool(e.attrib.get("remote")) for e in edges)
        assert found.linked["all"] == sum(len(node.incoming) > 1 for node in nodes)


FIGURES = (Path(__file__).parents[1] / "data" / "corpus-figures.md").read_text("utf8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "name", "ud"),
    [
        (2, "UCCA_English-Wiki-1.2", ""),
        (4, "UCCA_English-EWT", "UD_English-EWT/en_ewt-ud-dev.conllu"),
        (6, "UCCA_German-20K", ""),
    ],
)
def test_figures_of_corpora_are_those_measured_before(corpora, column, name, ud):
    options = {"ids": [corpora / name / "dev.txt"], "ud": [corpora / ud] if ud else []}
    docs = iter_docs(corpora / name, ConversionReport(), vocab=Vocab(), **options)
    found = count_corpus(doc._.ucca for doc in docs)
    rows = {}
    for line in FIGURES.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 9:
            rows[cells[1]] = cells[column + 1]
    wanted = {
        "sentences": found.sizes["sentences"],
        "sentences with discontinuous units": found.sizes["discontinuous"],
        "nodes": found.nodes["all"],
        "terminals": found.nodes["terminals"],
        "non-terminals": found.nodes["non-terminals"],
        **{f"{kind} units": found.nodes[kind] for kind in KIND_NAMES.values()},
        "primary edges": found.edges["primary"],
        "remote edges": found.edges["remote"],
        "edges with several categories": found.edges["several categories"],
        "edges of linkage units": found.edges["linkage"],
    }
    assert {name: rows[name] for name in wanted} == {k: f"{n:,}" for k, n in wanted.items()}
    for title, counts in (
        ("several parents", found.shared),
        ("discontinuous", found.discontinuous),
    ):
        for kind in ("all", "non-terminals", "foundational"):
            row = rows[f"{title}, % of {'all nodes' if kind == 'all' else kind}"]
            assert row == f"{100 * counts[kind] / found.nodes[kind]:.2f}"
