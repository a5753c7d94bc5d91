/* SPDX-License-Identifier: MIT */
/* Mutants of the activations, of swiglu and of residual_add: faults around the right kernel, at values
 * where they belong, and in the last row or column. */
#include <math.h>
#include <string.h>

#include "binary.h"
#include "mutant.h"
#include "unary.h"

typedef float change(float x, float y);

/* y from x and the right y, unless the call is in place. */
static void alter(const void *args, change *to)
{
    const ck_unary_args *u = args;
    hn_wrapped(args);
    for (size_t i = 0; u->x != u->y && i < u->n; i++) u->y[i] = to(u->x[i], u->y[i]);
}

static float nan_at(float x, float y) { return x == -(float)INFINITY ? (float)NAN : y; }
static float swallowed(float x, float y) { return isnan(x) ? 0.0f : y; }
/* its sign and its payload, made quiet: addition leaves them */
static float own_nan(float x, float y) { return isnan(x) ? x + x : y; }
static float early(float x, float y) { return x < -40.0f ? 0.0f * x : y; }
static float four_ulps(float x, float y)
{
    return x == 0.0f || y == 1.0f || !(fabsf(y) < 1e30f) ? y : y * (1.0f + 0x1p-20f);
}
static float other_gelu(float x, float y)
{
    const double z =
        0.7978845608028654 * ((double)x + 0.044715 * (double)x * (double)x * (double)x);
    return fabsf(x) < 4.0f ? (float)((double)x / (1.0 + exp(-2.0 * z))) : y;
}
static float quick_gelu(float x, float y)
{
    return fabsf(x) < 4.0f ? (float)((double)x / (1.0 + exp(-1.702 * (double)x))) : y;
}
/* half of 1 + erf, which has no digits left where x is far below 0 */
static float cancelled(float x, float y)
{
    return x < -3.0f && x > -9.0f ? 0.5f * x * (1.0f + erff(x * 0.70710678f)) : y;
}
static float cancelled_tanh(float x, float y)
{
    const float z = 0.79788456f * (x + 0.044715f * x * x * x);
    return x < -3.0f && x > -9.0f ? 0.5f * x * (1.0f + tanhf(z)) : y;
}
static float leaky(float x, float y) { return x < 0.0f && x > -1e30f ? 0.01f * x : y; }
static float keeps_tiny(float x, float y) { return x < 0.0f && x > -0x1p-126f ? x : y; }

#define ALTER(name) \
    static void name##_(const void *args) { alter(args, name); }
ALTER(nan_at)
ALTER(swallowed)
ALTER(own_nan)
ALTER(early)
ALTER(four_ulps)
ALTER(other_gelu)
ALTER(quick_gelu)
ALTER(cancelled)
ALTER(cancelled_tanh)
ALTER(leaky)
ALTER(keeps_tiny)
#undef ALTER

/* A strict kernel that trusts the caller's rounding. */
static void callers_mode(const void *args)
{
    const ck_unary_args *u = args;
    for (size_t i = 0; i < u->n; i++) {
        const double y = 1.0 / (1.0 + exp(-(double)u->x[i]));
        u->y[i] = isnan(y) ? (float)NAN : (float)y;
    }
}

/* --- two operands. */

typedef float change_two(float a, float b, float y);

/* The last row, or the last column. */
static void alter_two(const void *args, bool column, change_two *to)
{
    const ck_binary_args *g = args;
    hn_wrapped(args);
    if (g->y == g->a || g->y == g->b) return;
    for (size_t i = column ? 0 : g->t - 1; i < g->t; i++)
        for (size_t j = column ? g->d - 1 : 0; j < g->d; j++) {
            const float a = hn_element(g->a, i * g->lda + j), b = hn_element(g->b, i * g->ldb + j);
            const size_t at = i * g->ldy + j;
            hn_set_element(g->y, at, to(a, b, hn_element(g->y, at)));
        }
}

static float silu_of(float x) { return (float)((double)x / (1.0 + exp(-(double)x))); }
static float other_way(float a, float b, float y) { return fabsf(a) < 9.0f ? a * silu_of(b) : y; }
static float ungated(float a, float b, float y) { return fabsf(a) < 9.0f ? a * b : y; }
static float sigmoid_only(float a, float b, float y)
{
    return fabsf(a) < 9.0f && a != 0.0f ? silu_of(a) / a * b : y;
}
static float difference(float a, float b, float y) { return isfinite(y) ? a - b : y; }
static float first_only(float a, float b, float y) { return isfinite(y + b) ? a : y; }

#define ALTER(name, column, to) \
    static void name(const void *args) { alter_two(args, column, to); }
ALTER(other_way_row, false, other_way)
ALTER(ungated_column, true, ungated)
ALTER(sigmoid_row, false, sigmoid_only)
ALTER(difference_row, false, difference)
ALTER(first_column, true, first_only)
#undef ALTER

#define ROW(what, f, ons, mode, by)                                   \
    {                                                                 \
        .name = what, .on = ons, .modes = mode, .fn = f, .checks = by \
    }
static const hn_mutant list[] = {
    ROW("nan_at_minus_inf", nan_at_, "silu_f32 gelu_*_f32 sigmoid_f32 relu_f32", HN_IN_BOTH,
        HN_BY(NAN)),
    ROW("nan_is_zero", swallowed_, "silu_f32 gelu_*_f32 sigmoid_f32 relu_f32", HN_IN_BOTH,
        HN_BY(NAN)),
    ROW("nan_of_its_own", own_nan_, "silu_f32 gelu_*_f32 sigmoid_f32 relu_f32", HN_IN_STRICT,
        HN_BY(STRICT) | HN_BY(ALIAS)),
    ROW("zero_early", early_, "silu_f32 sigmoid_f32", HN_IN_FAST, HN_BY(VALUE)),
    ROW("four_ulps", four_ulps_, "silu_f32 gelu_*_f32 sigmoid_f32 relu_f32", HN_IN_FAST,
        HN_BY(VALUE)),
    ROW("is_gelu_tanh", other_gelu_, "gelu_erf_f32", HN_IN_FAST, HN_BY(VALUE)),
    ROW("is_quick_gelu", quick_gelu_, "gelu_*_f32", HN_IN_FAST, HN_BY(VALUE)),
    ROW("cancelled", cancelled_, "gelu_erf_f32", HN_IN_FAST, HN_BY(VALUE)),
    ROW("cancelled", cancelled_tanh_, "gelu_tanh_f32", HN_IN_FAST, HN_BY(VALUE)),
    ROW("leaky", leaky_, "relu_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW("keeps_tiny", keeps_tiny_, "relu_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW("callers_mode", callers_mode, "sigmoid_f32", HN_IN_STRICT, HN_BY(VALUE) | HN_BY(STRICT)),
    ROW("other_way", other_way_row, "swiglu_*", HN_IN_BOTH, HN_BY(VALUE) | HN_BY_PARTS),
    ROW("ungated", ungated_column, "swiglu_*", HN_IN_BOTH, HN_BY(VALUE)),
    ROW("sigmoid_only", sigmoid_row, "swiglu_*", HN_IN_BOTH, HN_BY(VALUE) | HN_BY_PARTS),
    ROW("difference", difference_row, "residual_add_*", HN_IN_BOTH, HN_BY(VALUE) | HN_BY_PARTS),
    ROW("first_only", first_column, "residual_add_*", HN_IN_BOTH, HN_BY(VALUE)),
};
#undef ROW

const hn_mutants hn_mutants_activation = { list, sizeof list / sizeof list[0] };
