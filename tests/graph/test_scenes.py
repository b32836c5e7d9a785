"""Scenes and what takes part in them: on the sample, against brute force and against the `ucca` package."""

from collections import Counter
from itertools import pairwise

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from strategies import ODD_WORDS, graphs

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.passage import to_passage
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import FOUNDATIONAL, LINKAGE, Graph
from spacy_ucca.text.split import in_reading_order, merge_roots, split_sentences
from spacy_ucca.training.corpus import graph_to_doc

CORPORA = ("UCCA_English-Wiki-1.2", "UCCA_English-EWT", "UCCA_German-20K", "UCCA_French-20K")
# Our names, and those of `FoundationalNode`
ROLES = {
    "P": "processes",
    "S": "states",
    "A": "participants",
    "D": "adverbials",
    "T": "times",
    "G": "grounds",
    "C": "centers",
    "E": "elaborators",
    "Q": "quantifiers",
    "N": "connectors",
    "R": "relators",
    "F": "functions",
    "L": "linkers",
    "H": "parallel_scenes",
}
LISTS = (
    *("participants", "adverbials", "times", "grounds", "centers", "elaborators", "quantifiers"),
    *("functions", "linkers", "parallel_scenes"),
)
FIRSTS = {
    "process": "processes",
    "state": "states",
    "connector": "connectors",
    "relator": "relators",
}


@pytest.fixture(scope="module")
def vocab():
    return spacy.blank("en").vocab


@pytest.fixture(scope="module")
def by_id(sample):
    return {graph.details["id"]: graph for graph in sample}


def texts(units) -> list[str]:
    return [unit.text or "(implicit)" for unit in units]


def scene_at(graph, text):
    return next(scene for scene in graph.scenes if scene.text == text)


# The sample, by hand


@pytest.mark.parametrize(
    ("name", "scene", "relation", "participants"),
    [
        ("process", "The cat slept", "slept", ["The cat"]),
        ("state-identity", "Vienna is a city", "is", ["Vienna", "a city"]),
        ("relational-noun", "Her sister", "sister", ["Her", "sister"]),
        ("agent-nouns", "The buyer paid the seller", "paid", ["The buyer", "the seller"]),
        ("possessive-pronoun", "My", "My", ["My", "bicycle"]),
        ("control-subject", "to leave", "leave", ["Lena"]),
        ("relative-object", "that we heard", "heard", ["song", "we"]),
        ("relative-extraposed", "who knew everyone", "knew", ["man", "everyone"]),
        ("parallel-scenes-shared-participants", "Dana cooked", "cooked", ["Dana", "the fish"]),
        ("parallel-scenes-shared-participants", "ate the fish", "ate", ["Dana", "the fish"]),
        ("remote-process", "Kurt coffee", "ordered", ["Kurt", "coffee"]),
        ("remote-state", "Leo , too", "hungry", ["Leo"]),
        ("implicit-agent", "The thief was caught", "caught", ["The thief", "(implicit)"]),
        ("remote-implicit", "decide", "decide", ["(implicit)"]),
        ("implicit-state", "Page seven", "(implicit)", ["Page seven"]),
        ("discontinuous-particle", "She gave it up", "gave ... up", ["She", "it"]),
        ("linkage", "the concert", None, None),
    ],
)
def test_main_relation_and_participants(by_id, name, scene, relation, participants):
    graph = by_id[name]
    if relation is None:  # the text of a Process is no Scene's
        assert scene_at(graph, "the concert").main_relation.categories == ("P",)
        return
    unit = scene_at(graph, scene)
    assert texts([unit.main_relation]) == [relation]
    assert texts(unit.participants) == participants
    assert all(unit in shared.parents for shared in unit.participants)


