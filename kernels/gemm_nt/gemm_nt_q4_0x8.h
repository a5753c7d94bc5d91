/* SPDX-License-Identifier: MIT */
/* gemm_nt of q4_0x8, eight interleaved rows of q4_0, by q8_0: where its parts lie. */
#ifndef CK_GEMM_NT_Q4_0X8_H
#define CK_GEMM_NT_Q4_0X8_H

#include "gemm_nt_q.h"

/* The vectors' products take codes without sign, 8 more than those that are stored. */
static const formats packed = { CK_Q4_0_BLOCK, CK_Q8_0_BYTES, CK_Q4_0X8_BYTES, 0, false, 8 };

/* Of a block of b: eight bytes of each row in turn. */
enum { B_CODES = 16 };

#define CK_GEMM_Q4_0X8_SPEC(rows, more) CK_GEMM_X8_SPEC(rows, CK_Q4_0_BLOCK, more)

#endif
