/* SPDX-License-Identifier: MIT */
/* Packed weights under each best bundle: every byte is where docs/formats.md says, strict products have the
 * bits of those of the rows that were packed, and bad arguments are refused. */
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

enum { M = 6, N = 21, EIGHTS = 3, BLOCKS = 3, LDX = 4, LDP = 5, LDA = 4 };
enum { MOST_ROW = CK_Q4_K_BYTES, MOST_PACKED = CK_Q4_KX8_BYTES };
static unsigned char w[N * LDX * MOST_ROW], packed[EIGHTS * LDP * MOST_PACKED + 1],
    a[M * LDA * CK_Q8_K_BYTES];
static float y[M * N], z[M * N], bias[N];

static uint64_t seed = 1;
static unsigned draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33);
}

static void fill(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)draw();
}

/* A format that is packed: units in elements and bytes, the ops, whether a packed block has a row (NULL: zeros), and
 * a block of the greatest codes of each operand, with what every row of it sums to. */
typedef struct kind {
    size_t elements, row, packed, a;
    ck_status (*pack)(const ck_pack_args *args);
    ck_status (*product)(const ck_gemm_p_args *args);
    ck_status (*product_of_rows)(const ck_gemm_q_args *args);
    void (*is_packed)(const unsigned char *unit, size_t r, const unsigned char *row);
    double (*make_extreme)(unsigned char *weights, unsigned char *activations);
} kind;
static const kind *of; /* the kind that is tested */

static ck_pack_args make_pack(void)
{
    fill(w, sizeof w);
    memset(packed, 0x5a, sizeof packed);
    return (ck_pack_args){ packed, w, N, BLOCKS * of->elements, LDP, LDX };
}

static ck_gemm_p_args make_product(void)
{
    fill(packed, sizeof packed);
    fill(a, sizeof a);
    for (size_t i = 0; i < M * N; i++) y[i] = 1e30f;
    return (ck_gemm_p_args){ y, a, packed, bias, M, N, BLOCKS * of->elements, N, LDA, LDP };
}

static void under_each(void (*test)(void))
{
    const unsigned all = ck_isa_mask();
    for (unsigned isa = 0; isa < CK_ISA_COUNT; isa++) {
        if (!(all >> isa & 1)) continue;
        ck_isa_set_mask((2u << isa) - 1);
        test();
        ck_isa_set_mask(all);
    }
}

/* The six bits of number n, of scales or, 4 bytes on, minimums. */
static unsigned six_bits(const unsigned char *b, size_t n, bool minimum)
{
    const size_t at = minimum ? 4 : 0;
    if (n < 4) return b[at + n] & 63u;
    return (minimum ? b[4 + n] >> 4 : b[4 + n] & 15u) | (unsigned)b[at + n - 4] >> 6 << 4;
}

static void is_packed_k(const unsigned char *unit, size_t r, const unsigned char *row)
{
    static const unsigned char zeros[CK_Q4_K_BYTES];
    if (!row) row = zeros;
    assert_memory_equal(unit + 2 * r, row, 2);
    assert_memory_equal(unit + 16 + 2 * r, row + 2, 2);
    for (size_t j = 0; j < 8; j++)
        for (int minimum = 0; minimum < 2; minimum++)
            assert_int_equal(six_bits(unit + 32 + 12 * j, r, minimum),
                             six_bits(row + 4, j, minimum));
    for (size_t c = 0; c < 16; c++)
        assert_memory_equal(unit + 128 + 64 * c + 8 * r, row + 16 + 8 * c, 8);
}

static void is_packed_0(const unsigned char *unit, size_t r, const unsigned char *row)
{
    static const unsigned char zeros[2];
    assert_memory_equal(unit + 2 * r, row ? row : zeros, 2);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(unit[16 + i / 8 * 64 + 8 * r + i % 8], row ? row[2 + i] ^ 0x88 : 0);
}

static void lies_as_documented(void)
{
    const ck_pack_args p = make_pack();
    assert_int_equal(of->pack(&p), CK_OK);
    for (size_t i = 0; i < EIGHTS * 8; i++)
        for (size_t l = 0; l < BLOCKS; l++)
            of->is_packed(packed + (i / 8 * LDP + l) * of->packed, i % 8,
                          i < N ? w + (i * LDX + l) * of->row : NULL);
    for (size_t i = 0; i < EIGHTS; i++)
        for (size_t at = BLOCKS * of->packed; at < LDP * of->packed; at++)
            assert_int_equal(packed[i * LDP * of->packed + at], 0x5a);
}

