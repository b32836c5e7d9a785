"""The scripts of the projects that make the tables of papers."""

import re
import subprocess
import sys
from pathlib import Path

import check_data
import convert_treebank
import paper_tables
import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_ucca.training.corpus import graph_to_doc, write_docbin

# paper_tables


def test_a_paper_beside_our_values(tmp_path, capsys):
    tables = [
        {
            "title": "F1",
            "columns": {"primary": "ucca_primary_f", "remote": "ucca_remote_f"},
            "rows": [
                {"name": "MLP", "file": "mlp.json", "paper": [64.9, None]},
                {"name": "own", "file": "own.json"},
                {"name": "mixed", "cells": {"remote": ["mlp.json", "bounds.high"]}},
                {"name": "mean", "mean": ["MLP", "MLP", "mixed"]},
                {"name": "best", "mean": ["MLP", "better"], "paper": [70.0, None]},
                {"name": "better", "cells": {"primary": ["mlp.json", "bounds.high"]}},
                {"name": "below", "file": "own.json", "under": "x.y"},
            ],
        },
        {
            "title": "Counts",
            "note": "Of sentences.",
            "columns": {"Wiki": "wiki.json", "EWT": "ewt.json"},
            "unit": "count",
            "rows": [
                {"name": "units", "key": "units.all", "paper": [1200, 30]},
                {"name": "a token", "key": "rate", "unit": "number"},
            ],
        },
        {
            "title": "Moves",
            "columns": {"n": "moves.json", "%": "moves.json"},
            "unit": "count",
            "units": {"%": "share"},
            "sparse": True,
            "rows": [{"name": n, "key": f"m.{n}", "paper": [1, 2.5]} for n in ("up", "down")],
        },
    ]
    srsly.write_json(tmp_path / "tables.json", tables)
    arguments = [str(tmp_path / "tables.json"), str(tmp_path), str(tmp_path / "out.json")]
    with pytest.raises(SystemExit, match=r"ewt\.json, mlp\.json, moves\.json, own\.json.*Train"):
        paper_tables.main(arguments)
    below = {"ucca_primary_f": 0.25, "ucca_remote_f": 0.07}
    srsly.write_json(tmp_path / "own.json", {"x": {"y": below}})
    mlp = {"ucca_primary_f": 0.6444, "ucca_remote_f": None, "bounds": {"high": 1}}
    srsly.write_json(tmp_path / "mlp.json", mlp)
    srsly.write_json(tmp_path / "wiki.json", {"units": {"all": 1234}, "rate": 0.125})
    srsly.write_json(tmp_path / "moves.json", {"m": {"up": 3, "left": 6}})
    paper_tables.main(arguments)
    assert capsys.readouterr().out.splitlines() == [
        *("F1", "", "|  | primary | remote | primary, paper |", "| --- | --- | --- | --- |"),
        *("| MLP | 64.4 | - | 64.9 |", "| own | - | - | - |", "| mixed | - | 100.0 | - |"),
        *("| mean | - | - | - |", "| best | 82.2 | - | 70.0 |", "| better | 100.0 | - | - |"),
        *("| below | 25.0 | 7.0 | - |", ""),
        *("Counts", "", "Of sentences.", "", "|  | Wiki | EWT | Wiki, paper | EWT, paper |"),
        *("| --- | --- | --- | --- | --- |", "| units | 1,234 | - | 1,200 | 30 |"),
        *("| a token | 0.12 | - | - | - |", "", "Moves", "", "|  | n | % | n, paper | %, paper |"),
        *("| --- | --- | --- | --- | --- |", "| up | 3 | 33.3 | 1 | 2.5 |"),
        "| down | 0 | 0.0 | 1 | 2.5 |",
    ]
    (first, second, *_), (units, _), _ = (t["rows"] for t in srsly.read_json(tmp_path / "out.json"))
    assert first["ours"] == {"primary": 64.4, "remote": None}
    assert first["paper"] == {"primary": 64.9, "remote": None} and not second["paper"]
    assert units["ours"] == {"Wiki": 1234, "EWT": None} and units["unit"] == "count"
    (tmp_path / "wiki.json").write_text("{", "utf8")
    with pytest.raises(SystemExit, match=r"wiki\.json cannot be read.*delete"):
        paper_tables.main(arguments)


