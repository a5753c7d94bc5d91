/* SPDX-License-Identifier: MIT */
/* gemm_nt of bytes into 32-bit integers, plain C. */
#ifndef CK_GEMM_NT_INT8_SCALAR_H
#define CK_GEMM_NT_INT8_SCALAR_H

#include <stdint.h>

enum { STEP = 1, MR = 1, NR = 1 };
typedef int32_t bytes;
typedef int32_t sums;

#include "gemm_nt_int8.h"

INT8_INLINE bytes read_a(const unsigned char *p, bool is_signed)
{
    return is_signed && *p >= 128 ? *p - 256 : *p;
}

INT8_INLINE bytes read_b(const unsigned char *p, bool is_signed)
{
    (void)is_signed;
    return *p >= 128 ? *p - 256 : *p;
}

INT8_INLINE sums add_products(sums s, bytes a, bytes b, bool is_signed)
{
    (void)is_signed;
    return s + a * b;
}

INT8_INLINE bool moves(bool is_signed)
{
    (void)is_signed;
    return false;
}

INT8_INLINE sums add_moves(sums s, bytes a)
{
    (void)a;
    return s;
}

INT8_INLINE sums no_sums(void) { return 0; }

INT8_INLINE uint32_t total(sums s) { return (uint32_t)s; }

#endif