@pytest.mark.parametrize(
    ("name", "scene", "kind", "host", "evoked"),
    [
        ("parallel-scenes", "we ran", "parallel", None, False),
        ("participant-scene-that", "that the bridge is closed", "participant", "I know ...", False),
        ("relational-noun", "Her sister", "participant", "Her sister teaches chemistry", True),
        ("possessive-pronoun", "My", "elaborator", "My bicycle vanished", True),
        ("relative-subject", "who called you", "elaborator", "The man who called you left", False),
        ("unanalyzable-idiom", "old", "elaborator", "The old dog kicked the bucket", False),
        ("participant-of-parallel-scenes", "he left", None, None, None),
        ("participant-of-parallel-scenes", "that he left", "parallel", "He said ...", False),
    ],
)
def test_kind_and_host(by_id, name, scene, kind, host, evoked):
    graph = by_id[name]
    if kind is None:
        assert scene not in texts(graph.scenes)
        return
    unit = scene_at(graph, scene)
    assert (unit.scene_kind, unit.is_evoked) == (kind, evoked)
    if host is None:
        assert unit.host is None
    else:
        assert unit.host.text.startswith(host.removesuffix("..."))


@pytest.mark.parametrize(
    ("name", "label", "first", "centers"),
    [
        ("relative-subject", "A", "man", ["man"]),
        ("coordination-of-centers", "A", "Bread", ["Bread", "milk", "eggs"]),
        ("coordination-with-remote-elaborator", "A", "shirts", ["shirts", "scarves"]),
        ("participant-scene-that", "H", "know", ["know"]),
        ("participant-of-parallel-scenes", "H", "said", ["said"]),
        ("process", "P", "slept", ["slept"]),
        ("unanalyzable-name-and-date", "T", "3 May 2021", ["3 May 2021"]),
    ],
)
def test_minimal_centers(by_id, name, label, first, centers):
    unit = by_id[name].units_by(label)[0]
    assert unit.minimal_center.text == first and texts(unit.minimal_centers) == centers


def test_minimal_centers_of_scenes_and_shared_ones(by_id):
    participant = by_id["participant-of-parallel-scenes"].scenes[0].participants[-1]
    assert texts(participant.minimal_centers) == ["came", "left"]
    shared = by_id["remote-center"].units_by("A")[-1]
    assert shared.text == "two" and shared.minimal_center.text == "apple"
    implicit = by_id["implicit-center"].units_by("A")[-1]
    assert implicit.minimal_center.is_implicit


def test_scenes_of_tokens(by_id, vocab):
    graph = by_id["relative-object"]  # The song that we heard was sad .
    doc = graph_to_doc(graph, vocab)
    relative, whole = scene_at(graph, "that we heard"), graph.scenes[0]
    assert graph.scene_of(1) == graph.scene_of(doc[1]) == whole
    assert graph.scenes_of(doc[1]) == (relative, whole)  # shared: one edge away, two from the other
    assert graph.scenes_of(1, remotes=False) == (whole,)
    assert graph.scene_of(4) == relative and graph.scenes_of(4) == (relative, whole)
    assert graph.scene_of(7) is None and graph.scenes_of(7) == ()  # the full stop
    linker = by_id["parallel-scenes-fronted-linker"].linkers[0]
    assert linker.text == "Although" and linker.scene is linker.host is None
    with pytest.raises(IndexError):
        graph.scene_of(99)


def test_of_several_main_relations_the_own_one_with_text():
    """No gold Scene has several, but a parser may say so."""
    graph = read_brackets(
        "[H [P#x a] [A b]] [H [P* =x] [P c] [S d] [P IMPLICIT]] [H [P* =x] [P IMPLICIT]]"
    )[0]
    assert texts(scene.main_relation for scene in graph.scenes) == ["a", "c", "a"]
    assert texts(graph.scenes[1].processes) == ["a", "c", "(implicit)"]


def test_centers_before_main_relations():
    """A unit with both is no gold either: it is about its center."""
    unit = read_brackets("[H [A [C a] [P b]] [P c]]")[0].units_by("A")[0]
    assert unit.is_scene and unit.scene_kind == "participant"
    assert texts(unit.minimal_centers) == ["a"]


def test_root_with_a_main_relation():
    graph = read_brackets("[P a] [A b]")[0]
    assert graph.scenes == (graph.root,) and graph.root.scene_kind == "root"
    assert graph.root.host is None and graph.root.parent is None


# Places in a Doc


