"""`ucca_parser`: the trainable pipeline component, its factory and its default configuration.

spaCy's life cycle lives here: predict, update, initialize, labels, serialization. What is predicted and
learned is put together in `decode.py` and `lessons.py`, weights are `model.py`'s. Nothing heavy or optional
is imported: spaCy loads this file for every user who has the package installed.
"""

import itertools
import warnings
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
from .categories import join_categories
from .confidence import Calibration
from .decode import collector_paused, decode_all, decoding_parts, find_sentences
from .encoder import set_default_guidelines
from .errors import Errors, Warnings
from .exploration import explore
from .extensions import register_extensions
from .graph import Graph
from .inventory import Inventory
from .lessons import LessonBook, cross_entropy, learn, stack
from .model import configure, is_initialized, resize_output

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
    exploration: float,
    exploration_start: int,
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
    exploration (float): In training, how often a wrong guess of the model is followed, so that it learns
        what is best after its own mistakes; 0 follows the gold graph alone. For the system "tree".
    exploration_start (int): The number of updates before that begins.
    RETURNS (UccaParser): The component.
    """
    return UccaParser(
        nlp.vocab,
        model,
        name,
        scorer=scorer,
        guidelines=guidelines,
        linkage=linkage,
        repair=repair,
        exploration=exploration,
        exploration_start=exploration_start,
    )


class UccaParser(TrainablePipe):
    """Parses Docs into UCCA graphs, on `doc._.ucca`, one root per sentence.

    vocab (Vocab): The shared vocabulary.
    model (Model[List[Doc], Dict[str, SlotStep]]): The model; see `build_ucca_model`.
    name (str): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    guidelines (str): The guidelines to follow in Docs that name none.
    linkage (bool): Whether to link linkers to the Scenes beside them; see `add_linkage`.
    repair (bool): Whether to mend graphs that break the rules of UCCA; see `repair.py`.
    exploration (float): How often a wrong guess is followed in training.
    exploration_start (int): The number of updates before that begins.
    RAISES (ValueError): If the transition system has no oracle for wrong guesses.
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
        exploration: float = 0.0,
        exploration_start: int = 0,
    ) -> None:
        if exploration and model.attrs["system"] != "tree":
            raise ValueError(Errors.UC325.format(name=name, system=model.attrs["system"]))
        self.vocab = vocab
        self.linkage = linkage
        self.repair = repair
        self.exploration = exploration
        self.exploration_start = exploration_start
        self._n_updates = 0
        self.model = model
        self.name = name
        self.scorer = scorer
        self.cfg: dict[str, Any] = {}
        self._inventory: Inventory | None = None
        self._lessons = LessonBook(name)
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
    def inventory(self) -> Inventory:
        """RETURNS (Inventory): The labels, with the transition system and the columns of features."""
        if self._inventory is None:
            labels = {name: value for name, value in self.cfg.items() if name != "calibration"}
            attrs = self.model.attrs
            self._inventory = Inventory(attrs["system"], **labels, rows=attrs["rows"])
        return self._inventory

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
            resize_output(self.model, old, self.inventory)
        self.vocab.strings.add(label)
        return 1

    def _set_inventory(self, inventory: Inventory) -> None:
        self.cfg.update(inventory.to_dict())
        self._inventory = inventory
        self._lessons.clear()

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
        score: Callable[[list[Doc]], dict[str, Any]],
        calibration: Any = None,
    ) -> list[Graph]:
        """Parse a batch by scores from anywhere, such as the mean of several models.

        docs (Iterable[Doc]): The Docs.
        score (Callable[[List[Doc]], Dict[str, SlotStep]]): Gives the scorers of a batch, as the model does.
        calibration (Optional[Callable]): Makes scores of edges; the parser's own if it is None. With another, graphs
            stay as they were decoded.
        RETURNS (List[Graph]): The graph of each.
        """
        docs = list(docs)
        how = {"mend": self.repair and calibration is None, "linkage": self.linkage}
        calibration = calibration or self.calibration
        warn_of_missing(self.name, docs, self._warned)
        unique = list({id(doc): doc for doc in docs}.values())
        graphs: dict[int, Graph] = {}
        for part in decoding_parts(unique):
            sentences = find_sentences(part, self.inventory.dep_ids)
            found: dict[int, list[Parsed]] = {}
            if sentences:
                self._require_initialized()
                decoded = decode_all(score(part), self.inventory, sentences, calibration)
                for sentence, *result in zip(sentences, *decoded):
                    found.setdefault(id(sentence.doc), []).append((sentence, *result))
            graphs.update(
                (id(doc), assemble(doc, found.get(id(doc), []), self.inventory.system, **how))
                for doc in part
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
        """Learn from a batch.

        examples (Iterable[Example]): The batch; references without a graph teach nothing.
        drop (float): The dropout rate.
        sgd (Optional[Optimizer]): The optimizer; without it, gradients are kept.
        losses (Optional[Dict[str, float]]): Losses by component name, added to.
        RETURNS (Dict[str, float]): The losses.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "UccaParser.update")
        self._require_initialized()
        found = self._lessons.find(self.inventory, examples)
        lessons = stack(found)
        if not lessons:
            return losses
        set_dropout_rate(self.model, drop)
        docs = [eg.predicted for eg in examples]
        steps, backprop = self.model.begin_update(docs)
        self._n_updates += 1
        if self.exploration and self._n_updates > self.exploration_start:
            taught = [sentence for sentence, _ in found]
            lessons["actions"] = explore(steps["actions"], self.inventory, taught, self.exploration)
        losses[self.name] += learn(self.model.ops, steps, lessons)
        backprop(None)
        if sgd is not None:
            self.finish_update(sgd)
        return losses

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
        sample: list[Doc] = []
        if labels is not None:
            self._set_inventory(Inventory(system, **labels, rows=rows))
            sample = [eg.predicted for eg in itertools.islice(get_examples(), 10)]
        else:
            graphs: list[Graph] = []
            deps: set[str] = set()
            for eg in get_examples():
                graph = eg.reference._.ucca
                if graph is not None:
                    graphs.append(graph)
                deps.update(token.dep_ for doc in (eg.predicted, eg.reference) for token in doc)
                if len(sample) < 10:
                    sample.append(eg.predicted)
            deps.update(find_deps(nlp))
            self._set_inventory(Inventory.collect(system, graphs, deps - {""}, rows=rows))
        for label in added:
            if label not in self.labels:
                self._set_inventory(self.inventory.with_label(label))
        if not self.labels:
            raise ValueError(Errors.UC312.format(name=self.name))
        for label in self.labels:
            self.vocab.strings.add(label)
        configure(self.model, self.inventory.schemas, self.inventory.n_outputs)
        self.model.initialize(X=sample or [Doc(self.vocab, words=["hello"])])

    def rehearse(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, float]:
        """Not supported: train on old and new graphs together instead.
        RAISES (NotImplementedError): Always."""
        raise NotImplementedError(Errors.UC313.format(name=self.name))

    # Serialization: labels go with the settings, weights with the model

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "UccaParser":
        """Load from a bytestring.

        bytes_data (bytes): What `to_bytes` gave.
        exclude (Iterable[str]): Fields to leave out: "vocab", "cfg", "model".
        RETURNS (UccaParser): The component.
        """
        super().from_bytes(bytes_data, exclude=exclude)
        self._loaded()
        return self

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "UccaParser":
        """Load from a directory.

        path (Union[str, Path]): The directory.
        exclude (Iterable[str]): Fields to leave out: "vocab", "cfg", "model".
        RETURNS (UccaParser): The component.
        """
        super().from_disk(path, exclude=exclude)
        self._loaded()
        return self

    def _loaded(self) -> None:
        self._inventory = None
        self._lessons.clear()
        self.guidelines = self._guidelines  # what the config says now


def find_deps(nlp: Language | None) -> set[str]:
    """RETURNS (Set[str]): Dependency labels that parsers of the pipeline may predict."""
    if nlp is None:
        return set()
    pipes = [pipe for name, pipe in nlp.pipeline if nlp.get_pipe_meta(name).factory == "parser"]
    return {label for pipe in pipes for label in getattr(pipe, "labels", ())}


def warn_of_missing(name: str, docs: list[Doc], warned: set[str]) -> None:
    """Warn once about each kind of annotation that is missing.

    name (str): The name of the component.
    docs (List[Doc]): The Docs.
    warned (Set[str]): What has been warned about; added to.
    """
    missing = {
        "SENT_START": ("sentence boundaries", "a `parser`, `senter` or `sentencizer`"),
        "TAG": ("tags", "a `tagger`"),
        "DEP": ("dependencies", "a `parser`"),
    }
    for attr, (what, remedy) in missing.items():
        if attr in warned:
            continue
        if any(len(doc) > 1 and not doc.has_annotation(attr) for doc in docs):
            warned.add(attr)
            warnings.warn(Warnings.UW301.format(name=name, what=what, remedy=remedy), stacklevel=3)
