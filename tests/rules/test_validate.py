"""Every rule finds what it is there for, and nothing in graphs that follow the guidelines."""

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from official import passage
from strategies import graphs

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.rules.validate import (
    ERROR,
    OWN_RULES,
    RULES,
    validate_graph,
)

CORPORA = Path(
    os.environ.get("SPACY_UCCA_CORPORA") or Path(__file__).parents[2] / "shared" / "corpora"
)


def broken(text: str) -> list[str]:
    (graph,) = read_brackets(text)
    return sorted({problem.rule for problem in validate_graph(graph)})


GOOD = "[H [A John] [P gave] [A [Q two] [C books]]] [U .]"
BAD = {
    "one-root": "[ [H [P Stop]] ] [ [H [P Go]] ]",
    "token-attached": f"{GOOD} ~loose",
    "no-token-under-root": f"{GOOD} loose",
    "root-children": "[H [P Stop]] [D slowly]",
    "known-category": "[H [P Stop] [X here]]",
    "terminal-edge": "[H [A {A}John] [P left]]",
    "one-edge-between": "[H [A#1 John] [P left] [A* =1]]",
    "no-empty-unit": "[H [A#1 John] [P left] [D [A* =1]]]",
    "punctuation": "[H [P Stop]] [U:FN .]",
    "linkage": "[H#1 [P Stop]] [L and] [H#2 [P go]] [:LKG [LA =1] [LA =2]]",
    "ground-under-root": "[H [P Stop]] [G please]",
    "connector-between-centers": "[H [P came] [A [C a] [N and] [C b] [E old]]]",
    "flat-unit": "[H [P [A John] [P came]] [A now]]",
    "scene-in-main-relation": "[H [P [E [P came] [A John]] [C now]]]",
    "one-main-relation": "[H [A John] [P came] [P went]]",
    "scene-has-main-relation": "[H [A John] [D quickly]]",
    "scene-and-inner": "[H [P came] [C John]]",
    "between-scenes": "[H [P came] [D fast] [L and] [H [P went]]]",
    "inner-has-center": "[H [P came] [A [E old]]]",
    "linker-beside-scene": "[L And]",
    "function-childless": "[H [P came] [F [C it]]]",
    "function-not-remote": "[H [P came] [F#1 it]] [H [P went] [F* =1]]",
    "nested-scenes": "[H [H [P came]] [L and] [H [P went]]]",
    "word-has-space": r"[H [P came\sby]]",
}


@pytest.mark.parametrize("rule", BAD)
def test_rule_finds_what_it_is_for(rule: str) -> None:
    assert rule in broken(BAD[rule])


def test_rules_that_brackets_cannot_break() -> None:
    builder = GraphBuilder(["Stop"])
    root, scene, unit, inner = (builder.add_unit(k) for k in ("FN", "FN", "FN", "IMPLICIT"))
    implicit = builder.add_unit("IMPLICIT")
    builder.add_edge(root, scene, "H")
    builder.add_edge(scene, unit, "P")
    builder.add_terminal(unit, 0)
    builder.add_edge(scene, inner, "A")
    builder.add_edge(inner, implicit, "C")
    other = builder.add_unit()
    builder.add_edge(scene, other, "A", remote=True)
    builder.add_edge(other, builder.add_unit("IMPLICIT"), "H")
    found = {problem.rule for problem in validate_graph(builder.build())}
    assert found == {"implicit-childless", "primary-parent", "one-root"}


def test_punctuation_has_units_of_its_own() -> None:
    (graph,) = read_brackets("[H [P Stop] [A F -] [F !]]")
    for punct, n in (((0, 0, 1, 0), 0), ((0, 0, 0, 1), 1), ((0, 1, 1, 1), 1)):
        flagged = Graph(graph.words, graph.kinds, graph.edge_tuples, punct=[bool(p) for p in punct])
        assert [p.rule for p in validate_graph(flagged)].count("punctuation-token") == n


def test_every_rule_is_tested() -> None:
    others = {"implicit-childless", "primary-parent", "punctuation-token"}
    assert set(BAD) | others == set(RULES)
    assert all(text for _, text in RULES.values())


def test_good_graphs(sample: list[Graph]) -> None:
    assert broken(GOOD) == []
    assert list(validate_graph(Graph([], [], []))) == []
    for graph in sample:
        problems = [p for p in validate_graph(graph) if p.level == ERROR]
        assert problems == [], graph.details.get("id")


def test_a_problem_says_where() -> None:
    (graph,) = read_brackets("[H [A John] [P came] [P went]]")
    (problem,) = validate_graph(graph)
    assert problem.unit is not None and graph[problem.unit].label == "H"
    assert (problem.text, problem.message) == ("John came went", "2 main relations (P, P)")


@settings(max_examples=300)
@given(graphs(max_units=9, loose=False))
def test_the_toolkit_finds_something_in_the_same_graphs(graph: Graph) -> None:
    validation = pytest.importorskip("ucca.validation")
    if graph.words:
        ours = {p.rule for p in validate_graph(graph)} - OWN_RULES
        theirs = list(validation.validate(passage(graph), linkage=False))
        assert bool(ours) == bool(theirs), (ours, theirs)


@pytest.mark.slow
@pytest.mark.parametrize(
    "corpus, errors",
    [
        ("UCCA_English-EWT", {}),
        ("UCCA_French-20K", {}),
        ("UCCA_German-20K", {"root-children": 4}),
        ("UCCA_English-Wiki-1.2", {"punctuation": 6}),
    ],
)
def test_published_corpora(corpus: str, errors: dict[str, int]) -> None:
    folder = CORPORA / corpus / "xml"
    if not folder.is_dir():
        pytest.skip(f"no {folder}: set SPACY_UCCA_CORPORA")
    found: Counter[str] = Counter()
    for path in folder.glob("*.xml"):
        found.update(p.rule for p in validate_graph(read_xml(path)) if p.level == ERROR)
    assert found == errors
