/* SPDX-License-Identifier: MIT */
/* Float operations on ranges, one after another: as range.h, but with radius 0 where an operation of
 * exact operands has an exact result, which every rounding leaves as it is. */
#ifndef REF_STEP_H
#define REF_STEP_H

#include "range.h"
#include "sum.h"

/* What one spec says of operations. */
typedef struct ref_arith {
    const ref_spec *spec;
    ref_fp fp;
    int sharp;    /* nothing is flushed, so that exact results are kept */
    int directed; /* rounding is not to nearest */
    int muladd;   /* a product is rounded before it is added: for certain, or perhaps */
    int fma;      /* it is not: for certain, or perhaps */
    int ones;     /* 1 + e is taken for 1 where every float sum rounds to that */
} ref_arith;

static inline ref_arith ref_arith_of(const ref_spec *spec)
{
    const ref_fp fp = ref_fp_of(spec);
    const int apart = (spec->num->flags & CK_NUM_MULADD) != 0;
    return (ref_arith){ .spec = spec,
                        .fp = fp,
                        .sharp = !(fp.daz > 0) && !(fp.eta_add > 0),
                        .directed = !spec->strict && spec->u > 0x1p-24,
                        .muladd = spec->strict || apart || spec->num->lanes == 0,
                        .fma = !spec->strict && !apart };
}

static inline int ref_only(ref_range x, unsigned can) { return x.can == can; }
static inline int ref_sure(ref_range x) { return x.can == REF_FINITE && x.b.e == 0; }
static inline ref_range ref_point(double v) { return (ref_range){ REF_FINITE, ref_exact(v) }; }
/* Anything may come. */
static inline ref_range ref_any(void)
{
    return (ref_range){ REF_FINITE | REF_PINF | REF_NINF | REF_NAN, { 0, 0 } };
}

/* The rounding of v leaves it, v being the exact result. */
static inline int ref_kept(const ref_arith *k, double v)
{
    return k->sharp && (k->spec->strict || ref_is_float(v));
}

/* Whether x + y is exactly v. */
static inline int ref_sum_is(double x, double y, double v)
{
    const double z = v - x;
    return (x - (v - z)) + (y - z) == 0;
}

/* Down, x - x is -0: a zero that a sum has made may have either sign in directed modes, which a radius
 * above 0 says. */
static inline ref_range ref_loose_zero(const ref_arith *k, ref_range z)
{
    if (k->directed && ref_sure(z) && z.b.v == 0) z.b.e = REF_HALF_MIN;
    return z;
}

static inline ref_range ref_step_mul(const ref_arith *k, ref_range x, ref_range y)
{
    ref_range z = ref_range_mul(k->fp, x, y);
    const double v = x.b.v * y.b.v;
    if (ref_sure(x) && ref_sure(y) && fma(x.b.v, y.b.v, -v) == 0 && ref_kept(k, v))
        return ref_point(v);
    const int zero = (ref_sure(x) && x.b.v == 0) || (ref_sure(y) && y.b.v == 0);
    const int signs = fabs(x.b.v) >= x.b.e && fabs(y.b.v) >= y.b.e;
    if (zero && signs && ref_only(x, REF_FINITE) && ref_only(y, REF_FINITE)) return ref_point(v);
    return z;
}

static inline ref_range ref_step_add(const ref_arith *k, ref_range x, ref_range y)
{
    const double v = x.b.v + y.b.v;
    if (ref_sure(x) && ref_sure(y) && ref_sum_is(x.b.v, y.b.v, v) && ref_kept(k, v)) {
        const int same = x.b.v == 0 && y.b.v == 0 && !signbit(x.b.v) == !signbit(y.b.v);
        return same ? ref_point(v) : ref_loose_zero(k, ref_point(v));
    }
    return ref_range_add(k->fp, x, y);
}

static inline ref_range ref_neg(ref_range x)
{
    return (ref_range){ ref_negated(x.can), { -x.b.v, x.b.e } };
}

static inline ref_range ref_step_sub(const ref_arith *k, ref_range x, ref_range y)
{
    return ref_step_add(k, x, ref_neg(y));
}

