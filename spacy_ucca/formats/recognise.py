"""Tell what a file is: by its suffix and, where formats share one or none has it, by its content. All commands ask here:
what to read, and whether an output is a file, of which format, or a directory.
"""

import json
import re
from itertools import pairwise, takewhile
from pathlib import Path

from ..errors import Errors, FormatError
from ..files.outputs import STREAM
from .registry import FORMATS, READABLE, Format
from .text import is_blank

TEXT_SUFFIX = ".txt"  # of any text: only what looks like a format is one
TEXT, JSON = "text", "json"  # what `parse` reads beside formats of graphs
HEAD = 65536  # bytes that are enough to tell what a file is
_TEXT_SUFFIXES = (TEXT_SUFFIX, ".text", ".md", "")
_OF_JSON = ("jsonl", "uccaapp", "mrp")
_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson", ".mrp")
# Files that commands write beside those of formats
_OTHERS = (TEXT_SUFFIX, ".svg", ".png", ".pdf", ".html", ".json", ".spacy", ".parquet")
_OBJECT = re.compile(r'\s*\[?\s*\{\s*"[^"\n]*"\s*:')
_LIST = re.compile(r'\s*\[\s*[\["]')
_ELEMENT = re.compile(r"\s*<(\?xml|root)\b")
_SUFFIX = re.compile(r"\.[A-Za-z]{2,8}[0-9]?")
_TABLE = re.compile(r"1\t[^\t\n]+\t|-DOCSTART-\s")
_BRACKETS = re.compile(r"^\s*[\[{~]", re.MULTILINE)
_MARKUP = re.compile(r"\s*<(!doctype\s|html\b)", re.IGNORECASE)
_PACKED = (".gz", ".tgz", ".bz2", ".xz", ".zst", ".zip", ".tar", ".7z", ".rar")


def guess_format(path: str | Path, text: str) -> Format:
    """Tell what format a file of graphs has.

    path (Union[str, Path]): The file's name.
    text (str): Its content.
    RETURNS (Format): The format.
    RAISES (FormatError): If it cannot be told, or the file has texts without graphs.
    """
    suffix = suffix_of(path)
    named = [entry for entry in READABLE.values() if suffix in entry.suffixes]
    searched = {e: re.search(e.looks or "(?!)", text, re.M) for e in READABLE.values()}
    alike = {entry: match.start() for entry, match in searched.items() if match}
    candidates = [entry for entry in named if entry in alike]
    if not named or suffix == TEXT_SUFFIX:
        found = guess_content(text)
        if found in READABLE:
            return READABLE[found]
        candidates = [e for e in alike if found != JSON or e.name in _OF_JSON]
    if candidates:  # of several, the first line says it
        return min(candidates, key=alike.__getitem__)
    texts = suffix == ".mrp" and '"nodes"' not in text and _OBJECT.match(text)
    if len(named) == 1 and suffix != TEXT_SUFFIX and not texts:
        return named[0]  # its reader says best what is wrong with it
    if _OBJECT.match(text):
        raise FormatError(Errors.UC533.format(where=path))
    raise FormatError(Errors.UC714.format(where=path, names=", ".join(READABLE)))


def guess_input(path: str | Path, head: str) -> str:
    """Tell what a file to parse is.

    path (Union[str, Path]): The file's name; "-" for standard input.
    head (str): Its beginning.
    RETURNS (str): The name of a format, `TEXT`, or `JSON` for objects of which each has a text, words or a graph.
    RAISES (FormatError): If it is nothing that can be parsed.
    """
    suffix = "" if str(path) == "-" else suffix_of(path)
    if suffix in _JSON_SUFFIXES:
        return "uccaapp" if re.search(READABLE["uccaapp"].looks or "", head) else JSON
    named = [entry.name for entry in READABLE.values() if suffix in entry.suffixes]
    if named and suffix not in _TEXT_SUFFIXES:
        return named[0]
    check_packed(path)
    found = guess_content(head)
    if found is not None:
        return found
    if suffix not in _TEXT_SUFFIXES:
        raise FormatError(Errors.UC530.format(where=path, suffix=suffix))
    rows = [line for line in head.split("\n") if not is_blank(line)]
    if rows and _TABLE.match(rows[0]):
        raise FormatError(Errors.UC534.format(where=path))
    if _MARKUP.match(head):
        raise FormatError(Errors.UC544.format(where=path))
    return TEXT


