/* SPDX-License-Identifier: MIT */
/* References of products with an activation. */
#include "product_f32.h"

ref_fn ref_gemm_nt_relu_f32, ref_gemm_nt_silu_f32, ref_gemm_nt_gelu_f32, ref_gemm_nt_swiglu_f32;

static product product_nt(const float *a, size_t lda, const float *b, size_t ldb, const float *bias,
                          size_t k)
{
    return (product){ .a = a,
                      .b = b,
                      .bias = bias,
                      .k = k,
                      .a_row = lda,
                      .a_term = 1,
                      .b_column = ldb,
                      .b_term = 1,
                      .bias_column = 1,
                      .alpha = 1 };
}

/* y[i,j] = act(sum_l a[i,l] b[j,l] + bias[j]). Radius: that of the sum (product_f32.h), carried on and
 * added to by the activation. Source: gemm.h; docs/oracle.md, "activations". */
static void activated(const void *args, ref_act act, const ref_tile *tile, const ref_spec *specs,
                      size_t nspecs, ref_out *out)
{
    const ref_gemm_act_args *g = args;
    product p = product_nt(g->a, g->lda, g->b, g->ldb, g->bias, g->k);
    p.act = act;
    evaluate(&p, tile, specs, nspecs, out);
}

void ref_gemm_nt_relu_f32(const void *args, const ref_tile *tile, const ref_spec *specs,
                          size_t nspecs, ref_out *out)
{
    activated(args, REF_ACT_RELU, tile, specs, nspecs, out);
}

void ref_gemm_nt_silu_f32(const void *args, const ref_tile *tile, const ref_spec *specs,
                          size_t nspecs, ref_out *out)
{
    activated(args, REF_ACT_SILU, tile, specs, nspecs, out);
}

void ref_gemm_nt_gelu_f32(const void *args, const ref_tile *tile, const ref_spec *specs,
                          size_t nspecs, ref_out *out)
{
    activated(args, REF_ACT_GELU, tile, specs, nspecs, out);
}

/* One of the two sums of an output. */
typedef struct half {
    cell c;
    parts x;
    int special;
} half;

/* What it may be, after its activation and before any rounding to float of strict mode. */
static ref_range half_range(half *h, const plan *p, size_t s)
{
    const unsigned all = REF_FINITE | REF_PINF | REF_NINF | REF_NAN;
    const unsigned can = h->special ? range(&h->c, &h->x, &p[s]).can : REF_FINITE;
    const ref_act act = h->c.ep.act;
    ref_range y = { can, { 0, 0 } };
    if (can & REF_FINITE) y.b = ref_activate(act, p[s].spec, argument(&h->c, p, s));
    if (!isfinite(y.b.v) || !isfinite(y.b.e)) return (ref_range){ all, { 0, 0 } };
    if (act == REF_ACT_NONE || !(can & REF_NINF)) return y;
    /* -inf becomes 0 */
    y.can = (can & ~(unsigned)REF_NINF) | REF_FINITE;
    if (can & REF_FINITE) y.b.e += fabs(y.b.v);
    return y;
}

/* Products with 0, and of floats if they are floats, are exact. */
static ref_ball times(ref_fp fp, int strict, ref_ball a, ref_ball b)
{
    const double v = a.v * b.v, least = fp.eta_add > 0 || fp.daz > 0 ? REF_MIN_NORMAL : 0;
    if ((a.v == 0 && a.e == 0) || (b.v == 0 && b.e == 0)) return ref_exact(0);
    if (a.e == 0 && b.e == 0 && ref_is_float(a.v) && ref_is_float(b.v) && fabs(a.v) >= least &&
        fabs(b.v) >= least && (strict || (ref_is_float(v) && fabs(v) >= fmax(least, 0x1p-149))))
        return ref_exact(v);
    return ref_mul(fp, a, b);
}

static ref_ball judge_glu(half *gate, half *up, const plan *p, size_t s)
{
    const int strict = p[s].spec->strict;
    const ref_range g = half_range(gate, p, s), u = half_range(up, p, s);
    const ref_range z = ref_range_mul(p[s].fp, g, u);
    const ref_ball y = times(p[s].fp, strict, g.b, u.b);
    switch (strict && z.can == REF_FINITE ? strict_classes(y) : z.can) {
    case REF_FINITE: return strict ? ref_strict_rounding(y) : y;
    case REF_PINF: return (ref_ball){ INFINITY, 0 };
    case REF_NINF: return (ref_ball){ -INFINITY, 0 };
    case REF_NAN: return (ref_ball){ (double)NAN, 0 };
    default: return (ref_ball){ isfinite(y.v) ? y.v : 0, REF_ANY };
    }
}

/* What one dropped element would change, of the sum where it changes more. */
static double term_glu(const half *gate, const half *up)
{
    const double a = term(&gate->c) * fabs(up->c.out);
    const double b = term(&up->c) * fabs(ref_act_value(gate->c.ep.act, gate->c.out));
    const double t = fmax(a, b);
    return isfinite(t) ? t : 0;
}

static void begin_half(half *h, const product *g, rows_f32 *rows, size_t row, size_t col, int daz,
                       size_t specs)
{
    rows->a = g->k ? g->a + row * g->a_row : NULL;
    rows->b = g->k ? g->b + col * g->b_column : NULL;
    h->c.ep = epilogue_f32(1, 0, NULL, element(g->bias, col));
    h->c.ep.act = g->act;
    h->c.lost = daz ? lost_f32(rows, g->k) : 0;
    h->special = begin(&h->c, specs);
    if (h->special) h->x = split(&h->c);
}

static void half_of(half *h, rows_f32 *rows, const product *g)
{
    *rows = (rows_f32){ NULL, NULL, g->a_term, g->b_term };
    nothing_lost(&h->c);
    h->c.terms = (source){ .n = g->k, .fine = g->k, .parts = 1, .at = rows, .get = get_f32 };
}

/* y[i,j] = RN(silu(g) u), g = sum_l a[i,l] b[j,l] + bias_b[j], u = sum_l a[i,l] d[j,l] + bias_d[j].
 * Radius: of both sums, of the activation, of the product, in ball arithmetic.
 * Sources: gemm.h; Shazeer 2020, arXiv:2002.05202; docs/oracle.md, "activations". */
void ref_gemm_nt_swiglu_f32(const void *args, const ref_tile *tile, const ref_spec *specs,
                            size_t nspecs, ref_out *out)
{
    const ref_gemm_glu_args *g = args;
    product b = product_nt(g->a, g->lda, g->b, g->ldb, g->bias_b, g->k);
    const product d = product_nt(g->a, g->lda, g->d, g->ldd, g->bias_d, g->k);
    rows_f32 rows[2];
    half gate, up;
    b.act = REF_ACT_SILU;
    half_of(&gate, &rows[0], &b);
    half_of(&up, &rows[1], &d);
    for (size_t first = 0; first < nspecs; first += BATCH) {
        plan p[BATCH];
        const size_t count = plan_all(p, specs + first, nspecs - first, &gate.c.terms);
        const sink k = { p, first, count, out };
        const int daz = wants_daz(p, count);
        for (size_t i = 0; i < tile->rows * tile->cols; i++) {
            const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
            begin_half(&gate, &b, &rows[0], row, col, daz, count);
            begin_half(&up, &d, &rows[1], row, col, daz, count);
            out->term[i] = term_glu(&gate, &up);
            for (size_t s = 0; s < count; s++) put(&k, s, i, judge_glu(&gate, &up, p, s));
        }
    }
}
