"""The templates of TUPA Sparse: what the figure says, against a slow reading of it, template by template."""

import random
import re
from collections.abc import Iterator

import numpy
import pytest
from transition_walks import LABELS, LINK_LABELS, POLICIES, policy
from util import no_syntax

from spacy_ucca.features import state_rows as rows_of_states
from spacy_ucca.features.state_rows import (
    ELEMENTS_OF_STATE,
    MAX_NUMBER,
    StateReader,
)
from spacy_ucca.layers.rows import Separators
from spacy_ucca.layers.template_scorer import ATTRIBUTES, TemplateScorer, TemplateStep
from spacy_ucca.native import rows as native_rows
from spacy_ucca.native.columns import is_node
from spacy_ucca.native.elements import ELEMENTS, MARK, NUMBER
from spacy_ucca.native.templates import (
    CATEGORIES,
    FIGURE,
    NODES,
    PARSED,
    TEMPLATE_COLUMNS,
    TEMPLATES,
    VALUES,
    Value,
    parse_template,
)
from spacy_ucca.transition import ROOT, TERMINAL_RANK, State, TransitionSystem
from spacy_ucca.transitions.systems import build_system

N_TOKENS = 6
SYSTEM = build_system("tupa", LABELS + LINK_LABELS)


def make_tokens(seed: int = 0, n: int = N_TOKENS) -> numpy.ndarray:
    """RETURNS (ndarray): Attributes of tokens; few different ones, so that features are the same often."""
    rng = numpy.random.default_rng(seed)
    tokens = rng.integers(1, 4, (n, len(ATTRIBUTES))).astype("uint64")
    tokens[:, 3] = rng.random(n) < 0.4
    return tokens


def walks(every: int = 1) -> Iterator[State]:
    """YIELDS (State): States of walks that come to discontinuous units, which go on after each."""
    names = "uniform", "implicit", "remotes", "left", "right", "swaps and shifts"
    for seed, name in enumerate(names * 3):
        choose = policy(SYSTEM, seed, POLICIES[name])
        state = SYSTEM.start(N_TOKENS)
        while not state.done and state.steps < 200:
            if state.steps % every == seed % every:
                yield state
            SYSTEM.apply(state, choose(SYSTEM.valid(state).nonzero()[0].tolist()))


def feature_ids(
    states: list[State], tokens: numpy.ndarray, system: TransitionSystem = SYSTEM
) -> numpy.ndarray:
    schema = rows_of_states.TEMPLATES.schema(system, 1)
    rows = schema.split(schema.read(states, [no_syntax(N_TOKENS) for _ in states]))
    return TemplateStep(TemplateScorer(), tokens).feature_ids(rows)


# The figure, read slowly


class Missing(Exception):
    """Something a template asks for is not there."""


def find_node(state: State, path: str) -> int:
    items = state.stack if path[0] == "s" else state.buffer
    if int(path[1]) >= len(items):
        raise Missing
    node = items[-1 - int(path[1])]
    for step in path[2:]:
        kids = [child for child, parent in enumerate(state.parent) if parent == node]
        kids = [kid for kid in state.children[node] if kid in kids]  # as they were attached
        if not kids or (step == "u" and len(kids) > 1):
            raise Missing
        spans = {kid: sorted(tokens_of(state, kid)) for kid in kids}
        if step == "l":
            node = min(kids, key=lambda kid: spans[kid][0] if spans[kid] else N_TOKENS)
        else:
            node = max(kids, key=lambda kid: spans[kid][-1] if spans[kid] else -1)
    return node


def tokens_of(state: State, node: int) -> set[int]:
    """RETURNS (Set[int]): The yield, through primary edges."""
    found = {node - 1} if state.is_token[node] else set()
    return found.union(*(tokens_of(state, kid) for kid in state.children[node]))


def gap_length(state: State, node: int) -> int:
    found = tokens_of(state, node)
    return max(found) - min(found) + 1 - len(found) if found else 0


def find_edge(state: State, first: str, second: str) -> int | None:
    parent, child = find_node(state, first), find_node(state, second)
    for above, below, label in [*state.remotes, *state.links]:
        if (above, below) == (parent, child):
            return label
    return state.label[child] if child != ROOT and state.parent[child] == parent else None


