"""Settings of components that make UCCA graphs: immutable values that are checked when made and passed down in parsing."""

from dataclasses import dataclass, fields
from typing import Any

from ..errors import Errors

# Minimum probability of a remote edge or implicit unit. F1 is maximal near half of the reachable F1
# (Lipton, Elkan and Naryanaswamy, 2014), which was 0.76 for primary and remote edges together.
DEFAULT_THRESHOLD = 0.4
DEFAULT_EXPLORATION = 0.5  # +0.5 F1 on EWT dev against 0.0

# The current guidelines of UCCA (Abend et al., 2020). Text and annotation that name none are taken to follow these.
DEFAULT_GUIDELINES = "v2"


def is_whole(value: Any) -> bool:
    """RETURNS (bool): Whether a value is a whole number, 0 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def wrong_value(name: str, value: Any, what: str) -> ValueError:
    """RETURNS (ValueError): The error that says what a setting takes."""
    return ValueError(Errors.UC352.format(name=name, value=value, what=what))


def check_flags(settings: Any, *names: str) -> None:
    """RAISES (ValueError): If a setting is neither true nor false."""
    for name in names:
        if not isinstance(value := getattr(settings, name), bool):
            raise wrong_value(name, value, "true or false")


def is_number(value: Any, lowest: float, highest: float) -> bool:
    """RETURNS (bool): Whether a value is a number from `lowest` to `highest`."""
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and lowest <= value <= highest


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
        if not is_whole(self.width) or self.width < 1 or not is_number(self.density, 0, 1):
            raise ValueError(Errors.UC326.format(width=self.width, density=self.density))


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
                raise ValueError(Errors.UC850.format(name=name, value=value))


@dataclass(frozen=True, kw_only=True)
class ParserSettings(GraphSettings):
    """Settings of `ucca_parser`, in addition to those of all parsers.

    beam_width (int): The maximum number of parses of a sentence in the beam; 1 is greedy search, the fastest.
    beam_density (float): Parses whose probability is less than this share of the best one are dropped; from 0 to 1.
    exploration (Optional[float]): In training, the probability of following a wrong guess of the model, so that it
        learns the best actions after its mistakes; 0 follows the gold graph alone. None is 0.5 for transition systems
        with a dynamic oracle, and 0 for others, which cannot explore.
    exploration_start (int): The number of updates before exploration begins.
    RAISES (ValueError): If a setting is out of range.
    """

    beam_width: int = 1
    beam_density: float = 0.1
    exploration: float | None = None
    exploration_start: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.beam
        exploration, start = self.exploration, self.exploration_start
        if not (exploration is None or is_number(exploration, 0, 1)) or not is_whole(start):
            raise ValueError(Errors.UC329.format(exploration=exploration, start=start))

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
