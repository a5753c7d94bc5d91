/* SPDX-License-Identifier: MIT */
/* Reference of causal attention: o = sum_j p_j v_j, p the softmax of the visible scores. */
#include "rounding.h"

ref_fn ref_attention_f32, ref_attention_bf16, ref_attention_f16;

enum { KEYS_MOST = 1 << 12, WIDTH_MOST = 1 << 11 };

/* What a row's scores make of it. */
typedef enum fate { LIVE, ALL_NAN, ALL_ZERO } fate;

/* One row of the output. Of visible key j: */
typedef struct row {
    const float *q;
    const ref_number *format; /* of k and v */
    const void *k, *v;
    size_t n, d, ldk, ldv, first_k, first_v; /* elements before the first visible key */
    double scale;
    double s[KEYS_MOST];   /* score */
    double sum[KEYS_MOST]; /* of |q k|, the finite ones */
    double p[KEYS_MOST];   /* weight, all of them adding up to 1 */
    double a[KEYS_MOST];   /* bound of the weight's relative error, by one spec */
    double m;              /* the greatest score */
    int exact;             /* all sums of q k are exact in floats, in any order */
    int open;              /* one of them, or a score, might overflow there */
} row;

static double key(const row *r, size_t j, size_t l)
{
    return (double)ref_number_at(r->format, r->k, r->first_k + j * r->ldk + l);
}

static double value(const row *r, size_t j, size_t l)
{
    return (double)ref_number_at(r->format, r->v, r->first_v + j * r->ldv + l);
}

/* What one spec says about a row. */
typedef struct view {
    const ref_spec *spec;
    ref_fp fp;
    double growth; /* of the sums over keys */
    double loose;  /* sum of p a: what the denominator is off by, but for its growth */
    int sharp;     /* each weight is 1 or 0 for certain */
} view;

/* Sums of multiples of g that stay within 2^24 g are exact in any order. */
static int exact_sum(const double *t, size_t n, double s)
{
    const double g = fmax(ref_ceil_pow2(s / 0x1p24), 2 * REF_HALF_MIN);
    return s == 0 || (isfinite(s) && ref_multiples(t, n, g));
}

static void score(row *r, size_t j)
{
    double t[WIDTH_MOST], v = 0, s = 0;
    for (size_t l = 0; l < r->d; l++) {
        t[l] = (double)r->q[l] * key(r, j, l);
        v += t[l];
        if (isfinite(t[l])) s += fabs(t[l]);
    }
    r->s[j] = r->scale * v;
    r->sum[j] = s;
    r->exact &= isfinite(v) && exact_sum(t, r->d, s);
}

/* In double nothing but operands makes an infinity or a NaN; in float an overflow might. */
static fate scores(row *r)
{
    int nan = 0;
    r->m = -INFINITY;
    r->exact = 1;
    r->open = 0;
    for (size_t j = 0; j < r->n; j++) {
        score(r, j);
        nan |= isnan(r->s[j]) || r->s[j] == INFINITY;
        r->open |= !(r->sum[j] * fmax(fabs(r->scale), 1) < (double)FLT_MAX / 4);
        if (!isnan(r->s[j])) r->m = fmax(r->m, r->s[j]);
    }
    return nan ? ALL_NAN : r->m == -INFINITY ? ALL_ZERO : LIVE;
}

static void weights(row *r)
{
    double sum = 0;
    for (size_t j = 0; j < r->n; j++) sum += r->p[j] = exp(r->s[j] - r->m);
    for (size_t j = 0; j < r->n; j++) r->p[j] /= sum;
}

/* Bound of |s' - s|: the products' sum in its order, then the product by scale. Operands that are
 * taken as 0 lose at most daz each. */
