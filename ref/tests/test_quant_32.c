/* SPDX-License-Identifier: MIT */
/* Tests of the references of the formats of 32 elements and of those without a scale: vectors worked
 * out by hand, integers in place of floating-point numbers, the formulas in plain f32, and neighbours
 * that no result may be further away than. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../f16.h"

ref_fn ref_quantize_row_f16, ref_dequant_row_f16;
ref_fn ref_quantize_row_bf16, ref_dequant_row_bf16;
ref_fn ref_quantize_row_int8, ref_dequant_row_int8;
ref_fn ref_quantize_row_int4, ref_dequant_row_int4;
ref_fn ref_quantize_row_q4_0, ref_dequant_row_q4_0;
ref_fn ref_quantize_row_q4_1, ref_dequant_row_q4_1;
ref_fn ref_quantize_row_q5_0, ref_dequant_row_q5_0;
ref_fn ref_quantize_row_q5_1, ref_dequant_row_q5_1;
ref_fn ref_quantize_row_q8_1, ref_dequant_row_q8_1;

enum { BLOCK = 32, BYTES_MOST = 36, PARTS_MOST = 34 };

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

static const ck_numspec exact_num = { .accs = 1 };
static const ref_spec nearest = { &exact_num, 0, 0x1p-24, 0, 0 };
static const ref_spec strict = { &exact_num, 1, 0x1p-24, 0, 0 };
static const ref_spec directed = { &exact_num, 0, 0x1p-23, 0, 0 };
static const ref_spec flushing = { &exact_num, 0, 0x1p-24, 1, 1 };

typedef struct cells {
    double v[PARTS_MOST], e[PARTS_MOST], term[PARTS_MOST];
} cells;

/* Elements c0 .. c0 + n - 1 of a row. */
static void values(cells *c, ref_fn *fn, const unsigned char *row, size_t c0, size_t n,
                   const ref_spec *spec)
{
    ref_out out = { n, c->v, c->term, c->e };
    fn(&(ref_dequant_args){ row }, &(ref_tile){ 0, 1, c0, n }, spec, 1, &out);
}

/* The n parts of unit `col`. */
static void parts(cells *c, ref_fn *fn, size_t n, const float *x, size_t col, const ref_spec *spec)
{
    ref_out out = { n, c->v, c->term, c->e };
    fn(&(ref_quantize_args){ x }, &(ref_tile){ 0, 1, col, 1 }, spec, 1, &out);
    for (size_t i = 0; i < n; i++) assert_true(c->term[i] == 1);
}

static void all_exact(const cells *c, size_t n)
{
    for (size_t i = 0; i < n; i++) assert_true(c->e[i] == 0);
}

/* --- decoding */

static void five_bit_codes_by_hand(void **unused)
{
    /* a block of anything before */
    unsigned char row[48] = { 0 };
    unsigned char *const p = row + 22;
    cells c;
    (void)unused;
    const unsigned char head[] = { 0x00, 0x3c, 0x01, 0x00, 0x01, 0x80 };
    memcpy(p, head, sizeof head);
    for (unsigned j = 0; j < 16; j++) p[6 + j] = (unsigned char)(j | (15 - j) << 4);
    values(&c, ref_dequant_row_q5_0, row, 32, 32, &nearest);
    all_exact(&c, 32);
    assert_true(c.v[0] == 0 && c.v[16] == 15 && c.v[31] == 0);
    for (int j = 1; j < 16; j++) assert_true(c.v[j] == j - 16);
    for (int j = 1; j < 15; j++) assert_true(c.v[16 + j] == -1 - j);
    values(&c, ref_dequant_row_q5_0, row, 63, 1, &nearest);
    assert_true(c.v[0] == 0 && c.term[0] == 1);
}

/* Where no code is worth anything, the minimum is what a fault would show in. */
static void minimums_are_terms_of_steps_of_zero(void **unused)
{
    const unsigned char p[20] = { 0, 0, 0x00, 0xbe, 0x51 }; /* d = 0, m = -1.5 */
    cells c;
    (void)unused;
    values(&c, ref_dequant_row_q4_1, p, 0, 32, &nearest);
    for (int i = 0; i < 32; i++) assert_true(c.v[i] == -1.5 && c.term[i] == 1.5);
}

