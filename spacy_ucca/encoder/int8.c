/* The layers of an encoder that predicts with 8 bits, for processors with AVX512-VNNI: what `RoundedMatrix.product`, attention and
   normalization do in NumPy, operation by operation, so that it is the same to the bit. On other processors SUPPORTED is 0. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512vnni")))
#define INLINE static inline __attribute__((always_inline)) TARGET
#define EACH(i, n) _Pragma("GCC unroll 8") for (int i = 0; i < n; i++)
#define ALL(x) _mm512_set1_ps(x)
enum { ROWS = 6, OUTPUTS = 64 }; /* that are added up in registers, in 24 of 32 */

typedef struct {
    Py_ssize_t k, n;       /* numbers of inputs and outputs */
    const int8_t *weights; /* (n / 64, k / 4, 64, 4) */
    const int32_t *totals; /* of the weights of each output */
    const float *scales, *bias;
    int gelu;
} Layer;

typedef struct {
    float scale;
    int32_t least; /* the least whole number, which is stored as 0 */
} Row;

/* As NumPy has it with AVX2 and AVX512: 2^n times a fraction of polynomials. */
INLINE __m512 exponential(__m512 x) {
    static const float P[] = {5.082762527590693718096e-04f, 6.757896990527504603057e-03f, 5.114512081637298353406e-02f,
                              2.473615434895520810817e-01f, 7.257664613233124478488e-01f, 9.999999999980870924916e-01f};
    static const float Q[] = {2.159509375685829852307e-02f, -2.742335390411667452936e-01f, 1.0f};
    x = _mm512_max_ps(x, ALL(-104.0f)); /* whose exponential is 0 */
    __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, ALL(1.442695040888963407359924681001892137f)), 0);
    x = _mm512_fmadd_ps(n, ALL(-6.93145752e-1f), x);
    x = _mm512_fmadd_ps(n, ALL(-1.42860677e-6f), x);
    __m512 above = ALL(P[0]), below = ALL(Q[0]);
    EACH(i, 5) above = _mm512_fmadd_ps(above, x, ALL(P[i + 1]));
    EACH(i, 2) below = _mm512_fmadd_ps(below, x, ALL(Q[i + 1]));
    return _mm512_scalef_ps(_mm512_div_ps(above, below), n);
}

/* `layers.gelu` */
INLINE __m512 gelu(__m512 x) {
    static const float A[] = {1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f};
    __m512 bell = exponential(_mm512_mul_ps(_mm512_mul_ps(x, x), ALL(-0.5f))), size = _mm512_abs_ps(x);
    __m512 t = _mm512_add_ps(_mm512_mul_ps(size, ALL((float)(0.3275911 * 0.70710678118654757))), ALL(1.0f));
    t = _mm512_div_ps(ALL(1.0f), t);
    __m512 tail = _mm512_mul_ps(t, ALL(A[0]));
    EACH(i, 4) tail = _mm512_mul_ps(_mm512_add_ps(tail, ALL(A[i + 1])), t);
    tail = _mm512_mul_ps(_mm512_mul_ps(_mm512_mul_ps(tail, bell), ALL(0.5f)), size);
    return _mm512_sub_ps(_mm512_max_ps(x, _mm512_setzero_ps()), tail);
}

TARGET static Row round_row(const float *x, Py_ssize_t k, uint8_t *out) {
    __m512 most = _mm512_setzero_ps(), least = most;
    for (Py_ssize_t i = 0; i < k; i += 16) {
        most = _mm512_max_ps(most, _mm512_loadu_ps(x + i));
        least = _mm512_min_ps(least, _mm512_loadu_ps(x + i));
    }
    float low = _mm512_reduce_min_ps(least), range = _mm512_reduce_max_ps(most) - low;
    range = range > 1e-30f ? range : 1e-30f;
    __m512 factor = ALL(254.0f / range);
    __m512i start = _mm512_cvtps_epi32(_mm512_mul_ps(ALL(low), factor));
    for (Py_ssize_t i = 0; i < k; i += 16) {
        __m512i whole = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x + i), factor));
        _mm_storeu_si128((__m128i *)(out + i), _mm512_cvtepi32_epi8(_mm512_sub_epi32(whole, start)));
    }
    return (Row){range / 254.0f, _mm_cvtsi128_si32(_mm512_castsi512_si128(start))};
}

