# cython: language_level=3
# The C types of `tree_walk.py`, for Cython alone; see `state.pxd`.
cimport cython

cdef int ROOT
cdef cython.longlong BITS_MASK

@cython.locals(
    stack=list, parents=list, ranks=list, kids=list, begin=cython.Py_ssize_t, count=int, node=int,
    parent=int, rank=int, depth=int, head=int, last=int, n_kids=int, i=int, at=int, end=int, heads=list,
    firsts=list, lasts=list, labels=list, heights=list, bits=list, steps=list, below=list,
)
cpdef list_units(state, int start, int offset, list nodes, list columns)

@cython.locals(
    first=list, label=list, below=list, terminals=list, is_implicit=list, sure=dict, numbers=list, stack=list,
    node=int, unit=int, token=int, children=list, last=int, child=int, number=int,
)
cpdef list_edges(
    state, tokens, parts, implicit, tuple terminal, edge, list edges, list kinds, dict scores
)
