/* SPDX-License-Identifier: MIT */
/* Tests of the comparison with balls, of its messages, and of what one call is watched for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

#include "call.h"
#include "ck_subject.h"
#include "compare.h"
#include "tests.h"

static void one_output_is_judged_by_hand(void **state)
{
    const double inf = INFINITY, nan = (double)NAN, outside = (double)NAN;
    const struct {
        double got, v, e;
        bool signed_zero;
        double want;
    } row[] = {
        { 1, 1, 0, false, 0 },
        { 1, 2, 0, false, outside },
        { 1.5, 1, 2, false, 0.25 },
        { 0.5, 1, 2, false, 0.25 },
        { 3, 1, 2, false, 1 },
        { 3.0000001, 1, 2, false, outside },
        { -1.0000001, 1, 2, false, outside },
        { nan, 1, 2, false, outside },
        { inf, 1, 2, false, outside },
        { nan, nan, 0, false, 0 },
        { 1, nan, 0, false, outside },
        { inf, nan, 0, false, outside },
        { inf, inf, 0, false, 0 },
        { -inf, inf, 0, false, outside },
        { nan, inf, 0, false, outside },
        { DBL_MAX, inf, 0, false, outside },
        { 7, 1, REF_ANY, false, 0 },
        { nan, 1, REF_ANY, true, 0 },
        { -0.0, 0, 0, false, 0 },
        { -0.0, 0, 0, true, outside },
        { 0, -0.0, 0, true, outside },
        { -0.0, -0.0, 0, true, 0 },
        { -0.0, 0, 1, true, 0 }, /* a rounded zero has either sign */
        { 0.5, 0, 1, true, 0.5 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const double ratio = hn_judge(row[i].got, row[i].v, row[i].e, row[i].signed_zero);
        if (isnan(row[i].want) ? !isnan(ratio) : ratio != row[i].want)
            fail_msg("row %zu: %g, not %g", i, ratio, row[i].want);
    }
}

enum { ROWS = 4, COLS = 5 };

/* An output of 4 x 5 floats, y[r,c] = 10 r + c, and balls of its rows 1 .. 3 and columns 1 .. 5. */
typedef struct trial {
    float y[ROWS * COLS];
    double v[8], e[8], term[8];
    hn_output output;
    ref_tile tile;
    hn_balls balls;
    hn_result result;
} trial;

static void begin(trial *t)
{
    *t = (trial){ .output = { .name = "y", .rows = ROWS, .cols = COLS, .info = &hn_dtypes[HN_F32] },
                  .tile = { 1, 2, 1, 4 } };
    t->output.bytes = (const unsigned char *)t->y;
    t->balls = (hn_balls){ 8, t->v, t->e, t->term };
    t->result = (hn_result){ .exact = true };
    for (size_t i = 0; i < ROWS * COLS; i++) t->y[i] = (float)(i / COLS * 10 + i % COLS);
    for (size_t i = 0; i < 8; i++) {
        t->v[i] = (double)((1 + i / 4) * 10 + 1 + i % 4);
        t->term[i] = 1;
    }
}

static void compare(trial *t) { hn_compare(&t->output, &t->tile, &t->balls, 0, &t->result); }

static void each_output_of_a_tile_is_compared_with_its_ball(void **state)
{
    trial t;
    char what[80];
    (void)state;
    begin(&t);
    compare(&t);
    assert_int_equal(t.result.verdict, HN_OK);
    assert_true(t.result.exact && t.result.utilisation == 0);
    for (size_t i = 0; i < ROWS * COLS; i++) {
        const size_t r = i / COLS, c = i % COLS;
        const bool of_tile = r >= 1 && r < 3 && c >= 1;
        begin(&t);
        t.y[i] += 0.5f;
        compare(&t);
        assert_int_equal(t.result.verdict, of_tile ? HN_FAIL : HN_OK);
        if (!of_tile) continue;
        assert_int_equal(t.result.check, HN_CHECK_VALUE);
        snprintf(what, sizeof what, "y[%zu,%zu] got %zu.5, wanted %zu, radius 0", r, c, 10 * r + c,
                 10 * r + c);
        assert_string_equal(t.result.what, what);
        begin(&t);
        t.y[i] = NAN;
        compare(&t);
        assert_int_equal(t.result.check, HN_CHECK_NAN);
    }
}