/* 64 outputs, from number j, of some rows: `rows` is known when this is compiled, so that sums stay in registers. */
INLINE void tile(const int rows, const uint8_t *x, const Row *row, const Layer *layer, Py_ssize_t j, float *out) {
    const Py_ssize_t k = layer->k;
    const int8_t *weights = layer->weights + j * k;
    int32_t done[ROWS][OUTPUTS];
    __m512i sums[ROWS][4], w[4];
    EACH(v, 4) w[v] = _mm512_loadu_si512(layer->totals + j + 16 * v);
    EACH(r, rows) EACH(v, 4) sums[r][v] = _mm512_mullo_epi32(_mm512_set1_epi32(row[r].least), w[v]);
    for (Py_ssize_t i = 0; i < k; i += 4, weights += 4 * OUTPUTS) {
        EACH(v, 4) w[v] = _mm512_loadu_si512(weights + 64 * v);
        EACH(r, rows) {
            int32_t four;
            memcpy(&four, x + r * k + i, 4);
            EACH(v, 4) sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], _mm512_set1_epi32(four), w[v]);
        }
    }
    EACH(r, rows) EACH(v, 4) _mm512_storeu_si512(done[r] + 16 * v, sums[r][v]);
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < OUTPUTS; v += 16) {
            __m512 y = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_loadu_si512(done[r] + v)), ALL(row[r].scale));
            y = _mm512_mul_ps(y, _mm512_loadu_ps(layer->scales + j + v));
            y = _mm512_add_ps(y, _mm512_loadu_ps(layer->bias + j + v));
            _mm512_storeu_ps(out + r * layer->n + j + v, layer->gelu ? gelu(y) : y);
        }
}

TARGET static void run(const Layer *layer, const float *x, Py_ssize_t m, Row *row, uint8_t *whole, float *out) {
    const Py_ssize_t k = layer->k, n = layer->n;
    for (Py_ssize_t r = 0; r < m; r++)
        row[r] = round_row(x + r * k, k, whole + r * k);
    for (Py_ssize_t r, j = 0; j < n; j += OUTPUTS) {
        for (r = 0; r + ROWS <= m; r += ROWS)
            tile(ROWS, whole + r * k, row + r, layer, j, out + r * n);
        for (; r < m; r++)
            tile(1, whole + r * k, row + r, layer, j, out + r * n);
    }
}

/* The sum of numbers or of their squares, in NumPy's order. */
TARGET static float sum(const float *x, Py_ssize_t n, int square) {
    if (n > 128) {
        const Py_ssize_t half = n / 2 - n / 2 % 8;
        return sum(x, half, square) + sum(x + half, n - half, square);
    }
    float total = 0;
    Py_ssize_t i = 0;
    if (n >= 8) {
        __m256 sums = _mm256_setzero_ps();
        for (; i + 8 <= n; i += 8) {
            __m256 y = _mm256_loadu_ps(x + i);
            sums = _mm256_add_ps(sums, square ? _mm256_mul_ps(y, y) : y);
        }
        sums = _mm256_hadd_ps(sums, sums);
        sums = _mm256_hadd_ps(sums, sums);
        total = _mm256_cvtss_f32(sums) + _mm_cvtss_f32(_mm256_extractf128_ps(sums, 1));
    }
    for (; i < n; i++)
        total += square ? x[i] * x[i] : x[i];
    return total;
}

/* `layers.normalize` of a row, to which another one is added first, unless it is NULL. */
TARGET static void normalize_row(float *x, const float *more, const float *scale, const float *shift, Py_ssize_t n, float eps) {
    for (Py_ssize_t i = 0; more && i < n; i += 16)
        _mm512_storeu_ps(x + i, _mm512_add_ps(_mm512_loadu_ps(x + i), _mm512_loadu_ps(more + i)));
    const __m512 mean = ALL((float)((double)sum(x, n, 0) / n));
    for (Py_ssize_t i = 0; i < n; i += 16)
        _mm512_storeu_ps(x + i, _mm512_sub_ps(_mm512_loadu_ps(x + i), mean));
    const __m512 deviation = _mm512_sqrt_ps(ALL((float)((double)sum(x, n, 1) / n) + eps));
    for (Py_ssize_t i = 0; i < n; i += 16) {
        __m512 y = _mm512_mul_ps(_mm512_div_ps(_mm512_loadu_ps(x + i), deviation), _mm512_loadu_ps(scale + i));
        _mm512_storeu_ps(x + i, _mm512_add_ps(y, _mm512_loadu_ps(shift + i)));
    }
}

/* `layers._round_to`: to 7 bits after the point if x is 7, ... */
INLINE __m512 round_to(__m512 x, int n_bits) {
    const __m512 shift = ALL(1.5f * (1 << (23 - n_bits)));
    return _mm512_sub_ps(_mm512_add_ps(x, shift), shift);
}

