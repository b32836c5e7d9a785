"""`spacy-ucca find`: what it prints of matches, and what it does with bad input."""

import json
import re
from pathlib import Path

import pytest
import spacy
from cli_runs import run
from hypothesis import given, settings
from hypothesis import strategies as st
from serving import parse_text
from spacy.tokens import DocBin
from strategies import graphs

from spacy_ucca.cli._find_docs import mark
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.matcher import UccaMatcher
from spacy_ucca.matcher.plain import Sentences, describe_match
from spacy_ucca.serve.answer import encode_answer
from spacy_ucca.text.spacing import find_places
from spacy_ucca.training.corpus import graph_to_doc

VOCAB = spacy.blank("xx").vocab
GRAPHS = """# id = one
[L After] [H [P graduation] [A* =j]] [U ,] [H [A#j John] [P moved] [A [R to] [C Paris]]] [U .]

# id = two
[H [A IMPLICIT] [P#p Take] [A it] [P#p- off]]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "graphs.txt"
    path.write_text(GRAPHS, "utf8")
    return path


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        ("H[A*=who P=p]", ["After [p graduation], [who John] moved to Paris."]),
        ("H[A=a[R=r]]", ["After graduation, John moved [a [r to] Paris]."]),
        ("H[A=who:implicit P=p]", ["[p Take] it [p off] (who: implicit)"]),
        ("L", ["[unit After] graduation, John moved to Paris."]),
        ("A:implicit", ["Take it off (unit: implicit)"]),
        ("G", []),
    ],
)
def test_matches_are_marked(pattern: str, lines: list[str], file: Path):
    assert run("find", pattern, file).stdout.splitlines() == lines
    assert run("find", pattern, file, "--count").stdout == f"{len(lines)}\n"
    found = run("find", pattern, file, "--json").stdout.splitlines()
    assert len(found) == len(lines)
    for line in map(json.loads, found):
        assert line["name"] in ("one", "two")
        for unit in line["units"].values():
            spans = [(a - line["start"], b - line["start"]) for a, b in unit["spans"]]
            assert " ... ".join(line["sentence"][a:b] for a, b in spans) == unit["text"]


def test_several_files_are_named(file: Path, tmp_path: Path):
    (tmp_path / "more.txt").write_text("[H [P Rains]]\n", "utf8")
    found = run("find", "P=p", tmp_path).stdout.splitlines()
    assert found == [
        "one: After [p graduation], John moved to Paris.",
        "one: After graduation, John [p moved] to Paris.",
        "two: [p Take] it [p off]",
        "more: [p Rains]",
    ]


@settings(max_examples=150, deadline=None)
@given(graphs(linkage=False, max_roots=2), st.sampled_from(["*=x[*=y]", "*=x", "*=x[*=y *=z]"]))
def test_marks_only_add_to_the_text(graph: Graph, pattern: str):
    doc = graph_to_doc(graph, VOCAB)
    matcher = UccaMatcher(VOCAB)
    matcher.add("find", [pattern])
    sentences, places = Sentences(doc._.ucca), find_places(graph, doc)
    for _, units in matcher(doc):
        plain = mark(doc, sentences, units)
        assert re.sub(r"\x1b\[[\d;]*m", "", mark(doc, sentences, units, color=True)) == plain
        implicit = [name for name, unit in units.items() if not unit.tokens()]
        assert plain.count(": implicit)") == len(implicit)
        data = describe_match(units, sentences, places)
        assert doc.text[data["start"] :].startswith(data["sentence"])
        text = re.sub(r"\[\w+ |\]| ?\(\w+: implicit\)", "", plain)
        assert text.split() == data["sentence"].split()
        for name, unit in units.items():
            found = data["units"][name]
            assert plain.count(f"[{name} ") == len(unit.ranges()) == len(found["spans"])
            assert (found["unit"], found["label"]) == (unit.index, unit.label)
            assert found["text"] == " ... ".join(doc.text[a:b] for a, b in found["spans"])


def test_texts_are_parsed(model: str, tmp_path: Path):
    path = tmp_path / "text.txt"
    path.write_text("I came. You left!\n\nIt rains now 🎉.", "utf8")
    every = run("find", "H=h", path, "--model", model).stdout.splitlines()
    assert len(every) == 3 and all(line.startswith("[h ") for line in every)
    again = run("find", "H=h", "-", "--model", model, input=path.read_text("utf8"))
    assert again.stdout.splitlines() == every
    assert run("find", "H:has(rains)", path, "-m", model, "-c").stdout == "1\n"
    (tmp_path / "empty.txt").write_text("", "utf8")
    assert run("find", "H", tmp_path / "empty.txt", "-m", model).stdout == ""


def test_offsets_are_those_of_the_input(model: str, tmp_path: Path):
    """However many paragraphs and spaces it has; and of a text without any they are those of the served answer."""
    text = " I  can't\tcome. 🎉 You left!\n\n\nIt\nrains now.\n"
    (tmp_path / "text.txt").write_text(text, "utf8")
    (tmp_path / "text.jsonl").write_text(json.dumps({"text": text}) + "\n", "utf8")
    for path in (tmp_path / "text.txt", tmp_path / "text.jsonl"):
        lines = run("find", "*=x[*=y]", path, "-m", model, "--json").stdout.splitlines()
        for found in map(json.loads, lines):
            assert text[found["start"] :].startswith(found["sentence"])
            for unit in found["units"].values():
                assert unit["text"] == " ... ".join(text[a:b] for a, b in unit["spans"])
        assert any("It\nrains now." == json.loads(line)["sentence"] for line in lines)
    parsed = tmp_path / "parsed.jsonl"  # graphs of files know the text
    run("parse", tmp_path / "text.txt", "-m", model, "-o", parsed)
    again = run("find", "*=x[*=y]", parsed, "--json").stdout.splitlines()
    places = [sorted(f["start"] for f in map(json.loads, found)) for found in (lines, again)]
    assert places[0] == places[1]

    nlp = spacy.load(model)
    plain, matcher = "I can't come. You left!", UccaMatcher(nlp.vocab)
    matcher.add("q", ["*=x[*=y]"])
    served = json.loads(encode_answer(parse_text(nlp, plain, max_tokens=99), ["tree"], matcher))
    lines = run("find", "*=x[*=y]", "-", "-m", model, "--json", input=plain).stdout.splitlines()
    assert [{"name": "stdin", **match} for match in served["matches"]] == [*map(json.loads, lines)]


def test_graphs_of_files_are_kept_if_asked(model: str, file: Path):
    """The stub makes a graph of one Scene a sentence."""
    assert run("find", "L", file, "-m", model, "--count").stdout == "0\n"
    assert run("find", "L", file, "-m", model, "--count", "--keep-graphs").stdout == "1\n"


def test_docs_keep_their_tags(tmp_path: Path):
    (graph, _) = read_brackets(GRAPHS)
    doc = graph_to_doc(graph, spacy.blank("en").vocab)
    doc[4].lemma_ = "move"
    for token in doc:
        token.lemma_ = token.lemma_ or token.text
    DocBin(store_user_data=True, docs=[doc]).to_disk(tmp_path / "docs.spacy")
    assert run("find", "P:lemma(move)", tmp_path / "docs.spacy", "-c").stdout == "1\n"
    DocBin(docs=[doc]).to_disk(tmp_path / "bare.spacy")
    result = run("find", "P", tmp_path / "bare.spacy", code=1)
    assert "no UCCA graph" in result.stderr


@pytest.mark.parametrize("keep", [(), ("--keep-graphs",)])
def test_what_a_pattern_asks_of_the_model(keep: tuple[str, ...], model: str, file: Path):
    """Whether or not a unit has the category."""
    for pattern in ("P:lemma(move)", "G:lemma(move)", "H[!A:pos(VERB)]"):
        result = run("find", pattern, file, "-m", model, *keep, code=1)
        assert "UC587" in result.stderr and model in result.stderr and not result.stdout
        name = "'morphologizer'" if "pos" in pattern else "'lemmatizer'"
        assert f"Add {name} to it" in result.stderr and "E155" not in result.stderr
    result = run("find", "G:lemma(move)", file, code=1)
    assert "UC659" in result.stderr and "LEMMA" in result.stderr
    blank = file.with_name("blank.txt")
    blank.write_text(" \n\t\n", "utf8")
    assert run("find", "P:lemma(move)", blank, "-m", model, "-c").stdout == "0\n"


def test_bad_input(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    result = run("find", "H[P=p", file, code=1)
    assert "column 2" in result.stderr and "\n    H[P=p\n     ^" in result.stderr
    assert "UC653" in run("find", "Participant", file, code=1).stderr
    assert "the pattern comes first" in run("find", file, "P", code=1).stderr
    monkeypatch.chdir(tmp_path)
    (tmp_path / "P").mkdir()  # is a pattern all the same
    assert int(run("find", "P", file, "--count").stdout) > 0
    assert "Did you mean 'A'" in run("find", "Participant", file, code=1).stderr
    result = run("find", "P:lemma(move)", file, code=1)
    assert "UC659" in result.stderr and "--keep-graphs" in result.stderr
    assert "LEMMA" in result.stderr and result.stderr.count("[") == 1
    (tmp_path / "text.txt").write_text("Only a text.\n", "utf8")
    result = run("find", "P=p", file, tmp_path / "text.txt", code=1)
    assert "text.txt is a text" in result.stderr and "--model" in result.stderr
    assert len(result.stdout.splitlines()) == 3  # the other file is searched
    assert run("find", "P", tmp_path / "nothing.txt", code=1).stderr.count("nothing.txt") == 1
    run("find", "P", tmp_path / "nothing.txt", "-m", "x", code=2)
    assert "Error" in run("find", "P", file, "-m", tmp_path / "none", code=1).stderr


def test_a_search_of_too_many_steps(file: Path):
    """The text is named, the others are searched."""
    found = run("find", "H[P=p]", file, "--max-steps", 4, code=1)
    assert found.stdout.splitlines() == ["[p Take] it [p off]"]
    assert "UC678" in found.stderr and "more than 4 steps" in found.stderr
    assert len(run("find", "H[P=p]", file, "--max-steps", 0).stdout.splitlines()) == 3
