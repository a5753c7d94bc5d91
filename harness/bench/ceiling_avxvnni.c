/* SPDX-License-Identifier: MIT */
/* What the avxvnni bundle adds to the ceilings of avx2. */
#include <immintrin.h>

typedef __m256i vi;
enum { BYTES = 32, PRODUCTS = 32 };

static inline vi vi_set8(signed char x) { return _mm256_set1_epi8(x); }
static inline void vi_store(void *to, vi x) { _mm256_storeu_si256(to, x); }
static inline vi vi_dot(vi sum, vi a, vi b) { return _mm256_dpbusd_epi32(sum, a, b); }

#include "ceiling_dot8.h"

const hn_ceiling hn_ceiling_avxvnni = { .dot8 = dot8_peak };
