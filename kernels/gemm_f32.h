/* SPDX-License-Identifier: MIT */
/* The text that the f32 products share: fast, a blocked product, of which each op says how its
 * operands lie; strict, the epilogue. Compiled once per op and ISA, after simd/<isa>.h and
 *   CK_GEMM_MR   rows of a register tile
 *   CK_GEMM_NV   vectors in a row of it: the tile's columns are a panel of b
 *   CK_GEMM_NP   panels that are packed at a time. */
#ifndef CK_GEMM_F32_H
#define CK_GEMM_F32_H

#include <assert.h>

#include "gemm.h"
#include "strict.h"

/* KC terms of NC columns of b stay in the first level of cache while MC rows of a pass by. */
enum {
    GEMM_NR = CK_GEMM_NV * CK_VF_LANES,
    GEMM_NC = CK_GEMM_NP * GEMM_NR,
    GEMM_KC = 128,
    GEMM_MC = (128 + CK_GEMM_MR - 1) / CK_GEMM_MR * CK_GEMM_MR,
    GEMM_AW = (CK_GEMM_MR + CK_VF_LANES - 1) / CK_VF_LANES * CK_VF_LANES, /* MR, in vectors */
    GEMM_LINE = 16,                                  /* floats that are fetched at a time */
    GEMM_TILE = GEMM_AW * GEMM_KC + GEMM_LINE,       /* tiles must not all begin in one cache set */
    GEMM_GROUP = (24 + CK_GEMM_MR - 1) / CK_GEMM_MR, /* tiles of a that are packed at a time */
    GEMM_FETCH_ROWS = 6 * CK_GEMM_MR                 /* fewer leave no time to fetch b meanwhile */
};

/* What lies on the stack: 65 KiB for AVX2, 81 KiB for AVX-512. The sums are there since y may be c,
 * which is read when they are complete. */
typedef struct gemm_room {
    _Alignas(64) float b[GEMM_NC * GEMM_KC];      /* panel by panel, NR columns of each term */
    _Alignas(64) float a[GEMM_GROUP * GEMM_TILE]; /* tile by tile, AW rows of each term */
    _Alignas(64) float sum[GEMM_MC * GEMM_NC];
} gemm_room;

/* A rectangle of an operand: `wide` rows of a or columns of b from `at` on, `deep` terms from l. */
typedef struct gemm_part {
    size_t at, wide, l, deep;
} gemm_part;

/* How an op reads its operands. */
typedef struct gemm_way {
    /* A group of tiles into room.a; NULL: a is [m][k] and read where it is. */
    void (*pack_a)(const ck_gemm_args *g, gemm_part part, float *to);
    void (*pack_b)(const ck_gemm_args *g, gemm_part part, float *to);
    /* Share from/all to to/all of what is packed after `part` is fetched into the cache: memory is
     * read in pieces too short for the processor to see what comes next. NULL: pack_b does it. */
    void (*fetch_b)(const ck_gemm_args *g, gemm_part part, size_t from, size_t to, size_t all);
    ck_vf (*act)(ck_vf y); /* what y becomes at last; NULL: itself */
} gemm_way;

/* Accumulators of a function that is not inlined lie in memory, and gcc leaves out the call of one
 * that only fetches. */
#define GEMM_INLINE __attribute__((always_inline)) static inline

static inline size_t gemm_least(size_t a, size_t b) { return a < b ? a : b; }

/* Where column c of a part lies in room.b. */
static inline size_t gemm_column(size_t c)
{
    return c / GEMM_NR * (GEMM_NR * GEMM_KC) + c % GEMM_NR;
}

/* Of a row that ends n elements from p on: whole vectors as they are, the last one with zeros. */
static inline ck_vf gemm_load(const float *p, size_t n)
{
    return n < CK_VF_LANES ? ck_vf_load_n(p, n, 0.0f) : ck_vf_load(p);
}

/* b is [k][n]; the columns that a panel lacks are 0. */
static inline void gemm_pack_b_terms(const ck_gemm_args *g, gemm_part part, float *to)
{
    enum { AHEAD = 8 };
    const float *b = g->b + part.l * g->ldb + part.at;
    for (size_t l = 0; l < part.deep; l++, b += g->ldb, to += GEMM_NR) {
        if (g->m < GEMM_FETCH_ROWS && part.deep - l > AHEAD)
            for (size_t c = 0; c < part.wide; c += GEMM_LINE)
                __builtin_prefetch(b + AHEAD * g->ldb + c);
        size_t c = 0;
        for (; c < part.wide; c += CK_VF_LANES)
            ck_vf_store(to + gemm_column(c), gemm_load(b + c, part.wide - c));
        for (; c % GEMM_NR; c += CK_VF_LANES) ck_vf_store(to + gemm_column(c), ck_vf_set1(0.0f));
    }
}

