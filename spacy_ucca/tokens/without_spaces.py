"""Copies of Docs without tokens of white space, and the way back: what was written to a copy is written to its Doc.

White space inside a sentence says nothing, but spaCy's tokenizer makes tokens of it, which models see.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy
from spacy.attrs import IS_SPACE  # type: ignore[attr-defined]
from spacy.symbols import SPACE  # type: ignore[attr-defined]
from spacy.tokens import Doc, Span, SpanGroup

from ..errors import Errors, UccaError
from ..graph import Graph, GraphBuilder
from .boundaries import GOES_ON, STARTS, set_boundaries
from .extension import UCCA, get_graph
from .storage import read_entries, words_of

if TYPE_CHECKING:
    from ..conversion.graph import BilexicalGraph

ENTITY = ["ENT_IOB", "ENT_TYPE", "ENT_ID", "ENT_KB_ID"]
ATTRS: list[int | str] = [*"NORM TAG POS MORPH LEMMA SENT_START HEAD DEP".split(), *ENTITY]
SENT_START, HEAD, DEP, IOB = map(ATTRS.index, ("SENT_START", "HEAD", "DEP", "ENT_IOB"))
INSIDE, OUTSIDE = 1, 2  # values of ENT_IOB
SDP = "sdp"  # the extension of `sdp_parser`

_ORIGINALS: "WeakKeyDictionary[Doc, Doc]" = WeakKeyDictionary()  # by copy


def without_spaces(doc: Doc, *, paragraphs: bool = False) -> Doc:
    """Copy a Doc without its tokens of white space.

    doc (Doc): The Doc.
    paragraphs (bool): Whether to start a sentence after each blank line of a Doc without sentences, which is changed.
    RETURNS (Doc): The copy, with all annotation of the other tokens; the Doc itself, if it has no such token, or no other.
    """
    n_spaces = numpy.count_nonzero(doc.to_array(IS_SPACE))
    if n_spaces in (0, len(doc)):
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
        doc, texts = self.doc, words_of(self.doc)
        followed = doc.to_array("SPACY").astype(bool) | numpy.append(self.space[1:], False)
        words = [texts[i] for i in self.words]
        copy = Doc(doc.vocab, words, followed[self.words].tolist()).from_array(ATTRS, self._rows())
        blank = numpy.zeros(len(copy), dtype=bool)
        _carry(doc, copy, Doc(doc.vocab), self.before, self.before, self.words, blank)
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
        _carry(copy, doc, old, words, numpy.append(0, words + 1), self.nearest, self.space)

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
        defaults: dict[str, Any] = {"TAG": strings.add("_SP"), "POS": SPACE, "SENT_START": GOES_ON}
        defaults |= {"MORPH": doc.vocab.morphology.add(""), "LEMMA": doc.to_array("ORTH")}
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
        entities = numpy.concatenate([new[:, IOB:], numpy.array([[OUTSIDE, 0, 0, 0]], "uint64")])
        values[:, IOB:] = entities[self.before[:-1]]
        values[space & (values[:, IOB] != INSIDE), IOB:] = entities[-1]
        names = [name for name in ATTRS if name in changed]
        doc.from_array(names, values[:, [ATTRS.index(name) for name in names]])


def _carry(
    source: Doc, target: Doc, old: Doc, starts: Any, ends: Any, sources: Any, blank: Any
) -> None:
    """Carry what is no attribute of a token to another Doc.

    source, target (Doc): From where, and where to.
    old (Doc): A Doc with the tokens of the source, and what is to stay as the target has it.
    starts, ends (ndarray[int]): The tokens of the target where tokens of the source start, and before which they end.
    sources (ndarray[int]): The token of the source for each token of the target.
    blank (ndarray[bool]): Whether each token of the target is white space.
    """
    for name in ("cats", "user_hooks", "user_token_hooks", "user_span_hooks"):
        setattr(target, name, getattr(source, name))
    if len(source.tensor) == len(source):
        tensor = source.tensor[sources]
        tensor[blank] = 0
        target.tensor = tensor
    for name, group in source.spans.items():
        if name not in old.spans or _plain(old.spans[name]) != _plain(group):
            spans = [
                Span(target, int(starts[i]), int(ends[j]), label, kb_id=kb_id, span_id=id_)
                for i, j, label, kb_id, id_ in _plain(group)
                if starts[i] < ends[j]
            ]
            target.spans[name] = SpanGroup(target, name=group.name, attrs=group.attrs, spans=spans)
    places = {a: b for b, a in enumerate(sources.tolist()) if not blank[b]}
    pairs = [(source[a], target[b]) for a, b in places.items()]
    first = {None: None, **{a.idx: b.idx for a, b in pairs}}
    last = {None: None, **{a.idx + len(a): b.idx + len(b) for a, b in pairs}}
    for key, value in source.user_data.items():
        match key:
            case ("._.", str(name), start, end):
                if not name.endswith(".stored") and start in first and end in last:
                    target.user_data["._.", name, first[start], last[end]] = value
            case _:
                target.user_data[key] = value
    if not blank.any():
        flags = source._.ucca_punct
        target._.ucca_punct = flags and [flags[i] for i in sources]
        target._.ucca_guidelines = source._.ucca_guidelines
    if read_entries(source, UCCA) != read_entries(old, UCCA) and not has_units_of_spaces(source):
        target._.ucca = _moved_graph(get_graph(source), target, places, sources, blank)
    if read_entries(source, SDP) != read_entries(old, SDP):
        target._.sdp = _moved_arcs(source._.sdp, target, places, sources, blank)


def _plain(group: SpanGroup) -> list[tuple]:
    return [(span.start, span.end, span.label, span.kb_id, span.id) for span in group]


def _moved_graph(graph: Graph | None, doc: Doc, places: dict, sources: Any, blank: Any) -> Any:
    """RETURNS (Optional[Graph]): A graph over the tokens of another Doc. White space hangs on nothing."""
    if graph is None:
        return None
    flags = numpy.array(graph.punct)[sources] & ~blank
    paragraphs = numpy.array(graph.paragraphs)[sources]
    builder = GraphBuilder(words_of(doc), punct=flags.tolist(), paragraphs=paragraphs.tolist())
    builder.add_graph(graph, [places.get(i, -1) for i in range(len(graph.words))])
    builder.details = dict(graph.details)
    return builder.build(check=False)


def _moved_arcs(
    graph: "BilexicalGraph | None", doc: Doc, places: dict, sources: Any, blank: Any
) -> Any:
    """RETURNS (Optional[BilexicalGraph]): A graph over the tokens of another Doc, without the arcs of white space."""
    if graph is None:
        return None
    from ..conversion.graph import ROOT, Token

    ends = {ROOT: ROOT, **places}
    arcs = [arc for arc in graph.arcs if arc.head in ends and arc.dependent in ends]
    moved = tuple(a._replace(head=ends[a.head], dependent=ends[a.dependent]) for a in arcs)
    flags = numpy.array(graph.punct)[sources] & ~blank
    words = tuple(map(Token, words_of(doc)))
    return replace(graph, tokens=words, arcs=moved, punct=tuple(flags.tolist()))
