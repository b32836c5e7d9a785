"""Parse texts in threads, a limited number at a time. A job ends early when nobody waits for its answer."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from ..errors import Errors, UccaError
from ..graph import Graph
from ..training.pipelines import beam_parser, parse_best
from .answer import encode_answer
from .guard import refuse
from .limits import Limits, Refusal
from .parsing import join_paragraphs, parse_texts
from .request import ParseRequest

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MAX_SHORT = 2_000  # characters of a text that need not wait for longer ones


class Stopped(BaseException):
    """A job that nobody needs any more. No component that handles errors of its own keeps it up."""


class Job:
    """A request from its acceptance to its answer.

    size (int): The characters of its texts.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._stop = threading.Event()
        self.waits = True  # for a thread

    def stop(self) -> None:
        """Let the job end at its next check."""
        self._stop.set()

    def check(self) -> None:
        """RAISES (Stopped): If the job has to end."""
        if self._stop.is_set():
            raise Stopped


class ParsePool:
    """Threads that parse. Long texts leave one to short ones.

    nlp (Language): The pipeline.
    limits (Limits): The limits.
    """

    def __init__(self, nlp: "Language", limits: Limits) -> None:
        self.nlp = nlp
        self.limits = limits
        self._threads = ThreadPoolExecutor(limits.parses, "ucca-parse")
        self._long = asyncio.Semaphore(max(1, limits.parses - 1))
        self._jobs: set[Job] = set()

    def __len__(self) -> int:
        """RETURNS (int): The number of requests that have been accepted and not answered."""
        return len(self._jobs)

    def stop(self) -> None:
        """Let all jobs end at their next check."""
        for job in self._jobs:
            job.stop()

    async def answer(self, request: ParseRequest, gone: Coroutine[Any, Any, None]) -> bytes | None:
        """Parse a text, or several.

        request (ParseRequest): The texts, and what is wanted of their graphs.
        gone (Coroutine): Ends when nobody waits for the answer any more.
        RETURNS (Optional[bytes]): The answer in JSON; None if nobody waits for it.
        RAISES (Refusal): If there are too many texts, or this one cannot be parsed, or not in time.
        """
        job = Job(sum(len(text) for text in request.all_texts if isinstance(text, str)))
        waiting = sum(other.size for other in self._jobs)
        too_much = waiting and waiting + job.size > self.limits.all_characters
        if too_much or len(self._jobs) >= self.limits.requests:
            gone.close()
            raise Refusal.busy()
        self._jobs.add(job)
        work = asyncio.ensure_future(self._run(job, request))
        left = asyncio.ensure_future(gone)
        try:
            await asyncio.wait(
                {work, left},
                timeout=self.limits.seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if work.done():
                return work.result()
            if left.done():
                return None
            if job.waits:
                raise Refusal.busy()
            raise Refusal(503, Errors.UC633.format(limit=f"{self.limits.seconds:g}"))
        finally:
            job.stop()
            self._jobs.discard(job)
            work.cancel()
            left.cancel()

    async def _run(self, job: Job, request: ParseRequest) -> bytes:
        async with self._long if job.size > MAX_SHORT else nullcontext():
            # Thinc keeps in the context whether arrays are on a GPU.
            work = self._threads.submit(copy_context().run, self._work, job, request)
            return await asyncio.wrap_future(work)

    def _work(self, job: Job, request: ParseRequest) -> bytes:
        job.waits = False
        texts = [text for text in request.all_texts if isinstance(text, str)]
        try:
            parsed = iter(self._parse(texts, request, job.check))
            found = [next(parsed) if isinstance(t, str) else t for t in request.all_texts]
            answers = [self._encode(docs, request, job.check) for docs in found]
        except Stopped:
            raise Refusal(503, Errors.UC635, Connection="close") from None
        if request.texts is None and isinstance(answers[0], Refusal):
            raise answers[0]
        encoded = [bytes(refuse(a).body) if isinstance(a, Refusal) else a for a in answers]
        return encoded[0] if request.texts is None else b'{"answers": [%s]}' % b", ".join(encoded)

    def _parse(
        self, texts: Sequence[str], request: ParseRequest, check: Callable[[], None]
    ) -> "list[list[Doc] | Refusal]":
        """Parse texts together; one by one, if a component fails at one of them."""
        wanted: dict[str, Any] = {"lang": request.lang, "guidelines": request.guidelines}
        max_tokens = self.limits.sentence_tokens
        try:
            return parse_texts(self.nlp, texts, max_tokens=max_tokens, check=check, **wanted)
        except Exception as err:  # of any component of the pipeline
            if len(texts) == 1:
                return [_refusal_of(err)]
            return [found for text in texts for found in self._parse([text], request, check)]

    def _encode(
        self, docs: "list[Doc] | Refusal", request: ParseRequest, check: Callable[[], None]
    ) -> bytes | Refusal:
        if isinstance(docs, Refusal):
            return docs
        try:
            best: list[tuple[float, Graph]] = []
            if request.n_best > 1:
                found = parse_best(beam_parser(self.nlp), docs, request.n_best, check)
                best = [(probability, Graph.join(graphs)) for probability, graphs in found]
            doc = join_paragraphs(docs)
            return encode_answer(doc, request.formats, request.query, check, best, request.width)
        except Exception as err:
            return _refusal_of(err)


def _refusal_of(error: Exception) -> Refusal:
    """RETURNS (Refusal): What a client is told of an error."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, UccaError):
        return Refusal(500, str(error))
    return Refusal(500, Errors.UC626.format(reason=f"{type(error).__name__}: {error}"))
