"""Convert files from one format to another, and count what is lost."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TextIO

from ..errors import Errors, FormatError, UccaError
from ..files import NothingWritten, OutputDirectory, check_outputs, open_whole
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES
from ..text.spacing import original_text
from ..text.split import split_sentences
from .files import IdMaker, find_files, read_file
from .mend import take_notes
from .recognise import check_output_suffix, is_directory, name_of
from .registry import Format, OnBad, find_format
from .roundtrip import contents, count_losses
from .text import SURROGATES


@dataclass
class FormatReport:
    """What a conversion between formats did.

    files (int): Files that graphs were taken from.
    graphs (int): Graphs written.
    words (int): Their words.
    formats (Counter[str]): Files by the format they were read as.
    losses (Counter[str]): What was lost, by names of `roundtrip.KINDS`.
    made_up (int): Graphs without a text that were written with one: their words joined by spaces.
    measured (bool): Whether losses were counted in what comes back; else in what the format is known to lose.
    skipped (List[Tuple[str, str]]): Files and graphs that were not converted, with the reasons.
    notes (List[str]): What was read or written in another way than it stood there, such as an edge that closes a cycle.
    unknown (Counter[str]): Edges with categories that UCCA does not know, by category.
    """

    files: int = 0
    graphs: int = 0
    words: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    losses: Counter[str] = field(default_factory=Counter)
    made_up: int = 0
    measured: bool = True
    skipped: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The report as plain data, for JSON."""
        skipped = [{"what": what, "reason": reason} for what, reason in self.skipped]
        plain = {"formats": dict(self.formats), "losses": dict(self.losses), "skipped": skipped}
        return {**vars(self), **plain, "unknown": dict(self.unknown)}


def convert_files(
    sources: Iterable[str | Path],
    output: str | Path | TextIO,
    *,
    to: str,
    source_format: str | None = None,
    sentences: bool = False,
    limit: int = 0,
    others: Iterable[Path | None] = (),
    on_bad: OnBad | None = None,
    on_file: Callable[[int, int], None] | None = None,
) -> FormatReport:
    """Convert files, one after the other, and count what is lost.

    sources (Iterable[Union[str, Path]]): Files, and directories of files; "-" is standard input.
    output (Union[str, Path, TextIO]): A file, or an open one, for all graphs; or a directory (also what does not
        exist and does not end like a file of a format), which gets a file for each file read, or, of a format that has one graph in a
        file, for each graph, named by its id if it was not alone in its file. A graph without an id gets one of the
        name of its file.
    to (str): The name of the format to write.
    source_format (Optional[str]): The name of the format to read; guessed file by file, if there is none.
    sentences (bool): Divide passages into sentences by their annotation.
    limit (int): Stop after so many graphs. 0 is no limit.
    others (Iterable[Optional[Path]]): Files that are written besides, which no output may replace.
    on_bad (Optional[OnBad]): Called with what cannot be converted and why.
    on_file (Optional[Callable[[int, int], None]]): Called after each file with the number of those done and
        of all.
    RETURNS (FormatReport): Counts, losses, and what was skipped and why.
    RAISES (UccaError): If there is nothing to read, or there are several graphs for a file that takes one.
    """
    target = find_format(to)
    if not target.writes:
        target.write(Graph([], [], []))  # says so
    inputs = find_files(sources, source_format)
    conversion = _Conversion(target, source_format, sentences, on_bad)
    results = conversion.results(inputs, limit, on_file)
    if not isinstance(output, str | Path):
        conversion.write_file(results, output, "-")
    elif is_directory(output):
        conversion.write_files(results, OutputDirectory(Path(output), inputs, others))
    else:
        path = Path(output)
        check_output_suffix(path, target.name)
        check_outputs([path, *others], inputs)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_whole(path) as file:
            conversion.write_file(results, file, str(path))
            if not conversion.report.graphs:
                raise NothingWritten
    return conversion.report


# A file, whether its only graph is named as it, and its graphs with what to write
Result = tuple[Path, bool, list[tuple[Graph, str]]]


