/* SPDX-License-Identifier: MIT */
/* Contract tests of the entries of embedding, and rows that must be those of dequant_row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "ck_ops.h"
#include "embedding.h"
#include "quant.h"

enum { CELLS = 64 };
static float y[CELLS], w[CELLS], pos[CELLS];
static int32_t ids[] = { 4, 0, 2 };

static void fill(void)
{
    for (int i = 0; i < CELLS; i++) {
        y[i] = 1e30f;
        w[i] = (float)i;
        pos[i] = 100.0f * (float)i;
    }
}

/* The status, and not a cell of y touched. */
static void refused(ck_status got, ck_status wanted)
{
    assert_int_equal(got, wanted);
    for (int i = 0; i < CELLS; i++) assert_true(y[i] == 1e30f);
}

static ck_embedding_args good(void)
{
    return (ck_embedding_args){ y, ids, w, pos, 3, 5, 4, 6, 7, 5, 4, 1 };
}

static void refuses(void **state)
{
    ck_embedding_args g;
    (void)state;
    fill();
    refused(ck_embedding_f32(NULL), CK_ERR_NULL);
    g = good(), g.y = NULL, refused(ck_embedding_f32(&g), CK_ERR_NULL);
    g = good(), g.ids = NULL, refused(ck_embedding_f32(&g), CK_ERR_NULL);
    g = good(), g.w = NULL, refused(ck_embedding_f32(&g), CK_ERR_NULL);
    g = good(), g.cols = 3, refused(ck_embedding_f32(&g), CK_ERR_SHAPE);
    g = good(), g.ldy = 5, refused(ck_embedding_f32(&g), CK_ERR_SHAPE);
    g = good(), g.ldw = 3, refused(ck_embedding_f32(&g), CK_ERR_SHAPE);
    g = good(), g.ldp = 3, refused(ck_embedding_f32(&g), CK_ERR_SHAPE);
    g = good(), g.pos0 = SIZE_MAX, refused(ck_embedding_f32(&g), CK_ERR_SHAPE);
    g = good(), g.t = SIZE_MAX / 8, refused(ck_embedding_f32(&g), CK_ERR_SHAPE);
    g = good(), g.vocab = SIZE_MAX / 8, refused(ck_embedding_f32(&g), CK_ERR_SHAPE);
    g = good(), g.vocab = 4, refused(ck_embedding_f32(&g), CK_ERR_VALUE);
    g = good(), g.vocab = 0, refused(ck_embedding_f32(&g), CK_ERR_VALUE);
    for (int i = 0; i < 3; i++) {
        const int32_t bad[] = { -1, INT32_MIN, 5, INT32_MAX };
        int32_t some[3];
        for (int b = 0; b < 4; b++) {
            memcpy(some, ids, sizeof some);
            some[i] = bad[b];
            g = good(), g.ids = some, refused(ck_embedding_f32(&g), CK_ERR_VALUE);
        }
    }
    g = good(), g.w = y + 3, refused(ck_embedding_f32(&g), CK_ERR_ALIAS);
    g = good(), g.pos = y + 2, refused(ck_embedding_f32(&g), CK_ERR_ALIAS);
    g = good(), g.d = 33, g.cols = g.ldy = 33, refused(ck_embedding_q8_0(&g), CK_ERR_MULTIPLE);
    g = good(), g.d = 32, g.cols = g.ldy = 32, refused(ck_embedding_q4_k(&g), CK_ERR_MULTIPLE);
    ck_isa_set_mask(0);
    g = good(), refused(ck_embedding_f32(&g), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    g = good(), g.t = 0, g.y = NULL, refused(ck_embedding_f32(&g), CK_OK);
}

static void rows_by_hand(void **state)
{
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        ck_set_strict_parity(strict);
        fill();
        ck_embedding_args g = good();
        assert_int_equal(ck_embedding_f32(&g), CK_OK);
        for (size_t i = 0; i < 3; i++) {
            for (size_t j = 0; j < 4; j++)
                assert_true(y[7 * i + j] == (float)(5 * ids[i] + (int)j) + pos[4 * (i + 1) + j]);
            assert_true(y[7 * i + 4] == 0 && y[7 * i + 5] == 0 && y[7 * i + 6] == 1e30f);
        }
        g.pos = NULL;
        assert_int_equal(ck_embedding_f32(&g), CK_OK);
        assert_memory_equal(y, w + 20, 4 * sizeof *y);
    }
    ck_set_strict_parity(0);
}

/* Blocks of any bytes, NaN and infinite scales among them. */
typedef struct format {
    ck_status (*embed)(const ck_embedding_args *args);
    ck_status (*dequant)(const ck_dequant_args *args);
    ck_dtype dtype;
} format;

static void rows_are_those_of_dequant_row(void **state)
{
    static const format formats[] = {
        { ck_embedding_bf16, ck_dequant_row_bf16, CK_DTYPE_BF16 },
        { ck_embedding_f16, ck_dequant_row_f16, CK_DTYPE_F16 },
        { ck_embedding_q4_0, ck_dequant_row_q4_0, CK_DTYPE_Q4_0 },
        { ck_embedding_q8_0, ck_dequant_row_q8_0, CK_DTYPE_Q8_0 },
        { ck_embedding_q4_k, ck_dequant_row_q4_k, CK_DTYPE_Q4_K },
        { ck_embedding_q6_k, ck_dequant_row_q6_k, CK_DTYPE_Q6_K },
    };
    enum { D = 512, ROWS = 3 };
    static unsigned char table[2 * D * ROWS];
    static float got[ROWS * D], wanted[D];
    static const int32_t order[] = { 2, 0, 2 };
    uint32_t random = 12345;
    (void)state;
    for (int n = 0; n < 200; n++) {
        const format *f = &formats[n % 6];
        const size_t bytes = ck_row_bytes(f->dtype, D);
        ck_set_strict_parity(n / 6 % 2);
        for (size_t b = 0; b < sizeof table; b++)
            table[b] = (unsigned char)((random = random * 1664525u + 1013904223u) >> 24);
        const ck_embedding_args g = { .y = got,
                                      .ids = order,
                                      .w = table,
                                      .t = 3,
                                      .vocab = ROWS,
                                      .d = D,
                                      .cols = D,
                                      .ldy = D,
                                      .ldw = D / ck_dtype_block(f->dtype) };
        assert_int_equal(f->embed(&g), CK_OK);
        for (size_t i = 0; i < 3; i++) {
            const ck_dequant_args r = { wanted, table + (size_t)order[i] * bytes, D };
            assert_int_equal(f->dequant(&r), CK_OK);
            assert_memory_equal(got + i * D, wanted, sizeof wanted);
        }
    }
    ck_set_strict_parity(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(rows_by_hand),
        cmocka_unit_test(rows_are_those_of_dequant_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
