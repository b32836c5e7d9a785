"""The oracles: executing them rebuilds the gold graph, and what they cannot build they name."""

import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transition_walks import names

from spacy_ucca.errors import OracleError, UccaError
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.formats.files import find_files
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import IMPLICIT, LINKAGE, PUNCT, Graph, GraphBuilder
from spacy_ucca.text.split import split_sentences
from spacy_ucca.transitions.rebuild import graph_labels, rebuild, report
from spacy_ucca.transitions.systems import build_system

CORPORA = Path(
    os.environ.get("SPACY_UCCA_CORPORA") or Path(__file__).parents[2].parent / "shared" / "corpora"
)
# Corpus, and where there are lists of sentences from UD, the treebank.
CORPUS_NAMES = {
    "UCCA_English-EWT": "UD_English-EWT",
    "UCCA_English-Wiki-1.2": None,
    "UCCA_German-20K": None,
    "UCCA_French-20K": None,
}

SYSTEMS = ("tree", "tupa")


def one(text: str) -> Graph:
    (graph,) = read_brackets(text)
    return graph


def run(name: str, graph: Graph) -> list[str]:
    """RETURNS (List[str]): The gold transitions, after checking that they rebuild the graph."""
    system = build_system(name, graph_labels(graph, linkage=True))
    state, oracle = system.start(len(graph.words)), system.oracle(graph)
    while not state.done:
        action = oracle.next_action(state)
        assert system.valid(state)[action]
        system.apply(state, action)
    built = system.to_graph(state, graph.words, punct=graph.punct)
    assert built.same_structure(system.target(graph))
    return names(system, state)


# Golden tables


def test_tree_scene():
    """
    root - H - A - John
             - P - moved
             - U - .
    """
    graph = one("[H [A John] [P moved] [U .]]")
    assert run("tree", graph) == [
        "SHIFT",  # John
        "SHIFT",  # moved, the head
        "NODE-P",
        "LEFT-EDGE-A",
        "SHIFT",  # .
        "RIGHT-EDGE-U",
        "RIGHT-EDGE-H",
    ]


def test_tree_unanalyzable():
    """
    root - H - A - Paul, Smith
             - P - sang
    """
    graph = one("[H [A Paul Smith] [P sang]]")
    assert run("tree", graph) == [
        *("SHIFT", "SHIFT", "MERGE"),
        *("SHIFT", "NODE-P", "LEFT-EDGE-A", "RIGHT-EDGE-H"),
    ]


def test_tree_discontinuous():
    """
    root - H - A - She
             - P - turned, off
             - A - it
    """
    graph = one("[H [A She] [P#1 turned] [A it] [P#1- off]]")
    assert run("tree", graph) == [
        *("SHIFT", "SHIFT", "SHIFT", "SHIFT"),
        *("SWAP", "MERGE"),  # it goes back to the buffer
        *("NODE-P", "LEFT-EDGE-A", "SHIFT", "RIGHT-EDGE-A", "RIGHT-EDGE-H"),
    ]


def test_tupa_scene():
    """
    root - H - A - John
             - P - moved
    """
    graph = one("[H [A John] [P moved]]")
    assert run("tupa", graph) == [
        *("SHIFT", "NODE-Terminal", "REDUCE"),  # John; its unit waits on the buffer
        *("SHIFT", "NODE-A", "REDUCE"),  # the Participant; its Scene waits
        *("SHIFT", "RIGHT-EDGE-H"),  # the Scene, under the root
        *("SHIFT", "NODE-Terminal", "REDUCE"),  # moved
        *("SHIFT", "RIGHT-EDGE-P", "REDUCE"),
        *("REDUCE", "FINISH"),
    ]


