"""Plain text to learn from. In English, German and French, packages on PyPI and of Debian carry it as data: reviews, messages,
encyclopedia articles, anecdotes and quotations, novels, dialogue and narration of a game, handbooks, manual pages. In any
language it is that of .txt files, whose paragraphs end in an empty line.

    python scripts/plain_texts.py de FOLDER xx_ucca_trf corpus/texts --without corpus/de/dev

FOLDER has the packages, as `projects/languages` fetches them, the files, or both. Writes a .spacy file for each kind, tagged and
parsed by a pipeline, for `spacy-ucca label`; half of the articles ask for the guidelines `v1`. Needs
`pip install 'spacy-ucca[texts,languages]'`.
"""

import bz2
import gettext
import gzip
import io
import random
import re
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import typer
from check_corpora import ANY_LANGUAGE, is_guessed, other_language
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc, DocBin, Span

from spacy_ucca.cli._pipelines import load_pipeline
from spacy_ucca.cli._util import make_directory, user_errors
from spacy_ucca.errors import Errors, UccaError
from spacy_ucca.tokens.extension import set_guidelines
from spacy_ucca.tokens.guess import guess_language
from spacy_ucca.training.corpus import find_docbins, read_docs

# In the source package of vaderSentiment (MIT): product reviews, film reviews and editorials, one snippet a line after
# an id and a score.
VADER = "vaderSentiment-*.tar.gz"
VADER_DATA = "additional_resources/hutto_ICWSM_2014.tar.gz"
REVIEWS = ("amazonReviewSnippets", "movieReviewSnippets", "nytEditorialSnippets")
MESSAGES = ("tweets",)
# In the wheel of gensim, for its tests: the first hundred articles of a dump of the English Wikipedia (CC BY-SA).
GENSIM = "gensim-*.whl"
WIKI_DATA = "test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
# In source packages: Botchan and Alice in Wonderland, in the public domain.
NOVELS = {"sentencepiece-*.tar.gz": "test/botchan.txt", "wordcloud-*.tar.gz": "examples/alice.txt"}
# Of Debian, unpacked. Fortunes: anecdotes with dialogue, passages of novels, sayings. Files of verse, drawings, code, recipes
# and definitions are left out.
FORTUNES = {"en": "usr/share/games/fortunes", "de": "usr/share/games/fortunes/de"}
PROSE = {
    "en": "art cookie drugs education food fortunes humorists kids law literature love medicine men-women miscellaneous news "
    "people pets platitudes politics riddles science sports startrek tao wisdom work",
    "de": "anekdoten bahnhof fussball infodrom kinderzitate letzteworte linuxtag loewe mathematiker murphy regeln "
    "sicherheitshinweise sprichworte sprueche stilblueten unfug witze wusstensie zitate",
}
GAME = "usr/share/games/wesnoth/*/locale"  # messages in English, by their translations
PACKAGED = ("en", "de", "fr")
HANDBOOKS = (
    "usr/share/doc/debian-handbook/html/{lang}-*/*.html",
    "usr/share/doc/installation-guide-*/{lang}/*.html",
    "usr/share/debian-reference/*.{lang}.html",
)
MANUALS = "usr/share/man/{lang}/man*/*.gz"
MOST = 10_000  # sentences of a kind, at most, unless --limit asks for more
LONGEST = 5_000  # characters of a paragraph; a pipeline does not take a whole book
# Longer ones are divided at ends of lines, without those at ends of sentences, without those anywhere.
PART = re.compile(
    "|".join(rf"(?s:.{{1,{LONGEST}}}){end}" for end in (r"(?=\n|\Z)", "(?<=[.!?。！？])", ""))
)
LOOKED_AT, CHARACTERS = 300, 150_000  # of a file, to guess its language by: paragraphs, size
N_GRAM = 8  # a sentence that shares so many words in a row with another text is the same sentence


