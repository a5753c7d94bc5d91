/* SPDX-License-Identifier: MIT */
/* Mutants of rows of 16 bits: elements read or written as those of another format, by another rounding, or
 * as wide at the tail as elsewhere. */
#include <math.h>
#include <string.h>

#include "attention.h"
#include "binary.h"
#include "mutant.h"

/* The lanes of a vector of 128 bits. */
enum { LANES = 8 };

/* All lanes of the vector that the last element of operand k is in. */
static void read_wide(const void *args, size_t k)
{
    const hn_view v = hn_view_of(args);
    const hn_seen *o = &v.of[k];
    hn_wrapped(args);
    if (!o->at || o->cols == 0) return;
    const unsigned char *const at = hn_seen_at(o, o->rows - 1, (o->cols - 1) / LANES * LANES);
    for (size_t b = 0; b < LANES * o->unit; b++) (void)*(const volatile unsigned char *)(at + b);
}

static void reads_wide_1(const void *args) { read_wide(args, 1); }
static void reads_wide_2(const void *args) { read_wide(args, 2); }
static void reads_wide_3(const void *args) { read_wide(args, 3); }

/* The same of y, written back: what follows a row is not the kernel's. */
static void writes_wide(const void *args)
{
    const hn_view v = hn_view_of(args);
    const hn_seen *y = &v.of[0];
    hn_wrapped(args);
    if (y->cols % LANES) memset(hn_seen_at(y, y->rows - 1, y->cols), 0, y->unit);
}

/* Rows as far apart in bytes as they are in elements. */
static void rows_of_floats(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    a.ldv = a.ldv > 1 ? a.ldv / 2 : a.ldv;
    hn_wrapped(&a);
}

typedef float changed(float x);

/* On a copy of the values in which each is changed. */
static void with_values(const void *args, changed *change)
{
    enum { MOST = 1 << 20 };
    static unsigned char copy[MOST];
    ck_attention_args a = *(const ck_attention_args *)args;
    const hn_view v = hn_view_of(args);
    const hn_seen *const o = &v.of[3];
    const size_t bytes = ((o->rows - 1) * o->ld + o->cols) * o->unit;
    if (bytes > MOST) {
        hn_wrapped(args);
        return;
    }
    memcpy(copy, o->at, bytes);
    for (size_t i = 0; i < bytes / o->unit; i++)
        hn_set_element(copy, i, change(hn_element(copy, i)));
    a.v = copy;
    hn_wrapped(&a);
}

/* Without the last bit of the significand. */
static float less_exact(float x)
{
    return hn_short_value(hn_block, (uint16_t)(hn_short_bits(hn_block, x) & 0xfffe));
}
static float no_subnormals(float x) { return fabsf(x) < 0x1p-14f ? 0.0f : x; }
/* Half of what is beyond 2. */
static float small_only(float x) { return isfinite(x) && fabsf(x) > 2.0f ? x / 2 : x; }

static void values_truncated(const void *args) { with_values(args, less_exact); }
static void values_flushed(const void *args) { with_values(args, no_subnormals); }
static void values_halved(const void *args) { with_values(args, small_only); }

/* Elements of bf16 as if they were f16, or the reverse. */
static float as_the_other(float x)
{
    const hn_dtype_info *const half = &hn_dtypes[HN_F16];
    return hn_short_value(hn_block == half ? &hn_dtypes[HN_BF16] : half,
                          hn_short_bits(hn_block, x));
}
static void values_of_other_format(const void *args) { with_values(args, as_the_other); }

/* --- results. */

/* Of the last row what `to` makes of the operands. */
typedef uint16_t made(float a, float b);

static void make_last_row(const void *args, made *to)
{
    const ck_binary_args *g = args;
    hn_wrapped(args);
    if (g->y == g->a || g->y == g->b) return;
    for (size_t j = 0; j < g->d; j++) {
        const size_t row = g->t - 1;
        const float a = hn_element(g->a, row * g->lda + j), b = hn_element(g->b, row * g->ldb + j);
        const uint16_t bits = to(a, b);
        if (isfinite(a) && isfinite(b) && fabsf(a + b) < 60000.0f)
            memcpy((unsigned char *)g->y + 2 * (row * g->ldy + j), &bits, sizeof bits);
    }
}

/* Towards 0. */
static uint16_t sum_truncated(float a, float b)
{
    const uint16_t bits = hn_short_bits(hn_block, a + b);
    return (uint16_t)(bits - (fabsf(hn_short_value(hn_block, bits)) > fabsf(a + b)));
}

/* Ties away from 0. */
static uint16_t sum_half_up(float a, float b)
{
    const float sum = fabsf(a + b);
    const uint16_t bits = hn_short_bits(hn_block, a + b), above = (uint16_t)(bits + 1);
    const float low = fabsf(hn_short_value(hn_block, bits));
    return fabsf(hn_short_value(hn_block, above)) - sum == sum - low ? above : bits;
}

/* The first without its last bit. */
static uint16_t sum_of_short(float a, float b)
{
    return hn_short_bits(hn_block, less_exact(a) + b);
}

static void truncated(const void *args) { make_last_row(args, sum_truncated); }
static void half_up(const void *args) { make_last_row(args, sum_half_up); }
static void short_operand(const void *args) { make_last_row(args, sum_of_short); }

/* Every NaN with a payload. */
static void other_nan(const void *args)
{
    const hn_view v = hn_view_of(args);
    const hn_seen *y = &v.of[0];
    hn_wrapped(args);
    for (size_t r = 0; r < y->rows; r++)
        for (size_t c = 0; c < y->cols; c++) {
            unsigned char *const at = hn_seen_at(y, r, c);
            if (isnan(hn_number(hn_block, at))) at[0] |= 1;
        }
}

/* The last element, one place beside. */
static void one_place(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    hn_seen_at(&v.of[0], v.of[0].rows - 1, 0)[0] ^= 1;
}

#define ROW(what, ons, mode, by)                                          \
    {                                                                     \
        .name = #what, .on = ons, .modes = mode, .fn = what, .checks = by \
    }
#define ROWS      "rmsnorm_bf16 layernorm_bf16 residual_add_?*16 swiglu_?*16"
#define ATTENTION "attention_?*16"
static const hn_mutant list[] = {
    ROW(reads_wide_1, ROWS, HN_IN_BOTH, HN_BY(GUARD)),
    ROW(reads_wide_2, ATTENTION " residual_add_?*16 swiglu_?*16", HN_IN_BOTH, HN_BY(GUARD)),
    ROW(reads_wide_3, ATTENTION, HN_IN_BOTH, HN_BY(GUARD)),
    ROW(writes_wide, ROWS, HN_IN_BOTH, HN_BY(SLACK) | HN_BY(GUARD)),
    ROW(rows_of_floats, ATTENTION, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(values_truncated, ATTENTION, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(values_flushed, "attention_f16", HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(values_halved, ATTENTION, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(values_of_other_format, ATTENTION, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(truncated, "residual_add_?*16", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(half_up, "residual_add_?*16", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(short_operand, "residual_add_?*16", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(other_nan, ROWS, HN_IN_STRICT, HN_BY(STRICT)),
    ROW(one_place, ROWS, HN_IN_BOTH, HN_BY(VALUE) | HN_BY(STRICT)),
};
#undef ROW
#undef ROWS
#undef ATTENTION

const hn_mutants hn_mutants_halves = { list, sizeof list / sizeof list[0] };
