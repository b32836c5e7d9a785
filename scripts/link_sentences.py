"""Make the sentences of projects/links: CoNLL-U, for `spacy-ucca links`.

    python scripts/link_sentences.py en corpus/en.conllu --treebank en_ewt-ud-train.conllu --limit 8000
    python scripts/link_sentences.py ru corpus/ru.conllu --texts assets/texts --limit 1500

A language of `TEXTS` has sentences of Debian's fortunes, which are fetched if they are not there; any other has those of a
treebank, with its dependencies.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import fetch_packages
import spacy
import typer

from spacy_ucca.conversion.graph import BilexicalGraph
from spacy_ucca.errors import UccaError
from spacy_ucca.files import check_outputs, open_whole
from spacy_ucca.formats.conll import format_conllu
from spacy_ucca.formats.rows import iter_blocks
from spacy_ucca.formats.text import open_lines
from spacy_ucca.link_grammar.link_grammar import sentences_of_docs

app = typer.Typer(add_completion=False)
FORTUNES = "usr/share/games/fortunes"
# By language, the package (GPL) and its files of aphorisms.
TEXTS = {
    "ru": (
        "fortunes-ru",
        "education friendship happy knowledge life success time truth war wealth work".split(),
    )
}


def aphorisms(folder: Path, names: list[str]) -> Iterator[str]:
    """YIELDS (str): The aphorisms of files of fortunes that have an author, without that."""
    for path in (folder / name for name in names if (folder / name).is_file()):
        for entry in path.read_text("utf8").split("\n%\n"):
            text, author, _ = entry.partition("\n\t\t-- ")
            if author and not re.search(r"^\s+[-–—]|\n\n", text, re.MULTILINE):  # no dialogue
                yield " ".join(text.split())


def sentences(lang: str, texts: Path) -> Iterator[str]:
    """Divide aphorisms into sentences and tokens.

    lang (str): The language, one of `TEXTS`.
    texts (Path): Where Debian's package is unpacked, or will be.
    YIELDS (str): Sentences as CoNLL-U, without dependencies.
    """
    package, names = TEXTS[lang]
    folder = texts / FORTUNES / lang
    if not folder.is_dir():
        fetch_packages.fetch(texts, {"debian": [package]})
    nlp = spacy.blank("xx")  # the tokenizer for Russian needs another package
    nlp.add_pipe("sentencizer")
    for sentence in sentences_of_docs(nlp.pipe(aphorisms(folder, names)), f"{lang}-"):
        tokens, spaces, name, punct = sentence
        text = "".join(token.form + " " * space for token, space in zip(tokens, spaces))
        yield format_conllu(BilexicalGraph(tokens, (), punct, name, text.strip()), framework="text")


def trees(treebank: Path) -> Iterator[str]:
    """YIELDS (str): The sentences of a treebank, as they are there."""
    if not treebank.is_file():
        raise SystemExit(
            f"{treebank} is missing. Run `spacy project assets` in the root folder, or name a folder of corpora: "
            "--vars.corpora"
        )
    with open_lines(treebank) as lines:
        for block in iter_blocks(lines, str(treebank)):
            yield "".join(f"{line}\n" for _, line in block)


@app.command()
def main(
    lang: str = typer.Argument(..., help="The language"),
    output: Path = typer.Argument(..., help="The CoNLL-U file to write"),
    treebank: Path = typer.Option("", help="CoNLL-U file of Universal Dependencies"),
    texts: Path = typer.Option("assets/texts", help="Directory that packages are unpacked into"),
    limit: int = typer.Option(0, min=0, help="Maximum number of sentences; 0: all"),
) -> None:
    found = sentences(lang, texts) if lang in TEXTS else trees(treebank)
    try:
        check_outputs([output], [treebank])
        output.parent.mkdir(parents=True, exist_ok=True)
        blocks = list(islice(found, limit or None))
        if not blocks:
            raise SystemExit(f"{texts if lang in TEXTS else treebank} has no sentences.")
        with open_whole(output) as file:
            file.writelines(f"{block}\n" for block in blocks)
    except (UccaError, OSError) as error:
        raise SystemExit(f"{error}") from None


if __name__ == "__main__":
    app()
