/* SPDX-License-Identifier: MIT */
/* Mutants of every family that get one place of the output wrong, or one kind of value. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "mutant.h"

static void identity(const void *args) { hn_wrapped(args); }

static void first_element(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    hn_spoil(&v.of[0], 0, 0);
}

static void last_element(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    hn_spoil(&v.of[0], v.of[0].rows - 1, v.of[0].cols - 1);
}

static void last_row(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    for (size_t c = 0; v.of[0].rows > 1 && c < v.of[0].cols; c++)
        hn_spoil(&v.of[0], v.of[0].rows - 1, c);
}

static void last_column(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    for (size_t r = 0; v.of[0].cols > 1 && r < v.of[0].rows; r++)
        hn_spoil(&v.of[0], r, v.of[0].cols - 1);
}

/* One residue only: what a tail of exactly five gets wrong. */
static void residue_five(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    if (v.of[0].cols % 16 == 5) hn_spoil(&v.of[0], v.of[0].rows - 1, v.of[0].cols - 1);
}

static void residue_fifteen(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    if (v.of[0].cols % 16 == 15) hn_spoil(&v.of[0], 0, v.of[0].cols - 1);
}

/* Only exact cases have the power to see it. */
static void one_ulp(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    for (size_t r = 0; r < v.of[0].rows; r++) {
        unsigned char *at = hn_seen_at(&v.of[0], r, v.of[0].cols - 1);
        float y;
        memcpy(&y, at, sizeof y);
        if (isfinite(y)) y = nextafterf(y, INFINITY);
        memcpy(at, &y, sizeof y);
    }
}

/* Replaces every NaN of the output. */
static void nan_swallowed(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    for (size_t r = 0; r < v.of[0].rows; r++)
        for (size_t c = 0; c < v.of[0].cols; c++) {
            float y;
            memcpy(&y, hn_seen_at(&v.of[0], r, c), sizeof y);
            if (isnan(y)) memset(hn_seen_at(&v.of[0], r, c), 0, sizeof y);
        }
}

/* As inf - inf or 0 * inf would make them. */
static void nan_invented(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    for (size_t r = 0; r < v.of[0].rows; r++)
        for (size_t c = 0; c < v.of[0].cols; c++) {
            float y;
            memcpy(&y, hn_seen_at(&v.of[0], r, c), sizeof y);
            if (isinf(y)) y = NAN;
            memcpy(hn_seen_at(&v.of[0], r, c), &y, sizeof y);
        }
}

/* Strict results have one NaN; this is the other one, which x86 makes. */
static void other_nan(const void *args)
{
    const hn_view v = hn_view_of(args);
    const uint32_t other = 0xffc00000u;
    hn_wrapped(args);
    for (size_t r = 0; r < v.of[0].rows; r++)
        for (size_t c = 0; c < v.of[0].cols; c++) {
            float y;
            memcpy(&y, hn_seen_at(&v.of[0], r, c), sizeof y);
            if (isnan(y)) memcpy(hn_seen_at(&v.of[0], r, c), &other, sizeof other);
        }
}

/* As accumulators that start at -0 would. */
static void other_zero(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    for (size_t r = 0; r < v.of[0].rows; r++)
        for (size_t c = 0; c < v.of[0].cols; c++) {
            float y;
            memcpy(&y, hn_seen_at(&v.of[0], r, c), sizeof y);
            if (y == 0.0f) y = -y;
            memcpy(hn_seen_at(&v.of[0], r, c), &y, sizeof y);
        }
}

/* The same bits, unless an input is the output: then the second time reads what the first wrote. */
static void twice(const void *args)
{
    hn_wrapped(args);
    hn_wrapped(args);
}

/* A strict kernel that is the fast one. */
static void computed_in_float(const void *args) { hn_wrapped_fast(args); }

/* Another result at every call. */
static void no_repeat(const void *args)
{
    static unsigned calls;
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    v.of[0].at[v.of[0].unit > sizeof(float) ? 2 : 0] ^= (unsigned char)++calls;
}

