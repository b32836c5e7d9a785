"""`spacy-ucca serve`: a local web page on which texts are parsed and their graphs drawn."""

import os
import sys
import threading
import webbrowser
from contextlib import suppress

import typer

from ..errors import Errors, UccaError
from ._util import GUIDELINES_HELP, app, user_errors, warn

PORT = 5050


@app.command("serve")
def serve_cli(
    model: str = typer.Argument(..., help="Pipeline: its name or directory"),
    port: int = typer.Option(PORT, "--port", "-p", min=0, max=65535, help="Port; 0: any free one"),
    host: str = typer.Option("127.0.0.1", "--host", help="Address to listen on"),
    open_: bool = typer.Option(True, "--open/--no-open", help="Open the page in a browser"),
    guidelines: str = typer.Option(None, "--guidelines", help=GUIDELINES_HELP),
    gpu_id: int = typer.Option(-1, "--gpu-id", "-g", help="GPU id; -1: CPU"),
):
    """Serve a web page on which texts are parsed and their graphs drawn. It needs no network.

    Only this machine can reach the page, unless --host names another address. Ctrl+C stops the server.
    """
    from ..serve.server import UccaServer
    from ..training.pipelines import UCCA, names_assigning
    from ._pipelines import load_pipeline, set_guidelines

    with user_errors():
        nlp = load_pipeline(model, gpu_id)
        if not names_assigning(nlp, UCCA):
            raise UccaError(Errors.UC630.format(model=model))
        set_guidelines(nlp, guidelines)
        server = UccaServer(nlp, host, port)
    typer.echo(f"Serving {model} at {server.url} (Ctrl+C ends it)")
    if open_ and can_open():
        threading.Thread(target=open_page, args=(server.url,), daemon=True).start()
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        warn("\nStopped.")
    finally:
        server.server_close()


def can_open() -> bool:
    """RETURNS (bool): Whether there is a screen. Without one, a browser for terminals might open."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_page(url: str) -> None:
    """Open the page in a browser. Errors are ignored, since the address has been printed."""
    with suppress(Exception):
        webbrowser.open(url)
