"""Copies of a part of a graph: nothing that belongs to what is kept is lost or moved to something else."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from spacy_ucca.errors import GraphError
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.graph.categories import LINKAGE
from spacy_ucca.graph.data import plain_details
from spacy_ucca.graph.edit import renumber_edges, subgraph
from spacy_ucca.metric.score import _ScoredGraph
from spacy_ucca.text.align import project
from spacy_ucca.text.split import in_reading_order, merge_roots, split_at


def marked(graph: Graph) -> Graph:
    """The graph with a score of its own for each edge, other paragraphs and details of both kinds."""
    return graph.replace(
        paragraphs=[1 + i // 2 for i in range(len(graph.words))],
        scores={i: (i + 1) / 1000 for i in range(len(graph.edge_tuples))},
        details={"id": "some", "xml": {"units": {"0": {"id": "1.7"}}}},
    )


def check_part(part: Graph, whole: Graph, tokens: Sequence[int]) -> dict[int, int]:
    """Hold what stands in a copy against the graph it is of. RETURNS: The edge of the whole for each edge."""
    for name in ("words", "punct", "paragraphs"):
        assert list(getattr(part, name)) == [getattr(whole, name)[i] for i in tokens]
    source = {score: i for i, score in whole.scores.items()}
    edges = {i: source[score] for i, score in part.scores.items()}
    assert len(edges) == len(part.edge_tuples) == len(set(edges.values()))
    unit: dict[int, int] = {}
    for new, old in edges.items():
        ours, theirs = part.edge_tuples[new], whole.edge_tuples[old]
        assert (ours.categories, ours.remote) == (theirs.categories, theirs.remote)
        assert unit.setdefault(ours.parent, theirs.parent) == theirs.parent
        if ours.child < 0:
            assert tokens[~ours.child] == ~theirs.child
        else:
            assert unit.setdefault(ours.child, theirs.child) == theirs.child
    assert len(set(unit.values())) == len(unit)
    assert all(part.kinds[new] == whole.kinds[old] for new, old in unit.items())
    return edges


@given(graphs(max_roots=2), st.data())
def test_subgraph(graph, data):
    graph = marked(graph)
    units = data.draw(st.permutations(range(len(graph.kinds))))
    units = units[: data.draw(st.integers(0, len(units)))]
    tokens = data.draw(st.permutations(range(len(graph.words))))
    tokens = tokens[: data.draw(st.integers(0, len(tokens)))]
    part = subgraph(graph, units=units, tokens=tokens, check=False)
    assert [graph.kinds[unit] for unit in units] == list(part.kinds)
    assert part.details == {"id": "some"} == plain_details(graph)
    kept = check_part(part, graph, tokens)
    assert [*kept.values()] == [
        i
        for i, e in enumerate(graph.edge_tuples)
        if e.parent in units and (e.child in units if e.child >= 0 else ~e.child in tokens)
    ]
    assert subgraph(graph, details=graph.details) == graph
    chosen = data.draw(st.permutations(range(len(graph.edge_tuples))))
    assert [
        *check_part(subgraph(graph, edges=chosen), graph, range(len(graph.words))).values()
    ] == (chosen)


@given(graphs(max_roots=2))
def test_replace_keeps_all_other_fields(graph):
    graph = marked(graph)
    other = graph.replace()
    assert other == graph and other.scores == graph.scores and other is not graph
    other = graph.replace(details={})
    assert other.details == {} and other.scores == graph.scores
    assert other.replace(details=graph.details) == graph


@given(graphs(max_roots=2), st.booleans(), st.booleans(), st.booleans())
def test_without(graph, remotes, implicit, linkage):
    graph = marked(graph)
    part = graph.without(remotes=remotes, implicit=implicit, linkage=linkage)
    kept = check_part(part, graph, range(len(graph.words)))
    assert [*kept.values()] == sorted(kept.values()) and part.details == {"id": "some"}
    roots = {root.index for root in graph.roots}

    def goes(unit: int) -> bool:
        if unit < 0:
            return False
        if graph.kinds[unit] == LINKAGE:
            return linkage
        return implicit and unit not in roots and not graph[unit].tokens()

    assert {*kept.values()} == {
        i
        for i, e in enumerate(graph.edge_tuples)
        if not (goes(e.parent) or goes(e.child) or (remotes and e.remote))
    }
    assert len(part.kinds) == sum(not goes(unit) for unit in range(len(graph.kinds)))


@given(st.lists(graphs(loose=False, max_words=5, max_units=4), min_size=1, max_size=3))
def test_sentences_are_what_was_joined(parts):
    parts = [marked(part) for part in parts if part.words and part.roots[0].tokens()]
    joined = Graph.join(parts)
    assert [s for part in parts for s in part.scores.values()] == [*joined.scores.values()]
    assert [p for part in parts for p in part.paragraphs] == [*joined.paragraphs]
    found = [part for _, part in joined.sentences()]
    for ours, theirs in zip(found, parts, strict=True):
        assert ours.same_structure(theirs) and ours.details == {}
        check_part(ours, theirs, range(len(theirs.words)))
    if len(parts) > 1:
        side = _ScoredGraph(marked(joined), None)
        side.identifiers = None
        borders = side.borders()
        for (cut, units), (start, whole) in zip(
            side.cut(borders) if borders else (), joined.sentences(), strict=False
        ):
            tokens = range(start, start + len(whole.words))
            check_part(cut, side.graph, tokens)
            assert cut.same_structure(whole.without(linkage=True))
            assert [side.graph.kinds[unit] for unit in units] == list(cut.kinds)


def test_a_sentence_between_the_words_of_another_is_refused():
    builder = GraphBuilder(["a", "b", "c"])
    first, second = builder.add_unit(), builder.add_unit()
    for unit, token in ((first, 0), (second, 1), (first, 2)):
        builder.add_terminal(unit, token)
    with pytest.raises(GraphError, match="UC001"):
        builder.build().sentences()


@given(graphs(max_roots=2), st.data())
def test_only_takes_tokens_that_hang_on_nothing_away(graph, data):
    graph = marked(graph)
    attached = [i for i in range(len(graph.words)) if graph.unit_of(i) is not None]
    part = graph.only(attached)
    kept = check_part(part, graph, attached)
    assert [*kept.values()] == [*range(len(graph.edge_tuples))] and part.kinds == graph.kinds
    assert graph.only(range(len(graph.words))) is graph


@given(graphs(max_roots=3, linkage=False))
def test_one_root_in_reading_order(graph):
    graph = marked(graph)
    tokens = range(len(graph.words))
    ordered = in_reading_order(graph)
    check_part(ordered, graph, tokens)
    assert ordered.same_structure(graph) and ordered.details == {"id": "some"}
    keys = [(e.parent, e.child >= 0, abs(e.child)) for e in ordered.edge_tuples]
    assert keys == sorted(keys)
    merged = merge_roots(graph)
    assert merged.scores == graph.scores and merged.paragraphs == graph.paragraphs
    assert merged.punct == graph.punct and len(merged.roots) == 1


@given(graphs(max_roots=2))
def test_moved_to_the_same_words(graph):
    graph = marked(graph)
    moved, report = project(graph, graph.words)
    if moved is None:  # every token hangs on nothing
        assert graph.words and max(graph.index.token_edge) < 0
        return
    assert report.lossless
    units = {i: s for i, s in graph.scores.items() if graph.edge_tuples[i].child >= 0}
    assert [*moved.scores.values()] == [*units.values()]
    assert moved.same_structure(graph)


@given(graphs(linkage=False, loose=False), st.data())
def test_parts_keep_the_scores_of_their_edges(graph, data):
    graph = in_reading_order(marked(graph))
    if len(graph.words) < 2:
        return
    end = data.draw(st.integers(1, len(graph.words) - 1))
    source = {score: graph.edge_tuples[i].categories for i, score in graph.scores.items()}
    for part in split_at(graph, [end, len(graph.words)]):
        for i, edge in enumerate(part.edge_tuples):
            if i in part.scores:
                assert source[part.scores[i]] == edge.categories
        # only units made for punctuation that lost its own have no score
        assert all(
            "U" in part.edge_tuples[i].categories or part.edge_tuples[i].child < 0
            for i in range(len(part.edge_tuples))
            if i not in part.scores
        )


@given(graphs(max_roots=2))
def test_renumber_edges(graph):
    n = len(graph.kinds)
    there = renumber_edges(graph.edge_tuples, range(5, 5 + n), range(3, 3 + len(graph.words)))
    assert all(e.parent >= 5 and (e.child >= 5 or e.child <= ~3) for e in there)
    back = renumber_edges(there, range(-5, n), range(-3, len(graph.words)))
    assert back == list(graph.edge_tuples)


@given(graphs(max_roots=2), graphs(max_roots=2))
def test_equal_as_records(graph, other):
    for a in (graph, marked(graph), graph.replace(scores={0: 0.5} if graph.edge_tuples else {})):
        for b in (graph, marked(graph), other, Graph.from_record(graph.to_record())):
            records = [{**g.to_record(), "scores": None} for g in (a, b)]
            assert (a == b) == (records[0] == records[1])
            assert a != b or hash(a) == hash(b)


def test_equality_makes_no_records(monkeypatch):
    builder = GraphBuilder(["a"])
    builder.add_terminal(builder.add_unit(), 0)
    first, second = builder.build(), builder.build()
    monkeypatch.setattr(Graph, "to_record", None)
    assert first == second and first != second.replace(details={"id": "x"})