/* x y + z by product and sum, by FMA, or by either. */
static inline ref_range ref_step_muladd(const ref_arith *k, ref_range x, ref_range y, ref_range z)
{
    const double p = x.b.v * y.b.v, v = p + z.b.v;
    const int exact = ref_sure(x) && ref_sure(y) && ref_sure(z) && fma(x.b.v, y.b.v, -p) == 0 &&
                      ref_sum_is(p, z.b.v, v) && ref_kept(k, v);
    ref_fp once = k->fp; /* its one rounding may be that of a subnormal */
    once.eta_add = fmax(once.eta_add, once.eta);
    const ref_range fused = ref_range_add(once, ref_range_product(k->fp, x, y), z);
    if (!k->muladd) return exact ? ref_loose_zero(k, ref_point(v)) : fused;
    ref_range y2 = ref_step_add(k, ref_step_mul(k, x, y), z);
    if (k->fma) y2.can |= fused.can;
    return y2;
}

/* x / d, d a positive float. Without CK_NUM_TRUE_DIV perhaps by a rounded reciprocal: 1.5 u more. */
static inline ref_range ref_step_over(const ref_arith *k, ref_range x, double d)
{
    const int one = k->spec->strict || (k->spec->num->flags & CK_NUM_TRUE_DIV);
    const double v = x.b.v / d;
    if (!(x.can & REF_FINITE)) return x;
    if (one && ref_sure(x) && fma(v, d, -x.b.v) == 0 && ref_kept(k, v))
        x.b = ref_exact(v);
    else
        x.b = ref_div(k->fp, x.b, ref_exact(d));
    if (!one) x.b.e += 1.5 * k->fp.u * (fabs(x.b.v) + x.b.e);
    return x;
}

/* sqrt(x), x >= 0. */
static inline ref_range ref_step_sqrt(const ref_arith *k, ref_range x)
{
    const double v = sqrt(x.b.v);
    if (!(x.can & REF_FINITE)) return x;
    if (ref_sure(x) && fma(v, v, -x.b.v) == 0 && ref_kept(k, v))
        x.b = ref_exact(v);
    else
        x.b = ref_sqrt(k->fp, x.b);
    return x;
}

/* 1 / x, x >= +0. */
static inline ref_range ref_step_recip(const ref_arith *k, ref_range x)
{
    if (ref_only(x, REF_PINF)) return ref_point(0);
    if (ref_only(x, REF_NAN)) return x;
    if (ref_sure(x) && x.b.v == 0) return (ref_range){ REF_PINF, { 0, 0 } };
    if (!ref_only(x, REF_FINITE) || !(x.b.v - x.b.e > k->fp.daz)) return ref_any();
    const int one = k->spec->strict || (k->spec->num->flags & CK_NUM_TRUE_DIV);
    const double v = 1 / x.b.v;
    if (one && ref_sure(x) && fma(v, x.b.v, -1) == 0 && ref_kept(k, v)) return ref_point(v);
    const ref_ball b = ref_div(k->fp, ref_exact(1), x.b);
    return (ref_range){ ref_overflow(k->fp, b), b };
}

/* The sum of t[0..n), floats (leaf = 0) or products of two floats (leaf = 1), by the declared order:
 * exact if all terms are multiples of a unit and add up to no more than 2^24 of it. Where partial sums
 * may overflow, terms of one sign give a certain infinity, others anything. */
