/* SPDX-License-Identifier: MIT */
/* Contract tests of the entry of cross-entropy, vectors worked out by hand, and the logarithm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "ck_ops.h"
#include "loss.h"
#include "simd/log.h"

enum { CELLS = 64 };
static float dx[CELLS], x[CELLS], loss;
static int32_t count, target[3];

static ck_cross_entropy_args good(void)
{
    for (int i = 0; i < CELLS; i++) {
        dx[i] = 1e30f;
        x[i] = (float)(i % 7) - 2.5f;
    }
    loss = 1e30f;
    count = -1;
    target[0] = 3, target[1] = CK_IGNORE, target[2] = 0;
    return (ck_cross_entropy_args){ dx, &loss, &count, x, target, 3, 4, 6, 5 };
}

/* The status, and nothing written. */
static void refused(const ck_cross_entropy_args *g, ck_status wanted)
{
    assert_int_equal(ck_softmax_cross_entropy_f32(g), wanted);
    assert_true(loss == 1e30f && count == -1);
    for (int i = 0; i < CELLS; i++) assert_true(dx[i] == 1e30f);
}

static void bad_arguments_are_refused(void **state)
{
    ck_cross_entropy_args g;
    int32_t words[4] = { 0 };
    void *const in_loss = &loss, *const in_targets = words;
    (void)state;
    good();
    refused(NULL, CK_ERR_NULL);
    g = good(), g.loss = NULL, refused(&g, CK_ERR_NULL);
    g = good(), g.count = NULL, refused(&g, CK_ERR_NULL);
    g = good(), g.x = NULL, refused(&g, CK_ERR_NULL);
    g = good(), g.target = NULL, refused(&g, CK_ERR_NULL);
    g = good(), g.ldx = 3, refused(&g, CK_ERR_SHAPE);
    g = good(), g.lddx = 3, refused(&g, CK_ERR_SHAPE);
    g = good(), g.t = ((size_t)1 << 24) + 1, refused(&g, CK_ERR_SHAPE);
    g = good(), g.v = ((size_t)1 << 24) + 1, refused(&g, CK_ERR_SHAPE);
    g = good(), target[2] = 4, refused(&g, CK_ERR_VALUE);
    g = good(), target[2] = -1, refused(&g, CK_ERR_VALUE);
    g = good(), target[2] = -101, refused(&g, CK_ERR_VALUE);
    g = good(), target[2] = INT32_MIN, refused(&g, CK_ERR_VALUE);
    g = good(), g.v = 0, refused(&g, CK_ERR_VALUE);
    g = good(), g.x = dx + 1, refused(&g, CK_ERR_ALIAS);
    g = good(), g.x = dx, g.ldx = 6, refused(&g, CK_ERR_ALIAS);
    g = good(), g.count = in_loss, refused(&g, CK_ERR_ALIAS);
    g = good(), g.loss = dx + 8, refused(&g, CK_ERR_ALIAS);
    g = good(), g.target = in_targets, g.loss = in_targets, refused(&g, CK_ERR_ALIAS);
}

/* Two classes alike, and one that is certain. */
static void by_hand(void **state)
{
    ck_cross_entropy_args g = good();
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        ck_set_strict_parity(strict);
        g = good(), g.v = 2, g.lddx = 2;
        x[0] = 5, x[1] = 5, x[10] = 0, x[11] = -1000;
        target[0] = 1;
        assert_int_equal(ck_softmax_cross_entropy_f32(&g), CK_OK);
        assert_true(loss == 0.5f * 0.693147181f && count == 2);
        const float wanted[] = { 0.25f, -0.25f, 0, 0, 0, 0 };
        for (int i = 0; i < 6; i++) assert_true(dx[i] == wanted[i]);
        g.dx = NULL, g.lddx = 0, loss = 0;
        assert_int_equal(ck_softmax_cross_entropy_f32(&g), CK_OK);
        assert_true(loss == 0.5f * 0.693147181f);
    }
    ck_set_strict_parity(0);
}

/* Rows that do not count may hold anything; if none counts, loss and gradient are 0. */
static void nothing_counts(void **state)
{
    ck_cross_entropy_args g = good();
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        ck_set_strict_parity(strict);
        g = good();
        for (int i = 0; i < 3; i++) target[i] = CK_IGNORE;
        x[0] = NAN, x[5] = INFINITY;
        assert_int_equal(ck_softmax_cross_entropy_f32(&g), CK_OK);
        assert_true(loss == 0 && count == 0);
        for (int i = 0; i < 16; i++) assert_true(dx[i] == (i % 6 < 4 ? 0 : 1e30f));
        g = good(), g.t = 0, g.x = NULL, g.target = NULL, g.dx = NULL;
        assert_int_equal(ck_softmax_cross_entropy_f32(&g), CK_OK);
        assert_true(loss == 0 && count == 0);
    }
    ck_set_strict_parity(0);
}

/* Two ulp, as the contract says: next to 1, at powers of two and where the fraction is cut, anywhere. */
static void log_is_good_to_two_ulp(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 3000000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double u = (double)(seed >> 11) * 0x1p-53;
        const double at[] = { 1 + u * 0x1p-20, 1.41421356 + u * 1e-7, 2 - u * 0x1p-30, 1 + u,
                              ldexp(1 + u, (int)(seed % 40)) };
        const double v = at[i % 5], y = ck_d_log(v);
        const long double wanted = logl((long double)v);
        int exponent;
        frexpl(wanted, &exponent);
        assert_true(fabsl((long double)y - wanted) <= 2 * ldexpl(1, exponent - 53));
    }
    assert_true(ck_d_log(1) == 0 && isnan(ck_d_log((double)NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(nothing_counts),
        cmocka_unit_test(log_is_good_to_two_ulp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
