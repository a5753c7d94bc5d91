/* SPDX-License-Identifier: MIT */
/* References of products of 16-bit operands. */
#include "f16.h"
#include "product.h"
#include "rounding.h"

/* The value of two bytes, the lower one first. */
typedef double value_fn(unsigned bits);

static double half_value(unsigned bits) { return ref_f16_value((uint16_t)bits); }

/* The upper half of a float. */
static double brain_value(unsigned bits)
{
    const uint32_t all = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &all, sizeof x);
    return (double)x;
}

/* Operands of one output. */
typedef struct rows_h {
    const unsigned char *a, *b;
    value_fn *value;
} rows_h;

static double element(const unsigned char *row, size_t l, value_fn *value)
{
    return value((unsigned)row[2 * l] | (unsigned)row[2 * l + 1] << 8);
}

static void get_h(void *at, size_t i, size_t m, double *t)
{
    const rows_h *r = at;
    for (size_t l = 0; l < m; l++)
        t[l] = element(r->a, i + l, r->value) * element(r->b, i + l, r->value);
}

/* Halves are normal floats; subnormal upper halves may be taken as 0. */
static double lost_h(const rows_h *r, size_t k)
{
    double lost = 0;
    for (size_t l = 0; l < k; l++) {
        const double a = element(r->a, l, r->value), b = element(r->b, l, r->value);
        if (subnormal((float)a) || subnormal((float)b)) lost += fabs(a * b);
    }
    return isfinite(lost) ? lost : 0;
}

/* The float result, or in strict mode the double one, rounded once more. */
static ref_ball judge_h(cell *c, const plan *p, size_t s, const parts *x, int special,
                        const ref_format *to)
{
    switch (special ? range(c, x, &p[s]).can : REF_FINITE) {
    case REF_FINITE: return ref_rounded(to, argument(c, p, s));
    case REF_PINF: return (ref_ball){ INFINITY, 0 };
    case REF_NINF: return (ref_ball){ -INFINITY, 0 };
    case REF_NAN: return (ref_ball){ (double)NAN, 0 };
    default: return (ref_ball){ 0, REF_ANY };
    }
}

static void emit_h(cell *c, const sink *k, size_t i, const ref_format *to)
{
    const int special = begin(c, k->count);
    parts x = { 0, 0, 0 };
    k->out->term[i] = term(c);
    if (special) x = split(c);
    for (size_t s = 0; s < k->count; s++) put(k, s, i, judge_h(c, k->p, s, &x, special, to));
}

/* y[i,j] = RN(sum_l a[i,l] b[j,l] + bias[j]), RN to `to`; NULL: f32. The products are exact in f32.
 * Radius: that of the sum, then all that its numbers are rounded to: 0 where that is one number.
 * Source: gemm.h; docs/oracle.md, "16 bits". */
static void products_h(const ref_gemm_h_args *g, value_fn *value, const ref_format *to,
                       const ref_tile *tile, const ref_spec *specs, size_t nspecs, ref_out *out)
{
    rows_h rows = { NULL, NULL, value };
    cell c;
    nothing_lost(&c);
    c.terms = (source){ .n = g->k, .fine = g->k, .parts = 1, .at = &rows, .get = get_h };
    for (size_t first = 0; first < nspecs; first += BATCH) {
        plan p[BATCH];
        const size_t count = plan_all(p, specs + first, nspecs - first, &c.terms);
        const sink k = { p, first, count, out };
        const int daz = wants_daz(p, count);
        for (size_t i = 0; i < tile->rows * tile->cols; i++) {
            const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
            rows.a = g->k ? g->a + 2 * row * g->lda : NULL;
            rows.b = g->k ? g->b + 2 * col * g->ldb : NULL;
            c.ep = (epilogue){ .alpha = 1, .bias = g->bias ? g->bias[col] : 0, .low = 1 };
            c.lost = daz ? lost_h(&rows, g->k) : 0;
            if (to)
                emit_h(&c, &k, i, to);
            else
                emit(&c, &k, i);
        }
    }
}

#define REF(types, value, to)                                                               \
    ref_fn ref_gemm_nt_##types;                                                             \
    void ref_gemm_nt_##types(const void *args, const ref_tile *tile, const ref_spec *specs, \
                             size_t nspecs, ref_out *out)                                   \
    {                                                                                       \
        products_h(args, value, to, tile, specs, nspecs, out);                              \
    }
REF(bf16_bf16_f32, brain_value, NULL)
REF(bf16_bf16_bf16, brain_value, &ref_brain)
REF(f16_f16_f32, half_value, NULL)
REF(f16_f16_f16, half_value, &ref_half)
#undef REF
