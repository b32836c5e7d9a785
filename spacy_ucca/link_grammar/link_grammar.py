"""Parse tokenized sentences with Link Grammar: undirected labeled graphs over tokens.

The grammar, its dictionaries and its parser are a program of their own (Sleator and Temperley 1991), which Debian and
other systems package. The library runs in worker processes.

Links are written to files of CoNLL-U, with counts of what became of each sentence. All arcs of a file go from left to right:
their direction has no meaning. Sentences whose links are not connected are in the file too, without heads, so that no
sentence is lost.
"""

import json
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..conversion.graph import EMPTY, Token
from ..errors import Errors, FormatError, UccaError
from ..formats.conll import format_conllu, iter_conllu
from ..formats.conllu import read_ud_sentences
from ..formats.rows import iter_blocks
from ..formats.text import open_lines
from .links import LinkGraph, align_links, align_tags

if TYPE_CHECKING:
    from spacy.tokens import Doc

# What can become of a sentence
COMPLETE, DROPPED, DISCONNECTED = "complete", "dropped", "disconnected"
NO_PARSE, TIMEOUT, TOO_LONG, CRASH = "no parse", "timeout", "too long", "crash"
STATUSES = (COMPLETE, DROPPED, DISCONNECTED, NO_PARSE, TIMEOUT, TOO_LONG, CRASH)
INSTALL = "apt install link-grammar link-grammar-dictionaries-all"
START_SECONDS = 120  # to load a dictionary
_WORKER = Path(__file__).with_name("link_worker.py")
_NUL = str.maketrans({"\0": " "})  # ends a string of C


class TokenizedSentence(NamedTuple):
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


