"""`ucca_parser`: the trainable pipeline component, its factory and its default configuration.

Labels and `initialize` live here; the rest of spaCy's life cycle is `graph_parser.py`'s. What is predicted and learned is
put together in `decode.py` and `lessons.py`, weights are `model.py`'s. Nothing heavy or optional is imported: spaCy
loads this file for every user who has the package installed.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Config, Model, set_dropout_rate
from thinc.types import Floats2d

from .errors import Errors
from .graph import Graph
from .graph.categories import join_categories
from .model import Scorers, configure, is_initialized, resize_output
from .parser.beam_graphs import WeightedGraphs, beam_graphs
from .parser.decode import LIKELY, decode_all, decode_beams
from .parser.exploration import explore
from .parser.graph_parser import N_SAMPLE, GraphParser, collect
from .parser.labels import Inventory
from .parser.loss import (
    LessonBook,
    cross_entropy,
    learn,
    stack,
)
from .parser.search import Beam
from .tokens.extension import register_extensions
from .tokens.sentences import Sentence
from .transition import State, TransitionSystem
from .transitions.systems import system_class

register_extensions()

default_model_config = """
[model]
@architectures = "spacy-ucca.UccaModel.v1"
system = "tree"
hidden_width = 192
hidden_depth = 1
pair_width = 64
unit_width = 64

[model.tok2vec]
@architectures = "spacy-ucca.Tok2Vec.v1"

[model.tok2vec.embed]
@architectures = "spacy-ucca.Embed.v1"
attrs = ["LOWER", "PREFIX", "SUFFIX", "SHAPE", "TAG", "DEP", "HEAD_TAG", "GUIDELINES"]
rows = [5000, 500, 2000, 500, 128, 128, 128, 16]
widths = [96, 24, 48, 24, 32, 32, 24, 16]
word_dropout = 0.1
include_static_vectors = false
vector_width = 100
guidelines_dropout = 0.2
tok2vec = null

