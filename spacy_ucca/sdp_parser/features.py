"""The features of the edge-factored parser, hashed: sections 3.1, 3.2.3 and 3.3.1 of "Broad-Coverage Semantic Dependency
Parsing with Rich Edge-Factored Features".

A feature is a template with its values as a hash of 64 bits; its first bits are the row of a table of weights (section
3.2.4). A row has one weight per label, which amounts to conjoining the feature with the label. The features of one class are
computed for all pairs of a batch at once.

The paper leaves open:

- DependencyPath: "the token string concatenated to the labeled path". Here there are two: one with the string of the parent,
  one with that of the child.
- SubcatSequence: the labels of all children of the parent, in order, are one feature; "+" marks the label of the child, if
  the child is among them.
- LinearContext: beyond the end of a sentence stands a special tag.
- Where no path leads from parent to child, as between two trees of a sentence, the path and its length are "none".
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy

from ..errors import Errors
from .batch import Pairs, Tokens

_PRIME, _SHIFT = numpy.uint64(0x9E3779B97F4A7C15), numpy.uint64(29)
_START = numpy.uint64(0x94D049BB133111EB)  # not 0, which zeros would leave as it is
_SEQUENCE = numpy.uint64(0xD6E8FEB86659FD93)  # odd: its powers tell places in a sequence apart
_OUTSIDE = numpy.uint64(0xFFFF_FFFF_FFFF_FFFE)  # the tag before and behind a sentence
_NONE = numpy.uint64(0xFFFF_FFFF_FFFF_FFFD)  # the path where there is none


class Paths(NamedTuple):
    """The paths through syntactic trees from parents to children, one for each pair.

    exists (ndarray[bool]): (n,) whether there is a path.
    up, down (ndarray[int64]): (n,) its steps up from the parent, and from there down to the child.
    labeled (ndarray[uint64]): (n,) a hash of the labels of all steps.
    directed (ndarray[uint64]): (n,) a hash of the directions of all steps.
    """

    exists: numpy.ndarray
    up: numpy.ndarray
    down: numpy.ndarray
    labeled: numpy.ndarray
    directed: numpy.ndarray


class _Context(NamedTuple):
    tokens: Tokens
    pairs: Pairs
    paths: Paths


def mix(*values: "numpy.ndarray | numpy.uint64") -> numpy.ndarray:
    """RETURNS (ndarray[uint64]): One hash of several, which depends on their order."""
    with numpy.errstate(over="ignore"):
        hashed: numpy.ndarray = numpy.full((), _START)
        for value in values:
            hashed = (hashed ^ value) * _PRIME
            hashed = hashed ^ (hashed >> _SHIFT)
    return hashed


def _number(values: numpy.ndarray) -> numpy.ndarray:
    return values.astype("int64").view("uint64")


def to_rows(ids: numpy.ndarray, hash_bits: int) -> numpy.ndarray:
    """RETURNS (ndarray[int32]): Hashes as rows of a table with 2 ** hash_bits of them."""
    return (ids >> numpy.uint64(64 - hash_bits)).astype("int32")


def find_paths(tokens: Tokens, heads: numpy.ndarray, dependents: numpy.ndarray) -> Paths:
    """Find the paths between tokens: the deeper end goes up, until both meet.

    tokens (Tokens): The tokens.
    heads, dependents (ndarray[int64]): (n,) where paths begin and end.
    RETURNS (Paths): The paths.
    """
    n = len(heads)
    at = [heads.copy(), dependents.copy()]
    steps = [numpy.zeros(n, dtype="int64") for _ in at]
    labeled = [numpy.zeros(n, dtype="uint64") for _ in at]
    directed = [numpy.zeros(n, dtype="uint64") for _ in at]
    is_path = numpy.ones(n, dtype="bool")
    going = numpy.flatnonzero(heads != dependents)
    while len(going):
        deeper = tokens.depth[at[0][going]] < tokens.depth[at[1][going]]
        lost = (tokens.depth[at[0][going]] == 0) & (tokens.depth[at[1][going]] == 0)
        is_path[going[lost]] = False
        for end, chosen in enumerate((going[~deeper & ~lost], going[deeper & ~lost])):
            here = at[end][chosen]
            above = tokens.head[here]
            right = _number(above > here)
            steps[end][chosen] += 1
            labeled[end][chosen] = mix(labeled[end][chosen], tokens.dep[here])
            directed[end][chosen] = mix(directed[end][chosen], right)
            at[end][chosen] = above
        going = going[~lost & (at[0][going] != at[1][going])]
    return Paths(
        is_path,
        steps[0],
        steps[1],
        numpy.where(is_path, mix(*labeled), _NONE),
        numpy.where(is_path, mix(*directed), _NONE),
    )


# Each class of edge features by its name in the paper. A function gives the values of each feature, which may be of
# several arrays; what is behind "parent" and "child" are features of nodes.


def _basic(context: _Context) -> list[tuple[numpy.ndarray, ...]]:
    tokens, pairs = context.tokens, context.pairs
    ends = (pairs.head, pairs.dependent)
    features: list[tuple[numpy.ndarray, ...]] = [
        (attribute[end],) for attribute in (tokens.lemma, tokens.tag, tokens.form) for end in ends
    ]
    return [*features, (_number(pairs.head <= pairs.dependent),)]


def _linear_order(context: _Context) -> list[tuple[numpy.ndarray, ...]]:
    return [(_number(context.pairs.head - context.pairs.dependent),)]


def _coarse_dependency(context: _Context) -> list[tuple[numpy.ndarray, ...]]:
    paths = context.paths
    is_parent = paths.exists & (paths.up == 0) & (paths.down == 1)
    distance = numpy.where(paths.exists, _number(paths.up + paths.down), _NONE)
    return [(_number(is_parent),), (distance,)]


def _linear_context(context: _Context) -> list[tuple[numpy.ndarray, ...]]:
    tokens, pairs = context.tokens, context.pairs
    places = numpy.arange(len(tokens))
    tags = numpy.append(tokens.tag, _OUTSIDE)
    before = tags[numpy.where(places > tokens.start, places - 1, -1)]
    behind = tags[numpy.where(places + 1 < tokens.end, places + 1, -1)]
    both = [
        [array[end] for array in (before, tokens.tag, behind)]
        for end in (pairs.head, pairs.dependent)
    ]
    return [(*both[0], *both[1]), (*both[0][:2], *both[1][:2]), (*both[0][1:], *both[1][1:])]


def _dependency_path(context: _Context) -> list[tuple[numpy.ndarray, ...]]:
    tokens, pairs = context.tokens, context.pairs
    labeled = context.paths.labeled
    return [(tokens.form[pairs.head], labeled), (tokens.form[pairs.dependent], labeled)]


def _subcat_sequence(context: _Context) -> list[tuple[numpy.ndarray, ...]]:
    tokens, pairs = context.tokens, context.pairs
    n = len(tokens)
    child = numpy.flatnonzero(tokens.head != numpy.arange(n))
    order = child[numpy.argsort(tokens.head[child], kind="stable")]
    parent = tokens.head[order]
    # The place of each child among its siblings
    place = numpy.zeros(n, dtype="int64")
    place[order] = numpy.arange(len(order)) - numpy.searchsorted(parent, parent)
    with numpy.errstate(over="ignore"):
        powers = numpy.cumprod(numpy.full(int(place.max(initial=0)) + 1, _SEQUENCE))[place]
        features: list[tuple[numpy.ndarray, ...]] = []
        is_child = tokens.head[pairs.dependent] == pairs.head
        for plain in (mix(tokens.dep), mix(tokens.tag, tokens.dep)):
            # Sums of powers times hashes: the same for the same children in the same order, and for no others
            # but by chance. The mark takes one term's place.
            marked = mix(plain, numpy.uint64(ord("+")))
            total = numpy.zeros(n, dtype="uint64")
            numpy.add.at(total, parent, plain[order] * powers[order])
            change = ((marked - plain) * powers)[pairs.dependent]
            sequence = total[pairs.head] + numpy.where(is_child, change, numpy.uint64(0))
            features.append((tokens.tag[pairs.head], sequence))
    return features


def _unlabeled_dep(context: _Context) -> list[tuple[numpy.ndarray, ...]]:
    paths = context.paths
    steps = numpy.where(paths.exists, mix(_number(paths.up), _number(paths.down)), _NONE)
    return [(steps,), (paths.directed,)]


FEATURES: dict[str, Callable[[_Context], list[tuple[numpy.ndarray, ...]]]] = {
    "Basic": _basic,
    "LinearOrder": _linear_order,
    "CoarseDependency": _coarse_dependency,
    "LinearContext": _linear_context,
    "DependencyPath": _dependency_path,
    "SubcatSequence": _subcat_sequence,
    "UnlabeledDep": _unlabeled_dep,
}


def check_features(names: Sequence[str]) -> None:
    """RAISES (ValueError): If a class of features has another name than those of `FEATURES`."""
    unknown = [name for name in names if name not in FEATURES]
    if unknown:
        raise ValueError(Errors.UC877.format(names=", ".join(unknown), known=", ".join(FEATURES)))


def edge_ids(tokens: Tokens, pairs: Pairs, names: Sequence[str] = tuple(FEATURES)) -> numpy.ndarray:
    """The features of pairs, the bias among them.

    tokens (Tokens): The tokens.
    pairs (Pairs): The pairs.
    names (Sequence[str]): The classes of features to take.
    RETURNS (ndarray[uint64]): (n_pairs, n_features).
    """
    context = _Context(tokens, pairs, find_paths(tokens, pairs.head, pairs.dependent))
    columns = [numpy.full(len(pairs), mix(numpy.uint64(1)))]  # the bias
    for number, name in enumerate(FEATURES, start=1):
        if name in names:
            for part, values in enumerate(FEATURES[name](context)):
                columns.append(mix(numpy.uint64(100 * number + part), *values))
    return numpy.stack(columns, axis=1)


def singleton_ids(tokens: Tokens) -> numpy.ndarray:
    """RETURNS (ndarray[uint64]): (n, 4) the features of singletons: the bias, form, lemma and tag of each token."""
    return _stack(len(tokens), [(tokens.form,), (tokens.lemma,), (tokens.tag,)])


def top_ids(tokens: Tokens) -> numpy.ndarray:
    """RETURNS (ndarray[uint64]): (n, 5) the features of tops: the bias, tag, index, both, and depth of each token."""
    index = _number(tokens.index)
    return _stack(
        len(tokens), [(tokens.tag,), (index,), (tokens.tag, index), (_number(tokens.depth),)]
    )


def _stack(n: int, features: list[tuple[numpy.ndarray, ...]]) -> numpy.ndarray:
    bias = numpy.full(n, mix(numpy.uint64(1)))
    columns = [mix(numpy.uint64(2 + i), *values) for i, values in enumerate(features)]
    return numpy.stack([bias, *columns], axis=1)
