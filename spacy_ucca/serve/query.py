"""Queries: patterns over the graph of a text, and the units that match them."""

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors, UccaError
from ..graph.unit import Unit
from ..matcher import UccaMatcher
from ..matcher.matcher import MissingAttributes, TooManySteps
from .limits import Limits, Refusal

Match = dict[str, Unit]

MAX_MATCHES = 1_000  # in an answer
MAX_STEPS = 500_000  # of a search, which may grow with the power of the nodes


def read_query(query: Any, vocab: Vocab, limits: Limits) -> UccaMatcher | None:
    """Read the query of a request.

    query (Any): The text form of a pattern; None or white space for none.
    vocab (Vocab): The vocabulary of the pipeline.
    limits (Limits): The limits.
    RETURNS (Optional[UccaMatcher]): A matcher of the pattern.
    RAISES (Refusal): If it is no pattern.
    """
    if query is None or query == "":
        return None
    if not isinstance(query, str) or len(query) > limits.query_characters:
        raise Refusal(400, Errors.UC697.format(limit=limits.query_characters))
    if not query.strip():
        return None
    matcher = UccaMatcher(vocab)
    try:
        matcher.add("query", [query])
    except UccaError as err:
        raise Refusal(400, str(err)) from None
    except RecursionError:
        raise Refusal(400, Errors.UC734) from None
    return matcher


def find_matches(
    doc: Doc, matcher: UccaMatcher, check: Callable[[], None] = lambda: None
) -> list[Match]:
    """Find the matches of a query.

    doc (Doc): The Doc, with its graph.
    matcher (UccaMatcher): The query.
    check (Callable): Called again and again; what it raises ends the search.
    RETURNS (List[Dict[str, Unit]]): The first matches in text order: the units by their names.
    RAISES (Refusal): If the search takes too long, or needs what the pipeline does not set.
    """
    try:
        found = matcher(doc, check=lambda _: check(), max_steps=MAX_STEPS)
    except TooManySteps:
        raise Refusal(400, Errors.UC698) from None
    except MissingAttributes as err:
        message = Errors.UC699.format(names=err.names, components=err.components)
        raise Refusal(400, message) from None
    except RecursionError:
        raise Refusal(400, Errors.UC734) from None
    return [units for _, units in found[:MAX_MATCHES]]
