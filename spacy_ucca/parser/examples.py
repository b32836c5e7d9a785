"""Make the training targets of a gold sentence: rows of features with the right class of each.

The oracle runs once over the sentence. Its states become rows, its actions their classes; the finished tree gives rows
of pairs of units (remote edges) and of units (implicit units).
"""

import numpy

from ..errors import Errors, OracleError
from ..features.state_rows import (
    Syntax,
    split_rows,
    state_rows,
)
from ..features.unit_rows import UnitTable
from ..graph import Graph
from ..graph.categories import LINKAGE, join_categories
from ..layers.rows import Targets
from .labels import Inventory


def make_targets(inventory: Inventory, graph: Graph, syntax: Syntax) -> dict[str, Targets]:
    """Make the targets of a sentence.

    inventory (Inventory): Labels, system and columns.
    graph (Graph): The gold graph of one sentence; every token is attached.
    syntax (Syntax): The dependency tree of the sentence.
    RETURNS (Dict[str, Targets]): By scorer: "actions", and of systems that have such scorers "remotes", "implicit".
    RAISES (OracleError): If the graph cannot be built, say because a label is unknown.
    """
    system, schema = inventory.system, inventory.schemas["actions"]
    state = system.start(len(graph.words))
    oracle = system.oracle(graph)
    columns, actions, keys = [], [], []
    while not state.done:
        action = oracle.next_action(state)
        key = system.valid_key(state)
        if not system.mask(key)[action]:
            raise OracleError(Errors.UC306.format(action=system.actions[action]))
        columns.append(state_rows(schema, [state], [syntax]))
        actions.append(action)
        keys.append(key)
        system.apply(state, action)
    none = numpy.zeros((0, schema.n_columns), dtype="int64")
    rows = split_rows(schema, numpy.concatenate([none, *columns]))
    mask = numpy.array([system.mask(key) for key in keys], dtype="bool")
    mask = mask.reshape((len(actions), system.n_actions))
    targets = {"actions": Targets(rows, numpy.array(actions, dtype="int64"), mask)}
    if "remotes" not in system.scorers:
        return targets
    units = UnitTable(system, state, syntax)
    # MERGE leaves empty nodes behind, which stand for the same gold unit.
    node_of = {gold: node for node, gold in oracle.unit.items() if node in units.index}
    targets["remotes"] = _remote_targets(inventory, graph, units, node_of)
    targets["implicit"] = _implicit_targets(inventory, graph, units, node_of)
    return targets


def _remote_targets(inventory: Inventory, graph: Graph, units: UnitTable, node_of: dict) -> Targets:
    parents, children = units.pairs(inventory.remote_children, inventory.remote_siblings)
    place = {(p, c): i for i, (p, c) in enumerate(zip(parents.tolist(), children.tolist()))}
    classes = numpy.zeros(len(parents), dtype="int64")
    for edge in graph.edge_tuples:
        label = join_categories(edge.categories)
        if not edge.remote or label not in inventory.remote_labels:
            continue
        # A unit with nothing but implicit or remote children is no part of the tree.
        nodes = node_of.get(edge.parent, -1), node_of.get(edge.child, -1)
        pair = tuple(units.index.get(node, -1) for node in nodes)
        if pair in place:
            classes[place[pair]] = inventory.remote_labels.index(label) + 1
    return Targets(units.pair_rows(inventory.schemas["remotes"], parents, children), classes, None)


def _implicit_targets(
    inventory: Inventory, graph: Graph, units: UnitTable, node_of: dict
) -> Targets:
    rows, indices = units.unit_rows(inventory.schemas["implicit"])
    place = {node: i for i, node in enumerate(units.nodes[index] for index in indices)}
    classes = numpy.zeros(len(indices), dtype="int64")
    for unit in graph.units:
        node = node_of.get(unit.index)
        if unit.kind != LINKAGE and node in place:
            classes[place[node]] = inventory.implicit_class(unit)
    return Targets(rows, classes, None)
