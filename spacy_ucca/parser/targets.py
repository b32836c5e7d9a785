"""The targets of training: rows of features with the right class of each.

The oracle runs once over a gold sentence. Its states become rows, its actions their classes; the finished tree gives rows
of pairs of units (remote edges) and of units (implicit units). They are cached between epochs. With exploration, rows follow
the mistakes of the model, and the dynamic oracle gives the best actions of each state (Goldberg & Nivre, 2012).
"""

import random
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy
from spacy.training import Example

from ..errors import Errors, GraphError, OracleError, Warnings
from ..features.state_rows import BatchRows, Rows, Syntax, TokenPlaces
from ..features.unit_rows import UnitTable
from ..graph import Graph
from ..graph.categories import LINKAGE, join_categories
from ..layers.rows import Targets
from ..layers.slot_scorer import ScorerStep
from ..text.align import project
from ..tokens.extension import get_graph
from ..tokens.sentences import Sentence, read_syntax
from ..tokens.storage import words_of
from ..transition import State
from .given import Given
from .labels import Allowed, Inventory, guidelines_of
from .search import choose, greedy_search, to_numpy


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
        columns.append(schema.read([state], [syntax]))
        actions.append(action)
        keys.append(key)
        system.apply(state, action)
    none = numpy.zeros((0, schema.n_columns), dtype="int64")
    rows = schema.split(numpy.concatenate([none, *columns]))
    mask = numpy.array([system.mask(key) for key in keys], dtype="bool")
    mask = mask.reshape((len(actions), system.n_actions))
    targets = {"actions": Targets(rows, numpy.array(actions, dtype="int64"), mask)}
    if "remotes" not in system.scorers:
        return targets
    units = UnitTable([state], [syntax])
    # MERGE leaves empty nodes behind, which stand for the same gold unit.
    node_of = {gold: node for node, gold in oracle.unit.items() if node in units.index}
    targets["remotes"] = _remote_targets(inventory, graph, units, node_of)
    targets["implicit"] = implicit_targets(inventory, graph, units, node_of)
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


def implicit_targets(
    inventory: Inventory, graph: Graph, units: UnitTable, node_of: dict[int, int]
) -> Targets:
    """Make the targets of the scorer of implicit units.

    inventory (Inventory): Labels and columns.
    graph (Graph): The gold graph of one sentence.
    units (UnitTable): The units of its finished tree.
    node_of (Dict[int, int]): The node of the tree for units of the graph.
    RETURNS (Targets): A row for each unit that may have implicit children.
    """
    rows, indices = units.unit_rows(inventory.schemas["implicit"])
    place = {node: i for i, node in enumerate(units.nodes[index] for index in indices)}
    classes = numpy.zeros(len(indices), dtype="int64")
    for unit in graph.units:
        node = node_of.get(unit.index)
        if unit.kind != LINKAGE and node in place:
            classes[place[node]] = inventory.implicit_class(unit)
    return Targets(rows, classes, None)


MAX_SENTENCES = 20_000  # bounds memory; the targets of further sentences are made in each epoch


class GoldSentence(NamedTuple):
    """A gold sentence of a batch, without unattached tokens, such as whitespace.

    graph (Graph): Its graph.
    syntax (Syntax): The dependency tree of the predicted Doc over its tokens.
    places (ndarray[int32]): The numbers of its tokens in the batch.
    """

    graph: Graph
    syntax: Syntax
    places: numpy.ndarray


