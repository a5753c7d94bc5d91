/* SPDX-License-Identifier: MIT */
/* The one random generator: splitmix64 (Steele, Lea, Flood 2014). */
#ifndef HN_RNG_H
#define HN_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct hn_rng {
    uint64_t state;
} hn_rng;

static inline uint64_t hn_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t hn_next(hn_rng *rng) { return hn_mix(rng->state += 0x9e3779b97f4a7c15u); }

/* A stream of its own for each (seed, a, b). */
static inline hn_rng hn_stream(uint64_t seed, uint64_t a, uint64_t b)
{
    return (hn_rng){ hn_mix(hn_mix(seed + 0x9e3779b97f4a7c15u * (a + 1)) + b) };
}

/* Uniform in [0, n), n >= 1; the bias of the multiply-shift is below 2^-32. */
static inline uint64_t hn_below(hn_rng *rng, uint64_t n)
{
    return ((hn_next(rng) >> 32) * (n & 0xffffffffu)) >> 32;
}

/* Uniform in [lo, hi]. */
static inline int64_t hn_range(hn_rng *rng, int64_t lo, int64_t hi)
{
    return lo + (int64_t)hn_below(rng, (uint64_t)(hi - lo) + 1);
}

#endif