static void four_bit_codes_by_hand(void **unused)
{
    unsigned char p[20] = { 0x00, 0xb8, 0x10 }; /* d = -0.5; byte 0: element 16 has 1 */
    cells c;
    (void)unused;
    values(&c, ref_dequant_row_q4_0, p, 0, 32, &nearest);
    assert_true(c.v[0] == 4 && c.v[1] == 4 && c.v[16] == 3.5 && c.term[0] == 0.5);
    p[2] = 0x88;
    values(&c, ref_dequant_row_q4_0, p, 0, 32, &nearest);
    assert_true(c.v[0] == 0 && signbit(c.v[0]) && signbit(c.v[16]));
    const unsigned char affine[] = { 0x01, 0x3c, 0x00, 0x04, 0xf1 }; /* 1 + 2^-10, 2^-14 */
    memset(p, 0, sizeof p);
    memcpy(p, affine, sizeof affine);
    values(&c, ref_dequant_row_q4_1, p, 0, 32, &nearest);
    assert_true(c.v[0] == 0x1.004p0 + 0x1p-14 && c.v[16] == 15 * 0x1.004p0 + 0x1p-14);
    assert_true(c.v[1] == 0x1p-14);
}

/* half = integer * 2^-24 */
static int64_t half_units(unsigned h)
{
    const int exponent = (int)(h >> 10 & 31);
    const int64_t fraction = (int64_t)(h & 1023);
    const int64_t size = exponent ? (1024 + fraction) << (exponent - 1) : fraction;
    return h & 0x8000 ? -size : size;
}

/* To 24 significant bits, ties to even, by shifts. */
static int64_t round_24(int64_t n)
{
    const uint64_t size = (uint64_t)(n < 0 ? -n : n);
    int shift = 0;
    while (size >> shift >= (uint64_t)1 << 24) shift++;
    if (shift == 0) return n;
    const uint64_t half = (uint64_t)1 << (shift - 1), rest = size & (2 * half - 1);
    uint64_t kept = size >> shift;
    kept += rest > half || (rest == half && (kept & 1));
    return (int64_t)(kept << shift) * (n < 0 ? -1 : 1);
}

static int code_of(const unsigned char *qs, const unsigned char *qh, int i)
{
    uint32_t word = 0;
    if (qh)
        for (int b = 0; b < 4; b++) word |= (uint32_t)qh[b] << 8 * b;
    return (qs[i & 15] >> (i >> 4) * 4 & 15) | (int)(word >> i & 1) << 4;
}

/* Every value as an integer of 2^-24, products and sums exact, one rounding by shifts. */
static void integers_agree_with_decoding(void **unused)
{
    static const struct {
        ref_fn *fn;
        size_t m, qh, qs; /* offsets, 0: none */
        int zero;
    } formats[] = { { ref_dequant_row_q4_0, 0, 0, 2, 8 },
                    { ref_dequant_row_q4_1, 2, 0, 4, 0 },
                    { ref_dequant_row_q5_0, 0, 2, 6, 16 },
                    { ref_dequant_row_q5_1, 2, 4, 8, 0 } };
    size_t rounded = 0;
    (void)unused;
    for (int round = 0; round < 20000; round++) {
        unsigned char p[BYTES_MOST];
        cells near, right;
        for (size_t b = 0; b < sizeof p; b++) p[b] = (unsigned char)(bits64() >> 20);
        if ((p[1] & 0x7c) == 0x7c || (p[3] & 0x7c) == 0x7c) continue;
        for (int f = 0; f < 4; f++) {
            values(&near, formats[f].fn, p, 0, BLOCK, &nearest);
            values(&right, formats[f].fn, p, 0, BLOCK, &strict);
            all_exact(&near, BLOCK);
            all_exact(&right, BLOCK);
            for (int i = 0; i < BLOCK; i++) {
                const unsigned char *const qh = formats[f].qh ? p + formats[f].qh : NULL;
                const int64_t code = code_of(p + formats[f].qs, qh, i) - formats[f].zero;
                const int64_t min = formats[f].m ? half_units((unsigned)(p[2] | p[3] << 8)) : 0;
                const int64_t exact = half_units((unsigned)(p[0] | p[1] << 8)) * code + min;
                rounded += round_24(exact) != exact;
                assert_true(near.v[i] == (double)round_24(exact) * 0x1p-24);
                assert_true(right.v[i] == near.v[i]);
            }
        }
    }
    assert_true(rounded > 10000);
}

