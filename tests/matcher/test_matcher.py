"""`UccaMatcher` as users call it: text patterns, the interface of `DependencyMatcher`, odd Docs."""

import pickle
from pathlib import Path

import pytest
import spacy
from spacy.matcher import DependencyMatcher
from spacy.tokens import Doc
from written_docs import doc_of

import spacy_ucca
from spacy_ucca.errors import UccaError
from spacy_ucca.extract import kinds
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.matcher import UccaMatcher, parse_pattern
from spacy_ucca.training.corpus import graph_to_doc

NLP = spacy.blank("en")
TEXT = (
    "[L After] [H [P graduation] [A* =j]] [U ,] [H [A#j John] [P moved] [A [R to] [C Paris]]] [U .]"
)
RELATIVE = "[H [A [F The] [C#m man] [E [R who] [A* =m] [D not] [P called]]] [P left] [A IMPLICIT]]"


def make(text: str) -> Doc:
    (graph,) = read_brackets(text)
    return graph_to_doc(graph, NLP.vocab)


def texts(text: str, pattern, **options) -> list[dict[str, str]]:
    """RETURNS (List[Dict[str, str]]): The matches of a pattern as texts."""
    matcher = UccaMatcher(NLP.vocab, **options)
    matcher.add("KEY", [pattern])
    return [{name: u.text for name, u in units.items()} for _, units in matcher(make(text))]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("H[P=p A=who]", ["graduation John", "moved John", "moved to Paris"]),
        ("H[P=p A=who A=what]", ["moved John to Paris"]),
        ("*[A*=who P=p]", ["John graduation"]),
        ("H[P=p:lower(moved) A=who:!has(to)]", None),
        ("H[P=p A=who[R]]", ["moved to Paris"]),
        ("H[P=p !A[R]]", ["graduation"]),
        ("H[P=p:text(moved|stayed) >>C=c]", ["moved Paris"]),
        ("H[P=p:lower(Moved)]", []),
        ("*:root[L=l]", ["After"]),
        ("P/L=x", ["After", "graduation", "moved"]),
        ("A[C=c:has(Paris)]", ["Paris"]),
        ("H[*=x:has(TO PARIS)]", ["to Paris"]),
        ("U:punct=x", None),
    ],
)
def test_text_patterns(pattern: str, expected):
    if expected is None:
        with pytest.raises(UccaError):
            parse_pattern(pattern)
        return
    found = texts(TEXT, pattern)
    named = [{name: t for name, t in units.items() if name != "unit"} for units in found]
    assert [" ".join(units.values()) for units in named] == expected


def test_tests_of_units():
    assert texts(RELATIVE, "E=e:scene[A*=who]") == [{"e": "who not called", "who": "man"}]
    assert texts(RELATIVE, "*=e:kind(elaborator)") == [{"e": "who not called"}]
    assert texts(RELATIVE, "*=e:!kind(elaborator)") == [{"e": "The man who not called left"}]
    assert texts(RELATIVE, "*:implicit") == [{"unit": ""}]
    apart = "[H [P#p took] [A it] [P#p- off]]"
    assert texts(apart, "P=p:discontinuous") == [{"p": "took ... off"}]
    assert texts(apart, "P:!discontinuous") == []


@pytest.mark.parametrize("name", kinds.KINDS)
def test_kinds_of_scenes_are_those_of_extract(name: str, monkeypatch):
    monkeypatch.setitem(kinds.KINDS, name, lambda doc, unit: unit.text.startswith("who"))
    test = name.removeprefix("IS_").lower()
    assert texts(RELATIVE, f"*=e:{test}") == [{"e": "who not called"}, {"e": "who"}]
    assert {"e": "who"} not in texts(RELATIVE, f"*=e:!{test}")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*[C=noun E=rel[A*=noun]]", [{"noun": "man", "rel": "who not called"}]),
        ("*[C=noun E=rel[A=noun]]", [{"noun": "man", "rel": "who not called"}]),
        ("*[C=noun E=rel[!A*=noun]]", []),
        ("C=noun[<E*=rel]", [{"noun": "man", "rel": "who not called"}]),
        ("C=noun[<A=up]", [{"noun": "man", "up": "The man who not called"}]),
        ("C=noun[<A*]", []),
        ("C=noun[!<E*]", []),
        ("F=a[$+ *=b]", [{"a": "The", "b": "man"}]),
        ("E=e[. P=p]", [{"e": "who not called", "p": "left"}]),
        ("E=e[;* F=f]", [{"e": "who not called", "f": "The"}]),
    ],
)
def test_relations_in_texts(pattern: str, expected):
    found = texts(RELATIVE, pattern)
    assert [{k: v for k, v in units.items() if k != "unit"} for units in found] == expected


