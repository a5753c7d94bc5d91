/* SPDX-License-Identifier: MIT */
/* One output of a matrix product, from its terms: value and radius under each spec. */
#ifndef REF_PRODUCT_H
#define REF_PRODUCT_H

#include "activation.h"
#include "range.h"
#include "sum.h"

enum { BATCH = 8 /* specs that are evaluated at a time */ };

/* The terms of one output, exact in double but for one rounding where `self` is not 0. */
typedef struct source {
    size_t n;    /* terms: elements or blocks */
    size_t fine; /* elements that they are made of */
    double more; /* roundings that a kernel of unknown order may add to those of n terms */
    /* 2: the last half of the terms are block minimums, which a declared order sums apart, like the
     * first half (CK_NUM_MIN_FACTORED); the two sums are then added. Else 1. */
    size_t parts;
    /* Terms are products of elements that an unknown order may take apart: inf 0 - m may be inf times
     * a sum that is not 0. */
    int apart;
    double self, self_directed; /* roundings of a term by itself, to nearest and to another side */
    void *at;
    /* Terms i .. i + m into t. */
    void (*get)(void *at, size_t i, size_t m, double *t);
    /* NULL: terms are elements. Else the sum of |element product|, and whether all of them are
     * multiples of `unit`. */
    double (*fine_sum)(void *at, size_t n);
    int (*fine_multiples)(void *at, size_t n, double unit);
} source;

/* y = act(RN(RN(alpha sum) + beta c) + bias); what is absent is 0. */
typedef struct epilogue {
    float alpha, beta, c, bias;
    double low; /* ref_low_bit(alpha) */
    ref_act act;
} epilogue;

/* What one spec says, for every output alike. */
typedef struct plan {
    const ref_spec *spec;
    ref_fp fp;
    ref_order order;
    double any, height;
    size_t twin; /* the first plan with this order: one replay for both */
} plan;

typedef struct cell {
    source terms;
    epilogue ep;
    double v, s, fine_s; /* sum, absolute sums of terms and elements */
    double add;          /* |beta c| + |bias| */
    double out;          /* the value of the output, before an activation */
    double products;     /* at least the sum of |product that is no float|; < 0: not known yet */
    double lost;         /* sum of |term with a subnormal operand|, if some spec has DAZ */
    double lost_apart;   /* the same of elements taken apart */
    double raw;          /* if they may be: at least any sum of theirs before it is scaled */
    double under;        /* what a product of scales that underflows is multiplied by, in all */
    int over;            /* a product of scales may overflow by itself, whatever multiplies it */
    int inexact;         /* nearest has rounded elements that an unknown order need not round */
    double unit;         /* the last unit asked for, and whether the terms are multiples of it */
    int fine, multiples;
    double nodes[BATCH];
    ref_replay replay;
    double piece[REF_PIECE];
} cell;

/* As it is where elements are floats and nothing else is made of them. */
static inline void nothing_lost(cell *c)
{
    c->lost = c->lost_apart = c->raw = c->under = 0;
    c->over = c->inexact = 0;
}

static inline size_t plan_all(plan *p, const ref_spec *specs, size_t nspecs, const source *terms)
{
    const size_t count = nspecs < BATCH ? nspecs : BATCH;
    for (size_t s = 0; s < count; s++) {
        p[s].spec = &specs[s];
        p[s].fp = ref_fp_of(&specs[s]);
        p[s].order = ref_order_of(specs[s].num, terms->n / terms->parts);
        if (terms->parts == 2 && !(specs[s].num->flags & CK_NUM_MIN_FACTORED)) p[s].order.lanes = 0;
        p[s].any = (double)terms->n;
        p[s].height = specs[s].strict ? 0 : ref_height(&p[s].order, 1) + (double)(terms->parts - 1);
        p[s].twin = 0;
        while (!ref_order_same(&p[p[s].twin].order, &p[s].order)) p[s].twin++;
    }
    return count;
}

/* Terms i .. i + m, kept if they are all. */
static inline const double *piece(cell *c, size_t i, size_t *m)
{
    const size_t n = c->terms.n;
    *m = n - i < REF_PIECE ? n - i : REF_PIECE;
    if (n <= REF_PIECE) return c->piece + i;
    c->terms.get(c->terms.at, i, *m, c->piece);
    return c->piece;
}

