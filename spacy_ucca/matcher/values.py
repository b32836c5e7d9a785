"""The values of attributes in a pattern: plain, or predicates as in spaCy's `Matcher`, such as {"IN": [...]}."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from spacy.parts_of_speech import IDS

from ..errors import Errors, UccaError
from ..graph.categories import CATEGORY_NAMES, TERMINAL, hint_at, hint_of, split_label

Check = Callable[[Any], bool]
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
SETS = ("IN", "NOT_IN")
POS = tuple(tag for tag in IDS if tag)  # universal ones, and "SPACE"
CATEGORIES = tuple(category for category in CATEGORY_NAMES if category != TERMINAL)


class Place(NamedTuple):
    """Where in a pattern something stands, for messages.

    where (str): The node: "Pattern 1 of 'key', node 'who'".
    validate (bool): Whether categories that UCCA does not have are refused.
    """

    where: str
    validate: bool = True

    def check_keys(self, place: str, keys: Iterable[str], known: Iterable[str]) -> None:
        """RAISES (UccaError): If there is an unknown key."""
        for key in keys:
            if key not in known:
                hint = hint_of(str(key).upper(), known)
                shown = ", ".join(known)
                message = Errors.UC644.format(
                    where=self.where, place=place, key=key, hint=hint, known=shown
                )
                raise UccaError(message)

    def refuse(self, name: str, value: Any, wanted: str) -> UccaError:
        """RETURNS (UccaError): The error that a value is of a wrong kind."""
        return UccaError(
            Errors.UC645.format(where=self.where, name=name, value=value, wanted=wanted)
        )

    def check_label(self, label: str) -> None:
        """RAISES (UccaError): If a label has a category that UCCA does not have."""
        for category in split_label(label) if self.validate else ():
            if category not in CATEGORIES:
                hint, known = hint_at(category), ", ".join(CATEGORIES)
                message = Errors.UC646.format(
                    where=self.where, category=category, hint=hint, known=known
                )
                raise UccaError(message)


def check_tokens(place: Place, tokens: Iterable[Mapping[str, Any]]) -> None:
    """RAISES (UccaError): If token patterns ask for a part of speech that spaCy does not have, or for very many tokens."""
    for key, value in (item for token in tokens for item in token.items()):
        # spaCy makes a copy of the token for each: {9999999999} takes all memory.
        key = str(key).upper()  # as spaCy reads it
        if key == "OP" and any(len(n) > 4 for n in re.findall(r"\d+", str(value))):
            raise place.refuse("OP", value, "at most 9999 tokens")
        if not place.validate or key != "POS":
            continue
        sets = [value.get(name) for name in SETS] if isinstance(value, Mapping) else [[value]]
        for tag in (tag for tags in sets if isinstance(tags, list) for tag in tags):
            if isinstance(tag, str) and tag not in POS:
                raise place.refuse(key, tag, f"one of {', '.join(POS)}")


def flag(place: Place, name: str, value: Any) -> bool:
    """RETURNS (bool): The value of an attribute that is true or false."""
    if not isinstance(value, bool):
        raise place.refuse(name, value, "True or False")
    return value


def number(place: Place, name: str, value: Any) -> Check:
    """RETURNS (Callable): Tells whether a number fits; None never does."""
    wanted = 'a number, or a comparison such as {">=": 3}'
    if not isinstance(value, Mapping):
        value = {"==": value}
    place.check_keys(f"the value of {name}", value, (*COMPARISONS, *SETS))
    checks: list[Check] = []
    for key, right in value.items():
        numbers = right if key in SETS and isinstance(right, list | tuple) else [right]
        if not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
            raise place.refuse(name, right, wanted)
        checks.append(_compare(key, right, numbers))
    return lambda found: found is not None and all(check(found) for check in checks)


def _compare(key: str, right: Any, numbers: Any) -> Check:
    if key in SETS:
        return lambda found: (found in numbers) == (key == "IN")
    compare = COMPARISONS[key]
    return lambda found: compare(found, right)


def text(place: Place, name: str, value: Any, known: Iterable[str] = ()) -> Check:
    """RETURNS (Callable): Tells whether a text fits; None never does."""
    checks: list[Check] = []
    for key, wanted in _predicates(place, name, value):
        if key == "REGEX":
            checks.append(_regex(place, name, wanted))
            continue
        for one in wanted if place.validate and known else ():
            if one not in known:
                raise place.refuse(name, one, f"one of {', '.join(known)}")
        checks.append(_among(frozenset(wanted), key == "IN"))
    return lambda found: found is not None and all(check(found) for check in checks)


def _among(wanted: frozenset[str], same: bool) -> Check:
    return lambda found: (found in wanted) == same


def _regex(place: Place, name: str, pattern: str) -> Check:
    try:
        search = re.compile(pattern).search
    except (re.error, OverflowError, RecursionError) as err:
        raise place.refuse(name, pattern[:40], f"a regular expression ({err})") from None
    return lambda found: search(found) is not None


def labels(place: Place, name: str, value: Any) -> tuple[Check, frozenset[str] | None]:
    """Read the categories that an attribute asks for.

    RETURNS (Tuple[Callable, Optional[FrozenSet[str]]]): What tells whether some categories fit; and categories of which those
        that fit have at least one, if there are such.
    """
    checks: list[Check] = []
    some: frozenset[str] | None = None
    for key, wanted in _predicates(place, name, value):
        if key == "REGEX":
            matches = _regex(place, name, wanted)
            checks.append(lambda found, matches=matches: any(map(matches, found)))  # type: ignore[misc]
            continue
        for label in wanted:
            place.check_label(label)
        options = [frozenset(split_label(label)) for label in wanted]
        if key == "IN":
            some = frozenset(min(option) for option in options)
        checks.append(_has_label(options, key == "IN"))
    return (checks[0] if len(checks) == 1 else lambda found: all(c(found) for c in checks)), some


def _has_label(options: list[frozenset[str]], same: bool) -> Check:
    if same and len(options) == 1 and len(options[0]) == 1:
        (category,) = options[0]
        return lambda found: category in found
    return lambda found: any(option.issubset(found) for option in options) == same


def _predicates(place: Place, name: str, value: Any) -> list[tuple[str, Any]]:
    """RETURNS (List[Tuple[str, Any]]): The predicates of a value of texts; a plain value is one of a list."""
    wanted = 'a text, or a predicate such as {"IN": [...]}'
    if isinstance(value, str) and value:
        return [("IN", [value])]
    if not isinstance(value, Mapping) or not value:
        raise place.refuse(name, value, wanted)
    place.check_keys(f"the value of {name}", value, (*SETS, "REGEX"))
    for key, right in value.items():
        good = isinstance(right, str) if key == "REGEX" else isinstance(right, list | tuple)
        if not good or not all(isinstance(one, str) and one for one in right):
            raise place.refuse(name, right, "a text" if key == "REGEX" else "a list of texts")
    return list(value.items())
