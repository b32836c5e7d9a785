"""Words for the tagger and parser to learn: a treebank, and plain text that another tagger has tagged.

    python scripts/tag_words.py corpus/en/syntax/train corpus/en/words --text corpus/en/train --text corpus/en/texts

Writes `train.spacy` for `configs/tagged.cfg`: the sentences of the treebank, each twice, and those of the text with nothing but
the other tagger's tags, as the morphological feature `Tag`. That tagger is HanTa, which has models of English, German and
Dutch words and their parts in its package: `pip install 'spacy-ucca[texts]'`.
"""

import random
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import spacy
import typer
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_ucca.errors import UccaError
from spacy_ucca.training.corpus import find_docbins, read_docs

MODELS = {"en": "morphmodel_en.pgz", "de": "morphmodel_ger.pgz", "nl": "morphmodel_dutch.pgz"}
FEATURE = "Tag"
TREEBANK_TIMES = 2  # trees are in the treebank alone


def load_tagger(lang: str) -> Any:
    """Load HanTa.

    lang (str): The language.
    RETURNS (HanoverTagger): The tagger.
    """
    if lang not in MODELS:
        raise SystemExit(
            f"HanTa has no model of the language {lang!r}, but of {', '.join(MODELS)}."
        )
    try:
        from HanTa.HanoverTagger import HanoverTagger
    except ImportError:
        raise SystemExit("HanTa is not installed: pip install 'spacy-ucca[texts]'") from None
    return HanoverTagger(MODELS[lang])


def only_syntax(doc: Doc) -> Doc:
    """RETURNS (Doc): The same words with the tags and dependencies, and nothing else."""
    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        tags=[token.tag_ for token in doc],
        heads=[token.head.i for token in doc],
        deps=[token.dep_ for token in doc],
    )


def only_tags(doc: Doc, tagger: Any) -> Doc:
    """RETURNS (Doc): The same words with the tagger's tags, and nothing else."""
    words = [token.text for token in doc]
    # Signs that divide features and their values: German has the tag "$,".
    tags = [re.sub(r"[,|=]", "-", tag) for _, _, tag in tagger.tag_sent(words)]
    spaces = [bool(token.whitespace_) for token in doc]
    return Doc(doc.vocab, words=words, spaces=spaces, morphs=[f"{FEATURE}={tag}" for tag in tags])


def read_all(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """YIELDS (Doc): The Docs of a .spacy file, or of all in a directory."""
    try:
        for file in find_docbins(path):
            yield from read_docs(file, vocab)
    except UccaError as err:
        raise SystemExit(str(err)) from None


app = typer.Typer(add_completion=False)


@app.command()
def main(
    treebank: Path = typer.Argument(..., help="The treebank, as .spacy files", exists=True),
    output: Path = typer.Argument(..., help="Directory to write to"),
    texts: list[Path] = typer.Option(..., "--text", help=".spacy files of text", exists=True),
    lang: str = typer.Option("en", help="The language"),
    limit: int = typer.Option(0, min=0, help="Stop after so many Docs of each text; 0: never"),
) -> None:
    vocab = spacy.blank(lang).vocab
    tagger = load_tagger(lang)
    trees = [only_syntax(doc) for doc in read_all(treebank, vocab)]
    tagged = [
        only_tags(doc, tagger)
        for text in texts
        for doc in islice(read_all(text, vocab), limit or None)
        if not any(token.is_space for token in doc)
    ]
    docs = [*trees * TREEBANK_TIMES, *tagged]
    random.Random(0).shuffle(docs)
    output.mkdir(parents=True, exist_ok=True)
    DocBin(docs=docs).to_disk(output / "train.spacy")
    print(f"{output / 'train.spacy'}: {len(trees)} Docs with trees, {len(tagged)} with tags.")


if __name__ == "__main__":
    app()
