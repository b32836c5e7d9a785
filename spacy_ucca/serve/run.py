"""Run the application with uvicorn on an address of this machine."""

import asyncio
import errno
import os
import socket

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import Errors, UccaError

BACKLOG = 2048  # connections that the system accepts before the server does
HEAD_SECONDS = 30.0  # for a request to begin and to name what it wants
STOP_SECONDS = 5  # for answers under way when the server stops


def listen(host: str, port: int) -> socket.socket:
    """Listen on an address. Connections wait for the server from now on.

    host (str): The address.
    port (int): The port; 0 takes any free one.
    RETURNS (socket): The socket.
    RAISES (UccaError): If the port is in use, or the address is none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends at once where it knows that it is TCP; else an answer waits 40 ms for the client's acknowledgement
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name != "nt":  # on Windows it would share the port with another server
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError, UnicodeError) as err:
        listener.close()
        if getattr(err, "errno", None) == errno.EADDRINUSE:
            message = Errors.UC620.format(port=port, host=host, other=port + 1)
        else:
            reason = getattr(err, "strerror", None) or err
            message = Errors.UC621.format(host=host, port=port, reason=reason)
        raise UccaError(message) from None
    return listener


def url_of(listener: socket.socket) -> str:
    """RETURNS (str): The address to open in a browser of this machine."""
    host, port = listener.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


class Server(uvicorn.Server):
    """A server of the application. `run(sockets=[listen(...)])` answers requests until Ctrl+C.

    app (Starlette): The application.
    head_seconds (float): How long a connection may stay open without a whole head of a request.
    """

    def __init__(self, app: Starlette, *, head_seconds: float = HEAD_SECONDS) -> None:
        self._pool = app.state.pool
        protocol = type("Connection", (_Connection,), {"head_seconds": head_seconds})
        super().__init__(
            uvicorn.Config(
                app,
                # the same on all machines, whatever else is installed
                http=protocol,
                loop="asyncio",
                ws="none",
                lifespan="on",
                backlog=BACKLOG,
                timeout_graceful_shutdown=STOP_SECONDS,
                # texts are private, and no proxy is trusted
                log_config=None,
                log_level="error",
                access_log=False,
                proxy_headers=False,
                server_header=False,
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the parses, then the server."""
        self._pool.stop()
        await super().shutdown(sockets)


class _Connection(H11Protocol):
    """A connection that is closed if no request comes. uvicorn itself waits for the first one, and for one that has begun, as
    long as the client likes."""

    head_seconds: float
    _timer: asyncio.TimerHandle | None = None
    _unsent = 0  # bytes of answers, when the timer was set

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._clear_timer()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._clear_timer()

    def _watch(self) -> None:
        """Set the timer, unless it runs or a request is being answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._clear_timer()
        elif self._timer is None:
            self._unsent = self.transport.get_write_buffer_size()
            self._timer = self.loop.call_later(self.head_seconds, self._expire)

    def _clear_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        self._timer = None
        if self.transport.get_write_buffer_size() < self._unsent:
            self._watch()  # the answer is long, and the client reads it
        else:
            self.transport.abort()
