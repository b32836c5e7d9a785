"""What is known of a sentence before it is parsed, as span groups of its Doc, and which transitions keep it.

`doc.spans["ucca_units"]` are units: the label of a span is that of the unit's edge, several categories joined by "|", or "" if it is not
known; spans with the same id are one unit with a gap; of units over the same tokens the outer one comes first. If the group has the
attribute "complete", there are no other units. `doc.spans["ucca_names"]` are units without parts, of any label. `doc.spans["ucca_uncrossed"]` are
spans that no unit crosses. At each first token of `doc.spans["ucca_scenes"]` a Scene begins.

What can still be reached depends on the tokens of the items alone (see `transitions.tree_oracle`): a unit is lost if an item gets some
of its tokens beside others, or all of them and others before it has its edge. Transitions that lose what is given are forbidden.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby, product
from typing import Any, NamedTuple

import numpy
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..errors import Errors, OracleError, UccaError
from ..graph import Graph, GraphBuilder, Unit
from ..graph.categories import LINKAGE, MAIN_RELATIONS, join_categories, split_label
from ..graph.data import check_words
from ..native.state import ROOT
from ..tokens.extension import get_graph
from ..tokens.sentences import Sentence
from ..transition import Move, State, TransitionSystem
from ..transitions.tree import TreeSystem

UNITS, NAMES, UNCROSSED, SCENES = KEYS = ("ucca_units", "ucca_names", "ucca_uncrossed", "ucca_scenes")  # fmt: skip
COMPLETE = "complete"


class KnownUnit(NamedTuple):
    """A unit that is given.

    mask (int): Its tokens in the sentence, as bits.
    label (str): The label of its edge; "" for any.
    is_name (bool): Whether it has no parts.
    """

    mask: int
    label: str = ""
    is_name: bool = False


def give_units(doc: Doc, graph: Graph, units: Any = None, *, complete: bool = False) -> None:
    """Say that units of a graph, such as corrected ones, are to be in the graph that is parsed.

    doc (Doc): The Doc, whose tokens are the words of the graph. `doc.spans["ucca_units"]` is replaced.
    graph (Graph): The graph.
    units (Optional[Iterable[Unit]]): The units; None is all. Implicit units, which have no tokens, are left out.
    complete (bool): Whether there are to be no other units.
    RAISES (UccaError): If the words are others.
    """
    check_words(graph.words, [token.text for token in doc])
    spans = []
    chosen = graph.units if units is None else units
    for unit in sorted((u for u in chosen if u.kind != LINKAGE), key=_depth):
        label, name = "|".join(unit.categories), str(unit.index + 1)
        for _, run in groupby(enumerate(unit.tokens()), key=lambda pair: pair[1] - pair[0]):
            tokens = [token for _, token in run]
            if label:
                spans.append(Span(doc, tokens[0], tokens[-1] + 1, label, span_id=name))
    doc.spans[UNITS] = spans
    doc.spans[UNITS].attrs[COMPLETE] = complete


class Given:
    """What is given of one sentence.

    units (List[KnownUnit]): Units and names.
    uncrossed (List[int]): The tokens of spans that no unit crosses, as bits.
    scenes (List[int]): The tokens where a Scene begins, as bits.
    system (TreeSystem): The transition system.
    tree (Optional[State]): The final state, if the whole tree is given.
    """

    def __init__(
        self, units: list[KnownUnit], uncrossed: list[int], scenes: list[int], system: TreeSystem
    ) -> None:
        self.units = sorted(units, key=lambda unit: -unit.mask.bit_count())  # outer ones first
        self.uncrossed, self.scenes, self.system = uncrossed, scenes, system
        self.tree: State | None = None
        self.by_move: dict[int, list[int]] = defaultdict(list)
        for action, move in enumerate(system.moves):
            self.by_move[move].append(action)
        labels = system.label_ids.items()
        self.main = sum(1 << number for label, number in labels if _has_main(label))

    def start(self, n_tokens: int) -> State:
        """RETURNS (State): The state to begin with: a final one, if the whole tree is given."""
        return self.system.start(n_tokens) if self.tree is None else self.tree

    def restrict(self, state: State, valid: numpy.ndarray) -> numpy.ndarray:
        """Forbid transitions that lose what is given.

        state (State): A state that is not done.
        valid (ndarray[bool]): (n_actions,) the valid ones.
        RETURNS (ndarray[bool]): Those that keep it; `valid`, if none does.
        """
        if len(state.stack) < 2:
            return valid
        view = _View(self, state)
        kept, names, labels = valid.copy(), self.system.label_names, self.system.action_labels
        for move, actions in self.by_move.items():
            for action in actions:
                kept[action] = kept[action] and view.keeps(move, names[labels[action]])
        if not kept.any():  # what s0 has to be joined with is deeper in the stack
            swap = self.by_move[Move.SWAP]
            kept[swap] = valid[swap]
        return kept if kept.any() else valid


class _View:
    """A state, and which units that are given have no edge yet."""

    def __init__(self, given: Given, state: State) -> None:
        self.given, self.state = given, state
        yields = [sum(1 << token for token in tokens) for tokens in state.terminals]
        made: dict[int, list[str]] = defaultdict(list)  # labels by tokens, inner ones first
        attached = (node for node, parent in enumerate(state.parent) if parent >= 0)
        for node in sorted(attached, key=state.when.__getitem__):
            yields[state.parent[node]] |= yields[node]
            made[yields[node]].append(given.system.label_names[state.label[node]])
        self.yields = yields
        self.alive: list[KnownUnit] = []
        for unit in reversed(given.units):
            labels = made[unit.mask]
            fits = next((i for i, label in enumerate(labels) if unit.label in ("", label)), None)
            if fits is None:
                self.alive.insert(0, unit)
                labels.clear()  # no outer one is made before it
            else:
                del labels[: fits + 1]
        self.joins: dict[int, bool] = {}  # by move
        self.items = [*state.stack, *(item for item in state.buffer if item >= 0)]
        self.waiting = sum(1 << ~item if item < 0 else yields[item] for item in state.buffer)

    def keeps(self, move: int, label: str) -> bool:
        """RETURNS (bool): Whether a transition keeps all that is given."""
        state, (s1, s0) = self.state, self.state.stack[-2:]
        around = self._around(self.yields[s0])
        if move == Move.SHIFT:
            several = sum(unit.mask == self.yields[s0] for unit in self.alive) > 1
            if several or not (around is None or around.mask & self.waiting):
                return False
            return not any(self._is_divided(mask) for mask in self.given.uncrossed)
        if move == Move.SWAP:
            if around is None:
                return self._around(self.yields[s1]) is None
            below = sum(self.yields[node] for node in state.stack[1:-2])
            return bool(around.mask & below) and not around.mask & self.yields[s1]
        if move == Move.NODE:
            room = self.given.system.max_chain - state.chain[s0]
            if any(_crosses(self.yields[s0], mask) for mask in self.given.uncrossed):
                return False
            if room == 1 and not _has_main(label) and self._lacks_scene(s0):
                return False
            return self._may_get(s0, label, room)
        child, parent = (s1, s0) if move == Move.LEFT_EDGE else (s0, s1)
        final = move != Move.MERGE
        if final and not self._may_get(child, label, 1):
            return False
        if move not in self.joins:  # whatever the label
            self.joins[move] = self._joins(child, parent, final)
        return self.joins[move]

    def _is_divided(self, mask: int) -> bool:
        """RETURNS (bool): Whether s0 has tokens of a span that no unit crosses, and has to be joined with others of it first."""
        parts = [self.yields[item] for item in self.items if self.yields[item] & mask]
        crossed = any(_crosses(tokens, mask) for tokens in parts)
        here = self.yields[self.state.stack[-1]] & mask
        return bool(here and crossed and len(parts) > 1 and not mask & self.waiting)

    def _lacks_scene(self, node: int) -> bool:
        """RETURNS (bool): Whether a Scene is to begin where a node begins, and none does."""
        begins = self.yields[node] & -self.yields[node] in self.given.scenes
        return begins and not self._has_scene(node, final=True)

    def _around(self, tokens: int) -> KnownUnit | None:
        """RETURNS (Optional[KnownUnit]): The smallest unit without an edge that has some tokens and others."""
        around = (u for u in reversed(self.alive) if tokens & u.mask == tokens != u.mask)
        return next(around, None)

    def _may_get(self, node: int, label: str, room: int) -> bool:
        """RETURNS (bool): Whether an edge to a node may have a label, if so many edges over its tokens are possible."""
        tokens = self.yields[node]
        own = [unit for unit in self.alive if unit.mask == tokens]
        if own and own[-1].label in ("", label):
            return len(own) <= room
        if own and (_has_main(own[-1].label) or not _has_main(label)):
            return False  # inside a unit, over all its tokens, is a Scene at most
        if not own and room > 1 and self._is_bare(node):
            return False
        return len(own) < room and not any(
            u.is_name and tokens & u.mask == tokens and (u in own or tokens != u.mask)
            for u in self.given.units
        )

    def _is_bare(self, node: int) -> bool:
        """RETURNS (bool): Whether a node has nothing but a given unit that is no main relation: it waits for others."""
        children = self.state.children[node]
        if len(children) != 1 or all(self.yields[node] != unit.mask for unit in self.given.units):
            return False
        return not self.given.main >> self.state.label[children[0]] & 1

    def _joins(self, child: int, parent: int, final: bool) -> bool:
        """RETURNS (bool): Whether the tokens of two items may come together. An edge makes the child final; MERGE does not."""
        own, root = self.yields[child], parent == ROOT
        tokens = own if root else own | self.yields[parent]
        for unit in self.alive:
            lost = root or tokens & ~unit.mask
            if lost and unit.mask & tokens and not (final and unit.mask == own):
                return False
        for mask in self.given.uncrossed:
            if final and _crosses(own, mask):
                return False
            if _crosses(tokens, mask) or (root and tokens & mask and mask & ~tokens):
                others = (node for node in self.items if node not in (child, parent))
                if any(self.yields[n] & mask if n == ROOT else _crosses(self.yields[n], mask) for n in others):  # fmt: skip
                    return False
        for scene in self.given.scenes:
            for node in (child, parent):
                begins = self.yields[node] & -self.yields[node] == scene and node != ROOT
                if begins and (root or tokens & (scene - 1)):
                    if not self._has_scene(node, final=node == child and final):
                        return False
        return True

    def _has_scene(self, node: int, final: bool) -> bool:
        """RETURNS (bool): Whether a Scene that begins where a node begins is made, or is the node itself."""
        state, first = self.state, self.yields[node] & -self.yields[node]
        while True:
            if final and state.child_labels[node] & self.given.main:
                return True
            below = [c for c in state.children[node] if self.yields[c] & -self.yields[c] == first]
            if not below:
                return False
            node, final = below[0], True


def _has_main(label: str) -> bool:
    return not MAIN_RELATIONS.isdisjoint(split_label(label))


def _crosses(tokens: int, mask: int) -> bool:
    return bool(tokens & mask and tokens & ~mask and mask & ~tokens)


def read_given(
    sentence: Sentence, system: TransitionSystem, entities: bool = False
) -> Given | None:
    """Read what is given of a sentence.

    sentence (Sentence): The sentence.
    system (TransitionSystem): The transition system, with its labels.
    entities (bool): Whether entities of several tokens are names, too.
    RETURNS (Optional[Given]): What is given; None if there is nothing.
    RAISES (UccaError): If spans contradict each other, cross the end of the sentence, or have labels that the system does not know; or
        if the system is not `tree`.
    """
    doc = sentence.doc
    if not (entities and doc.ents) and not (doc.spans and any(map(doc.spans.get, KEYS))):
        return None
    place = {token: i for i, token in enumerate(sentence.tokens.tolist())}
    units: dict[str, KnownUnit] = {}
    for label, mask, id_ in _spans(doc, UNITS, place):
        label = label and join_categories(label.split("|"))
        if label and label not in system.label_ids:
            text, known = _text(doc, place, mask), ", ".join(system.labels)
            raise UccaError(Errors.UC371.format(key=UNITS, text=text, label=label, known=known))
        name = id_ or f" {len(units)}"
        before = units.get(name, KnownUnit(0, label))
        if before.label != label:
            raise UccaError(Errors.UC378.format(key=UNITS, id=id_))
        units[name] = KnownUnit(before.mask | mask, label)
    pieces: dict[str, int] = defaultdict(int)
    for number, (_, mask, id_) in enumerate(_spans(doc, NAMES, place)):
        pieces[id_ or f" {number}"] |= mask
    names = [*pieces.values()]
    uncrossed = [mask for _, mask, _ in _spans(doc, UNCROSSED, place)]
    given_masks = [*(unit.mask for unit in units.values()), *names, *uncrossed]
    for entity in doc.ents if entities else ():  # those that fit: nobody has chosen them
        mask = sum(1 << place[i] for i in range(entity.start, entity.end) if i in place)
        whole = mask.bit_count() == len(entity) > 1
        if whole and not any(_crosses(mask, m) or m & mask == m != mask for m in given_masks):
            names.append(mask)
    known_units = [unit._replace(is_name=unit.mask in names) for unit in units.values()]
    masks = {unit.mask for unit in known_units}
    known_units += [KnownUnit(m, is_name=True) for m in dict.fromkeys(names) if m not in masks]
    masks |= {*names, *uncrossed}
    for one, other in combinations(masks, 2):
        if _crosses(one, other):
            texts = [_text(doc, place, mask) for mask in (one, other)]
            raise UccaError(Errors.UC372.format(one=texts[0], other=texts[1]))
    for name_mask, unit in product(names, known_units):
        if unit.mask & name_mask == unit.mask != name_mask:
            texts = [_text(doc, place, mask) for mask in (name_mask, unit.mask)]
            raise UccaError(Errors.UC373.format(name=texts[0], unit=texts[1]))
    scenes = [mask & -mask for _, mask, _ in _spans(doc, SCENES, place)]
    if not (known_units or uncrossed or scenes):
        return None
    if not isinstance(system, TreeSystem):
        raise UccaError(Errors.UC375.format(system=system.name))
    given = Given(known_units, uncrossed, scenes, system)
    if known_units and doc.spans.get(UNITS) and doc.spans[UNITS].attrs.get(COMPLETE):
        given.tree = _build(given.units, [doc[i].text for i in place], system)
    return given


def _build(units: Sequence[KnownUnit], words: Sequence[str], system: TreeSystem) -> State:
    """RETURNS (State): The final state of the tree of some units, the outer ones first.
    RAISES (UccaError): If a unit has no label, or a word is in no unit."""
    builder = GraphBuilder(words)
    numbers = [builder.add_unit()]
    masks = [(1 << len(words)) - 1]
    for unit in units:
        if not unit.label:
            raise UccaError(Errors.UC376)
        parent = max(i for i, mask in enumerate(masks) if mask & unit.mask == unit.mask)
        numbers.append(builder.add_unit())
        masks.append(unit.mask)
        builder.add_edge(numbers[parent], numbers[-1], *split_label(unit.label))
    for token in range(len(words)):
        builder.add_terminal(max(i for i, m in enumerate(masks) if m >> token & 1), token)
    graph, state = builder.build(), system.start(len(words))
    try:
        oracle = system.oracle(graph)
        while not state.done:
            system.apply(state, oracle.next_action(state))
    except OracleError as err:
        raise UccaError(Errors.UC377.format(reason=err)) from None
    state.log_probs = numpy.zeros(state.steps)
    return state


def gives_some(doc: Doc) -> bool:
    """RETURNS (bool): Whether a Doc has no graph, and span groups that give some of one."""
    return any(doc.spans.get(key) for key in KEYS) and get_graph(doc) is None


def is_partial(eg: Example) -> bool:
    """RETURNS (bool): Whether the gold Doc of an example has no graph, and span groups that give some of it."""
    words = ([token.text for token in doc] for doc in (eg.reference, eg.predicted))
    return gives_some(eg.reference) and next(words) == next(words)


def read_all_given(
    sentences: Sequence[Sentence], system: TransitionSystem, entities: bool = False
) -> list[Given | None]:
    """RETURNS (List[Optional[Given]]): What is given of each sentence; empty if nothing is of any. See `read_given`."""
    found = [read_given(sentence, system, entities) for sentence in sentences]
    return found if any(found) else []


def _mask(span: Any, place: Mapping[int, int]) -> int:
    """RETURNS (int): The tokens of a span in a sentence; 0 if it is in another one.
    RAISES (UccaError): If it is in this one and in another one."""
    inside = [place[i] for i in range(span.start, span.end) if i in place]
    rest = [i for i in range(span.start, span.end) if i not in place and not span.doc[i].is_space]
    if inside and rest:
        raise UccaError(Errors.UC374.format(text=span.text))
    return sum(1 << i for i in inside)


def _spans(doc: Doc, key: str, place: Mapping[int, int]) -> Iterator[tuple[str, int, str]]:
    """YIELDS (Tuple[str, int, str]): The label, tokens and id of the spans of a sentence."""
    for span in doc.spans.get(key, ()):
        if mask := _mask(span, place):
            yield span.label_, mask, span.id_


def _text(doc: Doc, place: Mapping[int, int], mask: int) -> str:
    return " ".join(doc[token].text for token, i in place.items() if mask >> i & 1)


def keep_labels(graph: Graph, doc: Doc) -> Graph:
    """Give units the labels that are given, where a repair has changed them, and the score 1.

    graph (Graph): The graph of the Doc.
    doc (Doc): The Doc.
    RETURNS (Graph): The graph.
    """
    wanted: dict[tuple[int, ...], list[str]] = defaultdict(list)
    pieces: dict[str, list[int]] = defaultdict(list)
    labels: dict[str, str] = {}
    for number, span in enumerate(doc.spans.get(UNITS, ())):
        name = span.id_ or f" {number}"
        pieces[name] += range(span.start, span.end)
        labels[name] = span.label_
    for name, places in pieces.items():
        if labels[name]:
            wanted[tuple(i for i in sorted(places) if not doc[i].is_space)].append(labels[name])
    edges, scores = list(graph.edge_tuples), dict(graph.scores)
    chains: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for unit in graph.units:
        number = graph.index.parent_edge[unit.index]
        if number >= 0 and unit.tokens() in wanted:
            chains[unit.tokens()].append(number)
    for tokens, chain in chains.items():
        left = sorted(chain, key=lambda i: _depth(graph[edges[i].child]))  # outer ones first
        for label in wanted[tokens][: len(left)]:
            fits = (i for i, e in enumerate(left) if label == "|".join(edges[e].categories))
            number = left[next(fits, 0)]
            del left[: left.index(number) + 1]
            edges[number] = edges[number]._replace(categories=tuple(label.split("|")))
            scores[number] = 1.0
            if not left:
                break
    return graph.replace(edges=edges, scores=scores)


def _depth(unit: Unit) -> int:
    """RETURNS (int): The number of units above one."""
    return 0 if unit.parent is None else 1 + _depth(unit.parent)
