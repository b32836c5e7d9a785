"""From token vectors to graphs: the loop over states, all sentences of a batch scored together.

Greedy search. What a row holds is `features.py`'s, weights are `model.py`'s, effects of transitions are
`transition_*.py`'s.
"""

from collections.abc import Sequence
from typing import Any

import numpy
from spacy.tokens import Doc

from .features import Rows, Schema, Syntax, place_tokens, split_rows, stack_rows, state_rows
from .inventory import Inventory
from .layers.slot_scorer import SlotStep
from .model import Scorers
from .transition import State, TransitionSystem
from .unit_features import Units

NO_EDGE = 0  # the class of pairs without a remote edge, and of units without implicit children


class Sentence:
    """A sentence of a batch: its tokens, without whitespace, and its dependency tree.

    doc (Doc): The Doc.
    tokens (Sequence[int]): Indices of the sentence's tokens in the Doc.
    offset (int): Where the Doc starts in the tokens of the batch.
    deps (Dict[int, int]): Dependency label (by its hash) to small number; unknown ones count as 0.
    """

    __slots__ = ("doc", "places", "syntax", "tokens")

    def __init__(self, doc: Doc, tokens: Sequence[int], offset: int, deps: dict[int, int]) -> None:
        self.doc = doc
        self.tokens = numpy.asarray(tokens, dtype="int32")
        self.places = self.tokens + offset
        self.syntax = read_syntax(doc, self.tokens, deps)

    def __len__(self) -> int:
        return len(self.tokens)


def read_syntax(doc: Doc, tokens: numpy.ndarray, deps: dict[int, int]) -> Syntax:
    """RETURNS (Syntax): The dependency tree over some tokens of a Doc; heads elsewhere count as
    unknown."""
    if not len(tokens) or not doc.has_annotation("DEP"):
        return Syntax([-1] * len(tokens), [0] * len(tokens))
    values = doc.to_array(["HEAD", "DEP"])
    local = numpy.full(len(doc), -1, dtype="int64")
    local[tokens] = numpy.arange(len(tokens))
    heads = local[(numpy.arange(len(doc)) + values[:, 0].astype("int64"))[tokens]]
    return Syntax(heads.tolist(), [deps.get(dep, 0) for dep in values[tokens, 1].tolist()])


def find_sentences(docs: Sequence[Doc], deps: dict[int, int]) -> list[Sentence]:
    """RETURNS (List[Sentence]): The sentences of a batch of Docs, in order, those with nothing but
    whitespace left out. A Doc without sentence boundaries is one sentence."""
    found, offset = [], 0
    for doc in docs:
        spans = [doc[:]]
        if doc.has_annotation("SENT_START"):
            spans = list(doc.sents)
        for span in spans:
            tokens = [token.i for token in span if not token.is_space]
            if tokens:
                found.append(Sentence(doc, tokens, offset, deps))
        offset += len(doc)
    return found


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
    starts = numpy.cumsum([0, *(len(sentence) for sentence in sentences)])[:-1]
    places = numpy.concatenate([s.places for s in sentences]) if sentences else numpy.zeros(0)
    syntaxes = [sentence.syntax for sentence in sentences]
    active = [i for i, state in enumerate(states) if not state.done]
    while active:
        current = [states[i] for i in active]
        rows = split_rows(schema, state_rows(current, [syntaxes[i] for i in active]))
        rows = rows._replace(tokens=place_tokens(rows.tokens, starts[active], places))
        scores = to_numpy(step.predict(rows))
        mask = system.mask_rows(system.valid_keys(current))
        best = numpy.where(mask, scores, -numpy.inf).argmax(axis=1).tolist()
        system.apply_all(current, best)
        active = [i for i in active if not states[i].done]
    return states


