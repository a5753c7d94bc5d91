/* SPDX-License-Identifier: MIT */
/* Reference of softmax: p_j = E_j / D, E_j = exp(x_j - m), D = sum E_j, m the maximum. */
#include "sum.h"

ref_fn ref_softmax_causal_f32;

/* One row, E its exponentials. */
typedef struct row {
    const float *x;
    size_t n;
    double m, sum;
    double count; /* entries that equal m */
    double tiny;  /* sum of the other exponentials */
    double *E;
} row;

/* What one spec says about a row. */
typedef struct view {
    const ref_spec *spec;
    ref_fp fp;
    double r;     /* relative error of the exponential */
    double loose; /* absolute error of all E together */
    double b;     /* relative error of D */
    double div;   /* of the division */
    int sharp;    /* D is the exact count of the maxima */
} view;

/* LIVE: exp is computed. MAYBE: it may also be flushed. DEAD: it is 0 for certain. */
typedef enum fate { LIVE, MAYBE, DEAD } fate;

/* x and m are floats, the difference is one rounding: d' in d (1 +- u). 2 REF_UD: d's own. */
static fate fate_of(const view *w, double d)
{
    const double z = w->spec->num->exp_zero_below, off = (w->fp.u + 2 * REF_UD) * -d + w->fp.daz;
    if (d == 0) return LIVE;
    if (isinf(d)) return DEAD;
    if (w->spec->strict || !(z < 0) || d - off >= z) return LIVE;
    return d + off < z ? DEAD : MAYBE;
}

/* Relative error of E: exp(u |d|)(1 + r) - 1; operands and differences that are flushed move d by
 * up to 3 2^-126. exp(0) = 1 is exact. */
static double spread(const view *w, double d)
{
    if (d == 0) return 0;
    const double move = (w->fp.u + 2 * REF_UD) * -d + w->fp.eta_add + 2 * w->fp.daz;
    const double g = ref_expm1(move);
    return g + w->r * (1 + g);
}

/* Absolute error where E may be subnormal: its rounding or flush, and its being read as 0. */
static double floor_of(const view *w, double E, double a)
{
    return E * (1 - a) < REF_MIN_NORMAL ? w->fp.eta + w->fp.daz : 0;
}

/* Absolute error of one E. */
static double off_one(const view *w, double d, double E)
{
    const fate f = fate_of(w, d);
    if (f == DEAD) return E;
    const double a = E > 0 ? spread(w, d) : 0;
    const double e = E * a + floor_of(w, E, a);
    return f == MAYBE ? fmax(E, e) : e;
}

/* The declared sum of the computed exponentials, which are off by `loose` together: every partial
 * sum of theirs is off by its share, and all partial sums by at most (height + 1) loose. */
static double sum_off(const view *w, const row *r)
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

static view view_of(const ref_spec *spec, const row *r)
{
    view w = { .spec = spec, .fp = ref_fp_of(spec) };
    const double u = w.fp.u, own = ((double)r->n + 8) * REF_UD;
    int dead = 1;
    /* strict: an exp good to 2 ulp in double; libm's, in `own`, to 1 */
    w.r = spec->strict ? 4 * REF_UD : spec->num->rexp * u;
    w.div = spec->strict || (spec->num->flags & CK_NUM_TRUE_DIV) ? u : 2.5 * u;
    for (size_t j = 0; j < r->n; j++) {
        const double d = (double)r->x[j] - r->m;
        w.loose += off_one(&w, d, r->E[j]);
        dead &= d == 0 || fate_of(&w, d) == DEAD;
    }
    /* 2^-60 stays below half an ulp of any double sum >= 1 that it is added to */
    w.sharp = r->count <= 0x1p24 && (dead || (spec->strict && r->tiny < 0x1p-60));
    const double order = w.sharp        ? 0
                         : spec->strict ? (double)r->n * REF_UD * r->sum
                                        : sum_off(&w, r);
    w.b = ((w.loose + order) / r->sum + own) * REF_SLACK;
    return w;
}

static int is_pow2(double x)
{
    int k;
    return frexp(x, &k) == 0.5;
}

/* E'/D' - E/D: relative (1 + a)(1 + div) / (1 - b) - 1 and, absolute, what E' may have lost to
 * underflow, and the quotient's own underflow; infinite if D' might vanish. */
static double quotient_off(const view *w, const row *r, double d, double E)
{
    const double p = E / r->sum, a = E > 0 ? spread(w, d) : 0, own = ((double)r->n + 8) * REF_UD;
    if (!(w->b < 1)) return INFINITY;
    const double rel = (a + w->div + a * w->div + w->b) / (1 - w->b);
    const double lost = floor_of(w, E, a) * (1 + w->div) / (r->sum * (1 - w->b));
    const double small = p * (1 - rel) < REF_MIN_NORMAL ? w->fp.eta : 0;
    return (p * (rel + own) + lost + small) * REF_SLACK;
}

/* Strict: below half of the least float p rounds to 0, its errors being far below 2^-20 relative. */
static ref_ball entry_strict(const view *w, const row *r, double d, double E)
{
    const double p = E / r->sum, e = quotient_off(w, r, d, E);
    if (p < REF_HALF_MIN * (1 - 0x1p-20)) return ref_exact(0);
    return (ref_ball){ p, (ref_half_ulp(p + e) + e) * REF_SLACK };
}

/* Radius 0: the value 2^-k where D is the exact count 2^k of the maxima; 0 where the exponential is
 * 0 for certain. docs/oracle.md, "Radius 0". */
static ref_ball entry(const view *w, const row *r, double d, double E)
{
    const double p = E / r->sum;
    const fate f = fate_of(w, d);
    if (f == DEAD) return ref_exact(0);
    if (w->sharp && d == 0 && is_pow2(r->count)) return ref_exact(p);
    if (w->spec->strict) return entry_strict(w, r, d, E);
    const double e = quotient_off(w, r, d, E);
    return (ref_ball){ p, f == MAYBE ? fmax(p * REF_SLACK, e) : e };
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

/* The row's maximum; NaN if the row has a NaN or +inf, for which all of it must be NaN. */
static double maximum(const float *x, size_t n)
{
    double m = -INFINITY;
    for (size_t j = 0; j < n; j++) {
        if (isnan(x[j]) || x[j] > FLT_MAX) return (double)NAN;
        m = fmax(m, (double)x[j]);
    }
    return m;
}

static void live_row(row *r, const ref_spec *specs, size_t nspecs, ref_out *out, size_t at)
{
    r->E = out->term + at; /* until the end */
    r->count = r->tiny = 0;
    for (size_t j = 0; j < r->n; j++) {
        const double d = (double)r->x[j] - r->m;
        r->E[j] = exp(d);
        if (d == 0) r->count += 1;
        if (d != 0) r->tiny += r->E[j];
    }
    r->sum = r->count + r->tiny;
    for (size_t s = 0; s < nspecs; s++) {
        const view w = view_of(&specs[s], r);
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
        row r = { .x = g->x + which * g->ldx, .n = which % g->t + 1 };
        r.m = maximum(r.x, r.n);
        if (isfinite(r.m))
            live_row(&r, specs, nspecs, out, at);
        else
            fill(out, at, r.n, nspecs, isnan(r.m) ? (double)NAN : 0);
        fill(out, at + r.n, tile->cols - r.n, nspecs, 0);
    }
}
