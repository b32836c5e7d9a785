"""Base class of the trainable parsers to UCCA graphs: settings, parsing part by part, saving and loading."""

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Generic, TypeVar

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import set_dropout_rate

from ..errors import Errors
from ..features.state_rows import Schema
from ..graph import Graph
from ..model import configure, model_sizes, read_new_columns
from ..tokens.extension import get_guidelines
from ..tokens.sentences import Sentence, decoding_parts, find_sentences
from ..transition import State
from .calibration import Calibration
from .checks import N_SAMPLE, UnfamiliarDocs, check_listeners, collect
from .decode import Parsed, build_graph, by_doc
from .embed import set_default_guidelines, set_word_counts
from .labels import Inventory, choose_guidelines, follow_references, require_known
from .settings import GraphSettings
from .targets import GoldSentence, SentenceCache
from .trainable import TrainableParser, check_given_labels

S = TypeVar("S", bound=GraphSettings)


class GraphParser(TrainableParser[S], Generic[S]):
    """Base class of trainable parsers to UCCA graphs, on `doc._.ucca`, one root per sentence. Subclasses implement the
    methods that raise NotImplementedError, and have labels and `initialize`.

    vocab, model, name, scorer, settings: As for `TrainableParser`.
    """

    def __init__(self, vocab: Vocab, *args: Any, **kwargs: Any) -> None:
        super().__init__(vocab, *args, **kwargs)
        self._unfamiliar = UnfamiliarDocs(self.name, vocab.lang)

    def _change_settings(self, settings: S) -> None:
        require_known([settings.guidelines], self.known_guidelines, self.name)
        self._set_settings(settings)

    def _set_settings(self, settings: S) -> None:
        settings = self._check_settings(settings)
        set_default_guidelines(self.model, settings.guidelines)
        super()._set_settings(settings)
        self._targets = SentenceCache(self.name)

    def _check_settings(self, settings: S) -> S:
        """RETURNS (S): The settings, with what is left to the component filled in."""
        return settings

    # Labels

    _found: Any = None
    _calibration: Calibration | None = None

    @property
    def _label_set(self) -> Any:
        """RETURNS (Inventory): All labels."""
        if self._found is None:
            self._found = self._read_labels(self.cfg)
        return self._found

    def _set_labels(self, labels: Any) -> None:
        self.cfg.update(labels.to_dict())
        self._clear_caches()
        self._found = labels
        for label in self.labels:
            self.vocab.strings.add(label)

    def _clear_caches(self) -> None:
        self._found = self._calibration = None
        self._targets.clear()

    @property
    def label_data(self) -> dict[str, Any] | None:
        """RETURNS (Optional[Dict]): The argument `labels` of `initialize`; None without any."""
        return self._label_set.to_dict() if self.labels else None

    @property
    def known_guidelines(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The guidelines that the parser has learned. Empty before `initialize`."""
        return tuple(self._label_set.guidelines)

    @property
    def calibration(self) -> Calibration:
        """RETURNS (Calibration): Makes scores of edges; may be set, as `spacy-ucca calibrate` does."""
        if self._calibration is None:
            self._calibration = Calibration(self.cfg.get("calibration"))
        return self._calibration

    @calibration.setter
    def calibration(self, calibration: Calibration | None) -> None:
        if not isinstance(calibration, Calibration | None):
            found = type(calibration).__name__
            raise ValueError(Errors.UC353.format(name=self.name, found=found))
        self._calibration = None
        self.cfg.pop("calibration", None)
        if calibration is not None:
            self.cfg["calibration"] = calibration.to_dict()

    @property
    def reads_syntax(self) -> bool:
        """RETURNS (bool): Whether the parser has learned from tags or dependencies."""
        return bool(self._label_set.known_values)

    # Parsing

    def predict(
        self,
        docs: Iterable[Doc],
        *,
        calibration: Any = None,
        repair: bool | None = None,
    ) -> list[Graph]:
        """Parse a batch, without changing it.

        docs (Iterable[Doc]): The Docs.
        calibration (Optional[Callable]): Makes scores of edges; None is that of the parser.
        repair (Optional[bool]): Whether to repair graphs; None is the setting of the parser.
        RETURNS (List[Graph]): The graph of each.
        RAISES (UccaError): If scores are not finite.
        """
        settings = self._settings if repair is None else replace(self._settings, repair=repair)
        calibration = calibration or self.calibration
        docs, labels = list(docs), self._label_set
        graphs: dict[int, Graph] = {}
        with self._parsing():
            for part, sentences in self._divide(docs):
                parsed: Iterable[Parsed] = ()
                if sentences:
                    scores = self.model.predict(part)
                    decoded = self._decode(scores, labels, sentences, settings, calibration)
                    parsed = zip(sentences, *decoded)
                for doc, of_doc in by_doc(part, parsed):
                    graphs[id(doc)] = build_graph(doc, of_doc, labels, settings)
        return [graphs[id(doc)] for doc in docs]

    def _divide(self, docs: list[Doc]) -> Iterator[tuple[list[Doc], list[Sentence]]]:
        """Check Docs, and divide them into parts that are parsed one after the other.

        YIELDS (Tuple[List[Doc], List[Sentence]]): Docs, each once, and their sentences.
        """
        known = self._label_set.known_values
        self._warn_of_missing(docs, unread=() if self.reads_syntax else ("TAG", "DEP"))
        self._require_known(docs)
        check_listeners(self.model, self.name, docs)
        for message in self._unfamiliar.messages(docs, known):
            warnings.warn(message, stacklevel=3)
        if not self._is_checked:
            self._check_weights()
        for part in decoding_parts(dict(zip(map(id, docs), docs)).values()):
            sentences = find_sentences(part, self._label_set.dep_ids)
            if sentences:
                self._require_initialized()
            yield part, sentences

    def set_annotations(self, docs: Iterable[Doc], graphs: Iterable[Graph]) -> None:
        """Write parses to Docs.

        docs (Iterable[Doc]): The Docs.
        graphs (Iterable[Graph]): The graphs, from `predict`.
        """
        for doc, graph in zip(docs, graphs):
            doc._.ucca = graph

    # Training

    def _learn(self, examples: list[Example], drop: float) -> float | None:
        follow_references(examples)
        docs = [eg.predicted for eg in examples]
        self._require_known(docs)
        pairs = self._find_targets(examples)
        if not pairs:
            return None
        set_dropout_rate(self.model, drop)
        scorers, backprop = self.model.begin_update(docs)
        loss = self._update_scorers(pairs, scorers)
        backprop(None)
        return loss

    def _find_targets(self, examples: Iterable[Example]) -> list[tuple[GoldSentence, Any]]:
        return self._targets.find(examples, self._label_set.dep_ids, self._make_targets)

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
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        added = self.labels
        if labels is not None:
            check_given_labels(labels, self.name)
            self._set_labels(self._read_labels(labels))
            sample = [eg.predicted for eg in itertools.islice(get_examples(), N_SAMPLE)]
        else:
            graphs, deps, tags, sample = collect(
                get_examples, nlp, self._gold_graphs, self.settings.guidelines, name=self.name
            )
            self._set_labels(self._collect_labels(graphs, deps, tags))
        for label in added:
            if label not in self.labels:
                self._set_labels(self._label_set.with_label(label, self.known_guidelines))
        if not self.labels:
            found = {"attribute": "ucca", "reader": "Corpus"}
            raise ValueError(Errors.UC312.format(name=self.name, **found))
        self._choose_guidelines()
        read_new_columns(self.model)
        self._clear_caches()
        configure(self.model, self._label_set.schemas, self._label_set.n_outputs)
        set_word_counts(self.model, (eg.predicted for eg in get_examples()))
        self.model.initialize(X=sample or [Doc(self.vocab, words=["hello"])])

    # Loading

    @property
    def _sizes(self) -> dict[str, dict[str, int]]:
        return model_sizes(self.model, self._label_set.schemas, self._label_set.n_outputs)

    def _loaded(self, exclude: Iterable[str]) -> None:
        super()._loaded(exclude)
        self._choose_guidelines()

    def _choose_guidelines(self) -> None:
        """Choose the guidelines of Docs that name none, once the known ones are known, and tell the model."""
        name = choose_guidelines(self.settings.guidelines, self.known_guidelines, self.name)
        self._set_settings(replace(self.settings, guidelines=name))

    def _require_known(self, docs: Iterable[Doc]) -> None:
        """RAISES (ValueError): If a Doc names guidelines that the parser has not learned."""
        known = self._label_set.guidelines
        if names := set(map(get_guidelines, docs)).difference(known, [""]):
            require_known(sorted(names), known, self.name)

    # What each parser implements

    def _make_targets(self, gold: GoldSentence) -> Any:
        """RETURNS (Any): The targets of a gold sentence.
        RAISES (OracleError): If it cannot be learned.
        RAISES (GraphError): If it cannot be learned."""
        raise NotImplementedError

    _label_type: type[Inventory] = Inventory
    _make_schemas: Callable[..., Mapping[str, Schema]]  # as `spacy_ucca.model.make_schemas`

    def _read_labels(self, data: Mapping[str, Any]) -> Inventory:
        """RETURNS (Inventory): The labels of what their `to_dict` gave, among other keys."""
        columns = partial(self._make_schemas, self.model)
        return self._label_type.from_dict(self.model.attrs["system"], data, make_schemas=columns)

    def _collect_labels(
        self, graphs: Iterable[Graph], deps: Iterable[str], tags: Iterable[str]
    ) -> Inventory:
        """RETURNS (Inventory): The labels of gold graphs."""
        return self._label_type.collect(self.model.attrs["system"], graphs, deps, tags)

    def _gold_graphs(self, eg: Example) -> Iterable[Graph]:
        """RETURNS (Iterable[Graph]): The gold graphs whose labels are collected."""
        raise NotImplementedError

    def _update_scorers(self, pairs: Any, scorers: Any) -> float:
        """RETURNS (float): The loss, once gradients are with the scorers."""
        raise NotImplementedError

    _first_scorer = "actions"

    def _is_initialized(self) -> bool:
        return self.model.get_ref(self._first_scorer).has_dim("nI") is True

    # Given scorers, labels, sentences, settings and calibration: the final state of each sentence, and whether its graph may
    # break a rule
    _decode: Callable[..., tuple[Iterable[State], Iterable[bool]]]
