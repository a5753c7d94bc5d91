/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks with AVX-512: sixteen block pairs a step, one to each lane, whose sums are then
 * added as those of two steps of eight. The including file defines `dots`, and what it reads. */
#ifndef CK_GEMM_NT_Q_SIXTEEN_H
#define CK_GEMM_NT_Q_SIXTEEN_H

#include <immintrin.h>

#include "gemm_nt_q.h"

/* What is made of `count` blocks of a, 1 to 8: `vectors` of v. */
typedef void open_fn(__m512i *v, const unsigned char *a, size_t count);

/* `count` blocks of weights, at most `room`, which is 4, 8 or 16. What lies `ahead` bytes on is fetched, if that is
 * not 0. */
typedef struct weights {
    const unsigned char *b;
    size_t count, room, ahead;
} weights;

/* The scales and minimums of the weights, 0 in lanes without a block, and the integers, zero not taken off,
 * anything in those lanes. What a format has no use for is 0. */
typedef struct products {
    __m512 scales, mins;
    __m512i codes, minimums;
} products;
typedef products multiply_fn(const __m512i *v,
                             const weights *w); /* v of each eight blocks in turn */

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
    OPEN = 160, /* vectors of them, likewise */
    SIDE = 4    /* rows of b, of a byte an element, that are read side by side: memory gives more */
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

/* Halves of w, `at` bytes into each block. */
LANES_INLINE __m512 halves_of(const weights *w, size_t at, size_t stride)
{
    return w->room > LANES
               ? sixteen_halves(w->b + at, stride, w->count)
               : join_floats(eight_halves(w->b + at, stride, w->count), _mm256_setzero_ps());
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
        d->open(to->v + l / LANES * d->vectors, a + l * bytes, count < LANES ? count : LANES);
        if (count > LANES)
            d->open(to->v + (l / LANES + 1) * d->vectors, a + (l + LANES) * bytes, count - LANES);
    }
}

typedef struct sums {
    __m256 codes, minimums;
} sums;

static inline __m256 half_of_floats(__m512 x, int half)
{
    return half ? _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1))
                : _mm512_castps512_ps256(x);
}

/* What eight lanes of a step add, those of its first half or of its second. */
LANES_INLINE sums add_half(sums to, const formats *f, __m512 scale, __m512 codes, __m512 min,
                           __m512 minimums, int half)
{
    to.codes = _mm256_fmadd_ps(half_of_floats(scale, half), half_of_floats(codes, half), to.codes);
    if (f->has_min)
        to.minimums =
            _mm256_fmadd_ps(half_of_floats(min, half), half_of_floats(minimums, half), to.minimums);
    return to;
}

/* A step of sixteen pairs, or of up to eight in the lower lanes of x. */
LANES_INLINE sums step(sums to, const dots *d, const activations *x, const __m512i *v,
                       const weights *w)
{
    const formats *const f = d->f;
    const products p = d->multiply(v, w);
    const __m512 codes =
        _mm512_cvtepi32_ps(f->zero ? _mm512_sub_epi32(p.codes, x->zeros) : p.codes);
    const __m512 scale = _mm512_mul_ps(x->scale, p.scales);
    const __m512 min = is_k(f) ? _mm512_mul_ps(x->sum, p.mins) : x->sum;
    const __m512 minimums = is_k(f) ? _mm512_cvtepi32_ps(p.minimums) : p.mins;

    to = add_half(to, f, scale, codes, min, minimums, 0);
    return w->room > LANES ? add_half(to, f, scale, codes, min, minimums, 1) : to;
}

static inline __m512 second_half(__m512 x)
{
    return join_floats(half_of_floats(x, 1), _mm256_setzero_ps());
}

/* What a step of eight takes from the second half of one of sixteen. */
static inline activations second_eight(const activations *x)
{
    return (activations){ second_half(x->scale), second_half(x->sum),
                          _mm512_shuffle_i32x4(x->zeros, x->zeros, 0xee) };
}

/* A count that the compiler knows leaves nothing to be asked block by block, which with blocks of 256
 * hardly matters. */
