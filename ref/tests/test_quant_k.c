/* SPDX-License-Identifier: MIT */
/* Tests of the references of the k formats: vectors worked out by hand or by another program, the
 * formulas in MPFR, and what they promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

#include "../f16.h"

ref_fn ref_quantize_row_q4_k, ref_dequant_row_q4_k;
ref_fn ref_quantize_row_q5_k, ref_dequant_row_q5_k;
ref_fn ref_quantize_row_q6_k, ref_dequant_row_q6_k;
ref_fn ref_quantize_row_q8_k, ref_dequant_row_q8_k;

enum { BLOCK = 256, BYTES_MOST = 292, PARTS_MOST = 274 };

static uint64_t random_state = 1;

/* splitmix64 */
static uint64_t bits64(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int below(int n) { return (int)((bits64() >> 33) % (uint64_t)n); }

static double unit(void) { return (double)(bits64() >> 11) * 0x1p-53; }

static const ck_numspec exact_num = { .accs = 1 };
static const ref_spec nearest = { &exact_num, 0, 0x1p-24, 0, 0 };
static const ref_spec strict = { &exact_num, 1, 0x1p-24, 0, 0 };
static const ref_spec directed = { &exact_num, 0, 0x1p-23, 0, 0 };
static const ref_spec flushing = { &exact_num, 0, 0x1p-24, 1, 1 };

typedef struct cells {
    double v[PARTS_MOST], e[PARTS_MOST], term[PARTS_MOST];
} cells;

static void values(cells *c, ref_fn *fn, const unsigned char *block, const ref_spec *spec)
{
    ref_out out = { BLOCK, c->v, c->term, c->e };
    fn(&(ref_dequant_args){ block }, &(ref_tile){ 0, 1, 0, BLOCK }, spec, 1, &out);
}

static void parts(cells *c, ref_fn *fn, size_t n, const float *x, const ref_spec *spec)
{
    ref_out out = { n, c->v, c->term, c->e };
    fn(&(ref_quantize_args){ x }, &(ref_tile){ 0, 1, 0, 1 }, spec, 1, &out);
}

static const unsigned char scales[12] = { 0xc1, 0x42, 0x83, 0x04, 0x45, 0x86,
                                          0xc7, 0x08, 0x9a, 0xbc, 0xde, 0xf0 };

static void put_half(unsigned char *at, unsigned bits)
{
    at[0] = (unsigned char)(bits & 255);
    at[1] = (unsigned char)(bits >> 8);
}

static void q4_k_block(unsigned char *p, unsigned d, unsigned dmin)
{
    put_half(p, d);
    put_half(p + 2, dmin);
    memcpy(p + 4, scales, sizeof scales);
    for (int i = 0; i < 128; i++) p[16 + i] = (unsigned char)(7 * i & 255);
}

static void expect_sums(const cells *c, double sum, double weighted)
{
    double a = 0, b = 0;
    for (int i = 0; i < BLOCK; i++) {
        a += c->v[i];
        b += (i + 1) * c->v[i];
        assert_true(c->e[i] == 0);
    }
    assert_true(a == sum && b == weighted);
}

static void scales_by_hand(void **unused)
{
    static const int s[8] = { 1, 2, 3, 4, 58, 28, 46, 0 }, m[8] = { 5, 6, 7, 8, 25, 43, 61, 15 };
    unsigned char p[BYTES_MOST];
    cells c;
    (void)unused;
    q4_k_block(p, 0x3c00, 0x3c00);
    memset(p + 16, 0x11, 128);
    values(&c, ref_dequant_row_q4_k, p, &nearest);
    for (int i = 0; i < BLOCK; i++) {
        assert_true(c.v[i] == s[i / 32] - m[i / 32]);
        assert_true(c.term[i] == (s[i / 32] ? s[i / 32] : m[i / 32]));
    }
}

static void values_by_hand(void **unused)
{
    unsigned char p[BYTES_MOST] = { 0 };
    cells c, low;
    (void)unused;
    q4_k_block(p, 0x3800, 0x3400);
    values(&low, ref_dequant_row_q4_k, p, &nearest);
    expect_sums(&low, 15514, 2587042);
    assert_true(low.v[0] == -1.25 && low.v[1] == 2.25 && low.v[33] == -1.5 && low.v[255] == -3.75);
    /* q5_k: the same nibbles; all fifth bits of sub-block 5, of scale 28, add 16 * 0.5 * 28 */
    memmove(p + 48, p + 16, 128);
    memset(p + 16, 1 << 5, 32);
    values(&c, ref_dequant_row_q5_k, p, &nearest);
    for (int i = 0; i < BLOCK; i++)
        assert_true(c.v[i] == low.v[i] + (i / 32 == 5 ? 224 : 0) && c.e[i] == 0);
    for (int i = 0; i < 128; i++) p[i] = (unsigned char)i;
    for (int i = 0; i < 64; i++) p[128 + i] = (unsigned char)(37 * i & 255);
    for (int i = 0; i < 16; i++) p[192 + i] = (unsigned char)((i - 8) & 255);
    put_half(p + 208, 0x3c00);
    values(&c, ref_dequant_row_q6_k, p, &nearest);
    expect_sums(&c, 1088, 14224);
    assert_true(c.v[0] == 256 && c.v[17] == 105 && c.v[97] == 60 && c.v[255] == -175);
}

/* RN(d q) of q8_k: a float d of 24 bits, a result that overflows, one below the normal floats. */
static void q8_k_values_by_hand(void **unused)
{
    const float d[3] = { 0x1.fffffep0f, 0x1p127f, -0x1.fffffcp-127f };
    unsigned char p[BYTES_MOST] = { 0 };
    cells c;
    (void)unused;
    for (int i = 0; i < 3; i++) {
        memcpy(p, &d[i], sizeof d[i]);
        p[4 + 255] = 0x83; /* -125 */
        values(&c, ref_dequant_row_q8_k, p, &nearest);
        assert_true(c.v[255] == (double)(d[i] * -125.0f) && c.e[255] == 0 && c.e[0] == 0);
        assert_true(!signbit(c.v[0]) == !signbit(d[i]));
        values(&c, ref_dequant_row_q8_k, p, &strict);
        assert_true(c.v[255] == (double)(d[i] * -125.0f) && c.e[255] == 0);
        values(&c, ref_dequant_row_q8_k, p, &directed);
        const double exact = (double)d[i] * -125;
        if (i == 1)
            assert_true(c.e[255] == REF_ANY);
        else
            assert_true(c.v[255] == exact && c.e[255] == 2 * ref_half_ulp(fabs(exact)));
        values(&c, ref_dequant_row_q8_k, p, &flushing);
        assert_true(c.e[255] == (i == 2 ? fabs(exact) : 0) && c.e[0] == 0);
    }
}

/* d s q - dmin m: the one rounding, its two sides, and a zero of either sign. */
static void one_rounding_is_left(void **unused)
{
    unsigned char p[BYTES_MOST] = { 0 };
    cells c;
    (void)unused;
    put_half(p, 0x7bff); /* 65504 = 2047 * 2^5 */
    put_half(p + 2, 0x0003);
    p[4] = p[8] = 63;
    p[16] = 15;
    values(&c, ref_dequant_row_q4_k, p, &nearest);
    const double exact = 65504.0 * 63 * 15 - 63 * 0x3p-24;
    assert_true(c.v[0] == 65504.0 * 63 * 15 && c.e[0] == 0 && exact < c.v[0]);
    values(&c, ref_dequant_row_q4_k, p, &directed);
    assert_true(c.v[0] == exact && c.e[0] == 2 * ref_half_ulp(exact) && c.e[1] == 0);
    put_half(p, 0x0001); /* 1 * 63 * 1 = 1 * 63 */
    put_half(p + 2, 0x0001);
    p[16] = 1;
    values(&c, ref_dequant_row_q4_k, p, &directed);
    assert_true(c.v[0] == 0 && c.e[0] == 0x1p-149 && c.v[1] == -63 * 0x1p-24 && c.e[1] == 0);
    values(&c, ref_dequant_row_q4_k, p, &flushing);
    assert_true(c.v[0] == 0 && c.e[0] == 0);
    put_half(p, 0x7c00);
    values(&c, ref_dequant_row_q4_k, p, &directed);
    assert_true(c.v[0] == INFINITY && c.e[0] == 0 && isnan(c.v[1]) && c.term[0] == 0);
}

static void q8_k_by_hand(void **unused)
{
    float x[BLOCK];
    cells c;
    (void)unused;
    for (int i = 0; i < BLOCK; i++) x[i] = (float)(i % 16) + 0.5f;
    x[100] = -127;
    x[200] = 127;
    parts(&c, ref_quantize_row_q8_k, 273, x, &nearest);
    assert_true(c.v[0] == 0x3f800000 && c.v[1] == 0 && c.v[2] == 2 && c.v[3] == 2 && c.v[4] == 4);
    assert_true(c.v[101] == -127 && c.v[201] == 127);
    assert_true(c.v[257] == 128 && c.v[257 + 6] == 128 - 4 - 127 && c.v[257 + 12] == 128 - 8 + 127);
    x[100] = 127;
    parts(&c, ref_quantize_row_q8_k, 273, x, &nearest);
    assert_true(c.v[0] == 0xbf800000 && c.v[101] == -127 && c.v[201] == -127 && c.v[2] == -2);
    parts(&c, ref_quantize_row_q8_k, 273, x, &directed);
    assert_true(c.e[0] == REF_ANY && c.e[272] == REF_ANY);
    const uint32_t border[2] = { 0x02fe0000, 0x82fe0001 };
    for (int b = 0; b < 2; b++) {
        memset(x, 0, sizeof x);
        memcpy(&x[7], &border[b], sizeof *x);
        parts(&c, ref_quantize_row_q8_k, 273, x, &nearest);
        assert_true(c.v[8] == (b ? -127 : 0) && c.v[257] == c.v[8]);
        /* k = RN(127 / (127 (2^-128 + 2^-152))) = 2^128 - 2^104: 1 / k = 2^-128 to its last place */
        assert_true(c.v[0] == (b ? 0x00200000 : 0));
    }
}

/* A grid of a format's own: scales and minimums return, half steps go to the even code. */
static void grids_return(void **unused)
{
    float x[BLOCK];
    cells c;
    (void)unused;
    for (int i = 0; i < BLOCK; i++) {
        const int j = i / 32, l = i % 32;
        x[i] = 0.25f * (float)((63 - 8 * j) * (l > 15 ? 0 : l)) - 0.5f * (float)(63 - 5 * j);
    }
    x[31] = 0.25f * 63 * 14 - 31.5f;
    x[7 * 32 + 20] = 0.25f * 7 * 3 - 14;
    parts(&c, ref_quantize_row_q4_k, 274, x, &nearest);
    assert_true(c.v[0] == 0x3400 && c.v[1] == 0x3800);
    for (int j = 0; j < 8; j++) assert_true(c.v[2 + j] == 63 - 8 * j && c.v[10 + j] == 63 - 5 * j);
    assert_true(c.v[18] == 0 && c.v[18 + 15] == 15 && c.v[18 + 31] == 14 && c.v[18 + 244] == 3);
    /* signed: scales 127 - 7 j, a power of two among them has true ties */
    for (int i = 0; i < BLOCK; i++) {
        const int s = 127 - 7 * (i / 16);
        x[i] = (float)s * (i % 16 == 3 ? -31.0f : (float)(i % 16));
    }
    x[9 * 16] = 64 * 2.5f;
    x[9 * 16 + 1] = 64 * -3.5f;
    parts(&c, ref_quantize_row_q6_k, 273, x, &nearest);
    assert_true(c.v[0] == 0x3c00 && c.v[1 + 9] == 64 && c.v[16] == 22 && c.v[17 + 3] == 1);
    assert_true(c.v[17 + 9 * 16] == 34 && c.v[17 + 9 * 16 + 1] == 28);
}

/* Blocks 1 and 2 of a row in one tile are what each of them is alone. */
static void tiles_take_blocks_in_order(void **unused)
{
    static const struct {
        ref_fn *fn;
        size_t n;
    } all[] = { { ref_quantize_row_q4_k, 274 },
                { ref_quantize_row_q5_k, 274 },
                { ref_quantize_row_q6_k, 273 },
                { ref_quantize_row_q8_k, 273 } };
    static float x[3 * BLOCK];
    static double v[2 * 274], e[2 * 274], term[2 * 274];
    cells c;
    (void)unused;
    for (int i = 0; i < 3 * BLOCK; i++) x[i] = (float)((i % 37 - 11) * (1 + i / BLOCK));
    for (size_t f = 0; f < sizeof all / sizeof *all; f++) {
        ref_out out = { 2 * all[f].n, v, term, e };
        all[f].fn(&(ref_quantize_args){ x }, &(ref_tile){ 0, 1, 1, 2 }, &nearest, 1, &out);
        for (size_t b = 0; b < 2; b++) {
            parts(&c, all[f].fn, all[f].n, x + (1 + b) * BLOCK, &nearest);
            for (size_t i = 0; i < all[f].n; i++) assert_true(v[b * all[f].n + i] == c.v[i]);
        }
    }
}

static void blocks_without_codes(void **unused)
{
    static const struct {
        ref_fn *fn;
        size_t n;
        float most;
    } of[3] = { { ref_quantize_row_q4_k, 274, 945 },
                { ref_quantize_row_q5_k, 274, 1953 },
                { ref_quantize_row_q6_k, 273, 3937 } };
    float x[BLOCK] = { 0 };
    cells c;
    (void)unused;
    for (int f = 0; f < 3; f++) {
        const float bad[5] = { NAN, -INFINITY, of[f].most * 65505, of[f].most * 65504, 0x1p-149f };
        const double bits[5] = { 0x7e00, 0x7e00, 0x7c00, 0x7bff, 0 };
        for (int b = 0; b < 5; b++) {
            x[255] = bad[b];
            parts(&c, of[f].fn, of[f].n, x, &strict);
            assert_true(c.v[0] == bits[b]);
            for (size_t i = 1; i < of[f].n && b < 3; i++) assert_true(c.v[i] == 0 && c.e[i] == 0);
        }
        assert_true(c.v[of[f].n - 1] == (f < 2 ? 0 : 32));
    }
    x[255] = -63 * 65505.0f;
    parts(&c, ref_quantize_row_q5_k, 274, x, &nearest);
    assert_true(c.v[0] == 0x7c00 && c.v[1] == 0);
}

/* Elements of all magnitudes, or those just beside the multiples that scales are made of. */
static void draw(float *x, int round)
{
    const double d = ref_f16_value((uint16_t)(0x1000 + below(0x6000)));
    const int sub = round % 3 ? 32 : 16, shift = below(60) - 40;
    for (int j = 0; j < BLOCK / sub; j++) {
        const double s = 1 + below(63), m = below(64), spread = ldexp(1, -below(12));
        for (int i = j * sub; i < (j + 1) * sub; i++) {
            x[i] = (float)(d * s * below(32) - d * m * (round % 3));
            if (round % 4 == 1) x[i] = nextafterf(x[i], below(2) ? INFINITY : -INFINITY);
            if (round % 4 == 2)
                x[i] = (float)ldexp(spread * (unit() - 0.5) - unit() * (j % 2), shift);
        }
    }
}

/* Nothing is clamped, and no code need be: scales stay within their bits, codes within the levels,
 * and decoding is within half a step and the roundings: 2^-24 |x + dmin m|, and of t twice that. */
static void affine_blocks_keep_their_promise(ref_fn *fn, int levels)
{
    for (int round = 0; round < 4000; round++) {
        float x[BLOCK];
        cells c;
        draw(x, round);
        parts(&c, fn, 274, x, &nearest);
        if (c.v[0] >= 0x7c00) continue;
        const double d = ref_f16_value((uint16_t)c.v[0]), dmin = ref_f16_value((uint16_t)c.v[1]);
        for (int i = 0; i < BLOCK; i++) {
            const double s = c.v[2 + i / 32], m = c.v[10 + i / 32], q = c.v[18 + i];
            const double y = d * s * q - dmin * m, step = d * s;
            assert_true(s >= 0 && s <= 63 && m >= 0 && m <= 63 && q >= 0 && q <= levels);
            const double lost = 0x1p-23 * (fabs((double)x[i]) + dmin * m) + 0x1p-22 * step * levels;
            assert_true(fabs(y - (double)x[i]) <= step / 2 + lost);
        }
    }
}

static void q4_k_keeps_its_promise(void **unused)
{
    (void)unused;
    affine_blocks_keep_their_promise(ref_quantize_row_q4_k, 15);
}

static void q5_k_keeps_its_promise(void **unused)
{
    (void)unused;
    affine_blocks_keep_their_promise(ref_quantize_row_q5_k, 31);
}

static void q6_k_keeps_its_promise(void **unused)
{
    (void)unused;
    for (int round = 0; round < 4000; round++) {
        float x[BLOCK];
        cells c;
        draw(x, round);
        parts(&c, ref_quantize_row_q6_k, 273, x, &nearest);
        if (c.v[0] >= 0x7c00) continue;
        const double d = ref_f16_value((uint16_t)c.v[0]);
        for (int i = 0; i < BLOCK; i++) {
            const double s = c.v[1 + i / 16], q = c.v[17 + i], step = d * s;
            assert_true(s >= 0 && s <= 127 && q >= 1 && q <= 63);
            assert_true(fabs(step * (q - 32) - (double)x[i]) <= step / 2 + 0x1p-22 * step * 31);
        }
    }
}

static float rounded(mpfr_t t) { return mpfr_get_flt(t, MPFR_RNDN); }

/* The formula of q5_k in 24-bit MPFR, each operation rounded by itself. */
static void mpfr_agrees_with_q5_k(void **unused)
{
    mpfr_t t, u;
    (void)unused;
    mpfr_inits2(24, t, u, (mpfr_ptr)0);
    for (int round = 0; round < 400; round++) {
        float x[BLOCK], most = 0;
        cells c;
        draw(x, 4 * round + 2);
        parts(&c, ref_quantize_row_q5_k, 274, x, &nearest);
        const double d = ref_f16_value((uint16_t)c.v[0]), dmin = ref_f16_value((uint16_t)c.v[1]);
        for (int i = 0; i < BLOCK; i++) {
            const double step = d * c.v[2 + i / 32], rest = dmin * c.v[10 + i / 32];
            mpfr_set_d(t, rest, MPFR_RNDN);
            mpfr_set_flt(u, x[i], MPFR_RNDN);
            mpfr_add(t, t, u, MPFR_RNDN);
            most = rounded(t) > most ? rounded(t) : most;
            mpfr_set_d(u, step, MPFR_RNDN);
            mpfr_ui_div(u, 1, u, MPFR_RNDN);
            mpfr_mul(t, t, u, MPFR_RNDN);
            mpfr_rint(t, t, MPFR_RNDN);
            assert_true(step == 0 ? c.v[18 + i] == 0 : c.v[18 + i] == mpfr_get_d(t, MPFR_RNDN));
        }
        mpfr_set_flt(t, most, MPFR_RNDN);
        mpfr_div_ui(t, t, 1953, MPFR_RNDN);
        const double v = (double)rounded(t), below_it = ref_f16_value((uint16_t)(c.v[0] - 1));
        assert_true(d >= v && (v == 0 || below_it < v));
    }
    mpfr_clears(t, u, (mpfr_ptr)0);
}

#define TEST(f) cmocka_unit_test(f)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(scales_by_hand),
        TEST(values_by_hand),
        TEST(q8_k_values_by_hand),
        TEST(one_rounding_is_left),
        TEST(q8_k_by_hand),
        TEST(grids_return),
        TEST(tiles_take_blocks_in_order),
        TEST(blocks_without_codes),
        TEST(q4_k_keeps_its_promise),
        TEST(q5_k_keeps_its_promise),
        TEST(q6_k_keeps_its_promise),
        TEST(mpfr_agrees_with_q5_k),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
