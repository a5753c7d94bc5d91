/* SPDX-License-Identifier: MIT */
/* Mutants of quantize_row_q8_0 and dequant_row_q8_0. */
#include "quant.h"

#include <math.h>
#include <string.h>

#include "../half.h"
#include "ck_dtype.h"
#include "mutant.h"

enum { QS = 2 };

/* --- quantize: a body in which one step can be wrong. Nearest rounding is the caller's. */

typedef struct fault {
    bool half_away;    /* ties away from zero */
    bool inverse_of_d; /* 1 / d instead of 127 / amax */
    bool amax_short;   /* the last element is not looked at */
    bool amax_signed;  /* max x instead of max |x| */
    bool amax_before;  /* the last block uses the scale of the one before */
    bool d_truncated;  /* to f16 */
    bool minus_128;    /* the most negative code is -128 */
    bool truncates;    /* codes towards zero */
    bool nan_ignored;  /* a NaN leaves the block as if it were not there */
    bool tiny_scaled;  /* only amax = 0 has no scale */
} fault;

static float largest(const float *x, const fault *f)
{
    const size_t n = f->amax_short ? CK_Q8_0_BLOCK - 1 : CK_Q8_0_BLOCK;
    float amax = 0.0f;
    for (size_t e = 0; e < n; e++) {
        const float magnitude = f->amax_signed ? x[e] : fabsf(x[e]);
        if (isnan(magnitude) && !f->nan_ignored) return NAN;
        if (magnitude > amax) amax = magnitude;
    }
    return amax;
}

static int code(float t, const fault *f)
{
    const float whole = f->truncates ? truncf(t) : f->half_away ? roundf(t) : rintf(t);
    const int q = whole > 127.0f ? 127 : whole < -128.0f ? -128 : (int)whole;
    return f->minus_128 && q == -127 ? -128 : q;
}

static void own_block(unsigned char *y, const float *x, float amax, const fault *f)
{
    const float d = amax / 127.0f;
    float inverse = 127.0f / amax;
    const bool finite = isfinite(amax), zero = f->tiny_scaled ? amax == 0.0f : !isfinite(inverse);
    const uint16_t bits = !finite ? 0x7e00 : zero ? 0 : hn_half_bits(d, f->d_truncated);
    y[0] = (unsigned char)(bits & 255u);
    y[1] = (unsigned char)(bits >> 8);
    memset(y + QS, 0, CK_Q8_0_BLOCK);
    if (!finite || zero) return;
    if (f->inverse_of_d) inverse = 1.0f / d;
    for (size_t e = 0; e < CK_Q8_0_BLOCK; e++)
        y[QS + e] = (unsigned char)(isnan(x[e]) ? 0 : code(x[e] * inverse, f));
}

static void own_row(const ck_quantize_args *q, const fault *f)
{
    const size_t blocks = q->n / CK_Q8_0_BLOCK;
    float before = 0.0f;
    for (size_t b = 0; b < blocks; b++) {
        const float *x = q->x + b * CK_Q8_0_BLOCK;
        float amax = largest(x, f);
        if (f->amax_before && b > 0 && b == blocks - 1) amax = before;
        own_block((unsigned char *)q->y + b * CK_Q8_0_BYTES, x, amax, f);
        before = amax;
    }
}

static void own(const void *args) { own_row(args, &(fault){ 0 }); }
static void ties_away(const void *args) { own_row(args, &(fault){ .half_away = true }); }
static void inverse_of_d(const void *args) { own_row(args, &(fault){ .inverse_of_d = true }); }
static void amax_short(const void *args) { own_row(args, &(fault){ .amax_short = true }); }
static void amax_signed(const void *args) { own_row(args, &(fault){ .amax_signed = true }); }
static void amax_before(const void *args) { own_row(args, &(fault){ .amax_before = true }); }
static void d_truncated(const void *args) { own_row(args, &(fault){ .d_truncated = true }); }
static void minus_128(const void *args) { own_row(args, &(fault){ .minus_128 = true }); }
static void codes_truncated(const void *args) { own_row(args, &(fault){ .truncates = true }); }
static void nan_ignored(const void *args) { own_row(args, &(fault){ .nan_ignored = true }); }

static void tiny_scaled(const void *args) { own_row(args, &(fault){ .tiny_scaled = true }); }

