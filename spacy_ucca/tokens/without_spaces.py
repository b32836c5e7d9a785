"""Copies of Docs without tokens of white space, and the way back: what was written to a copy is written to its Doc.

White space inside a sentence says nothing, but spaCy's tokenizer makes tokens of it, which models see.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy
from spacy.attrs import IS_SPACE  # type: ignore[attr-defined]
from spacy.symbols import SPACE  # type: ignore[attr-defined]
from spacy.tokens import Doc, Span, SpanGroup

from ..conversion.graph import ROOT, BilexicalGraph, Token
from ..errors import Errors, UccaError
from ..graph import Graph, GraphBuilder
from .boundaries import GOES_ON, STARTS, set_boundaries
from .extension import PUNCT, UCCA, get_graph, get_punct, set_punct
from .storage import read_entries, words_of

__all__ = ["has_units_of_spaces", "with_spaces", "without_spaces"]

ENTITY = ["ENT_IOB", "ENT_TYPE", "ENT_ID", "ENT_KB_ID"]
ATTRS: list[int | str] = [
    "NORM",
    "TAG",
    "POS",
    "MORPH",
    "LEMMA",
    "SENT_START",
    "HEAD",
    "DEP",
    *ENTITY,
]
SENT_START, HEAD, DEP, IOB = (
    ATTRS.index(name) for name in ("SENT_START", "HEAD", "DEP", "ENT_IOB")
)
INSIDE, OUTSIDE = 1, 2  # values of ENT_IOB
SDP = "sdp"  # the extension of `sdp_parser`
# Entries of the user data by token; older versions have stored them by the bare names.
OWN = {f"{name}{end}" for name in (UCCA, PUNCT, SDP) for end in ("", ".stored")}

_ORIGINALS: "WeakKeyDictionary[Doc, Doc]" = WeakKeyDictionary()  # by copy


def without_spaces(doc: Doc, *, paragraphs: bool = False) -> Doc:
    """Copy a Doc without its tokens of white space.

    doc (Doc): The Doc.
    paragraphs (bool): Whether to start a sentence after each blank line of a Doc without sentences, which is changed.
    RETURNS (Doc): The copy, with all annotation of the other tokens; the Doc itself, if it has no such token, or no other.
    """
    if not (space := doc.to_array(IS_SPACE)).any() or space.all():
        return doc
    if paragraphs:
        set_boundaries(doc, quotes=False)
    copy = _Places(doc).copy()
    _ORIGINALS[copy] = doc
    return copy


def with_spaces(doc: Doc) -> Doc:
    """Write back what was written to the copy of a Doc. Tokens of white space get what spaCy's pipelines give them.

    doc (Doc): A result of `without_spaces`.
    RETURNS (Doc): The Doc that it is a copy of, which is changed; another Doc as it is.
    RAISES (UccaError): If the copy has other tokens now.
    """
    original = _ORIGINALS.pop(doc, None)
    if original is None:
        return doc
    _Places(original).write_back(doc)
    return original


def has_units_of_spaces(doc: Doc) -> bool:
    """RETURNS (bool): Whether tokens of white space have units in the graph of a Doc, as in some corpora."""
    spaces = doc.to_array(IS_SPACE).nonzero()[0].tolist()
    graph = get_graph(doc) if spaces else None
    return graph is not None and any(graph.unit_of(i) is not None for i in spaces)


class _Places:
    """Where the words of a Doc are: its tokens but those of white space.

    doc (Doc): The Doc.
    space (ndarray[bool]): Whether each token is white space.
    words (ndarray[int]): The token of each word.
    before (ndarray[int]): For each token, and for the end, the number of words before it.
    nearest (ndarray[int]): For each token its word, or else the last word before it, or else the first one.
    """

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.space: Any = doc.to_array(IS_SPACE).astype(bool)
        self.words: Any = (~self.space).nonzero()[0]
        self.before: Any = numpy.append(0, numpy.cumsum(~self.space))
        self.nearest: Any = numpy.maximum(self.before[1:] - 1, 0)

    def copy(self) -> Doc:
        """RETURNS (Doc): A copy of the Doc with its words alone."""
        doc, words = self.doc, self.words
        texts = words_of(doc)
        followed = doc.to_array("SPACY").astype(bool) | numpy.append(self.space[1:], False)
        copy = Doc(doc.vocab, [texts[i] for i in words], followed[words].tolist())
        copy.from_array(ATTRS, self._rows())
        _share(doc, copy)
        if len(doc.tensor) == len(doc):
            copy.tensor = doc.tensor[words]
        for name, group in doc.spans.items():
            copy.spans[name] = _moved_spans(group, copy, self.before, self.before)
        copy.user_data.update(_moved_data(doc, copy, enumerate(words.tolist()), back=False))
        if (flags := get_punct(doc)) is not None:
            set_punct(copy, [flags[i] for i in words])
        if read_entries(doc, UCCA) and not has_units_of_spaces(doc):
            copy._.ucca = _moved_graph(get_graph(doc), copy, self.before, words)
        if read_entries(doc, SDP):
            copy._.sdp = _moved_arcs(doc._.sdp, copy, self.before, words)
        return copy

    def _rows(self) -> Any:
        """RETURNS (ndarray[uint64]): The attributes of the words."""
        values: Any = self.doc.to_array(ATTRS)
        rows = values[self.words]
        # A sentence that starts with white space starts with the word after it.
        n_starts = numpy.cumsum(values[:, SENT_START] == STARTS)
        rows[numpy.diff(n_starts[self.words], prepend=0) > 0, SENT_START] = STARTS
        # What hangs on white space hangs on its head. If that is a root, the first word under it becomes the root.
        heads = numpy.arange(len(values)) + values[:, HEAD].astype("int64")
        roots: dict[int, int] = {}
        for word in self.words[self.space[heads[self.words]]].tolist():
            head = heads[word]
            for _ in range(len(heads)):  # not for ever, if there is a circle
                head = heads[head] if self.space[head] else head
            heads[word] = roots.setdefault(int(head), word) if self.space[head] else head
        offsets = self.before[heads[self.words]] - numpy.arange(len(rows))
        rows[:, HEAD] = offsets.astype("uint64")
        return rows

    def write_back(self, copy: Doc) -> None:
        """Write what is new in a copy to the Doc.
        RAISES (UccaError): If the copy has other tokens now."""
        doc, words, old = self.doc, self.words, self.copy()
        if words_of(copy) != words_of(old):
            raise UccaError(Errors.UC207.format(n=len(old), tokens=len(copy)))
        self._write_rows(old.to_array(ATTRS), copy.to_array(ATTRS))
        _share(copy, doc)
        if len(copy.tensor) == len(copy):
            tensor = copy.tensor[self.nearest]
            tensor[self.space] = 0
            doc.tensor = tensor
        for name, group in copy.spans.items():
            if name not in old.spans or _plain(old.spans[name]) != _plain(group):
                doc.spans[name] = _moved_spans(group, doc, words, numpy.append(0, words + 1))
        doc.user_data.update(_moved_data(copy, doc, enumerate(words.tolist()), back=True))
        if read_entries(copy, UCCA) != read_entries(old, UCCA):
            doc._.ucca = _moved_graph(get_graph(copy), doc, words, self.nearest, self.space)
        if read_entries(copy, SDP) != read_entries(old, SDP):
            doc._.sdp = _moved_arcs(copy._.sdp, doc, words, self.nearest, self.space)

    def _write_rows(self, old: Any, new: Any) -> None:
        """Write attributes that have changed, of words and of white space."""
        doc, words, space = self.doc, self.words, self.space
        changed = {name for name, differs in zip(ATTRS, (old != new).any(axis=0)) if differs}
        for group in ({"HEAD", "DEP"}, set(ENTITY)):
            changed |= group if changed & group else set()
        if not changed:
            return
        values: Any = doc.to_array(ATTRS)
        values[words] = numpy.where(old == new, values[words], new)
        strings = doc.vocab.strings
        defaults: dict[str, Any] = {
            "TAG": strings.add("_SP"),
            "POS": SPACE,
            "MORPH": doc.vocab.morphology.add(""),
            "LEMMA": doc.to_array("ORTH"),
            "SENT_START": GOES_ON,
        }
        for name, value in defaults.items():
            column = values[:, ATTRS.index(name)]
            column[:] = numpy.where(space & (column == 0), value, column)
        if space[0]:  # the first sentence starts there
            values[[0, words[0]], SENT_START] = STARTS, GOES_ON
        heads = words[self.nearest]
        heads[words] = words[numpy.arange(len(words)) + new[:, HEAD].astype("int64")]
        values[:, HEAD] = (heads - numpy.arange(len(doc))).astype("uint64")
        values[space, DEP] = strings.add("dep")
        # White space is inside of an entity, if the word after it is.
        none = numpy.array([[OUTSIDE, 0, 0, 0]], dtype="uint64")
        entities = numpy.append(new[:, IOB:], none, axis=0)
        follows = entities[self.before[:-1]]
        follows[space & (follows[:, 0] != INSIDE)] = entities[-1]
        values[:, IOB:] = follows
        names = [name for name in ATTRS if name in changed]
        doc.from_array(names, values[:, [ATTRS.index(name) for name in names]])


def _share(source: Doc, target: Doc) -> None:
    """Give one Doc what another one has that belongs to no token."""
    for name in ("cats", "user_hooks", "user_token_hooks", "user_span_hooks"):
        setattr(target, name, getattr(source, name))


def _moved_spans(group: SpanGroup, doc: Doc, starts: Any, ends: Any) -> SpanGroup:
    """RETURNS (SpanGroup): The Spans of a group on another Doc, given their places there. Those of white space alone are gone."""
    spans = [
        Span(doc, int(starts[start]), int(ends[end]), label=label, kb_id=kb_id, span_id=id_)
        for start, end, label, kb_id, id_ in _plain(group)
        if start < end and starts[start] < ends[end]
    ]
    return SpanGroup(doc, name=group.name, attrs=group.attrs, spans=spans)


def _plain(group: SpanGroup) -> list[tuple]:
    return [(span.start, span.end, span.label, span.kb_id, span.id) for span in group]


def _moved_data(
    source: Doc, target: Doc, pairs: Iterable[tuple[int, int]], *, back: bool
) -> Iterator[tuple[Any, Any]]:
    """YIELDS (Tuple[Any, Any]): Entries of the user data. Those of a token or Span get its place in the other Doc.

    pairs (Iterable[Tuple[int, int]]): The number of each word, and its token.
    back (bool): Whether the words are those of the source.
    """
    starts: dict[Any, Any] = {None: None}
    ends: dict[Any, Any] = {None: None}
    for word, token in pairs:
        a, b = (source[word], target[token]) if back else (source[token], target[word])
        starts[a.idx], ends[a.idx + len(a)] = b.idx, b.idx + len(b)
    for key, value in source.user_data.items():
        of_extension = isinstance(key, tuple) and len(key) == 4 and key[0] == "._."
        if (key[1] if of_extension else key) in OWN:
            continue
        if of_extension and not key[1].endswith(".stored"):
            if key[2] in starts and key[3] in ends:
                yield (*key[:2], starts[key[2]], ends[key[3]]), value
        else:
            yield key, value


def _moved_graph(
    graph: Graph | None, doc: Doc, places: Any, sources: Any, space: Any = False
) -> Graph | None:
    """Move a graph to another Doc.

    graph (Optional[Graph]): The graph.
    places (ndarray[int]): The token of each token of the graph.
    sources (ndarray[int]): The token of the graph for each token of the Doc.
    space (Union[ndarray[bool], bool]): Whether each token of the Doc is white space, which hangs on nothing.
    RETURNS (Optional[Graph]): The graph.
    """
    if graph is None:
        return None
    flags = numpy.array(graph.punct)[sources] & ~numpy.asarray(space)
    paragraphs = numpy.array(graph.paragraphs)[sources]
    builder = GraphBuilder(words_of(doc), punct=flags.tolist(), paragraphs=paragraphs.tolist())
    builder.add_graph(graph, places.tolist())
    builder.details = dict(graph.details)
    return builder.build(check=False)


def _moved_arcs(
    graph: BilexicalGraph | None, doc: Doc, places: Any, sources: Any, space: Any = False
) -> BilexicalGraph | None:
    """RETURNS (Optional[BilexicalGraph]): A bilexical graph on another Doc, as by `_moved_graph`. Arcs of white space are gone."""
    if graph is None:
        return None
    back = numpy.append(sources, ROOT)  # to see which tokens have no place
    moved = {token: int(places[token]) for token in range(len(graph.tokens))}
    moved = {ROOT: ROOT} | {a: b for a, b in moved.items() if back[b] == a}
    arcs = (arc for arc in graph.arcs if arc.head in moved and arc.dependent in moved)
    flags = numpy.array(graph.punct)[sources] & ~numpy.asarray(space)
    return replace(
        graph,
        tokens=tuple(map(Token, words_of(doc))),
        arcs=tuple(
            arc._replace(head=moved[arc.head], dependent=moved[arc.dependent]) for arc in arcs
        ),
        punct=tuple(flags.tolist()),
    )
