"""The metric of semantic dependency parsing: LP, LR, LF and LM, as in SemEval 2014 Task 8 and SemEval 2015 Task 18.

A predicted arc is right if the gold graph has an arc between the same tokens, in the same direction, with the same label; a
top counts as an arc from a virtual root, whatever its label. Precision, recall and F1 are over the arcs of all sentences
together. LM is the share of sentences with exactly the gold arcs. All are given with and without tops, labeled and
unlabeled.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from ..conversion.graph import ROOT, TOP, Arc, BilexicalGraph
from ..errors import Errors, UccaError

REMOTE_MARK = "*"  # a part of the label, as in files


# The names of scores begin with these; whether labels count, and whether tops do
WAYS = {
    "sdp_l": (True, True),
    "sdp_notop_l": (True, False),
    "sdp_u": (False, True),
    "sdp_notop_u": (False, False),
}


def arc_label(arc: Arc) -> str:
    """RETURNS (str): The label that is compared: a star marks remote arcs, and all tops have one label."""
    return TOP if arc.head == ROOT else arc.label + REMOTE_MARK * arc.remote


class SdpCounts:
    """The counts of pairs of graphs.

    tallies (Dict[str, Counter[str]]): For each of the `WAYS` of counting, the numbers of "matches" (arcs that both sides have),
        of "guessed" and of "gold" arcs, of "whole" sentences (the same on both sides), and of all "sentences".
    types (Dict[str, Counter[str]]): The labeled counts of each label, tops under "TOP".
    """

    def __init__(self) -> None:
        self.tallies: dict[str, Counter[str]] = {name: Counter() for name in WAYS}
        self.types: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, predicted: Iterable[Arc], gold: Iterable[Arc]) -> None:
        """Compare the arcs of one sentence.

        predicted, gold (Iterable[Arc]): Arcs over the same tokens; one that is there twice counts once.
        """
        sides = [
            {(arc.head, arc.dependent, arc_label(arc)) for arc in arcs}
            for arcs in (predicted, gold)
        ]
        for name, (labeled, tops) in WAYS.items():
            counted = (
                {arc if labeled else (*arc[:2], "") for arc in arcs if tops or arc[0] != ROOT}
                for arcs in sides
            )
            _count(self.tallies[name], *counted)
        for label in {arc[2] for arcs in sides for arc in arcs}:
            _count(self.types[label], *({arc for arc in arcs if arc[2] == label} for arcs in sides))

    def to_scores(self) -> dict[str, float | dict | None]:
        """Compute the scores, under names for spaCy's `Scorer`.

        RETURNS (Dict[str, Any]): "sdp_lp", "sdp_lr", "sdp_lf" and "sdp_lm" with tops; "sdp_up", ... unlabeled;
            "sdp_notop_lp", ... without tops; "sdp_per_type": "p", "r" and "f" of each label, or None. From 0 to 1; None where
            there is nothing to divide by.
        """
        scores: dict[str, float | dict | None] = {}
        for start, tally in self.tallies.items():
            scores |= {start + name: value for name, value in _shares(tally).items()}
            scores[start + "m"] = _share(tally["whole"], tally["sentences"])
        per_type = {label: _shares(self.types[label]) for label in sorted(self.types)}
        return {**scores, "sdp_per_type": per_type or None}


def _count(tally: "Counter[str]", guessed: set, gold: set) -> None:
    n_both, is_same = len(guessed & gold), int(guessed == gold)
    tally.update(matches=n_both, guessed=len(guessed), gold=len(gold), whole=is_same, sentences=1)


def _shares(tally: "Counter[str]") -> dict[str, float | None]:
    """RETURNS (Dict[str, Optional[float]]): Precision, recall and F1."""
    n, guessed, gold = tally["matches"], tally["guessed"], tally["gold"]
    return {"p": _share(n, guessed), "r": _share(n, gold), "f": _share(2 * n, guessed + gold)}


def _share(n: int, total: int) -> float | None:
    return n / total if total else None


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
        total.add(a.arcs, b.arcs)
    return total