/* One register tile: operands, where row r and term l of a lie (a[r * row + l * term]), and the
 * sums. */
typedef struct gemm_step {
    const float *a, *b;
    size_t row, term;
    float *sum;
    size_t deep;
} gemm_step;

/* The sums of `rows` rows and `panels` panels, which are constants. Each output has one accumulator:
 * its bits do not depend on its place. */
GEMM_INLINE void gemm_tile(size_t rows, size_t panels, gemm_step s)
{
    const size_t vectors = panels * CK_GEMM_NV;
    ck_vf acc[CK_GEMM_MR][CK_GEMM_NP * CK_GEMM_NV], bv[CK_GEMM_NP * CK_GEMM_NV];
    for (size_t r = 0; r < rows; r++)
        for (size_t v = 0; v < vectors; v++) acc[r][v] = ck_vf_set1(0.0f);
    for (size_t l = 0; l < s.deep; l++) {
        for (size_t v = 0; v < vectors; v++)
            bv[v] = ck_vf_load(s.b + gemm_column(v * CK_VF_LANES) + l * GEMM_NR);
        for (size_t r = 0; r < rows; r++) {
            const ck_vf av = ck_vf_set1(s.a[r * s.row + l * s.term]);
            for (size_t v = 0; v < vectors; v++) acc[r][v] = ck_vf_muladd(av, bv[v], acc[r][v]);
        }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t v = 0; v < vectors; v++) {
            float *to = s.sum + r * GEMM_NC + v * CK_VF_LANES;
            ck_vf_store(to, ck_vf_add(ck_vf_load(to), acc[r][v]));
        }
}

/* `rows` rows of n columns. A few rows take all panels at once, to have enough accumulators. */
GEMM_INLINE void gemm_band(size_t rows, gemm_step s, size_t n)
{
    if (rows < CK_GEMM_MR && n > GEMM_NC - GEMM_NR) {
        gemm_tile(rows, CK_GEMM_NP, s);
        return;
    }
    for (size_t c = 0; c < n; c += GEMM_NR, s.b += GEMM_NR * GEMM_KC, s.sum += GEMM_NR)
        gemm_tile(rows, 1, s);
}

/* Where the rows from rows.at + i on are read; the first of a group of tiles packs it. */
GEMM_INLINE const float *gemm_rows(const ck_gemm_args *g, const gemm_way *way, float *room,
                                   gemm_part rows, size_t i)
{
    const size_t tile = i / CK_GEMM_MR;
    rows.at += i;
    rows.wide = gemm_least(GEMM_GROUP * CK_GEMM_MR, rows.wide - i);
    if (!way->pack_a) return g->a + rows.at * g->lda + rows.l;
    if (i % (GEMM_GROUP * CK_GEMM_MR) == 0) way->pack_a(g, rows, room);
    return room + tile % GEMM_GROUP * GEMM_TILE + i % CK_GEMM_MR;
}

/* One chunk of terms. */
GEMM_INLINE void gemm_chunk(const ck_gemm_args *g, const gemm_way *way, gemm_room *room,
                            gemm_part rows, gemm_part columns)
{
    gemm_step s = { NULL, room->b, 1, GEMM_AW, room->sum, rows.deep };
    if (!way->pack_a) s.row = g->lda, s.term = 1;
    for (size_t i = 0, step; i < rows.wide; i += step, s.sum += step * GEMM_NC) {
        const size_t left = rows.wide - i;
        step = left >= CK_GEMM_MR ? CK_GEMM_MR : left > 1 ? 2 : 1;
        s.a = gemm_rows(g, way, room->a, rows, i);
        if (way->fetch_b && rows.wide >= GEMM_FETCH_ROWS)
            way->fetch_b(g, columns, i, i + step, rows.wide);
        if (step == CK_GEMM_MR)
            gemm_band(CK_GEMM_MR, s, columns.wide);
        else if (step == 2)
            gemm_band(2, s, columns.wide);
        else
            gemm_band(1, s, columns.wide);
    }
}

static inline void gemm_put(float *y, ck_vf x, size_t n)
{
    if (n < CK_VF_LANES)
        ck_vf_store_n(y, x, n);
    else
        ck_vf_store(y, x);
}

