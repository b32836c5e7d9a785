"""The HTTP server of `spacy-ucca serve`: one pipeline, the standard library alone.

`GET /` answers with the page, `POST /parse` with a graph in all forms that the page needs.
"""

import errno
import json
import os
import secrets
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from ..drawing.html import direction, fill
from ..drawing.render import render_svg, render_tree
from ..errors import Errors, UccaError
from ..graph import Graph
from ..text.split import text_paragraphs

if TYPE_CHECKING:
    from spacy.language import Language

MAX_TEXT = 20_000  # characters of a text
MAX_BODY = 8 * MAX_TEXT + 1000  # bytes of a request: a character may be written as \\ud83d\\ude00
TIMEOUT = 30.0  # seconds: for a slow request, and for the text before this one
LOCAL = ("localhost", "localhost.localdomain")
EXAMPLES = {
    "en": (
        "After graduation, John moved to Paris.",
        "The film we saw yesterday was so long that my sister fell asleep.",
        "She gave it up, although everybody had asked her to go on.",
    ),
    "de": (
        "Nach dem Studium zog Johann nach Paris.",
        "Der Film, den wir gestern sahen, war so lang, dass meine Schwester einschlief.",
    ),
    "fr": (
        "Après ses études, Jean a déménagé à Paris.",
        "Le film que nous avons vu hier était si long que ma sœur s'est endormie.",
    ),
    "he": ("אחרי סיום הלימודים עבר יוחנן לפריז.",),
    "ar": ("بعد التخرج انتقل يوحنا إلى باريس.",),
}


class Refusal(Exception):
    """A request that gets an error instead of a graph.

    status (int): Of the answer.
    message (str): For the user.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Parsed(NamedTuple):
    """The forms of a graph that the page shows and offers for download."""

    svg: str
    tree: str
    xml: str
    json: str
    direction: str
    summary: str


class UccaServer(ThreadingHTTPServer):
    """A server for one pipeline. Texts are parsed one at a time.

    nlp (Language): The pipeline.
    host (str): The address to listen on.
    port (int): The port; 0 takes any free one.
    RAISES (UccaError): If the port is in use, or the address is none of this machine.
    """

    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # on Windows it would share the port with another server

    def __init__(self, nlp: "Language", host: str, port: int) -> None:
        self.nlp = nlp
        self.lock = Lock()
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as err:
            if getattr(err, "errno", None) == errno.EADDRINUSE:
                message = Errors.UC620.format(port=port, host=host, other=port + 1)
            else:
                reason = getattr(err, "strerror", None) or err
                message = Errors.UC621.format(host=host, port=port, reason=reason)
            raise UccaError(message) from None

    @property
    def url(self) -> str:
        """RETURNS (str): The address to open."""
        host, port = self.server_address[:2]
        name = str(host) if str(host) not in ("0.0.0.0", "::") else "127.0.0.1"
        return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"

    def server_bind(self) -> None:
        """Bind, without asking a name server for the name of the address."""
        if self.allow_reuse_address:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = map(str, self.server_address[:2])  # type: ignore[assignment]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors of connections: a browser that closes one is no error."""

    def page(self) -> tuple[str, str]:
        """RETURNS (Tuple[str, str]): The page, and the nonce of its script."""
        nonce = secrets.token_urlsafe(16)
        meta = self.nlp.meta
        html = fill(
            "serve.html",
            __package__,
            model=f"{meta.get('lang', '')}_{meta.get('name', '')}".strip("_"),
            version=meta.get("version", ""),
            lang=self.nlp.lang,
            limit=MAX_TEXT,
            nonce=nonce,
            examples=EXAMPLES.get(self.nlp.lang or "", ()),
        )
        return html, nonce

    def parse(self, text: Any) -> Parsed:
        """Parse a text, after the texts before it.

        text (Any): The text.
        RETURNS (Parsed): The graph in all its forms.
        RAISES (Refusal): If it is not a text, empty or too long, or cannot be parsed.
        """
        if not isinstance(text, str):
            raise Refusal(400, Errors.UC624.format(reason="'text' is missing, or no text"))
        if not text.strip():
            raise Refusal(400, Errors.UC622)
        if len(text) > MAX_TEXT:
            raise Refusal(413, Errors.UC623.format(n=len(text), limit=MAX_TEXT))
        half = next((i for i, c in enumerate(text) if 0xD800 <= ord(c) <= 0xDFFF), None)
        if half is not None:
            raise Refusal(400, Errors.UC629.format(position=half, code=ord(text[half])))
        if not self.lock.acquire(timeout=TIMEOUT):
            raise Refusal(503, Errors.UC625)
        try:
            return describe(parse_text(self.nlp, text))
        except UccaError as err:
            raise Refusal(500, str(err)) from None
        except Exception as err:  # of any component of the pipeline
            reason = f"{type(err).__name__}: {err}"
            raise Refusal(500, Errors.UC626.format(reason=reason)) from None
        finally:
            self.lock.release()

    def knows(self, host: str | None) -> bool:
        """Check whether a request may name this host. Another page could point its own host name to this machine, so a server
        for this machine alone accepts only addresses and names of this machine.

        host (Optional[str]): The header `Host`.
        RETURNS (bool): Whether the request is answered.
        """
        if not ip_address(str(self.server_address[0]).partition("%")[0]).is_loopback:
            return True
        name = (host or "").lower()
        name = name[1 : name.index("]")] if name.startswith("[") and "]" in name else name
        name = name.rpartition(":")[0] if name.count(":") == 1 else name
        if name in LOCAL:
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True


