"""Training data for a small tagger and parser: text that a larger pipeline tags and parses.

    python scripts/parse_texts.py training/en/syntax-teacher/model-best corpus/en/parsed/train.spacy --text corpus/en/texts

Docs of the text are sentences. Several go to a Doc of the output, as they follow each other: a parser learns where sentences end
only from Docs that go on after that. Tags and dependencies are all that they have. Sentences with white space among their
tokens are left out.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import spacy
import typer
from spacy.tokens import Doc, DocBin
from spacy.util import minibatch
from spacy.vocab import Vocab
from tag_words import read_all
from tqdm import tqdm

from spacy_ucca.training.corpus import bare_copy

app = typer.Typer(add_completion=False)


def read_sentences(text: Path, vocab: Vocab, limit: int = 0) -> Iterator[Doc]:
    """YIELDS (Doc): The words of the Docs of .spacy files, without what they are annotated with."""
    for doc in islice(read_all(text, vocab), limit or None):
        if not any(token.is_space for token in doc):
            yield bare_copy(doc, keep_annotations=False)


@app.command()
def main(
    model: str = typer.Argument(..., help="The pipeline: its name or directory"),
    output: Path = typer.Argument(..., help=".spacy file to write", dir_okay=False),
    texts: list[Path] = typer.Option(..., "--text", help=".spacy files of text", exists=True),
    n_sents: int = typer.Option(5, min=1, help="Sentences to a Doc"),
    limit: int = typer.Option(0, min=0, help="Stop after so many Docs of each text; 0: never"),
) -> None:
    nlp = spacy.load(model)
    joined = DocBin(attrs=["ORTH", "TAG", "HEAD", "DEP", "SPACY"])
    n_read = 0
    for text in texts:
        sentences = tqdm(read_sentences(text, nlp.vocab, limit), unit="sentences", desc=text.name)
        for group in minibatch(nlp.pipe(sentences), n_sents):
            n_read += len(group)
            joined.add(Doc.from_docs(group, exclude=["user_data"]))
    output.parent.mkdir(parents=True, exist_ok=True)
    joined.to_disk(output)
    print(f"{output}: {n_read} sentences in {len(joined)} Docs.")


if __name__ == "__main__":
    app()
