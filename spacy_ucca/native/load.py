"""Chooses how the loop over states runs: compiled, or the same sources as plain Python.

`setup.py` compiles the modules of `NAMES` to `_state` and so on and writes the checksum of their sources into them:
what was compiled from other sources is not used, so that nobody runs old code.
"""

import os
import warnings
import zlib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Warnings

if TYPE_CHECKING:
    from . import greedy, kernels, rows, state, tree_walk

NAMES = ("state", "kernels", "tree_walk", "rows", "greedy")


def compiled() -> bool:
    """RETURNS (bool): Whether the loop over states runs compiled. The environment variable
    `SPACY_UCCA_PURE=1`, set before the first import, makes it run as plain Python."""
    return state.__name__.endswith("._state")


def checksum(name: str) -> int | None:
    """RETURNS (Optional[int]): That of the sources of a module; None if they are not there. The C types of State are
    part of it: modules compiled for others would read its lists in the wrong places."""
    folder = Path(__file__).parent
    try:
        parts = [
            (folder / part).read_bytes() for part in (name + ".py", name + ".pxd", "state.pxd")
        ]
    except OSError:
        return None
    return zlib.crc32(b"".join(parts).replace(b"\r\n", b"\n"))


def _load() -> list[Any]:
    """RETURNS (List[module]): The modules of `NAMES`: all compiled, or all plain."""
    if os.environ.get("SPACY_UCCA_PURE", "0") in ("", "0"):
        try:
            found = [import_module(f"{__package__}._{name}") for name in NAMES]
        except (ImportError, TypeError, ValueError):  # the last two: C types of another State
            found = []
        # An editable installation finds modules of its own folder for any copy of the package.
        here = Path(__file__).parent
        if found and all(Path(str(module.__file__)).parent == here for module in found):
            if all(checksum(name) in (None, module.SOURCE) for name, module in zip(NAMES, found)):
                return found
            warnings.warn(Warnings.UW303, stacklevel=2)
    return [import_module(f"{__package__}.{name}") for name in NAMES]


if not TYPE_CHECKING:
    state, kernels, tree_walk, rows, greedy = _load()

# For code that asks often
COMPILED = compiled()
