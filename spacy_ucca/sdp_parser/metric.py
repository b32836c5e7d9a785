"""The metric of semantic dependency parsing: LP, LR, LF and LM, as in SemEval 2014 Task 8 and SemEval 2015 Task 18.

A predicted arc is right if the gold graph has an arc between the same tokens, in the same direction, with the same label; a
top counts as an arc from a virtual root, whatever its label. Precision, recall and F1 are over the arcs of all sentences
together. LM is the share of sentences with exactly the gold arcs. All are given with and without tops, labeled and
unlabeled.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..conversion.graph import (
    ROOT,
    TOP,
    Arc,
    BilexicalGraph,
)
from ..errors import Errors, UccaError

REMOTE_MARK = "*"  # a part of the label, as in files


@dataclass(frozen=True)
class SdpTally:
    """Counts, by one of the four ways of counting.

    matches (int): Arcs that both sides have.
    guessed, gold (int): Arcs of the predicted and of the gold graphs.
    whole (int): Sentences whose arcs are the same on both sides.
    sentences (int): All sentences.
    """

    matches: int = 0
    guessed: int = 0
    gold: int = 0
    whole: int = 0
    sentences: int = 0

    def __add__(self, other: "SdpTally") -> "SdpTally":
        return SdpTally(
            self.matches + other.matches,
            self.guessed + other.guessed,
            self.gold + other.gold,
            self.whole + other.whole,
            self.sentences + other.sentences,
        )

    def to_dict(self) -> dict[str, float | None]:
        """RETURNS (Dict[str, Optional[float]]): "p", "r", "f" and "m" (whole sentences), from 0 to 1. None where
        there is nothing to divide by."""
        total = self.guessed + self.gold
        return {
            "p": self.matches / self.guessed if self.guessed else None,
            "r": self.matches / self.gold if self.gold else None,
            "f": 2 * self.matches / total if total else None,
            "m": self.whole / self.sentences if self.sentences else None,
        }


@dataclass
class SdpCounts:
    """The counts of one pair of graphs, or of many: adding pools them.

    tallies (Dict[Tuple[bool, bool], SdpTally]): The counts by whether labels and whether tops count.
    types (Dict[str, SdpTally]): The labeled counts of each label, tops under "TOP".
    """

    tallies: dict[tuple[bool, bool], SdpTally] = field(
        default_factory=lambda: {
            (labeled, tops): SdpTally() for labeled in (True, False) for tops in (True, False)
        }
    )
    types: dict[str, SdpTally] = field(default_factory=dict)

    def __iadd__(self, other: "SdpCounts") -> "SdpCounts":
        for key, tally in other.tallies.items():
            self.tallies[key] += tally
        for label, tally in other.types.items():
            self.types[label] = self.types.get(label, SdpTally()) + tally
        return self

    def to_scores(self) -> dict[str, float | dict | None]:
        """Compute the scores, under names for spaCy's `Scorer`.

        RETURNS (Dict[str, Any]): "sdp_lp", "sdp_lr", "sdp_lf" and "sdp_lm" with tops; "sdp_up", ... unlabeled;
            "sdp_notop_lp", ... without tops; "sdp_per_type": "p", "r" and "f" of each label, or None.
        """
        scores: dict[str, float | dict | None] = {}
        for (labeled, tops), tally in self.tallies.items():
            start = f"sdp_{'' if tops else 'notop_'}{'l' if labeled else 'u'}"
            scores |= {start + name: value for name, value in tally.to_dict().items()}
        per_type = {label: self.types[label].to_dict() for label in sorted(self.types)}
        for values in per_type.values():
            del values["m"]
        scores["sdp_per_type"] = per_type or None
        return scores


def arc_label(arc: Arc) -> str:
    """RETURNS (str): The label that is compared: a star marks remote arcs, and all tops have one label."""
    return TOP if arc.head == ROOT else arc.label + REMOTE_MARK * arc.remote


def count_arcs(predicted: Iterable[Arc], gold: Iterable[Arc]) -> SdpCounts:
    """Compare the arcs of one sentence.

    predicted, gold (Iterable[Arc]): Arcs over the same tokens; one that is there twice counts once.
    RETURNS (SdpCounts): The counts.
    """
    left, right = (
        {(arc.head, arc.dependent, arc_label(arc)) for arc in arcs} for arcs in (predicted, gold)
    )
    counts = SdpCounts()
    for labeled, tops in counts.tallies:
        counts.tallies[labeled, tops] = _tally(
            *(
                {arc if labeled else (*arc[:2], "") for arc in arcs if tops or arc[0] != ROOT}
                for arcs in (left, right)
            )
        )
    for label in {arc[2] for arc in left | right}:
        counts.types[label] = _tally(
            *({arc for arc in arcs if arc[2] == label} for arcs in (left, right))
        )
    return counts


def _tally(guessed: set, gold: set) -> SdpTally:
    return SdpTally(len(guessed & gold), len(guessed), len(gold), int(guessed == gold), 1)


def score_bilexical(
    predicted: Iterable[BilexicalGraph], gold: Iterable[BilexicalGraph]
) -> SdpCounts:
    """Score bilexical graphs, each of one sentence.

    predicted (Iterable[BilexicalGraph]): The predicted graphs.
    gold (Iterable[BilexicalGraph]): As many gold graphs, over the same words.
    RETURNS (SdpCounts): The counts; `to_scores` has the figures.
    RAISES (UccaError): If there are more of one side, or words differ.
    """
    left, right = list(predicted), list(gold)
    if len(left) != len(right):
        raise UccaError(Errors.UC870.format(predicted=len(left), gold=len(right)))
    total = SdpCounts()
    for i, (a, b) in enumerate(zip(left, right), start=1):
        if a.words != b.words:
            place = next(
                (k for k, (x, y) in enumerate(zip(a.words, b.words)) if x != y),
                min(len(a.words), len(b.words)),
            )
            raise UccaError(Errors.UC871.format(number=i, name=b.id or "no id", place=place + 1))
        total += count_arcs(a.arcs, b.arcs)
    return total
