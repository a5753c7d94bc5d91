/* SPDX-License-Identifier: MIT */
/* Mutants of quantize_row and dequant_row of the other formats of 32 elements, and of those without a
 * scale. A wrong layout is a right kernel whose blocks' parts are twisted: of a copy before it
 * decodes, or in place after it has encoded. */
#include <math.h>
#include <string.h>

#include "../half.h"
#include "mutant.h"
#include "quant.h"

enum { BLOCK = 32, BYTES_MOST = 36 };

#define NIBBLES_READ  "dequant_row_q4_0 dequant_row_q4_1 dequant_row_q5_0 dequant_row_q5_1"
#define NIBBLES_WRITE "quantize_row_q4_0 quantize_row_q4_1 quantize_row_q5_0 quantize_row_q5_1"
#define NIBBLES       NIBBLES_READ " " NIBBLES_WRITE
#define READ          NIBBLES_READ " dequant_row_q8_1"
#define WRITE         NIBBLES_WRITE " quantize_row_q8_1"
#define Q5            "dequant_row_q5_0 dequant_row_q5_1 quantize_row_q5_0 quantize_row_q5_1"
#define SIGNED_READ   "dequant_row_q4_0 dequant_row_q5_0"
#define SIGNED_WRITE  "quantize_row_q4_0 quantize_row_q5_0"
#define AFFINE_READ   "dequant_row_q4_1 dequant_row_q5_1"
#define AFFINE_WRITE  "quantize_row_q4_1 quantize_row_q5_1"
#define AFFINE        AFFINE_READ " " AFFINE_WRITE
#define INTEGER_WRITE "quantize_row_int8 quantize_row_int4"
#define NUMBER_READ   "dequant_row_f16 dequant_row_bf16"
#define NUMBER_WRITE  "quantize_row_f16 quantize_row_bf16"
#define ELEMENT_READ  NUMBER_READ " dequant_row_int4"
#define ELEMENT_WRITE NUMBER_WRITE " " INTEGER_WRITE

/* --- Layouts. */

/* The codes are the last parts. */
static uint32_t *codes_of(uint32_t *part) { return part + hn_block->parts - BLOCK; }

static void get(const unsigned char *unit, uint32_t *part)
{
    for (size_t i = 0; i < hn_block->parts; i++)
        part[i] = (uint32_t)(int64_t)hn_part(hn_block, unit, i);
}

/* `before`: the parts of the block before, or of the block itself if it is the first. */
typedef void twist_fn(uint32_t *part, const uint32_t *before);

static void twist(unsigned char *unit, twist_fn *fn, const uint32_t *before)
{
    uint32_t part[HN_PARTS_MAX];
    get(unit, part);
    fn(part, before);
    hn_pack(hn_block, part, unit);
}

static void twisted_read(const ck_dequant_args *d, twist_fn *fn, bool last)
{
    const unsigned char *x = d->x;
    unsigned char copy[BYTES_MOST];
    uint32_t before[HN_PARTS_MAX];
    for (size_t i = 0; i < d->n; i += BLOCK, x += hn_block->bytes) {
        get(i ? x - hn_block->bytes : x, before);
        memcpy(copy, x, hn_block->bytes);
        if (!last || i + BLOCK == d->n) twist(copy, fn, before);
        hn_wrapped(&(ck_dequant_args){ .y = d->y + i, .x = copy, .n = BLOCK });
    }
}

static void twisted_write(const ck_quantize_args *q, twist_fn *fn, bool last)
{
    const size_t bytes = hn_block->bytes;
    uint32_t before[HN_PARTS_MAX], own[HN_PARTS_MAX];
    unsigned char *unit = q->y;
    hn_wrapped(q);
    for (size_t i = 0; i < q->n; i += BLOCK, unit += bytes) {
        get(unit, own);
        if (!last || i + BLOCK == q->n) twist(unit, fn, i ? before : own);
        memcpy(before, own, sizeof before);
    }
}

/* The nibbles of the last byte. */
static void nibbles(uint32_t *part, const uint32_t *before)
{
    uint32_t *q = codes_of(part), differ = (q[15] ^ q[31]) & 15;
    (void)before;
    q[15] ^= differ;
    q[31] ^= differ;
}

