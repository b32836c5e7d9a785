"""Pairs of texts in a file, parsed in one pass, and the scores of each line and of all of them."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import Errors, FormatError, UccaError
from ..files import check_outputs, open_whole
from ._parse_jobs import decode
from ._util import (
    STDIN,
    exists,
    make_directory,
    percent,
    progress,
    standard_input,
    table,
    write_json,
)

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

PAIRS_HELP = "File of pairs: two texts a line and a tab between, or JSON lines with the keys {}"
LINES_HELP = "Write the scores of each line to this file: JSON lines if it ends in .jsonl, otherwise columns with tabs"
JSON_LINES = ".jsonl"


class TextPair(NamedTuple):
    """Two texts.

    line (int): The line that they are in.
    texts (Tuple[str, str]): The texts.
    """

    line: int
    texts: tuple[str, str]


def read_pairs(path: Path, keys: tuple[str, str]) -> list[TextPair]:
    """Read pairs of texts. Blank lines are left out, and so is a first line that has the keys as heads of its columns.

    path (Path): The file, or "-".
    keys (Tuple[str, str]): The keys of JSON lines.
    RETURNS (List[TextPair]): The pairs.
    RAISES (UccaError): If a line is no pair, with its number, or there is none.
    """
    data = standard_input().read() if str(path) == STDIN else path.read_bytes()
    try:
        text = decode(data)
    except UccaError as err:
        raise UccaError(f"{path}: {err}") from None
    is_json = text.lstrip()[:1] == "{"
    pairs: list[TextPair] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or (not pairs and tuple(line.lower().split("\t")) == keys):
            continue
        try:
            texts = _of_json(line, keys) if is_json else _of_columns(line)
        except ValueError as err:
            remedy = _remedy(is_json, keys)
            raise FormatError(
                Errors.UC670.format(path=path, line=number, reason=err, remedy=remedy)
            ) from None
        pairs.append(TextPair(number, texts))
    if not pairs:
        raise FormatError(Errors.UC671.format(path=path))
    return pairs


def _remedy(is_json: bool, keys: tuple[str, str]) -> str:
    if is_json:
        return f"Give an object with a text for '{keys[0]}' and one for '{keys[1]}'."
    return "Give two texts with one tab between them."


def _of_columns(line: str) -> tuple[str, str]:
    first, *others = line.split("\t")
    if len(others) != 1:
        raise ValueError(f"{len(others)} tabs")
    if not first.strip():
        raise ValueError("the first text is empty")
    return first.strip(), others[0].strip()


def _of_json(line: str, keys: tuple[str, str]) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as err:
        raise ValueError(f"no JSON ({err})") from None
    first, second = (_text_of(record, key) for key in keys)
    if not first.strip():
        raise ValueError(f"the text of '{keys[0]}' is empty")
    return first, second


def _text_of(record: object, key: str) -> str:
    text = record.get(key) if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise ValueError(f"no text for '{key}'")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError(f"half a character in '{key}'")
    return text


def parse_each(nlp: "Language", texts: Iterable[tuple[str, str]]) -> "Iterator[Doc]":
    """Parse texts in one pass.

    nlp (Language): A pipeline.
    texts (Iterable[Tuple[str, str]]): Texts, each with its place for messages.
    YIELDS (Doc): Their Docs.
    RAISES (UccaError): If a text is too long, or the pipeline sets no graphs.
    """

    def checked() -> Iterator[str]:
        for text, where in texts:
            if len(text) > nlp.max_length:
                n, most = len(text), nlp.max_length
                raise UccaError(Errors.UC672.format(where=where, n=n, most=most))
            yield text

    for doc in nlp.pipe(checked()):
        if doc._.ucca is None:
            raise UccaError(Errors.UC506)
        yield doc


def run_pairs(
    path: Path,
    model: str,
    keys: tuple[str, str],
    score: "Callable[[Doc, Doc], dict[str, float]]",
    *,
    output: Path | None,
    json_path: Path | None,
    gpu_id: int = -1,
    show: bool | None = False,
) -> str:
    """Score pairs of texts, and write the scores.

    path (Path): The file of pairs, or "-".
    model (str): The pipeline.
    keys (Tuple[str, str]): The keys of JSON lines.
    score (Callable): Scores of a pair by name, from 0 to 1.
    output (Optional[Path]): The file for the scores of each line.
    json_path (Optional[Path]): The file for the means.
    gpu_id (int): The GPU, or -1.
    show (Optional[bool]): Whether to show progress.
    RETURNS (str): The means as a table; "" if they are on standard output as JSON.
    RAISES (UccaError): For mistakes in the file, and what cannot be parsed.
    """
    from ._pipelines import load_pipeline

    if str(path) != STDIN and not exists(path):
        raise UccaError(Errors.UC674.format(path=path))
    check_outputs([output, json_path], [model, path])
    pairs = read_pairs(path, keys)
    nlp = load_pipeline(model, gpu_id)
    sums: dict[str, float] = {}
    if output is not None:
        make_directory(output.parent)
    with nullcontext() if output is None else open_whole(output) as file:
        scored = _score_each(nlp, path, pairs, score)
        for n, row in enumerate(progress(scored, total=len(pairs), show=show, unit="pair")):
            for name in row.keys() - {"line"}:
                sums[name] = sums.get(name, 0.0) + row[name]
            if file is not None and output is not None:
                file.write(_as_line(row, output.suffix == JSON_LINES, head=not n))
    means = {name: sums[name] / len(pairs) for name in row if name != "line"}
    write_json(json_path, {"pairs": len(pairs), **means})
    if str(json_path) == STDIN:
        return ""
    rows = [["mean of pairs", "%"], *([name, percent(value)] for name, value in means.items())]
    return f"{table(rows, '<>')}\n\n{len(pairs)} pair{'s' * (len(pairs) != 1)} scored."


def _score_each(
    nlp: "Language",
    path: Path,
    pairs: list[TextPair],
    score: "Callable[[Doc, Doc], dict[str, float]]",
) -> Iterator[dict[str, Any]]:
    texts = ((text, f"{path}, line {pair.line}") for pair in pairs for text in pair.texts)
    docs = parse_each(nlp, texts)
    for pair in pairs:
        yield {"line": pair.line, **score(next(docs), next(docs))}


def _as_line(row: dict[str, Any], is_json: bool, *, head: bool) -> str:
    if is_json:
        return json.dumps(row) + "\n"
    names = "\t".join(row) + "\n" if head else ""
    return (
        names
        + "\t".join(f"{v:.4f}" if isinstance(v, float) else str(v) for v in row.values())
        + "\n"
    )
