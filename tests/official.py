"""Graphs as the official `ucca` package sees them, and agreement with it."""

import json
from collections import Counter

import pytest

from spacy_ucca.formats.passage import from_passage, to_passage
from spacy_ucca.formats.uccaapp import read_uccaapp, write_uccaapp
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.graph.categories import IMPLICIT, LINKAGE, TERMINAL


def only(text: str) -> Graph:
    (graph,) = read_uccaapp(text)
    return graph


def without_punctuation(graph: Graph) -> Graph:
    """RETURNS (Graph): The graph with punctuation attached to nothing, and no unit of it alone."""
    gone = {
        u
        for u in graph
        if u.kind not in (LINKAGE, IMPLICIT)
        and not (u.is_root or u.tokens(punct=False) or any(v.is_implicit for v in u.iter()))
    }
    builder = GraphBuilder(graph.words)
    number = {u: builder.add_unit(u.kind) for u in graph if u not in gone}
    for unit in number:
        for edge in unit.edges:
            if edge.child not in gone:
                ends = number[unit], number[edge.child]
                builder.add_edge(*ends, *edge.categories, remote=edge.remote)
        for token in unit.terminals:
            if not graph.punct[token]:
                builder.add_terminal(number[unit], token)
    return builder.build()


def units_of(task: dict) -> Counter:
    """RETURNS (Counter): The annotation units of a task, without what places them among their siblings."""
    by_id = {u["tree_id"]: u for u in task["annotation_units"]}

    def plain(comment):  # the ucca package takes a comment such as "1.10" for a number
        try:
            return float(comment)
        except ValueError:
            return comment

    def tokens(unit):
        return tuple(t["id"] for t in unit["children_tokens"])

    return Counter(
        (
            *(u["type"], u["is_remote_copy"], plain(u["comment"]), tokens(u)),
            # `to_json` has no eye for the marks of edges
            tuple((c["name"], c["slot"]) for c in u["categories"] if c["name"] != "Uncertain"),
            tokens(by_id[u["parent_tree_id"]]) if u["parent_tree_id"] else None,
            u["tree_id"].count("-"),
        )
        for u in task["annotation_units"]
    )


def check_agreement(convert, graph: Graph) -> None:
    """What either side writes, the other reads as the same, but for punctuation that `from_json` drops."""
    ours = write_uccaapp(graph)
    theirs = convert.to_json(to_passage(graph), return_dict=True)
    task = json.loads(ours)
    assert units_of(task) == units_of(theirs)
    assert [{**t} for t in task["tokens"]] == theirs["tokens"]
    read = only(json.dumps(theirs))
    assert read.same_structure(only(ours)) and read.details["id"] == str(graph.details["id"])
    external = bool(graph.details.get("xml", {}).get("attributes"))  # it needs some
    passage = next(convert.from_json([ours], by_external_id=external))
    found = from_passage(passage)
    assert found.words == graph.words and found.punct == graph.punct
    assert found.details["id"] == graph.details["id"]
    assert without_punctuation(found).same_structure(without_punctuation(only(ours)))


def passage(graph: Graph):
    """The graph as the `ucca` package's own value."""
    core = pytest.importorskip("ucca.core")
    layer0, layer1 = pytest.importorskip("ucca.layer0"), pytest.importorskip("ucca.layer1")
    found = core.Passage("1")
    tokens = layer0.Layer0(found)
    layer = layer1.Layer1(found)
    terminals = [tokens.add_terminal(w, p) for w, p in zip(graph.words, graph.punct, strict=True)]
    classes = {
        "FN": layer1.FoundationalNode,
        "IMPLICIT": layer1.FoundationalNode,
        "PNCT": layer1.PunctNode,
        "LKG": layer1.Linkage,
    }
    nodes = {graph.root: layer.heads[0]}
    for unit in graph:
        if unit not in nodes:
            kind = "FN" if unit.is_implicit else unit.kind
            attributes = {"implicit": True} if unit.is_implicit else None
            nodes[unit] = classes[unit.kind](layer.next_id(), found, kind, attributes)
    for unit in graph:
        for edge in unit.edges:
            attributes = {"remote": True} if edge.remote else None
            tags = [(c,) for c in edge.categories]
            nodes[unit].add_multiple(tags, nodes[edge.child], edge_attrib=attributes)
        for token in unit.terminals:
            nodes[unit].add(TERMINAL, terminals[token])
    return found