/* Byte j has elements 2j and 2j + 1. */
static void neighbours(uint32_t *part, const uint32_t *before)
{
    uint32_t *q = codes_of(part), old[BLOCK];
    (void)before;
    memcpy(old, q, sizeof old);
    for (size_t i = 0; i < BLOCK; i++) q[i] = (q[i] & 16) | (old[i / 2 + i % 2 * 16] & 15);
}

/* The fifth bit of element 16 + j from bit 12 + j. */
static void fifth_bit(uint32_t *part, const uint32_t *before)
{
    uint32_t *q = codes_of(part), old[BLOCK];
    (void)before;
    memcpy(old, q, sizeof old);
    for (size_t j = 0; j < 16; j++) q[16 + j] = (q[16 + j] & 15) | (old[12 + j] & 16);
}

static void last_fifth_bit(uint32_t *part, const uint32_t *before)
{
    (void)before;
    codes_of(part)[31] ^= 16;
}

static void last_code(uint32_t *part, const uint32_t *before)
{
    (void)before;
    codes_of(part)[31] ^= 1;
}

/* The fifth bit of the element before is not masked out. */
static void fifth_bit_leaks(uint32_t *part, const uint32_t *before)
{
    uint32_t *q = codes_of(part);
    (void)before;
    q[31] |= q[30] & 16;
}

/* The lanes that a masked subtraction leaves out, those with the fifth bit, are all ones. */
static void masked_lanes(uint32_t *part, const uint32_t *before)
{
    uint32_t *q = codes_of(part);
    (void)before;
    for (size_t i = 0; i < BLOCK; i++)
        if (q[i] & 16) q[i] = 15;
}

static void scale_sign(uint32_t *part, const uint32_t *before)
{
    (void)before;
    part[0] &= 0x7fff;
}

static void scale_before(uint32_t *part, const uint32_t *before) { part[0] = before[0]; }
static void min_before(uint32_t *part, const uint32_t *before) { part[1] = before[1]; }

static void min_negated(uint32_t *part, const uint32_t *before)
{
    (void)before;
    part[1] ^= 0x8000;
}

static void min_dropped(uint32_t *part, const uint32_t *before)
{
    (void)before;
    part[1] = 0;
}

static void scale_and_min(uint32_t *part, const uint32_t *before)
{
    const uint32_t d = part[0];
    (void)before;
    part[0] = part[1];
    part[1] = d;
}

#define TWISTED(name, last)                                                       \
    static void read_##name(const void *args) { twisted_read(args, name, last); } \
    static void write_##name(const void *args) { twisted_write(args, name, last); }
TWISTED(nibbles, true)
TWISTED(neighbours, true)
TWISTED(fifth_bit, true)
TWISTED(last_fifth_bit, true)
TWISTED(fifth_bit_leaks, true)
TWISTED(masked_lanes, true)
TWISTED(last_code, true)
TWISTED(scale_before, true)
TWISTED(min_before, true)
TWISTED(min_negated, true)
TWISTED(min_dropped, true)
TWISTED(scale_and_min, true)
#undef TWISTED
static void read_scale_sign(const void *args) { twisted_read(args, scale_sign, true); }

/* --- Values. */

static void values(const ck_dequant_args *d,
                   float (*value)(float right, const uint32_t *part, size_t i))
{
    const unsigned char *x = d->x;
    uint32_t part[HN_PARTS_MAX];
    hn_wrapped(d);
    for (size_t i = 0; i < d->n; i++) {
        if (i % hn_block->elements == 0) get(x + i / hn_block->elements * hn_block->bytes, part);
        d->y[i] = value(d->y[i], part, i % hn_block->elements);
    }
}

static float less_bits(float x, uint32_t bits)
{
    uint32_t all;
    memcpy(&all, &x, sizeof all);
    if (isfinite(x)) all &= ~bits;
    memcpy(&x, &all, sizeof x);
    return x;
}

/* The last bit of a sum cut off. */
static float cut_value(float right, const uint32_t *part, size_t i)
{
    (void)part;
    (void)i;
    return less_bits(right, 1);
}

