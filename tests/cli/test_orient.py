"""`spacy-ucca links` and `spacy-ucca orient`, agreement with dependency trees, and pictures."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli_runs import run
from hypothesis import given
from link_graphs import TRIANGLE, link_graphs, make

from spacy_ucca.conversion.graph import ROOT, Arc, BilexicalGraph, Token
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.conll import format_conllu, iter_conllu
from spacy_ucca.formats.sdp import iter_sdp
from spacy_ucca.link_grammar.agreement import Agreement, format_labels, link_kinds, tree_kinds
from spacy_ucca.link_grammar.directions import count_directions, orient
from spacy_ucca.link_grammar.link_grammar import LinkGrammar, format_links, read_links
from spacy_ucca.link_grammar.links import LinkGraph
from spacy_ucca.link_grammar.properties import broken_properties
from spacy_ucca.sdp_parser.arcs import picture_width, render_arcs

TOKENS = tuple(map(Token, ("Jill", "likes", "to", "skip")))
# Links with directions, and a tree
GRAPH = BilexicalGraph(
    TOKENS,
    (
        Arc(ROOT, 0, "Wd"),
        Arc(ROOT, 1, "WV"),
        Arc(1, 0, "Ss"),
        Arc(1, 2, "TO"),
        Arc(2, 3, "I"),
        Arc(1, 3, "IV"),
    ),
    id="s",
)
TREE = BilexicalGraph(
    TOKENS,
    (Arc(ROOT, 1, "root"), Arc(1, 0, "nsubj"), Arc(3, 2, "mark"), Arc(1, 3, "xcomp")),
    id="s",
)


def write_links(path: Path, *graphs: LinkGraph) -> Path:
    path.write_text("\n".join(map(format_links, graphs)), "utf8")
    return path


@pytest.fixture(scope="module")
def needs_link_grammar():
    try:
        LinkGrammar("en").close()
    except UccaError as err:
        pytest.skip(str(err))


# Agreement


def test_kinds():
    assert link_kinds(GRAPH, TREE) == ["several", "same", "same", "other", "opposite", "same"]
    assert tree_kinds(GRAPH, TREE) == ["same", "same", "opposite", "same"]


def test_agreement():
    found = Agreement()
    found.add(GRAPH, TREE)
    assert found.to_dict() == {
        "sentences": 1,
        "links": 6,
        "arcs": 4,
        "arcs_matched": 1,
        "links_matched": pytest.approx(4 / 6),
        "same_direction": 0.75,
        "relation_known": 1,
    }
    assert found.relations["Ss"] == {"nsubj": 1} and "TO" not in found.relations
    words = Agreement(words_only=True)
    words.add(GRAPH, TREE)
    assert (words.to_dict()["links"], words.to_dict()["arcs"]) == (4, 3)
    assert Agreement().to_dict()["arcs_matched"] == 0
    with pytest.raises(UccaError, match="UC910"):
        found.add(GRAPH, BilexicalGraph(TOKENS[:2]))


def test_table_of_labels():
    """Several relations of a label, the commonest first, without rare ones."""
    found = Agreement()
    for relation, n in (("advmod", 90), ("nsubj", 200), ("obj", 1)):
        tree = BilexicalGraph(TOKENS, (Arc(ROOT, 1, "root"), Arc(1, 0, relation)))
        for _ in range(n):
            found.add(GRAPH, tree)
    directions = count_directions([GRAPH] * 291)
    header, *rows = (
        line.split("\t") for line in format_labels([*directions.values()], {"x": found})
    )
    assert header[-2:] == ["matched_x", "relations_x"] and len(rows) == len(directions)
    by_label = {row[0]: row[1:] for row in rows}
    assert by_label["Ss"] == ["left", "291", "left", "100.0", "291", "nsubj 68.7, advmod 30.9"]
    assert by_label["TO"][-2:] == ["0", "_"]
    assert [len(line.split("\t")) for line in format_labels([*directions.values()], {})] == [5] * 7


@given(link_graphs())
def test_a_graph_agrees_with_itself(graph):
    tree = graph.oriented().tree()
    arcs = {arc[:2] for arc in tree.arcs}
    kinds = link_kinds(tree, tree)
    assert set(kinds) <= {"same"} and len(kinds) == len(tree.arcs) >= len(arcs)


# Pictures


@pytest.mark.parametrize(
    "words",
    [["Jill", "likes", "to", "skip"], ["😀", "<b>", "\x01", "&"], ["هذا", "نص", "في", "سطر"]],
)
@pytest.mark.parametrize("tree", [TREE, None])
def test_pictures(words, tree):
    tokens = tuple(map(Token, words))
    graph = BilexicalGraph(tokens, GRAPH.arcs)
    text = render_arcs(graph, tree and BilexicalGraph(tokens, tree.arcs))
    svg = ElementTree.fromstring(text)
    lines = [e for e in svg.iterfind(".//{*}path") if e.get("fill") == "none"]
    assert len(lines) == len(GRAPH.arcs) + (len(TREE.arcs) if tree else 0)
    assert float(svg.get("width")) == pytest.approx(
        picture_width(graph, tree and BilexicalGraph(tokens, tree.arcs)), abs=1
    )
    if tree:
        styles = [(e.get("stroke-width"), "stroke-dasharray" in e.attrib) for e in lines]
        assert styles[:4] == [("1.4", False)] * 4
        assert styles[4:] == [
            ("3.0", False),
            ("1.4", False),
            ("1.4", False),
            ("1.4", True),
            ("3.0", False),
            ("1.4", False),
        ]


def test_guessed_and_dropped_words_in_pictures():
    tokens = (*TOKENS, Token("of"))
    graph = BilexicalGraph(tokens, GRAPH.arcs)
    tags = (".f", "[!].v-d", "", ".v", "")
    svg = ElementTree.fromstring(render_arcs(graph, None, tags))
    words = [e.text for e in svg.iterfind(".//{*}text") if e.get("font-size") == "15"]
    assert words == ["ROOT", "Jill", "likes[!]", "to", "skip", "[of]"]
    small = [e.text for e in svg.iterfind(".//{*}text") if e.get("font-size") == "11"]
    assert small[:6] == [None, "f", "v-d", "-", "v", "-"]
    assert float(svg.get("width")) == pytest.approx(picture_width(graph, None, tags), abs=1)
    assert picture_width(graph, None, tags) >= picture_width(graph)


def test_pictures_of_other_tokens():
    with pytest.raises(UccaError, match="UC910"):
        render_arcs(GRAPH, BilexicalGraph(TOKENS[:2]))


@given(link_graphs(max_tokens=6))
def test_arcs_stay_in_the_picture_and_levels_do_not_collide(graph):
    svg = ElementTree.fromstring(render_arcs(graph.oriented()))
    width, height = float(svg.get("width")), float(svg.get("height"))
    for label in svg.iterfind(".//{*}text"):
        assert 0 <= float(label.get("x")) <= width and 0 <= float(label.get("y")) <= height


# The commands


def test_orient(tmp_path):
    left = make(2, (ROOT, 1, "WV"), (0, 1, "S"))
    left, whole = (
        LinkGraph(graph.tokens, graph.links, name) for graph, name in ((left, "a"), (TRIANGLE, "b"))
    )
    dropped = LinkGraph(make(3).tokens, left.links, "c")
    apart = LinkGraph(make(3).tokens, ((*left.links[1:],)), "d")
    path = write_links(tmp_path / "l.conllu", left, whole, dropped, apart)
    tree = (Arc(ROOT, 1, "root"), Arc(1, 0, "nsubj|pass"))
    trees = [BilexicalGraph(g.tokens, tree, id=g.id) for g in (left, whole)]
    trees.append(BilexicalGraph(dropped.tokens, (*tree, Arc(1, 2, "obj")), id="c"))
    ud = tmp_path / "ud.conllu"
    ud.write_text("\n".join(map(format_conllu, trees)))
    result = run(
        *("orient", path, tmp_path / "o", "--ud", ud, "--pictures", 1),
        *("--json", tmp_path / "f.json", "--progress"),
    )
    figures = json.loads((tmp_path / "f.json").read_text())
    assert figures["sentences"] == 4 and figures["connected"] == 3 and figures["complete"] == 2
    assert figures["statuses"]["disconnected"] == 1 and figures["broken"] == {}
    assert figures["directions"]["sentences"] == 3 and figures["directions"]["gap"] == 0
    for scheme in ("ud", "conll"):
        assert figures["agreement"][scheme]["all"]["same_direction"] == 1
    assert figures["whole"] == 1 and figures["multi_headed"] == 0.5
    assert "multi-headed token, %" in result.stderr
    graphs = list(iter_conllu((tmp_path / "o" / "graphs.conllu").open()))
    assert [graph.id for graph in graphs] == ["a", "b"]
    assert not any(map(broken_properties, graphs))
    assert {arc[:3] for arc in graphs[1].arcs} == {(ROOT, 0, "Wd"), (ROOT, 1, "WV"), (1, 0, "S")}
    sdp = list(iter_sdp((tmp_path / "o" / "graphs.sdp").open()))
    assert [graph.tops for graph in sdp] == [(1,), (0, 1)]
    header, *rows = (tmp_path / "o" / "labels.tsv").read_text().splitlines()
    assert header.split("\t")[:3] == ["label", "direction", "count"]
    same = ["2", "nsubj:pass 100.0"]
    assert rows[0].split("\t") == ["S", "left", "3", "left", "100.0", *same, *same]
    assert (tmp_path / "o" / "pictures" / "001.svg").exists()


def test_orient_with_dropped_tokens_and_as_published(tmp_path):
    graph = make(3, (ROOT, 1, "WV"), (0, 1, "S"))
    path = write_links(tmp_path / "l.conllu", graph, TRIANGLE)
    run("orient", path, tmp_path / "o", "--incomplete", "--method", "as-published", "--limit", 1)
    (found,) = iter_conllu((tmp_path / "o" / "graphs.conllu").open())
    assert [arc[:2] for arc in found.arcs] == [(1, 0), (ROOT, 1)] and len(found.tokens) == 3


def test_links_that_cross_are_told(tmp_path):
    graph = make(3, (ROOT, 1, "W"), (0, 1, "S"), (0, 2, "O"), (1, 2, "P"))
    crossing = make(3, (ROOT, 1, "W"), (0, 2, "O"), (0, 1, "S"), (ROOT, 2, "W"))
    path = write_links(tmp_path / "l.conllu", graph, crossing)
    result = run("orient", path, tmp_path / "o")
    assert "WARNING: not planar" in result.stderr and "WARNING: not acyclic" not in result.stderr


def test_baselines_and_stability(tmp_path):
    graphs = [
        LinkGraph(graph.tokens, graph.links, f"{i}{name}", tags=tags)
        for i in range(8)
        for graph, name, tags in (
            (TRIANGLE, "a", ("[!].n", "")),
            (make(2, (ROOT, 1, "WV"), (0, 1, "S")), "b", ()),
            (make(3, (ROOT, 1, "WV"), (0, 1, "S")), "c", ()),
        )
    ]
    path = write_links(tmp_path / "l.conllu", *graphs)
    found = {}
    for method in ("program", "depth-first", "rightward"):
        options = ("--stability", "--json", tmp_path / "f.json", "--pictures", 4, "--incomplete")
        run("orient", path, tmp_path / method, "--method", method, *options)
        found[method] = json.loads((tmp_path / "f.json").read_text())
    assert [found[name]["whole"] for name in found] == [1, 1, 0.5]
    assert [found[name]["broken"] for name in found] == [{}, {}, {"reachable": 8}]
    assert (
        found["program"]["directions"]["objective"]
        < found["depth-first"]["directions"]["objective"]
    )
    assert [*found["program"]["stability"]] == ["1/2", "1/4", "1/8", "1/16"]
    assert found["program"]["stability"]["1/2"] == {"sentences": 12, "precision": 1, "recall": 1}
    pictures = [(tmp_path / "program" / "pictures" / f"00{i}.svg").read_text() for i in (1, 3)]
    assert ">w0[!]<" in pictures[0] and ">[w2]<" not in pictures[1]  # without tags, no marks


def test_files_without_dependencies_are_not_compared_with(tmp_path):
    path = write_links(tmp_path / "l.conllu", TRIANGLE)
    other = tmp_path / "text.conllu"
    other.write_text(format_conllu(BilexicalGraph(TRIANGLE.tokens)))
    result = run("orient", path, tmp_path / "o", "--ud", other, "--json", tmp_path / "f.json")
    assert "text.conllu has no dependencies" in result.stderr
    assert "agreement" not in json.loads((tmp_path / "f.json").read_text())


def test_mistakes_of_orient(tmp_path):
    path = write_links(tmp_path / "graphs.conllu", TRIANGLE)
    assert "UC518" in run("orient", path, tmp_path, code=1).stderr
    assert "does not exist" in run("orient", tmp_path / "no", tmp_path, code=2).stderr
    other = tmp_path / "ud.conllu"
    other.write_text(format_conllu(TREE))
    assert "UC911" in run("orient", path, tmp_path / "o", "--ud", other, code=1).stderr
    other.write_text(format_conllu(BilexicalGraph(TOKENS[:2], (Arc(0, 1, "obj"),))))
    assert "UC910" in run("orient", path, tmp_path / "o", "--ud", other, code=1).stderr
    half = BilexicalGraph(TRIANGLE.tokens, (Arc(ROOT, 0, "root"),))
    other.write_text(format_conllu(half))
    assert "UC912" in run("orient", path, tmp_path / "o", "--ud", other, code=1).stderr
    other.write_bytes(b"\x00\xff")
    assert "UC117" in run("orient", path, tmp_path / "o", "--ud", other, code=1).stderr
    assert "UC117" in run("orient", other, tmp_path / "o", code=1).stderr
    write_links(path, make(2, (0, 1, "S")))
    assert "UC904" in run("orient", path, tmp_path / "o", code=1).stderr
    path.write_text("no columns\n")
    assert "line 1" in run("orient", path, tmp_path / "o", code=1).stderr
    write_links(path, TRIANGLE)
    assert (
        "UC909"
        in run(
            *("orient", path, tmp_path / "o", "--method", "as-published"),
            *("--time-limit", 0),
            code=1,
        ).stderr
    )


@pytest.mark.usefixtures("needs_link_grammar")
def test_links(tmp_path):
    text = tmp_path / "t.txt"
    text.write_text("Jill likes to skip. She skips.\n\nHe of of the sleeps. 😀\n")
    result = run("links", text, tmp_path / "l.conllu", "--json", tmp_path / "f.json", "--progress")
    figures = json.loads((tmp_path / "f.json").read_text())
    assert figures["sentences"] == figures["connected"] == 4
    assert figures["complete"] == 3 and "dropped    1  25.0%" in result.stderr
    run("orient", tmp_path / "l.conllu", tmp_path / "o")
    graphs = list(iter_conllu((tmp_path / "o" / "graphs.conllu").open()))
    assert [graph.id for graph in graphs] == ["t-1", "t-2", "t-4"]
    run("links", text, tmp_path / "m.conllu", "--lines", "--limit", 1, "--n-process", 2)
    (found,) = iter_conllu((tmp_path / "m.conllu").open())
    assert len(found.tokens) == 8
    again = run("links", tmp_path / "l.conllu", tmp_path / "n.conllu")  # its own files are CoNLL-U
    assert "sentences  4" in again.stderr
    assert (tmp_path / "n.conllu").read_text() == (tmp_path / "l.conllu").read_text()
    run("links", "-", tmp_path / "p.conllu", input="Jill skips.")


@pytest.mark.usefixtures("needs_link_grammar")
def test_mistakes_of_links(tmp_path):
    text = tmp_path / "t.txt"
    text.write_text(" \n\n")
    assert "UC115" in run("links", text, tmp_path / "l.conllu", code=1).stderr
    text.write_bytes(b"caf\xe9")
    assert "UC507" in run("links", text, tmp_path / "l.conllu", code=1).stderr
    text.write_text("Ha.")
    assert "UC902" in run("links", text, tmp_path / "l.conllu", "--lang", "hu", code=1).stderr
    assert "UC902" in run("links", text, tmp_path / "l.conllu", "--lang", "q%", code=1).stderr
    same = write_links(tmp_path / "l.conllu", TRIANGLE)
    assert "UC518" in run("links", same, same, code=1).stderr
    assert "does not exist" in run("links", tmp_path / "no", same, code=2).stderr


@pytest.mark.slow
def test_sentences_of_a_treebank(ewt_links):
    """Real parses: the plain program finds what the reduced one does, and all graphs are as they should be."""
    graphs = [parse.graph for parse in read_links(ewt_links) if parse.is_connected]
    assert len(graphs) > 40 and all(graph.is_planar for graph in graphs)
    for size in (5, 20):
        plain, reduced = orient(graphs[:size], plain=True), orient(graphs[:size])
        assert plain.objective == pytest.approx(reduced.objective)
    found = orient(graphs)
    assert found.gap < 1e-9
    whole = [g for g, links in zip(found.graphs, graphs) if links.is_complete]
    assert not any(map(broken_properties, whole))


@pytest.fixture(scope="module")
def ewt_links(needs_link_grammar, corpora, tmp_path_factory):
    path = tmp_path_factory.mktemp("links") / "ewt.conllu"
    source = corpora / "UD_English-EWT" / "en_ewt-ud-dev.conllu"
    run("links", source, path, "--limit", 60, "--timeout", 5)
    return path
