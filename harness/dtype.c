/* SPDX-License-Identifier: MIT */
/* The table of storage formats (docs/formats.md), and what follows from it. */
#include "dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ck_subject.h"
#include "half.h"

/* In bits: a field of `bits` bits at byte `at`; i of them side by side. */
#define BITS(bits, at)                         \
    {                                          \
        {                                      \
            .width = (bits), .first = 8 * (at) \
        }                                      \
    }
#define BYTES(at)                                               \
    {                                                           \
        {                                                       \
            8, 8 * (at), { 8, 16, 32, 64, 128, 256, 512, 1024 } \
        }                                                       \
    }
#define WORDS(at)                             \
    {                                         \
        {                                     \
            16, 8 * (at), { 16, 32, 64, 128 } \
        }                                     \
    }
#define HALF(name, what, at)                       \
    {                                              \
        name, what, HN_HALF, 0, 1, 0, BITS(16, at) \
    }
/* Low nibbles of 16 bytes, then the high ones; their fifth bits one after the other. */
#define NIBBLES(at)                       \
    {                                     \
        4, 8 * (at), { 8, 16, 32, 64, 4 } \
    }
#define FIFTHS(at)                      \
    {                                   \
        1, 8 * (at), { 1, 2, 4, 8, 16 } \
    }
/* Four times: low nibbles of 32 bytes, then the high ones. Fifth bits: of each byte all eight. */
#define NIBBLES_K(at)                                    \
    {                                                    \
        4, 8 * (at), { 8, 16, 32, 64, 128, 4, 256, 512 } \
    }
#define FIFTHS_K(at)                                 \
    {                                                \
        1, 8 * (at), { 8, 16, 32, 64, 128, 1, 2, 4 } \
    }
/* Twice: 32 low nibbles, 32 more, then the high ones of both; two upper bits, four times. */
#define NIBBLES_6(at)                                    \
    {                                                    \
        4, 8 * (at), { 8, 16, 32, 64, 128, 256, 4, 512 } \
    }
#define UPPER_6(at)                                    \
    {                                                  \
        2, 8 * (at), { 8, 16, 32, 64, 128, 2, 4, 256 } \
    }
/* Twelve bytes: 0..3 the low six bits of the first four scales, 4..7 those of the minimums; of the
 * last four the low bits in 8..11, scales in the low nibbles, the upper two above the six. */
#define SCALES_K(at)                                                                    \
    { "s", HN_SUB_SCALE, HN_UNSIGNED, 0, 4, 0, { { 6, 8 * (at), { 8, 16 } } } },        \
        { "s",                                                                          \
          HN_SUB_SCALE,                                                                 \
          HN_UNSIGNED,                                                                  \
          4,                                                                            \
          4,                                                                            \
          0,                                                                            \
          { { 4, 8 * (at) + 64, { 8, 16 } }, { 2, 8 * (at) + 6, { 8, 16 } } } },        \
        { "m", HN_SUB_MIN, HN_UNSIGNED, 0, 4, 0, { { 6, 8 * (at) + 32, { 8, 16 } } } }, \
    {                                                                                   \
        "m", HN_SUB_MIN, HN_UNSIGNED, 4, 4, 0,                                          \
        {                                                                               \
            { 4, 8 * (at) + 68, { 8, 16 } },                                            \
            {                                                                           \
                2, 8 * (at) + 38, { 8, 16 }                                             \
            }                                                                           \
        }                                                                               \
    }

/* Row r of eight that are interleaved: d and dmin of all rows, for each sub-block the twelve bytes of scales
 * and minimums, those of four rows as q4_k has those of four sub-blocks, then eight bytes of codes of each
 * row in turn, nibbles as in q4_k. */
#define EIGHTHS(width, first)                    \
    {                                            \
        (width), (first), { 96, 96 * 2, 96 * 4 } \
    }
