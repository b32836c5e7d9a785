"""Methods of `Graph` and `Unit` that rooms below `graph` have: pictures, formats, tables. `graph` imports none of these."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_METHODS: dict[str, str] = {}


def register_methods(**places: str) -> None:
    """Say where methods of graphs are.

    **places (str): "module:function", by the name of the method. The module is imported at the first call.
    """
    _METHODS.update(places)


def registered(method: str) -> Callable[..., Any]:
    """RETURNS (Callable): The function of a registered method."""
    module, _, function = _METHODS[method].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
