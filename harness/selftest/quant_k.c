/* SPDX-License-Identifier: MIT */
/* Mutants of quantize_row and dequant_row of the k formats. A wrong layout is a right kernel whose
 * blocks' parts are twisted: of a copy before it decodes, or in place after it has encoded. */
#include <math.h>
#include <string.h>

#include "../half.h"
#include "mutant.h"
#include "quant.h"

enum {
    BLOCK = 256,
    BYTES_MOST = 292,
    /* parts: see dtype.c; the scales of q4_k and q5_k, then their minimums, then codes */
    S = 2,
    M = 10,
    AFFINE_Q = 18,
    SIGNED_S = 1, /* of q6_k */
    SIGNED_Q = 17,
    PLAIN_Q = 1, /* of q8_k */
    BSUM = 257
};

#define AFFINE_READ  "dequant_row_q4_k dequant_row_q5_k"
#define AFFINE_WRITE "quantize_row_q4_k quantize_row_q5_k"
#define AFFINE       AFFINE_READ " " AFFINE_WRITE
#define Q5           "dequant_row_q5_k quantize_row_q5_k"
#define Q6           "dequant_row_q6_k quantize_row_q6_k"
#define READ         AFFINE_READ " dequant_row_q6_k dequant_row_q8_k"
#define SCALED_WRITE AFFINE_WRITE " quantize_row_q6_k"
#define WRITE        SCALED_WRITE " quantize_row_q8_k"

/* --- Layouts. */

static bool is_q6(void) { return hn_block == &hn_dtypes[HN_Q6_K]; }

/* The scale and the codes of the block before, for those that need it. */
typedef void twist_fn(uint32_t *part, uint32_t before);

static void get(const unsigned char *unit, uint32_t *part)
{
    for (size_t i = 0; i < hn_block->parts; i++)
        part[i] = (uint32_t)(int64_t)hn_part(hn_block, unit, i);
}

static void twist(unsigned char *unit, twist_fn *fn, uint32_t before)
{
    uint32_t part[HN_PARTS_MAX];
    get(unit, part);
    fn(part, before);
    hn_pack(hn_block, part, unit);
}

static uint32_t scale_bits(const unsigned char *unit)
{
    return (uint32_t)(int64_t)hn_part(hn_block, unit, 0);
}

static void twisted_read(const ck_dequant_args *d, twist_fn *fn, bool last)
{
    const unsigned char *x = d->x;
    unsigned char copy[BYTES_MOST];
    for (size_t i = 0; i < d->n; i += BLOCK, x += hn_block->bytes) {
        memcpy(copy, x, hn_block->bytes);
        if (!last || i + BLOCK == d->n) twist(copy, fn, scale_bits(i ? x - hn_block->bytes : x));
        hn_wrapped(&(ck_dequant_args){ .y = d->y + i, .x = copy, .n = BLOCK });
    }
}

static void twisted_write(const ck_quantize_args *q, twist_fn *fn, bool last)
{
    const size_t blocks = q->n / BLOCK, bytes = hn_block->bytes;
    uint32_t before = 0;
    hn_wrapped(q);
    for (size_t b = 0; b < blocks; b++) {
        unsigned char *unit = (unsigned char *)q->y + b * bytes;
        const uint32_t own = scale_bits(unit);
        if (!last || b + 1 == blocks) twist(unit, fn, b ? before : own);
        before = own;
    }
}

/* The last four scales and minimums by the rule of the first four. */
static void high_scales(uint32_t *part, uint32_t before)
{
    (void)before;
    for (size_t n = 0; n < 4; n++) {
        const uint32_t byte = (part[S + 4 + n] & 15) | (part[M + 4 + n] & 15) << 4;
        part[S + 4 + n] = part[M + n];
        part[M + 4 + n] = byte & 63;
    }
}

