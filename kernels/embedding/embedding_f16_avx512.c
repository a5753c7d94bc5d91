/* SPDX-License-Identifier: MIT */
/* embedding_f16, AVX-512. */
#include "simd/avx512.h"

#include "dequant_row/dequant_row_element.h"
#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_f16_avx512_spec = CK_EMBEDDING_SPEC(1);

CK_EMBEDDING(f16, avx512, CK_F16_BYTES, dequant_row_f16)
