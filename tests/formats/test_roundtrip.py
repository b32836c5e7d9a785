"""Losses are counted if and only if something differs, each kind by its number; each format loses what it says."""

from importlib import import_module

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from strategies import changed, graphs, renumbered, with_spaces

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.formats.roundtrip import KINDS, contents, count_losses
from spacy_ucca.graph import EdgeTuple, Graph

BASE = "[L#3 After] [H#1 [P graduation] [A* =2]] [U ,] [H#4 [A#2 John] [P|D moved] [A [R to] [C Paris]] [T IMPLICIT]] [U .]\n[:LKG [LR =3] [LA =1] [LA =4]]"
SMALL = "[H [A#1 John] [P moved]] [H [A* =1] [P sat]] [U .]"


def only(text: str) -> Graph:
    (graph,) = read_brackets(text)
    return graph


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (BASE, BASE, {}),
        (BASE, BASE.replace(" [T IMPLICIT]", ""), {"implicit units": 1}),
        (BASE, BASE.partition("\n")[0], {"linkage units": 1}),
        (BASE, BASE.replace("P|D", "P"), {"categories": 1}),
        (BASE, BASE.replace("[A* =2]", ""), {"remote edges": 1}),
        (BASE, BASE.replace("[A* =2]", "[P* =2]"), {"categories": 1}),
        (BASE, BASE.replace("[U .]", "."), {"punctuation units": 1, "punctuation marks": 1}),
        (BASE, BASE.replace("[R to]", "to"), {"units": 1}),
        (BASE, BASE.replace("[A [R to] [C Paris]]", "to Paris"), {"units": 3}),
        (BASE, BASE.replace("[U ,]", "~^,"), {"punctuation units": 1, "places of words": 1}),
        (BASE, BASE.replace("John", "Jim"), {"words": 1}),
        (BASE, "# paragraphs = 1*3 2*5\n" + BASE, {"paragraphs": 5}),
        ("[H [P go]]", "[H [P go] [A IMPLICIT]]", {"added units": 1}),
        ("[H [P go] [U !]]", "[H [P go]] [U !]", {"attachments": 1}),
        ("[ [H a] ] [ [H b] ]", "[H a] [H b]", {"roots": 1}),
        (SMALL, SMALL.replace("[A* =1]", "").replace("[A#1", "[A"), {"remote edges": 1}),
        ("# id = x\n[H a]", "# id = y\n[H a]", {"ids": 1}),
        ("# id = x\n# k = v\n[H a]", "# id = x\n[H a]", {"details": 1}),
        ("{U}a", "a", {"categories": 1}),
    ],
)
def test_each_kind(before, after, expected):
    found = count_losses(only(before), only(after))
    assert found == expected
    assert set(found) <= set(KINDS)


def test_remote_marks():
    """A remote edge that a format cannot mark becomes primary, and the primary one remote or nothing."""
    graph = only(SMALL)
    edges = []
    for e in graph.edge_tuples:
        shared = e.child >= 0 and sum(x.child == e.child for x in graph.edge_tuples) > 1
        edges.append(EdgeTuple(e.parent, e.child, e.categories, shared and not e.remote))
    found = count_losses(graph, Graph(graph.words, graph.kinds, edges, punct=graph.punct))
    assert found["remote marks"] == 1 and found["attachments"] == 1


def test_scores():
    graph = only(SMALL)
    scored = Graph(
        graph.words, graph.kinds, graph.edge_tuples, punct=graph.punct, scores={0: 0.5, 1: 0.25}
    )
    assert count_losses(scored, graph) == {"scores": 2} and contents(scored)["scores"] == 2
    assert not count_losses(graph, scored)


@settings(max_examples=80)
@given(st.data())
def test_nothing_is_lost_by_numbers(data):
    graph = data.draw(graphs(max_roots=2))
    assert not count_losses(graph, data.draw(renumbered(graph)))


@settings(max_examples=80)
@given(st.data())
def test_every_change_is_seen(data):
    graph = data.draw(graphs(max_roots=2))
    other = data.draw(changed(graph))
    assume(not graph.same_structure(other))
    there, back = count_losses(graph, other), count_losses(other, graph)
    assert there and back and min(*there.values(), *back.values()) > 0


