"""Let NumPy multiply matrices on one thread while a batch is parsed or learned from."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _libraries() -> Any:
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Use one thread for products of matrices, as a context or a decorator.

    The products of a parser are small. OpenBLAS divides them among threads that wait for each other: on idle cores that saves a
    sixth of the time and takes twice the CPU time; where another program uses these cores, it takes five times as long
    (`benchmarks/bench_blas.py`). Its limit is that of the process: of several threads, threadpoolctl lets one set it.
    """
    with _libraries().limit(limits=1):
        yield


def set_one_blas_thread() -> None:
    """Use one thread from now on, such as in a process that has the libraries of its parent."""
    _libraries().limit(limits=1)