def read_member(file: Path | io.BytesIO, end: str) -> bytes:
    """Read a file in an archive.

    file (Union[Path, io.BytesIO]): The archive: zip, as wheels are, or tar.
    end (str): How the path of the file in it ends.
    RETURNS (bytes): Its content.
    """
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as wheel:
            for name in wheel.namelist():
                if name.endswith(end):
                    return wheel.read(name)
    else:
        data = file.read_bytes() if isinstance(file, Path) else file.getvalue()
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.name.endswith(end) else None
                if content is not None:
                    return content.read()
    raise SystemExit(f"{file}: no file ends in {end}. Has the package changed?")


def find_files(directory: Path, pattern: str) -> list[Path]:
    """Find packages, or files of packages.

    directory (Path): Where they are.
    pattern (str): Their paths in it.
    RETURNS (List[Path]): The files, sorted; at least one.
    """
    found = sorted(path for path in directory.glob(pattern) if path.is_file())
    if not found:
        raise SystemExit(f"{directory}: no {pattern}. `fetch` of projects/languages puts it there.")
    return found


def read_snippets(directory: Path, kinds: Iterable[str]) -> Iterator[str]:
    """YIELDS (str): Reviews or messages of 3 to 60 words, of files that begin with these names."""
    archive = read_member(find_files(directory, VADER)[-1], VADER_DATA)
    for name in kinds:
        content = read_member(io.BytesIO(archive), f"{name}_GroundTruth.txt")
        for line in content.decode("utf8", "replace").splitlines():
            text = " ".join(line.split("\t")[-1].split())
            if 3 <= len(text.split()) <= 60 and "\ufffd" not in text:
                yield text


def read_articles(directory: Path) -> Iterator[str]:
    """YIELDS (str): Paragraphs of encyclopedia articles, without markup, headings and tables."""
    import mwparserfromhell

    data = read_member(find_files(directory, GENSIM)[-1], WIKI_DATA)
    for _, element in ElementTree.iterparse(bz2.open(io.BytesIO(data))):
        if not element.tag.endswith("}page"):
            continue
        text = element.findtext(".//{*}text") or ""
        element.clear()
        if text.upper().startswith("#REDIRECT"):
            continue
        text = re.sub(
            r"<ref[^>/]*/>|<ref.*?</ref>|<!--.*?-->|\{\|.*?\|\}", "", text, flags=re.DOTALL
        )
        link = r"\[\[(File|Image|Category|[a-z-]{2,10}):[^\[\]]*(\[\[[^\]]*\]\][^\[\]]*)*\]\]"
        text = mwparserfromhell.parse(re.sub(link, "", text)).strip_code()
        for line in text.split("\n"):
            if is_prose(line) and not re.search(r"\(\s*[,;]|\(\s*\)|''|thumb", line):
                yield line


def read_fortunes(directory: Path, lang: str) -> Iterator[str]:
    """YIELDS (str): Anecdotes and quotations, without the names of those who said them."""
    for name in PROSE[lang].split():
        (path,) = find_files(directory, f"{FORTUNES[lang]}/{name}")
        for entry in path.read_text("utf8", "replace").split("\n%\n"):
            lines = (line for line in entry.split("\n") if not re.match(r"\s+--\s", line))
            text = re.sub(r"\*(\w[^*]*)\*", r"\1", " ".join(lines))
            if len(text.split()) >= 3 and not re.search(r"[{}<>|=\ufffd\\]|_\w+_|http", text):
                yield text


def read_novels(directory: Path) -> Iterator[str]:
    """YIELDS (str): Paragraphs of novels, without what Project Gutenberg says about them."""
    for pattern, name in NOVELS.items():
        text = read_member(find_files(directory, pattern)[-1], name).decode("utf-8-sig")
        text = re.split(r"\*\*\* ?START OF.*", text)[-1].split("*** END OF")[0]
        yield from filter(is_prose, re.split(r"\n\s*\n", text.replace("\r", "").replace("_", "")))


def read_game(directory: Path, lang: str) -> Iterator[str]:
    """YIELDS (str): Dialogue and narration of the campaigns of a game (GPL)."""
    catalogs = find_files(directory, f"{GAME}/{'de' if lang == 'en' else lang}/*/*.mo")
    for path in catalogs:
        with path.open("rb") as file:
            messages = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        for source, translation in messages.items():
            if isinstance(source, str) and isinstance(translation, str) and source:
                text = source.rpartition("^")[2] if lang == "en" else translation
                yield from filter(is_prose, text.split("\n"))


