"""What `spacy-ucca parse` does in each process: read a few inputs, parse them, and write their graphs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..distributed.batch import parse_each, pipeline_columns
from ..distributed.graph_table import row_of_text
from ..distributed.workers import divide
from ..errors import Errors, UccaError
from ..files import write_whole
from ..formats.registry import FORMATS, PARQUET
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES
from ..text.spacing import original_text
from ..tokens.language import known_lang
from ._parse_input import read_items
from ._util import BadFiles
from .passages import Item, ParseSettings, Passage, make_passages, size_of, with_sentences

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ..conversion.graph import BilexicalGraph


ARCS = ("sdp", "conllu", "conll")  # formats for bilexical graphs of any scheme
PROBABILITY = "probability"  # the detail of a graph that is one of several
BILEXICAL = "bilexical"  # what their headers call one that is not UCCA


class Parsed(NamedTuple):
    """What became of an input.

    source (str): Its name in messages.
    text (Optional[str]): Its graph as it is to be written; None if it is in its file.
    error (Optional[str]): Why there is no graph.
    made_up (bool): Whether the graph was written with a text that is not known to be its own.
    piece (Optional[Item]): The input, if it is a piece of a long text.
    graphs (Sequence[Graph]): The graphs of the paragraphs of a piece.
    lang (str): The language that was guessed; "" if it is in doubt, or was given.
    rows (Sequence[List[Dict[str, Any]]]): Its row of the table of graphs, and those of that of predications, if it has them.
    """

    source: str
    text: str | None = None
    error: str | None = None
    made_up: bool = False
    piece: Item | None = None
    graphs: Sequence[Graph] = ()
    lang: str = ""
    rows: Sequence[list[dict[str, Any]]] = ()


class Parser:
    """Parses the inputs of a job.

    settings (ParseSettings): How.
    RAISES (UccaError): If the pipeline cannot be used.
    """

    def __init__(self, settings: ParseSettings) -> None:
        from ..training.pipelines import SDP, UCCA, beam_parser, names_assigning, trained_parsers
        from ._pipelines import load_pipeline

        self.settings = settings
        options: Any = {"beam_width": settings.beam_width, "guidelines": settings.guidelines}
        options |= {"lang": settings.lang, "texts": True}
        self.nlp = load_pipeline(settings.model, settings.gpu_id, **options)
        self.arcs_only = names_assigning(self.nlp, SDP) and not names_assigning(self.nlp, UCCA)
        target = "predications" if settings.predications else settings.target
        if self.arcs_only and target not in ARCS:
            raise UccaError(Errors.UC550.format(target=target, known=", ".join(ARCS)))
        self.beam_parser = beam_parser(self.nlp) if settings.n_best > 1 else None
        parsers = [] if settings.guidelines else trained_parsers(self.nlp)
        self.known = [name for parser in parsers for name in parser.known_guidelines]

    def __call__(self, items: list[Item]) -> list[Parsed]:
        """Do a job.

        items (List[Item]): Its inputs.
        RETURNS (List[Parsed]): What became of each.
        RAISES (UccaError): If the pipeline sets no graphs.
        RAISES (OSError): If a graph cannot be written.
        """
        bad = BadFiles(show=False)
        with self.nlp.memory_zone():  # a long stream has new words all the time
            done = {id(p.item): list(self._finish(p)) for p in self.passages(items, bad)}
        done |= {id(item): lost(item, reason) for item, reason in bad.reasons}  # type: ignore[arg-type]
        parsed = [one for item in items for one in done[id(item)]]
        for row in (row for one in parsed for rows in one.rows[:1] for row in rows):
            row |= pipeline_columns(self.nlp)
        return parsed

    def parse_files(
        self, files: Iterable[Path], bad: BadFiles, *, lines: bool = False
    ) -> Iterator[Passage]:
        """YIELDS (Passage): The parsed texts of files, each to be used before the next one is asked for."""
        items = with_sentences(read_items(files, lines=lines), self.settings.sentences)
        for job in divide(items, size_of):
            with self.nlp.memory_zone():
                yield from self.passages(job, bad)

    def passages(self, items: list[Item], bad: BadFiles) -> Iterator[Passage]:
        """YIELDS (Passage): The parsed passages of a job. Those that cannot be parsed are collected."""
        passages = list(make_passages(self.nlp, items, self.settings, self.known, bad))
        docs = (doc for passage in passages for doc in passage.docs)
        parsed = parse_each(self.nlp, docs, batch_size=self.settings.batch_size)
        for passage in passages:
            found: list[Any] = list(islice(parsed, len(passage.docs)))
            errors = [doc for doc in found if isinstance(doc, Exception)]
            if errors:
                bad.add(passage.item, errors[0])
            else:
                yield replace(passage, docs=found)

    def _finish(self, passage: Passage) -> Iterator[Parsed]:
        item = passage.item
        if item.piece is not None:
            yield Parsed(str(item), piece=item, graphs=passage.graphs())
        elif self.arcs_only:
            yield write_passage(self.settings, passage, arcs=passage.arcs())
        elif self.beam_parser is None:
            yield write_passage(self.settings, passage, passage.graphs())
        else:
            from ..training.pipelines import parse_best

            best = parse_best(self.beam_parser, passage.docs, self.settings.n_best)
            for number, (probability, graphs) in enumerate(best, 1):
                name = f"{item.name}.{number}"
                target = item.best[number - 1] if item.best else None
                own = replace(passage, item=replace(item, name=name, target=target))
                more = {"id": name, PROBABILITY: f"{probability:.3g}"}
                yield write_passage(self.settings, own, graphs, more=more)


def write_passage(
    settings: ParseSettings,
    passage: Passage,
    graphs: Sequence[Graph] = (),
    arcs: "Sequence[BilexicalGraph] | None" = None,
    more: Mapping[str, str] = MappingProxyType({}),
) -> Parsed:
    """Write what was parsed of a passage to its file, if it has one.

    settings (ParseSettings): How.
    passage (Passage): The passage.
    graphs (Sequence[Graph]): The graphs of its paragraphs.
    arcs (Optional[Sequence[BilexicalGraph]]): Its bilexical graphs, if the pipeline has these alone.
    more (Mapping[str, str]): Details that the graph gets.
    RETURNS (Parsed): What was done.
    RAISES (OSError): If it cannot be written.
    """
    item, made_up, lang = passage.item, False, ""
    text: str | None
    rows, facts = [], []
    try:
        if arcs is not None:
            text = _write_arcs(settings.target, arcs)
        else:
            graph = passage.graph(graphs)
            if more:
                graph = graph.replace(details={**graph.details, **more}, check=False)
            if settings.predications:
                from ..extract.csv import predication_rows

                facts = [*predication_rows(graph, passage.docs)]
            rows = [row_of_text(graph)] if settings.target == PARQUET else []
            text = None if rows else _write(settings, graph, item, passage.docs)
            guessed = {known_lang(doc) for doc in passage.docs}
            lang = guessed.pop() if len(guessed) == 1 else ""
            made_up = makes_text(settings.target) and original_text(graph) is None
    except UccaError as err:  # the format has no place for it, or the pipeline has other tokens
        return lost(item, str(err))[0]
    if item.target is not None and text is not None:
        write_whole(item.target, text)
        text = None
    return Parsed(str(item), text, made_up=made_up, lang=lang, rows=(rows, facts))


def _write(settings: ParseSettings, graph: Graph, item: Item, docs: "Sequence[Doc]") -> str:
    """RETURNS (str): A graph, and what its Docs say too, as it is to be written."""
    target = settings.target
    if target in FORMATS:
        return FORMATS[target].write(graph, docs)
    from ..drawing.render import render_svg, render_tree

    if target == "svg":
        return render_svg(graph)
    if PROBABILITY in graph.details:
        head = f"{graph.details['id']}, probability {graph.details[PROBABILITY]}\n"
    else:
        head = ""
    end = "" if item.target is not None else "\n"
    return head + render_tree(graph, **settings.tree) + end


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
    """RETURNS (bool): Whether a format is written of Docs, and not of graphs alone, or has a text in a row."""
    return target in (*ARCS, PARQUET) or (target in FORMATS and FORMATS[target].takes_docs)


def join_pieces(settings: ParseSettings, parsed: Iterable[Parsed]) -> Iterator[Parsed]:
    """Join the pieces of long texts, which come in order. A text of which a piece is missing is left out: that has been said.

    settings (ParseSettings): How graphs are to be written.
    parsed (Iterable[Parsed]): What became of texts and pieces.
    YIELDS (Parsed): The same, with the texts that are complete in the place of their last pieces.
    """
    pieces: list[Item] = []
    graphs: list[Graph] = []
    for one in parsed:
        if one.piece is None or one.piece.piece is None:
            yield one
            continue
        number, n = one.piece.piece
        if number == 0 or (pieces and str(pieces[0]) != one.source):
            pieces, graphs = [], []
        if number == len(pieces):
            pieces.append(one.piece)
            graphs += one.graphs
        if len(pieces) == n:
            text = "".join(piece.given.text or "" for piece in pieces)
            whole = replace(one.piece, given=replace(one.piece.given, text=text))
            yield write_passage(settings, Passage(whole, []), graphs)


def lost(item: Item, reason: str) -> list[Parsed]:
    """RETURNS (List[Parsed]): What became of an input that cannot be parsed; for `run_jobs`, too."""
    row = {"id": item.name, "text": item.given.text, "error": reason}
    return [Parsed(str(item), error=reason, rows=[[row]])]
