"""Register `Doc._.ucca` and its kin, and `Doc._.sdp`, with spaCy, which importing the package does.

spaCy imports this in every process of a user who has the package installed, so nothing of ours is imported here: an
accessor imports what it needs when it is first used.
"""

import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from spacy.tokens import Doc, Span, Token

from .example_dict import accept_graphs


def register_extensions() -> None:
    """Register the `ucca` extensions of Doc, Span and Token, and `Doc._.sdp`, and have `Example.from_dict` take "ucca", as
    `import spacy_ucca` does. Calling it again changes nothing; what another package registered by that name stays, with a
    warning."""
    for module, name, function in (
        ("tokens.extension", "ucca", "graph"),
        ("tokens.extension", "ucca_guidelines", "guidelines"),
        ("tokens.extension", "ucca_punct", "punct"),
        ("tokens.language", "ucca_lang", "lang"),
        ("sdp_parser.extension", "sdp", "sdp"),
    ):
        _register(Doc, name, _late(module, f"get_{function}"), _late(module, f"set_{function}"))
    _register(Span, "ucca", _late("tokens.extension", "get_span_unit"), _refuse)
    _register(Token, "ucca", _late("tokens.extension", "get_token_unit"), _refuse)
    _register(Token, "ucca_label", _late("tokens.views", "get_token_label"), _refuse)
    _register(Token, "ucca_scene", _late("tokens.views", "get_token_scene"), _refuse)
    accept_graphs()


def _register(owner: Any, name: str, getter: "partial[Any]", setter: Callable) -> None:
    if not owner.has_extension(name):
        owner.set_extension(name, getter=getter, setter=setter)
    elif getattr(owner.get_extension(name)[2], "args", None) != getter.args:
        from ..errors import Warnings

        message = Warnings.UW201.format(owner=owner.__name__, name=name)
        warnings.warn(message, stacklevel=3)


def _late(module: str, function: str) -> "partial[Any]":
    """RETURNS (Callable): A function of the package, whose module is imported when it is called."""
    return partial(_call, f"{__package__.partition('.')[0]}.{module}", function)


def _call(module: str, function: str, *args: Any) -> Any:
    return getattr(import_module(module), function)(*args)


def _refuse(view: Span | Token, value: Any) -> None:
    from ..errors import Errors, UccaError

    raise UccaError(Errors.UC205.format(owner=type(view).__name__))
