/* SPDX-License-Identifier: MIT */
/* References of the table of angles and of the rotations. */
#include "step.h"

ref_fn ref_rope_cache_f32, ref_rope_half_f32, ref_rope_pair_f32;

/* What angles, relative, and sines, absolute, are off, kernel's and reference's together: of an angle
 * 2^-51 of the kernel and as much of pow() and two products; of a sine 2^-51 and libm's 2^-53.
 * docs/oracle.md, "rope". */
#define OWN 0x1p-50

/* theta^(-2l/d): the quotient's rounding, which the logarithm would magnify, is taken out again. */
static double frequency(double theta, double l, double d)
{
    const double q = 2 * l / d, rest = fma(-q, d, 2 * l) / d;
    return pow(theta, -q) * (1 - rest * log(theta));
}

/* Of position p; its error is absolute. Scaled: cut at 1 for certain the frequency is f itself, at 0 it
 * is f / factor; the part in between is off by the turns, of which no more than `high` count: four
 * roundings on either side, divided by the way from low to high. */
static ref_ball angle_of(const ref_rope_cache_args *g, double p, size_t l)
{
    const double f = frequency((double)g->theta, (double)l, (double)g->d);
    const double low = (double)g->low, high = (double)g->high, factor = (double)g->factor;
    const double turns = (double)g->context * f / (2 * 3.14159265358979323846);
    if (!(factor > 0) || turns * (1 - 0x1p-40) > high) return (ref_ball){ p * f, p * f * OWN };
    const double part = (turns - low) / (high - low), keep = part > 1 ? 1 : part > 0 ? part : 0;
    const double scaled = f * keep + f * (1 - keep) / factor;
    const int slowest = turns * (1 + 0x1p-40) < low;
    const double off = slowest ? 0 : 2 * OWN * (1 + high / (high - low));
    return (ref_ball){ p * scaled, p * (scaled * 2 * OWN + f * off) };
}

/* One rounding to float of v, which is off by e. */
static ref_ball rounded(double v, double e)
{
    if (e == 0) return ref_exact(v);
    return (ref_ball){ v, (ref_half_ulp(fabs(v) + e) + e) * REF_SLACK };
}

/* cos and sin of (pos0 + i) f_l, of which neither is steeper than 1; rounded once in every mode. The
 * angle 0 is exact. Source: rope.h; docs/oracle.md, "rope". */
void ref_rope_cache_f32(const void *args, const ref_tile *tile, const ref_spec *specs,
                        size_t nspecs, ref_out *out)
{
    const ref_rope_cache_args *g = args;
    const size_t half = g->d / 2;
    (void)specs;
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
        const ref_ball angle = angle_of(g, (double)(g->pos0 + row), col % half);
        const double v = col < half ? cos(angle.v) : sin(angle.v);
        const ref_ball b = rounded(v, angle.v == 0 ? 0 : angle.e + fabs(v) * OWN);
        for (size_t s = 0; s < nspecs; s++) ref_put(out, s, i, b);
        out->term[i] = fabs(v);
    }
}

/* Element j of a row, the other one of its pair, the number of the pair; whether j is the second. */
typedef struct pair {
    size_t own, other, angle;
    int second;
} pair;

static pair half_pair(size_t j, size_t half)
{
    return j < half ? (pair){ j, j + half, j, 0 } : (pair){ j, j - half, j - half, 1 };
}

static pair next_pair(size_t j, size_t half)
{
    (void)half;
    return (pair){ j, j ^ 1, j / 2, (int)(j % 2) };
}

/* own c + other (second ? s : -s): two products and a sum, of which either product may be fused, so that
 * both count as rounded, and what may overflow is what may with any. */
static ref_range turned(ref_arith *k, const float *x, ref_range c, ref_range s, pair p)
{
    k->muladd = 1;
    const ref_range a = ref_range_of(x[p.own]), b = ref_range_of(x[p.other]);
    const ref_range sine = p.second ? s : ref_neg(s);
    ref_range y = ref_step_muladd(k, a, c, ref_step_mul(k, b, sine));
    if (k->fma) y.can |= ref_step_muladd(k, b, sine, ref_step_mul(k, a, c)).can;
    return y;
}

/* Element j of row i of head h. */
static void rotate_cell(const ref_rope_args *g, size_t h, size_t i, pair p, const ref_spec *specs,
                        size_t nspecs, size_t n, ref_out *out)
{
    const float *x = g->x + h * g->head_x + i * g->ldx;
    const ref_range c = ref_range_of(g->cos[(g->pos0 + i) * g->ldc + p.angle]);
    const ref_range s = ref_range_of(g->sin[(g->pos0 + i) * g->lds + p.angle]);
    for (size_t w = 0; w < nspecs; w++) {
        ref_arith k = ref_arith_of(&specs[w]);
        const ref_range y = turned(&k, x, c, s, p);
        ref_put(out, w, n, ref_stored(&k, y));
    }
    const double term = fabs((double)x[p.own] * c.b.v) + fabs((double)x[p.other] * s.b.v);
    out->term[n] = isfinite(term) ? term / 2 : 0;
}

static void rotate(const ref_rope_args *g, const ref_tile *tile, const ref_spec *specs,
                   size_t nspecs, ref_out *out, pair (*pair_of)(size_t j, size_t half))
{
    for (size_t n = 0; n < tile->rows * tile->cols; n++) {
        const size_t row = tile->r0 + n / tile->cols, j = tile->c0 + n % tile->cols;
        const size_t h = g->token_major ? row % g->heads : row / g->t;
        const size_t i = g->token_major ? row / g->heads : row % g->t;
        if (j < g->rotary) {
            rotate_cell(g, h, i, pair_of(j, g->rotary / 2), specs, nspecs, n, out);
            continue;
        }
        /* copied, or a pad lane */
        ref_put_all(out, nspecs, n, j < g->d ? (double)g->x[h * g->head_x + i * g->ldx + j] : 0);
    }
}

/* (a c - b s, b c + a s), pairs l and l + rotary / 2. Source: rope.h; docs/oracle.md, "rope". */
void ref_rope_half_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                       ref_out *out)
{
    rotate(args, tile, specs, nspecs, out, half_pair);
}

/* The same of pairs 2l and 2l + 1. Source: rope.h; docs/oracle.md, "rope". */
void ref_rope_pair_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                       ref_out *out)
{
    rotate(args, tile, specs, nspecs, out, next_pair);
}
