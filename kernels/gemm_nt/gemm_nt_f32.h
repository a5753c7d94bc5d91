/* SPDX-License-Identifier: MIT */
/* The text of gemm_nt_f32, compiled once per ISA: gemm_f32.h says after what. */
#ifndef CK_GEMM_NT_F32_H
#define CK_GEMM_NT_F32_H

#include "gemm_f32.h"

/* LANES columns and terms of b, of which `wide` and `deep` exist; the others are 0. */
typedef float gemm_square[CK_VF_LANES * CK_VF_LANES];
static inline void gemm_copy_square(gemm_square to, const float *b, size_t ld, size_t wide,
                                    size_t deep)
{
    for (size_t c = 0; c < CK_VF_LANES; c++)
        for (size_t l = 0; l < CK_VF_LANES; l++)
            to[c * CK_VF_LANES + l] = c < wide && l < deep ? b[c * ld + l] : 0.0f;
}

/* Fetches the line that lies `ahead` of term l in each of LANES columns, if one begins there. */
GEMM_INLINE void gemm_fetch_ahead(const float *b, size_t ld, size_t l, size_t ahead)
{
    if (ahead == 0 || l % GEMM_LINE) return;
    for (size_t c = 0; c < CK_VF_LANES; c++) __builtin_prefetch(b + c * ld + l + ahead);
}

/* How far from a part of b the next one is; 0: there is no whole one. */
static inline size_t gemm_ahead(const ck_gemm_args *g, gemm_part part)
{
    if (part.wide < GEMM_NC || g->k < GEMM_KC) return 0;
    if (g->k - part.l >= 2 * GEMM_KC) return GEMM_KC;
    return g->n - part.at >= 2 * GEMM_NC ? GEMM_NC * g->ldb - part.l : 0;
}

static inline void gemm_pack_square(const float *b, size_t ld, float *to)
{
    ck_vf x[CK_VF_LANES];
    ck_vf_load_across(x, b, ld);
    for (size_t t = 0; t < CK_VF_LANES; t++) ck_vf_store(to + t * GEMM_NR, x[t]);
}

/* The columns that a panel lacks are 0. */
static inline void gemm_pack_b_columns(const ck_gemm_args *g, gemm_part part, float *to)
{
    const size_t ahead = g->m < GEMM_FETCH_ROWS ? gemm_ahead(g, part) : 0;
    gemm_square corner;
    for (size_t c = 0; c < part.wide || c % GEMM_NR; c += CK_VF_LANES) {
        const size_t wide = c < part.wide ? part.wide - c : 0;
        const float *b = g->b + (wide ? part.at + c : 0) * g->ldb + part.l;
        for (size_t l = 0; l < part.deep; l += CK_VF_LANES) {
            float *row = to + gemm_column(c) + l * GEMM_NR;
            const size_t deep = part.deep - l;
            gemm_fetch_ahead(b, g->ldb, l, ahead);
            if (wide >= CK_VF_LANES && deep >= CK_VF_LANES) {
                gemm_pack_square(b + l, g->ldb, row);
            } else {
                gemm_copy_square(corner, b + l, g->ldb, wide, deep);
                gemm_pack_square(corner, CK_VF_LANES, row);
            }
        }
    }
}

GEMM_INLINE void gemm_fetch_b_columns(const ck_gemm_args *g, gemm_part part, size_t from, size_t to,
                                      size_t all)
{
    const size_t ahead = gemm_ahead(g, part);
    const float *b = g->b + part.at * g->ldb + part.l;
    for (size_t c = from * GEMM_NC / all; ahead && c < to * GEMM_NC / all; c++)
        for (size_t l = 0; l < GEMM_KC; l += GEMM_LINE)
            __builtin_prefetch(b + c * g->ldb + l + ahead);
}

static inline ck_vf gemm_add_square(ck_vf acc, const float *a, const float *b, size_t ld,
                                    size_t deep)
{
    ck_vf x[CK_VF_LANES];
    ck_vf_load_across(x, b, ld);
    for (size_t t = 0; t < CK_VF_LANES; t++)
        if (t < deep) acc = ck_vf_muladd(ck_vf_set1(a[t]), x[t], acc);
    return acc;
}

/* A chunk of the sums of one row and LANES columns, b as it lies in memory. */
static inline ck_vf gemm_vector_chunk(const ck_gemm_args *g, gemm_part part)
{
    enum { AHEAD = 4 * GEMM_LINE };
    const float *a = g->a + part.l, *b = g->b + part.at * g->ldb + part.l;
    gemm_square corner;
    ck_vf acc = ck_vf_set1(0.0f);
    for (size_t l = 0; l < part.deep; l += CK_VF_LANES) {
        const size_t deep = part.deep - l;
        if (part.wide >= CK_VF_LANES && deep >= CK_VF_LANES) {
            gemm_fetch_ahead(b, g->ldb, l, g->k - part.l - l > AHEAD ? AHEAD : 0);
            acc = gemm_add_square(acc, a + l, b + l, g->ldb, CK_VF_LANES);
        } else {
            gemm_copy_square(corner, b + l, g->ldb, part.wide, deep);
            acc = gemm_add_square(acc, a + l, corner, CK_VF_LANES, deep);
        }
    }
    return acc;
}

/* The sums of one row and these columns, at most LANES. The order is that of gemm_run. */
static inline ck_vf gemm_vector_sums(const ck_gemm_args *g, gemm_part columns)
{
    ck_vf sum = ck_vf_set1(0.0f);
    for (; columns.l < g->k; columns.l += GEMM_KC) {
        columns.deep = gemm_least(GEMM_KC, g->k - columns.l);
        const ck_vf chunk = gemm_vector_chunk(g, columns);
        sum = ck_vf_add(sum, chunk);
    }
    return sum;
}

/* One row does not pay for packing. */
GEMM_INLINE void gemm_vector(const ck_gemm_args *g, const gemm_way *way)
{
    for (size_t j = 0; j < g->n; j += CK_VF_LANES) {
        const gemm_part columns = { j, gemm_least(CK_VF_LANES, g->n - j), 0, 0 };
        float lanes[CK_VF_LANES];
        ck_vf_store(lanes, gemm_vector_sums(g, columns));
        gemm_store(g, way, (gemm_part){ 0, 1, 0, 0 }, columns, lanes);
    }
}

GEMM_INLINE void gemm_nt_run(const ck_gemm_args *g, ck_vf (*act)(ck_vf))
{
    const gemm_way way = { NULL, gemm_pack_b_columns, gemm_fetch_b_columns, act };
    gemm_check(g, g->k, g->k);
    if (g->m == 1)
        gemm_vector(g, &way);
    else
        gemm_run(g, &way);
}

static inline void gemm_nt_f32(const void *args) { gemm_nt_run(args, NULL); }

/* Row i of an operand of which k elements are used; with none of them, p may be NULL. */
static inline const float *gemm_row(const float *p, size_t i, size_t ld, size_t k)
{
    return k ? p + i * ld : p;
}

static inline void gemm_nt_f32_strict(const void *args)
{
    const ck_gemm_args *g = args;
    gemm_check(g, g->k, g->k);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const float *a = gemm_row(g->a, i, g->lda, g->k);
            const float *b = gemm_row(g->b, j, g->ldb, g->k);
            double y = (double)g->alpha * ck_vd16_dot(a, b, g->k);
            if (g->beta != 0.0f) y += (double)g->beta * (double)g->c[i * g->ldc + j];
            if (g->bias) y += (double)g->bias[j];
            g->y[i * g->ldy + j] = ck_strict_f32(y);
        }
}

#endif
