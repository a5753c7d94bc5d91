/* SPDX-License-Identifier: MIT */
/* References of products of weights in blocks with f32 activations: the weights are decoded by the
 * format's text, then it is a dot product of floats. */
#include "decode.h"
#include "product.h"

enum { HELD = 4096 /* weights of a row that are decoded once for all rows of a */ };

typedef struct format {
    size_t elements, bytes;
    ref_decode_fn *decode;
    int has_minimum;
} format;

/* Operands of one output: its weights lie along a row, or one in each of `down` bytes' rows, at `element` of
 * their blocks. */
typedef struct rows_w {
    const format *f;
    const float *a;
    const unsigned char *b;
    size_t down, element;
    size_t held; /* weights that are here: all of the row or none */
    ref_element w[HELD];
} rows_w;

static ref_element weight(const rows_w *r, size_t l)
{
    if (r->held) return r->w[l];
    if (r->down) return r->f->decode(r->b + l * r->down, r->element);
    return r->f->decode(r->b + l / r->f->elements * r->f->bytes, l % r->f->elements);
}

/* RN32 of a weight. */
static double rounded(ref_element w) { return (double)(float)(w.product + w.minimum); }

static void get_w(void *at, size_t i, size_t m, double *t)
{
    const rows_w *r = at;
    for (size_t j = 0; j < m; j++) t[j] = (double)r->a[i + j] * rounded(weight(r, i + j));
}

/* Terms of the finest form: minimums apart. */
static double fine_sum_w(void *at, size_t n)
{
    const rows_w *r = at;
    double s = 0;
    for (size_t l = 0; l < n; l++) {
        const ref_element w = weight(r, l);
        if (r->a[l] != 0) s += fabs((double)r->a[l]) * (fabs(w.product) + fabs(w.minimum));
    }
    return s;
}

static int fine_multiples_w(void *at, size_t n, double unit)
{
    const rows_w *r = at;
    for (size_t l = 0; l < n; l++) {
        const ref_element w = weight(r, l);
        const double t[] = { (double)r->a[l] * w.product, (double)r->a[l] * w.minimum };
        if (!ref_multiples(t, 2, unit)) return 0;
    }
    return 1;
}

/* What subnormal activations give, and subnormal weights of bf16; the others are 0 or at least 2^-24. And
 * the sum of |a| times more than any product of a code and a sub-scale. */
static void small_and_large(cell *c, const rows_w *r, size_t k)
{
    c->lost = c->lost_apart = c->raw = 0;
    for (size_t l = 0; l < k; l++) {
        const double a = fabs((double)r->a[l]);
        c->raw += 0x1p13 * a;
        const ref_element w = weight(r, l);
        if (!subnormal(r->a[l]) && !subnormal((float)w.product)) continue;
        if (!isfinite(w.product + w.minimum) || !isfinite(a)) continue;
        c->lost += a * fabs(rounded(w));
        c->lost_apart += a * (fabs(w.product) + fabs(w.minimum));
    }
}

/* Column `col`: its weights, and whether one of them is rounded. */
static int hold(rows_w *r, const ref_gemm_w_args *g, size_t col)
{
    int inexact = 0;
    const size_t first = r->down ? col / r->f->elements : col * g->ldb;
    r->b = g->k ? g->b + first * r->f->bytes : NULL;
    r->element = col % r->f->elements;
    r->held = 0;
    for (size_t l = 0; l < g->k; l++) {
        const ref_element w = weight(r, l);
        const double exact = w.product + w.minimum;
        if (g->k <= HELD) r->w[l] = w;
        inexact |= isfinite(exact) && !ref_is_float(exact);
    }
    r->held = g->k <= HELD ? g->k : 0;
    return inexact;
}