def parse_text(nlp: "Language", text: str) -> Graph:
    """RETURNS (Graph): The graph of a text, whose paragraphs are parsed on their own.
    RAISES (UccaError): If the pipeline sets no graphs."""
    graphs = []
    for doc in nlp.pipe(text_paragraphs(text)):
        graph = doc._.ucca
        if graph is None:
            raise UccaError(Errors.UC506)
        graphs.append(graph)
    return Graph.join(graphs)


def describe(graph: Graph) -> Parsed:
    """RETURNS (Parsed): A graph in all the forms that the page has."""
    from ..formats.xml import write_xml_string

    counts = (
        (len(graph.roots), "sentence"),
        (len(graph.words), "token"),
        (len(graph.scenes), "Scene"),
        (len(graph.edges), "edge"),
    )
    return Parsed(
        svg=render_svg(graph),
        tree=render_tree(graph),
        xml=write_xml_string(graph).decode("utf8"),
        json=json.dumps(graph.to_record(), ensure_ascii=False) + "\n",
        direction=direction(graph),
        summary=", ".join(f"{n} {what}" + "s" * (n != 1) for n, what in counts),
    )


class _Handler(BaseHTTPRequestHandler):
    """Answers one browser."""

    server: UccaServer
    protocol_version = "HTTP/1.1"
    server_version = "spacy-ucca"
    sys_version = ""
    timeout = TIMEOUT

    def do_GET(self) -> None:
        try:
            self._check_host()
            if self.path.partition("?")[0] != "/":
                raise Refusal(404, Errors.UC627)
        except Refusal as refusal:
            self._answer(refusal.status, "text/plain", refusal.message)
            return
        html, nonce = self.server.page()
        policy = (
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
            f"script-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        self._answer(200, "text/html", html, {"Content-Security-Policy": policy})

    do_HEAD = do_GET

    def do_POST(self) -> None:
        try:
            self._check_host()
            if self.path != "/parse":
                self.close_connection = True
                raise Refusal(404, Errors.UC627)
            parsed = self.server.parse(self._text())
            status, answer = 200, parsed._asdict()
        except Refusal as refusal:
            status, answer = refusal.status, {"error": refusal.message}
        self._answer(status, "application/json", json.dumps(answer))

    def _check_host(self) -> None:
        if not self.server.knows(self.headers.get("Host")):
            self.close_connection = True
            raise Refusal(403, Errors.UC628.format(what=str(self.headers.get("Host"))[:100]))
        origin = self.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != self.headers.get("Host"):
            self.close_connection = True
            raise Refusal(403, Errors.UC628.format(what=origin[:100]))

    def _text(self) -> Any:
        """The text of a request. Other types than JSON are refused: a page elsewhere could send them."""
        length = self.headers.get("Content-Length") or ""
        kind = (self.headers.get("Content-Type") or "").partition(";")[0].strip().lower()
        self.close_connection = True  # unless all of it has been read
        if kind != "application/json":
            raise Refusal(415, Errors.UC624.format(reason="its type is not application/json"))
        if not (length.isascii() and length.isdecimal()):
            raise Refusal(411, Errors.UC624.format(reason="it has no length"))
        if len(length) > 12 or int(length) > MAX_BODY:
            raise Refusal(413, Errors.UC623.format(n=f"about {length[:12]}", limit=MAX_TEXT))
        body = self.rfile.read(int(length))
        self.close_connection = False
        try:
            request = json.loads(body)
        except (ValueError, RecursionError) as err:
            raise Refusal(400, Errors.UC624.format(reason=err)) from None
        return request.get("text") if isinstance(request, dict) else None

    def _answer(
        self, status: int, kind: str, text: str, headers: dict[str, str] | None = None
    ) -> None:
        body = text.encode("utf8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        if self.close_connection:
            self.send_header("Connection", "close")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: texts are private."""
