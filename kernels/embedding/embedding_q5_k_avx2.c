/* SPDX-License-Identifier: MIT */
/* embedding_q5_k, AVX2. */
#include "simd/avx2.h"

#include "dequant_row/dequant_row_k.h"
#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_q5_k_avx2_spec = CK_EMBEDDING_SPEC(CK_K_BLOCK);

CK_EMBEDDING(q5_k, avx2, CK_Q5_K_BYTES, dequant_row_q5_k)