static inline ref_range ref_step_sum(const ref_arith *k, const double *t, size_t n, int leaf)
{
    const ref_spec *const spec = k->spec;
    double v = 0, s = 0;
    unsigned other = 0;
    int signs = 0;
    for (size_t j = 0; j < n; j++) {
        if (isnan(t[j])) other |= REF_NAN;
        if (isinf(t[j])) other |= t[j] > 0 ? REF_PINF : REF_NINF;
        if (!isfinite(t[j])) continue;
        v += t[j], s += fabs(t[j]);
        signs |= t[j] < 0 ? 2 : 1;
    }
    const double any = n > 0 ? (double)(n - 1 + (size_t)leaf) : 0;
    const int fits = spec->strict || s * (1 + ref_growth(any, k->fp.u)) < REF_FITS;
    if (other & REF_NAN || (other & REF_PINF && other & REF_NINF))
        return (ref_range){ REF_NAN, { 0, 0 } };
    if (other) return fits || leaf ? (ref_range){ other, { 0, 0 } } : ref_any();
    const double unit = fmax(ref_ceil_pow2(s / (spec->strict ? 0x1p50 : 0x1p24)),
                             spec->strict ? 0 : 2 * REF_HALF_MIN);
    if (k->sharp && fits && (s == 0 || ref_multiples(t, n, unit)))
        return signs && !leaf ? ref_loose_zero(k, ref_point(v)) : ref_point(v);
    const double own = (any + (double)n + 2) * REF_UD * s;
    if (spec->strict)
        return (ref_range){ REF_FINITE, { v, (ref_growth(any, REF_UD) * s + own) * REF_SLACK } };
    const ref_order o = ref_order_of(spec->num, n);
    ref_loss loss = { .n = (double)n,
                      .s = s,
                      .any = any,
                      .height = ref_height(&o, leaf),
                      .nodes = -1,
                      .products = leaf && spec->num->flags & CK_NUM_MULADD ? s : 0 };
    if (o.lanes != 0) {
        ref_replay replay;
        ref_replay_begin(&replay, &o);
        ref_replay_terms(&replay, t, n);
        loss.nodes = replay.nodes;
    }
    const ref_ball b = { v, ref_sum_error(k->fp, &loss) + own };
    if (fits) return (ref_range){ REF_FINITE, b };
    return signs == 3 ? ref_any() : (ref_range){ ref_overflow(k->fp, b), b };
}

/* Value and radius of a stored output. Strict: one rounding of the double. What may be of several
 * classes makes no demand. */
static inline ref_ball ref_stored(const ref_arith *k, ref_range y)
{
    switch (y.can) {
    case REF_FINITE: break;
    case REF_PINF: return ref_exact(INFINITY);
    case REF_NINF: return ref_exact(-INFINITY);
    case REF_NAN: return ref_exact((double)NAN);
    default: return (ref_ball){ isfinite(y.b.v) ? y.b.v : 0, REF_ANY };
    }
    if (!k->spec->strict) return isfinite(y.b.e) ? y.b : (ref_ball){ y.b.v, REF_ANY };
    if (!(y.b.e < INFINITY)) return (ref_ball){ y.b.v, REF_ANY };
    if (fabs(y.b.v) - y.b.e > REF_OVER) return ref_exact(y.b.v > 0 ? INFINITY : -INFINITY);
    if (fabs(y.b.v) + y.b.e >= REF_OVER) return (ref_ball){ y.b.v, REF_ANY };
    if (fabs(y.b.v) > y.b.e && fabs(y.b.v) + y.b.e < REF_HALF_MIN)
        return ref_exact(copysign(0, y.b.v));
    if (y.b.e == 0 && ref_is_float(y.b.v)) return y.b;
    return (ref_ball){ y.b.v, (ref_half_ulp(fabs(y.b.v) + y.b.e) + y.b.e) * REF_SLACK };
}

/* Under every spec alike; term 0: nothing is summed up into it. */
static inline void ref_put_all(ref_out *out, size_t nspecs, size_t at, double v)
{
    out->term[at] = 0;
    for (size_t s = 0; s < nspecs; s++) {
        out->v[s * out->n + at] = v;
        out->e[s * out->n + at] = 0;
    }
}

static inline void ref_put(ref_out *out, size_t s, size_t at, ref_ball b)
{
    out->v[s * out->n + at] = b.v;
    out->e[s * out->n + at] = b.e;
}

/* The term of a result that a fault changes by a part of itself: its greatest finite magnitude under any
 * spec, as one may cut off (exp = 0 below -87) what another must give. */
static inline void ref_put_result_term(ref_out *out, size_t nspecs, size_t at)
{
    out->term[at] = 0;
    for (size_t s = 0; s < nspecs; s++) {
        const double v = fabs(out->v[s * out->n + at]);
        if (isfinite(v)) out->term[at] = fmax(out->term[at], v);
    }
}

#endif
