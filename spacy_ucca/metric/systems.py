"""Compare systems that parsed the same sentences: which one is better, on what, and whether that may be chance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..errors import Errors, UccaError
from ..graph import Graph
from ..methods import load_package
from .bootstrap import SAMPLES, SEED, Interval, Resampled, f1_of, interval, p_value
from .compare import Comparison, compare
from .counts import ALL, COUNTED, DISCONTINUOUS, EXACT, UNLABELED, WEAK, Counts, Renames, Tally
from .score import score_pair

MIN_SENTENCES = 10  # for intervals: samples of fewer are too much alike
LENGTHS = (10, 20, 30, 40)  # most tokens of each class of sentences but the last
LAST_LENGTH = f"over {LENGTHS[-1]}"
EDGES = (ALL, *COUNTED)
MATCHES = (UNLABELED, WEAK, EXACT)


@dataclass(frozen=True)
class SystemScore:
    """The score of one system on a part of the sentences or edges.

    group (str): What is divided: "edges", the kind of "match", the "mean" of sentences, "category", "tokens" of a sentence, "gaps"
        in its gold graph, "folder". All but "edges" and "category" are of all edges, labeled unless "match" says otherwise.
    part (str): Which of the group: "all", "primary", ..., "unlabeled", ..., "A", ..., "11-20", ...
    system (str): The system.
    sentences (int): The number of sentences that have such edges on either side.
    matches, predicted, gold (Optional[int]): What F1 is made of; None for a mean.
    f1 (Optional[float]): The score; None where there is nothing to score.
    interval (Optional[Interval]): Where F1 of 95 % of samples lies. None, as all that follows from samples, of fewer than ten
        sentences.
    difference (Optional[float]): To the F1 of the first system; None for the first.
    difference_interval (Optional[Interval]): Where the difference of 95 % of samples lies.
    p (Optional[float]): How probable such a difference would be if both systems were as good.
    """

    group: str
    part: str
    system: str
    sentences: int
    matches: int | None
    predicted: int | None
    gold: int | None
    f1: float | None
    interval: Interval | None = None
    difference: float | None = None
    difference_interval: Interval | None = None
    p: float | None = None

    @property
    def tally(self) -> Tally:
        """RETURNS (Tally): What F1 is made of, with precision and recall."""
        return Tally(self.matches or 0, self.predicted or 0, self.gold or 0)

    @property
    def texts(self) -> dict[str, str]:
        """RETURNS (Dict[str, str]): The interval, the difference, its interval and p as texts, in percent but for p; "" if there is
        none."""
        apart = self.difference_interval
        return {
            "interval": self.interval.in_percent() if self.interval else "",
            "difference": "" if self.difference is None else f"{100 * self.difference:+.1f}",
            "difference_interval": apart.in_percent() if apart else "",
            "p": "" if self.p is None else f"{self.p:.3f}",
        }


@dataclass(frozen=True)
class ComparedSentence:
    """What systems made of a sentence.

    name, folder (str): Where it is from.
    comparisons (Dict[str, Comparison]): The graph of each system beside the gold graph.
    """

    name: str
    folder: str
    comparisons: dict[str, Comparison]

    @property
    def gold(self) -> Graph:
        """RETURNS (Graph): The reference."""
        return next(iter(self.comparisons.values())).gold.graph

    def tally(self, system: str) -> Tally:
        """RETURNS (Tally): All labeled edges of a system."""
        return self.comparisons[system].counts.tally()

    @property
    def spread(self) -> float:
        """RETURNS (float): How far the F1 of the systems is apart."""
        scores = [self.tally(system).f1 for system in self.comparisons]
        return max(scores) - min(scores)

    @property
    def mean(self) -> float:
        """RETURNS (float): The mean F1 of the systems."""
        return sum(self.tally(system).f1 for system in self.comparisons) / len(self.comparisons)


@dataclass(frozen=True)
class SystemComparison:
    """Systems side by side.

    systems (List[str]): Their names. The others are compared with the first.
    sentences (List[ComparedSentence]): The sentences.
    scores (List[SystemScore]): The scores, by group, part and system.
    samples, seed (int): Those of the bootstrap.
    """

    systems: list[str]
    sentences: list[ComparedSentence]
    scores: list[SystemScore]
    samples: int
    seed: int

    def of(self, group: str = "edges", part: str = ALL) -> list[SystemScore]:
        """RETURNS (List[SystemScore]): The scores of one part, by system."""
        return [score for score in self.scores if (score.group, score.part) == (group, part)]

    def sentence_rows(self) -> list[dict[str, Any]]:
        """RETURNS (List[Dict[str, Any]]): For each sentence its name, folder, text, number of tokens, and of each system matches,
        predicted and gold edges, F1, the number of errors, and the difference of F1 to the first system."""
        rows = []
        for sentence in self.sentences:
            words = sentence.gold.words
            row = {"name": sentence.name, "folder": sentence.folder, "tokens": len(words)}
            first = sentence.tally(self.systems[0])
            for system in self.systems:
                tally = sentence.tally(system)
                row |= {f"{system} {key}": value for key, value in _counted(tally).items()}
                row[f"{system} f1"] = tally.to_dict()["f"]
                row[f"{system} errors"] = len(sentence.comparisons[system].differences)
                if system != self.systems[0]:
                    row[f"{system} difference"] = tally.f1 - first.f1
            rows.append({**row, "text": " ".join(words)})
        return rows

    def error_rows(self) -> list[dict[str, Any]]:
        """RETURNS (List[Dict[str, Any]]): For each error of a system the sentence, the system, the reason, the kind of edge, numbers
        of the tokens, words, and the categories on both sides."""
        return [
            {
                **{"name": sentence.name, "folder": sentence.folder, "system": system},
                **{"reason": item.reason, "edge": item.construction},
                "tokens": " ".join(map(str, item.tokens)),
                "words": " ".join(sentence.gold.words[i] for i in item.tokens),
                **{"gold": "|".join(item.gold), "predicted": "|".join(item.predicted)},
            }
            for sentence in self.sentences
            for system, comparison in sentence.comparisons.items()
            for item in comparison.differences
        ]

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): What `--json` writes: systems, scores, sentences, samples and seed."""
        return {
            **{"systems": self.systems, "samples": self.samples, "seed": self.seed},
            **{
                "scores": [asdict(score) for score in self.scores],
                "sentences": self.sentence_rows(),
            },
        }

    def to_pandas(self) -> Any:
        """RETURNS (DataFrame): The scores, a row each. pandas is imported.
        RAISES (UccaError): If it is not installed."""
        return load_package("pandas").DataFrame(map(asdict, self.scores))


