# cython: language_level=3
# The C types of `state.py`, for Cython alone. What is not named here is a Python object: labels are,
# as bit sets of labels have no limit.
cimport cython

cdef int _SHIFT
cdef int _MERGE
cdef int _NODE
cdef int _LEFT
cdef int _RIGHT
cdef int _SWAP
cdef cython.longlong BITS_MASK


@cython.final
cdef class State:
    cdef public list stack, buffer, history, remotes, links
    cdef public set exchanged
    cdef public dict pairs, remote_parents, scores, pair_scores
    cdef public object log_probs
    cdef public int n_tokens, n_units, n_implicit, n_linkage, leaving, steps, swaps
    cdef public bint done
    cdef public list parent, label, children, child_labels, terminals, head, rank, first, last
    cdef public list height, order, chain, implicit, is_token, linkage, when

    cpdef int add_node(self, int token=*, double order=*) except -1

    @cython.locals(other=State, nodes=list, node=int)
    cpdef State copy(self)

    @cython.locals(s0=int, s1=int)
    cpdef bint can_exchange(self) except -1

    @cython.locals(s0=int, s1=int)
    cpdef exchange(self)

    cpdef add_token(self, int node, int token)

    @cython.locals(head=int, best=int, first=int, last=int, height=int)
    cpdef attach(self, int parent, int child, label, int rank)


@cython.final
cdef class Syntax:
    cdef public list heads, deps, left, right

    @cython.locals(hi=int, hj=int)
    cpdef int relation(self, int i, int j) except -1


cpdef int _bucket(int n) except -1

cdef int _type(State state, int node) except -1

@cython.locals(at=int)
cdef int _where(
    Syntax syntax, int head, int first, int last, int other_first, int other_last, int b0
) except -1

@cython.locals(left=int, right=int)
cdef int _span_fit(Syntax syntax, int head, int first, int last) except -1

@cython.locals(
    stack=list, heads=list, kids=list, label=list, firsts=list, lasts=list, kids0=list, kids1=list,
    buffer=list, history=list, size=int, s0=int, s1=int, s2=int, b0=int, s0h=int, s1h=int, s2h=int,
    b0h=int, s0f=int, s0l=int, s1f=int, s1l=int, s0r=int, s1t=int, b0t=int, n1=int, height1=int,
    height2=int, steps=int, gap01=int, gap0b=int,
    bits1=cython.longlong,
)
cpdef fill_row(State state, Syntax syntax, cython.longlong[::1] row)

@cython.locals(stack=list, size=int, key=int, s0=int, s1=int)
cpdef int tree_key(State state, int max_chain, int max_swaps) except -1

@cython.locals(stack=list, s0=int, s1=int, node=int, item=int)
cpdef tree_apply(State state, action, int move, label, int rank)

@cython.locals(i=cython.Py_ssize_t)
cpdef fill_rows(list states, list syntaxes, cython.longlong[:, ::1] rows)

cpdef tree_keys(list states, int max_chain, int max_swaps)

@cython.locals(i=cython.Py_ssize_t)
cpdef tree_apply_all(list states, list actions, list moves, list labels, list ranks)