class LinkParse(NamedTuple):
    """The result of parsing a sentence.

    status (str): "complete"; "dropped", if tokens have no link; "disconnected", if not all linked tokens are joined
        to the wall; "no parse", if there are no links; "timeout"; "too long"; "crash", if the library ended its process.
    graph (LinkGraph): The links, none if it was not parsed.
    """

    status: str
    graph: LinkGraph

    @classmethod
    def of(cls, graph: LinkGraph) -> "LinkParse":
        """RETURNS (LinkParse): The parse of a sentence that was not stopped, by its links."""
        if not graph.links:
            return cls(NO_PARSE, graph)
        if not graph.is_connected:
            return cls(DISCONNECTED, graph)
        return cls(DROPPED if graph.dropped else COMPLETE, graph)

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
        self._workers = [_LibraryProcess(lang, timeout)]
        self.version = self._workers[0].version
        self._workers += (_LibraryProcess(lang, timeout) for _ in range(n_process - 1))
        self._idle: queue.SimpleQueue[_LibraryProcess] = queue.SimpleQueue()
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

    def parse(self, sentence: TokenizedSentence) -> LinkParse:
        """Parse a sentence.

        sentence (TokenizedSentence): The sentence. Tokens of whitespace have no links.
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
        return LinkParse.of(LinkGraph(tokens, tuple(links), name, punct, tuple(tags)))

    def pipe(self, sentences: Iterable[TokenizedSentence]) -> Iterator[LinkParse]:
        """Parse sentences, several at a time if there are several processes.

        sentences (Iterable[TokenizedSentence]): The sentences.
        YIELDS (LinkParse): What became of each, in order.
        """
        pool = ThreadPoolExecutor(len(self._workers))
        try:
            yield from pool.map(self.parse, sentences)
        finally:  # after an error, without waiting for what was asked ahead
            pool.shutdown(wait=False, cancel_futures=True)


class _LibraryProcess:
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
        first = self._receive(self.process, START_SECONDS)
        if "version" in first:
            return str(first["version"])
        self.stop()
        if "missing" not in first:
            raise UccaError(Errors.UC903.format(lang=self.lang))
        error = Errors.UC902 if first["missing"] == "LookupError" else Errors.UC901
        raise UccaError(error.format(lang=self.lang, install=INSTALL))

    def ask(self, text: str) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The answer of the process, or a `status` "timeout" or "crash"."""
        if self.process is None:
            self._start()
        process: Any = self.process
        try:
            process.stdin.write(json.dumps(text) + "\n")
            process.stdin.flush()
        except OSError:
            self.stop()
            return {"status": CRASH}
        return self._receive(process, self.patience)

    def _receive(self, process: Any, seconds: float) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The next line; a `status` if the process ends before, or has to be ended."""
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        line = process.stdout.readline()
        timer.cancel()
        if not line:
            self.stop()
            return {"status": TIMEOUT if late.is_set() else CRASH}
        return json.loads(line)

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                # What was not written is not wanted any more. Python raises ValueError where a thread is writing.
                with suppress(OSError, ValueError):
                    if pipe is not None:
                        pipe.close()
            self.process = None


LINKS = "links"
TAG = "LinkTag="


@dataclass
class LinkCounts:
    """The numbers of sentences by status (see `LinkParse`).

    statuses (Counter[str]): The number of sentences by status.
    tokens (Counter[str]): The number of their tokens by status.
    """

    statuses: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)

    def add(self, parse: LinkParse) -> None:
        """Count a sentence."""
        self.statuses[parse.status] += 1
        self.tokens[parse.status] += len(parse.graph.tokens)

    def to_dict(self) -> dict[str, int | float | dict[str, int]]:
        """RETURNS (Dict[str, Union[int, float, Dict]]): Numbers of sentences: all, those whose linked tokens are connected,
        and of these those without dropped tokens; with percentages of the line before, as in section 4 of the draft."""
        n = self.statuses.total()
        complete = self.statuses[COMPLETE]
        connected = complete + self.statuses[DROPPED]
        return {
            "sentences": n,
            "connected": connected,
            "connected_percent": 100 * connected / n if n else 0.0,
            "complete": complete,
            "complete_percent": 100 * complete / connected if connected else 0.0,
            "statuses": {name: self.statuses[name] for name in STATUSES},
            "tokens": self.tokens.total(),
            "complete_tokens": self.tokens[COMPLETE],
        }


def sentences_of_conllu(path: str | Path) -> Iterator[TokenizedSentence]:
    """Read the sentences of a CoNLL-U file with their tokens and tags.

    path (Union[str, Path]): The file.
    YIELDS (TokenizedSentence): The sentences, as they are divided there.
    RAISES (FormatError): If it is not CoNLL-U; the message says where.
    """
    sentences = read_ud_sentences(path)
    with open_lines(path) as lines:
        for sentence, graph in zip(sentences, iter_conllu(lines, source=str(path)), strict=True):
            yield TokenizedSentence(graph.tokens, sentence.spaces, graph.id, graph.punct)


def sentences_of_docs(docs: Iterable["Doc"], name: str = "") -> Iterator[TokenizedSentence]:
    """Take the sentences of Docs; a Doc that is not divided into sentences is one.

    docs (Iterable[Doc]): The Docs.
    name (str): What ids begin with; the number of the sentence follows.
    YIELDS (TokenizedSentence): The sentences that are not empty. Whitespace is no token.
    """
    number = 0
    for doc in docs:
        for span in doc.sents if doc.has_annotation("SENT_START") else [doc[:]]:
            tokens = [token for token in span if not token.is_space]
            if not tokens:
                continue
            number += 1
            # Before whitespace that is left out there is a space.
            after = {token.i - 1 for token in span if token.is_space}
            yield TokenizedSentence(
                tuple(
                    Token(t.text, t.lemma_ or EMPTY, t.pos_ or EMPTY, t.tag_ or EMPTY)
                    for t in tokens
                ),
                tuple(bool(token.whitespace_) or token.i in after for token in tokens),
                f"{name}{number}",
                tuple(token.is_punct for token in tokens),
            )


def format_links(graph: LinkGraph) -> str:
    """RETURNS (str): Links as a block of CoNLL-U, all arcs from left to right, with the tags in column 10."""
    misc = [tag and TAG + tag for tag in graph.tags]
    return format_conllu(graph.oriented(), framework=LINKS, misc=misc)


def read_links(path: str | Path) -> Iterator[LinkParse]:
    """Read a file of links. Directions are ignored, so cycles do no harm.

    path (Union[str, Path]): CoNLL-U with links in column 9, as `format_links` writes them.
    YIELDS (LinkParse): The links of each sentence, with their status.
    RAISES (FormatError): If it is not CoNLL-U, or has no links at all.
    """
    has_graph = False
    with open_lines(path) as lines, open_lines(path) as again:
        sentences = zip(iter_conllu(lines, source=str(path)), _tags(again), strict=True)
        for arcs, tags in sentences:
            parse = LinkParse.of(replace(LinkGraph.from_bilexical(arcs), tags=tags))
            has_graph = has_graph or parse.is_connected
            yield parse
    if not has_graph:
        raise FormatError(Errors.UC904.format(path=path))


def _tags(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """YIELDS (Tuple[str, ...]): The tags of each sentence in column 10, or nothing if no token has one."""
    for block in iter_blocks(lines, LINKS):
        rows = [line.split("\t") for _, line in block]
        # By number, as a token with several heads may have several rows.
        last = {row[0]: row[-1].split("|") for row in rows if row[0].isdigit()}
        if last:
            found = [next((v for v in values if v.startswith(TAG)), "") for values in last.values()]
            yield tuple(tag.removeprefix(TAG) for tag in found) if any(found) else ()
