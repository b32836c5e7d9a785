"""The text form of patterns: "H[P=p:lemma(buy) A=who A=what]"."""

import re
from collections import Counter
from typing import Any, NoReturn

from ..errors import Errors, UccaError
from ..extract.kinds import KINDS
from ..graph.categories import SEPARATOR, hint_at, hint_of, split_label
from .attributes import FLAGS, SCENE_KINDS
from .pattern import MAX_NODES
from .relations import CHILD, PARENT, RELATIONS
from .values import CATEGORIES, POS

ROOT_NAME = "unit"
ANY, EITHER = "*", "/"
_OPS = sorted(RELATIONS, key=len, reverse=True)
# What a test asks: of the head terminal, of the unit as yes or no.
TOKEN_TESTS = {
    "lemma": "LEMMA",
    "text": "TEXT",
    "lower": "LOWER",
    "pos": "POS",
    "tag": "TAG",
    "dep": "DEP",
    "ent": "ENT_TYPE",
}
FLAG_TESTS = {name.removeprefix("IS_").lower(): name for name in (*FLAGS, *KINDS)}
TESTS = [*TOKEN_TESTS, "has", "kind", *FLAG_TESTS]
_SPACE = re.compile(r"\s*")
_LABEL = re.compile(r"\*|[^\W\d_]+(?:[|/][^\W\d_]+)*")
_NAME = re.compile(r"[^\W\d]\w*")
_VALUE = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^"()|]*[^"()|\s]))\s*')


def parse_pattern(text: str, *, validate: bool = True) -> list[dict[str, Any]]:
    """Read the text form of a pattern.

    A node is a category, `S|A` for both, `P/S` for either or `*` for any; then `*` for a remote edge, `=name`, and `:tests`. Its
    children stand in brackets, in any order; those that are written alike, but for the name, are in text order. `>>` before a
    node asks for a descendant, `!` for that there is none; each other operator of `UccaMatcher` may stand there too, where `E*` after
    `<` is a remote parent. A name that was given before asks for one more relation to that unit, as in `*[C=x E[A*=x]]`. The unit of
    the first node is called "unit", unless it has a name.

    text (str): Such as "H[P=p:lemma(buy) A=who A=what]".
    validate (bool): Refuse categories that UCCA does not have.
    RETURNS (List[Dict]): The pattern, as `UccaMatcher.add` takes it.
    RAISES (UccaError): If it is none. The message shows the place.
    """
    if not isinstance(text, str):
        raise UccaError(Errors.UC643.format(where="The pattern", what=type(text).__name__))
    return _Reader(text, validate).read()