def test_what_is_missing_is_named(tmp_path, sample):
    data, syntax, corpus = (tmp_path / name for name in ("data", "syntax", "corpus"))

    def problem() -> str:
        return check_data.problem(data, syntax, [corpus])

    assert str(corpus) in problem() and "spacy project assets" in problem()
    (corpus / "xml").mkdir(parents=True)
    (corpus / "xml" / "a.xml").touch()
    assert str(syntax) in problem() and "spacy project run data" in problem()
    syntax.mkdir()
    (syntax / "meta.json").touch()
    for name in check_data.FILES:
        path = data / name
        assert str(path) in problem() and "not there" in problem()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"no docs")
        assert "UC213" in problem() and "spacy project run data" in problem()
        DocBin().to_disk(path)
        assert "no sentences" in problem()
        DocBin(docs=[Doc(Vocab(), words=["a"])]).to_disk(path)
        assert "graph" in problem()
        write_docbin([graph_to_doc(graph, Vocab()) for graph in sample[:2]], path)
    assert problem() == ""
    treebank = tmp_path / "en_ewt-ud-train.conllu"
    assert str(treebank) in check_data.problem(data, syntax, [treebank])
    treebank.touch()
    assert not check_data.problem(data, syntax, [treebank])


PROJECTS = Path(__file__).parents[1] / "projects"


@pytest.mark.parametrize("name", ["bilexical", "links", "sdp", "span", "tupa"])
def test_every_project_of_a_paper_names_missing_corpora_first(name, tmp_path):
    """Before weasel stops at a file that is not there, without saying how to get it."""
    project = srsly.read_yaml(PROJECTS / name / "project.yml")
    commands = {command["name"]: command for command in project["commands"]}
    assert project["workflows"].get("all", project["workflows"].get("wiki"))[0] == "check"
    (line,) = commands["check"]["script"]
    values = project["vars"]
    for _ in range(4):
        line = re.sub(r"\$\{vars\.(\w+)\}", lambda found: str(values[found[1]]), line)
    _, script, *rest = line.replace("../../assets", str(tmp_path)).split()
    script = str(PROJECTS / name / script)
    result = subprocess.run([sys.executable, script, *rest], capture_output=True, text=True)
    assert result.returncode == 1 and str(tmp_path) in result.stderr
    assert "spacy project assets" in result.stderr
    if name == "links":
        rest[1] = "ru"
        assert subprocess.run([sys.executable, script, *rest]).returncode == 0
        (tmp_path / "UD_English-EWT").mkdir()
        (tmp_path / "UD_English-EWT" / "en_ewt-ud-train.conllu").touch()
        rest[1] = "en"
        assert subprocess.run([sys.executable, script, *rest]).returncode == 0


TABLES = sorted((Path(__file__).parents[1] / "projects").glob("*/tables.json"))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.parent.name)
def test_tables_of_projects_fit_together(path):
    for table in srsly.read_json(path):
        assert table["title"] and table["rows"]
        for row in table["rows"]:
            assert row["name"] and len({"file", "key", "cells", "mean"} & row.keys()) == 1
            unit = row.get("unit", table.get("unit", "percent"))
            units = {paper_tables.unit_of(table, column, unit) for column in table["columns"]}
            assert units <= paper_tables.FORMATS.keys()
            assert len(row.get("paper", ())) <= len(table["columns"])
            places = paper_tables.cells(table, row)
            names = {other["name"] for other in table["rows"] if "mean" not in other}
            assert names.issuperset(row.get("mean", ()))
            assert places or "paper" in row  # of another system
            assert places.keys() <= table["columns"].keys()
            assert all(file.endswith(".json") for file, _ in places.values())


# convert_treebank


