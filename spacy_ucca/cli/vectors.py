"""`spacy-ucca vectors`: make static word vectors with a transformer, for `paths.vectors`."""

from pathlib import Path

import typer

from ..files import check_pipeline_directory, replace_directory
from ._command import Show, app
from ._util import exists, make_directory, progress, warn


@app.command("vectors")
def vectors(
    transformer: str = typer.Argument(
        ..., help="Pretrained model for `transformers`: its name or directory"
    ),
    paths: list[Path] = typer.Argument(
        ...,
        metavar="TEXTS... OUTPUT",
        help=".spacy files or directories of them, whose sentences show words in context; then the directory "
        "for the pipeline with the vectors",
    ),
    lang: str = typer.Option("en", "--lang", "-l", help="Language of the pipeline"),
    width: int = typer.Option(300, "--width", "-w", min=1, help="Width of the vectors"),
    n_words: int = typer.Option(
        30000, "--words", "-n", min=0, help="Number of words, the most frequent first; 0: all"
    ),
    layers: str = typer.Option(
        "0,2,3", "--layers", help="Layers of the transformer; 0 is its input embeddings"
    ),
    show: Show = None,
) -> None:
    """Make static word vectors with a transformer.

    The words are those of the texts, in lower case, and those that the transformer's tokenizer has as one piece. The
    output is a pipeline as `spacy init vectors` writes it: set `paths.vectors` to its directory.
    """
    *texts, output = paths
    if not texts:
        raise typer.BadParameter("Give the texts and the output.", param_hint="TEXTS... OUTPUT")
    for path in texts:
        if not exists(path):
            raise typer.BadParameter(f"'{path}' does not exist.", param_hint="TEXTS...")
    try:
        numbers = [int(layer) for layer in layers.split(",")]
    except ValueError:
        raise typer.BadParameter(f"'{layers}' are not numbers.", param_hint="--layers") from None
    check_pipeline_directory(output, texts)
    make_directory(output)
    import spacy
    from spacy.vectors import Vectors

    from ..training.corpus import find_docbins, read_sentences
    from ..training.word_vectors import WordEncoder, compute_word_vectors

    files = [file for path in texts for file in find_docbins(path)]
    encoder = WordEncoder(transformer, numbers)
    nlp = spacy.blank(lang)
    sentences = (sentence for file in files for sentence in read_sentences(file))
    made = compute_word_vectors(
        encoder,
        progress(sentences, show=show, unit="sentence"),
        encoder.whole_words,
        width=width,
        n_words=n_words,
    )
    nlp.vocab.vectors = Vectors(
        strings=nlp.vocab.strings,
        data=made.vectors,
        keys=made.words,
        name=f"{lang}_ucca.vectors",
    )
    # spaCy 3.8 does not store `Vectors.attr` for vectors of this mode, so the usual forms share a row instead.
    for row, word in enumerate(made.words):
        for form in (word[:1].upper() + word[1:], word.upper()):
            if form not in nlp.vocab.vectors:
                nlp.vocab.vectors.add(form, row=row)
    nlp.meta["vectors"]["name"] = nlp.vocab.vectors.name
    with replace_directory(output) as directory:
        nlp.to_disk(directory)
    n, size = nlp.vocab.vectors.shape
    warn(f"{output}: {n} words, {size} wide.")
