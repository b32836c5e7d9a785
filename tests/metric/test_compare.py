"""Comparisons of graphs: marks are exactly what the scorer counts as errors; pages show them."""

import random
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
import spacy
from perturb import perturb, renumber
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_ucca
from spacy_ucca.cli import app
from spacy_ucca.drawing.page_comparison import render_comparison
from spacy_ucca.drawing.render import render_svg
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import read_xml, write_xml
from spacy_ucca.graph import Graph
from spacy_ucca.metric.compare import (
    LABEL,
    MATCH,
    ONLY,
    UNCOUNTED,
    Comparison,
    compare,
)
from spacy_ucca.metric.counts import CONSTRUCTIONS, LABELED
from spacy_ucca.metric.score import score_pair
from spacy_ucca.text.split import split_sentences
from spacy_ucca.training.corpus import graph_to_doc, write_docbin

SVG = "{http://www.w3.org/2000/svg}"


def brackets(text: str) -> Graph:
    (graph,) = read_brackets(text)
    return graph


def plain(graph: Graph) -> Graph:
    return Graph.from_record({**graph.to_record(), "details": {}})


def check(gold: Graph, predicted: Graph) -> Comparison:
    """The marks of a comparison are the errors of the scorer, no more and no fewer."""
    found = compare(gold, predicted)
    counts = score_pair(predicted, gold)
    for side, n_items in ((found.predicted, counts.guessed), (found.gold, counts.ref)):
        graph, marks, items = side.graph, side.marks, side.items
        assert set(marks) == {i for i, e in enumerate(graph.edge_tuples) if e.child >= 0}
        wrong = {i for i, mark in marks.items() if mark.status in (ONLY, LABEL)}
        assert wrong == set(items)
        right = {i for i, mark in marks.items() if mark.status == MATCH}
        assert side.right == {i: i in right for i in sorted(wrong | right)}
        shown = set(items.values()) | set(side.unseen)
        assert not set(items.values()) & set(side.unseen)
        for name in CONSTRUCTIONS:
            errors = n_items[name] - counts.matches[LABELED, name]
            assert sum(item.construction == name for item in shown) == errors
        assert shown <= set(found.differences)
        for i in wrong:
            assert bool(marks[i].other) == (marks[i].status == LABEL)
            assert set(marks[i].other).isdisjoint(graph.edge_tuples[i].categories)
    both = {*found.predicted.items.values(), *found.gold.items.values()}
    both.update(found.predicted.unseen, found.gold.unseen)
    assert both == set(found.differences)
    return found


def test_marks_are_the_errors_of_the_scorer(sample: list[Graph]) -> None:
    rng = random.Random(5)
    seen: Counter = Counter()
    for graph in map(plain, sample):
        for n in (1, 1, 2, 4, 10):
            changed = perturb(graph, rng, n)
            found = check(graph, changed)
            other = check(changed, graph)
            assert {i: m.status for i, m in other.gold.marks.items()} == {
                i: m.status for i, m in found.predicted.marks.items()
            }
            for side in (found.predicted, found.gold):
                seen.update(mark.status for mark in side.marks.values())
            seen["unseen"] += len(found.gold.unseen) + len(found.predicted.unseen)
    assert min(seen[status] for status in (MATCH, ONLY, LABEL, UNCOUNTED)) > 20
    # nearly all errors have their place in the picture
    assert seen["unseen"] < 0.1 * (seen[ONLY] + seen[LABEL])


def test_sentences_of_a_doc_are_compared_as_the_scorer_does(sample: list[Graph]) -> None:
    rng = random.Random(6)
    for first, second, third in zip(sample, sample[1:], sample[2:], strict=False):
        gold = [plain(graph) for graph in (first, second, third)]
        joined = Graph.join([perturb(graph, rng, 2) for graph in gold])
        check(Graph.join(gold), renumber(joined, rng) if len(joined.roots) == 1 else joined)


def test_a_graph_has_no_errors_against_itself(sample: list[Graph]) -> None:
    for graph in sample:
        found = check(graph, graph)
        assert not found.differences
        assert found.counts.tally().f1 == 1.0


@pytest.mark.slow
def test_marks_are_the_errors_of_the_scorer_on_corpora(corpora: Path) -> None:
    rng = random.Random(7)
    for folder in ("UCCA_English-EWT", "UCCA_English-Wiki-1.2", "UCCA_German-20K"):
        for path in sorted((corpora / folder / "xml").glob("*.xml"))[:4]:
            for graph in split_sentences(read_xml(path))[:30]:
                check(graph, perturb(plain(graph), rng, rng.choice((1, 3))))