static inline void sum(cell *c)
{
    const size_t n = c->terms.n;
    double v0 = 0, v1 = 0, s0 = 0, s1 = 0;
    if (n > 0 && n <= REF_PIECE) c->terms.get(c->terms.at, 0, n, c->piece);
    for (size_t at = 0, m; at < n; at += m) {
        const double *t = piece(c, at, &m);
        size_t i = 0;
        for (; i + 2 <= m; i += 2) {
            v0 += t[i], s0 += fabs(t[i]);
            v1 += t[i + 1], s1 += fabs(t[i + 1]);
        }
        if (i < m) v0 += t[i], s0 += fabs(t[i]);
    }
    c->v = v0 + v1;
    c->s = s0 + s1;
    c->fine_s = c->terms.fine_sum ? c->terms.fine_sum(c->terms.at, n) : c->s;
    c->out =
        ((double)c->ep.alpha * c->v + (double)c->ep.beta * (double)c->ep.c) + (double)c->ep.bias;
    c->add = fabs((double)c->ep.beta * (double)c->ep.c) + fabs((double)c->ep.bias);
}

static inline double nodes(cell *c, const plan *p, size_t s)
{
    const size_t twin = p[s].twin;
    if (p[s].order.lanes == 0 || c->nodes[twin] >= 0) return c->nodes[twin];
    const size_t part = c->terms.n / c->terms.parts;
    double sum = c->terms.parts == 2 ? fabs(c->v) : 0;
    for (size_t from = 0; from < c->terms.n; from += part) {
        ref_replay_begin(&c->replay, &p[s].order);
        for (size_t at = from, m; at < from + part; at += m) {
            const double *t = piece(c, at, &m);
            if (m > from + part - at) m = from + part - at;
            ref_replay_terms(&c->replay, t, m);
        }
        sum += c->replay.nodes;
    }
    return c->nodes[twin] = sum;
}

/* The sum of the products that a multiplication apart from the addition rounds. */
static inline double products(cell *c)
{
    if (c->products >= 0) return c->products;
    double sum = 0;
    for (size_t i = 0; i < c->terms.n && i < 4; i++) /* real data: charge them all */
        if (!ref_is_float(c->piece[i])) return c->products = c->s;
    for (size_t at = 0, m; at < c->terms.n; at += m) {
        const double *t = piece(c, at, &m);
        for (size_t i = 0; i < m; i++) sum += ref_is_float(t[i]) ? 0 : fabs(t[i]);
    }
    return c->products = sum;
}

static inline int multiples(cell *c, double unit, int fine)
{
    if (unit == c->unit && fine == c->fine) return c->multiples;
    int all = 1;
    if (fine)
        all = c->terms.fine_multiples(c->terms.at, c->terms.n, unit);
    else
        for (size_t at = 0, m; all && at < c->terms.n; at += m) {
            const double *t = piece(c, at, &m);
            all = ref_multiples(t, m, unit);
        }
    c->unit = unit;
    c->fine = fine;
    return c->multiples = all;
}

static inline int subnormal(float x) { return x != 0 && fabsf(x) < 0x1p-126f; }

static inline int daz_hits(const epilogue *ep)
{
    return subnormal(ep->alpha) || subnormal(ep->beta) || subnormal(ep->c) || subnormal(ep->bias);
}

/* Whether sums of `capacity` units (2^24 of a float) hold every partial result, in any order: all
 * terms t are multiples of g, all alpha t, beta c and bias of h, sum |t| <= capacity g, the sum
 * with the epilogue <= capacity h, and g, h >= floor, the least float. alpha t is a multiple of h
 * if t is one of h over alpha's lowest bit. Tried with the least g and h that the sums allow. The
 * double sums that decide are themselves exact when the answer is yes. docs/oracle.md, "Radius 0". */
static inline int exact(cell *c, double capacity, double floor, int fine)
{
    const epilogue *ep = &c->ep;
    const double s = fine ? c->fine_s : c->s;
    const double h = fmax(ref_ceil_pow2((fabs((double)ep->alpha) * s + c->add) / capacity), floor);
    const double bc = (double)ep->beta * (double)ep->c, bias = (double)ep->bias;
    if (h > 0 && !(ref_multiples(&bc, 1, h) && ref_multiples(&bias, 1, h))) return 0;
    if (s == 0 || ep->alpha == 0) return 1;
    const double g = fmax(ref_ceil_pow2(s / capacity), floor);
    return multiples(c, fmax(g, h / ep->low), fine);
}

