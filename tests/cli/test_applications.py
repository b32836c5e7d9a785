"""`spacy-ucca split`, `samsa` and `usim`: what they write, and mistakes in what they read."""

import json
from pathlib import Path

import pytest
import spacy
from cli_runs import run
from spacy.language import Language
from spacy.tokens import Doc

from spacy_ucca.applications import predication_f1, samsa, split_sentences, usim
from spacy_ucca.graph import GraphBuilder


@Language.component("test_two_words")
def two_words(doc: Doc) -> Doc:
    """Each two words are a Scene: a participant and what it does."""
    builder = GraphBuilder([token.text for token in doc], punct=[t.is_punct for t in doc])
    for sentence in doc.sents:
        root = builder.add_unit()
        words = [token.i for token in sentence if not token.is_punct]
        for n, i in enumerate(words):
            if n % 2 == 0:
                scene = builder.add_unit()
                builder.add_edge(root, scene, "H")
            unit = builder.add_unit()
            builder.add_edge(scene, unit, "AP"[n % 2])
            builder.add_terminal(unit, i)
    doc._.ucca = builder.build()
    return doc


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_two_words")
    path = tmp_path_factory.mktemp("model") / "words"
    nlp.to_disk(path)
    return str(path)


TEXTS = ["I came.", "You left, and he stayed. It rained.", "😀", "שלום עולם."]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n\n", "utf8")
    return path


def test_split(model: str, texts: Path, tmp_path: Path) -> None:
    nlp = spacy.load(model)
    expected = [[*map(str, split_sentences(nlp(text)))] for text in TEXTS]
    result = run("split", texts, "--lines", "-m", model)
    assert result.stdout.splitlines() == [s for each in expected for s in each]
    run("split", texts, "--lines", "-m", model, "-t", "tsv", "-o", tmp_path / "new" / "a.tsv")
    rows = [
        line.split("\t") for line in (tmp_path / "new" / "a.tsv").read_text("utf8").splitlines()
    ]
    sources = [source for text in TEXTS for source in nlp(text).sents]
    assert [row[0] for row in rows] == [source.text for source in sources if source.text.strip()]
    assert " ".join(row[1] for row in rows) == " ".join(s for each in expected for s in each)
    piped = run("split", "-", "--lines", "-m", model, "-t", "jsonl", input=texts.read_bytes())
    for line, text in zip(piped.stdout.splitlines(), TEXTS, strict=True):
        record = json.loads(line)
        assert record["text"] == text
        for sentence in record["sentences"]:
            assert sentence["tokens"] and max(sentence["tokens"]) < len(nlp(text))
    whole = run("split", texts, "-m", model, "--published", "--no-relative-clauses").stdout
    assert whole.splitlines()
    # What it writes is what `samsa` reads.
    run("samsa", tmp_path / "new" / "a.tsv", "-m", model)


