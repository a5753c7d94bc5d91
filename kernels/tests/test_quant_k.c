/* SPDX-License-Identifier: MIT */
/* Blocks of the k formats worked out by hand, under each best bundle and in both modes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "ck_dtype.h"
#include "ck_ops.h"
#include "f16.h"
#include "quant.h"

enum { BYTES_MOST = CK_Q8_K_BYTES };

static const struct format {
    ck_status (*quantize)(const ck_quantize_args *args);
    ck_status (*dequant)(const ck_dequant_args *args);
    size_t bytes, d_at;
} formats[] = {
    { ck_quantize_row_q4_k, ck_dequant_row_q4_k, CK_Q4_K_BYTES, 0 },
    { ck_quantize_row_q5_k, ck_dequant_row_q5_k, CK_Q5_K_BYTES, 0 },
    { ck_quantize_row_q6_k, ck_dequant_row_q6_k, CK_Q6_K_BYTES, 208 },
    { ck_quantize_row_q8_k, ck_dequant_row_q8_k, CK_Q8_K_BYTES, 0 },
};
enum { FORMATS = sizeof formats / sizeof *formats, Q8_K = FORMATS - 1 };

static void under_each(void (*test)(void))
{
    const unsigned all = ck_isa_mask();

    for (unsigned isa = 0; isa < 2 * CK_ISA_COUNT; isa++) {
        if (!(all >> isa / 2 & 1)) continue;
        ck_set_strict_parity(isa & 1);
        ck_isa_set_mask((2u << isa / 2) - 1);
        test();
        ck_isa_set_mask(all);
    }
    ck_set_strict_parity(0);
}

static float x[3 * CK_K_BLOCK];
static unsigned char y[3 * BYTES_MOST + 1];

/* Scales 1 2 3 4 58 28 46 0 and minimums 5 6 7 8 25 43 61 15, packed by another program. */
static const unsigned char scales[12] = { 0xc1, 0x42, 0x83, 0x04, 0x45, 0x86,
                                          0xc7, 0x08, 0x9a, 0xbc, 0xde, 0xf0 };

static void put_half(unsigned char *at, unsigned bits)
{
    at[0] = (unsigned char)bits;
    at[1] = (unsigned char)(bits >> 8);
}

/* Three equal blocks at an odd address; the first and the last must give the same values. */
static const float *decode(size_t f, const unsigned char *block)
{
    for (size_t b = 0; b < 3; b++) memcpy(y + 1 + b * formats[f].bytes, block, formats[f].bytes);
    memset(x, 0xff, sizeof x);
    assert_int_equal(formats[f].dequant(&(ck_dequant_args){ x, y + 1, 3 * CK_K_BLOCK }), CK_OK);
    assert_memory_equal(x, x + 2 * CK_K_BLOCK, CK_K_BLOCK * sizeof *x);
    return x;
}

static void expect_sums(const float *v, double sum, double weighted)
{
    double a = 0, b = 0;

    for (int i = 0; i < CK_K_BLOCK; i++) {
        a += (double)v[i];
        b += (i + 1) * (double)v[i];
    }
    assert_true(a == sum && b == weighted);
}

static void q4_k_vector(void)
{
    unsigned char block[CK_Q4_K_BYTES];

    put_half(block, 0x3800);     /* 0.5 */
    put_half(block + 2, 0x3400); /* 0.25 */
    memcpy(block + 4, scales, sizeof scales);
    for (int i = 0; i < 128; i++) block[16 + i] = (unsigned char)(7 * i);
    const float *const v = decode(0, block);
    expect_sums(v, 15514, 2587042);
    assert_true(v[0] == -1.25f && v[1] == 2.25f && v[33] == -1.5f && v[64] == -1.75f);
    assert_true(v[97] == 26 && v[128] == -6.25f && v[192] == -15.25f && v[255] == -3.75f);
}

/* The same with a fifth bit in one element of each sub-block j, l = 4 j: 16 * 0.5 s[j] more. */
static void q5_k_vector(void)
{
    static const float s[8] = { 1, 2, 3, 4, 58, 28, 46, 0 };
    unsigned char low[CK_Q4_K_BYTES], block[CK_Q5_K_BYTES] = { 0 };
    float want[CK_K_BLOCK];

    put_half(low, 0x3800);
    put_half(low + 2, 0x3400);
    memcpy(low + 4, scales, sizeof scales);
    for (int i = 0; i < 128; i++) low[16 + i] = (unsigned char)(7 * i);
    memcpy(want, decode(0, low), sizeof want);
    memcpy(block, low, 16);
    memcpy(block + 48, low + 16, 128);
    for (int j = 0; j < 8; j++) {
        block[16 + 4 * j] = (unsigned char)(1 << j);
        want[32 * j + 4 * j] += 8 * s[j];
    }
    assert_memory_equal(decode(1, block), want, sizeof want);
}

static void q6_k_vector(void)
{
    unsigned char block[CK_Q6_K_BYTES];

    for (int i = 0; i < 128; i++) block[i] = (unsigned char)i;
    for (int i = 0; i < 64; i++) block[128 + i] = (unsigned char)(37 * i);
    for (int i = 0; i < 16; i++) block[192 + i] = (unsigned char)(i - 8);
    put_half(block + 208, 0x3c00);
    const float *const v = decode(2, block);
    expect_sums(v, 1088, 14224);
    assert_true(v[0] == 256 && v[1] == 120 && v[17] == 105 && v[33] == 90 && v[65] == 0);
    assert_true(v[97] == 60 && v[128] == 0 && v[255] == -175);
}