typedef struct {
    Py_ssize_t length, room, depth, width; /* of a text, the same as a multiple of 16, of a head, of all heads */
    float factor;                              /* of products of queries and keys */
    float *keys, *values, *scores, *query; /* (depth, room), (length, depth), (QUERIES, room), (QUERIES, depth) */
} Head;
enum { QUERIES = 4 }; /* that attend together */

/* `layers._attention` of some queries of a head. */
INLINE void attend_rows(const int rows, const float *qkv, const Head *head, float *out) {
    const Py_ssize_t length = head->length, room = head->room, depth = head->depth, width = head->width;
    const __m512 factor = ALL(head->factor);
    __m512 sums[QUERIES], top[QUERIES];
    EACH(r, rows) {
        top[r] = ALL(-__builtin_inff());
        for (Py_ssize_t d = 0; d < depth; d += 16)
            _mm512_storeu_ps(head->query + r * depth + d, round_to(_mm512_loadu_ps(qkv + r * 3 * width + d), 7));
    }
    for (Py_ssize_t j = 0; j < room; j += 16) {
        EACH(r, rows) sums[r] = _mm512_setzero_ps();
        for (Py_ssize_t d = 0; d < depth; d++) {
            const __m512 key = _mm512_loadu_ps(head->keys + d * room + j);
            EACH(r, rows) sums[r] = _mm512_fmadd_ps(ALL(head->query[r * depth + d]), key, sums[r]);
        }
        const __mmask16 known = length - j < 16 ? (1 << (length - j)) - 1 : 0xFFFF;
        EACH(r, rows) {
            sums[r] = _mm512_mask_mul_ps(ALL(-__builtin_inff()), known, sums[r], factor);
            top[r] = _mm512_max_ps(top[r], sums[r]);
            _mm512_storeu_ps(head->scores + r * room + j, sums[r]);
        }
    }
    EACH(r, rows) {
        float *scores = head->scores + r * room;
        top[r] = ALL(_mm512_reduce_max_ps(top[r]));
        for (Py_ssize_t j = 0; j < room; j += 16)
            _mm512_storeu_ps(scores + j, exponential(_mm512_sub_ps(_mm512_loadu_ps(scores + j), top[r])));
        const __m512 total = ALL(sum(scores, length, 0));
        for (Py_ssize_t j = 0; j < room; j += 16)
            _mm512_storeu_ps(scores + j, round_to(_mm512_div_ps(_mm512_loadu_ps(scores + j), total), 13));
    }
    for (Py_ssize_t d = 0; d < depth; d += 16) {
        EACH(r, rows) sums[r] = _mm512_setzero_ps();
        for (Py_ssize_t j = 0; j < length; j++) {
            const __m512 value = _mm512_loadu_ps(head->values + j * depth + d);
            EACH(r, rows) sums[r] = _mm512_fmadd_ps(ALL(head->scores[r * room + j]), value, sums[r]);
        }
        EACH(r, rows) _mm512_storeu_ps(out + r * width + d, sums[r]);
    }
}

TARGET static void attend_head(const float *qkv, const Head *head, float *out) {
    const Py_ssize_t depth = head->depth, width = head->width;
    memset(head->keys, 0, 4 * depth * head->room);
    for (Py_ssize_t i = 0; i < head->length; i++)
        for (Py_ssize_t d = 0; d < depth; d += 16) {
            const float *key = qkv + (3 * i + 1) * width + d;
            float rounded[16];
            _mm512_storeu_ps(head->values + i * depth + d, round_to(_mm512_loadu_ps(key + width), 7));
            _mm512_storeu_ps(rounded, round_to(_mm512_loadu_ps(key), 7));
            EACH(k, 16) head->keys[(d + k) * head->room + i] = rounded[k];
        }
    Py_ssize_t i = 0;
    for (; i + QUERIES <= head->length; i += QUERIES)
        attend_rows(QUERIES, qkv + 3 * i * width, head, out + i * width);
    for (; i < head->length; i++)
        attend_rows(1, qkv + 3 * i * width, head, out + i * width);
}

static int supported(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni"); }

static PyObject *finish(Py_buffer *b, int n, int fits, int has_memory) {
    if (!fits || !has_memory)
        PyErr_SetString(fits ? PyExc_MemoryError : PyExc_ValueError, "sizes do not fit, or this processor");
    for (int i = 0; i < n; i++)
        PyBuffer_Release(b + i);
    return fits && has_memory ? Py_NewRef(Py_None) : NULL;
}

/* normalize(X, more, scale, shift, eps): `X` is changed; `more` may be empty. */
static PyObject *normalize(PyObject *self, PyObject *args) {
    Py_buffer b[4];
    float eps;
    if (!PyArg_ParseTuple(args, "w*y*y*y*f", b, b + 1, b + 2, b + 3, &eps))
        return NULL;
    const Py_ssize_t n = b[2].len / 4, m = n ? b[0].len / (4 * n) : 0;
    const float *more = b[1].len ? b[1].buf : NULL;
    int fits = supported() && n && n % 16 == 0 && b[0].len == 4 * m * n && (!more || b[1].len == b[0].len);
    fits = fits && b[2].len == 4 * n && b[3].len == 4 * n;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; fits && i < m; i++)
        normalize_row((float *)b[0].buf + i * n, more ? more + i * n : NULL, b[2].buf, b[3].buf, n, eps);
    Py_END_ALLOW_THREADS
    return finish(b, 4, fits, 1);
}