static void column(cell *c, const ref_gemm_w_args *g, const ref_tile *tile, size_t j, const sink *k)
{
    rows_w *r = c->terms.at;
    const size_t col = tile->c0 + j;
    c->inexact = hold(r, g, col);
    for (size_t i = 0; i < tile->rows; i++) {
        r->a = g->k ? g->a + (tile->r0 + i) * g->lda : NULL;
        c->ep = (epilogue){ .alpha = 1, .bias = g->bias ? g->bias[col] : 0, .low = 1 };
        if (g->c) {
            c->ep.beta = 1;
            c->ep.c = g->c[(tile->r0 + i) * g->ldc + col];
        }
        small_and_large(c, r, g->k);
        emit(c, k, i * tile->cols + j);
    }
}

/* y[i,j] = sum_l a[i,l] RN32(w[j,l]) + c[i,j] + bias[j], or w[l,j] for w[j,l]. A declared order has these terms; in directed modes a
 * weight with a minimum is another neighbour of the exact one: at most 1.5 of the u there, charged as
 * two roundings. A kernel of unknown order need not round weights (u) and may sum scaled codes and
 * minimums of a block apart: 10 roundings more than one for each element.
 * Source: gemm.h; docs/oracle.md, "weights". */
static void products_w(const ref_gemm_w_args *g, const format *f, int down, const ref_tile *tile,
                       const ref_spec *specs, size_t nspecs, ref_out *out)
{
    rows_w rows;
    cell c;
    rows.f = f;
    rows.down = down ? g->ldb * f->bytes : 0;
    nothing_lost(&c);
    c.terms = (source){ .n = g->k,
                        .fine = g->k,
                        .more = 10,
                        .parts = 1,
                        .apart = 1,
                        .self_directed = f->has_minimum ? 2 : 0,
                        .at = &rows,
                        .get = get_w,
                        .fine_sum = fine_sum_w,
                        .fine_multiples = fine_multiples_w };
    for (size_t first = 0; first < nspecs; first += BATCH) {
        plan p[BATCH];
        const size_t count = plan_all(p, specs + first, nspecs - first, &c.terms);
        const sink k = { p, first, count, out };
        for (size_t j = 0; j < tile->cols; j++) column(&c, g, tile, j, &k);
    }
}

#define REF(weights, elements, bytes, has_minimum)                                       \
    ref_fn ref_gemm_nt_##weights##_f32;                                                  \
    void ref_gemm_nt_##weights##_f32(const void *args, const ref_tile *tile,             \
                                     const ref_spec *specs, size_t nspecs, ref_out *out) \
    {                                                                                    \
        static const format f = { elements, bytes, ref_decode_##weights, has_minimum };  \
        products_w(args, &f, 0, tile, specs, nspecs, out);                               \
    }
#define REF_DOWN(weights, elements, bytes, has_minimum)                                  \
    ref_fn ref_gemm_nn_##weights##_f32;                                                  \
    void ref_gemm_nn_##weights##_f32(const void *args, const ref_tile *tile,             \
                                     const ref_spec *specs, size_t nspecs, ref_out *out) \
    {                                                                                    \
        static const format f = { elements, bytes, ref_decode_##weights, has_minimum };  \
        products_w(args, &f, 1, tile, specs, nspecs, out);                               \
    }
REF(bf16, 1, 2, 0)
REF(f16, 1, 2, 0)
REF(q4_0, 32, 18, 0)
REF(q4_1, 32, 20, 1)
REF(q4_k, 256, 144, 1)
REF(q5_0, 32, 22, 0)
REF(q5_1, 32, 24, 1)
REF(q5_k, 256, 176, 1)
REF(q6_k, 256, 210, 0)
REF(q8_0, 32, 34, 0)
REF_DOWN(q4_0, 32, 18, 0)
REF_DOWN(q4_1, 32, 20, 1)
REF_DOWN(q4_k, 256, 144, 1)
REF_DOWN(q5_0, 32, 22, 0)
REF_DOWN(q5_1, 32, 24, 1)
REF_DOWN(q5_k, 256, 176, 1)
REF_DOWN(q6_k, 256, 210, 0)
REF_DOWN(q8_0, 32, 34, 0)
#undef REF_DOWN
#undef REF
