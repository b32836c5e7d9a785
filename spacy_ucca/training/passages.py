"""Gold passages as plain text, with the sentences that they are annotated in: to score a pipeline on raw text."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ..errors import Errors, UccaError
from ..formats.conllu import UdSentence, by_document, read_sentence_ids, read_ud_sentences
from ..formats.files import IdMaker, find_files, read_graphs
from ..formats.recognise import name_of
from ..graph import Graph
from ..text.align import align_words
from ..text.spacing import doc_words, original_spaces, original_text, spaces_between, text_of
from ..text.split import ends_by_ud, paragraph_ends, sentence_ends


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
    listed = {line.split()[0] for path in ids for line in read_sentence_ids(path)}
    prefixes = {item[:end] for item in listed for end in range(1, len(item) + 1)}
    documents = by_document(s for path in ud for s in read_ud_sentences(path)) if ud else None
    report = on_skipped or (lambda what, reason: None)
    id_maker = IdMaker()
    names: set[str] = set()
    found = []
    for file in find_passage_files([source], [*ids, *ud]):
        names.add(name_of(file))
        if ids and file.suffix.lower() == ".xml" and name_of(file) not in prefixes:
            continue  # the passage has the name of its file
        try:
            graphs = id_maker.complete(file, read_graphs(file, on_bad=report))
        except (UccaError, OSError) as err:
            report(file, err)
            continue
        for graph in graphs:
            passage_names = {name_of(file), str(graph.details["id"])}
            names |= passage_names
            if ids and passage_names.isdisjoint(prefixes):
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
        if item not in names and not _passage_of(item, names):
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


def choose_files(
    files: Sequence[Path], wanted: set[str] | None
) -> tuple[list[Path], dict[str, list[str]]]:
    """Choose the files that contain something wanted.

    files (Sequence[Path]): The files, named by their passages.
    wanted (Optional[Set[str]]): Ids of passages or sentences; None stands for all.
    RETURNS (Tuple[List[Path], Dict[str, List[str]]]): The files; and by the name of a file (or "") the wanted ids that are
        no file names.
    """
    if wanted is None:
        return list(files), {}
    by_stem: dict[str, list[Path]] = {}  # several corpora may have files of one name
    for file in files:
        by_stem.setdefault(name_of(file), []).append(file)
    chosen: set[Path] = set()
    sentences: dict[str, list[str]] = {}
    for item in sorted(wanted):
        stem = item if item in by_stem else _passage_of(item, by_stem)
        if stem:
            chosen.update(by_stem[stem])
        if stem != item:
            sentences.setdefault(stem, []).append(item)
    return [file for file in files if file in chosen], sentences


def _passage_of(sentence_id: str, by_stem: Container[str]) -> str:
    """RETURNS (str): The passage of a sentence: the longest passage id that the sentence id starts with, or ""."""
    for end in range(len(sentence_id) - 1, 0, -1):
        if sentence_id[:end] in by_stem:
            return sentence_id[:end]
    return ""


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
