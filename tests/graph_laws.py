"""Laws that hold for every valid graph: what a writer writes its reader reads, and nothing ends in a traceback."""

import csv
import io
import json
import re
from collections.abc import Callable
from xml.etree import ElementTree

from spacy_ucca.conversion.bilexical import from_bilexical, to_bilexical
from spacy_ucca.conversion.constituency import from_constituency, remote_edges, to_constituency
from spacy_ucca.drawing.page_comparison import render_comparison
from spacy_ucca.drawing.render import render_svg
from spacy_ucca.drawing.tree import render_tree
from spacy_ucca.errors import GraphError, UccaError
from spacy_ucca.formats.conll import iter_conll
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.formats.rows import clean
from spacy_ucca.formats.sdp import iter_sdp
from spacy_ucca.graph import Graph
from spacy_ucca.graph.categories import (
    CATEGORY_NAMES,
    FOUNDATIONAL,
    IMPLICIT,
    LINKAGE,
    TERMINAL,
    join_categories,
)
from spacy_ucca.metric.mrp import compare_mrp
from spacy_ucca.metric.score import score_pair
from spacy_ucca.rules.linkage import add_linkage
from spacy_ucca.rules.repair import repair
from spacy_ucca.rules.validate import validate_graph
from spacy_ucca.text.spacing import GAP, find_places, without_spaces
from spacy_ucca.text.split import merge_roots, split_paragraphs, split_sentences
from spacy_ucca.text.statistics import count_corpus

Items = set[tuple]
PLAIN = frozenset(CATEGORY_NAMES) - {TERMINAL}  # what all formats hold


def check_format(name: str, graph: Graph) -> bool:
    """Write a graph, read it, and compare it with what the format says that it keeps.

    name (str): The format.
    graph (Graph): The graph.
    RETURNS (bool): Whether the format can hold the graph; else it was refused before anything was written.
    """
    entry = FORMATS[name]
    try:
        text = entry.write(graph)
    except UccaError as err:
        assert re.match(r"\[UC(171|800)\]", str(err)), err
        plain = all(
            c in PLAIN for edge in graph.edge_tuples for c in edge.categories if edge.child >= 0
        )
        assert (
            not plain
            or not without_spaces(graph).words
            or any(e.categories != (TERMINAL,) for e in graph.edge_tuples if e.child < 0)
        )
        return False
    if not entry.reads:
        WRITTEN[name](text, without_spaces(graph))
        return True
    if name in BILEXICAL and not without_spaces(graph).words:
        return False  # no rows: `convert` refuses it
    (back,) = read(name, text)
    LAWS[name](graph, back, text)
    if "id" in graph.details and name not in ("brackets", "penn"):
        kept = graph.details["id"]
        held = kept if name in ("xml", "jsonl", "mrp", "uccaapp") else column(kept, empty="")
        assert not held or back.details["id"] == held
    unstable = {
        "mrp": names_linkage(graph),
        # Words of the root come back as attached to nothing, so white space is none at the second time; what is under
        # punctuation is no unit then
        "uccaapp": any(word.isspace() for word in graph.words) or has_filled_punctuation(graph),
        # Linkage under other units comes back as linkage at the end, and gets other numbers
        "penman": any(unit.parent is not None for unit in graph.linkages),
    }.get(name, False)
    if name not in BILEXICAL and not unstable:
        again = entry.write(back)
        assert entry.write(read(name, again)[0]) == again
    if entry.items != "file":
        both = read(name, text + entry.separator + text)
        assert len(both) == 2 and all(one.same_structure(back) for one in both)
    return True


def read(name: str, text: str) -> list[Graph]:
    """RETURNS (List[Graph]): The graphs of a file with that text."""
    data = text.encode("utf8")
    return FORMATS[name].read(data if FORMATS[name].binary else data.decode("utf-8-sig"))


def column(word: str, *, blanks: str = r"[ \t\n\r\v\f]", empty: str = "_") -> str:
    return re.sub(blanks, "_", word) or empty


def tabbed(word: str) -> str:
    """What a column between tabs holds of a word."""
    word = re.sub(r"[\t\n\r]", " ", word)
    return word if word.strip(" \v\f") else word.replace(" ", "_") or "_"


# What formats keep


def keeps_all(graph: Graph, back: Graph, text: str) -> None:
    assert back == graph and back.details == graph.details


def keeps_xml(graph: Graph, back: Graph, text: str) -> None:
    expected = merge_roots(without_spaces(graph))
    assert back.same_structure(expected)
    assert back.punct == expected.punct and back.paragraphs == expected.paragraphs
    assert back.guidelines == graph.guidelines


