/* SPDX-License-Identifier: MIT */
/* dequant_row_q8_0, plain C. */
#include "dequant_row_q8_0.h"

const ck_numspec ck_dequant_row_q8_0_scalar_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

static void block(float *y, const unsigned char *x)
{
    const float d = f16_to_f32(f16_load(x));

    for (int e = 0; e < CK_Q8_0_BLOCK; e++) {
        const float v = d * (float)(int8_t)x[QS + e];
        y[e] = v != v ? f32_of_bits(NAN_BITS) : v;
    }
}

void ck_dequant_row_q8_0_scalar(const void *args) { dequant_row(args, block); }

void ck_dequant_row_q8_0_scalar_strict(const void *args) { dequant_row(args, block); }
