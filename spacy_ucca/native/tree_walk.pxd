# cython: language_level=3
# The C types of `tree_walk.py`, for Cython alone; see `state.pxd`.
cimport cython

cdef int ROOT
cdef cython.longlong BITS_MASK

@cython.locals(
    stack=list, parents=list, ranks=list, kids=list, count=cython.Py_ssize_t, node=int, parent=cython.Py_ssize_t,
    rank=int, head=int, first=int, last=int, n_kids=int, i=cython.Py_ssize_t, heads=list, firsts=list, lasts=list,
    labels=list, heights=list, bits=list, steps=list, below=list,
)
cpdef list_units(
    state, Py_ssize_t start, int offset, list nodes, int[:, ::1] columns, cython.longlong[::1] child_bits
)

@cython.locals(
    first=list, label=list, below=list, terminals=list, is_implicit=list, sure=dict, numbers=list, stack=list,
    node=int, unit=int, token=int, children=list, last=int, child=int, number=int,
)
cpdef list_edges(
    state, tokens, parts, implicit, tuple terminal, edge, list edges, list kinds, dict scores
)
