"""What a server of texts accepts, and how it refuses."""

import os
from dataclasses import dataclass, field, fields

from ..errors import Errors, UccaError

RETRY_AFTER = 5  # seconds
MAX_PARSES = 4


def default_parses() -> int:
    """RETURNS (int): A parse for each core, but no more than threads gain from: they take turns at Python code. Two on one
    core, too, so that a short text does not wait for a long one."""
    try:
        cores = len(os.sched_getaffinity(0))  # type: ignore[attr-defined,unused-ignore]
    except AttributeError:  # macOS, Windows
        cores = os.cpu_count() or 1
    return max(2, min(MAX_PARSES, cores))


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    characters (int): Of a text, or of the texts of a request together.
    texts (int): Of a request.
    sentence_tokens (int): Tokens of a sentence.
    seconds (float): From a whole request to its answer; also for a request to arrive.
    parses (int): Requests answered at the same time.
    requests (int): Requests accepted at the same time, with those that wait.
    all_characters (int): Of their texts together. Those of a request by itself may have more.
    query_characters (int): Of a query.
    RAISES (UccaError): If one is not above 0.
    """

    characters: int = 20_000
    texts: int = 100
    sentence_tokens: int = 1_000
    seconds: float = 30.0
    parses: int = field(default_factory=default_parses)
    requests: int = 100
    all_characters: int = 200_000
    query_characters: int = 1_000

    def __post_init__(self) -> None:
        for name in (part.name for part in fields(self)):
            value = getattr(self, name)
            kinds = (int, float) if name == "seconds" else (int,)
            if isinstance(value, bool) or not isinstance(value, kinds) or not value > 0:
                kind = "number" if name == "seconds" else "whole number"
                raise UccaError(Errors.UC637.format(name=name, value=value, kind=kind))

    @property
    def body(self) -> int:
        """RETURNS (int): Bytes of a request. JSON may write a character as \\ud83d\\ude00."""
        return 12 * (self.characters + self.query_characters) + 1000


class Refusal(Exception):
    """A request that gets an error instead of a graph.

    status (int): The HTTP status.
    message (str): For the user.
    headers: Headers of the answer.
    """

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        # It may quote half a character
        self.message = message.encode("utf8", "replace").decode("utf8")
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    @classmethod
    def busy(cls) -> "Refusal":
        """RETURNS (Refusal): The refusal of a text for which there is no room now."""
        return cls(503, Errors.UC625, Retry_After=str(RETRY_AFTER))
