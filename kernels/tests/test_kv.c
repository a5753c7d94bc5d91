/* SPDX-License-Identifier: MIT */
/* Contract tests of the entries that write to a cache, and tokens written one by one and at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ck_ops.h"
#include "kv.h"

/* 2 heads, room for 5 tokens, 3 elements and a pad, rows 6 apart. */
enum { HEADS = 2, ROOM = 5, D = 3, COLS = 4, LD = 6, HEAD = ROOM * LD, CELLS = HEADS * HEAD };
static float keys_cache[CELLS], values_cache[CELLS], k[HEADS * ROOM * D], v[HEADS * ROOM * D];

static ck_kv_args good(void)
{
    for (int i = 0; i < CELLS; i++) keys_cache[i] = values_cache[i] = 1e30f;
    for (int i = 0; i < HEADS * ROOM * D; i++) {
        k[i] = (float)(i + 1);
        v[i] = (float)(-i - 1);
    }
    return (ck_kv_args){ .k_cache = keys_cache,
                         .v_cache = values_cache,
                         .k = k,
                         .v = v,
                         .kv_heads = HEADS,
                         .t = 2,
                         .position = 1,
                         .room = ROOM,
                         .d = D,
                         .cols = COLS,
                         .ldy = LD,
                         .ldx = D,
                         .head_y = HEAD,
                         .head_x = ROOM * D };
}

static void is(const ck_kv_args *a, ck_status wanted)
{
    assert_int_equal(ck_kv_write_f32(a), wanted);
    for (int i = 0; i < CELLS; i++) assert_true(keys_cache[i] == 1e30f && values_cache[i] == 1e30f);
}

static void bad_arguments_are_refused(void **state)
{
    ck_kv_args a;
    (void)state;
    good();
    is(NULL, CK_ERR_NULL);
    a = good(), a.k_cache = NULL, is(&a, CK_ERR_NULL);
    a = good(), a.v_cache = NULL, is(&a, CK_ERR_NULL);
    a = good(), a.k = NULL, is(&a, CK_ERR_NULL);
    a = good(), a.v = NULL, is(&a, CK_ERR_NULL);
    a = good(), a.position = 4, is(&a, CK_ERR_VALUE);
    a = good(), a.position = 6, a.t = 1, is(&a, CK_ERR_VALUE);
    a = good(), a.position = SIZE_MAX, is(&a, CK_ERR_VALUE);
    a = good(), a.t = SIZE_MAX, is(&a, CK_ERR_VALUE);
    a = good(), a.cols = 2, is(&a, CK_ERR_SHAPE);
    a = good(), a.ldy = 3, is(&a, CK_ERR_SHAPE);
    a = good(), a.ldx = 2, is(&a, CK_ERR_SHAPE);
    a = good(), a.head_y = (ROOM - 1) * LD, is(&a, CK_ERR_SHAPE);
    a = good(), a.head_y = SIZE_MAX / 2, is(&a, CK_ERR_SHAPE);
    a = good(), a.room = SIZE_MAX / 8, a.head_y = 0, is(&a, CK_ERR_SHAPE);
    a = good(), a.v_cache = keys_cache, is(&a, CK_ERR_ALIAS);
    a = good(), a.v_cache = keys_cache + LD, is(&a, CK_ERR_ALIAS);
    a = good(), a.k = keys_cache + LD, is(&a, CK_ERR_ALIAS);
    a = good(), a.v = values_cache + HEAD + LD, is(&a, CK_ERR_ALIAS);
    a = good(), a.v = keys_cache + LD, is(&a, CK_ERR_ALIAS);
    a = good(), a.kv_heads = 0, a.k = NULL, is(&a, CK_OK);
    a = good(), a.t = 0, a.k_cache = NULL, is(&a, CK_OK);
    a = good(), a.cols = a.d = 0, a.v = NULL, is(&a, CK_OK);
}

/* What is not written may be the source: rows of the past, and other buffers' pads. */
static void neighbours_may_be_read(void **state)
{
    ck_kv_args a = good();
    (void)state;
    a.t = 1, a.position = 3, a.ldx = LD, a.head_x = HEAD, a.k = keys_cache, a.v = values_cache;
    assert_int_equal(ck_kv_write_f32(&a), CK_OK);
    assert_true(keys_cache[3 * LD + 2] == 1e30f && keys_cache[3 * LD + 3] == 0);
}

static float wanted(size_t g, size_t token, size_t l, float sign)
{
    return l < D ? sign * (float)(g * ROOM * D + token * D + l + 1) : 0.0f;
}

/* Tokens 1 and 2 of a cache, in one call and in two, head by head and token by token. */
static void tokens_lie_where_they_belong(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        ck_kv_args a = good();
        const int token_major = way & 1, apart = way >> 1;
        if (token_major) a.ldy = HEADS * LD, a.head_y = LD;
        for (int call = 0; call <= apart; call++) {
            if (apart)
                a.t = 1, a.position = 1 + (size_t)call, a.k = k + call * D, a.v = v + call * D;
            assert_int_equal(ck_kv_write_f32(&a), CK_OK);
        }
        for (size_t g = 0; g < HEADS; g++)
            for (size_t token = 0; token < ROOM; token++)
                for (size_t l = 0; l < LD; l++) {
                    const size_t at = g * a.head_y + token * a.ldy + l;
                    const int in = (token == 1 || token == 2) && l < COLS;
                    assert_true(keys_cache[at] == (in ? wanted(g, token - 1, l, 1) : 1e30f));
                    assert_true(values_cache[at] == (in ? wanted(g, token - 1, l, -1) : 1e30f));
                }
    }
}

/* 1 + 2^-8 + 2^-16 is above a tie of bf16, 1 + 2^-11 a tie of f16. */
static void halves_are_rounded(void **state)
{
    static uint16_t caches[2][2 * COLS];
    const float x[] = { 0x1.0101p0f, 0x1.002p0f, -0.0f };
    const ck_kv_args a = { .k_cache = caches[0],
                           .v_cache = caches[1],
                           .k = x,
                           .v = x,
                           .kv_heads = 1,
                           .t = 1,
                           .position = 1,
                           .room = 2,
                           .d = D,
                           .cols = COLS,
                           .ldy = COLS,
                           .ldx = D,
                           .head_y = 2 * COLS,
                           .head_x = D };
    const uint16_t brains[] = { 0x3f81, 0x3f80, 0x8000, 0 },
                   halves[] = { 0x3c04, 0x3c00, 0x8000, 0 };
    (void)state;
    memset(caches, 0xff, sizeof caches);
    assert_int_equal(ck_kv_write_bf16(&a), CK_OK);
    assert_memory_equal(caches[0] + COLS, brains, sizeof brains);
    assert_int_equal(ck_kv_write_f16(&a), CK_OK);
    assert_memory_equal(caches[1] + COLS, halves, sizeof halves);
    assert_int_equal(caches[1][COLS - 1], 0xffff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(neighbours_may_be_read),
        cmocka_unit_test(tokens_lie_where_they_belong),
        cmocka_unit_test(halves_are_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