static float positive_zero(float right, const uint32_t *part, size_t i)
{
    (void)part;
    (void)i;
    return right == 0.0f ? 0.0f : right;
}

/* The bits of the scale as a number. */
static float integer_scale(float right, const uint32_t *part, size_t i)
{
    const float d = hn_half_of(part[0]);
    (void)i;
    return d == 0.0f || !isfinite(d) ? right : right / d * (float)part[0];
}

/* Codes as they are stored. */
static float uncentred(float right, const uint32_t *part, size_t i)
{
    const uint32_t q = part[hn_block->parts - hn_block->elements + i];
    if (hn_block->elements < BLOCK) return (float)(q & 15);
    if (hn_block == &hn_dtypes[HN_Q8_1]) return hn_half_of(part[0]) * (float)(q & 255);
    (void)right;
    return hn_half_of(part[0]) * (float)q;
}

/* Subnormals of the format, or of a bf16, as zero. */
static float flushed(float right, const uint32_t *part, size_t i)
{
    const float least = hn_block == &hn_dtypes[HN_BF16] ? 0x1p-126f : 0x1p-14f;
    (void)part;
    (void)i;
    return fabsf(right) < least ? copysignf(0.0f, right) : right;
}

static float infinite_as_number(float right, const uint32_t *part, size_t i)
{
    (void)part;
    (void)i;
    return isinf(right)
               ? copysignf(hn_block == &hn_dtypes[HN_F16] ? 65536.0f : 0x1.fffffep127f, right)
               : right;
}

/* A NaN with its sign and the bits that both formats have. */
static float nan_kept(float right, const uint32_t *part, size_t i)
{
    const uint32_t bits = 0x7fc00000 | (part[0] & 0x8000) << 16 | (part[0] & 0x3f) << 16;
    (void)i;
    if (isnan(right)) memcpy(&right, &bits, sizeof right);
    return right;
}

static void value_cut(const void *args) { values(args, cut_value); }
static void value_positive_zero(const void *args) { values(args, positive_zero); }
static void value_uncentred(const void *args) { values(args, uncentred); }
static void value_integer_scale(const void *args) { values(args, integer_scale); }
static void value_flushed(const void *args) { values(args, flushed); }
static void value_infinite(const void *args) { values(args, infinite_as_number); }
static void value_nan_kept(const void *args) { values(args, nan_kept); }

static void last_of_seven(const void *args)
{
    const ck_dequant_args *d = args;
    hn_wrapped(d);
    if (d->n % 8 == 6) d->y[d->n - 1] = 0x1p96f;
}

static void callers_mode(const void *args) { hn_wrapped_fast(args); }

/* --- Blocks: bodies in which one step can be wrong. Nearest rounding is the caller's. */

typedef struct fault {
    bool half_away, half_up, truncates; /* instead of to even */
    bool divides;                       /* by the scale, in place of its inverse */
    bool unclamped;                     /* the code 2 Z, of which only the low bits are stored */
    bool last_equal;                    /* the last of the greatest magnitudes */
    bool magnitude;                     /* without its sign */
    bool unseen;                        /* the last element */
    bool d_cut;                         /* to f16 */
    bool m_cut;                         /* to f16 */
    bool m_positive;                    /* the least element is taken as 0 if it is above */
    bool m_dropped;                     /* x as it is over the scale */
    bool nan_ignored;                   /* a NaN leaves the block as if it were not there */
    bool range_unseen;                  /* a range beyond f32 is like any other */
    bool zero_codes;                    /* of a block without codes all are stored as 0 */
    bool s_of_half;                     /* the sum times d as it is stored */
    bool s_unsigned;                    /* |sum| */
    bool s_short;                       /* the last code is not in the sum */
    bool tiny_scaled;                   /* only where all elements are alike there is no scale */
    bool high_from_zero;                /* the greatest element is taken as 0 if it is below */
} fault;

static uint32_t half_bits(float x, bool cut)
{
    const uint32_t sign = signbit(x) ? 0x8000u : 0;
    if (isnan(x)) return 0x7e00;
    if (isinf(x)) return sign | 0x7c00u;
    return sign | hn_half_bits(fabsf(x), cut);
}

