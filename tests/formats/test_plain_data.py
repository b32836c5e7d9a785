"""Graphs as JSON, data frames, NetworkX and Arrow: they come back as they were, and what is missing or wrong is named."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_graphs import odd_graphs
from spacy.tokens import Doc
from spacy.vocab import Vocab
from strategies import ODD_WORDS, graphs

from spacy_ucca.errors import GraphError, UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.files import find_files
from spacy_ucca.formats.records import read_jsonl, write_jsonl
from spacy_ucca.formats.scenes import scene_numbers
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import Graph
from spacy_ucca.text.spacing import GAP, find_places, token_runs
from spacy_ucca.training.corpus import graph_to_doc

WAYS = ("json", "pandas", "networkx", "arrow")
PACKAGES = {"pandas": "pandas", "networkx": "networkx", "arrow": "pyarrow"}
BRACKETS = "# id = 1\n[L After] [H [P graduation] [A* =j]] [U ,] [H [A#j John] [P moved] [A [R to] [C Paris]]] [U .]"


def skip_without(way: str) -> None:
    if way in PACKAGES:
        pytest.importorskip(PACKAGES[way])


def there(way: str, graph: Graph, doc: Doc | None = None) -> Any:
    return getattr(graph, f"to_{way}")(doc)


def back(way: str, data: Any) -> Graph:
    return getattr(Graph, f"from_{way}")(data)


def check_round_trip(way: str, graph: Graph, doc: Doc | None = None) -> None:
    again = back(way, there(way, graph, doc))
    assert again == graph
    assert again.scores == graph.scores and again.guidelines == graph.guidelines


@settings(max_examples=60)
@given(graph=graphs(words=ODD_WORDS, max_roots=3))
def test_records_are_read_too(graph: Graph):
    record = json.loads(json.dumps(graph.to_record()))
    assert Graph.from_json(record) == Graph.from_record(record)
    assert Graph.from_json(json.loads(write_jsonl(graph))).same_structure(graph)
    with pytest.raises(UccaError, match=r"UC661.*'punct' is missing.*to_json"):
        Graph.from_json({name: value for name, value in record.items() if name != "punct"})


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=60)
@given(graph=graphs(words=ODD_WORDS, max_roots=3), data=st.data())
def test_random_graphs_come_back(way: str, graph: Graph, data: st.DataObject) -> None:
    skip_without(way)
    numbers = st.dictionaries(st.integers(0, 9), st.floats(0, 1), max_size=3)
    scores = {i: s for i, s in data.draw(numbers).items() if i < len(graph.edge_tuples)}
    check_round_trip(way, graph.replace(scores=scores, details={"guidelines": "v1", "x": [1]}))


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=60)
@given(graph=odd_graphs())
def test_odd_graphs_come_back_or_are_refused(way: str, graph: Graph) -> None:
    skip_without(way)
    try:
        there(way, graph)
    except UccaError as err:  # a label cannot hold a category, a word has half of a character
        assert "UC171" in str(err) or "UC719" in str(err)
    else:
        check_round_trip(way, graph)


@pytest.mark.parametrize("way", WAYS)
def test_gold_graphs_come_back_with_and_without_their_doc(way: str, sample: list[Graph]) -> None:
    skip_without(way)
    for graph in sample:
        check_round_trip(way, graph)
        check_round_trip(way, graph, graph_to_doc(graph, Vocab()))


@pytest.mark.parametrize("way", WAYS)
def test_corpora_come_back(way: str, corpora: Path) -> None:
    skip_without(way)
    for name in ("UCCA_English-EWT", "UCCA_English-Wiki-1.2", "UCCA_German-20K"):
        for path in find_files([corpora / name], "xml")[::60]:
            check_round_trip(way, read_xml(path))


@pytest.mark.parametrize("way", WAYS)
def test_a_doc_of_other_tokens_is_refused(way: str) -> None:
    skip_without(way)
    (graph,) = read_brackets(BRACKETS)
    for words in (["After"], ["x"] * 8):
        with pytest.raises(UccaError, match=r"UC201"):
            there(way, graph, Doc(Vocab(), words=words))


@given(graph=graphs(words=ODD_WORDS, max_roots=2))
@settings(max_examples=60)
def test_offsets_are_where_the_words_are(graph: Graph) -> None:
    data = graph.to_json()
    assert json.loads(json.dumps(data)) == data
    for token, word in zip(data["tokens"], graph.words, strict=True):
        assert data["text"][token["start"] : token["end"]] == word
    places = find_places(graph)
    for unit in graph:
        covered = {i for a, b in token_runs(graph, unit.index) for i in range(a, b)}
        spaces = {i for i in covered if graph.words[i].isspace() and graph.unit_of(i) is None}
        assert covered - spaces == {*unit.tokens()} - spaces
        words = places.text_of(unit.index).split(GAP)
        assert (len(words) > 1) == unit.is_discontinuous or GAP in data["text"]
    numbers = scene_numbers(graph)
    scenes = {scene: i for i, scene in enumerate(graph.scenes)}
    for unit in graph.units:
        assert numbers[unit.index] == (scenes[unit.scene] if unit.scene else None)
    assert [scene["unit"] for scene in data["scenes"]] == [scene.index for scene in graph.scenes]


def test_offsets_with_a_doc_and_with_a_known_text() -> None:
    (graph,) = read_brackets(BRACKETS)
    text = "After graduation, John  moved to Paris."
    known = graph.replace(details={"text": text})
    data = known.to_json()
    move = data["scenes"][1]
    assert data["text"] == text and move["text"] == "John  moved to Paris"
    assert move["offsets"] == [[18, 38]] and move["participants"][1]["center"] == "Paris"
    assert data["scenes"][0]["participants"][0]["shared"]
    doc = Doc(Vocab(), words=graph.words, spaces=[False] * 8)
    assert known.to_json(doc)["text"] == doc.text == "Aftergraduation,JohnmovedtoParis."


def test_scenes_of_gold_graphs(sample: list[Graph]) -> None:
    named = {graph.details["id"]: graph for graph in sample}
    graph = named["relative-extraposed"]
    first, second = graph.to_json(graph_to_doc(graph, Vocab()))["scenes"]
    assert (first["kind"], second["kind"], second["host"]) == ("parallel", "elaborator", 0)
    man = first["participants"][0]
    assert man["text"] == "A man ... who knew everyone" and man["offsets"] == [[0, 5], [14, 31]]
    assert man["center"] == "man" and not man["shared"]
    shared = second["participants"][0]
    assert (shared["text"], shared["offsets"], shared["shared"]) == ("man", [[2, 5]], True)
    implicit = named["one-token-implicit"].to_json()["scenes"][0]["participants"][0]
    assert implicit["implicit"] and implicit["text"] == implicit["center"] == ""
    assert implicit["offsets"] == [] and implicit["score"] is None


def test_scores_are_those_of_the_edges(sample: list[Graph]) -> None:
    graph = next(g for g in sample if g.details["id"] == "relative-subject")
    graph = graph.replace(scores={i: round(0.99 - i / 100, 2) for i in range(9)})
    for record, scene in zip(graph.to_json()["scenes"], graph.scenes, strict=True):
        (relation,) = scene.edges_by("P")
        assert record["score"] == record["relation"]["score"] == relation.score
        found = [each["score"] for each in record["participants"]]
        assert found == [edge.score for edge in scene.edges_by("A")]


# What is wrong


def changed(data: dict[str, Any], *path: Any, value: Any = ...) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): A copy with another value at a place, or without what is there."""
    data = json.loads(json.dumps(data))
    *above, last = path
    place: Any = data
    for key in above:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return data


