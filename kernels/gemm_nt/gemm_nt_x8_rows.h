/* SPDX-License-Identifier: MIT */
/* gemm_nt of eight interleaved rows of weights in vectors: a block of weights is taken apart once for many
 * rows of a, and what is made of a block of a is made once for many rows of weights. The including file
 * defines `unpacked`, the codes of a block of weights, in an order of the eight rows of its own, and what
 * these declare. */
#ifndef CK_GEMM_NT_X8_ROWS_H
#define CK_GEMM_NT_X8_ROWS_H

#include "gemm_nt_q_bytes.h"
#include "gemm_nt_x8.h"

enum {
    AT_A_TIME = 4, /* rows of a that share a load of weights */
    TILE = 32,     /* rows for which a block of weights is taken apart once */
    EIGHTS = 8,    /* of rows of weights that share what is made of blocks of a */
    HELD = 512,    /* blocks of a of which something is made at a time, at least TILE */
    AHEAD = 9216   /* bytes that weights are fetched ahead */
};
#define ROWS_INLINE __attribute__((always_inline)) static inline

static inline void unpack(unpacked *w, const unsigned char *b);

/* Integers of `count` rows of a, `ld` bytes apart, count known to the compiler; the code that stands for 0
 * is not taken off. Without minimums theirs are not set. */
typedef struct sums_of_rows {
    __m256i codes[AT_A_TIME], minimums[AT_A_TIME];
} sums_of_rows;
ROWS_INLINE void integers_of_rows(sums_of_rows *s, const unpacked *w, const unsigned char *a,
                                  size_t ld, int count);

/* Lanes in the order of the rows of weights, and back. */
static inline __m256i in_order(__m256i x);
static inline __m256 of_order(__m256 x);

static inline __m256i spread8(const unsigned char *p)
{
    long long x;

    memcpy(&x, p, sizeof x);
    return _mm256_set1_epi64x(x);
}

static inline __m256 eight_f16(const unsigned char *p)
{
    return of_order(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)));
}

/* Of a block of a: its scale, and what the code that stands for 0 adds to each sum. */
typedef struct activation {
    float scale;
    int32_t zeros;
} activation;

/* The sum of 32 signed bytes: 128 is added to each of them. */
static inline int32_t sum_of_32(const unsigned char *p)
{
    const __m256i biased = _mm256_xor_si256(load_bytes(p), _mm256_set1_epi8((char)0x80));
    const __m256i sums = _mm256_sad_epu8(biased, _mm256_setzero_si256());
    const __m128i two =
        _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));

    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_unpackhi_epi64(two, two))) - 128 * 32;
}

static inline activation read_block(const unsigned char *a)
{
    if (is_k(&packed)) return (activation){ f32_load(a), 0 };
    const __m128i d = _mm_cvtsi32_si128(f16_load(a));
    return (activation){ _mm_cvtss_f32(_mm_cvtph_ps(d)), packed.zero * sum_of_32(a + A_CODES) };
}

/* The fast sums of a row of a with eight rows of weights. */
typedef struct eight_sums {
    __m256 codes, minimums;
} eight_sums;

/* `rows` rows of a from i on by `eights` times eight rows of weights from column j on; held: of `count` blocks
 * from `first` on those of all rows, then of the next block. */
typedef struct tile {
    const ck_gemm_p_args *g;
    size_t i, j, rows, eights, first, count;
    activation held[HELD];
    eight_sums sums[EIGHTS][TILE];
} tile;

ROWS_INLINE void add_rows(eight_sums *t, const unpacked *w, const __m256 *d, const activation *x,
                          const unsigned char *a, size_t ld, int count)
{
    sums_of_rows s;

    integers_of_rows(&s, w, a, ld, count);
    for (int r = 0; r < count; r++) {
        const __m256 scale = _mm256_set1_ps(x[r].scale);
        const __m256i codes =
            packed.zero ? _mm256_sub_epi32(s.codes[r], _mm256_set1_epi32(x[r].zeros)) : s.codes[r];
        t[r].codes =
            _mm256_fmadd_ps(_mm256_mul_ps(scale, d[0]), _mm256_cvtepi32_ps(codes), t[r].codes);
        if (!packed.has_min) continue;
        const __m256 minimums = _mm256_cvtepi32_ps(s.minimums[r]);
        t[r].minimums = _mm256_fmadd_ps(_mm256_mul_ps(scale, d[1]), minimums, t[r].minimums);
    }
}

