"""What a connection sees: bodies, refused requests, `Host` and `Origin`, many clients at once."""

import asyncio
import http.client
import json
import re
import socket
import time

import pytest
from serving import TIMEOUT, Client, serving, serving_pipeline, stand_in

from spacy_ucca.serve.app import build_app
from spacy_ucca.serve.limits import Limits

BODY_LIMIT = Limits().body
GOOD = json.dumps({"text": "Ann left", "formats": []}).encode()


def head(method: str = "POST", path: str = "/parse", **headers: object) -> bytes:
    """RETURNS (bytes): The head of a request in JSON."""
    headers = {"Host": "localhost", "Content_Type": "application/json", **headers}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode("latin1")


def chunks(data: bytes, size: int = 1000) -> bytes:
    """RETURNS (bytes): A body in chunks."""
    parts = [data[i : i + size] for i in range(0, len(data), size)] + [b""]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


class Stream:
    """The answers on a connection, one after the other."""

    def __init__(self, client: Client, data: bytes) -> None:
        self.socket = client.send(data)
        self.file = self.socket.makefile("rb")

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *error: object) -> None:
        self.file.close()
        self.socket.close()

    def answer(self) -> tuple[int, dict[str, str], bytes]:
        """RETURNS (Tuple[int, Dict[str, str], bytes]): The next status, headers and body."""
        status = int(self.file.readline().split()[1])
        headers = {}
        while line := self.file.readline().strip().decode("latin1"):
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        length = headers.get("content-length")
        return status, headers, self.file.read(int(length) if length else -1)

    @property
    def ended(self) -> bool:
        """RETURNS (bool): Whether the server has closed the connection."""
        try:
            return self.file.read(1) == b""
        except ConnectionResetError:
            return True


REFUSED = {
    "path": (head(path="/none", Content_Length=len(GOOD)) + GOOD, 404),
    "method": (head("PUT", Content_Length=len(GOOD)) + GOOD, 405),
    "host": (head(Host="example.org", Content_Length=len(GOOD)) + GOOD, 403),
    "type": (head(Content_Type="text/plain", Content_Length=len(GOOD)) + GOOD, 415),
    "not JSON": (head(Content_Length=3) + b"{{{", 400),
    "length": (head(Content_Length=BODY_LIMIT + 1) + b" " * (BODY_LIMIT + 1), 413),
    "chunks": (head(Transfer_Encoding="chunked") + chunks(b" " * (BODY_LIMIT + 1)), 413),
    "chunks of another path": (head(path="/none", Transfer_Encoding="chunked") + chunks(GOOD), 404),
    "nothing": (head(Content_Type="text/plain"), 415),
}


@pytest.mark.parametrize("name", REFUSED)
def test_next_request_is_not_read_from_a_refused_body(client: Client, name: str) -> None:
    request, status = REFUSED[name]
    with Stream(client, request + head(Content_Length=len(GOOD)) + GOOD) as stream:
        found, headers, body = stream.answer()
        assert found == status and "error" in json.loads(body)
        assert headers.get("connection") != "close"
        found, _, body = stream.answer()
        assert found == 200 and "summary" in json.loads(body)


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        # the client asks whether to send a body
        (head(path="/none", Expect="100-continue", Content_Length=5), 404),
        (head(Expect="100-continue", Content_Type="text/plain", Content_Length=5), 415),
        # where the body ends is not clear
        (head(Transfer_Encoding="gzip, chunked"), 400),
        (head(Transfer_Encoding="identity"), 400),
        (head(Content_Length="5, 6"), 400),
        (head(Content_Length="-1"), 400),
        (head(Content_Length="x"), 400),
        (head(Content_Length="9" * 30), 400),
        (head(Content_Length="٣".encode().decode("latin1")), 400),
        (head(Host="localhost\r\nHost: example.org"), 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400),
    ],
)
def test_connection_is_closed_if_the_body_is_not_read(
    client: Client, request_head: bytes, status: int
) -> None:
    with Stream(client, request_head) as stream:
        found, headers, _ = stream.answer()
        assert found == status and headers["connection"] == "close"
        assert stream.ended


@pytest.mark.parametrize(
    ("request_head", "chunk"),
    [
        (head(Transfer_Encoding="chunked"), b"10000\r\n" + b" " * 0x10000 + b"\r\n"),
        (head(Content_Length=10**15), b" " * 0x10000),
        (head(path="/none", Content_Length=10**15), b" "),
        (head(path="/none", Content_Length=10**15), b""),
    ],
)
def test_an_endless_body_ends(request_head: bytes, chunk: bytes) -> None:
    nlp, _ = stand_in()
    with (
        serving(build_app(nlp, local_only=True), head_seconds=0.5) as client,
        Stream(client, request_head) as stream,
    ):
        end = time.monotonic() + TIMEOUT
        if chunk:
            with pytest.raises(OSError):
                while time.monotonic() < end:
                    stream.socket.sendall(chunk)
                    time.sleep(0.001)
        else:
            assert stream.answer()[0] == 404 and stream.ended
        assert time.monotonic() < end