static inline int exact_fast(cell *c, const plan *p)
{
    const int fine = (p->order.lanes == 0 || c->terms.self > 0) && c->terms.fine_multiples != NULL;
    const int flush = p->fp.eta_add > 0 || p->fp.daz > 0;
    const double floor = flush ? REF_MIN_NORMAL : 2 * REF_HALF_MIN;
    if (p->fp.daz > 0 && (c->lost > 0 || daz_hits(&c->ep))) return 0;
    if (c->inexact && (p->order.lanes == 0 || p->fp.u > 0x1p-24)) return 0;
    return exact(c, 0x1p24, floor, fine);
}

static inline int is_pow2(float x)
{
    int k;
    return fabsf(frexpf(x, &k)) == 0.5f;
}

/* x times a power of two is rounded only by underflow. */
static inline ref_fp product_fp(ref_fp fp, float x)
{
    if (is_pow2(x)) fp.u = 0;
    return fp;
}

/* Products of scales that underflow, or are taken as 0, times what they are multiplied by. */
static inline double scales_lost(const cell *c, ref_fp fp)
{
    return c->under * (fp.eta + 4 * fp.daz);
}

static inline double sum_error(cell *c, const plan *p, size_t s)
{
    const ref_loss loss = { .n = (double)c->terms.n,
                            .s = c->s,
                            .any = p[s].any,
                            .height = p[s].height,
                            .nodes = nodes(c, p, s),
                            .products = p[s].spec->num->flags & CK_NUM_MULADD ? products(c) : 0,
                            .lost = p[s].fp.daz > 0 ? c->lost : 0 };
    const ref_fp fp = p[s].fp;
    const double self = fp.u > 0x1p-24 ? c->terms.self_directed : c->terms.self;
    const double own = ref_growth(self, fp.u) * c->s + scales_lost(c, fp);
    return ref_sum_error(fp, &loss) + (loss.n + self) * REF_UD * c->s +
           own * (1 + ref_growth(loss.any, fp.u)) * REF_SLACK;
}

/* Declared order: the sum's ball, then the epilogue step by step. */
static inline double radius_declared(cell *c, const plan *p, size_t s)
{
    const ref_fp fp = p[s].fp;
    const epilogue *ep = &c->ep;
    ref_ball y = { c->v, sum_error(c, p, s) };
    if (ep->alpha != 1) y = ref_mul(product_fp(fp, ep->alpha), y, ref_exact((double)ep->alpha));
    if (ep->beta != 0) {
        const ref_ball b = ref_exact((double)ep->beta), x = ref_exact((double)ep->c);
        y = ref_add(fp, y, ref_mul(product_fp(fp, is_pow2(ep->c) ? ep->c : ep->beta), b, x));
    }
    if (ep->bias != 0) y = ref_add(fp, y, ref_exact((double)ep->bias));
    return y.e;
}

/* Unknown order: beta c and bias are terms like the others, which pass through 3 more roundings
 * (alpha, + beta c, + bias): growth(n + more + 3) (|alpha| S + |beta c| + |bias|) with the terms of
 * the finest form. Underflow for each product of elements, of alpha and of beta, flushed or zeroed
 * operands for each operation. docs/oracle.md, "block dot". */
static inline double radius_any(const cell *c, const plan *p)
{
    const ref_fp fp = p->fp;
    const double n = (double)c->terms.fine, alpha = fabs((double)c->ep.alpha);
    const double s = alpha * c->fine_s + c->add;
    const double g = ref_growth((double)c->terms.n + c->terms.more + 3, fp.u);
    const double one = fp.eta + fp.eta_add + 4 * fp.daz;
    double e = g * s + ((n * fmax(alpha, 1) + 3) * one + scales_lost(c, fp)) * (1 + g);
    if (fp.daz > 0) {
        e += alpha * fmax(c->lost, c->lost_apart) +
             fp.daz * (fabs((double)c->ep.beta) + fabs((double)c->ep.c) + 1);
        if (subnormal(c->ep.alpha)) e += alpha * c->fine_s;
    }
    return (e + 2 * (n + 4) * REF_UD * s) * (1 + 2 * n * REF_UD) * REF_SLACK;
}

/* Strict: the kernel's n + 3 double roundings and this file's own, then one rounding to float. */
static inline double strict_error(const cell *c)
{
    const double s = fabs((double)c->ep.alpha) * c->s + c->add;
    return 2 * ref_growth((double)c->terms.n + 3 + c->terms.self, REF_UD) * s * REF_SLACK;
}

