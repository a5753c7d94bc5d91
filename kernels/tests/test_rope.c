/* SPDX-License-Identifier: MIT */
/* Contract tests of the entries of rotary embedding, and rotations worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "ck_ops.h"
#include "rope.h"

enum { CELLS = 256 };
static float y[CELLS], x[CELLS], c[CELLS], s[CELLS];

static void fill(void)
{
    for (int i = 0; i < CELLS; i++) {
        y[i] = 1e30f;
        x[i] = (float)(i % 7) - 2.5f;
        c[i] = 0.6f;
        s[i] = 0.8f;
    }
}

/* The status, and not a cell of y touched. */
static void refused(ck_status got, ck_status wanted)
{
    assert_int_equal(got, wanted);
    for (int i = 0; i < CELLS; i++) assert_true(y[i] == 1e30f);
}

static ck_rope_cache_args good_table(void)
{
    return (ck_rope_cache_args){ .cos = y,
                                 .sin = y + 4,
                                 .t = 3,
                                 .d = 8,
                                 .ldc = 8,
                                 .lds = 8,
                                 .pos0 = 5,
                                 .theta = 10000,
                                 .factor = 8,
                                 .low = 1,
                                 .high = 4,
                                 .context = 8192 };
}

static void table_rejects(void **state)
{
    ck_rope_cache_args g;
    (void)state;
    fill();
    refused(ck_rope_cache_f32(NULL), CK_ERR_NULL);
    g = good_table(), g.cos = NULL, refused(ck_rope_cache_f32(&g), CK_ERR_NULL);
    g = good_table(), g.sin = NULL, refused(ck_rope_cache_f32(&g), CK_ERR_NULL);
    g = good_table(), g.d = 0, refused(ck_rope_cache_f32(&g), CK_ERR_SHAPE);
    g = good_table(), g.d = 7, refused(ck_rope_cache_f32(&g), CK_ERR_SHAPE);
    g = good_table(), g.d = ((size_t)1 << 20) + 2, refused(ck_rope_cache_f32(&g), CK_ERR_SHAPE);
    g = good_table(), g.ldc = 3, refused(ck_rope_cache_f32(&g), CK_ERR_SHAPE);
    g = good_table(), g.lds = 3, refused(ck_rope_cache_f32(&g), CK_ERR_SHAPE);
    g = good_table(), g.pos0 = (size_t)1 << 24, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.pos0 = SIZE_MAX, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.theta = 0.5f, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.theta = NAN, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.theta = INFINITY, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.factor = 0.5f, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.factor = -1, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.factor = NAN, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.low = -1, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.low = 4, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.high = NAN, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.high = INFINITY, refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.context = ((size_t)1 << 24) + 1;
    refused(ck_rope_cache_f32(&g), CK_ERR_VALUE);
    g = good_table(), g.sin = y + 3, refused(ck_rope_cache_f32(&g), CK_ERR_ALIAS);
    ck_isa_set_mask(0);
    g = good_table(), refused(ck_rope_cache_f32(&g), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    g = good_table(), g.t = 0, g.cos = NULL, refused(ck_rope_cache_f32(&g), CK_OK);
    g = good_table(), g.factor = 0, g.high = 0, g.low = NAN;
    assert_int_equal(ck_rope_cache_f32(&g), CK_OK);
}

/* Two heads of three rows, of which six of seven elements are turned. */
static ck_rope_args good_rope(void)
{
    return (ck_rope_args){ .y = y,
                           .x = x,
                           .cos = c,
                           .sin = s,
                           .heads = 2,
                           .t = 3,
                           .rotary = 6,
                           .d = 7,
                           .cols = 8,
                           .ldy = 9,
                           .ldx = 7,
                           .ldc = 4,
                           .lds = 3,
                           .head_y = 27,
                           .head_x = 21,
                           .pos0 = 1 };
}

typedef ck_status rope_entry(const ck_rope_args *args);
static rope_entry *const entries[] = { ck_rope_half_f32, ck_rope_pair_f32 };

static void rotations_reject(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        rope_entry *const f = entries[e];
        ck_rope_args g;
        fill();
        refused(f(NULL), CK_ERR_NULL);
        g = good_rope(), g.y = NULL, refused(f(&g), CK_ERR_NULL);
        g = good_rope(), g.x = NULL, refused(f(&g), CK_ERR_NULL);
        g = good_rope(), g.cos = NULL, refused(f(&g), CK_ERR_NULL);
        g = good_rope(), g.sin = NULL, refused(f(&g), CK_ERR_NULL);
        g = good_rope(), g.rotary = 5, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.rotary = 8, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.cols = 6, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.ldy = 7, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.ldx = 6, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.ldc = 2, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.lds = 2, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.head_y = 25, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.t = SIZE_MAX / 8, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.pos0 = SIZE_MAX, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.pos0 = SIZE_MAX / 32, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.heads = SIZE_MAX / 8, refused(f(&g), CK_ERR_SHAPE);
        g = good_rope(), g.x = y + 1, refused(f(&g), CK_ERR_ALIAS);
        g = good_rope(), g.x = y, refused(f(&g), CK_ERR_ALIAS);
        g = good_rope(), g.cos = y + 12, refused(f(&g), CK_ERR_ALIAS);
        g = good_rope(), g.sin = y + 8, refused(f(&g), CK_ERR_ALIAS);
        ck_isa_set_mask(0);
        g = good_rope(), refused(f(&g), CK_ERR_ISA);
        ck_isa_set_mask(~0u);
        g = good_rope(), g.heads = 0, g.y = NULL, refused(f(&g), CK_OK);
        g = good_rope(), g.t = 0, g.y = NULL, refused(f(&g), CK_OK);
    }
}