@pytest.mark.parametrize(
    "path, value, message",
    [
        (("version",), 0, r"UC009.*version 0.*version 1.*again"),
        (("version",), ..., r"'version' is missing.*to_json"),
        (("version",), "1", r"version: text stands where a whole number"),
        (("text",), ..., r"'text' is missing"),
        (("tokens",), ..., r"'tokens' is missing"),
        (("tokens", 2, "start"), ..., r"tokens\[2\]: 'start' is missing"),
        (("tokens", 2, "end"), 99, r"tokens\[2\].*characters are 17 to 99.*40"),
        (("tokens", 2, "punct"), "no", r"tokens\[2\], punct: text"),
        (("units", 1, "kind"), ..., r"units\[1\]: 'kind' is missing"),
        (("units", 1, "kind"), "X", r"UC007.*'X'.*FN"),
        (("units",), {}, r"units: an object stands where a list"),
        (("edges", 3, "parent"), ..., r"edges\[3\]: 'parent' is missing"),
        (("edges", 3, "parent"), 99, r"edges\[3\]: 'parent' is 99.*12 units"),
        (("edges", 3, "parent"), True, r"edges\[3\], parent: true or false stands"),
        (("edges", 3, "child"), None, r"edges\[3\].*neither 'child' nor 'token'"),
        (("edges", 3, "child"), -1, r"edges\[3\]: 'child' is -1"),
        (("edges", 3, "categories"), "P", r"edges\[3\], categories: text"),
        (("edges", 3, "categories"), [1], r"edges\[3\], categories: a whole number"),
        (("edges", 3, "score"), "high", r"edges\[3\], score: text"),
        (("edges", 3, "score"), float("nan"), r"edges\[3\], score: nan"),
        (("edges", 3, "score"), float("-inf"), r"edges\[3\], score: -inf"),
        (("edges", 3, "score"), 10**400, r"edges\[3\], score: 1000"),
        (("tokens", 2, "start"), float("inf"), r"tokens\[2\], start: a number stands"),
        (("tokens", 2, "id"), 1, r"tokens have the number 1"),
        (("tokens", 2, "id"), ..., r"tokens\[2\]: 'id' is missing"),
        (("tokens", 2, "id"), "2", r"tokens\[2\], id: text"),
        (("units", 2, "id"), 1, r"units have the number 1"),
        (("units", 2, "id"), 99, r"edges\[\d+\]: '\w+' is 2, which is none of the 12 units"),
        (("details",), {"x": [float("nan")]}, r"details.*JSON"),
        (("details",), [], r"details: a list"),
    ],
)
def test_wrong_json_is_named(path: tuple, value: Any, message: str) -> None:
    (graph,) = read_brackets(BRACKETS)
    with pytest.raises(UccaError, match=message):
        Graph.from_json(changed(graph.to_json(), *path, value=value))