def test_spans(by_id, vocab):
    graph = by_id["discontinuous-particle"]  # She gave it up .
    doc = graph_to_doc(graph, vocab)
    relation = graph.scenes[0].main_relation
    assert relation.ranges() == ((1, 2), (3, 4))
    assert [(s.start_char, s.end_char) for s in relation.spans(doc)] == [(4, 8), (12, 14)]
    assert relation.span(doc).text == "gave it up"
    graph = by_id["remote-center"]  # I ate one apple and you ate two .
    doc = graph_to_doc(graph, vocab)
    two = graph.units_by("A")[-1]
    assert [s.text for s in two.spans(doc)] == ["two"]
    assert [s.text for s in two.spans(doc, remotes=True)] == ["apple", "two"]
    assert two.span(doc, remotes=True).text == "apple and you ate two"
    graph = by_id["unanalyzable-with-punctuation-units"]  # I bought a T - shirt .
    doc = graph_to_doc(graph, vocab)
    shirt = graph.units_by("C")[0]
    assert shirt.ranges() == ((3, 6),) and shirt.ranges(punct=False) == ((3, 4), (5, 6))


def test_an_implicit_unit_has_no_place(by_id, vocab):
    graph = by_id["one-token-implicit"]
    doc = graph_to_doc(graph, vocab)
    unit = graph.units_by("A")[0]
    assert unit.is_implicit and unit.spans(doc) == () and unit.span(doc) is None


def test_spans_need_the_doc_of_the_graph(by_id, vocab):
    graph = by_id["process"]
    with pytest.raises(UccaError, match="UC201"):
        graph.scenes[0].spans(Doc(vocab, words=["The", "cat"]))
    with pytest.raises(UccaError, match=r"UC201.*'dog'"):
        graph.scenes[0].span(Doc(vocab, words=["The", "dog", "slept", "."]))


@pytest.mark.parametrize("words", [[], [" "], ["."], ["\u05e9\u05dc\u05d5\u05dd", "😀"]])
def test_docs_without_units(vocab, words):
    doc = Doc(vocab, words=words)
    doc._.ucca = graph = Graph(words, [], [])
    assert graph.scenes == graph.parallel_scenes == graph.linkers == ()
    assert all(graph.scene_of(token) is None and graph.scenes_of(token) == () for token in doc)
    doc._.ucca = graph = Graph(words, [FOUNDATIONAL], [])
    assert graph.root.minimal_centers == (graph.root,) and graph.root.main_relation is None
    assert graph.root.spans(doc) == () and graph.root.scene is None


def test_no_recursion_limit():
    n = 3000
    text = "[C " * n + "w" + "]" * n
    unit = read_brackets(text)[0].root
    assert unit.minimal_center.text == "w" and len(list(unit.minimal_centers)) == 1


# Any graph, against brute force


@given(graphs(max_roots=2, words=ODD_WORDS), st.booleans())
def test_roles(graph, remotes):
    for unit in graph:
        own = [e for e in graph.edge_tuples if e.parent == unit.index and e.child >= 0]
        for category, name in ROLES.items():
            expected = {e.child for e in own if category in e.categories}
            found = getattr(unit, name)
            assert {u.index for u in found} == expected and len(found) == len(expected)
            starts = [min(u.tokens(), default=len(graph.words)) for u in found]
            assert starts == sorted(starts)
        assert {e.index for e in unit.edges_by(*ROLES, remotes=remotes)} == {
            e.index
            for e in unit.edges
            if (remotes or not e.remote) and set(ROLES) & set(e.categories)
        }
        assert unit.is_scene == (unit.main_relation is not None)
        assert unit.is_scene == (unit.scene_kind is not None) == bool(unit.processes + unit.states)
        if unit.is_scene:
            assert unit.scene == unit and unit.main_relation in unit.processes + unit.states
        assert unit.host == (unit.parent and unit.parent.scene)


def brute_minimal(unit) -> set:
    below = unit.centers or unit.processes[:0]
    if not below:
        below = (unit.main_relation,) if unit.is_scene else unit.parallel_scenes
    return set().union(*map(brute_minimal, below)) if below else {unit}


@given(graphs(max_roots=2))
def test_minimal_centers_of_any_graph(graph):
    for unit in graph:
        found = unit.minimal_centers
        assert set(found) == brute_minimal(unit) and len(found) == len(set(found))
        assert unit.minimal_center == found[0]