static inline double radius(cell *c, const plan *p, size_t s)
{
    if (p[s].spec->strict) {
        const double e = strict_error(c);
        /* 2^50: room of 2^3 units for the rounding of the sums that decide */
        const int fine = c->terms.self > 0 && c->terms.fine_multiples != NULL;
        if (ref_is_float(c->out) && exact(c, 0x1p50, 0, fine)) return 0;
        return (ref_half_ulp(fabs(c->out) + e) + e) * REF_SLACK;
    }
    if (exact_fast(c, &p[s])) return 0;
    return p[s].order.lanes == 0 ? radius_any(c, &p[s]) : radius_declared(c, p, s);
}

/* Absolute sums of the positive and negative finite terms; which infinities and NaNs there are. */
typedef struct parts {
    double pos, neg;
    unsigned other;
} parts;

static inline parts split(cell *c)
{
    parts x = { 0, 0, 0 };
    for (size_t at = 0, m; at < c->terms.n; at += m) {
        const double *t = piece(c, at, &m);
        for (size_t i = 0; i < m; i++)
            if (isnan(t[i]))
                x.other |= REF_NAN;
            else if (isinf(t[i]))
                x.other |= t[i] > 0 ? REF_PINF : REF_NINF;
            else if (t[i] > 0)
                x.pos += t[i];
            else
                x.neg -= t[i];
    }
    return x;
}

/* The sum in any order: partial sums lie between -neg and pos, with their roundings. A NaN stays,
 * infinities of both signs meet. With one infinity, or overflow on one side, the other side must
 * not overflow. Kernels of unknown order may multiply an infinite scale with a part of its block,
 * and DAZ an infinity with 0. */
static inline ref_range range_sum(const cell *c, const parts *x, const plan *p)
{
    const ref_fp fp = p->fp;
    const double grow = 1 + ref_growth(p->any, fp.u), s = x->pos + x->neg;
    const int over = !p->spec->strict;
    const unsigned pos = over && !(x->pos * grow < REF_FITS) ? REF_PINF : 0;
    const unsigned neg = over && !(x->neg * grow < REF_FITS) ? REF_NINF : 0;
    const unsigned can = x->other | pos | neg, both = REF_PINF | REF_NINF;
    ref_range y = { REF_FINITE, { x->pos - x->neg, (grow - 1 + p->any * REF_UD) * s } };
    y.b.e += p->any * (fp.eta + fp.eta_add + 4 * fp.daz) * grow + (fp.daz > 0 ? c->lost : 0);
    if (fp.u > REF_UD)
        y.b.e += (scales_lost(c, fp) + ref_growth(c->terms.self_directed, fp.u) * s) * grow;
    /* directed rounding may go on from FLT_MAX where the sum is beyond it */
    if ((pos | neg) && fp.u > 0x1p-24) y.b.e += s;
    y.b.e *= REF_SLACK;
    if (s == 0 && !(fp.daz > 0)) y.b.e = 0; /* nothing but zeros */
    const int large = x->other || !(c->raw + c->fine_s < (double)FLT_MAX / 4);
    const int apart = c->over || (c->terms.apart && p->order.lanes == 0);
    if (large && apart && !p->spec->strict) return (ref_range){ REF_FINITE | REF_NAN | both, y.b };
    if (x->other & REF_NAN || (x->other & both) == both) return (ref_range){ REF_NAN, y.b };
    if (x->other) {
        y.can = x->other | ((can & both) == both ? (unsigned)REF_NAN : 0u);
        if (fp.daz > 0 || (!p->spec->strict && p->order.lanes == 0 && c->terms.fine_sum))
            y.can |= REF_NAN;
    } else if (pos | neg) {
        const unsigned end = ref_overflow(fp, y.b);
        const int sure = (pos && !neg && end == REF_PINF) || (neg && !pos && end == REF_NINF);
        y.can = sure ? end : REF_FINITE | pos | neg | (pos && neg ? (unsigned)REF_NAN : 0u);
    }
    return y;
}

/* + beta c: a product of its own with CK_NUM_MULADD, else an FMA, in which it cannot overflow; with
 * an unknown order either. In strict mode nothing overflows. */
static inline ref_range add_product(const plan *p, ref_range y, ref_range beta, ref_range c)
{
    const int muladd = (p->spec->num->flags & CK_NUM_MULADD) != 0;
    const ref_range fused = ref_range_add(p->fp, y, ref_range_product(p->fp, beta, c));
    ref_range z = ref_range_add(p->fp, y, ref_range_mul(p->fp, beta, c));
    if (p->order.lanes == 0 && !muladd) z.can |= fused.can;
    return p->order.lanes == 0 || muladd ? z : fused;
}