def test_tupa_remote_and_implicit():
    """
    root - H - A - I
             - P - came
         - L - and
         - H - P - left
             . A . (I)            remote
             - A - (from here)    implicit
    """
    graph = one("[H [A#1 I] [P came]] [L and] [H [P left] [A* =1] [A IMPLICIT]]")
    assert run("tupa", graph) == [
        *("SHIFT", "NODE-Terminal", "REDUCE"),  # I
        *("SHIFT", "NODE-A", "SHIFT"),  # its unit stays, for the remote edge
        *("SHIFT", "NODE-Terminal", "REDUCE", "SHIFT", "RIGHT-EDGE-P", "REDUCE"),  # came
        *("SWAP", "RIGHT-EDGE-H", "REDUCE", "SHIFT"),  # the Scene passes I to get to the root
        *("SHIFT", "NODE-Terminal", "REDUCE", "SHIFT"),  # and
        *("SWAP", "RIGHT-EDGE-L", "REDUCE", "SHIFT"),
        *("SHIFT", "NODE-Terminal", "REDUCE", "SHIFT", "NODE-P", "REDUCE"),  # left
        *("SHIFT", "IMPLICIT-A", "LEFT-REMOTE-A"),
        *("SWAP", "RIGHT-EDGE-H", "REDUCE"),
        *("SHIFT", "REDUCE"),  # I, complete at last
        *("SHIFT", "REDUCE"),  # the implicit unit
        "FINISH",
    ]


def test_tupa_linkage():
    """
    root - H(1) - P - Come
         - L(2) - and
         - H(3) - P - see
    linkage - LR (2), LA (1), LA (3)
    """
    graph = one("[H#1 [P Come]] [L#2 and] [H#3 [P see]]\n[:LKG [LR =2] [LA =1] [LA =3]]")
    assert run("tupa", graph) == [
        *("SHIFT", "NODE-Terminal", "REDUCE", "SHIFT", "NODE-P", "REDUCE"),  # Come
        *("SHIFT", "RIGHT-EDGE-H"),  # its Scene stays, for the linkage
        *("SHIFT", "NODE-Terminal", "REDUCE", "SHIFT"),  # and
        *("NODE-LR", "SWAP", "RIGHT-EDGE-L", "REDUCE"),
        *("SHIFT", "SHIFT", "LEFT-EDGE-LA"),  # the linkage, then the first Scene again
        *("SHIFT", "NODE-Terminal", "REDUCE", "SHIFT", "NODE-P", "REDUCE"),  # see
        *("SHIFT", "RIGHT-EDGE-LA"),
        *("SWAP", "SWAP", "RIGHT-EDGE-H", "REDUCE"),
        *("SHIFT", "REDUCE", "SHIFT", "REDUCE", "FINISH"),
    ]
    without = run("tupa", graph.without(linkage=True))
    assert not {"NODE-LR", "LEFT-EDGE-LA", "RIGHT-EDGE-LA"} & set(without)


def test_tree_leaves_the_rest_to_others():
    graph = one("[H [A#1 I] [P came]] [L and] [H [P left] [A* =1] [A IMPLICIT]]")
    plain = graph.without(remotes=True, implicit=True)
    assert run("tree", graph) == run("tree", plain)


# Random graphs


