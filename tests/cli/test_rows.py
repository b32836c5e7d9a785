"""`parse --to scenes`, `csv` and `amr`, and `convert` to them: rows and their places, one process or several, and --resume."""

import csv
import io
import json
from pathlib import Path

import pytest
import spacy
from cli_runs import run
from spacy.language import Language
from spacy.tokens import Doc

from spacy_ucca.cli._parse_output import count_done
from spacy_ucca.distributed import workers
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.formats.files import read_graphs
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.graph import GraphBuilder

SHIPPED = Path(__file__).parents[2] / "models" / "en_ucca_sm"
TEXTS = ("Ann runs and Bob sits.", "No.", "He\tsleeps.\n\n\nIt  rains, it pours.", "Żółw sits 😀.")
ROWS = ("scenes", "csv")


@Language.component("test_scenes_ucca")
def scenes_ucca(doc: Doc) -> Doc:
    """A Scene for each word that ends in s, with the word before it as its Participant."""
    builder = GraphBuilder([token.text for token in doc])
    for sentence in doc.sents:
        root = builder.add_unit()
        for token in sentence:
            if token.text.endswith("s"):
                scene = builder.add_unit()
                builder.add_edge(root, scene, "H")
                for i, category in ((token.i - 1, "A"), (token.i, "P")):
                    if i >= sentence.start:
                        unit = builder.add_unit()
                        builder.add_edge(scene, unit, category)
                        builder.add_terminal(unit, i)
    doc._.ucca = builder.build()
    return doc


@pytest.fixture(scope="module")
def scenes_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_scenes_ucca")
    path = tmp_path_factory.mktemp("model") / "scenes"
    nlp.to_disk(path)
    return str(path)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    file = tmp_path / "in.jsonl"
    lines = (json.dumps({"id": f"t{i}", "text": text}) for i, text in enumerate(TEXTS * 2))
    file.write_text("".join(line + "\n" for line in lines), "utf8")
    return file


def rows(to: str, text: str) -> list[dict]:
    if to == "csv":
        return [*csv.DictReader(io.StringIO(text))]
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("to", ROWS)
def test_places_are_those_of_the_text(to: str, scenes_model: str, texts: Path) -> None:
    found = rows(to, run("parse", texts, "-m", scenes_model, "-t", to).stdout)
    inputs = [json.loads(line) for line in texts.read_text("utf8").splitlines()]
    starts = [i for i, row in enumerate(found) if int(row["scene"]) == 0]
    with_scenes = [item for item in inputs if item["text"] != "No."]
    assert len(starts) == len(with_scenes) and len(found) == 12
    for item, start, end in zip(with_scenes, starts, [*starts[1:], len(found)], strict=True):
        for number, row in enumerate(found[start:end]):
            assert row["id"] == item["id"] and int(row["scene"]) == number
            if to == "csv":
                place, text = (int(row["start"]), int(row["end"])), row["relation"]
            else:
                place, text = row["relation"]["offsets"][0], row["relation"]["text"]
            assert item["text"][slice(*place)] == text and text.endswith("s")
    assert [int(row["sentence"]) for row in found[2:5]] == [0, 1, 1]


