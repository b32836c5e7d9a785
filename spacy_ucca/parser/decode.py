"""Decode token vectors into graphs: search for the primary tree, add remote edges and implicit units, and build the graph
of each Doc: joined, repaired if need be, and linked; from the parses of a beam, several with their probabilities.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import exp
from typing import Any, NamedTuple, TypeVar

import numpy
from spacy.tokens import Doc

from ..features.state_rows import MISSING, Rows, Schema
from ..features.unit_rows import UnitTable
from ..graph import Graph, GraphBuilder
from ..graph.algorithms import reached
from ..graph.data import GUIDELINES, LANG
from ..layers.arrays import log_softmax
from ..layers.slot_scorer import ScorerStep
from ..model import Scorers
from ..native.columns import BITS_MASK
from ..tokens.extension import get_guidelines, get_punct
from ..tokens.language import named_lang
from ..tokens.sentences import Sentence
from ..tokens.storage import words_of
from ..transition import State, TransitionSystem
from .calibration import Calibration, add_scores, edge_features
from .given import UNITS, keep_labels, read_all_given
from .labels import EVERYTHING, Allowed, Inventory, guidelines_of
from .screen import PredictedEdge, find_violations
from .search import beam_parses, beam_search, greedy_search, to_numpy
from .settings import DEFAULT_THRESHOLD, GraphSettings, ParserSettings

P = TypeVar("P", bound=tuple)

# A sentence, its final state, and whether its graph may break a rule.
Parsed = tuple[Sentence, State, bool]
WeightedGraphs = list[tuple[float, Graph]]  # the graphs of a Doc with their probabilities


def by_doc(docs: Iterable[Doc], parsed: Iterable[P]) -> Iterator[tuple[Doc, list[P]]]:
    """Group parsed sentences by their Docs.

    docs (Iterable[Doc]): The Docs.
    parsed (Iterable[P]): Tuples, each with a sentence first.
    YIELDS (Tuple[Doc, List[P]]): Each Doc and those of its sentences, in order.
    """
    by_id: dict[int, list[P]] = defaultdict(list)
    for item in parsed:
        by_id[id(item[0].doc)].append(item)
    for doc in docs:
        yield doc, by_id[id(doc)]


def build_graph(
    doc: Doc,
    parsed: Iterable[Parsed],
    inventory: Inventory,
    settings: GraphSettings,
) -> Graph:
    """Join the graphs of the sentences of a Doc; whitespace stays unattached.

    doc (Doc): The Doc.
    parsed (Iterable[Parsed]): Its sentences.
    inventory (Inventory): The transition system, and the categories of each guidelines.
    settings (GraphSettings): With `repair`, violations of the rules of UCCA are repaired, and punctuation is set
        from `Doc._.ucca_punct`, if the Doc has it. With `linkage`, linkers are linked to the Scenes beside them.
    RETURNS (Graph): The graph, which says which guidelines it follows, and in which language the Doc is, if that was set or guessed.
    """
    words = words_of(doc)
    builder, system = GraphBuilder(words), inventory.system
    guidelines = get_guidelines(doc) or settings.guidelines
    said = {GUIDELINES: guidelines, LANG: named_lang(doc)}
    builder.details = {key: value for key, value in said.items() if value}
    categories = inventory.by_guidelines.categories.get(guidelines)
    for sentence, state, suspect in parsed:
        tokens = sentence.tokens.tolist()
        if suspect and settings.repair:
            graph = system.to_graph(state, [words[i] for i in tokens], check=False)
            graph = _repaired(graph, categories=categories)
            builder.add_graph(graph, tokens)
        else:
            system.add_to(builder, state, tokens)
    graph = builder.build(check=False)
    punct = get_punct(doc) if settings.repair else None
    if punct is not None and punct != graph.punct:
        graph = _repaired(graph, punct, categories=categories)
    if doc.spans.get(UNITS):
        graph = keep_labels(graph, doc)
    return _linked(graph) if settings.linkage else graph


def _repaired(graph: Graph, *args: Any, **kwargs: Any) -> Graph:
    from ..rules.repair import repair  # most graphs need none

    return repair(graph, *args, **kwargs)


def _linked(graph: Graph) -> Graph:
    from ..rules.linkage import add_linkage

    return add_linkage(graph)


# Of the parses of a beam: their probabilities as such are far too certain. Fitted on EWT dev, beams of five, to how often each parse
# is the best of its beam; German and multilingual pipelines gave 6 and 8.
TEMPERATURE = 6.0


def best_combinations(choices: Iterable[Sequence[float]], n: int) -> list[tuple[float, list[int]]]:
    """Find the most probable combinations of one item of each of several lists.

    choices (Iterable[Sequence[float]]): The log probability of each item.
    n (int): How many to find.
    RETURNS (List[Tuple[float, List[int]]]): Up to n combinations, the most probable first: log probability, and the number of the
        item of each list.
    """
    best: list[tuple[float, list[int]]] = [(0.0, [])]
    for log_probs in choices:
        longer = [(total + p, k, chosen) for total, chosen in best for k, p in enumerate(log_probs)]
        longer.sort(key=lambda item: -item[0])
        best = [(total, [*chosen, k]) for total, k, chosen in longer[:n]]
    return best


def beam_graphs(
    docs: Iterable[Doc],
    sentences: Iterable[Sentence],
    parses: Iterable[Sequence[State]],
    inventory: Inventory,
    settings: ParserSettings,
) -> Iterator[WeightedGraphs]:
    """Make graphs of the parses of the sentences of Docs.

    docs (Iterable[Doc]): The Docs.
    sentences (Iterable[Sentence]): Their sentences.
    parses (Iterable[Sequence[State]]): The final states of each sentence.
    inventory (Inventory): Makes graphs of states.
    settings (ParserSettings): How to make graphs; its beam width is the number of graphs of a Doc.
    YIELDS (List[Tuple[float, Graph]]): For each Doc, its graphs with their probabilities. Equal graphs are one.
    """
    for doc, pairs in by_doc(docs, zip(sentences, parses, strict=True)):
        scores = [[float(numpy.sum(s.log_probs)) / TEMPERATURE for s in own] for _, own in pairs]
        log_probs = [log_softmax(numpy.array([own]))[0].tolist() for own in scores]
        graphs: WeightedGraphs = []
        for total, chosen in best_combinations(log_probs, settings.beam_width):
            parsed = [(sentence, states[k], True) for (sentence, states), k in zip(pairs, chosen)]
            graph = build_graph(doc, parsed, inventory, settings)
            known = (i for i, (_, other) in enumerate(graphs) if other.same_structure(graph))
            if (same := next(known, None)) is None:
                graphs.append((exp(total), graph))
            else:
                graphs[same] = graphs[same][0] + exp(total), graphs[same][1]
        yield sorted(graphs, key=lambda pair: -pair[0])


DEFAULT_SETTINGS = ParserSettings()
MAX_ROWS = 20_000  # pairs or units scored at once, which bounds memory
LEAST_THRESHOLD = 0.01  # with 0, a unit would get remote edges to all others
NO_EDGE = 0  # the class of pairs without a remote edge, and of units without implicit children


def add_remotes(
    step: Any,
    schema: Schema,
    labels: Sequence[int],
    is_child: numpy.ndarray,
    units: UnitTable,
    places: numpy.ndarray,
    calibration: Any,
    threshold: float = DEFAULT_THRESHOLD,
    allowed: Allowed = EVERYTHING,
    siblings: int = BITS_MASK,
) -> None:
    """Predict remote edges in finished trees and add them to the states.

    step (Union[SlotStep, PairStep]): Scores pairs of units.
    schema (Schema): The columns of a pair's row.
    labels (Sequence[int]): The label of each class; class 0 is no edge.
    is_child (ndarray[bool]): (n_units,) which units may be remote children.
    units (UnitTable): The units of all sentences.
    places (ndarray): The tokens of the sentences, as they are numbered in the batch.
    calibration (Callable): Makes scores of edges.
    threshold (float): Minimum probability of an edge, of whatever category.
    allowed (Allowed): The classes under the guidelines of each sentence.
    siblings (int): The labels of which a parent has a child: `Inventory.remote_siblings`.
    """
    threshold = max(threshold, LEAST_THRESHOLD)
    parents, children = units.pairs_with(is_child, siblings)
    candidates: dict[int, list[tuple[float, int, int, float]]] = {}
    for start in range(0, len(parents), MAX_ROWS):
        part = slice(start, start + MAX_ROWS)
        parts = [
            p._replace(rows=p.rows._replace(tokens=places[p.rows.tokens]))
            for p in units.pair_parts(schema, parents[part], children[part])
        ]
        scores = to_numpy(step.predict_parts(parts))
        # Skip most pairs: they stay below the threshold even if all other classes were as probable as the best of them.
        odds = threshold / (1 - threshold) if threshold < 1 else numpy.inf
        least = numpy.log(odds / (scores.shape[1] - 1)) - 1e-3
        near = numpy.nonzero(scores[:, 1:].max(axis=1) > scores[:, NO_EDGE] + least)[0]
        owners = units.sentence[parents[start + near]]
        log_probs = log_softmax(allowed.restrict_scores(scores[near], owners))
        no_edge = numpy.exp(log_probs[:, NO_EDGE])
        chosen = numpy.nonzero(no_edge < 1 - threshold)[0]
        classes = log_probs[chosen, 1:].argmax(axis=1) + 1
        columns = start + near[chosen], no_edge[chosen], classes, log_probs[chosen, classes]
        for i, none, k, log_prob in zip(*map(numpy.ndarray.tolist, columns)):
            sentence = int(units.sentence[parents[i]])
            candidates.setdefault(sentence, []).append((none, i, k, log_prob))
    added: list[tuple[State, tuple[int, int]]] = []
    likely = []
    for sentence, edges in candidates.items():
        state = units.states[sentence]
        remote: dict[int, list[int]] = {}
        for _, i, label, log_prob in sorted(edges):
            parent, child = units.nodes[parents[i]], units.nodes[children[i]]
            if not _has_path(state, remote, child, parent):  # two remote edges can make a cycle
                remote.setdefault(parent, []).append(child)
                state.remotes.append((parent, child, labels[label]))
                added.append((state, (parent, child)))
                likely.append(log_prob)
    scores_of_added = calibration("remote", edge_features(numpy.array(likely)))
    for (state, pair), score in zip(added, scores_of_added):
        state.pair_scores[pair] = score


def add_implicit(
    step: ScorerStep,
    schema: Schema,
    bags: Sequence[Sequence[int]],
    system: TransitionSystem,
    units: UnitTable,
    places: numpy.ndarray,
    calibration: Any,
    threshold: float = DEFAULT_THRESHOLD,
    allowed: Allowed = EVERYTHING,
) -> list[PredictedEdge]:
    """Predict implicit units in finished trees and add them to the states. A unit with a remote edge gets none of the
    same category.

    step (ScorerStep): Scores units.
    schema (Schema): The columns of a unit's row.
    bags (Sequence[Sequence[int]]): The labels of the implicit children of each class.
    system (TransitionSystem): The transition system.
    units (UnitTable): The units of all sentences.
    places (ndarray): The tokens of the sentences, as they are numbered in the batch.
    calibration (Callable): Makes scores of edges.
    threshold (float): Minimum probability of a unit.
    allowed (Allowed): The classes under the guidelines of each sentence.
    RETURNS (List[PredictedEdge]): The edges that were added.
    """
    threshold = max(threshold, LEAST_THRESHOLD)
    added: list[PredictedEdge] = []
    children, members = _members(tuple(map(tuple, bags)))
    rows, indices = units.unit_rows(schema)
    rows = rows._replace(tokens=places[rows.tokens])
    for start in range(0, len(indices), MAX_ROWS):
        part = Rows(*(column[start : start + MAX_ROWS] for column in rows))
        owners = units.sentence[indices[start : start + MAX_ROWS]]
        scores = allowed.restrict_scores(to_numpy(step.predict(part)), owners)
        probs = numpy.minimum(numpy.exp(log_softmax(scores)) @ members, 1)
        chosen, which = numpy.nonzero(probs > threshold)
        rows_of_chosen = edge_features(numpy.log(probs[chosen, which]))
        for i, k, features in zip(chosen.tolist(), which.tolist(), rows_of_chosen):
            index, label = indices[start + i], children[k]
            state = units.states[units.sentence[index]]
            if any(
                (parent, own) == (units.nodes[index], label) for parent, _, own in state.remotes
            ):
                continue  # the Participant is elsewhere in the sentence
            node = state.add_node()
            (state.scores[node],) = calibration("implicit", features[None])
            state.implicit[node] = True
            state.attach(units.nodes[index], node, label, system.ranks[label])
            added.append((int(index), -1, label))
    return added


@lru_cache(maxsize=32)
def _members(bags: tuple[tuple[int, ...], ...]) -> tuple[list[int], numpy.ndarray]:
    """Compare bags of labels with single children, so that the probability of a child is the sum over the bags with it.

    bags (Tuple[Tuple[int, ...], ...]): The labels of each class.
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