def test_a_name_that_is_used_again_is_in_any_order():
    text = "[H [A#x a] [P b] [A c]] [H [A* =x] [P d]]"
    for pattern in ("*[H=h[A=x A=y] H[A*=x]]", "*[H=h[A=y A=x] H[A*=x]]"):
        (found,) = texts(text, pattern)
        assert (found["x"], found["y"]) == ("a", "c")


def test_edges_with_scores():
    doc = make("[H [A John] [P left]]")
    graph = doc._.ucca
    scores = {i: 0.5 + i / 100 for i in range(len(graph.edge_tuples))}
    doc._.ucca = graph.replace(scores=scores)
    matcher = UccaMatcher(NLP.vocab)
    for n, value in enumerate((0.9, {">": 0.1, "<": 0.9})):
        edge = {"LEFT_ID": "a", "REL_OP": ">", "RIGHT_ID": "b", "RIGHT_ATTRS": {}}
        root = {"RIGHT_ID": "a", "RIGHT_ATTRS": {"CATEGORY": "H"}}
        matcher.add(str(n), [[root, {**edge, "EDGE_ATTRS": {"SCORE": value}}]])
    assert {NLP.vocab.strings[key] for key, _ in matcher(doc)} == {"1"}
    doc._.ucca = graph
    assert matcher(doc) == []


# The interface of DependencyMatcher


def test_the_interface_is_that_of_dependency_matcher():
    names = {name for name in dir(DependencyMatcher) if not name.startswith("_")}
    assert names - set(dir(UccaMatcher(NLP.vocab))) == set()
    theirs, ours = DependencyMatcher(NLP.vocab), spacy_ucca.UccaMatcher(NLP.vocab)
    pattern = [{"RIGHT_ID": "x", "RIGHT_ATTRS": {}}]
    for matcher in (theirs, ours):
        assert len(matcher) == 0 and "KEY" not in matcher and matcher.get("KEY", 7) == 7
        matcher.add("KEY", [pattern], on_match=print)
        matcher.add("KEY", [pattern])
        assert len(matcher) == 1 and "KEY" in matcher and matcher.has_key("KEY")
        assert matcher.get("KEY") == (None, [pattern, pattern])
        assert matcher.get(NLP.vocab.strings["KEY"]) == (None, [pattern, pattern])
        matcher.remove("KEY")
        assert "KEY" not in matcher
        for wrong in (lambda m=matcher: m.remove("KEY"), lambda m=matcher: m("text")):
            with pytest.raises(ValueError):
                wrong()


def test_callbacks_get_what_those_of_spacy_get():
    calls = []
    matcher = UccaMatcher(NLP.vocab)
    matcher.add("L", ["L"])
    matcher.add("P", ["P"], on_match=lambda *args: calls.append(args))
    doc = make(TEXT)
    found = matcher(doc)
    assert [NLP.vocab.strings[key] for key, _ in found] == ["L", "P", "P"]
    assert [(m, d, i) for m, d, i, _ in calls] == [(matcher, doc, 1), (matcher, doc, 2)]
    assert all(matches is found for *_, matches in calls)