static void sums_in_another_mode_are_neighbours(void **unused)
{
    unsigned char p[20] = { 0x01, 0x3c, 0x01, 0x00, 0x0f }; /* 15 (1 + 2^-10) + 2^-24 */
    cells c;
    (void)unused;
    values(&c, ref_dequant_row_q4_1, p, 0, 2, &directed);
    assert_true(c.v[0] == 15 * 0x1.004p0 + 0x1p-24);
    assert_true(c.e[0] >= 0x1p-20 && c.e[0] < 0x1p-19); /* the neighbours are 2^-20 apart */
    /* a sum of 0: either sign */
    const unsigned char cancels[] = { 0x00, 0x3c, 0x00, 0xbc, 0x01 };
    memcpy(p, cancels, sizeof cancels);
    values(&c, ref_dequant_row_q4_1, p, 0, 2, &directed);
    assert_true(c.v[0] == 0 && c.e[0] > 0 && c.e[0] <= 0x1p-149);
    values(&c, ref_dequant_row_q4_1, p, 0, 2, &nearest);
    assert_true(c.v[0] == 0 && !signbit(c.v[0]) && c.e[0] == 0);
    values(&c, ref_dequant_row_q4_0, p, 0, 2, &directed);
    all_exact(&c, 2);
}

static void infinite_and_nan_scales(void **unused)
{
    unsigned char p[BYTES_MOST] = { 0x00, 0x7c, 0x00, 0xfc, 0, 0, 0, 0, 0x01 };
    cells c;
    (void)unused;
    values(&c, ref_dequant_row_q5_1, p, 0, 32, &nearest);
    assert_true(isnan(c.v[0]) && isnan(c.v[1])); /* inf - inf, inf * 0 */
    p[3] = 0x3c;
    values(&c, ref_dequant_row_q5_1, p, 0, 32, &nearest);
    assert_true(c.v[0] == INFINITY && isnan(c.v[1]));
    values(&c, ref_dequant_row_q5_1, p, 0, 32, &directed);
    assert_true(c.v[0] == INFINITY && c.e[0] == 0);
    p[0] = 1;
    values(&c, ref_dequant_row_q8_1, p, 0, 32, &nearest);
    assert_true(isnan(c.v[0]) && isnan(c.v[31]) && c.term[0] == 0);
}

/* --- encoding */

/* The formulas as they are written, in f32: this file is compiled without contraction. */
static void plain_signed(const float *x, int zero, double *v)
{
    float m = 0.0f;
    for (int i = BLOCK - 1; i >= 0; i--)
        if (fabsf(x[i]) >= fabsf(m)) m = x[i];
    const float id = (float)-zero / m;
    v[0] = ref_f16_bits(m / (float)-zero);
    for (int i = 0; i < BLOCK; i++) {
        const int q = zero + (int)rintf(x[i] * id);
        v[1 + i] = q < 2 * zero ? q : 2 * zero - 1;
    }
}

static void plain_affine(const float *x, int top, double *v)
{
    float lo = x[0], hi = x[0];
    for (int i = 1; i < BLOCK; i++) {
        if (x[i] < lo) lo = x[i];
        if (x[i] > hi) hi = x[i];
    }
    const float w = hi - lo, id = (float)top / w;
    v[0] = ref_f16_bits(w / (float)top);
    v[1] = ref_f16_bits(lo);
    for (int i = 0; i < BLOCK; i++) {
        const float above = x[i] - lo;
        v[2 + i] = (double)rintf(above * id);
    }
}

