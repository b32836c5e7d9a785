"""The transition systems and their oracles by name.

Both are plain dictionaries: a module that is given to spaCy by `--code` adds its own system to them.
"""

from collections.abc import Callable, Iterable

from ..errors import Errors
from ..graph import Graph
from ..transition import Oracle, TransitionSystem
from .tree import TreeSystem
from .tree_oracle import TreeOracle
from .tupa import TupaSystem
from .tupa_oracle import TupaOracle

SYSTEMS: dict[str, type[TransitionSystem]] = {"tree": TreeSystem, "tupa": TupaSystem}
ORACLES: dict[str, Callable[[TransitionSystem, Graph], Oracle]] = {
    "tree": TreeOracle,
    "tupa": TupaOracle,
}


def system_class(name: str) -> type[TransitionSystem]:
    """Find a transition system by its name.

    name (str): A key of `SYSTEMS`.
    RETURNS (Type[TransitionSystem]): Its class.
    RAISES (ValueError): If there is no such system.
    """
    if name not in SYSTEMS:
        raise ValueError(Errors.UC301.format(name=name, names=", ".join(SYSTEMS)))
    return SYSTEMS[name]


def build_system(name: str, labels: Iterable[str]) -> TransitionSystem:
    """Make a transition system by its name.

    name (str): A key of `SYSTEMS`: "tree", "tupa", or one that was added.
    labels (Iterable[str]): The joined labels of edges.
    RETURNS (TransitionSystem): The system.
    RAISES (ValueError): If there is no such system.
    """
    return system_class(name)(labels)


def build_oracle(system: TransitionSystem, graph: Graph) -> Oracle:
    """Make the oracle of a system.

    system (TransitionSystem): The system; its labels include those of the graph.
    graph (Graph): The gold graph of one sentence.
    RETURNS (Oracle): The oracle.
    RAISES (OracleError): If the system cannot build the graph.
    """
    return ORACLES[system.name](system, graph)