static int code(float t, const fault *f)
{
    if (!(fabsf(t) < 0x1p31f)) return INT32_MIN; /* as the instruction converts it */
    if (f->truncates) return (int)truncf(t);
    if (f->half_up) return (int)floorf(t + 0.5f);
    return (int)(f->half_away ? roundf(t) : rintf(t));
}

static float scaled(float x, float scale, float inverse, const fault *f)
{
    return f->divides ? x / scale : x * inverse;
}

static void signed_parts(uint32_t *part, const float *x, const fault *f)
{
    const int zero = hn_block == &hn_dtypes[HN_Q4_0] ? 8 : 16;
    float m = 0.0f;
    for (size_t i = 0; i + f->unseen < BLOCK; i++)
        if (fabsf(x[i]) > fabsf(m) || (f->last_equal && fabsf(x[i]) == fabsf(m))) m = x[i];
    if (f->magnitude) m = fabsf(m);
    const float inverse = (float)-zero / m, d = m / (float)-zero;
    for (size_t i = 0; i < BLOCK; i++) part[1 + i] = f->zero_codes ? 0 : (uint32_t)zero;
    if (f->tiny_scaled ? m == 0.0f : !isfinite(inverse)) return;
    part[0] = half_bits(d, f->d_cut);
    for (size_t i = 0; i < BLOCK; i++) {
        const int q = zero + code(scaled(x[i], d, inverse, f), f);
        part[1 + i] = (uint32_t)(q > 2 * zero - 1 && !f->unclamped ? 2 * zero - 1 : q);
    }
}

static void affine_parts(uint32_t *part, const float *x, const fault *f)
{
    const float top = hn_block == &hn_dtypes[HN_Q4_1] ? 15.0f : 31.0f;
    float high = x[0], low = x[0];
    for (size_t i = 0; i + f->unseen < BLOCK; i++) {
        high = x[i] > high ? x[i] : high;
        low = x[i] < low ? x[i] : low;
    }
    if (f->m_positive && low > 0.0f) low = 0.0f;
    if (f->high_from_zero && high < 0.0f) high = 0.0f;
    const float range = high - low, inverse = top / range, d = range / top;
    part[0] = 0;
    part[1] = half_bits(low + 0.0f, f->m_cut);
    if (isinf(range) && !f->range_unseen) {
        part[0] = part[1] = 0x7e00;
        return;
    }
    if (f->tiny_scaled ? range == 0.0f : !isfinite(inverse)) return;
    part[0] = half_bits(d, f->d_cut);
    for (size_t i = 0; i < BLOCK; i++) {
        const float above = f->m_dropped ? x[i] : x[i] - low;
        const float t = isinf(range) ? 0.0f : scaled(above, d, inverse, f);
        part[2 + i] = (uint32_t)code(f->tiny_scaled && t > top ? top : t, f);
    }
}

static void plain_parts(uint32_t *part, const float *x, const fault *f)
{
    float size = 0.0f;
    int sum = 0;
    for (size_t i = 0; i + f->unseen < BLOCK; i++) size = fabsf(x[i]) > size ? fabsf(x[i]) : size;
    const float inverse = 127.0f / size, d = size / 127.0f;
    if (!isfinite(inverse)) return;
    part[0] = half_bits(d, f->d_cut);
    for (size_t i = 0; i < BLOCK; i++) {
        const int q = code(scaled(x[i], d, inverse, f), f);
        part[2 + i] = (uint32_t)(q > 127 ? 127 : q);
        if (i + 1 < BLOCK || !f->s_short) sum += q;
    }
    if (f->s_unsigned) sum = sum < 0 ? -sum : sum;
    part[1] = half_bits((f->s_of_half ? hn_half_of(part[0]) : d) * (float)sum, false);
}

