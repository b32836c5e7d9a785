"""Noisy copies of training data: in lower case, in capitals, as headlines, without the final stop.

    python scripts/add_noise.py corpus/en/train corpus/en/noisy --lower 0.1 --no-stop 0.2

Writes x.spacy of the output directory for each x.spacy of the input, with the copies alone. Their graphs are those of the
gold sentences. With `--syntax`, tags and dependencies are predicted anew, on the noisy words; without, there are none.
"""

from pathlib import Path

import spacy
import typer

from spacy_ucca.errors import UccaError
from spacy_ucca.training.augment import noisy_copies
from spacy_ucca.training.corpus import find_docbins, read_docbin, write_docbin
from spacy_ucca.training.label import with_syntax

app = typer.Typer(add_completion=False)
SHARE = {"min": 0.0, "max": 1.0}


@app.command()
def main(
    data: Path = typer.Argument(..., help="A .spacy file with graphs, or a directory of them"),
    output: Path = typer.Argument(..., help="Directory to write to"),
    lang: str = typer.Option("xx", help="Language of the texts"),
    syntax: str = typer.Option(None, help="Pipeline for tags and dependencies"),
    lower: float = typer.Option(0.1, **SHARE, help="Share of Docs to copy in lower case"),
    upper: float = typer.Option(0.05, **SHARE, help="Share of Docs to copy in capitals"),
    title: float = typer.Option(0.15, **SHARE, help="Share of Docs to copy with Capitals on Words"),
    no_stop: float = typer.Option(0.15, **SHARE, help="Share of Docs to copy without final stop"),
    seed: int = typer.Option(0, help="Seed of the choice"),
) -> None:
    if lower + upper + title > 1:
        message = "Together with --upper and --title at most 1."
        raise typer.BadParameter(message, param_hint="--lower")
    nlp = spacy.load(syntax) if syntax else spacy.blank(lang)
    try:
        files = find_docbins(data)
        for file in files:
            docs = (doc for doc in read_docbin(file, nlp.vocab) if len(doc))
            copies = noisy_copies(
                docs, lower=lower, upper=upper, title=title, no_stop=no_stop, seed=seed
            )
            if syntax:
                copies = with_syntax(copies, nlp)
            n = write_docbin(copies, output / file.name)
            print(f"{output / file.name}: {n} Docs.")
    except UccaError as err:
        raise SystemExit(f"Error: {err}") from None


if __name__ == "__main__":
    app()