def random_graph(seed: int, max_tokens: int = 8) -> Graph:
    """A graph with everything that there is: tokens in units at random, with gaps; several categories;
    unary units; remote edges, implicit units (some shared), linkage."""
    rng = random.Random(seed)
    labels = ("A", "C", "D|T", "E", "F", "H", "P", "S|A", "U")
    n = rng.randint(1, max_tokens)
    builder = GraphBuilder([f"w{i}" for i in range(n)])
    root = builder.add_unit()
    label_of: dict[int, str] = {}

    def new() -> int:
        label = rng.choice(labels)
        unit = builder.add_unit(PUNCT if label == "U" else "FN")
        label_of[unit] = label
        return unit

    def attach(parent: int, child: int, label: str, remote: bool = False) -> None:
        builder.add_edge(parent, child, *label.split("|"), remote=remote)

    tokens, items = list(range(n)), []
    rng.shuffle(tokens)
    scattered = rng.random() < 0.5
    if not scattered:
        tokens.sort()
    while tokens:
        unit = new()
        for _ in range(1 if rng.random() < 0.8 else rng.randint(1, 3)):
            if tokens:
                builder.add_terminal(unit, tokens.pop())
        items.append(unit)
    unary: dict[int, int] = {}  # chains stay below what the systems allow
    for _ in range(rng.randint(0, 2 * n)):
        size = min(len(items), rng.choice((1, 2, 2, 3)))
        start = rng.randrange(len(items) - size + 1)
        chosen = rng.sample(items, size) if scattered else items[start : start + size]
        others = [item for item in items if item not in chosen]
        if size == 1 and unary.get(chosen[0], 0) >= 3:
            continue
        if others and rng.random() < 0.1:
            unit = rng.choice(others)  # more children for one that has some, or tokens of its own
            unary[unit] = 0
        else:
            unit = new()
            items.append(unit)
            unary[unit] = unary.get(chosen[0], 0) + 1 if size == 1 else 0
        for child in chosen:
            attach(unit, child, label_of[child])
            items.remove(child)
    for item in items:
        attach(root, item, label_of[item])
    units = [unit for unit in label_of if builder.kinds[unit] != PUNCT]
    for _ in range(rng.choice((0, 0, 1, 2))):
        implicit = builder.add_unit(IMPLICIT)
        label_of[implicit] = "A"
        attach(rng.choice([root, *units, *units]), implicit, rng.choice(("A", "P")))
    for _ in range(rng.choice((0, 0, 1, 2, 4))):
        _add_remote(builder, rng, root)
    children = [unit for unit in label_of if rng.random() < 0.5]
    for _ in range(rng.choice((0, 0, 1, 2)) if children else 0):
        if sum(kind == LINKAGE for kind in builder.kinds) < n:
            linkage = builder.add_unit(LINKAGE)
            for i, child in enumerate(rng.sample(children, min(len(children), 3))):
                attach(linkage, child, "LR" if i == 0 and rng.random() < 0.9 else "LA")
    return builder.build()


def _add_remote(builder: GraphBuilder, rng: random.Random, root: int) -> None:
    below: dict[int, set[int]] = {}

    def reach(unit: int) -> set[int]:
        if unit not in below:
            below[unit] = {unit}.union(
                *(reach(e.child) for e in builder.edges if e.parent == unit and e.child >= 0)
            )
        return below[unit]

    pairs = [
        (parent, child)
        for parent, kind in enumerate(builder.kinds)
        for child in range(len(builder.kinds))
        if kind != IMPLICIT
        and child != root
        and parent not in reach(child)
        and not any((e.parent, e.child) == (parent, child) for e in builder.edges)
    ]
    if pairs:
        parent, child = rng.choice(pairs)
        builder.add_edge(parent, child, rng.choice(("A", "C")), remote=True)


@given(seed=st.integers(0, 10**9), max_tokens=st.sampled_from((2, 4, 8, 15)))
@settings(max_examples=300)
@pytest.mark.parametrize("name", SYSTEMS)
def test_random_graphs_are_rebuilt(name, seed, max_tokens):
    graph = random_graph(seed, max_tokens)
    rebuilt = rebuild(graph, name)
    assert rebuilt.exact, f"{rebuilt.reason}\n{write_brackets(graph)}"
    system = build_system(name, graph_labels(graph, linkage=True))
    assert rebuilt.graph is not None and rebuilt.graph.same_structure(system.target(graph))
    assert rebuilt.n_transitions == len(rebuilt.actions)


def test_random_graphs_have_everything():
    graphs = [random_graph(seed) for seed in range(300)]
    assert any(graph.linkages for graph in graphs)
    assert any(unit.is_implicit for graph in graphs for unit in graph)
    assert any(edge.remote for graph in graphs for edge in graph.edges)
    assert any(unit.is_discontinuous for graph in graphs for unit in graph)
    assert any(unit.terminals and unit.edges for graph in graphs for unit in graph)