def test_removed_tokens_are_no_longer_looked_for():
    matcher = UccaMatcher(NLP.vocab)
    matcher.add("A", ["P:lower(moved)"])
    matcher.add("B", ["P:lower(moved)", "P:lower(left)"])
    matcher.remove("B")
    assert len(matcher(make(TEXT))) == len(matcher._tokens) == 1
    matcher.remove("A")
    assert len(matcher._tokens) == 0
    matcher.add("A", ["P:lower(moved)"])
    assert len(pickle.loads(pickle.dumps(matcher))(make(TEXT))) == 1


def test_nothing_is_added_with_a_bad_pattern():
    matcher = UccaMatcher(NLP.vocab)
    with pytest.raises(UccaError):
        matcher.add("KEY", ["P", [{"RIGHT_ID": "x"}]])
    assert "KEY" not in matcher and matcher(make(TEXT)) == []


# Odd Docs


def test_odd_docs():
    matcher = UccaMatcher(NLP.vocab)
    matcher.add("KEY", ["*=x[!*=y]", "H[P:has(🎉 שלום)]", "*:lower(a)"])
    assert matcher(Doc(NLP.vocab)) == []
    with pytest.raises(UccaError, match=r"UC602.*no UCCA graph"):
        matcher(NLP("A text."))
    one = Doc(NLP.vocab, words=["A"])
    one._.ucca = Graph(["A"], [], [])
    assert matcher(one) == [] == matcher(one[0:0])
    assert len(matcher(make("[H [P 🎉 שלום]]"))) == 2
    builder = GraphBuilder(["a", "\n", "b"])  # the white space hangs on nothing
    root, left, right = (builder.add_unit() for _ in range(3))
    for unit, token in ((left, 0), (right, 2)):
        builder.add_edge(root, unit, "C")
        builder.add_terminal(unit, token)
    doc = graph_to_doc(builder.build(), NLP.vocab)
    assert len(matcher(doc)) == 4  # "a" is the head of its unit and of the root
    nodes = [{"RIGHT_ID": "a", "RIGHT_ATTRS": {"HEAD": {"LOWER": "a"}, "IS_ROOT": False}}]
    nodes.append({"LEFT_ID": "a", "REL_OP": ".", "RIGHT_ID": "b", "RIGHT_ATTRS": {}})
    matcher.add("NEXT", [nodes])
    assert [units["b"].text for _, units in matcher(doc) if "b" in units] == ["b"]


def test_many_sentences_in_one_doc():
    graphs = [graph for _ in range(300) for graph in read_brackets(TEXT)]
    doc = graph_to_doc(Graph.join(graphs), NLP.vocab)
    matcher = UccaMatcher(NLP.vocab)
    matcher.add("KEY", ["H[P:lower(moved) A=who A=what]", "L=a"])
    found = matcher(doc)
    assert len(found) == 600
    assert found[1][1]["who"].tokens() == (11,)


def test_lemmas_are_compared_as_they_are_as_the_page_says():
    doc = doc_of("[H [A Ann] [P bought]]", NLP.vocab, ["1 nsubj NNP Ann", "1 ROOT VBD buy"])
    for value, n in (("buy", 1), ("Buy", 0), ("Ann", 1), ("ann", 0), ("Buy|buy", 1)):
        matcher = UccaMatcher(NLP.vocab)
        matcher.add("KEY", [f"*=x:lemma({value})[!A]"])
        assert len({units["x"].text for _, units in matcher(doc)} - {"Ann bought"}) == n, value
    page = Path(__file__).parents[2] / "docs" / "match.md"
    assert "`buy` is not `Buy`" in page.read_text("utf8")


def test_white_space_says_nothing():
    assert parse_pattern(" H [ P=p:lemma( buy | sell )\n ! A ] ") == parse_pattern(
        "H[P=p:lemma(buy|sell) !A]"
    )
    assert parse_pattern('P:text("(|\\"")')[0]["RIGHT_ATTRS"]["HEAD"] == {"TEXT": '(|"'}


def test_categories_of_other_schemes():
    assert texts("[X [P left]]", "X[P=p]", validate=False) == [{"unit": "left", "p": "left"}]
    assert texts(
        "[X [P left]]", [{"RIGHT_ID": "x", "RIGHT_ATTRS": {"CATEGORY": "X"}}], validate=False
    )