@given(graph=graphs(words=ODD_WORDS, max_roots=3), data=st.data())
@settings(max_examples=60)
def test_json_in_another_order_and_with_other_ids_is_the_same_graph(
    graph: Graph, data: st.DataObject
) -> None:
    record = graph.to_json()
    steps = {key: data.draw(st.integers(1, 3)) for key in ("tokens", "units")}
    for key, step in steps.items():
        for item in record[key]:
            item["id"] = item["id"] * step - 1
        record[key] = data.draw(st.permutations(record[key]))
    for edge in record["edges"]:
        for key, step in zip(
            ("parent", "child", "token"), (steps["units"],) * 2 + (steps["tokens"],)
        ):
            if key in edge:
                edge[key] = edge[key] * step - 1
    before = json.dumps(record)
    assert Graph.from_json(record) == graph and json.dumps(record) == before
    without = graph.to_json()
    for item in (*without["tokens"], *without["units"]):
        del item["id"]
    assert Graph.from_json(without) == graph


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400", "-1e999"])
def test_numbers_that_json_has_not_are_refused(number: str, tmp_path: Path) -> None:
    (graph,) = read_brackets(BRACKETS)
    line = write_jsonl(graph.replace(scores={0: 0.5}, details={"id": "1", "x": 0.75}))
    for old in ("500", "0.75"):
        with pytest.raises(UccaError, match=r"UC702.*x, line 2.*is no number"):
            read_jsonl(f"{line}{line.replace(old, number)}", source="x")
    record = json.loads(line.replace("500", number))
    with pytest.raises(UccaError, match="scores: not a list"):
        Graph.from_json(record)
    with pytest.raises(UccaError, match=r"details.*JSON"):
        Graph.from_json(json.loads(line.replace("0.75", number)))


@pytest.mark.parametrize("data", [None, [], "x", 1, {}])
def test_what_is_no_json_of_a_graph_is_refused(data: Any) -> None:
    with pytest.raises(UccaError, match=r"to_json"):
        Graph.from_json(data)


