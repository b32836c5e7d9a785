"""Training data of `sdp_parser`: their reader, `spacy-ucca.SdpCorpus.v1`, and files of bilexical graphs converted to .spacy
files and back: CoNLL-U, SDP and UCCA graphs.

The Docs carry their gold graph in `doc._.sdp`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
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
from .corpus import DocBinCorpus, find_docbins, found_on, graph_of_doc, read_docs
from .label import with_syntax

if TYPE_CHECKING:
    from spacy.language import Language


@registry.readers("spacy-ucca.SdpCorpus.v1")
class SdpCorpus(DocBinCorpus):
    """Examples with `eg.reference._.sdp`, from .spacy files whose Docs have bilexical graphs; the arguments are those of
    `DocBinCorpus`."""

    def _check(self, doc: Doc, number: int, where: str) -> None:
        require_arcs(doc, number, where)


def require_arcs(doc: Doc, number: int, where: str) -> None:
    """Check a Doc of a file, as `write_docbin` does.

    doc (Doc): The Doc.
    number (int): Its number in the file, from 1.
    where (str): What messages call the file.
    RAISES (UccaError): If it has no bilexical graph, or one of other words.
    """
    names = {"graph": "bilexical graph", "command": "bilexical"}
    found_on(doc, get_arcs, **names, number=number, where=where)


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
    docs = islice(docs, limit or None)
    for doc in docs if nlp is None else with_syntax(docs, nlp):
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
    syntax = {"heads": list(sentence.heads), "deps": list(sentence.deps)}
    # Several roots of a tree are one sentence all the same.
    is_tree = sum(head == i for i, head in enumerate(sentence.heads)) == 1
    if not is_tree or not any(sentence.deps):
        syntax = {}
    return graph_to_sdp_doc(sentence.graph, vocab, sentence.spaces, **syntax)


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
