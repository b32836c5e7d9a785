# cython: language_level=3
# The C types of `kernels.py`, for Cython alone.
cimport cython

cdef extern from "math.h":
    cpdef double exp(double x)
    cpdef double log(double x)

@cython.locals(
    n=cython.Py_ssize_t, width=cython.Py_ssize_t, missing=cython.Py_ssize_t, row=cython.Py_ssize_t,
    n_bits=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t,
    left=cython.longlong,
)
cpdef sum_rows(
    const float[:, :, ::1] table, const int[:, ::1] tokens, const float[:, ::1] values,
    const int[:, ::1] categories, const float[:, ::1] flags, const cython.longlong[:, ::1] bits,
    const float[::1] bias, float[:, ::1] out
)

@cython.locals(
    n=cython.Py_ssize_t, n_actions=cython.Py_ssize_t, begin=cython.Py_ssize_t, row=cython.Py_ssize_t,
    found=cython.Py_ssize_t, first=cython.Py_ssize_t, after=cython.Py_ssize_t, end=cython.Py_ssize_t,
    i=cython.Py_ssize_t, j=cython.Py_ssize_t, at=cython.Py_ssize_t, best=double, value=double,
    top=double, total=double, step=double,
)
cpdef long extend_parses(
    const float[:, ::1] scores, const unsigned char[:, ::1] mask, const cython.longlong[::1] owners,
    const double[::1] totals, const unsigned char[::1] done, Py_ssize_t width, double least,
    double[::1] norms, cython.longlong[::1] parses, cython.longlong[::1] actions, double[::1] likely,
    double[::1] log_probs
) except -1


@cython.locals(
    n_features=cython.Py_ssize_t, n_classes=cython.Py_ssize_t, last=cython.Py_ssize_t,
    n_early=cython.Py_ssize_t, wrong=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t,
    k=cython.Py_ssize_t, at=cython.Py_ssize_t, row=cython.Py_ssize_t, guess=cython.Py_ssize_t,
    right=cython.Py_ssize_t, update=cython.Py_ssize_t, delay=double, number=cython.Py_ssize_t,
    count=cython.Py_ssize_t, before=cython.Py_ssize_t, old=double, a=cython.Py_ssize_t,
    b=cython.Py_ssize_t,
)
cpdef long learn_rows(
    cython.ulonglong[:, ::1] ids,
    cython.longlong[::1] classes,
    cython.uchar[:, ::1] mask,
    double rate,
    cython.ulonglong[::1] table,
    cython.int[::1] numbers,
    cython.int[::1] counts,
    cython.int[:, ::1] early,
    cython.int[::1] rows,
    cython.float[:, ::1] weights,
    cython.float[:, ::1] delays,
    cython.double[:, ::1] updates,
    cython.longlong[::1] sizes,
    cython.float[::1] scores,
    cython.longlong[::1] found,
) except -1

@cython.locals(
    width=cython.Py_ssize_t, half=float, x=float, i=cython.Py_ssize_t, k=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
)
cpdef lstm_step(
    const float[:, ::1] gates, const cython.longlong[::1] rows, float[:, ::1] products,
    const float[::1] bias, const float[:, ::1] before, float[:, ::1] cells, float[:, ::1] hidden
)

@cython.locals(
    limit=float, a=float, b=float, c=float, d=float, e=float, f=float, g=float, h=float, i=float,
    j=float, s=float, above=float, below=float,
)
cdef inline float tanh(float x) noexcept nogil
