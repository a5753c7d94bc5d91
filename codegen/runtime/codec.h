/* SPDX-License-Identifier: MIT */
/* Numbers in the formats of weights, by the kernels of libck: the same bits on every machine. */
#ifndef CK_CODEC_H
#define CK_CODEC_H

#include <stddef.h>

#include "ck.h"
#include "ck_dtype.h"

/* n elements of a format, whole blocks, to f32 and back. What the kernel returned; CK_ERR_VALUE if no
 * weights are in that format. */
int ck_decode(ck_dtype format, float *y, const void *x, size_t n);
int ck_encode(ck_dtype format, void *y, const float *x, size_t n);

#endif
