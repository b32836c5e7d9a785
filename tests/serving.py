"""A server in this process for tests of `serve`: a parser that stands in, and a client."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from starlette.applications import Starlette

from spacy_ucca.graph import GraphBuilder
from spacy_ucca.serve.app import build_app
from spacy_ucca.serve.parsing import join_paragraphs, parse_texts
from spacy_ucca.serve.run import Server, listen, url_of

TIMEOUT = 60.0  # of what takes no time when all is well


@Language.factory("stand_in_parser", assigns=["doc._.ucca"])
class StandIn:
    """Sets a graph of one Scene, its first word the process. A text with "WAIT" is parsed when `go` is set."""

    def __init__(self, nlp: Language, name: str) -> None:
        self.lock = threading.Lock()
        self.running = self.most = self.parsed = 0  # now, at most, in all
        self.go = threading.Event()

    def __call__(self, doc: spacy.tokens.Doc) -> spacy.tokens.Doc:
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            if "WAIT" in doc.text:
                assert self.go.wait(TIMEOUT)
            if "FAIL" in doc.text:
                raise RuntimeError("as asked")
            self.parsed += 1
        finally:
            with self.lock:
                self.running -= 1
        builder = GraphBuilder([token.text for token in doc])
        root, scene = builder.add_unit(), builder.add_unit()
        builder.add_edge(root, scene, "H")
        for token in doc:
            unit = builder.add_unit()
            builder.add_edge(scene, unit, "A" if token.i else "P")
            builder.add_terminal(unit, token.i)
        doc._.ucca = builder.build()
        return doc


def stand_in() -> tuple[Language, StandIn]:
    """RETURNS (Tuple[Language, StandIn]): A pipeline that divides at white space alone, so that markup stays whole, and its
    parser."""
    nlp = spacy.blank("en")
    nlp.tokenizer = Tokenizer(nlp.vocab)
    return nlp, nlp.add_pipe("stand_in_parser")  # type: ignore[return-value]


class Client:
    """Asks a server in this process."""

    def __init__(self, app: Starlette, listener: socket.socket) -> None:
        self.app = app
        self.url = url_of(listener)
        self.host, self.port = listener.getsockname()[:2]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT)

    def send(self, data: bytes) -> socket.socket:
        """RETURNS (socket): A connection on which bytes have been sent."""
        connection = socket.create_connection((self.host, self.port), timeout=TIMEOUT)
        connection.sendall(data)
        return connection

    def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Any, http.client.HTTPMessage]:
        connection = self.connect()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        data = response.read().decode("utf8")
        connection.close()
        is_json = "json" in (response.headers["Content-Type"] or "")
        return response.status, json.loads(data) if is_json and data else data, response.headers

    def parse(self, text: Any, **headers: str) -> tuple[int, Any]:
        return self.ask("POST", "/parse", {"text": text}, **headers)[:2]


@contextmanager
def serving(app: Starlette, **options: Any) -> Iterator[Client]:
    """Serve an application while the context lasts."""
    with listen("127.0.0.1", 0) as listener:
        server = Server(app, **options)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield Client(app, listener)
        finally:
            server.should_exit = True
            thread.join(TIMEOUT)


def serving_pipeline(nlp: Language, **options: Any) -> Any:
    """RETURNS (ContextManager[Client]): Serves a pipeline for this machine alone."""
    return serving(build_app(nlp, local_only=True, **options))


def wait_until(condition: Callable[[], Any]) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def parse_text(nlp: Language, text: str, **options: Any) -> spacy.tokens.Doc:
    """RETURNS (Doc): The paragraphs of a text as one Doc, with the graph, as the server parses them."""
    (found,) = parse_texts(nlp, [text], **options)
    assert isinstance(found, list)
    return join_paragraphs(found)
