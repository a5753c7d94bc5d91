/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, plain C: one ascending chain over the blocks. */
#include "gemm_nt_q8_0_q8_0.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_scalar_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

static int32_t block_dot(const unsigned char *a, const unsigned char *b)
{
    int8_t qa[CK_Q8_0_BLOCK], qb[CK_Q8_0_BLOCK];
    int32_t sum = 0;

    memcpy(qa, a + QS, sizeof qa);
    memcpy(qb, b + QS, sizeof qb);
    for (int e = 0; e < CK_Q8_0_BLOCK; e++) sum += qa[e] * qb[e];
    return sum;
}

static float row_dot(const unsigned char *a, const unsigned char *b, size_t blocks)
{
    float sum = 0;

    for (size_t l = 0; l < blocks; l++, a += CK_Q8_0_BYTES, b += CK_Q8_0_BYTES) {
        const float scale = f16_to_f32(f16_load(a)) * f16_to_f32(f16_load(b)); /* exact */
        sum += scale * (float)block_dot(a, b);
    }
    return sum;
}

void ck_gemm_nt_q8_0_q8_0_scalar(const void *args) { gemm_fast(args, row_dot); }

static void strict_body(const void *args) { gemm_strict(args, block_dot); }

void ck_gemm_nt_q8_0_q8_0_scalar_strict(const void *args) { ck_strict_run(strict_body, args); }
