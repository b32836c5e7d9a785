"""`Doc._.ucca`, `Span._.ucca` and `Token._.ucca`: graphs on spaCy's objects; `Doc._.ucca_guidelines` and
`Doc._.ucca_punct`, what is known before parsing.

What lies in `doc.user_data` is a record as JSON (`Graph.to_record` without the words, which the Doc
has): one text, because a text cannot be changed in place. The `Graph` is built when it is first read.

What keeps the graph: `Doc.to_bytes`, `Doc.to_disk`, `Doc.copy`, pickle, `nlp.pipe(n_process=2)`,
`DocBin(store_user_data=True)` and, as JSON of `srsly`, `Doc.to_json(underscore=["ucca"])`. `Doc.from_docs` joins
graphs, `span.as_doc(copy_user_data=True)` cuts them, and after `doc.retokenize()` they are read over the new tokens.
What drops the graph: `DocBin()` and `span.as_doc()`.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

from spacy.attrs import ORTH
from spacy.tokens import Doc, Span, Token

from ..errors import Errors, GraphError, UccaError
from ..graph import Graph
from ..graph.data import check_words
from ..graph.record import make_record
from ..graph.unit import Unit
from .storage import (
    TOKENS,
    checksum,
    read_entries,
    record_from_text,
    record_to_text,
    token_codes,
    words_of,
    write_entry,
)

UCCA = "ucca"
GUIDELINES = "ucca_guidelines"
PUNCT = "ucca_punct"

# Per Doc: what a graph was built from, the tokens then, and the graph. An entry counts only while
# source and tokens are what they were, so nobody can see an outdated graph; it lives beside the Doc, not
# in it, so neither pickle nor `Doc.copy` ever meets it.
_BUILT: "WeakKeyDictionary[Doc, tuple[Any, bytes, Graph]]" = WeakKeyDictionary()


def get_graph(doc: Doc) -> Graph | None:
    """Get the graph of a Doc, as `doc._.ucca` does.

    doc (Doc): The Doc.
    RETURNS (Optional[Graph]): Its graph, one root per sentence; None if it has none. The same
        object is returned until the annotation changes.
    RAISES (UccaError): If the tokens have changed since, or what is stored is no graph.
    """
    entries = read_entries(doc, UCCA)
    if not entries:
        return None
    tokens = doc.to_array(ORTH).tobytes()
    built = _BUILT.get(doc)
    if built is not None and built[:2] == (entries, tokens):
        return built[2]
    records = [(start, _from_text(value)) for start, value in entries]
    (start, record), words = records[0], words_of(doc)
    if len(records) > 1 or start or _is_of_others(record, words):
        from .carry import carry_graph

        carried = carry_graph(doc, records)
        if carried is None:
            return None
        graph = carried
    else:
        graph = Graph.from_record(_with_words(record, words))
    if all(isinstance(value, str) for _, value in entries):  # a record there could change
        _BUILT[doc] = (entries, tokens, graph)
    return graph


def require_graph(doc: Doc) -> Graph:
    """Get the graph of a Doc that has to have one.

    doc (Doc): The Doc.
    RETURNS (Graph): Its graph.
    RAISES (UccaError): If it has none, or is no Doc.
    """
    graph = get_graph(doc)
    if graph is None:
        raise UccaError(Errors.UC602.format(what="Doc"))
    return graph


def set_graph(doc: Doc, graph: Graph | Mapping[str, Any] | str | None) -> None:
    """Store a graph on a Doc, as `doc._.ucca = graph` does.

    doc (Doc): The Doc.
    graph (Union[Graph, Mapping, str, None]): The graph, the record of one, also as JSON, the graph in brackets, or None to take
        it away.
    RAISES (UccaError): If the words of the graph are not the tokens of the Doc (`text.align.project`
        moves a graph to other tokens), or its details are not plain data.
    """
    if graph is None:
        write_entry(doc, UCCA, None)
        _BUILT.pop(doc, None)
        return
    orths = doc.to_array(ORTH)
    words = [doc.vocab.strings[orth] for orth in orths.tolist()]
    if isinstance(graph, str) and graph.lstrip().startswith(("[", "#")):
        from ..formats.brackets import read_brackets

        graph = Graph.join(read_brackets(graph))
    if isinstance(graph, Mapping | str):
        try:
            record = record_from_text(graph) if isinstance(graph, str) else graph
        except ValueError as err:
            raise GraphError(Errors.UC689.format(reason=err)) from None
        graph = Graph.from_record(_with_words(record, words))
    elif not isinstance(graph, Graph):
        raise UccaError(Errors.UC202.format(type=type(graph).__name__))
    check_words(graph.words, words)
    _check_plain(graph.details, "/details")
    record = {**make_record(graph, words=checksum(words)), TOKENS: token_codes(doc, words)}
    text = record_to_text(record)
    write_entry(doc, UCCA, text)
    _BUILT[doc] = ([(0, text)], orths.tobytes(), graph)


def get_guidelines(doc: Doc) -> str:
    """What `doc._.ucca_guidelines` gives.

    doc (Doc): The Doc.
    RETURNS (str): The name of the guidelines that its annotation follows, or is wanted to follow; "" if
        nobody has said, or the Doc was joined of several that follow different ones.
    """
    names = set(map(itemgetter(1), read_entries(doc, GUIDELINES)))
    return names.pop() if len(names) == 1 else ""


def set_guidelines(doc: Doc, name: str) -> None:
    """Say which guidelines the annotation of a Doc follows: corpora of different guidelines can then be
    learned together, and a parser that did can be asked for either.

    doc (Doc): The Doc.
    name (str): Any name, the same in training and parsing, such as "v2"; "" to take it away.
    """
    write_entry(doc, GUIDELINES, str(name) if name else None)


def get_punct(doc: Doc) -> tuple[bool, ...] | None:
    """What `doc._.ucca_punct` gives.

    doc (Doc): The Doc.
    RETURNS (Optional[Tuple[bool, ...]]): Whether each token is punctuation, if it came with its tokens, as in
        corpora; None where the parser is to say, such as in a Doc that was joined of several that do not all say it.
    RAISES (UccaError): If the Doc has another number of tokens since, and the flags cannot be carried over.
    """
    entries = read_entries(doc, PUNCT)
    if not entries:
        return None
    from .carry import carry_flags

    carried = carry_flags(doc, entries, PUNCT)
    return None if carried is None else tuple(carried)


def set_punct(doc: Doc, flags: Sequence[bool] | None) -> None:
    """Say which tokens of a Doc are punctuation: its graph will have punctuation units over these and no
    others.

    doc (Doc): The Doc.
    flags (Optional[Sequence[bool]]): Whether each token is; None to leave that to the parser.
    RAISES (UccaError): If there are not as many as tokens.
    """
    if flags is None:
        write_entry(doc, PUNCT, None)
        return
    if len(flags) != len(doc):
        raise UccaError(Errors.UC206.format(n=len(flags), tokens=len(doc)))
    write_entry(
        doc, PUNCT, {PUNCT: list(map(bool, flags)), TOKENS: token_codes(doc, words_of(doc))}
    )


def get_span_unit(span: Span) -> Unit | None:
    """Get the smallest unit that covers a span, as `span._.ucca` does. Tokens attached to nothing,
    such as whitespace, are not asked for.

    span (Span): The span.
    RETURNS (Optional[Unit]): The unit; the root if the span is a whole sentence; None if no single
        sentence covers the span or there is no graph.
    """
    graph = get_graph(span.doc)
    if graph is None:
        return None
    wanted = {i for i in range(span.start, span.end) if graph.unit_of(i) is not None}
    unit = graph.unit_of(min(wanted)) if wanted else None
    while unit is not None and not wanted.issubset(unit.tokens()):
        unit = unit.parent
    while unit is not None and unit.parent is not None and wanted.issuperset(_sentence(unit)):
        unit = unit.parent
    return unit


def get_token_unit(token: Token) -> Unit | None:
    """Get the unit that a token is attached to, as `token._.ucca` does.

    token (Token): The token.
    RETURNS (Optional[Unit]): Its parent; None if it is attached to nothing or there is no graph.
    """
    graph = get_graph(token.doc)
    return None if graph is None else graph.unit_of(token.i)


def _sentence(unit: Unit) -> tuple[int, ...]:
    while unit.parent is not None:
        unit = unit.parent
    return unit.tokens()


def _is_of_others(record: Any, words: Sequence[str]) -> bool:
    """RETURNS (bool): Whether a record is that of other words."""
    stored = record.get("words") if isinstance(record, Mapping) else None
    return isinstance(stored, int) and stored != checksum(words)


def _with_words(record: Any, words: Sequence[str]) -> Any:
    """A complete record: with the words of the Doc where only their checksum was stored."""
    if not isinstance(record, Mapping):
        return record
    if _is_of_others(record, words):
        raise UccaError(Errors.UC203.format(n=len(words)))
    stored = record.get("words")
    if isinstance(stored, list | tuple):
        check_words(stored, words)
    return {**record, "words": list(words)}


def _from_text(text: Any) -> Any:
    """Parse a record from text; other values are left to `Graph.from_record`."""
    try:
        return record_from_text(text) if isinstance(text, str) else text
    except ValueError as err:
        raise GraphError(Errors.UC010.format(reason=err)) from None


def _check_plain(value: Any, path: str) -> None:
    if isinstance(value, Mapping):
        for key, part in value.items():
            if not isinstance(key, str):
                raise UccaError(Errors.UC204.format(path=path, type=type(key).__name__))
            _check_plain(part, f"{path}/{key}")
    elif isinstance(value, list | tuple):
        for part in value:
            _check_plain(part, path)
    elif value is not None and not isinstance(value, str | int | float):
        raise UccaError(Errors.UC204.format(path=path, type=type(value).__name__))
