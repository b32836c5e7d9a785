"""`UccaMatcher` beside a matcher that tries everything; laws of text patterns, parts of Docs, and pickles."""

import pickle

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_matcher import naive_matches
from strategies import graphs

from spacy_ucca.graph import Graph
from spacy_ucca.matcher import UccaMatcher, parse_pattern
from spacy_ucca.matcher.relations import RELATIONS
from spacy_ucca.training.corpus import graph_to_doc

VOCAB = spacy.blank("xx").vocab
CATEGORIES = st.one_of(
    st.sampled_from("HPAACS"),
    st.sampled_from(["P|A", "A|S"]),
    st.fixed_dictionaries({"IN": st.just(["P", "S", "A"])}),
    st.fixed_dictionaries({"NOT_IN": st.just(["A", "U"])}),
)
TOKEN = st.fixed_dictionaries({"LOWER": st.sampled_from(("a", "b", "."))})
FLAGS = ("IS_SCENE", "IS_IMPLICIT", "IS_DISCONTINUOUS", "IS_PUNCT", "IS_ROOT", "IS_CLAUSE")
ATTRS = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"CATEGORY": CATEGORIES}),
    st.fixed_dictionaries({"HEAD": TOKEN}),
    st.fixed_dictionaries({"TOKENS": st.lists(TOKEN, min_size=1, max_size=2)}),
    st.fixed_dictionaries({"LENGTH": st.integers(0, 2)}),
    st.fixed_dictionaries({"KIND": st.sampled_from(("root", "parallel", "participant"))}),
    st.builds(lambda name, value: {name: value}, st.sampled_from(FLAGS), st.booleans()),
)
EDGES = st.fixed_dictionaries({}, optional={"CATEGORY": CATEGORIES, "REMOTE": st.booleans()})


@st.composite
def patterns(draw, max_nodes=4):
    """A pattern of any kind."""
    nodes = [{"RIGHT_ID": "n0", "RIGHT_ATTRS": draw(ATTRS)}]
    absent = set()
    for i in range(1, draw(st.integers(1, max_nodes))):
        left = draw(st.sampled_from(nodes))["RIGHT_ID"]
        name = draw(st.sampled_from((f"n{i}", i)))
        op = draw(st.sampled_from((">", ">", "<", *RELATIONS)))
        node = {"LEFT_ID": left, "REL_OP": op, "RIGHT_ID": name, "RIGHT_ATTRS": draw(ATTRS)}
        if op in "<>":
            node["EDGE_ATTRS"] = draw(EDGES)
        if draw(st.integers(0, 4)) == 0:
            node["OP"] = "!"
        if left in absent or "OP" in node:
            absent.add(name)
        elif others := [n["RIGHT_ID"] for n in nodes if n["RIGHT_ID"] not in absent]:
            if draw(st.integers(0, 3)) == 0:
                node["AFTER"] = draw(st.sampled_from(others))
        nodes.append(node)
    if draw(st.integers(0, 2)) == 0 and len(nodes) > 1:  # one more relation
        present = [n["RIGHT_ID"] for n in nodes if n["RIGHT_ID"] not in absent]
        again = {
            "LEFT_ID": draw(st.sampled_from(nodes))["RIGHT_ID"],
            "REL_OP": draw(st.sampled_from((">", "<", *RELATIONS))),
            "RIGHT_ID": draw(st.sampled_from(present)),
        }
        if draw(st.integers(0, 2)) == 0:
            again["OP"] = "!"
        nodes.append(again)
    return nodes


GRAPHS = graphs(max_words=5, max_units=4, max_roots=2)


def matches(doc, pattern) -> list[dict]:
    matcher = UccaMatcher(doc.vocab)
    matcher.add("KEY", [pattern])
    return [units for _, units in matcher(doc)]


def as_set(found: list[dict]) -> set:
    keys = [tuple(sorted((name, unit.index) for name, unit in units.items())) for units in found]
    assert len(set(keys)) == len(keys), "a match is there twice"
    return set(keys)


@settings(max_examples=600, deadline=None)
@given(GRAPHS, patterns())
def test_matches_are_those_of_a_matcher_that_tries_everything(graph: Graph, pattern):
    doc = graph_to_doc(graph, VOCAB)
    assert as_set(matches(doc, pattern)) == as_set(naive_matches(doc, pattern))


@settings(max_examples=100, deadline=None)
@given(GRAPHS, patterns(max_nodes=3))
def test_pickles_find_the_same(graph: Graph, pattern):
    doc = graph_to_doc(graph, VOCAB)
    matcher = UccaMatcher(VOCAB)
    matcher.add("KEY", [pattern, "*"])
    again = pickle.loads(pickle.dumps(matcher))
    assert again.get("KEY") == matcher.get("KEY")
    assert again(doc) == matcher(doc)


@settings(max_examples=100, deadline=None)
@given(GRAPHS, patterns(max_nodes=3))
def test_a_part_of_a_doc_has_the_matches_within_it(graph: Graph, pattern):
    if any("OP" in node for node in pattern):
        return  # what is not there may be outside
    doc = graph_to_doc(graph, VOCAB)
    for node in pattern:
        node["RIGHT_ID"] = str(node["RIGHT_ID"])
        for key in ("LEFT_ID", "AFTER"):
            node.update({key: str(node[key])} if key in node else {})
    matcher = UccaMatcher(VOCAB)
    matcher.add("KEY", [pattern])
    every = matcher(doc)
    assert matcher(doc[:]) == [m for m in every if all(map(has_place, m[1].values()))]
    for end in range(len(doc) + 1):
        inside = [m for m in every if all(within(unit, end) for unit in m[1].values())]
        assert matcher(doc[0:end]) == inside


def has_place(unit) -> bool:
    return within(unit, len(unit.graph.words))


def within(unit, end: int) -> bool:
    """Whether a unit has tokens and all come before one; if it has none, whether that is so above it."""
    while not unit.tokens():
        unit = unit.parent
        if unit is None:
            return False
    return max(unit.tokens()) < end


TEXTS = ("H[A=x A=y]", "*[*=x *=y *=z]", "*[A[*=x] A[*=y]]")


@settings(max_examples=150, deadline=None)
@given(GRAPHS, st.sampled_from(TEXTS))
def test_alike_children_give_each_choice_once(graph: Graph, text: str):
    doc = graph_to_doc(graph, VOCAB)
    pattern = parse_pattern(text)
    free = [{key: v for key, v in node.items() if key != "AFTER"} for node in pattern]
    assert free != pattern
    chosen = {frozenset(m.values()) for m in matches(doc, free)}
    ordered = matches(doc, pattern)
    assert {frozenset(m.values()) for m in ordered} == chosen
    if "[*=x]" not in text:  # there x may be below both
        assert len(ordered) == len(chosen)


@pytest.mark.parametrize("n", [1, 200])
def test_long_patterns(n: int):
    text = "H" + "[A" * n + "]" * n
    assert len(parse_pattern(text)) == n + 1
