"""What is no Doc is refused, with what to give in place of it."""

from collections.abc import Iterable
from typing import Any

from spacy.tokens import Doc, Span

from ..errors import Errors, UccaError


def require_doc(doc: Any) -> None:
    """RAISES (UccaError): If something is no Doc."""
    if isinstance(doc, Span):
        raise UccaError(Errors.UC685)
    if not isinstance(doc, Doc):
        raise UccaError(Errors.UC684.format(type=type(doc).__name__))


def require_docs(docs: Iterable[Doc]) -> Iterable[Doc]:
    """RETURNS (Iterable[Doc]): The Docs.
    RAISES (UccaError): If they are one Doc, or none."""
    if isinstance(docs, Doc | Span | str) or not isinstance(docs, Iterable):
        raise UccaError(Errors.UC692.format(type=type(docs).__name__))
    return docs
