"""Every rule finds what it is there for, and nothing in graphs that follow the guidelines."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from official import passage
from strategies import ASCII_SPACES, graphs, with_spaces

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import EdgeTuple, Graph, GraphBuilder
from spacy_ucca.rules.validate import (
    ERROR,
    OWN_RULES,
    RULES,
    validate_graph,
)


def broken(text: str, one_root: bool = False) -> list[str]:
    (graph,) = read_brackets(text)
    return sorted({problem.rule for problem in validate_graph(graph, one_root=one_root)})


GOOD = "[H [A John] [P gave] [A [Q two] [C books]]] [U .]"
BAD = {
    "one-root": "[ [H [P Stop]] ] [ [H [P Go]] ]",
    "root-per-sentence": "[#1 [H [P Stop]] ] [ [H [P Go]] ] [#1- [H [P Run]] ]",
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
    assert rule in broken(BAD[rule], one_root=rule == "one-root")


def test_a_category_in_lower_case_is_named_with_the_right_one() -> None:
    (graph,) = read_brackets("[H [P Stop] [a there] [X here]]")
    messages = [p.message for p in validate_graph(graph) if p.rule == "known-category"]
    assert messages == ["unknown category 'a'. Did you mean 'A'?", "unknown category 'X'"]


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
    assert found == {"implicit-childless", "primary-parent", "root-per-sentence"}


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_linker_is_that_of_one_linkage_unit(n: int) -> None:
    (graph,) = read_brackets(
        "[H#1 [P Stop]] [L#3 and] [H#2 [P go]] [U .]" + " [:LKG [LR =3] [LA =1] [LA =2]]" * n
    )
    messages = [p.message for p in validate_graph(graph) if p.rule == "linkage"]
    assert messages == [f"the linker of {n} linkage units"] * (n > 1)


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


def rules_of(graph: Graph) -> Counter[str]:
    return Counter(problem.rule for problem in validate_graph(graph))


def test_each_sentence_of_a_doc_has_a_root() -> None:
    several = BAD["one-root"]
    assert broken(several) == [] and broken(several, one_root=True) == ["one-root"]
    assert broken(BAD["root-per-sentence"], one_root=True) == ["one-root"]
    for one_root, rule in ((False, "root-per-sentence"), (True, "one-root")):
        assert broken("~Stop", one_root) == sorted([rule, "token-attached"])


@settings(max_examples=40)
@given(data=st.data())
def test_white_space_that_hangs_on_nothing_is_no_problem(data: st.DataObject) -> None:
    """Anywhere in any graph; under a unit, it is."""
    graph = data.draw(graphs(max_units=9, max_roots=2))
    spaced = data.draw(with_spaces(graph))
    assert rules_of(spaced) == rules_of(graph)
    space = next(i for i, word in enumerate(spaced.words) if word in ASCII_SPACES)
    edge = EdgeTuple(graph.roots[0].index, ~space, ("Terminal",))
    attached = spaced.replace(edges=[*spaced.edge_tuples, edge])
    assert rules_of(attached)["word-has-space"] == rules_of(graph)["word-has-space"] + 1


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
def test_published_corpora(corpus: str, errors: dict[str, int], passages) -> None:
    """The errors of all passages; some have no others."""
    found: Counter[str] = Counter()
    for path in passages(corpus, 5):
        found.update(p.rule for p in validate_graph(read_xml(path)) if p.level == ERROR)
    assert found <= Counter(errors)
