/* SPDX-License-Identifier: MIT */
/* Reference of softmax: p_j = E_j / D, E_j = exp(x_j - m), D = sum E_j, m the maximum. */
#include "softmax.h"

ref_fn ref_softmax_causal_f32;

/* Strict: below half of the least float p rounds to 0, its errors being far below 2^-20 relative. */
static ref_ball entry_strict(const ref_exp_view *w, const ref_score_row *r, double d, double E)
{
    const double p = E / r->sum, e = ref_quotient_off(w, r, d, E);
    if (p < REF_HALF_MIN * (1 - 0x1p-20)) return ref_exact(0);
    return (ref_ball){ p, (ref_half_ulp(p + e) + e) * REF_SLACK };
}

/* Radius 0: the value 2^-k where D is the exact count 2^k of the maxima; 0 where the exponential is
 * 0 for certain. docs/oracle.md, "Radius 0". */
static ref_ball entry(const ref_exp_view *w, const ref_score_row *r, double d, double E)
{
    const double p = E / r->sum;
    const ref_fate f = ref_fate_of(w, d);
    if (f == REF_DEAD) return ref_exact(0);
    if (w->sharp && d == 0 && ref_is_pow2(r->count)) return ref_exact(p);
    if (w->spec->strict) return entry_strict(w, r, d, E);
    const double e = ref_quotient_off(w, r, d, E);
    return (ref_ball){ p, f == REF_MAYBE ? fmax(p * REF_SLACK, e) : e };
}

static void fill(ref_out *out, size_t at, size_t n, size_t nspecs, double v)
{
    for (size_t i = at; i < at + n; i++) {
        out->term[i] = 0;
        for (size_t s = 0; s < nspecs; s++) {
            out->v[s * out->n + i] = v;
            out->e[s * out->n + i] = 0;
        }
    }
}

static void live_row(const ref_score_row *r, const ref_spec *specs, size_t nspecs, ref_out *out,
                     size_t at)
{
    for (size_t s = 0; s < nspecs; s++) {
        const ref_exp_view w = ref_exp_view_of(&specs[s], r);
        for (size_t j = 0; j < r->n; j++) {
            const ref_ball y = entry(&w, r, (double)r->x[j] - r->m, r->E[j]);
            out->v[s * out->n + at + j] = y.v;
            out->e[s * out->n + at + j] = y.e;
        }
    }
    for (size_t j = 0; j < r->n; j++) out->term[at + j] = r->E[j] / r->sum;
}

/* y[h,i,j] = E_j / D over j <= i, +0 beyond. Radius: E off by a_j (rounded difference, rexp), D off
 * by b (sum p_j a_j and the declared sum of positive terms), then the division: u, or 2.5 u for a
 * rounded reciprocal and a product. -inf entries are exactly 0, rows of nothing else are, rows with
 * a NaN or +inf are NaN. Forms that rescale or divide by exp(LSE) are not this op's.
 * Source: softmax.h; docs/oracle.md, "softmax". */
void ref_softmax_causal_f32(const void *args, const ref_tile *tile, const ref_spec *specs,
                            size_t nspecs, ref_out *out)
{
    const ref_softmax_args *g = args;
    for (size_t i = 0; i < tile->rows; i++) {
        const size_t at = i * tile->cols, which = tile->r0 + i;
        const float *x = g->x + which * g->ldx;
        const size_t n = which % g->t + 1;
        const double m = ref_maximum(x, n);
        if (isfinite(m)) {
            /* out->term keeps the exponentials until the end */
            const ref_score_row r = ref_score_row_of(x, n, m, out->term + at);
            live_row(&r, specs, nspecs, out, at);
        } else {
            fill(out, at, n, nspecs, isnan(m) ? (double)NAN : 0);
        }
        fill(out, at + n, tile->cols - n, nspecs, 0);
    }
}