# Real graphs


@pytest.mark.parametrize("name", SYSTEMS)
def test_sample_is_rebuilt(name, sample):
    result = report(sample, name)
    assert result["misses"] == {}
    assert result["exact"] == result["sentences"] == len(sample) > 0


def corpus_sentences(name: str, limit: int) -> list[Graph]:
    folder = CORPORA / name / "xml"
    if not folder.is_dir():
        pytest.skip(
            f"there is no corpus {name}: set SPACY_UCCA_CORPORA to the folder of the corpora"
        )
    passages = (read_xml(path) for path in find_files([folder], "xml")[:limit])
    return [sentence for passage in passages for sentence in split_sentences(passage)]


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("corpus", CORPUS_NAMES)
def test_corpora_are_rebuilt_sample(corpus, name):
    check_corpus(corpus_sentences(corpus, 8), name)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPUS_NAMES)
def test_corpora_are_rebuilt(corpus, passages):
    sentences = [part for path in passages(corpus, 5) for part in split_sentences(read_xml(path))]
    for name in SYSTEMS:
        check_corpus(sentences, name)


@pytest.mark.slow
def test_sentences_of_the_treebank_are_rebuilt(passages):
    from spacy_ucca.formats.conllu import read_sentence_ids, read_ud_sentences
    from spacy_ucca.text.split import document_id, split_by_ud

    folder, treebank = CORPORA / "UCCA_English-EWT", CORPORA / "UD_English-EWT"
    if not folder.is_dir() or not treebank.is_dir():
        pytest.skip("there is no EWT corpus: set SPACY_UCCA_CORPORA to the folder of the corpora")
    given_by_document: dict[str, list] = {}
    for path in sorted(treebank.glob("*.conllu")):
        for sentence in read_ud_sentences(path):
            given_by_document.setdefault(document_id(sentence.sent_id), []).append(sentence)
    wanted = [i for part in ("train", "dev") for i in read_sentence_ids(folder / f"{part}.txt")]
    sentences = []
    for path in passages(folder.name, 5):
        passage = read_xml(path)
        ud = given_by_document.get(passage.details["id"], [])
        sentences += split_by_ud(passage, ud, wanted).graphs
    assert len(sentences) > 300
    for name in SYSTEMS:
        check_corpus(sentences, name)


def check_corpus(sentences: list[Graph], name: str) -> None:
    result = report(sentences, name)
    assert result["misses"] == {}
    assert result["exact"] == len(sentences)
    low, high = (2.0, 3.0) if name == "tree" else (6.5, 9.0)
    assert low < result["transitions_per_token"] < high


# What cannot be built


@pytest.mark.parametrize("name", SYSTEMS)
def test_unknown_label(name):
    graph = one("[H [A John] [P moved]]")
    with pytest.raises(OracleError, match=r"UC303.*'P'.*add_label"):
        build_system(name, {"A", "H"}).oracle(graph)
    assert issubclass(OracleError, UccaError)


@pytest.mark.parametrize("name", SYSTEMS)
def test_two_roots(name):
    graph = Graph.join([one("[H [P Stop]]"), one("[H [P Go]]")])
    result = rebuild(graph, name)
    assert not result.exact and result.graph is None
    assert "UC302" in result.reason and "2" in result.reason and "Split" in result.reason


@pytest.mark.parametrize("name", SYSTEMS)
def test_token_attached_to_nothing(name):
    result = rebuild(one("[H [P Stop]] ~now"), name)
    assert "UC304" in result.reason and "Token 1 ('now')" in result.reason


@pytest.mark.parametrize("name", SYSTEMS)
def test_token_under_the_root(name):
    result = rebuild(one("[H [P Stop]] now"), name)
    assert "UC305" in result.reason and "'now'" in result.reason


