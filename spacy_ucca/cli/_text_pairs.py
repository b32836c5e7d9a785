"""`spacy-ucca samsa` and `spacy-ucca usim`: score pairs of texts in a file, which are parsed in one pass."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import Errors, FormatError, UccaError
from ..files import check_outputs
from ._command import Gpu, Json, Lang, Model, Show, app, flag
from ._util import (
    STDIN,
    BadFiles,
    exists,
    open_for_writing,
    percent,
    progress,
    read_text,
    table,
    write_figures,
)

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


PAIRS_HELP = "File of pairs: two texts a line and a tab between, or JSON lines with the keys {}"
Other = Annotated[
    Path | None,
    typer.Argument(
        help="File of the second texts, a line for each line of the first file, which has the first texts"
    ),
]
LinesOutput = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write the scores of each line to this file: JSON lines if it ends in .jsonl, otherwise columns with tabs",
    ),
]
JSON_LINES = ".jsonl"
SAMSA_KEYS = ("source", "simplification")
USIM_KEYS = ("first", "second")


def read_pairs(
    path: Path, keys: tuple[str, str], bad: BadFiles, *, other: Path | None = None
) -> dict[int, tuple[str, str]]:
    """Read pairs of texts. Blank lines are left out, and so is a first line that has the keys as heads of its columns.

    path (Path): The file, or "-".
    keys (Tuple[str, str]): The keys of JSON lines.
    bad (BadFiles): Collects the lines that are no pairs.
    other (Optional[Path]): The file of the second texts, if they are not in the same file.
    RETURNS (Dict[int, Tuple[str, str]]): The pairs by the numbers of their lines.
    RAISES (UccaError): If there is none, or two files have not the same number of lines.
    """
    columns = [
        read_text(each).removesuffix("\n").split("\n") for each in (path, other) if each is not None
    ]
    if len({len(lines) for lines in columns}) > 1:
        n, m = map(len, columns)
        raise UccaError(Errors.UC679.format(path=path, other=other, n=n, m=m))
    is_json = other is None and next(filter(str.strip, columns[0]), "").lstrip()[:1] == "{"
    pairs: dict[int, tuple[str, str]] = {}
    for number, row in enumerate(zip(*columns), start=1):
        line = "\t".join(" ".join(cell.split("\t")) for cell in row) if other else row[0]
        if not line.strip() or (not pairs and tuple(line.lower().split("\t")) == keys):
            continue
        try:
            pairs[number] = _of_json(line, keys) if is_json else _of_columns(line)
        except ValueError as err:
            remedy = "Give two texts with one tab between them."
            if is_json:
                remedy = f"Give an object with a text, or a list of sentences, for '{keys[0]}' and for '{keys[1]}'."
            message = Errors.UC670.format(path=path, line=number, reason=err, remedy=remedy)
            bad.add(f"{path}, line {number}", message)
    if not pairs:
        raise FormatError(Errors.UC671.format(path=path))
    return pairs


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
    if isinstance(text, list) and all(isinstance(sentence, str) for sentence in text):
        text = "\n\n".join(text)  # A blank line ends a sentence.
    if not isinstance(text, str):
        raise ValueError(f"no text for '{key}'")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError(f"half a character in '{key}'")
    return text


def parse_texts(nlp: "Language", texts: "Iterable[str | Doc]") -> "Iterator[Doc]":
    """Parse texts in one pass.

    nlp (Language): A pipeline.
    texts (Iterable[str]): Texts, none longer than the pipeline takes.
    YIELDS (Doc): Their Docs.
    RAISES (UccaError): If the pipeline sets no graphs.
    """
    for doc in nlp.pipe(texts):
        if doc._.ucca is None:
            raise UccaError(Errors.UC506)
        yield doc


def run_pairs(
    paths: tuple[Path, Path | None],
    model: str,
    keys: tuple[str, str],
    score: "Callable[[Doc, Doc], dict[str, float]]",
    output: Path | None,
    json_path: Path | None,
    lang: str | None = None,
    gpu_id: int = -1,
    show: bool | None = False,
) -> None:
    """Score pairs of texts, and write the scores.

    paths (Tuple[Path, Optional[Path]]): The file of pairs, or "-"; or the file of the first texts, and that of the second ones.
    model (str): The pipeline.
    keys (Tuple[str, str]): The keys of JSON lines.
    score (Callable): Scores of a pair by name, from 0 to 1.
    output (Optional[Path]): The file for the scores of each line.
    json_path (Optional[Path]): The file for the means.
    lang (Optional[str]): The code of the language of the texts.
    gpu_id (int): The GPU, or -1.
    show (Optional[bool]): Whether to show progress.
    RAISES (UccaError): If there are no pairs, or the pipeline sets no graphs.
    RAISES (Exit): With 1, if lines were skipped. The means of the others are printed: as a table, or on standard output as JSON.
    """
    from ._pipelines import load_pipeline

    (path, other), files = paths, [each for each in paths if each is not None]
    for file_of_texts in files:
        if str(file_of_texts) != STDIN and not exists(file_of_texts):
            raise UccaError(Errors.UC674.format(path=file_of_texts))
    check_outputs([output, json_path], [model, *files])
    bad = BadFiles()
    pairs = read_pairs(path, keys, bad, other=other)
    nlp = load_pipeline(model, gpu_id, lang=lang, texts=True)
    for number, texts in [*pairs.items()]:
        if (n := max(map(len, texts))) > nlp.max_length:
            del pairs[number]
            where = f"{path}, line {number}"
            bad.add(where, Errors.UC672.format(where=where, n=n, most=nlp.max_length))
    if not pairs:
        raise FormatError(Errors.UC671.format(path=path))
    docs = parse_texts(nlp, (text for texts in pairs.values() for text in texts))
    scored = ({"line": number, **score(next(docs), next(docs))} for number in pairs)
    sums: dict[str, float] = {}
    with nullcontext() if output is None else open_for_writing(output) as file:
        for n, row in enumerate(progress(scored, total=len(pairs), show=show, unit="pair")):
            for name in row.keys() - {"line"}:
                sums[name] = sums.get(name, 0.0) + row[name]
            if file is not None and output is not None:
                file.write(_as_line(row, output.suffix == JSON_LINES, head=not n))
    means = {name: sums[name] / len(pairs) for name in row if name != "line"}
    rows = [["mean of pairs", "%"], *([name, percent(value)] for name, value in means.items())]
    text = f"{table(rows, '<>')}\n\n{len(pairs)} pair{'s' * (len(pairs) != 1)} scored."
    write_figures(text, {"pairs": len(pairs), **means}, json_path)
    bad.finish()


def _as_line(row: dict[str, Any], is_json: bool, *, head: bool) -> str:
    if is_json:
        return json.dumps(row) + "\n"
    cells = (f"{v:.4f}" if isinstance(v, float) else str(v) for v in row.values())
    names = "\t".join(row) + "\n" if head else ""
    return names + "\t".join(cells) + "\n"


@app.command("samsa")
def samsa_cli(
    model: Model,
    pairs: Path = typer.Argument(..., help=PAIRS_HELP.format(" and ".join(SAMSA_KEYS))),
    other: Other = None,
    output: LinesOutput = None,
    all_scenes: bool = flag(
        "Count adjectives, possessives and the like as Scenes too", "--all-scenes"
    ),
    json_path: Json = None,
    lang: Lang = None,
    gpu_id: Gpu = -1,
    show: Show = None,
) -> None:
    """Score simplifications by SAMSA: does each keep the Scenes of its source, one to a sentence? A simplification may have
    several sentences; the pipeline finds them.

    The score of a file is the mean of its pairs. `samsa_abl` has no penalty for Scenes that share a sentence.
    """

    def score(source: "Doc", simplification: "Doc") -> dict[str, float]:
        from ..applications import samsa

        found = samsa(source, simplification, all_scenes=all_scenes)
        return {"samsa": found.samsa, "samsa_abl": found.samsa_abl}

    run_pairs((pairs, other), model, SAMSA_KEYS, score, output, json_path, lang, gpu_id, show)


@app.command("usim")
def usim_cli(
    model: Model,
    pairs: Path = typer.Argument(..., help=PAIRS_HELP.format(" and ".join(USIM_KEYS))),
    other: Other = None,
    output: LinesOutput = None,
    json_path: Json = None,
    lang: Lang = None,
    gpu_id: Gpu = -1,
    show: Show = None,
) -> None:
    """Compare pairs of texts: by USim, which aligns units and compares their categories, and by who does what to whom.

    `usim` is the published measure, for sentences and their corrections. It does not see an exchange of roles or of linked
    Scenes, and a passive is far from its active; `predication_f1` sees all three.
    """

    def score(doc: "Doc", other: "Doc") -> dict[str, float]:
        from ..applications import predication_f1, usim

        return {"usim": usim(doc, other).f, "predication_f1": predication_f1(doc, other).f}

    run_pairs((pairs, other), model, USIM_KEYS, score, output, json_path, lang, gpu_id, show)
