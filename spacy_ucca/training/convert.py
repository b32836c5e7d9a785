"""Convert UCCA corpora of any format to training data: .spacy files, sentence by sentence.

`read_passages` reads gold passages as plain text, with the sentences that they are annotated in: to score a pipeline on raw text.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors, UccaError
from ..formats.conllu import UdSentence, by_document, read_sentence_ids, read_ud_sentences
from ..formats.files import IdMaker, find_files, read_graphs
from ..formats.recognise import name_of
from ..graph import Graph
from ..graph.data import with_guidelines
from ..parser.settings import DEFAULT_GUIDELINES
from ..text.align import align_words
from ..text.spacing import doc_words, original_spaces, original_text, spaces_between, text_of
from ..text.split import ends_by_ud, paragraph_ends, sentence_ends, split_by_ud, split_sentences
from ..tokens.extension import set_guidelines
from .corpus import graph_to_doc, write_docbin
from .pipelines import without_ucca

if TYPE_CHECKING:
    from spacy.language import Language


@dataclass(frozen=True)
class GoldPassage:
    """An annotated passage.

    graph (Graph): Its graph.
    spaces (Tuple[bool, ...]): Whether a space follows each word.
    sentence_ends (Tuple[int, ...]): For each sentence the index of the word after its last one.
    paragraph_ends (Tuple[int, ...]): The same for paragraphs.
    """

    graph: Graph
    spaces: tuple[bool, ...]
    sentence_ends: tuple[int, ...]
    paragraph_ends: tuple[int, ...]

    @property
    def text(self) -> str:
        """RETURNS (str): The text that the words are from; if it is not known, with a blank line between paragraphs."""
        known = original_text(self.graph)
        if known is not None:
            return known[0]
        return text_of(self.graph.words, self.spaces, self.paragraph_ends)


def read_passages(
    source: str | Path,
    *,
    ids: Sequence[str | Path] = (),
    ud: Sequence[str | Path] = (),
    on_skipped: Callable[[str | Path, Exception | str], None] | None = None,
) -> list[GoldPassage]:
    """Read the passages of a corpus.

    source (Union[str, Path]): A file of any format, a directory of files, or one with a folder `xml` of them.
    ids (Sequence[Union[str, Path]]): Files listing passages or sentences, one id a line. A passage is read if it is listed
        or all of its sentences are. All passages are read if there are no files.
    ud (Sequence[Union[str, Path]]): CoNLL-U files that say what the sentences and paragraphs are, and where spaces stand.
        Without them, sentences are found by annotation, and spaces are those of the file's text or, if it has none, set by
        rules of English spelling.
    on_skipped (Optional[Callable[[Union[str, Path], Union[Exception, str]], None]]): Called with a file or passage that cannot
        be used, or a name in the lists that is not there, and the reason.
    RETURNS (List[GoldPassage]): The passages.
    RAISES (UccaError): If there is no such corpus, list or UD file, or no passage is left.
    """
    listed, documents = _read_lists(ids), _read_documents(ud)
    begun = {start for item in listed for start in _beginnings(item)}
    report = on_skipped or (lambda what, reason: None)
    id_maker = IdMaker()
    files = find_passage_files([source], [*ids, *ud])
    names = set(map(name_of, files))
    found = []
    for file in _choose_files(files, listed) if ids else files:
        try:
            graphs = id_maker.complete(file, read_graphs(file, on_bad=report))
        except (UccaError, OSError) as err:
            report(file, err)
            continue
        for graph in graphs:
            passage_names = {name_of(file), str(graph.details["id"])}
            names |= passage_names
            if ids and passage_names.isdisjoint(begun):
                continue
            try:
                passage, sentence_ids = _read_passage(graph, documents)
            except UccaError as err:
                report(file if len(graphs) == 1 else f"{file} ({graph.details['id']})", err)
                continue
            if not passage_names.isdisjoint(listed) or listed.issuperset(
                sentence_ids if ids else ()
            ):
                found.append(passage)
    for item in sorted(listed):
        if names.isdisjoint(_beginnings(item)):
            report(item, "no passage of this name")
    if not found:
        raise UccaError(Errors.UC221.format(path=source))
    return found


def find_passage_files(
    sources: Sequence[str | Path], others: Sequence[str | Path] = ()
) -> list[Path]:
    """Find the files of a corpus.

    sources (Sequence[Union[str, Path]]): Files of any format, directories of files, or directories with a folder `xml` of them.
    others (Sequence[Union[str, Path]]): Files that say something of the corpus, such as the UD sentences. They may lie beside
        its files.
    RETURNS (List[Path]): The files.
    RAISES (UccaError): If there are none.
    """
    known = {Path(path).resolve() for path in others}
    return [path for path in find_files(sources) if path.resolve() not in known]


def _read_lists(ids: Sequence[str | Path]) -> set[str]:
    """RETURNS (Set[str]): The ids in files that list them. What follows the id in a line is a remark."""
    return {line.split()[0] for path in ids for line in read_sentence_ids(path)}


def _beginnings(item: str) -> Iterator[str]:
    """YIELDS (str): What the id of a sentence begins with: that of its passage is among them."""
    return (item[:end] for end in range(1, len(item) + 1))


def _choose_files(files: Sequence[Path], listed: set[str]) -> list[Path]:
    """RETURNS (List[Path]): Files that may have what is listed. Those of XML are named by their passages, others are not."""
    begun = {start for item in listed for start in _beginnings(item)}
    return [file for file in files if file.suffix.lower() != ".xml" or name_of(file) in begun]


def _read_documents(ud: Sequence[str | Path]) -> dict[str, list[UdSentence]] | None:
    """RETURNS (Optional[Dict[str, List[UdSentence]]]): The sentences of each document; None without files."""
    return by_document(s for path in ud for s in read_ud_sentences(path)) if ud else None


def _read_passage(
    graph: Graph, documents: dict[str, list[UdSentence]] | None
) -> tuple[GoldPassage, list[str]]:
    """RETURNS (Tuple[GoldPassage, List[str]]): The passage, and the ids of its sentences."""
    if not graph.words:
        raise UccaError(Errors.UC217)
    if "" in graph.words:
        graph = graph.replace(words=doc_words(graph.words))
    paragraphs = paragraph_ends(graph)
    passage_id = str(graph.details["id"])
    ends = sentence_ends(graph)  # also tells passages without annotation
    if documents is None:
        spaces = original_spaces(graph) or _spaces(graph.words, ends, paragraphs)
        sentence_ids = [f"{passage_id}{i:03d}" for i in range(len(ends))]
    else:
        given = documents.get(passage_id)
        if not given:
            raise UccaError(Errors.UC222.format(passage=passage_id))
        text = "".join(s.text + " " * s.spaces[-1] for s in given)
        found = ends_by_ud(graph, given)
        ends = sorted({*(end for end in found if end is not None), len(graph.words)})
        paragraphs = sorted(
            {*paragraphs}
            | {end for end, s in zip(found, given[1:]) if s.starts_paragraph and end is not None}
        )
        spaces = spaces_in(graph.words, text)
        sentence_ids = [f"{passage_id}-{s.sent_id.rpartition('-')[2]}" for s in given]
    return GoldPassage(graph, tuple(spaces), tuple(ends), tuple(paragraphs)), sentence_ids


def _spaces(words: Sequence[str], ends: Sequence[int], paragraphs: Sequence[int]) -> list[bool]:
    """RETURNS (List[bool]): Whether a space follows each word, by English spelling; after a sentence always."""
    spaces = [s for a, b in pairwise([0, *paragraphs]) for s in spaces_between(words[a:b])]
    for end in ends[:-1]:
        spaces[end - 1] = True
    return spaces


def spaces_in(words: Sequence[str], text: str) -> list[bool]:
    """RETURNS (List[bool]): Whether a space follows each word in a text. The text may differ from the words a little."""
    pieces = align_words(words, text.split()).a2b
    spaces = []
    for i, here in enumerate(pieces[:-1]):
        following = pieces[i + 1]
        spaces.append(not (here and following) or here[-1] != following[0])
    return [*spaces, False] if words else []


_MAX_REASONS = 5


class Skipped(NamedTuple):
    """A file, passage or sentence that was left out or differs from UD: its name or id, and the reason."""

    what: str
    reason: str


@dataclass
class ConversionReport:
    """The counts of a conversion.

    passages (int): Passages that sentences were taken from.
    sentences (int): Docs.
    tokens (int): Tokens of all Docs.
    with_spaces (int): Docs whose spaces come from UD or from the text of the file. Other Docs have spaces by rule.
    skipped (List[Skipped]): Left out, and why.
    differing (List[Skipped]): Sentences that are not left out although UD has other characters in them.
    """

    passages: int = 0
    sentences: int = 0
    tokens: int = 0
    with_spaces: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    differing: list[Skipped] = field(default_factory=list)

    @property
    def failed(self) -> int:
        """RETURNS (int): How many were left out because of an error, and not because they are not there."""
        return sum(reason.startswith("[UC") for _, reason in self.skipped)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The report as plain data, for JSON."""
        lists = {key: [s._asdict() for s in getattr(self, key)] for key in ("skipped", "differing")}
        return {**asdict(self), **lists}

    def __str__(self) -> str:
        head = f"{self.passages} passages, {self.sentences} sentences, {self.tokens} tokens"
        lines = [f"skipped {what}: {reason}" for what, reason in self.skipped]
        lines += [f"differs {what}: {reason}" for what, reason in self.differing]
        return "\n".join([head, *lines])


