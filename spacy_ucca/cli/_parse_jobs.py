"""What `spacy-ucca parse` does in each process: read a few inputs, parse them, and write their graphs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..conversion.graph import TOP, BilexicalGraph
from ..errors import Errors, GraphError, UccaError
from ..files import write_whole
from ..formats.conll import format_conll, format_conllu
from ..formats.registry import FORMATS
from ..formats.rows import FRAMEWORK
from ..formats.sdp import format_sdp
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES
from ._util import BadFiles

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ..formats.sources import Source


# Formats for bilexical graphs of any scheme, and what their headers call one that is not UCCA
ARCS: dict[str, Callable[..., str]] = {
    "sdp": format_sdp,
    "conllu": format_conllu,
    "conll": format_conll,
}
BILEXICAL = "bilexical"


@dataclass(frozen=True)
class Item:
    """A text to parse.

    name (str): The name of its output file, without suffix, and its id, if it has no other one.
    source (str): Its name in messages.
    file (Optional[Path]): The file that has it, which is read where it is parsed.
    is_xml (bool): Whether that is a file of UCCA XML.
    text (str): The text, if no file has it.
    given (Optional[Source]): What was read of a file of several texts.
    target (Optional[Path]): The file for its graph; if it is None, the graph is passed on.
    """

    name: str
    source: str
    file: Path | None = None
    is_xml: bool = False
    text: str = ""
    given: "Source | None" = None
    target: Path | None = None


@dataclass(frozen=True)
class Parsed:
    """What a job has done.

    graphs (List[str]): The graphs to pass on, as they are to be written.
    n (int): The number of graphs.
    bad (List[Tuple[str, str]]): Inputs that could not be parsed, and why.
    made_up (int): The number of graphs that were written with a text that is not known to be theirs.
    """

    graphs: list[str]
    n: int
    bad: list[tuple[str, str]]
    made_up: int = 0


@dataclass(frozen=True)
class ParseSettings:
    """The options of `spacy-ucca parse` that its processes need; they are described there.

    sentences (str): Who divides texts into sentences: "parser", "file", or "auto".
    one_sentence (bool): Whether each paragraph of UCCA XML is a sentence.
    color (bool): Whether text trees are coloured.
    ascii (bool): Whether they have plain branches.
    """

    model: str
    target: str
    sentences: str = "auto"
    one_sentence: bool = False
    guidelines: str | None = None
    beam_width: int | None = None
    batch_size: int | None = None
    gpu_id: int = -1
    color: bool = False
    ascii: bool = False


class Parser:
    """Parses the inputs of a job.

    settings (ParseSettings): How.
    RAISES (UccaError): If the pipeline cannot be used.
    """

    def __init__(self, settings: ParseSettings) -> None:
        from ..training.pipelines import SDP, UCCA, names_assigning, trained_parsers
        from ._pipelines import load_pipeline, set_beam_width, set_guidelines

        self.settings = settings
        self.nlp = load_pipeline(settings.model, settings.gpu_id)
        set_guidelines(self.nlp, settings.guidelines)
        set_beam_width(self.nlp, settings.beam_width)
        self.arcs_only = names_assigning(self.nlp, SDP) and not names_assigning(self.nlp, UCCA)
        if self.arcs_only and settings.target not in ARCS:
            known = ", ".join(ARCS)
            raise UccaError(Errors.UC550.format(target=settings.target, known=known))
        parsers = [] if settings.guidelines else trained_parsers(self.nlp)
        self.known = [name for parser in parsers for name in parser.known_guidelines]

    def __call__(self, items: list[Item]) -> Parsed:
        """Do a job.

        items (List[Item]): Its inputs.
        RETURNS (Parsed): What was done.
        RAISES (UccaError): If the pipeline sets no graphs.
        RAISES (OSError): If a graph cannot be written.
        """
        with self.nlp.memory_zone():  # a long stream has new words all the time
            return self._parse(items)

    def _parse(self, items: list[Item]) -> Parsed:
        from ..formats.convert import has_text

        target = self.settings.target
        makes_text = target in FORMATS and FORMATS[target].makes_text
        bad = BadFiles(show=False)
        graphs, n, made_up = [], 0, 0
        for passage in self.passages(items, bad):
            try:
                graph = None if self.arcs_only else passage.graph()
            except GraphError as err:
                bad.add(passage.item.source, err)
                continue
            try:
                if graph is None:
                    text = self.write_arcs(passage.arcs())
                else:
                    text = self.write(graph, passage.item.target is None, passage.parsed)
            except UccaError as err:  # the format has no place for it
                bad.add(passage.item.source, err)
                continue
            n += 1
            made_up += graph is not None and makes_text and not has_text(graph)
            if passage.item.target is None:
                graphs.append(text)
            else:
                write_whole(passage.item.target, text)
        return Parsed(graphs, n, bad.reasons, made_up)

    def passages(self, items: list[Item], bad: BadFiles) -> Iterator[Any]:
        """YIELDS (Passage): The parsed passages of a job. Those that cannot be parsed are collected."""
        from .passages import run

        batch_size = self.settings.batch_size
        return run(self.nlp, self._passages(items, bad), bad, batch_size=batch_size)

    def _passages(self, items: list[Item], bad: BadFiles) -> Iterator[Any]:
        from .passages import given_passages, text_passages, xml_passages

        settings = self.settings
        for kind, group in groupby(items, key=lambda item: (item.is_xml, item.given is not None)):
            if kind[0]:
                yield from xml_passages(
                    self.nlp,
                    group,
                    one_sentence=settings.one_sentence,
                    guidelines=self.known,
                    bad=bad,
                )
            elif kind[1]:
                yield from given_passages(
                    self.nlp, group, sentences=settings.sentences, guidelines=self.known, bad=bad
                )
            else:
                one = settings.sentences == "file"
                yield from text_passages(self.nlp, group, one_sentence=one, bad=bad)

    def write(self, graph: Graph, to_stream: bool, docs: "Sequence[Doc]") -> str:
        """RETURNS (str): A graph, and what its Docs say too, as it is to be written."""
        target = self.settings.target
        if target in FORMATS:
            return FORMATS[target].write(graph, docs)
        from ..drawing.render import render_svg, render_tree

        if target == "svg":
            return render_svg(graph)
        if not to_stream:
            return render_tree(graph)
        return render_tree(graph, color=self.settings.color, ascii=self.settings.ascii) + "\n"

    def write_arcs(self, graphs: Sequence[BilexicalGraph]) -> str:
        """RETURNS (str): Bilexical graphs as they are to be written, a block of rows for each."""
        labels = {part for g in graphs for arc in g.arcs for part in arc.label.split(":")}
        framework = FRAMEWORK if labels <= {*CATEGORY_NAMES, TOP} else BILEXICAL
        write = ARCS[self.settings.target]
        return "\n".join(write(graph, framework=framework) for graph in graphs)


def start_parsing(settings: ParseSettings) -> Parser:
    """RETURNS (Parser): What does the jobs of a process; for `run_jobs`."""
    return Parser(settings)


def decode(data: bytes | str, *, as_is: bool = False) -> str:
    """RETURNS (str): Text in UTF-8. Ends of lines are "\\n", unless it is taken as it is, which keeps offsets.
    RAISES (UccaError): If it is not: other bytes, or the zero bytes of UTF-16 and of files that are no texts."""
    if isinstance(data, str):
        return data
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise UccaError(Errors.UC507.format(reason=err.reason, position=err.start)) from None
    if "\0" in text:
        position = data.index(0)
        raise UccaError(Errors.UC507.format(reason="zero byte", position=position))
    return text if as_is else text.replace("\r\n", "\n").replace("\r", "\n")


def lost(item: Item, reason: str) -> Parsed:
    """RETURNS (Parsed): What is done of an input that ends its process; for `run_jobs`."""
    return Parsed([], 0, [(item.source, reason)])


def size_of(item: Item) -> int:
    """RETURNS (int): The characters or bytes of an input, 0 if they are not known."""
    if item.given is not None:
        return len(item.given.text or "") or sum(map(len, item.given.words or ()))
    if item.file is None:
        return len(item.text)
    try:
        return item.file.stat().st_size
    except OSError:
        return 0