class _Conversion:
    def __init__(
        self, target: Format, source: str | None, sentences: bool, on_bad: OnBad | None
    ) -> None:
        self.target, self.source, self.sentences = target, source, sentences
        self.on_bad = on_bad
        self.ids = IdMaker()
        self.report = FormatReport(measured=target.reads)

    def bad(self, what: str, reason: Exception) -> None:
        self.report.skipped.append((what, str(reason)))
        if self.on_bad is not None:
            self.on_bad(what, reason)

    def results(
        self, inputs: list[Path], limit: int, on_file: Callable[[int, int], None] | None
    ) -> Iterator[Result]:
        """YIELDS (Result): The graphs of each file that has some."""
        report = self.report
        for number, path in enumerate(inputs, start=1):
            try:
                with take_notes(report.notes):
                    source, graphs = read_file(path, self.source, on_bad=self.bad)
                alone = source.items == "file" and len(graphs) == 1 and not self.sentences
                graphs = self.ids.complete(path, graphs)
                if self.sentences:
                    graphs = [part for graph in graphs for part in split_sentences(graph)]
            except (UccaError, OSError) as err:
                self.bad(str(path), err)
                graphs = []
            else:
                report.files += 1
                report.formats[source.name] += 1
            graphs = graphs[: limit - report.graphs if limit else None]
            written = ((graph, self._written(path, graph)) for graph in graphs)
            if texts := [(graph, text) for graph, text in written if text is not None]:
                yield path, alone, texts
            if on_file is not None:
                on_file(number, len(inputs))
            if limit and report.graphs >= limit:
                return

    def _written(self, path: Path, graph: Graph) -> str | None:
        """RETURNS (Optional[str]): What to write, when its losses are counted; None if it cannot be written."""
        report = self.report
        try:
            with take_notes(report.notes):
                text = self.target.write(graph)
            if not text.isascii() and SURROGATES.search(text):
                raise FormatError(Errors.UC719)
            if self.target.reads:
                with take_notes([]):
                    back = self.target.read(text, source=str(path))
                if not back:
                    raise FormatError(Errors.UC172.format(title=self.target.name))
                report.made_up += self.target.makes_text and original_text(graph) is None
                losses = count_losses(graph, back[0] if len(back) == 1 else Graph.join(back))
            else:
                has = contents(graph)
                losses = Counter({kind: has[kind] for kind in self.target.loses})
        except UccaError as err:
            self.bad(f"{path} ({graph.details.get('id', '')})", err)
            return None
        if graph.details["id"] in self.ids.made:
            del losses["ids"]
        report.losses.update(+losses)
        report.graphs += 1
        report.words += len(graph.words)
        for edge in graph.edge_tuples:
            report.unknown.update(c for c in edge.categories if c not in CATEGORY_NAMES)
        return text

    def write_file(self, results: Iterable[Result], file: IO[str], name: str) -> None:
        """Write all graphs to one file; nothing, if there are several for a format that has one in a file."""
        written = (text for _, _, texts in results for _, text in texts)
        first = next(written, "")
        if self.target.items == "file" and next(written, None) is not None:
            raise FormatError(Errors.UC715.format(path=name, name=self.target.name))
        file.write(first)
        for text in written:
            file.write(self.target.following(text))

    def write_files(self, results: Iterable[Result], output: OutputDirectory) -> None:
        """Write a file for each graph, or, of a format that has several in a file, for each file that was read."""
        for source, alone, texts in results:
            stem = name_of(source)
            if self.target.items == "file":
                files = [(stem if alone else str(g.details["id"]), text) for g, text in texts]
            else:
                first, *others = (text.rstrip("\n") + "\n" if text else "" for _, text in texts)
                files = [(stem, first + "".join(map(self.target.following, others)))]
            number = self.target.items == "file" and not alone
            for name, text in files:
                try:
                    output.write(name, self.target.suffixes[0], text, number=number)
                except UccaError as err:
                    self.bad(str(source), err)
        if output.note:
            self.report.notes.append(output.note)
