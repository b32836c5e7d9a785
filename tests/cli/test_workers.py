"""Processes do what one does, and end with their parent, however it ends."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial

import pytest

from spacy_ucca.cli._workers import run_jobs
from spacy_ucca.errors import UccaError

TIMEOUT = 60
PROGRAM = """
import os, sys, time
from spacy_ucca.cli._workers import run_jobs

def start():
    print(os.getpid(), flush=True)
    return time.sleep

if __name__ == "__main__":
    list(run_jobs(start, [1000, 1000], 2))
"""


def start(factor: int) -> Callable[[int], int]:
    if factor == 0:
        raise UccaError("cannot start")

    def work(job: int) -> int:
        if job == -1:
            raise UccaError("bad job")
        if job == -2:
            os.kill(os.getpid(), signal.SIGKILL)
        if job == -3:
            time.sleep(1000)
        return factor * job

    return work


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


@pytest.mark.parametrize("n_process", [1, 2, 3])
def test_results_are_in_order(n_process):
    for n in (0, 1, 50):
        assert list(run_jobs(partial(start, 3), range(n), n_process)) == [3 * i for i in range(n)]
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(("jobs", "expected"), [(0, 0), (1, 0), (2, 2), (9, 3)])
def test_no_process_is_without_a_job(jobs, expected):
    results = run_jobs(partial(start, 1), range(jobs), 3)
    next(results, None)
    assert len(multiprocessing.active_children()) == expected
    results.close()


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.parametrize(
    ("factor", "jobs", "message"), [(1, [1, -1, -3], "bad"), (0, [1, 1], "cannot")]
)
def test_an_error_ends_all(factor, jobs, message, n_process):
    with pytest.raises(UccaError, match=message):
        list(run_jobs(partial(start, factor), jobs, n_process))
    wait_until(lambda: not multiprocessing.active_children())


def test_who_takes_no_more_results_ends_all():
    with closing(run_jobs(partial(start, 1), [1, 2, -3, -3], 2)) as results:
        assert next(results) == 1
    wait_until(lambda: not multiprocessing.active_children())


def test_a_process_that_is_killed_is_named():
    with pytest.raises(UccaError, match="UC520"):
        list(run_jobs(partial(start, 1), [1, -2, 3], 2))


def test_few_jobs_are_taken_ahead():
    jobs = iter(range(1000))
    with closing(run_jobs(partial(start, 1), jobs, 2)) as results:
        next(results)
        assert next(jobs) <= 10


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
