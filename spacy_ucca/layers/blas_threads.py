"""Let NumPy multiply matrices on one thread while a batch is parsed or learned from."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]


@cache
def _libraries() -> Any:
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Use one thread for products of matrices, as a context or a decorator.

    The products of a parser are small. OpenBLAS divides them among threads that wait for each other: that gains a tenth of the
    time of training and nothing in parsing on idle cores, and takes four times as long where other programs use these too.
    Its limit is that of the process: of several threads, threadpoolctl lets one set it.
    """
    with _libraries().limit(limits=1):
        yield