class SentenceCache:
    """Cache the targets of each gold sentence, made on first use. Workers of `nlp.pipe(n_process=2)` and copies begin with
    an empty cache.

    name (str): The name of the component, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._values: dict[Hashable, Any] = {}
        self._warned: set[str] = set()

    def __reduce__(self) -> tuple:
        return type(self), (self.name,)

    def __len__(self) -> int:
        return len(self._values)

    def clear(self) -> None:
        """Remove all values, because labels have changed."""
        self._values.clear()

    def find(
        self,
        examples: Iterable[Example],
        dep_ids: dict[int, int],
        make: Callable[[GoldSentence], Any],
    ) -> list[tuple[GoldSentence, Any]]:
        """Find the gold sentences of a batch with their targets, without those that cannot be learned.

        examples (Iterable[Example]): The batch.
        dep_ids (Dict[int, int]): The number of each dependency label, by its hash.
        make (Callable[[GoldSentence], Any]): Makes the targets of a sentence, see `get_or_make`.
        RETURNS (List[Tuple[GoldSentence, Any]]): Each sentence, and its targets.
        """
        pairs = []
        for gold in self.sentences(examples, dep_ids):
            key = gold.graph, numpy.array([gold.syntax.heads, gold.syntax.deps]).tobytes()
            targets = self.get_or_make(key, partial(make, gold))
            if targets is not None:
                pairs.append((gold, targets))
        return pairs

    def get_or_make(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Get the value of a sentence.

        key (Hashable): The key of the sentence.
        make (Callable[[], Any]): Makes the value; raises an OracleError or a GraphError if the sentence cannot be learned.
        RETURNS (Optional[Any]): The value; None if the sentence cannot be learned: the first call warns.
        """
        if key in self._values:
            return self._values[key]
        value = None
        try:
            value = make()
        except (OracleError, GraphError) as err:
            message = Warnings.UW302.format(name=self.name, reason=err)
            self._warn(message, message)
        # Sentences come in the same order in each epoch: to evict the oldest one would drop each just before its turn.
        if len(self._values) < MAX_SENTENCES:
            self._values[key] = value
        return value

    def sentences(
        self, examples: Iterable[Example], dep_ids: dict[int, int]
    ) -> Iterator[GoldSentence]:
        """Find the gold sentences of a batch.

        examples (Iterable[Example]): The batch.
        dep_ids (Dict[int, int]): The number of each dependency label, by its hash.
        YIELDS (GoldSentence): The sentences whose graph has attached tokens.
        """
        offset = 0
        for eg in examples:
            for start, graph in self._graphs(eg):
                attached = sorted({~edge.child for edge in graph.edge_tuples if edge.child < 0})
                if attached:
                    tokens = numpy.array(attached, dtype="int32") + start
                    syntax = read_syntax(eg.predicted, tokens, dep_ids)
                    # A copy: what its oracle keeps there would stay as long as the example does.
                    own = graph.only(attached).replace()
                    yield GoldSentence(own, syntax, tokens + offset)
            offset += len(eg.predicted)

    def _graphs(self, eg: Example) -> list[tuple[int, Graph]]:
        """RETURNS (List[Tuple[int, Graph]]): The first token of each sentence of an example, and its gold graph, over the
        tokens of the predicted Doc; nothing without a graph."""
        graph = get_graph(eg.reference)
        if graph is None:
            return []
        words = words_of(eg.predicted)
        if list(graph.words) != words:
            self._warn(Warnings.UW350.format(name=self.name, text=eg.reference.text[:60]), "UW350")
            graph = _moved(graph, tuple(words))
        if graph is None:
            return []
        return [(0, graph)] if len(graph.roots) == 1 else graph.sentences()

    def _warn(self, message: str, key: str) -> None:
        """Warn once for each key."""
        if key not in self._warned:
            self._warned.add(key)
            warnings.warn(message, stacklevel=2)


@lru_cache(maxsize=4096)  # the same in each epoch
def _moved(graph: Graph, words: tuple[str, ...]) -> Graph | None:
    """RETURNS (Optional[Graph]): A graph over other tokens of its text; None if it has none of them."""
    return project(graph, words)[0]


