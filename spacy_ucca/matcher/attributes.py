"""What a pattern can ask of a unit (RIGHT_ATTRS) and of an edge (EDGE_ATTRS)."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..extract.kinds import KINDS
from ..graph.categories import CATEGORY_NAMES, IMPLICIT, LINKAGE
from ..graph.scene import PARALLEL, ROOT
from .values import CATEGORIES, Place, check_tokens, flag, labels, number, text
from .view import View

UnitTest = Callable[[View, int], bool]

CATEGORY, KIND, LENGTH, HEAD, TOKENS = "CATEGORY", "KIND", "LENGTH", "HEAD", "TOKENS"
REMOTE, SCORE = "REMOTE", "SCORE"
EDGE_ATTRS = (CATEGORY, REMOTE, SCORE)
# See `Unit.scene_kind`.
SCENE_KINDS = (ROOT, "parallel", *(CATEGORY_NAMES[c].lower() for c in CATEGORIES if c != PARALLEL))


def _is_root(view: View, unit: int) -> bool:
    return view.index.parent_edge[unit] < 0 and view.graph.kinds[unit] != LINKAGE


# Of several tests of a node, the cheap ones come first.
FLAGS: dict[str, UnitTest] = {
    "IS_IMPLICIT": lambda view, unit: view.graph.kinds[unit] == IMPLICIT,
    "IS_ROOT": _is_root,
    "IS_PUNCT": View.is_punct,
    "IS_SCENE": lambda view, unit: unit in view.graph.scene_numbers,
    "IS_DISCONTINUOUS": lambda view, unit: view.unit(unit).is_discontinuous,
}
UNIT_ATTRS = (CATEGORY, *FLAGS, KIND, LENGTH, *KINDS, HEAD, TOKENS)


class UnitSpec(NamedTuple):
    """What a node asks of its unit.

    tests (Tuple[Callable, ...]): They all have to be true.
    some (Optional[FrozenSet[str]]): Categories of which the unit has at least one.
    head (Optional[List]): A pattern of spaCy's `Matcher` for the head terminal.
    tokens (Optional[List]): One for tokens within the unit.
    """

    tests: tuple[UnitTest, ...]
    some: frozenset[str] | None
    head: list[Any] | None
    tokens: list[Any] | None


class EdgeSpec(NamedTuple):
    """What a node asks of the edge to its unit.

    test (Callable): Has to be true of the number of the edge.
    some (Optional[FrozenSet[str]]): Categories of which the edge has at least one.
    """

    test: UnitTest
    some: frozenset[str] | None


def read_unit_attrs(place: Place, attrs: Any) -> UnitSpec:
    """Read what a node asks of its unit.

    place (Place): The node.
    attrs (Any): Its RIGHT_ATTRS.
    RETURNS (UnitSpec): The tests.
    RAISES (UccaError): If a key or a value is none that is known.
    """
    if not isinstance(attrs, Mapping):
        raise place.refuse("RIGHT_ATTRS", attrs, "a dict; {} fits any unit")
    place.check_keys("RIGHT_ATTRS", attrs, UNIT_ATTRS)
    found: dict[str, UnitTest] = {}
    some = None
    for name, value in attrs.items():
        if name == CATEGORY:
            has, some = labels(place, name, value)
            found[name] = lambda view, unit, has=has: has(view.categories(unit))  # type: ignore[misc]
        elif name == KIND:
            fits = text(place, name, value, SCENE_KINDS)
            found[name] = lambda view, unit, fits=fits: fits(view.unit(unit).scene_kind)  # type: ignore[misc]
        elif name == LENGTH:
            is_long = number(place, name, value)
            found[name] = lambda view, unit, ok=is_long: ok(view.index.masks[unit].bit_count())  # type: ignore[misc]
        elif name in FLAGS:
            found[name] = _equal(FLAGS[name], flag(place, name, value))
        elif name in KINDS:
            found[name] = _equal(_of_kind(name), flag(place, name, value))
    tests = tuple(found[name] for name in UNIT_ATTRS if name in found)
    return UnitSpec(tests, some, _head(place, attrs), _tokens(place, attrs))


def read_edge_attrs(place: Place, attrs: Any) -> EdgeSpec:
    """Read what a node asks of the edge to its unit.

    place (Place): The node.
    attrs (Any): Its EDGE_ATTRS.
    RETURNS (EdgeSpec): The test.
    RAISES (UccaError): If a key or a value is none that is known.
    """
    if not isinstance(attrs, Mapping):
        raise place.refuse("EDGE_ATTRS", attrs, "a dict")
    place.check_keys("EDGE_ATTRS", attrs, EDGE_ATTRS)
    tests: list[UnitTest] = []
    some = None
    if CATEGORY in attrs:
        has, some = labels(place, CATEGORY, attrs[CATEGORY])
        tests.append(lambda view, edge: has(view.edges[edge].categories))
    if REMOTE in attrs:
        remote = flag(place, REMOTE, attrs[REMOTE])
        tests.append(lambda view, edge: view.edges[edge].remote == remote)
    if SCORE in attrs:
        fits = number(place, SCORE, attrs[SCORE])
        tests.append(lambda view, edge: fits(view.graph.scores.get(edge)))
    if len(tests) == 1:
        return EdgeSpec(tests[0], some)
    return EdgeSpec(lambda view, edge: all(test(view, edge) for test in tests), some)


def _equal(test: UnitTest, value: bool) -> UnitTest:
    return test if value else lambda view, unit: not test(view, unit)


def _of_kind(name: str) -> UnitTest:
    return lambda view, unit: KINDS[name](view.doc, view.unit(unit))


def _head(place: Place, attrs: Mapping[str, Any]) -> list[Any] | None:
    if HEAD not in attrs:
        return None
    head = attrs[HEAD]
    if not isinstance(head, Mapping) or not head or "OP" in (str(k).upper() for k in head):
        raise place.refuse(HEAD, head, 'a dict of token attributes without OP: {"LEMMA": "buy"}')
    check_tokens(place, [head])
    return [dict(head)]


def _tokens(place: Place, attrs: Mapping[str, Any]) -> list[Any] | None:
    if TOKENS not in attrs:
        return None
    tokens = attrs[TOKENS]
    if not isinstance(tokens, list) or not tokens or not all(isinstance(t, dict) for t in tokens):
        raise place.refuse(TOKENS, tokens, 'a list of dicts as for Matcher: [{"LOWER": "not"}]')
    check_tokens(place, tokens)
    return tokens