static void every_byte_is_where_documented(void **state)
{
    (void)state;
    under_each(lies_as_documented);
}

static void has_strict_bits(void)
{
    for (int t = 0; t < 20; t++) {
        const ck_gemm_p_args g = make_product();
        const ck_pack_args p = make_pack();
        for (size_t i = 0; i < N; i++) bias[i] = (float)(int)(draw() % 2001 - 1000);
        assert_int_equal(of->pack(&p), CK_OK);
        assert_int_equal(of->product(&g), CK_OK);
        const ck_gemm_q_args rows = { z, a, w, bias, M, N, g.k, N, LDA, LDX };
        assert_int_equal(of->product_of_rows(&rows), CK_OK);
        assert_memory_equal(y, z, sizeof y);
    }
}

/* Any bytes are blocks: infinite scales, NaNs and false sums are in contract too. */
static void strict_bits_are_those_of_the_rows(void **state)
{
    (void)state;
    ck_set_strict_parity(1);
    under_each(has_strict_bits);
    ck_set_strict_parity(0);
}

static void put(unsigned char *at, const void *from, size_t n) { memcpy(at, from, n); }

static const uint16_t one = 0x3c00;

/* The greatest codes, scales and sums, by activations of -128. */
static double make_extreme_k(unsigned char *weights, unsigned char *activations)
{
    const float unit = 1;
    const int16_t sum = -32768;
    memset(weights, 0xff, CK_Q4_KX8_BYTES);
    memset(activations, 0x80, CK_Q8_K_BYTES);
    for (size_t r = 0; r < 16; r++) put(weights + 2 * r, &one, 2);
    put(activations, &unit, 4);
    for (size_t n = 0; n < 16; n++) put(activations + 260 + 2 * n, &sum, 2);
    return -128.0 * 15 * 63 * 256 - -32768.0 * 63 * 16;
}

/* Codes of -8, 0 as they are multiplied, by -128: one more than 16 bits have. */
static double make_extreme_0(unsigned char *weights, unsigned char *activations)
{
    memset(weights, 0x88, CK_Q4_0X8_BYTES);
    memset(activations, 0x80, CK_Q8_0_BYTES);
    for (size_t r = 0; r < 8; r++) put(weights + 2 * r, &one, 2);
    put(activations, &one, 2);
    return 8 * 128 * 32;
}

/* 64 such blocks: no sum of integers overflows, and those of double are exact. */
static void is_extreme(void)
{
    enum { LONG = 64 };
    static unsigned char weights[LONG * MOST_PACKED], row[LONG * CK_Q8_K_BYTES];
    float out[8];
    double sum = 0;
    for (size_t l = 0; l < LONG; l++)
        sum += of->make_extreme(weights + l * of->packed, row + l * of->a);
    const ck_gemm_p_args g = { out, row, weights, NULL, 1, 8, LONG * of->elements, 8, LONG, LONG };
    assert_int_equal(of->product(&g), CK_OK);
    for (size_t r = 0; r < 8; r++) assert_true(out[r] == (float)sum);
}

static void extremes_do_not_overflow(void **state)
{
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        ck_set_strict_parity(strict);
        under_each(is_extreme);
    }
    ck_set_strict_parity(0);
}

static void refuses(const ck_gemm_p_args *g, ck_status wanted)
{
    assert_int_equal(of->product(g), wanted);
    for (size_t i = 0; i < M * N; i++) assert_true(y[i] == 1e30f);
}