/* attend(qkv, lengths, out, n_heads, factor): `out` is changed. */
static PyObject *attend(PyObject *self, PyObject *args) {
    Py_buffer b[3];
    Py_ssize_t n_heads, m = 0, most = 0, least = 0;
    float factor;
    if (!PyArg_ParseTuple(args, "y*y*w*nf", b, b + 1, b + 2, &n_heads, &factor))
        return NULL;
    const int64_t *lengths = b[1].buf;
    for (Py_ssize_t i = 0; i < b[1].len / 8; i++) {
        m += lengths[i];
        most = lengths[i] > most ? lengths[i] : most;
        least = lengths[i] < least ? lengths[i] : least;
    }
    const Py_ssize_t width = m ? b[2].len / (4 * m) : 0, depth = n_heads > 0 ? width / n_heads : 0;
    const int fits = supported() && !least && depth && depth % 16 == 0 && depth * n_heads == width && b[1].len % 8 == 0 &&
                     b[0].len == 12 * m * width && b[2].len == 4 * m * width;
    const Py_ssize_t room = (most + 15) / 16 * 16;
    float *memory = fits ? PyMem_Malloc(4 * (depth + QUERIES) * (2 * room + QUERIES)) : NULL;
    if (memory) {
        Py_BEGIN_ALLOW_THREADS
        const float *qkv = b[0].buf;
        float *out = b[2].buf;
        for (Py_ssize_t i = 0; i < b[1].len / 8; i++) {
            Head head = {lengths[i], (lengths[i] + 15) / 16 * 16, depth, width, factor, memory, memory + depth * room};
            head.scores = head.values + depth * room;
            head.query = head.scores + QUERIES * room;
            for (Py_ssize_t h = 0; h < width; h += depth)
                attend_head(qkv + h, &head, out + h);
            qkv += 3 * lengths[i] * width;
            out += lengths[i] * width;
        }
        Py_END_ALLOW_THREADS
        PyMem_Free(memory);
    }
    return finish(b, 3, fits, memory != NULL);
}

/* product(X, weights, totals, scales, bias, out, gelu): `out` is changed. */
static PyObject *product(PyObject *self, PyObject *args) {
    Py_buffer b[6];
    Layer layer;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*w*p", b, b + 1, b + 2, b + 3, b + 4, b + 5, &layer.gelu))
        return NULL;
    const Py_ssize_t n = b[3].len / 4, k = n ? b[1].len / n : 0, m = n ? b[5].len / (4 * n) : 0;
    int fits = supported() && n && k && n % OUTPUTS == 0 && k % 16 == 0 && b[0].len == 4 * m * k && b[1].len == n * k;
    fits = fits && b[2].len == 4 * n && b[3].len == 4 * n && b[4].len == 4 * n && b[5].len == 4 * m * n;
    Row *memory = fits ? PyMem_Malloc(m * (sizeof(Row) + k)) : NULL;
    if (memory) {
        layer = (Layer){k, n, b[1].buf, b[2].buf, b[3].buf, b[4].buf, layer.gelu};
        Py_BEGIN_ALLOW_THREADS
        run(&layer, b[0].buf, m, memory, (uint8_t *)(memory + m), b[5].buf);
        Py_END_ALLOW_THREADS
        PyMem_Free(memory);
    }
    return finish(b, 6, fits, memory != NULL);
}
static PyMethodDef methods[] = {
    {"product", product, METH_VARARGS, NULL},
    {"attend", attend, METH_VARARGS, NULL},
    {"normalize", normalize, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
#else
static int supported(void) { return 0; }
static PyMethodDef methods[] = {{NULL, NULL, 0, NULL}};
#endif

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_int8", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__int8(void) {
    PyObject *made = PyModule_Create(&module);
    if (made && (PyModule_AddIntConstant(made, "SUPPORTED", supported()) || PyModule_AddIntConstant(made, "SOURCE", SOURCE)))
        Py_CLEAR(made);
    return made;
}
