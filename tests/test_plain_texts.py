"""scripts/plain_texts.py: plain text out of packages and files."""

import bz2
import gzip
import io
import struct
import tarfile
import zipfile
from pathlib import Path

import plain_texts
import pytest
import spacy
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner

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


FORTUNE_FILE = """\
"I need *water* ," said {name}.
\t"Do you?"
\t\t-- Somebody, "A book"
%
They said it twice.
%
Two words
%
 o  <|>  a drawing of a man
%
"""


PAGE = """\
<h1>Ants of the wood</h1><p>They <b>live</b> for up to
thirty years.</p><pre>sudo ants live here.</pre><div class="para">Nobody knows <code>why</code> they do.<div>x</div> So.</div>
<p>La machine est prête et elle marche.</p>
"""
MANUAL = """\
.TH ANTS 1
.SH NAME
ants \\- find \\fBants\\fR in a wood.
.PP
Sie leben
.B lange
im Wald, und niemand wei\u00df warum.
.nf
if (ants) { return 1; } und so weiter und so fort.
"""


def write_catalog(path: Path, messages: dict[str, str]) -> None:
    """Write a catalog of translations as `msgfmt` does."""
    pairs = sorted(
        (k.encode(), v.encode())
        for k, v in {"": "Content-Type: text/plain; charset=UTF-8\n", **messages}.items()
    )
    n, data, tables = len(pairs), b"", ([], [])
    for side, table in enumerate(tables):
        for pair in pairs:
            table += [len(pair[side]), 28 + 16 * n + len(data)]
            data += pair[side] + b"\0"
    header = struct.pack("<7I", 0x950412DE, 0, n, 28, 28 + 8 * n, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(header + struct.pack(f"<{4 * n}I", *tables[0], *tables[1]) + data)


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A file of each package, with the same sentences."""
    folder = tmp_path / "packages"
    folder.mkdir()
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as archive:
        for name in (*plain_texts.REVIEWS, *plain_texts.MESSAGES):
            lines = f"1\t0.5\tIt  was {name} again .\n2\t1\tNo .\n3\t1\tIt was {name} again .\n"
            add(archive, f"h/{name}_GroundTruth.txt", lines.encode())
    with tarfile.open(folder / "vaderSentiment-1.tar.gz", "w:gz") as archive:
        add(archive, f"v/{plain_texts.VADER_DATA}", inner.getvalue())
    pages = [
        f"<page><revision><text>{t}</text></revision></page>" for t in ("#REDIRECT [[x]]", "{}")
    ]
    text = ARTICLE.replace("<", "&lt;").replace(">", "&gt;")
    dump = f'<mediawiki xmlns="urn:x">{"".join(pages)}</mediawiki>'.replace("{}", text)
    with zipfile.ZipFile(folder / "gensim-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"g/{plain_texts.WIKI_DATA}", bz2.compress(dump.encode()))
    novel = "Title\r\n*** START OF IT ***\r\n\r\n_They_ said\r\nit twice.\r\n\r\nEnd\r\n*** END OF IT ***\r\nAnd this is the licence."
    for pattern, name in plain_texts.NOVELS.items():
        with tarfile.open(folder / pattern.replace("*", "1"), "w:gz") as archive:
            add(archive, f"n/{name}", novel.encode())
    for lang, place in plain_texts.FORTUNES.items():
        (folder / place).mkdir(parents=True)
        for name in plain_texts.PROSE[lang].split():
            (folder / place / name).write_text(FORTUNE_FILE.format(name=name), "utf8")
    game = folder / "usr/share/games/wesnoth/1/locale"
    messages = {"story^She refused to follow him.": "Sie wollte ihm nicht folgen.", "Ant": "Ameise"}
    write_catalog(game / "de" / "LC_MESSAGES" / "x.mo", messages)
    for lang in ("en", "de", "fr"):
        for pattern in plain_texts.HANDBOOKS:
            path = folder / pattern.format(lang=lang).replace("*", "x")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(PAGE, "utf8")
    manual = folder / plain_texts.MANUALS.format(lang="de").replace("*", "1")
    manual.parent.mkdir(parents=True)
    manual.write_bytes(gzip.compress(MANUAL.encode()))
    return folder


def test_snippets_of_some_words(packages: Path) -> None:
    for kinds in (plain_texts.REVIEWS, plain_texts.MESSAGES):
        expected = [f"It was {name} again ." for name in kinds for _ in range(2)]
        assert list(plain_texts.read_snippets(packages, kinds)) == expected


def test_fortunes_without_names_and_drawings(packages: Path) -> None:
    texts = list(plain_texts.read_fortunes(packages, "en"))
    assert [" ".join(text.split()) for text in texts[:2]] == [
        '"I need water ," said art. "Do you?"',
        "They said it twice.",
    ]
    assert len(texts) == 2 * len(plain_texts.PROSE["en"].split())


def test_articles_without_markup(packages: Path) -> None:
    pytest.importorskip("mwparserfromhell", reason="mwparserfromhell is not installed")
    assert sorted(plain_texts.read_articles(packages)) == [
        "Ants are insects that live in large colonies under the ground.",
        "Nine words stand in this one, and seven elsewhere.",
        "The queens of the colonies may live for up to thirty years.",
    ]


def test_novels_handbooks_manuals_and_dialogue(packages: Path) -> None:
    novels = list(plain_texts.read_novels(packages))
    assert novels == ["They said\nit twice."] * 2
    game = {lang: list(plain_texts.read_game(packages, lang)) for lang in ("en", "de")}
    assert game == {"en": ["She refused to follow him."], "de": ["Sie wollte ihm nicht folgen."]}
    pages = list(plain_texts.read_handbooks(packages, "fr"))[:3]
    assert [" ".join(page.split()) for page in pages] == [
        "They live for up to thirty years.",
        "Nobody knows why they do.",
        "La machine est prête et elle marche.",
    ]
    manual = list(plain_texts.read_manuals(packages, "de"))
    assert [" ".join(text.split()) for text in manual] == [
        "ants - find ants in a wood.",
        "Sie leben lange im Wald, und niemand weiß warum.",
    ]


def test_sentences_of_development_sets_and_of_other_languages_stay_out(
    packages: Path, tmp_path: Path
) -> None:
    for name in ("mwparserfromhell", "py3langid"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    words = "Look : nine words stand in this one , and seven elsewhere !".split()
    DocBin(docs=[Doc(nlp.vocab, words)]).to_disk(tmp_path / "dev.spacy")
    args = [
        *("en", packages, tmp_path / "model", tmp_path / "out"),
        *("--without", tmp_path / "dev.spacy"),
    ]
    result = CliRunner().invoke(plain_texts.app, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output

    def read(name: str) -> list[Doc]:
        return list(DocBin().from_disk(tmp_path / "out" / f"{name}.spacy").get_docs(nlp.vocab))

    found = [(doc[0].text, doc._.ucca_guidelines) for doc in (*read("wiki"), *read("wiki-v1"))]
    assert found == [("Ants", ""), ("The", "v1")]
    assert len(read("reviews")) == len(plain_texts.REVIEWS)
    assert not [doc for doc in read("handbooks") if doc[0].text == "La"]


def test_files_are_the_text_of_other_languages(tmp_path: Path) -> None:
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    nlp = spacy.blank("sv")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    DocBin(docs=[nlp("Solen går upp i öster varje dag och alla vet det .")]).to_disk(
        tmp_path / "dev.spacy"
    )
    folder = tmp_path / "texts"
    folder.mkdir()
    args = ["sv", folder, tmp_path / "model", tmp_path / "out", "--without", tmp_path / "dev.spacy"]
    result = CliRunner().invoke(plain_texts.app, [str(arg) for arg in args])
    assert result.exit_code == 2 and "text in 'sv'" in result.output.replace("\n", " ")
    (folder / "a.txt").write_text(
        "Barnen sjöng\nen visa. De dansade också.\n\nSolen går upp i öster varje dag och alla vet det."
    )
    result = CliRunner().invoke(plain_texts.app, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output
    found = DocBin().from_disk(tmp_path / "out" / "own.spacy").get_docs(nlp.vocab)
    assert sorted(doc.text.strip() for doc in found) == [
        "Barnen sjöng en visa.",
        "De dansade också.",
    ]
    (folder / "b.txt").write_bytes(b"\xff\xfe\x00")
    result = CliRunner().invoke(plain_texts.app, [str(arg) for arg in args])
    assert "b.txt cannot be read" in str(result.exception)


@pytest.fixture
def own(tmp_path: Path) -> list[str]:
    """Arguments for German texts in a folder without packages."""
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    DocBin(docs=[nlp("Niemand weiß davon.")]).to_disk(tmp_path / "dev.spacy")
    (tmp_path / "texts").mkdir()
    lines = [f"Am {i}. Tag ging Anna mit ihrem alten Hund durch den Wald.\n" for i in range(60)]
    (tmp_path / "texts" / "a.txt").write_text("".join(lines), "utf8")
    names = ("texts", "model", "out", "dev.spacy")
    texts, model, out, dev = (str(tmp_path / name) for name in names)
    return ["de", texts, model, out, "--without", dev]


def test_own_files_of_a_language_with_packages(
    own: list[str], packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_texts, "MOST", 40)
    result = CliRunner().invoke(plain_texts.app, own)
    assert result.exit_code == 0, result.output
    assert "own.spacy: 40 sentences. There may be more: see --limit." in result.output
    assert [path.name for path in Path(own[3]).iterdir()] == ["own.spacy"]
    assert [*plain_texts.texts_of("de", packages)] == ["game", "handbooks", "fortunes", "manuals"]
    (packages / "a.txt").write_text("Anna schläft.", "utf8")
    assert [*plain_texts.texts_of("de", packages)][:2] == ["own", "game"]


def test_long_paragraphs_are_divided_at_ends_of_lines(tmp_path: Path) -> None:
    lines = [f"{i} " + "a" * 90 for i in range(100)]
    for end in ("\n", ". "):
        (tmp_path / "a.txt").write_text(end.join(lines) + end, "utf8")
        parts = list(plain_texts.read_files([tmp_path / "a.txt"]))
        assert len(parts) == 2 and all(len(part) <= plain_texts.LONGEST for part in parts)
        assert "".join("".join(parts).split()) == "".join(end.join([*lines, ""]).split())
        assert all(part.split()[0].isdigit() for part in parts)


def test_mistakes_are_named_before_anything_is_written(own: list[str], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    wrong = [
        (0, "sv", "a.txt: ", "not in the language sv, most of them in de", "--any-language"),
        (0, "zz", "no language 'zz'"),
        (2, "nothing", "Cannot load the pipeline 'nothing'"),
        (3, str(tmp_path / "file"), "file: cannot be used as a directory"),
        (5, "nothing", "no corpus at nothing"),
        (5, str(tmp_path / "empty"), "empty has no .spacy files"),
    ]
    for place, value, *expected in wrong:
        args = [*own[:place], value, *own[place + 1 :]]
        result = CliRunner().invoke(plain_texts.app, args)
        assert result.exit_code == 1 and all(text in result.output for text in expected)
        assert not Path(own[3]).exists()
    result = CliRunner().invoke(plain_texts.app, ["sv", *own[1:], "--any-language"])
    assert result.exit_code == 0, result.output
    (Path(own[1]) / "a.txt").write_text("Zu kurz\n", "utf8")
    result = CliRunner().invoke(plain_texts.app, own)
    assert result.exit_code == 1 and "Give more text" in result.output


def test_missing_packages_are_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no vaderSentiment.*`fetch`"):
        next(plain_texts.read_snippets(tmp_path, plain_texts.REVIEWS))
    with pytest.raises(SystemExit, match=r"no usr/share/games/fortunes/art"):
        next(plain_texts.read_fortunes(tmp_path, "en"))
    with pytest.raises(SystemExit, match=r"no usr/share/man/fr"):
        next(plain_texts.read_manuals(tmp_path, "fr"))


def test_a_missing_member_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(path := tmp_path / "empty.whl", "w"):
        pass
    with pytest.raises(SystemExit, match=r"empty\.whl: no file ends in x"):
        plain_texts.read_member(path, "x")
