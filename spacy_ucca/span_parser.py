"""`ucca_span_parser`: a trainable pipeline component that parses by labeled spans, after the notes on a UCCA parsing
system (Jiang, 2019), sections 3 and 4.

spaCy's life cycle lives here: predict, update, initialize, labels, serialization. What is predicted and learned is
in `spans/`. The parser that builds graphs by transitions is `component.py`'s.
"""

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Config, Model, Optimizer, set_dropout_rate
from thinc.types import Floats2d

from .assembly import Parsed, assemble
from .component import DEFAULT_UCCA_MODEL, find_deps, warn_of_missing
from .confidence import Calibration
from .decode import collector_paused, decoding_parts, find_sentences
from .encoder import set_default_guidelines
from .errors import Errors
from .extensions import register_extensions
from .graph import Graph
from .lessons import gold_sentences
from .spans.gold import SpanLessonBook
from .spans.labels import SpanLabels
from .spans.learn import Task
from .spans.losses import LOSSES
from .spans.model import add_output, configure, is_initialized
from .spans.parse import DECODERS, parse

register_extensions()

DEFAULT_SPAN_MODEL = Config(
    {
        "@architectures": "spacy-ucca.SpanModel.v1",
        "hidden_width": 250,
        "label_width": 200,
        "pair_width": 64,
        "tok2vec": DEFAULT_UCCA_MODEL["tok2vec"],
    }
)
MAX_LENGTH, THRESHOLD = 1_000, 0.4


@Language.factory(
    "ucca_span_parser",
    assigns=["doc._.ucca"],
    requires=["token.tag", "token.dep", "token.head", "token.is_sent_start"],
    default_config={
        "model": DEFAULT_SPAN_MODEL,
        "decoder": "chart",
        "loss": "crf",
        "threshold": THRESHOLD,
        "max_length": MAX_LENGTH,
        "scorer": {"@scorers": "spacy-ucca.ucca_scorer.v1"},
        "guidelines": "",
        "linkage": False,
        "repair": False,
    },
    default_score_weights={
        "ucca_f": 1.0,
        "ucca_p": 0.0,
        "ucca_r": 0.0,
        "ucca_primary_f": 0.0,
        "ucca_remote_f": 0.0,
        "ucca_unlabeled_f": 0.0,
        "ucca_weak_f": None,
        "ucca_per_type": None,
    },
)
def make_ucca_span_parser(
    nlp: Language,
    name: str,
    model: Model[list[Doc], Any],
    decoder: str,
    loss: str,
    threshold: float,
    max_length: int,
    scorer: Callable | None,
    guidelines: str,
    linkage: bool,
    repair: bool,
) -> "UccaSpanParser":
    """Make a UccaSpanParser.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model[List[Doc], SpanScorers]): The model; see `build_span_model`.
    decoder (str): "chart" finds the best tree of all; "topdown" splits spans greedily, and is trained to do so.
    loss (str): "crf", "margin" or "cross_entropy"; see `spans/losses.py`.
    threshold (float): How likely a span has to be to stand in a tree, unless the loss is "margin": lower finds more
        units, higher fewer and surer ones.
    max_length (int): Longer sentences are parsed in parts, and are not learned from.
    scorer (Optional[Callable]): The scoring method.
    guidelines (str): The guidelines to follow in Docs that name none; see `make_ucca_parser`.
    linkage (bool): Whether to add linkage units; see `add_linkage`.
    repair (bool): Whether to mend graphs that break the rules of UCCA; see `repair.py`. Labels of spans do not know of
        each other, so many do, and mending costs accuracy: it is off by default, unlike that of `ucca_parser`.
    RETURNS (UccaSpanParser): The component.
    """
    return UccaSpanParser(
        nlp.vocab,
        model,
        name,
        decoder=decoder,
        loss=loss,
        threshold=threshold,
        max_length=max_length,
        scorer=scorer,
        guidelines=guidelines,
        linkage=linkage,
        repair=repair,
    )


