/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks with AVX2: eight block pairs a step, one to each lane. The including file
 * defines `dots`, which has the formats f, `opened`, what it makes of eight blocks of a, and what the first
 * two declare. */
#ifndef CK_GEMM_NT_Q_LANES_H
#define CK_GEMM_NT_Q_LANES_H

#include "gemm_nt_q_eight.h"

enum {
    STEPS = 16, /* of a row of a that are open at a time */
    SIDE = 8    /* rows of b, of a byte an element, that are read side by side: memory gives more */
};

/* `integers`, each pair in its lane. minimums is 0 where there are none. */
typedef struct eight_sums {
    __m256i codes, minimums;
} eight_sums;

/* `count` blocks of a, 1 to 8. */
static inline void open_blocks(opened *to, const dots *d, const unsigned char *a, size_t count);

/* `integers` of `count` block pairs, zero not taken off; other lanes are anything. What lies `ahead` bytes
 * on in b is fetched, if that is not 0, a few lines at a time: more would hold up what is needed now. */
LANES_INLINE eight_sums sums_of_eight(const dots *d, const opened *a, const unsigned char *b,
                                      size_t count, size_t ahead);

/* Of up to eight blocks of a, each in its lane: the scales, what multiplies minimums, and zero times the
 * sum of the codes. Lanes without a block are 0 but in `codes`. */
typedef struct activations {
    __m256 scale, sum;
    __m256i zeros;
    opened codes;
} activations;

static inline void read_a(activations *x, const dots *d, const unsigned char *a, size_t count)
{
    const formats *const f = d->f;

    open_blocks(&x->codes, d, a, count);
    x->scale = is_k(f) ? eight_singles(a, f->a_bytes, count) : eight_halves(a, f->a_bytes, count);
    x->sum = is_k(f) || !f->has_min ? x->scale : eight_halves(a + A_SUM, f->a_bytes, count);
    x->zeros = zero_sums(f, a, count);
}

typedef struct sums {
    __m256 codes, minimums;
} sums;

/* `count` block pairs; the other lanes add 0 times some integer. */
LANES_INLINE sums step(sums to, const dots *d, const activations *x, const unsigned char *b,
                       size_t count, size_t ahead)
{
    const formats *const f = d->f;
    const __m256 scale = _mm256_mul_ps(x->scale, eight_halves(b + f->b_scale, f->b_bytes, count));
    const eight_sums s = sums_of_eight(d, &x->codes, b, count, ahead);
    const __m256i codes = f->zero ? _mm256_sub_epi32(s.codes, x->zeros) : s.codes;

    to.codes = _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(codes), to.codes);
    if (!f->has_min) return to;
    const __m256 m = eight_halves(b + MIN, f->b_bytes, count);
    if (is_k(f)) {
        const __m256 sub = _mm256_cvtepi32_ps(s.minimums);
        to.minimums = _mm256_fmadd_ps(_mm256_mul_ps(x->sum, m), sub, to.minimums);
    } else {
        to.minimums = _mm256_fmadd_ps(x->sum, m, to.minimums);
    }
    return to;
}

static inline float total(const formats *f, sums s)
{
    const float codes = add_up_floats(s.codes);

    if (!f->has_min) return codes;
    const float minimums = add_up_floats(s.minimums);
    return is_k(f) ? codes - minimums : codes + minimums;
}

/* A count that the compiler knows leaves nothing to be asked block by block, which with blocks of 256
 * hardly matters. */
LANES_INLINE sums last_step(sums to, const dots *d, const activations *x, const unsigned char *b,
                            size_t count)
{
    if (count == 0) return to;
    if (is_k(d->f)) return step(to, d, x, b, count, 0);
    switch (count) {
    case 1: return step(to, d, x, b, 1, 0);
    case 2: return step(to, d, x, b, 2, 0);
    case 3: return step(to, d, x, b, 3, 0);
    case 4: return step(to, d, x, b, 4, 0);
    case 5: return step(to, d, x, b, 5, 0);
    case 6: return step(to, d, x, b, 6, 0);
    default: return step(to, d, x, b, 7, 0);
    }
}

/* `blocks` of `rows` rows of c, from b on. What is fetched ahead is in later rows than these. */
LANES_INLINE void some_steps(sums *to, const dots *d, const activations *x, const columns *c,
                             const unsigned char *b, size_t rows, size_t blocks)
{
    const size_t bytes = LANES * d->f->b_bytes, ld = c->ld;
    const size_t ahead = AHEAD > rows * ld ? (AHEAD + ld - 1) / ld * ld : rows * ld;

    for (; blocks >= LANES; blocks -= LANES, b += bytes, x++)
        for (size_t r = 0; r < rows; r++)
            to[r] = step(to[r], d, x, b + r * ld, LANES, c->prefetch ? ahead : 0);
    for (size_t r = 0; r < rows; r++) to[r] = last_step(to[r], d, x, b + r * ld, blocks);
}

LANES_INLINE void row_dots(float *sum, const dots *d, const unsigned char *a, const columns *c,
                           size_t blocks)
{
    const formats *const f = d->f;
    const size_t side = f->b_bytes < f->elements ? 1 : SIDE;
    sums s[COLUMNS];

    for (size_t k = 0; k < c->count; k++) s[k] = (sums){ _mm256_setzero_ps(), _mm256_setzero_ps() };
    for (size_t first = 0; first < blocks; first += STEPS * LANES) {
        const size_t left = blocks - first, some = left < STEPS * LANES ? left : STEPS * LANES;
        activations x[STEPS];
        for (size_t l = 0; l < some; l += LANES)
            read_a(&x[l / LANES], d, a + (first + l) * f->a_bytes,
                   some - l < LANES ? some - l : LANES);
        for (size_t k = 0; k < c->count; k += side)
            some_steps(s + k, d, x, c, c->b + k * c->ld + first * f->b_bytes,
                       c->count - k < side ? c->count - k : side, some);
    }
    for (size_t k = 0; k < c->count; k++) sum[k] = total(f, s[k]);
}

static inline void block_dots(integers *to, const dots *d, const unsigned char *a,
                              const unsigned char *b, size_t count)
{
    int32_t codes[LANES], minimums[LANES];
    opened x;

    open_blocks(&x, d, a, count);
    const eight_sums s = sums_of_eight(d, &x, b, count, 0);
    const __m256i all = _mm256_sub_epi32(s.codes, zero_sums(d->f, a, count));
    _mm256_storeu_si256((__m256i *)codes, all);
    _mm256_storeu_si256((__m256i *)minimums, s.minimums);
    for (size_t l = 0; l < count; l++) to[l] = (integers){ codes[l], minimums[l] };
}

#endif
