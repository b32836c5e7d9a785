"""Sentences that are chosen, tasks that come back, and what was corrected in them."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perturb import perturb

from spacy_ucca.annotation.choose import CERTAIN_EDGES, choose_sentences, doubt
from spacy_ucca.annotation.corrections import find_corrections
from spacy_ucca.annotation.tasks import BRACKETS, FILES, PREDICTED, read_tasks, write_tasks
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.metric.compare import compare
from spacy_ucca.metric.score import score_pair
from spacy_ucca.rules.editing import add_remote, relabel


def brackets(text: str) -> Graph:
    (graph,) = read_brackets(text)
    return graph


def scored(graph: Graph, score: float, name: str = "1") -> Graph:
    edges = [i for i, edge in enumerate(graph.edge_tuples) if edge.child >= 0]
    return graph.replace(scores=dict.fromkeys(edges, score), details={"id": name})


def refuse(what: object, reason: object) -> None:
    raise AssertionError(f"{what}: {reason}")


GRAPH = brackets("[H [A Ada] [P saw] [A [E the] [C cat]]] [U .]")
NAMES = ["1", "2", "3"]


@pytest.fixture(scope="module")
def parses(sample: list[Graph]) -> list[Graph]:
    rng = random.Random(1)
    return [
        scored(graph, rng.random(), f"s{i}")
        for i, graph in enumerate(sample[:20])
        if len(graph.roots) == 1
    ]


# choosing


def test_doubt_is_the_expected_share_of_wrong_edges() -> None:
    n = 7
    assert doubt(scored(GRAPH, 0.25)) == pytest.approx(0.75 * n / (n + CERTAIN_EDGES))
    assert doubt(scored(GRAPH, 1.0)) == doubt(GRAPH) == 0


def test_the_most_doubt_comes_first_and_no_sentence_comes_twice() -> None:
    other = brackets("[H [A We] [P laughed]]")
    pool = [scored(GRAPH, 0.2), scored(GRAPH, 0.1), scored(other, 0.5), scored(GRAPH, 0.9)]
    # After the second, the same words are of no interest
    assert choose_sentences(pool, 2) == [1, 2]
    assert sorted(choose_sentences(pool, 9)) == [0, 1, 2, 3]
    assert choose_sentences([], 3) == []


@settings(max_examples=40)
@given(st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=4), max_size=7))
def test_choice_is_that_of_the_definition(texts: list[list[str]]) -> None:
    pool = [
        scored(brackets(f"[H [P {' '.join(words)}]]"), 0.1 * (i % 7))
        for i, words in enumerate(texts)
    ]
    words = [set(graph.words) for graph in pool]

    def weight(i: int, word: str) -> float:
        from math import log

        return texts[i].count(word) * log((1 + len(pool)) / sum(word in w for w in words))

    def cosine(i: int, j: int) -> float:
        norms = [sum(weight(k, w) ** 2 for w in words[k]) ** 0.5 for k in (i, j)]
        return sum(weight(i, w) * weight(j, w) for w in words[i] & words[j]) / (norms[0] * norms[1])

    chosen: list[int] = []
    for best in choose_sentences(pool, len(pool)):
        values = {
            i: doubt(pool[i]) * (1 - max((cosine(i, j) for j in chosen), default=0))
            for i in range(len(pool))
            if i not in chosen
        }
        assert values[best] == pytest.approx(max(values.values()), abs=1e-9)
        chosen.append(best)


def test_other_orders() -> None:
    pool = [scored(GRAPH, 0.5)] * 20
    assert choose_sentences(pool, 3, order="text") == [0, 1, 2]
    found = choose_sentences(pool, 20, order="random", seed=1)
    assert sorted(found) == list(range(20)) and found != list(range(20))
    assert found != choose_sentences(pool, 20, order="random", seed=2)
    with pytest.raises(UccaError, match="uncertain, random, text"):
        choose_sentences(pool, 3, order="best")


# tasks


@pytest.mark.parametrize("to", FILES)
def test_what_nobody_changed_comes_back(parses: list[Graph], tmp_path: Path, to: str) -> None:
    path = write_tasks(parses, tmp_path / "tasks", to)
    assert path.name == FILES[to]
    tasks = read_tasks(path.parent, refuse)
    assert tasks.annotators == [""] and list(tasks.gold) == [g.details["id"] for g in parses]
    for graph in parses:
        back = tasks.gold[graph.details["id"]]
        assert back.details == graph.details  # no marks
        if to == BRACKETS:
            assert back.same_structure(graph)
        assert not compare(back, graph).differences
    report = find_corrections(tasks.predicted, tasks.annotated)
    assert report.unchanged == report.sentences == len(parses)
    assert report.f1 == 1 and not report.reasons


def test_doubt_is_marked_in_both_formats(tmp_path: Path) -> None:
    graph = scored(GRAPH, 0.9)
    process = next(e.index for e in graph.edges if e.label == "P")
    graph = graph.replace(scores={**graph.scores, process: 0.43})
    text = write_tasks([graph], tmp_path / "a", BRACKETS).read_text("utf8")
    assert "# doubtful = P saw 43%\n" in text
    (task,) = json.loads(write_tasks([graph], tmp_path / "b", "uccaapp").read_text("utf8"))
    marked = {
        unit["tree_id"]: unit["categories"][0]["name"]
        for unit in task["annotation_units"]
        if any(category["name"] == "Uncertain" for category in unit["categories"])
    }
    assert marked == {"1-2": "Process"}


def test_tasks_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    parses = [scored(GRAPH, 0.9, name) for name in NAMES]
    path = write_tasks(parses, tmp_path, BRACKETS)
    text = path.read_text("utf8").replace("# id = 1", "# id = other", 1)
    path.write_text(text.replace("[A Ada]", "[A Eva]", 2).replace("[A Eva]", "[A Ada]", 1), "utf8")
    reasons: list[str] = []
    tasks = read_tasks(tmp_path, lambda what, reason: reasons.append(f"{what}: {reason}"))
    assert list(tasks.gold) == ["3"]
    unknown, words = reasons
    assert "tasks.txt (other)" in unknown and "No sentence of this id" in unknown
    assert "tasks.txt (2)" in words and "word 0 is 'Eva', not 'Ada'" in words
    # The same annotator twice: said once
    (tmp_path / "zwei.txt").write_text(write_brackets(parses[2]), "utf8")
    reasons.clear()
    read_tasks(tmp_path, lambda what, reason: reasons.append(f"{what}: {reason}"))
    assert len(reasons) == 3 and "zwei.txt: [UC618] 1 of its sentences are in" in reasons[2]
    path.write_text("# id = other\n[H a]\n", "utf8")
    (tmp_path / "zwei.txt").unlink()
    with pytest.raises(UccaError, match="Nothing in"):
        read_tasks(tmp_path, lambda what, reason: None)
    (tmp_path / PREDICTED).unlink()
    with pytest.raises(UccaError, match=f"no {PREDICTED}"):
        read_tasks(tmp_path, refuse)


def test_nothing_that_was_corrected_is_passed_over(tmp_path: Path) -> None:
    parses = [scored(GRAPH, 0.9, name) for name in NAMES]
    path = write_tasks(parses, tmp_path, BRACKETS)
    text = path.read_text("utf8")
    for folder in ("backup", ".git", "empty", "eva/day1"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("backup", ".git"):
        (tmp_path / folder / "tasks.txt").write_text(text, "utf8")
    (tmp_path / "notes.md").write_text("nothing", "utf8")
    # Its own file is as it was written: the copy is that of an annotator
    assert read_tasks(tmp_path, refuse).annotators == ["backup"]
    path.write_text(text.replace("[P saw]", "[S saw]", 1), "utf8")
    tasks = read_tasks(tmp_path, refuse)
    assert tasks.annotators == ["", "backup"]
    assert find_corrections(tasks.predicted, tasks.annotated).changed["1"] == 1
    (tmp_path / "eva" / "day1" / "a.txt").write_text(
        "# remarks = hard\n" + text.split("\n\n")[0] + "\n", "utf8"
    )
    tasks = read_tasks(tmp_path, refuse)
    assert tasks.annotators == ["", "backup", "eva"] and tasks.comments == [("1", "eva", "hard")]


def test_annotators_have_folders(tmp_path: Path) -> None:
    parses = [scored(GRAPH, 0.9, name) for name in NAMES]
    path = write_tasks(parses, tmp_path, BRACKETS)
    text = path.read_text("utf8")
    for name, new in (("eva", text), ("ben", text.replace("[P saw]", "[S saw]"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tasks.txt").write_text(new, "utf8")
    tasks = read_tasks(tmp_path, refuse)
    assert tasks.annotators == ["ben", "eva"]
    report = find_corrections(tasks.predicted, tasks.annotated)
    (agreed,) = report.agreement
    assert agreed.annotators == ("ben", "eva") and agreed.sentences == 3
    assert agreed.reasons == {"label": 3} and agreed.interval is None
    changed = relabel(GRAPH, GRAPH.units[3], "S").graph
    assert agreed.f1 == pytest.approx(score_pair(changed, GRAPH).tally().f1)
    # The first by name is gold
    assert report.changed == dict.fromkeys(NAMES, 1)


# corrections


def test_corrections_are_counted() -> None:
    parses = {name: scored(GRAPH, 0.9, name) for name in NAMES}
    saw = next(u for u in GRAPH.units if u.text == "saw")
    cat = next(u for u in GRAPH.units if u.text == "cat")
    scene = next(u for u in GRAPH.units if u.categories == ("H",))
    golds = {
        "1": GRAPH,
        "2": relabel(GRAPH, saw, "S").graph,
        "3": add_remote(GRAPH, scene, cat, "D").graph,
    }
    report = find_corrections(parses, {name: {"": graph} for name, graph in golds.items()})
    assert (report.sentences, report.unchanged) == (3, 1)
    assert report.changed == {"1": 0, "2": 1, "3": 1}
    assert report.reasons == {"label": 1, "remote": 1}
    assert report.categories["P"] == {"predicted": 3, "kept": 2, "gold": 2}
    assert report.categories["S"] == {"predicted": 0, "kept": 0, "gold": 1}
    edges, right = 3 * 6, 3 * 6 - 1  # punctuation is not counted
    assert [(b.edges, b.kept) for b in report.scores] == [(0, 0), (0, 0), (edges, right), (0, 0)]
    assert report.calibration_error == pytest.approx(abs(0.9 - right / edges))
    assert not report.broken
    assert json.loads(json.dumps(report.to_dict()))["changed"] == report.changed


def test_broken_rules_are_named_with_sentence_and_place() -> None:
    bad = brackets("[H [A Ada] [P saw] [P saw]]").replace(details={"id": "7"})
    report = find_corrections({"7": bad}, {"7": {"": bad, "b": bad}})
    assert {name for name, _ in report.broken} == {"7", "7 (b)"}
    assert any("saw" in problem.text for _, problem in report.broken)
    assert report.calibration_error is None


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_changed_edges_are_the_errors_of_the_metric(sample: list[Graph], seed: int) -> None:
    rng = random.Random(seed)
    graph = rng.choice([g for g in sample[:40] if len(g.roots) == 1])
    other = perturb(graph, rng, rng.randrange(4))
    report = find_corrections({"x": scored(other, 0.7, "x")}, {"x": {"": graph}})
    counts = score_pair(other, graph)
    assert report.f1 == counts.tally().to_dict()["f"]
    tally = counts.tally("average")
    errors = max(tally.guessed, tally.ref) - tally.matches
    assert report.changed["x"] >= (errors > 0) and (report.unchanged == 1) == (
        not report.changed["x"]
    )
    if other.same_structure(graph):
        assert not report.changed["x"]


def test_units_over_the_same_words_are_edges_too() -> None:
    parse = brackets("[H [A [P [F the] [C exam]]] [S is] [D over]]").replace(details={"id": "1"})
    gold = brackets("[H [A [F the] [C exam]] [S is] [D over]]")
    report = find_corrections({"1": parse}, {"1": {"": gold}})
    assert report.changed == {"1": 1} and report.unchanged == 0
