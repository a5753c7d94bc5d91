/* SPDX-License-Identifier: MIT */
/* The steps that kernels.def has no op for. */
#include "plain.h"

#include <math.h>

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

int ck_plain_norm(float *y, float *rstd, const float *x, const float *gamma, size_t rows,
                  size_t used, size_t width, float eps)
{
    for (size_t t = 0; t < rows; t++) {
        double squares = 0;
        for (size_t i = 0; i < used; i++) {
            const double value = (double)x[t * width + i];
            squares += value * value;
        }
        const double scale = 1 / sqrt(squares / (double)used + (double)eps);
        if (rstd) rstd[t] = (float)scale;
        for (size_t i = 0; i < width; i++)
            y[t * width + i] =
                i < used ? (float)((double)x[t * width + i] * scale * (double)gamma[i]) : 0;
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

int ck_plain_add(float *y, const float *a, const float *b, size_t rows, size_t width)
{
    for (size_t i = 0; i < rows * width; i++) y[i] = a[i] + b[i];
    return 0;
}

int ck_plain_swiglu(float *y, const float *x, size_t rows, size_t used, size_t width)
{
    for (size_t t = 0; t < rows; t++)
        for (size_t i = 0; i < width; i++) {
            const double u = (double)x[t * 2 * width + i];
            const double w = (double)x[t * 2 * width + width + i];
            y[t * width + i] = i < used ? (float)(u / (1 + exp(-u)) * w) : 0;
        }
    return 0;
}
