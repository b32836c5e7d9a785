"""Training data of `sdp_parser`: their reader, `spacy-ucca.SdpCorpus.v1`, and files of bilexical graphs converted to .spacy
files and back: CoNLL-U, SDP and UCCA graphs.

The Docs carry their gold graph in `doc._.sdp`.
"""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab

from ..conversion.bilexical import to_bilexical
from ..errors import Errors, UccaError
from ..formats.conll import iter_conll
from ..formats.sdp import iter_sdp
from ..formats.text import open_lines
from ..sdp_parser.enhanced import JOIN, EnhancedSentence, iter_enhanced
from ..sdp_parser.extension import get_arcs, graph_to_sdp_doc, set_sdp
from .corpus import DocBinCorpus, bare_copy, find_docbins, graph_of_doc, read_docs, save_docs
from .pipelines import without_ucca

if TYPE_CHECKING:
    from spacy.language import Language


@registry.readers("spacy-ucca.SdpCorpus.v1")
def create_sdp_corpus(
    path: str | Path | None,
    limit: int = 0,
    shuffle: bool = False,
    keep_annotations: bool = True,
) -> "SdpCorpus":
    """Read .spacy files whose Docs have bilexical graphs.

    path (Optional[Path]): A file, or a directory searched for .spacy files.
    limit (int): Number of Docs to read. 0 is no limit.
    shuffle (bool): Give the Docs in another order in each epoch.
    keep_annotations (bool): Give the predicted Docs the tags, lemmas and dependencies stored in the file. If not, the
        pipeline has to predict them while it trains (`annotating_components`).
    RETURNS (Callable[[Language], Iterator[Example]]): The reader.
    RAISES (UccaError): If there is no path.
    """
    if path is None:
        raise UccaError(Errors.UC210)
    return SdpCorpus(path, limit=limit, shuffle=shuffle, keep_annotations=keep_annotations)


class SdpCorpus(DocBinCorpus):
    """Examples with `eg.reference._.sdp`; the arguments are those of `create_sdp_corpus`."""

    def _check(self, doc: Doc, number: int, where: str) -> None:
        _check(doc, number, where)


def write_sdp_docbin(docs: Iterable[Doc], path: str | Path) -> int:
    """Write Docs with bilexical graphs to a .spacy file, tags and dependencies included.

    docs (Iterable[Doc]): The Docs.
    path (Union[str, Path]): The file. Missing directories are made.
    RETURNS (int): The number of Docs written.
    RAISES (UccaError): If a Doc has no graph, or there are no Docs. Nothing is written then.
    """
    return save_docs(docs, path, _check)


def _check(doc: Doc, number: int, where: str) -> None:
    try:
        arcs = get_arcs(doc)
    except UccaError as err:
        raise UccaError(Errors.UC883.format(number=number, where=where, reason=err)) from None
    if arcs is None:
        raise UccaError(Errors.UC882.format(number=number, where=where))


CONLLU, CONLL, SDP, SPACY = ".conllu", (".conll", ".conllx"), ".sdp", ".spacy"


@dataclass
class BilexicalReport:
    """The counts of a conversion.

    docs, tokens, arcs (int): Their numbers; tops are not counted as arcs.
    multi_headed (int): Tokens with several heads.
    dropped (int): Arcs left out, because they are of empty words or from a token to itself.
    hidden (int): Arcs that share both tokens and the direction with another arc. A parser predicts one of them.
    """

    docs: int = 0
    tokens: int = 0
    arcs: int = 0
    multi_headed: int = 0
    dropped: int = 0
    hidden: int = 0