/* Angles with the cosine 0.6 and the sine 0.8, of multiples of 5. */
static void rotations_by_hand(void **state)
{
    const float in[] = { 5, 10, -15, 20, 7, -0.0f }, tc[] = { 9, 9, 0.6f, 1 },
                ts[] = { 9, 9, 0.8f, 0 };
    const float half[] = { 15, 10, -5, 20, 7, -0.0f, 0 }, pair[] = { -5, 10, -15, 20, 7, -0.0f, 0 };
    (void)state;
    for (int strict = 0; strict < 2; strict++)
        for (int e = 0; e < 2; e++) {
            float out[7] = { 1, 1, 1, 1, 1, 1, 1 };
            const ck_rope_args g = { .y = out,
                                     .x = in,
                                     .cos = tc,
                                     .sin = ts,
                                     .heads = 1,
                                     .t = 1,
                                     .rotary = 4,
                                     .d = 6,
                                     .cols = 7,
                                     .ldy = 7,
                                     .ldx = 6,
                                     .ldc = 2,
                                     .lds = 2,
                                     .head_y = 7,
                                     .head_x = 6,
                                     .pos0 = 1 };
            ck_set_strict_parity(strict);
            assert_int_equal(entries[e](&g), CK_OK);
            for (int j = 0; j < 7; j++) {
                const float wanted = e ? pair[j] : half[j];
                assert_true(fabsf(out[j] - wanted) < 1e-5f);
                assert_true(j < 4 || signbit(out[j]) == signbit(wanted));
            }
            /* the payload of a NaN that is not turned */
            float rest[2];
            const uint32_t bits[] = { 0xffa12345u, 0x7fc00077u };
            memcpy(rest, bits, sizeof rest);
            ck_rope_args copy = g;
            copy.x = rest, copy.rotary = 0, copy.d = 2, copy.cols = 2;
            assert_int_equal(entries[e](&copy), CK_OK);
            assert_memory_equal(out, bits, sizeof bits);
        }
    ck_set_strict_parity(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_rejects),
        cmocka_unit_test(rotations_reject),
        cmocka_unit_test(rotations_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