def keeps_brackets(graph: Graph, back: Graph, text: str) -> None:
    assert back.same_structure(graph)
    assert back.punct == graph.punct and back.paragraphs == graph.paragraphs


def keeps_penman(graph: Graph, back: Graph, text: str) -> None:
    graph = merge_roots(without_spaces(graph))
    edges = [e if e.child >= 0 else e._replace(categories=(TERMINAL,)) for e in graph.edge_tuples]
    words = tuple(map(column, graph.words))
    expected = Graph(words, graph.kinds, edges, punct=graph.punct)
    idle = {u.index for u in expected.linkages if not u.edges}
    if not idle and expected.roots:
        assert back.same_structure(expected) and back.punct == expected.punct


def keeps_export(graph: Graph, back: Graph, text: str) -> None:
    graph = without_spaces(graph)
    above = {edge.parent for edge in graph.edge_tuples}
    kinds = []
    for unit, kind in enumerate(graph.kinds):
        if kind in (FOUNDATIONAL, IMPLICIT):
            childless = unit not in above and graph.index.parent_edge[unit] >= 0
            kind = IMPLICIT if childless else FOUNDATIONAL
        kinds.append(kind)
    words = tuple(map(column, graph.words))
    assert back.same_structure(Graph(words, kinds, graph.edge_tuples))
    assert back.punct == graph.punct


def keeps_mrp(graph: Graph, back: Graph, text: str) -> None:
    graph, back = graph.without(linkage=True), back.without(linkage=True)
    loose = [graph.words[i] for i, edge in enumerate(graph.index.token_edge) if edge < 0]
    if all(word.split() == [word] for word in loose):
        assert back.words == graph.words
        if not names_linkage(graph):
            assert edge_items(back) == edge_items(graph)


def keeps_uccaapp(graph: Graph, back: Graph, text: str) -> None:
    graph = merge_roots(without_spaces(graph))
    assert back.words == graph.words and back.punct == graph.punct
    kept, found = (edge_items(one, punct=False) for one in (graph, back))
    assert {item for item in kept if item[1] != "U"} == {item for item in found if item[1] != "U"}


def keeps_penn(graph: Graph, back: Graph, text: str) -> None:
    graph = without_spaces(graph)
    assert back.words == graph.words
    if not any(unit.terminals for unit in graph.linkages):
        assert primary_items(back) == primary_items(graph)


def keeps_arcs(graph: Graph, back: Graph, text: str) -> None:
    """CoNLL-X and CoNLL-U: all arcs; the second one says once what stands there twice."""
    bilexical = to_bilexical(without_spaces(graph))
    (found,) = iter_conll(text.split("\n"))
    assert found.words == back.words == tuple(map(tabbed, bilexical.words))
    assert found.punct == bilexical.punct
    assert {a[:3] for a in found.arcs} == {a[:3] for a in bilexical.arcs}
    if "# text =" not in text:  # CoNLL-U has no stars: the first head is the primary one
        assert set(found.arcs) == set(bilexical.arcs)


def keeps_sdp(graph: Graph, back: Graph, text: str) -> None:
    bilexical = to_bilexical(without_spaces(graph))
    (found,) = iter_sdp(text.split("\n"))
    assert found.words == back.words == tuple(map(tabbed, bilexical.words))
    assert {a[:2] for a in found.arcs} >= {a[:2] for a in bilexical.arcs}
    assert {a for a in found.arcs if a.head >= 0} <= set(bilexical.arcs)


def check_dot(text: str, graph: Graph) -> None:
    """All that is no quoted string is of a few words: no word or category gets out of its quotes."""
    rest = re.sub(r'"(?:\\.|[^"\\])*"', "", text, flags=re.DOTALL)
    known = (
        "digraph|node|edge|rank|same|shape|point|box|label|style|invis|dashed|plaintext|arrowsize"
    )
    assert not re.sub(rf"\b(?:{known}|[ut]\d+|0\.6)\b|[\s{{}}\[\];=,>-]", "", rest)
    assert text.count(" -> u") >= sum(edge.child >= 0 for edge in graph.edge_tuples)


def check_amr(text: str, graph: Graph) -> None:
    """The reader of PENMAN finds in words as concepts what it finds without them, and white space of words in the text."""
    (back,), (plain,) = read("penman", text), read("penman", FORMATS["penman"].write(graph))
    assert tuple(clean(word, spaces=True) for word in back.words) == plain.words
    assert back.replace(words=plain.words).same_structure(plain) and back.punct == plain.punct
    assert {**back.details, "text": ""} == {**plain.details, "text": ""}


