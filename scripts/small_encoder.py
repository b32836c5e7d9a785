"""Take a small encoder out of the encoder of a larger pipeline: some of its layers, and the pieces of one language.

    python scripts/small_encoder.py xx_ucca_trf OUTPUT --lang de --layers 1,3,5 TEXTS.spacy...

OUTPUT is a pipeline with the component `encoder`, to source it from. Pieces are kept that the texts have, and all letters of
Latin, Greek and Cyrillic: no word of these is without pieces.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import spacy
import typer
from spacy.tokens import Doc

from spacy_ucca.cli._pipelines import load_pipeline
from spacy_ucca.cli._util import first_names, user_errors
from spacy_ucca.encoder.batch import pieces_of
from spacy_ucca.encoder.component import UccaEncoder
from spacy_ucca.encoder.layers import layer_prefix
from spacy_ucca.encoder.model import Encoder
from spacy_ucca.encoder.pieces import SPACE, Pieces
from spacy_ucca.encoder.rows import BlockRows
from spacy_ucca.errors import UccaError
from spacy_ucca.training.corpus import find_docbins, read_docs

OTHER_ALPHABETS = "\u0530"  # Latin, Greek and Cyrillic letters come before
NAME = "encoder"


def count_pieces(docs: Iterable[Doc], pieces: Pieces) -> Counter[int]:
    """RETURNS (Counter[int]): How often each piece is in the texts."""
    found: Counter[int] = Counter()
    for doc in docs:
        for of_tokens in pieces_of(doc, pieces):
            found.update(chain.from_iterable(of_tokens))
    return found


def shrink(encoder: Encoder, layers: list[int], kept: list[int]) -> None:
    """Leave layers and pieces out.

    encoder (Encoder): The encoder, which is changed.
    layers (List[int]): The layers that are kept, in order.
    kept (List[int]): The pieces that are kept.
    """
    old = encoder.pieces
    numbers = {piece: number for number, piece in enumerate(kept)}
    encoder.pieces = Pieces(
        old.kind,
        [old.pieces[i] for i in kept],
        [old.scores[i] for i in kept] if old.scores else (),
        begin=numbers[old.begin],
        end=numbers[old.end],
        unknown=numbers[old.unknown],
        lower=old.lower,
    )
    encoder.rows = BlockRows(encoder.rows.scales[kept], encoder.rows.values[kept])
    weights = {name: w for name, w in encoder.weights.items() if name.startswith("embeddings.")}
    for new, layer in enumerate(layers):
        prefix = layer_prefix(layer)
        for name, values in encoder.weights.items():
            if name.startswith(prefix):
                weights[layer_prefix(new) + name.removeprefix(prefix)] = values
    encoder.weights = weights


def parse_layers(text: str, n: int) -> list[int]:
    """RETURNS (List[int]): The numbers of "1,3,5", each less than n.
    RAISES (BadParameter): If there is something else."""
    numbers = [int(part) for part in text.split(",") if part.strip().isdecimal()]
    if len(numbers) <= text.count(",") or max(numbers) >= n:
        message = f"'{text}'. Give numbers from 0 to {n - 1}, the layers there are, with commas."
        raise typer.BadParameter(message, param_hint="--layers")
    return numbers


app = typer.Typer(add_completion=False)


@app.command()
@user_errors()
def main(
    pipeline: str = typer.Argument(..., help="Pipeline with the component `encoder`"),
    output: Path = typer.Argument(..., help="Directory to write to", file_okay=False),
    texts: list[Path] = typer.Argument(..., help=".spacy files, or directories of them"),
    lang: str = typer.Option(..., help="Language of the texts"),
    layers: str = typer.Option("1,3,5", help="Numbers of the layers to keep"),
    frozen: int = typer.Option(0, min=0, help="How many of these training leaves as they are"),
    least: int = typer.Option(3, min=1, help="How often a piece is in the texts at least"),
    most: int = typer.Option(16_000, min=1, help="How many pieces of the texts at most"),
) -> None:
    files = [file for path in texts for file in find_docbins(path)]
    large = load_pipeline(pipeline, lang=lang)
    teacher = dict(large.components).get(NAME)
    if not isinstance(teacher, UccaEncoder):
        message = f"{pipeline} has no `ucca_encoder` named `{NAME}`. Take models/xx_ucca_trf."
        raise typer.BadParameter(message, param_hint="PIPELINE")
    chosen = parse_layers(layers, teacher.model.attrs["n_layers"])
    if frozen > len(chosen):
        message = f"{frozen} is more than {len(chosen)}, the number of --layers."
        raise typer.BadParameter(message, param_hint="--frozen")
    config = {**large.get_pipe_config(NAME)["model"], "n_layers": len(chosen), "n_frozen": frozen}
    nlp = spacy.blank(lang)
    component = nlp.add_pipe("ucca_encoder", name=NAME, config={"model": {**config, "source": ""}})
    (encoder,) = teacher.model.shims
    docs = (doc for file in files for doc in read_docs(file, nlp.vocab))
    counts = count_pieces(docs, encoder.pieces)
    if not counts:
        where = first_names([*map(str, texts)])
        raise UccaError(f"{where}: no words. Give texts, such as scripts/plain_texts.py writes.")
    kept = {number for number, count in counts.most_common(most) if count >= least}
    kept |= {encoder.pieces.begin, encoder.pieces.end, encoder.pieces.unknown}
    for number, piece in enumerate(encoder.pieces.pieces):
        letter = piece.removeprefix(SPACE)
        if len(letter) <= 1 and letter < OTHER_ALPHABETS:
            kept.add(number)
    shrink(encoder, chosen, sorted(kept))
    component.model.shims[:] = [encoder]
    component.model.set_dim("nO", encoder.shape.width)
    output.mkdir(parents=True, exist_ok=True)
    nlp.to_disk(output)
    of = f"{len(kept)} pieces: those of the texts, and all letters"
    print(f"{output}: {len(chosen)} layers, {of}.")


if __name__ == "__main__":
    app()
