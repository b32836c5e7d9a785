"""What annotators have corrected: edges by category and reason, how good the scores were, rules that are broken, and agreement."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from ..graph import Graph
from ..graph.categories import PUNCTUATION
from ..metric.bootstrap import Interval
from ..metric.compare import compare
from ..metric.counts import ALL, Counts
from ..metric.systems import intervals_of
from ..parser.calibration import calibration_error
from ..rules.validate import Problem, validate_graph

BINS = (0.5, 0.8, 0.95)  # between which scores are told apart


@dataclass(frozen=True)
class ScoreBin:
    """Edges of the parser with scores of a range.

    start, end (float): From which score, and below which (1: up to it).
    edges (int): How many edges.
    kept (int): How many of them were right.
    """

    start: float
    end: float
    edges: int
    kept: int


@dataclass(frozen=True)
class Agreement:
    """How far two annotators agree.

    annotators (Tuple[str, str]): Who.
    sentences (int): Sentences that both have.
    f1 (Optional[float]): Labeled F1 of one by the other, which is the same either way.
    interval (Optional[Interval]): Where F1 of 95 % of samples of sentences lies; None of fewer than ten sentences.
    reasons (Dict[str, int]): Their disagreements by reason: see `Difference.reason`.
    """

    annotators: tuple[str, str]
    sentences: int
    f1: float | None
    interval: Interval | None
    reasons: dict[str, int]


@dataclass(frozen=True)
class Corrections:
    """What was corrected.

    sentences (int): Annotated sentences.
    unchanged (int): Those with no corrected edge.
    changed (Dict[str, int]): The number of edges that were removed from each sentence, or added to it, whichever is more, by id. An edge is
        known by its words and categories; punctuation does not count.
    categories (Dict[str, Dict[str, int]]): By category, primary edges of the parser ("predicted"), those that were right ("kept"),
        and those of the annotator ("gold").
    reasons (Dict[str, int]): Errors of the parser by the metric, by reason: see `Difference.reason`.
    f1 (Optional[float]): Labeled F1 of the parser.
    scores (List[ScoreBin]): How good the scores of edges were.
    calibration_error (Optional[float]): Their expected calibration error; None without scores.
    broken (List[Tuple[str, Problem]]): Sentences by id and annotator, and rules that they break.
    agreement (List[Agreement]): Of each two annotators who have sentences in common.
    """

    sentences: int
    unchanged: int
    changed: dict[str, int]
    categories: dict[str, dict[str, int]]
    reasons: dict[str, int]
    f1: float | None
    scores: list[ScoreBin]
    calibration_error: float | None
    broken: list[tuple[str, Problem]]
    agreement: list[Agreement]

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The same as plain data."""
        broken = [{"sentence": name, **problem._asdict()} for name, problem in self.broken]
        return {**asdict(self), "broken": broken}


def find_corrections(
    predicted: Mapping[str, Graph], annotated: Mapping[str, Mapping[str, Graph]]
) -> Corrections:
    """Find what annotators have corrected. Where several have a sentence, the parse is compared with the first of them, in the
    order of their names.

    predicted (Mapping[str, Graph]): By id, parses with scores.
    annotated (Mapping[str, Mapping[str, Graph]]): By id and annotator, the corrected graphs.
    RETURNS (Corrections): What was corrected.
    RAISES (UccaError): If a graph is over other words than its parse.
    """
    counts, reasons = Counts(), Counter[str]()
    changed: dict[str, int] = {}
    scored: list[tuple[float, bool]] = []
    broken: list[tuple[str, Problem]] = []
    for name, graphs in annotated.items():
        gold, parse = graphs[min(graphs)], predicted[name]
        comparison = compare(gold, parse)
        counts += comparison.counts
        ours, theirs = _edges(parse), _edges(gold)
        changed[name] = max((ours - theirs).total(), (theirs - ours).total())
        reasons.update(difference.reason for difference in comparison.differences)
        right = comparison.predicted.right
        scored += [(parse.scores[i], right[i]) for i in right if i in parse.scores]
        for annotator, graph in graphs.items():
            place = f"{name} ({annotator})" if annotator else name
            broken += ((place, problem) for problem in validate_graph(graph))
    edges = zip((0.0, *BINS), (*BINS, 1.0))
    values, truth = [score for score, _ in scored], [ok for _, ok in scored]
    bins = [
        ScoreBin(a, b, len(inside), sum(inside))
        for a, b in edges
        for inside in [[ok for score, ok in scored if a <= score < b or score == b == 1]]
    ]
    return Corrections(
        sentences=len(annotated),
        unchanged=sum(not n for n in changed.values()),
        changed=changed,
        categories={
            name: {"predicted": t.guessed, "kept": t.matches, "gold": t.ref}
            for name, t in counts.categories.items()
        },
        reasons=dict(reasons.most_common()),
        f1=counts.tally().to_dict()["f"],
        scores=bins,
        calibration_error=calibration_error(values, truth) if scored else None,
        broken=broken,
        agreement=_agreement(annotated),
    )


def _edges(graph: Graph) -> Counter[tuple[object, ...]]:
    """RETURNS (Counter[Tuple]): The edges to units: whether they are remote, words, kind and categories."""
    found: Counter[tuple[object, ...]] = Counter()
    for edge in graph.edges:
        unit = edge.parent if edge.child.is_implicit else edge.child
        if PUNCTUATION not in edge.categories:
            tokens = unit.tokens(punct=False)
            found[edge.remote, edge.child.is_implicit, tokens, frozenset(edge.categories)] += 1
    return found


def _agreement(annotated: Mapping[str, Mapping[str, Graph]]) -> list[Agreement]:
    names = sorted({name for graphs in annotated.values() for name in graphs})
    found = []
    for first, second in combinations(names, 2):
        both = [graphs for graphs in annotated.values() if first in graphs and second in graphs]
        if not both:
            continue
        comparisons = [compare(graphs[first], graphs[second]) for graphs in both]
        counts = [comparison.counts for comparison in comparisons]
        reasons = Counter(d.reason for comparison in comparisons for d in comparison.differences)
        total = sum(counts, Counts()).tally()
        found.append(
            Agreement(
                (first, second),
                len(both),
                total.to_dict()["f"],
                intervals_of(counts).get(ALL),
                dict(reasons.most_common()),
            )
        )
    return found