static void q8_k_vector(void)
{
    const float d = -0x1.8p-3f;
    unsigned char block[CK_Q8_K_BYTES] = { 0 };

    memcpy(block, &d, sizeof d);
    for (int i = 0; i < CK_K_BLOCK; i++) block[4 + i] = (unsigned char)i;
    const float *const v = decode(3, block);
    for (int i = 0; i < CK_K_BLOCK; i++) assert_true(v[i] == d * (float)(i < 128 ? i : i - 256));
    assert_int_equal(f32_bits(v[0]), 0x80000000);
}

/* Infinity times 0, and less itself, is the one NaN; zeros have their signs. */
static void special_values(void)
{
    unsigned char block[BYTES_MOST] = { 0 };

    put_half(block, 0x7c00);
    put_half(block + 2, 0x7c00);
    block[4] = block[8] = 1;
    block[16] = 1;
    assert_int_equal(f32_bits(decode(0, block)[0]), 0x7fc00000);
    put_half(block + 2, 0);
    assert_true(decode(0, block)[0] == INFINITY);
    assert_int_equal(f32_bits(x[1]), 0x7fc00000);
    put_half(block, 0x8001);
    assert_true(decode(0, block)[0] == -0x1p-24f);
    assert_int_equal(f32_bits(x[1]), 0x80000000);
    put_half(block + 2, 0x8001);
    assert_int_equal(f32_bits(decode(0, block)[33]), 0); /* -0 - -0 */
}

/* Quantises x, and checks that nothing else is written. */
static const unsigned char *encode(size_t f)
{
    memset(y, 0xa5, sizeof y);
    assert_int_equal(formats[f].quantize(&(ck_quantize_args){ y + 1, x, CK_K_BLOCK }), CK_OK);
    assert_true(y[0] == 0xa5 && y[1 + formats[f].bytes] == 0xa5);
    return y + 1;
}

/* Whole blocks: the values of these are multiples of their own steps. */
static void blocks_come_back(void)
{
    unsigned char block[BYTES_MOST] = { 0 }, many[12];

    memcpy(many, scales, sizeof many);
    many[3] = 63; /* the largest scale and minimum are in use */
    many[7] = 63;
    put_half(block, 0x3800);
    put_half(block + 2, 0x3400);
    memcpy(block + 4, many, sizeof many);
    for (int i = 0; i < 128; i++) block[16 + i] = (unsigned char)(7 * i);
    for (int j = 0; j < 4; j++) {
        block[16 + 32 * j] = 0xf0; /* all codes have both extremes */
        block[17 + 32 * j] = 0x0f;
    }
    const size_t codeless = 240 - 16; /* the scale of the last sub-block is 0 */
    for (int i = 0; i < 32; i++) block[16 + 96 + i] &= 15;
    memcpy(x, decode(0, block), sizeof x);
    assert_true(x[codeless] == -3.75f);
    assert_memory_equal(encode(0), block, CK_Q4_K_BYTES);
}

static void expect_lone(size_t f, float value, unsigned bits, size_t bytes)
{
    unsigned char want[BYTES_MOST] = { 0 };

    for (int i = 0; i < CK_K_BLOCK; i++) x[i] = 0;
    x[200] = value;
    memcpy(want + formats[f].d_at, &bits, bytes);
    assert_memory_equal(encode(f), want, formats[f].bytes);
}

static void blocks_without_codes(void)
{
    for (size_t f = 0; f < Q8_K; f++) {
        const float most = f == 0 ? 945 : f == 1 ? 1953 : 3937;
        expect_lone(f, NAN, 0x7e00, 2);
        expect_lone(f, -INFINITY, 0x7e00, 2);
        expect_lone(f, most * 65505.0f, 0x7c00, 2);
    }
    expect_lone(0, -63 * 65505.0f, 0x7c00, 2); /* dmin */
    expect_lone(Q8_K, 0, 0, 4);
    expect_lone(Q8_K, f32_of_bits(0x02fe0000), 0, 4);
    expect_lone(Q8_K, INFINITY, 0x7fc00000, 4);
    expect_lone(Q8_K, -NAN, 0x7fc00000, 4);
}

/* M is the first of the greatest, with its sign: its code is -127. */
static void q8_k_signed_most(void)
{
    int16_t sums[16];
    float d;

    for (int i = 0; i < CK_K_BLOCK; i++) x[i] = i == 255 ? -127.0f : i == 254 ? 127.0f : 0.5f;
    const unsigned char *const block = encode(Q8_K);
    memcpy(&d, block, sizeof d);
    memcpy(sums, block + 260, sizeof sums);
    assert_true(d == -1 && block[4 + 254] == 129 && block[4 + 255] == 127 && block[4] == 0);
    assert_true(sums[0] == 0 && sums[15] == 0);
    x[254] = 0.5f;
    x[240] = 1.5f;
    encode(Q8_K);
    memcpy(&d, block, sizeof d);
    memcpy(sums, block + 260, sizeof sums);
    assert_true(d == 1 && block[4 + 255] == 129 && block[4 + 240] == 2 && sums[15] == -125);
}

static void vectors_on_every_variant(void **state)
{
    (void)state;
    under_each(q4_k_vector);
    under_each(q5_k_vector);
    under_each(q6_k_vector);
    under_each(q8_k_vector);
    under_each(special_values);
    under_each(blocks_come_back);
    under_each(blocks_without_codes);
    under_each(q8_k_signed_most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_on_every_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