/* The upper bits of the last four scales and minimums from each other's byte. */
static void upper_bits(uint32_t *part, uint32_t before)
{
    (void)before;
    for (size_t j = 4; j < 8; j++) {
        const uint32_t s = part[S + j], m = part[M + j];
        part[S + j] = (s & 15) | (m & 48);
        part[M + j] = (m & 15) | (s & 48);
    }
}

/* Of the last pair only. */
static void upper_bits_of_last(uint32_t *part, uint32_t before)
{
    const uint32_t s = part[S + 7];
    (void)before;
    part[S + 7] = (s & 15) | (part[S + 6] & 48);
}

static void swapped(uint32_t *part, uint32_t before)
{
    (void)before;
    for (size_t j = 0; j < 8; j++) {
        const uint32_t s = part[S + j];
        part[S + j] = part[M + j];
        part[M + j] = s;
    }
}

static void scale_of_neighbour(uint32_t *part, uint32_t before)
{
    const size_t last = is_q6() ? SIGNED_S + 15 : S + 7;
    (void)before;
    part[last] = part[last - 1];
}

static void min_of_neighbour(uint32_t *part, uint32_t before)
{
    (void)before;
    part[M + 7] = part[M + 6];
}

static void exchange(uint32_t *a, uint32_t *b, uint32_t bits)
{
    const uint32_t differ = (*a ^ *b) & bits;
    *a ^= differ;
    *b ^= differ;
}

/* In the last bytes of nibbles. */
static void nibbles(uint32_t *part, uint32_t before)
{
    const size_t apart = is_q6() ? 64 : 32;
    uint32_t *q = part + (is_q6() ? SIGNED_Q : AFFINE_Q) + BLOCK - apart;
    (void)before;
    for (size_t l = 0; l < 32; l++) exchange(&q[l], &q[l - apart], 15);
}

/* Fifth and sixth bits of the last run of 32 elements and the run before. */
static void upper_codes(uint32_t *part, uint32_t before)
{
    uint32_t *q = part + (is_q6() ? SIGNED_Q : AFFINE_Q) + BLOCK - 32;
    (void)before;
    for (size_t l = 0; l < 32; l++) exchange(&q[l], &q[l - 32], 48);
}

static void last_code(uint32_t *part, uint32_t before)
{
    (void)before;
    part[hn_block == &hn_dtypes[HN_Q8_K] ? BSUM - 1 : hn_block->parts - 1] ^= 1;
}

static void scale_before(uint32_t *part, uint32_t before) { part[0] = before; }

/* The last sum lacks the last code. */
static void last_bsum(uint32_t *part, uint32_t before)
{
    (void)before;
    part[BSUM + 15] -= part[BSUM - 1];
}

#define TWISTED(name, fn, last)                                                 \
    static void read_##name(const void *args) { twisted_read(args, fn, last); } \
    static void write_##name(const void *args) { twisted_write(args, fn, last); }
TWISTED(high_scales, high_scales, false)
TWISTED(upper_bits, upper_bits, false)
TWISTED(upper_bits_of_last, upper_bits_of_last, true)
TWISTED(swapped, swapped, true)
TWISTED(scale_of_neighbour, scale_of_neighbour, true)
TWISTED(min_of_neighbour, min_of_neighbour, true)
TWISTED(nibbles, nibbles, true)
TWISTED(upper_codes, upper_codes, true)
TWISTED(last_code, last_code, true)
TWISTED(scale_before, scale_before, true)
#undef TWISTED
static void write_last_bsum(const void *args) { twisted_write(args, last_bsum, true); }

/* --- Values. */

/* Adds what(parts, i) to the elements of the last block. */
static void add_to_last(const ck_dequant_args *d, float (*what)(const uint32_t *part, size_t i))
{
    const size_t last = d->n / BLOCK - 1;
    uint32_t part[HN_PARTS_MAX];
    hn_wrapped(d);
    get((const unsigned char *)d->x + last * hn_block->bytes, part);
    for (size_t i = 0; i < BLOCK; i++) d->y[last * BLOCK + i] += what(part, i);
}

