/* SPDX-License-Identifier: MIT */
/* The table of storage formats. */
#include "dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ck_dtype.h"
#include "ck_subject.h"

static double f32_part(const unsigned char *unit, size_t index)
{
    float value;
    (void)index;
    memcpy(&value, unit, sizeof value);
    return (double)value;
}

static const char *no_name(size_t index)
{
    (void)index;
    return "";
}

/* Part 0: the bits of the scale, so that NaN and signed zero compare exactly; then the codes. */
static double q8_0_part(const unsigned char *unit, size_t index)
{
    if (index == 0) return (double)(unit[0] | unit[1] << 8);
    return (double)(signed char)unit[index + 1];
}

static const char *q8_0_part_name(size_t index)
{
    static char name[32];
    if (index == 0) return ".d";
    snprintf(name, sizeof name, ".q[%zu]", index - 1);
    return name;
}

/* Near overflow or underflow: |x| outside 2^+-100, zero apart. */
static bool abnormal(float x)
{
    return x != 0.0f && !(fabsf(x) >= 0x1p-100f && fabsf(x) <= 0x1p100f);
}

static bool f32_leaves(const unsigned char *unit, unsigned flags, int code_min)
{
    float value;
    (void)code_min;
    memcpy(&value, unit, sizeof value);
    return (flags & CK_DOMAIN_FINITE && !isfinite(value)) ||
           (flags & CK_DOMAIN_NORMAL && abnormal(value));
}

static bool q8_0_leaves(const unsigned char *unit, unsigned flags, int code_min)
{
    const unsigned exponent = unit[1] >> 2 & 31u;
    for (size_t i = 0; i < CK_Q8_0_BLOCK; i++)
        if ((signed char)unit[2 + i] < code_min) return true;
    return (flags & CK_DOMAIN_FINITE && exponent == 31) ||
           (flags & CK_DOMAIN_NORMAL && exponent == 0);
}

const hn_dtype_info hn_dtypes[HN_DTYPE_COUNT] = {
    [HN_F32] = { "f32", 4, 1, 4, 1, f32_part, no_name, f32_leaves },
    [HN_Q8_0] = { "q8_0", CK_Q8_0_BYTES, CK_Q8_0_BLOCK, 1, 1 + CK_Q8_0_BLOCK, q8_0_part,
                  q8_0_part_name, q8_0_leaves },
};
