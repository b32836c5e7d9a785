"""Memory that is used again: nobody ever has what another one has."""

import gc
import importlib
import random
import tracemalloc

import numpy
import pytest
from spacy.language import Language

from spacy_ucca.layers import arrays as module
from spacy_ucca.layers.arrays import SCRATCH, Scratch

TEXT = "John moved to Paris, and Mary wanted to follow him. They met again in spring."


def test_arrays_that_are_out_share_nothing():
    scratch, rng, out = Scratch(), random.Random(0), []
    for number in range(300):
        if out and rng.random() < 0.5:
            array, value = out.pop(rng.randrange(len(out)))
            assert (array == value).all()
            scratch.give(array)
        else:
            shape = [rng.randrange(6) for _ in range(rng.randrange(1, 4))]
            array = scratch.take(*shape)
            assert array.shape == tuple(shape) and array.dtype == "float32"
            assert array.flags.c_contiguous
            array[:] = number
            out.append((array, number))
    assert all((array == value).all() for array, value in out)


def test_what_is_given_back_is_taken_again():
    scratch = Scratch()
    small, large = scratch.take(3, 5), scratch.take(200)
    for array in (large, small):
        scratch.give(array)
    assert numpy.shares_memory(scratch.take(4, 4), small)  # the smallest that is large enough
    assert numpy.shares_memory(scratch.take(17), large)
    assert len(scratch) == 0


@pytest.mark.parametrize(("limit", "kept"), [(0, 0), (63, 0), (64, 1), (320, 2), (10**6, 3)])
def test_no_more_is_kept_than_the_limit(limit, kept):
    scratch = Scratch(limit)
    for array in [scratch.take(n) for n in (16, 64, 16)]:  # 64 and 256 bytes
        scratch.give(array)
    assert len(scratch) == kept


@pytest.mark.filterwarnings("ignore:.*UW301")
def test_the_parser_gives_back_what_it_took(trained: Language):
    trained(TEXT)
    gc.collect()
    before = len(SCRATCH)
    for _ in range(3):
        trained(TEXT)
    gc.collect()
    assert len(SCRATCH) == before > 0


def test_importing_takes_no_memory() -> None:
    """What is imported wherever spaCy is must leave the process as it is."""
    kept = vars(module).copy()
    tracemalloc.start()
    try:
        importlib.reload(module)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
        vars(module).update(kept)