def test_body_in_chunks_is_read(client: Client) -> None:
    for size in (1, 7, 1000):
        request = head(Transfer_Encoding="chunked") + chunks(GOOD, size)
        with Stream(client, request) as stream:
            assert stream.answer()[0] == 200


def test_client_that_asks_first_is_answered(client: Client) -> None:
    with Stream(client, head(Expect="100-continue", Content_Length=len(GOOD))) as stream:
        assert stream.file.readline().startswith(b"HTTP/1.1 100")
        assert stream.file.readline() == b"\r\n"
        stream.socket.sendall(GOOD)
        assert stream.answer()[0] == 200


def test_slow_bodies_end() -> None:
    nlp, _ = stand_in()
    with serving_pipeline(nlp, limits=Limits(seconds=0.1)) as client:
        with Stream(client, head(Content_Length=100) + b"{") as stream:
            status, headers, body = stream.answer()
            assert status == 408 and headers["connection"] == "close" and b"UC636" in body
            assert stream.ended


def test_connections_without_requests_end() -> None:
    nlp, _ = stand_in()
    with serving(build_app(nlp, local_only=True), head_seconds=2.0) as client:
        answered = Stream(client, head("GET", "/"))
        assert answered.answer()[0] == 200
        answered.socket.sendall(b"GET / HT")
        begun = (answered, Stream(client, b""), Stream(client, b"POST /parse HTTP/1.1\r\nHost: l"))
        for stream in begun:
            with stream:
                assert stream.ended


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST.:1", "127.0.0.1", "[::1]:5050", "localhost.localdomain"]
)
def test_names_of_this_machine_are_answered(client: Client, host: str) -> None:
    assert client.ask("GET", "/", Host=host)[0] == 200
    assert client.parse("a", Host=host, Origin=f"http://{host}")[0] == 200


@pytest.mark.parametrize("host", ["example.org", "[::1].evil.com", "a@localhost", "0.0.0.0", ""])
@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/none"])
def test_other_names_are_not_answered(client: Client, host: str, path: str) -> None:
    status, answer, _ = client.ask("GET", path, Host=host)
    assert status == 403 and "UC628" in answer["error"]
    assert client.parse("a", Host=host)[0] == 403


def test_every_answer_has_the_headers_of_the_guard(client: Client) -> None:
    for method, path in (("GET", "/"), ("GET", "/none"), ("PUT", "/"), ("POST", "/parse")):
        headers = client.ask(method, path)[2]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert not re.search("uvicorn|python", str(headers), re.IGNORECASE)


def test_many_clients_at_once() -> None:
    nlp, _ = stand_in()
    with serving_pipeline(nlp, limits=Limits(seconds=10 * TIMEOUT)) as client:
        request = head(Content_Length=len(GOOD)) + GOOD
        streams = [Stream(client, request) for _ in range(90)]
        for stream in streams:
            with stream:
                assert stream.answer()[0] == 200


def test_connections_wait_before_the_server_runs() -> None:
    from spacy_ucca.serve.run import listen

    with listen("127.0.0.1", 0) as listener:
        clients = [
            socket.create_connection(listener.getsockname(), timeout=TIMEOUT) for _ in range(100)
        ]
        for client in clients:
            client.close()


def test_http_1_0_is_answered(client: Client) -> None:
    with Stream(client, b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n") as stream:
        assert stream.answer()[0] == 200 and stream.ended
    with Stream(client, b"GET / HTTP/1.0\r\n\r\n") as stream:
        assert stream.answer()[0] == 403


def test_connection_serves_many_requests(client: Client) -> None:
    connection: http.client.HTTPConnection = client.connect()
    for _ in range(3):
        for path, status in (("/", 200), ("/none", 404)):
            connection.request("GET", path)
            response = connection.getresponse()
            assert response.status == status and response.read()
            assert connection.sock is not None  # still open
    connection.close()


def test_a_length_of_thousands_of_digits_is_too_long():
    headers = [(b"content-type", b"application/json"), (b"content-length", b"9" * 5000)]
    scope = {"type": "http", "method": "POST", "path": "/parse", "headers": headers}
    sent = []

    async def receive():
        return {"type": "http.request", "body": GOOD}

    async def send(message):
        sent.append(message)

    asyncio.run(build_app(stand_in()[0])({**scope, "query_string": b""}, receive, send))
    assert sent[0]["status"] == 413 and b"UC640" in sent[1]["body"]
