/* SPDX-License-Identifier: MIT */
/* The text of gemm_tn_f32, compiled once per ISA: gemm_f32.h says after what. */
#ifndef CK_GEMM_TN_F32_H
#define CK_GEMM_TN_F32_H

#include "gemm_f32.h"

/* One term of `rows` rows, tile by tile; `readable` may be read. */
GEMM_INLINE void gemm_pack_term(const float *a, size_t rows, size_t readable, float *to)
{
    for (size_t r = 0; r < rows; r += CK_GEMM_MR, to += GEMM_TILE)
        for (size_t v = 0; v < GEMM_AW && r + v < readable; v += CK_VF_LANES) {
            const size_t n = readable - r - v;
            ck_vf_store(to + v,
                        n < CK_VF_LANES ? ck_vf_load_n(a + r + v, n, 0.0f) : ck_vf_load(a + r + v));
        }
}

/* a is [k][m]: the rows of one term lie together, far from those of the next. */
static inline void gemm_pack_a_terms(const ck_gemm_args *g, gemm_part part, float *to)
{
    enum { ROWS = GEMM_GROUP * CK_GEMM_MR, READ = ROWS - CK_GEMM_MR + GEMM_AW };
    const float *a = g->a + part.l * g->lda + part.at;
    if (g->m - part.at >= READ)
        for (size_t l = 0; l < part.deep; l++)
            gemm_pack_term(a + l * g->lda, ROWS, READ, to + l * GEMM_AW);
    else
        for (size_t l = 0; l < part.deep; l++)
            gemm_pack_term(a + l * g->lda, part.wide, part.wide, to + l * GEMM_AW);
}

static inline void gemm_tn_f32(const void *args)
{
    const ck_gemm_args *g = args;
    const gemm_way way = { gemm_pack_a_terms, gemm_pack_b_terms, NULL, NULL };
    gemm_check(g, g->m, g->n);
    gemm_run(g, &way);
}

static inline void gemm_tn_f32_strict(const void *args)
{
    const ck_gemm_args *g = args;
    gemm_check(g, g->m, g->n);
    gemm_terms_strict(g, 1, g->lda);
}

#endif