/* The last block, for one residue of their number. */
static void last_block(const void *args)
{
    const ck_quantize_args *q = args;
    const size_t blocks = q->n / CK_Q8_0_BLOCK;
    hn_wrapped(args);
    if (blocks % 4 == 3) memset((unsigned char *)q->y + (blocks - 1) * CK_Q8_0_BYTES + QS, 1, 1);
}

/* A strict kernel whose codes follow the caller's rounding. */
static void strict_callers_mode(const void *args) { own_row(args, &(fault){ 0 }); }

/* --- dequant. */

typedef float value_fn(float d, unsigned char code);

static void own_values(const ck_dequant_args *q, value_fn *value)
{
    const unsigned char *x = q->x;
    for (size_t i = 0; i < q->n; i++) {
        const unsigned char *block = x + i / CK_Q8_0_BLOCK * CK_Q8_0_BYTES;
        q->y[i] = value(hn_half_value(block), block[QS + i % CK_Q8_0_BLOCK]);
    }
}

static float right_value(float d, unsigned char q)
{
    const float y = d * (float)(signed char)q;
    return isnan(y) ? (float)NAN : y; /* strict kernels have one NaN */
}

static float unsigned_value(float d, unsigned char q) { return d * (float)q; }
static float clamped_value(float d, unsigned char q)
{
    return d * (q == 128 ? -127.0f : (float)(signed char)q);
}

static float flushed_value(float d, unsigned char q)
{
    return fabsf(d) < 0x1p-14f && isfinite(d) ? copysignf(0.0f, d) * (float)(signed char)q
                                              : right_value(d, q);
}

static float positive_zero(float d, unsigned char q)
{
    const float y = right_value(d, q);
    return y == 0.0f ? 0.0f : y;
}

static float finite_value(float d, unsigned char q)
{
    return right_value(isinf(d) ? copysignf(65536.0f, d) : d, q);
}

static void own_value(const void *args) { own_values(args, right_value); }
static void unsigned_codes(const void *args) { own_values(args, unsigned_value); }
static void clamped_codes(const void *args) { own_values(args, clamped_value); }
static void subnormal_scale(const void *args) { own_values(args, flushed_value); }
static void minus_zero(const void *args) { own_values(args, positive_zero); }
static void infinite_scale(const void *args) { own_values(args, finite_value); }

static void scale_of_neighbour(const void *args)
{
    const ck_dequant_args *q = args;
    const size_t blocks = q->n / CK_Q8_0_BLOCK;
    const unsigned char *last = (const unsigned char *)q->x + (blocks - 1) * CK_Q8_0_BYTES;
    hn_wrapped(args);
    for (size_t e = 0; blocks > 1 && e < CK_Q8_0_BLOCK; e++)
        q->y[(blocks - 1) * CK_Q8_0_BLOCK + e] =
            right_value(hn_half_value(last - CK_Q8_0_BYTES), last[QS + e]);
}

static void residue_of_blocks(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    if (v.of[1].cols % 4 == 3) hn_spoil(&v.of[0], 0, v.of[0].cols - 1);
}

#define ROW(what, ons, mode, by)                                          \
    {                                                                     \
        .name = #what, .on = ons, .modes = mode, .fn = what, .checks = by \
    }
static const hn_mutant list[] = {
    ROW(own, "quantize_row_q8_0", HN_IN_FAST, 0),
    ROW(ties_away, "quantize_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(inverse_of_d, "quantize_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(amax_short, "quantize_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(amax_signed, "quantize_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(amax_before, "quantize_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(d_truncated, "quantize_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(minus_128, "quantize_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(codes_truncated, "quantize_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(nan_ignored, "quantize_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(tiny_scaled, "quantize_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(last_block, "quantize_row_q8_0", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(strict_callers_mode, "quantize_row_q8_0", HN_IN_STRICT, HN_BY(VALUE)),
    ROW(own_value, "dequant_row_q8_0", HN_IN_FAST, 0),
    ROW(unsigned_codes, "dequant_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(clamped_codes, "dequant_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(subnormal_scale, "dequant_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(minus_zero, "dequant_row_q8_0", HN_IN_FAST, HN_BY(VALUE)),
    ROW(infinite_scale, "dequant_row_q8_0", HN_IN_FAST, HN_BY(VALUE) | HN_BY(NAN)),
    ROW(scale_of_neighbour, "dequant_row_q8_0", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(residue_of_blocks, "dequant_row_q8_0", HN_IN_BOTH, HN_BY(VALUE)),
};
#undef ROW

const hn_mutants hn_mutants_quant = { list, sizeof list / sizeof list[0] };
