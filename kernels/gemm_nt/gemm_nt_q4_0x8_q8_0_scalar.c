/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_0x8_q8_0, plain C. */
#include "gemm_nt/gemm_nt_q4_0x8.h"
#include "gemm_nt/gemm_nt_x8_scalar.h"

const ck_numspec ck_gemm_nt_q4_0x8_q8_0_scalar_spec = CK_GEMM_Q4_0X8_SPEC(1, CK_NUM_MULADD);

/* Four bits in two's complement. */
static inline int code_of(int bits) { return (bits ^ 8) - 8; }

/* Row c of b: low nibbles, then high ones, of twice eight bytes. */
static inline int32_t codes_dot(const int8_t *a, const unsigned char *b, int c)
{
    int32_t sum = 0;

    for (int e = 0; e < 16; e++) {
        const int byte = b[B_CODES + e / 8 * 64 + 8 * c + e % 8];
        sum += code_of(byte & 15) * a[e] + code_of(byte >> 4) * a[e + 16];
    }
    return sum;
}

static inline integers8 block_integers(const unsigned char *a, const unsigned char *b)
{
    int8_t qa[CK_Q8_0_BLOCK];
    integers8 y = { { 0 }, { 0 } };

    memcpy(qa, a + A_CODES, sizeof qa);
    for (int c = 0; c < EIGHT; c++) y.codes[c] = codes_dot(qa, b, c);
    return y;
}

void ck_gemm_nt_q4_0x8_q8_0_scalar(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_0x8_q8_0_scalar_strict(const void *args) { ck_strict_run(strict, args); }
