# cython: language_level=3
# The C types of `greedy.py`, for Cython alone.
cimport cython

from spacy_ucca.native._rows cimport fill_row
from spacy_ucca.native._state cimport State, Syntax, tree_apply, tree_key

cdef extern from "math.h":
    cpdef double exp(double x)
    cpdef double log(double x)

@cython.locals(
    n_slots=cython.Py_ssize_t, width=cython.Py_ssize_t, missing=cython.Py_ssize_t,
    n_categories=cython.Py_ssize_t, n_actions=cython.Py_ssize_t, n_bit_sets=cython.Py_ssize_t,
    n_bits=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t,
    at=cython.Py_ssize_t, start=cython.Py_ssize_t, rules=cython.Py_ssize_t, left=cython.longlong,
    state=State, syntax=Syntax, found=list, key=int, best=cython.Py_ssize_t,
    stuck=cython.Py_ssize_t, zero=cython.Py_ssize_t, n=cython.Py_ssize_t, n_nan=int, i4=cython.Py_ssize_t, b=cython.Py_ssize_t,
    c=cython.Py_ssize_t, d=cython.Py_ssize_t, w=float, x=float, y=float, z=float, is_stuck=cython.bint, total=double, top=double,
)
cpdef bint greedy_tree(
    const cython.longlong[::1] program, cython.longlong[::1] work, list codes,
    cython.longlong[::1] row, list states, list syntaxes, const int[::1] places,
    const cython.longlong[::1] starts, const float[:, :, ::1] table, const float[:, ::1] values,
    const int[::1] offsets, const float[:, ::1] flags, const float[::1] bias,
    const float[:, ::1] output, const float[::1] output_bias,
    const unsigned char[:, ::1] allowed, const cython.longlong[::1] guidelines,
    const int[::1] moves, list labels, list ranks, int max_chain, int max_swaps,
    cython.longlong[::1] active, float[:, ::1] hidden, float[::1] scores, list log_probs
) except -1
