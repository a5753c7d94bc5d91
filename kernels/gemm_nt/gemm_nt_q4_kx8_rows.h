/* SPDX-License-Identifier: MIT */
/* gemm_nt of q4_kx8 by q8_k in vectors: a block of weights is taken apart once for many rows of a. The
 * including file defines `weights`, such a block, with floats d and dmin of the eight rows in an order of
 * its own, and what these declare. */
#ifndef CK_GEMM_NT_Q4_KX8_ROWS_H
#define CK_GEMM_NT_Q4_KX8_ROWS_H

#include "gemm_nt_q4_kx8.h"
#include "gemm_nt_q_bytes.h"

enum {
    AT_A_TIME = 4, /* rows of a that share a load of weights */
    TILE = 32,     /* rows for which a block of weights is taken apart once */
    AHEAD = 4      /* blocks */
};
#define ROWS_INLINE __attribute__((always_inline)) static inline

static inline void open_weights(weights *w, const unsigned char *b);

/* Integers of `count` rows of a, `ld` bytes apart, count known to the compiler. */
typedef struct sums_of_rows {
    __m256i codes[AT_A_TIME], minimums[AT_A_TIME];
} sums_of_rows;
ROWS_INLINE void integers_of_rows(sums_of_rows *s, const weights *w, const unsigned char *a,
                                  size_t ld, int count);

/* Lanes in the order of the rows of weights. */
static inline __m256i in_order(__m256i x);

static inline __m256i spread8(const unsigned char *p)
{
    long long x;

    memcpy(&x, p, sizeof x);
    return _mm256_set1_epi64x(x);
}

static inline __m256i spread4(const unsigned char *p)
{
    int32_t x;

    memcpy(&x, p, sizeof x);
    return _mm256_set1_epi32(x);
}

/* m[j] in both halves of a lane, times bsums[2j] and bsums[2j+1]. */
static inline __m256i minimums_of(__m256i m, const unsigned char *a, int j)
{
    return _mm256_madd_epi16(m, spread4(a + A_BSUMS_K + 4 * j));
}

static inline __m256 eight_f16(const unsigned char *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

/* The fast sums of a tile of rows. */
typedef struct tile_sums {
    __m256 codes[TILE], minimums[TILE];
} tile_sums;

ROWS_INLINE void add_rows(tile_sums *t, size_t i, const weights *w, const unsigned char *a,
                          size_t ld, int count)
{
    sums_of_rows s;

    integers_of_rows(&s, w, a + i * ld, ld, count);
    for (int r = 0; r < count; r++) {
        const __m256 scale = _mm256_set1_ps(f32_load(a + (i + (size_t)r) * ld));
        const __m256 codes = _mm256_cvtepi32_ps(s.codes[r]);
        const __m256 minimums = _mm256_cvtepi32_ps(s.minimums[r]);
        const size_t to = i + (size_t)r;
        t->codes[to] = _mm256_fmadd_ps(_mm256_mul_ps(scale, w->d), codes, t->codes[to]);
        t->minimums[to] = _mm256_fmadd_ps(_mm256_mul_ps(scale, w->dmin), minimums, t->minimums[to]);
    }
}

/* One block of weights with that of `rows` rows of a. */
static inline void add_block(tile_sums *t, const unsigned char *a, size_t ld, size_t rows,
                             const unsigned char *b)
{
    weights w;
    size_t i = 0;

    open_weights(&w, b);
    for (; rows - i >= AT_A_TIME; i += AT_A_TIME) add_rows(t, i, &w, a, ld, AT_A_TIME);
    for (; i < rows; i++) add_rows(t, i, &w, a, ld, 1);
}

static inline void store_row(const ck_gemm_p_args *g, size_t i, size_t j, __m256 y)
{
    float eight[EIGHT];

    _mm256_storeu_ps(eight, _mm256_castsi256_ps(in_order(_mm256_castps_si256(y))));
    for (size_t c = 0; c < columns_at(g, j); c++)
        g->y[i * g->ldy + j + c] = g->bias ? eight[c] + g->bias[j + c] : eight[c];
}

/* The lines of memory that a block some way on is in: where the weights are not in a cache, the first rows
 * of a wait for them. */
static inline void prefetch(const unsigned char *b)
{
    for (size_t at = 0; at < CK_Q4_KX8_BYTES; at += 64)
        __builtin_prefetch(b + AHEAD * CK_Q4_KX8_BYTES + at);
}

static inline void gemm_p_fast(const ck_gemm_p_args *g)
{
    const size_t blocks = g->k / CK_K_BLOCK, ld = g->lda * CK_Q8_K_BYTES;

    gemm_p_check(g);
    for (size_t j = 0; j < g->n; j += EIGHT)
        for (size_t i = 0; i < g->m; i += TILE) {
            const size_t rows = g->m - i < TILE ? g->m - i : TILE;
            const unsigned char *a = a_row(g, i), *b = b_rows(g, j);
            tile_sums t;
            for (size_t r = 0; r < rows; r++) t.codes[r] = t.minimums[r] = _mm256_setzero_ps();
            for (size_t l = 0; l < blocks; l++, a += CK_Q8_K_BYTES, b += CK_Q4_KX8_BYTES) {
                if (i == 0) prefetch(b);
                add_block(&t, a, ld, rows, b);
            }
            for (size_t r = 0; r < rows; r++)
                store_row(g, i + r, j, _mm256_sub_ps(t.codes[r], t.minimums[r]));
        }
}

static inline integers8 block_integers(const unsigned char *a, const unsigned char *b)
{
    weights w;
    sums_of_rows s;
    integers8 y;

    open_weights(&w, b);
    integers_of_rows(&s, &w, a, 0, 1);
    _mm256_storeu_si256((__m256i *)y.codes, in_order(s.codes[0]));
    _mm256_storeu_si256((__m256i *)y.minimums, in_order(s.minimums[0]));
    return y;
}

#endif
