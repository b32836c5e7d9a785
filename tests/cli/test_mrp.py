"""`spacy-ucca score --mrp`: files of any format, graphs by their ids."""

import json
from pathlib import Path

from cli_runs import run

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.mrp import write_mrp
from spacy_ucca.formats.xml import read_xml


def write_lines(path: Path, *texts: str) -> Path:
    """Write graphs with the ids 1, 2, ..."""
    lines = []
    for i, text in enumerate(texts, start=1):
        (graph,) = read_brackets(text)
        graph.details["id"] = str(i)
        lines.append(write_mrp(graph))
    path.write_text("".join(lines), "utf8")
    return path


def scores(*args, code=0):
    return json.loads(run("score", "--mrp", *args, "--json", "-", code=code).stdout)


def test_a_table(tmp_path):
    gold = write_lines(tmp_path / "gold.mrp", "[H [A John] [P left]]", "[H [A I] [P saw]]")
    other = write_lines(tmp_path / "pred.mrp", "[H [A John] [S left]]", "[H [A I] [P saw]]")
    result = run("score", "--mrp", gold, other, "--json", tmp_path / "s.json")
    found = json.loads((tmp_path / "s.json").read_text())
    assert found["counts"]["edges"] == {"matches": 5, "predicted": 6, "gold": 6}
    assert found["counts"]["all"] == {"matches": 11, "predicted": 12, "gold": 12}
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines() if line}
    assert rows["edges"] == ["83.3"] * 3 and rows["attributes"] == ["-"] * 3
    assert rows["all"] == [f"{100 * found['mrp_f']:.1f}"] * 3
    assert result.stdout.endswith(
        "2 graphs scored. The search for pairs of nodes was complete in 2.\n"
    )


def test_the_format_makes_no_difference(corpus, tmp_path):
    lines = "".join(write_mrp(read_xml(path)) for path in sorted(corpus.iterdir()))
    (tmp_path / "all.jsonl").write_text(lines, "utf8")
    for gold, other in ((corpus, tmp_path / "all.jsonl"), (tmp_path / "all.jsonl", corpus)):
        found = scores(gold, other)
        assert found["mrp_f"] == 1.0 and found["graphs"] == 3 and found["exact"] == 3


def test_graphs_without_ids_are_numbered(tmp_path):
    for name in ("gold", "pred"):
        (tmp_path / f"{name}.txt").write_text("[H [P Stop]]\n\n[H [P Go]]\n", "utf8")
    found = scores(tmp_path / "gold.txt", tmp_path / "pred.txt")
    assert found["graphs"] == 2 and found["mrp_f"] == 1.0


def test_what_has_no_partner(tmp_path):
    gold = write_lines(tmp_path / "gold.mrp", "[H [P Stop]]", "[H [P Go]]")
    other = tmp_path / "pred.mrp"
    first = gold.read_text().splitlines()[0]
    ninth = first.replace('"1"', '"9"', 1)
    other.write_text(f"{first}\n{first}\n{ninth}\n")
    result = run("score", "--mrp", gold, other, "--json", tmp_path / "s.json", code=1)
    found = json.loads((tmp_path / "s.json").read_text())
    assert (found["missing"], found["extra"], found["graphs"]) == (["2"], ["9"], 2)
    assert found["mrp_p"] == 1.0 and found["mrp_r"] == 0.5  # a missing graph is an empty one
    assert "Missing: 1" in result.stderr and "Not in gold: 1" in result.stderr
    assert "'1' is there twice" in result.stderr


def test_bad_lines_and_other_texts_are_named(tmp_path):
    gold = write_lines(tmp_path / "gold.mrp", "[H [P Stop]]", "[H [P Go]]", "[H [P Run]]")
    other = write_lines(tmp_path / "pred.mrp", "[H [P Stop]]", "[H [P Went]]", "[H [P Run]]")
    lines = other.read_text().splitlines()
    other.write_text(f"{lines[0]}\n{lines[1]}\n{lines[2][:40]}\n")
    result = run("score", "--mrp", gold, other, "--json", tmp_path / "s.json", code=1)
    found = json.loads((tmp_path / "s.json").read_text())
    assert found["skipped"] == [f"{other}, line 3", "graph '2'"] and found["missing"] == ["3"]
    assert "UC407" in result.stderr and "Traceback" not in result.stderr
    assert found["graphs"] == 2


def test_mistakes_of_the_user(tmp_path):
    gold = write_lines(tmp_path / "gold.mrp", "[H [P Stop]]")
    (tmp_path / "none").mkdir()
    (tmp_path / "empty.mrp").write_text("")
    (tmp_path / "text.txt").write_text("Stop!")
    (tmp_path / "other.mrp").write_text(gold.read_text().replace('"1"', '"2"', 1))
    for args, code, message in (
        ((gold, tmp_path / "nowhere"), 2, "does not exist"),
        ((gold, tmp_path / "none"), 1, "UC718"),
        ((gold, tmp_path / "empty.mrp"), 1, "UC115"),
        ((gold, tmp_path / "text.txt"), 1, "UC714"),
        ((gold, tmp_path / "other.mrp"), 1, "UC510"),
        ((gold, gold, "--per-type"), 2, "--per-type"),
        ((gold, gold, "--mtool-steps", "-1"), 2, "--mtool-steps"),
    ):
        result = run("score", "--mrp", *args, code=code)
        assert message in result.stderr, result.stderr
        assert "Traceback" not in result.stderr


def test_steps_of_mtool_are_counted(tmp_path):
    text = " ".join(f"[A w{i}]" for i in range(12))
    gold = write_lines(tmp_path / "gold.mrp", f"[H {text}]")
    other = write_lines(tmp_path / "pred.mrp", f"[H {text} ]".replace("[A w3] [A w4]", "[A w3 w4]"))
    whole, part = scores(gold, other), scores(gold, other, "--mtool-steps", 100)
    assert (whole["exact"], part["exact"]) == (1, 0)
    assert part["mtool_steps"] == 100 and part["mrp_f"] <= whole["mrp_f"]
    result = run("score", gold, other, "--mtool-steps", "5", code=2)
    assert "Only with --mrp" in result.stderr


def test_categories_are_mapped(tmp_path):
    gold = write_lines(tmp_path / "gold.mrp", "[H [P left] [T now]]")
    other = write_lines(tmp_path / "pred.mrp", "[H [P left] [D now]]")
    assert scores(gold, other)["mrp_f"] < 1.0 == scores(gold, other, "--map", "T=D")["mrp_f"]
