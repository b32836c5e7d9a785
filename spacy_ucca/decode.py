"""From token vectors to graphs: the loop over states, all sentences of a batch scored together.

Greedy search. What a row holds is `features.py`'s, weights are `model.py`'s, effects of transitions are
`transition_*.py`'s.
"""

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy
from spacy.tokens import Doc

from .confidence import Calibration, add_pair_scores, add_scores, edge_features, log_softmax
from .features import MISSING, BatchRows, Rows, Schema, Syntax
from .inventory import Inventory
from .layers.slot_scorer import SlotStep
from .loop import compiled, kernels
from .model import Scorers
from .screening import Extra, screen
from .transition import State, TransitionSystem
from .unit_features import Units

NO_EDGE = 0  # the class of pairs without a remote edge, and of units without implicit children
# How likely remote edges and implicit units have to be. F1 is best with all edges that are likelier than half of it
# (Lipton, Elkan and Naryanaswamy, 2014), which is 0.76 for primary and remote edges together.
LIKELY = 0.4


# What is decoded together. Tables of so many tokens are made in memory that is used again, larger ones cost more
# than they give; but a step of the loop costs the same for one sentence as for ten.
PART_TOKENS, PART_DOCS, MAX_TOKENS = 4_000, 10, 32_000


class Sentence:
    """A sentence of a batch: its tokens, without whitespace, and its dependency tree.

    doc (Doc): The Doc.
    tokens (ndarray[int]): Indices of the sentence's tokens in the Doc.
    offset (int): Where the Doc starts in the tokens of the batch.
    syntax (Syntax): The dependency tree over the tokens.
    """

    __slots__ = ("doc", "places", "syntax", "tokens")

    def __init__(self, doc: Doc, tokens: numpy.ndarray, offset: int, syntax: Syntax) -> None:
        self.doc = doc
        self.tokens = tokens
        self.places = tokens + offset
        self.syntax = syntax

    def __len__(self) -> int:
        return len(self.tokens)


def read_syntax(doc: Doc, tokens: numpy.ndarray, deps: dict[int, int]) -> Syntax:
    """The dependency tree over some tokens of a Doc; heads elsewhere count as unknown.

    doc (Doc): The Doc.
    tokens (ndarray[int]): Indices of tokens.
    deps (Dict[int, int]): Dependency label (by its hash) to small number; unknown ones count as 0.
    RETURNS (Syntax): The tree.
    """
    if not len(tokens) or not doc.has_annotation("DEP"):
        return Syntax([-1] * len(tokens), [0] * len(tokens))
    values = doc.to_array(["HEAD", "DEP"]).astype("int64")
    return _syntax(values[:, 0], values[:, 1].view("uint64"), tokens, deps)


def _syntax(
    heads: numpy.ndarray, labels: numpy.ndarray, tokens: numpy.ndarray, deps: dict[int, int]
) -> Syntax:
    """The same, given distances to heads and hashes of labels of all tokens of the Doc."""
    at = tokens + heads[tokens]
    local = numpy.full(len(heads), -1, dtype="int64")
    local[tokens] = numpy.arange(len(tokens))
    return Syntax(local[at].tolist(), [deps.get(dep, 0) for dep in labels[tokens].tolist()])


def find_sentences(docs: Sequence[Doc], deps: dict[int, int]) -> list[Sentence]:
    """The sentences of a batch.

    docs (Sequence[Doc]): The Docs. One without sentence boundaries is one sentence.
    deps (Dict[int, int]): Dependency label (by its hash) to small number.
    RETURNS (List[Sentence]): In order, those with nothing but whitespace left out.
    """
    found, offset = [], 0
    for doc in docs:
        values = doc.to_array(["SENT_START", "IS_SPACE", "HEAD", "DEP"]).reshape((-1, 4))
        heads = values[:, 2].astype("int64")
        has_syntax = doc.has_annotation("DEP")
        words = numpy.nonzero(values[:, 1] == 0)[0].astype("int32")
        starts = _sentence_starts(doc, values)
        parts = numpy.split(words, numpy.searchsorted(words, starts)) if len(starts) else [words]
        for tokens in parts:
            if not len(tokens):
                continue
            if not has_syntax:
                syntax = Syntax([-1] * len(tokens), [0] * len(tokens))
            elif len(tokens) == len(doc):
                at = numpy.arange(len(doc)) + heads
                syntax = Syntax(at.tolist(), [deps.get(dep, 0) for dep in values[:, 3].tolist()])
            else:
                syntax = _syntax(heads, values[:, 3], tokens, deps)
            found.append(Sentence(doc, tokens, offset, syntax))
        offset += len(doc)
    return found