LANES_INLINE sums last_step(sums to, const dots *d, const activations *x, const __m512i *v,
                            const unsigned char *b, size_t count)
{
    if (count == 0) return to;
    if (is_k(d->f) && count <= 4) return step(to, d, x, v, &(weights){ b, count, 4, 0 });
    if (is_k(d->f)) return step(to, d, x, v, &(weights){ b, count, LANES, 0 });
    switch (count) {
    case 1: return step(to, d, x, v, &(weights){ b, 1, LANES, 0 });
    case 2: return step(to, d, x, v, &(weights){ b, 2, LANES, 0 });
    case 3: return step(to, d, x, v, &(weights){ b, 3, LANES, 0 });
    case 4: return step(to, d, x, v, &(weights){ b, 4, LANES, 0 });
    case 5: return step(to, d, x, v, &(weights){ b, 5, LANES, 0 });
    case 6: return step(to, d, x, v, &(weights){ b, 6, LANES, 0 });
    default: return step(to, d, x, v, &(weights){ b, 7, LANES, 0 });
    }
}

/* `blocks` of `rows` rows of c, from b on. What is fetched ahead is in later rows than these. */
LANES_INLINE void some_steps(sums *to, const dots *d, const opened *a, const columns *c,
                             const unsigned char *b, size_t rows, size_t blocks)
{
    const size_t bytes = d->f->b_bytes, ld = c->ld, least = AHEAD > rows * ld ? AHEAD : rows * ld;
    const size_t ahead = c->prefetch ? (least + ld - 1) / ld * ld : 0;
    const activations *x = a->x;
    const __m512i *v = a->v;
    activations second;

    for (; blocks >= PAIRS; blocks -= PAIRS, b += PAIRS * bytes, x++, v += 2 * d->vectors)
        for (size_t r = 0; r < rows; r++)
            to[r] = step(to[r], d, x, v, &(weights){ b + r * ld, PAIRS, PAIRS, ahead });
    if (blocks >= LANES) {
        for (size_t r = 0; r < rows; r++)
            to[r] = step(to[r], d, x, v, &(weights){ b + r * ld, LANES, LANES, ahead });
        second = second_eight(x);
        x = &second;
        v += d->vectors;
        b += LANES * bytes;
        blocks -= LANES;
    }
    for (size_t r = 0; r < rows; r++) to[r] = last_step(to[r], d, x, v, b + r * ld, blocks);
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
    const size_t side = f->b_bytes < f->elements ? 1 : SIDE;
    const size_t most = OPEN / (2 * d->vectors) * PAIRS;
    sums s[COLUMNS];
    opened x;

    for (size_t k = 0; k < c->count; k++) s[k] = (sums){ _mm256_setzero_ps(), _mm256_setzero_ps() };
    for (size_t first = 0; first < blocks; first += most) {
        const size_t some = blocks - first < most ? blocks - first : most;
        open_row(&x, d, a + first * f->a_bytes, some);
        for (size_t k = 0; k < c->count; k += side) {
            const unsigned char *const b = c->b + k * c->ld + first * f->b_bytes;
            if (side == 1)
                some_steps(s + k, d, &x, c, b, 1, some);
            else
                some_steps(s + k, d, &x, c, b, c->count - k < side ? c->count - k : side, some);
        }
    }
    for (size_t k = 0; k < c->count; k++) sum[k] = total(f, s[k]);
}

static inline void block_dots(integers *to, const dots *d, const unsigned char *a,
                              const unsigned char *b, size_t count)
{
    const weights w = { b, count, LANES, 0 };
    int32_t codes[PAIRS], minimums[PAIRS];
    opened x;

    open_row(&x, d, a, count);
    const products p = d->multiply(x.v, &w);
    _mm512_storeu_si512(codes, _mm512_sub_epi32(p.codes, x.x[0].zeros));
    _mm512_storeu_si512(minimums, p.minimums);
    for (size_t l = 0; l < count; l++) to[l] = (integers){ codes[l], minimums[l] };
}

#endif