/* The details of a failure say by how many radii it is one. */
static void failures_are_measured_in_radii(void **state)
{
    trial t;
    (void)state;
    begin(&t);
    t.y[COLS + 2] = 15;
    t.e[1] = 2; /* and 12 was wanted */
    compare(&t);
    assert_int_equal(t.result.verdict, HN_FAIL);
    assert_non_null(strstr(t.result.what, "y[1,2] got 15, wanted 12, radius 2"));
    assert_non_null(strstr(t.result.detail, "got    0x1.ep+3\n    wanted 0x1.8p+3\n"
                                            "    radius 0x1p+1   error/radius 1.5\n"));
}

static void the_worst_ratio_is_kept(void **state)
{
    trial t;
    (void)state;
    begin(&t);
    for (size_t i = 0; i < 8; i++) t.e[i] = 4, t.v[i] += i == 7 ? 3 : i == 2 ? -2 : 1;
    compare(&t);
    assert_int_equal(t.result.verdict, HN_OK);
    assert_true(t.result.utilisation == 0.75 && !t.result.exact);
    for (size_t i = 0; i < 8; i++) t.e[i] = 8; /* of an earlier tile */
    compare(&t);
    assert_true(t.result.utilisation == 0.75);
    begin(&t); /* radii of outputs that are not finite say nothing */
    t.v[3] = INFINITY;
    t.y[COLS + 4] = INFINITY;
    t.e[3] = REF_ANY;
    compare(&t);
    assert_true(t.result.verdict == HN_OK && t.result.exact);
    t.v[3] = 0;
    compare(&t);
    assert_false(t.result.exact);
}

static void signs_of_zero_count_where_the_family_says_so(void **state)
{
    trial t;
    (void)state;
    begin(&t);
    t.v[0] = 0;
    t.y[COLS + 1] = -0.0f;
    compare(&t);
    assert_int_equal(t.result.verdict, HN_OK);
    hn_compare(&t.output, &t.tile, &t.balls, HN_SIGNED_ZERO, &t.result);
    assert_int_equal(t.result.verdict, HN_FAIL);
}

/* Numbers that are equal, or both NaNs, may have other bits. */
static void bits_are_compared_where_asked(void **state)
{
    const uint32_t wanted[] = { 0x7fc00001, 0x80000000u, 0x3f800000 };
    const uint32_t got[] = { 0x7fc00002, 0, 0x3f800000 };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const double v = (double)wanted[i], e = 0, term = 0;
        const void *const unit = &got[i];
        const hn_output output = { "y", unit, 1, 1, &hn_dtypes[HN_F32], false, true };
        hn_result result = { .exact = true };
        hn_compare(&output, &(ref_tile){ 0, 1, 0, 1 }, &(hn_balls){ 1, &v, &e, &term }, 0, &result);
        assert_int_equal(result.verdict, i < 2 ? HN_FAIL : HN_OK);
    }
}

/* A block is compared part by part, and the message names the part. */
static void parts_of_blocks_are_compared(void **state)
{
    unsigned char y[3 * 34];
    double v[33], e[33] = { 0 }, term[33] = { 0 };
    const hn_output output = { "y", y, 1, 3, &hn_dtypes[HN_Q8_0], false, false };
    const hn_balls balls = { 33, v, e, term };
    (void)state;
    for (size_t i = 0; i < sizeof y; i++) y[i] = (unsigned char)(i * 5);
    v[0] = (double)(y[34] | y[35] << 8);
    for (size_t i = 1; i < 33; i++) v[i] = (double)(signed char)y[34 + 1 + i];
    for (size_t byte = 33; byte <= 68; byte++) {
        hn_result r = { .exact = true };
        y[byte] ^= 1;
        hn_compare(&output, &(ref_tile){ 0, 1, 1, 1 }, &balls, 0, &r);
        y[byte] ^= 1;
        const bool mine = byte >= 34 && byte < 68;
        assert_int_equal(r.verdict, mine ? HN_FAIL : HN_OK);
        char name[32];
        snprintf(name, sizeof name, byte < 36 ? "y[0,1].d got" : "y[0,1].q[%zu] got", byte - 36);
        if (mine) assert_non_null(strstr(r.what, name));
    }
}

/* Zero of the other sign, a NaN of another payload. */
static void copies_are_bits(void **state)
{
    const uint32_t right[] = { 0x80000000u, 0x7fc00001u, 0xff800001u };
    uint32_t y[3];
    double v[3], e[3] = { 0 }, term[3] = { 0 };
    const hn_output output = { "y", (unsigned char *)y, 1, 3, &hn_dtypes[HN_F32], false, true };
    const hn_balls balls = { 3, v, e, term };
    (void)state;
    for (size_t i = 0; i < 3; i++) v[i] = (double)right[i];
    for (size_t bit = 0; bit <= 3 * 32; bit++) {
        hn_result r = { .exact = true };
        memcpy(y, right, sizeof y);
        if (bit < 3 * 32) y[bit / 32] ^= (uint32_t)1 << bit % 32;
        hn_compare(&output, &(ref_tile){ 0, 1, 0, 3 }, &balls, 0, &r);
        assert_int_equal(r.verdict, bit < 3 * 32 ? HN_FAIL : HN_OK);
    }
}

