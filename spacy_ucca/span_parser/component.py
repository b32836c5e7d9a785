"""`ucca_span_parser`: a trainable pipeline component that parses by labeled spans, after the notes on a UCCA parsing
system (Jiang, 2019), sections 3 and 4.

Labels and `initialize` live here; the rest of spaCy's life cycle is `graph_parser.py`'s. What is predicted and learned is
in `spans/`. The parser that builds graphs by transitions is `component.py`'s.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Config, Model, set_dropout_rate
from thinc.types import Floats2d

from ..component import DEFAULT_UCCA_MODEL
from ..errors import Errors
from ..graph import Graph
from ..parser.decode import LIKELY
from ..parser.graph_parser import N_SAMPLE, GraphParser, collect
from ..tokens.extension import register_extensions
from ..tokens.sentences import Sentence
from ..transition import State, TransitionSystem
from .gold import SpanLessonBook
from .labels import SpanLabels
from .learn import Task
from .losses import LOSSES
from .model import (
    SpanScorers,
    add_output,
    configure,
    is_initialized,
)
from .parse import DECODERS, parse

register_extensions()

DEFAULT_SPAN_MODEL = Config(
    {
        "@architectures": "spacy-ucca.SpanModel.v1",
        "hidden_width": 250,
        "label_width": 200,
        "pair_width": 64,
        "unit_width": 64,
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
        "extras_threshold": LIKELY,
        "scorer": {"@scorers": "spacy-ucca.ucca_scorer.v1"},
        "guidelines": "",
        "linkage": False,
        "repair": True,
    },
    default_score_weights={
        "ucca_f": 1.0,
        "ucca_p": 0.0,
        "ucca_r": 0.0,
        "ucca_primary_f": 0.0,
        "ucca_remote_f": 0.0,
        "ucca_implicit_f": 0.0,
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
    extras_threshold: float,
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
    loss (str): "crf" or "margin"; see `spans/losses.py`.
    threshold (float): How likely a span has to be to stand in a tree, unless the loss is "margin": lower finds more
        units, higher fewer and surer ones.
    max_length (int): Longer sentences are parsed in parts, and are not learned from.
    extras_threshold (float): How likely remote edges and implicit units have to be; see `make_ucca_parser`. Units are
        marked as children of remote edges by labels, whatever it is.
    scorer (Optional[Callable]): The scoring method.
    guidelines (str): The guidelines to follow in Docs that name none; see `make_ucca_parser`.
    linkage (bool): Whether to add linkage units; see `add_linkage`.
    repair (bool): Whether graphs are to follow the rules of UCCA: labels are chosen by them (see `tree_labels.py`),
        what is still wrong is mended (see `repair.py`).
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
        extras_threshold=extras_threshold,
        scorer=scorer,
        guidelines=guidelines,
        linkage=linkage,
        repair=repair,
    )


class UccaSpanParser(GraphParser):
    """Parses Docs into UCCA graphs by labeled spans, on `doc._.ucca`, one root per sentence.

    vocab (Vocab): The shared vocabulary.
    model (Model[List[Doc], SpanScorers]): The model; see `build_span_model`.
    name (str): The component instance name.
    decoder (str): "chart" or "topdown".
    loss (str): "crf" or "margin".
    threshold (float): How likely a span has to be to stand in a tree.
    max_length (int): Longer sentences are parsed in parts, and are not learned from.
    extras_threshold (float): How likely remote edges and implicit units have to be; see `make_ucca_parser`. Units are
        marked as children of remote edges by labels, whatever it is.
    scorer (Optional[Callable]): The scoring method.
    guidelines (str): The guidelines to follow in Docs that name none.
    linkage (bool): Whether to link linkers to the Scenes beside them; see `add_linkage`.
    repair (bool): Whether graphs are to follow the rules of UCCA; see `make_ucca_span_parser`.
    RAISES (ValueError): If there is no such decoder, loss or threshold.
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
        extras_threshold: float = LIKELY,
        scorer: Callable | None = None,
        guidelines: str = "",
        linkage: bool = False,
        repair: bool = True,
    ) -> None:
        known = {"decoder": (decoder, DECODERS), "loss": (loss, LOSSES)}
        for what, (value, values) in known.items():
            if value not in values:
                raise ValueError(
                    Errors.UC840.format(name=name, what=what, value=value, known=", ".join(values))
                )
        if max_length < 1:
            raise ValueError(Errors.UC844.format(name=name, value=max_length))
        super().__init__(
            vocab,
            model,
            name,
            scorer=scorer,
            guidelines=guidelines,
            linkage=linkage,
            repair=repair,
            extras_threshold=extras_threshold,
        )
        self.decoder = decoder
        self.loss = loss
        self.threshold = threshold
        self.max_length = max_length
        self._labels: SpanLabels | None = None
        self._lessons = SpanLessonBook(name, max_length)

    # Labels

    @property
    def span_labels(self) -> SpanLabels:
        """RETURNS (SpanLabels): The labels of spans, of remote edges and of implicit units."""
        if self._labels is None:
            labels = {name: value for name, value in self.cfg.items() if name != "calibration"}
            self._labels = SpanLabels(**labels)
        return self._labels

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The labels of spans, such as "H+A-remote"."""
        return self.span_labels.spans

    @property
    def label_data(self) -> dict[str, Any] | None:
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

    # What the life cycle in `graph_parser.py` asks for

    @property
    def _system(self) -> TransitionSystem:
        return self.span_labels.units.system

    @property
    def _dep_ids(self) -> dict[int, int]:
        return self.span_labels.units.dep_ids

    def _is_initialized(self) -> bool:
        return is_initialized(self.model)

    def _forget(self) -> None:
        self._labels = None
        self._lessons.clear()

    def _parse(
        self, scores: SpanScorers, sentences: Sequence[Sentence], calibration: Any
    ) -> tuple[Iterable[State], Iterable[bool]]:
        settings = (self.decoder, self.loss, self.max_length, self.threshold, self.repair)
        threshold = self.extras_threshold
        return parse(scores, self.span_labels, sentences, *settings, calibration, threshold)

    def _learn(self, examples: list[Example], drop: float) -> float | None:
        taught = self._lessons.find(self.span_labels, examples)
        if not taught:
            return None
        task = Task(taught, self.span_labels, self.decoder, self.loss, self.threshold)
        set_dropout_rate(self.model, drop)
        scorers, backprop = self.model.begin_update([eg.predicted for eg in examples])
        loss = task.learn(self.model.ops, scorers)
        backprop(None)
        return loss

    # Training

    def get_loss(
        self, examples: Iterable[Example], scores: dict[str, Floats2d]
    ) -> tuple[float, dict[str, Floats2d]]:
        """The loss of the labels of spans, remote edges and implicit units; see `spans.learn.Task`.

        examples (Iterable[Example]): The batch.
        scores (Dict[str, Floats2d]): "spans": the scores of all spans of its gold sentences, by sentence, first
            token and end; "labels": those of spans in trees; "pairs": those of pairs of units;
            "implicit": those of units.
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
        if labels is not None:
            found = SpanLabels(**labels)
            sample = [eg.predicted for eg in itertools.islice(get_examples(), N_SAMPLE)]
        else:
            graphs, deps, sample = collect(get_examples, nlp, self._gold_graphs)
            found = SpanLabels.collect(graphs, deps)
        for label in added:
            if label not in found.spans:
                found = found.with_label(label)
        if not found.spans:
            raise ValueError(Errors.UC312.format(name=self.name))
        self._set_labels(found)
        configure(self.model, found)
        self.model.initialize(X=sample or [Doc(self.vocab, words=["hello"])])

    def _gold_graphs(self, eg: Example) -> Iterable[Graph]:
        for gold in self._lessons.sentences([eg]):
            yield gold.graph.only(gold.attached)
