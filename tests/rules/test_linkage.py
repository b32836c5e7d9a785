"""Linkage: the rule that makes it, and how it is scored."""

import pytest

from spacy_ucca.formats.files import find_files
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.rules.linkage import add_linkage, linkage_items, score_linkage
from spacy_ucca.text.split import split_sentences


def scenes_and_linkers(labels: str) -> Graph:
    """RETURNS (Graph): One root over pre-terminals with these labels, a word each."""
    builder = GraphBuilder([f"w{i}" for i in range(len(labels))])
    root = builder.add_unit()
    for i, label in enumerate(labels):
        unit = builder.add_unit()
        builder.add_edge(root, unit, label)
        builder.add_terminal(unit, i)
    return builder.build()


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("HLH", [(1, 0, 2)]),
        ("LHH", [(0, 1)]),
        ("HHL", [(2, 1)]),
        ("HLLH", [(1, 0, 3), (2, 0, 3)]),
        ("HLHLH", [(1, 0, 2), (3, 2, 4)]),
        ("ALA", []),
        ("H", []),
        ("L", []),
    ],
)
def test_linkers_link_the_scenes_beside_them(labels: str, expected: list[tuple]) -> None:
    graph = add_linkage(scenes_and_linkers(labels))
    found = [tuple(e.child.tokens()[0] for e in unit.edges) for unit in graph.linkages]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected))
    for unit in graph.linkages:
        assert [e.child.label for e in unit.edges if e.label == "LR"] == ["L"]
    assert add_linkage(graph) == graph, "what is linked is linked once"
    assert graph.without(linkage=True) == scenes_and_linkers(labels)


def test_scores_are_those_of_the_weaker_edge() -> None:
    bare = scenes_and_linkers("HLH")
    scores = {i: s for i, s in zip((0, 2, 4), (0.9, 0.8, 0.7))}
    graph = Graph(bare.words, bare.kinds, bare.edge_tuples, scores=scores)
    (unit,) = add_linkage(graph).linkages
    assert {(e.label, e.child.tokens()): e.score for e in unit.edges} == {
        ("LR", (1,)): 0.8,
        ("LA", (0,)): 0.8,
        ("LA", (2,)): 0.7,
    }


def test_scoring() -> None:
    gold = add_linkage(scenes_and_linkers("HLHLH"))
    assert len(linkage_items(gold)) == 6
    assert score_linkage([(gold, gold)]).f1 == 1.0
    none = scenes_and_linkers("HLHLH")
    tally = score_linkage([(none, gold)])
    assert (tally.matches, tally.guessed, tally.ref) == (0, 0, 6)
    # The same arguments under another linker are wrong.
    other = add_linkage(scenes_and_linkers("HLH"))
    moved = scenes_and_linkers("HLH")
    builder = GraphBuilder(moved.words, punct=moved.punct)
    builder.kinds = [*moved.kinds, "LKG"]
    builder.edges = list(moved.edge_tuples)
    builder.add_edge(len(moved.kinds), 3, "LR")
    builder.add_edge(len(moved.kinds), 1, "LA")
    tally = score_linkage([(builder.build(), other)])
    assert (tally.matches, tally.guessed, tally.ref) == (0, 2, 3)


@pytest.mark.slow
def test_the_rule_on_gold_trees(corpora) -> None:
    """The figures of the module's docstring."""
    names = (corpora / "UCCA_English-Wiki-1.2" / "dev.txt").read_text("utf8").split()
    pairs = []
    for path in find_files([corpora / "UCCA_English-Wiki-1.2" / "xml"], "xml"):
        if path.stem in names:
            for gold in split_sentences(read_xml(path)):
                pairs.append((add_linkage(gold.without(linkage=True)), gold))
    tally = score_linkage(pairs)
    assert tally.ref > 1000
    assert round(tally.precision, 3) == 0.958 and round(tally.recall, 3) == 0.908
