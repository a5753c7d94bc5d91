/* SPDX-License-Identifier: MIT */
/* A subject with a fault that only some shapes show: the fuzzers' own test. It forgets the last term of
 * the last column if the columns are odd, but not one, and k is above 20. */
#include "gemm.h"

static void gemm_nt_f32_planted(const void *args)
{
    const ck_gemm_args *const g = args;
    for (size_t i = 0; i < g->m; i++) {
        for (size_t j = 0; j < g->n; j++) {
            const int wrong = g->n > 1 && g->n % 2 && j == g->n - 1 && g->k > 20;
            float sum = 0;
            for (size_t l = 0; l < g->k - (size_t)wrong; l++)
                sum += g->a[i * g->lda + l] * g->b[j * g->ldb + l];
            float y = g->alpha * sum;
            if (g->beta != 0) y += g->beta * g->c[i * g->ldc + j];
            if (g->bias) y += g->bias[j];
            g->y[i * g->ldy + j] = y;
        }
    }
}

static const ck_numspec spec = {
    .lanes = 1, .accs = 1, .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT, .alias = 1u << 3
};

static const ck_kernel kernels[] = {
    { .size = sizeof(ck_kernel),
      .stem = "gemm_nt_f32",
      .family = "gemm",
      .isa = "planted",
      .fn = gemm_nt_f32_planted,
      .spec = &spec },
};

static const ck_subject subject = {
    .abi = CK_SUBJECT_ABI,
    .size = sizeof(ck_subject),
    .name = "planted",
    .version = "1.0",
    .count = sizeof kernels / sizeof kernels[0],
    .kernels = kernels,
};

const ck_subject *ck_subject_v1(void) { return &subject; }