static void plain_q8_1(const float *x, double *v)
{
    float amax = 0.0f;
    int sum = 0;
    for (int i = 0; i < BLOCK; i++) amax = fabsf(x[i]) > amax ? fabsf(x[i]) : amax;
    const float id = 127.0f / amax, d = amax / 127.0f;
    for (int i = 0; i < BLOCK; i++) {
        v[2 + i] = (double)rintf(x[i] * id);
        sum += (int)v[2 + i];
    }
    v[0] = ref_f16_bits(d);
    v[1] = ref_f16_bits(d * (float)sum);
}

static float draw(int scale, int kind)
{
    const float u = (float)(below(1 << 24) - (1 << 23)) * 0x1p-23f;
    return ldexpf(kind ? (float)(below(65) - 32) * 0.25f : u, scale);
}

static void plain_formulas_agree_with_encoding(void **unused)
{
    size_t ties = 0;
    (void)unused;
    for (int round = 0; round < 6000; round++) {
        float row[2 * BLOCK], *const x = row + BLOCK;
        double want[PARTS_MOST];
        cells c;
        const int scale = below(180) - 90;
        const float offset = round % 3 ? 0.0f : ldexpf(1.0f, scale + below(6));
        for (int i = 0; i < BLOCK; i++) x[i] = draw(scale, round % 2) + offset;
        for (int zero = 8; zero <= 16; zero *= 2) {
            parts(&c, zero == 8 ? ref_quantize_row_q4_0 : ref_quantize_row_q5_0, 33, row, 1,
                  &nearest);
            plain_signed(x, zero, want);
            for (int i = 0; i < 33; i++) assert_true(c.v[i] == want[i] && c.e[i] == 0);
        }
        for (int top = 15; top <= 31; top += 16) {
            parts(&c, top == 15 ? ref_quantize_row_q4_1 : ref_quantize_row_q5_1, 34, row, 1,
                  &strict);
            plain_affine(x, top, want);
            for (int i = 0; i < 34; i++) assert_true(c.v[i] == want[i] && c.e[i] == 0);
        }
        parts(&c, ref_quantize_row_q8_1, 34, row, 1, &nearest);
        plain_q8_1(x, want);
        for (int i = 0; i < 34; i++) assert_true(c.v[i] == want[i] && c.e[i] == 0);
        for (int i = 0; i < BLOCK; i++) {
            const float t = x[i] * (127.0f / 8.0f);
            ties += t - floorf(t) == 0.5f;
        }
    }
    assert_true(ties > 100);
}

/* Blocks without codes, those that are not finite, and the least that have codes. */
static void special_blocks(void **unused)
{
    float x[BLOCK] = { 0 };
    cells c;
    (void)unused;
    const struct {
        float x;
        unsigned d4, m4;
        int code4, code41; /* of the element */
        int others;        /* in q4_1 */
    } at[] = {
        { 0, 0, 0, 8, 0, 0 },
        { NAN, 0x7e00, 0x7e00, 8, 0, 0 },
        { INFINITY, 0x7e00, 0x7e00, 8, 0, 0 },
        { -INFINITY, 0x7e00, 0x7e00, 8, 0, 0 },
        { 0x1p-125f, 0, 0, 8, 0, 0 }, /* 8 * 2^-128 */
        { -0x1.000002p-125f, 0, 0x8000, 0, 0, 0 },
        { 0x1.ep-125f, 0x8000, 0, 0, 0, 0 }, /* 15 * 2^-128 */
        { 0x1.e00002p-125f, 0x8000, 0, 0, 15, 0 },
        { 8 * 65520.0f, 0xfc00, 0, 0, 15, 0 },
        { -65520.0f, 0x7000, 0xfc00, 0, 0, 15 },
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        x[19] = at[i].x;
        parts(&c, ref_quantize_row_q4_0, 33, x, 0, &strict);
        assert_true(c.v[0] == at[i].d4);
        assert_true(c.v[1 + 19] == at[i].code4 && c.v[1] == 8 && c.v[32] == 8);
        parts(&c, ref_quantize_row_q4_1, 34, x, 0, &strict);
        assert_true(c.v[1] == at[i].m4);
        assert_true(c.v[2 + 19] == at[i].code41 && c.v[2] == at[i].others);
    }
    x[19] = -0.0f;
    parts(&c, ref_quantize_row_q5_1, 34, x, 0, &nearest);
    for (int i = 0; i < 34; i++) assert_true(c.v[i] == 0 && !signbit(c.v[i]));
    x[19] = 0x1.8p127f;
    x[20] = -0x1.8p127f; /* apart by more than any float */
    parts(&c, ref_quantize_row_q5_1, 34, x, 0, &nearest);
    assert_true(c.v[0] == 0x7e00 && c.v[1] == 0x7e00 && c.v[2 + 19] == 0);
    x[19] = NAN;
    parts(&c, ref_quantize_row_q8_1, 34, x, 0, &nearest);
    assert_true(c.v[0] == 0x7e00 && c.v[1] == 0x7e00 && c.v[2] == 0);
}

