/* SPDX-License-Identifier: MIT */
/* References of the table of angles and of the rotations. */
#include "step.h"

ref_fn ref_rope_cache_f32, ref_rope_half_f32, ref_rope_pair_f32;

/* The kernels' powers, cosines and sines, of which the ball has long double ones: the angle is taken to be
 * good to 2^-50 of itself, the function to 2^-50. docs/oracle.md, "rope". */
static const double own = 0x1p-50;

static ref_ball rounded(double v, double angle)
{
    const double e = angle * own + own;
    if (angle == 0) return ref_exact(v);
    return (ref_ball){ v, (ref_half_ulp(fabs(v) + e) + e) * REF_SLACK };
}

/* cos and sin of (pos0 + i) theta^(-2l/d), rounded once in every mode, by long double, which carries 11
 * bits more. Source: rope.h; docs/oracle.md, "rope". */
void ref_rope_cache_f32(const void *args, const ref_tile *tile, const ref_spec *specs,
                        size_t nspecs, ref_out *out)
{
    const ref_rope_cache_args *g = args;
    (void)specs;
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
        const size_t half = g->d / 2, l = col % half;
        const long double exponent = -2.0L * (long double)l / (long double)g->d;
        const long double angle =
            (long double)(g->pos0 + row) * powl((long double)g->theta, exponent);
        const double v = (double)(col < half ? cosl(angle) : sinl(angle));
        const ref_ball b = rounded(v, (double)angle);
        for (size_t s = 0; s < nspecs; s++) ref_put(out, s, i, b);
        out->term[i] = fabs(v);
    }
}

/* Element j of a row and the other one of its pair; which of the two it is. */
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

/* own c + other (second ? s : -s): a product that is rounded or not, whichever, and a sum. */
static ref_range turned(const ref_arith *k, const float *x, ref_range c, ref_range s, pair p)
{
    const ref_range a = ref_range_of(x[p.own]), b = ref_range_of(x[p.other]);
    const ref_range sine = p.second ? s : ref_neg(s);
    const ref_range rounded_b = ref_step_mul(k, b, sine);
    return ref_step_muladd(k, a, c, rounded_b);
}

static void rotate(const ref_rope_args *g, const ref_tile *tile, const ref_spec *specs,
                   size_t nspecs, ref_out *out, pair (*pair_of)(size_t j, size_t half))
{
    for (size_t n = 0; n < tile->rows * tile->cols; n++) {
        const size_t row = tile->r0 + n / tile->cols, j = tile->c0 + n % tile->cols;
        const size_t h = g->token_major ? row % g->heads : row / g->t;
        const size_t i = g->token_major ? row / g->heads : row % g->t;
        if (j >= g->d) {
            ref_put_all(out, nspecs, n, 0);
            continue;
        }
        const pair p = pair_of(j, g->d / 2);
        const float *x = g->x + h * g->head_x + i * g->ldx;
        const ref_range c = ref_range_of(g->cos[(g->pos0 + i) * g->ldc + p.angle]);
        const ref_range s = ref_range_of(g->sin[(g->pos0 + i) * g->lds + p.angle]);
        for (size_t w = 0; w < nspecs; w++) {
            const ref_arith k = ref_arith_of(&specs[w]);
            ref_put(out, w, n, ref_stored(&k, turned(&k, x, c, s, p)));
        }
        const double term = fabs((double)x[p.own] * c.b.v) + fabs((double)x[p.other] * s.b.v);
        out->term[n] = isfinite(term) ? term / 2 : 0;
    }
}

/* (a c - b s, b c + a s), pairs l and l + d/2. Source: rope.h; docs/oracle.md, "rope". */
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
