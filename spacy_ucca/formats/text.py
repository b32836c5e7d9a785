"""Text files, line by line: what every reader of a format of lines opens its files with."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ..errors import Errors, FormatError

__all__ = ["open_lines"]


@contextmanager
def open_lines(path: str | Path) -> Iterator[TextIO]:
    """Open a file of UTF-8, with or without a mark at its beginning.

    path (Union[str, Path]): The file.
    YIELDS (TextIO): Its lines.
    RAISES (FormatError): If it cannot be opened or, while it is read, turns out not to be UTF-8.
    """
    try:
        with open(path, encoding="utf-8-sig") as lines:
            yield lines
    except OSError as err:
        raise FormatError(Errors.UC117.format(where=path, reason=err.strerror or err)) from None
    except UnicodeDecodeError as err:
        raise FormatError(Errors.UC117.format(where=path, reason=f"not UTF-8: {err}")) from None