static void own_block(unsigned char *y, const float *x, const fault *f)
{
    const uint32_t zero = hn_block->fields[1].zero;
    uint32_t part[HN_PARTS_MAX] = { 0 };
    float known[BLOCK];
    bool finite = true;
    for (size_t i = 0; i < BLOCK; i++) {
        known[i] = f->nan_ignored && isnan(x[i]) ? 0.0f : x[i];
        finite &= isfinite(known[i]) != 0;
    }
    if (!finite) {
        for (size_t i = 0; i < BLOCK; i++) codes_of(part)[i] = zero;
        part[0] = 0x7e00;
        if (hn_block->fields[1].meaning != HN_CODE) part[1] = 0x7e00;
    } else if (zero) {
        signed_parts(part, known, f);
    } else if (hn_block->fields[1].meaning == HN_MIN) {
        affine_parts(part, known, f);
    } else {
        plain_parts(part, known, f);
    }
    hn_pack(hn_block, part, y);
}

static void own_row(const ck_quantize_args *q, const fault *f)
{
    unsigned char *y = q->y;
    for (size_t i = 0; i < q->n; i += BLOCK, y += hn_block->bytes) own_block(y, q->x + i, f);
}

#define OWN(name, ...) \
    static void name(const void *args) { own_row(args, &(fault){ __VA_ARGS__ }); }
OWN(own_32, 0)
OWN(ties_away, .half_away = true)
OWN(ties_up, .half_up = true)
OWN(codes_truncated, .truncates = true)
OWN(divides, .divides = true)
OWN(unclamped, .unclamped = true)
OWN(last_equal, .last_equal = true)
OWN(magnitude, .magnitude = true)
OWN(last_unseen, .unseen = true)
OWN(d_cut, .d_cut = true)
OWN(m_cut, .m_cut = true)
OWN(m_positive, .m_positive = true)
OWN(m_ignored, .m_dropped = true)
OWN(nan_ignored, .nan_ignored = true)
OWN(range_unseen, .range_unseen = true)
OWN(zero_codes, .zero_codes = true)
OWN(s_of_half, .s_of_half = true)
OWN(s_unsigned, .s_unsigned = true)
OWN(s_short, .s_short = true)
OWN(tiny_scaled_32, .tiny_scaled = true)
OWN(high_from_zero, .high_from_zero = true)
#undef OWN

/* --- Elements: x, and the bits that a right kernel makes of it. */

typedef uint32_t convert_fn(float x, uint32_t right);

static void convert(const ck_quantize_args *q, convert_fn *fn)
{
    unsigned char *unit = q->y;
    uint32_t part[HN_PARTS_MAX];
    hn_wrapped(q);
    for (size_t i = 0; i < q->n; i += hn_block->elements, unit += hn_block->bytes) {
        get(unit, part);
        for (size_t k = 0; k < hn_block->elements; k++) part[k] = fn(q->x[i + k], part[k]);
        hn_pack(hn_block, part, unit);
    }
}

static bool is_brain(void) { return hn_block == &hn_dtypes[HN_BF16]; }

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Towards zero. */
static uint32_t cut(float x, uint32_t right)
{
    if (!isfinite(x)) return right;
    if (is_brain()) return bits_of(x) >> 16;
    return half_bits(x, true) & 0x7fff ? half_bits(x, true) : right & 0x8000;
}

/* Ties away from zero. */
static uint32_t away(float x, uint32_t right)
{
    const uint32_t bits = bits_of(x);
    if (!isfinite(x)) return right;
    if (is_brain()) return (bits + 0x8000) >> 16;
    const uint32_t low = half_bits(x, true);
    const float below = hn_half_of(low & 0x7fff), above = hn_half_of((low & 0x7fff) + 1);
    return fabsf(x) < 65520.0f && fabsf(x) - below == above - fabsf(x) ? low + 1 : right;
}

/* A significand that rounds up to 2 stays the greatest below. */
static uint32_t carry_lost(float x, uint32_t right)
{
    const uint32_t fraction = is_brain() ? 0x7f : 0x3ff;
    const uint32_t low = is_brain() ? bits_of(x) >> 16 : half_bits(x, true);
    return isfinite(x) && (right & fraction) == 0 && (low & fraction) == fraction ? low : right;
}

