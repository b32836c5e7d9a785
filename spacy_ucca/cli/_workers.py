"""Do jobs in several processes. An error ends them at once, and they end with their parent, however it ends."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import connection
from typing import Any, TypeVar

from ..errors import Errors, UccaError

__all__ = ["run_jobs"]

AHEAD = 3  # jobs a process: one in work, the others so that none waits
Job = TypeVar("Job")
Result = TypeVar("Result")

# In a worker: what does its jobs, or why it could not start
_work: Callable[[Any], Any] | None = None
_failed: Exception | None = None


def run_jobs(
    start: Callable[[], Callable[[Job], Result]], jobs: Iterable[Job], n_process: int
) -> Generator[Result, None, None]:
    """Do jobs, in this process or in others.

    start (Callable[[], Callable[[Job], Result]]): Called once in each process; what it returns does a job. Both can be
        pickled, as jobs and results can.
    jobs (Iterable[Job]): The jobs. Only a few are taken ahead of those that are done.
    n_process (int): The number of processes, no more than there are jobs. With 1 there is no other than this; -1: one for each
        core.
    YIELDS (Result): The results, in the order of the jobs.
    RAISES (UccaError): If a process has been ended from outside. An error in a job is raised here.
    """
    n_process = n_process if n_process > 0 else multiprocessing.cpu_count()
    jobs = iter(jobs)
    first = list(islice(jobs, n_process if n_process > 1 else 0))
    jobs = chain(first, jobs)
    n_process = min(n_process, len(first))  # each loads the pipeline, with or without a job
    if n_process < 2:
        yield from map(start(), jobs)
        return
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(n_process, initializer=_start, initargs=(start,))
    waiting: deque[Future[Result]] = deque()
    try:
        for job in jobs:
            waiting.append(executor.submit(_do, job))
            while len(waiting) >= AHEAD * n_process or (waiting and waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        executor.shutdown()
    except BrokenProcessPool:
        raise UccaError(Errors.UC520) from None
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()


def _start(start: Callable[[], Callable[[Any], Any]]) -> None:
    """Make a process ready for jobs."""
    global _failed, _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches all; the parent ends them
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _work = start()
    except Exception as err:
        _failed = err


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)


def _do(job: Any) -> Any:
    if _failed is not None:
        raise _failed
    assert _work is not None
    return _work(job)
