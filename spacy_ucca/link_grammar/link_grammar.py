"""Parse tokenized sentences with Link Grammar: undirected labeled graphs over tokens.

The grammar, its dictionaries and its parser are a program of their own (Sleator and Temperley 1991), which Debian and
other systems package. The library runs in worker processes.
"""

import json
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..conversion.graph import Token
from ..errors import Errors, UccaError
from .links import LinkGraph, align_links, align_tags

# What can become of a sentence
COMPLETE, DROPPED, DISCONNECTED = "complete", "dropped", "disconnected"
NO_PARSE, TIMEOUT, TOO_LONG, CRASH = "no parse", "timeout", "too long", "crash"
STATUSES = (COMPLETE, DROPPED, DISCONNECTED, NO_PARSE, TIMEOUT, TOO_LONG, CRASH)
INSTALL = "apt install link-grammar link-grammar-dictionaries-all"
START_SECONDS = 120  # to load a dictionary
_WORKER = Path(__file__).with_name("link_worker.py")
_NUL = str.maketrans({"\0": " "})  # ends a string of C


class Sentence(NamedTuple):
    """A tokenized sentence.

    tokens (Tuple[Token, ...]): The tokens.
    spaces (Tuple[bool, ...]): Whether a space follows each of them.
    id (str): Its id, or "".
    punct (Tuple[bool, ...]): Whether each token is punctuation. None is, if it is empty.
    """

    tokens: tuple[Token, ...]
    spaces: tuple[bool, ...]
    id: str = ""
    punct: tuple[bool, ...] = ()

    @classmethod
    def from_words(cls, words: Sequence[str], spaces: Sequence[bool] | None = None) -> "Sentence":
        """RETURNS (Sentence): A sentence of words; spaces divide them if nothing is said."""
        return cls(tuple(map(Token, words)), tuple(spaces or [True] * len(words)))


class LinkParse(NamedTuple):
    """The result of parsing a sentence.

    status (str): "complete"; "dropped", if tokens have no link; "disconnected", if not all linked tokens are joined
        to the wall; "no parse", if there are no links; "timeout"; "too long"; "crash", if the library ended its process.
    graph (LinkGraph): The links, none if it was not parsed.
    """

    status: str
    graph: LinkGraph

    @property
    def is_connected(self) -> bool:
        """RETURNS (bool): Whether all tokens that have links are joined to the wall."""
        return self.status in (COMPLETE, DROPPED)


class LinkGrammar:
    """The parser of Link Grammar with a dictionary, in one or more processes. Close it after use, or use `with`.

    lang (str): The language of the dictionary: "en" and "ru" have large ones.
    timeout (int): Seconds for a sentence: for a parse of all words, and again for one that drops some.
    max_length (int): Sentences with more tokens are not parsed: the time grows with the third power.
    n_process (int): How many sentences `pipe` parses at a time.
    RAISES (UccaError): If the library or the dictionary is not installed; the message says how.
    """

    def __init__(
        self, lang: str = "en", *, timeout: int = 10, max_length: int = 100, n_process: int = 1
    ) -> None:
        self.lang, self.timeout, self.max_length = lang, timeout, max_length
        self._workers = [_Worker(lang, timeout)]
        self.version = self._workers[0].version
        self._workers += (_Worker(lang, timeout) for _ in range(n_process - 1))
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)

    def __enter__(self) -> "LinkGrammar":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.stop()

    def parse(self, sentence: Sentence) -> LinkParse:
        """Parse a sentence.

        sentence (Sentence): The sentence. Tokens of whitespace have no links.
        RETURNS (LinkParse): What became of it.
        """
        tokens, spaces, name, punct = sentence
        graph = LinkGraph(tokens, (), name, punct)
        if len(tokens) > self.max_length:
            return LinkParse(TOO_LONG, graph)
        text, spans = "", []
        for token, space in zip(tokens, spaces, strict=True):
            spans.append((len(text), len(text) + len(token.form)))
            text += token.form.translate(_NUL) + " " * space
        if not text.strip():
            return LinkParse(NO_PARSE, graph)
        worker = self._idle.get()
        try:
            answer = worker.ask(text)
        finally:
            self._idle.put(worker)
        if answer["status"] != "parsed":
            return LinkParse(answer["status"], graph)
        links = align_links(text, spans, answer["words"], answer["links"])
        tags = align_tags(text, spans, answer["words"])
        graph = LinkGraph(tokens, tuple(links), name, punct, tuple(tags))
        if not graph.is_connected:
            return LinkParse(DISCONNECTED if links else NO_PARSE, graph)
        return LinkParse(DROPPED if graph.dropped else COMPLETE, graph)

    def pipe(self, sentences: Iterable[Sentence]) -> Iterator[LinkParse]:
        """Parse sentences, several at a time if there are several processes.

        sentences (Iterable[Sentence]): The sentences.
        YIELDS (LinkParse): What became of each, in order.
        """
        n = len(self._workers)
        if n == 1:
            yield from map(self.parse, sentences)
            return
        pool = ThreadPoolExecutor(n)
        waiting: deque[Future[LinkParse]] = deque()
        try:
            for sentence in sentences:
                waiting.append(pool.submit(self.parse, sentence))
                if len(waiting) >= 4 * n:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # after an error, without waiting for what was asked ahead
            pool.shutdown(wait=False, cancel_futures=True)


class _Worker:
    """A process with the library, started again after it crashed or was stopped for taking too long."""

    def __init__(self, lang: str, timeout: int) -> None:
        self.command = [sys.executable, "-I", str(_WORKER), lang, str(timeout)]
        self.lang = lang
        # The library looks at its clock between steps only, and a sentence has two attempts.
        self.patience = 2 * timeout + 10
        self.process: subprocess.Popen[str] | None = None
        self.version = self._start()

    def _start(self) -> str:
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf8",
        )
        self.answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        arguments = (self.process.stdout, self.answers)
        threading.Thread(target=_forward, args=arguments, daemon=True).start()
        first = self._receive(START_SECONDS)
        if first is None or "version" not in first:
            self.stop()
        if first is None:
            raise UccaError(Errors.UC903.format(lang=self.lang))
        if first.get("missing") == "LookupError":
            raise UccaError(Errors.UC902.format(lang=self.lang, install=INSTALL))
        if "missing" in first:
            raise UccaError(Errors.UC901.format(install=INSTALL))
        return str(first["version"])

    def ask(self, text: str) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The answer of the process, or a `status` "timeout" or "crash"."""
        if self.process is None:
            self._start()
        assert self.process is not None and self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(text) + "\n")
            self.process.stdin.flush()
        except OSError:
            self.stop()
            return {"status": CRASH}
        answer = self._receive(self.patience)
        if answer is None:
            status = TIMEOUT if self.process.poll() is None else CRASH
            self.stop()
            return {"status": status}
        return answer

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        """RETURNS (Optional[Dict[str, Any]]): The next line, if it comes in time."""
        try:
            line = self.answers.get(timeout=seconds)
        except queue.Empty:
            return None
        if not line:  # the process has ended
            if self.process is not None:
                self.process.wait()
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                with suppress(OSError):  # what was not written is not wanted any more
                    if pipe is not None:
                        pipe.close()
            self.process = None


def _forward(lines: Iterable[str], answers: "queue.SimpleQueue[str]") -> None:
    """Put lines into a queue, and an empty one when there are no more."""
    with suppress(ValueError):  # it may be closed while it is read
        for line in lines:
            answers.put(line)
    answers.put("")
