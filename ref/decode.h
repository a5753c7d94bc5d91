/* SPDX-License-Identifier: MIT */
/* Elements of rows in block formats, as docs/formats.md says: what the references share. */
#ifndef REF_DECODE_H
#define REF_DECODE_H

#include <math.h>
#include <stddef.h>

/* product + minimum, each exact in double, and their sum too; RN32 of that is the element. */
typedef struct ref_element {
    double product, minimum; /* 0 where the format has none */
} ref_element;

/* Block `row` of the eight blocks of q4_0 or q4_k that are interleaved in one of q4_0x8 or q4_kx8. */
typedef void ref_unpack_fn(const unsigned char *packed, size_t row, unsigned char *block);
extern ref_unpack_fn ref_unpack_q4_0x8, ref_unpack_q4_kx8;

/* How much of an element a fault changes at least: `step`, what one more code adds, or where all codes are worth
 * nothing, the minimum. */
static inline double ref_code_term(double step, double minimum)
{
    if (!isfinite(step)) return 0;
    if (step > 0) return step;
    return isfinite(minimum) ? fabs(minimum) : 0;
}

/* Element i of the block. */
typedef ref_element ref_decode_fn(const unsigned char *block, size_t i);
extern ref_decode_fn ref_decode_f16, ref_decode_bf16;
extern ref_decode_fn ref_decode_q4_0, ref_decode_q4_1, ref_decode_q4_k, ref_decode_q5_0;
extern ref_decode_fn ref_decode_q5_1, ref_decode_q5_k, ref_decode_q6_k, ref_decode_q8_0;

#endif
