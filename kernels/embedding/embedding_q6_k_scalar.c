/* SPDX-License-Identifier: MIT */
/* embedding_q6_k, plain C. */
#include "simd/scalar.h"

#include "dequant_row/dequant_row_k.h"
#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_q6_k_scalar_spec = CK_EMBEDDING_SPEC(CK_K_BLOCK);

CK_EMBEDDING(q6_k, scalar, CK_Q6_K_BYTES, dequant_row_q6_k)
