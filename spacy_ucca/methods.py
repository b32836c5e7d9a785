"""What is imported when it is first called: methods of `Graph` and `Unit` that rooms below `graph` have (pictures, formats, tables),
and packages that not everybody has."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from .errors import Errors, UccaError

_METHODS: dict[str, str] = {}


def register_methods(**places: str) -> None:
    """Say where methods of graphs are.

    **places (str): "module:function", by the name of the method. The module is imported at the first call.
    """
    _METHODS.update(places)


def registered(method: str) -> Callable[..., Any]:
    """RETURNS (Callable): The function of a registered method."""
    module, _, function = _METHODS[method].partition(":")
    return getattr(import_module(module), function)


def load_package(name: str, install: str = "pip install 'spacy-ucca[data]'") -> Any:
    """Import a package that not everybody has.

    name (str): Such as "networkx", or a module of one.
    install (str): What installs it.
    RETURNS (module): The package.
    RAISES (UccaError): If it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise UccaError(Errors.UC570.format(package=package, install=install)) from None
