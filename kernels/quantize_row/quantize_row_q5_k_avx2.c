/* SPDX-License-Identifier: MIT */
/* quantize_row_q5_k, AVX2 and FMA. */
#include "simd/avx2.h"

#include "kernel.h"
#include "quantize_row/quantize_row_k.h"
#include "strict.h"

const ck_numspec ck_quantize_row_q5_k_avx2_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_K_BLOCK,
    .flags = CK_NUM_MULADD | CK_NUM_TRUE_DIV | CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

void ck_quantize_row_q5_k_avx2(const void *args) { quantize_row_q5_k(args); }

void ck_quantize_row_q5_k_avx2_strict(const void *args) { ck_strict_run(quantize_row_q5_k, args); }
