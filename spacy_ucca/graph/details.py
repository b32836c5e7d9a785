"""What graphs carry beside units and edges: their guidelines, and what formats keep."""

from collections.abc import Mapping
from typing import Any

from .data import GraphData

NUMBERED = "xml"  # the details that belong to units, edges and tokens, by their numbers
GUIDELINES = "guidelines"
TEXT = "text"  # the text that the words are from, with its white space


def with_guidelines(details: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Name the guidelines in the details of a graph.

    details (Mapping[str, Any]): The details.
    name (str): The name of the guidelines; "" if they are not known.
    RETURNS (Dict[str, Any]): New details; without guidelines if these are not known.
    """
    others = {key: value for key, value in details.items() if key != GUIDELINES}
    return {**others, GUIDELINES: name} if name else others


def read_guidelines(details: Mapping[str, Any]) -> str:
    """RETURNS (str): The name of the guidelines in the details of a graph; "" if they name none."""
    return str(details.get(GUIDELINES, ""))


def plain_details(graph: GraphData) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The details of a graph that do not speak of numbers of its units, edges and
    tokens, such as its id: they stay true when these get other numbers."""
    return {key: value for key, value in graph.details.items() if key != NUMBERED}


def with_text(details: Mapping[str, Any], text: str | None) -> dict[str, Any]:
    """Put the text that the words are from in the details of a graph.

    details (Mapping[str, Any]): The details.
    text (Optional[str]): The text; None if it is not known.
    RETURNS (Dict[str, Any]): New details; without a text if it is not known.
    """
    others = {key: value for key, value in details.items() if key != TEXT}
    return others if text is None else {**others, TEXT: text}