def _sentence_starts(doc: Doc, values: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray): Where sentences begin, the first one left out."""
    if not doc.has_annotation("SENT_START"):
        return numpy.zeros(0, dtype="int64")
    if "sents" in doc.user_hooks:
        return numpy.array([sent.start for sent in doc.sents][1:], dtype="int64")
    starts = numpy.nonzero(values[:, 0] == 1)[0]
    return starts[starts > 0]


def decoding_parts(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Divide a batch into parts that are decoded one after the other.

    docs (Iterable[Doc]): The batch.
    YIELDS (List[Doc]): In order, Docs of `PART_TOKENS` tokens; long ones `PART_DOCS` at a time, if these have
        less than `MAX_TOKENS` together.
    """
    part: list[Doc] = []
    n_tokens = 0
    for doc in docs:
        limit = PART_TOKENS if len(part) >= PART_DOCS else MAX_TOKENS
        if part and n_tokens + len(doc) > limit:
            yield part
            part, n_tokens = [], 0
        part.append(doc)
        n_tokens += len(doc)
    if part:
        yield part


def decode(
    step: SlotStep, system: TransitionSystem, schema: Schema, sentences: Sequence[Sentence]
) -> list[State]:
    """Parse a batch greedily.

    step (SlotStep): Scores actions.
    system (TransitionSystem): The transition system.
    schema (Schema): The columns of a state's row.
    sentences (Sequence[Sentence]): The sentences.
    RETURNS (List[State]): The final state of each.
    """
    states = [system.start(len(sentence)) for sentence in sentences]
    rows = BatchRows(schema, [s.syntax for s in sentences], [s.places for s in sentences])
    active = [i for i, state in enumerate(states) if not state.done]
    sure: list[numpy.ndarray] = []
    while active:
        current = [states[i] for i in active]
        scores = to_numpy(step.predict(rows.of(current, active)))
        mask = system.mask_rows(system.valid_keys(current))
        best, log_probs = choose(scores, mask)
        sure.append(numpy.zeros(len(states)))
        sure[-1][active] = log_probs
        system.apply_all(current, best.tolist())
        active = [i for i in active if not states[i].done]
    if sure:
        for state, column in zip(states, numpy.stack(sure, axis=1)):
            state.log_probs = column[: state.steps]
    return states