#define SUB_OF_FIRST(name, meaning, at)                               \
    {                                                                 \
        name, meaning, HN_UNSIGNED, 0, 8, 0, { EIGHTHS(6, 8 * (at)) } \
    }
#define SUB_OF_LAST(name, meaning, low, high)                                      \
    {                                                                              \
        name, meaning, HN_UNSIGNED, 0, 8, 0, { EIGHTHS(4, low), EIGHTHS(2, high) } \
    }
#define CODES_8(r)                                                              \
    {                                                                           \
        "q", HN_CODE, HN_UNSIGNED, 0, 256, 0,                                   \
        {                                                                       \
            {                                                                   \
                4, 8 * (128 + 8 * (r)), { 8, 16, 32, 512, 1024, 4, 2048, 4096 } \
            }                                                                   \
        }                                                                       \
    }
#define ROW_OF_FIRST(r)                                                                           \
    {                                                                                             \
        "q4_kx8", 1152, 256, 1, 274,                                                              \
            { HALF("d", HN_SCALE, 2 * (r)), HALF("dmin", HN_MIN, 16 + 2 * (r)),                   \
              SUB_OF_FIRST("s", HN_SUB_SCALE, 32 + (r)), SUB_OF_FIRST("m", HN_SUB_MIN, 36 + (r)), \
              CODES_8(r) },                                                                       \
            0, NULL                                                                               \
    }
#define ROW_OF_LAST(r)                                                                            \
    {                                                                                             \
        "q4_kx8", 1152, 256, 1, 274,                                                              \
            { HALF("d", HN_SCALE, 2 * (r)), HALF("dmin", HN_MIN, 16 + 2 * (r)),                   \
              SUB_OF_LAST("s", HN_SUB_SCALE, 8 * (36 + (r)), 8 * (28 + (r)) + 6),                 \
              SUB_OF_LAST("m", HN_SUB_MIN, 8 * (36 + (r)) + 4, 8 * (32 + (r)) + 6), CODES_8(r) }, \
            0, NULL                                                                               \
    }

/* The same of q4_0: d of all rows, twice eight bytes of codes of each row in turn, in two's complement. */
#define ROW_OF_0(r)                                                                     \
    {                                                                                   \
        "q4_0x8", 144, 32, 1, 33, { HALF("d", HN_SCALE, 2 * (r)), CODES_0(r) }, 0, NULL \
    }
#define CODES_0(r)                                           \
    {                                                        \
        "q", HN_CODE, HN_SIGNED, 0, 32, 0,                   \
        {                                                    \
            {                                                \
                4, 8 * (16 + 8 * (r)), { 8, 16, 32, 512, 4 } \
            }                                                \
        }                                                    \
    }

/* clang-format off */
static const hn_dtype_info q4_0x8_rows[] = {
    ROW_OF_0(0), ROW_OF_0(1), ROW_OF_0(2), ROW_OF_0(3),
    ROW_OF_0(4), ROW_OF_0(5), ROW_OF_0(6), ROW_OF_0(7),
};
static const hn_dtype_info q4_kx8_rows[] = {
    ROW_OF_FIRST(0), ROW_OF_FIRST(1), ROW_OF_FIRST(2), ROW_OF_FIRST(3),
    ROW_OF_LAST(4), ROW_OF_LAST(5), ROW_OF_LAST(6), ROW_OF_LAST(7),
};

