/* SPDX-License-Identifier: MIT */
/* SLEEF's functions of 128 bits. */
#include <xmmintrin.h>

typedef __m128 vector;
static inline vector load(const float *from) { return _mm_loadu_ps(from); }
static inline void store(float *to, vector x) { _mm_storeu_ps(to, x); }

#include "sleef_apply.h"

void hn_sleef_128(hn_sleef_fn *f, const ck_unary_args *u) { apply(f, u); }
