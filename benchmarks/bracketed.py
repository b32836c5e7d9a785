"""Read the English examples that the UCCA guidelines give in brackets, out of the plain text of the guidelines.

An example stands in curly quotes. Its categories stand directly behind words and brackets, here with our own words:

    “HeA [tookF aF napC]P”           units of one word and of several
    “[myS+A (cat)A]E catC”           several categories; remote units in round brackets, which are no text
    “DrinkP (IMP)A”                  implicit units, the same
    “SheA putP−itA down−P”           a discontinuous unit: the minus sign is where it goes on

Behind the closing quote of an example in another language stands that language.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Example", "Labeled", "read_example", "read_examples"]

_CATEGORY = r"(?:CMR|UNA|[ACDEFGHLNPQRST])"
_CATEGORIES = rf"{_CATEGORY}(?:\+{_CATEGORY})*"
_MINUS = "\u2212"
_QUOTED = re.compile(r"\u201c([^\u201c\u201d]*)\u201d(?! ?de\b|es\b|he\b)")
_LABEL = re.compile(rf"({_MINUS}?)({_CATEGORIES})(?:({_MINUS})|(?![a-z\d]))")
_RUN = re.compile(r"[^\s\[\]()]+")
_START = re.compile(rf"(.+?)({_CATEGORIES}){_MINUS}")  # of a discontinuous unit
_END = re.compile(rf"([^{_MINUS}]+){_MINUS}({_CATEGORIES})")
_LABELED = re.compile(rf"(.+?)({_CATEGORIES})")
_SPACE = re.compile(r"\s+")
_PUNCT = re.compile(r"[^\w\s$%]+")
_ABBREVIATION = re.compile(r"(?:[A-Z]|[A-Z][a-z]{1,2})\.")
_CLITIC = re.compile(r"(.+?)(n't|'(?:s|m|d|re|ve|ll))")
_NO_CATEGORIES = {"UNA", "CMR"}  # they say more of a unit whose category stands beside them
_NO_WORDS = {"UNA", "IMP"}


class Labeled(NamedTuple):
    """A unit of an example.

    category (str): Its category; a unit with two is two of these.
    tokens (FrozenSet[int]): The indices of its words, without punctuation.
    """

    category: str
    tokens: frozenset[int]


class Example(NamedTuple):
    """An example of the guidelines.

    words (Tuple[str, ...]): The tokens.
    units (Tuple[Labeled, ...]): The units with a category, but no remote and no implicit ones.
    punct (FrozenSet[int]): The indices of punctuation.
    """

    words: tuple[str, ...]
    units: tuple[Labeled, ...]
    punct: frozenset[int]


def read_examples(text: str) -> list[Example]:
    """Read all English examples of a text.

    text (str): The text of the guidelines.
    RETURNS (List[Example]): The examples with at least one unit, in text order, each text once.
    """
    lines = [line for line in text.replace("\f", "\n").split("\n") if not line.strip().isdigit()]
    joined = re.sub(r"(?<=[a-z])- (?=[a-z])", "", " ".join(lines))  # words cut at the end of a line
    found = {}
    for quoted in _QUOTED.finditer(joined):
        example = read_example(quoted[1])
        if example.units:
            found.setdefault(example.words, example)
    return list(found.values())


def read_example(text: str) -> Example:
    """Read one example. Brackets that do not match are no units.

    text (str): What stands between the quotes.
    RETURNS (Example): The example.
    """
    reader = _Reader(text.replace("\u2019", "'").replace("\u2018", "' "))
    reader.read()
    return Example(tuple(reader.words), tuple(reader.units), frozenset(reader.punct))


@dataclass
class _Reader:
    text: str
    words: list[str] = field(default_factory=list)
    units: list[Labeled] = field(default_factory=list)
    punct: set[int] = field(default_factory=set)
    # Where open brackets start, and whether a word without category stands directly in them
    opened: list[int] = field(default_factory=list)
    plain: list[bool] = field(default_factory=lambda: [False])
    parts: list[tuple[str, frozenset[int]]] = field(default_factory=list)

    def read(self) -> None:
        position = 0
        while position < len(self.text):
            position = self._read_at(position)

    def _read_at(self, position: int) -> int:
        """RETURNS (int): Where to go on."""
        char = self.text[position]
        if space := _SPACE.match(self.text, position):
            return space.end()
        if char == "[":
            self.opened.append(len(self.words))
            self.plain.append(False)
            return position + 1
        if char == "]":
            label = _LABEL.match(self.text, position + 1)
            if self.opened:
                start = self.opened.pop()
                self.plain.pop()
                if label:
                    self._add(label[2], range(start, len(self.words)), label[1], label[3])
            return label.end() if label else position + 1
        if char == "(":
            return self._skip(position)
        if char == ")":
            return position + 1
        run = _RUN.match(self.text, position)
        assert run is not None
        return position + self._read_run(run[0])

    def _skip(self, position: int) -> int:
        """RETURNS (int): Where a remote or implicit unit and its category end."""
        if self.words and self.words[-1] == ",":
            self.words.pop()
        end = self.text.find(")", position) + 1 or len(self.text)
        label = _LABEL.match(self.text, end)
        return label.end() if label else end

    def _read_run(self, run: str) -> int:
        """RETURNS (int): How many characters of a run without brackets and spaces were read."""
        if start := _START.match(run):
            self._add(start[2], self._put(start[1]), "", _MINUS)
            return start.end()
        word = run if _ABBREVIATION.fullmatch(run) else run.rstrip(".,:;!?'\"") or run
        if end := _END.fullmatch(word):
            self._add(end[2], self._put(end[1]), _MINUS, "")
        elif word in _NO_WORDS:
            pass
        elif (labeled := _LABELED.fullmatch(word)) and not self._is_acronym(labeled[1]):
            self._add(labeled[2], self._put(labeled[1]), "", "")
        else:
            clitic = _CLITIC.fullmatch(word)
            for part in clitic.groups() if clitic else (word,):
                self._put(part)
            self.plain[-1] |= not _PUNCT.fullmatch(word)
        if len(word) < len(run):
            self._put(run[len(word) :])
        return len(run)

    def _is_acronym(self, stem: str) -> bool:
        """Whether the last letter is the word's own: among words without category it can be no category."""
        return self.plain[-1] and stem.isalpha() and stem.isupper() and len(stem) > 1

    def _put(self, word: str) -> range:
        n = len(self.words)
        self.words.append(word)
        if _PUNCT.fullmatch(word):
            self.punct.add(n)
        return range(n, n + 1)

    def _add(self, label: str, tokens: range, before: str, after: str) -> None:
        """Add a unit, or a part of one: `before` and `after` are its minus signs."""
        covered = frozenset(tokens) - self.punct
        if before:
            i = next((i for i, part in reversed([*enumerate(self.parts)]) if part[0] == label), -1)
            if i < 0:
                return
            covered |= self.parts.pop(i)[1]
        if after:
            self.parts.append((label, covered))
        elif covered:
            self.units.extend(Labeled(name, covered) for name in _names(label))


def _names(label: str) -> Iterator[str]:
    yield from (name for name in label.split("+") if name not in _NO_CATEGORIES)
