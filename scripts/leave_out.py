"""A treebank without the documents of one fold of a list, for jackknifing.

    python scripts/leave_out.py en_ewt-ud-train.conllu train.txt corpus/fold0 --fold 0 --folds 2

A tagger and parser know the sentences that they have learned better than they will know any other, so that what learns
from their output trusts it too much. Those that learn `treebank.conllu` have not seen the sentences of `left-out.txt`, and
tag these for training (`spacy-ucca convert --list corpus/fold0/left-out.txt --model ...`). The list has ids of passages or
of sentences, `<passage>-<number of the UD sentence>`; all that is of one document goes into one fold.
"""

from pathlib import Path

import typer

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.conllu import read_sentence_ids
from spacy_ucca.splitting import document_id


def fold_of(ids: list[str], documents: set[str], fold: int, folds: int) -> list[str]:
    """RETURNS (List[str]): The ids of one fold: documents are dealt out in the order of the list."""
    of = {i: i if i in documents else i.rpartition("-")[0] for i in ids}
    numbers = {document: n % folds for n, document in enumerate(dict.fromkeys(of.values()))}
    return [i for i in ids if numbers[of[i]] == fold]


def divide(treebank: str) -> list[tuple[str, str]]:
    """RETURNS (List[Tuple[str, str]]): The sentences of a CoNLL-U file as they stand there, and the document of each."""
    found = []
    for block in treebank.replace("\r\n", "\n").split("\n\n"):
        ids = [line.partition("=")[2].strip() for line in block.split("\n") if "sent_id" in line]
        if block.strip():
            found.append((document_id(ids[0]) if ids else "", block.strip("\n")))
    return found


app = typer.Typer(add_completion=False)


@app.command()
def main(
    treebank: Path = typer.Argument(..., help="The treebank, in CoNLL-U", exists=True),
    ids: Path = typer.Argument(..., help="The list of passages or sentences", exists=True),
    output: Path = typer.Argument(..., help="Directory to write to"),
    fold: int = typer.Option(0, min=0, help="Which of the folds is left out"),
    folds: int = typer.Option(2, min=2, help="How many there are"),
) -> None:
    if fold >= folds:
        raise SystemExit(f"There is no fold {fold} of {folds}: they are counted from 0 on.")
    sentences = divide(treebank.read_text("utf8"))
    documents = {document for document, _ in sentences}
    try:
        left_out = fold_of(read_sentence_ids(ids), documents, fold, folds)
    except UccaError as err:
        raise SystemExit(str(err)) from None
    without = {i if i in documents else i.rpartition("-")[0] for i in left_out}
    kept = [block for document, block in sentences if document not in without]
    if len(kept) == len(sentences):
        raise SystemExit(
            f"Nothing that {ids} lists is in {treebank}: is it another treebank's list?"
        )
    output.mkdir(parents=True, exist_ok=True)
    (output / "treebank.conllu").write_text("\n\n".join(kept) + "\n\n", "utf8")
    (output / "left-out.txt").write_text("".join(f"{i}\n" for i in left_out), "utf8")
    print(
        f"{output}: {len(kept)} sentences of {len(sentences)}, without {len(left_out)} of the list."
    )


if __name__ == "__main__":
    app()
