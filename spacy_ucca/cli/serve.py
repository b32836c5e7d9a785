"""`spacy-ucca serve`: a local web page on which texts are parsed and their graphs drawn."""

import os
import sys
import threading
import webbrowser
from contextlib import suppress

import typer

from ..errors import Errors, UccaError
from ._command import Gpu, Guidelines, Lang, ModelArgument, app
from ._util import warn

PORT = 5050
INSTALL = "pip install 'spacy-ucca[serve]'"


@app.command("serve")
def serve(
    model: ModelArgument,
    port: int = typer.Option(PORT, "--port", "-p", min=0, max=65535, help="Port; 0: any free one"),
    host: str = typer.Option("127.0.0.1", help="Address to listen on"),
    open_: bool = typer.Option(True, "--open/--no-open", help="Open the page in a browser"),
    lang: Lang = None,
    guidelines: Guidelines = None,
    gpu_id: Gpu = -1,
) -> None:
    """Serve a web page on which texts are parsed and their graphs drawn, and an interface for programs. It needs no network.

    Only this machine can reach the page, unless --host names another address. Ctrl+C stops the server.
    """
    try:
        from ..serve.app import build_app
        from ..serve.guard import is_local
        from ..serve.run import Server, listen, url_of
    except ImportError as err:
        package = (err.name or "starlette").partition(".")[0]
        raise UccaError(Errors.UC570.format(package=package, install=INSTALL)) from None
    from ._pipelines import load_pipeline, set_guidelines

    nlp = load_pipeline(model, gpu_id, lang=lang, texts=True)
    with listen(host, port) as listener:
        local_only = is_local(listener.getsockname()[0])
        server = Server(build_app(nlp, local_only=local_only))
        set_guidelines(nlp, guidelines)
        url = url_of(listener)
        typer.echo(f"Serving {model} at {url} (Ctrl+C ends it)")
        if open_ and can_open():
            threading.Thread(target=open_page, args=(url,), daemon=True).start()
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            warn("\nStopped.")


def can_open() -> bool:
    """RETURNS (bool): Whether there is a screen. Without one, a browser for terminals might open."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_page(url: str) -> None:
    """Open the page in a browser. Errors are ignored, since the address has been printed."""
    with suppress(Exception):
        webbrowser.open(url)
