/* SPDX-License-Identifier: MIT */
/* Rows whose norm means something. */
#ifndef HN_NORM_FILL_H
#define HN_NORM_FILL_H

#include "fill_row.h"

/* s^2 + eps is the square of a power of two. */
static inline bool hn_norm_exact(double eps) { return eps == 0.0 || eps == 0.75 || eps == 3.0; }

/* +-s, s^2 + eps the square of a power of two, so that the norm is one; if centred, about an integer,
 * as often above as below, a last odd one on it. `brief`: numbers of eight bits. */
static inline void hn_fill_norm_exact(double eps, bool centred, bool brief, hn_rng *rng, float *x,
                                      size_t n)
{
    const float s = eps == 0.75  ? 0.5f
                    : eps == 3.0 ? 1.0f
                                 : scaled(1.0f, (int)hn_range(rng, brief ? -1 : -4, 4));
    const float centre = centred ? integer(rng, brief ? 16 : 64) : 0.0f;
    size_t above = n / 2;
    for (size_t j = 0; j < n; j++) {
        const size_t left = j + 1 == n && n % 2 ? 1 : n / 2 * 2 - j;
        const bool up = centred ? hn_below(rng, left) < above : hn_below(rng, 2);
        x[j] = centre + (up ? s : -s);
        if (centred && j + 1 == n && n % 2) x[j] = centre;
        above -= centred && up;
    }
}

/* Fills a row of x where the general fill would not do: exactness, a sum of squares at which each term
 * is half an ulp, subnormals that have a norm without eps. */
static inline bool hn_fill_norm(const hn_case *c, double eps, bool centred, hn_rng *rng, float *x,
                                size_t n)
{
    switch (c->fill) {
    case HN_FILL_INT:
        hn_fill_norm_exact(eps, centred, hn_operand_dtype(c->op, 0) != HN_F32, rng, x, n);
        return true;
    case HN_FILL_STAGNATION:
        for (size_t j = 0; j < n && !centred; j++) x[j] = j < 16 ? 1.0f : 0x1p-12f;
        return !centred;
    case HN_FILL_DENORMAL:
        for (size_t j = 0; j < n && eps == 0.0; j++) x[j] = scaled(uniform(rng), -55);
        return eps == 0.0;
    default: return false;
    }
}

#endif
