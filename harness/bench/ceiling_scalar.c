/* SPDX-License-Identifier: MIT */
/* Ceilings of the scalar bundle. */
#include <stdint.h>
#include <string.h>

typedef float vf;
typedef uint64_t vi;
enum { FLOATS = 1, BYTES = 8, PRODUCTS = 1 };

static inline vf vf_set(float x) { return x; }
static inline vf vf_muladd(vf a, vf b, vf c) { return a * b + c; }
static inline void vf_store(float *to, vf x) { *to = x; }
static inline vi vi_load(const void *from)
{
    vi x;
    memcpy(&x, from, sizeof x);
    return x;
}
static inline void vi_store(void *to, vi x) { memcpy(to, &x, sizeof x); }
static inline vi vi_xor(vi a, vi b) { return a ^ b; }
static inline vi vi_set8(signed char x) { return (vi)x; }
static inline vi vi_dot(vi sum, vi a, vi b)
{
    return (vi)((uint32_t)sum + (uint32_t)((int8_t)a * (int8_t)b));
}

#include "ceiling_dot8.h"
#include "ceiling_float.h"

const hn_ceiling hn_ceiling_scalar = { fma_peak, dot8_peak, read_all };