/* What the sum and its epilogue may be, an activation apart. */
static inline ref_range range(const cell *c, const parts *x, const plan *p)
{
    const ref_fp fp = p->fp;
    const epilogue *ep = &c->ep;
    ref_range y = range_sum(c, x, p);
    if (ep->alpha != 1) y = ref_range_mul(fp, y, ref_range_of(ep->alpha));
    if (ep->beta != 0) y = add_product(p, y, ref_range_of(ep->beta), ref_range_of(ep->c));
    if (ep->bias != 0) y = ref_range_add(fp, y, ref_range_of(ep->bias));
    return y;
}

/* A double result rounded to float. */
static inline unsigned strict_classes(ref_ball b)
{
    if (fabs(b.v) - b.e > REF_OVER) return b.v > 0 ? REF_PINF : REF_NINF;
    return fabs(b.v) + b.e < REF_OVER ? REF_FINITE : REF_FINITE | REF_PINF;
}

static inline unsigned classes(const cell *c, const parts *x, const plan *p)
{
    const ref_range y = range(c, x, p);
    return p->spec->strict && y.can == REF_FINITE ? strict_classes(y.b) : y.can;
}

/* What the activation is taken of. */
static inline ref_ball argument(cell *c, const plan *p, size_t s)
{
    const int fine = c->terms.self > 0 && c->terms.fine_multiples != NULL;
    if (!p[s].spec->strict) return (ref_ball){ c->out, radius(c, p, s) };
    return (ref_ball){ c->out, exact(c, 0x1p50, 0, fine) ? 0 : strict_error(c) };
}

/* Value and radius under one spec. */
static inline ref_ball judge(cell *c, const plan *p, size_t s)
{
    if (c->ep.act == REF_ACT_NONE) return (ref_ball){ c->out, radius(c, p, s) };
    const ref_ball y = ref_activate(c->ep.act, p[s].spec, argument(c, p, s));
    return p[s].spec->strict ? ref_strict_rounding(y) : y;
}

/* The same where infinities, NaNs or large numbers are about: only what every order gives. */
static inline ref_ball judge_special(cell *c, const plan *p, size_t s, const parts *x)
{
    switch (classes(c, x, &p[s])) {
    case REF_FINITE: return judge(c, p, s);
    case REF_PINF: return (ref_ball){ INFINITY, 0 };
    case REF_NINF: return ref_exact(c->ep.act == REF_ACT_NONE ? (double)-INFINITY : 0);
    case REF_NAN: return (ref_ball){ (double)NAN, 0 };
    default: return (ref_ball){ isfinite(c->out) ? c->out : 0, REF_ANY };
    }
}

/* Mean |element product|, what one dropped element would change; else what the epilogue adds; as an
 * activation passes it on. */
static inline double term(const cell *c)
{
    const double mean =
        fabs((double)c->ep.alpha) * c->fine_s / (double)(c->terms.fine ? c->terms.fine : 1);
    const double t = mean > 0 ? mean : c->add;
    return isfinite(t) ? t * ref_act_slope(c->ep.act, c->out, c->out) : 0;
}

typedef struct sink {
    const plan *p;
    size_t first, count;
    ref_out *out;
} sink;

/* Sums up the terms; whether infinities, NaNs or numbers near overflow are about. */
static inline int begin(cell *c, size_t specs)
{
    for (size_t s = 0; s < specs; s++) c->nodes[s] = -1;
    c->products = -1;
    c->unit = 0;
    sum(c);
    /* with 2^-2 to spare for growth, which n > 2^21 in directed mode might exceed */
    const double all = c->s + c->fine_s + fabs((double)c->ep.alpha) * c->fine_s + c->add + c->raw;
    return !(all < (double)FLT_MAX / 4 && c->terms.n < 1u << 21);
}

static inline void put(const sink *k, size_t s, size_t i, ref_ball y)
{
    const size_t at = (k->first + s) * k->out->n + i;
    k->out->v[at] = y.v;
    k->out->e[at] = y.e;
}

static inline void emit(cell *c, const sink *k, size_t i)
{
    const int special = begin(c, k->count);
    parts x = { 0, 0, 0 };
    k->out->term[i] = term(c);
    if (special) x = split(c);
    for (size_t s = 0; s < k->count; s++)
        put(k, s, i, special ? judge_special(c, k->p, s, &x) : judge(c, k->p, s));
}

static inline int wants_daz(const plan *p, size_t count)
{
    for (size_t s = 0; s < count; s++)
        if (p[s].fp.daz > 0) return 1;
    return 0;
}

#endif
