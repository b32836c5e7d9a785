"""`UccaMatcher`: patterns over the graphs of Docs."""

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

import srsly
from spacy.matcher import Matcher
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ..errors import Errors, UccaError
from ..graph import Unit
from ..tokens.extension import get_graph, require_graph
from .pattern import Pattern, compile_pattern, token_patterns
from .search import can_match, find_matches
from .text import parse_pattern
from .view import Hits, View, units_inside

# What sets each attribute. spaCy's `Matcher` refuses Docs without these, except for entities.
COMPONENTS = {
    "LEMMA": "lemmatizer",
    "POS": "morphologizer",
    "TAG": "tagger",
    "MORPH": "morphologizer",
    "DEP": "parser",
    "ENT_TYPE": "ner",
}


class MissingAttributes(UccaError):
    """A Doc lacks what a pattern asks for.

    names (Iterable[str]): The attributes, such as "LEMMA".
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.attributes = sorted(names)
        self.names = " and ".join(self.attributes)
        components = sorted({COMPONENTS[name] for name in self.attributes})
        self.components = " and ".join(f"'{name}'" for name in components)
        super().__init__(Errors.UC586.format(names=self.names, components=self.components))

    def __reduce__(self) -> Any:
        return type(self), (self.attributes,)


def needed_attributes(pattern: Pattern) -> frozenset[str]:
    """RETURNS (FrozenSet[str]): The attributes of `COMPONENTS` that a pattern asks for."""
    tokens = (token for _, _, tokens in token_patterns(pattern) for token in tokens)
    return frozenset(str(key).upper() for token in tokens for key in token) & COMPONENTS.keys()


def require_attributes(doc: Doc, names: Collection[str]) -> None:
    """RAISES (MissingAttributes): If a Doc has words, and none of them has one of these attributes."""
    missing = [name for name in names if not doc.has_annotation(name)]
    if "ENT_TYPE" in missing and doc.has_annotation("ENT_IOB"):  # no entity in this Doc
        missing.remove("ENT_TYPE")
    if missing and any(not token.is_space for token in doc):
        raise MissingAttributes(missing)


Match = tuple[int, dict[str, Unit]]
Callback = Callable[["UccaMatcher", Doc, int, list[Match]], Any]
RawPattern = list[dict[str, Any]] | str


class _Entry(NamedTuple):
    """A pattern, and the keys of its tests of tokens in the `Matcher`.

    pattern (Pattern): The pattern.
    tokens (List[Dict[str, int]]): The keys of each node by attribute.
    needed (FrozenSet[int]): Those without which there is no match.
    attributes (FrozenSet[str]): What components have to set on the tokens of a Doc.
    """

    pattern: Pattern
    tokens: list[dict[str, int]]
    needed: frozenset[int]
    attributes: frozenset[str]


class UccaMatcher:
    """Find units by patterns of graphs, as spaCy's `DependencyMatcher` finds tokens by patterns of trees.

        matcher = UccaMatcher(nlp.vocab)
        matcher.add("BUY", ["H[P=what:lemma(buy) A=who A=thing]"])
        for match_id, units in matcher(doc):
            print(units["who"].text, units["thing"].text)

    vocab (Vocab): The vocabulary of the Docs.
    validate (bool): Refuse categories and kinds of Scenes that UCCA does not have, and check token patterns as `Matcher` does.
    """

    def __init__(self, vocab: Vocab, *, validate: bool = True) -> None:
        if not isinstance(vocab, Vocab):
            raise UccaError(Errors.UC686.format(type=type(vocab).__name__))
        self.vocab = vocab
        self.validate = validate
        self._raw: dict[int, list[RawPattern]] = {}
        self._callbacks: dict[int, Callback | None] = {}
        self._patterns: dict[int, list[_Entry]] = {}
        self._tokens = Matcher(vocab, validate=validate)
        self._token_keys: set[int] = set()
        self._attributes: frozenset[str] = frozenset()

    def __reduce__(self) -> Any:
        return _unpickle, (self.vocab, self.validate, self._raw, self._callbacks)

    def __len__(self) -> int:
        """RETURNS (int): The number of keys that have patterns."""
        return len(self._raw)

    def __contains__(self, key: str | int) -> bool:
        """RETURNS (bool): Whether there are patterns for a key."""
        return self.has_key(key)

    def has_key(self, key: str | int) -> bool:
        """RETURNS (bool): Whether there are patterns for a key."""
        return self._normalize(key) in self._raw

    def add(
        self, key: str | int, patterns: list[RawPattern], *, on_match: Callback | None = None
    ) -> None:
        """Add patterns. If the key has some, it gets more.

        key (Union[str, int]): The name of the patterns, which matches have as `match_id`.
        patterns (List[Union[List[Dict], str]]): The patterns: lists of dicts as those of `DependencyMatcher`, or texts; see
            `parse_pattern`.
        on_match (Optional[Callable]): Called with the matcher, the Doc, the number of the match and all matches, for each match.
        RAISES (UccaError): If a pattern is none. The message names the pattern and the node; nothing is added.
        """
        if on_match is not None and not callable(on_match):
            raise UccaError(Errors.UC654.format(key=key, type=type(on_match).__name__))
        if not isinstance(patterns, list | tuple):
            raise UccaError(Errors.UC642.format(key=key, type=type(patterns).__name__))
        number = self._normalize(key)
        known = self._raw.get(number, [])
        compiled = []
        for n, raw in enumerate(patterns, start=len(known) + 1):
            if isinstance(raw, str):
                raw = parse_pattern(raw, validate=self.validate)
            where = f"Pattern {n} of '{key}'"
            pattern = compile_pattern(raw, where, validate=self.validate)
            compiled.append(self._with_tokens(pattern, where))
        self._raw[number] = [*known, *patterns]
        self._callbacks[number] = on_match
        self._patterns.setdefault(number, []).extend(compiled)
        self._attributes = self._attributes.union(*(entry.attributes for entry in compiled))

    def get(self, key: str | int, default: Any = None) -> Any:
        """Get the patterns of a key.

        key (Union[str, int]): The key.
        default (Any): What to return if it has none.
        RETURNS (Tuple[Optional[Callable], List]): The callback, and the patterns as they were added.
        """
        number = self._normalize(key)
        if number not in self._raw:
            return default
        return self._callbacks[number], list(self._raw[number])

    def remove(self, key: str | int) -> None:
        """Remove the patterns of a key.

        key (Union[str, int]): The key.
        RAISES (UccaError): If it has none.
        """
        number = self._normalize(key)
        if number not in self._raw:
            raise UccaError(Errors.UC655.format(key=key))
        for table in (self._raw, self._callbacks, self._patterns):
            del table[number]  # type: ignore[attr-defined]
        entries = [entry for patterns in self._patterns.values() for entry in patterns]
        used = {key for entry in entries for keys in entry.tokens for key in keys.values()}
        for token_key in self._token_keys - used:
            self._tokens.remove(token_key)  # type: ignore[arg-type]
        self._token_keys &= used
        self._attributes = frozenset[str]().union(*(entry.attributes for entry in entries))

    def __call__(
        self,
        doclike: Doc | Span,
        *,
        check: Callable[[int], None] | None = None,
        max_steps: int | None = None,
    ) -> list[Match]:
        """Find all matches.

        doclike (Union[Doc, Span]): A Doc with a graph, or a part of one, of which units count if all their tokens are in it.
        check (Optional[Callable]): Called again and again with the number of steps since the last time; what it raises ends
            the search, which some patterns make very long.
        max_steps (Optional[int]): The most steps of a search; None for any number.
        RETURNS (List[Tuple[int, Dict[str, Unit]]]): For each match the number of its key, and units by the names of their
            nodes: key by key, in text order. Nodes that must not be there, or whose name is a number, are left out.
        RAISES (UccaError): If the Doc has no graph, none of its words has an attribute that a pattern asks for, such as LEMMA, or the
            search takes too many steps.
        """
        if not isinstance(doclike, Doc | Span):
            raise UccaError(Errors.UC656.format(type=type(doclike).__name__))
        doc = doclike if isinstance(doclike, Doc) else doclike.doc
        if not len(doc) and get_graph(doc) is None:
            return []
        graph = require_graph(doc)
        require_attributes(doc, self._attributes)
        inside = None
        if isinstance(doclike, Span):
            inside = units_inside(graph, doclike.start, doclike.end)
        view = View(doc, graph, inside, _counting(check, max_steps))
        hits: Hits | None = None
        found: list[Match] = []
        for key, entries in self._patterns.items():
            for pattern, tokens, needed, _ in entries:
                if not can_match(view, pattern):
                    continue
                by_tokens = None
                if any(tokens):
                    hits = self._find_tokens(doc) if hits is None else hits
                    if not needed <= hits.keys():
                        continue
                    by_tokens = [_passing(view, hits, keys) for keys in tokens]
                for units in find_matches(view, pattern, by_tokens):
                    found.append((key, dict(zip(pattern.names, map(view.unit, units)))))
        for i, (key, _) in enumerate(found):
            on_match = self._callbacks[key]
            if on_match is not None:
                on_match(self, doc, i, found)
        return found

    def _normalize(self, key: str | int) -> int:
        if isinstance(key, str):
            return self.vocab.strings.add(key)
        if isinstance(key, bool) or not isinstance(key, int):
            raise UccaError(Errors.UC677.format(key=key))
        return key

    def _with_tokens(self, pattern: Pattern, where: str) -> _Entry:
        """RETURNS (_Entry): A pattern whose tokens are looked for: the same tokens once."""
        keys: list[dict[str, int]] = [{} for _ in pattern.nodes]
        for node, name, tokens in token_patterns(pattern):
            place = f"{where}, node {node.name!r}"
            try:
                text = srsly.json_dumps(tokens, sort_keys=True)
                if text not in self._tokens:
                    self._tokens.add(text, [tokens])
            except (  # of regular expressions, of unknown extensions, of values deep in each other
                *(ValueError, TypeError, OverflowError, re.error, AttributeError, RecursionError),
            ) as err:
                reason = " ".join(str(err).split())
                message = Errors.UC657.format(where=place, name=name, reason=reason)
                raise UccaError(message) from None
            keys[node.slot][name] = self._normalize(text)
            self._token_keys.add(keys[node.slot][name])
        needed = {key for node in pattern.group.nodes for key in keys[node.slot].values()}
        return _Entry(pattern, keys, frozenset(needed), needed_attributes(pattern))

    def _find_tokens(self, doc: Doc) -> Hits:
        hits: Hits = {}
        try:
            found = self._tokens(doc, allow_missing=True)
        except AttributeError as err:  # an extension that is not registered
            message = Errors.UC657.format(where="The patterns", name="HEAD or TOKENS", reason=err)
            raise UccaError(message) from None
        for key, start, end in found:
            hits.setdefault(key, []).append((start, end))
        return hits


class TooManySteps(UccaError):
    """A search took more steps than it may."""


def _counting(
    check: Callable[[int], None] | None, max_steps: int | None
) -> Callable[[int], None] | None:
    """RETURNS (Optional[Callable]): A check that also ends a search of too many steps."""
    if max_steps is None:
        return check
    steps = 0

    def count(n: int) -> None:
        nonlocal steps
        steps += n
        if steps > max_steps:
            raise TooManySteps(Errors.UC678.format(steps=max_steps))
        if check is not None:
            check(n)

    return count


def _passing(view: View, hits: Hits, keys: dict[str, int]) -> set[int] | None:
    """RETURNS (Optional[Set[int]]): The units that pass the tests of tokens of a node; None if it has none."""
    passing = []
    for name, key in keys.items():
        units: set[int] = set()
        for start, end in hits.get(key, ()):
            units.update(view.headed_by(start) if name == "HEAD" else view.covering(start, end))
        passing.append(units)
    return set.intersection(*passing) if passing else None


def _unpickle(
    vocab: Vocab,
    validate: bool,
    raw: dict[int, list[RawPattern]],
    callbacks: dict[int, Callback | None],
) -> UccaMatcher:
    matcher = UccaMatcher(vocab, validate=validate)
    for key, patterns in raw.items():
        matcher.add(key, patterns, on_match=callbacks[key])
    return matcher