static float offset_of(const uint32_t *part, size_t i)
{
    return 32.0f * hn_half_of((uint16_t)part[0]) * (float)(int32_t)part[SIGNED_S + i / 16];
}

static float scale_wrap_of(const uint32_t *part, size_t i)
{
    const int code = (int)part[SIGNED_Q + i] - 32;
    const bool negative = (int32_t)part[SIGNED_S + i / 16] < 0;
    return negative ? 256.0f * hn_half_of((uint16_t)part[0]) * (float)code : 0.0f;
}

static float twice_min_of(const uint32_t *part, size_t i)
{
    return 2.0f * hn_half_of((uint16_t)part[1]) * (float)part[M + i / 32];
}

static float code_wrap_of(const uint32_t *part, size_t i)
{
    float d;
    memcpy(&d, part, sizeof d);
    return (int32_t)part[PLAIN_Q + i] < 0 ? 256.0f * d : 0.0f;
}

static void no_offset(const void *args) { add_to_last(args, offset_of); }
static void unsigned_scales(const void *args) { add_to_last(args, scale_wrap_of); }
static void min_added(const void *args) { add_to_last(args, twice_min_of); }
static void unsigned_codes(const void *args) { add_to_last(args, code_wrap_of); }

static void positive_zero(const void *args)
{
    const ck_dequant_args *d = args;
    hn_wrapped(d);
    for (size_t i = 0; i < d->n; i++)
        if (d->y[i] == 0.0f) d->y[i] = 0.0f;
}

/* The last bit of a result lost. */
static void truncated(const void *args)
{
    const ck_dequant_args *d = args;
    hn_wrapped(d);
    for (size_t i = 0; i < d->n; i++) {
        uint32_t bits;
        memcpy(&bits, &d->y[i], sizeof bits);
        if (isfinite(d->y[i])) bits &= ~1u;
        memcpy(&d->y[i], &bits, sizeof bits);
    }
}

static void callers_mode(const void *args) { hn_wrapped_fast(args); }

/* --- Quantisers: bodies in which one step can be wrong. Nearest rounding is the caller's. */

typedef struct fault {
    bool scales_nearest; /* instead of up */
    bool d_nearest;
    bool divides;   /* by the step, in place of its inverse */
    bool half_away; /* ties away from zero */
    bool truncates;
    bool short_sub;   /* the last element of the last sub-block is not looked at */
    bool nan_ignored; /* a NaN leaves the block as if it were not there */
    bool inf_as_nan;  /* what has no scale is as if it were NaN */
    bool magnitude;   /* q8_k: -127 / |M| */
    bool last_equal;  /* q8_k: the last of the greatest */
    bool d_of_amax;   /* q8_k: d = -M / 127 */
} fault;

static uint16_t half_scale(float v, const fault *f)
{
    const uint16_t bits = v > 65504.0f ? 0x7c00 : hn_half_bits(v, 0);
    return !f->d_nearest && hn_half_of(bits) < v ? (uint16_t)(bits + 1) : bits;
}

static float scale_up(float size, float unit, const fault *f)
{
    const float t = unit > 0.0f ? size / unit : 0.0f;
    return f->scales_nearest ? rintf(t) : ceilf(t);
}

static uint32_t code(float x, float step, const fault *f)
{
    const float t = step > 0.0f ? f->divides ? x / step : x * (1.0f / step) : 0.0f;
    const float whole = f->half_away ? roundf(t) : f->truncates ? truncf(t) : rintf(t);
    return (uint32_t)(int32_t)whole;
}

/* Largest and smallest of a sub-block. */
static void extremes(const float *x, size_t n, bool is_last, const fault *f, float *high,
                     float *low)
{
    *high = *low = x[0];
    for (size_t i = 0; i < n - (is_last && f->short_sub); i++) {
        *high = x[i] > *high ? x[i] : *high;
        *low = x[i] < *low ? x[i] : *low;
    }
}

