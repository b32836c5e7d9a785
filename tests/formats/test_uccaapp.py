"""UCCAApp JSON: what is written comes back but for what the format is said to lose; `ucca.convert` agrees."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from official import check_agreement, only
from strategies import ODD_WORDS, graphs

from spacy_ucca.errors import FormatError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.roundtrip import count_losses
from spacy_ucca.formats.uccaapp import read_uccaapp, write_uccaapp
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.graph.categories import FOUNDATIONAL, LINKAGE, PUNCT
from spacy_ucca.text.spacing import without_spaces
from spacy_ucca.text.split import merge_roots


def again(graph: Graph) -> Graph:
    return only(write_uccaapp(graph))


def kept(graph: Graph) -> Graph:
    """RETURNS (Graph): What the format keeps of a graph, made by another way than writing it."""
    graph = merge_roots(graph)
    builder = GraphBuilder(graph.words, punct=graph.punct)
    number = {u: builder.add_unit(u.kind) for u in graph if u.kind not in (PUNCT, LINKAGE)}
    for unit in number:
        for edge in unit.edges:
            if edge.child in number:
                ends = number[unit], number[edge.child]
                builder.add_edge(*ends, *edge.categories, remote=edge.remote)
    for token, is_punct in enumerate(graph.punct):
        owner = graph.unit_of(token)
        while owner is not None and owner.kind == PUNCT:
            owner = owner.parent
        if is_punct:
            mark = builder.add_unit(PUNCT)
            builder.add_edge(number[owner or graph.root], mark, "U")
            builder.add_terminal(mark, token)
        elif owner is not None and not owner.is_root:
            builder.add_terminal(number[owner], token)
    return builder.build()


def test_example():
    """Every key by hand: a remote copy, an implicit unit, several categories, punctuation, a comment."""
    tokens = [
        {"id": 7 + i, "text": w, "index_in_task": i, "require_annotation": w != "."}
        for i, w in enumerate(["his", "dog", "left", "."])
    ]

    def unit(tree_id, parent, categories, indices, **more):
        return {
            **{"tree_id": tree_id, "parent_tree_id": parent, "type": "REGULAR", "comment": ""},
            **{"is_remote_copy": False, "cloned_from_tree_id": None},
            "categories": [{"name": c} if isinstance(c, str) else {"id": c} for c in categories],
            "children_tokens": [{"id": 7 + i} for i in indices],
            **more,
        }

    remote = {"is_remote_copy": True, "cloned_from_tree_id": "1-1-2"}
    task = {
        "tokens": tokens[::-1],
        "annotation_units": [
            unit("0", None, [], range(4)),
            unit("1-1-1-1", "1-1-1", ["Participant"], [1], **remote),
            unit("1", "0", ["Parallel Scene"], range(4)),
            unit("1-1", "1", ["A"], [0, 1], comment="whose?"),
            unit("1-1-1", "1-1", ["State", 5, "Uncertain"], [0]),
            unit("1-1-2", "1-1", ["Center", "Unanalyzable"], [1]),
            unit("1-2", "1", [6], [2]),
            unit("1-3", "1", ["Time"], [], type="IMPLICIT"),
        ],
        "project": {
            "layer": {
                **{"name": "Top", "categories": [{"id": 6, "name": "My Process", "parent": None}]},
                "parent": {
                    **{"name": "Base", "parent": None},
                    "categories": [
                        {"id": 5, "name": "Participant", "parent": {"name": "Center"}},
                    ],
                },
            }
        },
        **{"passage": {"id": 12, "external_id": "p1"}, "user": {"id": 3}, "id": 99},
    }
    graph = only(json.dumps(task))
    # A category spelled short is neither UCCA's name nor declared, but its abbreviation is known.
    expected = read_brackets(
        "[H [A [S|A his [A* =1]] [C#1 dog]] [My_Process left] [T IMPLICIT] [U .]]"
    )[0]
    assert graph.same_structure(expected) and graph.punct == expected.punct
    assert graph.details["id"] == "p1"
    xml = graph.details["xml"]
    assert xml["attributes"] == {"userID": "3", "annotationID": "99", "passageID": "12"}
    assert {"tree_id": "1-1", "remarks": "whose?"} in [e["extra"] for e in xml["units"].values()]
    assert [e for e in xml["edges"].values() if "attributes" in e] == [
        {
            "attributes": {"uncertain": "True"},
            "categories": [{}, {"layer_name": "Base", "parent_name": "C"}],
        }
    ]
    back = again(graph)
    assert back.same_structure(graph) and back.details["xml"]["attributes"] == xml["attributes"]
    assert "whose?" in str(back.details) and "Base" in str(back.details)
    assert "'uncertain': 'True'" in str(back.details) and "'parent_name': 'C'" in str(back.details)


def test_what_is_written():
    (graph,) = read_brackets(
        "[H [A#1 Tom] [P went] [A home ^,] [P IMPLICIT]] [H [A* =1] [P sat]] [U .]"
    )
    task = json.loads(write_uccaapp(graph))
    units = {u["tree_id"]: u for u in task["annotation_units"]}
    assert list(units) == ["0", "1", "1-1", "1-2", "1-3", "1-4", "2", "2-1", "2-2"]
    assert units["1-1"]["type"] == "IMPLICIT" and units["1-1"]["children_tokens"] == []
    names = {i: [c["name"] for c in u["categories"]] for i, u in units.items()}
    assert names["1-4"] == ["Unanalyzable", "Participant"] and names["1"] == ["Parallel Scene"]
    assert units["2-1"]["is_remote_copy"] and units["2-1"]["cloned_from_tree_id"] == "1-2"
    assert [t["text"] for t in units["0"]["children_tokens"]] == list(graph.words)
    assert [t["start_index"] for t in task["tokens"]] == [0, 4, 9, 14, 16, 20]
    assert [t["require_annotation"] for t in task["tokens"]] == [
        True,
        True,
        True,
        False,
        True,
        False,
    ]


def test_sample(sample):
    for graph in sample:
        back = again(graph)
        assert back.same_structure(kept(graph)) and back.punct == graph.punct
        assert back.same_structure(graph.without(linkage=True)) or any(
            graph.punct[i] and graph.unit_of(i).kind != PUNCT for i in range(len(graph.words))
        )
        assert back.details["id"] == graph.details["id"]


@settings(max_examples=60)
@given(graph=graphs(words=ODD_WORDS, max_roots=2).map(without_spaces))
def test_any_graph(graph):
    back = again(graph)
    assert back.same_structure(kept(graph)) and back.punct == graph.punct
    assert set(count_losses(without_spaces(back), again(back))) <= {
        "details"
    }  # tree ids of units that start alike


def test_a_number_as_a_comment():
    """`to_json` writes it so where the remark in XML looks like one."""
    task = json.loads(write_uccaapp(read_brackets("[H [P a]]")[0]))
    task["annotation_units"][1]["comment"] = 1.5
    assert "'remarks': '1.5'" in str(only(json.dumps(task)).details)


def test_several_tasks():
    tasks = [json.loads(write_uccaapp(g)) for g in read_brackets("[H [P a]]\n\n[H [P b]]")]
    assert [g.words for g in read_uccaapp(json.dumps(tasks))] == [("a",), ("b",)]


def test_agreement_on_the_sample(sample, convert):
    for graph in sample:
        if all(u.tokens() or u.is_implicit for u in graph if u.kind != LINKAGE):
            check_agreement(convert, graph)


GOOD = json.loads(write_uccaapp(read_brackets("[H [A#1 a] [P b]] [H [A* =1] [P c]] [U .]")[0]))


def broken(*path, value=None, drop=False) -> str:
    task = json.loads(json.dumps(GOOD))
    place = task
    for key in path[:-1]:
        place = place[key]
    if drop:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(task)


U = "annotation_units"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "UC115", "empty"),
        (json.dumps(GOOD)[:300], "UC702", "line 1, column"),
        ("{\n\n'a'}", "UC702", "line 3"),
        ("[" * 100_000, "UC702", "recursion"),
        ("3", "UC703", "a whole number stands where an object"),
        ("[3]", "UC703", "task 1"),
        ("{}", "UC704", "'tokens'"),
        (broken(U, drop=True), "UC704", "'annotation_units'"),
        (broken(U, value={}), "UC703", "annotation_units: an object stands where a list"),
        (broken("tokens", 0, "id", drop=True), "UC704", r"tokens\[0\]: 'id'"),
        (broken("tokens", 0, "text", value=5), "UC703", "text"),
        (broken("tokens", 0, "index_in_task", value=True), "UC703", "true or false"),
        (broken("tokens", 1, "id", value=1), "UC106", "token '1'"),
        (broken(U, 1, "tree_id", value="0"), "UC106", "unit '0'"),
        (broken(U, 1, "parent_tree_id", value=None), "UC705", "'0'"),
        (broken(U, 1, "parent_tree_id", value="9"), "UC706", "'9'"),
        (broken(U, 1, "parent_tree_id", value="1-1"), "UC111", "1 -> 1-1 -> 1|1-1 -> 1 -> 1-1"),
        (broken(U, 1, "type", value="X"), "UC107", "REGULAR, IMPLICIT"),
        (broken(U, 1, "categories", value=[]), "UC707", r"annotation_units\[1\]"),
        (broken(U, 1, "categories", value=[{"name": "Unanalyzable"}]), "UC707", ""),
        (broken(U, 1, "categories", value=[{"name": "Nonsense"}]), "UC708", "Nonsense"),
        (broken(U, 1, "categories", value=[{"id": 777}]), "UC708", "777"),
        (broken(U, 1, "children_tokens", value=[{"id": 777}]), "UC709", "777"),
        (broken(U, 5, "cloned_from_tree_id", value=None), "UC704", "cloned_from"),
        (broken(U, 5, "cloned_from_tree_id", value="9"), "UC108", "9"),
        (broken(U, 1, "type", value="IMPLICIT"), "UC114", "[Ii]mplicit"),
    ],
)
def test_bad_files_are_explained(text, code, message):
    with pytest.raises(FormatError, match=f"(?s){code}.*x.json.*{message}"):
        read_uccaapp(text, source="x.json")


def test_every_file_cut_short_is_explained():
    text = json.dumps(GOOD)
    for end in range(0, len(text) - 1, 7):
        with pytest.raises(FormatError, match=r"x\.json"):
            read_uccaapp(text[:end], source="x.json")


def test_kinds_of_the_example():
    assert Counter(u.kind for u in only(json.dumps(GOOD))) == {FOUNDATIONAL: 6, PUNCT: 1}
