"""What is named before anything is trained on corpora that do not fit together; and packages that cannot be fetched."""

import runpy
import shutil
from pathlib import Path

import check_corpora
import convert_treebank
import fetch_packages
import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.tokens.extension import set_guidelines
from spacy_ucca.tokens.guess import Guess
from spacy_ucca.training.corpus import graph_to_doc, read_docbin, read_docs, write_docbin

TEACHER = Path(__file__).parents[1] / "models" / "xx_ucca_trf"
TEXTS = TEACHER.parents[1] / "projects" / "languages" / "texts.json"
GERMAN = "Anna ruft heute ihren alten Chef in Berlin an , weil sie krank ist .".split()


@pytest.fixture
def data(sample: list[Graph], tmp_path: Path) -> Path:
    pytest.importorskip("py3langid")
    docs = [graph_to_doc(graph, Vocab()) for graph in sample]
    for folder in check_corpora.FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
        write_docbin(docs, tmp_path / folder / "x.spacy")
    return tmp_path


def change(file: Path, docs: list[Doc]) -> None:
    DocBin(docs=docs, store_user_data=True).to_disk(file)


def test_corpora_that_fit(data: Path) -> None:
    assert list(check_corpora.problems("en", data, TEACHER)) == []


def test_corpus_in_two_languages(data: Path) -> None:
    file = data / "ud" / "dev" / "x.spacy"
    docs = list(read_docbin(file, Vocab()))
    change(file, docs + [Doc(docs[0].vocab, GERMAN) for _ in docs])
    [message] = check_corpora.problems("en", data, TEACHER)
    assert str(file) in message and "are not in the language en" in message
    assert 'most of them in de, such as "Anna ruft heute' in message


