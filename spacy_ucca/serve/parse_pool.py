"""Parse texts in threads, a limited number at a time. A job ends early when nobody waits for its answer."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from ..errors import Errors, UccaError
from ..graph import Graph
from ..training.pipelines import beam_parser, parse_best
from .answer import encode_answer
from .limits import Limits, Refusal
from .parsing import join_paragraphs, parse_paragraphs
from .request import ParseRequest

if TYPE_CHECKING:
    from spacy.language import Language

MAX_SHORT = 2_000  # characters of a text that need not wait for longer ones


class Stopped(Exception):
    """A job that nobody needs any more."""


class Job:
    """A text from its acceptance to its answer.

    size (int): Its characters.
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
        """RETURNS (int): The number of texts that have been accepted and not answered."""
        return len(self._jobs)

    def stop(self) -> None:
        """Let all jobs end at their next check."""
        for job in self._jobs:
            job.stop()

    async def answer(self, request: ParseRequest, gone: Coroutine[Any, Any, None]) -> bytes | None:
        """Parse a text.

        request (ParseRequest): The text, and what is wanted of its graph.
        gone (Coroutine): Ends when nobody waits for the answer any more.
        RETURNS (Optional[bytes]): The answer in JSON; None if nobody waits for it.
        RAISES (Refusal): If there are too many texts, or this one cannot be parsed, or not in time.
        """
        job = Job(len(request.text))
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
        try:
            job.check()
            docs = parse_paragraphs(
                self.nlp,
                request.text,
                max_tokens=self.limits.sentence_tokens,
                lang=request.lang,
                guidelines=request.guidelines,
                check=job.check,
            )
            best: list[tuple[float, Graph]] = []
            if request.n_best > 1:
                found = parse_best(beam_parser(self.nlp), docs, request.n_best, job.check)
                best = [(probability, Graph.join(graphs)) for probability, graphs in found]
            doc = join_paragraphs(docs)
            return encode_answer(
                doc, request.formats, request.query, job.check, best, request.width
            )
        except Stopped:
            raise Refusal(503, Errors.UC635, Connection="close") from None
        except UccaError as err:
            raise Refusal(500, str(err)) from None
        except Refusal:
            raise
        except Exception as err:  # of any component of the pipeline
            reason = f"{type(err).__name__}: {err}"
            raise Refusal(500, Errors.UC626.format(reason=reason)) from None
