"""Counts of the metric and the figures that follow: matches, precision, recall, F1, confusions."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from operator import add
from typing import Any

from ..errors import Errors, UccaError

LABELED = "labeled"
UNLABELED = "unlabeled"
WEAK = "weak_labeled"
EVAL_TYPES = (LABELED, UNLABELED, WEAK)  # the toolkit's
EXACT = "exact"  # all categories, where the toolkit asks for one in common
PRIMARY = "primary"
REMOTE = "remote"
IMPLICIT = "implicit"
CONSTRUCTIONS = (PRIMARY, REMOTE, IMPLICIT)
DISCONTINUOUS = "discontinuous"  # units with a gap; not of the toolkit
COUNTED = (*CONSTRUCTIONS, DISCONTINUOUS)
ALL = "all"
AVERAGE = "average"
UNMATCHED = "<UNMATCHED>"
Renames = Mapping[str, str] | None  # of categories, before they are compared
_POOLED = {ALL: (PRIMARY, REMOTE), AVERAGE: CONSTRUCTIONS}


@dataclass(frozen=True)
class Tally:
    """Counts of matches, of predicted items and of reference items.

    matches (int): Items both have.
    guessed (int): Items of the predicted graph.
    ref (int): Items of the gold graph.
    """

    matches: int = 0
    guessed: int = 0
    ref: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*map(add, astuple(self), astuple(other)))

    @property
    def precision(self) -> float:
        """RETURNS (float): Matches per guessed item; 1.0 if nothing was guessed, as the toolkit has it."""
        return self.matches / self.guessed if self.guessed else 1.0

    @property
    def recall(self) -> float:
        """RETURNS (float): Matches per item of the reference; 1.0 if it has none."""
        return self.matches / self.ref if self.ref else 1.0

    @property
    def f1(self) -> float:
        """RETURNS (float): The harmonic mean of precision and recall."""
        if not self.guessed and not self.ref:
            return 1.0
        return 2 * self.matches / (self.guessed + self.ref) if self.matches else 0.0

    def to_dict(self) -> dict[str, float | None]:
        """RETURNS (Dict[str, Optional[float]]): "p", "r" and "f"; None where there was nothing to
        score on either side."""
        if not self.guessed and not self.ref:
            return {"p": None, "r": None, "f": None}
        return {"p": self.precision, "r": self.recall, "f": self.f1}


@dataclass
class Counts:
    """What was counted on one pair of graphs, or on many: adding pools them (micro-average).

    matches (Counter[Tuple[str, str]]): Matches by evaluation type and construction.
    guessed (Counter[str]): Items of the predicted graphs by construction.
    ref (Counter[str]): Items of the gold graphs by construction.
    category_matches, category_guessed, category_ref (Counter[str]): The same by category, for primary
        edges: an item counts for each category it has, and matches where both sides have that one.
        (The toolkit's "categories" constructions instead count guessed units under the categories of
        the reference, so its precision per category says something else.)
    confusion (Dict[str, Counter[Tuple[str, str]]]): By construction, how often a label was guessed
        where the reference has another, as the toolkit's `errors=True`: all categories of an item,
        joined by "|" in alphabetical order, those of edges that cover all of their parent left out.
    """

    matches: Counter[tuple[str, str]] = field(default_factory=Counter)
    guessed: Counter[str] = field(default_factory=Counter)
    ref: Counter[str] = field(default_factory=Counter)
    category_matches: Counter[str] = field(default_factory=Counter)
    category_guessed: Counter[str] = field(default_factory=Counter)
    category_ref: Counter[str] = field(default_factory=Counter)
    confusion: dict[str, Counter[tuple[str, str]]] = field(
        default_factory=lambda: {name: Counter() for name in COUNTED}
    )

    def __iadd__(self, other: "Counts") -> "Counts":
        for name, counter in vars(other).items():
            if name != "confusion":
                getattr(self, name).update(counter)
        for name, confusion in other.confusion.items():
            self.confusion[name].update(confusion)
        return self

    def __add__(self, other: "Counts") -> "Counts":
        total = Counts()
        total += self
        total += other
        return total

    def tally(self, construction: str = ALL, eval_type: str = LABELED) -> Tally:
        """Matches, guessed and reference items, with precision, recall and F1.

        construction (str): "primary", "remote", "implicit", "all" (primary and remote pooled),
            "average" (all three pooled) or "discontinuous".
        eval_type (str): "labeled", "unlabeled", "weak_labeled" or "exact".
        RETURNS (Tally): The numbers.
        RAISES (UccaError): If there is no such construction or type.
        """
        for what, name, known in (
            ("construction", construction, (*COUNTED, *_POOLED)),
            ("evaluation type", eval_type, (*EVAL_TYPES, EXACT)),
        ):
            if name not in known:
                raise UccaError(Errors.UC402.format(what=what, name=name, known=", ".join(known)))
        total = Tally()
        for name in _POOLED.get(construction, (construction,)):
            total += Tally(self.matches[eval_type, name], self.guessed[name], self.ref[name])
        return total

    def category(self, category: str) -> Tally:
        """RETURNS (Tally): The numbers of one category, over labeled primary edges."""
        counters = self.category_matches, self.category_guessed, self.category_ref
        return Tally(*(counter[category] for counter in counters))

    @property
    def categories(self) -> dict[str, Tally]:
        """RETURNS (Dict[str, Tally]): The numbers of each category that occurs, by name."""
        names = sorted(self.category_guessed.keys() | self.category_ref.keys())
        return {name: self.category(name) for name in names}

    def to_scores(self) -> dict[str, Any]:
        """The numbers as spaCy's `Scorer` names such things; see `score_graphs`.

        RETURNS (Dict[str, Any]): The scores.
        """
        scores: dict[str, Any] = {}
        kinds = ("", LABELED), ("unlabeled_", UNLABELED), ("weak_", WEAK), ("exact_", EXACT)
        for kind, eval_type in kinds:
            for part, construction in (("", ALL), *((f"{c}_", c) for c in COUNTED)):
                for measure, value in self.tally(construction, eval_type).to_dict().items():
                    scores[f"ucca_{kind}{part}{measure}"] = value
        per_type = {name: tally.to_dict() for name, tally in self.categories.items()}
        scores["ucca_per_type"] = per_type or None
        scores["ucca_counts"] = self.to_dict()
        return scores

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """RETURNS (Dict[str, Dict[str, Any]]): By construction, `matches` of each evaluation type, `predicted` and
        `gold`."""
        return {
            construction: {
                "matches": {
                    kind: self.matches[kind, construction] for kind in (*EVAL_TYPES, EXACT)
                },
                "predicted": self.guessed[construction],
                "gold": self.ref[construction],
            }
            for construction in COUNTED
        }
