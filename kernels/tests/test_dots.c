/* SPDX-License-Identifier: MIT */
/* Products of blocks by blocks: extremes worked out by hand, and strict bits that are those of the
 * products of dequantised rows, under each best bundle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "ck_dtype.h"
#include "ck_ops.h"
#include "gemm.h"
#include "quant.h"

typedef ck_status dot_fn(const ck_gemm_q_args *args);
typedef ck_status dequant_fn(const ck_dequant_args *args);

/* Bytes and elements of blocks; where d is; least and greatest value of an element with d = 1, other bits
 * 0 or 1; decoders of both. */
typedef struct pair {
    dot_fn *dot;
    dequant_fn *b_values, *a_values;
    size_t elements, b_bytes, a_bytes, b_scale, a_codes;
    int low, high;
    bool has_min;
} pair;

static const pair pairs[] = {
    { ck_gemm_nt_q4_0_q8_0, ck_dequant_row_q4_0, ck_dequant_row_q8_0, 32, 18, 34, 0, 2, -8, 7, 0 },
    { ck_gemm_nt_q4_1_q8_1, ck_dequant_row_q4_1, ck_dequant_row_q8_1, 32, 20, 36, 0, 4, 0, 15, 1 },
    { ck_gemm_nt_q5_0_q8_0, ck_dequant_row_q5_0, ck_dequant_row_q8_0, 32, 22, 34, 0, 2, -16, 15,
      0 },
    { ck_gemm_nt_q5_1_q8_1, ck_dequant_row_q5_1, ck_dequant_row_q8_1, 32, 24, 36, 0, 4, 0, 31, 1 },
    { ck_gemm_nt_q8_0_q8_0, ck_dequant_row_q8_0, ck_dequant_row_q8_0, 32, 34, 34, 0, 2, 0, -1, 0 },
    { ck_gemm_nt_q4_k_q8_k, ck_dequant_row_q4_k, ck_dequant_row_q8_k, 256, 144, 292, 0, 4, 0,
      63 * 15, 1 },
    { ck_gemm_nt_q5_k_q8_k, ck_dequant_row_q5_k, ck_dequant_row_q8_k, 256, 176, 292, 0, 4, 0,
      63 * 31, 1 },
    { ck_gemm_nt_q6_k_q8_k, ck_dequant_row_q6_k, ck_dequant_row_q8_k, 256, 210, 292, 208, 4, 0, -31,
      0 },
};
enum { PAIRS = sizeof pairs / sizeof *pairs, BLOCKS = 19 };

static unsigned char a[BLOCKS * 292 + 1], b[BLOCKS * 210 + 1];

static void under_each(void (*test)(const pair *p), int modes)
{
    const unsigned all = ck_isa_mask();

    for (unsigned isa = 0; isa < 2 * CK_ISA_COUNT; isa++) {
        if (!(all >> isa / 2 & 1) || !(modes >> (isa & 1) & 1)) continue;
        ck_set_strict_parity(isa & 1);
        ck_isa_set_mask((2u << isa / 2) - 1);
        for (size_t i = 0; i < PAIRS; i++) test(&pairs[i]);
        ck_isa_set_mask(all);
    }
    ck_set_strict_parity(0);
}

/* d = 1 of every block of a; s or bsums are what the codes add up to. */
static void set_a(const pair *p, size_t blocks, int code)
{
    const float one = 1.0f;
    const int16_t sum = (int16_t)(16 * code);

    memset(a, code, sizeof a);
    for (size_t l = 0; l < blocks; l++) {
        unsigned char *const at = a + 1 + l * p->a_bytes;
        at[0] = 0, at[1] = 0x3c;
        if (p->a_codes == 4) at[2] = at[3] = 0; /* s, which minimums of 0 meet */
        if (p->elements == 32) continue;
        memcpy(at, &one, sizeof one);
        for (size_t i = 0; i < 16; i++) memcpy(at + 260 + 2 * i, &sum, sizeof sum);
    }
}

static void set_b(const pair *p, size_t blocks, int bits)
{
    memset(b, bits, sizeof b);
    for (size_t l = 0; l < blocks; l++) {
        unsigned char *const at = b + 1 + l * p->b_bytes;
        at[p->b_scale] = 0, at[p->b_scale + 1] = 0x3c;
        if (p->has_min) at[2] = at[3] = 0;
    }
}

static float product(const pair *p, size_t blocks)
{
    float y = -1;
    const ck_gemm_q_args g = {
        &y, a + 1, b + 1, NULL, 1, 1, blocks * p->elements, 1, blocks, blocks
    };

    assert_int_equal(p->dot(&g), CK_OK);
    return y;
}

