"""Processes do what one does, whichever of them die, and end with their parent, however it ends."""

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from pickle import PickleError
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_ucca.distributed.workers import THREADS, divide, run_jobs
from spacy_ucca.errors import UccaError

TIMEOUT = 60
SLEEPS, KILLS, FAILS, KILLS_ONCE, EXITS, UNSENDABLE = range(-1006, -1000)
PROGRAM = """
import os, sys, time
from spacy_ucca.distributed.workers import run_jobs

def start():
    print(os.getpid(), flush=True)
    return lambda job: time.sleep(1000)

if __name__ == "__main__":
    list(run_jobs(start, [[1], [2]], 2, lost=lambda *_: None))
"""


def start(factor: int, folder: Path | None = None) -> Callable[[list[int]], list[int]]:
    if factor == 0:
        raise UccaError("cannot start")
    if factor == -1:
        os.kill(os.getpid(), signal.SIGKILL)

    def work(job: list[int]) -> list[Any]:
        for item in job:
            if item == FAILS:
                raise UccaError("bad job")
            if item == KILLS:
                os.kill(os.getpid(), signal.SIGKILL)
            if item == EXITS:
                os._exit(3)
            if item == KILLS_ONCE and not (folder / "killed").exists():
                (folder / "killed").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            if item == SLEEPS:
                time.sleep(1000)
            if item == UNSENDABLE:
                return [lambda: None]
        return [factor * item for item in job]

    return work


def lost(item: int, reason: str) -> list[Any]:
    return [(item, reason)]


def run(factor: int, jobs: Iterable[list[int]], n_process: int, folder: Path | None = None) -> Any:
    return run_jobs(partial(start, factor, folder), jobs, n_process, lost=lost)


def flat(results: Iterable[list[Any]]) -> list[Any]:
    return [item for result in results for item in result]


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_jobs_are_all_items() -> None:
    items = ["x" * size for size in (0, 1, 30_000, 5, 19_999, 1, *[10] * 200)]
    jobs = list(divide(items, len))
    assert flat(jobs) == items and [] not in jobs
    assert all(sum(map(len, job[:-1])) < 20_000 and len(job) <= 64 for job in jobs)


@pytest.mark.parametrize("n_process", [1, 2, 3])
def test_results_are_in_order(n_process):
    for n in (0, 1, 50):
        found = run(3, ([i, -i] for i in range(n)), n_process)
        assert list(found) == [[3 * i, -3 * i] for i in range(n)]
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(("jobs", "expected"), [(0, 0), (1, 1), (2, 2), (9, 3)])
def test_no_process_is_without_a_job(jobs, expected):
    results = run(1, ([i] for i in range(jobs)), 3)
    next(results, None)
    assert len(multiprocessing.active_children()) == expected
    results.close()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.parametrize(
    ("factor", "jobs", "message"), [(1, [[1], [FAILS], [SLEEPS]], "bad"), (0, [[1], [1]], "cannot")]
)
def test_an_error_ends_all_at_once(factor, jobs, message, n_process):
    with pytest.raises(UccaError, match=message):
        list(run(factor, jobs, n_process))
    assert not multiprocessing.active_children()


def test_an_error_of_the_jobs_ends_all():
    def jobs():
        yield [SLEEPS]
        raise KeyError("the text")

    with pytest.raises(KeyError, match="the text"):
        list(run(1, jobs(), 2))
    assert not multiprocessing.active_children()


def test_what_cannot_be_sent_is_an_error():
    with pytest.raises((AttributeError, PickleError), match="lambda"):
        list(run(1, [[1], [UNSENDABLE]], 2))


def test_who_takes_no_more_results_ends_all():
    with closing(run(1, [[1], [2], [SLEEPS], [SLEEPS]], 2)) as results:
        assert next(results) == [1]
    assert not multiprocessing.active_children()


def test_few_jobs_are_taken_ahead():
    jobs = ([i] for i in range(1000))
    with closing(run(1, jobs, 2)) as results:
        next(results)
        time.sleep(0.1)
        next(results)
        assert next(jobs)[0] <= 20


def test_large_jobs_and_results_hold_up_nobody():
    jobs = [[i] * 100_000 for i in range(20)]
    with closing(run(1, jobs, 2)) as results:
        for result, job in zip(results, jobs, strict=True):
            assert result == job


# Processes that die


def test_a_process_that_dies_is_named_and_its_job_tried_again(tmp_path):
    with pytest.warns(UserWarning, match="UW560") as warned:
        found = list(run(1, [[1, 2], [3, KILLS_ONCE, 5], [6]], 2, tmp_path))
    assert found == [[1, 2], [3, KILLS_ONCE, 5], [6]]
    (message,) = [str(w.message) for w in warned]
    assert "SIGKILL" in message and "tried again" in message
    assert "3 inputs, from 3 to 5" in message
    assert message.split()[2].isdigit()


