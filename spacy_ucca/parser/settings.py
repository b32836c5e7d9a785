"""Settings of components: immutable values that are checked when made. The configuration of the pipeline has them, and
follows when one is set."""

import gc
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spacy.language import Language
from thinc.api import Config

from ..errors import Errors, SettingError, UccaError

S = TypeVar("S")

# Minimum probability of a remote edge or implicit unit. F1 is maximal near half of the reachable F1
# (Lipton, Elkan and Naryanaswamy, 2014), which was 0.76 for primary and remote edges together.
DEFAULT_THRESHOLD = 0.4
DEFAULT_EXPLORATION = 0.5  # +0.5 F1 on EWT dev against 0.0

# The current guidelines of UCCA (Abend et al., 2020). Text and annotation that name none are taken to follow these.
DEFAULT_GUIDELINES = "v2"

DECODERS = ("chart", "topdown")  # of the span parser
SPAN_LOSSES = ("crf", "margin")
SDP_LOSSES = ("likelihood", "margin")

# Settings that are null in configs of 0.2, and keys that these still have, without a value
NULLABLE = ("remote_threshold", "implicit_threshold")
OLD_KEYS = {"extras_threshold": None, "beam_votes": False}

_UCCA_MODEL = """
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
count_words = false
include_static_vectors = false
vector_width = 100
tok2vec = null

[model.tok2vec.encode]
@architectures = "spacy-ucca.BiLSTMEncoder.v1"
width = 320
depth = 1
recurrent_dropout = 0.1
normalize = true
"""
DEFAULT_UCCA_MODEL = Config().from_str(_UCCA_MODEL)["model"]


PROBABILITY = "a number from 0 to 1"