const hn_dtype_info hn_dtypes[HN_DTYPE_COUNT] = {
    [HN_F32]  = { "f32", 4, 1, 4, 1, { { "", HN_NUMBER, HN_SINGLE, 0, 1, 0, BITS(32, 0) } }, 0, NULL },
    [HN_F16]  = { "f16", 2, 1, 1, 1, { HALF("", HN_NUMBER, 0) }, 0, NULL },
    [HN_BF16] = { "bf16", 2, 1, 1, 1, { { "", HN_NUMBER, HN_BRAIN, 0, 1, 0, BITS(16, 0) } }, 0, NULL },
    [HN_I32]  = { "i32", 4, 1, 4, 1, { { "", HN_NUMBER, HN_SIGNED, 0, 1, 0, BITS(32, 0) } }, 0, NULL },
    [HN_INT8] = { "int8", 1, 1, 1, 1, { { "", HN_CODE, HN_SIGNED, 0, 1, 0, BITS(8, 0) } }, 0, NULL },
    [HN_UINT8] = { "uint8", 1, 1, 1, 1, { { "", HN_CODE, HN_UNSIGNED, 0, 1, 0, BITS(8, 0) } }, 0, NULL },
    [HN_INT4] = { "int4", 1, 2, 1, 2, { { "q", HN_CODE, HN_SIGNED, 0, 2, 0, { { 4, 0, { 4 } } } } }, 0, NULL },
    [HN_Q4_0] = { "q4_0", 18, 32, 1, 33, {
        HALF("d", HN_SCALE, 0),
        { "q", HN_CODE, HN_UNSIGNED, 0, 32, 8, { NIBBLES(2) } } }, 0, NULL },
    [HN_Q4_1] = { "q4_1", 20, 32, 1, 34, {
        HALF("d", HN_SCALE, 0), HALF("m", HN_MIN, 2),
        { "q", HN_CODE, HN_UNSIGNED, 0, 32, 0, { NIBBLES(4) } } }, 0, NULL },
    [HN_Q5_0] = { "q5_0", 22, 32, 1, 33, {
        HALF("d", HN_SCALE, 0),
        { "q", HN_CODE, HN_UNSIGNED, 0, 32, 16, { NIBBLES(6), FIFTHS(2) } } }, 0, NULL },
    [HN_Q5_1] = { "q5_1", 24, 32, 1, 34, {
        HALF("d", HN_SCALE, 0), HALF("m", HN_MIN, 2),
        { "q", HN_CODE, HN_UNSIGNED, 0, 32, 0, { NIBBLES(8), FIFTHS(4) } } }, 0, NULL },
    [HN_Q8_0] = { "q8_0", 34, 32, 1, 33, {
        HALF("d", HN_SCALE, 0),
        { "q", HN_CODE, HN_SIGNED, 0, 32, 0, BYTES(2) } }, 0, NULL },
    [HN_Q8_1] = { "q8_1", 36, 32, 1, 34, {
        HALF("d", HN_SCALE, 0), HALF("s", HN_SUM, 2),
        { "q", HN_CODE, HN_SIGNED, 0, 32, 0, BYTES(4) } }, 0, NULL },
    [HN_Q4_K] = { "q4_k", 144, 256, 1, 274, {
        HALF("d", HN_SCALE, 0), HALF("dmin", HN_MIN, 2), SCALES_K(4),
        { "q", HN_CODE, HN_UNSIGNED, 0, 256, 0, { NIBBLES_K(16) } } }, 0, NULL },
    [HN_Q5_K] = { "q5_k", 176, 256, 1, 274, {
        HALF("d", HN_SCALE, 0), HALF("dmin", HN_MIN, 2), SCALES_K(4),
        { "q", HN_CODE, HN_UNSIGNED, 0, 256, 0, { NIBBLES_K(48), FIFTHS_K(16) } } }, 0, NULL },
    [HN_Q6_K] = { "q6_k", 210, 256, 1, 273, {
        HALF("d", HN_SCALE, 208),
        { "s", HN_SUB_SCALE, HN_SIGNED, 0, 16, 0, BYTES(192) },
        { "q", HN_CODE, HN_UNSIGNED, 0, 256, 32, { NIBBLES_6(0), UPPER_6(128) } } }, 0, NULL },
    [HN_Q8_K] = { "q8_k", 292, 256, 1, 273, {
        { "d", HN_SCALE, HN_SINGLE, 0, 1, 0, BITS(32, 0) },
        { "q", HN_CODE, HN_SIGNED, 0, 256, 0, BYTES(4) },
        { "bsum", HN_SUM, HN_SIGNED, 0, 16, 0, WORDS(260) } }, 0, NULL },
    [HN_Q4_0X8] = { "q4_0x8", 144, 32, 1, 8 * 33, { HALF("d", HN_SCALE, 0), CODES_0(0) },
        8, q4_0x8_rows },
    [HN_Q4_KX8] = { "q4_kx8", 1152, 256, 1, 8 * 274, {
        HALF("d", HN_SCALE, 0), HALF("dmin", HN_MIN, 16),
        SUB_OF_FIRST("s", HN_SUB_SCALE, 32), SUB_OF_FIRST("m", HN_SUB_MIN, 36), CODES_8(0) },
        8, q4_kx8_rows },
};
/* clang-format on */
#undef BITS
#undef BYTES
#undef WORDS
#undef HALF
#undef NIBBLES
#undef FIFTHS
#undef NIBBLES_K
#undef FIFTHS_K
#undef NIBBLES_6
#undef UPPER_6
#undef SCALES_K
#undef EIGHTHS
#undef SUB_OF_FIRST
#undef SUB_OF_LAST
#undef CODES_8
#undef ROW_OF_FIRST
#undef ROW_OF_LAST
#undef CODES_0
#undef ROW_OF_0