static void other_modes_promise_nothing_of_blocks(void **unused)
{
    float x[BLOCK] = { 1 };
    cells c;
    (void)unused;
    parts(&c, ref_quantize_row_q4_0, 33, x, 0, &directed);
    for (int i = 0; i < 33; i++) assert_true(c.e[i] == REF_ANY);
    parts(&c, ref_quantize_row_q4_1, 34, x, 0, &flushing);
    all_exact(&c, 34);
    x[0] = 0x1p-110f; /* x - lo of subnormals matters next to it */
    parts(&c, ref_quantize_row_q4_1, 34, x, 0, &flushing);
    assert_true(c.e[0] == REF_ANY && c.e[33] == REF_ANY);
    parts(&c, ref_quantize_row_q4_0, 33, x, 0, &flushing);
    all_exact(&c, 33);
    x[0] = 0x1p-119f;
    parts(&c, ref_quantize_row_q4_0, 33, x, 0, &flushing);
    assert_true(c.e[0] == REF_ANY);
    parts(&c, ref_quantize_row_f16, 1, x, 0, &directed);
    assert_true(c.e[0] == 0);
}

/* --- elements */

/* CK_NUM_TIE_EITHER. Whether code i is open, between `code` and the next. */
static int open_at(const cells *c, size_t first, size_t i, double code)
{
    const size_t at = first + i;
    if (c->e[at] == 0) return 0;
    assert_true(c->v[at] == code + 0.5 && c->e[at] == 0.5);
    return 1;
}

/* d = 1, so that a number is its code, less `zero`. */
static void ties_of(ref_fn *fn, size_t n, float most, double zero, double offset)
{
    const ck_numspec tie_num = { .flags = CK_NUM_TIE_EITHER };
    const ref_spec either = { &tie_num, 0, 0x1p-24, 0, 0 }, hard = { &tie_num, 1, 0x1p-24, 0, 0 };
    const float room = (float)(0x1p-22 * (2.5 + offset));
    float x[BLOCK] = { most,
                       2.5f,
                       2.5f + 0.75f * room,
                       2.5f - 0.75f * room,
                       2.5f + 1.25f * room,
                       2.5f - 1.25f * room };
    const size_t first = n - BLOCK;
    cells c;
    x[BLOCK - 1] = 2.5f;
    parts(&c, fn, n, x, 0, &either);
    for (size_t i = 0; i < BLOCK; i++)
        assert_true(open_at(&c, first, i, zero + 2) == ((i >= 1 && i <= 3) || i == BLOCK - 1));
    assert_true(c.v[first + 4] == zero + 3 && c.v[first + 5] == zero + 2 && c.e[0] == 0);
    parts(&c, fn, n, x, 0, &hard);
    all_exact(&c, n);
    parts(&c, fn, n, x, 0, &nearest);
    all_exact(&c, n);
}

