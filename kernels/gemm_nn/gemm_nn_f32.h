/* SPDX-License-Identifier: MIT */
/* The text of gemm_nn_f32, compiled once per ISA: gemm_f32.h says after what. */
#ifndef CK_GEMM_NN_F32_H
#define CK_GEMM_NN_F32_H

#include "gemm_f32.h"

static inline void gemm_nn_f32(const void *args)
{
    const ck_gemm_args *g = args;
    const gemm_way way = { NULL, gemm_pack_b_terms, NULL, NULL };
    gemm_check(g, g->k, g->n);
    gemm_run(g, &way);
}

static inline void gemm_nn_f32_strict(const void *args)
{
    const ck_gemm_args *g = args;
    gemm_check(g, g->k, g->n);
    gemm_terms_strict(g, g->lda, 1);
}

#endif