/* What describes a part: of a packed format one of its rows; *index becomes the number within it. */
static const hn_dtype_info *row_of(const hn_dtype_info *info, size_t *index)
{
    if (info->rows == 0) return info;
    const hn_dtype_info *const row = &info->row[*index / info->row->parts];
    *index %= info->row->parts;
    return row;
}

/* The field of a part; *index becomes the number within it. */
static const hn_field *field_of(const hn_dtype_info *info, size_t *index)
{
    const hn_field *f = info->fields;
    for (; *index >= f->count; f++) *index -= f->count;
    return f;
}

static size_t slice_begin(const hn_slice *s, size_t index)
{
    size_t bit = s->first;
    for (size_t b = 0; index >> b; b++)
        if (index >> b & 1) bit += s->step[b];
    return bit;
}

static uint32_t mask(unsigned width)
{
    return width < 32 ? ((uint32_t)1 << width) - 1 : UINT32_MAX;
}

unsigned hn_field_width(const hn_field *f) { return f->slices[0].width + f->slices[1].width; }

static uint32_t part_bits(const hn_field *f, const unsigned char *unit, size_t index)
{
    uint32_t bits = 0;
    for (unsigned k = 0, done = 0; k < HN_SLICES && f->slices[k].width; k++) {
        const hn_slice *s = &f->slices[k];
        const size_t begin = slice_begin(s, index);
        uint32_t word = 0;
        for (unsigned b = 0; 8 * b < s->width; b++) word |= (uint32_t)unit[begin / 8 + b] << 8 * b;
        bits |= (word >> begin % 8 & mask(s->width)) << done;
        done += s->width;
    }
    return bits;
}

static int32_t sign_extended(uint32_t bits, unsigned width)
{
    const uint32_t sign = (uint32_t)1 << (width - 1);
    return (int32_t)((bits ^ sign) - sign);
}