static double score_error(const view *w, const row *r, size_t j)
{
    const ref_order order = ref_order_of(w->spec->num, r->d);
    const double d = (double)r->d;
    const double height = w->spec->strict ? d : ref_height(&order, 1);
    const double scale = fabs(r->scale), s = scale * r->sum[j];
    double e = ref_growth(height + 1, w->fp.u) * s;
    e += (scale + 1) * (2 * d + 2) * (w->fp.eta + w->fp.eta_add + 4 * w->fp.daz);
    if (w->fp.daz > 0)
        for (size_t l = 0; l < r->d; l++)
            e += scale * w->fp.daz * (fabs((double)r->q[l]) + fabs(key(r, j, l)));
    return (e + (2 * d + 4) * REF_UD * s) * REF_SLACK;
}

/* Most times that a maximum over the first keys may be replaced, whatever the tiles. */
static size_t rescales(const row *r, const double *e)
{
    size_t count = 0;
    double low = -INFINITY;
    for (size_t j = 0; j < r->n; j++) {
        count += j > 0 && r->s[j] + e[j] > low;
        low = fmax(low, r->s[j] - e[j]);
    }
    return count;
}

/* Equal sums have equal scores, hence the maxima weight exp(0) = 1; all others' are 0. */
static int is_sharp(const view *w, const row *r, const double *e)
{
    const double z = w->spec->num->exp_zero_below;
    double most = -INFINITY;
    for (size_t j = 0; j < r->n; j++) most = fmax(most, r->s[j]);
    for (size_t j = 0; j < r->n && r->exact; j++) {
        const double d = r->s[j] - most, off = 2 * e[j] + (w->fp.u + 4 * REF_UD) * fabs(d);
        if (d == 0) continue;
        /* strict: exp(d) < 2^-1100 is 0, libm's and the kernels' */
        if (w->spec->strict ? !(d + off < -800) : !(z < 0 && d + off < z)) return 0;
    }
    return r->exact && !(w->fp.daz > 0);
}

/* The weight of key j, before the division, is off by a factor exp(x)(1 + rexp)^(R + 1): x is the
 * score's error, the rounding of s - m and those of the maxima's differences, which add up to what
 * the maximum rose by; `worst`: what the computed maximum is off by, a factor that all share. A weight
 * that may be flushed is off by all of itself. */
static view view_of(const ref_spec *spec, row *r)
{
    view w = { .spec = spec, .fp = ref_fp_of(spec) };
    double e[KEYS_MOST], worst = 0, first = r->s[0];
    const double z = spec->num->exp_zero_below, u = w.fp.u + 2 * REF_UD;
    for (size_t j = 0; j < r->n; j++) {
        e[j] = isinf(r->s[j]) ? 0 : score_error(&w, r, j);
        worst = fmax(worst, r->s[j] == r->m ? e[j] : r->s[j] + e[j] - r->m);
    }
    const double turns = spec->strict ? 0 : (double)rescales(r, e);
    const double rexp = spec->strict ? 4 * REF_UD : spec->num->rexp * w.fp.u;
    w.growth = ref_growth((double)r->n + turns + 2, w.fp.u);
    w.sharp = is_sharp(&w, r, e);
    for (size_t j = 0; isinf(first) && j < r->n; j++) first = r->s[j];
    for (size_t j = 0; j < r->n; j++) {
        const double fall = r->m - r->s[j], rise = fmax(r->m - first, 0);
        if (isinf(fall)) {
            r->a[j] = 0;
            continue;
        }
        const double x = e[j] + u * (fall + 2 * worst) + u * (rise + 2 * worst) +
                         (turns + 2) * (w.fp.eta_add + 2 * w.fp.daz);
        const double g = ref_growth((turns + 1) * rexp, 1);
        r->a[j] = ref_expm1(x) * (1 + g) + g;
        if (!spec->strict && z < 0 && -fall * (1 + u) - e[j] - 2 * worst < z)
            r->a[j] = fmax(r->a[j], 1);
        w.loose += r->p[j] * r->a[j];
    }
    return w;
}

