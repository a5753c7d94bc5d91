/* SPDX-License-Identifier: MIT */
/* embedding_q5_1, AVX-512. */
#include "simd/avx512.h"

#include "dequant_row/dequant_row_block.h"
#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_q5_1_avx512_spec = CK_EMBEDDING_SPEC(CK_Q5_1_BLOCK);

CK_EMBEDDING(q5_1, avx512, CK_Q5_1_BYTES, dequant_row_q5_1)
