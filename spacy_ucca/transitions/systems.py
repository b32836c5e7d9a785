"""The transition systems and their oracles, and the choice of one by name.

Each system has a file for validity and effect, and a file for what the gold graph says to do. What they
share is `transition.py`'s.
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
SYSTEM_NAMES = tuple(SYSTEMS)


def build_system(name: str, labels: Iterable[str]) -> TransitionSystem:
    """Make a transition system by its name.

    name (str): "tree" or "tupa".
    labels (Iterable[str]): The joined labels of edges.
    RETURNS (TransitionSystem): The system.
    RAISES (ValueError): If there is no such system.
    """
    if name not in SYSTEMS:
        raise ValueError(Errors.UC301.format(name=name, names=", ".join(SYSTEM_NAMES)))
    return SYSTEMS[name](labels)


def build_oracle(system: TransitionSystem, graph: Graph) -> Oracle:
    """Make the oracle of a system.

    system (TransitionSystem): The system; its labels include those of the graph.
    graph (Graph): The gold graph of one sentence.
    RETURNS (Oracle): The oracle.
    RAISES (OracleError): If the system cannot build the graph.
    """
    return ORACLES[system.name](system, graph)