def choose(scores: numpy.ndarray, mask: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Take the best action of each row.

    scores (ndarray): (n, n_actions), before softmax.
    mask (ndarray[bool]): (n, n_actions) the valid actions.
    RETURNS (Tuple[ndarray, ndarray]): (n,) the actions, and their log probabilities among the valid ones.
    """
    scores = numpy.ascontiguousarray(scores, dtype="float32")
    if compiled():
        best, log_probs = numpy.empty(len(scores), dtype="int64"), numpy.empty(len(scores))
        kernels.choose(scores, mask.view("uint8"), best, log_probs)
        return best, log_probs
    masked = numpy.where(mask, scores, -numpy.inf)
    best = masked.argmax(axis=1)
    return best, log_softmax(masked, best)


def add_remotes(
    step: Any,
    schema: Schema,
    labels: Sequence[int],
    is_child: numpy.ndarray,
    units: Units,
    places: numpy.ndarray,
    calibration: Any,
) -> None:
    """Find remote edges in finished trees and add them to the states.

    step (SlotStep): Scores pairs of units; a `PairStep` does it too.
    schema (Schema): The columns of a pair's row.
    labels (Sequence[int]): The label of each class; class 0 is no edge.
    is_child (ndarray[bool]): (n_units,) which units may be remote children.
    units (Units): The units of all sentences.
    places (ndarray): Where the tokens of the sentences are in the batch.
    calibration (Callable): Makes scores of edges.
    """
    parents, children = units.pairs_with(is_child)
    found: dict[int, list[tuple[float, int, int, float]]] = {}
    for start in range(0, len(parents), MAX_ROWS):
        part = slice(start, start + MAX_ROWS)
        parts = [
            p._replace(rows=_placed(p.rows, places))
            for p in units.pair_parts(schema, parents[part], children[part])
        ]
        scores = to_numpy(step.predict_parts(parts))
        sure = log_softmax(scores)
        no_edge = numpy.exp(sure[:, NO_EDGE])
        chosen = numpy.nonzero(no_edge < 1 - LIKELY)[0]
        classes = sure[chosen, 1:].argmax(axis=1) + 1
        for i, k, own in zip(chosen.tolist(), classes.tolist(), sure[chosen, classes].tolist()):
            sentence = int(units.sentence[parents[start + i]])
            found.setdefault(sentence, []).append((no_edge[i], start + i, k, own))
    for sentence, edges in found.items():
        state = units.states[sentence]
        below = _Reach(state)
        added: dict[tuple[int, int], float] = {}
        for _, i, label, own in sorted(edges):
            parent, child = units.nodes[parents[i]], units.nodes[children[i]]
            if not below.reaches(child, parent):  # two remote edges can make a cycle
                below.add(parent, child)
                state.remotes.append((parent, child, labels[label]))
                added[parent, child] = own
        add_pair_scores(state, [*added], numpy.array([*added.values()]), calibration)


def add_implicit(
    step: SlotStep,
    schema: Schema,
    bags: Sequence[Sequence[int]],
    system: TransitionSystem,
    units: Units,
    places: numpy.ndarray,
    calibration: Any,
) -> list[Extra]:
    """Find implicit units in finished trees and add them to the states.

    step (SlotStep): Scores units.
    schema (Schema): The columns of a unit's row.
    bags (Sequence[Sequence[int]]): The labels of the implicit children of each class.
    system (TransitionSystem): The transition system.
    units (Units): The units of all sentences.
    places (ndarray): Where the tokens of the sentences are in the batch.
    calibration (Callable): Makes scores of edges.
    RETURNS (List[Extra]): The edges that were added.
    """
    added: list[Extra] = []
    children, members = _members(bags)
    rows, indices = units.unit_rows(schema)
    rows = _placed(rows, places)
    for start in range(0, len(indices), MAX_ROWS):
        part = Rows(*(column[start : start + MAX_ROWS] for column in rows))
        likely = numpy.exp(log_softmax(to_numpy(step.predict(part)))) @ members
        chosen, which = numpy.nonzero(likely > LIKELY)
        sure = edge_features(numpy.log(numpy.minimum(likely[chosen, which], 1)))
        for i, k, features in zip(chosen.tolist(), which.tolist(), sure):
            index, label = indices[start + i], children[k]
            state = units.states[units.sentence[index]]
            node = state.add_node()
            (state.scores[node],) = calibration("implicit", features[None])
            state.implicit[node] = True
            state.attach(units.nodes[index], node, label, system.ranks[label])
            added.append((int(index), -1, label))
    return added


def _members(bags: Sequence[Sequence[int]]) -> tuple[list[int], numpy.ndarray]:
    """What is in bags of labels, so that several that are unlikely can make likely what they have in common.

    bags (Sequence[Sequence[int]]): The labels of each class.
    RETURNS (Tuple[List[int], ndarray]): The label of each child that a unit can have, a second one of the same label
        by itself, and (n_bags, n_children) in which bags it is.
    """
    counts = [Counter(bag) for bag in bags]
    most = Counter[int]()
    for count in counts:
        most |= count
    children = [(label, k) for label in sorted(most) for k in range(most[label])]
    members = numpy.array([[count[label] > k for label, k in children] for count in counts])
    return [label for label, _ in children], members.astype("float64")


def _placed(rows: Rows, places: numpy.ndarray) -> Rows:
    """RETURNS (Rows): The same with tokens as they are numbered in the batch."""
    return rows._replace(tokens=places[rows.tokens])


MAX_ROWS = 20_000  # what bounds memory


class _Reach:
    """Which nodes can be reached from which, over primary and remote edges."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.remote: dict[int, list[int]] = {}

    def add(self, parent: int, child: int) -> None:
        self.remote.setdefault(parent, []).append(child)

    def reaches(self, start: int, end: int) -> bool:
        stack, seen = [start], {start}
        while stack:
            node = stack.pop()
            if node == end:
                return True
            for child in (*self.state.children[node], *self.remote.get(node, ())):
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return False


class Decoded(NamedTuple):
    """What decoding gives.

    states (List[State]): The final state of each sentence.
    suspects (ndarray[bool]): For each, whether its graph may break a rule; see `screening.py`.
    """

    states: list[State]
    suspects: numpy.ndarray


def decode_all(
    steps: Scorers,
    inventory: Inventory,
    sentences: Sequence[Sentence],
    calibration: Any = None,
) -> Decoded:
    """Parse a batch: the tree, then what the transition system leaves to the other scorers.

    steps (Dict[str, SlotStep]): The scorers of the batch.
    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[Sentence]): The sentences.
    calibration (Optional[Callable]): Makes scores of edges; see `confidence.py`.
    RETURNS (Decoded): The final states.
    """
    calibration = calibration or Calibration()
    system = inventory.system
    states = decode(steps["actions"], system, inventory.schemas["actions"], sentences)
    units = Units.of_batch(system, states, [s.syntax for s in sentences])
    add_scores(units, calibration)
    implicit: list[Extra] = []
    if "remotes" in steps:
        # The last place is that of missing tokens.
        places = numpy.concatenate([*(s.places for s in sentences), [MISSING]]).astype("int32")
        args = (units, places, calibration)
        if len(inventory.remote_ids) > 1:
            schema = inventory.schemas["remotes"]
            is_child = inventory.remote_children[units.label]
            add_remotes(steps["remotes"], schema, inventory.remote_ids, is_child, *args)
        if len(inventory.bags) > 1:
            schema = inventory.schemas["implicit"]
            implicit = add_implicit(steps["implicit"], schema, inventory.bags, system, *args)
    return Decoded(states, screen(inventory.label_facts, units, implicit))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause Python's cyclic garbage collector, as a context or a decorator. A batch makes tens of thousands of
    small lists that live until its end: the collector would walk over them again and again, for an eighth of
    the time, and find nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def to_numpy(array: Any) -> numpy.ndarray:
    """RETURNS (ndarray): The array in main memory."""
    return array.get() if hasattr(array, "get") else array