class UccaSpanParser(TrainablePipe):
    """Parses Docs into UCCA graphs by labeled spans, on `doc._.ucca`, one root per sentence.

    vocab (Vocab): The shared vocabulary.
    model (Model[List[Doc], SpanScorers]): The model; see `build_span_model`.
    name (str): The component instance name.
    decoder (str): "chart" or "topdown".
    loss (str): "crf", "margin" or "cross_entropy".
    threshold (float): How likely a span has to be to stand in a tree.
    max_length (int): Longer sentences are parsed in parts, and are not learned from.
    scorer (Optional[Callable]): The scoring method.
    guidelines (str): The guidelines to follow in Docs that name none.
    linkage (bool): Whether to link linkers to the Scenes beside them; see `add_linkage`.
    repair (bool): Whether to mend graphs that break the rules of UCCA; see `repair.py`.
    RAISES (ValueError): If there is no such decoder or loss.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model[list[Doc], Any],
        name: str = "ucca_span_parser",
        *,
        decoder: str = "chart",
        loss: str = "crf",
        threshold: float = THRESHOLD,
        max_length: int = MAX_LENGTH,
        scorer: Callable | None = None,
        guidelines: str = "",
        linkage: bool = False,
        repair: bool = False,
    ) -> None:
        known = {"decoder": (decoder, DECODERS), "loss": (loss, LOSSES)}
        for what, (value, values) in known.items():
            if value not in values:
                raise ValueError(
                    Errors.UC840.format(name=name, what=what, value=value, known=", ".join(values))
                )
        if max_length < 1:
            raise ValueError(Errors.UC844.format(name=name, value=max_length))
        self.vocab = vocab
        self.model = model
        self.name = name
        self.decoder = decoder
        self.loss = loss
        self.threshold = threshold
        self.max_length = max_length
        self.scorer = scorer
        self.linkage = linkage
        self.repair = repair
        self.cfg: dict[str, Any] = {}
        self._labels: SpanLabels | None = None
        self._lessons = SpanLessonBook(name, max_length)
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

    # Labels

    @property
    def span_labels(self) -> SpanLabels:
        """RETURNS (SpanLabels): The labels of spans and of remote edges."""
        if self._labels is None:
            labels = {name: value for name, value in self.cfg.items() if name != "calibration"}
            self._labels = SpanLabels(**labels)
        return self._labels

    @property
    def calibration(self) -> Calibration:
        """RETURNS (Calibration): What makes scores of edges; may be set, as `spacy-ucca calibrate` does."""
        return Calibration(self.cfg.get("calibration"))

    @calibration.setter
    def calibration(self, calibration: Calibration | None) -> None:
        self.cfg.pop("calibration", None)
        if calibration is not None:
            self.cfg["calibration"] = calibration.to_dict()

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The labels of spans, such as "H+A-remote"; see `docs/constituency.md`."""
        return self.span_labels.spans

    @property
    def label_data(self) -> dict[str, list[str]] | None:
        """RETURNS (Optional[Dict]): What `initialize` takes as `labels`; None without any."""
        return self.span_labels.to_dict() if self.labels else None

    def add_label(self, label: str) -> int:
        """Add a label of spans. A trained model gets a new output for it and keeps its weights.

        label (str): The label, as `to_constituency` makes it.
        RETURNS (int): 1 if it is new, 0 if not.
        RAISES (ValueError): If the model has its weights and the label has units of a new kind.
        """
        if not isinstance(label, str) or not label:
            raise ValueError(SpacyErrors.E187)
        if label in self.labels:
            return 0
        old, new = self.span_labels, self.span_labels.with_label(label)
        if is_initialized(self.model):
            added = sorted(set(new.units.labels) - set(old.units.labels))
            if added:
                raise ValueError(
                    Errors.UC843.format(label=label, name=self.name, unit=", ".join(added))
                )
            add_output(self.model, new.n_classes)
        self._set_labels(new)
        return 1

    def _set_labels(self, labels: SpanLabels) -> None:
        self.cfg.update(labels.to_dict())
        self._labels = labels
        self._lessons.clear()
        for label in labels.spans:
            self.vocab.strings.add(label)

    # Parsing

    def predict(self, docs: Iterable[Doc]) -> list[Graph]:
        """Parse a batch, without changing it.

        docs (Iterable[Doc]): The Docs.
        RETURNS (List[Graph]): The graph of each.
        """
        return self.decode(docs, self.model.predict)

    @collector_paused()
    def decode(
        self,
        docs: Iterable[Doc],
        score: Callable[[list[Doc]], Any],
        calibration: Any = None,
    ) -> list[Graph]:
        """Parse a batch by scores from anywhere.

        docs (Iterable[Doc]): The Docs.
        score (Callable[[List[Doc]], SpanScorers]): Gives the scorers of a batch, as the model does.
        calibration (Optional[Callable]): Makes scores of edges; the parser's own if it is None. With another, graphs
            stay as they were decoded.
        RETURNS (List[Graph]): The graph of each.
        """
        docs = list(docs)
        how = {"mend": self.repair and calibration is None, "linkage": self.linkage}
        warn_of_missing(self.name, docs, self._warned)
        unique = list({id(doc): doc for doc in docs}.values())
        settings = (self.decoder, self.loss, self.max_length, self.threshold)
        system = self.span_labels.units.system
        graphs: dict[int, Graph] = {}
        for part in decoding_parts(unique):
            sentences = find_sentences(part, self.span_labels.units.dep_ids)
            found: dict[int, list[Parsed]] = {}
            if sentences:
                self._require_initialized()
                scores, calibrated = score(part), calibration or self.calibration
                decoded = parse(scores, self.span_labels, sentences, *settings, calibrated)
                for sentence, *result in zip(sentences, *decoded):
                    found.setdefault(id(sentence.doc), []).append((sentence, *result))
            graphs.update(
                (id(doc), assemble(doc, found.get(id(doc), []), system, **how)) for doc in part
            )
        return [graphs[id(doc)] for doc in docs]

    def set_annotations(self, docs: Iterable[Doc], graphs: Iterable[Graph]) -> None:
        """Write parses to Docs.

        docs (Iterable[Doc]): The Docs.
        graphs (Iterable[Graph]): The graphs, from `predict`.
        """
        for doc, graph in zip(docs, graphs):
            doc._.ucca = graph

    def _require_initialized(self) -> None:
        if not self.labels or not is_initialized(self.model):
            raise ValueError(SpacyErrors.E109.format(name=self.name))

    # Training

    @collector_paused()
    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch: labels of spans, and remote edges between the units of the gold trees.

        examples (Iterable[Example]): The batch; references without a graph teach nothing.
        drop (float): The dropout rate.
        sgd (Optional[Optimizer]): The optimizer; without it, gradients are kept.
        losses (Optional[Dict[str, float]]): Losses by component name, added to.
        RETURNS (Dict[str, float]): The losses.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "UccaSpanParser.update")
        self._require_initialized()
        taught = self._lessons.find(self.span_labels, examples)
        if not taught:
            return losses
        task = Task(taught, self.span_labels, self.decoder, self.loss, self.threshold)
        set_dropout_rate(self.model, drop)
        scorers, backprop = self.model.begin_update([eg.predicted for eg in examples])
        losses[self.name] += task.learn(self.model.ops, scorers)
        backprop(None)
        if sgd is not None:
            self.finish_update(sgd)
        return losses

    def get_loss(
        self, examples: Iterable[Example], scores: dict[str, Floats2d]
    ) -> tuple[float, dict[str, Floats2d]]:
        """The loss of the labels of spans and of remote edges; see `spans.learn.Task`.

        examples (Iterable[Example]): The batch.
        scores (Dict[str, Floats2d]): "spans": the scores of all spans of its gold sentences, by sentence, first
            token and end; "labels": those of spans in trees; "pairs": those of pairs of units.
        RETURNS (Tuple[float, Dict[str, Floats2d]]): The loss and the gradient of the scores.
        """
        examples = list(examples)
        validate_examples(examples, "UccaSpanParser.get_loss")
        taught = self._lessons.find(self.span_labels, examples)
        task = Task(taught, self.span_labels, self.decoder, self.loss, self.threshold)
        return task.losses(self.model.ops, scores)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: dict[str, Any] | None = None,
    ) -> None:
        """Find the labels and make the weights. Labels added before are kept.

        get_examples (Callable[[], Iterable[Example]]): Gives the training examples.
        nlp (Optional[Language]): The pipeline.
        labels (Optional[Dict]): The `label_data` of an earlier run, as `spacy init labels` writes it.
        """
        validate_get_examples(get_examples, "UccaSpanParser.initialize")
        added = self.labels
        sample: list[Doc] = []
        if labels is not None:
            found = SpanLabels(**labels)
            sample = [eg.predicted for eg in itertools.islice(get_examples(), 10)]
        else:
            graphs: list[Graph] = []
            deps: set[str] = set()
            for eg in get_examples():
                for _, graph in gold_sentences(eg, self.name):
                    attached = [i for i in range(len(graph.words)) if graph.unit_of(i) is not None]
                    graphs.append(graph.only(attached))
                deps.update(token.dep_ for doc in (eg.predicted, eg.reference) for token in doc)
                if len(sample) < 10:
                    sample.append(eg.predicted)
            deps.update(find_deps(nlp))
            found = SpanLabels.collect(graphs, deps - {""})
        for label in added:
            if label not in found.spans:
                found = found.with_label(label)
        if not found.spans:
            raise ValueError(Errors.UC312.format(name=self.name))
        self._set_labels(found)
        configure(self.model, found)
        self.model.initialize(X=sample or [Doc(self.vocab, words=["hello"])])

    def rehearse(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, float]:
        """Not supported: train on old and new graphs together instead.
        RAISES (NotImplementedError): Always."""
        raise NotImplementedError(Errors.UC313.format(name=self.name))

    # Serialization: labels go with the settings, weights with the model

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "UccaSpanParser":
        """Load from a bytestring.

        bytes_data (bytes): What `to_bytes` gave.
        exclude (Iterable[str]): Fields to leave out: "vocab", "cfg", "model".
        RETURNS (UccaSpanParser): The component.
        """
        super().from_bytes(bytes_data, exclude=exclude)
        self._loaded()
        return self

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "UccaSpanParser":
        """Load from a directory.

        path (Union[str, Path]): The directory.
        exclude (Iterable[str]): Fields to leave out: "vocab", "cfg", "model".
        RETURNS (UccaSpanParser): The component.
        """
        super().from_disk(path, exclude=exclude)
        self._loaded()
        return self

    def _loaded(self) -> None:
        self._labels = None
        self._lessons.clear()
        self.guidelines = self._guidelines  # what the config says now
