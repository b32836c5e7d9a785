"""`parse` takes texts and words of any format, and all commands read what it writes."""

import json
from pathlib import Path

import pytest
import spacy
from cli_runs import run
from spacy.tokens import Doc, DocBin

from spacy_ucca.formats.files import find_files, read_file, read_graphs
from spacy_ucca.formats.recognise import TEXT, guess_input
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.graph import Graph

ODD = "I can't  believe it's\tnot butter!\n\n“Really?” 😀 said Ann."
WRITTEN = [name for name, entry in FORMATS.items() if entry.writes]
READ = [name for name in WRITTEN if FORMATS[name].reads]
WITH_TEXT = ("xml", "jsonl", "uccaapp", "mrp")  # exactly; others have it in one line
CONLLU = (
    "# sent_id = s-1\n# text = He can't go.\n"
    "1\tHe\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tca\t_\t_\t_\t_\t0\troot\t_\t_\n3\tn't\t_\t_\t_\t_\t2\tadvmod\t_\t_\n"
    "4\tgo\t_\t_\t_\t_\t2\tx\t_\tSpaceAfter=No\n5\t.\t_\t_\t_\t_\t2\tpunct\t_\t_\n\n"
    "1\tCome!\t_\t_\t_\t_\t0\troot\t_\t_\n2\tNow\t_\t_\t_\t_\t1\tx\t_\t_\n"
)


def parse(path: Path, model: str, *args: object, code: int = 0) -> list[Graph]:
    """RETURNS (List[Graph]): The graphs of a file or directory."""
    result = run("parse", path, "-m", model, "-t", "jsonl", *args, code=code)
    return FORMATS["jsonl"].read(result.stdout)


def place(graph: Graph, text: str) -> list[str]:
    """RETURNS (List[str]): The words, cut out of a text by the anchors of MRP."""
    data = json.loads(FORMATS["mrp"].write(graph))
    assert data["input"] == text
    spans = {(a["from"], a["to"]) for node in data["nodes"] for a in node.get("anchors", ())}
    return [text[start:end] for start, end in sorted(spans)]


