/* SPDX-License-Identifier: MIT */
/* embedding_q4_k, AVX2. */
#include "simd/avx2.h"

#include "dequant_row/dequant_row_k.h"
#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_q4_k_avx2_spec = CK_EMBEDDING_SPEC(CK_K_BLOCK);

CK_EMBEDDING(q4_k, avx2, CK_Q4_K_BYTES, dequant_row_q4_k)
