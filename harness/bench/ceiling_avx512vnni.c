/* SPDX-License-Identifier: MIT */
/* What the avx512vnni bundle adds to the ceilings of avx512. */
#include <immintrin.h>

typedef __m512i vi;
enum { BYTES = 64, PRODUCTS = 64 };

static inline vi vi_set8(signed char x) { return _mm512_set1_epi8(x); }
static inline void vi_store(void *to, vi x) { _mm512_storeu_si512(to, x); }
static inline vi vi_dot(vi sum, vi a, vi b) { return _mm512_dpbusd_epi32(sum, a, b); }

#include "ceiling_dot8.h"

const hn_ceiling hn_ceiling_avx512vnni = { .dot8 = dot8_peak };
