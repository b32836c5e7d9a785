"""Shared by all commands: messages on standard error, bad files, progress, finding input.

This file imports neither spaCy nor Thinc nor the parser, so that `--help` and mistakes are answered at once.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path
from shutil import get_terminal_size
from threading import Timer
from typing import IO, Any, TextIO, TypeVar
from weakref import WeakSet

import typer

from ..errors import Errors, UccaError
from ..files import open_whole

STDIN = "-"
T = TypeVar("T")
V = TypeVar("V")

MAX_NAMED = 5  # names in a message
DELAY = 2.0  # seconds until progress is shown
_bars: WeakSet[Any] = WeakSet()


class BadFiles:
    """The files, or parts of files, that a command could not use. Each is named at once; all are counted at the end.

    show (bool): Whether to name them; a process that works for another one leaves that to it.
    """

    def __init__(self, *, show: bool = True) -> None:
        self.show = show
        self.reasons: list[tuple[object, str]] = []
        self.left_out = 0  # sentences of files that could be used, because of an error

    @property
    def files(self) -> list[str]:
        """RETURNS (List[str]): Their names."""
        return [str(path) for path, _ in self.reasons]

    def add(self, path: object, reason: object) -> None:
        """Report a skipped file and the reason."""
        text = str((isinstance(reason, OSError) and reason.strerror) or reason)
        self.reasons.append((path, text))
        if self.show:
            warn(f"Skipped {text}" if str(path) in text else f"Skipped {path}: {text}")

    def finish(self) -> None:
        """Report how many were skipped.

        RAISES (Exit): With 1, if there were any, or a sentence was left out because of an error.
        """
        if self.files:
            warn(f"{len(self.files)} skipped, as named above.")
        if self.files or self.left_out:
            raise typer.Exit(1)


def keep_standard_streams() -> None:
    """Take the places of standard streams that are closed, so that no file gets their numbers; give characters that
    standard output has not as codes."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def standard_input() -> Any:
    """RETURNS (BinaryIO): Standard input, as bytes: texts are UTF-8, whatever the terminal is set to.
    RAISES (UccaError): If it is closed."""
    if sys.stdin is None or sys.stdin.closed:
        raise UccaError(Errors.UC521)
    if isinstance(sys.stdin, TextIOWrapper):
        return sys.stdin.buffer
    return BytesIO(sys.stdin.read().encode("utf8", "surrogatepass"))  # it was replaced by text


def read_text(path: Path) -> str:
    """RETURNS (str): The text of a file or, for "-", of standard input.
    RAISES (UccaError): If it is not in UTF-8."""
    data = standard_input().read() if str(path) == STDIN else path.read_bytes()
    try:
        return decode(data)
    except UccaError as err:
        raise UccaError(f"{path}: {err}") from None


def decode(data: bytes, *, as_is: bool = False) -> str:
    """RETURNS (str): Text in UTF-8. Ends of lines are "\\n", unless it is taken as it is, which keeps offsets.
    RAISES (UccaError): If it is not: other bytes, or the zero bytes of UTF-16 and of files that are no texts."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise UccaError(Errors.UC507.format(reason=err.reason, position=err.start)) from None
    if "\0" in text:
        position = data.index(0)
        raise UccaError(Errors.UC507.format(reason="zero byte", position=position))
    return text if as_is else text.replace("\r\n", "\n").replace("\r", "\n")


def standard_output(*, text: bool = False) -> TextIO:
    """RETURNS (TextIO): Standard output: in UTF-8, as files are, or, for a text to be read there, as the terminal is.
    RAISES (UccaError): If it is closed."""
    stream = sys.stdout
    if stream is None or stream.closed:
        raise UccaError(Errors.UC523)
    if isinstance(stream, TextIOWrapper) and not text:
        stream.reconfigure(encoding="utf8", newline="\n")
    return stream


def printable(text: str) -> str:
    """RETURNS (str): Text that UTF-8 can hold: bytes of names of files that are no UTF-8 are given as codes, such as \\udcff, as
    JSON does."""
    return text.encode("utf8", "backslashreplace").decode("utf8")


def shows_color(stream: TextIO) -> bool:
    """RETURNS (bool): Whether to colour what a stream gets: if it is a terminal, unless NO_COLOR or FORCE_COLOR is set."""
    if os.environ.get("NO_COLOR"):
        return False
    is_terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal


def tree_options(stream: TextIO) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): How `render_tree` draws for a stream: by its colours, encoding and width."""
    try:
        "├└│─→⏎".encode(stream.encoding or "utf8")
        ascii = False
    except (UnicodeEncodeError, LookupError):
        ascii = True
    width = get_terminal_size().columns if stream.isatty() else None
    return {"color": shows_color(stream), "ascii": ascii, "width": width}