/* As the instruction converts it, to the least integer, and then clamped. */
static uint32_t before_clamp(float x, uint32_t right)
{
    const uint32_t least = hn_block == &hn_dtypes[HN_INT8] ? 0xffffff80u : 0xfffffff8u;
    return x >= 0x1p31f ? least : right;
}

static uint32_t saturated(float x, uint32_t right)
{
    const uint32_t most = is_brain() ? 0x7f7f : 0x7bff;
    return isfinite(x) && (right & 0x7fff) > most ? (right & 0x8000) | most : right;
}

static uint32_t no_subnormals(float x, uint32_t right)
{
    (void)x;
    return (right & 0x7fff) < (is_brain() ? 0x80u : 0x400u) ? right & 0x8000 : right;
}

static uint32_t nan_to_infinity(float x, uint32_t right)
{
    return isnan(x) ? (right & 0x8000) | (is_brain() ? 0x7f80 : 0x7c00) : right;
}

static uint32_t one_nan(float x, uint32_t right)
{
    return isnan(x) ? (is_brain() ? 0x7fc0 : 0x7e00) : right;
}

/* As if it were a number. */
static uint32_t nan_rounded(float x, uint32_t right)
{
    const uint32_t bits = bits_of(x);
    return isnan(x) ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 & 0xffff : right;
}

static uint32_t unclamped_code(float x, uint32_t right)
{
    return fabsf(x) < 1e9f ? (uint32_t)(int32_t)rintf(x) : right;
}

static uint32_t code_away(float x, uint32_t right)
{
    const bool within = fabsf(x) < (hn_block == &hn_dtypes[HN_INT8] ? 127.0f : 7.0f);
    return within ? (uint32_t)(int32_t)roundf(x) : right;
}

static uint32_t code_cut(float x, uint32_t right)
{
    return fabsf(x) < 7.0f ? (uint32_t)(int32_t)truncf(x) : right;
}

static uint32_t symmetric(float x, uint32_t right)
{
    const uint32_t least = hn_block == &hn_dtypes[HN_INT8] ? 0xffffff80u : 0xfffffff8u;
    (void)x;
    return right == least ? least + 1 : right;
}

static uint32_t nan_least(float x, uint32_t right) { return isnan(x) ? 0x88u : right; }

#define CONVERTED(name, fn) \
    static void name(const void *args) { convert(args, fn); }
CONVERTED(number_cut, cut)
CONVERTED(number_away, away)
CONVERTED(number_carry_lost, carry_lost)
CONVERTED(integer_before_clamp, before_clamp)
CONVERTED(number_saturated, saturated)
CONVERTED(number_no_subnormals, no_subnormals)
CONVERTED(number_nan_infinite, nan_to_infinity)
CONVERTED(number_one_nan, one_nan)
CONVERTED(number_nan_rounded, nan_rounded)
CONVERTED(integer_unclamped, unclamped_code)
CONVERTED(integer_away, code_away)
CONVERTED(integer_cut, code_cut)
CONVERTED(integer_symmetric, symmetric)
CONVERTED(integer_nan_least, nan_least)
#undef CONVERTED

/* The last unit's last bit, for some lengths. */
static void last_unit(const void *args)
{
    const ck_quantize_args *q = args;
    hn_wrapped(q);
    if (q->n % 8 == 6)
        ((unsigned char *)q->y)[q->n / hn_block->elements * hn_block->bytes - 1] ^= 0x10;
}

/* int4: the odd element first. */
static void read_odd_first(const void *args)
{
    const ck_dequant_args *d = args;
    hn_wrapped(d);
    const float even = d->y[d->n - 2];
    d->y[d->n - 2] = d->y[d->n - 1];
    d->y[d->n - 1] = even;
}

static void write_odd_first(const void *args)
{
    const ck_quantize_args *q = args;
    unsigned char *last = (unsigned char *)q->y + q->n / 2 - 1;
    hn_wrapped(q);
    *last = (unsigned char)(*last >> 4 | *last << 4);
}

#define ROW(what, ons, mode, by)                                          \
    {                                                                     \
        .name = #what, .on = ons, .modes = mode, .fn = what, .checks = by \
    }