def add_remotes(
    step: SlotStep,
    schema: Schema,
    labels: Sequence[int],
    child_labels: numpy.ndarray,
    units: Sequence[Units],
    sentences: Sequence[Sentence],
) -> None:
    """Find remote edges in finished trees and add them to the states.

    step (SlotStep): Scores pairs of units.
    schema (Schema): The columns of a pair's row.
    labels (Sequence[int]): The label of each class; class 0 is no edge.
    child_labels (ndarray[bool]): By label: whether such units are ever remote children.
    units (Sequence[Units]): The units of each sentence.
    sentences (Sequence[Sentence]): The sentences.
    """
    found = [u.pairs(child_labels) for u in units]
    rows = [u.pair_rows(schema, *pairs) for u, pairs in zip(units, found)]
    for u, (parents, children), scores in zip(units, found, _score(step, rows, sentences)):
        classes = scores.argmax(axis=1)
        chosen = numpy.nonzero(classes)[0]
        below = _Reach(u)
        for i in sorted(chosen, key=lambda i: -float(scores[i].max() - scores[i, NO_EDGE])):
            parent, child = u.nodes[parents[i]], u.nodes[children[i]]
            if not below.reaches(child, parent):  # two remote edges can make a cycle
                below.add(parent, child)
                u.state.remotes.append((parent, child, labels[classes[i]]))


def add_implicit(
    step: SlotStep,
    schema: Schema,
    bags: Sequence[Sequence[int]],
    system: TransitionSystem,
    units: Sequence[Units],
    sentences: Sequence[Sentence],
) -> None:
    """Find implicit units in finished trees and add them to the states.

    step (SlotStep): Scores units.
    schema (Schema): The columns of a unit's row.
    bags (Sequence[Sequence[int]]): The labels of the implicit children of each class.
    system (TransitionSystem): The transition system.
    units (Sequence[Units]): The units of each sentence.
    sentences (Sequence[Sentence]): The sentences.
    """
    found = [u.unit_rows(schema) for u in units]
    scored = _score(step, [rows for rows, _ in found], sentences)
    for u, (_, indices), scores in zip(units, found, scored):
        for index, bag in zip(indices, scores.argmax(axis=1)):
            for label in bags[bag]:
                node = u.state.add_node()
                u.state.implicit[node] = True
                u.state.attach(u.nodes[index], node, label, system.ranks[label])


def _score(
    step: SlotStep, rows: Sequence[Rows], sentences: Sequence[Sentence]
) -> list[numpy.ndarray]:
    """Score the rows of all sentences, and give each its own scores. Long texts go in slices."""
    if not rows:
        return []
    stacked = stack_rows(rows, [s.places for s in sentences])
    parts = []
    for start in range(0, len(stacked.tokens), MAX_ROWS):
        part = Rows(*(column[start : start + MAX_ROWS] for column in stacked))
        parts.append(to_numpy(step.predict(part)))
    n_classes = step.model.get_dim("nO")
    scores = numpy.concatenate([numpy.zeros((0, n_classes), dtype="float32"), *parts])
    return numpy.split(scores, numpy.cumsum([len(r.tokens) for r in rows])[:-1])


MAX_ROWS = 20_000  # what bounds memory


class _Reach:
    """Which nodes can be reached from which, over primary and remote edges."""

    def __init__(self, units: Units) -> None:
        self.state = units.state
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


def decode_all(steps: Scorers, inventory: Inventory, sentences: Sequence[Sentence]) -> list[State]:
    """Parse a batch: the tree, then what the transition system leaves to the other scorers.

    steps (Dict[str, SlotStep]): The scorers of the batch.
    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[Sentence]): The sentences.
    RETURNS (List[State]): The final state of each.
    """
    states = decode(steps["actions"], inventory.system, inventory.schemas["actions"], sentences)
    if "remotes" not in steps:
        return states
    units = [Units(inventory.system, s, q.syntax) for s, q in zip(states, sentences)]
    args = (units, sentences)
    if len(inventory.remote_ids) > 1:
        schema = inventory.schemas["remotes"]
        add_remotes(
            steps["remotes"], schema, inventory.remote_ids, inventory.remote_children, *args
        )
    if len(inventory.bags) > 1:
        schema = inventory.schemas["implicit"]
        add_implicit(steps["implicit"], schema, inventory.bags, inventory.system, *args)
    return states


def to_numpy(array: Any) -> numpy.ndarray:
    """RETURNS (ndarray): The array in main memory."""
    return array.get() if hasattr(array, "get") else array
