"""Around the application: which hosts are answered, and the headers of all answers."""

import re
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import Errors
from .limits import Refusal

LOCAL_NAMES = ("localhost", "localhost.localdomain")
# RFC 9110, 7.2: uri-host [":" port]; the names of this machine need no more
HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+?)\.?)(?::[0-9]*)?")
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def refuse(refusal: Refusal) -> JSONResponse:
    """RETURNS (JSONResponse): The answer to a request that is refused."""
    return JSONResponse({"error": refusal.message}, refusal.status, refusal.headers)


def is_local(host: str) -> bool:
    """RETURNS (bool): Whether a name or an IP address is that of this machine, whatever a name server says."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host in LOCAL_NAMES
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


class Guard:
    """ASGI middleware that sets the headers of all answers, and may answer to the names of this machine alone: a site elsewhere
    could let its own name point to this machine, and then the browser takes both for one site.

    app (ASGIApp): The application.
    local_only (bool): Whether to refuse requests to other hosts than this machine.
    """

    def __init__(self, app: ASGIApp, *, local_only: bool) -> None:
        self.app = app
        self.local_only = local_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if "expect" in asked:  # a client that was refused may send the body, or may not
                    headers.setdefault("Connection", "close")
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        app, asked = self.app, Headers(scope=scope)
        if self.local_only:
            text = asked.get("host", "")
            match = HOST.fullmatch(text.lower())
            if not match or not is_local(match[1] or match[2]):
                app = refuse(Refusal(403, Errors.UC628.format(host=text[:100])))
        await app(scope, receive, answer)