def test_marks_by_hand() -> None:
    gold = brackets("[H [A#1 John] [P went] [A home]] [L and] [H [P slept] [A* =1]] [U .]")
    ours = brackets("[H [A#1 John] [P went] [D home]] [L and] [H [P slept]] [U .]")
    found = check(gold, ours)
    marked = {
        (e.label, e.child.text, e.remote): found.gold.marks[e.index]
        for e in gold.edges
        if found.gold.marks[e.index].status in (ONLY, LABEL)
    }
    assert marked == {
        ("A", "home", False): (LABEL, ("D",)),
        ("A", "John", True): (ONLY, ()),
    }
    (edge,) = (e for e in ours.edges if found.predicted.marks[e.index].status == LABEL)
    assert (edge.label, edge.child.text) == ("D", "home")
    assert not any(mark.status == ONLY for mark in found.predicted.marks.values())
    assert [i for i, right in found.predicted.right.items() if not right] == [edge.index]
    (u,) = (e.index for e in gold.edges if e.label == "U")
    assert found.gold.marks[u].status == UNCOUNTED


def test_a_relabeled_edge_alone_is_marked(sample: list[Graph]) -> None:
    tried = 0
    for graph in map(plain, sample):
        for i, edge in enumerate(graph.edge_tuples):
            if edge.child < 0 or edge.remote or graph.kinds[edge.child] != "FN":
                continue
            if edge.categories not in (("D",), ("E",), ("T",)):
                continue
            changed = list(graph.edge_tuples)
            changed[i] = edge._replace(categories=("X",))
            same = [e for e in graph.edges if e.child.tokens() == graph[edge.child].tokens()]
            # where a unit has the same tokens, once functions are at the top, one category is enough
            if len(same) > 1 or graph[edge.child].edges:
                continue
            ours = Graph(graph.words, graph.kinds, changed, punct=graph.punct)
            found = compare(graph, ours)
            for side in (found.predicted, found.gold):
                assert [e for e, mark in side.marks.items() if mark.status in (ONLY, LABEL)] == [i]
            tried += 1
    assert tried > 5


def test_pictures_mark_what_is_marked(sample: list[Graph]) -> None:
    rng = random.Random(8)
    for graph in map(plain, sample):
        ours = perturb(graph, rng, 3)
        found = compare(graph, ours)
        root = ElementTree.fromstring(
            render_svg(ours, marks=found.predicted.marks, legend=False, wrap=None)
        )
        drawn = {}
        for group in root.iter(SVG + "g"):
            if "data-edge" in group.attrib:
                drawn[int(group.attrib["data-edge"])] = group
        assert set(drawn) == set(found.predicted.marks)
        for i, group in drawn.items():
            status = found.predicted.marks[i].status
            assert group.attrib["data-status"] == status
            # not by colour alone: a sign of its own and a thick frame, whose corners differ
            signs = [c for c in group.iter(SVG + "circle") if c.attrib.get("class") == "sign"]
            assert len(signs) == (status in (ONLY, LABEL))
            frame = next(shape for shape in group if shape.tag in (SVG + "rect", SVG + "path"))
            assert ("stroke-width" in frame.attrib) == (status in (ONLY, LABEL))
            if status in (ONLY, LABEL):
                assert float(frame.attrib["rx"]) == {ONLY: 0, LABEL: 4}[status]


# The page


def sections(page: str) -> list[str]:
    return re.findall(r'<section id="s\d+">.*?</section>', page, re.DOTALL)


def test_page_has_both_pictures_and_the_scores(sample: list[Graph]) -> None:
    rng = random.Random(9)
    gold = [plain(graph) for graph in sample[:8]]
    ours = [perturb(graph, rng, 2) for graph in gold]
    page = render_comparison(gold, ours)
    found = sections(page)
    assert len(found) == len(gold)
    for section, a, b in zip(found, gold, ours, strict=True):
        counts = score_pair(b, a)
        assert section.count("<svg ") >= 2
        assert f"F1 {100 * counts.tally().f1:.1f} " in section
        comparison = compare(a, b)
        for name, marks in (
            ("Gold", comparison.gold.marks),
            ("Predicted", comparison.predicted.marks),
        ):
            figure = section.split(f"<b>{name}</b>")[1].split("</figure>")[0]
            for status in (ONLY, LABEL):
                n = sum(mark.status == status for mark in marks.values())
                assert figure.count(f'data-status="{status}"') == n * figure.count("<svg xmlns")
    # nothing from outside
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    assert "<script" not in page and "@import" not in page and "url(" not in page


def test_worst_first_and_limit(sample: list[Graph]) -> None:
    gold = [plain(graph) for graph in sample[:5]]
    ours = [gold[0], perturb(gold[1], random.Random(1), 9), *gold[2:]]
    numbers = re.findall(r'<section id="s(\d+)"', render_comparison(gold, ours, order="worst"))
    assert numbers == ["2", "1", "3", "4", "5"]
    page = render_comparison(gold, ours, order="worst", limit=2)
    assert re.findall(r'<section id="s(\d+)"', page) == ["2", "1"]
    assert "5 sentences" in page and "Drawn are the worst 2" in page
    assert spacy_ucca.render_comparison(gold, gold).count("No errors.") == 5


