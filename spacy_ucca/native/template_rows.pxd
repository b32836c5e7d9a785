# cython: language_level=3
# The C types of `template_rows.py`, for Cython alone; see `state.pxd`.
cimport cython

cdef int NO_GAP
cdef int PASS
cdef int GAP
cdef list _HOW, _FROM, _WHAT, _WHOSE, _PARENTS, _CHILDREN, _LABELED, _BACK
cdef int _N_NODES
cdef int _N_WHAT
cdef int _N_EDGES
cdef int _N_BACK

@cython.locals(i=cython.Py_ssize_t)
cpdef fill_template_rows(list codes, list states, list syntaxes, cython.longlong[:, ::1] rows)

@cython.locals(
    stack=list, buffer=list, children=list, head=list, label=list, parents=list, first=list,
    last=list, terminals=list, ranks=list, remotes=list, history=list, nodes=list, i=int, how=int, start=int,
    node=int, at=int, gap_of=int, gap=int, length=int, what=int, n=int, child=int, found=int,
    back=int,
)
cpdef fill_template_row(object state, list codes, cython.longlong[::1] row)

@cython.locals(n=int, i=int, kid=int, found=int)
cdef int _child(list kids, list first, list last, int how) except -2

cdef int _edge(object state, int node, int child, list parents, list label) except -2

@cython.locals(n=int, todo=list, found=int)
cdef int _gap_length(int node, list children, list first, list last, list terminals) except -2

@cython.locals(child=int)
cdef bint _has_gap_below(
    int node, list children, list first, list last, list terminals
) except -1
