"""Register `Doc._.ucca` and its kin with spaCy, which importing the package does.

spaCy imports this in every process of a user who has the package installed, so nothing of ours is imported here: an
accessor imports what it needs when it is first used.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from spacy.tokens import Doc, Span, Token

if TYPE_CHECKING:
    from ..graph import Graph, Unit

# Owner, name of the extension, getter, setter
Accessor = tuple[Any, str, Callable, Callable]


def register_extensions() -> None:
    """Register the `ucca` extension of Doc, Span and Token, as `import spacy_ucca` does.
    Calling it again changes nothing; what another package registered by that name stays, with a
    warning."""
    register_accessors(
        [
            (Doc, "ucca", _get_graph, _set_graph),
            (Doc, "ucca_guidelines", _get_guidelines, _set_guidelines),
            (Doc, "ucca_punct", _get_punct, _set_punct),
            (Span, "ucca", _get_span_unit, _refuse),
            (Token, "ucca", _get_token_unit, _refuse),
            (Token, "ucca_label", _get_token_label, _refuse),
            (Token, "ucca_scene", _get_token_scene, _refuse),
        ],
        "UW201",
    )


def register_accessors(accessors: Sequence[Accessor], warning: str) -> None:
    """Register extensions with a getter and a setter each.

    accessors (Sequence[Tuple[type, str, Callable, Callable]]): Owner, name, getter and setter of each.
    warning (str): The code of the warning for a name that another package has taken; its extension stays.
    """
    for owner, name, getter, setter in accessors:
        if not owner.has_extension(name):
            owner.set_extension(name, getter=getter, setter=setter)
        elif not _is_same(owner.get_extension(name)[2], getter):
            from ..errors import Warnings

            text = getattr(Warnings, warning)
            warnings.warn(text.format(owner=owner.__name__, name=name), stacklevel=3)


def _is_same(getter: Any, ours: Callable) -> bool:
    """RETURNS (bool): Whether a getter is ours, perhaps from before a reload of this module."""
    names = [
        (getattr(f, "__module__", None), getattr(f, "__qualname__", None)) for f in (getter, ours)
    ]
    return names[0] == names[1]


def _get_graph(doc: Doc) -> "Graph | None":
    from .extension import get_graph

    return get_graph(doc)


def _set_graph(doc: Doc, graph: Any) -> None:
    from .extension import set_graph

    set_graph(doc, graph)


def _get_guidelines(doc: Doc) -> str:
    from .extension import get_guidelines

    return get_guidelines(doc)


def _set_guidelines(doc: Doc, name: str) -> None:
    from .extension import set_guidelines

    set_guidelines(doc, name)


def _get_punct(doc: Doc) -> tuple[bool, ...] | None:
    from .extension import get_punct

    return get_punct(doc)


def _set_punct(doc: Doc, flags: Sequence[bool] | None) -> None:
    from .extension import set_punct

    set_punct(doc, flags)


def _get_span_unit(span: Span) -> "Unit | None":
    from .extension import get_span_unit

    return get_span_unit(span)


def _get_token_unit(token: Token) -> "Unit | None":
    from .extension import get_token_unit

    return get_token_unit(token)


def _get_token_label(token: Token) -> str:
    from .plain import get_token_label

    return get_token_label(token)


def _get_token_scene(token: Token) -> int:
    from .plain import get_token_scene

    return get_token_scene(token)


def _refuse(view: Span | Token, value: Any) -> None:
    from ..errors import Errors, UccaError

    raise UccaError(Errors.UC205.format(owner=type(view).__name__))