def test_a_page_names_the_language_of_each_pair() -> None:
    pairs = [(brackets("[H [A 彼] [P 来た]]"), brackets("[H [P 彼] [A 来た]]"), "ja")]
    pairs.append((brackets("[H [P 来了]]"), brackets("[H [P 来了]]"), '"><b'))
    sides = [[pair[i].replace(details={"lang": pair[2]}) for pair in pairs] for i in (0, 1)]
    page = render_comparison(*sides)
    assert (
        page.count('<bdi lang="ja">') > 1
        and page.count('<p class="text" dir="ltr" lang="ja">') == 1
    )
    assert (
        len(re.findall(r'<svg [^>]*lang="ja"', page))
        == 2
        == len(re.findall("<svg (?!.*lang)", page))
    )
    assert page.count('<bdi lang="">') == 1 and "><b" not in page.replace("><bdi", "").replace(
        "><b>", ""
    )


def test_pages_escape_texts() -> None:
    evil = '<script>alert("x")</script>'
    graph = Graph.from_record(
        {**brackets("[H [A x] [P y]]").to_record(), "words": [evil, "&lt;b&gt;\x00\ud800"]}
    )
    for page in (
        render_comparison(graph, graph, names=[evil], title=evil),
        spacy_ucca.render(graph, page=True),
        spacy_ucca.render(graph, style="tree", page=True),
    ):
        assert "<script" not in page
        assert "&lt;script&gt;" in page and "&amp;lt;b&amp;gt;" in page
        page.encode("utf8")


def test_wrong_input_has_codes(sample: list[Graph]) -> None:
    doc = spacy.blank("en")("no graph")
    for gold, ours, code in (
        (sample[0], sample[1], "UC400"),
        ([sample[0], sample[1]], sample[0], "UC610"),
        (sample[0], doc, "UC602"),
        (sample[0], [None], "UC603"),
        ([], [], "UC611"),
    ):
        with pytest.raises(UccaError, match=code):
            render_comparison(gold, ours)


# The command


@pytest.fixture
def files(sample: list[Graph], tmp_path: Path) -> tuple[Path, Path]:
    rng = random.Random(2)
    folders = tmp_path / "gold", tmp_path / "predicted"
    for folder in folders:
        folder.mkdir()
    for i, graph in enumerate(sample[:3]):
        write_xml(plain(graph), folders[0] / f"{i}.xml")
        write_xml(perturb(plain(graph), rng, 2), folders[1] / f"{i}.xml")
    return folders


def run(*args: object, code: int = 0):
    result = CliRunner().invoke(app, ["compare", *map(str, args)])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def test_command_compares_files(files: tuple[Path, Path], tmp_path: Path) -> None:
    gold, ours = files
    run(gold, ours, "--output", tmp_path / "new" / "page.html", "--order", "worst")
    page = (tmp_path / "new" / "page.html").read_text("utf8")
    assert len(sections(page)) == 3
    scores = [float(f) for f in re.findall(r"F1 ([\d.]+) ", page)]
    assert scores == sorted(scores)
    assert len(sections(run(gold / "0.xml", ours / "0.xml", "-o", "-").stdout)) == 1
    assert len(sections(run(gold, ours, "--limit", "1", "-o", "-").stdout)) == 1


def test_command_divides_passages(sample: list[Graph], tmp_path: Path) -> None:
    passage = brackets("[H [A I] [P came]] [U .] [H [A You] [P left]] [U .]")
    write_xml(passage, tmp_path / "a.xml")
    write_xml(perturb(passage, random.Random(3), 1), tmp_path / "b.xml")
    files = tmp_path / "a.xml", tmp_path / "b.xml", "-o", "-"
    assert len(sections(run(*files).stdout)) == 2
    assert len(sections(run(*files, "--passages").stdout)) == 1


def test_command_compares_docs(sample: list[Graph], tmp_path: Path) -> None:
    docs = [graph_to_doc(plain(graph), Vocab()) for graph in sample[:3]]
    write_docbin(docs, tmp_path / "a.spacy")
    write_docbin(docs[:2], tmp_path / "b.spacy")
    page = run(tmp_path / "a.spacy", tmp_path / "a.spacy", "-o", "-").stdout
    assert page.count("No errors.") == 3
    result = run(tmp_path / "a.spacy", tmp_path / "b.spacy", code=1)
    assert "UC612" in result.stderr


def test_command_names_what_is_wrong(files: tuple[Path, Path], tmp_path: Path) -> None:
    gold, ours = files
    (ours / "1.xml").write_text("<root", "utf8")
    (ours / "2.xml").unlink()
    write_xml(brackets("[H [A other] [P words]]"), ours / "0.xml")
    result = run(gold, ours, code=1)
    assert "UC611" in result.stderr and "0.xml" in result.stderr and "1.xml" in result.stderr
    assert "Missing: 1" in result.stderr
    (tmp_path / "x.spacy").touch()
    assert "x.spacy: the file is empty" in run(gold, tmp_path / "x.spacy", code=1).stderr