def test_languages_that_are_not_guessed(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = [Doc(Vocab(), GERMAN)] * check_corpora.ENOUGH
    assert check_corpora.other_language("sv", docs) and not check_corpora.other_language("de", docs)
    monkeypatch.setattr(check_corpora, "guess_language", lambda text: Guess("ms"))
    assert check_corpora.other_language("id", docs) == ""
    assert check_corpora.is_guessed("nb") and not capsys.readouterr().out
    assert list(check_corpora.problems("grc", data, TEACHER)) == []
    assert "Texts in 'grc' are not checked" in capsys.readouterr().out
    assert list(check_corpora.problems("id", data, TEACHER, any_language=True)) == []


def test_guidelines_that_the_teacher_does_not_know(data: Path) -> None:
    for folder in ("train", "dev"):
        file = data / folder / "x.spacy"
        docs = list(read_docbin(file, Vocab()))
        for doc in docs:
            set_guidelines(doc, "v0" if folder == "train" else "v9")
        change(file, docs)
    old, new, unlearned = check_corpora.problems("en", data, TEACHER)
    assert "follows the guidelines v0, and" in old and "knows v1, v2" in old
    assert "--guidelines" in old and "finetune" in old
    assert "v9, which no corpus in" in new and "v9, and" in unlearned


def test_categories_that_the_teacher_does_not_know(data: Path) -> None:
    graphs = read_brackets("[X [A Anna ] [P sleeps ] [LR . ] ]", source="odd")
    write_docbin([graph_to_doc(graph, Vocab()) for graph in graphs], data / "train" / "odd.spacy")
    [message] = check_corpora.problems("en", data, TEACHER)
    assert "odd.spacy has the categories X, which" in message


def test_missing_and_broken_files(data: Path, tmp_path: Path) -> None:
    shutil.rmtree(data / "ud" / "train")
    (data / "dev" / "x.spacy").write_bytes(b"no")
    broken, missing = check_corpora.problems("en", data, TEACHER)
    assert "x.spacy" in broken and "has no .spacy file" in missing
    [message] = check_corpora.problems("en", data, tmp_path / "nothing")
    assert "is no pipeline" in message


def test_files_in_folders_and_graphs_that_cannot_be_used(data: Path) -> None:
    docs = list(read_docbin(data / "train" / "x.spacy", Vocab()))
    other = Doc(docs[0].vocab, ["other"] * len(docs[0]), user_data=docs[0].user_data)
    (data / "train" / "more").mkdir()
    change(data / "train" / "more" / "y.spacy", [other])
    DocBin(docs=docs).to_disk(data / "dev" / "x.spacy")
    train, dev = check_corpora.problems("en", data, TEACHER)
    assert "y.spacy cannot be used" in train and "x.spacy has no UCCA graph" in dev


def test_teachers_that_are_broken_or_untrained(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.to_disk(tmp_path / "teacher")
    srsly.write_json(tmp_path / "teacher" / "meta.json", {"lang": "en", "name": "x"})
    (tmp_path / "teacher" / "config.cfg").write_text("nothing")
    [message] = check_corpora.problems("en", tmp_path, tmp_path / "teacher")
    assert "Cannot load the pipeline" in message
    nlp.add_pipe("ucca_parser")
    nlp.to_disk(tmp_path / "teacher")
    [message] = check_corpora.problems("en", tmp_path, tmp_path / "teacher")
    assert "teacher is not trained" in message


def test_a_treebank_with_other_tags_is_named(tmp_path: Path) -> None:
    row = ["1", "Anna", "Anna", "NE", "NE", "_", "0", "root", "_", "_"]
    file = tmp_path / "x.conllu"
    file.write_text("\t".join(row) + "\n\n", "utf8")
    with pytest.raises(SystemExit, match=r"x\.conllu cannot be converted.*NE.*Universal"):
        convert_treebank.convert(0, file, tmp_path, False, True)


ROWS = [["Anna", "_", "PROPN", "2", "nsubj"], ["_", "_", "PUNCT", "0", "root"]]


@pytest.mark.parametrize(
    ("word", "column", "value", "expected"),
    [
        (0, 0, "_", "word 1 is withheld"),
        (0, 3, "_", "head of word 1 is '_'"),
        (0, 3, "7", "head of word 1 is '7'"),
        (0, 3, "0", "2 roots"),
        (0, 3, "1", "head of word 1 depends on that word"),
        (1, 3, "1", "0 roots"),
        (1, 4, "root\tx", "ten columns"),
        (None, 0, "", ""),
    ],
)
def test_treebanks_that_cannot_be_learned(tmp_path, word, column, value, expected) -> None:
    rows = [list(row) for row in ROWS]
    if word is not None:
        rows[word][column] = value
    lines = [
        f"{i}\t{f}\t{m}\t{p}\t_\t_\t{h}\t{d}\t_\t_" for i, (f, m, p, h, d) in enumerate(rows, 1)
    ]
    file = tmp_path / "x.conllu"
    file.write_text("\n".join(["# sent_id = s1", *lines, ""]), "utf-8-sig")
    if expected:
        with pytest.raises(SystemExit, match=rf"x\.conllu, sentence 's1': .*{expected}"):
            convert_treebank.convert(0, file, tmp_path, False, False)
        return
    [doc] = read_docs(convert_treebank.convert(0, file, tmp_path, False, False), Vocab())
    assert [token.lemma_ for token in doc] == ["", "_"]
    with pytest.raises(SystemExit, match=r"x\.conllu/x\.spacy cannot be written.*DIRECTORY"):
        convert_treebank.convert(0, file, file, False, False)


def test_treebanks_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.conllu").touch()
    script = convert_treebank.__file__
    monkeypatch.setattr("sys.argv", [script, "0", str(tmp_path), str(tmp_path / "out")])
    with pytest.raises(SystemExit, match=r"a.x\.conllu and .*b.x\.conllu would be one file"):
        runpy.run_path(script, run_name="__main__")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "cannot be read"),
        ("[1]", "cannot be read"),
        ('{"sv": ["hello"]}', "'sv': no list"),
        ('{"sv": {"debian": "hello"}}', "'sv': 'debian': no list"),
        ('{"sv": {"pypi": ["hello"]}}', "'sv': 'pypi': no list"),
    ],
)
def test_tables_of_packages_that_are_none(tmp_path: Path, text: str, expected: str) -> None:
    (table := tmp_path / "t.json").write_text(text)
    with pytest.raises(SystemExit, match=rf"t\.json.*{expected}.*Write .*Kinds are debian, npm"):
        fetch_packages.packages_of(table, "sv")
    table.write_text('{"sv": {"npm": ["x-{lang}"]}}')
    assert fetch_packages.packages_of(table, "sv")["npm"] == ["x-sv"]
    with pytest.raises(SystemExit, match="no packages of 'every'"):
        fetch_packages.packages_of(table, "every")
    with pytest.raises(SystemExit, match=r"t\.json is no folder"):
        fetch_packages.fetch(table, {})


def test_packages_that_cannot_be_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("npm", "apt-get"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    out = tmp_path / "out"
    with pytest.raises(SystemExit, match=r"a@1: they could not be fetched.*network"):
        fetch_packages.fetch(out, {"npm": ["a@1"]})
    with pytest.raises(SystemExit, match="fortunes: they could not be fetched"):
        fetch_packages.fetch(out, {"debian": ["fortunes"]})
    with pytest.raises(SystemExit, match="a==1, b==2: they could not be fetched"):
        fetch_packages.fetch(out, {"source": ["a==1"], "wheel": ["b==2"]})
    with pytest.raises(
        SystemExit, match=r"texts\.json has no packages of 'sv'\. It has de, en, fr"
    ):
        fetch_packages.packages_of(TEXTS, "sv")
    assert "debian-reference-fr" in fetch_packages.packages_of(TEXTS, "fr")["debian"]
    monkeypatch.setenv("PATH", str(out))
    with pytest.raises(SystemExit, match=r"fortunes: apt-get is missing\. Install it"):
        fetch_packages.fetch(out, {"debian": ["fortunes"]})