def clear_bars() -> None:
    """Take progress bars off the terminal, so that a line can be written there; they come back with the next step."""
    for bar in _bars:
        if not bar.disable and not bar.delay:
            bar.clear()


def warn(message: str) -> None:
    """Print a message on standard error, between progress bars."""
    clear_bars()
    typer.echo(message, err=True)


@contextmanager
def user_errors() -> Iterator[None]:
    """End the command with a message and exit code 1, without a traceback, if the user made a mistake."""
    try:
        yield
    except UccaError as err:
        warn(f"Error: {err}")
        raise typer.Exit(1) from None
    except BrokenPipeError:
        raise
    except IsADirectoryError as err:
        warn(f"Error: {Errors.UC585.format(path=err.filename)}")
        raise typer.Exit(1) from None
    except OSError as err:
        name = f"{err.filename}: " if err.filename else ""
        warn(f"Error: {name}{err.strerror or err}")
        raise typer.Exit(1) from None


def progress(
    items: Iterable[T], *, total: int | None = None, show: bool | None = None, unit: str = "file"
) -> Iterable[T]:
    """Show the progress of a loop on standard error, with the rate and, if the number of items is known, the time that is left. What
    takes less than two seconds shows none.

    items (Iterable): The items of the loop.
    total (Optional[int]): Their number, if known; that of a sequence is.
    show (Optional[bool]): Whether to show it, from the beginning; only on a terminal if it is None.
    unit (str): The name of one item.
    RETURNS (Iterable): The items.
    """
    return _bar(items, total, show, unit)


def track(
    files: Sequence[T], read: Callable[[Iterable[T]], Iterable[V]], show: bool | None, unit: str
) -> Iterable[V]:
    """Show the progress of what is read of files: of several by files, whose number is known; of one by what is in it.

    files (Sequence): The files.
    read (Callable): Gives what is in files.
    show (Optional[bool]), unit (str): See `progress`.
    RETURNS (Iterable): What is in them.
    """
    if len(files) > 1:
        return read(progress(files, show=show))
    return progress(read(files), show=show, unit=unit)


def _bar(items: Iterable[Any] | None, total: int | None, show: bool | None, unit: str) -> Any:
    from tqdm import tqdm

    hidden = True if sys.stderr is None else None if show is None else not show
    options = {"unit": unit, "file": sys.stderr, "leave": False, "dynamic_ncols": True}
    bar = tqdm(items, total=total, disable=hidden, delay=0 if show else DELAY, **options)
    _bars.add(bar)
    if not bar.disable and not show:
        timer = Timer(DELAY, _begin, [bar])
        timer.daemon = True
        timer.start()
    return bar


def _begin(bar: Any) -> None:
    """Show a bar, though its first step may take long."""
    bar.delay = 0
    bar.refresh()


@contextmanager
def progress_bar(
    *, show: bool | None = None, unit: str = "passage"
) -> Iterator[Callable[[int, int | None], None]]:
    """Show a progress bar. The context gives a function that takes the number of steps done, and of all steps."""
    with _bar(None, None, show, unit) as bar:

        def advance(done: int, total: int | None) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield advance


