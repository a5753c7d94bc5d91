/* SPDX-License-Identifier: MIT */
/* gemm_nt of q4_kx8, eight interleaved rows of q4_k, by q8_k: where its parts lie. */
#ifndef CK_GEMM_NT_Q4_KX8_H
#define CK_GEMM_NT_Q4_KX8_H

#include "gemm_nt_q.h"

static const formats packed = { CK_K_BLOCK, CK_Q8_K_BYTES, CK_Q4_KX8_BYTES, 0, true, 0 };

/* Of a block of b: for each sub-block the twelve bytes of its scales and minimums, of row n where q4_k has
 * those of sub-block n; eight bytes of each row in turn. */
enum { B_SCALES = 32, B_CODES = 128, SUB_SCALES = 12 };

#define CK_GEMM_Q4_KX8_SPEC(rows, more) \
    CK_GEMM_X8_SPEC(rows, CK_K_BLOCK, CK_NUM_MIN_FACTORED | (more))

#endif