static bool affine_parts(uint32_t *part, const float *x, const fault *f)
{
    const float levels = hn_block == &hn_dtypes[HN_Q4_K] ? 15.0f : 31.0f;
    float high[8], low[8], most = 0.0f, widest = 0.0f;
    for (size_t j = 0; j < 8; j++) {
        extremes(x + 32 * j, 32, j == 7, f, &high[j], &low[j]);
        low[j] = low[j] < 0.0f ? -low[j] : 0.0f;
        most = low[j] > most ? low[j] : most;
    }
    part[1] = half_scale(most / 63.0f, f);
    if (part[1] == 0x7c00) return false;
    const float dmin = hn_half_of((uint16_t)part[1]);
    for (size_t j = 0; j < 8; j++) {
        const float m = scale_up(low[j], dmin, f);
        part[M + j] = (uint32_t)m;
        high[j] += dmin * m;
        widest = high[j] > widest ? high[j] : widest;
    }
    part[0] = half_scale(widest / (63.0f * levels), f);
    const float d = hn_half_of((uint16_t)part[0]);
    for (size_t j = 0; j < 8 && part[0] != 0x7c00; j++) {
        const float s = fmaxf(scale_up(high[j], d * levels, f), 0.0f);
        part[S + j] = (uint32_t)s;
        for (size_t i = 32 * j; i < 32 * j + 32; i++)
            part[AFFINE_Q + i] = code(x[i] + dmin * (float)part[M + j], d * s, f);
    }
    return part[0] != 0x7c00;
}

static bool signed_parts(uint32_t *part, const float *x, const fault *f)
{
    float size[16], most = 0.0f;
    for (size_t j = 0; j < 16; j++) {
        float low;
        extremes(x + 16 * j, 16, j == 15, f, &size[j], &low);
        size[j] = size[j] > -low ? size[j] : -low;
        most = size[j] > most ? size[j] : most;
    }
    part[0] = half_scale(most / 3937.0f, f);
    const float d = hn_half_of((uint16_t)part[0]);
    for (size_t j = 0; j < 16 && part[0] != 0x7c00; j++) {
        const float s = scale_up(size[j], d * 31.0f, f);
        part[SIGNED_S + j] = (uint32_t)s;
        for (size_t i = 16 * j; i < 16 * j + 16; i++)
            part[SIGNED_Q + i] = code(x[i], d * s, f) + 32;
    }
    return part[0] != 0x7c00;
}

static void plain_parts(uint32_t *part, const float *x, const fault *f)
{
    const size_t n = BLOCK - f->short_sub;
    float m = 0.0f;
    for (size_t i = 0; i < n; i++)
        if (fabsf(x[i]) > fabsf(m) || (f->last_equal && fabsf(x[i]) == fabsf(m))) m = x[i];
    if (f->magnitude) m = fabsf(m);
    const float inverse = -127.0f / m, d = f->d_of_amax ? -m / 127.0f : 1.0f / inverse;
    if (!isfinite(inverse)) return;
    memcpy(part, &d, sizeof d);
    for (size_t i = 0; i < BLOCK; i++) {
        const uint32_t q = code(x[i] * inverse, 1.0f, f);
        part[PLAIN_Q + i] = q;
        part[BSUM + i / 16] += q;
    }
}

static void own_block(unsigned char *y, const float *x, const fault *f)
{
    const bool plain = hn_block == &hn_dtypes[HN_Q8_K];
    uint32_t part[HN_PARTS_MAX] = { 0 };
    float known[BLOCK];
    bool finite = true, fits = true;
    for (size_t i = 0; i < BLOCK; i++) {
        known[i] = f->nan_ignored && isnan(x[i]) ? 0.0f : x[i];
        finite &= isfinite(known[i]) != 0;
    }
    if (finite && plain)
        plain_parts(part, known, f);
    else if (finite)
        fits = is_q6() ? signed_parts(part, known, f) : affine_parts(part, known, f);
    if (finite && fits) {
        hn_pack(hn_block, part, y);
        return;
    }
    memset(part, 0, sizeof part);
    part[0] = plain ? 0x7fc00000 : finite && !f->inf_as_nan ? 0x7c00 : 0x7e00;
    hn_pack(hn_block, part, y);
}