static void either_code_at_a_tie(void **unused)
{
    const ck_numspec tie_num = { .flags = CK_NUM_TIE_EITHER };
    const ref_spec either = { &tie_num, 0, 0x1p-24, 0, 0 };
    float last[BLOCK] = { -8, 7.5f };
    cells c;
    (void)unused;
    ties_of(ref_quantize_row_q4_0, 33, -8, 8, 8.5);
    ties_of(ref_quantize_row_q5_0, 33, -16, 16, 16.5);
    ties_of(ref_quantize_row_q4_1, 34, 15, 0, 0.5);
    ties_of(ref_quantize_row_q5_1, 34, 31, 0, 0.5);
    ties_of(ref_quantize_row_q8_1, 34, 127, 0, 0);
    /* there is no code above the last, and a block of zeros has no ties */
    parts(&c, ref_quantize_row_q4_0, 33, last, 0, &either);
    all_exact(&c, 33);
    assert_true(c.v[2] == 15);
    parts(&c, ref_quantize_row_q4_0, 33, (float[BLOCK]){ 0 }, 0, &either);
    all_exact(&c, 33);
}

/* q8_1's sum is made of the codes. */
static void an_open_code_opens_the_sum(void **unused)
{
    const ck_numspec tie_num = { .flags = CK_NUM_TIE_EITHER };
    const ref_spec either = { &tie_num, 0, 0x1p-24, 0, 0 };
    float x[BLOCK] = { 127 };
    cells c;
    (void)unused;
    parts(&c, ref_quantize_row_q8_1, 34, x, 0, &either);
    all_exact(&c, 34);
    x[BLOCK - 1] = -2.5f;
    parts(&c, ref_quantize_row_q8_1, 34, x, 0, &either);
    assert_true(c.e[1] == REF_ANY && c.e[0] == 0 && c.e[33] == 0.5 && c.v[33] == -2.5);
    parts(&c, ref_quantize_row_q4_1, 34, (float[BLOCK]){ 15, 2.5f }, 0, &either);
    assert_true(c.e[1] == 0 && c.e[3] == 0.5);
}

static double number_of(ref_fn *fn, unsigned bits)
{
    const unsigned char p[2] = { (unsigned char)bits, (unsigned char)(bits >> 8) };
    cells c;
    values(&c, fn, p, 0, 1, &directed);
    assert_true(c.e[0] == 0);
    return c.v[0];
}

static unsigned bits_of(ref_fn *fn, float x)
{
    cells c;
    parts(&c, fn, 1, &x, 0, &nearest);
    assert_true(c.e[0] == 0);
    return (unsigned)c.v[0];
}

/* All 65,536 come back, NaNs quiet. */
static void every_number_comes_back(void **unused)
{
    (void)unused;
    for (unsigned h = 0; h < 0x10000; h++) {
        const double half = number_of(ref_dequant_row_f16, h);
        const double brain = number_of(ref_dequant_row_bf16, h);
        const uint32_t all = h << 16;
        float top;
        memcpy(&top, &all, sizeof top);
        assert_int_equal(isnan(half), (h & 0x7fff) > 0x7c00);
        assert_int_equal(isnan(brain), (h & 0x7fff) > 0x7f80);
        if (!isnan(half)) {
            assert_int_equal(bits_of(ref_quantize_row_f16, (float)half), h);
            assert_int_equal(signbit(half) != 0, h >> 15);
        }
        assert_int_equal(bits_of(ref_quantize_row_bf16, top), isnan(top) ? h | 0x40 : h);
        if (!isnan(brain)) assert_true((float)brain == top);
    }
}

/* No number of the format is nearer, and of two the even one is taken. */
static void nearest_number(ref_fn *encode, ref_fn *decode, unsigned infinity, float x)
{
    const unsigned h = bits_of(encode, x), size = h & 0x7fff;
    assert_int_equal(h >> 15, signbit(x) ? 1 : 0);
    for (int way = -1; way <= 1; way += 2) {
        if ((size == 0 && way < 0) || (size == infinity && way > 0)) continue;
        /* infinity as the number that would come next */
        const double step = number_of(decode, infinity - 1) - number_of(decode, infinity - 2);
        const double most = number_of(decode, infinity - 1) + step;
        const unsigned other = (unsigned)((int)size + way);
        const double own = size == infinity ? most : number_of(decode, size);
        const double its = other == infinity ? most : number_of(decode, other);
        const double mine = fabs(fabs((double)x) - own), yours = fabs(fabs((double)x) - its);
        if (size == infinity && fabs((double)x) > most) continue;
        assert_true(mine < yours || (mine == yours && size % 2 == 0));
    }
}

