"""Features of edges, singletons and tops: against a slow, literal making of strings, on random trees."""

import hypothesis.strategies as st
import numpy
import pytest
from hypothesis import given, settings

from spacy_ucca.sdp_parser.batch import Pairs, Tokens, find_pairs
from spacy_ucca.sdp_parser.features import (
    FEATURES,
    edge_ids,
    find_paths,
    singleton_ids,
    to_rows,
    top_ids,
)

ATTRIBUTES = ("form", "lemma", "tag", "dep")


@st.composite
def sentences(draw):
    """A sentence: for each token its attributes, as small numbers, and its head: trees of any kind, several too."""
    n = draw(st.integers(1, 7))
    order = draw(st.permutations(range(n)))
    heads = list(range(n))
    for place, token in enumerate(order[1:], start=1):
        if draw(st.integers(0, 4)):
            heads[token] = order[draw(st.integers(0, place - 1))]
    values = {name: [draw(st.integers(1, 3)) for _ in range(n)] for name in ATTRIBUTES}
    return heads, values


def make_tokens(found) -> Tokens:
    columns = {name: [] for name in (*ATTRIBUTES, "head", "start", "end")}
    for heads, values in found:
        first = len(columns["head"])
        columns["head"] += [first + head for head in heads]
        columns["start"] += [first] * len(heads)
        columns["end"] += [first + len(heads)] * len(heads)
        for name in ATTRIBUTES:
            columns[name] += values[name]
    return Tokens(
        **{
            name: numpy.array(column, dtype="uint64" if name in ATTRIBUTES else "int64")
            for name, column in columns.items()
        }
    )


def path_to_root(heads, token):
    path = [token]
    while heads[path[-1]] != path[-1]:
        path.append(heads[path[-1]])
    return path


def literal_path(heads, s, t):
    """The steps from s up and down to t, or None."""
    up, down = path_to_root(heads, s), path_to_root(heads, t)
    common = next((a for a in up if a in down), None)
    if common is None:
        return None
    return up[: up.index(common)], list(reversed(down[: down.index(common)]))


def literal_features(heads, values, s, t):
    """The features of an edge as strings, by the words of the paper."""
    n = len(heads)

    def tag(i):
        return str(values["tag"][i]) if 0 <= i < n else "outside"

    def dep(i):
        return str(values["dep"][i])

    path = literal_path(heads, s, t)
    labeled = directed = counts = distance = "none"
    if path is not None:
        up, down = path
        labeled = ",".join(f"{dep(i)}^" for i in up) + ";" + ",".join(f"{dep(i)}v" for i in down)
        directed = ",".join(f"^{heads[i] > i}" for i in up) + ";"
        directed += ",".join(f"v{heads[i] > i}" for i in down)
        counts = "^" * len(up) + "v" * len(down)
        distance = str(len(up) + len(down))
    children = [c for c in range(n) if heads[c] == s and c != s]
    return {
        "bias": ["bias"],
        "Basic": [
            *(f"{name} {end}" for name in () for end in ()),
            f"lemma {values['lemma'][s]}",
            f"lemma {values['lemma'][t]}",
            f"tag {tag(s)}",
            f"tag {tag(t)}",
            f"form {values['form'][s]}",
            f"form {values['form'][t]}",
            f"{s <= t}",
        ],
        "LinearOrder": [f"{s - t}"],
        "CoarseDependency": [f"{heads[t] == s and s != t}", distance],
        "LinearContext": [
            "_".join(tag(i) for i in (s - 1, s, s + 1, t - 1, t, t + 1)),
            "_".join(tag(i) for i in (s - 1, s, t - 1, t)),
            "_".join(tag(i) for i in (s, s + 1, t, t + 1)),
        ],
        "DependencyPath": [f"{values['form'][s]} {labeled}", f"{values['form'][t]} {labeled}"],
        "SubcatSequence": [
            tag(s) + " " + " ".join(dep(c) + "+" * (c == t) for c in children),
            tag(s) + " " + " ".join(tag(c) + "_" + dep(c) + "+" * (c == t) for c in children),
        ],
        "UnlabeledDep": [counts, directed],
    }


@settings(max_examples=60)
@given(st.lists(sentences(), min_size=1, max_size=3), st.integers(0, 4))
def test_features_are_those_of_the_paper(found, max_distance):
    tokens = make_tokens(found)
    pairs = find_pairs(tokens, numpy.ones(len(tokens), dtype=bool), max_distance)
    ids = edge_ids(tokens, pairs)
    expected = []
    first = 0
    for heads, values in found:
        n = len(heads)
        for s in range(n):
            for t in range(n):
                if s != t and (not max_distance or abs(s - t) <= max_distance):
                    expected.append((first + s, first + t, literal_features(heads, values, s, t)))
        first += n
    assert list(zip(pairs.head.tolist(), pairs.dependent.tolist())) == [e[:2] for e in expected]
    names = list(expected[0][2]) if expected else []
    flat = [[text for name in names for text in e[2][name]] for e in expected]
    assert all(len(row) == ids.shape[1] for row in flat)
    for column in range(ids.shape[1] if expected else 0):
        # The same id where the strings are the same, and only there; and never that of another feature
        strings = {}
        for row, text in zip(ids[:, column].tolist(), flat):
            assert strings.setdefault(text[column], row) == row
        assert len(set(strings.values())) == len(strings)
    sets = [set(ids[:, column].tolist()) for column in range(ids.shape[1])]
    assert sum(map(len, sets)) == len(set().union(*sets))