@settings(max_examples=60)
@given(graph=graphs())
def test_what_is_taken_away_is_counted(graph):
    """Linkage is nobody's parent: without it, that alone is lost. Remote edges likewise."""
    n = len(graph.linkages)
    plain = Graph(graph.words, graph.kinds, graph.edge_tuples, punct=graph.punct)
    found = count_losses(plain, plain.without(linkage=True))
    assert found == ({"linkage units": n} if n else {})
    n = sum(edge.remote for edge in graph.edges)
    smaller = plain.without(linkage=True)
    found = count_losses(smaller, smaller.without(remotes=True))
    assert found == ({"remote edges": n} if n else {})


def test_contents():
    found = contents(only("# id = x\n# k = v\n" + BASE))
    assert found == {
        **{"words": 8, "punctuation marks": 2, "roots": 1, "units": 9, "punctuation units": 2},
        **{"implicit units": 1, "linkage units": 1, "remote edges": 1, "remote marks": 1},
        **{"categories": 1, "ids": 1, "details": 1},
    }


# What formats say of themselves

# How docstrings put kinds that they do not call by their names
SAID = {
    "added units": "as a unit u",
    "places of words": "directly under the root come back attached to nothing",
}
BILEXICAL = ("sdp", "conll", "conllu")


@pytest.mark.parametrize("name", FORMATS)
def test_docstrings_say_what_is_kept_and_lost(name):
    module = "xml" if name == "xml" else FORMATS[name].module or name
    path = module if "." in module else f"spacy_ucca.formats.{module}"
    text = " ".join(import_module(path).__doc__.split())
    kept, _, lost = text.partition("Loses")
    assert "Keeps" in kept and lost
    if name in BILEXICAL:
        assert "what a bilexical graph has no place for" in lost
    said_otherwise = {} if name in BILEXICAL else SAID
    for kind in FORMATS[name].loses:
        said = said_otherwise.get(kind, kind.split()[0].removesuffix("s"))
        assert said in lost.lower(), kind


@pytest.mark.parametrize("name", [name for name, entry in FORMATS.items() if entry.reads])
@settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
@given(graph=graphs(max_units=9))
def test_formats_lose_what_they_say(name, graph):
    bare = [u for u in graph if not (u.tokens() or u.edges or u.is_implicit)]
    # Odd ones are for the tests of each format: the JSON has no place for words under the root or under nothing.
    tops = {None, *graph.roots}
    loose = name == "uccaapp" and any(graph.unit_of(t) in tops for t in range(len(graph.words)))
    # Units without words are told apart by their order, which formats may change.
    hollow = [u for u in graph if u.kind == "FN" and not u.tokens()]
    assume(graph.words and not bare and not loose and len(hollow) < 2)
    scores = dict.fromkeys(range(len(graph.edge_tuples)), 0.5)
    details = {**graph.details, "note": "x"}
    scored = Graph(
        *(graph.words, graph.kinds, graph.edge_tuples),
        **{"punct": graph.punct, "scores": scores, "details": details},
        paragraphs=[1 + i // 3 for i in range(len(graph.words))],
    )
    back = FORMATS[name].read(FORMATS[name].write(scored))
    found = count_losses(scored, back[0] if len(back) == 1 else Graph.join(back))
    assert set(found) <= set(FORMATS[name].loses)
    assert found["scores"] == len(scores) * ("scores" in FORMATS[name].loses)


@pytest.mark.parametrize("name", sorted({*FORMATS} - {"brackets", "jsonl", "dot"}))
@settings(max_examples=10)
@given(data=st.data())
def test_white_space_is_no_word(name, data):
    """Files have no tokens of white space that hang on nothing, but those of our own notation."""
    graph = data.draw(graphs(max_roots=2))
    plain, spaced = map(FORMATS[name].write, (graph, data.draw(with_spaces(graph))))
    if name != "mrp":  # which has the text, with its spaces
        assert spaced == plain
    if not FORMATS[name].reads:
        return
    first, second = map(FORMATS[name].read, (plain, spaced))
    assert [(g.words, g.canonical) for g in first] == [(g.words, g.canonical) for g in second]
