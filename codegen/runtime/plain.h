/* SPDX-License-Identifier: MIT */
/* The steps that kernels.def has no op for: scalar, each value in double with one rounding, sums in
 * ascending order. Rows are `width` floats apart, `used` of them count; what is written beyond is +0.
 * Heads are `head` floats apart. Each returns 0 unless it says what else. */
#ifndef CK_PLAIN_H
#define CK_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "ck.h"
#include "ck_dtype.h"

/* y_t = table[tokens_t] + positions_t, or without positions if they are NULL. */
CK_API int ck_plain_embed(float *y, const float *table, const float *positions,
                          const int32_t *tokens, size_t rows, size_t width);
/* The same of a table in a format of weights, rows of `width` elements, `used` of them in use, positions in
 * f32. Requires: rows are whole blocks. What the kernel that decodes returned. */
CK_API int ck_plain_embed_rows(ck_dtype format, float *y, const void *table, const float *positions,
                               const int32_t *tokens, size_t rows, size_t used, size_t width);
/* (x_i, x_{i+half}) turned by the angle whose cosine and sine are in row t of the tables [rows][half]. */
CK_API int ck_plain_rope(float *x, const float *cosines, const float *sines, size_t heads,
                         size_t head, size_t rows, size_t half, size_t width);

#endif