static void the_first_failure_stays(void **state)
{
    hn_result r = { .verdict = HN_OK };
    (void)state;
    hn_record(&r, HN_CRASH, HN_CHECK_GUARD, "%d", 1);
    hn_record(&r, HN_FAIL, HN_CHECK_VALUE, "%d", 2);
    assert_true(r.verdict == HN_CRASH && r.check == HN_CHECK_GUARD);
    assert_string_equal(r.what, "1");
}

static void units_around_the_wrong_one_are_shown(void **state)
{
    const unsigned char row[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    unsigned char long_row[40] = { 0 };
    hn_result r = { .verdict = HN_OK };
    (void)state;
    hn_dump_units(&r, "got", row, 10, 1, 4);
    hn_dump_units(&r, "first", row, 10, 1, 0);
    hn_dump_units(&r, "last", row, 5, 2, 4);
    assert_string_equal(r.detail, "    got     01   02   03  [04]  05   06   07 \n"
                                  "    first  [00]  01   02   03 \n"
                                  "    last    0203   0405   0607  [0809]\n");
    r.detail[0] = '\0'; /* a block is shown alone */
    hn_dump_units(&r, "block", long_row, 2, 20, 1);
    assert_int_equal(strlen(r.detail), 4 + 6 + 2 + 40 + 1 + 1);
    for (int i = 0; i < 100; i++) hn_dump_units(&r, "block", long_row, 2, 20, 1);
    assert_true(strlen(r.detail) < sizeof r.detail);
}

static void power_needs_one_output_that_would_show_a_fault(void **state)
{
    const double nan = (double)NAN, inf = INFINITY;
    const struct {
        double v[2], e[2], term[2];
        bool power;
    } row[] = {
        { { 1, 1 }, { 1, 1 }, { 1, 1 }, false },
        { { 1, 1 }, { 0.5, 0.5 }, { 1, 1 }, false },
        { { 1, 1 }, { 1, 0.49 }, { 1, 1 }, true },
        { { 1, 1 }, { 0.49, 1 }, { 1, 1 }, true },
        { { 1, 1 }, { 1, 0 }, { 1, 0 }, true },
        { { 1, nan }, { 1, 0 }, { 1, 1 }, true },
        { { 1, inf }, { 1, 1 }, { 1, 0 }, true },
        { { 1, nan }, { REF_ANY, REF_ANY }, { 1, 1 }, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (hn_has_power(&(hn_balls){ 2, row[i].v, row[i].e, row[i].term }) != row[i].power)
            fail_msg("row %zu", i);
}

/* --- formats */

static void blocks_outside_a_domain_are_known(void **state)
{
    const hn_dtype_info *f32 = &hn_dtypes[HN_F32], *q8 = &hn_dtypes[HN_Q8_0];
    const struct {
        float x;
        bool finite, normal;
    } row[] = {
        { 1, false, false },         { 0, false, false },
        { NAN, true, true },         { INFINITY, true, true },
        { 0x1p100f, false, false },  { -0x1.000002p100f, false, true },
        { 0x1p-100f, false, false }, { 0x1.fp-101f, false, true },
    };
    unsigned char block[34] = { 0, 0x3c };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        unsigned char unit[4];
        memcpy(unit, &row[i].x, sizeof unit);
        assert_true(hn_leaves(f32, unit, CK_DOMAIN_FINITE, 0) == row[i].finite);
        assert_true(hn_leaves(f32, unit, CK_DOMAIN_NORMAL, 0) == row[i].normal);
        assert_false(hn_leaves(f32, unit, 0, 0));
    }
    for (size_t i = 2; i < 34; i++) {
        block[i] = 0x80;
        assert_true(hn_leaves(q8, block, 0, -127) && !hn_leaves(q8, block, 0, -128));
        block[i] = 0x81;
        assert_false(hn_leaves(q8, block, CK_DOMAIN_FINITE | CK_DOMAIN_NORMAL, -127));
    }
    for (unsigned exponent = 0; exponent < 32; exponent++) {
        block[1] = (unsigned char)(exponent << 2 | 0x83u);
        assert_true(hn_leaves(q8, block, CK_DOMAIN_FINITE, -128) == (exponent == 31));
        assert_true(hn_leaves(q8, block, CK_DOMAIN_NORMAL, -128) == (exponent == 0));
    }
}

/* --- one call */

static void damage_is_named(void **state)
{
    char text[64], small[8];
    (void)state;
    hn_damage_text(0, text, sizeof text);
    assert_string_equal(text, "");
    hn_damage_text((1 << 9) - 1, text, sizeof text);
    assert_string_equal(text, "rbx rbp r12 r13 r14 r15 stack DF ymm");
    hn_damage_text(HN_DAMAGE_R12 | HN_DAMAGE_YMM, text, sizeof text);
    assert_string_equal(text, "r12 ymm");
    hn_damage_text((1 << 9) - 1, small, sizeof small);
    assert_string_equal(small, "rbx rbp");
}

static uint32_t seen_mxcsr;

static void looks(const void *args)
{
    (void)args;
    seen_mxcsr = _mm_getcsr();
}
static void sets_modes(const void *args)
{
    const uint16_t control = 0x027f;
    (void)args;
    _mm_setcsr(_mm_getcsr() ^ 0x6000);
    __asm__ volatile("fldcw %0" : : "m"(control));
}
static void faults(const void *args) { *(volatile unsigned char *)(uintptr_t)args = 1; }
static void aborts(const void *args)
{
    (void)args;
    raise(SIGABRT);
}
static void spins(const void *args)
{
    volatile const unsigned char *until = args;
    while (*until == 0) {
    }
}

/* What comes back of a call; the caller's own modes are as they were. */
static hn_outcome call(ck_fn *fn, const void *args, uint32_t mxcsr)
{
    const uint32_t before = _mm_getcsr();
    uint16_t was, is;
    hn_outcome outcome;
    __asm__ volatile("fnstcw %0" : "=m"(was));
    hn_call(fn, args, mxcsr, 3, &outcome);
    __asm__ volatile("fnstcw %0" : "=m"(is));
    assert_int_equal(_mm_getcsr() & ~0x3fu, before & ~0x3fu);
    assert_int_equal(was, is);
    return outcome;
}

static void calls_come_back_with_what_happened(void **state)
{
    static const unsigned char zero = 0;
    (void)state;
    hn_call_init();
    hn_outcome y = call(looks, NULL, 0x5f80);
    assert_true(y.how == HN_RETURNED && y.damage == 0);
    assert_int_equal(seen_mxcsr, 0x5f80);
    assert_true(y.mxcsr_in == 0x5f80 && y.mxcsr_out == 0x5f80 && y.fcw_in == y.fcw_out);
    y = call(sets_modes, NULL, 0x1f80);
    assert_true(y.how == HN_RETURNED && y.mxcsr_in == 0x1f80 && y.mxcsr_out == 0x7f80);
    assert_true(y.fcw_in != 0x027f && y.fcw_out == 0x027f);
    y = call(faults, (const void *)(uintptr_t)24, 0x1f80);
    assert_true(y.how == HN_SIGNALLED && y.signal == SIGSEGV);
    assert_ptr_equal(y.address, (const void *)(uintptr_t)24);
    y = call(aborts, NULL, 0x1f80);
    assert_true(y.how == HN_SIGNALLED && y.signal == SIGABRT && y.address == NULL);
    y = call(spins, &zero, 0x1f80);
    assert_true(y.how == HN_HUNG);
    y = call(faults, (const void *)(uintptr_t)24, 0x1f80); /* a signal after a hang is no hang */
    assert_true(y.how == HN_SIGNALLED);
    y = call(looks, NULL, 0x1f80);
    assert_true(y.how == HN_RETURNED);
}

int hn_test_compare(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_output_is_judged_by_hand),
        cmocka_unit_test(each_output_of_a_tile_is_compared_with_its_ball),
        cmocka_unit_test(failures_are_measured_in_radii),
        cmocka_unit_test(the_worst_ratio_is_kept),
        cmocka_unit_test(signs_of_zero_count_where_the_family_says_so),
        cmocka_unit_test(bits_are_compared_where_asked),
        cmocka_unit_test(parts_of_blocks_are_compared),
        cmocka_unit_test(copies_are_bits),
        cmocka_unit_test(the_first_failure_stays),
        cmocka_unit_test(units_around_the_wrong_one_are_shown),
        cmocka_unit_test(power_needs_one_output_that_would_show_a_fault),
        cmocka_unit_test(blocks_outside_a_domain_are_known),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(calls_come_back_with_what_happened),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