static void bad_products_are_refused(void **state)
{
    void *const in_y = y, *const end = packed + ((EIGHTS - 1) * LDP + BLOCKS) * of->packed;
    float *const at_end = end;
    ck_gemm_p_args g;
    (void)state;
    make_product();
    refuses(NULL, CK_ERR_NULL);
    g = make_product(), g.y = NULL, refuses(&g, CK_ERR_NULL);
    g = make_product(), g.a = NULL, refuses(&g, CK_ERR_NULL);
    g = make_product(), g.b = NULL, refuses(&g, CK_ERR_NULL);
    g = make_product(), g.k -= 1, refuses(&g, CK_ERR_MULTIPLE);
    g = make_product(), g.ldy = N - 1, refuses(&g, CK_ERR_SHAPE);
    g = make_product(), g.lda = BLOCKS - 1, refuses(&g, CK_ERR_SHAPE);
    g = make_product(), g.ldb = BLOCKS - 1, refuses(&g, CK_ERR_SHAPE);
    g = make_product(), g.ldb = SIZE_MAX / of->packed, refuses(&g, CK_ERR_SHAPE);
    g = make_product(), g.a = in_y, refuses(&g, CK_ERR_ALIAS);
    g = make_product(), g.b = in_y, refuses(&g, CK_ERR_ALIAS);
    g = make_product(), g.bias = y + N, refuses(&g, CK_ERR_ALIAS);
    g = make_product(), g.m = 0, g.y = NULL, refuses(&g, CK_OK);
    g = make_product(), g.n = 0, g.b = NULL, refuses(&g, CK_OK);
    /* the last of 21 rows is in the third eight, which y may follow but not overlap */
    g = make_product(), g.y = at_end - 1, refuses(&g, CK_ERR_ALIAS);
    g = make_product(), g.y = at_end, refuses(&g, CK_OK);
}

static void bad_packing_is_refused(void **state)
{
    ck_pack_args p;
    (void)state;
    assert_int_equal(of->pack(NULL), CK_ERR_NULL);
    p = make_pack(), p.y = NULL, assert_int_equal(of->pack(&p), CK_ERR_NULL);
    p = make_pack(), p.x = NULL, assert_int_equal(of->pack(&p), CK_ERR_NULL);
    p = make_pack(), p.k += of->elements / 8, assert_int_equal(of->pack(&p), CK_ERR_MULTIPLE);
    p = make_pack(), p.ldx = BLOCKS - 1, assert_int_equal(of->pack(&p), CK_ERR_SHAPE);
    p = make_pack(), p.ldy = BLOCKS - 1, assert_int_equal(of->pack(&p), CK_ERR_SHAPE);
    p = make_pack(), p.m = SIZE_MAX, assert_int_equal(of->pack(&p), CK_ERR_SHAPE);
    p = make_pack(), p.x = packed, assert_int_equal(of->pack(&p), CK_ERR_ALIAS);
    p = make_pack(), p.m = 0, p.y = NULL, assert_int_equal(of->pack(&p), CK_OK);
    p = make_pack(), p.k = 0, p.x = NULL, assert_int_equal(of->pack(&p), CK_OK);
    for (size_t i = 0; i < sizeof packed; i++) assert_int_equal(packed[i], 0x5a);
}

/* No terms: the bias, or zeros. */
static void an_empty_sum_is_the_bias(void **state)
{
    ck_gemm_p_args g = make_product();
    (void)state;
    for (size_t i = 0; i < N; i++) bias[i] = (float)i;
    g.k = 0, g.a = NULL, g.b = NULL;
    assert_int_equal(of->product(&g), CK_OK);
    for (size_t i = 0; i < M * N; i++) assert_true(y[i] == bias[i % N]);
    g.bias = NULL;
    assert_int_equal(of->product(&g), CK_OK);
    for (size_t i = 0; i < M * N; i++) assert_true(y[i] == 0);
}

static const kind kinds[] = {
    { CK_Q4_0_BLOCK, CK_Q4_0_BYTES, CK_Q4_0X8_BYTES, CK_Q8_0_BYTES, ck_pack_q4_0_q4_0x8,
      ck_gemm_nt_q4_0x8_q8_0, ck_gemm_nt_q4_0_q8_0, is_packed_0, make_extreme_0 },
    { CK_K_BLOCK, CK_Q4_K_BYTES, CK_Q4_KX8_BYTES, CK_Q8_K_BYTES, ck_pack_q4_k_q4_kx8,
      ck_gemm_nt_q4_kx8_q8_k, ck_gemm_nt_q4_k_q8_k, is_packed_k, make_extreme_k },
};

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_where_documented),
        cmocka_unit_test(strict_bits_are_those_of_the_rows),
        cmocka_unit_test(extremes_do_not_overflow),
        cmocka_unit_test(bad_products_are_refused),
        cmocka_unit_test(bad_packing_is_refused),
        cmocka_unit_test(an_empty_sum_is_the_bias),
    };
    int failed = 0;
    for (of = kinds; of < kinds + sizeof kinds / sizeof *kinds; of++)
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