def stack_targets(
    pairs: Sequence[tuple[GoldSentence, dict[str, Targets]]],
) -> dict[str, Targets]:
    """Put the targets of a batch together.

    pairs (Sequence[Tuple[GoldSentence, Dict[str, Targets]]]): Each sentence, and its targets by scorer.
    RETURNS (Dict[str, Targets]): By scorer, the rows of all sentences; none if there are no sentences.
    """
    stacked: dict[str, Targets] = {}
    places = TokenPlaces([sentence.places for sentence, _ in pairs])
    for name in pairs[0][1] if pairs else ():
        rows, classes, masks, _ = zip(*(targets[name] for _, targets in pairs))
        if any(map(len, classes)):
            mask = None if masks[0] is None else numpy.concatenate(masks)
            stacked[name] = Targets(places.stack(rows), numpy.concatenate(classes), mask)
    return stacked


def explore(
    step: ScorerStep, inventory: Inventory, sentences: Sequence[GoldSentence], probability: float
) -> Targets:
    """Parse a batch of gold sentences, following the model or the oracle by chance, and note what is
    best in each state.

    step (ScorerStep): Scores actions.
    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[GoldSentence]): The sentences.
    probability (float): That a wrong guess of the model is followed.
    RETURNS (Targets): The rows of all states, and the best actions of each.
    """
    system, schema = inventory.system, inventory.schemas["actions"]
    states = [system.start(len(s.places)) for s in sentences]
    costs = [system.dynamic_oracle(s.graph) for s in sentences]
    batch = BatchRows(schema, sentences)
    all_rows, masks, best_masks = [], [], []
    active = [i for i, state in enumerate(states) if not state.done]
    while active:
        current = [states[i] for i in active]
        rows = batch.of(current, active)
        scores = to_numpy(step.predict(rows))
        mask = system.mask_rows(system.valid_keys(current))
        best = numpy.zeros_like(mask)
        for row, i in enumerate(active):
            best[row, costs[i].best(states[i])] = True
        guessed, right = (choose(scores, among)[0].tolist() for among in (mask, best))
        taken = [
            guess if guess != action and random.random() < probability else action
            for guess, action in zip(guessed, right)
        ]
        for i, action in zip(active, taken):
            costs[i].follow(states[i], action)
        system.apply_all(current, taken)
        all_rows.append(rows)
        masks.append(mask)
        best_masks.append(best)
        active = [i for i in active if not states[i].done]
    every_best = numpy.concatenate(best_masks)
    stacked = Rows(*(numpy.concatenate(column) for column in zip(*all_rows)))
    return Targets(stacked, every_best.argmax(axis=1), numpy.concatenate(masks), every_best)


def explore_given(
    step: ScorerStep,
    inventory: Inventory,
    sentences: Sequence[Sentence],
    given: Sequence[Given | None],
    guidelines: str,
) -> Targets:
    """Parse a batch of sentences of which something is given, and note which actions keep it.

    step (ScorerStep): Scores actions.
    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[Sentence]): The sentences.
    given (Sequence[Optional[Given]]): What is given of each.
    guidelines (str): Those of sentences that name none.
    RETURNS (Targets): The rows of the states where some valid action loses what is given; all others are right.
    """
    schema, found = inventory.schemas["actions"], []
    names = guidelines_of(sentences, inventory.by_guidelines.ids, guidelines)
    allowed = Allowed(inventory.by_guidelines.actions, names)
    batch = BatchRows(schema, sentences)

    def note(states: list[State], active: list[int], mask: Any, kept: Any) -> None:
        some = numpy.nonzero((mask != kept).any(axis=1))[0].tolist()
        if len(some):
            rows = batch.of([states[i] for i in some], [active[i] for i in some])
            found.append((rows, mask[some], kept[some]))

    greedy_search(step, inventory.system, schema, sentences, allowed, given, note=note)
    if not found:
        return Targets(batch.of([], []), numpy.zeros(0, dtype="int64"), None)
    rows, masks, best = zip(*found)
    stacked = Rows(*(numpy.concatenate(column) for column in zip(*rows)))
    every = numpy.concatenate(best)
    return Targets(stacked, every.argmax(axis=1), numpy.concatenate(masks), every)
