/* SPDX-License-Identifier: MIT */
/* Matrix products. NT: the rows of both operands lie along the reduced dimension. */
#ifndef CK_GEMM_H
#define CK_GEMM_H

#include <stddef.h>
#include <stdint.h>

#include "ck.h"

/* y[i,j] = RN(RN(alpha * sum_l A[i,l] B[l,j]) + beta c[i,j]) + bias[j]; the sum by the kernel's numspec.
 * How A lies in a and B in b is said above each op's row of kernels.def.
 * Shapes: c [m][ldc], y [m][ldy], n of each row used, bias [n] or NULL. What lies beyond the used part
 *   of a row is neither read nor written.
 * Requires: m, n, k >= 0; ld >= its row; 4-byte aligned; y overlaps no input, but y may be c itself
 *   with ldy = ldc. beta = 0 never reads c, which may then be NULL. k = 0 sums to +0. The fast kernels
 *   take up to 90 KiB of stack.
 * Error: docs/oracle.md, "dot". NaN and infinities follow IEEE arithmetic.
 * Strict: the sum in double, by op in 16 lanes or one chain; then alpha, beta c and bias in double, one
 *   rounding. */
typedef struct ck_gemm_args {
    float *y;
    const float *a, *b, *c, *bias;
    size_t m, n, k;
    size_t ldy, lda, ldb, ldc;
    float alpha, beta;
} ck_gemm_args;

/* y[i,j] = act(sum_l a[i,l] b[j,l] + bias[j]); act above the op's row of kernels.def, the sum by the
 * kernel's numspec.
 * Shapes: a [m][lda], b [n][ldb], k of each row used; y [m][ldy], bias [n] or NULL.
 * Requires: as gemm_nt_f32; y overlaps no input.
 * Error: docs/oracle.md, "activations". A NaN argument gives NaN.
 * Strict: the sum of gemm_nt_f32, bias and act in double, one rounding. */
typedef struct ck_gemm_act_args {
    float *y;
    const float *a, *b, *bias;
    size_t m, n, k;
    size_t ldy, lda, ldb;
} ck_gemm_act_args;

/* y[i,j] = RN(act(g) u), g = sum_l a[i,l] b[j,l] + bias_b[j], the gate, and u = sum_l a[i,l] d[j,l] +
 * bias_d[j]; act above the op's row of kernels.def, both sums by the kernel's numspec.
 * Shapes: a [m][lda], b [n][ldb], d [n][ldd], k of each row used; y [m][ldy], either bias [n] or NULL.
 * Requires: as gemm_nt_f32; y overlaps no input. The fast kernels take up to 110 KiB of stack.
 * Error: docs/oracle.md, "activations". NaN and infinities follow IEEE arithmetic.
 * Strict: the sums of gemm_nt_f32, biases, act and the product in double, one rounding. */
typedef struct ck_gemm_glu_args {
    float *y;
    const float *a, *b, *d, *bias_b, *bias_d;
    size_t m, n, k;
    size_t ldy, lda, ldb, ldd;
} ck_gemm_glu_args;

/* y[j] = RN(RN(alpha * sum_l b[j,l] x[l]) + beta c[j]) + bias[j]; the sum by the kernel's numspec.
 * gemm_nt_f32 of one row computes the same, but keeps to the order that it has with many rows; this
 * one reads b as fast as memory gives it.
 * Shapes: b [n][ldb], k of each row used; x [k]; c, y [n], bias [n] or NULL.
 * Requires, error: as gemm_nt_f32. Strict: the bits of gemm_nt_f32. */
typedef struct ck_gemv_args {
    float *y;
    const float *x, *b, *c, *bias;
    size_t n, k, ldb;
    float alpha, beta;
} ck_gemv_args;

/* y[i,j] = sum_l da_l db_l I_l + min_l + bias[j], l over blocks. I_l, exact, is the sum over the block of
 * the products of codes; in blocks of 256 of s[n] times that of sub-block n. min_l is
 *   weights q4_1 q5_1   m_l s_l, s_l as it is stored in the q8_1 block;
 *   weights q4_k q5_k   -(da_l dmin_l) J_l, J_l the sum of m[n] (bsums[2n] + bsums[2n+1]) as stored;
 *   others              none.
 * Where s or bsums are those of the codes, this is the product of the values that the blocks stand for,
 * but for the rounding of s. Nothing else is asked of them.
 * Shapes: a [m][lda], b [n][ldb] of blocks at any byte address, k elements of each row used; y [m][ldy],
 *   bias [n] or NULL. lda, ldb in blocks, ldy in elements.
 * Requires: k a multiple of the block; y overlaps no input. All codes, scales, minimums and sums that
 *   their bits can be are in contract, -128 too: no sum of integers overflows or saturates.
 * Error: docs/oracle.md, "block dot". A NaN or infinite scale follows IEEE arithmetic.
 * Strict: (da db) I, then + m s or - (da dmin) J, in double, one ascending chain over the blocks, then
 *   bias, one rounding. */