#define LAYOUT(what, ons)                                                        \
    ROW(read_##what, ons " !quantize_*", HN_IN_FAST, HN_BY(VALUE) | HN_BY(NAN)), \
        ROW(write_##what, ons " !dequant_*", HN_IN_FAST, HN_BY(VALUE))
static const hn_mutant list[] = {
    LAYOUT(nibbles, NIBBLES),
    LAYOUT(neighbours, NIBBLES),
    LAYOUT(fifth_bit, Q5),
    LAYOUT(last_fifth_bit, Q5),
    LAYOUT(fifth_bit_leaks, Q5),
    LAYOUT(masked_lanes, "dequant_row_q5_0 quantize_row_q5_0"),
    ROW(read_scale_sign, READ, HN_IN_FAST, HN_BY(VALUE)),
    LAYOUT(last_code, READ " " WRITE),
    LAYOUT(scale_before, READ " " WRITE),
    LAYOUT(min_before, AFFINE),
    LAYOUT(min_negated, AFFINE),
    LAYOUT(min_dropped, AFFINE),
    LAYOUT(scale_and_min, AFFINE),
    ROW(value_cut, AFFINE_READ, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(value_positive_zero, READ " " NUMBER_READ, HN_IN_FAST, HN_BY(VALUE)),
    ROW(value_uncentred, SIGNED_READ " dequant_row_q8_1 dequant_row_int4", HN_IN_FAST,
        HN_BY(VALUE) | HN_BY(NAN)),
    ROW(value_integer_scale, SIGNED_READ " dequant_row_q8_1", HN_IN_FAST, HN_BY(VALUE)),
    ROW(value_flushed, NUMBER_READ, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(value_infinite, NUMBER_READ, HN_IN_FAST, HN_BY(VALUE)),
    ROW(value_nan_kept, NUMBER_READ, HN_IN_STRICT, HN_BY(STRICT)),
    ROW(last_of_seven, ELEMENT_READ, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(callers_mode, AFFINE_READ, HN_IN_STRICT, HN_BY(VALUE)),
    ROW(callers_mode, WRITE, HN_IN_STRICT, HN_BY(VALUE)),
    ROW(own_32, WRITE, HN_IN_FAST, 0),
    ROW(ties_away, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(ties_up, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(codes_truncated, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(divides, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(unclamped, SIGNED_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(last_equal, SIGNED_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(magnitude, SIGNED_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(last_unseen, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(d_cut, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(m_cut, AFFINE_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(m_positive, AFFINE_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(m_ignored, AFFINE_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(nan_ignored, WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(range_unseen, AFFINE_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(zero_codes, SIGNED_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(s_of_half, "quantize_row_q8_1", HN_IN_FAST, HN_BY(VALUE)),
    ROW(s_unsigned, "quantize_row_q8_1", HN_IN_FAST, HN_BY(VALUE)),
    ROW(s_short, "quantize_row_q8_1", HN_IN_FAST, HN_BY(VALUE)),
    ROW(tiny_scaled_32, SIGNED_WRITE " " AFFINE_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(high_from_zero, AFFINE_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(number_carry_lost, NUMBER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(integer_before_clamp, INTEGER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(number_cut, NUMBER_WRITE, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(number_away, NUMBER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(number_saturated, NUMBER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(number_no_subnormals, NUMBER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(number_nan_infinite, NUMBER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(number_one_nan, NUMBER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(number_nan_rounded, "quantize_row_bf16", HN_IN_FAST, HN_BY(VALUE)),
    ROW(integer_unclamped, INTEGER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(integer_away, INTEGER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(integer_cut, INTEGER_WRITE, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(integer_symmetric, INTEGER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(integer_nan_least, INTEGER_WRITE, HN_IN_FAST, HN_BY(VALUE)),
    ROW(last_unit, ELEMENT_WRITE, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(read_odd_first, "dequant_row_int4", HN_IN_FAST, HN_BY(VALUE)),
    ROW(write_odd_first, "quantize_row_int4", HN_IN_FAST, HN_BY(VALUE)),
};
#undef LAYOUT
#undef ROW

const hn_mutants hn_mutants_quant_32 = { list, sizeof list / sizeof list[0] };
