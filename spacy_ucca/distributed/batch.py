"""Parse a batch of Docs so that one that fails costs no other."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


def parse_batch(nlp: "Language", docs: "Sequence[Doc]", **options: Any) -> "list[Doc | Exception]":
    """Parse Docs with a pipeline. Those that fail in a batch are parsed again one by one.

    nlp (Language): The pipeline.
    docs (Sequence[Doc]): The Docs.
    options: Arguments of `nlp.pipe`.
    RETURNS (List[Union[Doc, Exception]]): For each Doc that Doc or another one, parsed, or why it cannot be.
    """
    parsed: dict[int, Doc] = {}
    handler = nlp.default_error_handler
    _set_error_handler(nlp, _skip)
    try:
        numbered = ((doc, i) for i, doc in enumerate(docs))
        for doc, i in nlp.pipe(numbered, as_tuples=True, **options):
            parsed[i] = doc
    except Exception:  # of a component that takes no handler
        pass
    finally:
        _set_error_handler(nlp, handler)
    return [parsed[i] if i in parsed else _parse_alone(nlp, doc) for i, doc in enumerate(docs)]


def _set_error_handler(nlp: "Language", handler: Any) -> None:
    """Set an error handler where it is possible. The `parser` and `ner` of spaCy 3.8 cannot have one: errors in them are
    raised.
    """
    nlp.default_error_handler = handler
    pipes: list[Any] = [pipe for _, pipe in nlp.pipeline]
    for pipe in pipes:
        with suppress(AttributeError):
            pipe.set_error_handler(handler)


def _skip(name: str, pipe: Any, docs: Any, error: Exception) -> None:
    """Leave out Docs that fail in a batch; an error handler."""


def _parse_alone(nlp: "Language", doc: "Doc") -> "Doc | Exception":
    from spacy.util import raise_error

    handler = nlp.default_error_handler
    _set_error_handler(nlp, raise_error)
    try:
        fresh = type(doc)(
            nlp.vocab,
            words=[token.text for token in doc],
            spaces=[bool(token.whitespace_) for token in doc],
            sent_starts=[token.is_sent_start for token in doc],
            user_data=dict(doc.user_data),
        )
        return nlp(fresh)
    except Exception as err:
        return err
    finally:
        _set_error_handler(nlp, handler)