def test_unit_without_text():
    """Only implicit units are without text in `tupa`; the `tree` system does not look at such."""
    graph = one("[H [P Stop] [A [C IMPLICIT]]]")
    assert "UC308" in rebuild(graph, "tupa").reason
    assert rebuild(graph, "tree").exact


def test_implicit_unit_with_children():
    builder = GraphBuilder(["Stop"])
    root, scene, process = builder.add_unit(), builder.add_unit(), builder.add_unit()
    empty, other = builder.add_unit(IMPLICIT), builder.add_unit(IMPLICIT)
    builder.add_terminal(process, 0)
    for parent, child, label in ((root, scene, "H"), (scene, process, "P"), (scene, empty, "A")):
        builder.add_edge(parent, child, label)
    builder.add_edge(empty, other, "C")
    assert "UC309" in rebuild(builder.build(), "tupa").reason


def test_two_edges_between_the_same_units():
    builder = GraphBuilder(["Stop"])
    root, scene = builder.add_unit(), builder.add_unit()
    builder.add_terminal(scene, 0)
    builder.add_edge(root, scene, "H")
    builder.add_edge(root, scene, "A", remote=True)
    assert "UC320" in rebuild(builder.build(), "tupa").reason


def test_linkage_label_on_another_edge():
    assert "UC303" in rebuild(one("[LA [P Stop]]"), "tupa").reason


def test_more_than_the_limits_is_named():
    """A longer chain of units than the systems allow."""
    depth = 30
    graph = one("[C " * depth + "Stop" + "]" * depth)
    for name in SYSTEMS:
        result = rebuild(graph, name)
        assert not result.exact and "UC306" in result.reason and "NODE-C" in result.reason


# The report


def test_report():
    good = one("# id = good\n[H [A John] [P moved]]")
    bad, nameless = one("# id = bad\n[H [P Stop]] ~now"), one("[H [P Stop]] ~now")
    result = report(iter([good, bad, nameless]), "tree")
    (reason,) = result["misses"]
    assert "UC304" in reason
    assert result.pop("misses") == {reason: ["bad", "3"]}
    assert result == {
        "system": "tree",
        "sentences": 3,
        "exact": 1,
        "exact_percent": pytest.approx(100 / 3),
        "tokens": 2,
        "transitions": 5,
        "transitions_per_token": 2.5,
        "labels": 3,
        "actions": 12,
        "used_actions": 4,
    }


def test_report_on_nothing():
    result = report([], "tupa")
    assert (result["sentences"], result["exact"], result["misses"]) == (0, 0, {})


def test_report_with_a_given_system():
    system = build_system("tupa", {"A", "H"})
    result = report([one("# id = x\n[H [A John] [P moved]]")], system)
    assert list(result["misses"].values()) == [["x"]]
    assert result["exact"] == 0


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_difference_is_noticed(name, monkeypatch):
    """`exact` compares: it would be false if the system built something else."""
    graph = one("[H [A John] [P moved]]")
    system = build_system(name, graph_labels(graph))
    other = system.to_graph
    monkeypatch.setattr(
        system, "to_graph", lambda *a, **k: other(*a, **k).join([one("[H [P moved] [A John]]")])
    )
    result = rebuild(graph, system)
    assert not result.exact and "UC321" in result.reason


def test_empty_sentence():
    builder = GraphBuilder([])
    builder.add_unit()
    for name in SYSTEMS:
        assert rebuild(builder.build(), name).exact


@pytest.mark.parametrize("name", SYSTEMS)
def test_long_sentence(name):
    """1,000 tokens, flat and deep."""
    flat = one("[H " + " ".join(f"[A w{i}]" for i in range(999)) + " [P w]]")
    assert rebuild(flat, name).exact
    deep = one("[A a [C b " * 10 + "".join(f"[A w{i}]" for i in range(979)) + "]]" * 10)
    assert rebuild(deep, name).exact
