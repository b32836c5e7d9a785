"""The command line `spacy-ucca`. Each command has a file, with a function of its name that has its options, or `..._cli`, if
another function of that name does the work.
"""

import signal
import sys
import warnings
from typing import Any

from ._command import app
from ._util import keep_standard_streams

__all__ = ["app", "main"]


_format = warnings.formatwarning


def _format_warning(message: Any, category: Any, *place: Any, **more: Any) -> str:
    """RETURNS (str): What is printed of a warning: without the place in the code, if it is one of this package."""
    if str(message).startswith("[UW"):
        return f"Note: {message}\n"
    return _format(message, category, *place, **more)


def main() -> None:
    """Run the command line."""
    keep_standard_streams()
    # Files that are half-written are removed on the way out
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    warnings.formatwarning = _format_warning
    app(prog_name="spacy-ucca")