@pytest.mark.parametrize("source", ["file", "-"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_places_count_in_the_file_as_it_is(
    end: str, source: str, scenes_model: str, tmp_path: Path
) -> None:
    """Whatever its ends of lines are; a blank line still ends a paragraph."""
    lines = ("", "Ann runs", "and Bob sits.", "", "  ", "It rains", "", "😀 Żółw sleeps", "", "")
    text, file = end.join(lines), tmp_path / "x.txt"
    file.write_bytes(text.encode())
    stdin = text.encode() if source == "-" else None
    source = source if stdin else str(file)
    model = ("-m", scenes_model)
    words = ["runs", "sits", "rains", "sleeps"]
    for to in (*ROWS, "mrp"):
        found = rows(to, run("parse", source, *model, "-t", to, input=stdin).stdout)
        if to == "mrp":
            (graph,) = found
            assert graph["input"] == text.rstrip("\r\n") and len(graph["tops"]) == 3
            spans = [(a["from"], a["to"]) for n in graph["nodes"] for a in n.get("anchors", ())]
            assert {text[slice(*span)] for span in spans} >= {*words}
        elif to == "csv":
            assert [text[int(row["start"]) : int(row["end"])] for row in found] == words
        else:
            assert [text[slice(*row["relation"]["offsets"][0])] for row in found] == words
    found = rows("scenes", run("find", "P=p", source, *model, "--json", input=stdin).stdout)
    assert [text[slice(*row["units"]["p"]["spans"][0])] for row in found] == words
    assert {text[row["start"] :].split()[0] for row in found} == {"Ann", "It", "😀"}


@pytest.mark.parametrize("to", [*ROWS, "amr"])
def test_processes_files_and_streams_agree(
    to: str, scenes_model: str, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "JOB_ITEMS", 2)
    args = ("parse", texts, "-m", scenes_model, "-t", to)
    whole = run(*args).stdout
    assert run(*args, "-n", 2).stdout == whole
    out = tmp_path / f"out{FORMATS[to].suffixes[0]}"
    run(*args, "-o", out)
    assert out.read_bytes() == whole.encode()
    run(*args, "-o", tmp_path / "dir")
    names = sorted(path.name for path in (tmp_path / "dir").iterdir())
    assert len(names) == len(TEXTS) * 2 and all(n.endswith(out.suffix) for n in names)
    if to == "csv":
        assert whole.count("id,sentence,scene") == 1
        header = whole.partition("\n")[0]
        assert (tmp_path / "dir" / "t1.csv").read_text("utf8") == header + "\n"


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.parametrize("to", ROWS)
def test_resume_goes_on_wherever_a_run_stopped(
    to: str, n_process: int, scenes_model: str, texts: Path, tmp_path: Path
) -> None:
    out = tmp_path / f"out{FORMATS[to].suffixes[0]}"
    part = out.with_name(out.name + ".part")
    args = ("parse", texts, "-m", scenes_model, "-t", to, "-o", out, "-n", n_process)
    run(*args)
    whole = out.read_bytes()
    step = max(1, len(whole) // (9 if n_process == 1 else 2))
    for size in {*range(0, len(whole), step), len(whole) - 1, len(whole)}:
        out.unlink(missing_ok=True)
        part.write_bytes(whole[:size])
        run(*args, "--resume")
        assert out.read_bytes() == whole and not part.exists(), size
    run(*args, "--resume")  # nothing is missing
    assert out.read_bytes() == whole


@pytest.mark.parametrize("to", ROWS)
def test_what_is_cut_is_one_text_at_most(
    to: str, scenes_model: str, texts: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    whole = run("parse", texts, "-m", scenes_model, "-t", to).stdout.encode()
    for size in range(0, len(whole) + 1, 7):
        out.write_bytes(whole[:size])
        done = count_done(out, FORMATS[to], is_whole=False)
        left = out.read_bytes()
        assert whole.startswith(left)
        starts = [row for row in rows(to, left.decode()) if int(row["scene"]) == 0]
        assert done.total() == len(starts)
        lost = [line for line in whole[len(left) : size].split(b"\n") if line]
        assert len(lost) <= 4


@pytest.mark.parametrize(
    "to, content",
    [
        ("csv", b"my notes\n"),
        ("csv", b"my notes"),
        ("csv", b"id,sentence,scene\nx,0,0\n"),
        ("csv", b"id,name\n1,x\n"),
        ("scenes", b"my notes"),
        ("scenes", b'{"text": 1}\n'),
        ("scenes", b'{"id": "a", "version": 1, "words": []}\n'),
    ],
)
def test_resume_drops_nothing_else(
    to: str, content: bytes, scenes_model: str, texts: Path, tmp_path: Path
) -> None:
    out = tmp_path / f"out{FORMATS[to].suffixes[0]}"
    out.write_bytes(content)
    args = ("parse", texts, "-m", scenes_model, "-t", to, "-o", out, "--resume")
    assert "UC527" in run(*args, code=1).stderr and out.read_bytes() == content


@pytest.mark.parametrize("to", [*ROWS, "amr"])
def test_gold_graphs_are_converted(to: str, sample: list, tmp_path: Path) -> None:
    gold, out = tmp_path / "gold.txt", tmp_path / f"out{FORMATS[to].suffixes[0]}"
    gold.write_text("\n".join(map(write_brackets, sample)), "utf8")
    run("convert", "--to", to, gold, out)
    text = out.read_text("utf8")
    assert run("convert", "--to", to, gold, "-").stdout == text
    run("convert", "--to", to, gold, tmp_path / "dir")
    (file,) = (tmp_path / "dir").iterdir()
    assert file.read_text("utf8") == text
    if to == "amr":
        for back, graph in zip(read_graphs(out), sample, strict=True):
            assert back.same_structure(graph) and back.punct == graph.punct
        return
    found = rows(to, text)
    with_words = [
        scene
        for graph in sample
        for scene in graph.scenes
        if to == "scenes" or scene.main_relation.tokens()
    ]
    assert len(found) >= len(with_words) > 50 and "" not in {row["id"] for row in found}


def test_csv_is_a_row_in_a_line(tmp_path: Path) -> None:
    (graph,) = read_brackets('# id = a "b", c\n[H [A An\\nn, "x"] [P ru\\nns]]')
    text = FORMATS["csv"].write(graph)
    (row,) = rows("csv", text)
    assert text.count("\n") == 2 and row["id"] == 'a "b", c' and row["relation"] == "ru ns"


@pytest.mark.skipif(not SHIPPED.exists(), reason="no pipeline ships yet")
def test_csv_has_what_tags_say(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The cup was broken by Ann.\n\nShe  will not come.", "utf8")
    (first, second) = rows(
        "csv", run("parse", tmp_path / "a.txt", "-m", SHIPPED, "-t", "csv").stdout
    )
    assert (first["subject"], first["lemma"], first["object"]) == ("Ann", "break", "The cup")
    assert (
        second["lemma"] == "come" and second["negated"] == "True" and second["modality"] == "will"
    )
    assert (int(second["start"]), second["sentence"]) == (42, "1")