@given(st.lists(sentences(), min_size=1, max_size=3))
def test_classes_can_be_left_out(found):
    tokens = make_tokens(found)
    pairs = find_pairs(tokens, numpy.ones(len(tokens), dtype=bool), 10)
    whole = edge_ids(tokens, pairs)
    columns = [set(map(tuple, [whole[:, 0].tolist()]))]
    for name in FEATURES:
        columns += [tuple(c) for c in edge_ids(tokens, pairs, [name]).T.tolist()[1:]]
    assert columns[1:] == [tuple(c) for c in whole.T.tolist()[1:]]


@given(st.lists(sentences(), min_size=1, max_size=3), st.data())
def test_pairs(found, data):
    tokens = make_tokens(found)
    used = numpy.array(
        data.draw(st.lists(st.booleans(), min_size=len(tokens), max_size=len(tokens)))
    )
    distance = data.draw(st.integers(0, 8))
    pairs = find_pairs(tokens, used, distance)
    expected = [
        (i, j)
        for i in range(len(tokens))
        for j in range(len(tokens))
        if i != j and used[i] and used[j] and tokens.start[i] == tokens.start[j]
        if not distance or abs(i - j) <= distance
    ]
    assert list(zip(pairs.head.tolist(), pairs.dependent.tolist())) == expected
    back = pairs.reverse()
    assert (pairs.head[back] == pairs.dependent).all()
    assert (pairs.dependent[back] == pairs.head).all()
    heads = numpy.array([i for i in range(len(tokens)) for _ in range(len(tokens))])
    dependents = numpy.array([*range(len(tokens))] * len(tokens))
    numbers = pairs.find(heads, dependents).tolist()
    for pair, number in zip(zip(heads.tolist(), dependents.tolist()), numbers):
        assert number == (expected.index(pair) if pair in expected else -1)


@given(st.lists(sentences(), min_size=1, max_size=3))
def test_features_of_tokens(found):
    tokens = make_tokens(found)
    first = 0
    rows = []
    for heads, values in found:
        for i in range(len(heads)):
            depth = len(path_to_root(heads, i)) - 1
            assert tokens.depth[first + i] == depth
            singleton = [values[name][i] for name in ("form", "lemma", "tag")]
            tag = values["tag"][i]
            rows.append((["", *singleton], ["", tag, i, (tag, i), depth]))
        first += len(heads)
    for kind, ids in enumerate((singleton_ids(tokens), top_ids(tokens))):
        for column in range(ids.shape[1]):
            known = {}
            for row, texts in zip(ids[:, column].tolist(), rows):
                assert known.setdefault(texts[kind][column], row) == row
            assert len(set(known.values())) == len(known)


def test_long_chains_are_no_matter_of_recursion():
    n = 3000
    tokens = make_tokens([(([0, *range(n - 1)]), {name: [1] * n for name in ATTRIBUTES})])
    paths = find_paths(tokens, numpy.array([0, n - 1]), numpy.array([n - 1, 0]))
    assert paths.up.tolist() == [0, n - 1] and paths.down.tolist() == [n - 1, 0]
    assert len(find_pairs(tokens, numpy.ones(n, dtype=bool), 10)) == 2 * (10 * n - 55)


def test_nothing():
    tokens = make_tokens([])
    pairs = find_pairs(tokens, numpy.zeros(0, dtype=bool), 10)
    assert len(pairs) == 0 and edge_ids(tokens, pairs).shape == (0, 20)
    assert singleton_ids(tokens).shape == (0, 4) and top_ids(tokens).shape == (0, 5)
    nothing = numpy.zeros(0, dtype="int64")
    assert Pairs(nothing, nothing).find(numpy.array([1]), numpy.array([2])).tolist() == [-1]


def test_rows_spread_evenly():
    n = 4000
    heads = [0, *range(n - 1)]
    random = numpy.random.default_rng(0)
    values = {name: random.integers(1, 2**63, n).tolist() for name in ATTRIBUTES}
    tokens = make_tokens([(heads, values)])
    rows = to_rows(singleton_ids(tokens)[:, 1], 12)
    assert 0 <= rows.min() and rows.max() < 1 << 12
    # Thrown at random, 4000 of 4096 rows are hit by about 1 - 1/e^0.98 = 62 % of them.
    assert 0.58 < len(numpy.unique(rows)) / (1 << 12) < 0.67


def test_unknown_classes_are_refused():
    from spacy_ucca.sdp_parser.features import check_features

    with pytest.raises(ValueError, match=r"UC877.*Brown"):
        check_features(["Basic", "Brown"])
