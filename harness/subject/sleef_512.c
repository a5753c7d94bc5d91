/* SPDX-License-Identifier: MIT */
/* SLEEF's functions of 512 bits. */
#include <immintrin.h>

typedef __m512 vector;
static inline vector load(const float *from) { return _mm512_loadu_ps(from); }
static inline void store(float *to, vector x) { _mm512_storeu_ps(to, x); }

#include "sleef_apply.h"

void hn_sleef_512(hn_sleef_fn *f, const ck_unary_args *u) { apply(f, u); }