/* The mean of the values with weight 1: a sum that is exact, a count that is, one division. */
static int sharp_cell(const view *w, const row *r, size_t l, ref_ball *y)
{
    double t[KEYS_MOST], v = 0, s = 0, count = 0;
    size_t n = 0;
    for (size_t j = 0; j < r->n; j++) {
        if (r->s[j] != r->m) continue;
        t[n] = value(r, j, l);
        count += 1;
        v += t[n];
        s += fabs(t[n++]);
    }
    const int divides = w->spec->strict || (w->spec->num->flags & CK_NUM_TRUE_DIV);
    if (!divides || (w->spec->u > 0x1p-24 && !w->spec->strict) || !exact_sum(t, n, s)) return 0;
    *y = ref_exact((double)(float)(v / count));
    /* a quotient below the normal numbers may be flushed */
    return y->v == 0 || fabs(y->v) >= REF_MIN_NORMAL;
}

/* o' - o = (sum p_j (v_j - o) d_j + sums' roundings) / (1 + sum p_j d_j ..), |d_j| <= a_j: what the
 * numerator and the denominator share does not count. Then one division; what underflows on the way
 * is divided by a denominator of at least 1 - b. */
static ref_ball cell(const view *w, const row *r, size_t l)
{
    double o = 0, abs = 0, most = 0, shared = 0, weighted = 0;
    ref_ball y;
    if (w->sharp && sharp_cell(w, r, l, &y)) return y;
    for (size_t j = 0; j < r->n; j++) o += r->p[j] * value(r, j, l);
    for (size_t j = 0; j < r->n; j++) {
        const double v = value(r, j, l);
        abs += r->p[j] * fabs(v);
        most = fmax(most, fabs(v));
        shared += r->p[j] * r->a[j] * fabs(v - o);
        weighted += r->p[j] * r->a[j] * fabs(v);
    }
    const double n = (double)r->n, g = w->growth, own = (2 * n + 16) * REF_UD;
    const double b = w->loose + g * (1 + w->loose) + own;
    if (!(b < 0.5)) return (ref_ball){ 0, REF_ANY };
    double e = (shared + g * (abs + weighted) + fabs(o) * g * (1 + w->loose)) / (1 - b);
    e += 3 * w->fp.u * (fabs(o) + e) + own * (abs + fabs(o));
    e += (2 * n + 4) * (w->fp.eta + w->fp.eta_add + 4 * w->fp.daz) * (1 + most) * 2 / (1 - b);
    if (w->spec->strict) e += ref_half_ulp(fabs(o) + e);
    return (ref_ball){ o, e * REF_SLACK };
}

/* Values that are no numbers, or so large that their sums may not be: a NaN counts with any weight, an
 * infinity with one that is above 0 for certain. What the fast kernels have not begun to sum, as no
 * score was above -inf, they may pass over. */
static int special_cell(const view *w, const row *r, size_t l, ref_ball *y)
{
    double most = 0;
    int nan = 0, passed = 0, plus = 0, minus = 0;
    for (size_t j = 0; j < r->n; j++) {
        const double v = value(r, j, l);
        const int counts = w->spec->strict || !isinf(r->s[j]);
        nan |= isnan(v) && counts;
        passed |= (isnan(v) && !counts) || (isinf(v) && (r->p[j] == 0 || !(r->a[j] < 1)));
        plus |= isinf(v) && v > 0;
        minus |= isinf(v) && v < 0;
        if (isfinite(v)) most = fmax(most, fabs(v));
    }
    const int large = !w->spec->strict && !(most * ((double)r->n + 1) < (double)FLT_MAX / 4);
    *y = (ref_ball){ 0, REF_ANY };
    if (nan)
        *y = ref_exact((double)NAN);
    else if (!passed && !large && (plus || minus))
        *y = ref_exact(plus && minus ? (double)NAN : plus ? INFINITY : -INFINITY);
    return nan || passed || large || plus || minus;
}