def test_split_of_what_is_no_text(model: str, texts: Path, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("Café".encode("latin-1"))
    result = run("split", tmp_path / "latin.txt", corpus / "b.xml", texts, "-m", model, code=1)
    assert "UC507" in result.stderr and "UC673" in result.stderr and "2 skipped" in result.stderr
    assert "I came." in result.stdout
    assert "UC518" in run("split", texts, "-m", model, "-o", texts, code=1).stderr
    assert "does not exist" in run("split", tmp_path / "none", "-m", model, code=2).stderr
    assert "UC508" in run("split", texts, "-m", tmp_path / "none", code=1).stderr


GOOD = '{"source": "a", "simplification": "b"}\n'
PAIRS = [("I came he left.", "I came. He stayed."), ("You left.", ""), ("😀 you", "you 😀.")]


@pytest.mark.parametrize(
    ("command", "keys"), [("samsa", ("source", "simplification")), ("usim", ("first", "second"))]
)
@pytest.mark.parametrize("kind", ["tsv", "jsonl"])
@pytest.mark.parametrize("head", [False, True])
def test_pairs(model: str, tmp_path: Path, command: str, keys, kind: str, head: bool) -> None:
    nlp = spacy.load(model)
    path = tmp_path / f"pairs.{kind}"
    if kind == "tsv":
        lines = ["\t".join(keys)] * head + ["\t".join(pair) for pair in PAIRS]
    else:
        lines = [""] * head + [json.dumps(dict(zip(keys, pair, strict=True))) for pair in PAIRS]
    path.write_text("\n\n".join(lines) + "\n", "utf8")
    expected = []
    for pair in PAIRS:
        a, b = map(nlp, pair)
        if command == "samsa":
            expected.append({"samsa": samsa(a, b).samsa, "samsa_abl": samsa(a, b).samsa_abl})
        else:
            expected.append({"usim": usim(a, b).f, "predication_f1": predication_f1(a, b).f})
    means = {name: sum(row[name] for row in expected) / 3 for name in expected[0]}
    out = tmp_path / f"out.{kind}"
    figures = json.loads(run(command, path, "-m", model, "-o", out, "--json", "-").stdout)
    assert means[command]  # not nothing at all
    assert figures == {"pairs": 3, **{name: pytest.approx(v) for name, v in means.items()}}
    written = out.read_text("utf8").splitlines()
    numbers = [1 + 2 * (i + head) for i in range(3)]
    if kind == "tsv":
        assert written[0].split("\t") == ["line", *means]
        rows = [line.split("\t") for line in written[1:]]
        assert [int(row[0]) for row in rows] == numbers
        values = [[float(v) for v in row[1:]] for row in rows]
    else:
        rows = [json.loads(line) for line in written]
        assert [row.pop("line") for row in rows] == numbers
        values = [[*row.values()] for row in rows]
    assert values == [pytest.approx([*row.values()], abs=1e-4) for row in expected]
    printed = run(command, "-", "-m", model, input=path.read_bytes()).stdout
    assert all(name in printed for name in means) and "3 pairs scored." in printed


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a\tb\n\na b c\n", 3, "0 tabs. Give two texts"),
        ("a\tb\tc\na\tb\n", 1, "2 tabs"),
        ("\tb\n\na\tb\n", 1, "first text is empty"),
        (GOOD + '{"source": "a"}\n', 2, "no text for 'simplif"),
        (GOOD + '{"source": "a", "simplification": [1]}\n', 2, "Give an object"),
        ('{"source": "a", "simplification": "b"\n' + GOOD, 1, "no JSON"),
        ('{"source": "a", "simplification": "\\ud800"}\n' + GOOD, 1, "half a character"),
        ('{"source": " ", "simplification": "b"}\n' + GOOD, 1, "'source' is empty"),
        (GOOD + "[1]\n", 2, "no text for 'source'"),
    ],
)
def test_lines_that_are_no_pairs(model: str, tmp_path: Path, text: str, line: int, message: str):
    path = tmp_path / "pairs"
    path.write_text(text, "utf8")
    result = run("samsa", path, "-m", model, "-o", tmp_path / "out.tsv", code=1)
    assert f"UC670] {path}, line {line}: " in result.stderr and message in result.stderr
    # The others are scored.
    assert "1 pair scored." in result.stdout and "1 skipped" in result.stderr
    assert len((tmp_path / "out.tsv").read_text("utf8").splitlines()) == 2


@pytest.mark.parametrize("command", ["samsa", "usim"])
def test_two_files_of_lines_and_lists_of_sentences(model: str, tmp_path: Path, command: str):
    """Corpora of simplifications have a file for each side."""
    keys = ("source", "simplification") if command == "samsa" else ("first", "second")
    first, second, pairs = tmp_path / "a", tmp_path / "b", tmp_path / "pairs"
    first.write_text("".join(f"{a}\n" for a, _ in PAIRS) + "\n", "utf8")
    second.write_bytes("".join(f"{b}\r\n" for _, b in PAIRS).encode() + b"\r\n")
    pairs.write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS), "utf8")
    scores = run(command, pairs, "-m", model, "--json", "-").stdout
    assert run(command, first, second, "-m", model, "--json", "-").stdout == scores
    whole = json.dumps(dict(zip(keys, ("I came he left.", "I came.\n\nHe stayed."), strict=True)))
    parts = json.dumps(dict(zip(keys, ("I came he left.", ["I came.", "He stayed."]), strict=True)))
    printed = []
    for text in (whole, parts):
        pairs.write_text(text, "utf8")
        printed.append(run(command, pairs, "-m", model, "--json", "-").stdout)
    assert printed[0] == printed[1]
    second.write_text("a\n", "utf8")
    assert "UC679" in run(command, first, second, "-m", model, code=1).stderr
    assert "UC674" in run(command, first, tmp_path / "none", "-m", model, code=1).stderr


def test_files_that_have_no_pairs(model: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    for data, code in ((b"", "UC671"), (b"\n\n", "UC671"), (b"first\tsecond\n", "UC671")):
        path.write_bytes(data)
        assert code in run("usim", path, "-m", model, code=1).stderr
    path.write_bytes("é\tb".encode("latin-1"))
    assert "UC507" in run("usim", path, "-m", model, code=1).stderr
    assert "UC674" in run("usim", tmp_path / "none", "-m", model, code=1).stderr
    path.write_text("a\tb\n", "utf8")
    assert "UC518" in run("usim", path, "-m", model, "-o", path, code=1).stderr
    spacy.blank("en").to_disk(tmp_path / "blank")
    assert "UC506" in run("usim", path, "-m", tmp_path / "blank", code=1).stderr
    path.write_text(f"a\tb\na\t{'b ' * 600_000}\n", "utf8")
    result = run("usim", path, "-m", model, code=1)
    assert "line 2: the text has" in result.stderr and "1 pair scored." in result.stdout
