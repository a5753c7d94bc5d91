/* SPDX-License-Identifier: MIT */
/* Reference of the cross-entropy of softmax: l = log D + (m - x_target), its mean and its gradient. */
#include <stdlib.h>

#include "softmax.h"
#include "step.h"

ref_fn ref_softmax_cross_entropy_f32;

/* Of the losses l_i under one spec: their sum, and the sum of their errors. */
typedef struct total {
    double v, e;
    unsigned can; /* REF_NAN, REF_PINF: one of them is */
    int whole;    /* all are integers, for certain */
} total;

/* log and its argument: D is off by b relative, |log(1 + b')| <= -log(1 - b); libm's log is good to 1 ulp,
 * a kernel's to 2. m - x is one rounding of double, the sum another; in a directed mode of twice the
 * unit. */
static ref_ball loss_of(const ref_exp_view *w, const ref_score_row *r, double x)
{
    const double high = log(r->sum), fall = r->m - x;
    const int alone = w->sharp && r->count == 1; /* D is 1 */
    const double own = 8 * REF_UD * (high + 2 * fall) + 2 * w->fp.daz;
    if (alone && ref_sum_is(r->m, -x, fall) && !(w->fp.daz > 0)) return ref_exact(fall);
    if (!(w->b < 1)) return (ref_ball){ high + fall, INFINITY };
    return (ref_ball){ high + fall, ((alone ? 0 : -log1p(-w->b)) + own) * REF_SLACK };
}

/* Row i counts. E has room for v. */
static void add_row(const ref_cross_entropy_args *g, size_t i, const ref_spec *specs, size_t nspecs,
                    double *E, total *totals)
{
    const float *x = g->x + i * g->ldx;
    const double m = ref_maximum(x, g->v), hit = (double)x[g->target[i]];
    const unsigned can = !isfinite(m) ? REF_NAN : isinf(hit) ? REF_PINF : 0;
    for (size_t s = 0; s < nspecs; s++) totals[s].can |= can;
    if (can) return;
    const ref_score_row r = ref_score_row_of(x, g->v, m, E);
    for (size_t s = 0; s < nspecs; s++) {
        const ref_exp_view w = ref_exp_view_of(&specs[s], &r);
        const ref_ball l = loss_of(&w, &r, hit);
        totals[s].v += l.v;
        totals[s].e += l.e;
        totals[s].whole &= l.e == 0 && l.v == floor(l.v);
    }
}

/* Integers below 2^53 add up exactly. */
static ref_ball mean_of(const total *t, double n)
{
    const double v = t->v / n;
    if (t->whole && t->v < 0x1p53 && fma(v, n, -t->v) == 0) return ref_exact(v);
    return (ref_ball){ v, (t->e / n + 4 * (n + 2) * REF_UD * v) * REF_SLACK };
}

static ref_ball stored(const ref_spec *spec, ref_ball mean)
{
    const ref_arith k = ref_arith_of(spec);
    ref_range y = { REF_FINITE, mean };
    if (spec->strict || !isfinite(mean.e)) return ref_stored(&k, y);
    if (!(mean.e == 0 && ref_kept(&k, mean.v))) y.b = ref_rnd(k.fp, mean);
    y.can = ref_overflow(k.fp, y.b);
    return ref_stored(&k, y);
}

/* The mean loss of n rows. */
static void mean_loss(const ref_cross_entropy_args *g, double n, const ref_spec *specs,
                      size_t nspecs, ref_out *out)
{
    enum { SPECS = 64 };
    total totals[SPECS];
    double *const E = malloc(g->v * sizeof *E);
    if (!E) abort();
    for (size_t s = 0; s < nspecs; s++) totals[s] = (total){ .whole = 1 };
    for (size_t i = 0; i < g->t; i++)
        if (g->target[i] >= 0) add_row(g, i, specs, nspecs, E, totals);
    for (size_t s = 0; s < nspecs; s++) {
        const total *t = &totals[s];
        const ref_ball none = ref_exact(t->can & REF_NAN ? (double)NAN : (double)INFINITY);
        const ref_ball mean = n > 0 ? mean_of(t, n) : ref_exact(0);
        ref_put(out, s, 0, t->can ? none : stored(&specs[s], mean));
    }
    out->term[0] = n > 0 && totals[0].can == 0 ? totals[0].v / n / n : 0;
    free(E);
}