def is_whole(value: Any) -> bool:
    """RETURNS (bool): Whether a value is a whole number, 0 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def wrong_value(name: str, value: Any, what: str) -> UccaError:
    """RETURNS (UccaError): The error that says what a setting takes."""
    return UccaError(Errors.UC352.format(name=name, value=value, what=what))


def check_flags(settings: Any, *names: str) -> None:
    """RAISES (ValueError): If a setting is neither true nor false."""
    for name in names:
        if not isinstance(value := getattr(settings, name), bool):
            raise wrong_value(name, value, "true or false")


def is_number(value: Any, lowest: float, highest: float) -> bool:
    """RETURNS (bool): Whether a value is a number from `lowest` to `highest`."""
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and lowest <= value <= highest


def check_rates(**settings: object) -> None:
    """RAISES (UccaError): If a setting of a training, such as a learning rate, is negative, infinite or no number."""
    for key, value in settings.items():
        if not is_number(value, 0, sys.float_info.max):
            raise wrong_value(key, value, "a finite number, at least 0")


@dataclass(frozen=True)
class Beam:
    """Settings of beam search.

    width (int): The maximum number of parses of a sentence; 1 is greedy search.
    density (float): Parses whose probability is less than this share of the best one are dropped; from 0 to 1.
    RAISES (ValueError): If the width is less than 1, or the density not from 0 to 1.
    """

    width: int = 1
    density: float = 0.1

    def __post_init__(self) -> None:
        if not is_whole(self.width) or self.width < 1:
            raise wrong_value("beam_width", self.width, "a whole number, 1 or more")
        if not is_number(self.density, 0, 1):
            raise wrong_value("beam_density", self.density, PROBABILITY)


@dataclass(frozen=True, kw_only=True)
class GraphSettings:
    """Settings that all trainable parsers to UCCA graphs have.

    guidelines (str): The guidelines to follow in Docs that name none (`Doc._.ucca_guidelines`).
    linkage (bool): Whether to add linkage units, which link linkers to the Scenes beside them. Corpora of the first
        guidelines have them, those of the second do not.
    repair (bool): Whether to repair graphs that break the rules of UCCA.
    remote_threshold (float): Minimum probability of a remote edge, from 0 to 1: a lower one gives more edges, a higher
        one fewer and more certain ones. Less than 0.01 is the same as 0.01. The system "tupa" predicts them by
        transitions and does not use it.
    implicit_threshold (float): The same for implicit units.
    RAISES (ValueError): If a setting is of the wrong type, or a threshold not from 0 to 1.
    """

    guidelines: str = DEFAULT_GUIDELINES
    linkage: bool = False
    repair: bool = True
    remote_threshold: float = DEFAULT_THRESHOLD
    implicit_threshold: float = DEFAULT_THRESHOLD

    def __post_init__(self) -> None:
        if not isinstance(self.guidelines, str):
            raise wrong_value("guidelines", self.guidelines, "the name of guidelines, such as 'v2'")
        check_flags(self, "linkage", "repair")
        for name in ("remote_threshold", "implicit_threshold"):
            value = getattr(self, name)
            if not is_number(value, 0, 1):
                raise wrong_value(name, value, PROBABILITY)


@dataclass(frozen=True, kw_only=True)
class ParserSettings(GraphSettings):
    """Settings of `ucca_parser`, in addition to those of all parsers.

    beam_width (int): The maximum number of parses of a sentence in the beam; 1 is greedy search, the fastest.
    beam_density (float): Parses whose probability is less than this share of the best one are dropped; from 0 to 1.
    exploration (Optional[float]): In training, the probability of following a wrong guess of the model, so that it
        learns the best actions after its mistakes; 0 follows the gold graph alone. None is 0.5 for transition systems
        with a dynamic oracle, and 0 for others, which cannot explore.
    exploration_start (int): The number of updates before exploration begins.
    keep_entities (bool): Whether entities of several tokens (`doc.ents`) are units without parts.
    RAISES (ValueError): If a setting is out of range.
    """

    beam_width: int = 1
    beam_density: float = 0.1
    exploration: float | None = None
    exploration_start: int = 0
    keep_entities: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flags(self, "keep_entities")
        _ = self.beam
        exploration, start = self.exploration, self.exploration_start
        if exploration is not None and not is_number(exploration, 0, 1):
            raise wrong_value("exploration", exploration, PROBABILITY)
        if not is_whole(start):
            raise wrong_value("exploration_start", start, "a whole number, 0 or more")

    @property
    def beam(self) -> Beam:
        """RETURNS (Beam): The beam of the search."""
        return Beam(self.beam_width, self.beam_density)


@dataclass(frozen=True, kw_only=True)
class ConversionSettings:
    """Settings of the components that convert bilexical graphs.

    levels, one_unit (bool): Which conversion to use: see `from_bilexical`.
    linkage (bool): Whether to add linkage units, which link linkers to the Scenes beside them.
    repair (bool): Whether to repair graphs that break the rules of UCCA.
    RAISES (ValueError): If one is neither true nor false.
    """

    levels: bool = True
    one_unit: bool = False
    linkage: bool = False
    repair: bool = True

    def __post_init__(self) -> None:
        check_flags(self, *(field.name for field in fields(self)))


@dataclass(frozen=True, kw_only=True)
class DependencySettings(ConversionSettings):
    """Settings of the component that converts dependencies.

    clear (bool): Whether to remove the dependencies afterwards, so that another parser can come next; sentences stay.
    """

    clear: bool = False


@dataclass(frozen=True, kw_only=True)
class SpanSettings(GraphSettings):
    """Settings of `ucca_span_parser`, beside those that all parsers have. `repair` also has the labels of a tree chosen
    by the rules of UCCA. `remote_threshold` does not decide which units may be children of remote edges: labels do.

    decoder (str): "chart" finds the best tree of all; "topdown" splits spans greedily, and is trained to do so.
    loss (str): "crf" maximizes the probability of the gold tree; "margin" the distance to the best wrong tree.
    threshold (float): Minimum probability of a span in a tree, unless the loss is "margin": a lower one gives more units,
        a higher one fewer and more certain ones.
    max_length (int): Longer sentences are parsed in parts, and left out of training.
    one_step (bool): Whether labels say only the direction of a move, as in the notes of Jiang (2019), section 3: all
        moves are undone by one step.
    RAISES (ValueError): If there is no such decoder or loss, or a threshold or the length is out of range.
    """

    decoder: str = "chart"
    loss: str = "crf"
    threshold: float = 0.4
    max_length: int = 1_000
    one_step: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flags(self, "one_step")
        for name, known in (("decoder", DECODERS), ("loss", SPAN_LOSSES)):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise wrong_value(name, value, f"one of: {', '.join(known)}")
        if not is_number(self.threshold, 0, 1):
            raise wrong_value("threshold", self.threshold, PROBABILITY)
        if not is_whole(self.max_length) or self.max_length < 1:
            raise wrong_value("max_length", self.max_length, "a whole number, 1 or more")

    @property
    def has_probabilities(self) -> bool:
        """RETURNS (bool): Whether the scores of spans are probabilities, which `threshold` is compared to."""
        return self.decoder == "chart" and self.loss != "margin"


@dataclass(frozen=True, kw_only=True)
class SdpSettings:
    """Settings of `sdp_parser`.

    loss (str): "likelihood" learns each pair of tokens by itself, "margin" the distance to the best wrong graph.
    noedge_weight (float): The weight of pairs without an edge in the loss, where others have 1.
    deterministic (bool): Whether no token may have two outgoing edges with the same label.
    both_directions (bool): Whether edges may lead both ways between two tokens.
    tree (bool): Whether edges that are not remote form a tree under the top of each sentence, as in UCCA.
    max_distance (int): The greatest distance between the two tokens of an edge; 0 is no limit.
    min_label_freq (int): How often a label has to occur in the training data to be learned.
    RAISES (ValueError): If no loss has that name, or a setting is of the wrong type or out of range.
    """

    loss: str = "likelihood"
    noedge_weight: float = 0.3
    deterministic: bool = False
    both_directions: bool = False
    tree: bool = False
    max_distance: int = 10
    min_label_freq: int = 1

    def __post_init__(self) -> None:
        if self.loss not in SDP_LOSSES:
            raise wrong_value("loss", self.loss, f"one of: {', '.join(SDP_LOSSES)}")
        check_flags(self, "deterministic", "both_directions", "tree")
        if not is_number(self.noedge_weight, 0, float("inf")):
            raise wrong_value("noedge_weight", self.noedge_weight, "a number, 0 or more")
        for name in ("max_distance", "min_label_freq"):
            if not is_whole(value := getattr(self, name)):
                raise wrong_value(name, value, "a whole number, 0 or more")


def _attribute_of(name: str) -> property:
    """RETURNS (property): The attribute of a component that reads and replaces a field of its `settings`."""

    def get_value(component: Any) -> Any:
        return getattr(component.settings, name)

    def set_value(component: Any, value: Any) -> None:
        # A threshold may come from an array: JSON has no NumPy numbers.
        plain = value.item() if type(value).__module__ == "numpy" else value
        component.settings = replace(component.settings, **{name: plain})

    return property(get_value, set_value)


class Configurable(Generic[S]):
    """Mixin of components. `settings` is a dataclass that checks its values, named by the argument `settings` of the class; each
    field is an attribute, too.

    settings (S): The settings. May be set.
    """

    name: str
    _settings: S
    _settings_type: type

    def __init_subclass__(cls, settings: type | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if settings is None:  # those of the base class
            return
        cls._settings_type = settings
        for field in fields(settings):
            setattr(cls, field.name, _attribute_of(field.name))

    @property
    def settings(self) -> S:
        """RETURNS (S): The settings; may be set. The configuration of the pipeline gets those that change.
        RAISES (ValueError): If the component cannot have them."""
        return self._settings

    @settings.setter
    def settings(self, settings: S) -> None:
        if not isinstance(settings, type(self._settings)):
            expected, found = type(self._settings).__name__, type(settings).__name__
            raise SettingError(Errors.UC351.format(name=self.name, expected=expected, found=found))
        old = asdict(self._settings)  # type: ignore[call-overload]
        self._change_settings(settings)
        new = asdict(self._settings)  # type: ignore[call-overload]
        for config in configs_of(self):
            config.update({key: value for key, value in new.items() if value != old[key]})

    def _change_settings(self, settings: S) -> None:
        """Check settings that a user gives, and set them."""
        self._set_settings(settings)

    def _set_settings(self, settings: S) -> None:
        self._settings = settings

    if TYPE_CHECKING:  # the fields of the settings

        def __getattr__(self, name: str) -> Any: ...


def configs_of(component: Any) -> Iterator[dict[str, Any]]:
    """Find the configurations of a component. A component does not learn which pipelines have it: others than the one that it
    was made for may source it, and a pipeline may be copied or unpickled with it.

    component (Any): The component.
    YIELDS (Dict[str, Any]): Its configuration in each pipeline that has it; may be changed.
    """
    for nlp in [found for found in gc.get_objects() if issubclass(type(found), Language)]:
        # One whose construction has failed has none, and may live on in the traceback
        for name, pipe in getattr(nlp, "_components", ()):
            if pipe is component:
                yield nlp.get_pipe_config(name)
