/* SPDX-License-Identifier: MIT */
/* Tests of the references of products of weights in blocks: they are those of the decoded weights, and
 * their radii hold kernels that take blocks apart, by bounds worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "decode.h"
#include "draw.h"
#include "f16.h"

enum { BLOCK_MOST = 256, BYTES_MOST = 210, LONG = 4096 + 256, ROWS = 4, COLUMNS = 3, SPECS = 9 };

/* Where a block has its halves: `d` of codes, `m` of minimums, -1: none. */
typedef struct weights {
    const char *name;
    size_t elements, bytes;
    int d, m;
    ref_fn *product, *dequant;
    ref_decode_fn *decode;
} weights;

#define FORMATS(X)             \
    X(q4_0, 32, 18, 0, -1)     \
    X(q4_1, 32, 20, 0, 2)      \
    X(q4_k, 256, 144, 0, 2)    \
    X(q5_0, 32, 22, 0, -1)     \
    X(q5_1, 32, 24, 0, 2)      \
    X(q5_k, 256, 176, 0, 2)    \
    X(q6_k, 256, 210, 208, -1) \
    X(q8_0, 32, 34, 0, -1)

#define DECLARE(name, ...) ref_fn ref_gemm_nt_##name##_f32, ref_dequant_row_##name;
FORMATS(DECLARE)
#undef DECLARE
#define ROW(name, elements, bytes, d, m) \
    { #name,                             \
      elements,                          \
      bytes,                             \
      d,                                 \
      m,                                 \
      ref_gemm_nt_##name##_f32,          \
      ref_dequant_row_##name,            \
      ref_decode_##name },
static const weights formats[] = { FORMATS(ROW) };
#undef ROW
enum { FORMATS_COUNT = sizeof formats / sizeof *formats };

static const ck_numspec chain = { .lanes = 1, .accs = 1 };
static const ck_numspec lanes = { .lanes = 8, .accs = 2, .flags = CK_NUM_MULADD };
static const ck_numspec chunks = { .lanes = 4, .accs = 1, .kc = 64 };
static const ck_numspec any = { .lanes = 0, .accs = 1 };
static const ck_numspec any_muladd = { .lanes = 0, .accs = 1, .flags = CK_NUM_MULADD };

/* The first DECLARED have the same demands as the product of the decoded weights. */
enum { DECLARED = 5, ANY = 6, ANY_DIRECTED = 7, ANY_DAZ = 8 };
static const ref_spec specs[SPECS] = {
    { &chain, 0, 0x1p-24, 0, 0 }, { &lanes, 0, 0x1p-24, 0, 0 }, { &chunks, 0, 0x1p-24, 1, 1 },
    { &chain, 1, 0x1p-24, 0, 0 }, { &lanes, 0, 0x1p-24, 1, 0 }, { &chain, 0, 0x1p-23, 0, 0 },
    { &any, 0, 0x1p-24, 0, 0 },   { &any, 0, 0x1p-23, 0, 0 },   { &any_muladd, 0, 0x1p-24, 1, 1 },
};

static void put_half(unsigned char *p, unsigned half)
{
    p[0] = (unsigned char)(half & 255);
    p[1] = (unsigned char)(half >> 8);
}

static float half_at(const unsigned char *p)
{
    return (float)ref_f16_value((uint16_t)(p[0] | p[1] << 8));
}

/* Any codes; scales of both signs between `least` and four times that. */
static void draw_block(const weights *w, unsigned char *p, unsigned least)
{
    for (size_t i = 0; i < w->bytes; i++) p[i] = (unsigned char)below(256);
    put_half(p + w->d, (unsigned)(least + below(0x800)) | (unsigned)below(2) << 15);
    if (w->m >= 0) put_half(p + w->m, (unsigned)(least + below(0x800)) | (unsigned)below(2) << 15);
}

/* Every code 1 (or what its sub-scale makes of it), of scale `d`, minimum `m`. */
static void put_block(const weights *w, unsigned char *p, unsigned d, unsigned m)
{
    memset(p, 0, w->bytes);
    put_half(p + w->d, d);
    if (w->m >= 0) put_half(p + w->m, m);
}

static ref_element element(const weights *w, const unsigned char *row, size_t l)
{
    return w->decode(row + l / w->elements * w->bytes, l % w->elements);
}

static void decode(const weights *w, const unsigned char *row, size_t n, float *y)
{
    static double v[LONG], e[LONG], term[LONG];
    ref_out out = { n, v, term, e };
    w->dequant(&(ref_dequant_args){ row }, &(ref_tile){ 0, 1, 0, n }, specs, 1, &out);
    for (size_t l = 0; l < n; l++) y[l] = (float)v[l];
}

typedef struct cells {
    double v[SPECS * ROWS * COLUMNS], e[SPECS * ROWS * COLUMNS], term[ROWS * COLUMNS];
} cells;

static int same(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

/* Rows 1, 2 and columns 1, 2 of operands with strides, of k elements. */
static void compare_products(const weights *w, size_t k, int biased, int adds)
{
    static float a[ROWS * (LONG + 3)], b[COLUMNS * LONG];
    static unsigned char rows[COLUMNS * (LONG / 32 + 1) * 34];
    const size_t lda = k + 3, ldb = k / w->elements + 1;
    const ref_tile tile = { 1, 2, 1, 2 };
    float bias[COLUMNS], c[ROWS * (COLUMNS + 2)];
    cells x, y;
    ref_out xs = { 4, x.v, x.term, x.e }, ys = { 4, y.v, y.term, y.e };
    for (size_t i = 0; i < COLUMNS * ldb; i++) draw_block(w, rows + i * w->bytes, 0x2000);
    for (size_t i = 0; i < ROWS * lda; i++)
        a[i] = below(16) == 0 ? 0 : below(16) == 0 ? ldexpf(normal(), -127) : normal();
    for (size_t j = 0; j < COLUMNS; j++) {
        decode(w, rows + j * ldb * w->bytes, k, b + j * LONG);
        bias[j] = normal();
    }
    for (size_t i = 0; i < ROWS * (COLUMNS + 2); i++) c[i] = 8 * normal();
    const ref_gemm_w_args args = { a,   rows, biased ? bias : NULL, k,
                                   lda, ldb,  adds ? c : NULL,      COLUMNS + 2 };
    const ref_gemm_args floats = { a,    b,           c, biased ? bias : NULL, k, lda,
                                   LONG, COLUMNS + 2, 1, adds ? 1 : 0 };
    w->product(&args, &tile, specs, SPECS, &xs);
    ref_gemm_nt_f32(&floats, &tile, specs, SPECS, &ys);
    for (size_t i = 0; i < 4 * SPECS; i++) {
        const size_t s = i / 4;
        if (!same(x.v[i], y.v[i]))
            fail_msg("%s k %zu spec %zu: %a, %a", w->name, k, s, x.v[i], y.v[i]);
        if (s < DECLARED || (s == DECLARED && w->m < 0) ? x.e[i] != y.e[i] : x.e[i] <= y.e[i])
            fail_msg("%s k %zu spec %zu: radius %a, %a", w->name, k, s, x.e[i], y.e[i]);
    }
}

static void products_are_those_of_the_decoded_weights(void **unused)
{
    (void)unused;
    for (size_t f = 0; f < FORMATS_COUNT; f++) {
        for (int i = 0; i < 60; i++)
            compare_products(&formats[f], (1 + below(3)) * formats[f].elements, i & 1, i >> 1 & 1);
        compare_products(&formats[f], LONG - 256, 1, 0);
        compare_products(&formats[f], LONG, 0, 1);
    }
}

static void no_terms_leave_the_bias(void **unused)
{
    const float bias[] = { 3, 5 };
    (void)unused;
    for (size_t f = 0; f < FORMATS_COUNT; f++)
        for (int biased = 0; biased < 2; biased++) {
            cells x;
            ref_out out = { 1, x.v, x.term, x.e };
            const ref_gemm_w_args args = { NULL, NULL, biased ? bias : NULL, 0, 7, 7, NULL, 0 };
            formats[f].product(&args, &(ref_tile){ 2, 1, 1, 1 }, specs, SPECS, &out);
            for (size_t s = 0; s < SPECS; s++) assert_true(x.v[s] == 5 * biased && x.e[s] == 0);
        }
}

static cells one(const weights *w, const float *a, const unsigned char *row, size_t k, float bias)
{
    cells x;
    ref_out out = { 1, x.v, x.term, x.e };
    const ref_gemm_w_args args = { a, row, &bias, k, k, k / w->elements, NULL, 0 };
    w->product(&args, &(ref_tile){ 0, 1, 0, 1 }, specs, SPECS, &out);
    return x;
}

/* Terms of all blocks, two random ones added at a time. */
static float add_up(float *t, size_t n)
{
    while (n > 1) {
        const size_t i = below(n);
        const float x = t[i];
        t[i] = t[--n];
        t[below(n)] += x;
    }
    return n ? t[0] : 0;
}

/* A kernel that sums codes times activations, and activations times minimums' codes, and then scales
 * both sums of a block: `fused` by FMA. */
static float apart(const weights *w, const float *a, const unsigned char *row, size_t k, int fused)
{
    float blocks[2 * LONG / 32], codes[BLOCK_MOST], minimums[BLOCK_MOST];
    size_t n = 0;
    for (size_t l = 0; l < k; l += w->elements) {
        const unsigned char *p = row + l / w->elements * w->bytes;
        const float d = half_at(p + w->d), m = w->m < 0 ? 0 : half_at(p + w->m);
        for (size_t i = 0; i < w->elements; i++) {
            const ref_element y = w->decode(p, i);
            codes[i] = a[l + i] * (float)(y.product / (double)d);
            minimums[i] = a[l + i] * (m == 0 ? 0 : (float)(y.minimum / (double)m));
        }
        const float x = add_up(codes, w->elements), z = add_up(minimums, w->elements);
        if (fused) {
            blocks[n++] = fmaf(d, x, m * z);
        } else {
            blocks[n++] = d * x;
            blocks[n++] = m * z;
        }
    }
    return add_up(blocks, n);
}

/* The same with the weights rounded first, or with terms of each weight's two parts. */
static float by_weights(const weights *w, const float *a, const unsigned char *row, size_t k,
                        int split)
{
    static float t[2 * LONG];
    size_t n = 0;
    for (size_t l = 0; l < k; l++) {
        const ref_element y = element(w, row, l);
        if (split) {
            t[n++] = a[l] * (float)y.product;
            t[n++] = a[l] * (float)y.minimum;
        } else {
            t[n++] = a[l] * ((float)y.product + (float)y.minimum);
        }
    }
    return add_up(t, n);
}

static float any_kernel(const weights *w, const float *a, const unsigned char *row, size_t k)
{
    const size_t way = below(4);
    return way < 2 ? apart(w, a, row, k, (int)way) : by_weights(w, a, row, k, way == 3);
}

static void set_flushing(int on)
{
    fenv_t env;
    fegetenv(&env);
    env.__mxcsr = on ? env.__mxcsr | 0x8040 : env.__mxcsr & ~0x8040u;
    fesetenv(&env);
}

/* Kinds: normal numbers, integers, pairs that cancel, subnormals. */
static void draw_activations(float *a, size_t k, int kind)
{
    for (size_t l = 0; l < k; l++) {
        a[l] = kind == 1 ? (float)((int)below(9) - 4) : normal();
        if (kind == 2 && l % 2) a[l] = -a[l - 1];
        if (kind == 3) a[l] = ldexpf(a[l], -128);
    }
}

static void kernels_that_take_blocks_apart_are_inside(void **unused)
{
    static unsigned char row[8 * BYTES_MOST];
    static float a[8 * BLOCK_MOST];
    (void)unused;
    for (int i = 0; i < 6000; i++) {
        const weights *w = &formats[below(FORMATS_COUNT)];
        const size_t blocks = 1 + below(8), k = blocks * w->elements;
        const int kind = (int)below(4);
        const float bias = kind == 3 ? 0 : (float)below(3);
        for (size_t l = 0; l < blocks; l++) draw_block(w, row + l * w->bytes, 0x3400);
        draw_activations(a, k, kind);
        const cells x = one(w, a, row, k, bias);
        const float near = any_kernel(w, a, row, k) + bias;
        assert_true(within((double)near, x.v[ANY], x.e[ANY]));
        fesetround(below(2) ? FE_UPWARD : FE_TOWARDZERO);
        const float directed = any_kernel(w, a, row, k) + bias;
        fesetround(FE_TONEAREST);
        assert_true(within((double)directed, x.v[ANY_DIRECTED], x.e[ANY_DIRECTED]));
        set_flushing(1);
        const float flushed = any_kernel(w, a, row, k) + bias;
        set_flushing(0);
        assert_true(within((double)flushed, x.v[ANY_DAZ], x.e[ANY_DAZ]));
    }
}

static int is_about(double x, double want, double by) { return fabs(x - want) <= by * want; }

/* Unknown orders: n + 10 + 3 roundings of all that is added up, weights taken apart. */
static void unknown_orders_are_charged_by_hand(void **unused)
{
    static unsigned char row[8 * BYTES_MOST];
    static float a[8 * BLOCK_MOST];
    (void)unused;
    for (int i = 0; i < 400; i++) {
        const weights *w = &formats[i % FORMATS_COUNT];
        const size_t blocks = 1 + below(2), k = blocks * w->elements;
        const float bias = normal();
        double sum = fabs((double)bias), parts = 0;
        for (size_t l = 0; l < blocks; l++) draw_block(w, row + l * w->bytes, 0x3400);
        draw_activations(a, k, 0);
        if (below(2)) a[below(k)] = 0;
        for (size_t l = 0; l < k; l++) {
            const ref_element y = element(w, row, l);
            parts += fabs((double)a[l]) * (fabs(y.product) + fabs(y.minimum));
        }
        sum += parts;
        const cells x = one(w, a, row, k, bias);
        assert_true(is_about(x.term[0], parts / (double)k, 1e-12));
        assert_true(is_about(x.e[ANY], (double)(k + 13) * 0x1p-24 * sum, 1e-4));
        assert_true(is_about(x.e[ANY_DIRECTED], (double)(k + 13) * 0x1p-23 * sum, 1e-4));
    }
}

/* A weight with a minimum is rounded in directed modes: two roundings of u for each term, which 1.5 of
 * them would cover. */
static void directed_modes_round_minimums_by_hand(void **unused)
{
    const ref_spec directed = specs[DECLARED];
    static unsigned char row[BYTES_MOST];
    float a[BLOCK_MOST] = { 0 }, b[BLOCK_MOST];
    (void)unused;
    for (size_t f = 0; f < FORMATS_COUNT; f++) {
        const weights *w = &formats[f];
        cells x;
        ref_out out = { 1, x.v, x.term, x.e };
        draw_block(w, row, 0x3400);
        draw_activations(a, w->elements, 0);
        decode(w, row, w->elements, b);
        const ref_gemm_args floats = { a,           b,           NULL, NULL, w->elements,
                                       w->elements, w->elements, 0,    1,    0 };
        double sum = 0;
        for (size_t l = 0; l < w->elements; l++) sum += fabs((double)a[l] * (double)b[l]);
        ref_gemm_nt_f32(&floats, &(ref_tile){ 0, 1, 0, 1 }, &directed, 1, &out);
        const double more = one(w, a, row, w->elements, 0).e[DECLARED] - x.e[0];
        assert_true(w->m < 0 ? more == 0 : is_about(more, 2 * 0x1p-23 * sum, 1e-3));
    }
}

/* Subnormal activations may be taken as 0, with both parts of their weights. */
static void operands_taken_as_zero_by_hand(void **unused)
{
    static unsigned char row[BYTES_MOST];
    float a[BLOCK_MOST];
    (void)unused;
    for (size_t f = 0; f < FORMATS_COUNT; f++) {
        const weights *w = &formats[f];
        const double n = (double)w->elements;
        double lost = 0, whole = 0, kept = 0;
        draw_block(w, row, 0x7000);
        for (size_t l = 0; l < w->elements; l++) {
            const ref_element y = element(w, row, l);
            a[l] = l % 3 ? 0x1.8p-127f : 0x1p-126f;
            const double t = (double)a[l] * (fabs(y.product) + fabs(y.minimum));
            if (l % 3)
                lost += t, whole += (double)a[l] * fabs((double)(float)(y.product + y.minimum));
            else
                kept += t;
        }
        const cells x = one(w, a, row, w->elements, 0);
        /* a product, a sum flushed and four operands for each term and three more */
        const double flush = (n + 3) * 6 * 0x1p-126, grow = (n + 13) * 0x1p-24 * (lost + kept);
        assert_true(is_about(x.e[ANY_DAZ], lost + flush + grow + 0x1p-126, 1e-4));
        assert_true(x.e[2] >= whole && x.e[2] <= whole * 1.001 + flush + grow);
    }
}

/* Sums of codes before their scale: 2^13 times an activation is more than any. */
static void unscaled_sums_may_overflow(void **unused)
{
    static unsigned char row[BYTES_MOST];
    float a[BLOCK_MOST];
    (void)unused;
    for (size_t f = 0; f < FORMATS_COUNT; f++) {
        const weights *w = &formats[f];
        draw_block(w, row, 0x0400);
        for (size_t l = 0; l < w->elements; l++) a[l] = 0x1p100f;
        const cells small = one(w, a, row, w->elements, 0);
        assert_true(small.e[ANY] >= 0 && isfinite(small.v[ANY]) && small.e[0] >= 0);
        for (size_t l = 0; l < w->elements; l++) a[l] = ldexpf(0x1p113f, w->elements == 32 ? 3 : 0);
        const cells large = one(w, a, row, w->elements, 0);
        assert_true(large.e[ANY] == REF_ANY && large.e[0] >= 0 && isfinite(large.v[0]));
    }
}

/* 2^13 a reaches FLT_MAX / 4, or does not: q8_0 with codes of 0, whose sum is 0. */
static void unscaled_sums_are_bounded_by_hand(void **unused)
{
    const weights *w = &formats[FORMATS_COUNT - 1];
    unsigned char row[34];
    float a[32] = { 0 };
    (void)unused;
    put_block(w, row, 0x3c00, 0);
    a[7] = 0x1.fffffep112f;
    assert_true(one(w, a, row, 32, 0).e[ANY] == REF_ANY);
    a[7] = 0x1.fffp112f;
    assert_true(one(w, a, row, 32, 0).e[ANY] == 0);
}

/* q4_1: an exact weight costs nothing, one that is rounded costs an unknown order. */
static void rounded_weights_are_exact_in_declared_orders(void **unused)
{
    const weights *w = &formats[1];
    unsigned char row[20];
    float a[32] = { 0 };
    (void)unused;
    a[31] = -3;
    put_block(w, row, 0x3c00, 0x3c00); /* 1, 1 */
    row[19] = 0x50;
    const cells exact = one(w, a, row, 32, 0.5f);
    for (size_t s = 0; s < SPECS; s++) assert_true(exact.v[s] == -17.5 && exact.e[s] == 0);
    put_block(w, row, 0x6c00, 0x0001); /* 4096, 2^-24 */
    row[19] = 0x50;
    a[31] = 1;
    const cells rounded = one(w, a, row, 32, 0);
    assert_true(rounded.v[0] == 20480 && rounded.e[0] == 0 && rounded.e[1] == 0);
    assert_true(rounded.e[DECLARED] > 0 && rounded.e[ANY] > 0 && rounded.e[ANY_DIRECTED] > 0);
    row[19] = 0; /* the first weight alone */
    row[4] = 0x05;
    a[0] = 1;
    a[31] = 0;
    assert_true(one(w, a, row, 32, 0).e[DECLARED] > 0);
    put_block(w, row, 0x7c00, 0); /* infinite: no finite weight is rounded */
    assert_true(one(w, a, row, 32, 0).e[0] == 0);
}

/* Four weights whose sum has all its bits, but not as multiples of what the sum allows: either part
 * of a weight is asked, with its own activation. */
static void exact_sums_ask_both_parts(void **unused)
{
    static const unsigned halves[] = { 0x7000, 0x1400 }; /* 2^13, 2^-10 */
    const weights *w = &formats[1];
    (void)unused;
    for (int way = 0; way < 2; way++) {
        unsigned char row[20];
        float a[32] = { 0 };
        put_block(w, row, halves[way], halves[1 - way]);
        for (int i = 1; i < 9; i += 2) row[4 + i] = 1, a[i] = 1;
        assert_true(one(w, a, row, 32, 0).e[ANY] > 0);
        a[3] = a[5] = a[7] = 0;
        assert_true(one(w, a, row, 32, 0).e[ANY] == 0);
    }
}

static void special_weights_and_activations(void **unused)
{
    static unsigned char row[BYTES_MOST];
    float a[BLOCK_MOST];
    (void)unused;
    for (size_t f = 0; f < FORMATS_COUNT; f++) {
        const weights *w = &formats[f];
        draw_block(w, row, 0x3400);
        draw_activations(a, w->elements, 0);
        a[w->elements - 1] = NAN;
        cells x = one(w, a, row, w->elements, 0);
        assert_true(isnan(x.v[0]) && x.e[0] == 0 && isnan(x.v[3]));
        a[w->elements - 1] = 0x1p-128f;
        put_half(row + w->d, 0x7e00);
        x = one(w, a, row, w->elements, 0);
        assert_true(isnan(x.v[0]) && x.e[0] == 0 && isnan(x.v[3]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(products_are_those_of_the_decoded_weights),
        TEST(no_terms_leave_the_bias),
        TEST(kernels_that_take_blocks_apart_are_inside),
        TEST(unknown_orders_are_charged_by_hand),
        TEST(directed_modes_round_minimums_by_hand),
        TEST(operands_taken_as_zero_by_hand),
        TEST(unscaled_sums_may_overflow),
        TEST(unscaled_sums_are_bounded_by_hand),
        TEST(rounded_weights_are_exact_in_declared_orders),
        TEST(exact_sums_ask_both_parts),
        TEST(special_weights_and_activations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
