/* SPDX-License-Identifier: MIT */
/* What the fills of numbers and of blocks share. */
#ifndef HN_FILL_ROW_H
#define HN_FILL_ROW_H

#include <math.h>
#include <string.h>

#include "family.h"

/* What a row is filled by. */
typedef struct row {
    hn_rng rng;
    hn_fill fill;
    hn_role role;
    hn_dtype format;             /* of the operand */
    size_t index;                /* of the row */
    size_t terms;                /* summed into one output */
    uint32_t seed;               /* of the case */
    const hn_dtype_info *target; /* the output's format */
    bool pair_sign;              /* this operand carries the sign of cancelling pairs */
    bool factors;                /* the weights have sub-scales */
    bool gated, multiplied;      /* sums go through an activation; two of them are multiplied */
    bool short_left;             /* the first factor is bf16 */
    bool second;                 /* this operand is the second of two second factors */
    bool one_sided;              /* activations and codes of weights are positive */
    size_t sparse_left;          /* of a row of blocks: activations that may come */
} row;

/* Uniform in (-1, 1), never 0, 24 significant bits. */
static inline float uniform(hn_rng *rng)
{
    const int32_t bits = (int32_t)(hn_next(rng) >> 32) | 1;
    return (float)((double)(bits >> 7 | 1) * 0x1p-24);
}

/* x * 2^e for normal results. */
static inline float scaled(float x, int e)
{
    const uint32_t bits = (uint32_t)(e + 127) << 23;
    float factor;
    memcpy(&factor, &bits, sizeof factor);
    return x * factor;
}

static inline float signed_pow2(hn_rng *rng, int low, int high)
{
    const uint64_t bits = hn_next(rng);
    const int e = low + (int)(((bits >> 32) * (uint64_t)(high - low + 1)) >> 32);
    return scaled(bits & 1 ? 1.0f : -1.0f, e);
}

/* Non-zero integer, |x| <= limit. */
static inline float integer(hn_rng *rng, int64_t limit)
{
    const uint64_t bits = hn_next(rng);
    const int magnitude = 1 + (int)(((bits >> 32) * (uint64_t)limit) >> 32);
    return (float)(bits & 1 ? magnitude : -magnitude);
}

/* Largest X with terms * X * X <= budget, within 1..most. */
static inline int64_t factor_limit(size_t terms, double budget, int64_t most)
{
    const int64_t limit = (int64_t)sqrt(budget / (double)terms);
    return limit < 1 ? 1 : limit > most ? most : limit;
}

/* Exact sums with sub-scales up to 63 and scales of 2^-3 .. 1 on either side leave room for 2^18 units:
 * at most 64 activations of a row, up to 4, meet codes up to 15, 64 * 4 * 15 * 63 < 2^18. */
enum { SPARSE_MOST = 64, SPARSE_CODE = 4, SPARSE_WEIGHT = 15 };

/* Whether the next element of a sparse row is one of those; *left of them may come. */
static inline bool sparse_here(row *r, size_t *left)
{
    const bool here = hn_below(&r->rng, r->terms) < SPARSE_MOST * 7 / 8 && *left > 0;
    *left -= here;
    return here;
}

/* The last element half the time: tails are where kernels break. */
static inline size_t pick_index(hn_rng *rng, size_t n)
{
    return hn_below(rng, 2) ? n - 1 : (size_t)hn_below(rng, n);
}

/* An argument at which a function that is made of exp is hard to round. */
float hn_hard_arg(hn_rng *rng);
/* Writes n units of any format but f32. */
void hn_fill_units(row *r, const hn_dtype_info *info, unsigned char *unit, size_t n);
/* n factors that are integers. */
void hn_fill_integers(row *r, const hn_dtype_info *info, unsigned char *unit, size_t n);
/* n floats in a format of 16 bits. */
void hn_fill_halves(const hn_dtype_info *info, const float *x, unsigned char *unit, size_t n);
/* 32 values for a quantiser: half steps of its codes. */
void hn_fill_grid(row *r, const hn_field *codes, float *x);
/* n values to be converted. */
void hn_fill_elements(row *r, const hn_dtype_info *target, float *x, size_t n);

#endif