def find_value(state: State, tokens: numpy.ndarray, path: str, name: str) -> object:
    """RETURNS (object): One property of one item."""
    if name in "pq":
        heads = sorted(state.head[find_node(state, item)] for item in ("s0", "s1"))
        between = [i for i in range(heads[0] + 1, heads[1]) if tokens[i, 3]]
        if heads[0] < 0 or (name == "p" and len(between) != 1):
            raise Missing
        return len(between) if name == "q" else tokens[between[0], 0]
    node = find_node(state, path)
    if name in "wtd":
        if state.head[node] < 0:
            raise Missing
        return tokens[state.head[node], "wtd".index(name)]
    remote = [edge for edge in state.remotes if edge[0] == node]
    if name == "e":
        if state.parent[node] >= 0:
            return state.label[node]
        kids = [kid for kid in state.children[node] if state.head[kid] >= 0]
        ranks = [SYSTEM.ranks[state.label[kid]] for kid in kids]
        ranks += [SYSTEM.ranks[label] for above, _, label in state.links if above == node]
        ranks += [TERMINAL_RANK] * state.is_token[node]
        return "head", min(ranks, default=None)
    if name == "x":
        if gap_length(state, node):
            return "pass"
        return "gap" if any(gap_length(state, kid) for kid in state.children[node]) else "none"
    if name == "y":
        return gap_length(state, node)
    if name == "P":
        return (state.parent[node] >= 0) + sum(edge[1] == node for edge in state.remotes)
    return len(remote) + (len(state.children[node]) if name == "C" else 0)


def read_figure(state: State, tokens: numpy.ndarray, template: str) -> tuple | None:
    """RETURNS (Optional[Tuple]): The values of a template, None if one is missing."""
    try:
        if template in ("a0", "a1"):
            back = 1 + int(template[1])
            return (state.history[-back],) if len(state.history) >= back else None
        if template in ("p", "q"):
            return (find_value(state, tokens, "", template),)
        items = re.findall("([sb][0-9][lru]*)([wtdepqxyPCR]*)", template)
        if len(items) == 2 and not items[0][1]:
            label = find_edge(state, items[0][0], items[1][0])
            if items[1][1]:
                return None if label is None else (label,)
            return (label is not None,)
        return tuple(
            find_value(state, tokens, item, name) for item, names in items for name in names
        )
    except Missing:
        return None


def test_the_figure_has_what_its_text_says() -> None:
    counts = {name: len(group.split()) for name, group in FIGURE.items()}
    assert counts == {
        **{"unigrams": 18, "bigrams": 16, "trigrams": 8, "separator": 10, "extended": 15},
        **{"disco": 26, "counts": 8, "edges": 6, "history": 2, "remote": 4},
    }
    assert len(set(TEMPLATES)) == len(TEMPLATES) == sum(counts.values())


def test_templates_are_taken_apart() -> None:
    assert [str(c) for c in parse_template("s0es1eb0td")] == ["s0e", "s1e", "b0t", "b0d"]
    assert parse_template("s0llwe") == (Value("s0ll", "w"), Value("s0ll", "e"))
    assert parse_template("s1weq") == (Value("s1", "w"), Value("s1", "e"), Value("", "q"))
    assert parse_template("s0b0") == (Value("s0b0"),)
    assert parse_template("b0s0e") == (Value("b0s0", "e"),)
    assert parse_template("a1") == (Value("a1"),)
    for wrong in ("", "s0z", "x0w", "s0w b0w", "w"):
        with pytest.raises(ValueError):
            parse_template(wrong)
    assert len(set(PARSED)) == len(TEMPLATES)
    assert {v.item for v in VALUES if is_node(v.item)} == set(NODES)
    assert all(item[:-1] in NODES[: NODES.index(item)] for item in NODES if len(item) > 2)


def test_rows_are_what_a_slow_reading_gives() -> None:
    """Same features, same values: for each template, the ids and the values of all states go together."""
    tokens = make_tokens()
    ids, read = [], []
    for state in walks(every=5):
        ids.append(feature_ids([state], tokens)[0].tolist())
        read.append([read_figure(state, tokens, template) for template in TEMPLATES])
    everything: set[int] = set()
    for k, template in enumerate(TEMPLATES):
        of_value: dict[tuple | None, int] = {}
        for state_ids, values in zip(ids, read):
            assert of_value.setdefault(values[k], state_ids[k]) == state_ids[k], template
        assert of_value.pop(None, 0) == 0, template
        found = set(of_value.values())
        assert len(found) == len(of_value) and 0 not in found, template
        assert len(found) > 1, f"{template} is never anything else"
        assert not everything & found, "another template has the same feature"
        everything |= found


