"""Parse many texts in several processes of this machine."""

import json
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from ..errors import Errors, UccaError
from ..graph import Graph
from .batch import parse_each
from .workers import divide, run_jobs

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

__all__ = ["ParsedText", "parse_texts"]

NumberedText = tuple[int, str]


@dataclass(frozen=True)
class ParsedText:
    """A text that has been parsed, or why it could not be.

    number (int): Its number among the texts, from 0.
    record (Optional[str]): The graph as JSON, as `Graph.to_record` has it; None after an error.
    error (Optional[str]): Why there is none.
    """

    number: int
    record: str | None = None
    error: str | None = None

    @property
    def graph(self) -> Graph | None:
        """RETURNS (Optional[Graph]): The graph, as `doc._.ucca` is, read from the record each time; None after an error."""
        return None if self.record is None else Graph.from_record(json.loads(self.record))


@overload
def parse_texts(
    model: str | Path,
    texts: Iterable[str],
    *,
    n_process: int = ...,
    as_tuples: Literal[False] = ...,
    **options: Any,
) -> Iterator[ParsedText]: ...
@overload
def parse_texts(
    model: str | Path,
    texts: Iterable[tuple[str, Any]],
    *,
    n_process: int = ...,
    as_tuples: Literal[True],
    **options: Any,
) -> Iterator[tuple[ParsedText, Any]]: ...
def parse_texts(
    model: str | Path,
    texts: Iterable[Any],
    *,
    n_process: int = 2,
    as_tuples: bool = False,
    **options: Any,
) -> Iterator[Any]:
    """Parse texts in several processes, each with a pipeline of its own. Graphs are those of `nlp.pipe`. Only graphs go from
    process to process, so this is faster than `nlp.pipe` with `n_process`.

    A text that cannot be parsed costs no other. If a process dies, a warning names it, and its texts are tried again: see
    `workers.run_jobs`. Call this under `if __name__ == "__main__":` where processes are spawned, as on macOS and Windows.

    model (Union[str, Path]): The pipeline: its name or directory.
    texts (Iterable[str]): The texts. Only a few are taken ahead of those that are done.
    n_process (int): The number of processes; 1: this one; -1: one for each core.
    as_tuples (bool): Whether texts come as tuples `(text, context)`, and results as tuples `(parsed, context)`.
    **options: Arguments of `spacy_ucca.load`, such as `lang`, `exclude` or `config`.
    YIELDS (Union[ParsedText, Tuple[ParsedText, Any]]): The parsed texts, in order.
    RAISES (OSError): If there is no such pipeline.
    RAISES (UccaError): If the pipeline sets no graphs, or processes die before they have loaded it.
    """
    contexts: deque[Any] = deque()

    def number_texts() -> Iterator[NumberedText]:
        for number, text in enumerate(texts):
            if as_tuples:
                text, context = text
                contexts.append(context)
            yield number, text

    jobs = divide(number_texts(), _size_of)
    start = partial(_Parser, model, options)
    with closing(run_jobs(start, jobs, n_process, lost=_lost, name=_name_of)) as results:
        for batch in results:
            for parsed in batch:
                yield (parsed, contexts.popleft()) if as_tuples else parsed


class _Parser:
    """Parses the texts of a job.

    model (Union[str, Path]): The pipeline.
    options (Dict[str, Any]): Arguments of `spacy_ucca.load`.
    """

    def __init__(self, model: str | Path, options: dict[str, Any]) -> None:
        from ..tokens.load import load
        from ..training.pipelines import import_code

        import_code()  # of the command that started this process
        self.nlp: Language = load(model, **options)

    def __call__(self, texts: list[NumberedText]) -> list[ParsedText]:
        """RETURNS (List[ParsedText]): The parsed texts.
        RAISES (UccaError): If the pipeline sets no graphs."""
        with self.nlp.memory_zone():  # a long stream has new words all the time
            docs = parse_each(self.nlp, [self._make_doc(text) for _, text in texts])
            return [_as_parsed(number, doc) for (number, _), doc in zip(texts, docs, strict=True)]

    def _make_doc(self, text: str) -> "Doc | Exception":
        try:
            return self.nlp.make_doc(text)
        except Exception as err:  # such as a text that is too long, or none
            return err


def _as_parsed(number: int, doc: "Doc | Exception") -> ParsedText:
    if isinstance(doc, Exception):
        return ParsedText(number, error=f"{type(doc).__name__}: {doc}")
    graph = doc._.ucca
    if graph is None:
        raise UccaError(Errors.UC506)
    return ParsedText(number, json.dumps(graph.to_record(), ensure_ascii=False))


def _lost(item: NumberedText, reason: str) -> list[ParsedText]:
    return [ParsedText(item[0], error=reason)]


def _name_of(item: NumberedText) -> str:
    return f"text {item[0]}"


def _size_of(item: NumberedText) -> int:
    return len(item[1]) if isinstance(item[1], str) else 0
