"""Around the application: who is answered, bodies that nobody has read, headers of all answers."""

import asyncio
import math
import re
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import Errors
from .addresses import Address, parse_host, parse_origin
from .limits import Refusal

# What is read of a body after its refusal, before the connection is closed instead.
MAX_UNREAD, UNREAD_SECONDS = 1 << 20, 5.0
DIGITS = re.compile(r"[0-9]{1,18}")
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def refuse(refusal: Refusal) -> JSONResponse:
    """RETURNS (JSONResponse): The answer to a request that is refused."""
    return JSONResponse({"error": refusal.message}, refusal.status, refusal.headers)


def body_length(headers: Headers) -> float | None:
    """RETURNS (Optional[float]): The length of a body in bytes; infinite, if it comes in chunks; None, if the headers are not
    clear. Servers behind one another may disagree on where such a body ends (RFC 9112, 6.1)."""
    lengths, chunked = headers.getlist("content-length"), "transfer-encoding" in headers
    if chunked or not lengths:
        return None if lengths else math.inf if chunked else 0
    length = lengths[0]
    return int(length) if len(lengths) == 1 and DIGITS.fullmatch(length) else None


class Guard:
    """ASGI middleware that refuses requests of other sites, and leaves no body unread on a connection that stays open.

    app (ASGIApp): The application.
    local_only (bool): Whether to refuse requests to hosts other than this machine. A site elsewhere could let its own name
        point to this machine; then the browser takes both for one site.
    origins (Iterable[Address]): The sites that may send requests, beside the application's own.
    """

    def __init__(self, app: ASGIApp, *, local_only: bool, origins: Iterable[Address]) -> None:
        self.app = app
        self.local_only = local_only
        self.origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = _Body(scope, receive)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if "Connection" not in headers and not await body.finish():
                    headers["Connection"] = "close"
                if scope["http_version"] not in ("1.0", "1.1"):
                    del headers["Connection"]  # there is none in HTTP/2
            await send(message)

        try:
            self.check(scope)
        except Refusal as refusal:
            await refuse(refusal)(scope, body.receive, answer)
        else:
            await self.app(scope, body.receive, answer)

    def check(self, scope: Scope) -> None:
        """Check where a request comes from.

        scope (Scope): The request.
        RAISES (Refusal): If it is not to be answered.
        """
        headers = Headers(scope=scope)
        if body_length(headers) is None:
            raise Refusal(400, Errors.UC641, Connection="close")
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        host = parse_host(hosts[0], scope["scheme"]) if len(hosts) == 1 else None
        if self.local_only and (host is None or not host.is_local):
            raise Refusal(403, Errors.UC628.format(what=", ".join(hosts)[:100] or None))
        if origins:
            origin = parse_origin(origins[0]) if len(origins) == 1 else None
            if origin is None or (origin != host and origin not in self.origins):
                raise Refusal(403, Errors.UC628.format(what=", ".join(origins)[:100]))


class _Body:
    """The body of a request, of which is known whether all of it has been read."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = Headers(scope=scope)
        self._receive = receive
        length = body_length(headers)
        self._whole = length == 0
        self._may_be_short = length is not None and (length <= MAX_UNREAD or length == math.inf)
        self._waits = "expect" in headers  # to be asked for the body

    async def receive(self) -> Message:
        """RETURNS (Message): The next event of the request."""
        message = await self._receive()
        self._waits = False
        self._whole = message["type"] == "http.disconnect" or not message.get("more_body", False)
        return message

    async def finish(self) -> bool:
        """Read what is left of the body, if that is not much.

        RETURNS (bool): Whether all of it has been read.
        """
        if not self._whole and not self._waits and self._may_be_short:
            try:
                await asyncio.wait_for(self._skip(), UNREAD_SECONDS)
            except asyncio.TimeoutError:
                pass
        return self._whole

    async def _skip(self) -> None:
        n = 0
        while not self._whole and n <= MAX_UNREAD:
            n += len((await self.receive()).get("body", b""))