def check_scenes(text: str, graph: Graph) -> None:
    """Each Scene has a line, and each offset is where its words are."""
    records = [json.loads(line) for line in text.split("\n")[:-1]]
    assert [record["unit"] for record in records] == [scene.index for scene in graph.scenes]
    places = find_places(graph)
    for record in records:
        for item in (record, record["relation"], *record["participants"]):
            assert GAP.join(places.text[a:b] for a, b in item["offsets"]) == item["text"]


def check_csv(text: str, graph: Graph) -> None:
    """Each Scene whose relation has words is a row of as many cells as there are names, in a line of its own."""
    names, *rows = csv.reader(io.StringIO(text))
    assert all(len(row) == len(names) for row in rows) and text.count("\n") == len(rows) + 1
    found = [int(row[names.index("scene")]) for row in rows]
    assert found == sorted({*found}) and {*found} <= {*range(len(graph.scenes))}
    worded = {i for i, scene in enumerate(graph.scenes) if scene.main_relation.tokens()}
    assert worded <= {*found}


WRITTEN = {"dot": check_dot, "amr": check_amr, "scenes": check_scenes, "csv": check_csv}
LAWS: dict[str, Callable[[Graph, Graph, str], None]] = {
    **{"jsonl": keeps_all, "xml": keeps_xml, "brackets": keeps_brackets, "penman": keeps_penman},
    **{"export": keeps_export, "mrp": keeps_mrp, "uccaapp": keeps_uccaapp, "penn": keeps_penn},
    **{"conll": keeps_arcs, "conllu": keeps_arcs, "sdp": keeps_sdp},
}
BILEXICAL = ("conll", "conllu", "sdp")


def edge_items(graph: Graph, *, punct: bool = True) -> Items:
    """RETURNS (Set[Tuple]): The tokens under the edges between units, with each category."""
    items = set()
    for edge in graph.edges:
        tokens = edge.child.tokens(punct=punct)
        if tokens and edge.parent.kind != LINKAGE and edge.child.kind != LINKAGE:
            items.update((tokens, category, edge.remote) for category in edge.categories)
    return items


def names_linkage(graph: Graph) -> bool:
    """RETURNS (bool): Whether MRP may take units for linkage: it tells them by the categories."""
    return any(c in ("LR", "LA") for edge in graph.edge_tuples for c in edge.categories)


def has_filled_punctuation(graph: Graph) -> bool:
    """RETURNS (bool): Whether a unit of punctuation has units under it."""
    return any("U" in unit.categories and unit.children for unit in graph.units)


def primary_items(graph: Graph) -> Items:
    units = [u for u in graph.units if u.kind != LINKAGE and u.tokens() and not u.is_root]
    return {(unit.tokens(), join_categories(unit.categories)) for unit in units}


# What else is done with graphs


def check_uses(graph: Graph) -> None:
    """Draw, compare, score, divide, convert, check and repair a graph."""
    ElementTree.fromstring(render_svg(graph))
    render_tree(graph)
    render_comparison(graph, graph)
    counts = score_pair(graph, graph).tally()
    assert counts.f1 in (0.0, 1.0) and counts.precision == counts.recall
    assert compare_mrp(graph, graph).tally().f1 in (0.0, 1.0)
    assert graph.same_structure(graph.replace())
    assert Graph.from_record(graph.to_record()) == graph
    assert ([unit.index for unit in graph.units] and len({*graph.units}) == len(graph)) or not graph
    for divide in (split_paragraphs, split_sentences):
        try:
            parts = divide(graph)
        except UccaError:
            assert not graph.edge_tuples
        else:
            assert tuple(word for part in parts for word in part.words) == graph.words
    assert len(merge_roots(graph).roots) <= 1 and merge_roots(graph).words == graph.words
    for option in ("remotes", "implicit", "linkage"):
        graph.without(**{option: True})
    assert count_corpus([graph]).sizes["tokens"] == len(graph.words)
    validate_graph(graph)
    assert repair(graph).words == graph.words
    add_linkage(graph)
    for unit in graph.units:
        _ = unit.scene, unit.host, unit.main_relation, unit.minimal_center, unit.text, unit.head
        unit.ranges(remotes=True)
    for convert in (arcs_and_back, tree_and_back):
        try:
            convert(graph)
        except GraphError as err:
            assert re.match(r"\[UC(731|800)\]", str(err)), err


def arcs_and_back(graph: Graph) -> Graph:
    return from_bilexical(to_bilexical(graph))


def tree_and_back(graph: Graph) -> Graph:
    return from_constituency(to_constituency(graph), remote_edges(graph))