/* y from the sums of these rows and columns. */
GEMM_INLINE void gemm_store(const ck_gemm_args *g, const gemm_way *way, gemm_part rows,
                            gemm_part columns, const float *sum)
{
    const ck_vf alpha = ck_vf_set1(g->alpha), beta = ck_vf_set1(g->beta);
    for (size_t i = rows.at; i < rows.at + rows.wide; i++, sum += GEMM_NC)
        for (size_t v = 0; v < columns.wide; v += CK_VF_LANES) {
            const size_t j = columns.at + v, n = columns.wide - v;
            ck_vf y = ck_vf_mul(alpha, ck_vf_load(sum + v));
            if (g->beta != 0.0f) y = ck_vf_muladd(beta, gemm_load(g->c + i * g->ldc + j, n), y);
            if (g->bias) y = ck_vf_add(y, gemm_load(g->bias + j, n));
            if (way->act) y = way->act(y);
            gemm_put(g->y + i * g->ldy + j, y, n);
        }
}

/* The sums of these rows and columns, chunk by chunk. */
GEMM_INLINE void gemm_sums(const ck_gemm_args *g, const gemm_way *way, gemm_room *room,
                           gemm_part rows, gemm_part columns)
{
    for (size_t s = 0; s < rows.wide * GEMM_NC; s += CK_VF_LANES)
        ck_vf_store(room->sum + s, ck_vf_set1(0.0f));
    for (; rows.l < g->k; rows.l = columns.l += GEMM_KC) {
        rows.deep = columns.deep = gemm_least(GEMM_KC, g->k - rows.l);
        way->pack_b(g, columns, room->b);
        gemm_chunk(g, way, room, rows, columns);
    }
}

/* The product, block by block: of columns, of rows. */
GEMM_INLINE void gemm_run(const ck_gemm_args *g, const gemm_way *way)
{
    gemm_room room;
    for (size_t j = 0; j < g->n; j += GEMM_NC)
        for (size_t i = 0; i < g->m; i += GEMM_MC) {
            const gemm_part rows = { i, gemm_least(GEMM_MC, g->m - i), 0, 0 };
            const gemm_part columns = { j, gemm_least(GEMM_NC, g->n - j), 0, 0 };
            gemm_sums(g, way, &room, rows, columns);
            gemm_store(g, way, rows, columns, room.sum);
        }
}

/* Elements of a row of a and of b as they lie in memory. */
static inline void gemm_check(const ck_gemm_args *g, size_t a_row, size_t b_row)
{
    assert(g->m == 0 || g->n == 0 || g->y);
    assert(g->m == 0 || g->n == 0 || g->k == 0 || (g->a && g->b));
    assert(g->m == 0 || g->n == 0 || g->beta == 0.0f || g->c);
    assert(g->lda >= a_row && g->ldb >= b_row && g->ldy >= g->n);
    assert(g->beta == 0.0f || g->ldc >= g->n);
    assert(g->beta == 0.0f || g->y != g->c || g->ldy == g->ldc);
    (void)g, (void)a_row, (void)b_row;
}

static inline ck_vd gemm_load_strict(const float *p, size_t n)
{
    return n < CK_VD_LANES ? ck_vd_load_n(p, n, 0.0f) : ck_vd_load(p);
}

/* Strict: one ascending chain for each output, LANES of them at a time. Row r of a has its terms at
 * a[r * row + l * term]; b is [k][n]. */
static inline void gemm_terms_strict(const ck_gemm_args *g, size_t row, size_t term)
{
    const ck_vd alpha = ck_vd_set1((double)g->alpha), beta = ck_vd_set1((double)g->beta);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j += CK_VD_LANES) {
            const size_t n = g->n - j;
            float *y = g->y + i * g->ldy + j;
            ck_vd sum = ck_vd_set1(0.0);
            for (size_t l = 0; l < g->k; l++) {
                const ck_vd a = ck_vd_set1((double)g->a[i * row + l * term]);
                sum = ck_vd_add(sum, ck_vd_mul(a, gemm_load_strict(g->b + l * g->ldb + j, n)));
            }
            sum = ck_vd_mul(alpha, sum);
            if (g->beta != 0.0f)
                sum = ck_vd_add(sum, ck_vd_mul(beta, gemm_load_strict(g->c + i * g->ldc + j, n)));
            if (g->bias) sum = ck_vd_add(sum, gemm_load_strict(g->bias + j, n));
            if (n < CK_VD_LANES)
                ck_vd_store_n(y, sum, n);
            else
                ck_vd_store(y, sum);
        }
}

#endif
