/* SPDX-License-Identifier: MIT */
/* dequant_row_q4_k, AVX2 and FMA. */
#include "simd/avx2.h"

#include "dequant_row/dequant_row_k.h"
#include "kernel.h"
#include "strict.h"

const ck_numspec ck_dequant_row_q4_k_avx2_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_K_BLOCK,
    .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

void ck_dequant_row_q4_k_avx2(const void *args) { dequant_row_q4_k(args); }

void ck_dequant_row_q4_k_avx2_strict(const void *args) { ck_strict_run(dequant_row_q4_k, args); }