def test_a_treebank_is_converted_as_spacy_does(tmp_path):
    path = Path(__file__).parent / "data" / "sample.conllu"
    line = ["convert", str(path), str(tmp_path), "-n", "5"]
    subprocess.run([sys.executable, "-m", "spacy", *line], check=True, capture_output=True)
    theirs = (tmp_path / "sample.spacy").read_bytes()

    def sentences(limit: int) -> list[list[str]]:
        file = convert_treebank.convert(
            limit, path, tmp_path / str(limit), merge=False, universal=False
        )
        docs = list(DocBin().from_disk(file).get_docs(spacy.blank("en").vocab))
        assert len(docs) == -(-sum(len(list(doc.sents)) for doc in docs) // 5)
        return [[(t.text, t.tag_, t.dep_, t.head.i) for t in s] for doc in docs for s in doc.sents]

    assert sentences(0) and (tmp_path / "0" / "sample.spacy").read_bytes() == theirs
    assert sentences(7) == sentences(0)[:7]
    last, end = ([[t[:3] for t in s] for s in x] for x in (sentences(-7), sentences(0)[-7:]))
    assert last == end
    (tmp_path / "empty.conllu").write_text("\n", "utf8")
    with pytest.raises(SystemExit, match="no sentences"):
        convert_treebank.convert(
            0, tmp_path / "empty.conllu", tmp_path, merge=False, universal=False
        )


def test_treebanks_are_made_alike(tmp_path):
    lines = [
        "1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tzu\tzu\tADP\tAPPR\tAdpType=Prep\t3\tcase\t_\t_",
        "2\tdem\tder\tDET\tART\tCase=Dat|Gender=Masc|Number=Sing\t3\tdet:poss\t_\t_",
        "3\tHaus\tHaus\tNOUN\tNN\tGender=Neut\t0\troot\t_\t_",
        "4\tdas\tder\tPRON\tPRELS\tPronType=Dem,Rel\t6\tnsubj\t_\t_",
        "5\theute\theute\tADV\tADV\t_\t6\tobl:tmod\t_\t_",
        "6\tverfallen\tverfallen\tVERB\tVBN\tTense=Past\t3\tacl\t_\t_",
        "7\tist\tsein\tAUX\tVBC\tMood=Ind\t6\taux\t_\t_",
    ]
    (tmp_path / "de.conllu").write_text("\n".join(lines) + "\n\n", "utf8")

    def read(merge: bool) -> list[tuple[str, ...]]:
        file = convert_treebank.convert(0, tmp_path / "de.conllu", tmp_path, merge, universal=True)
        (doc,) = DocBin().from_disk(file).get_docs(spacy.blank("xx").vocab)
        return [(t.text, t.tag_, t.pos_, str(t.morph), t.dep_) for t in doc]

    others = [
        ("Haus", "NOUN", "NOUN", "", "ROOT"),
        ("das", "PRON", "PRON", "PronType=Dem,Rel", "nsubj"),
        ("heute", "ADV", "ADV", "", "obl"),
        ("verfallen", "VERB", "VERB", "Tense=Past|VerbForm=Part", "acl:relcl"),
        ("ist", "AUX", "AUX", "Mood=Ind|VerbForm=Fin", "aux"),
    ]
    the = ("dem", "DET", "DET", "Case=Dat|Number=Sing", "det:poss")
    assert read(merge=False) == [("zu", "ADP", "ADP", "", "case"), the, *others]
    first, *same = read(merge=True)
    assert first[0] == "zum" and same == others
    assert {path.stem for path in tmp_path.glob("*.spacy")} == {"de", "de-merged"}


@pytest.mark.parametrize(
    "text", ["1\tword\n", "\x00\x01", "1\tWhat\tx\tX\tX\t_\tno\troot\t_\t_\n\n"]
)
def test_what_is_no_treebank(tmp_path, text):
    (tmp_path / "bad.conllu").write_text(text, "utf8")
    for path in (tmp_path / "bad.conllu", tmp_path, tmp_path / "none.conllu"):
        with pytest.raises(SystemExit, match=r"Give a CoNLL-U file|Mend the sentence"):
            convert_treebank.convert(0, path, tmp_path / "out", merge=False, universal=False)


def test_a_directory_without_treebanks_is_named(tmp_path):
    command = [sys.executable, convert_treebank.__file__, "0", tmp_path, tmp_path / "out"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 1 and f"{tmp_path} has no *.conllu" in found.stderr


def test_tables_that_are_none(tmp_path):
    row = {"name": "a", "file": "a.json"}
    srsly.write_json(tmp_path / "a.json", {"x": 1})
    good = {"title": "T", "columns": {"X": "x"}, "rows": [row]}
    path, out = tmp_path / "tables.json", tmp_path / "new" / "out.json"
    for wrong in (
        {"unit": "feet"},
        {"columns": ["x"]},
        {"rows": [{"name": "a"}]},
        {"rows": [{**row, "mean": ["b"]}]},
        {"rows": [{**row, "paper": [1, 2]}]},
    ):
        srsly.write_json(path, [good | wrong])
        with pytest.raises(SystemExit, match=r"tables\.json is not as"):
            paper_tables.main([str(path), str(tmp_path)])
    srsly.write_json(path, [good])
    for read in (path, tmp_path / "a.json"):
        with pytest.raises(SystemExit, match="Give another file"):
            paper_tables.main([str(path), str(tmp_path), str(read)])
    paper_tables.main([str(path), str(tmp_path), str(out)])
    assert srsly.read_json(out)[0]["rows"][0]["ours"] == {"X": 100}
