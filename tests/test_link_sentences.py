"""The script that makes the sentences of projects/links, and the one that prints their labels."""

from pathlib import Path

import fetch_packages
import label_table
import link_sentences
import pytest
from typer.testing import CliRunner

from spacy_ucca.formats.conll import iter_conllu
from spacy_ucca.link_grammar.link_grammar import sentences_of_conllu

DATA = Path(__file__).parent / "data"


def make(tmp_path: Path, *arguments: object) -> Path:
    """RETURNS (Path): The file that the script writes."""
    output = tmp_path / "made" / "sentences.conllu"
    result = CliRunner().invoke(
        link_sentences.app, [str(a) for a in (arguments[0], output, *arguments[1:])]
    )
    assert result.exit_code == 0, result.output + str(result.exception)
    return output


@pytest.mark.parametrize("limit", [1, 4, 0])
def test_aphorisms(tmp_path, limit):
    path = make(tmp_path, "ru", "--texts", DATA / "texts", "--limit", limit)
    found = list(sentences_of_conllu(path))
    assert len(found) == (limit or 9) and found[0].id == "ru-1"
    assert [token.form for token in found[0].tokens][-2:] == ["диване", "."]
    assert found[0].spaces[-2:] == (False, True) and found[0].punct[-1]
    assert "У этой записи" not in path.read_text("utf8")  # it has no author


def test_names_and_dialogue_stay_out(tmp_path):
    folder = tmp_path / link_sentences.FORTUNES / "ru"
    folder.mkdir(parents=True)
    entries = [
        "Да.\n\t\t-- Кто-то",
        " - Как?\n - Так.\n\t\t-- Кто-то",
        "Раз\nдва.\n\t\t-- Кто-то",
        "Нет.",
    ]
    (folder / "life").write_text("\n%\n".join(entries) + "\n%\n", "utf8")
    found = sentences_of_conllu(make(tmp_path, "ru", "--texts", tmp_path))
    assert [" ".join(token.form for token in s.tokens) for s in found] == ["Да .", "Раз два ."]


def test_missing_texts_are_fetched(tmp_path, monkeypatch):
    def fetch(output, packages):
        raise SystemExit(f"{output} {packages}")

    monkeypatch.setattr(fetch_packages, "fetch", fetch)
    with pytest.raises(SystemExit, match="fortunes-ru"):
        next(link_sentences.sentences("ru", tmp_path))


def test_treebank(tmp_path):
    path = make(tmp_path, "en", "--treebank", DATA / "sample.conllu", "--limit", 3)
    with path.open(encoding="utf8") as made, (DATA / "sample.conllu").open(encoding="utf8") as file:
        expected = list(iter_conllu(file))
        assert list(iter_conllu(made)) == expected[:3] and len(expected) > 3


def test_missing_treebank_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"no\.conllu is missing.*spacy project assets"):
        next(link_sentences.trees(tmp_path / "no.conllu"))


def test_table_of_labels(tmp_path, capsys):
    path = tmp_path / "labels.tsv"
    path.write_text("label\tcount\nS\t3\nO\t2\nA\t1\n")
    label_table.main(path, 2)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert rows == ["| label | count |", "| --- | --- |", "| S | 3 |", "| O | 2 |"]
