/* SPDX-License-Identifier: MIT */
/* A kernel library in one file: what it takes to be run under ckparity's suites.
 *   gcc -std=c11 -O2 -ffp-contract=off -shared -fPIC -I kernels/include/ck docs/examples/my_gemm.c
 * \ -o libmy_gemm.so build/release/ckparity run --subject ./libmy_gemm.so */
#include "gemm.h"

static void gemm_nt_f32_plain(const void *args)
{
    const ck_gemm_args *const g = args;
    for (size_t i = 0; i < g->m; i++) {
        for (size_t j = 0; j < g->n; j++) {
            float sum = 0;
            for (size_t l = 0; l < g->k; l++) sum += g->a[i * g->lda + l] * g->b[j * g->ldb + l];
            float y = g->alpha * sum;
            if (g->beta != 0) y += g->beta * g->c[i * g->ldc + j];
            if (g->bias) y += g->bias[j];
            g->y[i * g->ldy + j] = y;
        }
    }
}

/* What is promised: one ascending chain, products rounded before they are added, y may be c. */
static const ck_numspec plain_spec = {
    .lanes = 1,
    .accs = 1,
    .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 3, /* y is operand 0, c is operand 3 */
};

static const ck_kernel kernels[] = {
    {
        .size = sizeof(ck_kernel),
        .stem = "gemm_nt_f32",
        .family = "gemm",
        .isa = "plain",
        .fn = gemm_nt_f32_plain,
        .spec = &plain_spec,
    },
};

static const ck_subject subject = {
    .abi = CK_SUBJECT_ABI,
    .size = sizeof(ck_subject),
    .name = "my_gemm",
    .version = "1.0",
    .count = sizeof kernels / sizeof kernels[0],
    .kernels = kernels,
};

const ck_subject *ck_subject_v1(void) { return &subject; }
