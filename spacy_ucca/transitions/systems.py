"""The transition systems by name.

A module that is given by `--code` registers its own: `@systems("NAME")` above the class. A package does so by an entry point
of the group `spacy_ucca_systems`.
"""

from collections.abc import Iterable

from ..errors import Errors, UccaError
from ..transition import TransitionSystem, systems
from . import tree, tupa  # noqa: F401  (they register)

__all__ = ["build_system", "system_class", "systems"]


def system_class(name: str) -> type[TransitionSystem]:
    """Find a transition system by its name.

    name (str): A name in `systems`.
    RETURNS (Type[TransitionSystem]): Its class.
    RAISES (UccaError): If there is no such system.
    """
    if name not in systems:
        raise UccaError(Errors.UC301.format(name=name, names=", ".join(systems.get_all())))
    return systems.get(name)


def build_system(name: str, labels: Iterable[str]) -> TransitionSystem:
    """Make a transition system by its name.

    name (str): A name in `systems`: "tree", "tupa", or one that was added.
    labels (Iterable[str]): The joined labels of edges.
    RETURNS (TransitionSystem): The system.
    RAISES (UccaError): If there is no such system.
    """
    return system_class(name)(labels)