def first_names(names: list[str], most: int = MAX_NAMED) -> str:
    """RETURNS (str): The first of some names, for a message."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def name_some(what: str, names: list[str], where: str, result: str) -> None:
    """Name what a command found and cannot use, if there is something, and say what becomes of it."""
    if names:
        warn(f"{what}: {len(names)} {where} ({first_names(names)}). {result}")


def read_each(
    files: Iterable[Path], read: Callable[[Path], T], bad: BadFiles
) -> Iterator[tuple[Path, T]]:
    """Read files one by one. Files that cannot be read are named and left out.

    files (Iterable[Path]): The files.
    read (Callable): Reads a file.
    bad (BadFiles): Collects the files that cannot be read.
    YIELDS (Tuple[Path, T]): A file and its content.
    """
    for path in files:
        try:
            value = read(path)
        except (UccaError, OSError) as err:
            bad.add(path, err)
            continue
        yield path, value


def file_or_stream(output: Path | None) -> Path | None:
    """RETURNS (Optional[Path]): An output; None, which is standard output, if it is "-"."""
    return None if output is None or str(output) == STDIN else output


def exists(path: Path) -> bool:
    """RETURNS (bool): Whether there is a file or directory; not, if its name is longer than one can be."""
    try:
        return path.exists()
    except OSError:
        return False


def check_name(option: str, name: str, names: Iterable[str]) -> None:
    """RAISES (BadParameter): If the value of an option is none of some names."""
    if name not in (known := list(names)):
        message = f"'{name}' is no format. Use one of: {', '.join(known)}."
        raise typer.BadParameter(message, param_hint=option)


def refuse_options(given: dict[str, Any], reason: str) -> None:
    """RAISES (BadParameter): If one of these options has a value."""
    for option in (option for option, value in given.items() if value):
        raise typer.BadParameter(reason, param_hint=option)


def make_directory(path: Path) -> None:
    """Make the directory for output.

    RAISES (UccaError): If a file of that name exists, or the directory cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise UccaError(Errors.UC504.format(path=path, reason=err.strerror or err)) from None


@contextmanager
def open_for_writing(output: Path | None) -> Iterator[IO[str]]:
    """Open what a command writes: a file, whole or not at all, whose directory is made; without one, or for "-", standard output."""
    if output is None or str(output) == STDIN:
        yield standard_output()
        return
    make_directory(output.parent)
    with open_whole(output) as file:
        yield file


def percent(value: float | None) -> str:
    """RETURNS (str): A score in percent, with one decimal; "-" where there was nothing to score."""
    return "-" if value is None else f"{100 * value:.1f}"


def prf_cells(p: float | None, r: float | None, f: float | None) -> list[str]:
    """RETURNS (List[str]): Precision, recall and F1 in percent. The metric has precision 1 where nothing was predicted, and recall 1
    where the gold graphs have nothing: there is "-" for these."""
    return [*map(percent, (None if (p, r) == (1, 0) else p, None if (p, r) == (0, 1) else r, f))]


def write_figures(text: str, data: Any, path: Path | None) -> None:
    """Print figures as a text, and write them to a JSON file, if there is one: "-" is standard output, without the text."""
    if str(path) != STDIN:
        typer.echo(text)
    write_json(path, data)


def write_json(path: Path | None, data: Any) -> None:
    """Write figures to a JSON file, unless the path is None; "-" is standard output."""
    if path is not None:
        with open_for_writing(path) as file:
            file.write(printable(json.dumps(data, indent=2, ensure_ascii=False)) + "\n")


def table(rows: list[list[str]], align: str) -> str:
    """RETURNS (str): Rows of cells as aligned lines. `align` has "<" or ">" for each column."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(align))]
    lines = (
        "  ".join(
            cell.ljust(w) if a == "<" else cell.rjust(w)
            for cell, w, a in zip(row, widths, align, strict=True)
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)