class _Paragraphs(HTMLParser):
    """Collects the paragraphs of a page that have no code."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.is_open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "p" or (tag == "div" and ("class", "para") in attrs):
            self.is_open = True
            self.found.append("")
        elif tag in ("pre", "table", "div", "ul", "dl", "ol", "h1", "h2", "h3"):
            self.is_open = False

    def handle_endtag(self, tag: str) -> None:
        self.is_open = self.is_open and tag not in ("p", "div")

    def handle_data(self, data: str) -> None:
        if self.is_open:
            self.found[-1] += data


def read_handbooks(directory: Path, lang: str) -> Iterator[str]:
    """YIELDS (str): Paragraphs of Debian's handbooks."""
    for pattern in HANDBOOKS:
        for path in find_files(directory, pattern.format(lang=lang)):
            page = _Paragraphs()
            page.feed(path.read_text("utf8", "replace"))
            yield from filter(is_prose, page.found)


def read_manuals(directory: Path, lang: str) -> Iterator[str]:
    """YIELDS (str): Paragraphs of manual pages, without requests and fonts of roff."""
    for path in find_files(directory, MANUALS.format(lang=lang)):
        if path.is_symlink():
            continue
        text = gzip.decompress(path.read_bytes()).decode("utf8", "replace")
        for part in re.split(r"(?m)^\.(?!B |I |BR |IR |RB |RI |BI |IB ).*$", text):
            part = re.sub(r"(?m)^\.[BIR]+ |\\f[BIPR1-4]|\\[,/&|]", "", part)
            yield from filter(is_prose, [part.replace("\\-", "-").replace("\\(cq", "'")])


def own_files(directory: Path) -> list[Path]:
    """RETURNS (List[Path]): Text files."""
    return sorted(path for path in directory.glob("*.txt") if path.is_file())