@pytest.mark.parametrize(("item", "how"), [(KILLS, "SIGKILL"), (EXITS, "exit code 3")])
def test_only_the_item_that_kills_is_lost(item, how):
    with pytest.warns(UserWarning, match="UW560") as warned:
        found = flat(run(1, [[1, 2], [3, item, 5], [6], [7, 8]], 2))
    assert [x if isinstance(x, int) else x[0] for x in found] == [1, 2, 3, item, 5, 6, 7, 8]
    (reason,) = [x[1] for x in found if not isinstance(x, int)]
    assert "UC560" in reason and how in reason
    ends = ["tried again", "one by one", "tried again", "left out"]
    assert all(end in str(w.message) for end, w in zip(ends, warned, strict=True))


@settings(max_examples=10)
@given(
    st.lists(st.lists(st.sampled_from([1, 2, 3, 4, KILLS]), min_size=1, max_size=3), max_size=9),
    st.sampled_from([2, 3]),
)
@pytest.mark.slow
def test_nothing_is_lost_and_nothing_double(jobs, n_process):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = flat(run(1, jobs, n_process))
    assert [x if isinstance(x, int) else x[0] for x in found] == flat(jobs)
    assert all(isinstance(x, int) == (y != KILLS) for x, y in zip(found, flat(jobs), strict=True))
    assert not multiprocessing.active_children()


@pytest.mark.filterwarnings("ignore:.*UW560")
def test_processes_that_are_killed_from_outside_lose_nothing():
    found = []
    with closing(run(1, ([i] for i in range(500)), 2)) as results:
        for result in results:
            found += result
            if len(found) in (50, 100):  # so far apart that no job can be the victim of both
                for process in multiprocessing.active_children():
                    os.kill(process.pid, signal.SIGKILL)
    assert found == list(range(500))


def test_processes_that_cannot_start_end_it():
    with (
        pytest.warns(UserWarning, match="UW560"),
        pytest.raises(UccaError, match=r"UC561.*SIGKILL"),
    ):
        list(run(-1, [[1], [2], [3]], 2))
    assert not multiprocessing.active_children()


# Threads


# How NumPy's wheels call the function of OpenBLAS, and others do
GET_THREADS = (
    "scipy_openblas_get_num_threads64_",
    "scipy_openblas_get_num_threads",
    "openblas_get_num_threads64_",
    "openblas_get_num_threads",
)


def threads_of(job: list[int]) -> list[Any]:
    import numpy._core._multiarray_umath as numpy_module

    library = ctypes.CDLL(numpy_module.__file__)
    counts = [getattr(library, name)() for name in GET_THREADS if hasattr(library, name)]
    return [os.environ.get("OMP_NUM_THREADS"), *counts[:1]]


@pytest.mark.parametrize("chosen", [None, "2"])
def test_a_process_has_one_thread_unless_told_otherwise(chosen, monkeypatch):
    for name in THREADS:
        monkeypatch.delenv(name, raising=False)
    if chosen:
        monkeypatch.setenv("OMP_NUM_THREADS", chosen)
    before = threads_of([])
    results = run_jobs(lambda: threads_of, [[1], [2]], 2, lost=lost)
    for found in results:
        assert found == (["1", 1][: len(found)] if chosen is None else before)
    assert threads_of([]) == before


# The parent


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_processes_end_with_their_parent(number, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf8")
    pipe = subprocess.PIPE
    # A session of its own: Ctrl+C of a terminal reaches the whole group
    parent = subprocess.Popen(
        [sys.executable, program],
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
        # A shell that starts tests in the background lets them ignore Ctrl+C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert parent.stdout is not None and parent.stderr is not None
    workers = [int(parent.stdout.readline()) for _ in range(2)]
    assert all(map(is_alive, workers))
    if number == signal.SIGINT:
        os.killpg(parent.pid, number)
    else:
        parent.send_signal(number)
    try:
        wait_until(lambda: parent.poll() is not None)
        wait_until(lambda: not any(map(is_alive, workers)))
        assert "Process" not in parent.stderr.read()  # as workers begin their tracebacks
    finally:
        for pid in workers:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        parent.kill()
        parent.wait()
        parent.stdout.close()
        parent.stderr.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")
def test_a_job_of_which_nothing_may_be_lost_is_tried_until_it_is_done(tmp_path):
    def work(job: list[int]) -> list[int]:
        if job == [1] and len(tries := [*tmp_path.iterdir()]) < 4:
            (tmp_path / str(len(tries))).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return job

    told: list[int] = []
    with pytest.warns(UserWarning, match="UW560"):
        results = run_jobs(
            lambda: work, [[1], [2]], 2, lost=None, ready=lambda: told.append(len(told))
        )
        assert [*results] == [[1], [2]]
    assert told == [0] and len([*tmp_path.iterdir()]) == 4


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")
def test_a_process_that_does_not_hear_the_signal_is_killed(monkeypatch):
    def start() -> Callable[[list[int]], list[int]]:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return lambda job: job if job == [1] else time.sleep(1000) or job

    monkeypatch.setattr("spacy_ucca.distributed.workers.END_SECONDS", 0.2)
    results = run_jobs(start, [[1], [2]], 2, lost=None)
    assert next(results) == [1]
    begun = time.monotonic()
    results.close()
    assert time.monotonic() - begun < TIMEOUT
