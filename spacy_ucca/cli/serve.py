"""`spacy-ucca serve`: a local web page on which texts are parsed and their graphs drawn."""

import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import typer

from ..errors import Errors, UccaError
from ._command import Gpu, Guidelines, Lang, ModelArgument, app
from ._util import warn

PORT = 5050
INSTALL = "pip install 'spacy-ucca[serve]'"


def at_most(what: str) -> Any:
    """RETURNS (OptionInfo): An option for one of the limits."""
    return typer.Option(None, min=1, help=f"Limit: {what}")


@app.command("serve")
def serve(
    model: ModelArgument,
    port: int = typer.Option(PORT, "--port", "-p", min=0, max=65535, help="Port; 0: any free one"),
    host: str = typer.Option("127.0.0.1", help="Address to listen on"),
    open_: bool = typer.Option(True, "--open/--no-open", help="Open the page in a browser"),
    lang: Lang = None,
    guidelines: Guidelines = None,
    gpu_id: Gpu = -1,
    max_characters: int | None = at_most("characters of a text, or of the texts of a request"),
    max_texts: int | None = at_most("texts of a request"),
    max_seconds: int | None = at_most("seconds of a request"),
    max_requests: int | None = at_most("requests at the same time, with those that wait"),
    parses: int | None = at_most("requests parsed at the same time, by each process"),
    processes: int = typer.Option(1, min=1, help="Each loads the pipeline and has these limits"),
) -> None:
    """Serve a web page on which texts are parsed and their graphs drawn, and an interface for programs. It needs no network.

    Only this machine can reach the page, unless --host names another address. Ctrl+C stops the server, as the signal SIGTERM does.
    """
    try:
        from ..serve.limits import Limits
        from ..serve.run import listen, url_of
    except ImportError as err:
        package = (err.name or "starlette").partition(".")[0]
        raise UccaError(Errors.UC570.format(package=package, install=INSTALL)) from None
    from ..distributed.workers import run_jobs
    from ._pipelines import load_pipeline

    if processes > 1 and os.name == "nt":
        raise UccaError(Errors.UC763)
    given = {"characters": max_characters, "texts": max_texts, "seconds": max_seconds}
    given |= {"requests": max_requests, "parses": parses}
    limits = Limits(**{name: value for name, value in given.items() if value is not None})
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with listen(host, port) as listener:
        url = url_of(listener)

        def announce() -> None:
            typer.echo(f"Serving {model} at {url} (Ctrl+C ends it)")
            if open_ and can_open():
                threading.Thread(target=open_page, args=(url,), daemon=True).start()

        options: dict[str, Any] = {"lang": lang, "guidelines": guidelines, "texts": True}
        load = partial(load_pipeline, model, gpu_id, **options)
        start = partial(load_server, load, limits, listener)
        try:
            list(run_jobs(start, [[url]] * processes, processes, lost=None, ready=announce))
        except KeyboardInterrupt:
            warn("\nStopped.")


def load_server(
    load: Callable[[], Any], limits: Any, listener: socket.socket
) -> Callable[[object], None]:
    """Load a pipeline to serve, in the process that does.

    load (Callable[[], Language]): Loads it.
    limits (Limits): The limits.
    listener (socket): Where clients connect.
    RETURNS (Callable[[object], None]): Serves it until Ctrl+C or SIGTERM, and then ends the process.
    """
    from ..serve.app import build_app
    from ..serve.guard import is_local
    from ..serve.run import Server

    nlp, local_only = load(), is_local(listener.getsockname()[0])
    server = Server(build_app(nlp, limits=limits, local_only=local_only))

    def serve(_: object) -> None:
        server.run(sockets=[listener])
        raise SystemExit

    return serve


def can_open() -> bool:
    """RETURNS (bool): Whether there is a screen. Without one, a browser for terminals might open."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_page(url: str) -> None:
    """Open the page in a browser. Errors are ignored, since the address has been printed."""
    with suppress(Exception):
        webbrowser.open(url)