/* One block of weights with that of `rows` rows of a. */
ROWS_INLINE void add_block(eight_sums *t, const activation *x, const unsigned char *a, size_t ld,
                           size_t rows, const unsigned char *b)
{
    const __m256 d[] = { eight_f16(b + B_D), eight_f16(b + (packed.has_min ? B_DMIN : B_D)) };
    unpacked w;
    size_t i = 0;

    unpack(&w, b);
    for (; rows - i >= AT_A_TIME; i += AT_A_TIME)
        add_rows(t + i, &w, d, x + i, a + i * ld, ld, AT_A_TIME);
    for (; i < rows; i++) add_rows(t + i, &w, d, x + i, a + i * ld, ld, 1);
}

/* The lines of memory that a block some way on is in: where the weights are not in a cache, the first rows
 * of a wait for them. */
static inline void prefetch(const unsigned char *b)
{
    for (size_t at = 0; at < packed.b_bytes; at += 64) __builtin_prefetch(b + AHEAD + at);
}

static inline void hold(tile *t)
{
    for (size_t r = 0; r < t->rows; r++) {
        const unsigned char *a = a_row(t->g, t->i + r) + t->first * packed.a_bytes;
        for (size_t l = 0; l < t->count; l++, a += packed.a_bytes)
            t->held[l * t->rows + r] = read_block(a);
    }
}

/* Of one row the sums stay in registers. For blocks of 256 that would be a second long text and no faster. */
ROWS_INLINE void add_eight(tile *t, size_t e, size_t rows)
{
    const size_t ld = t->g->lda * packed.a_bytes;
    const unsigned char *a = a_row(t->g, t->i) + t->first * packed.a_bytes;
    const unsigned char *b = b_rows(t->g, t->j + EIGHT * e) + t->first * packed.b_bytes;
    eight_sums one = t->sums[e][0], *const sums = rows == 1 ? &one : t->sums[e];

    for (size_t l = 0; l < t->count; l++, a += packed.a_bytes, b += packed.b_bytes) {
        if (t->i == 0) prefetch(b);
        add_block(sums, t->held + l * rows, a, ld, rows, b);
    }
    if (rows == 1) t->sums[e][0] = one;
}

static inline void store_row(const ck_gemm_p_args *g, size_t i, size_t j, const eight_sums *s)
{
    const __m256 y = packed.has_min ? _mm256_sub_ps(s->codes, s->minimums) : s->codes;
    float eight[EIGHT];

    _mm256_storeu_ps(eight, _mm256_castsi256_ps(in_order(_mm256_castps_si256(y))));
    for (size_t c = 0; c < columns_at(g, j); c++)
        g->y[i * g->ldy + j + c] = g->bias ? eight[c] + g->bias[j + c] : eight[c];
}

static inline void multiply_tile(tile *t)
{
    const size_t blocks = t->g->k / packed.elements, most = HELD / t->rows;

    for (size_t e = 0; e < t->eights; e++)
        for (size_t r = 0; r < t->rows; r++)
            t->sums[e][r] = (eight_sums){ _mm256_setzero_ps(), _mm256_setzero_ps() };
    for (t->first = 0; t->first < blocks; t->first += t->count) {
        t->count = blocks - t->first < most ? blocks - t->first : most;
        hold(t);
        for (size_t e = 0; e < t->eights; e++)
            if (t->rows == 1 && !is_k(&packed))
                add_eight(t, e, 1);
            else
                add_eight(t, e, t->rows);
    }
    for (size_t e = 0; e < t->eights; e++)
        for (size_t r = 0; r < t->rows; r++)
            store_row(t->g, t->i + r, t->j + EIGHT * e, &t->sums[e][r]);
}

static inline void gemm_p_fast(const ck_gemm_p_args *g)
{
    const size_t groups = (g->n + EIGHT - 1) / EIGHT;
    tile t;

    gemm_p_check(g);
    t.g = g;
    for (size_t group = 0; group < groups; group += EIGHTS)
        for (t.i = 0; t.i < g->m; t.i += TILE) {
            t.j = group * EIGHT;
            t.eights = groups - group < EIGHTS ? groups - group : EIGHTS;
            t.rows = g->m - t.i < TILE ? g->m - t.i : TILE;
            multiply_tile(&t);
        }
}

static inline integers8 block_integers(const unsigned char *a, const unsigned char *b)
{
    unpacked w;
    sums_of_rows s;
    integers8 y;

    unpack(&w, b);
    integers_of_rows(&s, &w, a, 0, 1);
    if (packed.zero)
        s.codes[0] = _mm256_sub_epi32(s.codes[0], _mm256_set1_epi32(read_block(a).zeros));
    _mm256_storeu_si256((__m256i *)y.codes, in_order(s.codes[0]));
    if (packed.has_min) _mm256_storeu_si256((__m256i *)y.minimums, in_order(s.minimums[0]));
    return y;
}

#endif
