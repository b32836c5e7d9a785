"""`ucca_span_parser`: a trainable pipeline component that parses by labeled spans, after the notes on a UCCA parsing
system (Jiang, 2019), sections 3 and 4."""

from collections.abc import Iterable, Mapping
from typing import Any

from spacy.errors import Errors as SpacyErrors
from spacy.training import Example

from ..errors import Errors
from ..graph import Graph
from ..parser.graph_parser import GraphParser
from ..parser.settings import SpanSettings
from ..parser.targets import GoldSentence
from .labels import SpanLabels
from .model import add_output, make_schemas
from .parse import parse
from .training import SpanTargets, TrainingBatch, make_targets


class UccaSpanParser(GraphParser[SpanSettings], settings=SpanSettings):
    """Parses Docs into UCCA graphs by labeled spans, on `doc._.ucca`, one root per sentence. Fields of its settings are
    attributes, too, such as `parser.threshold`, and may be set.

    vocab (Vocab): The shared vocabulary.
    model (Model[List[Doc], Dict[str, Any]]): The model, as `build_span_model` makes it.
    name (Optional[str]): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    settings (Optional[SpanSettings]): The settings.
    """

    default_name = "ucca_span_parser"

    _label_type = SpanLabels
    _make_schemas = staticmethod(make_schemas)
    _decode = staticmethod(parse)
    _first_scorer = "spans"

    def _make_targets(self, gold: GoldSentence) -> SpanTargets:
        return make_targets(self.span_labels, gold.graph, gold.syntax, self.settings)

    # Labels

    @property
    def span_labels(self) -> SpanLabels:
        """RETURNS (SpanLabels): The labels of spans, of remote edges and of implicit units."""
        return self._label_set

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The labels of spans, such as "H+A-remote"."""
        return self.span_labels.spans

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
        if self._is_initialized():
            added = sorted(set(new.labels) - set(old.labels))
            if added:
                raise ValueError(
                    Errors.UC843.format(label=label, name=self.name, unit=", ".join(added))
                )
            add_output(self.model, new)
        self._set_labels(new)
        return 1

    # Hooks of the base class

    def _collect_labels(
        self, graphs: Iterable[Graph], deps: Iterable[str], tags: Iterable[str]
    ) -> SpanLabels:
        system, one_step = self.model.attrs["system"], self.settings.one_step
        return SpanLabels.collect(system, graphs, deps, one_step=one_step)

    def _gold_graphs(self, eg: Example) -> Iterable[Graph]:
        for gold in self._targets.sentences([eg], {}):
            yield gold.graph

    def _update_scorers(self, pairs: Any, scorers: Mapping[str, Any]) -> float:
        batch = TrainingBatch(pairs, self.span_labels, self.settings)
        return batch.learn(self.model.ops, scorers)
