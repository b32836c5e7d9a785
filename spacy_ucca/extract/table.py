"""Predications as tables: dicts, JSON, pandas, HTML."""

from html import escape
from importlib import import_module
from typing import Any, Protocol, SupportsIndex, TypeVar, overload

import srsly

from ..errors import Errors, UccaError
from ..graph.categories import no_attribute


class Row(Protocol):
    """What a table needs of a predication."""

    @property
    def doc(self) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...


R = TypeVar("R", bound=Row)

COLUMNS = """scene relation lemma subject object others times places adverbials negated polarity modality secondary links conditions
shared host kind is_clause start end score""".split()
SHOWN = ("subject", "relation", "object", "others", "times", "places", "negated")


class Predications(list[R]):
    """A list of `Predication` that can be written as plain data."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name)

    @overload
    def __getitem__(self, i: SupportsIndex) -> R: ...
    @overload
    def __getitem__(self, i: slice) -> "Predications[R]": ...
    def __getitem__(self, i: SupportsIndex | slice) -> "R | Predications[R]":
        """RETURNS (Union[Predication, Predications]): A predication; Predications of a slice."""
        return (
            Predications(super().__getitem__(i)) if isinstance(i, slice) else super().__getitem__(i)
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """RETURNS (List[Dict[str, Any]]): `Predication.to_dict()` of each, with `doc`: the number of its Doc, in the order given."""
        numbers: dict[int, int] = {}
        return [{"doc": numbers.setdefault(id(p.doc), len(numbers)), **p.to_dict()} for p in self]

    def to_json(self) -> str:
        """RETURNS (str): The dicts as a list in JSON."""
        return srsly.json_dumps(self.to_dicts())

    def to_pandas(self) -> Any:
        """RETURNS (pandas.DataFrame): A row for each, a column for each key of the dicts.
        RAISES (UccaError): If pandas is not installed."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise UccaError(Errors.UC690) from None
        frame = pandas.DataFrame(self.to_dicts(), columns=["doc", *COLUMNS])
        return frame.astype(dict.fromkeys(("host", "start", "end"), "Int64"))

    def _repr_html_(self) -> str:
        """RETURNS (str): A table, for notebooks."""
        rows = ["<tr>" + "".join(f"<th>{name}</th>" for name in SHOWN) + "</tr>"]
        for row in self.to_dicts():
            cells = (_cell(row[name]) for name in SHOWN)
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
        return f'<table class="ucca-predications">{"".join(rows)}</table>'


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "not" if value else ""
    return "; ".join(value) if isinstance(value, list) else value or ""
