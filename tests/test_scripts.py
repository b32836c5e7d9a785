"""The scripts of the project: plain text out of packages, and shorter lists of strings."""

import bz2
import io
import tarfile
from pathlib import Path

import keep_strings
import plain_texts
import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner
from util import make_nlp, overfit, parse

from spacy_ucca.graph import Graph

ARTICLE = """'''Ants''' are [[insect]]s that live in large colonies under the ground.<ref>A book</ref>

== Life ==
They came ( , ) from somewhere that a template has taken away here.
The [[queen|queens]] of the colonies may live for up to thirty years.
{| class="wikitable" | a table of many words that nobody wants to have. |}
Nine words stand in this one, and seven elsewhere.
"""


def add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "packages"
    folder.mkdir()
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as archive:
        for name in plain_texts.SNIPPETS:
            lines = f"1\t0.5\tIt  was {name} again .\n2\t1\tNo .\n3\t1\tIt was {name} again .\n"
            add(archive, f"h/{name}_GroundTruth.txt", lines.encode())
    with tarfile.open(folder / "vaderSentiment-1.tar.gz", "w:gz") as archive:
        add(archive, f"v/{plain_texts.VADER_DATA}", inner.getvalue())
    pages = [
        f"<page><revision><text>{t}</text></revision></page>" for t in ("#REDIRECT [[x]]", "{}")
    ]
    text = ARTICLE.replace("<", "&lt;").replace(">", "&gt;")
    dump = f'<mediawiki xmlns="urn:x">{"".join(pages)}</mediawiki>'.replace("{}", text)
    with tarfile.open(folder / "gensim-1.tar.gz", "w:gz") as archive:
        add(archive, f"g/{plain_texts.WIKI_DATA}", bz2.compress(dump.encode()))
    return folder


def test_snippets_come_once(packages: Path) -> None:
    expected = [f"It was {name} again ." for name in plain_texts.SNIPPETS]
    assert list(plain_texts.read_snippets(packages)) == expected


def test_articles_without_markup(packages: Path) -> None:
    pytest.importorskip("mwparserfromhell", reason="mwparserfromhell is not installed")
    assert sorted(plain_texts.read_articles(packages)) == [
        "Ants are insects that live in large colonies under the ground.",
        "Nine words stand in this one, and seven elsewhere.",
        "The queens of the colonies may live for up to thirty years.",
    ]


def test_sentences_of_development_sets_stay_out(packages: Path, tmp_path: Path) -> None:
    pytest.importorskip("mwparserfromhell", reason="mwparserfromhell is not installed")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    words = "Look : nine words stand in this one , and seven elsewhere !".split()
    DocBin(docs=[Doc(nlp.vocab, words)]).to_disk(tmp_path / "dev.spacy")
    args = [packages, tmp_path / "model", tmp_path / "out", "--without", tmp_path / "dev.spacy"]
    result = CliRunner().invoke(plain_texts.app, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output
    wiki = list(DocBin().from_disk(tmp_path / "out" / "wiki.spacy").get_docs(nlp.vocab))
    assert sorted(doc[0].text for doc in wiki) == ["Ants", "The"]
    reviews = list(DocBin().from_disk(tmp_path / "out" / "reviews.spacy").get_docs(nlp.vocab))
    assert len(reviews) == len(plain_texts.SNIPPETS)


def test_missing_packages_are_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"vaderSentiment.*assets"):
        next(plain_texts.read_snippets(tmp_path))


def test_words_are_forgotten_and_labels_kept(sample: list[Graph], tmp_path: Path) -> None:
    graphs = sample[:4]
    spacy.blank("en").to_disk(tmp_path / "syntax")
    nlp = make_nlp(graphs)
    overfit(nlp, graphs, steps=5)
    nlp.vocab.strings.add("a-word-of-the-training-data")
    nlp.to_disk(tmp_path / "pipeline")
    assert keep_strings.keep_strings(tmp_path / "pipeline", tmp_path / "syntax") > 0
    strings = srsly.read_json(tmp_path / "pipeline" / "vocab" / "strings.json")
    assert "a-word-of-the-training-data" not in strings
    loaded = spacy.load(tmp_path / "pipeline")
    assert [g.to_record() for g in parse(loaded, sample)] == [
        g.to_record() for g in parse(nlp, sample)
    ]
