"""What `spacy-ucca parse` does in each process: read a few inputs, parse them, and write their graphs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..errors import Errors, UccaError
from ..files import write_whole
from ..formats.registry import FORMATS
from ..formats.text import Source
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES
from ..text.spacing import original_text
from ._util import BadFiles
from .passages import Item, Passage, make_passages, run

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ..conversion.graph import BilexicalGraph


ARCS = ("sdp", "conllu", "conll")  # formats for bilexical graphs of any scheme
BILEXICAL = "bilexical"  # what their headers call one that is not UCCA


class Piece(NamedTuple):
    """The graphs of the paragraphs of a piece of a text."""

    item: Item
    graphs: list[Graph]


@dataclass(frozen=True)
class Parsed:
    """What a job has done.

    graphs (List[Union[str, Piece]]): The graphs to pass on, as they are to be written; pieces of long texts.
    n (int): The number of graphs.
    bad (List[Tuple[str, str]]): Inputs that could not be parsed, and why.
    made_up (int): The number of graphs that were written with a text that is not known to be theirs.
    """

    graphs: list[str | Piece]
    n: int
    bad: list[tuple[str, str]]
    made_up: int = 0

    def __add__(self, other: "Parsed") -> "Parsed":
        return Parsed(
            self.graphs + other.graphs,
            self.n + other.n,
            self.bad + other.bad,
            self.made_up + other.made_up,
        )


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
        bad = BadFiles(show=False)
        done = Parsed([], 0, [])
        for passage in self.passages(items, bad):
            if passage.item.piece is not None:
                done.graphs.append(Piece(passage.item, passage.graphs()))
            elif self.arcs_only:
                done += write_passage(self.settings, passage, arcs=passage.arcs())
            else:
                done += write_passage(self.settings, passage, passage.graphs())
        return done + Parsed([], 0, bad.reasons)

    def passages(self, items: list[Item], bad: BadFiles) -> Iterator[Passage]:
        """YIELDS (Passage): The parsed passages of a job. Those that cannot be parsed are collected."""
        settings = self.settings
        passages = make_passages(
            self.nlp,
            items,
            sentences=settings.sentences,
            one_sentence=settings.one_sentence,
            guidelines=self.known,
            bad=bad,
        )
        return run(self.nlp, passages, bad, batch_size=settings.batch_size)


def write_passage(
    settings: ParseSettings,
    passage: Passage,
    graphs: Sequence[Graph] = (),
    arcs: "Sequence[BilexicalGraph] | None" = None,
) -> Parsed:
    """Write what was parsed of a passage to its file, if it has one.

    settings (ParseSettings): How.
    passage (Passage): The passage.
    graphs (Sequence[Graph]): The graphs of its paragraphs.
    arcs (Optional[Sequence[BilexicalGraph]]): Its bilexical graphs, if the pipeline has these alone.
    RETURNS (Parsed): What was done.
    RAISES (OSError): If it cannot be written.
    """
    item, made_up = passage.item, 0
    try:
        if arcs is not None:
            text = _write_arcs(settings.target, arcs)
        else:
            graph = passage.graph(graphs)
            text = _write(settings, graph, item, passage.docs)
            made_up = int(makes_text(settings.target) and original_text(graph) is None)
    except UccaError as err:  # the format has no place for it, or the pipeline has other tokens
        return Parsed([], 0, [(item.source, str(err))])
    if item.target is not None:
        write_whole(item.target, text)
    return Parsed([text] if item.target is None else [], 1, [], made_up)


def _write(settings: ParseSettings, graph: Graph, item: Item, docs: "Sequence[Doc]") -> str:
    """RETURNS (str): A graph, and what its Docs say too, as it is to be written."""
    target = settings.target
    if target in FORMATS:
        return FORMATS[target].write(graph, docs)
    from ..drawing.render import render_svg, render_tree

    if target == "svg":
        return render_svg(graph)
    if item.target is not None:
        return render_tree(graph)
    return render_tree(graph, color=settings.color, ascii=settings.ascii) + "\n"


def _write_arcs(target: str, graphs: "Sequence[BilexicalGraph]") -> str:
    """RETURNS (str): Bilexical graphs as they are to be written, a block of rows for each."""
    from ..conversion.graph import TOP
    from ..formats.conll import format_conll, format_conllu
    from ..formats.rows import FRAMEWORK
    from ..formats.sdp import format_sdp

    writers: dict[str, Callable[..., str]]
    writers = {"sdp": format_sdp, "conllu": format_conllu, "conll": format_conll}
    labels = {part for g in graphs for arc in g.arcs for part in arc.label.split(":")}
    framework = FRAMEWORK if labels <= {*CATEGORY_NAMES, TOP} else BILEXICAL
    return "\n".join(writers[target](graph, framework=framework) for graph in graphs)


def makes_text(target: str) -> bool:
    """RETURNS (bool): Whether a format writes a text that is not known to be that of the words."""
    return target in FORMATS and FORMATS[target].makes_text


def needs_docs(target: str) -> bool:
    """RETURNS (bool): Whether a format is written of Docs, and not of graphs alone."""
    return target in ARCS or (target in FORMATS and FORMATS[target].takes_docs)


class Pieces:
    """Joins the pieces of long texts, which come in order. A text of which a piece is missing is left out: that has been said.

    settings (ParseSettings): How graphs are to be written.
    """

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings
        self.source = ""
        self.texts: list[str] = []
        self.graphs: list[Graph] = []

    def join(self, parsed: Parsed) -> Parsed:
        """RETURNS (Parsed): The same with the texts that are complete in the place of their last pieces."""
        done = Parsed([], parsed.n, parsed.bad, parsed.made_up)
        for graph in parsed.graphs:
            if isinstance(graph, str):
                done.graphs.append(graph)
            elif (passage := self._add(*graph)) is not None:
                done += write_passage(self.settings, passage, self.graphs)
        return done

    def _add(self, item: Item, graphs: list[Graph]) -> Passage | None:
        """RETURNS (Optional[Passage]): The whole text, when its last piece has come."""
        number, n = item.piece or (0, 1)
        if number == 0:
            self.source, self.texts, self.graphs = item.source, [], []
        if (item.source, number) != (self.source, len(self.texts)):
            return None
        self.texts.append(item.text)
        self.graphs += graphs
        if number < n - 1:
            return None
        text = "".join(self.texts).rstrip("\r\n")
        return Passage(item, Source("", item.source, text), [])


def lost(item: Item, reason: str) -> Parsed:
    """RETURNS (Parsed): What is done of an input that ends its process; for `run_jobs`."""
    return Parsed([], 0, [(item.source, reason)])
