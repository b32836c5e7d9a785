"""Divide words into the pieces that a pretrained encoder knows: by Unigram (SentencePiece, XLM-R) or by WordPiece (BERT)."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

UNIGRAM, WORDPIECE = "unigram", "wordpiece"
SPACE = "▁"  # begins the pieces of Unigram that follow white space
MAX_CACHED = 100_000  # words
# of a word that are read: one of random letters would take minutes
MAX_CHARACTERS, MAX_PIECES = 2000, 100


class Pieces:
    """A vocabulary of pieces, and the way to divide words by it.

    kind (str): "unigram" or "wordpiece".
    pieces (Sequence[str]): The pieces, in the order of their numbers.
    scores (Union[Sequence[float], ndarray[float]]): The log probability of each, for "unigram".
    begin, end, unknown (int): The numbers of the pieces that begin and end a text, and stand for what is unknown.
    lower (bool): Whether letters become small and lose their accents, for "wordpiece".
    """

    def __init__(
        self,
        kind: str,
        pieces: Sequence[str],
        scores: Any = (),
        *,
        begin: int,
        end: int,
        unknown: int,
        lower: bool = False,
    ) -> None:
        self.kind = kind
        self.pieces = list(pieces)
        self.scores = numpy.asarray(scores, dtype="float32").tolist()
        self.begin, self.end, self.unknown = begin, end, unknown
        self.lower = lower
        self._numbers = dict(zip(self.pieces, range(len(self.pieces))))
        for special in (begin, end, unknown):
            self._numbers.pop(self.pieces[special], None)
        self._longest = max(map(len, self.pieces), default=1)
        self._least = min(self.scores, default=0.0) - 10.0
        self._cache: dict[tuple[str, bool], list[int]] = {}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Pieces":
        """RETURNS (Pieces): What `to_dict` gave."""
        return cls(**{**data, "pieces": data["pieces"].split("\n")})

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Plain data."""
        return {
            "kind": self.kind,
            "pieces": "\n".join(self.pieces),
            "scores": numpy.array(self.scores, dtype="float32"),
            "begin": self.begin,
            "end": self.end,
            "unknown": self.unknown,
            "lower": self.lower,
        }

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": {}}

    def of(self, word: str, after_space: bool = True) -> list[int]:
        """Divide a word.

        word (str): The word.
        after_space (bool): Whether white space is before it in its text.
        RETURNS (List[int]): The numbers of its pieces; none for white space.
        """
        found = self._cache.get((word, after_space))
        if found is None:
            if len(self._cache) >= MAX_CACHED:
                self._cache.clear()
            divide = self._unigram if self.kind == UNIGRAM else self._wordpiece
            found = divide(word[:MAX_CHARACTERS], after_space)[:MAX_PIECES]
            self._cache[word, after_space] = found
        return found

    def _unigram(self, word: str, after_space: bool) -> list[int]:
        text = SPACE.join(unicodedata.normalize("NFKC", word).split())
        if not text:
            return []
        if after_space:
            text = SPACE + text
        return self._best_pieces(text)

    def _best_pieces(self, text: str) -> list[int]:
        """RETURNS (List[int]): The most probable pieces, by Viterbi search; unknown characters in a row are one piece."""
        best = [0.0] + [float("-inf")] * len(text)
        last = [(0, self.unknown)] * (len(text) + 1)
        numbers, scores = self._numbers, self.scores
        for start in range(len(text)):
            before = best[start]
            for end in range(start + 1, min(start + self._longest, len(text)) + 1):
                number = numbers.get(text[start:end])
                if number is not None and before + scores[number] > best[end]:
                    best[end], last[end] = before + scores[number], (start, number)
            if before + self._least > best[start + 1]:
                best[start + 1], last[start + 1] = before + self._least, (start, self.unknown)
        pieces: list[int] = []
        end = len(text)
        while end:
            end, number = last[end]
            if number != self.unknown or not pieces or pieces[-1] != self.unknown:
                pieces.append(number)
        return pieces[::-1]

    def _wordpiece(self, word: str, after_space: bool) -> list[int]:
        pieces: list[int] = []
        for part in _basic_tokens(word, self.lower):
            pieces += self._greedy_pieces(part)
        return pieces

    def _greedy_pieces(self, word: str) -> list[int]:
        """RETURNS (List[int]): The longest piece that fits, again and again; one unknown piece if none does."""
        pieces: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._numbers.get(mark + word[start:end])
                if number is not None:
                    break
            else:
                return [self.unknown]
            pieces.append(number)
            start = end
        return pieces


def _basic_tokens(text: str, lower: bool) -> list[str]:
    """RETURNS (List[str]): A text divided at white space, marks and Chinese characters, as BERT does before WordPiece."""
    if lower:
        text = unicodedata.normalize("NFD", text.lower())
        text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    spaced = "".join(f" {c} " if _is_mark(c) else c for c in text)
    return spaced.split()


def _is_mark(char: str) -> bool:
    code = ord(char)
    is_ascii_mark = code < 128 and not char.isalnum() and not char.isspace()
    is_chinese = 0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0xF900 <= code <= 0xFAFF
    return is_ascii_mark or is_chinese or unicodedata.category(char).startswith("P")
