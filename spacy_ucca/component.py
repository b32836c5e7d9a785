"""`ucca_parser`: the trainable pipeline component that parses text to UCCA graphs by transitions."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from spacy.errors import Errors as SpacyErrors
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples

from .errors import Errors
from .graph import Graph
from .graph.categories import join_categories
from .model import (
    Scorers,
    make_schemas,
    resize_output,
)
from .parser.checks import collect
from .parser.decode import WeightedGraphs, beam_graphs, decode_all, decode_beams
from .parser.given import is_partial, read_all_given
from .parser.graph_parser import GraphParser
from .parser.labels import Inventory
from .parser.settings import DEFAULT_EXPLORATION, DEFAULT_UCCA_MODEL, Beam, ParserSettings
from .parser.targets import (
    GoldSentence,
    Targets,
    explore,
    explore_given,
    make_targets,
    stack_targets,
)
from .tokens.sentences import Sentence, find_sentences
from .tokens.storage import require_docs
from .transition import State
from .transitions.systems import system_class

__all__ = ["DEFAULT_UCCA_MODEL", "UccaParser"]


class UccaParser(GraphParser[ParserSettings], settings=ParserSettings):
    """Parse Docs into UCCA graphs, on `doc._.ucca`, one root per sentence. The fields of the settings are also attributes
    of the component, such as `parser.beam_width`, and may be set.

    vocab (Vocab): The shared vocabulary.
    model (Model[List[Doc], Dict[str, SlotStep]]): The model, as `build_ucca_model` makes it.
    name (Optional[str]): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    settings (Optional[ParserSettings]): The settings.
    RAISES (ValueError): If the settings ask for exploration, and the transition system has no dynamic oracle.
    """

    default_name = "ucca_parser"
    _n_updates = 0

    _make_schemas = staticmethod(make_schemas)
    _decode = staticmethod(decode_all)

    def _make_targets(self, gold: GoldSentence) -> dict[str, Targets]:
        return make_targets(self.inventory, gold.graph, gold.syntax)

    def _check_settings(self, settings: ParserSettings) -> ParserSettings:
        system = self.model.attrs["system"]
        can_explore = system_class(system).dynamic_oracle is not None
        if settings.exploration is None:
            value = DEFAULT_EXPLORATION if can_explore else 0.0
            return replace(settings, exploration=value)
        if settings.exploration and not can_explore:
            raise ValueError(Errors.UC325.format(name=self.name, system=system))
        return settings

    @property
    def beam(self) -> Beam:
        """RETURNS (Beam): The settings of beam search."""
        return self.settings.beam

    def beam_parse(self, docs: Iterable[Doc], n: int | None = None) -> list[WeightedGraphs]:
        """Parse a batch by beam search and return the best graphs of each Doc. The Docs are not changed.

        docs (Iterable[Doc]): The Docs.
        n (Optional[int]): How many graphs; the beam is as wide at least. None is `beam_width`.
        RETURNS (List[List[Tuple[float, Graph]]]): For each Doc up to n graphs with their probabilities, the most probable first. The
            probability of a parse is how probably it is the best of the beam; that of a graph of several sentences is the product.
        RAISES (UccaError): If these are no Docs, or a single one, or n is no whole number from 1 up.
        """
        docs, inventory, settings = list(require_docs(docs)), self.inventory, self.settings
        if n is not None:
            width = max(Beam(n).width, settings.beam_width)
            settings = replace(settings, beam_width=width, beam_density=0.0)
        found: dict[int, WeightedGraphs] = {}
        with self._parsing():
            for part, sentences in self._divide(docs):
                parses: list[list[State]] = []
                if sentences:
                    scores = self.model.predict(part)
                    parses = decode_beams(scores, inventory, sentences, settings, self.calibration)
                graphs = beam_graphs(part, sentences, parses, inventory, settings)
                found.update(zip(map(id, part), graphs))
        return [found[id(doc)][:n] for doc in docs]

    # Labels

    @property
    def inventory(self) -> Inventory:
        """RETURNS (Inventory): The labels, with the transition system and the columns of features."""
        return self._label_set

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The labels of edges; several categories are joined by "|"."""
        return self.inventory.labels

    @property
    def move_names(self) -> list[str]:
        """RETURNS (List[str]): The transitions, such as "SHIFT" and "NODE-A"."""
        return [str(action) for action in self.inventory.system.actions]

    def add_label(self, label: str) -> int:
        """Add a label of edges, under all guidelines. A trained model gets new outputs for it and keeps its weights.

        label (str): A category, or several joined by "|".
        RETURNS (int): 1 if it is new, 0 if not.
        """
        label = _normal_label(label)
        if label in self.labels:
            return 0
        self._resize(self.inventory.with_label(label, self.known_guidelines))
        return 1

    def add_guidelines(self, name: str, labels: Iterable[str] = ()) -> int:
        """Let the parser learn guidelines that its training data did not have, or more labels under known ones.

        name (str): The name of the guidelines.
        labels (Iterable[str]): Labels of edges that graphs of these guidelines have, beside those known; none stands for
            all labels of the parser.
        RETURNS (int): 1 if the name is new, 0 if not.
        RAISES (ValueError): If the name or a label is no text.
        """
        if not isinstance(name, str) or not name:
            raise ValueError(Errors.UC331.format(name=self.name, guidelines=name))
        is_new = name not in self.known_guidelines
        own = [_normal_label(label) for label in labels]
        new = self.inventory
        for label in own:
            new = new if label in new.labels else new.with_label(label)
        self._resize(new.with_guidelines(name, own or self.labels))
        return int(is_new)

    def add_labels_of(self, get_examples: Callable[[], Iterable[Example]]) -> tuple[str, ...]:
        """Add the labels of training examples that a trained model does not know: of edges, remote edges and implicit
        units, under the guidelines of the examples. The model keeps its weights, and gets new outputs; `initialize` would
        begin anew.

        get_examples (Callable[[], Iterable[Example]]): Gives the training examples.
        RETURNS (Tuple[str, ...]): The labels of edges that are new.
        """
        validate_get_examples(get_examples, "UccaParser.add_labels_of")
        old = self.inventory
        graphs, _, tags, _ = collect(
            get_examples, None, self._gold_graphs, self.settings.guidelines, name=self.name
        )
        found = self._collect_labels(graphs, (), tags if self.reads_syntax else ())
        new = old.extended(found)
        if new.to_dict() != self.inventory.to_dict():
            self._resize(new)
        return new.labels[len(old.labels) :]

    def _resize(self, new: Inventory) -> None:
        """Replace the labels by those of an inventory that has all of them. A trained model keeps its weights."""
        old = self.inventory
        self._set_labels(new)
        if self._is_initialized():
            classes = old.class_numbers_in(new)
            resize_output(self.model, old.schemas, new.schemas, new.n_outputs, classes)

    # Hooks of the base class

    def _gold_graphs(self, eg: Example) -> list[Graph]:
        graph = eg.reference._.ucca
        return [] if graph is None else [graph]

    def _find_targets(self, examples: Iterable[Example]) -> list[tuple[Any, Any]]:
        examples, deps = list(examples), self._label_set.dep_ids
        pairs: list[tuple[Any, Any]] = [*super()._find_targets(examples)]
        partial = {id(eg.predicted): eg.reference for eg in examples if is_partial(eg)}
        for sentence in find_sentences([eg.predicted for eg in examples], deps) if partial else ():
            if (reference := partial.get(id(sentence.doc))) is not None:
                args = reference, sentence.tokens, sentence.places, sentence.syntax
                pairs.append((Sentence(*args), None))
        return pairs

    def _update_scorers(self, pairs: Any, scorers: Scorers) -> float:
        # A sentence without targets has no graph, and says some of it by span groups.
        partial = [sentence for sentence, targets in pairs if targets is None]
        pairs = [pair for pair in pairs if pair[1] is not None]
        targets = stack_targets(pairs)
        self._n_updates += 1
        settings, loss = self._settings, 0.0
        if partial:
            step, inventory = scorers["actions"], self.inventory
            given = read_all_given(partial, inventory.system, settings.keep_entities)
            right = explore_given(step, inventory, partial, given, settings.guidelines)
            if len(right.classes):
                n_rows = len(right.classes) + sum(len(t["actions"].classes) for _, t in pairs)
                loss = step.learn(right, n_rows)
        if settings.exploration and self._n_updates > settings.exploration_start:
            sentences = [sentence for sentence, _ in pairs]
            targets["actions"] = explore(
                scorers["actions"], self.inventory, sentences, settings.exploration
            )
        # One scale for all scorers: a state, a pair and a unit count the same.
        n = max(len(targets["actions"].classes), 1) if targets else 1
        return loss + sum(scorers[name].learn(right, n) for name, right in targets.items())


def _normal_label(label: str) -> str:
    """RETURNS (str): A label with its categories in order.
    RAISES (ValueError): If it is no text."""
    if not isinstance(label, str) or not label:
        raise ValueError(SpacyErrors.E187)
    return join_categories(label.split("|"))