typedef struct ck_gemm_q_args {
    float *y;
    const void *a, *b;
    const float *bias;
    size_t m, n, k;
    size_t ldy, lda, ldb;
} ck_gemm_q_args;

/* y[i,j] of ck_gemm_q_args, the rows of weights being interleaved by pack_*: row j is row j mod 8 of the
 * packed blocks of b's row j / 8. What the last of these have in rows beyond n is in no result.
 * Shapes: a [m][lda] blocks, b [ceil(n / 8)][ldb] packed blocks, at any byte address, k elements of each
 *   row used; y [m][ldy], bias [n] or NULL. lda, ldb in blocks of their own, ldy in elements.
 * Requires: as ck_gemm_q_args.
 * Error: docs/oracle.md, "block dot". A NaN or infinite scale follows IEEE arithmetic.
 * Strict: the bits of the strict product of the rows that were packed. */
typedef struct ck_gemm_p_args {
    float *y;
    const void *a, *b;
    const float *bias;
    size_t m, n, k;
    size_t ldy, lda, ldb;
} ck_gemm_p_args;

/* y[i,j] = RN(sum_l a[i,l] w[j,l] + c[i,j]) + bias[j], w the values that dequant_row gives for the blocks of
 * b, or for its elements, of f16 and bf16.
 * Shapes: a [m][lda] f32, k of each row used; b [n][ldb] blocks at any byte address, k elements of each
 *   row used; y [m][ldy], c [m][ldc] or NULL, n of each row used; bias [n] or NULL. ldb in blocks, the
 *   others in elements.
 * Requires: k a multiple of the block; a, y, c, bias 4-byte aligned; y overlaps no input.
 * Error: docs/oracle.md, "weights". NaN and infinities follow IEEE arithmetic.
 * Strict: the bits of strict gemm_nt_f32, with beta = 1 where there is c, on strictly dequantised rows. */
typedef struct ck_gemm_w_args {
    float *y;
    const float *a;
    const void *b;
    const float *bias;
    size_t m, n, k;
    size_t ldy, lda, ldb;
    const float *c;
    size_t ldc;
} ck_gemm_w_args;

/* y[i,j] = sum_l a[i,l] w[l,j], w the values that dequant_row gives for the blocks of b: the gradient dX = dY W of
 * rows x that gemm_nt multiplied by W.
 * Shapes: a [m][lda] f32, k of each row used; b [k][ldb] blocks at any byte address, n elements of each row
 *   used; y [m][ldy]. ldb in blocks, lda and ldy in elements.
 * Requires: n a multiple of the block; a and y 4-byte aligned; y overlaps no input.
 * Error: docs/oracle.md, "weights". NaN and infinities follow IEEE arithmetic.
 * Strict: the bits of strict gemm_nn_f32 on strictly dequantised rows. */
typedef struct ck_gemm_wn_args {
    float *y;
    const float *a;
    const void *b;
    size_t m, n, k;
    size_t ldy, lda, ldb;
} ck_gemm_wn_args;

/* y[i,j] = sum_l a[i,l] b[j,l] + bias[j], a and b of 16 bits, rounded to nearest even if y is of 16 bits,
 * whatever the caller's mode. Names say the types of a, b and y. Products of halves are exact in f32.
 * Shapes: a [m][lda], b [n][ldb], k elements of each row used, at any byte address; y [m][ldy], bias [n]
 *   f32 or NULL.
 * Requires: y, if f32, and bias 4-byte aligned, of 16 bits at any address; y overlaps no input.
 * Error: docs/oracle.md, "16 bits". NaN and infinities follow IEEE arithmetic; what exceeds the type of y
 *   gives infinity, a NaN of 16 bits is 0x7e00 (f16), 0x7fc0 (bf16).
 * Strict: the sum of strict gemm_nt_f32 on the values of the halves, bias, and one rounding to the type of
 *   y, in double. */
typedef struct ck_gemm_h_args {
    void *y;
    const void *a, *b;
    const float *bias;
    size_t m, n, k;
    size_t ldy, lda, ldb;
} ck_gemm_h_args;

/* y[i,j] = sum_l a[i,l] b[j,l], the integer itself: whatever its order, the sum neither overflows nor
 * saturates. Names say the types of a, b and y.
 * Shapes: a [m][lda] of int8_t or uint8_t, b [n][ldb], k of each row used; y [m][ldy].
 * Requires: k at most CK_GEMM_INT8_MOST or, a being unsigned, CK_GEMM_UINT8_MOST; y 4-byte aligned; y
 *   overlaps no input. All codes are in contract, -128 too.
 * Error: none. The caller's floating-point mode plays no part.
 * Strict: the same kernel. */
typedef struct ck_gemm_i_args {
    int32_t *y;
    const void *a;
    const int8_t *b;
    size_t m, n, k;
    size_t ldy, lda, ldb;
} ck_gemm_i_args;

/* The most terms whose sum is an int32_t whatever the codes are: (2^31 - 1) / (128 * 128) and 2^31 / (255 * 128). */
enum { CK_GEMM_INT8_MOST = 131071, CK_GEMM_UINT8_MOST = 65793 };

#endif