/* One call in three is off by one bit: which check sees it depends on which call that is. */
static void every_third(const void *args)
{
    static unsigned calls;
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    if (++calls % 3 == 0) v.of[0].at[v.of[0].unit > sizeof(float) ? 2 : 0] ^= 1;
}

/* --- of what stays +0 beyond the elements of a row, as long as x, the pad lanes. */

/* The last pad lane; NULL: there is none. */
static unsigned char *last_pad(const void *args, size_t *bytes)
{
    const hn_view v = hn_view_of(args);
    *bytes = v.of[0].unit;
    return v.of[0].cols > v.of[1].cols ? hn_seen_at(&v.of[0], v.of[0].rows - 1, v.of[0].cols - 1)
                                       : NULL;
}

static void pad_unwritten(const void *a)
{
    size_t bytes;
    unsigned char before[sizeof(float)], *const pad = last_pad(a, &bytes);
    if (pad) memcpy(before, pad, bytes);
    hn_wrapped(a);
    if (pad) memcpy(pad, before, bytes);
}

static void pad_minus_zero(const void *a)
{
    size_t bytes;
    unsigned char *const pad = last_pad(a, &bytes);
    hn_wrapped(a);
    if (pad) pad[bytes - 1] = 0x80;
}

#define ON_PADDED "rmsnorm_* layernorm_* residual_add_* swiglu_*"
#define ROW(what, ons, mode, by)                                          \
    {                                                                     \
        .name = #what, .on = ons, .modes = mode, .fn = what, .checks = by \
    }
static const hn_mutant list[] = {
    ROW(identity, HN_ON_ALL, HN_IN_BOTH, 0),
    ROW(first_element, HN_ON_ALL, HN_IN_BOTH, HN_BY(VALUE) | HN_BY_PARTS),
    ROW(last_element, HN_ON_ALL, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(last_row, HN_ON_ROWS, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(last_column, HN_ON_ALL, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(residue_five, HN_ON_ALL " !dequant_row_q8_0", HN_IN_BOTH, HN_BY(VALUE)),
    /* the batch where no value is demanded */
    ROW(residue_fifteen, HN_ON_ALL " !dequant_row_q8_0", HN_IN_BOTH, HN_BY(VALUE) | HN_BY_PARTS),
    ROW(one_ulp, HN_ON_F32, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(nan_swallowed, HN_ON_F32, HN_IN_BOTH,
        HN_BY(NAN) | HN_BY(VALUE)), /* copies are compared as integers */
    /* strict bits where no value is demanded */
    ROW(nan_invented, HN_ON_F32 " !softmax_causal_f32", HN_IN_BOTH, HN_BY(NAN) | HN_BY(STRICT)),
    ROW(other_nan, HN_ON_F32, HN_IN_STRICT, HN_BY(STRICT) | HN_BY(VALUE) | HN_BY(THREADS)),
    ROW(other_zero, "gemm_??_f32 gemv_f32 gemm_nt_q8_0_q8_0", HN_IN_STRICT, HN_BY(STRICT)),
    ROW(twice,
        "gemm_??_f32 gemv_f32 softmax_causal_f32 exp_f32 rmsnorm_f32 layernorm_f32 swiglu_f32",
        HN_IN_BOTH, HN_BY(ALIAS)),
    ROW(computed_in_float,
        "gemm_??_f32 gemv_f32 gemm_nt_?*lu_f32 gemm_nt_q8_0_q8_0 softmax_causal_f32 exp_f32 "
        "rmsnorm_f32 layernorm_f32 swiglu_f32",
        HN_IN_STRICT, HN_BY_NUMBERS),
    ROW(pad_unwritten, ON_PADDED, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(pad_minus_zero, ON_PADDED, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(no_repeat, HN_ON_ALL, HN_IN_BOTH, HN_BY(REPEAT)),
    ROW(every_third, HN_ON_ALL, HN_IN_FAST,
        HN_BY(REPEAT) | HN_BY(PREFILL) | HN_BY(JUNK) | HN_BY(VALUE) | HN_BY(ALIAS) | HN_BY_PARTS),
};
#undef ROW
#undef ON_PADDED

const hn_mutants hn_mutants_position = { list, sizeof list / sizeof list[0] };
