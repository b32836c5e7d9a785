"""Noisy copies of training data: in lower case, in capitals, as headlines, without the final stop.

    python scripts/add_noise.py corpus/en/train corpus/en/noisy --lower 0.1 --no-stop 0.2

Writes x.spacy of the output directory for each x.spacy of the input, with the copies alone: one, at least. Their graphs are those
of the gold sentences. With `--syntax`, tags and dependencies are predicted anew, on the noisy words; without, there are none.
"""

from itertools import chain, islice
from pathlib import Path

import typer

from spacy_ucca.cli._pipelines import load_pipeline
from spacy_ucca.cli._util import make_directory, user_errors
from spacy_ucca.tokens.load import make_blank
from spacy_ucca.training.augment import noisy_copies
from spacy_ucca.training.corpus import find_docbins, read_docbin, write_docbin
from spacy_ucca.training.label import with_syntax

app = typer.Typer(add_completion=False)
SHARE = {"min": 0.0, "max": 1.0}
TRIES = 30  # of a few Docs, chance may choose none


@app.command()
@user_errors()
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
    nlp = load_pipeline(syntax) if syntax else make_blank(lang)
    files = find_docbins(data)
    make_directory(output)
    for file in files:
        for chance in range(seed, seed + TRIES):
            docs = (doc for doc in read_docbin(file, nlp.vocab) if len(doc))
            copies = noisy_copies(
                docs, lower=lower, upper=upper, title=title, no_stop=no_stop, seed=chance
            )
            if first := [*islice(copies, 1)]:
                break
        if not first and lower + upper + title + no_stop:
            print(f"{file}: no copy would differ from its Doc. Nothing is written for it.")
            continue
        copies = chain(first, copies)
        if syntax:
            copies = with_syntax(copies, nlp)
        path = output / (file.relative_to(data) if data.is_dir() else file.name)
        print(f"{path}: {write_docbin(copies, path)} Docs.")


if __name__ == "__main__":
    app()