[model.tok2vec.encode]
@architectures = "spacy-ucca.BiLSTMEncoder.v1"
width = 320
depth = 1
recurrent_dropout = 0.1
normalize = true
"""
DEFAULT_UCCA_MODEL = Config().from_str(default_model_config)["model"]


@Language.factory(
    "ucca_parser",
    assigns=["doc._.ucca"],
    requires=["token.tag", "token.dep", "token.head", "token.is_sent_start"],
    default_config={
        "model": DEFAULT_UCCA_MODEL,
        "scorer": {"@scorers": "spacy-ucca.ucca_scorer.v1"},
        "guidelines": "",
        "linkage": False,
        "repair": True,
        "beam_width": 1,
        "beam_density": 0.1,
        "extras_threshold": LIKELY,
        "exploration": 0.0,
        "exploration_start": 0,
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
def make_ucca_parser(
    nlp: Language,
    name: str,
    model: Model[list[Doc], Any],
    scorer: Callable | None,
    guidelines: str,
    linkage: bool,
    repair: bool,
    beam_width: int,
    beam_density: float,
    extras_threshold: float,
    exploration: float,
    exploration_start: int,
    beam_votes: bool = False,
) -> "UccaParser":
    """Make a UccaParser.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model[List[Doc], Dict[str, SlotStep]]): The model; see `build_ucca_model`. With `build_sparse_model`, what is
        learned in an update is learned at once: there are no gradients to keep, and `sgd` has nothing to do.
    scorer (Optional[Callable]): The scoring method.
    guidelines (str): The guidelines to follow in Docs that name none (`Doc._.ucca_guidelines`); "" leaves
        it to the text. It needs a model that embeds GUIDELINES and training data that names them.
    linkage (bool): Whether to add linkage units, which link linkers to the Scenes beside them: corpora of the
        first guidelines have them, those of the second not.
    repair (bool): Whether to mend graphs that break the rules of UCCA; see `repair.py`.
    beam_width (int): How many parses of a sentence to follow side by side; 1 is greedy, and fastest.
    beam_density (float): Parses less likely than so much of the likeliest are given up, from 0 to 1.
    extras_threshold (float): How likely remote edges and implicit units have to be, between 0 and 1: lower finds more,
        higher fewer and surer ones. The system "tupa" makes them by transitions, whatever it is.
    exploration (float): In training, how often a wrong guess of the model is followed, so that it learns
        what is best after its own mistakes; 0 follows the gold graph alone. For the system "tree".
    exploration_start (int): The number of updates before that begins.
    beam_votes (bool): Has to be False. Configurations that spacy-ucca 0.1 saved have it.
    RETURNS (UccaParser): The component.
    RAISES (ValueError): If `beam_votes` is True.
    """
    if beam_votes:
        raise ValueError(Errors.UC327.format(name=name))
    return UccaParser(
        nlp.vocab,
        model,
        name,
        scorer=scorer,
        guidelines=guidelines,
        linkage=linkage,
        repair=repair,
        beam_width=beam_width,
        beam_density=beam_density,
        extras_threshold=extras_threshold,
        exploration=exploration,
        exploration_start=exploration_start,
    )


class UccaParser(GraphParser):
    """Parses Docs into UCCA graphs, on `doc._.ucca`, one root per sentence.

    vocab (Vocab): The shared vocabulary.
    model (Model[List[Doc], Dict[str, SlotStep]]): The model; see `build_ucca_model`.
    name (str): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    guidelines (str): The guidelines to follow in Docs that name none.
    linkage (bool): Whether to link linkers to the Scenes beside them; see `add_linkage`.
    repair (bool): Whether to mend graphs that break the rules of UCCA; see `repair.py`.
    beam_width (int): How many parses of a sentence to follow side by side; may be set, as `beam_density`.
    beam_density (float): Parses less likely than so much of the likeliest are given up.
    extras_threshold (float): How likely remote edges and implicit units have to be; may be set.
    exploration (float): How often a wrong guess is followed in training.
    exploration_start (int): The number of updates before that begins.

    RAISES (ValueError): If the transition system has no oracle for wrong guesses, or there can be no such beam or
        threshold.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model[list[Doc], Any],
        name: str = "ucca_parser",
        *,
        scorer: Callable | None = None,
        guidelines: str = "",
        linkage: bool = False,
        repair: bool = True,
        beam_width: int = 1,
        beam_density: float = 0.1,
        extras_threshold: float = LIKELY,
        exploration: float = 0.0,
        exploration_start: int = 0,
    ) -> None:
        if exploration and not system_class(model.attrs["system"]).has_dynamic_oracle:
            raise ValueError(Errors.UC325.format(name=name, system=model.attrs["system"]))
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
        self.beam_width = beam_width
        self.beam_density = beam_density
        _ = self.beam  # checked now, not with the first text
        self.exploration = exploration
        self.exploration_start = exploration_start
        self._n_updates = 0
        self._inventory: Inventory | None = None
        self._lessons = LessonBook(name)

    @property
    def beam(self) -> Beam:
        """RETURNS (Beam): How many parses of a sentence are followed.
        RAISES (ValueError): If `beam_width` or `beam_density` was set to what it cannot be."""
        return Beam(self.beam_width, self.beam_density)

    def beam_parse(self, docs: Iterable[Doc]) -> list[WeightedGraphs]:
        """Parse a batch, without changing it, and give the likeliest graphs of each Doc: `beam_width` at most.

        docs (Iterable[Doc]): The Docs.
        RETURNS (List[List[Tuple[float, Graph]]]): For each Doc, graphs with their probabilities: a systematic sample of
            `beam_width` of what the parses of its sentences give together, equal ones counted together. So the
            probabilities are multiples of 1 / `beam_width`, in sum 1. The first has the likeliest parse of each sentence.
        """
        return self._by_parts(docs, self.model.predict, self._beam_graphs)

    # Labels

    @property
    def inventory(self) -> Inventory:
        """RETURNS (Inventory): The labels, with the transition system and the columns of features."""
        if self._inventory is None:
            labels = {name: value for name, value in self.cfg.items() if name != "calibration"}
            attrs = self.model.attrs
            self._inventory = Inventory(attrs["system"], **labels, rows=attrs["rows"])
        return self._inventory

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The labels of edges; several categories are joined by "|"."""
        return self.inventory.labels

    @property
    def label_data(self) -> dict[str, Any] | None:
        """RETURNS (Optional[Dict]): What `initialize` takes as `labels`; None without any."""
        return self.inventory.to_dict() if self.labels else None

    @property
    def move_names(self) -> list[str]:
        """RETURNS (List[str]): The transitions, such as "SHIFT" and "NODE-A"."""
        return [str(action) for action in self.inventory.system.actions]

    def add_label(self, label: str) -> int:
        """Add a label of edges. A trained model gets new outputs for it and keeps its weights.

        label (str): A category, or several joined by "|".
        RETURNS (int): 1 if it is new, 0 if not.
        """
        if not isinstance(label, str) or not label:
            raise ValueError(SpacyErrors.E187)
        label = join_categories(label.split("|"))
        if label in self.labels:
            return 0
        old = self.inventory
        self._set_inventory(old.with_label(label))
        if is_initialized(self.model):
            new = self.inventory
            numbers = old.action_numbers_in(new)
            resize_output(self.model, old.schemas, new.schemas, new.n_outputs, numbers)
        self.vocab.strings.add(label)
        return 1

    def _set_inventory(self, inventory: Inventory) -> None:
        self.cfg.update(inventory.to_dict())
        self._inventory = inventory
        self._lessons.clear()

    # What the life cycle in `graph_parser.py` asks for

    @property
    def _system(self) -> TransitionSystem:
        return self.inventory.system

    @property
    def _dep_ids(self) -> dict[int, int]:
        return self.inventory.dep_ids

    def _is_initialized(self) -> bool:
        return is_initialized(self.model)

    def _forget(self) -> None:
        self._inventory = None
        self._lessons.clear()

    def _parse(
        self, scores: Scorers, sentences: Sequence[Sentence], calibration: Any
    ) -> tuple[Iterable[State], Iterable[bool]]:
        settings = calibration, self.beam, self.extras_threshold
        return decode_all(scores, self.inventory, sentences, *settings)

    def _beam_graphs(
        self, docs: list[Doc], sentences: list[Sentence], scores: Any
    ) -> Iterator[WeightedGraphs]:
        """YIELDS (List[Tuple[float, Graph]]): The graphs of each Doc of a part; see `beam_parse`."""
        parses: list[list[State]] = []
        if sentences:
            settings = self.calibration, self.beam, self.extras_threshold
            parses = decode_beams(scores, self.inventory, sentences, *settings)
        how = {"mend": self.repair, "linkage": self.linkage}
        return beam_graphs(docs, sentences, parses, self.beam.width, self._system, **how)

    def _learn(self, examples: list[Example], drop: float) -> float | None:
        found = self._lessons.find(self.inventory, examples)
        lessons = stack(found)
        if not lessons:
            return None
        set_dropout_rate(self.model, drop)
        steps, backprop = self.model.begin_update([eg.predicted for eg in examples])
        self._n_updates += 1
        if self.exploration and self._n_updates > self.exploration_start:
            taught = [sentence for sentence, _ in found]
            lessons["actions"] = explore(steps["actions"], self.inventory, taught, self.exploration)
        loss = learn(self.model.ops, steps, lessons)
        backprop(None)
        return loss

    # Training

    def get_loss(
        self, examples: Iterable[Example], scores: dict[str, Floats2d]
    ) -> tuple[float, dict[str, Floats2d]]:
        """The cross entropy of gold actions, remote edges and implicit units.

        examples (Iterable[Example]): The batch.
        scores (Dict[str, Floats2d]): By scorer, the scores of the rows that the batch gives.
        RETURNS (Tuple[float, Dict[str, Floats2d]]): The loss and the gradient of the scores.
        """
        examples = list(examples)
        validate_examples(examples, "UccaParser.get_loss")
        lessons = stack(self._lessons.find(self.inventory, examples))
        return cross_entropy(self.model.ops, lessons, scores)

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
        validate_get_examples(get_examples, "UccaParser.initialize")
        system, rows, added = self.model.attrs["system"], self.model.attrs["rows"], self.labels
        if labels is not None:
            self._set_inventory(Inventory(system, **labels, rows=rows))
            sample = [eg.predicted for eg in itertools.islice(get_examples(), N_SAMPLE)]
        else:
            graphs, deps, sample = collect(get_examples, nlp, _gold_graphs)
            self._set_inventory(Inventory.collect(system, graphs, deps, rows=rows))
        for label in added:
            if label not in self.labels:
                self._set_inventory(self.inventory.with_label(label))
        if not self.labels:
            raise ValueError(Errors.UC312.format(name=self.name))
        for label in self.labels:
            self.vocab.strings.add(label)
        configure(self.model, self.inventory.schemas, self.inventory.n_outputs)
        self.model.initialize(X=sample or [Doc(self.vocab, words=["hello"])])


def _gold_graphs(eg: Example) -> list[Graph]:
    graph = eg.reference._.ucca
    return [] if graph is None else [graph]