static void no_number_is_nearer(void **unused)
{
    (void)unused;
    for (int round = 0; round < 200000; round++) {
        uint32_t bits = (uint32_t)bits64();
        float x;
        if (round % 2) bits = (bits & ~0x1fffu) | 0x1000; /* ties of halves */
        if (round % 4 == 2) bits = (bits & ~0xffffu) | 0x8000;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        nearest_number(ref_quantize_row_bf16, ref_dequant_row_bf16, 0x7f80, x);
        nearest_number(ref_quantize_row_f16, ref_dequant_row_f16, 0x7c00,
                       round % 8 < 4 ? x : ldexpf(x, -(ilogbf(x) + below(30))));
    }
}

static void nans_keep_sign_and_leading_bits(void **unused)
{
    static const struct {
        uint32_t x;
        unsigned half, brain;
    } at[] = { { 0x7f800001, 0x7e00, 0x7fc0 },
               { 0xff801fff, 0xfe00, 0xffc0 },
               { 0x7fffffff, 0x7fff, 0x7fff },
               { 0x7fa02000, 0x7f01, 0x7fe0 } };
    (void)unused;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        float x;
        memcpy(&x, &at[i].x, sizeof x);
        assert_int_equal(bits_of(ref_quantize_row_f16, x), at[i].half);
        assert_int_equal(bits_of(ref_quantize_row_bf16, x), at[i].brain);
    }
}

static void integers_by_hand(void **unused)
{
    static const float x[] = { 0.5f, -1.5f, 127.5f, -128.5f, NAN, INFINITY, -INFINITY, 7.5f };
    static const double bytes[] = { 0, -2, 127, -128, 0, 127, -128, 8 };
    static const double nibbles[] = { 0, -2, 7, -8, 0, 7, -8, 7 };
    const unsigned char packed[] = { 0x8f, 0x70 }; /* -1 -8 | 0 7 */
    cells c;
    (void)unused;
    for (size_t i = 0; i < 8; i++) {
        parts(&c, ref_quantize_row_int8, 1, x, i, &directed);
        assert_true(c.v[0] == bytes[i] && c.e[0] == 0);
        parts(&c, ref_quantize_row_int4, 2, x, i / 2, &directed);
        assert_true(c.v[i % 2] == nibbles[i] && c.e[0] == 0);
    }
    values(&c, ref_dequant_row_int4, packed, 0, 4, &nearest);
    assert_true(c.v[0] == -1 && c.v[1] == -8 && c.v[2] == 0 && c.v[3] == 7);
    values(&c, ref_dequant_row_int8, packed, 0, 2, &nearest);
    assert_true(c.v[0] == -113 && c.v[1] == 112);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_bit_codes_by_hand),
        cmocka_unit_test(four_bit_codes_by_hand),
        cmocka_unit_test(minimums_are_terms_of_steps_of_zero),
        cmocka_unit_test(integers_agree_with_decoding),
        cmocka_unit_test(sums_in_another_mode_are_neighbours),
        cmocka_unit_test(infinite_and_nan_scales),
        cmocka_unit_test(plain_formulas_agree_with_encoding),
        cmocka_unit_test(special_blocks),
        cmocka_unit_test(other_modes_promise_nothing_of_blocks),
        cmocka_unit_test(either_code_at_a_tie),
        cmocka_unit_test(an_open_code_opens_the_sum),
        cmocka_unit_test(every_number_comes_back),
        cmocka_unit_test(no_number_is_nearer),
        cmocka_unit_test(nans_keep_sign_and_leading_bits),
        cmocka_unit_test(integers_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