@given(data=st.data())
@settings(max_examples=100)
def test_mutants_of_json_end_in_no_traceback(data: st.DataObject) -> None:
    (graph,) = read_brackets(BRACKETS)
    record = graph.to_json()
    key = data.draw(st.sampled_from([*record]))
    junk = st.sampled_from([None, -1, 10**9, "x", [], {}, [None], [{}], True, 0.5, [[]]])
    path: list[Any] = [key]
    if isinstance(record[key], list) and data.draw(st.booleans()):
        i = data.draw(st.integers(0, len(record[key]) - 1))
        path += [i, data.draw(st.sampled_from([*record[key][i]]))]
    mutant = changed(record, *path, value=data.draw(st.one_of(st.just(...), junk)))
    try:
        Graph.from_json(mutant)
    except UccaError as err:
        assert str(err).startswith("[UC")


def test_categories_come_back_in_their_order_unless_the_label_is_changed() -> None:
    (graph,) = read_brackets("[H [A|S Ann] [P|A|S left]]")
    pytest.importorskip("networkx")
    network, tables = graph.to_networkx(), graph.to_pandas()
    assert {"S|A", "P|S|A"} < {*tables.edges.label}
    for step in (1, -1):  # in another order of rows too
        edges = tables.edges[tables.edges.index != 1][::step]
        (back,) = {
            e.categories
            for e in Graph.from_pandas((*tables[:2], edges)).edge_tuples
            if len(e.categories) == 3
        }
        assert back == ("P", "A", "S")
    edges = tables.edges.assign(label=tables.edges.label.replace("S|A", "P"))
    changed = Graph.from_pandas((*tables[:2], edges))
    for _, _, values in network.edges(data=True):
        values["label"] = (
            values["label"].replace("S|A", "P") if values["label"] == "S|A" else values["label"]
        )
    assert changed == Graph.from_networkx(network)
    categories = {edge.categories for edge in changed.edge_tuples}
    assert categories == {("H",), ("P",), ("P", "A", "S"), ("Terminal",)}


def test_wrong_tables_are_named() -> None:
    pandas = pytest.importorskip("pandas")
    (graph,) = read_brackets(BRACKETS)
    tokens, units, edges = graph.to_pandas()
    twice = tokens.set_axis([0, *range(len(tokens) - 1)])
    for tables, message in [
        ((tokens, units), r"UC665.*tuple.*three data frames"),
        (tokens, r"UC665.*DataFrame"),
        ((tokens.drop(columns="text"), units, edges), r"'tokens' has no column 'text'.*start"),
        ((tokens, units, edges.drop(columns="label")), r"'edges' has no column 'label'"),
        ((tokens, units, edges.assign(label=1)), r"Table edges, row 0, label: a whole number"),
        (
            (tokens, units.drop(index=3), edges),
            r"Table edges, row 3: 'child' is 3.*none of the 11 units",
        ),
        ((tokens, units.assign(kind=None), edges), r"Table units, row 0, kind: null"),
        (
            (tokens.assign(text=pandas.NA), units, edges),
            r"UC588.*no text in row 0.*keep_default_na=False",
        ),
        ((twice, units, edges), r"tokens have the number 0"),
        ((tokens, units, edges.assign(score=float("inf"))), r"row 0, score: inf"),
        ((tokens, units, edges.assign(parent="u")), r"Table edges, row 0, parent: text"),
    ]:
        with pytest.raises(UccaError, match=message):
            Graph.from_pandas(tables)


def test_tables_survive_files_and_fewer_rows() -> None:
    pandas = pytest.importorskip("pandas")
    (graph,) = read_brackets(BRACKETS)
    tables = graph.to_pandas()
    files = [io.StringIO(table.to_csv()) for table in tables]
    read = tuple(pandas.read_csv(file, index_col=0, keep_default_na=True) for file in files)
    assert Graph.from_pandas(read).same_structure(graph)
    edges = tables.edges[~tables.edges.remote]
    assert Graph.from_pandas(tables._replace(edges=edges)).same_structure(
        graph.without(remotes=True)
    )


def test_words_for_missing_values_survive_csv() -> None:
    pandas = pytest.importorskip("pandas")
    graph = Graph.join(read_brackets("[H [A None] [P NA] [A null]]"))
    files = [table.to_csv(index=False) for table in graph.to_pandas()]
    with pytest.raises(GraphError, match=r"UC588.*keep_default_na=False, na_values=\[''\]"):
        Graph.from_pandas([pandas.read_csv(io.StringIO(text)) for text in files])
    options = {"keep_default_na": False, "na_values": [""]}
    assert Graph.from_pandas([pandas.read_csv(io.StringIO(f), **options) for f in files]) == graph