def guess_content(head: str) -> str | None:
    """Tell what a text looks like, whatever its name.

    head (str): Its beginning.
    RETURNS (Optional[str]): The name of a format, `JSON`, or None if it may be prose.
    """
    if _OBJECT.match(head):
        return "uccaapp" if '"annotation_units"' in head else JSON
    if _LIST.match(head) and any(map(_is_list, (head, head.lstrip().partition("\n")[0]))):
        return JSON
    if _ELEMENT.match(head):
        return "xml"
    lines = [line for line in head.split("\n") if not is_blank(line)]
    rows = [line for line in lines if not re.match(r"#(?!BOS\s)", line)]
    row = rows[0] if rows else ""
    for name, line in (
        *(("export", row), ("sdp", row), ("penn", "\n".join(rows)), ("conllu", row)),
        *(("penman", line) for line in takewhile(lambda line: line.startswith("#"), lines)),
    ):
        if re.match(READABLE[name].looks or "", line):
            return "conll" if name == "conllu" and _has_rows_twice(rows) else name
    if not _BRACKETS.search(head):
        return None
    from .brackets_reader import looks_like_brackets

    return "brackets" if looks_like_brackets(head) else None


def check_packed(path: str | Path) -> None:
    """RAISES (FormatError): If a file is packed, by its name."""
    if Path(path).suffix.lower() in _PACKED:
        raise FormatError(Errors.UC543.format(where=path))


def _is_list(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list)
    except (ValueError, RecursionError):
        return False


def _has_rows_twice(rows: list[str]) -> bool:
    """RETURNS (bool): Whether a token has several rows, one for each head, as in CoNLL-X."""
    numbers = [row.partition("\t")[0] for row in rows]
    return any(a == b and a.isdecimal() for a, b in pairwise(numbers))


def suffix_of(path: str | Path) -> str:
    """RETURNS (str): The suffix of a file's name, in lower case; "" if its last dot begins none, as in "Wiki-1.2"."""
    suffix = Path(path).suffix.lower()
    return suffix if suffix in _suffixes() or _SUFFIX.fullmatch(suffix) else ""


def name_of(path: str | Path) -> str:
    """RETURNS (str): The name of a file without its suffix; "stdin" of standard input."""
    if str(path) == STREAM:
        return "stdin"
    return Path(path).stem if suffix_of(path) else Path(path).name


def is_directory(output: str | Path) -> bool:
    """Tell whether an output is a directory for files, by the one rule of all commands.

    output (Union[str, Path]): The output.
    RETURNS (bool): Whether it is a directory that exists, or is nothing yet and does not end like a file: with a dot and
        letters. The dots of "Wiki-1.2" and "run.v2" are no beginnings of suffixes.
    """
    output = Path(output)
    if output.exists():
        return output.is_dir()
    suffix = output.suffix
    return suffix.lower() not in _suffixes() and not _SUFFIX.fullmatch(suffix)


def guess_output(output: str | Path) -> str | None:
    """RETURNS (Optional[str]): The name of the format, "svg" or "parquet", that the name of an output file says: of formats with the same
    suffix the one that is called so, as `amr` and not `penman` by ".amr". None of a directory, and where nothing says which (.txt)."""
    suffix = Path(output).suffix.lower()
    if is_directory(output) or suffix == TEXT_SUFFIX:
        return None
    if suffix in (".svg", ".parquet"):
        return suffix[1:]
    named = [e.name for e in FORMATS.values() if e.writes and suffix in e.suffixes]
    return suffix[1:] if suffix[1:] in named else named[0] if len(named) == 1 else None


def check_output_suffix(output: str | Path, to: str) -> None:
    """RAISES (FormatError): If the name of an output file says another format than the one to write."""
    suffix = Path(output).suffix.lower()
    if is_directory(output) or suffix == TEXT_SUFFIX or suffix not in _suffixes():
        return
    own = FORMATS[to].suffixes if to in FORMATS else (f".{to}",)
    if suffix not in own:
        raise FormatError(Errors.UC531.format(path=output, to=to, suffix=own[0]))


def _suffixes() -> set[str]:
    return {*_OTHERS, *(suffix for entry in FORMATS.values() for suffix in entry.suffixes)}