def iter_bilexical_docs(
    path: str | Path,
    report: BilexicalReport,
    *,
    vocab: Vocab | None = None,
    nlp: "Language | None" = None,
    cut: bool = True,
    empty: str = JOIN,
    tree: bool = False,
    limit: int = 0,
) -> Iterator[Doc]:
    """Read a file as Docs with `doc._.sdp`: one sentence each, or the Docs of a .spacy file.

    path (Union[str, Path]): A file: .conllu, whose column 9 is the graph; .conll, .conllx or .sdp; or a .spacy file (or a
        directory of these) whose Docs have bilexical graphs, or else UCCA graphs, which stay on the Docs.
    report (BilexicalReport): The counts, which are updated.
    vocab (Optional[Vocab]): The vocabulary for the Docs; the pipeline's, if there is one.
    nlp (Optional[Language]): A pipeline that predicts the tags and dependencies of the Docs, in place of those in the file.
        Tokens and sentences stay; components that set graphs are disabled.
    cut (bool), empty (str): For CoNLL-U: see `iter_enhanced`.
    tree (bool): For UCCA graphs: see `to_bilexical`.
    limit (int): Maximum number of Docs. 0 is no limit.
    YIELDS (Doc): The Docs.
    RAISES (UccaError): If there is no such file, or it is broken; the message says where.
    """
    path = Path(path)
    if not path.exists():
        raise UccaError(Errors.UC211.format(path=path))
    vocab = nlp.vocab if nlp is not None else vocab or Vocab()
    docs = _read(path, vocab, report, cut, empty, tree)
    docs = (doc for i, doc in zip(range(limit), docs)) if limit else docs
    with without_ucca(nlp) if nlp is not None else nullcontext():
        for doc in docs if nlp is None else _annotated(docs, nlp):
            _count(doc, report)
            yield doc


def _read(
    path: Path, vocab: Vocab, report: BilexicalReport, cut: bool, empty: str, tree: bool
) -> Iterator[Doc]:
    if path.is_dir() or path.suffix == SPACY:
        for file in find_docbins(path):
            for number, doc in enumerate(read_docs(file, vocab), start=1):
                if len(doc) and get_arcs(doc) is None:
                    set_sdp(doc, to_bilexical(graph_of_doc(doc, number, str(file)), tree=tree))
                if len(doc):
                    yield doc
        return
    with open_lines(path) as lines:
        if path.suffix == CONLLU:
            enhanced = False
            for sentence in iter_enhanced(lines, cut=cut, empty=empty, source=str(path)):
                report.dropped += sentence.dropped
                enhanced = enhanced or bool(sentence.graph.arcs)
                yield _enhanced_doc(sentence, vocab)
            if not enhanced:
                raise UccaError(Errors.UC886.format(path=path))
        elif path.suffix in (*CONLL, SDP):
            read = iter_sdp if path.suffix == SDP else iter_conll
            for graph in read(lines, source=str(path)):
                yield graph_to_sdp_doc(graph, vocab)
        else:
            known = ", ".join((CONLLU, *CONLL, SDP, SPACY))
            raise UccaError(Errors.UC881.format(path=path, known=known))


def _enhanced_doc(sentence: EnhancedSentence, vocab: Vocab) -> Doc:
    doc = graph_to_sdp_doc(sentence.graph, vocab, sentence.spaces)
    n = len(doc)
    if n and any(sentence.deps):
        doc = Doc(
            vocab,
            words=[token.text for token in doc],
            spaces=list(sentence.spaces),
            tags=[token.tag_ for token in doc],
            pos=[token.pos_ for token in doc],
            morphs=[str(token.morph) for token in doc],
            lemmas=[token.lemma_ for token in doc],
            heads=list(sentence.heads),
            deps=list(sentence.deps),
        )
        # Several roots of a tree are one sentence all the same.
        if len(list(doc.sents)) == 1:
            set_sdp(doc, sentence.graph)
            return doc
        return graph_to_sdp_doc(sentence.graph, vocab, sentence.spaces)
    return doc


def _annotated(docs: Iterator[Doc], nlp: "Language") -> Iterator[Doc]:
    """YIELDS (Doc): The Docs with the annotation that a pipeline predicts, in place of theirs."""

    def pairs() -> Iterator[tuple[Doc, Doc]]:
        for doc in docs:
            bare = bare_copy(doc, False, nlp.vocab)
            bare.user_data = dict(doc.user_data)  # with the graph
            yield bare, doc

    for original, doc in nlp.pipe(pairs(), as_tuples=True):
        if [token.text for token in original] != [token.text for token in doc]:
            raise UccaError(Errors.UC509)
        yield original


def _count(doc: Doc, report: BilexicalReport) -> None:
    arcs = [arc for arc in get_arcs(doc) or () if arc.head >= 0]
    pairs = {(arc.head, arc.dependent) for arc in arcs}
    n_heads: dict[int, int] = {}
    for _, dependent in pairs:
        n_heads[dependent] = n_heads.get(dependent, 0) + 1
    report.docs += 1
    report.tokens += len(doc)
    report.arcs += len(arcs)
    report.hidden += len(arcs) - len(pairs)
    report.multi_headed += sum(n > 1 for n in n_heads.values())
