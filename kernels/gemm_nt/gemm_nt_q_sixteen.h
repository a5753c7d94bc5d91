/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks with AVX-512: sixteen block pairs a step, one to each lane, whose sums are then
 * added as those of two steps of eight. The including file defines `dots`, and what it reads. */
#ifndef CK_GEMM_NT_Q_SIXTEEN_H
#define CK_GEMM_NT_Q_SIXTEEN_H

#include <immintrin.h>

#include "gemm_nt_q.h"

/* What is made of `count` blocks of a, 1 to 16, `vectors` of v. */
typedef void open_fn(__m512i *v, const unsigned char *a, size_t count);

/* `count` blocks of weights, 1 to 16. What lies `ahead` bytes on is fetched, if that is not 0. */
typedef struct weights {
    const unsigned char *b;
    size_t count, ahead;
} weights;

/* The scales and minimums of the weights, 0 in lanes without a block, and the integers, zero not taken off,
 * anything in those lanes. What a format has no use for is 0. */
typedef struct products {
    __m512 scales, mins;
    __m512i codes, minimums;
} products;
typedef products multiply_fn(const __m512i *v, const weights *w);

typedef struct dots {
    const formats *f;
    open_fn *open;
    multiply_fn *multiply;
    size_t vectors;
} dots;

#include "gemm_nt_q_eight.h"

enum {
    PAIRS = 2 * LANES,
    STEPS = 20, /* of a row of a that are open at a time, at most */
    OPEN = 160  /* vectors of them, likewise */
};

/* Of up to sixteen blocks of a, each in its lane: the scales, what multiplies minimums, and zero times the sum
 * of the codes. Lanes without a block are 0. */
typedef struct activations {
    __m512 scale, sum;
    __m512i zeros;
} activations;

typedef struct opened {
    activations x[STEPS];
    __m512i v[OPEN];
} opened;

static inline __m512i join(__m256i low, __m256i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

static inline __m512 join_floats(__m256 low, __m256 high)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

/* How many of `count` are beyond the first `few`. */
static inline size_t beyond(size_t few, size_t count) { return count > few ? count - few : 0; }

/* `count` halves, `stride` bytes apart, and 0 for the rest of sixteen. */
static inline __m512 sixteen_halves(const unsigned char *p, size_t stride, size_t count)
{
    const size_t first = count < LANES ? count : LANES;

    return join_floats(eight_halves(p, stride, first),
                       eight_halves(p + LANES * stride, stride, beyond(LANES, count)));
}

static inline __m512 sixteen_singles(const unsigned char *p, size_t stride, size_t count)
{
    return join_floats(eight_singles(p, stride, count),
                       eight_singles(p + LANES * stride, stride, beyond(LANES, count)));
}

static inline void read_a(activations *x, const formats *f, const unsigned char *a, size_t count)
{
    const size_t bytes = f->a_bytes;

    x->scale = is_k(f) ? sixteen_singles(a, bytes, count) : sixteen_halves(a, bytes, count);
    x->sum = is_k(f) || !f->has_min ? x->scale : sixteen_halves(a + A_SUM, bytes, count);
    x->zeros = join(zero_sums(f, a, count), zero_sums(f, a + LANES * bytes, beyond(LANES, count)));
}

static inline void open_row(opened *to, const dots *d, const unsigned char *a, size_t blocks)
{
    const size_t bytes = d->f->a_bytes;

    for (size_t l = 0; l < blocks; l += PAIRS) {
        const size_t count = blocks - l < PAIRS ? blocks - l : PAIRS;
        read_a(&to->x[l / PAIRS], d->f, a + l * bytes, count);
        d->open(to->v + l / PAIRS * d->vectors, a + l * bytes, count);
    }
}

typedef struct sums {
    __m256 codes, minimums;
} sums;

/* sum + scale x in the eight lanes of a step, then in those of the next one if it has a block. */
static inline __m256 add_steps(__m256 sum, __m512 scale, __m512 x, size_t count)
{
    sum = _mm256_fmadd_ps(_mm512_castps512_ps256(scale), _mm512_castps512_ps256(x), sum);
    if (count <= LANES) return sum;
    return _mm256_fmadd_ps(_mm512_extractf32x8_ps(scale, 1), _mm512_extractf32x8_ps(x, 1), sum);
}

LANES_INLINE sums step(sums to, const dots *d, const activations *x, const __m512i *v,
                       const weights *w)
{
    const formats *const f = d->f;
    const products p = d->multiply(v, w);
    const __m512i codes = f->zero ? _mm512_sub_epi32(p.codes, x->zeros) : p.codes;

    to.codes =
        add_steps(to.codes, _mm512_mul_ps(x->scale, p.scales), _mm512_cvtepi32_ps(codes), w->count);
    if (!f->has_min) return to;
    to.minimums = is_k(f) ? add_steps(to.minimums, _mm512_mul_ps(x->sum, p.mins),
                                      _mm512_cvtepi32_ps(p.minimums), w->count)
                          : add_steps(to.minimums, x->sum, p.mins, w->count);
    return to;
}

/* `blocks` from b on. What is fetched ahead is in later rows. */
LANES_INLINE sums some_steps(sums to, const dots *d, const opened *a, const columns *c,
                             const unsigned char *b, size_t blocks)
{
    const size_t ld = c->ld, ahead = AHEAD > ld ? (AHEAD + ld - 1) / ld * ld : ld;
    const activations *x = a->x;
    const __m512i *v = a->v;

    for (; blocks >= PAIRS; blocks -= PAIRS, b += PAIRS * d->f->b_bytes, v += d->vectors) {
        const weights w = { b, PAIRS, c->prefetch ? ahead : 0 };
        to = step(to, d, x++, v, &w);
    }
    if (!blocks) return to;
    const weights w = { b, blocks, 0 };
    return step(to, d, x, v, &w);
}

static inline float total(const formats *f, sums s)
{
    const float codes = add_up_floats(s.codes);

    if (!f->has_min) return codes;
    const float minimums = add_up_floats(s.minimums);
    return is_k(f) ? codes - minimums : codes + minimums;
}

LANES_INLINE void row_dots(float *sum, const dots *d, const unsigned char *a, const columns *c,
                           size_t blocks)
{
    const formats *const f = d->f;
    const size_t most = OPEN / d->vectors * PAIRS;
    sums s[COLUMNS];
    opened x;

    for (size_t k = 0; k < c->count; k++) s[k] = (sums){ _mm256_setzero_ps(), _mm256_setzero_ps() };
    for (size_t first = 0; first < blocks; first += most) {
        const size_t some = blocks - first < most ? blocks - first : most;
        open_row(&x, d, a + first * f->a_bytes, some);
        for (size_t k = 0; k < c->count; k++)
            s[k] = some_steps(s[k], d, &x, c, c->b + k * c->ld + first * f->b_bytes, some);
    }
    for (size_t k = 0; k < c->count; k++) sum[k] = total(f, s[k]);
}

static inline void block_dots(integers *to, const dots *d, const unsigned char *a,
                              const unsigned char *b, size_t count)
{
    const weights w = { b, count, 0 };
    int32_t codes[PAIRS], minimums[PAIRS];
    opened x;

    open_row(&x, d, a, count);
    const products p = d->multiply(x.v, &w);
    _mm512_storeu_si512(codes, _mm512_sub_epi32(p.codes, x.x[0].zeros));
    _mm512_storeu_si512(minimums, p.minimums);
    for (size_t l = 0; l < count; l++) to[l] = (integers){ codes[l], minimums[l] };
}

#endif
