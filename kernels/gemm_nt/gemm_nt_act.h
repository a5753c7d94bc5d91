/* SPDX-License-Identifier: MIT */
/* The text of the products with an activation, compiled once per op and ISA: gemm_f32.h says after
 * what. The sums are those of gemm_nt_f32. */
#ifndef CK_GEMM_NT_ACT_H
#define CK_GEMM_NT_ACT_H

#include "gemm_nt/gemm_nt_f32.h"
#include "kernel.h"
#include "simd/activation.h"

/* No FMA in the scalar bundle. */
#define CK_GEMM_ACT_SPEC(budget, zero_below)                                                    \
    {                                                                                           \
        .lanes = 1, .accs = 1, .kc = GEMM_KC, .mr = CK_GEMM_MR, .nr = GEMM_NC,                  \
        .flags =                                                                                \
            CK_NUM_BATCH_INVARIANT | CK_NUM_TRUE_DIV | (CK_VF_LANES == 1 ? CK_NUM_MULADD : 0u), \
        .rexp = (budget), .exp_zero_below = (double)(zero_below),                               \
    }

static inline ck_gemm_args gemm_act_product(const ck_gemm_act_args *g)
{
    return (ck_gemm_args){ .y = g->y,
                           .a = g->a,
                           .b = g->b,
                           .bias = g->bias,
                           .m = g->m,
                           .n = g->n,
                           .k = g->k,
                           .ldy = g->ldy,
                           .lda = g->lda,
                           .ldb = g->ldb,
                           .alpha = 1.0f };
}

GEMM_INLINE void gemm_act(const void *args, ck_vf (*act)(ck_vf))
{
    const ck_gemm_args g = gemm_act_product(args);
    gemm_nt_run(&g, act);
}

/* The sum of one output and its bias, in double. */
static inline double gemm_act_sum_strict(const float *a, const float *b, const float *bias,
                                         size_t k)
{
    const double sum = ck_vd16_dot(a, b, k);
    return bias ? sum + (double)*bias : sum;
}

GEMM_INLINE void gemm_act_strict(const void *args, ck_vd (*act)(ck_vd))
{
    const ck_gemm_args g = gemm_act_product(args);
    gemm_check(&g, g.k, g.k);
    for (size_t i = 0; i < g.m; i++)
        for (size_t j = 0; j < g.n; j++) {
            const float *a = gemm_row(g.a, i, g.lda, g.k), *b = gemm_row(g.b, j, g.ldb, g.k);
            const double y = gemm_act_sum_strict(a, b, g.bias ? g.bias + j : NULL, g.k);
            ck_vd_store_n(g.y + i * g.ldy + j, act(ck_vd_set1(y)), 1);
        }
}

#endif
