"""`--lang`, and languages that are guessed."""

import json
from pathlib import Path

import pytest
import spacy
from cli_runs import run

pytest.importorskip("py3langid")

SHIPPED = Path(__file__).parents[2] / "models" / "xx_ucca_trf"
ENGLISH = "After graduation, John did not move to Paris because of his parents."
GERMAN = "Nach dem Studium zog Johann z.B. nach Paris, aber er mag die Stadt nicht."
ITALIAN = "Dopo gli studi, l'uomo che ha visto non è venuto all'appuntamento di oggi."


@pytest.fixture(scope="module")
def any_language(tmp_path_factory: pytest.TempPathFactory) -> str:
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_flat_ucca")
    path = tmp_path_factory.mktemp("model") / "any"
    nlp.to_disk(path)
    return str(path)


def words(lang: str, text: str) -> list[str]:
    return [token.text for token in spacy.blank(lang)(text)]


@pytest.mark.parametrize("n_process", [1, 2])
def test_parse_guesses(any_language: str, n_process: int, tmp_path: Path) -> None:
    file, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    file.write_text("\n".join([ENGLISH, GERMAN, ITALIAN, GERMAN, "12"]), "utf8")
    run("parse", file, "-m", any_language, "--lines", "-o", out, "-n", n_process)
    graphs = [json.loads(line) for line in out.read_text("utf8").splitlines()]
    expected = [words("en", ENGLISH), words("de", GERMAN), words("it", ITALIAN)]
    assert [graph["words"] for graph in graphs[:3]] == expected


def test_parse_counts_languages(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    text = "\n".join([ENGLISH, GERMAN, "12", GERMAN])
    result = run("parse", "-", "-m", SHIPPED, "--lines", "-o", out, input=text)
    assert "Languages, as guessed (--lang says one): de 2, en 1, in doubt 1." in result.stderr
    details = [json.loads(line)["details"] for line in out.read_text("utf8").splitlines()]
    assert [each.get("lang") for each in details] == ["en", "de", None, "de"]
    result = run("parse", "-", "-m", SHIPPED, "--lang", "de", "-o", out, input=text)
    assert "Languages" not in result.stderr
    assert json.loads(out.read_text("utf8"))["details"]["lang"] == "de"


def test_parse_takes_a_language(any_language: str, tmp_path: Path) -> None:
    result = run("parse", "-", "-m", any_language, "--lang", "it", "-t", "jsonl", input=GERMAN)
    assert json.loads(result.stdout)["words"] == words("it", GERMAN)


@pytest.mark.parametrize(
    "command",
    [
        ["parse", "-", "-m"],
        ["find", "H", "-", "-m"],
        ["split", "-", "-m"],
        ["serve"],
        ["evaluate", "--raw"],
        ["calibrate"],
    ],
)
def test_commands_name_the_language_that_is_wrong(
    command: list[str], any_language: str, model: str, tmp_path: Path
) -> None:
    (tmp_path / "a.xml").write_text("", "utf8")
    (tmp_path / "a.spacy").write_text("", "utf8")
    data = [tmp_path] if command[0] in ("evaluate", "calibrate") else []
    for name, lang, code in ((any_language, "german", "UC591"), (model, "de", "UC590")):
        result = run(*command, name, *data, "--lang", lang, code=1, input="Ja.")
        assert result.stderr.startswith(f"Error: [{code}]") and lang in result.stderr


def test_given_words_stay(any_language: str, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps({"id": "a", "words": ["L'homme", "qu'elle", "a", "vu"]}), "utf8")
    for more in ([], ["--lang", "it"], ["--lang", "zh"]):
        result = run("parse", file, "-m", any_language, "-t", "jsonl", *more)
        assert json.loads(result.stdout)["words"] == ["L'homme", "qu'elle", "a", "vu"]


def test_a_run_is_finished_in_the_same_language(any_language: str, tmp_path: Path) -> None:
    file, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    file.write_text(ITALIAN, "utf8")
    args = ("parse", file, "-m", any_language, "-o", out)
    run(*args, "--lang", "it")
    result = run(*args, "--lang", "de", "--resume", code=1)
    assert "[UC723]" in result.stderr and "--lang" in result.stderr
    run(*args, "--lang", "it", "--resume")


def test_find_and_split_divide_words_as_the_language_does(any_language: str) -> None:
    for more in ([], ["--lang", "it"]):
        found = run("find", "A=a", "-", "-m", any_language, "--json", *more, input=ITALIAN)
        units = [json.loads(line)["units"]["a"]["text"] for line in found.stdout.splitlines()]
        assert units == [word for word in words("it", ITALIAN) if word not in ",."]
        assert "appuntamento" in run("split", "-", "-m", any_language, *more, input=ITALIAN).stdout