/* Every sum is exact: codes alike, at any number of blocks. */
static void extremes(const pair *p)
{
    static const int codes[] = { -128, -127, 127 };

    for (size_t blocks = 0; blocks <= BLOCKS; blocks++)
        for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
            const double n = (double)(blocks * p->elements);
            set_a(p, blocks, codes[c]);
            set_b(p, blocks, 0);
            assert_true((double)product(p, blocks) == n * codes[c] * p->low);
            set_b(p, blocks, 0xff);
            assert_true((double)product(p, blocks) == n * codes[c] * p->high);
        }
}

static uint32_t draw(void)
{
    static uint32_t state = 1;

    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* Random codes, sub-scales and signs; scales within a binade of 2^-4 with eight bits, or powers of two,
 * so that sums of doubles are exact in any order; no minimums. */
static void draw_rows(const pair *p, size_t blocks)
{
    for (size_t i = 0; i < sizeof a; i++) a[i] = (unsigned char)draw();
    for (size_t i = 0; i < sizeof b; i++) b[i] = (unsigned char)draw();
    for (size_t l = 0; l < blocks; l++) {
        unsigned char *const at = a + 1 + l * p->a_bytes, *const bt = b + 1 + l * p->b_bytes;
        const float d = draw() & 1 ? 0.5f : -0.25f;
        bt[p->b_scale + 1] = (unsigned char)((draw() & 0x80) | 0x2c);
        if (p->has_min) bt[2] = bt[3] = 0;
        if (p->a_codes == 4 && p->elements == 32) at[2] = at[3] = 0;
        at[1] = (unsigned char)((draw() & 0x80) | 0x2c);
        if (p->elements == 256) memcpy(at, &d, sizeof d);
    }
}

static void strict_is_the_product_of_values(const pair *p)
{
    static float x[BLOCKS * 256], w[BLOCKS * 256];

    for (size_t blocks = 0; blocks <= BLOCKS; blocks++) {
        const size_t k = blocks * p->elements;
        float y = -1;
        draw_rows(p, blocks);
        assert_int_equal(p->a_values(&(ck_dequant_args){ x, a + 1, k }), CK_OK);
        assert_int_equal(p->b_values(&(ck_dequant_args){ w, b + 1, k }), CK_OK);
        const ck_gemm_args g = { .y = &y,
                                 .a = x,
                                 .b = w,
                                 .m = 1,
                                 .n = 1,
                                 .k = k,
                                 .ldy = 1,
                                 .lda = k,
                                 .ldb = k,
                                 .alpha = 1 };
        assert_int_equal(ck_gemm_nt_f32(&g), CK_OK);
        assert_true(y == product(p, blocks));
    }
}

/* a and b of different sizes: the byte behind the last of each belongs to nobody. */
static void overlap_is_by_the_bytes_of_each(const pair *p)
{
    static float room[256];
    unsigned char *const bytes = (unsigned char *)room;
    ck_gemm_q_args g = { .y = room,
                         .a = bytes + 4,
                         .b = b,
                         .m = 1,
                         .n = 1,
                         .k = p->elements,
                         .ldy = 1,
                         .lda = 1,
                         .ldb = 1 };

    assert_int_equal(p->dot(&g), CK_OK);
    g.y = (float *)(void *)(bytes + 4 + (p->a_bytes - 1) / 4 * 4);
    assert_int_equal(p->dot(&g), CK_ERR_ALIAS);
    g.y = (float *)(void *)(bytes + 4 + (p->a_bytes + 3) / 4 * 4);
    assert_int_equal(p->dot(&g), CK_OK);
    g.a = a, g.b = bytes + 4, g.y = (float *)(void *)(bytes + 4 + (p->b_bytes - 1) / 4 * 4);
    assert_int_equal(p->dot(&g), CK_ERR_ALIAS);
    g.y = (float *)(void *)(bytes + 4 + (p->b_bytes + 3) / 4 * 4);
    assert_int_equal(p->dot(&g), CK_OK);
    g.k = p->elements / 2;
    assert_int_equal(p->dot(&g), CK_ERR_MULTIPLE);
}

static void extremes_are_exact(void **state)
{
    (void)state;
    under_each(extremes, 3);
}

static void strict_bits_are_those_of_the_values(void **state)
{
    (void)state;
    under_each(strict_is_the_product_of_values, 2);
}

static void entries_know_both_sizes(void **state)
{
    (void)state;
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    under_each(overlap_is_by_the_bytes_of_each, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_are_exact),
        cmocka_unit_test(strict_bits_are_those_of_the_values),
        cmocka_unit_test(entries_know_both_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