def compare_systems(
    gold: Iterable[Graph],
    systems: Mapping[str, Iterable[Graph]],
    *,
    names: Sequence[str] | None = None,
    folders: Sequence[str] | None = None,
    mapping: Renames = None,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> SystemComparison:
    """Compare systems with gold graphs, and with each other. Two annotators are two systems: of one as gold and the other.

    gold (Iterable[Graph]): The reference: a graph for each sentence, which samples are drawn of.
    systems (Mapping[str, Iterable[Graph]]): By name, as many graphs over the same tokens.
    names (Optional[Sequence[str]]): The names of the sentences; their numbers if None.
    folders (Optional[Sequence[str]]): A folder of each sentence, or another part of the corpus.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides first, as in `score_pair`.
    samples (int): Samples of the bootstrap; 0: no intervals.
    seed (int): The seed of the bootstrap.
    RETURNS (SystemComparison): Scores and errors.
    RAISES (UccaError): If there are no sentences or systems, graphs are missing, or graphs are over different tokens.
    """
    golds = list(gold)
    given = {name: list(graphs) for name, graphs in systems.items()}
    if not golds or not given:
        raise UccaError(Errors.UC611.format())
    for name, graphs in given.items():
        if len(graphs) != len(golds):
            raise UccaError(Errors.UC614.format(system=name, n=len(graphs), n_gold=len(golds)))
    sentences = [
        ComparedSentence(
            names[i] if names else f"Sentence {i + 1}",
            folders[i] if folders else "",
            {name: compare(theirs, graphs[i], mapping=mapping) for name, graphs in given.items()},
        )
        for i, theirs in enumerate(golds)
    ]
    scores = score_systems(sentences, list(given), samples, seed)
    return SystemComparison(list(given), sentences, scores, samples, seed)


def score_systems(
    sentences: Sequence[ComparedSentence], systems: Sequence[str], samples: int, seed: int
) -> list[SystemScore]:
    """RETURNS (List[SystemScore]): The scores of systems, with intervals, part by part."""
    columns = {name: _columns(sentences, name) for name in systems}
    resampled = Resampled(len(sentences), samples, seed)
    scores: dict[tuple[str, str], list[SystemScore]] = {}
    first: tuple[np.ndarray, np.ndarray] | None = None
    for system, by_part in columns.items():
        counts = np.stack([*by_part.values()], axis=1)  # sentences, parts, 3
        real = f1_of(counts.sum(0))
        drawn = resampled.sums(counts.reshape(len(counts), -1))
        found = f1_of(drawn.reshape(samples, len(by_part), 3))
        for k, (group, part) in enumerate(by_part):
            total = counts[:, k].sum(0)
            n = int((counts[:, k, 1:].sum(1) > 0).sum())
            enough = samples > 0 and n >= MIN_SENTENCES
            score = SystemScore(
                group,
                part,
                system,
                sentences=n,
                matches=None if group == "mean" else int(total[0]),
                predicted=None if group == "mean" else int(total[1]),
                gold=None if group == "mean" else int(total[2]),
                f1=None if np.isnan(real[k]) else float(real[k]),
                interval=interval(found[:, k]) if enough else None,
            )
            if first is not None and score.f1 is not None and not np.isnan(first[0][k]):
                difference, apart = float(real[k] - first[0][k]), found[:, k] - first[1][:, k]
                score = replace(
                    score,
                    difference=difference,
                    difference_interval=interval(apart) if enough else None,
                    p=p_value(apart, difference) if enough else None,
                )
            scores.setdefault((group, part), []).append(score)
        first = first or (real, found)
    return [score for part in scores.values() for score in part]


def _columns(
    sentences: Sequence[ComparedSentence], system: str
) -> dict[tuple[str, str], np.ndarray]:
    """RETURNS (Dict[Tuple[str, str], ndarray]): By group and part, of each sentence the matches, predicted and gold edges."""
    counts = [sentence.comparisons[system].counts for sentence in sentences]
    columns = {("edges", part): _array(c.tally(part) for c in counts) for part in EDGES}
    for kind in MATCHES:
        columns["match", kind] = _array(c.tally(ALL, kind) for c in counts)
    all_edges = columns["edges", ALL]
    own = f1_of(all_edges)
    known = ~np.isnan(own)
    columns["mean", "sentences"] = np.stack([np.where(known, own, 0), known, known], axis=1)
    every = [c.counts for sentence in sentences for c in sentence.comparisons.values()]
    for category in sorted({name for found in every for name in found.categories}):
        columns["category", category] = _array(c.category(category) for c in counts)
    for group, parts in _parts(sentences).items():
        for part, where in parts.items():
            columns[group, part] = all_edges * where[:, None]
    return columns


def _parts(sentences: Sequence[ComparedSentence]) -> dict[str, dict[str, np.ndarray]]:
    """RETURNS (Dict[str, Dict[str, ndarray]]): By group and part, which sentences belong to it."""
    names = [f"{low + 1}-{high}" for low, high in zip((0, *LENGTHS), LENGTHS)] + [LAST_LENGTH]
    lengths = np.array([len(sentence.gold.words) for sentence in sentences])
    classes = np.searchsorted(LENGTHS, lengths)
    gaps = np.array(
        [
            next(iter(sentence.comparisons.values())).counts.ref[DISCONTINUOUS] > 0
            for sentence in sentences
        ]
    )
    folders = np.array([sentence.folder for sentence in sentences])
    found = {
        "tokens": {name: classes == i for i, name in enumerate(names)},
        "gaps": {"with": gaps, "without": ~gaps},
        "folder": {str(name): folders == name for name in dict.fromkeys(folders)},
    }
    if len(found["folder"]) < 2:
        del found["folder"]
    return {
        g: {p: where for p, where in parts.items() if where.any()} for g, parts in found.items()
    }


def _array(tallies: Iterable[Tally]) -> np.ndarray:
    return np.array([(t.matches, t.guessed, t.ref) for t in tallies], dtype="f8").reshape(-1, 3)


def _counted(tally: Tally) -> dict[str, int]:
    return {"matches": tally.matches, "predicted": tally.guessed, "gold": tally.ref}


def edge_intervals(
    pairs: Iterable[tuple[Graph, Graph]],
    *,
    mapping: Renames = None,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> dict[str, Interval]:
    """Find how far the scores of one system may vary by the choice of sentences.

    pairs (Iterable[Tuple[Graph, Graph]]): Predicted and gold graphs, which samples are drawn of.
    mapping, samples, seed: See `compare_systems`.
    RETURNS (Dict[str, Interval]): Where F1 of 95 % of samples lies: of "all" edges, "primary", ... Nothing of edges that fewer than
        ten pairs have.
    """
    counts = [score_pair(ours, gold, mapping=mapping) for ours, gold in pairs]
    return intervals_of(counts, samples, seed)


def intervals_of(
    counts: Sequence[Counts], samples: int = SAMPLES, seed: int = SEED
) -> dict[str, Interval]:
    """RETURNS (Dict[str, Interval]): `edge_intervals` of what was counted on each pair."""
    if len(counts) < MIN_SENTENCES:
        return {}
    values = np.stack([_array(c.tally(part) for c in counts) for part in EDGES], axis=1)
    drawn = Resampled(len(counts), samples, seed).sums(values.reshape(len(counts), -1))
    scores = f1_of(drawn.reshape(samples, len(EDGES), 3))
    enough = (values[..., 1:].sum(2) > 0).sum(0) >= MIN_SENTENCES
    found = {part: interval(scores[:, i]) for i, part in enumerate(EDGES) if enough[i]}
    return {part: bounds for part, bounds in found.items() if bounds is not None}
