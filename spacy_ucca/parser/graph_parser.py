"""What trainable parsers to UCCA graphs have in common: spaCy's life cycle but for labels, around a search and lessons
of their own. How a batch is learned from is `learner.py`'s; `component.py` and `span_parser.py` have the two that there are.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors
from ..graph import Graph
from ..tokens.sentences import Sentence, decoding_parts, find_sentences
from ..transition import State, TransitionSystem
from .assemble import Parsed, assemble, by_doc
from .calibration import Calibration
from .decode import collector_paused
from .encoder import set_default_guidelines
from .trainable import Learner

__all__ = ["N_SAMPLE", "GraphParser", "collect"]

N_SAMPLE = 10  # Docs that a model is initialized with

T = TypeVar("T")
Self = TypeVar("Self", bound="GraphParser")


class GraphParser(Learner):
    """Parses Docs into UCCA graphs, on `doc._.ucca`, one root per sentence. What a parser of its own has to say stands
    at the end, in the methods that raise NotImplementedError.

    vocab (Vocab): The shared vocabulary.
    model (Model): The model.
    name (str): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    guidelines (str): The guidelines to follow in Docs that name none.
    linkage (bool): Whether to link linkers to the Scenes beside them; see `add_linkage`.
    repair (bool): Whether to mend graphs that break the rules of UCCA; see `repair.py`.
    extras_threshold (float): How likely remote edges and implicit units have to be.
    RAISES (ValueError): If that is not between 0 and 1.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model[list[Doc], Any],
        name: str,
        *,
        scorer: Callable | None,
        guidelines: str,
        linkage: bool,
        repair: bool,
        extras_threshold: float,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.linkage = linkage
        self.repair = repair
        self.extras_threshold = extras_threshold
        self.cfg: dict[str, Any] = {}
        self._warned: set[str] = set()
        self.guidelines = guidelines

    @property
    def guidelines(self) -> str:
        """RETURNS (str): The guidelines to follow in Docs that name none; may be set."""
        return self._guidelines

    @guidelines.setter
    def guidelines(self, name: str) -> None:
        self._guidelines = name
        set_default_guidelines(self.model, name)

    @property
    def extras_threshold(self) -> float:
        """RETURNS (float): How likely remote edges and implicit units have to be; may be set."""
        return self._extras_threshold

    @extras_threshold.setter
    def extras_threshold(self, threshold: float) -> None:
        if not 0 < threshold < 1:
            raise ValueError(Errors.UC850.format(name=self.name, value=threshold))
        self._extras_threshold = threshold

    @property
    def calibration(self) -> Calibration:
        """RETURNS (Calibration): What makes scores of edges; may be set, as `spacy-ucca calibrate` does."""
        return Calibration(self.cfg.get("calibration"))

    @calibration.setter
    def calibration(self, calibration: Calibration | None) -> None:
        self.cfg.pop("calibration", None)
        if calibration is not None:
            self.cfg["calibration"] = calibration.to_dict()

    # Parsing

    def predict(self, docs: Iterable[Doc]) -> list[Graph]:
        """Parse a batch, without changing it.

        docs (Iterable[Doc]): The Docs.
        RETURNS (List[Graph]): The graph of each.
        """
        return self.decode(docs, self.model.predict)

    def decode(
        self,
        docs: Iterable[Doc],
        score: Callable[[list[Doc]], Any],
        calibration: Any = None,
    ) -> list[Graph]:
        """Parse a batch by scores from anywhere.

        docs (Iterable[Doc]): The Docs.
        score (Callable[[List[Doc]], Any]): Gives the scorers of a batch, as the model does.
        calibration (Optional[Callable]): Makes scores of edges; the parser's own if it is None. With another, graphs
            stay as they were decoded.
        RETURNS (List[Graph]): The graph of each.
        """
        return self._by_parts(docs, score, partial(self._graphs, calibration=calibration))

    @collector_paused()
    def _by_parts(
        self,
        docs: Iterable[Doc],
        score: Callable[[list[Doc]], Any],
        make: Callable[[list[Doc], list[Sentence], Any], Iterable[T]],
    ) -> list[T]:
        """Parse a batch part by part.

        make (Callable[[List[Doc], List[Sentence], Any], Iterable[T]]): Makes something of each Doc of a part, given its
            sentences and scorers; None, if it has no sentences.
        RETURNS (List[T]): What was made of each.
        """
        docs = list(docs)
        self._warn_of_missing(docs)
        unique = list({id(doc): doc for doc in docs}.values())
        made: dict[int, T] = {}
        for part in decoding_parts(unique):
            sentences = find_sentences(part, self._dep_ids)
            if sentences:
                self._require_initialized()
            scores = score(part) if sentences else None
            made.update(zip(map(id, part), make(part, sentences, scores), strict=True))
        return [made[id(doc)] for doc in docs]

    def _graphs(
        self, docs: list[Doc], sentences: list[Sentence], scores: Any, calibration: Any = None
    ) -> Iterable[Graph]:
        """YIELDS (Graph): The graph of each Doc of a part; see `decode`."""
        how = {"mend": self.repair and calibration is None, "linkage": self.linkage}
        parsed: Iterable[Parsed] = ()
        if sentences:
            states, suspects = self._parse(scores, sentences, calibration or self.calibration)
            parsed = zip(sentences, states, suspects)
        for doc, own in by_doc(docs, parsed):
            yield assemble(doc, own, self._system, **how)

    def set_annotations(self, docs: Iterable[Doc], graphs: Iterable[Graph]) -> None:
        """Write parses to Docs.

        docs (Iterable[Doc]): The Docs.
        graphs (Iterable[Graph]): The graphs, from `predict`.
        """
        for doc, graph in zip(docs, graphs):
            doc._.ucca = graph

    # Serialization: labels go with the settings, weights with the model

    def from_bytes(self: Self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Load from a bytestring.

        bytes_data (bytes): What `to_bytes` gave.
        exclude (Iterable[str]): Fields to leave out: "vocab", "cfg", "model".
        RETURNS (GraphParser): The component.
        """
        super().from_bytes(bytes_data, exclude=exclude)
        self._loaded()
        return self

    def from_disk(self: Self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Load from a directory.

        path (Union[str, Path]): The directory.
        exclude (Iterable[str]): Fields to leave out: "vocab", "cfg", "model".
        RETURNS (GraphParser): The component.
        """
        super().from_disk(path, exclude=exclude)
        self._loaded()
        return self

    def _loaded(self) -> None:
        self._forget()
        self.guidelines = self._guidelines  # what the config says now

    # What each parser has of its own

    @property
    def _system(self) -> TransitionSystem:
        """RETURNS (TransitionSystem): What makes graphs of states."""
        raise NotImplementedError

    @property
    def _dep_ids(self) -> dict[int, int]:
        """RETURNS (Dict[int, int]): The number of each dependency label, by its hash."""
        raise NotImplementedError

    def _forget(self) -> None:
        """Forget what was made of the settings: they have changed."""
        raise NotImplementedError

    def _parse(
        self, scores: Any, sentences: Sequence[Sentence], calibration: Any
    ) -> tuple[Iterable[State], Iterable[bool]]:
        """RETURNS (Tuple[Iterable[State], Iterable[bool]]): The final state of each sentence, and whether its graph may
        break a rule."""
        raise NotImplementedError


def collect(
    get_examples: Callable[[], Iterable[Example]],
    nlp: Language | None,
    graphs_of: Callable[[Example], Iterable[Graph]],
) -> tuple[list[Graph], set[str], list[Doc]]:
    """What labels are found in, for `initialize`.

    get_examples (Callable[[], Iterable[Example]]): Gives the training examples.
    nlp (Optional[Language]): The pipeline.
    graphs_of (Callable[[Example], Iterable[Graph]]): Gives the gold graphs of an example.
    RETURNS (Tuple[List[Graph], Set[str], List[Doc]]): The gold graphs, all dependency labels, and some Docs to
        initialize a model with.
    """
    graphs: list[Graph] = []
    deps = find_deps(nlp)
    sample: list[Doc] = []
    for eg in get_examples():
        graphs.extend(graphs_of(eg))
        deps.update(token.dep_ for doc in (eg.predicted, eg.reference) for token in doc)
        if len(sample) < N_SAMPLE:
            sample.append(eg.predicted)
    return graphs, deps - {""}, sample


def find_deps(nlp: Language | None) -> set[str]:
    """RETURNS (Set[str]): Dependency labels that parsers of the pipeline may predict."""
    if nlp is None:
        return set()
    pipes = [pipe for name, pipe in nlp.pipeline if nlp.get_pipe_meta(name).factory == "parser"]
    return {label for pipe in pipes for label in getattr(pipe, "labels", ())}
