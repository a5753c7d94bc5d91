/* SPDX-License-Identifier: MIT */
/* embedding_q8_0, AVX-512. */
#include "simd/avx512.h"

#include "dequant_row/dequant_row_block.h"
#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_q8_0_avx512_spec = CK_EMBEDDING_SPEC(CK_Q8_0_BLOCK);

CK_EMBEDDING(q8_0, avx512, CK_Q8_0_BYTES, dequant_row_q8_0)