class _Reader:
    """Reads a pattern from left to right.

    text (str): The pattern.
    validate (bool): Refuse categories that UCCA does not have.
    """

    def __init__(self, text: str, validate: bool) -> None:
        self.text = text
        self.validate = validate
        self.at = 0
        self.nodes: list[dict[str, Any]] = []
        self.names: set[str] = set()
        times = Counter(re.findall(r"=(\w+)", text))
        self.shared = {name for name, n in times.items() if n > 1}

    def read(self) -> list[dict[str, Any]]:
        """RETURNS (List[Dict]): The pattern."""
        self._skip()
        if self.at == len(self.text):
            self._fail("the pattern is empty: write a category, such as H")
        self._node(None)
        self._skip()
        if self.text.startswith("]", self.at):
            self._fail("this bracket closes none")
        if self.at < len(self.text):
            self._fail("the pattern ends before this: children stand in brackets, as in H[P A]")
        return self.nodes

    def _node(self, parent: str | int | None) -> tuple[int, Any]:
        """Read a node with its children. RETURNS (Tuple[int, Any]): Its number, and what is written of it, without names."""
        start, absent, op = self.at, False, CHILD
        if parent is not None:
            absent = self._next("!") is not None
            self._skip()
            if mark := self._next(*_OPS):
                op = mark
                self._skip()
                absent = absent or self._next("!") is not None
                self._skip()
        if len(self.nodes) == MAX_NODES:
            self._fail(f"a pattern has at most {MAX_NODES} nodes")
        label = self._label()
        remote = self._next(ANY) is not None
        if remote and (parent is None or op not in (CHILD, PARENT)):
            self._fail_at(self.at - 1, "only a child or parent has a remote edge")
        name = self._name() if self._next("=") else None
        number = len(self.nodes)
        again = name in self.names
        node = self._add(parent, op, absent, name)
        attrs: dict[str, Any] = node["RIGHT_ATTRS"]
        edge: dict[str, Any] = {"REMOTE": True} if remote else {}
        if label != ANY:
            options = label.split(EITHER)
            value = options[0] if len(options) == 1 else {"IN": options}
            (edge if op == CHILD and parent is not None else attrs)["CATEGORY"] = value
        while self._next(":"):
            self._test(attrs)
        self._skip()
        if edge:
            node["EDGE_ATTRS"] = edge
        if again:
            if attrs or self.text.startswith("[", self.at):
                self._fail_at(
                    start, f"only where '{name}' is named first it has tests and children"
                )
            del node["RIGHT_ATTRS"]
        key: Any = name if name in self.shared else name is not None
        written: list[Any] = [op, absent, edge, dict(attrs), key]
        if self._next("["):
            written.append(self._children(node["RIGHT_ID"], start=self.at - 1))
        return number, written

    def _children(self, parent: str | int, start: int) -> list[Any]:
        """Read children up to the bracket. RETURNS (List[Any]): What is written of them, without names, in any order."""
        alike: list[tuple[int, Any]] = []
        self._skip()
        while not self._next("]"):
            if self.at == len(self.text):
                self._fail_at(start, "this bracket is not closed")
            number, written = self._node(parent)
            for other, others in reversed(alike):
                if others == written and self._has_name(number) and not written[1]:
                    self.nodes[number]["AFTER"] = self.nodes[other]["RIGHT_ID"]
                    break
            alike.append((number, written))
            self._skip()
        return sorted((written for _, written in alike), key=repr)

    def _has_name(self, number: int) -> bool:
        """RETURNS (bool): Whether a node, or one below it, has a name."""
        below = {self.nodes[number]["RIGHT_ID"]}
        for node in self.nodes[number + 1 :]:
            if node["LEFT_ID"] in below:
                below.add(node["RIGHT_ID"])
        return any(isinstance(name, str) for name in below)

    def _add(
        self, parent: str | int | None, op: str, absent: bool, name: str | None
    ) -> dict[str, Any]:
        if parent is None:
            name = name or ROOT_NAME
        if name is not None:
            self.names.add(name)
        right: str | int = len(self.nodes) if name is None else name
        node: dict[str, Any] = {"RIGHT_ID": right, "RIGHT_ATTRS": {}}
        if parent is not None:
            node = {"LEFT_ID": parent, "REL_OP": op, **node}
        if absent:
            node["OP"] = "!"
        self.nodes.append(node)
        return node

    def _label(self) -> str:
        found = _LABEL.match(self.text, self.at)
        if found is None:
            self._fail("a category is missing here; * is any")
        at = self.at
        for category in [c for one in found[0].split(EITHER) for c in split_label(one)]:
            if self.validate and category != ANY and category not in CATEGORIES:
                hint = hint_at(category) or f" Use: {', '.join(CATEGORIES)}."
                self._fail(f"UCCA has no category '{category}'.{hint}")
            self.at += len(category) + len(SEPARATOR)
        self.at = at + len(found[0])
        return found[0]

    def _name(self) -> str:
        found = _NAME.match(self.text, self.at)
        if found is None:
            self._fail("a name is missing here, as in A=who")
        self.at = found.end()
        return found[0]

    def _test(self, attrs: dict[str, Any]) -> None:
        start = self.at
        negative = self._next("!") is not None
        found = _NAME.match(self.text, self.at)
        name = found[0] if found else ""
        if name not in TESTS:
            self._fail(f"there is no test '{name}'.{hint_of(name, TESTS)} Use: {', '.join(TESTS)}")
        self.at += len(name)
        where: dict[str, Any] = attrs
        value: Any = not negative
        if name in FLAG_TESTS:
            key = FLAG_TESTS[name]
        elif name == "has":
            key, words = "TOKENS", self._values(name)
            if negative or len(words) > 1:
                self._fail_at(start, "`has` takes words that stand together, as in has(give up)")
            value = [{"LOWER": word} for word in words[0].lower().split()]
        else:
            values = self._values(name)
            key = TOKEN_TESTS.get(name, "KIND")
            value = values[0]
            if negative or len(values) > 1:
                value = {"NOT_IN" if negative else "IN": values}
            if name == "kind":
                self._check_kinds(values, start)
            else:
                wrong = [tag for tag in values if name == "pos" and tag not in POS]
                if wrong and self.validate:
                    hint, known = hint_of(wrong[0].upper(), POS), ", ".join(POS)
                    self._fail_at(
                        start, f"there is no part of speech '{wrong[0]}'.{hint} Use: {known}"
                    )
                where = attrs.setdefault("HEAD", {})
        if key in where:
            self._fail_at(start, f"`{name}` is asked twice; lemma(buy|sell) is either")
        where[key] = value

    def _check_kinds(self, kinds: list[str], start: int) -> None:
        wrong = [kind for kind in kinds if kind not in SCENE_KINDS]
        if wrong and self.validate:
            known = ", ".join(SCENE_KINDS)
            self._fail_at(start, f"there is no kind of Scene '{wrong[0]}'. Use: {known}")

    def _values(self, name: str) -> list[str]:
        if not self._next("("):
            self._fail(f"`{name}` needs a value, as in {name}(...)")
        values: list[str] = []
        while True:
            found = _VALUE.match(self.text, self.at)
            if found is None:
                self._fail('a value is missing here; quotes go around signs, as in text("(")')
            values.append(
                re.sub(r"\\(.)", r"\1", found[1]) if found[1] is not None else found[2].strip()
            )
            self.at = found.end()
            if self._next(")"):
                return values
            if not self._next(SEPARATOR):
                self._fail("this bracket is not closed with )")

    def _skip(self) -> None:
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]

    def _next(self, *marks: str) -> str | None:
        """RETURNS (Optional[str]): The mark that comes next, which is read; None if there is none of these."""
        for mark in marks:
            if self.text.startswith(mark, self.at):
                self.at += len(mark)
                return mark
        return None

    def _fail(self, reason: str) -> NoReturn:
        self._fail_at(self.at, reason)

    def _fail_at(self, at: int, reason: str) -> NoReturn:
        reason, caret = f"This is no pattern: {reason}", " " * at + "^"
        text = re.sub(r"\s", " ", self.text)
        raise UccaError(Errors.UC653.format(reason=reason, column=at + 1, text=text, caret=caret))