static double term(const row *r, size_t l)
{
    double abs = 0;
    for (size_t j = 0; j < r->n; j++) abs += r->p[j] * fabs(value(r, j, l));
    return isfinite(abs) ? abs / (double)r->n : 0;
}

/* n equal cells; fast ones are left open where scores are. */
static void put(ref_out *out, const row *r, const ref_spec *specs, size_t nspecs, size_t at,
                size_t n, double v)
{
    for (size_t s = 0; s < nspecs; s++)
        for (size_t i = s * out->n + at; i < s * out->n + at + n; i++) {
            out->v[i] = v;
            out->e[i] = r->open && !specs[s].strict ? REF_ANY : 0;
        }
}

static void live_row(row *r, const ref_spec *specs, size_t nspecs, ref_out *out, size_t at)
{
    weights(r);
    for (size_t l = 0; l < r->d; l++) out->term[at + l] = term(r, l);
    put(out, r, specs, nspecs, at, r->d, 0);
    for (size_t s = 0; s < nspecs; s++) {
        if (r->open && !specs[s].strict) continue;
        const view w = view_of(&specs[s], r);
        for (size_t l = 0; l < r->d; l++) {
            ref_ball y;
            if (!special_cell(&w, r, l, &y)) y = cell(&w, r, l);
            out->v[s * out->n + at + l] = y.v;
            out->e[s * out->n + at + l] = y.e;
        }
    }
}

static void see(row *r, const ref_attention_args *g, size_t h, size_t i)
{
    const size_t group = h / (g->heads / g->kv_heads), last = g->tk - g->tq + i;
    const size_t first = g->window && last + 1 > g->window ? last + 1 - g->window : 0;
    r->q = g->q + h * g->head_q + i * g->ldq;
    r->k = g->k;
    r->v = g->v;
    r->first_k = group * g->head_k + first * g->ldk;
    r->first_v = group * g->head_v + first * g->ldv;
    r->n = last + 1 - first;
    r->d = g->d;
    r->ldk = g->ldk;
    r->ldv = g->ldv;
    r->scale = (double)g->scale;
}

/* y[h,i,l] = sum_j p_j v[j,l] for l < d, +0 beyond. Radius: the weights' relative errors a_j count by
 * |v_j - o|, then the sums over keys and the division. Radius 0 where all weights are 1 or 0 for
 * certain and the values' sum is exact. Source: attention.h; docs/oracle.md, "attention". */
static void attend(const ref_attention_args *g, const ref_number *format, const ref_tile *tile,
                   const ref_spec *specs, size_t nspecs, ref_out *out)
{
    for (size_t i = 0; i < tile->rows; i++) {
        const size_t at = i * tile->cols, which = tile->r0 + i;
        const size_t h = g->token_major ? which % g->heads : which / g->tq;
        row r;
        r.format = format;
        see(&r, g, h, g->token_major ? which / g->heads : which % g->tq);
        for (size_t l = 0; l < tile->cols; l++) out->term[at + l] = 0;
        switch (scores(&r)) {
        case LIVE: live_row(&r, specs, nspecs, out, at); break;
        case ALL_NAN: put(out, &r, specs, nspecs, at, r.d, (double)NAN); break;
        case ALL_ZERO: put(out, &r, specs, nspecs, at, r.d, 0); break;
        }
        r.open = 0;
        put(out, &r, specs, nspecs, at + r.d, tile->cols - r.d, 0);
    }
}

#define ATTENTION(dtype)                                                                      \
    void ref_attention_##dtype(const void *args, const ref_tile *tile, const ref_spec *specs, \
                               size_t nspecs, ref_out *out)                                   \
    {                                                                                         \
        attend(args, &ref_number_##dtype, tile, specs, nspecs, out);                          \
    }
ATTENTION(f32)
ATTENTION(bf16)
ATTENTION(f16)
#undef ATTENTION