static void own_row(const ck_quantize_args *q, const fault *f)
{
    unsigned char *y = q->y;
    for (size_t i = 0; i < q->n; i += BLOCK, y += hn_block->bytes) own_block(y, q->x + i, f);
}

#define OWN(name, ...) \
    static void name(const void *args) { own_row(args, &(fault){ __VA_ARGS__ }); }
OWN(own_k, 0)
OWN(scales_nearest, .scales_nearest = true)
OWN(d_nearest, .d_nearest = true)
OWN(divides, .divides = true)
OWN(ties_away, .half_away = true)
OWN(codes_truncated, .truncates = true)
OWN(last_unseen, .short_sub = true)
OWN(nan_ignored, .nan_ignored = true)
OWN(inf_as_nan, .inf_as_nan = true)
OWN(magnitude, .magnitude = true)
OWN(last_equal, .last_equal = true)
OWN(d_of_amax, .d_of_amax = true)
#undef OWN

#define ROW(what, ons, mode, by)                                          \
    {                                                                     \
        .name = #what, .on = ons, .modes = mode, .fn = what, .checks = by \
    }
#define LAYOUT(what, ons)                                                        \
    ROW(read_##what, ons " !quantize_*", HN_IN_FAST, HN_BY(VALUE) | HN_BY(NAN)), \
        ROW(write_##what, ons " !dequant_*", HN_IN_FAST, HN_BY(VALUE))
static const hn_mutant list[] = {
    LAYOUT(high_scales, AFFINE),
    LAYOUT(upper_bits, AFFINE),
    LAYOUT(upper_bits_of_last, AFFINE),
    LAYOUT(swapped, AFFINE),
    LAYOUT(scale_of_neighbour, AFFINE " " Q6),
    LAYOUT(min_of_neighbour, AFFINE),
    LAYOUT(nibbles, AFFINE " " Q6),
    LAYOUT(upper_codes, Q5 " " Q6),
    LAYOUT(last_code, READ " " WRITE),
    LAYOUT(scale_before, READ " " WRITE),
    ROW(write_last_bsum, "quantize_row_q8_k", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(no_offset, "dequant_row_q6_k", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(unsigned_scales, "dequant_row_q6_k", HN_IN_FAST, HN_BY(VALUE)),
    ROW(min_added, AFFINE_READ, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(unsigned_codes, "dequant_row_q8_k", HN_IN_FAST, HN_BY(VALUE)),
    ROW(positive_zero, READ, HN_IN_FAST, HN_BY(VALUE)),
    ROW(truncated, READ " !dequant_row_q6_k", HN_IN_FAST, HN_BY(VALUE)),
    ROW(callers_mode, READ " !dequant_row_q6_k", HN_IN_STRICT, HN_BY(VALUE)),
    ROW(callers_mode, WRITE, HN_IN_STRICT, HN_BY(VALUE)),
    ROW(own_k, WRITE, HN_IN_FAST, 0),
    ROW(scales_nearest, SCALED_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(d_nearest, SCALED_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(divides, SCALED_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(ties_away, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(codes_truncated, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(last_unseen, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(nan_ignored, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(inf_as_nan, SCALED_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(magnitude, "quantize_row_q8_k", HN_IN_FAST, HN_BY(VALUE)),
    ROW(last_equal, "quantize_row_q8_k", HN_IN_FAST, HN_BY(VALUE)),
    ROW(d_of_amax, "quantize_row_q8_k", HN_IN_FAST, HN_BY(VALUE)),
};
#undef LAYOUT
#undef ROW

const hn_mutants hn_mutants_quant_k = { list, sizeof list / sizeof list[0] };
