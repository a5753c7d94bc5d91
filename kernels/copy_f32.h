/* SPDX-License-Identifier: MIT */
/* After simd/<isa>.h: n floats by moves, which leave every bit as it is. */
#ifndef CK_COPY_F32_H
#define CK_COPY_F32_H

#include <string.h>

static inline void copy_f32(float *y, const float *x, size_t n)
{
    size_t i = 0;
    for (; n - i >= CK_VF_LANES; i += CK_VF_LANES) ck_vf_store(y + i, ck_vf_load(x + i));
    if (i < n) memcpy(y + i, x + i, (n - i) * sizeof *x);
}

#endif
