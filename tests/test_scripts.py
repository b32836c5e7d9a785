"""The scripts of the project: plain text out of packages, words with tags, shorter lists of strings."""

import bz2
import io
import tarfile
from pathlib import Path

import keep_strings
import parse_texts
import plain_texts
import pytest
import spacy
import srsly
import tag_words
import write_scores
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner
from util import make_nlp, overfit, parse

from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import bare_copy

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


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    """RETURNS (Path): A sentence with a tree, with morphology that is not to be learned."""
    tree = Doc(
        spacy.blank("en").vocab,
        words=["Ants", "live", "."],
        tags=["NNS", "VBP", "."],
        morphs=["Number=Plur", "", ""],
        heads=[1, 1, 1],
        deps=["nsubj", "ROOT", "punct"],
    )
    DocBin(docs=[tree]).to_disk(tmp_path / "trees.spacy")
    return tmp_path / "trees.spacy"


def test_words_with_tags_and_trees_without(treebank: Path, tmp_path: Path) -> None:
    pytest.importorskip("HanTa", reason="HanTa is not installed")
    vocab = spacy.blank("en").vocab
    texts = [["The", "queens", "live", "long", "!"], ["Two", "\n", "lines"], ["🐜", "?"]]
    DocBin(docs=[Doc(vocab, words) for words in texts]).to_disk(tmp_path / "text.spacy")
    args = [treebank, tmp_path / "out", "--text", tmp_path / "text.spacy"]
    result = CliRunner().invoke(tag_words.app, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output
    docs = list(DocBin().from_disk(tmp_path / "out" / "train.spacy").get_docs(vocab))
    trees = [doc for doc in docs if doc.has_annotation("DEP")]
    assert [[t.tag_ for t in doc] for doc in trees] == [["NNS", "VBP", "."]] * 2
    assert [[t.head.i for t in doc] for doc in trees] == [[1, 1, 1]] * 2
    assert not any(str(t.morph) for doc in trees for t in doc)
    tagged = {doc[0].text: doc for doc in docs if not doc.has_annotation("DEP")}
    assert tagged.keys() == {"The", "🐜"}  # nothing is learned of white space
    assert [str(t.morph) for t in tagged["The"]] == [
        *("Tag=AT0", "Tag=NN2", "Tag=VVB", "Tag=AV0", "Tag=PUN")
    ]
    assert not any(doc.has_annotation("TAG") for doc in tagged.values())


def test_parsed_sentences_become_docs_that_go_on_after_their_end(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger").add_label("X")  # type: ignore[attr-defined]
    nlp.add_pipe("parser").add_label("dep")  # type: ignore[attr-defined]
    nlp.initialize()
    nlp.to_disk(tmp_path / "pipeline")
    texts = [["Ants", "live", "."], ["Two", "\n", "lines"], ["🐜", "?"], ["Why", "?"]]
    docs = []
    for words in texts:
        starts = [True, *[False] * (len(words) - 1)]
        docs.append(Doc(nlp.vocab, words, tags=["NN"] * len(words), sent_starts=starts))
        docs[-1].user_data["note"] = "is not wanted"
    (tmp_path / "texts").mkdir()
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "texts" / "text.spacy")
    output = tmp_path / "parsed" / "train.spacy"
    args = [tmp_path / "pipeline", output, "--text", tmp_path / "texts", "--n-sents", "2"]
    result = CliRunner().invoke(parse_texts.app, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output
    assert "3 sentences in 2 Docs" in result.output
    found = list(DocBin(store_user_data=True).from_disk(output).get_docs(nlp.vocab))
    sentences = [[[token.text for token in sent] for sent in doc.sents] for doc in found]
    assert sentences == [[texts[0], texts[2]], [texts[3]]]  # nothing is learned of white space
    for doc in found:
        assert {token.tag_ for token in doc} == {"X"} and not doc.user_data
    parsed = [nlp(bare_copy(docs[i], keep_annotations=False)) for i in (0, 2, 3)]
    for sent, alone in zip([sent for doc in found for sent in doc.sents], parsed, strict=True):
        assert [t.head.i - sent.start for t in sent] == [t.head.i for t in alone]
        assert [t.dep_ for t in sent] == [t.dep_ for t in alone]


def test_a_directory_without_texts_is_named(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "pipeline")
    (tmp_path / "empty").mkdir()
    args = [tmp_path / "pipeline", tmp_path / "out.spacy", "--text", tmp_path / "empty"]
    result = CliRunner().invoke(parse_texts.app, [str(arg) for arg in args])
    assert result.exit_code and str(tmp_path / "empty") in result.output


def test_tags_are_one_value_each() -> None:
    class Tagger:
        def tag_sent(self, words: list[str]) -> list[tuple[str, str, str]]:
            return [(word, word, "$,") for word in words]

    doc = Doc(spacy.blank("de").vocab, [",", "|"])
    assert [str(t.morph) for t in tag_words.only_tags(doc, Tagger())] == ["Tag=$-"] * 2


def test_what_cannot_be_tagged_is_named(treebank: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    args = [str(treebank), str(tmp_path / "out"), "--text", str(tmp_path / "empty")]
    result = CliRunner().invoke(tag_words.app, [*args, "--lang", "fi"])
    assert result.exit_code and "no model of the language 'fi'" in result.output
    pytest.importorskip("HanTa", reason="HanTa is not installed")
    result = CliRunner().invoke(tag_words.app, args)
    assert result.exit_code and "[UC2" in result.output and "Traceback" not in result.output


def test_scores_of_a_pipeline(tmp_path: Path) -> None:
    for name, scores in (
        ("own", {"ucca_f": 0.7, "ucca_parser_loss": 3}),
        ("syntax", {"tag_acc": 1}),
    ):
        (tmp_path / name).mkdir()
        srsly.write_json(tmp_path / name / "meta.json", {"performance": scores})
    (tmp_path / "metrics").mkdir()
    found = dict.fromkeys(write_scores.UCCA_SCORES, 0.123456) | {"ucca_implicit_f": None}
    for name in ("ewt", "ewt-xml"):
        srsly.write_json(tmp_path / "metrics" / f"{name}.json", found)
    srsly.write_json(tmp_path / "meta.json", {"license": "MIT"})
    paths = [tmp_path / name for name in ("own", "syntax", "meta.json", "metrics", "out.json")]
    write_scores.write_scores(*paths)
    written = srsly.read_json(tmp_path / "out.json")
    assert written["license"] == "MIT"
    expected = {"tag_acc": 1.0, "ucca_f": 0.7}
    expected |= {f"ewt_ucca_{name}": 0.1235 for name in ("f", "primary_f", "remote_f")}
    assert written["performance"] == pytest.approx(expected)