@pytest.mark.parametrize("name", ["x.mrp", "x.jsonl", "x.json", "x.txt", "x"])
def test_a_text_of_json_is_parsed_as_prose_is(name: str, model: str, tmp_path: Path) -> None:
    prose, file = tmp_path / "prose.txt", tmp_path / name
    prose.write_text(ODD, "utf8")
    rest = {"version": 1.0, "language": "eng", "targets": ["ucca"]}
    lines = [{"id": "1", "input": ODD, **rest}, {"id": 2, "text": "Go!"}, {"text": "Stop."}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf8")
    (expected,) = parse(prose, model)
    found = parse(file, model)
    assert [g.details["id"] for g in found] == ["1", "2", "x-3"]
    assert found[0].same_structure(expected) and found[0].paragraphs == expected.paragraphs
    assert place(found[0], ODD) == place(expected, ODD) == list(expected.words)
    file.write_text(json.dumps(lines, indent=1), "utf8")
    assert [g.words for g in parse(file, model)] == [g.words for g in found]


def test_words_and_sentences_of_conllu_stay(model: str, tmp_path: Path) -> None:
    for name in ("x.conllu", "x.txt"):
        (tmp_path / name).write_text(CONLLU, "utf8")
        first, second = parse(tmp_path / name, model)
        assert first.words == ("He", "ca", "n't", "go", ".")
        assert place(first, "He can't go.") == list(first.words)
        assert (first.details["id"], second.details["id"]) == ("s-1", "x-2")
        assert second.words == ("Come!", "Now") and len(second.roots) == 1
    (tmp_path / "x.conllu").write_text(CONLLU + "\n1\tno table\n", "utf8")
    assert "x.conllu, line" in run("parse", tmp_path / "x.conllu", "-m", model, code=1).stderr


def test_words_and_sentences_of_docs_stay(model: str, tmp_path: Path) -> None:
    vocab = spacy.blank("en").vocab
    words, spaces = ["A.", "b", "c", "."], [True, False, True, False]
    doc = Doc(vocab, words=words, spaces=spaces, sent_starts=[True, False, True, False])
    DocBin(["SENT_START"], docs=[doc, Doc(vocab, words=["d"])]).to_disk(tmp_path / "x.spacy")
    first, second = parse(tmp_path / "x.spacy", model)
    assert first.words == doc_words(doc) and first.details["text"] == doc.text
    assert [root.text for root in first.roots] == ["A. b", "c ."]
    assert second.words == ("d",) and "text" not in second.details  # its spaces are not known


def doc_words(doc: Doc) -> tuple[str, ...]:
    return tuple(token.text for token in doc)


@pytest.mark.parametrize("name", READ)
def test_words_of_all_formats_stay(name: str, model: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann can't go.", "utf8")
    (graph,) = parse(tmp_path / "a.txt", model)
    file = tmp_path / f"b{FORMATS[name].suffixes[0]}"
    run("parse", tmp_path / "a.txt", "-m", model, "-t", name, "-o", file)
    (again,) = parse(file, model)
    assert again.words == graph.words and len(again.roots) == 1
    assert again.details["id"] == ("b" if name == "penn" else "a")


def test_nothing_of_a_directory_is_left_out_in_silence(model: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "more").mkdir(parents=True)
    (folder / "a.txt").write_text("One.", "utf8")
    (folder / "c.conllu").write_text(CONLLU, "utf8")
    run("parse", folder / "a.txt", "-m", model, "-o", folder / "d.xml")
    (folder / "t.csv").write_text("a,b\n", "utf8")
    (folder / "n.mrp").write_text('{"id": "n", "input": "Hi."}\n{"id": 3}\n', "utf8")
    result = run("parse", folder, "-m", model, "-t", "jsonl", "-n", 2, code=1)
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [
        *("a", "s-1", "c-2", "a", "n")
    ]
    for name in ("more/", "t.csv", "n.mrp, line 2"):
        assert name in result.stderr
    assert "2 skipped" in result.stderr


def test_prose_is_prose() -> None:
    for text in (
        *("", "Hi.", "[Music] plays", "# Title\n\nText.", "1. One\n2. Two", "(TOPICS) a", "{a}"),
        *("<b>bold</b>", "#BOSS", "a\tb\tc", "A <root> in prose", '{"', "[1] Ann (2020)"),
        *(
            "[A note] Ann left.",
            "[A man] [A dog] came",
            "[ ] Go\n[H ]",
            "[P] [S] a",
            "~/bin",
            "{U} a",
        ),
        *(
            "(NATO (EU) and the UN)",
            "( (a) b )",
            "1\ta",
            "[[A] b]",
            "# a = b\n\nText.",
        ),
    ):
        for name in ("x.txt", "x", "-", "x.md"):
            assert guess_input(name, text) == TEXT, text
    for name, entry in FORMATS.items():
        if entry.reads and name != "conll":
            text = entry.write(FORMATS["brackets"].read("# id = 1\n[H [P Stop] [D now]] [U !]")[0])
            kind = {"jsonl": "json", "mrp": "json", "sdp": "sdp"}.get(name, name)
            assert guess_input("x.txt", text) == kind, name


SEVERAL = "# id = 1\n[ [H#1 [A Ann] [P went]] [U .] ]\n[ [L and] [H [A* =2] [P left] [A#2 she]] ]"


@pytest.mark.parametrize("name", ["x.txt", "X.TXT", "x", "x.v2", "Wiki-1.2", "x.md"])
@pytest.mark.parametrize("written", READ)
def test_one_rule_tells_what_a_file_is(written: str, name: str, tmp_path: Path) -> None:
    """`parse` and the commands that read graphs tell the same formats, by content, whatever the name."""
    graph = FORMATS["brackets"].read(SEVERAL)[0]
    (tmp_path / name).write_text(FORMATS[written].write(graph), "utf8")
    entry, (again,) = read_file(tmp_path / name)
    assert entry.name == written and again.words == graph.words
    kind = guess_input(tmp_path / name, (tmp_path / name).read_text("utf8"))
    assert kind == {"jsonl": "json", "mrp": "json"}.get(written, written)
    if name == "x.txt":
        (tmp_path / "prose.txt").write_text("[A note] Ann left.", "utf8")
        assert find_files([tmp_path]) == [tmp_path / "x.txt"]


@pytest.mark.parametrize("nothing", ["", "~Ann ~left", "~"])
def test_odd_brackets_are_told(nothing: str) -> None:
    text = FORMATS["brackets"].write(FORMATS["brackets"].read(f"# id = 1\n{nothing or '[a b]'}")[0])
    assert guess_input("x.txt", text) == "brackets"


def test_words_of_json_of_other_tools_stay(model: str, tmp_path: Path) -> None:
    ann, bob = ["Ann", "can't", "go."], ["Bob", "left"]
    text = "Ann can't go.  Bob left"
    spans = [(0, 3), (4, 9), (10, 13), (15, 18), (19, 23)]
    places = [{"id": i, "start": start, "end": end} for i, (start, end) in enumerate(spans)]
    sents = [{"start": 0, "end": 13}, {"start": 15, "end": 23}]
    stanza = [[{"id": 1, "text": word} for word in words] for words in (ann, bob)]
    sentences = (
        *({"words": [ann, bob]}, {"sentences": [{"tokens": [{"word": w} for w in ann]}, bob]}),
        *(stanza, [ann, bob], {"tokens": stanza, "text": None}, {"sentences": stanza}),
        *({"text": text, "tokens": places, "sents": sents}, {"text": text, "words": [ann, bob]}),
    )
    no_sentences = (
        *({"tokens": ann + bob, "id": 4.5}, {"text": text, "tokens": places}),
        {"text": text, "tokens": [{"text": w, "ws": True, **p} for w, p in zip(ann + bob, places)]},
    )
    file = tmp_path / "x.jsonl"
    file.write_text(
        "".join(json.dumps(item) + "\n" for item in (*sentences, *no_sentences)), "utf8"
    )
    graphs = parse(file, model)
    assert [graph.words for graph in graphs] == [(*ann, *bob)] * 11
    assert [[r.text for r in g.roots] for g in graphs[:8]] == [["Ann can't go.", "Bob left"]] * 8
    assert [g.details.get("text") for g in graphs] == [*[None] * 6, text, text, None, text, text]
    assert graphs[8].details["id"] == "4.5"
    assert (
        guess_input("-", '["Ann left.",\n "Go!"]\n') == guess_input("x", '["a"]\n["b"]') == "json"
    )
    assert guess_input("-", '["Go," he said]') == guess_input("x.txt", "[1]\n") == TEXT
    for data, words in ((["Ann left.", "Go!"], ["Ann left .", "Go !"]), ("Go!", ["Go !"])):
        file.write_text(json.dumps(data), "utf8")
        assert [" ".join(graph.words) for graph in parse(file, model)] == words
    half = [{"text": "Ann \ud83d"}, {"words": ["\ud83d"]}, {"id": "\ud83d", "text": "a"}, "\udc00"]
    tokens = (5, {}, [{"start": True, "end": 1}], [{"start": -1}], [None])
    sents = (5, "x", [{"start": [1]}], [1], [{}])
    odd: list[dict[str, object]] = [{"text": "a", "tokens": value} for value in tokens]
    odd += [{"text": "a", "words": ["a"], "sents": value} for value in sents]
    file.write_text("".join(json.dumps(item) + "\n" for item in odd), "utf8")
    assert [graph.words for graph in parse(file, model)] == [("a",)] * len(odd)
    wrong: list[object] = [
        *half,
        [],
        [[]],
        {},
        7,
        None,
        {"words": [["a"], [3]]},
        {"tokens": [{"start": 0, "end": 1}]},
        ["a b", "c"],
    ]
    file.write_text("".join(json.dumps(item) + "\n" for item in wrong), "utf8")
    assert run("parse", file, "-m", model, code=1).stderr.count("Skipped") == len(wrong)


def test_half_a_character_ends_no_command(model: str, tmp_path: Path) -> None:
    """JSON may name one, as where a text was cut within an emoji."""
    graph = FORMATS["brackets"].read(SEVERAL)[0].replace(words=["\ud83d", "b", ".", "d", "e", "f"])
    file, out = tmp_path / "x.jsonl", tmp_path / "out"
    file.write_text(FORMATS["jsonl"].write(graph).replace("\ud83d", "\\ud83d"), "ascii")
    for command in (
        *(("parse", file, "-m", model), ("convert", file, tmp_path / "x.spacy")),
        *(("convert", file, tmp_path / "x.mrp"), ("convert", file, tmp_path / "x.txt")),
        *(("convert", file, out), ("oracle", file), ("stats", file)),
    ):
        assert "half" in run(*command, code=1).stderr, command
    for command in (("validate", file), ("render", file, "-o", out), ("score", file, file)):
        assert "Skipped" not in run(*command, code=command[0] == "validate").stderr


def test_sentences_of_amr_are_texts_where_it_has_no_tokens(model: str, tmp_path: Path) -> None:
    file = tmp_path / "amr-release.txt"
    head = "# AMR release; corpus: x\n\n# ::id 1 ::date 2012\n# ::snt Ann can't go.\n"
    odd = "# ::id 2\n# ::tok Ann left\n# ::snt Ann  left\n(x / left :ARG0 (x / Ann))\n"
    file.write_text(f"{head}(x / go :ARG0 (a / Ann))\n\n{odd}\n(s / sleep)\n", "utf8")
    result = run("parse", file, "-m", model, "-t", "jsonl", code=1)
    first, second = FORMATS["jsonl"].read(result.stdout)
    assert first.words == ("Ann", "ca", "n't", "go", ".") and first.details["id"] == "1"
    assert second.words == ("Ann", "left") and second.details["text"] == "Ann  left"
    assert "UC545" in result.stderr and "line 11" in result.stderr


@pytest.mark.parametrize("name", [n for n in READ if FORMATS[n].items != "file"])
def test_a_broken_graph_costs_itself_alone(name: str, model: str, tmp_path: Path) -> None:
    entry, file = FORMATS[name], tmp_path / f"x{FORMATS[name].suffixes[0]}"
    graph = FORMATS["brackets"].read(SEVERAL)[0]
    good = entry.write(graph)
    broken = {"jsonl": '{"words": 3', "mrp": '{"id": []}', "penn": "(TOP (A b))) (\n"}
    odd = broken.get(name, good.replace("Ann", "", 1).replace("[", "[", 1))
    if name in ("sdp", "conll", "conllu"):
        odd = "1\tno table\n"
    elif name == "brackets":
        odd = "[H [P Stop]\n"
    elif name == "export":
        odd = "#BOS 7\nAnn\n#EOS 7\n"
    elif name == "penman":
        odd = "(s / sleep)\n"
    text = entry.separator.join((good, odd if odd.endswith("\n") else odd + "\n", good))
    file.write_text(text, "utf8")
    result = run("parse", file, "-m", model, "-t", "jsonl", code=1)
    assert [g.words for g in FORMATS["jsonl"].read(result.stdout)] == [graph.words] * 2
    assert file.name in result.stderr and "1 skipped" in result.stderr


def test_what_is_no_text_is_refused(model: str, tmp_path: Path) -> None:
    for name, text, code in (
        *(
            ("a.txt.gz", "x", "UC543"),
            ("a.zip", "x", "UC543"),
            ("a.txt", "<!DOCTYPE html>", "UC544"),
        ),
        *(("a", "<html><p>a</p>", "UC544"), ("a.txt", "-DOCSTART- -X- O\n\nEU NNP", "UC534")),
        *(("a.conllu", "# only\n\n# comments\n", "UC115"), ("a.export", "%% none\n", "UC733")),
    ):
        (tmp_path / name).write_text(text, "utf8")
        result = run("parse", tmp_path / name, "-m", model, code=1)
        assert code in result.stderr and not result.stdout
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04\xff")
    assert "UC543" in run("convert", "--to", "mrp", tmp_path / "a.zip", "-", code=1).stderr


@pytest.mark.parametrize("form", ["--from", None])
def test_other_files_are_refused_by_name(form: str | None, model: str, tmp_path: Path) -> None:
    file = tmp_path / "x.log"
    file.write_text("Ann left.", "utf8")
    if form:
        assert "A  Participant" in run("parse", file, "-m", model, form, "text").stdout
    else:
        assert "UC530" in run("parse", file, "-m", model, code=1).stderr
    table = tmp_path / "x.txt"
    table.write_text("1\tAnn\tNNP\n2\tleft\tVBD\n", "utf8")
    assert "UC534" in run("parse", table, "-m", model, code=1).stderr
    assert "'odd' is no format" in run("parse", table, "-m", model, "--from", "odd", code=2).stderr


@pytest.mark.parametrize("name", WRITTEN)
def test_parse_writes_all_formats_and_the_text_stays(name: str, model: str, tmp_path: Path) -> None:
    source = tmp_path / "odd.txt"
    source.write_text(ODD + "\n", "utf8")
    (graph,) = parse(source, model)
    file = tmp_path / f"x{FORMATS[name].suffixes[0]}"
    run(
        "parse",
        source,
        "-m",
        model,
        "-o",
        file,
        *(("-t", name) if name in ("brackets", "mrp", "dot", "amr", "scenes") else ()),
    )
    assert file.read_text("utf8") == run("parse", source, "-m", model, "-t", name).stdout
    if name not in READ:
        return
    to = tmp_path / "y.mrp"
    stderr = run("convert", "--from", name, "--to", "mrp", file, to).stderr
    data = json.loads(to.read_text("utf8"))
    if name in WITH_TEXT:
        assert place(read_graphs(to)[0], ODD) == list(graph.words)
    if name == "penn":  # has no place for a text
        assert "Made up: the text of 1 graph" in stderr and data["input"] == " ".join(graph.words)
    else:
        assert "Made up" not in stderr and data["input"].split() == ODD.split()


def test_no_graph_is_lost_for_its_name(model: str, tmp_path: Path) -> None:
    """Ids that files give may be there twice, or give names that are one; ids that are made are unique in the run."""
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    row = "1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n"
    (folder / "a.conllu").write_text(row, "utf8")
    (folder / "b.conllu").write_text(f"# sent_id = 1\n{row}\n# sent_id = 1\n{row}", "utf8")
    for name in ("a.txt", "c-1.txt"):
        (folder / name).write_text("Go", "utf8")
    ids = [None, "c-3", None, "x/y", "x_y", " ", 7]
    lines = "".join(json.dumps({"text": "Go", "id": i}) + "\n" for i in ids)
    (folder / "c.jsonl").write_text(lines, "utf8")
    graphs = parse(folder, model)
    found = [g.details["id"] for g in graphs]
    assert len(found) == 12 and set(found) > {"a", "a-2", "1", "c-1", "c-3", "x/y", "x_y", "7"}
    assert sorted(found)[:2] == ["1", "1"] and len(set(found)) == 11  # only those of a file twice
    for number in range(2):
        result = run("parse", folder, "-m", model, "-t", "xml", "-o", out, *["--resume"] * number)
        assert "UW104" in result.stderr and "2 graphs" in result.stderr
        assert len(list(out.iterdir())) == 12
    file = tmp_path / "all.jsonl"
    file.write_text("".join(FORMATS["jsonl"].write(graph) for graph in graphs), "utf8")
    for command in (("convert", "--to", "xml", file), ("render", file, "-o")):
        result = run(*command, tmp_path / command[0])
        assert "UW104" in result.stderr and len(list((tmp_path / command[0]).iterdir())) == 12


@pytest.mark.parametrize("name", WRITTEN)
def test_parse_says_what_text_is_made_up(name: str, model: str, tmp_path: Path) -> None:
    """Words of which the text is not known, or is another one, are joined by spaces where a format has a text."""
    file, out = tmp_path / "x.jsonl", tmp_path / "out"
    items = [{"words": ["a", "b"]}, {"words": ["al", "x"], "text": "for the"}, {"text": "a b"}]
    file.write_text("".join(json.dumps(item) + "\n" for item in items), "utf8")
    stderr = run("parse", file, "-m", model, "-t", name, "-o", out).stderr
    assert ("Made up: the text of 2 graphs" in stderr) == FORMATS[name].makes_text
    if name in READ:
        whole = [graph for file in out.iterdir() for graph in read_graphs(file, name)]
        known = sum("text" in graph.details for graph in whole)
        assert known == 3 if FORMATS[name].makes_text else known <= 1


def test_several_graphs_in_a_file(model: str, tmp_path: Path) -> None:
    source, one = tmp_path / "in.jsonl", tmp_path / "one.xml"
    source.write_text('{"text": "One."}\n{"text": "Two."}\n', "utf8")
    assert "UC539" in run("parse", source, "-m", model, "-o", one, code=1).stderr
    assert not one.exists()
    run("parse", source, "-m", model, "-o", tmp_path / "all.export")
    assert [g.details["id"] for g in read_graphs(tmp_path / "all.export")] == ["in-1", "in-2"]
    args = ("parse", source, "-m", model, "--resume", "-o")
    assert "UC532" in run(*args, tmp_path / "all.export", code=2).stderr
    run("parse", source, "-m", model, "-o", tmp_path / "all.mrp")
    whole = (tmp_path / "all.mrp").read_bytes()
    (tmp_path / "all.mrp").unlink()
    (tmp_path / "all.mrp.part").write_bytes(whole[:-30])
    run(*args, tmp_path / "all.mrp")
    assert (tmp_path / "all.mrp").read_bytes() == whole


@pytest.mark.parametrize("name", READ)
def test_commands_read_all_formats(name: str, model: str, tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(f'{{"id": "{i}", "text": "Ann saw {i}."}}\n' for i in "ab"), "utf8")
    gold, file = tmp_path / "gold", tmp_path / f"all{FORMATS[name].suffixes[0]}"
    run("parse", texts, "-m", model, "-t", "xml", "-o", gold)
    if FORMATS[name].items == "file":
        file = tmp_path / "all"
    run("convert", "--to", name, gold, file)
    found = json.loads(run("score", file, file, "--json", "-").stdout)
    assert found["graphs"] == 2 and found["ucca_f"] == 1.0 and not found["skipped"]
    if name != "penn":  # which has no ids
        found = json.loads(run("score", gold, file, "--json", "-").stdout)
        assert found["graphs"] == 2 and (found["missing"], found["extra"]) == ([], [])
        assert run("compare", gold, file, "-o", "-").stdout.count("</figure>") >= 2
    assert run("compare", file, file, "-o", "-").stdout.count("No errors.") == 2
    report = json.loads(run("validate", file, "--json", "-").stdout)
    assert report["units"] > 6 and not report["errors"]
    figures = json.loads(run("stats", file, "--json", "-").stdout)
    assert figures["corpora"]["all"]["sizes"]["sentences"] == 2
    run("render", file, "-o", tmp_path / "pictures")
    assert len(list((tmp_path / "pictures").glob("*.svg"))) == 2
    run("convert", file, tmp_path / "data.spacy")
    assert len(read_graphs(tmp_path / "data.spacy")) == 2


def test_texts_are_no_graphs(tmp_path: Path) -> None:
    for name in ("x.mrp", "x.jsonl", "x"):
        file = tmp_path / name
        file.write_text('{"id": "1", "input": "Hi."}\n', "utf8")
        for args in (
            *(("convert", "--to", "xml", file, tmp_path / "out"), ("validate", file)),
            ("render", file),
        ):
            result = run(*args, code=1)
            assert "UC533" in result.stderr and "spacy-ucca parse" in result.stderr


@pytest.mark.parametrize("lines", [(), ("--lines",)])
@pytest.mark.parametrize("text", [CONLLU, '{"id": "s-1", "input": "Hi."}\n\n{"text": "Go"}\n'])
def test_standard_input_is_what_it_is(lines: tuple[str, ...], text: str, model: str) -> None:
    result = run("parse", "-", "-m", model, "-t", "jsonl", *lines, input=text)
    ids = [json.loads(line)["id"] for line in result.stdout.splitlines()]
    assert ids == ["s-1", "stdin-2"]
    prose = run("parse", "-", "-m", model, "-t", "jsonl", "--from", "text", *lines, input=text)
    assert ids[0] not in [json.loads(line)["id"] for line in prose.stdout.splitlines()]


def test_convert_reads_standard_input(model: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann can't go.", "utf8")
    parsed = run("parse", tmp_path / "a.txt", "-m", model, "-t", "jsonl").stdout
    data = json.loads(run("convert", "--to", "mrp", "-", "-", input=parsed).stdout)
    assert (data["id"], data["input"]) == ("a", "Ann can't go.")


def test_graphs_are_paired_by_id(model: str, tmp_path: Path) -> None:
    texts = [{"id": i, "text": t} for i, t in (("a", "Ann left."), ("b", "It rains now, Bob."))]
    lines = []
    for text in texts:
        source = tmp_path / "one.jsonl"
        source.write_text(json.dumps(text), "utf8")
        lines.append(run("parse", source, "-m", model, "-t", "jsonl").stdout)
    gold, ours = tmp_path / "gold.jsonl", tmp_path / "ours.mrp"
    gold.write_text("".join(lines), "utf8")
    turned = tmp_path / "turned.jsonl"
    turned.write_text("".join(lines[::-1]), "utf8")
    run("convert", turned, ours)
    found = json.loads(run("score", gold, ours, "--json", "-").stdout)
    assert (found["graphs"], found["ucca_f"]) == (2, 1.0)
    # One that is missing and one more
    turned.write_text(lines[1] + lines[0].replace('"a"', '"c"'), "utf8")
    found = json.loads(run("score", gold, turned, "--json", "-", code=1).stdout)
    assert (found["graphs"], found["missing"], found["extra"]) == (1, ["a"], ["c"])
    # Without ids that tell them apart, and in other numbers
    turned.write_text(lines[0] * 3, "utf8")
    assert "UC540" in run("score", gold, turned, code=1).stderr
    # Files of directories go by name, whatever their suffix
    for folder, name in (("x", "a.jsonl"), ("y", "a.mrp")):
        (tmp_path / folder).mkdir()
        run("convert", gold, tmp_path / folder / name)
    found = json.loads(run("score", tmp_path / "x", tmp_path / "y", "--json", "-").stdout)
    assert (found["files"], found["graphs"], found["ucca_f"]) == (1, 2, 1.0)
