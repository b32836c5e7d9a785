"""Do jobs in several processes of this machine, in order. A process that dies costs at most the item that kills it; an error
ends them all, and they end with their parent, however it ends.
"""

import multiprocessing
import os
import signal
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from multiprocessing import connection
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

from ..errors import Errors, UccaError, Warnings
from ..layers.numpy_products import set_one_blas_thread

JOB_SIZE = 20_000  # characters, or bytes of a file: about a second
JOB_ITEMS = 64
AHEAD = 3  # jobs in the hands of a process: one in work, the others so that it need not wait
WINDOW = 8  # jobs a process that are taken ahead of the next result: a slow one does not stop the others at once
TRIES = 2  # of each job whose process dies
END_SECONDS = 8  # for a process to end when it is told to; containers give 10
STARTS = 3  # processes in a row that die before they are ready
# Read when NumPy or PyTorch is first imported
THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
)
Item = TypeVar("Item")
Result = TypeVar("Result")


def divide(
    items: Iterable[Item], size: Callable[[Item], int], limit: int | None = None
) -> Iterator[list[Item]]:
    """Divide items into jobs.

    items (Iterable[Item]): The items.
    size (Callable[[Item], int]): The size of an item, such as its characters.
    limit (Optional[int]): The size that ends a job; None: about a second's work, of a few items.
    YIELDS (List[Item]): The items of a job.
    """
    job: list[Item] = []
    total = 0
    for item in items:
        job.append(item)
        total += size(item)
        is_long = limit is None and len(job) == JOB_ITEMS
        if is_long or total >= (limit or JOB_SIZE):
            yield job
            job, total = [], 0
    if job:
        yield job


def run_jobs(
    start: Callable[[], Callable[[list[Item]], Result]],
    jobs: Iterable[list[Item]],
    n_process: int,
    *,
    lost: Callable[[Item, str], Result] | None,
    name: Callable[[Item], str] = str,
    ready: Callable[[], None] = lambda: None,
) -> Generator[Result, None, None]:
    """Do jobs, in this process or in others.

    If a process dies, a warning names it and what it had. Its job is tried again in a new process. If that dies too, the items
    of the job are tried one by one, so that only the one that kills its process is lost.

    start (Callable[[], Callable[[List[Item]], Result]]): Called once in each process; what it returns does a job. Both can be
        pickled, as items and results can.
    jobs (Iterable[List[Item]]): The jobs. Only a few are taken ahead of those that are done.
    n_process (int): The number of processes, no more than there are jobs. With 1 there is no other than this; -1: one for each
        core.
    lost (Optional[Callable[[Item, str], Result]]): Gives the result for an item that kills its process, by the reason; None: a job is
        tried until it is done.
    name (Callable[[Item], str]): Names an item in messages.
    ready (Callable[[], None]): Called when the first process is ready.
    YIELDS (Result): The results in the order of the jobs: one for each, or one for each item of it.
    RAISES (UccaError): If processes die before they are ready. An error in a job is raised here, at once.
    """
    n_process = n_process if n_process > 0 else multiprocessing.cpu_count()
    jobs = iter(jobs)
    first = list(islice(jobs, n_process > 1))
    if not first:  # without a job, too, so that a mistake in `start` is told
        work = start()
        ready()
        yield from map(work, jobs)
        return
    pool = _Pool(start, n_process, lost, name, ready)
    try:
        yield from pool.run(chain(first, jobs))
    finally:
        pool.end()


@dataclass(eq=False)
class _Task(Generic[Item]):
    """A job on its way. `result` holds the result when it is done."""

    items: list[Item]
    tries: int = 0
    result: Any = None
    is_done: bool = False

    def finish(self, result: Any) -> None:
        self.result, self.is_done = result, True


class _Worker:
    """A process with the tasks that it has, in order: it works on the first."""

    def __init__(self, start: Callable[[], Any]) -> None:
        self.connection, other = multiprocessing.Pipe()
        with one_thread() as pin:
            self.process = multiprocessing.Process(
                target=serve_jobs, args=(start, other, self.connection, pin), daemon=True
            )
            self.process.start()
        other.close()  # only the process has it: it closes when the process dies
        self.tasks: deque[_Task[Any]] = deque()
        self.is_ready = False

    def give(self, task: _Task[Any]) -> None:
        self.tasks.append(task)
        with suppress(OSError):  # it has died, which is seen when its answer is waited for
            self.connection.send(task.items)

    def end(self) -> str:
        """RETURNS (str): How the process ended, after it has."""
        self.process.join()
        self.connection.close()
        code = self.process.exitcode or 0
        return f"exit code {code}" if code >= 0 else _signal_name(-code)


