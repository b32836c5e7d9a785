"""`ucca_span_parser`: a trainable pipeline component that parses by labeled spans, after the notes on a UCCA parsing
system (Jiang, 2019), sections 3 and 4."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Model, set_dropout_rate
from thinc.types import Floats2d

from ..errors import Errors
from ..graph import Graph
from ..parser.collect import N_SAMPLE, collect
from ..parser.graph_parser import GraphParser
from ..parser.guidelines import follow_references
from ..parser.labels import Inventory
from ..parser.loading import check_given_labels
from ..tokens.sentences import Sentence
from ..transition import State
from .gold import SpanTargetCache
from .labels import SpanLabels
from .learn import TrainingBatch
from .model import (
    SpanScorers,
    add_output,
    configure,
    is_initialized,
    model_sizes,
)
from .parse import parse
from .settings import SpanSettings


class UccaSpanParser(GraphParser[SpanSettings], settings=SpanSettings):
    """Parses Docs into UCCA graphs by labeled spans, on `doc._.ucca`, one root per sentence. Fields of its settings are
    attributes, too, such as `parser.threshold`, and may be set.

    vocab (Vocab): The shared vocabulary.
    model (Model[List[Doc], SpanScorers]): The model, as `build_span_model` makes it.
    name (str): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    settings (Optional[SpanSettings]): The settings.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model[list[Doc], Any],
        name: str = "ucca_span_parser",
        *,
        scorer: Callable | None = None,
        settings: SpanSettings | None = None,
    ) -> None:
        self._labels: SpanLabels | None = None
        super().__init__(vocab, model, name, scorer=scorer, settings=settings or SpanSettings())

    def _set_settings(self, settings: SpanSettings) -> None:
        super()._set_settings(settings)
        self._targets = SpanTargetCache(self.name, settings.max_length, settings.one_step)

    # Labels

    @property
    def span_labels(self) -> SpanLabels:
        """RETURNS (SpanLabels): The labels of spans, of remote edges and of implicit units."""
        if self._labels is None:
            self._labels = SpanLabels.from_dict(self.cfg)
        return self._labels

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The labels of spans, such as "H+A-remote"."""
        return self.span_labels.spans

    @property
    def label_data(self) -> dict[str, Any] | None:
        """RETURNS (Optional[Dict]): The argument `labels` of `initialize`; None without any."""
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
        self._targets.clear()
        for label in labels.spans:
            self.vocab.strings.add(label)

    # Hooks of the base class

    @property
    def _units(self) -> Inventory:
        return self.span_labels.units

    @property
    def _sizes(self) -> dict[str, dict[str, int]]:
        return model_sizes(self.span_labels)

    def _is_initialized(self) -> bool:
        return is_initialized(self.model)

    def _clear_caches(self) -> None:
        self._labels = None
        self._targets.clear()

    def _parse(
        self,
        scores: SpanScorers,
        sentences: Sequence[Sentence],
        settings: SpanSettings,
        calibration: Any,
    ) -> tuple[Iterable[State], Iterable[bool]]:
        return parse(scores, self.span_labels, sentences, settings, calibration)

    def _learn(self, examples: list[Example], drop: float) -> float | None:
        follow_references(examples)
        self._require_known(eg.predicted for eg in examples)
        pairs = self._targets.find(self.span_labels, examples)
        if not pairs:
            return None
        batch = TrainingBatch(pairs, self.span_labels, self.settings)
        set_dropout_rate(self.model, drop)
        scorers, backprop = self.model.begin_update([eg.predicted for eg in examples])
        loss = batch.learn(self.model.ops, scorers)
        backprop(None)
        return loss

    # Training

    def get_loss(
        self, examples: Iterable[Example], scores: dict[str, Floats2d]
    ) -> tuple[float, dict[str, Floats2d]]:
        """Compute the loss of the labels of spans, remote edges and implicit units.

        examples (Iterable[Example]): The batch.
        scores (Dict[str, Floats2d]): "spans": the scores of all spans of its gold sentences, by sentence, first
            token and end; "labels": those of spans in trees; "pairs": those of pairs of units;
            "implicit": those of units.
        RETURNS (Tuple[float, Dict[str, Floats2d]]): The loss and the gradient of the scores.
        """
        examples = list(examples)
        validate_examples(examples, "UccaSpanParser.get_loss")
        pairs = self._targets.find(self.span_labels, examples)
        batch = TrainingBatch(pairs, self.span_labels, self.settings)
        return batch.losses(self.model.ops, scores)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: dict[str, Any] | None = None,
    ) -> None:
        """Collect the labels and initialize the model. Labels that were added before stay.

        get_examples (Callable[[], Iterable[Example]]): Gives the training examples.
        nlp (Optional[Language]): The pipeline.
        labels (Optional[Dict]): The `label_data` of an earlier run, as `spacy init labels` writes it.
        """
        validate_get_examples(get_examples, "UccaSpanParser.initialize")
        added = self.labels
        if labels is not None:
            check_given_labels(labels, self.name)
            span_labels = SpanLabels.from_dict(labels)
            sample = [eg.predicted for eg in itertools.islice(get_examples(), N_SAMPLE)]
        else:
            graphs, deps, _, sample = collect(
                get_examples, nlp, self._gold_graphs, self.settings.guidelines, name=self.name
            )
            span_labels = SpanLabels.collect(graphs, deps, self.settings.one_step)
        for label in added:
            if label not in span_labels.spans:
                span_labels = span_labels.with_label(label)
        if not span_labels.spans:
            raise ValueError(Errors.UC312.format(name=self.name))
        self._set_labels(span_labels)
        self._choose_guidelines()
        configure(self.model, span_labels)
        self.model.initialize(X=sample or [Doc(self.vocab, words=["hello"])])

    def _gold_graphs(self, eg: Example) -> Iterable[Graph]:
        for gold in self._targets.sentences([eg], {}):
            yield gold.graph