/* Under every spec. */
static void no_demand(ref_out *out, size_t nspecs)
{
    for (size_t at = 0; at < out->n; at++) {
        out->term[at] = 0;
        for (size_t s = 0; s < nspecs; s++) ref_put(out, s, at, (ref_ball){ (double)NAN, REF_ANY });
    }
}

/* p = E / D before it is rounded to a float: exact 2^-k where D is the count 2^k of the maxima, 0 where E
 * is for certain. */
static ref_range share_of(const ref_exp_view *w, const ref_score_row *r, size_t j)
{
    const double d = (double)r->x[j] - r->m, p = r->E[j] / r->sum;
    const ref_fate f = ref_fate_of(w, d);
    if (f == REF_DEAD) return ref_point(0);
    if (w->sharp && d == 0 && ref_is_pow2(r->count)) return ref_point(p);
    const double e = ref_quotient_off(w, r, d, r->E[j]);
    return (ref_range){ REF_FINITE, { p, f == REF_MAYBE ? fmax(p * REF_SLACK, e) : e } };
}

/* (p - 1) / n or p / n, operation by operation. */
static void gradient_row(const ref_cross_entropy_args *g, size_t i, double n, const ref_spec *specs,
                         size_t nspecs, ref_out *out, size_t at)
{
    const float *x = g->x + i * g->ldx;
    const double m = ref_maximum(x, g->v);
    const size_t hit = (size_t)g->target[i];
    if (!isfinite(m)) {
        for (size_t j = 0; j < g->v; j++) ref_put_all(out, nspecs, at + j, (double)NAN);
        return;
    }
    /* out->term keeps the exponentials until the end */
    const ref_score_row r = ref_score_row_of(x, g->v, m, out->term + at);
    for (size_t s = 0; s < nspecs; s++) {
        const ref_arith k = ref_arith_of(&specs[s]);
        const ref_exp_view w = ref_exp_view_of(&specs[s], &r);
        for (size_t j = 0; j < g->v; j++) {
            ref_range p = share_of(&w, &r, j);
            if (!isfinite(p.b.e)) p = ref_any();
            if (j == hit) p = ref_step_sub(&k, p, ref_point(1));
            ref_put(out, s, at + j, ref_stored(&k, ref_step_over(&k, p, n)));
        }
    }
    for (size_t j = 0; j < g->v; j++) out->term[at + j] = fabs(r.E[j] / r.sum - (j == hit)) / n;
}

/* Losses: each l_i by its own ball; the mean in double, 2 n roundings of a positive sum. Gradient: softmax's
 * ball, then minus one and over n. A row that counts is NaN if its maximum is not finite, the loss +inf if a
 * target's score is -inf. Source: loss.h; docs/oracle.md, "cross-entropy". */
void ref_softmax_cross_entropy_f32(const void *args, const ref_tile *tile, const ref_spec *specs,
                                   size_t nspecs, ref_out *out)
{
    const ref_cross_entropy_args *g = args;
    double n = 0;
    for (size_t i = 0; i < g->t; i++) n += g->target[i] >= 0;
    switch (g->of) {
    case REF_LOSS_MEAN: mean_loss(g, n, specs, nspecs, out); return;
    case REF_LOSS_COUNT: ref_put_all(out, nspecs, 0, n); return;
    case REF_LOSS_NOTHING: no_demand(out, nspecs); return;
    case REF_LOSS_GRADIENT: break;
    }
    for (size_t r = 0; r < tile->rows; r++) {
        const size_t i = tile->r0 + r, at = r * tile->cols;
        if (g->target[i] >= 0)
            gradient_row(g, i, n, specs, nspecs, out, at);
        else
            for (size_t j = 0; j < g->v; j++) ref_put_all(out, nspecs, at + j, 0);
    }
}
