/* SPDX-License-Identifier: MIT */
/* The steps that kernels.def has no op for. */
#include "plain.h"

#include "codec.h"
#include "quant.h"

int ck_plain_embed(float *y, const float *table, const float *positions, const int32_t *tokens,
                   size_t rows, size_t width)
{
    for (size_t t = 0; t < rows; t++) {
        const float *const row = table + (size_t)tokens[t] * width;
        for (size_t i = 0; i < width; i++)
            y[t * width + i] = positions ? row[i] + positions[t * width + i] : row[i];
    }
    return 0;
}

int ck_plain_embed_rows(ck_dtype format, float *y, const void *table, const float *positions,
                        const int32_t *tokens, size_t rows, size_t used, size_t width)
{
    const size_t bytes = ck_row_bytes(format, width);
    for (size_t t = 0; t < rows; t++) {
        float *const row = y + t * width;
        const unsigned char *const at = (const unsigned char *)table + (size_t)tokens[t] * bytes;
        const int status = ck_decode(format, row, at, width);
        if (status != 0) return status;
        for (size_t i = 0; i < width; i++)
            row[i] = i >= used ? 0 : positions ? row[i] + positions[t * width + i] : row[i];
    }
    return 0;
}

int ck_plain_rope(float *x, const float *cosines, const float *sines, size_t heads, size_t head,
                  size_t rows, size_t half, size_t width)
{
    for (size_t h = 0; h < heads; h++)
        for (size_t t = 0; t < rows; t++)
            for (size_t i = 0; i < half; i++) {
                float *const at = x + h * head + t * width + i;
                const double c = (double)cosines[t * half + i], s = (double)sines[t * half + i];
                const double a = (double)at[0], b = (double)at[half];
                at[0] = (float)(a * c - b * s);
                at[half] = (float)(a * s + b * c);
            }
    return 0;
}
