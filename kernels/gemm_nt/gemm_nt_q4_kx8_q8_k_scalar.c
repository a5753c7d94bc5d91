/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_kx8_q8_k, plain C. */
#include "gemm_nt/gemm_nt_q4_kx8.h"
#include "gemm_nt/gemm_nt_x8_scalar.h"
#include "scales_k.h"

const ck_numspec ck_gemm_nt_q4_kx8_q8_k_scalar_spec = CK_GEMM_Q4_KX8_SPEC(1, CK_NUM_MULADD);

/* 32 codes of a with sub-block j of row c of b: nibbles j mod 2 of four times eight bytes. */
static inline int32_t codes_dot(const int8_t *a, const unsigned char *b, int j, int c)
{
    const unsigned char *qs = b + B_CODES + 64 * 4 * (j / 2) + 8 * c;
    int32_t sum = 0;

    for (int e = 0; e < 32; e++) sum += (qs[e / 8 * 64 + e % 8] >> j % 2 * 4 & 15) * a[e];
    return sum;
}

static inline integers8 block_integers(const unsigned char *a, const unsigned char *b)
{
    int8_t qa[CK_K_BLOCK];
    int16_t bsums[16];
    integers8 y = { { 0 }, { 0 } };

    memcpy(qa, a + A_CODES_K, sizeof qa);
    memcpy(bsums, a + A_BSUMS_K, sizeof bsums);
    for (int j = 0; j < 8; j++) {
        const scales_k k = scales_k_unpack(b + B_SCALES + SUB_SCALES * j);
        for (int c = 0; c < EIGHT; c++) {
            y.codes[c] += k.s[c] * codes_dot(qa + 32 * j, b, j, c);
            y.minimums[c] += k.m[c] * (bsums[2 * j] + bsums[2 * j + 1]);
        }
    }
    return y;
}

void ck_gemm_nt_q4_kx8_q8_k_scalar(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_kx8_q8_k_scalar_strict(const void *args) { ck_strict_run(strict, args); }
