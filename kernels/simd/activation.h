/* SPDX-License-Identifier: MIT */
/* The activations: f32 for the fast kernels, f64 for the strict ones. After a bundle's header.
 *   relu  max(x, 0)
 *   silu  x s(x), s(t) = 1 / (1 + e^-t)
 *   gelu  x s(t), t = 2 sqrt(2 / pi) (x + 0.044715 x^3): the tanh form, x (1 + tanh(t / 2)) / 2
 * A NaN stays, -0 too; -inf gives -0 and +inf itself. */
#ifndef CK_SIMD_ACTIVATION_H
#define CK_SIMD_ACTIVATION_H

#include "simd/exp.h"

/* 2 sqrt(2 / pi), and 0.044715 times that. */
#define CK_GELU_LINEAR 0x1.9884533d43651p+0
#define CK_GELU_CUBIC  0x1.2444f2a4d8b4bp-4

/* max gives its second operand if one of the two is NaN, or both are 0. */
static inline ck_vf ck_vf_relu(ck_vf x) { return ck_vf_max(ck_vf_set1(0.0f), x); }

/* x s(t), x and t of one sign: x / (1 + e), or x e / (1 + e) below 0, with e = exp(-|t|), which neither
 * overflows nor is inf - inf; x itself and -0 where e is 0. The clamp changes nothing but -inf 0. */
static inline ck_vf ck_vf_gate(ck_vf x, ck_vf t)
{
    const ck_vf zero = ck_vf_set1(0.0f);
    const ck_vf e = ck_vf_exp(ck_vf_min(ck_vf_sub(zero, t), t));
    const ck_vf below = ck_vf_mul(ck_vf_max(ck_vf_set1(-128.0f), x), e);
    return ck_vf_div(ck_vf_if_lt(t, zero, below, x), ck_vf_add(ck_vf_set1(1.0f), e));
}

static inline ck_vf ck_vf_silu(ck_vf x) { return ck_vf_gate(x, x); }

static inline ck_vf ck_vf_gelu(ck_vf x)
{
    const ck_vf cubic = ck_vf_set1((float)CK_GELU_CUBIC);
    const ck_vf t = ck_vf_muladd(ck_vf_mul(x, x), cubic, ck_vf_set1((float)CK_GELU_LINEAR));
    return ck_vf_gate(x, ck_vf_mul(x, t));
}

/* Strict: + - * / in the order written. */
static inline ck_vd ck_vd_relu(ck_vd x) { return ck_vd_max(ck_vd_set1(0.0), x); }

/* max(x, -1000) / (1 + exp(-t)): the clamp, far below where the result rounds to 0, is for -inf. */
static inline ck_vd ck_vd_gate(ck_vd x, ck_vd t)
{
    const ck_vd e = ck_vd_exp(ck_vd_sub(ck_vd_set1(0.0), t));
    return ck_vd_div(ck_vd_max(ck_vd_set1(-1000.0), x), ck_vd_add(ck_vd_set1(1.0), e));
}

static inline ck_vd ck_vd_silu(ck_vd x) { return ck_vd_gate(x, x); }

/* t = x (linear + cubic (x x)) */
static inline ck_vd ck_vd_gelu(ck_vd x)
{
    const ck_vd cubic = ck_vd_mul(ck_vd_set1(CK_GELU_CUBIC), ck_vd_mul(x, x));
    return ck_vd_gate(x, ck_vd_mul(x, ck_vd_add(ck_vd_set1(CK_GELU_LINEAR), cubic)));
}

#endif