def convert_corpus(
    source: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    nlp: "Language | None" = None,
    **options: Any,
) -> ConversionReport:
    """Convert a corpus to a .spacy file for `spacy-ucca.Corpus.v1`.

    source (Union[str, Path, Sequence[Union[str, Path]]]): A file of any format, a directory of files, or one with a
        folder `xml` of them; or several of these.
    output (Union[str, Path]): The .spacy file.
    nlp (Optional[Language]): A pipeline whose tags and dependencies the Docs get; `ucca_parser` in it
        is passed over.
    **options: `ids`, `ud`, `passages`, `guidelines`, `limit` and `on_passage`, as for `iter_docs`.
    RETURNS (ConversionReport): Counts, and what was skipped and why.
    RAISES (UccaError): If there is no such corpus, list or UD file, or nothing is left to write.
    """
    report = ConversionReport()
    vocab = nlp.vocab if nlp is not None else Vocab()
    docs = iter_docs(source, report, vocab=vocab, **options)
    try:
        _write(docs, output, nlp)
    except UccaError as err:
        if report.sentences:
            raise
        reasons = "\n".join(f"{what}: {reason}" for what, reason in report.skipped[:_MAX_REASONS])
        raise UccaError("\n".join([str(err), *([reasons] if reasons else [])])) from None
    return report


