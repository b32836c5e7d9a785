"""Register `Doc._.sdp` with spaCy, which importing the package does. Nothing is imported before it is used."""

from typing import TYPE_CHECKING

from spacy.tokens import Doc

from ..tokens.register import register_accessors

if TYPE_CHECKING:
    from ..conversion.graph import BilexicalGraph


def register_sdp() -> None:
    """Register `Doc._.sdp`, as `import spacy_ucca` does. Calling it again changes nothing; what another
    package registered by that name stays, with a warning."""
    register_accessors([(Doc, "sdp", _get_sdp, _set_sdp)], "UW870")


def _get_sdp(doc: Doc) -> "BilexicalGraph | None":
    from .extension import get_sdp

    return get_sdp(doc)


def _set_sdp(doc: Doc, graph: "BilexicalGraph | None") -> None:
    from .extension import set_sdp

    set_sdp(doc, graph)
