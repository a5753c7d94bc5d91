/* SPDX-License-Identifier: MIT */
/* Tests of the references of embedding: rows written by hand in each format, and what sums may be off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../ref.h"

ref_fn ref_embedding_f32, ref_embedding_bf16, ref_embedding_f16, ref_embedding_q4_0;
ref_fn ref_embedding_q8_0, ref_embedding_q4_k, ref_embedding_q6_k;

static const ck_numspec any = { .lanes = 0, .accs = 1 };
static const ref_spec fast = { &any, 0, 0x1p-24, 0, 0 };
static const ref_spec down = { &any, 0, 0x1p-23, 0, 0 };
static const ref_spec strict = { &any, 1, 0x1p-24, 0, 0 };

enum { CELLS = 512 };
static double v[CELLS], term[CELLS], e[CELLS];

/* Row 0 of the output, `cols` elements. */
static void evaluate(ref_fn *op, const ref_embedding_args *g, size_t row, size_t cols,
                     const ref_spec *spec)
{
    ref_out out = { cols, v, term, e };
    op(g, &(ref_tile){ row, 1, 0, cols }, spec, 1, &out);
}

/* Bits, of a signalling NaN and of -0 as well; a pad lane is +0. */
static void floats_are_bits(void **unused)
{
    const uint32_t table[3][2] = { { 1, 2 }, { 0xff812345u, 0x80000000u }, { 3, 0x3f800000u } };
    const int32_t ids[] = { 2, 1 };
    const ref_embedding_args g = { (const unsigned char *)table, ids, NULL, 2, 2, 0, 0 };
    (void)unused;
    evaluate(ref_embedding_f32, &g, 1, 3, &fast);
    assert_true(v[0] == 4286653253.0 && v[1] == 2147483648.0 && v[2] == 0);
    assert_true(e[0] == 0 && e[1] == 0 && e[2] == 0);
    evaluate(ref_embedding_f32, &g, 0, 2, &strict);
    assert_true(v[0] == 3 && v[1] == 1065353216.0);
}

/* The float next to the sum; directed, either neighbour. Row 1 has the position of row 2. */
static void positions_are_added_once(void **unused)
{
    const float table[] = { 9, 9, 1, -2 }, pos[] = { 7, 7, 7, 7, 0x1p-25f, 2 };
    const int32_t ids[] = { 0, 1 };
    const ref_embedding_args g = { (const unsigned char *)table, ids, pos, 2, 2, 2, 1 };
    (void)unused;
    evaluate(ref_embedding_f32, &g, 1, 2, &fast);
    assert_true(v[0] == 1 && e[0] == 0 && v[1] == 0 && e[1] == 0 && !signbit(v[1]));
    evaluate(ref_embedding_f32, &g, 1, 2, &strict);
    assert_true(v[0] == 1 && e[0] == 0);
    evaluate(ref_embedding_f32, &g, 1, 2, &down);
    assert_true(fabs(1 + 0x1p-25 - v[0]) <= 0x1p-40 && e[0] >= 0x1p-24 && e[0] <= 0x1p-22);
}

static void halves(void **unused)
{
    const unsigned char f16[] = {
        0x00, 0x3c, 0x01, 0x80, 0x00, 0xfc, 0x00, 0x7e
    }; /* 1 -2^-24 -inf NaN */
    const unsigned char bf16[] = { 0x80, 0x3f, 0x00, 0x80, 0xc0, 0xff, 0x01, 0x00 };
    const int32_t ids[] = { 0 };
    const ref_embedding_args h = { f16, ids, NULL, 4, 4, 0, 0 },
                             b = { bf16, ids, NULL, 4, 4, 0, 0 };
    (void)unused;
    evaluate(ref_embedding_f16, &h, 0, 4, &fast);
    assert_true(v[0] == 1 && v[1] == -0x1p-24 && v[2] == -INFINITY && isnan(v[3]));
    evaluate(ref_embedding_bf16, &b, 0, 4, &fast);
    assert_true(v[0] == 1 && v[1] == 0 && signbit(v[1]) && isnan(v[2]) && v[3] == 0x1p-133);
}

/* Second of two blocks, of the second row; leading dimension of three blocks. */
static void blocks_of_32(void **unused)
{
    static unsigned char q4[5 * 18], q8[5 * 34];
    const int32_t ids[] = { 1 };
    (void)unused;
    q4[4 * 18 + 1] = q8[4 * 34 + 1] = 0x38; /* a half */
    q4[4 * 18 + 2 + 3] = 0xf1;              /* elements 3 and 19: 1 - 8, 15 - 8 */
    q8[4 * 34 + 2 + 31] = 0x80;
    const ref_embedding_args g = { q4, ids, NULL, 64, 3, 0, 0 }, h = { q8, ids, NULL, 64, 3, 0, 0 };
    evaluate(ref_embedding_q4_0, &g, 0, 64, &fast);
    assert_true(v[32 + 3] == -3.5 && v[32 + 19] == 3.5 && v[32] == -4 && v[3] == 0);
    evaluate(ref_embedding_q8_0, &h, 0, 64, &fast);
    assert_true(v[63] == -64 && v[62] == 0 && e[63] == 0);
}

/* q4_k: d s q - dmin m of sub-block 1; q6_k: an element of the last sub-block. */
static void blocks_of_256(void **unused)
{
    static unsigned char q4[144], q6[210];
    const float pos[256] = { [40] = 0.25f };
    const int32_t ids[] = { 0 };
    (void)unused;
    q4[1] = 0x3c, q4[3] = 0x40;   /* d = 1, dmin = 2 */
    q4[4 + 1] = 3, q4[4 + 5] = 5; /* s = 3, m = 5 */
    q4[16 + 8] = 0x70;            /* element 40: 7 */
    const ref_embedding_args g = { q4, ids, pos, 256, 1, 256, 0 };
    evaluate(ref_embedding_q4_k, &g, 0, 256, &fast);
    assert_true(v[40] == 3 * 7 - 2 * 5 + 0.25 && v[41] == -10 && v[0] == 0 && e[40] == 0);
    q6[209] = 0x3c;
    q6[192 + 15] = 0xfe; /* -2 */
    q6[64 + 63] = 0x90;  /* element 255: 9 + 16 * 2 */
    q6[128 + 63] = 2 << 6;
    const ref_embedding_args h = { q6, ids, NULL, 256, 1, 0, 0 };
    evaluate(ref_embedding_q6_k, &h, 0, 256, &fast);
    assert_true(v[255] == -2 * (9 + 32 - 32) && v[254] == -2 * -32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_bits), cmocka_unit_test(positions_are_added_once),
        cmocka_unit_test(halves),          cmocka_unit_test(blocks_of_32),
        cmocka_unit_test(blocks_of_256),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
