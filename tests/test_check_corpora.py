"""What is named before anything is trained on corpora that do not fit together; and packages that cannot be fetched."""

import shutil
from pathlib import Path

import check_corpora
import convert_treebank
import fetch_packages
import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.tokens.extension import set_guidelines
from spacy_ucca.training.corpus import graph_to_doc, read_docbin, write_docbin

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


def test_a_treebank_with_other_tags_is_named(tmp_path: Path) -> None:
    row = ["1", "Anna", "Anna", "NE", "NE", "_", "0", "root", "_", "_"]
    file = tmp_path / "x.conllu"
    file.write_text("\t".join(row) + "\n\n", "utf8")
    with pytest.raises(SystemExit, match=r"x\.conllu cannot be converted.*NE.*Universal"):
        convert_treebank.convert(0, file, tmp_path, False, True)


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