def _has_path(state: State, remote: Mapping[int, Sequence[int]], start: int, end: int) -> bool:
    """RETURNS (bool): Whether primary edges and new remote edges lead from one node to another."""
    return end in reached((start,), lambda node: (*state.children[node], *remote.get(node, ())))


class Decoded(NamedTuple):
    """The result of decoding.

    states (List[State]): The final state of each sentence.
    may_violate (ndarray[bool]): For each, whether its graph may break a rule of UCCA.
    """

    states: list[State]
    may_violate: numpy.ndarray


def decode_all(
    steps: Scorers,
    inventory: Inventory,
    sentences: Sequence[Sentence],
    settings: ParserSettings = DEFAULT_SETTINGS,
    calibration: Any = None,
) -> Decoded:
    """Parse a batch: search for the tree, then add remote edges and implicit units.

    steps (Dict[str, ScorerStep]): The scorers of the batch.
    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[Sentence]): The sentences.
    settings (ParserSettings): The beam and the thresholds.
    calibration (Optional[Callable]): Makes scores of edges.
    RETURNS (Decoded): The final states.
    """
    args = steps["actions"], inventory.system, inventory.schemas["actions"], sentences
    guidelines = guidelines_of(sentences, inventory.by_guidelines.ids, settings.guidelines)
    allowed = Allowed(inventory.by_guidelines.actions, guidelines)
    given = read_all_given(sentences, inventory.system, settings.keep_entities)
    if settings.beam_width == 1:
        states = greedy_search(*args, allowed, given)
    else:
        states = beam_search(*args, settings.beam, allowed, given)
    trees = inventory, sentences, states, guidelines, settings, calibration or Calibration()
    return finish_trees(*trees, remotes=steps.get("remotes"), implicit=steps.get("implicit"))


