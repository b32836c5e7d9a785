"""The ASGI application: a page on which a browser parses, and an interface for programs."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import spacy
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive

from .. import __version__
from ..errors import Errors, UccaError
from ..training.pipelines import UCCA, names_assigning
from .guard import Guard, refuse
from .limits import Limits, Refusal
from .page import describe_api, interface_page, model_name, parse_page
from .parse_pool import ParsePool
from .request import read_request

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["Limits", "build_app"]

CLIENT_LEFT = Response(status_code=499)  # nobody reads it
ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9_.-]*[a-z0-9_])(:[0-9]{1,5})?")


def build_app(
    nlp: "Language",
    *,
    limits: Limits | None = None,
    local_only: bool = False,
    origins: Iterable[str] = (),
) -> Starlette:
    """Build a web application that parses texts with a pipeline. It can be mounted in another application.

    nlp (Language): The pipeline.
    limits (Optional[Limits]): What the application accepts; if not given, the defaults of `Limits`.
    local_only (bool): Whether to refuse requests to hosts other than this machine, such as "example.org".
    origins (Iterable[str]): Sites whose pages may send requests in a browser, beside the application's own, such as
        "https://example.org".
    RETURNS (Starlette): The application.
    RAISES (UccaError): If no component of the pipeline sets UCCA graphs, or an origin is none.
    """
    if not names_assigning(nlp, UCCA):
        raise UccaError(Errors.UC630.format(model=model_name(nlp)))
    limits = limits or Limits()
    # A browser asks (CORS) before it sends JSON from the page of another site, and without an answer it does not.
    middleware = [Middleware(Guard, local_only=local_only)]
    if sites := [_origin(origin) for origin in origins]:
        methods = ["GET", "POST"]
        middleware.append(Middleware(CORSMiddleware, allow_origins=sites, allow_methods=methods))
    pool = ParsePool(nlp, limits)

    async def page(request: Request) -> Response:
        return _html(*parse_page(nlp, limits))

    async def parse(request: Request) -> Response:
        try:
            body = await _body(request, limits)
        except ClientDisconnect:
            return CLIENT_LEFT
        wanted = read_request(body, limits, nlp)
        answer = await pool.answer(wanted, _until_gone(request.receive))
        if answer is None:
            return CLIENT_LEFT
        return Response(answer, media_type="application/json")

    def description(request: Request) -> dict[str, Any]:
        return describe_api(nlp, limits, request.scope.get("root_path", ""))

    async def openapi(request: Request) -> Response:
        return JSONResponse(description(request))

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def version(request: Request) -> Response:
        own = {"spacy_ucca": __version__, "spacy": spacy.__version__, "model": model_name(nlp)}
        meta = {"version": nlp.meta.get("version", ""), "lang": nlp.lang}
        return JSONResponse({**own, **meta, "components": nlp.pipe_names})

    async def docs(request: Request) -> Response:
        return _html(*interface_page(description(request)))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        pool.stop()

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/parse", parse, methods=["POST"]),
            Route("/health", health),
            Route("/version", version),
            Route("/openapi.json", openapi),
            Route("/docs", docs),
        ],
        middleware=middleware,
        exception_handlers={Refusal: _on_refusal, HTTPException: _on_http_error},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.pool = pool
    return app


def _origin(text: str) -> str:
    """RETURNS (str): A site as browsers name it: in lower case, without the usual port.
    RAISES (UccaError): If it is none."""
    if not isinstance(text, str) or not ORIGIN.fullmatch(text.lower()):
        raise UccaError(Errors.UC638.format(origin=text))
    return re.sub(r"^(http:.*):80$|^(https:.*):443$", r"\1\2", text.lower())


def _html(page: str, policy: str) -> Response:
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})


async def _on_refusal(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)
    return refuse(refusal)


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = Errors.UC627 if error.status_code == 404 else str(error.detail)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(sorted(headers["Allow"].split(", ")))
        message = Errors.UC634.format(method=request.method[:20], allowed=headers["Allow"])
    return JSONResponse({"error": message}, error.status_code, headers)


async def _body(request: Request, limits: Limits) -> bytes:
    """Read the body of a request. Other types than JSON are refused: pages of other sites can send them.

    RAISES (Refusal): If it is too long, too slow or of another type.
    """
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, Errors.UC624.format(reason="its type is not application/json"))
    too_long = Refusal(413, Errors.UC640.format(limit=limits.body, characters=limits.characters))
    length = request.headers.get("Content-Length", "")
    # Python refuses to read a number of thousands of digits.
    if length.isdecimal() and (len(length) > 18 or int(length) > limits.body):
        raise too_long

    async def read() -> bytes:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > limits.body:
                raise too_long
        return bytes(body)

    try:
        return await asyncio.wait_for(read(), limits.seconds)
    except asyncio.TimeoutError:
        message = Errors.UC636.format(limit=f"{limits.seconds:g}")
        raise Refusal(408, message, Connection="close") from None


async def _until_gone(receive: Receive) -> None:
    """Wait until the client closes the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
