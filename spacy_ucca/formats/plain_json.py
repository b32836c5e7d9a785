"""JSON of formats, read with checks: what is missing or of another type is named with its place."""

import json
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from ..errors import Errors, FormatError

MAX_FLOAT = sys.float_info.max
NAMES: dict[type, str] = {
    **{str: "text", int: "a whole number", bool: "true or false", float: "a number"},
    **{list: "a list", dict: "an object", type(None): "null"},
}


def parse_json(text: str, source: str, line: int = 1) -> Any:
    """Read JSON.

    text (str): The JSON.
    source (str): What messages call it.
    line (int): The number of its first line.
    RETURNS (Any): The value.
    RAISES (FormatError): If it is empty or broken; the message says where.
    """
    if not text.strip():
        raise FormatError(Errors.UC115.format(where=source))
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except json.JSONDecodeError as err:
        where = f"{source}, line {line + err.lineno - 1}, column {err.colno}"
        raise FormatError(Errors.UC702.format(where=where, reason=err.msg)) from None
    except (RecursionError, ValueError) as err:  # nested too deeply; a number of too many digits
        where = f"{source}, line {line}" if line > 1 else source
        raise FormatError(Errors.UC702.format(where=where, reason=err)) from None


def iter_objects(text: str, source: str, first_line: int = 1) -> "Iterator[Checked]":
    """Read lines of JSON.

    text (str): The lines; blank ones are passed over.
    source (str): What messages call the text.
    first_line (int): The number of its first line.
    YIELDS (Checked): The object of each line.
    RAISES (FormatError): If there is none, or a line is no object.
    """
    if not text.strip():
        raise FormatError(Errors.UC115.format(where=source))
    for number, line in enumerate(text.split("\n"), start=first_line):
        if line.strip():
            yield Checked(parse_json(line, source, number), f"{source}, line {number}")


def is_finite(value: float) -> bool:
    """RETURNS (bool): Whether a number is one that a float can hold."""
    return -MAX_FLOAT <= value <= MAX_FLOAT


def _finite(text: str) -> float:
    if not is_finite(value := float(text)):
        raise ValueError(f"{text} is no number")
    return value


class Checked:
    """An object of JSON that knows its place in the file.

    data (Any): The object.
    where (str): Its place, for messages, such as "x.json, annotation_units[3]".
    RAISES (FormatError): If it is no object.
    """

    __slots__ = ("data", "where")

    def __init__(self, data: Any, where: str) -> None:
        self.where = where
        if not isinstance(data, dict):
            self.fail(Errors.UC703, found=_name(data), expected=NAMES[dict])
        self.data: dict[str, Any] = data

    def fail(self, message: str, **values: object) -> NoReturn:
        """RAISES (FormatError): With the place."""
        raise FormatError(message.format(where=self.where, **values))

    def get(self, key: str, *types: type) -> Any:
        """RETURNS (Any): A value that has to be there, of one of the types.
        RAISES (FormatError): If it is not there or of another type."""
        if key not in self.data:
            self.fail(Errors.UC704, key=key)
        value = self.data[key]
        # In JSON true is no number, though bool is a kind of int here.
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            expected = " or ".join(NAMES[t] for t in types)
            raise FormatError(
                Errors.UC703.format(
                    where=f"{self.where}, {key}", found=_name(value), expected=expected
                )
            )
        if float in types and isinstance(value, int | float) and not is_finite(value):
            self.fail(Errors.UC721, key=key, value=str(value)[:20])
        return value

    def maybe(self, key: str, *types: type) -> Any:
        """RETURNS (Optional[Any]): A value that may be missing or null.
        RAISES (FormatError): If it is of another type."""
        return None if self.data.get(key) is None else self.get(key, *types)

    def object(self, key: str) -> "Checked | None":
        """RETURNS (Optional[Checked]): An object that may be missing or null.
        RAISES (FormatError): If it is something else."""
        value = self.maybe(key, dict)
        return None if value is None else Checked(value, f"{self.where}, {key}")

    def objects(self, key: str, *, needed: bool = True) -> "list[Checked]":
        """RETURNS (List[Checked]): The objects of a list.
        RAISES (FormatError): If it is no list of objects, or missing though needed."""
        values = self.get(key, list) if needed else self.maybe(key, list)
        return [Checked(v, f"{self.where}, {key}[{i}]") for i, v in enumerate(values or ())]


def _name(value: Any) -> str:
    return NAMES.get(type(value), type(value).__name__)