static float single(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double hn_part(const hn_dtype_info *info, const unsigned char *unit, size_t index)
{
    float number;
    if (info == &hn_dtypes[HN_F32]) { /* almost every part of a run */
        memcpy(&number, unit, sizeof number);
        return (double)number;
    }
    info = row_of(info, &index);
    const hn_field *f = field_of(info, &index);
    const uint32_t bits = part_bits(f, unit, index);
    if (f->encoding == HN_SIGNED) return (double)sign_extended(bits, hn_field_width(f));
    return (double)bits;
}

double hn_number(const hn_dtype_info *info, const unsigned char *unit)
{
    const double part = hn_part(info, unit, 0);
    if (info == &hn_dtypes[HN_F16]) return (double)hn_half_of((unsigned)part);
    return info == &hn_dtypes[HN_BF16] ? (double)single((uint32_t)part << 16) : part;
}

const char *hn_part_name(const hn_dtype_info *info, size_t index)
{
    static char name[48];
    const hn_dtype_info *const row = row_of(info, &index);
    const hn_field *f = field_of(row, &index);
    char *at = name;
    if (f->name[0] == '\0') return "";
    if (info->rows) at += snprintf(name, sizeof name, ".row[%td]", row - info->row);
    const size_t left = sizeof name - (size_t)(at - name);
    if (f->count == 1)
        snprintf(at, left, ".%s", f->name);
    else
        snprintf(at, left, ".%s[%zu]", f->name, f->from + index);
    return name;
}

void hn_pack(const hn_dtype_info *info, const uint32_t *parts, unsigned char *unit)
{
    memset(unit, 0, info->bytes);
    hn_put(info, parts, unit);
}

void hn_put(const hn_dtype_info *info, const uint32_t *parts, unsigned char *unit)
{
    for (size_t r = 0; r < info->rows; r++, parts += info->row->parts)
        hn_put(&info->row[r], parts, unit);
    if (info->rows) return;
    for (const hn_field *f = info->fields; f->count; parts += f++->count)
        for (size_t i = 0; i < f->count; i++) {
            uint32_t bits = parts[i];
            for (unsigned k = 0; k < HN_SLICES && f->slices[k].width; k++) {
                const hn_slice *s = &f->slices[k];
                const size_t begin = slice_begin(s, i);
                const uint32_t word = (bits & mask(s->width)) << begin % 8;
                for (unsigned b = 0; 8 * b < s->width; b++)
                    unit[begin / 8 + b] |= (unsigned char)(word >> 8 * b);
                bits >>= s->width < 32 ? s->width : 0;
            }
        }
}

/* Near overflow or underflow: |x| outside 2^+-100, zero apart. */
static bool abnormal(float x)
{
    return x != 0.0f && !(fabsf(x) >= 0x1p-100f && fabsf(x) <= 0x1p100f);
}

/* Of a block's scale 0 leaves as well: it makes all its elements 0. */
static bool half_leaves(uint32_t bits, bool element, unsigned flags)
{
    const uint32_t exponent = bits >> 10 & 31u;
    const bool subnormal = exponent == 0 && !(element && (bits & 0x3ffu) == 0);
    return (flags & CK_DOMAIN_FINITE && exponent == 31) || (flags & CK_DOMAIN_NORMAL && subnormal);
}

static bool single_leaves(float x, unsigned flags)
{
    return (flags & CK_DOMAIN_FINITE && !isfinite(x)) || (flags & CK_DOMAIN_NORMAL && abnormal(x));
}

static bool part_leaves(const hn_field *f, uint32_t bits, unsigned flags, int code_min)
{
    switch (f->encoding) {
    case HN_HALF: return half_leaves(bits, f->meaning == HN_NUMBER, flags);
    case HN_BRAIN: return single_leaves(single(bits << 16), flags);
    case HN_SINGLE: return single_leaves(single(bits), flags);
    case HN_SIGNED:
        return f->meaning == HN_CODE && sign_extended(bits, hn_field_width(f)) < code_min;
    default: return false;
    }
}

bool hn_leaves(const hn_dtype_info *info, const unsigned char *unit, unsigned flags, int code_min)
{
    bool leaves = false;
    for (size_t r = 0; r < info->rows; r++)
        leaves |= hn_leaves(&info->row[r], unit, flags, code_min);
    if (info->rows) return leaves;
    for (const hn_field *f = info->fields; f->count; f++)
        for (size_t i = 0; i < f->count; i++)
            leaves |= part_leaves(f, part_bits(f, unit, i), flags, code_min);
    return leaves;
}
