/* SPDX-License-Identifier: MIT */
/* Tests of the reference of writing to a cache: a cache kept as a table of tokens, and bits by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../ref.h"

ref_fn ref_kv_write_f32, ref_kv_write_f16, ref_kv_write_bf16;

enum { HEADS = 3, T = 2, P = 4, ROOM = 7, D = 5, COLS = 6, ROWS = 2 * HEADS * ROOM };

static const ck_numspec plain = { .accs = 1 };
static const ref_spec specs[] = { { &plain, 0, 0x1p-24, 0, 0 }, { &plain, 1, 0x1p-24, 0, 0 } };

static double value[2 * ROWS * COLS], term[ROWS * COLS], e[2 * ROWS * COLS];

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Every place of both caches holds its token, or is left alone, however cache and source lie. */
static void each_place_has_its_token(void **unused)
{
    float x[2 * HEADS * T * D];
    (void)unused;
    for (size_t i = 0; i < 2 * HEADS * T * D; i++) x[i] = (float)i + 0.25f;
    for (int way = 0; way < 4; way++) {
        const int source_tokens = way & 1, cache_tokens = way >> 1;
        const ref_kv_args args = { .k = x,
                                   .v = x + HEADS * T * D,
                                   .kv_heads = HEADS,
                                   .t = T,
                                   .position = P,
                                   .room = ROOM,
                                   .d = D,
                                   .ldx = source_tokens ? HEADS * D : D,
                                   .head_x = source_tokens ? D : T * D,
                                   .token_major = cache_tokens };
        ref_out out = { ROWS * COLS, value, term, e };
        ref_kv_write_f32(&args, &(ref_tile){ 0, ROWS, 0, COLS }, specs, 2, &out);
        for (int s = 0; s < 2; s++)
            for (size_t which = 0; which < 2; which++)
                for (size_t g = 0; g < HEADS; g++)
                    for (size_t token = 0; token < ROOM; token++)
                        for (size_t l = 0; l < COLS; l++) {
                            const size_t row = cache_tokens ? token * HEADS + g : g * ROOM + token;
                            const size_t at =
                                (which * HEADS * ROOM + row) * COLS + l + (size_t)s * ROWS * COLS;
                            if (token != P && token != P + 1) {
                                assert_true(e[at] == REF_ANY && isnan(value[at]));
                                continue;
                            }
                            const size_t from =
                                source_tokens ? (token - P) * HEADS + g : g * T + token - P;
                            const float y =
                                l < D ? (float)((which * HEADS * T + from) * D + l) + 0.25f : 0;
                            assert_true(value[at] == (double)bits_of(y) && e[at] == 0);
                        }
    }
}

/* Parts of a row, of a few columns. */
static void by_hand(void **unused)
{
    const float x[] = { -0.0f, 0x1.0101p0f, 0x1.006p0f, 1e6f };
    const ref_kv_args args = { x, x, 1, 1, 0, 1, 4, 4, 4, 0 };
    const double singles[] = { 0x80000000u, 0x3f808080, 0x3f803000, 0x49742400, 0, 0 };
    const double halves[] = { 0x8000, 0x3c04, 0x3c02, 0x7c00, 0, 0 };
    const double brains[] = { 0x8000, 0x3f81, 0x3f80, 0x4974, 0, 0 };
    (void)unused;
    for (size_t c0 = 0; c0 < 6; c0++)
        for (size_t cols = 1; c0 + cols <= 6; cols++) {
            ref_out out = { cols, value, term, e };
            const ref_tile tile = { 1, 1, c0, cols };
            ref_kv_write_f32(&args, &tile, specs, 1, &out);
            for (size_t i = 0; i < cols; i++) assert_true(value[i] == singles[c0 + i] && e[i] == 0);
            ref_kv_write_f16(&args, &tile, specs, 1, &out);
            for (size_t i = 0; i < cols; i++) assert_true(value[i] == halves[c0 + i] && e[i] == 0);
            ref_kv_write_bf16(&args, &tile, specs, 1, &out);
            for (size_t i = 0; i < cols; i++) assert_true(value[i] == brains[c0 + i] && e[i] == 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_place_has_its_token),
        cmocka_unit_test(by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