def test_wrong_networks_are_named() -> None:
    networkx = pytest.importorskip("networkx")
    (graph,) = read_brackets(BRACKETS)

    def without(name: str, key: str) -> Any:
        found = graph.to_networkx()
        del found.nodes[name][key]
        return found

    def with_edge(*ends: str, **values: Any) -> Any:
        found = graph.to_networkx()
        found.add_edge(*ends, **values)
        return found

    twice = networkx.disjoint_union(graph.to_networkx(), graph.to_networkx())
    for found, message in [
        (twice, r"tokens have the number 0"),
        ({}, r"UC665.*dict.*directed graph of NetworkX"),
        (networkx.Graph(), r"UC665"),
        (networkx.DiGraph(), r"UC665.*DiGraph without nodes.*Give units `kind`"),
        (networkx.DiGraph([(1, 2)]), r"Node 1: 'kind' is missing.*Give units `kind`"),
        (without("u1", "kind"), r"Node 'u1': 'kind' is missing.*Give units `kind`"),
        (without("t1", "text"), r"Node 't1': 'text' is missing"),
        (without("t1", "index"), r"Node 't1': 'index' is missing"),
        (with_edge("u1", "u2"), r"Edge 'u1' to 'u2': 'label' is missing"),
        (with_edge("t1", "u2", label="A"), r"Edge 't1' to 'u2': it starts at a token"),
        (with_edge("u1", "new", label="A"), r"Node 'new': 'kind' is missing"),
    ]:
        with pytest.raises(UccaError, match=message):
            Graph.from_networkx(found)


def test_networks_survive_files_and_fewer_nodes() -> None:
    networkx = pytest.importorskip("networkx")
    (graph,) = read_brackets(BRACKETS)
    file = io.BytesIO()
    networkx.write_graphml(graph.replace(scores={2: 0.5}).to_networkx(), file)
    again = Graph.from_networkx(networkx.read_graphml(io.BytesIO(file.getvalue())))
    assert again == graph and again.scores == {2: 0.5}
    found = graph.to_networkx()
    found.remove_edges_from([e for *e, remote in found.edges(keys=True, data="remote") if remote])
    assert Graph.from_networkx(found).same_structure(graph.without(remotes=True))


def test_wrong_arrow_tables_are_named() -> None:
    pa = pytest.importorskip("pyarrow")
    (graph,) = read_brackets(BRACKETS)
    table = graph.to_arrow()
    assert back("arrow", table.to_batches()[0]) == graph
    i = table.column_names.index("units")
    broken = json.loads(json.dumps(table["edges"][0].as_py()))
    broken[3]["parent"] = None
    edges = pa.array([broken], type=table.schema.field("edges").type)
    for found, message in [
        ({}, r"UC665.*dict"),
        (pa.concat_tables([table] * 2), r"UC668.*2 rows.*iter_graphs"),
        (table.slice(0, 0), r"UC668.*0 rows"),
        (table.drop_columns(["units"]), r"UC571.*no column units"),
        (table.set_column(i, "units", pa.array(["x"])), r"UC571.*column 'units'"),
        (table.set_column(4, "edges", edges), r"UC571.*row 0"),
        (table.set_column(i, table.schema.field(i), pa.nulls(1, table["units"].type)), r"no graph"),
        (table.replace_schema_metadata({b"spacy_ucca.schema": b"0"}), r"UC009.*version 0"),
    ]:
        with pytest.raises(UccaError, match=message):
            Graph.from_arrow(found)


@pytest.mark.parametrize("way", PACKAGES)
def test_a_missing_package_is_named(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGES[way], None)
    (graph,) = read_brackets(BRACKETS)
    calls = [lambda: there(way, graph), lambda: back(way, {})]
    for call in calls[: 1 if way == "networkx" else 2]:  # its graphs are read without it
        with pytest.raises(UccaError, match=rf"UC570.*'{PACKAGES[way]}'.*spacy-ucca\[data\]"):
            call()
