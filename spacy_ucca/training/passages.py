"""Gold passages as plain text, with the sentences that they are annotated in: to score a pipeline on raw text."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ..errors import Errors, UccaError
from ..formats.conllu import UdSentence, by_document, read_sentence_ids, read_ud_sentences
from ..formats.xml import iter_xml, read_xml
from ..graph import Graph
from ..text.align import align_words
from ..text.spacing import doc_words, spaces_between, text_of
from ..text.split import ends_by_ud, paragraph_ends, sentence_ends

__all__ = ["GoldPassage", "choose_files", "read_passages"]


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
        """RETURNS (str): The text, with a blank line between paragraphs."""
        return text_of(self.graph.words, self.spaces, self.paragraph_ends)


def read_passages(
    source: str | Path,
    *,
    ids: Sequence[str | Path] = (),
    ud: Sequence[str | Path] = (),
    on_skipped: Callable[[Path, Exception | str], None] | None = None,
) -> list[GoldPassage]:
    """Read the passages of a corpus of UCCA XML.

    source (Union[str, Path]): A file, a directory of .xml files, or one with a folder `xml` of them.
    ids (Sequence[Union[str, Path]]): Files listing passages or sentences, one id a line. A passage is read if it is listed
        or all of its sentences are. All passages are read if there are no files.
    ud (Sequence[Union[str, Path]]): CoNLL-U files that say what the sentences and paragraphs are, and where spaces stand.
        Without them, sentences are found by annotation and spaces by rules of English spelling.
    on_skipped (Optional[Callable[[Path, Union[Exception, str]], None]]): Called with a file that cannot be used, or a name
        in the lists that is not there, and the reason.
    RETURNS (List[GoldPassage]): The passages.
    RAISES (UccaError): If there is no such corpus, list or UD file, or no passage is left.
    """
    listed = {line.split()[0] for path in ids for line in read_sentence_ids(path)}
    passages_of_lists = {item[:end] for item in listed for end in range(1, len(item) + 1)}
    documents = by_document(s for path in ud for s in read_ud_sentences(path)) if ud else None
    files = list(iter_xml(source))
    if on_skipped is not None:
        _, missing = choose_files(files, listed)
        for item in missing.get("", ()):
            on_skipped(Path(item), "no passage of this name")
    found = []
    for file in files:
        if ids and file.stem not in passages_of_lists:
            continue
        try:
            passage, sentence_ids = _read_passage(file, documents)
        except (UccaError, OSError) as err:
            if on_skipped is not None:
                on_skipped(file, err)
            continue
        if not ids or file.stem in listed or listed.issuperset(sentence_ids):
            found.append(passage)
    if not found:
        raise UccaError(Errors.UC221.format(path=source))
    return found


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
        by_stem.setdefault(file.stem, []).append(file)
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
    file: Path, documents: dict[str, list[UdSentence]] | None
) -> tuple[GoldPassage, list[str]]:
    """RETURNS (Tuple[GoldPassage, List[str]]): The passage, and the ids of its sentences."""
    graph = read_xml(file)
    if not graph.words:
        raise UccaError(Errors.UC217.format(index=0))
    if "" in graph.words:
        graph = graph.replace(words=doc_words(graph.words))
    paragraphs = paragraph_ends(graph)
    passage_id = str(graph.details.get("id", file.stem))
    ends = sentence_ends(graph)  # also tells passages without annotation
    if documents is None:
        spaces = [
            s for a, b in pairwise([0, *paragraphs]) for s in spaces_between(graph.words[a:b])
        ]
        for end in ends[:-1]:
            spaces[end - 1] = True
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


def spaces_in(words: Sequence[str], text: str) -> list[bool]:
    """RETURNS (List[bool]): Whether a space follows each word in a text. The text may differ from the words a little."""
    pieces = align_words(words, text.split()).a2b
    spaces = []
    for i, here in enumerate(pieces[:-1]):
        following = pieces[i + 1]
        spaces.append(not (here and following) or here[-1] != following[0])
    return [*spaces, False] if words else []
