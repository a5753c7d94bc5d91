/* SPDX-License-Identifier: MIT */
/* The exponentials of a row of scores and their sum, as softmax and what builds on it need them. */
#ifndef REF_SOFTMAX_H
#define REF_SOFTMAX_H

#include "sum.h"

/* One row, E its exponentials. */
typedef struct ref_score_row {
    const float *x;
    size_t n;
    double m, sum;
    double count; /* entries that equal m */
    double tiny;  /* sum of the other exponentials */
    double *E;
} ref_score_row;

/* What one spec says about a row. */
typedef struct ref_exp_view {
    const ref_spec *spec;
    ref_fp fp;
    double r;     /* relative error of the exponential */
    double loose; /* absolute error of all E together */
    double b;     /* relative error of D */
    double div;   /* of the division */
    int sharp;    /* D is the exact count of the maxima */
} ref_exp_view;

/* REF_LIVE: exp is computed. REF_MAYBE: it may also be flushed. REF_DEAD: it is 0 for certain. */
typedef enum ref_fate { REF_LIVE, REF_MAYBE, REF_DEAD } ref_fate;

/* x and m are floats, the difference is one rounding: d' in d (1 +- u). 2 REF_UD: d's own. */
static inline ref_fate ref_fate_of(const ref_exp_view *w, double d)
{
    const double z = w->spec->num->exp_zero_below, off = (w->fp.u + 2 * REF_UD) * -d + w->fp.daz;
    if (d == 0) return REF_LIVE;
    if (isinf(d)) return REF_DEAD;
    if (w->spec->strict || !(z < 0) || d - off >= z) return REF_LIVE;
    return d + off < z ? REF_DEAD : REF_MAYBE;
}

/* Relative error of E: exp(u |d|)(1 + r) - 1; operands and differences that are flushed move d by
 * up to 3 2^-126. exp(0) = 1 is exact. */
static inline double ref_exp_spread(const ref_exp_view *w, double d)
{
    if (d == 0) return 0;
    const double move = (w->fp.u + 2 * REF_UD) * -d + w->fp.eta_add + 2 * w->fp.daz;
    const double g = ref_expm1(move);
    return g + w->r * (1 + g);
}

/* Absolute error where E may be subnormal: its rounding or flush, and its being read as 0. */
static inline double ref_exp_floor(const ref_exp_view *w, double E, double a)
{
    return E * (1 - a) < REF_MIN_NORMAL ? w->fp.eta + w->fp.daz : 0;
}

/* Absolute error of one E. */
static inline double ref_exp_off(const ref_exp_view *w, double d, double E)
{
    const ref_fate f = ref_fate_of(w, d);
    if (f == REF_DEAD) return E;
    const double a = E > 0 ? ref_exp_spread(w, d) : 0;
    const double e = E * a + ref_exp_floor(w, E, a);
    return f == REF_MAYBE ? fmax(E, e) : e;
}

/* The declared sum of the computed exponentials, which are off by `loose` together: every partial
 * sum of theirs is off by its share, and all partial sums by at most (height + 1) loose. */
static inline double ref_exp_sum_off(const ref_exp_view *w, const ref_score_row *r)
{
    const ref_order o = ref_order_of(w->spec->num, r->n);
    const double height = ref_height(&o, 0);
    ref_loss loss = { .n = (double)r->n,
                      .s = r->sum + w->loose,
                      .any = (double)(r->n - 1),
                      .height = height,
                      .nodes = -1 };
    if (o.lanes != 0) {
        ref_replay replay;
        ref_replay_begin(&replay, &o);
        ref_replay_terms(&replay, r->E, r->n);
        loss.nodes = replay.nodes + (height + 1) * w->loose;
    }
    return ref_sum_error(w->fp, &loss);
}

static inline ref_exp_view ref_exp_view_of(const ref_spec *spec, const ref_score_row *r)
{
    ref_exp_view w = { .spec = spec, .fp = ref_fp_of(spec) };
    const double u = w.fp.u, own = ((double)r->n + 8) * REF_UD;
    int dead = 1;
    /* strict: an exp good to 2 ulp in double; libm's, in `own`, to 1 */
    w.r = spec->strict ? 4 * REF_UD : spec->num->rexp * u;
    w.div = spec->strict || (spec->num->flags & CK_NUM_TRUE_DIV) ? u : 2.5 * u;
    for (size_t j = 0; j < r->n; j++) {
        const double d = (double)r->x[j] - r->m;
        w.loose += ref_exp_off(&w, d, r->E[j]);
        dead &= d == 0 || ref_fate_of(&w, d) == REF_DEAD;
    }
    /* 2^-60 stays below half an ulp of any double sum >= 1 that it is added to */
    w.sharp = r->count <= 0x1p24 && (dead || (spec->strict && r->tiny < 0x1p-60));
    const double order = w.sharp        ? 0
                         : spec->strict ? (double)r->n * REF_UD * r->sum
                                        : ref_exp_sum_off(&w, r);
    w.b = ((w.loose + order) / r->sum + own) * REF_SLACK;
    return w;
}

static inline int ref_is_pow2(double x)
{
    int k;
    return frexp(x, &k) == 0.5;
}

/* E'/D' - E/D: relative (1 + a)(1 + div) / (1 - b) - 1 and, absolute, what E' may have lost to
 * underflow, and the quotient's own underflow; infinite if D' might vanish. */
static inline double ref_quotient_off(const ref_exp_view *w, const ref_score_row *r, double d,
                                      double E)
{
    const double p = E / r->sum, a = E > 0 ? ref_exp_spread(w, d) : 0,
                 own = ((double)r->n + 8) * REF_UD;
    if (!(w->b < 1)) return INFINITY;
    const double rel = (a + w->div + a * w->div + w->b) / (1 - w->b);
    const double lost = ref_exp_floor(w, E, a) * (1 + w->div) / (r->sum * (1 - w->b));
    const double small = p * (1 - rel) < REF_MIN_NORMAL ? w->fp.eta : 0;
    return (p * (rel + own) + lost + small) * REF_SLACK;
}

/* The row's maximum; NaN if the row has a NaN or +inf, for which all of it must be NaN. */
static inline double ref_maximum(const float *x, size_t n)
{
    double m = -INFINITY;
    for (size_t j = 0; j < n; j++) {
        if (isnan(x[j]) || x[j] > FLT_MAX) return (double)NAN;
        m = fmax(m, (double)x[j]);
    }
    return m;
}

/* The exponentials of a row whose maximum is finite; E has room for n. */
static inline ref_score_row ref_score_row_of(const float *x, size_t n, double m, double *E)
{
    ref_score_row r = { .x = x, .n = n, .m = m, .E = E };
    for (size_t j = 0; j < n; j++) {
        const double d = (double)x[j] - m;
        E[j] = exp(d);
        if (d == 0) r.count += 1;
        if (d != 0) r.tiny += E[j];
    }
    r.sum = r.count + r.tiny;
    return r;
}

#endif
