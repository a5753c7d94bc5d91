/* SPDX-License-Identifier: MIT */
/* Numbers in the formats of weights. */
#include "codec.h"

#include <string.h>

#include "ck_ops.h"
#include "quant.h"

#define FORMATS(X) \
    X(BF16, bf16)  \
    X(F16, f16)    \
    X(Q4_0, q4_0)  \
    X(Q4_1, q4_1)  \
    X(Q5_0, q5_0)  \
    X(Q5_1, q5_1)  \
    X(Q8_0, q8_0)  \
    X(Q4_K, q4_k)  \
    X(Q5_K, q5_k)  \
    X(Q6_K, q6_k)

typedef ck_status decoder(const ck_dequant_args *args);
typedef ck_status encoder(const ck_quantize_args *args);

int ck_decode(ck_dtype format, float *y, const void *x, size_t n)
{
    static decoder *const entries[CK_DTYPE_COUNT] = {
#define X(code, name) [CK_DTYPE_##code] = ck_dequant_row_##name,
        FORMATS(X)
#undef X
    };
    const ck_dequant_args args = { y, x, n };
    if (format == CK_DTYPE_F32) return memcpy(y, x, n * sizeof *y), CK_OK;
    if ((unsigned)format >= CK_DTYPE_COUNT || !entries[format]) return CK_ERR_VALUE;
    return (int)entries[format](&args);
}

int ck_encode(ck_dtype format, void *y, const float *x, size_t n)
{
    static encoder *const entries[CK_DTYPE_COUNT] = {
#define X(code, name) [CK_DTYPE_##code] = ck_quantize_row_##name,
        FORMATS(X)
#undef X
    };
    const ck_quantize_args args = { y, x, n };
    if (format == CK_DTYPE_F32) return memcpy(y, x, n * sizeof *x), CK_OK;
    if ((unsigned)format >= CK_DTYPE_COUNT || !entries[format]) return CK_ERR_VALUE;
    return (int)entries[format](&args);
}
