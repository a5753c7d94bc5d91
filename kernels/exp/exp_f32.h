/* SPDX-License-Identifier: MIT */
/* The text of exp_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_EXP_F32_H
#define CK_EXP_F32_H

#include <assert.h>
#include <math.h>

#include "simd/exp.h"
#include "unary.h"

static inline void exp_f32(const void *args)
{
    const ck_unary_args *u = args;
    const size_t n = u->n;
    size_t i = 0;
    assert(n == 0 || (u->x && u->y));
    for (; n - i >= CK_VF_LANES; i += CK_VF_LANES)
        ck_vf_store(u->y + i, ck_vf_exp(ck_vf_load(u->x + i)));
    if (i < n) ck_vf_store_n(u->y + i, ck_vf_exp(ck_vf_load_n(u->x + i, n - i, 0.0f)), n - i);
}

static inline void exp_f32_strict(const void *args)
{
    const ck_unary_args *u = args;
    const size_t n = u->n;
    size_t i = 0;
    assert(n == 0 || (u->x && u->y));
    for (; n - i >= CK_VD_LANES; i += CK_VD_LANES)
        ck_vd_store(u->y + i, ck_vd_exp(ck_vd_load(u->x + i)));
    if (i < n) ck_vd_store_n(u->y + i, ck_vd_exp(ck_vd_load_n(u->x + i, n - i, 0.0f)), n - i);
}

#endif
