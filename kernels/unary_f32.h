/* SPDX-License-Identifier: MIT */
/* The text of elementwise functions, compiled once per op and ISA, after simd/<isa>.h and
 *   CK_UNARY_FAST(x), CK_UNARY_STRICT(x)   the function of vectors. */
#ifndef CK_UNARY_F32_H
#define CK_UNARY_F32_H

#include <assert.h>

#include "unary.h"

static inline void unary_f32(const void *args)
{
    const ck_unary_args *u = args;
    const size_t n = u->n;
    size_t i = 0;
    assert(n == 0 || (u->x && u->y));
    for (; n - i >= CK_VF_LANES; i += CK_VF_LANES)
        ck_vf_store(u->y + i, CK_UNARY_FAST(ck_vf_load(u->x + i)));
    if (i < n) ck_vf_store_n(u->y + i, CK_UNARY_FAST(ck_vf_load_n(u->x + i, n - i, 0.0f)), n - i);
}

static inline void unary_f32_strict(const void *args)
{
    const ck_unary_args *u = args;
    const size_t n = u->n;
    size_t i = 0;
    assert(n == 0 || (u->x && u->y));
    for (; n - i >= CK_VD_LANES; i += CK_VD_LANES)
        ck_vd_store(u->y + i, CK_UNARY_STRICT(ck_vd_load(u->x + i)));
    if (i < n) ck_vd_store_n(u->y + i, CK_UNARY_STRICT(ck_vd_load_n(u->x + i, n - i, 0.0f)), n - i);
}

#endif