def _write(docs: Iterable[Doc], output: str | Path, nlp: "Language | None") -> int:
    with nullcontext() if nlp is None else without_ucca(nlp):
        return write_docbin(docs if nlp is None else nlp.pipe(docs), output)


def write_sentences(
    graphs: Iterable[Graph], output: str | Path, nlp: "Language | None" = None
) -> int:
    """Write gold graphs of sentences to a .spacy file for `spacy-ucca.Corpus.v1`.

    graphs (Iterable[Graph]): The graphs. Spaces are those of the text in their details, if they have it.
    output (Union[str, Path]): The .spacy file.
    nlp (Optional[Language]): A pipeline whose tags and dependencies the Docs get.
    RETURNS (int): The number of Docs.
    RAISES (UccaError): If there are no graphs.
    """
    vocab = nlp.vocab if nlp is not None else Vocab()
    docs = [graph_to_doc(_plain(graph), vocab, original_spaces(graph)) for graph in graphs]
    for doc in docs:
        set_guidelines(doc, doc._.ucca.guidelines or DEFAULT_GUIDELINES)
    return _write(docs, output, nlp)


def iter_docs(
    source: str | Path | Sequence[str | Path],
    report: ConversionReport,
    *,
    vocab: Vocab,
    ids: Sequence[str | Path] = (),
    ud: Sequence[str | Path] = (),
    passages: bool = False,
    guidelines: str = "",
    limit: int = 0,
    on_passage: Callable[[int, int], None] | None = None,
) -> Iterator[Doc]:
    """The Docs that `convert_corpus` writes, but for tags and dependencies.

    source (Union[str, Path, Sequence[Union[str, Path]]]): As for `convert_corpus`.
    report (ConversionReport): Where counts and reasons go.
    vocab (Vocab): The vocabulary for the Docs.
    ids (Sequence[Union[str, Path]]): Files listing the passages (by the name of the file without .xml)
        or the sentences to take, one id a line; everything if there are none.
    ud (Sequence[Union[str, Path]]): CoNLL-U files that say what the sentences are and where spaces
        stand, for corpora annotated over UD treebanks. Without them, sentences are split by annotation.
    passages (bool): One Doc per passage, not per sentence.
    guidelines (str): The name of the guidelines that the corpus follows; see `Doc._.ucca_guidelines`. If not given, each
        file's own, or else the current ones, "v2".
    limit (int): Stop after so many Docs. 0 is no limit.
    on_passage (Optional[Callable[[int, int], None]]): Called after each passage with the number of
        passages done and of all.
    YIELDS (Doc): The Docs, with `doc._.ucca`; its details have the id of the sentence or passage.
    RAISES (UccaError): If there is no such corpus, list or UD file.
    """
    sources = [source] if isinstance(source, str | Path) else source
    files = find_passage_files(sources, [*ids, *ud])
    listed, documents = _read_lists(ids), _read_documents(ud)
    chosen = _choose_files(files, listed) if ids else files
    handled: set[str] = set()
    id_maker = IdMaker()
    for number, file in enumerate(chosen, start=1):
        done = report.sentences
        before = len(report.skipped)
        parts: list[tuple[Graph, list[bool] | None]] = []
        passages_here = 0
        try:
            graphs = read_graphs(
                file, on_bad=lambda what, reason: report.skipped.append(Skipped(what, str(reason)))
            )
            for passage in id_maker.complete(file, graphs):
                if guidelines:
                    passage = passage.replace(details=with_guidelines(passage.details, guidelines))
                names = {name_of(file), str(passage.details["id"])}
                wanted = listed if ids and names.isdisjoint(listed) else None
                handled |= names
                found = _divide(passage, documents, passages, wanted, report)
                passages_here += bool(found)
                parts += found
        except (UccaError, OSError) as err:
            report.skipped.append(Skipped(str(file), str(err)))
            # The reason stands once, with the file.
            handled.update(item for item in listed if item.startswith(name_of(file)))
        handled.update(what for what, _ in report.skipped[before:])
        for graph, spaces in parts:
            graph_id = graph.details["id"]
            handled.add(graph_id)
            try:
                doc = graph_to_doc(graph, vocab, spaces)
            except UccaError as err:
                report.skipped.append(Skipped(graph_id, str(err)))
                continue
            if not len(doc):
                report.skipped.append(Skipped(graph_id, "it has no words"))
                continue
            report.sentences += 1
            report.tokens += len(doc)
            report.with_spaces += spaces is not None
            set_guidelines(doc, graph.guidelines or DEFAULT_GUIDELINES)
            yield doc
            if limit and report.sentences >= limit:
                break
        report.passages += passages_here * (report.sentences > done)
        if on_passage is not None:
            on_passage(number, len(chosen))
        if limit and report.sentences >= limit:
            return
    stems = set(map(name_of, files))
    for item in sorted(listed - handled):
        known = not stems.isdisjoint(_beginnings(item))
        reason = "no such sentence in its passage" if known else "no passage of this name"
        report.skipped.append(Skipped(item, reason))


