/* SPDX-License-Identifier: MIT */
/* embedding_bf16, AVX-512. */
#include "simd/avx512.h"

#include "dequant_row/dequant_row_element.h"
#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_bf16_avx512_spec = CK_EMBEDDING_SPEC(1);

CK_EMBEDDING(bf16, avx512, CK_BF16_BYTES, dequant_row_bf16)
