"""Products of matrices: on one thread, and by NumPy in Thinc's layers; and the context that a batch is parsed in.

NumPy's BLAS knows newer processors than the one that comes with Thinc.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from thinc.api import NumpyOps
from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from spacy.language import Language


_LOCK = Lock()
_users = 0  # of the limit
_limit: Any = None


@cache
def _libraries() -> Any:
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Use one thread for products of matrices, as a context or a decorator.

    The products of a parser are small. OpenBLAS divides them among threads that wait for each other: on idle cores that saves a
    sixth of the time and takes twice the CPU time; where another program uses these cores, it takes five times as long
    (`benchmarks/bench_blas.py`). Its limit is that of the process: the first of several threads sets it, and the last takes it away.
    """
    global _users, _limit
    with _LOCK:
        if not _users:
            _limit = _libraries().limit(limits=1)
            _limit.__enter__()
        _users += 1
    try:
        yield
    finally:
        with _LOCK:
            _users -= 1
            if not _users:
                _limit.__exit__(None, None, None)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Use one thread for products of matrices, and pause Python's cyclic garbage collector, as a context or a decorator.

    A batch makes tens of thousands of small lists that live until its end. The collector walks over them again and
    again and finds nothing to free, which is an eighth of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        with _libraries().limit(limits=1):
            yield
    finally:
        if enabled:
            gc.enable()


def set_one_blas_thread() -> None:
    """Use one thread from now on, such as in a process that has the libraries of its parent."""
    _libraries().limit(limits=1)


class NumpyProducts(NumpyOps):
    """`NumpyOps` with products of matrices by NumPy, on one thread. Values differ in the sixth digit."""

    def __init__(self) -> None:
        super().__init__(use_blis=False)

    def gemm(self, x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        with one_blas_thread():
            return super().gemm(x, y, *args, **kwargs)


def create_numpy_products() -> "Callable[[Language], Language]":
    """Create a callback for `nlp.after_pipeline_creation` of a config: all components on the CPU multiply matrices by NumPy.
    Layers that use a GPU or operations of another package stay as they are.

    RETURNS (Callable[[Language], Language]): The callback.
    """
    return use_numpy_products


def use_numpy_products(nlp: "Language") -> "Language":
    """Let the components of a pipeline multiply matrices by NumPy.

    nlp (Language): The pipeline; changed in place.
    RETURNS (Language): The same pipeline.
    """
    replace_ops(nlp, NumpyOps, NumpyProducts())
    return nlp


def replace_ops(nlp: "Language", kind: type[NumpyOps], ops: NumpyOps) -> None:
    """Give other operations to the layers of a pipeline that have those of one class.

    nlp (Language): The pipeline; changed in place.
    kind (Type[NumpyOps]): The class; layers with operations of classes derived from it stay.
    ops (NumpyOps): The operations.
    """
    for _, pipe in nlp.pipeline:
        model: Any = getattr(pipe, "model", None)
        for layer in model.walk() if hasattr(model, "walk") else ():
            if type(layer.ops) is kind:
                layer.ops = ops
