"""Parse Docs so that one that fails costs no other."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


def parse_each(
    nlp: "Language", docs: "Iterable[Doc | Exception]", *, batch_size: int | None = None
) -> "Iterator[Doc | Exception]":
    """Parse Docs with a pipeline. Where a batch fails, its Docs are parsed again one by one. Error handlers of the pipeline stay
    as they are, so several threads can use it.

    nlp (Language): The pipeline.
    docs (Iterable[Union[Doc, Exception]]): The Docs; in place of one may be an error, the reason why there is none.
    batch_size (Optional[int]): The number of Docs in a batch; None: that of the pipeline.
    YIELDS (Union[Doc, Exception]): For each Doc that Doc or another one, parsed, or why it cannot be.
    """
    from spacy.util import minibatch

    size = batch_size or nlp.batch_size
    for batch in minibatch(docs, size):
        good = [(doc, i) for i, doc in enumerate(batch) if not isinstance(doc, Exception)]
        parsed: dict[int, Doc] = {}
        with suppress(Exception):  # what has come out before it is good
            for doc, i in nlp.pipe(good, as_tuples=True, batch_size=size):
                parsed[i] = doc
        for i, doc in enumerate(batch):
            # A handler of the user's may have left one out
            yield parsed[i] if i in parsed else _parse_alone(nlp, doc)


def pipeline_columns(nlp: "Language") -> dict[str, str]:
    """RETURNS (Dict[str, str]): What the columns of a row say of the pipeline."""
    name = f"{nlp.meta['lang']}_{nlp.meta['name']}"
    return {"pipeline": name, "pipeline_version": nlp.meta["version"]}


def _parse_alone(nlp: "Language", doc: "Doc | Exception") -> "Doc | Exception":
    """RETURNS (Union[Doc, Exception]): A Doc with which components may have begun, parsed, or why it cannot be."""
    try:
        return doc if isinstance(doc, Exception) else nlp(_fresh(doc))
    except Exception as err:
        return err


def _fresh(doc: "Doc") -> "Doc":
    """RETURNS (Doc): A Doc with what it had when it was made."""
    make: Any = type(doc)
    return make(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=[token.is_sent_start for token in doc],
        user_data=dict(doc.user_data),
    )
