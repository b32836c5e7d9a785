"""The command line, with a stub pipeline that makes flat graphs."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from cli_runs import run

import spacy_ucca.cli
from spacy_ucca.cli.passages import are_sentences, looks_like_sentence
from spacy_ucca.drawing.render import render_svg, render_tree
from spacy_ucca.files import open_whole
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.registry import FORMATS, READABLE
from spacy_ucca.formats.xml import read_xml, write_xml
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.text.split import merge_roots, text_paragraphs


def write_texts(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, "utf8")
    return folder


# parse


def test_parse_text_to_tree(model: str, tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    file.write_text("I came.\nYou left!\n\nIt rains now.", "utf8")
    nlp = spacy.load(model)
    expected = Graph.join([nlp("I came. You left!")._.ucca, nlp("It rains now.")._.ucca])
    assert run("parse", file, "-m", model).stdout == render_tree(expected) + "\n"


@pytest.mark.parametrize("options", [(), ("--n-process", "2"), ("--batch-size", "1")])
def test_parse_directory_of_texts(
    model: str, tmp_path: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spacy_ucca.distributed.workers.JOB_ITEMS", 3)
    texts = {f"t{i}": f"Text {i} is here.\n\nIt ends." for i in range(9)}
    folder = write_texts(tmp_path / "in", empty="", **texts)
    run("parse", folder, "--model", model, "--output", tmp_path / "out", "--to", "xml", *options)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(
        f"{name}.xml" for name in ["empty", *texts]
    )
    for name in texts:
        graph = read_xml(tmp_path / "out" / f"{name}.xml")
        assert graph.details["id"] == name
        assert graph.words[:2] == ("Text", name[1:])
        assert graph.paragraphs == (1,) * 5 + (2,) * 3
        assert len(graph.roots) == 1 and graph.root.tokens() == tuple(range(8))
    assert read_xml(tmp_path / "out" / "empty.xml").words == ()


@pytest.mark.parametrize("where", ["directory", "corpus"])
def test_parse_xml_keeps_tokens(model: str, corpus: Path, tmp_path: Path, where: str) -> None:
    source = corpus
    if where == "corpus":
        source = tmp_path / "root"
        source.mkdir()
        corpus.rename(source / "xml")
        corpus = source / "xml"
        (source / "train.txt").write_text("first\n")
    out = tmp_path / "out"
    run("parse", source, "--model", model, "--output", out, "--to", "xml", "--sentences", "parser")
    assert sorted(p.name for p in out.iterdir()) == ["a.xml", "b.xml", "c.xml"]
    for name in ("a", "b", "c"):
        gold, parsed = read_xml(corpus / f"{name}.xml"), read_xml(out / f"{name}.xml")
        for what in ("words", "punct", "paragraphs"):
            assert getattr(parsed, what) == getattr(gold, what)
        assert parsed.details["id"] == gold.details["id"]
        assert len(parsed.roots) <= 1
        # The sentencizer ends sentences after ".": the scenes are those of the stub.
        scenes = [unit.text for root in parsed.roots for unit in root.children]
        expected = {"a": ["I came , saw .", "You left . !"], "b": ["It rains now ."], "c": []}
        assert scenes == expected[name]


def test_parse_keeps_token_ids_and_positions(model: str, corpus: Path, tmp_path: Path) -> None:
    text = (corpus / "b.xml").read_text("utf8").replace('"0.2"', '"0.7"').replace('"0.3"', '"0.8"')
    text = text.replace('paragraph_position="2"', 'paragraph_position="5"').replace(
        '"0.4"', '"0.9"'
    )
    (corpus / "b.xml").write_text(text, "utf8")
    run("parse", corpus / "b.xml", "-m", model, "-o", tmp_path / "out", "-t", "xml")

    def layer0(path: Path) -> str:
        return path.read_text("utf8").partition("</layer>")[0]

    assert layer0(tmp_path / "out" / "b.xml") == layer0(corpus / "b.xml")


def test_sentences_of_files(model: str, corpus: Path, tmp_path: Path) -> None:
    def scenes(option: str) -> list[str]:
        run("parse", corpus, "-m", model, "-o", tmp_path / option, "-t", "xml", "-s", option)
        graph = read_xml(tmp_path / option / "d.xml")
        return [unit.text for unit in graph.root.children]

    words = "He said : stop . And left .".split()
    builder = GraphBuilder(words)
    root, unit = builder.add_unit(), builder.add_unit()
    builder.add_edge(root, unit, "H")
    for i in range(len(words)):
        builder.add_terminal(unit, i)
    write_xml(builder.build(), corpus / "d.xml")
    assert scenes("parser") == ["He said : stop .", "And left ."]
    assert scenes("file") == ["He said : stop . And left ."]
    # a.xml has two paragraphs, d.xml a full stop within: not split into sentences
    assert not are_sentences(map(read_xml, sorted(corpus.glob("*.xml"))))
    assert scenes("auto") == scenes("parser")
    (corpus / "a.xml").unlink()
    write_xml(builder.build(), corpus / "e.xml")
    assert [looks_like_sentence(read_xml(p)) for p in sorted(corpus.glob("*.xml"))] == [
        *(True, True, False, False)
    ]
    (corpus / "e.xml").unlink()
    write_xml(Graph(["Yes", "."], [], []), corpus / "e.xml")
    assert are_sentences(map(read_xml, sorted(corpus.glob("*.xml"))))
    assert scenes("auto") == scenes("file")


@pytest.mark.parametrize("name", [n for n in READABLE if n in FORMATS and n not in ("xml", "penn")])
def test_graphs_of_sentences_are_divided_no_more(name: str, model: str, tmp_path: Path) -> None:
    """In a file of many and in files of one, as XML; two in three are too few."""
    whole = Graph.join(
        read_brackets("\n\n".join(f"[H [P {w}] [U .]]" for w in ("Stop", "Go", "Sit")))
    )
    short = read_brackets("[H [A Ann] [P left] [U .]]")[0]
    for n in (3, 2):
        graphs = [merge_roots(whole), *[short] * n]
        graphs = [graph.replace(details={"id": str(i)}) for i, graph in enumerate(graphs)]
        texts = [FORMATS[name].write(graph) for graph in graphs]
        folder, file = tmp_path / f"{n}", tmp_path / f"{n}{FORMATS[name].suffixes[0]}"
        folder.mkdir()
        for i, text in enumerate(texts):
            (folder / f"{i}{file.suffix}").write_text(text, "utf8")
        sources = [folder]
        if FORMATS[name].items != "file":
            file.write_text(texts[0] + "".join(map(FORMATS[name].following, texts[1:])), "utf8")
            sources.append(file)
        for source in sources:
            out = run("parse", source, "-m", model, "-t", "jsonl", "--from", name).stdout
            found = [len(graph.roots) for graph in FORMATS["jsonl"].read(out)]
            single = n == 3 or name in ("sdp", "conll", "conllu", "export", "penman")
            assert found == [1 if single else 3, *[1] * n]


def test_parse_jsonl(model: str, tmp_path: Path) -> None:
    folder = write_texts(tmp_path / "in", a="I came.", b="Emoji 👩‍👩‍👧 <b> &amp; שלום.")
    for args in ((), ("--output", tmp_path / "new" / "all.jsonl")):
        out = run("parse", folder, "-m", model, "-t", "jsonl", *args).stdout
        if args:
            assert out == ""
            out = Path(args[1]).read_text("utf8")
        records = [json.loads(line) for line in out.splitlines()]
        assert [record["id"] for record in records] == ["a", "b"]
        graph = Graph.from_record(records[1])
        assert "".join(graph.words) == "Emoji👩‍👩‍👧<b>&amp;שלום."


def test_parse_jsonl_keeps_the_scores_of_edges(model: str, corpus: Path, tmp_path: Path) -> None:
    folder = write_texts(tmp_path / "in", a="I came.\n\nYou left!")
    (line,) = run("parse", folder, "-m", model, "-t", "jsonl").stdout.splitlines()
    nlp = spacy.load(model)
    expected = Graph.join([nlp("I came.")._.ucca, nlp("You left!")._.ucca])
    assert len(expected.scores) == 6
    assert Graph.from_record(json.loads(line)).scores == rounded_scores(expected)
    # also of a file whose words have details, where units get other numbers
    path = tmp_path / "odd.xml"
    text = (corpus / "a.xml").read_text("utf8")
    path.write_text(text.replace('text="came"', 'text="came" lemma="come"'), "utf8")
    assert read_xml(path).details["xml"]["tokens"]
    (line,) = run("parse", path, "-m", model, "-t", "jsonl").stdout.splitlines()
    graph = Graph.from_record(json.loads(line))
    assert {edge.child.text: edge.score for edge in graph.edges if edge.categories != ("H",)} == {
        word: round(1000 * len(word) / 16) / 1000 for word in graph.words
    }


def rounded_scores(graph: Graph) -> dict[int, float]:
    return Graph.from_record(graph.to_record()).scores


def test_parse_svg_and_tree_files(model: str, tmp_path: Path) -> None:
    folder = write_texts(tmp_path / "in", a="I came.", b="You left.")
    for target, suffix, draw in (("svg", ".svg", render_svg), ("tree", ".txt", render_tree)):
        out = tmp_path / target
        run("parse", folder, "-m", model, "-t", target, "-o", out)
        graph = spacy.load(model)("I came.")._.ucca
        assert (out / f"a{suffix}").read_text("utf8") == draw(graph)
        assert (out / f"b{suffix}").exists()


def test_parse_standard_input(model: str) -> None:
    assert "I came ." in run("parse", "-", "-m", model, input="I came.\n").stdout
    assert run("parse", "-", "-m", model, input="").stdout.strip() == ""
    lines = run("parse", "-", "-m", model, "-t", "jsonl", "--lines", input="I came.\n\nYou.\n")
    assert [json.loads(line)["id"] for line in lines.stdout.splitlines()] == ["stdin-1", "stdin-3"]
    assert run("parse", "-", "-m", model, "-t", "xml", input="Hi").stdout.startswith("<root")


@pytest.mark.parametrize("options", [(), ("--n-process", "2")])
def test_one_bad_text_costs_no_other(
    model: str, tmp_path: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spacy_ucca.distributed.workers.JOB_ITEMS", 3)
    folder = write_texts(tmp_path / "in", a="I came.", b="All\n\nexplode now.", c="It rains.", e="")
    (folder / "d.txt").write_bytes(b"caf\xe9 \xff")
    result = run(
        *("parse", folder, "-m", model, "-o", tmp_path / "out", "-t", "xml", *options), code=1
    )
    assert sorted(p.stem for p in (tmp_path / "out").iterdir()) == ["a", "c", "e"]
    assert "b.txt: this text explodes" in result.stderr
    assert "d.txt" in result.stderr and "UTF-8" in result.stderr
    assert "2 skipped" in result.stderr


def test_bad_xml_is_named_and_skipped(model: str, corpus: Path, tmp_path: Path) -> None:
    (corpus / "broken.xml").write_text("<root><layer", "utf8")
    result = run("parse", corpus, "-m", model, "-o", tmp_path / "out", "-t", "xml", code=1)
    assert sorted(p.stem for p in (tmp_path / "out").iterdir()) == ["a", "b", "c"]
    assert "broken.xml" in result.stderr and "1 skipped" in result.stderr


def test_mistakes_of_the_user(model: str, corpus: Path, tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("Hi")
    (tmp_path / "nothing").mkdir()
    for args, code, message in (
        (("parse", tmp_path / "no.txt", "-m", model), 2, "does not exist"),
        (("parse", "Ann can't swim.", "-m", model), 2, "A text is piped"),
        (("parse", tmp_path / "nothing", "-m", model), 2, "has no files"),
        (("parse", text), 2, "--model"),
        (("parse", text, "-m", model, "--to", "pdf"), 2, "pdf"),
        (("parse", text, "-m", model, "--n-process", "0"), 2, "--n-process"),
        (("parse", corpus, "-m", model, "-t", "xml"), 2, "--output"),
        (("parse", corpus, "-m", model, "-t", "xml", "-o", corpus), 2, "overwritten"),
        (("parse", text, "-m", tmp_path / "no_model"), 1, "no_model"),
        (("parse", text, "-m", model, "-t", "xml", "-o", text), 2, "a.txt"),
        (("score", corpus, tmp_path / "nowhere"), 2, "nowhere"),
        (("score", corpus, tmp_path / "nothing"), 1, "no files of graphs"),
        (("score", corpus, corpus, "--map", "T"), 2, "--map"),
        (("validate", tmp_path / "nowhere"), 2, "nowhere"),
        (("oracle", corpus, "--system", "other"), 1, "UC301"),
        (("wrong",), 2, "wrong"),
    ):
        result = run(*args, code=code)
        assert message in result.stderr, result.stderr
        assert "Traceback" not in result.stderr


def test_pipeline_without_ucca(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    result = run("parse", "-", "-m", tmp_path / "blank", input="Hi", code=1)
    assert "ucca_parser" in result.stderr


def test_paragraphs() -> None:
    assert text_paragraphs("\n a\tb\nc \n \n\n d\r\n\r\ne\n") == ["a b c", "d", "e"]
    assert text_paragraphs(" \n\n ") == []


# score


def test_score(corpus: Path, tmp_path: Path) -> None:
    result = run("score", corpus, corpus, "--json", tmp_path / "s.json", "--per-type")
    scores = json.loads((tmp_path / "s.json").read_text())
    assert scores["ucca_f"] == 1.0 and scores["files"] == 3 and not scores["missing"]
    assert scores["counts"]["primary"]["gold"] == scores["counts"]["primary"]["predicted"] > 0
    row = next(line for line in result.stdout.splitlines() if line.startswith("primary"))
    assert row.split() == ["primary", *["100.0"] * 12]
    row = next(line for line in result.stdout.splitlines() if line.startswith("remote"))
    assert row.split() == ["remote", *["-"] * 12]


def test_score_map_and_standard_output(corpus: Path, tmp_path: Path) -> None:
    other = tmp_path / "pred"
    other.mkdir()
    for path in corpus.iterdir():
        text = path.read_text("utf8").replace('"D"', '"T"')
        (other / path.name).write_text(text, "utf8")
    result = run("score", corpus, other, "--json", "-")
    plain = json.loads(result.stdout)
    mapped = json.loads(run("score", corpus, other, "--json", "-", "--map", "T=D").stdout)
    assert plain["ucca_f"] < 1.0 == mapped["ucca_f"] == plain["ucca_unlabeled_f"]


def test_score_names_what_has_no_partner(corpus: Path, tmp_path: Path) -> None:
    other = tmp_path / "pred"
    other.mkdir()
    (other / "a.xml").write_bytes((corpus / "a.xml").read_bytes())
    (other / "b.xml").write_bytes((corpus / "c.xml").read_bytes())  # other tokens
    (other / "z.xml").write_bytes((corpus / "b.xml").read_bytes())
    result = run("score", corpus, other, "--json", tmp_path / "s.json", code=1)
    scores = json.loads((tmp_path / "s.json").read_text())
    assert (scores["missing"], scores["extra"], scores["files"]) == (["c.xml"], ["z.xml"], 1)
    assert [Path(p).name for p in scores["skipped"]] == ["b.xml"]
    for name in ("c.xml", "z.xml", "b.xml"):
        assert name in result.stderr
    assert scores["ucca_f"] == 1.0


# oracle, render, validate


@pytest.mark.parametrize("system", ["tree", "tupa"])
def test_oracle(corpus: Path, tmp_path: Path, system: str) -> None:
    (corpus / "c.xml").unlink()
    (corpus / "list").write_text("b\n")
    args = ("oracle", corpus, "--system", system, "--json", tmp_path / "o.json")
    for more, n in (((), 3), (("--list", corpus / "list"), 1), (("--passages",), 2)):
        run(*args, *more)
        data = json.loads((tmp_path / "o.json").read_text())
        report = data["corpora"][str(corpus)]
        assert report["sentences"] == report["exact"] == n
        assert report["transitions"] > report["tokens"]
    (corpus / "list").write_text("other\n")
    assert "Left out other" in run(*args, "--list", corpus / "list").stderr


def test_render(corpus: Path, tmp_path: Path) -> None:
    run("render", corpus, "--output", tmp_path / "out")
    graph = read_xml(corpus / "a.xml")
    assert (tmp_path / "out" / "a.svg").read_text("utf8") == render_svg(graph)
    assert run("render", corpus / "a.xml").stdout == render_svg(graph)
    assert run("render", corpus / "a.xml", "--to", "tree").stdout == render_tree(graph)
    assert "--output" in run("render", corpus, code=2).stderr
    for limit in (0, 1, 2):
        for style, draw in (("svg", render_svg), ("tree", render_tree)):
            drawn = run("render", corpus / "a.xml", "--to", style, "--max-tokens", limit).stdout
            assert drawn == draw(graph, max_tokens=limit or None)
    for style, draw in (("svg", render_svg), ("tree", render_tree)):
        drawn = run("render", corpus / "a.xml", "--to", style, "--collapse").stdout
        assert drawn == draw(graph, collapse=True)
    assert run("render", corpus / "a.xml", "--width", 210).stdout == render_svg(graph, wrap=210)
    assert "--width" in run("render", corpus / "a.xml", "--width", 100, code=2).stderr


@pytest.mark.parametrize("style, beginning", [("png", b"\x89PNG"), ("pdf", b"%PDF-")])
def test_render_writes_images(corpus: Path, tmp_path: Path, style: str, beginning: bytes) -> None:
    pytest.importorskip("typst", reason="typst is not installed")
    for output in ("out", f"a.{style}"):
        run("render", corpus / "a.xml", "-t", style, "-o", tmp_path / output)
    run("render", corpus / "a.xml", "-o", tmp_path / f"b.{style}")
    files = [tmp_path / "out" / f"a.{style}", *(tmp_path / f"{name}.{style}" for name in "ab")]
    assert all(file.read_bytes().startswith(beginning) for file in files)
    result = run("render", corpus / "a.xml", "-t", style, "-o", tmp_path / "a.svg", code=1)
    assert "UC531" in result.stderr and "Traceback" not in result.stderr


def test_of_files_that_would_have_one_picture_the_second_is_skipped(
    corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "more").mkdir()
    for name in ("a.xml", "z.xml"):
        shutil.copy(corpus / "a.xml", tmp_path / "more" / name)
    result = run("render", corpus / "a.xml", tmp_path / "more", "-o", tmp_path / "out", code=1)
    assert "UC519" in result.stderr
    assert str(tmp_path / "more" / "a.xml") in result.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.svg", "z.svg"]


def test_validate(corpus: Path, tmp_path: Path) -> None:
    # "." in "left ." is a word by its unit, and marked as punctuation: no rule is broken by that.
    result = run("validate", corpus, "--json", tmp_path / "v.json")
    report = json.loads((tmp_path / "v.json").read_text())
    assert (report["files"], report["errors"]) == (3, 0)
    assert report["rules"] == {"one-main-relation": 1} == {"one-main-relation": report["warnings"]}
    assert "a.xml: warning one-main-relation" in result.stdout
    run("validate", corpus, "--strict", code=1)
    (tmp_path / "a.txt").write_text("[H#1 [P go] [A* =2]] [H#2 [P come] [A* =1]]\n")
    result = run("validate", tmp_path / "a.txt", code=1)
    assert "a.txt, line 1: a remote edge 'A' closes a cycle" in result.output
    assert "1 files, 5 units: 1 errors" in result.output
    graph = read_brackets("[A John] [H [P left]]")[0]
    write_xml(graph, corpus / "d.xml")
    result = run("validate", corpus, code=1)
    assert "d.xml: error root-children" in result.stdout


# convert


def test_convert_to_training_data(corpus: Path, model: str, tmp_path: Path) -> None:
    from spacy.vocab import Vocab

    from spacy_ucca.training.corpus import read_docbin

    (corpus / "c.xml").unlink()
    (corpus / "list").write_text("b\n")
    for more, n in (((), 3), (("--list", corpus / "list"), 1), (("--passages",), 2)):
        out = tmp_path / "new" / "train.spacy"
        run("convert", corpus, out, "--json", tmp_path / "c.json", *more)
        docs = list(read_docbin(out, Vocab()))
        assert len(docs) == json.loads((tmp_path / "c.json").read_text())["sentences"] == n
        assert all(doc._.ucca.words == tuple(t.text for t in doc) for doc in docs)
    run("convert", corpus / "a.xml", corpus / "b.xml", out)
    assert len(list(read_docbin(out, Vocab()))) == 3


def test_convert_to_brackets_and_xml(corpus: Path, tmp_path: Path) -> None:
    (corpus / "c.xml").unlink()
    run("convert", corpus, tmp_path / "all.txt")
    run("convert", corpus, tmp_path / "parts")
    graphs = read_brackets((tmp_path / "all.txt").read_text("utf8"))
    assert len(graphs) == len(list((tmp_path / "parts").iterdir())) == 3
    for graph in graphs:
        written = read_xml(tmp_path / "parts" / f"{graph.details['id']}.xml")
        assert written.same_structure(graph)


def test_convert_names_what_it_cannot(corpus: Path, tmp_path: Path) -> None:
    (corpus / "broken.xml").write_text("<root", "utf8")
    out = tmp_path / "x.spacy"
    result = run("convert", corpus, out, code=1)
    assert "broken.xml" in result.stderr and out.exists()
    (corpus / "broken.xml").unlink()
    (corpus / "list").write_text("b\nnowhere\n")
    result = run("convert", corpus, out, "--list", corpus / "list")
    assert "nowhere" in result.stderr
    run("convert", corpus, out, "--list", corpus / "list", "--strict", code=1)
    for args, message in (
        ((corpus,), "INPUT"),
        ((tmp_path / "no", out), "does not exist"),
        ((corpus, tmp_path / "x.pdf"), "neither"),
        ((corpus, tmp_path / "x.txt", "--model", "m"), "--model"),
    ):
        assert message in run("convert", *args, code=2).stderr


# The program itself


def program(*args: str, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "spacy_ucca", *args]
    return subprocess.run(command, capture_output=True, timeout=60, **options)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, spacy; before = set(sys.modules)  # thinc loads torch where there is one\n"
        "from spacy_ucca.cli import app\n"
        "try: app(['parse', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'ucca', 'spacy_ucca.model', 'spacy_ucca.component'} | {'torch'} - before\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "INPUT" in result.stdout
    assert result.stdout.splitlines()[-1] == "[]"


def test_program() -> None:
    assert program("--version").stdout.startswith(b"spacy-ucca ")
    assert b"parse" in program("--help").stdout
    assert program().returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="no SIGPIPE there")
def test_broken_pipe(tmp_path: Path) -> None:
    folder = tmp_path / "xml"
    folder.mkdir()
    graph = read_brackets(" ".join(["[H [A John] [P left]]"] * 200))[0]
    for i in range(40):
        write_xml(graph, folder / f"{i}.xml")
    process = subprocess.Popen(
        [sys.executable, "-m", "spacy_ucca", "render", "--to", "tree", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert isinstance(process.stdout, io.BufferedReader)
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(60) == 1
    assert process.stderr is not None and process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(os.name == "nt", reason="no such signals there")
def test_sigterm_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(prog_name: str) -> None:
        with open_whole(tmp_path / "out.txt") as file:
            file.write("half")
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(spacy_ucca.cli, "app", write)
    monkeypatch.setattr(spacy_ucca.cli, "keep_standard_streams", lambda: None)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as ended:
            spacy_ucca.cli.main()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.value.code == 143 and not list(tmp_path.iterdir())
