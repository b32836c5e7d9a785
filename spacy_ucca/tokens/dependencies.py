"""Write UCCA graphs to `Token.head` and `Token.dep_`, for a dependency parser to learn, and read them back.

The conversion is that of section 3.1 of the draft "Broad-Coverage Semantic Constituency Parsing"
(Hershcovich, Abend and Rappoport): one head for each token, no remote edges. Beside what the conversion
loses, the label of a top is always ROOT, as spaCy's parser has it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy
from spacy.tokens import Doc

from ..conversion.bilexical import from_bilexical, to_bilexical
from ..conversion.graph import ROOT, TOP, Arc, BilexicalGraph, Token
from ..errors import Errors, UccaError
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES, join_categories, split_label
from ..graph.data import check_words
from .extension import get_graph
from .storage import require_doc, require_docs, words_of

ROOT_LABEL = "ROOT"
# What spaCy's parser may give to any token, although no tree has it, and what that is taken for: "dep"
# stands for labels too rare to be learned (`min_action_freq`).
_OTHER_LABELS = {"dep": "A", ROOT_LABEL: "H"}


def set_dependencies(doc: Doc, graph: Graph) -> None:
    """Make the tree of a graph the dependencies of a Doc, in place of any that it has. Its sentences become
    the roots of the graph.

    Labels are categories, several of them by head priority and joined by "|" ("T|D"); tops have ROOT.
    Tokens attached to nothing, such as whitespace, get the token beside them as head and no label: spaCy
    takes this for missing annotation, of which a parser learns nothing.

    doc (Doc): The Doc.
    graph (Graph): A graph over its tokens.
    RAISES (UccaError): If the graph is over other tokens.
    """
    n = len(doc)
    check_words(graph.words, words_of(doc))
    heads, labels = [-1] * n, [""] * n
    tops: list[int] = []
    for arc in to_bilexical(graph, tree=True).arcs:
        if arc.head == ROOT:
            heads[arc.dependent], labels[arc.dependent] = arc.dependent, ROOT_LABEL
            tops.append(arc.dependent)
        else:
            heads[arc.dependent] = arc.head
            labels[arc.dependent] = join_categories(split_label(arc.label))
    _join_overlapping(graph, heads, labels, tops)
    last = next((token for token in range(n) if heads[token] >= 0), 0)
    for token in range(n):
        if heads[token] < 0:
            # Before the first one that is attached, to the one after it: no arc crosses another then.
            heads[token] = token + 1 if token < last else max(token - 1, 0)
    ids = [doc.vocab.strings.add(label) if label else 0 for label in labels]
    offsets = numpy.asarray(heads, dtype="int64") - numpy.arange(n)
    columns = [numpy.asarray(ids, dtype="uint64"), offsets.astype("uint64")]
    _write(doc, ["DEP", "HEAD"], numpy.stack(columns, axis=1))


def _join_overlapping(graph: Graph, heads: list[int], labels: list[str], tops: list[int]) -> None:
    """Sentences are one after the other: put a top whose root begins before an earlier one ends under the
    top of that one."""
    roots = [root for root in graph.roots if root.head is not None]
    ends: list[tuple[int, int]] = []
    for root in sorted(roots, key=lambda root: root.tokens()[0]):
        tokens, top = root.tokens(), root.head
        assert top is not None
        if ends and tokens[0] < ends[-1][0]:
            end, first = ends[-1]
            heads[top], labels[top] = first, "H"
            ends[-1] = (max(end, tokens[-1] + 1), first)
        else:
            ends.append((tokens[-1] + 1, top))


def clear_dependencies(doc: Doc) -> None:
    """Take dependencies off a Doc; its sentences stay. spaCy's parser does not do so itself: tokens that it
    leaves without a head keep the head that an earlier parser gave them.

    doc (Doc): The Doc.
    """
    n = len(doc)
    if not n or not doc.has_annotation("DEP"):
        return
    sentences = doc.to_array(["SENT_START"])
    # Children are only counted again where there are labels.
    root = doc.vocab.strings.add(ROOT_LABEL)
    _write(doc, ["DEP", "HEAD"], numpy.tile(numpy.asarray([root, 0], dtype="uint64"), (n, 1)))
    _write(doc, ["DEP"], numpy.zeros((n, 1), dtype="uint64"))
    _write(doc, ["SENT_START"], sentences)


def _write(doc: Doc, attrs: list[str], values: Any) -> None:
    doc.from_array(list(attrs), values)


def with_dependencies(docs: Iterable[Doc]) -> Iterator[Doc]:
    """Copies of Docs with the trees of their graphs as dependencies: data to train a dependency parser on.

    docs (Iterable[Doc]): Docs with graphs.
    YIELDS (Doc): New Docs, with the same graphs, tags and guidelines.
    RAISES (UccaError): If a Doc has no graph.
    """
    for number, doc in enumerate(require_docs(docs), start=1):
        graph = get_graph(doc)
        if graph is None:
            raise UccaError(Errors.UC831.format(number=number))
        copied = doc.copy()
        set_dependencies(copied, graph)
        yield copied


def has_categories(doc: Doc) -> bool:
    """Tell whether the dependencies of a Doc are a tree of categories, and not of another scheme.

    doc (Doc): The Doc.
    RETURNS (bool): False too, if it has tokens and no dependencies.
    """
    if not doc.has_annotation("DEP"):
        return not len(doc)
    labels = {doc.vocab.strings[key] for key in set(doc.to_array("DEP").tolist()) - {0}}
    return all(map(_is_category, labels))


def _is_category(label: str) -> bool:
    return label in _OTHER_LABELS or set(split_label(label)) <= CATEGORY_NAMES.keys()


def get_dependencies(doc: Doc) -> list[tuple[int, BilexicalGraph]]:
    """The trees of a Doc's dependencies, sentence by sentence.

    Whitespace is left out: what depends on it goes to its head. So are tokens without a label, and the label
    "dep", which spaCy's parser gives where it knows none, becomes A.

    doc (Doc): The Doc, with dependencies labeled by categories.
    RETURNS (List[Tuple[int, BilexicalGraph]]): For each sentence, its first token and its tree.
    RAISES (UccaError): If there are no dependencies, or labels that are no categories.
    """
    require_doc(doc)
    if not len(doc):
        return []
    if not doc.has_annotation("DEP"):
        before = {"what": "dependencies", "component": "a `parser`", "command": "dependencies"}
        raise UccaError(Errors.UC832.format(text=doc.text[:40], **before))
    columns = doc.to_array(["HEAD", "DEP", "IS_SPACE", "IS_PUNCT"])
    words = words_of(doc)
    strings = doc.vocab.strings
    sentences = []
    for span in doc.sents:
        here = slice(span.start, span.end)
        offsets = columns[here, 0].astype("int64").tolist()
        arcs = _arcs(
            [i + offset for i, offset in enumerate(offsets)],
            [strings[key] for key in columns[here, 1].tolist()],
            columns[here, 2].astype("bool").tolist(),
        )
        punct = columns[here, 3].astype("bool").tolist()
        sentences.append(
            (span.start, BilexicalGraph(tuple(map(Token, words[here])), arcs, tuple(punct)))
        )
    return sentences


def _arcs(heads: list[int], labels: list[str], space: list[bool]) -> tuple[Arc, ...]:
    """The arcs of a sentence, without whitespace."""
    arcs = []
    for token, (head, label) in enumerate(zip(heads, labels)):
        if space[token] or not label:
            continue
        steps = 0
        while space[head] and heads[head] != head and steps < len(heads):
            head, steps = heads[head], steps + 1
        if head == token or space[head]:
            arcs.append(Arc(ROOT, token, TOP))
            continue
        if not _is_category(label):
            raise UccaError(Errors.UC833.format(label=label))
        arcs.append(Arc(head, token, _OTHER_LABELS.get(label, label)))
    return tuple(arcs)


def graph_from_dependencies(doc: Doc, *, levels: bool = True, one_unit: bool = False) -> Graph:
    """Make the UCCA graph that a Doc's dependencies stand for, with a root for each sentence.

    doc (Doc): The Doc, with dependencies labeled by categories; see `get_dependencies`.
    levels, one_unit (bool): The way back: see `from_bilexical`.
    RETURNS (Graph): The graph; whitespace is attached to nothing.
    RAISES (UccaError): If there are no dependencies, or labels that are no categories.
    """
    sentences = get_dependencies(doc)
    return Graph.join(
        from_bilexical(tree, levels=levels, one_unit=one_unit)
        if tree.arcs
        else Graph(tree.words, [], [], punct=tree.punct)
        for _, tree in sentences
    )