@given(graphs(max_roots=2, words=ODD_WORDS))
def test_scenes_of_any_token(graph):
    assert [u for u in graph.units if u.is_scene] == list(graph.scenes)
    for token in range(len(graph.words)):
        having = [s for s in graph.scenes if token in s.tokens(remotes=True)]
        assert set(graph.scenes_of(token)) == set(having)
        around = [s for s in graph.scenes if token in s.tokens()]
        hosts = [graph.scene_of(token)]
        while hosts[-1] is not None:
            hosts.append(hosts[-1].host)
        assert list(graph.scenes_of(token, remotes=False)) == hosts[:-1]
        assert set(hosts[:-1]) == set(around)


@given(graphs(max_roots=2, words=st.sampled_from(("a", "é", "🦊", "שלום", "."))), st.booleans())
def test_spans_of_any_unit(vocab, graph, remotes):
    doc = graph_to_doc(graph, vocab)
    for unit in graph:
        for punct in (True, False):
            spans = unit.spans(doc, remotes=remotes, punct=punct)
            tokens = unit.tokens(remotes=remotes, punct=punct)
            assert tuple(t.i for span in spans for t in span) == tokens
            assert all(a.end < b.start for a, b in pairwise(spans))
            assert all(doc.text[s.start_char : s.end_char] == s.text for s in spans)


# The `ucca` package


def check_roles(graph: Graph) -> Counter:
    """Compare each unit to the node of the package's passage. RETURNS (Counter): What was compared."""
    graph = in_reading_order(merge_roots(graph))
    graph = Graph(graph.words, graph.kinds, graph.edge_tuples, punct=graph.punct)
    passage = to_passage(graph)
    seen: Counter = Counter()
    numbers = {f"1.{i + 1}": unit for i, unit in enumerate(graph.units)}
    for i, unit in enumerate(graph.units):
        if unit.kind == LINKAGE:
            continue
        node = passage.by_id(f"1.{i + 1}")
        assert node.is_scene() == unit.is_scene
        for name in LISTS:
            theirs = {numbers[child.ID] for child in getattr(node, name)}
            assert set(getattr(unit, name)) == theirs, name
            seen[name] += len(theirs)
        for name, ours in FIRSTS.items():
            first, all_ = getattr(node, name), getattr(unit, ours)
            assert (first is None) == (not all_), name
            if first is not None:
                assert numbers[first.ID] in all_
                seen[name] += 1
                seen[f"several of {name}"] += len(all_) > 1
        if unit.is_scene:
            seen["Scenes"] += 1
            theirs = numbers[(node.process or node.state).ID]
            assert unit.main_relation == theirs or len(unit.processes + unit.states) > 1
            seen["several main relations"] += len(unit.processes + unit.states) > 1
            if unit.tokens():
                spans = [(start - 1, end) for start, end in node.get_sequences()]
                assert list(unit.ranges()) == spans
    return seen


def test_sample_agrees_with_the_ucca_package(sample, convert):
    seen = sum(map(check_roles, sample), Counter())
    assert all(seen[name] for name in (*LISTS, "process", "state", "connector", "relator"))


@settings(max_examples=40)
@given(graph=graphs())
def test_any_graph_agrees_with_the_ucca_package(graph, convert):
    check_roles(graph)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_shared_corpora_agree_with_the_ucca_package(passages, convert, corpus):
    """Sentences, and every tenth passage as a whole, which takes the package long."""
    seen: Counter = Counter()
    for i, path in enumerate(passages(corpus, 10)):
        graph = read_xml(path)
        for part in [graph] if i % 10 == 0 else split_sentences(graph):
            seen += check_roles(part)
    assert seen["Scenes"] and not seen["several main relations"], seen


def test_scores_of_scenes_are_those_of_their_main_relations(sample):
    for graph in sample:
        assert all(unit.scene_score is None for unit in graph.units)
        scores = {i: (i + 1) / 1000 for i in range(len(graph.edge_tuples))}
        scored = graph.replace(scores=scores)
        for unit in scored.units:
            main = [e.score for e in unit.edges if e.child == unit.main_relation]
            assert unit.scene_score in (main if unit.is_scene else [None])
