# cython: language_level=3
# The C types of `rows.py`, for Cython alone; see `state.pxd`.
cimport cython

from spacy_ucca.native._state cimport State, Syntax

cdef int ROOT, N_BUCKETS
cdef cython.longlong BITS_MASK
cdef int _LABEL, _HEAD, _FIRST, _LAST, _TYPE, _CHILDREN, _HEIGHT, _LENGTH, _CHAIN, _BITS, _SUBTREE
cdef int _RELATION, _GOVERNOR, _SPACE, _SPACE_TO_HEAD, _ACTION, _STACK_SIZE, _BUFFER_SIZE
cdef int _ACTION_CODE, _TERMINAL, _EDGE_LABEL, _GAP_TYPE, _GAP_LENGTH, _PARENTS, _EDGE
cdef int _ALL_CHILDREN, _REMOTE_CHILDREN, _LABEL_BETWEEN

@cython.locals(i=cython.Py_ssize_t)
cpdef fill_rows(
    const cython.longlong[::1] program, cython.longlong[::1] work, list codes, list states,
    list syntaxes, cython.longlong[:, ::1] rows
)

@cython.locals(
    stack=list, buffer=list, history=list, children=list, label=list, heads=list, size=int,
    n_buffer=int, steps=int, n_nodes=int, n_columns=int, next_head=int, at=int, i=int, way=int,
    start=int, node=int, head=int, first=int, last=int, gap_of=int, gap=int, length=int, what=int,
    a=int, b=int,
)
cpdef fill_row(
    const cython.longlong[::1] program, cython.longlong[::1] work, list codes, State state,
    Syntax syntax, cython.longlong[::1] row
)

cpdef int _bucket(int n) except -1

cdef int _space(int last, int first) except -1

cdef int _type(State state, int node) except -1

@cython.locals(at=int)
cdef int _governor(
    Syntax syntax, int head, int first, int last, int other_first, int other_last, int b0
) except -1

@cython.locals(left=int, right=int)
cdef int _subtree(Syntax syntax, int head, int first, int last) except -1

@cython.locals(kids=list, ends=list, n=int, i=int, kid=int, found=int)
cdef int _child(State state, int node, int way) except -2

@cython.locals(above=int, below=int, name=int)
cdef int _edge(State state, int node, int child) except -2

@cython.locals(n=int, above=int)
cdef int _remote_children(State state, int node) except -1

@cython.locals(n=int, todo=list, found=int)
cdef int _gap_length(State state, int node) except -2

@cython.locals(child=int)
cdef bint _has_gap_below(State state, int node) except -1