def decode_beams(
    steps: Scorers,
    inventory: Inventory,
    sentences: Sequence[Sentence],
    settings: ParserSettings = DEFAULT_SETTINGS,
    calibration: Any = None,
) -> list[list[State]]:
    """Parse a batch and return all parses of the beams. Arguments are those of `decode_all`.

    RETURNS (List[List[State]]): By sentence, the final states, the most probable first.
    """
    system, schema = inventory.system, inventory.schemas["actions"]
    guidelines = guidelines_of(sentences, inventory.by_guidelines.ids, settings.guidelines)
    allowed = Allowed(inventory.by_guidelines.actions, guidelines)
    given = read_all_given(sentences, system, settings.keep_entities)
    beams = beam_parses(steps["actions"], system, schema, sentences, settings.beam, allowed, given)
    states = [state for parses in beams for state in parses]
    owners = [sentence for sentence, parses in zip(sentences, beams) for _ in parses]
    guidelines = numpy.repeat(guidelines, [len(parses) for parses in beams])
    trees = inventory, owners, states, guidelines, settings, calibration or Calibration()
    finish_trees(*trees, remotes=steps.get("remotes"), implicit=steps.get("implicit"))
    return beams


def finish_trees(
    inventory: Inventory,
    sentences: Sequence[Sentence],
    states: list[State],
    guidelines: numpy.ndarray,
    settings: GraphSettings,
    calibration: Any,
    *,
    remotes: Any = None,
    implicit: Any = None,
    is_child: Callable[[UnitTable], numpy.ndarray] | None = None,
) -> Decoded:
    """Add to finished trees the scores of their edges, remote edges and implicit units.

    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[Sentence]): The sentence of each state.
    states (List[State]): The states.
    guidelines (ndarray[int]): (n_states,) the guidelines of each.
    settings (GraphSettings): The thresholds.
    calibration (Callable): Makes scores of edges.
    remotes (Optional[ScorerStep]): Scores remote edges; None adds none.
    implicit (Optional[ScorerStep]): Scores implicit units; None adds none.
    is_child (Optional[Callable]): Tells which units may be remote children; None asks their labels.
    RETURNS (Decoded): The same states.
    """
    units = UnitTable(states, [sentence.syntax for sentence in sentences])
    add_scores(units, calibration)
    added: list[PredictedEdge] = []
    by_guidelines, schemas = inventory.by_guidelines, inventory.schemas
    # The last place is that of missing tokens.
    places = numpy.concatenate([*[s.places for s in sentences], [MISSING]]).astype("int32")
    if remotes is not None and len(inventory.remote_ids) > 1:
        add_remotes(
            remotes,
            schemas["remotes"],
            inventory.remote_ids,
            is_child(units) if is_child else inventory.remote_children[units.label],
            units,
            places,
            calibration,
            settings.remote_threshold,
            Allowed(by_guidelines.remotes, guidelines),
            inventory.remote_siblings,
        )
    if implicit is not None and inventory.implicit:
        added = add_implicit(
            implicit,
            schemas["implicit"],
            inventory.bags,
            inventory.system,
            units,
            places,
            calibration,
            settings.implicit_threshold,
            Allowed(by_guidelines.implicit, guidelines),
        )
    return Decoded(states, find_violations(inventory.label_facts, units, added))