def read_elements(states: list[State], tokens: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray): The category columns of the networks' rows, complete, each from 0."""
    schema = ELEMENTS_OF_STATE.schema(SYSTEM, 1)
    rows = schema.split(schema.read(states, [no_syntax(N_TOKENS) for _ in states]))
    separators = Separators(tokens[:, 3] > 0, tokens[:, 0].astype("int64"), 0)
    marks, counts = separators.between(rows.tokens[:, [NODES.index("s0"), NODES.index("s1")]])
    values = rows.categories - schema.offsets
    assert (values >= 0).all() and (values < [size for _, size in schema.categories]).all()
    values[:, -2:] = numpy.stack([marks, numpy.maximum(counts, 0)], axis=1)
    return values


def test_elements_are_what_a_slow_reading_gives() -> None:
    """What the networks see: numbers are those of the figure, 0 where something is missing; of others, same values go
    with same codes."""
    tokens = make_tokens()
    states = list(walks(every=3))
    values = read_elements(states, tokens)
    kinds = dict(zip((str(c.column) for c in ELEMENTS), ELEMENTS))
    names = [name for name, _ in ELEMENTS_OF_STATE.schema(SYSTEM, 1).categories[:-2]]
    elements = [*map(kinds.__getitem__, names), *(e for e in ELEMENTS if e.column is None)]
    assert {e.name for e in ELEMENTS} - {e.name for e in elements} == {
        str(v) for v in VALUES if v.name and v.name in "wtd"
    }
    varied = 0
    for element, column in zip(elements, values.T.tolist()):
        of_value: dict[object, int] = {}
        for state, code in zip(states, column):
            found = read_figure(state, tokens, element.name)
            value = found[0] if found else None
            if element.kind == NUMBER:
                assert code == min(int(value or 0), MAX_NUMBER), element
            elif element.kind != MARK or value is not None:
                assert of_value.setdefault(value, code) == code, element
        assert len(set(of_value.values())) == len(of_value), element
        varied += len(set(column)) > 1
    assert varied > len(elements) - 8  # the others need states that these walks do not come to


def test_gaps_of_all_kinds_are_seen() -> None:
    """So that the comparison above is about something."""
    read = StateReader(TEMPLATE_COLUMNS, [0] * SYSTEM.n_actions)
    at = len(NODES) + [str(c) for c in CATEGORIES].index("s0x")
    seen = set()
    for state in walks():
        seen.add(int(read([state], [no_syntax(N_TOKENS)])[0, at]))
    assert seen == {native_rows.NO_GAP, native_rows.PASS, native_rows.GAP}


def test_many_states_at_once_are_those_one_by_one() -> None:
    rng = random.Random(0)
    tokens = make_tokens(1)
    states = []
    for seed in range(20):
        choose = policy(SYSTEM, seed, ())
        state = SYSTEM.start(N_TOKENS)
        for _ in range(rng.randrange(30)):
            if not state.done:
                SYSTEM.apply(state, choose(SYSTEM.valid(state).nonzero()[0].tolist()))
        states += [] if state.done else [state]
    together = feature_ids(states, tokens)
    assert together.shape == (len(states), len(TEMPLATES)) and together.dtype == numpy.uint64
    for state, row in zip(states, together):
        assert feature_ids([state], tokens)[0].tolist() == row.tolist()
    assert feature_ids([], tokens).shape == (0, len(TEMPLATES))


def test_more_labels_leave_features_as_they_are() -> None:
    more = build_system("tupa", (*LABELS, *LINK_LABELS, "Z"))
    old, new = SYSTEM.start(N_TOKENS), more.start(N_TOKENS)
    choose = policy(SYSTEM, 3, ())
    tokens = make_tokens()
    while not old.done:
        assert (feature_ids([old], tokens) == feature_ids([new], tokens, more)).all()
        action = choose(SYSTEM.valid(old).nonzero()[0].tolist())
        SYSTEM.apply(old, action)
        more.apply(new, more.action_ids[SYSTEM.actions[action]])
