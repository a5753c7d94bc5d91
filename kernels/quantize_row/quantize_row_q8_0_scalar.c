/* SPDX-License-Identifier: MIT */
/* quantize_row_q8_0, plain C. */
#include "quantize_row_q8_0.h"

const ck_numspec ck_quantize_row_q8_0_scalar_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_MULADD | CK_NUM_TRUE_DIV | CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

/* Nearest even of |t| < 2^31, whatever the rounding mode: truncation and the difference are exact.
 */
static int nearest(float t)
{
    const int whole = (int)t;
    const float rest = t - (float)whole;
    const int up = rest > 0.5f || (rest == 0.5f && whole % 2 != 0);
    const int down = rest < -0.5f || (rest == -0.5f && whole % 2 != 0);

    return whole + up - down;
}

static void block(unsigned char *y, const float *x)
{
    int32_t amax = 0;

    for (int e = 0; e < CK_Q8_0_BLOCK; e++) {
        const int32_t bits = (int32_t)(f32_bits(x[e]) & 0x7fffffffu);
        if (bits > amax) amax = bits;
    }
    const float inverse = block_begin(y, amax);
    if (inverse == 0) return;
    for (int e = 0; e < CK_Q8_0_BLOCK; e++) y[QS + e] = (unsigned char)nearest(x[e] * inverse);
}

void ck_quantize_row_q8_0_scalar(const void *args) { quantize_row(args, block); }

void ck_quantize_row_q8_0_scalar_strict(const void *args)
{
    ck_strict_run(ck_quantize_row_q8_0_scalar, args);
}
