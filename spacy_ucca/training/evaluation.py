"""Score pipelines on files with gold graphs, and compare them with each other."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from spacy.language import Language

from ..errors import Errors, UccaError
from ..methods import load_package
from ..metric.bootstrap import SAMPLES, SEED
from ..metric.systems import SystemComparison, compare_systems
from .corpus import UccaCorpus
from .pipelines import SDP, UCCA, names_assigning
from .sdp_corpus import SdpCorpus

if TYPE_CHECKING:
    from spacy.training import Example


@dataclass(frozen=True)
class Evaluation:
    """Pipelines on some sets.

    comparisons (Dict[str, SystemComparison]): The scores of each set.
    speeds (Dict[str, Dict[str, float]]): By set and pipeline, words per second of the whole pipeline without its tokenizer.
    """

    comparisons: dict[str, SystemComparison]
    speeds: dict[str, dict[str, float]]

    def rows(self) -> list[dict[str, Any]]:
        """RETURNS (List[Dict[str, Any]]): The fields of each `SystemScore`, with its set."""
        return [
            {"set": name, **asdict(score)}
            for name, comparison in self.comparisons.items()
            for score in comparison.scores
        ]

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Scores and speeds as plain data."""
        return {"scores": self.rows(), "speeds": self.speeds}

    def to_pandas(self) -> Any:
        """RETURNS (DataFrame): A row for each score.
        RAISES (UccaError): If pandas is not installed."""
        return load_package("pandas").DataFrame(self.rows())


def parse_gold(
    nlp: Language, data: Path, *, guidelines: str | None = None, track: Any = None
) -> "tuple[list[Example], float]":
    """Parse the sentences of files with gold graphs. Their tokens and boundaries are kept.

    nlp (Language): The pipeline.
    data (Path): A .spacy file, or a directory of them.
    guidelines (Optional[str]): The guidelines to follow; with None, those that the files name.
    track (Optional[Callable[[Iterable[Doc], int], Iterable[Doc]]]): Shows progress.
    RETURNS (Tuple[List[Example], float]): Predicted and gold Docs, and the seconds that parsing took.
    RAISES (UccaError): If there are no such files, a Doc has lost its graph, or the parser has not learned the guidelines
        that a file names.
    """
    only_sdp = names_assigning(nlp, SDP) and not names_assigning(nlp, UCCA)
    corpus = SdpCorpus if only_sdp else UccaCorpus
    examples: list[Example] = list(corpus(data, keep_annotations=False)(nlp))
    for eg in examples if guidelines else ():
        eg.predicted._.ucca_guidelines = guidelines
    start = perf_counter()
    docs: Iterable[Any] = nlp.pipe(eg.predicted for eg in examples)
    for eg, doc in zip(examples, docs if track is None else track(docs, len(examples))):
        eg.predicted = doc
    return examples, perf_counter() - start


def evaluate_pipelines(
    pipelines: Mapping[str, Language],
    sets: Mapping[str, Path],
    *,
    guidelines: str | None = None,
    mapping: Mapping[str, str] | None = None,
    samples: int = SAMPLES,
    seed: int = SEED,
    track: Any = None,
) -> Evaluation:
    """Score pipelines on several sets, each by itself. On each set the others are compared with the first.

    pipelines (Mapping[str, Language]): The pipelines, by name.
    sets (Mapping[str, Path]): .spacy files with gold graphs, or directories of them, by name.
    guidelines (Optional[str]): The guidelines to follow; with None, those that the files name.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides first.
    samples, seed (int): See `compare_systems`.
    track (Optional[Callable]): See `parse_gold`.
    RETURNS (Evaluation): Scores with intervals, and speeds.
    RAISES (UccaError): See `parse_gold`; also if a pipeline sets no graphs.
    """
    comparisons: dict[str, SystemComparison] = {}
    speeds: dict[str, dict[str, float]] = {}
    for name, data in sets.items():
        graphs: dict[str, list[Any]] = {}
        speeds[name] = {}
        for system, nlp in pipelines.items():
            examples, seconds = parse_gold(nlp, data, guidelines=guidelines, track=track)
            graphs[system] = [eg.predicted._.ucca for eg in examples]
            if None in graphs[system]:
                raise UccaError(Errors.UC506)
            golds = [eg.reference._.ucca for eg in examples]
            speeds[name][system] = sum(len(graph.words) for graph in golds) / seconds
        comparisons[name] = compare_systems(
            golds, graphs, mapping=mapping, samples=samples, seed=seed
        )
    return Evaluation(comparisons, speeds)