def read_files(paths: Iterable[Path]) -> Iterator[str]:
    """YIELDS (str): Paragraphs of text files."""
    for path in paths:
        try:
            paragraphs = re.split(r"\n\s*\n", path.read_text("utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            raise SystemExit(f"{path} cannot be read: {error}. Give text in UTF-8.") from None
        for text in paragraphs:
            yield from [text] if len(text) <= LONGEST else PART.findall(text)


def check_language(nlp: Language, files: Iterable[Path]) -> None:
    """RAISES (UccaError): If many sentences of a file are in another language than the pipeline."""
    divide = Sentencizer()
    for path in files:
        texts = [text for text in read_files([path]) if text.strip()]
        some = texts[:: len(texts) // LOOKED_AT + 1]
        docs = [divide(nlp.make_doc(text[: CHARACTERS // len(some)])) for text in some]
        if message := other_language(nlp.lang, docs):
            raise UccaError(f"{path}: {message}")


def is_prose(text: str) -> bool:
    """RETURNS (bool): Whether a text without markup is one of whole sentences."""
    words = text.split()
    return bool(
        len(words) >= 4
        and words[-1][-1] in ".!?…\"”“»’'"
        and not re.search(r"[{}\[\]=<>|\\$@\ufffd^]|http|\d{5}|--", text)
    )


def texts_of(lang: str, packages: Path) -> dict[str, Callable[[], Iterable[str]]]:
    """RETURNS (Dict[str, Callable]): The readers of a language, by the names of files."""
    found: dict[str, Callable[[], Iterable[str]]] = {}
    if own := own_files(packages):
        found["own"] = lambda: read_files(own)
    known = ("usr", VADER, GENSIM, *NOVELS)
    if lang not in PACKAGED or (own and not any(any(packages.glob(name)) for name in known)):
        return found
    found["game"] = lambda: read_game(packages, lang)
    found["handbooks"] = lambda: read_handbooks(packages, lang)
    if lang in FORTUNES:
        found["fortunes"] = lambda: read_fortunes(packages, lang)
    if lang == "en":
        found["reviews"] = lambda: read_snippets(packages, REVIEWS)
        found["messages"] = lambda: read_snippets(packages, MESSAGES)
        articles = cache(lambda: [*read_articles(packages)])
        found["wiki"] = lambda: articles()[::2]
        found["wiki-v1"] = lambda: articles()[1::2]
        found["novels"] = lambda: read_novels(packages)
    else:
        found["manuals"] = lambda: read_manuals(packages, lang)
    return found


def n_grams(doc: Doc | Span) -> set[tuple[str, ...]]:
    """RETURNS (Set[Tuple[str, ...]]): All `N_GRAM` words in a row."""
    words = [token.lower_ for token in doc]
    return {tuple(words[i : i + N_GRAM]) for i in range(len(words) - N_GRAM + 1)}


def sentences(
    nlp: Language, texts: Iterable[str], known: set[tuple[str, ...]], guidelines: str = ""
) -> Iterator[Doc]:
    """Parse texts.

    nlp (Language): The pipeline.
    texts (Iterable[str]): The texts.
    known (Set[Tuple[str, ...]]): Word sequences of development sets.
    guidelines (str): The guidelines that the sentences ask for.
    YIELDS (Doc): Sentences of 3 to 80 tokens that have none of these.
    RAISES (UccaError): If the pipeline finds no sentences.
    """
    for doc in nlp.pipe(texts, disable=["ucca_parser"]):
        if not doc.has_annotation("SENT_START"):
            raise UccaError(Errors.UC224)
        for sentence in doc.sents:
            if 3 <= len(sentence) <= 80 and not known & n_grams(sentence):
                found = sentence.as_doc()
                set_guidelines(found, guidelines)
                yield found


app = typer.Typer(add_completion=False)


@app.command()
@user_errors()
def main(
    lang: str = typer.Argument(..., help="Language of the texts"),
    packages: Path = typer.Argument(
        ..., help="Folder of packages or files", exists=True, file_okay=False
    ),
    model: str = typer.Argument(..., help="Pipeline for tags, dependencies and sentences"),
    output: Path = typer.Argument(..., help="Directory to write to"),
    without: list[Path] = typer.Option(
        ..., help=".spacy files of texts to keep out: development sets"
    ),
    limit: int = typer.Option(0, min=0, help=f"Most sentences of a kind; 0: {MOST:,}"),
    any_language: bool = ANY_LANGUAGE,
) -> None:
    readers = texts_of(lang, packages)
    if not readers:
        message = f"No package is known with text in '{lang}', and {packages} has no .txt file."
        raise typer.BadParameter(message, param_hint="LANG")
    if output.is_file():
        make_directory(output)  # says so before all the work
    nlp = load_pipeline(model, lang=lang)
    known: set[tuple[str, ...]] = set()
    for file in (file for path in without for file in find_docbins(path)):
        for doc in read_docs(file, nlp.vocab):
            known |= n_grams(doc)
    warnings.filterwarnings("ignore", r"\[UW311\]")  # names in other languages
    if "own" in readers and not any_language and is_guessed(nlp.lang):
        check_language(nlp, own_files(packages))
    kinds = {name: [" ".join(text.split()) for text in read()] for name, read in readers.items()}
    make_directory(output)
    total = 0
    for name, found in kinds.items():
        texts = [*dict.fromkeys(found)]
        random.Random(0).shuffle(texts)
        if name != "own":  # translators leave paragraphs as they are
            texts = [text for text in texts if guess_language(text).lang == lang]
        docs = sentences(nlp, texts, known, guidelines=name.partition("-")[2])
        data = DocBin(docs=islice(docs, limit or MOST), store_user_data=True)
        data.to_disk(output / f"{name}.spacy")
        capped = " There may be more: see --limit." * (len(data) == MOST and not limit)
        print(f"{output / name}.spacy: {len(data)} sentences.{capped}", flush=True)
        total += len(data)
    if not total:
        raise UccaError(f"{packages}: no sentence of 3 to 80 words is left. Give more text.")


if __name__ == "__main__":
    app()
