"""What runs in a process of `workers.py`: one thread receives jobs, so that the parent never waits to send one; the other does
them.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any

from ..layers.numpy_products import set_one_blas_thread

# Read when NumPy or PyTorch is first imported
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


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
