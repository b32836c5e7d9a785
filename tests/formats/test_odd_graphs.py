"""What is written is read, and nothing ends in a traceback, over random odd graphs."""

import os
from functools import partial

import pytest
from graph_laws import check_format, check_uses
from hypothesis import HealthCheck, event, given, settings
from lines_run import lines_run
from odd_graphs import odd_graphs, seeded_graph, traits

from spacy_ucca.formats.convert import convert_files
from spacy_ucca.formats.files import read_graphs
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.graph import EdgeTuple, Graph

ODD = ("a unit with remote edges only", "a root without tokens")
# Of `make slow`, of all formats and uses together: 100,000 take over an hour on one core.
CASES = int(os.environ.get("SPACY_UCCA_CASES", "4000"))


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(odd_graphs())
def test_what_is_written_is_read(graph):
    for trait in traits(graph):
        event(trait)
    for name in FORMATS:
        check_format(name, graph)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(odd_graphs())
def test_nothing_ends_in_a_traceback(graph):
    for trait in traits(graph):
        event(trait)
    check_uses(graph)


@pytest.mark.parametrize("trait", ODD)
def test_a_tenth_of_the_graphs_is_odd(trait):
    assert sum(trait in traits(seeded_graph(seed)) for seed in range(1000)) >= 100


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_many_graphs(part):
    held = dict.fromkeys(FORMATS, 0)
    for seed in range(part * CASES // 20, (part + 1) * CASES // 20):
        graph = seeded_graph(seed)
        for name in FORMATS:
            held[name] += check_format(name, graph)
        if seed % 5 == 0:  # takes twice as long as all formats together
            check_uses(graph)
    assert all(2 * n > CASES // 20 for n in held.values()), held  # few are refused


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FORMATS, "uses"])
def test_work_grows_with_the_size(name):
    """For ten times as many Scenes, which share their Participants, less than 20 times as many lines of code are run."""
    # A table of `sdp` has a column for each head.
    limit = 40 if name == "sdp" else 20
    size = 20 if name == "uses" else 40
    use = check_uses if name == "uses" else partial(check_format, name)
    few, many = (lines_run(partial(use, many_scenes(n))) for n in (size, 10 * size))
    assert many < limit * few


def many_scenes(n: int) -> Graph:
    """Scenes of two words each; the Participant of one is a remote Participant of the next, beside a unit that holds nothing
    but this remote edge."""
    kinds, edges = ["FN"], []
    for i in range(n):
        scene = len(kinds)
        kinds += ["FN"] * 4
        edges += [EdgeTuple(0, scene, ("H",)), EdgeTuple(scene, scene + 1, ("P",))]
        edges += [EdgeTuple(scene, scene + 2, ("A",)), EdgeTuple(scene, scene + 3, ("D",))]
        edges += [EdgeTuple(scene + 1, ~(2 * i), ("Terminal",))]
        edges += [EdgeTuple(scene + 2, ~(2 * i + 1), ("Terminal",))]
        edges += [EdgeTuple(scene + 3, scene - 2, ("A",), True)] if i else []
    return Graph([f"w{i}" for i in range(2 * n)], kinds, edges)


@pytest.mark.parametrize(
    "name", [name for name in FORMATS if name not in ("dot", "jsonl", "scenes", "csv")]
)
def test_an_empty_category_is_refused(name):
    graph = Graph(["a"], ["FN", "FN"], [EdgeTuple(0, 1, ("",)), EdgeTuple(1, ~0, ("Terminal",))])
    with pytest.raises(Exception, match=r"\[UC(171|800)\].*''"):
        FORMATS[name].write(graph)


def test_a_byte_order_mark_is_a_word(tmp_path):
    graph = Graph(
        ["\ufeff", "a"], ["FN"], [EdgeTuple(0, ~0, ("Terminal",)), EdgeTuple(0, ~1, ("Terminal",))]
    )
    path = tmp_path / "a.txt"
    path.write_text(FORMATS["brackets"].write(graph), "utf8")
    assert read_graphs(path, "brackets")[0].words == graph.words


@pytest.mark.parametrize("name", ["conll", "conllu", "sdp"])
def test_no_words_no_rows(name, tmp_path):
    (tmp_path / "a.txt").write_text("[ [H [A IMPLICIT]] ]\n\n[H [P a]]\n", "utf8")
    report = convert_files([tmp_path / "a.txt"], tmp_path / f"a.{name}", to=name)
    assert report.graphs == 1 and len(read_graphs(tmp_path / f"a.{name}")) == 1
    assert ["UC172" in reason for _, reason in report.skipped] == [True]


@pytest.mark.parametrize("name", [n for n, e in FORMATS.items() if e.reads])
@pytest.mark.parametrize("word", ["917\u00a0703", "\u2009", "\u3000x", "a\u2028b", "\x85"])
def test_other_white_space_is_no_blank(name, word):
    words = (word, "called", "Ann")
    edges = [EdgeTuple(0, 1, ("A",)), EdgeTuple(0, 2, ("P",))]
    edges += [EdgeTuple(unit, ~i, ("Terminal",)) for i, unit in enumerate((1, 2, 2))]
    graph = Graph(words, ["FN", "FN", "FN"], edges)
    text = FORMATS[name].write(graph)
    (back,) = FORMATS[name].read(text.encode("utf8") if FORMATS[name].binary else text)
    assert back.words == words
