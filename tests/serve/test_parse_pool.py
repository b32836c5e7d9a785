"""Several texts at a time: how many are parsed, which wait, which are given up."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import spacy
from golden import DATA, MODEL
from serving import TIMEOUT, Client, StandIn, parse_text, serving_pipeline, stand_in, wait_until
from spacy.tokens import Doc

from spacy_ucca.graph import Graph
from spacy_ucca.serve import parse_pool
from spacy_ucca.serve.limits import Limits
from spacy_ucca.serve.parse_pool import MAX_SHORT, ParsePool


class Texts:
    """Sends texts, each in a thread of its own, to a server of a stand-in."""

    def __init__(self, client: Client, parser: StandIn, threads: ThreadPoolExecutor) -> None:
        self.client = client
        self.parser = parser
        self.pool: ParsePool = client.app.state.pool
        self._threads = threads

    def send(self, text: str) -> "Future[tuple[int, Any]]":
        """RETURNS (Future): The answer to a text that the server has accepted."""
        n = len(self.pool)
        future = self._threads.submit(self.client.parse, text)
        wait_until(lambda: len(self.pool) > n or future.done())
        return future

    def wait(self, n: int) -> None:
        """Wait until so many texts are being parsed."""
        wait_until(lambda: self.parser.running == n)

    def leave(self, *, running: int, **request: Any) -> None:
        """Send a request, close the connection when so many texts are being parsed, and wait until the server has noticed."""
        n = len(self.pool)
        connection = self.client.connect()
        body = json.dumps(request)
        connection.request("POST", "/parse", body, {"Content-Type": "application/json"})
        wait_until(lambda: len(self.pool) > n)
        self.wait(running)
        connection.close()
        wait_until(lambda: len(self.pool) == n)


@contextmanager
def texts(**limits: Any) -> Iterator[Texts]:
    nlp, parser = stand_in()
    limits.setdefault("seconds", 10 * TIMEOUT)
    with (
        serving_pipeline(nlp, limits=Limits(**limits)) as client,
        ThreadPoolExecutor(20) as threads,
    ):
        try:
            yield Texts(client, parser, threads)
        finally:
            parser.go.set()


# Too long to count as short, and of few words, which are drawn quickly
LONG = (" " + "a" * (MAX_SHORT // 10)) * 10


@pytest.mark.parametrize("parses", [1, 3])
def test_only_so_many_texts_are_parsed_at_a_time(parses: int) -> None:
    with texts(parses=parses) as server:
        answers = [server.send(f"WAIT {i}") for i in range(6)]
        server.wait(parses)
        assert server.client.ask("GET", "/")[0] == 200  # the page is there all the while
        assert server.client.ask("GET", "/health")[:2] == (200, {"status": "ok"})
        server.parser.go.set()
        assert [answer.result()[0] for answer in answers] == [200] * len(answers)
        assert server.parser.most == parses
        assert len(server.pool) == 0


def test_a_short_text_does_not_wait_for_a_long_one() -> None:
    with texts() as server:  # by default, on one core, too
        long = server.send("WAIT")
        server.wait(1)
        assert server.client.parse("Ann left")[0] == 200
        assert not long.done()


@pytest.mark.parametrize("parses", [2, 3])
def test_a_short_text_does_not_wait_for_many_long_ones(parses: int) -> None:
    with texts(parses=parses) as server:
        answers = [server.send("WAIT" + LONG) for _ in range(parses + 1)]
        server.wait(parses - 1)
        assert server.client.parse("Ann left")[0] == 200
        assert not any(answer.done() for answer in answers)
        server.parser.go.set()
        assert [answer.result()[0] for answer in answers] == [200] * len(answers)
        assert server.parser.most == parses


def test_a_short_picture_does_not_wait_for_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    draw, encode = threading.Event(), parse_pool.encode_answer

    def slow(doc: Doc, *args: Any) -> bytes:
        assert len(doc) < 10 or draw.wait(TIMEOUT)
        return encode(doc, *args)

    monkeypatch.setattr(parse_pool, "encode_answer", slow)
    with texts(parses=2) as server:
        answers = [server.send(LONG) for _ in range(3)]
        wait_until(lambda: server.parser.parsed == 1)
        assert server.client.parse("Ann left")[0] == 200
        draw.set()
        assert [answer.result()[0] for answer in answers] == [200] * 3


def test_texts_that_are_too_long_together_are_sent_away() -> None:
    with texts(parses=1, all_characters=20) as server:
        first = server.send("WAIT, and then on and on and on")  # by itself it may be longer
        assert server.client.parse("a")[0] == 503
        server.parser.go.set()
        assert first.result()[0] == 200
        server.parser.go.clear()
        answers = [server.send("WAIT " * 2), server.send("WAIT " * 2)]
        status, answer = server.client.parse("a")
        assert status == 503 and "UC625" in answer["error"]
        server.parser.go.set()
        assert [answer.result()[0] for answer in answers] == [200] * 2
        assert server.client.parse("a")[0] == 200


def test_texts_that_find_no_room_are_sent_away() -> None:
    with texts(parses=1, requests=3) as server:
        answers = [server.send(f"WAIT {i}") for i in range(3)]
        status, answer, headers = server.client.ask("POST", "/parse", {"text": "a"})
        assert status == 503 and "UC625" in answer["error"]
        assert int(headers["Retry-After"]) > 0
        server.parser.go.set()
        assert [answer.result()[0] for answer in answers] == [200] * 3
        assert server.client.parse("a")[0] == 200


def test_a_text_is_not_parsed_after_its_client_has_left() -> None:
    with texts(parses=1) as server:
        answer = server.send("WAIT")
        server.wait(1)
        server.leave(text="waits in the queue", running=1)
        server.parser.go.set()
        assert answer.result()[0] == 200
        assert server.client.parse("a")[0] == 200
        assert server.parser.parsed == 2


@pytest.mark.parametrize("is_batch", [False, True])
def test_a_parse_ends_when_its_client_leaves(is_batch: bool) -> None:
    parts = ["WAIT", *["a " * 900] * 6]
    request = {"texts": parts} if is_batch else {"text": "\n\n".join(parts)}
    with texts(parses=1) as server:
        server.leave(**request, running=1)
        server.parser.go.set()
        assert server.client.parse("a")[0] == 200
        assert server.parser.parsed < 6


def test_a_request_ends_in_time() -> None:
    with texts(parses=1, seconds=2.0) as server:
        first = server.send("WAIT")
        server.wait(1)
        status, answer, headers = server.client.ask("POST", "/parse", {"text": "waits"})
        assert status == 503 and "UC625" in answer["error"] and headers["Retry-After"]
        status, answer = first.result()
        assert status == 503 and "UC633" in answer["error"]
    with texts(parses=1, seconds=0.5) as server:
        status, answer, _ = server.client.ask("POST", "/parse", {"texts": ["a", "WAIT"]})
        assert status == 503 and "UC633" in answer["error"]


def test_parses_end_when_the_server_stops() -> None:
    with texts(parses=1) as server:
        answers = [server.send("WAIT\n\nand more"), server.send("queued")]
        server.wait(1)
        server.pool.stop()
        server.parser.go.set()
        for answer in answers:
            assert answer.result()[0] == 503 and "UC635" in answer.result()[1]["error"]


@pytest.mark.skipif(not MODEL.exists(), reason="no pipeline ships yet")
def test_graphs_are_those_of_the_pipeline() -> None:
    nlp = spacy.load(MODEL)
    lines = (DATA / "golden.txt").read_text("utf8").splitlines()[:8]
    together = "\n\n".join(lines)
    whole = parse_text(nlp, together, max_tokens=1000)._.ucca
    alone = [doc._.ucca for doc in nlp.pipe([" ".join(line.split()) for line in lines])]
    assert whole.same_structure(Graph.join(alone))
    limits = Limits(parses=4, seconds=10 * TIMEOUT)
    with serving_pipeline(nlp, limits=limits) as client, ThreadPoolExecutor(8) as threads:
        requests = [{"text": line, "formats": ["json"]} for line in lines]
        answers = threads.map(lambda request: client.ask("POST", "/parse", request)[:2], requests)
        for (status, answer), graph in zip(answers, alone, strict=True):
            assert status == 200
            assert Graph.from_json(answer["json"]).same_structure(graph)