def _divide(
    graph: Graph,
    documents: dict[str, list[UdSentence]] | None,
    whole: bool,
    wanted: set[str] | None,
    report: ConversionReport,
) -> list[tuple[Graph, list[bool] | None]]:
    """RETURNS (List[Tuple[Graph, Optional[List[bool]]]]): The sentences of a passage that are wanted (all if wanted is None), or
    the whole passage, and whether a space follows each of their words."""
    passage = str(graph.details.get("id", ""))
    if documents is None or whole:
        parts = [graph] if whole else split_sentences(graph)
        return [
            (_plain(part), original_spaces(part))
            for part in parts
            if wanted is None or part.details.get("id") in wanted
        ]
    given = documents.get(passage, [])
    if not given:
        raise UccaError(Errors.UC222.format(passage=passage))
    texts = {f"{passage}-{s.sent_id.rpartition('-')[2]}": s.text for s in given}
    ids = [i for i in texts if wanted is None or i in wanted]
    sentences = split_by_ud(graph, given, ids)
    for problem in sentences.problems:
        reasons = report.differing if problem.kept else report.skipped
        reasons.append(Skipped(problem.id, problem.reason))
    return [
        (_plain(part), spaces_in(part.words, texts[part.details["id"]]))
        for part in sentences.graphs
    ]


def _plain(graph: Graph) -> Graph:
    """Copy a graph with no details but its id and guidelines: training does not use those of XML."""
    details = {"id": str(graph.details.get("id", ""))}
    return graph.replace(details=with_guidelines(details, graph.guidelines))
