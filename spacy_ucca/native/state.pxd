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


@cython.locals(stack=list, size=int, key=int, s0=int, s1=int)
cpdef int tree_key(State state, int max_chain, int max_swaps) except -1

@cython.locals(stack=list, s0=int, s1=int, node=int, item=int)
cpdef tree_apply(State state, action, int move, label, int rank)

cpdef tree_keys(list states, int max_chain, int max_swaps)

@cython.locals(i=cython.Py_ssize_t)
cpdef tree_apply_all(list states, list actions, list moves, list labels, list ranks)