@dataclass
class _Pool(Generic[Item, Result]):
    """Processes and their tasks. See `run_jobs`.

    order: The tasks whose results are not yet taken, in order.
    pending: Those of them that a process had and another has to do.
    """

    start: Callable[[], Callable[[list[Item]], Result]]
    n_process: int
    lost: Callable[[Item, str], Result] | None
    name: Callable[[Item], str]
    ready: Callable[[], None]
    workers: list[_Worker] = field(default_factory=list)
    order: list[_Task[Item]] = field(default_factory=list)
    pending: deque[_Task[Item]] = field(default_factory=deque)
    failed_starts: int = 0
    is_ready: bool = False

    def run(self, jobs: Iterator[list[Item]]) -> Iterator[Result]:
        """YIELDS (Result): The results, in order."""
        self._hand_out(jobs)
        while self.order:
            if is_done := self.order[0].is_done:
                yield self.order.pop(0).result
            self._collect(wait=not is_done)
            self._hand_out(jobs)

    def end(self) -> None:
        """End all processes."""
        for worker in self.workers:
            worker.process.terminate()
        for worker in self.workers:
            worker.process.join(END_SECONDS)
            worker.process.kill()  # the signal may reach it before it can be heard
            worker.end()

    def _hand_out(self, jobs: Iterator[list[Item]]) -> None:
        """Give tasks to the processes, and start those that are missing."""
        while True:
            free = min(self.workers, key=lambda worker: len(worker.tasks), default=None)
            is_full = len(self.workers) == self.n_process
            if is_full and free is not None and len(free.tasks) == AHEAD:
                return
            task = self.pending.popleft() if self.pending else self._next_task(jobs)
            if task is None:
                return
            if free is None or (not is_full and (free.tasks or task.tries)):
                free = _Worker(self.start)
                self.workers.append(free)
            free.give(task)

    def _next_task(self, jobs: Iterator[list[Item]]) -> _Task[Item] | None:
        if len(self.order) >= WINDOW * self.n_process or (job := next(jobs, None)) is None:
            return None
        self.order.append(_Task(job))
        return self.order[-1]

    def _collect(self, *, wait: bool) -> None:
        """Take the results that processes have, and see which have died. It can wait until there is one."""
        ends: dict[Any, _Worker] = {worker.connection: worker for worker in self.workers}
        ends |= {worker.process.sentinel: worker for worker in self.workers}
        for worker in {ends[end] for end in connection.wait(ends, None if wait else 0)}:
            try:
                if not worker.connection.poll():  # what it sent before it died counts
                    raise EOFError
                succeeded, value = worker.connection.recv()
            except (EOFError, OSError):
                self._replace(worker)
                continue
            if not succeeded:
                raise value
            if worker.is_ready:
                worker.tasks.popleft().finish(value)
            elif not self.is_ready:
                self.is_ready = True
                self.ready()
            worker.is_ready, self.failed_starts = True, 0

    def _replace(self, worker: _Worker) -> None:
        """Let other processes do the tasks of one that has died.

        RAISES (UccaError): If too many in a row have died before they were ready.
        """
        how = worker.end()
        self.workers.remove(worker)
        if not worker.is_ready:
            self.failed_starts += 1
            if self.failed_starts == STARTS:
                raise UccaError(Errors.UC561.format(how=how))
        if worker.tasks:
            task, *others = worker.tasks
            self.pending.extendleft(reversed(others))  # it had not begun with them
            task.tries += worker.is_ready
            death = {"pid": worker.process.pid, "how": how}
            then = self._try_again(task, Errors.UC560.format(**death))
            inputs = self._names(task.items)
            warnings.warn(Warnings.UW560.format(**death, then=then, inputs=inputs), stacklevel=2)

    def _try_again(self, task: _Task[Item], reason: str) -> str:
        """Let a task that a process died of be done again, whole or in parts, or not. RETURNS (str): Which of these."""
        if self.lost is None or task.tries < TRIES:
            self.pending.appendleft(task)
            return "tried again in a new process"
        if len(task.items) > 1:
            parts = [_Task([item]) for item in task.items]
            place = self.order.index(task)
            self.order[place : place + 1] = parts
            self.pending.extendleft(reversed(parts))
            return "tried one by one"
        task.finish(self.lost(task.items[0], reason))
        return "left out"

    def _names(self, items: list[Item]) -> str:
        first, last = self.name(items[0]), self.name(items[-1])
        return first if len(items) == 1 else f"{len(items)} inputs, from {first} to {last}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@contextmanager
def one_thread() -> Iterator[bool]:
    """Give processes that start within one thread for linear algebra, unless the environment says how many.

    YIELDS (bool): Whether it does not, so that libraries which are loaded already have to be told (`serve_jobs`).
    """
    if any(name in os.environ for name in THREADS):
        yield False
        return
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield True
    finally:
        for name in THREADS:
            os.environ.pop(name, None)


def serve_jobs(
    start: Callable[[], Callable[[Any], Any]],
    pipe: "Connection[Any, Any]",
    other: "Connection[Any, Any]",
    pin: bool,
) -> None:
    """Do jobs until the process is ended, or its parent ends.

    start (Callable[[], Callable[[Any], Any]]): What it returns does a job.
    pipe (Connection): Gives jobs. Takes `(True, None)` when the process is ready, then `(True, result)` for each job, and
        `(False, error)` after an error, which is the last.
    other (Connection): Its other end, which is closed here: so it ends with the parent, which has it too.
    pin (bool): Whether to set the libraries that a fork has from its parent to one thread.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches all; the parent ends them
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    other.close()
    if pin:
        set_one_blas_thread()
    jobs: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_receive, args=(pipe, jobs), daemon=True).start()
    try:
        work = start()
        pipe.send((True, None))
        while True:  # a result is sent before the next job begins: so the parent knows which job a process died of
            pipe.send((True, work(jobs.get())))
    except Exception as err:
        _send_error(pipe, err)


def _receive(pipe: "Connection[Any, Any]", jobs: "SimpleQueue[Any]") -> None:
    try:
        while True:
            jobs.put(pipe.recv())
    finally:  # the parent has ended
        os._exit(1)


def _send_error(pipe: "Connection[Any, Any]", error: Exception) -> None:
    with suppress(OSError):  # the parent has ended
        try:
            pipe.send((False, error))
        except Exception:  # it cannot be pickled
            pipe.send((False, RuntimeError(repr(error))))
