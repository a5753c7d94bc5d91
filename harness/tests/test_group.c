/* SPDX-License-Identifier: MIT */
/* Tests of one case on wrong kernels: which check speaks, and what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

#include "gemm.h"
#include "group.h"
#include "norm.h"
#include "tests.h"

typedef void trick(const ck_gemm_args *g);

static ck_fn *right;
static trick *after;         /* what is done wrong after the right kernel */
static float before[1 << 6]; /* the output as it was, rows of ldy */
static unsigned calls;

static void wrong(const void *args)
{
    const ck_gemm_args *g = args;
    memcpy(before, g->y, ((g->m - 1) * g->ldy + g->n) * sizeof *g->y);
    calls++;
    right(args);
    after(g);
}

static void nothing(const ck_gemm_args *g) { (void)g; }
static void writes_before(const ck_gemm_args *g) { g->y[-2] = 1; }
static void writes_between(const ck_gemm_args *g) { g->y[g->ldy + g->n + 1] = 1; }
static void writes_after(const ck_gemm_args *g) { g->y[(g->m - 1) * g->ldy + g->n] = 1; }
static void writes_input(const ck_gemm_args *g)
{
    *(float *)(uintptr_t)(g->b + (g->n - 1) * g->ldb + g->k - 1) += 1;
}
static void reads_past(const ck_gemm_args *g)
{
    *(volatile float *)g->y = g->a[(g->m - 1) * g->lda + g->k + 1];
}
static void reads_ahead(const ck_gemm_args *g) { *(volatile float *)g->y = g->b[-3]; }
static float *volatile nowhere = (float *)8;
static void writes_null(const ck_gemm_args *g) { *nowhere = g->alpha; }
static void hangs(const ck_gemm_args *g)
{
    while (*(volatile const size_t *)&g->m > 0) {
    }
}
static void skips(const ck_gemm_args *g) { g->y[2 * g->ldy + 3] = before[2 * g->ldy + 3]; }
static void counts(const ck_gemm_args *g) { g->y[g->ldy + 2] += (float)calls; }
static void adds_up(const ck_gemm_args *g)
{
    if (!isnan(before[g->ldy + 1])) g->y[g->ldy + 1] += 1;
}
static void sees_junk(const ck_gemm_args *g)
{
    if (!isnan(g->a[g->lda - 1])) g->y[g->ldy] += 1;
}
static void is_off(const ck_gemm_args *g) { g->y[2 * g->ldy + 3] += 0.5f; }
static void is_nan(const ck_gemm_args *g) { g->y[1] = NAN; }
static void fears_alias(const ck_gemm_args *g)
{
    if (g->y == g->c) g->y[g->ldy + 2] += 0.5f;
}
static void fears_batches(const ck_gemm_args *g)
{
    if (g->m == 1) g->y[3] += 0.5f;
}
static void rounds_up(const ck_gemm_args *g)
{
    (void)g;
    _mm_setcsr(_mm_getcsr() | 0x4000);
}
static void flips_a_bit(const ck_gemm_args *g)
{
    unsigned char *last = (unsigned char *)&g->y[2 * g->ldy + 3];
    *last ^= 1;
}

/* The wrong kernel, in the mode that the line names, beside the right one's strict mode. */
static hn_result run(trick *what, const char *line, hn_plan *plan, hn_runner *runner)
{
    static ck_kernel kernel;
    static hn_result results[HN_MAX_VARIANTS];
    char error[256];
    hn_case c;
    const ck_kernel *scalar = hn_test_scalar("gemm_nt_f32");
    if (hn_case_parse(&c, line, error, sizeof error) != 0) fail_msg("%s: %s", line, error);
    const bool strict = c.mode == HN_STRICT;
    kernel = *scalar;
    kernel.isa = "wrong";
    right = strict ? scalar->fn_strict : scalar->fn;
    *(strict ? &kernel.fn_strict : &kernel.fn) = wrong;
    after = what;
    calls = 0;
    *plan = (hn_plan){ .op = c.op };
    hn_plan_add(plan, scalar, true, 0);
    hn_plan_add(plan, &kernel, strict, 1);
    hn_group_run(runner, plan, &c, results);
    return results[1];
}

#define CASE "gemm_nt_f32 mode=fast gen=1 M=3 N=4 K=5 "
#define BASE_RAN                                                                              \
    (1u << HN_CHECK_GUARD | 1u << HN_CHECK_CRASH | 1u << HN_CHECK_HANG | 1u << HN_CHECK_ABI | \
     1u << HN_CHECK_FPENV | 1u << HN_CHECK_SLACK | 1u << HN_CHECK_INPUT |                     \
     1u << HN_CHECK_UNWRITTEN | 1u << HN_CHECK_REPEAT | 1u << HN_CHECK_JUNK |                 \
     1u << HN_CHECK_PREFILL | 1u << HN_CHECK_VALUE | 1u << HN_CHECK_NAN | 1u << HN_CHECK_HARNESS)

static void each_fault_is_named_with_its_place(void **state)
{
    static const struct {
        trick *what;
        const char *line;
        hn_verdict verdict;
        hn_check check;
        const char *says;
    } row[] = {
        { nothing, CASE "fill=int", HN_OK, HN_CHECK_NONE, "" },
        { writes_before, CASE "ldy=7 at=y:m16 fill=int", HN_FAIL, HN_CHECK_SLACK,
          "wrote 8 bytes before y" },
        { writes_between, CASE "ldy=7 fill=int", HN_FAIL, HN_CHECK_SLACK,
          "wrote beyond row 1 of y, byte 20 (the row has 16)" },
        { writes_after, CASE "ldy=7 at=y:s fill=int", HN_FAIL, HN_CHECK_SLACK,
          "wrote beyond row 2 of y, byte 16 (the row has 16)" },
        { writes_input, CASE "fill=int", HN_FAIL, HN_CHECK_INPUT,
          "an input or its surroundings changed" },
        { reads_past, CASE "fill=int", HN_CRASH, HN_CHECK_GUARD,
          "signal 11 at byte +4 past the end of a" },
        { reads_ahead, CASE "ldb=8 at=b:s fill=int", HN_CRASH, HN_CHECK_GUARD,
          "signal 11 at byte -12 from the start of b" },
        { writes_null, CASE "fill=int", HN_CRASH, HN_CHECK_CRASH,
          "signal 11 at an address of no operand, in " },
        { hangs, CASE "fill=int", HN_HANG, HN_CHECK_HANG, "no return within 0.2 CPU seconds" },
        { skips, CASE "fill=int", HN_FAIL, HN_CHECK_UNWRITTEN, "y[2,3] was not written" },
        { counts, CASE "fill=int", HN_FAIL, HN_CHECK_REPEAT, "y[1,2] differs from call to call" },
        { adds_up, CASE "fill=int", HN_FAIL, HN_CHECK_PREFILL,
          "y[1,1] depends on what the output held before" },
        { sees_junk, CASE "lda=6 fill=int", HN_FAIL, HN_CHECK_JUNK,
          "y[1,0] depends on memory outside the operands" },
        { is_nan, CASE "fill=int", HN_FAIL, HN_CHECK_NAN, NULL },
        { is_off, CASE "fill=int", HN_FAIL, HN_CHECK_VALUE, NULL },
        { fears_alias, CASE "beta=1 fill=int", HN_FAIL, HN_CHECK_ALIAS,
          "y[1,2] differs when the output is an input" },
        { rounds_up, CASE "fill=int", HN_FAIL, HN_CHECK_FPENV,
          "MXCSR control bits 0x1f80 came back as 0x5f80" },
        { flips_a_bit, "gemm_nt_f32 mode=strict gen=1 M=3 N=4 K=5", HN_FAIL, HN_CHECK_VALUE, NULL },
        { nothing, CASE "fp=ftz fill=int", HN_SKIP, HN_CHECK_NONE,
          "fast results are not promised under flush-to-zero" },
    };
    hn_runner *runner = hn_runner_new();
    hn_plan plan;
    (void)state;
    hn_call_init();
    hn_runner_ticks(runner, 2);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const hn_result r = run(row[i].what, row[i].line, &plan, runner);
        if (r.verdict != row[i].verdict || r.check != row[i].check ||
            (row[i].says && strncmp(r.what, row[i].says, strlen(row[i].says)) != 0))
            fail_msg("row %zu: %s %s \"%s\"", i, hn_verdict_names[r.verdict],
                     hn_check_names[r.check], r.what);
    }
    hn_runner_free(runner);
}

/* A row by itself: whichever is drawn, it is named. */
static void batches_are_compared_row_by_row(void **state)
{
    hn_runner *runner = hn_runner_new();
    hn_plan plan;
    bool seen[3] = { false };
    (void)state;
    hn_call_init();
    for (unsigned seed = 0; seed < 40; seed++) {
        char line[80];
        size_t row;
        snprintf(line, sizeof line, CASE "fill=int seed=%x", seed);
        const hn_result r = run(fears_batches, line, &plan, runner);
        assert_int_equal(r.check, HN_CHECK_BATCH);
        assert_int_equal(sscanf(r.what, "y[%zu,3] depends on the batch size", &row), 1);
        assert_true(row < 3);
        seen[row] = true;
    }
    assert_true(seen[0] && seen[1] && seen[2]);
    hn_runner_free(runner);
}

static void what_was_checked_is_noted(void **state)
{
    hn_runner *runner = hn_runner_new();
    hn_plan plan;
    (void)state;
    hn_call_init();
    hn_result r = run(nothing, CASE "fill=int", &plan, runner);
    assert_int_equal(r.ran & BASE_RAN, BASE_RAN);
    assert_true(r.ran >> HN_CHECK_BATCH & 1);
    assert_false(r.ran >> HN_CHECK_STRICT & 1 || r.ran >> HN_CHECK_ISA & 1);
    assert_true(r.exact);
    r = run(nothing, "gemm_nt_f32 mode=strict gen=1 M=3 N=4 K=5", &plan, runner);
    assert_true(r.ran >> HN_CHECK_STRICT & 1);
    r = run(nothing, CASE "beta=1 fill=int", &plan, runner);
    assert_true(r.ran >> HN_CHECK_ALIAS & 1);
    hn_runner_free(runner);
}

static hn_case parsed(const char *line)
{
    char error[256];
    hn_case c;
    if (hn_case_parse(&c, line, error, sizeof error) != 0) fail_msg("%s: %s", line, error);
    return c;
}

/* --- outputs of several formats: rows of bf16, and a column of floats */

typedef void norm_trick(const ck_rmsnorm_args *g);
static norm_trick *norm_after;
static float column[8]; /* of statistics as it was */

static void wrong_norm(const void *args)
{
    const ck_rmsnorm_args *g = args;
    for (size_t i = 0; i < g->t; i++) column[i] = g->rstd[i * g->ldr];
    calls++;
    right(args);
    norm_after(g);
}

static void norm_right(const ck_rmsnorm_args *g) { (void)g; }
static void column_unwritten(const ck_rmsnorm_args *g) { g->rstd[2 * g->ldr] = column[2]; }
static void column_between(const ck_rmsnorm_args *g) { g->rstd[g->ldr + 1] = 1; }
static void column_before(const ck_rmsnorm_args *g) { g->rstd[-1] = 1; }
static void column_off(const ck_rmsnorm_args *g) { g->rstd[g->ldr] *= 1.0001f; }
static void column_nan(const ck_rmsnorm_args *g) { g->rstd[g->ldr] = NAN; }
static void column_counts(const ck_rmsnorm_args *g) { g->rstd[0] += (float)calls; }
static void column_adds_up(const ck_rmsnorm_args *g)
{
    if (!isnan(column[1])) g->rstd[g->ldr] += 1;
}
static void column_fears_batches(const ck_rmsnorm_args *g)
{
    if (g->t == 1) g->rstd[0] += 1;
}
static void column_fears_alias(const ck_rmsnorm_args *g)
{
    if (g->y == g->x) g->rstd[2 * g->ldr] += 1;
}
static void column_flips_a_bit(const ck_rmsnorm_args *g)
{
    *(unsigned char *)&g->rstd[2 * g->ldr] ^= 1;
}
static void row_of_floats(const ck_rmsnorm_args *g) { memset((char *)g->y + 2 * g->cols, 0, 2); }
static void row_off(const ck_rmsnorm_args *g) { *(unsigned char *)g->y ^= 2; }

static void every_output_is_checked(void **state)
{
#define NORM "rmsnorm_bf16 mode=fast gen=1 T=3 D=5 eps=0 "
    static const struct {
        norm_trick *what;
        const char *line;
        hn_check check;
        const char *says;
    } row[] = {
        { norm_right, NORM "fill=int", HN_CHECK_NONE, "" },
        { column_unwritten, NORM "fill=int", HN_CHECK_UNWRITTEN, "s[2,0] was not written" },
        { column_between, NORM "lds=3 fill=int", HN_CHECK_SLACK,
          "wrote beyond row 1 of s, byte 4 (the row has 4)" },
        { column_before, NORM "at=s:m1 fill=int", HN_CHECK_SLACK, "wrote 4 bytes before s" },
        { column_before, NORM "at=s:s fill=int", HN_CHECK_GUARD,
          "signal 11 at byte -4 from the start of s" },
        { column_off, NORM "fill=int", HN_CHECK_VALUE, "s[1,0] got " },
        { column_nan, NORM "fill=int", HN_CHECK_NAN, "s[1,0] got nan" },
        { column_counts, NORM "fill=int", HN_CHECK_REPEAT, "s[0,0] differs from call to call" },
        { column_adds_up, NORM "fill=int", HN_CHECK_PREFILL, "s[1,0] depends on what" },
        { column_fears_batches, NORM "fill=int", HN_CHECK_BATCH, "s[" },
        { column_fears_alias, NORM "fill=int", HN_CHECK_ALIAS,
          "s[2,0] differs when the output is an input" },
        { column_flips_a_bit, "rmsnorm_bf16 mode=strict gen=1 T=3 D=5", HN_CHECK_VALUE, "s[2,0]" },
        { row_of_floats, NORM "ldy=9 fill=int", HN_CHECK_SLACK,
          "wrote beyond row 0 of y, byte 10 (the row has 10)" },
        { row_off, NORM "fill=int", HN_CHECK_VALUE, "y[0,0] got " },
    };
#undef NORM
    static hn_result results[HN_MAX_VARIANTS];
    const ck_kernel *scalar = hn_test_scalar("rmsnorm_bf16");
    hn_runner *runner = hn_runner_new();
    (void)state;
    hn_call_init();
    norm_after = norm_right;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const hn_case c = parsed(row[i].line);
        const bool strict = c.mode == HN_STRICT;
        hn_plan plan = { .op = c.op };
        ck_kernel kernel = *scalar;
        kernel.isa = "wrong";
        right = strict ? scalar->fn_strict : scalar->fn;
        *(strict ? &kernel.fn_strict : &kernel.fn) = wrong_norm;
        norm_after = row[i].what;
        calls = 0;
        hn_plan_add(&plan, scalar, true, 0);
        hn_plan_add(&plan, &kernel, strict, 1);
        hn_group_run(runner, &plan, &c, results);
        const hn_result *r = &results[1];
        if (r->check != row[i].check || strncmp(r->what, row[i].says, strlen(row[i].says)) != 0)
            fail_msg("row %zu: %s \"%s\"", i, hn_check_names[r->check], r->what);
    }
    hn_runner_free(runner);
}

/* --- what a case asks for */

/* Variants of the same bits are compared once, but not with each other's radii, and not if the first one failed. */
static void same_bits_have_one_verdict_under_one_spec(void **state)
{
    static hn_result results[HN_MAX_VARIANTS];
    const ck_kernel *scalar = hn_test_scalar("gemm_nt_f32");
    ck_kernel other = *scalar;
    char error[256];
    hn_runner *runner = hn_runner_new();
    hn_case c;
    (void)state;
    assert_int_equal(hn_case_parse(&c, "gemm_nt_f32 gen=1 M=3 N=4 K=257", error, sizeof error), 0);
    other.isa = "other";
    hn_plan plan = { .op = c.op };
    hn_plan_add(&plan, scalar, false, 0);
    hn_plan_add(&plan, &other, false, 1);
    hn_group_run(runner, &plan, &c, results);
    assert_int_equal(results[1].verdict, HN_OK);
    assert_true(results[0].utilisation > 0 && results[1].utilisation == results[0].utilisation);
    assert_true(!results[1].exact);

    other.fn_strict = scalar->fn; /* right for the fast mode alone */
    plan = (hn_plan){ .op = c.op };
    hn_plan_add(&plan, scalar, false, 0);
    hn_plan_add(&plan, &other, true, 1);
    hn_group_run(runner, &plan, &c, results);
    assert_int_equal(results[0].verdict, HN_OK);
    assert_int_equal(results[1].check, HN_CHECK_VALUE);

    right = scalar->fn;
    after = is_off;
    other.fn = wrong;
    plan = (hn_plan){ .op = c.op };
    hn_plan_add(&plan, &other, false, 0);
    hn_plan_add(&plan, &other, false, 1);
    hn_group_run(runner, &plan, &c, results);
    for (int i = 0; i < 2; i++) assert_int_equal(results[i].check, HN_CHECK_VALUE);
    hn_runner_free(runner);
}

static void modes_make_mxcsr_and_specs(void **state)
{
    static const struct {
        const char *fp;
        uint32_t mxcsr;
        double u;
        int flushes;
    } row[] = { { "nearest", 0x1f80, 0x1p-24, 0 },
                { "down", 0x3f80, 0x1p-23, 0 },
                { "up", 0x5f80, 0x1p-23, 0 },
                { "zero", 0x7f80, 0x1p-23, 0 },
                { "ftz", 0x9fc0, 0x1p-24, 1 } };
    const ck_kernel *scalar = hn_test_scalar("gemm_nt_f32");
    hn_runner *runner = hn_runner_new();
    hn_plan plan = { .op = hn_op_find("gemm_nt_f32") };
    (void)state;
    hn_plan_add(&plan, scalar, false, 0);
    hn_plan_add(&plan, scalar, true, 1);
    hn_plan_add(&plan, scalar, false, 2);
    assert_int_equal(plan.nspecs, 2);
    assert_int_equal(plan.variants[2].spec, plan.variants[0].spec);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char line[100], error[100];
        snprintf(line, sizeof line, "gemm_nt_f32 gen=1 M=1 N=1 K=1 fp=%s", row[i].fp);
        const hn_case c = parsed(line);
        assert_int_equal(hn_case_mxcsr(&c), row[i].mxcsr);
        assert_int_equal(hn_group_prepare(runner, &plan, &c, error, sizeof error), 0);
        const ref_spec fast = hn_group_spec(runner, 0), strict = hn_group_spec(runner, 1);
        assert_true(fast.u == row[i].u && strict.u == 0x1p-24);
        assert_true(fast.ftz == row[i].flushes && fast.daz == row[i].flushes);
        assert_true(strict.ftz == 0 && strict.daz == 0 && strict.strict && !fast.strict);
    }
    hn_runner_free(runner);
}

/* Up to 2^22 terms the whole output; then corners, first and last rows, and drawn ones. */
static void large_outputs_are_sampled(void **state)
{
    const hn_tile *t;
    char error[100];
    hn_runner *runner = hn_runner_new();
    hn_plan plan = { .op = hn_op_find("gemm_nt_f32") };
    (void)state;
    hn_plan_add(&plan, hn_test_scalar("gemm_nt_f32"), false, 0);
    hn_case c = parsed("gemm_nt_f32 gen=1 M=64 N=64 K=1022");
    hn_group_prepare(runner, &plan, &c, error, sizeof error);
    assert_int_equal(hn_group_tiles(runner, &t), 1);
    assert_true(t->part.r0 == 0 && t->part.rows == 64 && t->part.c0 == 0 && t->part.cols == 64);
    c = parsed("gemm_nt_f32 gen=1 M=64 N=64 K=1023");
    hn_group_prepare(runner, &plan, &c, error, sizeof error);
    assert_int_equal(hn_group_tiles(runner, &t), 8);
    for (size_t k = 0; k < 8; k++) {
        assert_true(t[k].part.rows == 1 && t[k].part.cols == 48 && t[k].part.r0 < 64 &&
                    t[k].part.c0 <= 16);
        if (k < 4)
            assert_true(t[k].part.r0 == (k < 2 ? 0 : 63) && t[k].part.c0 == (k % 2 ? 16 : 0));
        if (k >= 4 && k % 2) assert_true(t[k].part.c0 == 16);
    }
    c = parsed("gemm_nt_f32 gen=1 M=4096 N=48 K=1022"); /* narrow enough for whole rows */
    hn_group_prepare(runner, &plan, &c, error, sizeof error);
    assert_int_equal(hn_group_tiles(runner, &t), 8);
    for (size_t k = 0; k < 8; k++) assert_true(t[k].part.c0 == 0 && t[k].part.cols == 48);
    plan = (hn_plan){ .op = hn_op_find("softmax_causal_f32") };
    hn_plan_add(&plan, hn_test_scalar("softmax_causal_f32"), false, 0);
    c = parsed("softmax_causal_f32 gen=1 H=20 T=512 pad=1"); /* sums need all of a row */
    hn_group_prepare(runner, &plan, &c, error, sizeof error);
    assert_int_equal(hn_group_tiles(runner, &t), 8);
    for (size_t k = 0; k < 8; k++) assert_true(t[k].part.c0 == 0 && t[k].part.cols == 513);
    hn_runner_free(runner);
}

/* --- instructions, by their bytes: also those that this machine lacks */

static void instructions_are_told_apart(void **state)
{
    enum { NONE, SCALAR, PACKED, V128, V256, E512, EVEX, DOT = 16 };
    static const struct {
        unsigned char code[16];
        unsigned what;
    } row[] = {
        { { 0xc5, 0xf0, 0x58, 0xc2 }, V128 },             /* vaddps xmm */
        { { 0xc5, 0xf4, 0x58, 0xc2 }, V256 },             /* vaddps ymm */
        { { 0xc5, 0xf4, 0x51, 0xc2 }, V256 },             /* vsqrtps ymm */
        { { 0xc4, 0xc1, 0x70, 0x58, 0xc0 }, V128 },       /* vaddps xmm8 */
        { { 0xc4, 0xc1, 0x74, 0x58, 0xc0 }, V256 },       /* vaddps ymm8 */
        { { 0xc4, 0xe2, 0x75, 0x50, 0xc2 }, V256 | DOT }, /* vpdpbusd ymm */
        { { 0xc4, 0xe2, 0x71, 0x53, 0xc2 }, V128 | DOT }, /* vpdpwssds xmm */
        { { 0xc4, 0xe2, 0x75, 0x4f, 0xc2 }, V256 },
        { { 0xc4, 0xe2, 0x7d, 0x58, 0xc2 }, V256 }, /* vpbroadcastd */
        { { 0xc4, 0xe3, 0x75, 0x50, 0xc2 }, V256 },
        { { 0x62, 0xf1, 0x74, 0x48, 0x58, 0xc2 }, E512 },       /* vaddps zmm */
        { { 0x62, 0xf1, 0x74, 0x28, 0x58, 0xc2 }, EVEX },       /* of ymm */
        { { 0x62, 0xf1, 0x74, 0x08, 0x58, 0xc2 }, EVEX },       /* of xmm */
        { { 0x62, 0xf1, 0x74, 0xcb, 0x58, 0xc2 }, E512 },       /* masked, zeroing */
        { { 0x62, 0xf2, 0x75, 0x48, 0x50, 0xc2 }, E512 | DOT }, /* vpdpbusd zmm */
        { { 0x62, 0xf2, 0x75, 0x28, 0x53, 0xc2 }, EVEX | DOT }, /* vpdpwssds ymm */
        { { 0x62, 0xf2, 0x75, 0x48, 0x54, 0xc2 }, E512 },
        { { 0x62, 0xf2, 0x75, 0x48, 0x4f, 0xc2 }, E512 },
        { { 0x62, 0xf1, 0x7c, 0x48, 0x51, 0xc2 }, E512 }, /* vsqrtps: another map */
        { { 0x62, 0x71, 0x7c, 0x4a, 0x51, 0xc2 }, E512 },
        { { 0x0f, 0x58, 0xc1 }, PACKED },             /* addps */
        { { 0x66, 0x0f, 0x58, 0xc1 }, PACKED },       /* addpd */
        { { 0xf3, 0x0f, 0x58, 0xc1 }, SCALAR },       /* addss */
        { { 0xf2, 0x0f, 0x58, 0xc1 }, SCALAR },       /* addsd */
        { { 0xf3, 0x44, 0x0f, 0x58, 0xc1 }, SCALAR }, /* with REX */
        { { 0x44, 0x0f, 0x58, 0xc1 }, PACKED },
        { { 0x0f, 0x51, 0xc1 }, PACKED }, /* sqrtps */
        { { 0xf3, 0x0f, 0x51, 0xc1 }, SCALAR },
        { { 0xf3, 0x0f, 0x5f, 0xc1 }, SCALAR }, /* maxss */
        { { 0xf3, 0x0f, 0x5a, 0xc1 }, SCALAR }, /* cvtss2sd */
        { { 0xf3, 0x0f, 0x10, 0xc1 }, NONE },   /* movss */
        { { 0xf3, 0x0f, 0x50, 0xc1 }, NONE },
        { { 0xf3, 0x0f, 0x6f, 0xc1 }, NONE },   /* movdqu */
        { { 0x0f, 0x5f, 0xc1 }, PACKED },       /* maxps */
        { { 0x0f, 0x50, 0xc1 }, NONE },         /* movmskps */
        { { 0x0f, 0x57, 0xc1 }, NONE },         /* xorps */
        { { 0x0f, 0x5a, 0xc1 }, NONE },         /* cvtps2pd */
        { { 0x66, 0x0f, 0x5b, 0xc1 }, NONE },   /* cvtps2dq */
        { { 0x0f, 0x60, 0xc1 }, NONE },         /* of MMX */
        { { 0x66, 0x0f, 0x60, 0xc1 }, PACKED }, /* punpcklbw */
        { { 0x66, 0x0f, 0x6d, 0xc1 }, PACKED }, /* punpckhqdq */
        { { 0x66, 0x0f, 0x6e, 0xc1 }, NONE },   /* movd */
        { { 0x66, 0x0f, 0xd0, 0xc1 }, NONE },
        { { 0x66, 0x0f, 0xd1, 0xc1 }, PACKED },
        { { 0x66, 0x0f, 0xd5, 0xc1 }, PACKED }, /* pmullw */
        { { 0x66, 0x0f, 0xd6, 0xc1 }, NONE },   /* movq */
        { { 0x66, 0x0f, 0xe0, 0xc1 }, NONE },
        { { 0x66, 0x0f, 0xe1, 0xc1 }, PACKED },
        { { 0x66, 0x0f, 0xe5, 0xc1 }, PACKED },
        { { 0x66, 0x0f, 0xe6, 0xc1 }, NONE }, /* cvttpd2dq */
        { { 0x66, 0x0f, 0xf0, 0xc1 }, NONE },
        { { 0x66, 0x0f, 0xf1, 0xc1 }, PACKED },
        { { 0x66, 0x0f, 0xfe, 0xc1 }, PACKED }, /* paddd */
        { { 0x66, 0x0f, 0xff, 0xc1 }, NONE },
        { { 0x66, 0x45, 0x0f, 0xfe, 0xc1 }, PACKED },
        { { 0x66, 0x0f, 0x38, 0x00, 0xc1 }, PACKED }, /* pshufb */
        { { 0x66, 0x0f, 0x3a, 0x0f, 0xc1 }, PACKED }, /* palignr */
        { { 0x0f, 0x38, 0xf0, 0x07 }, NONE },         /* movbe */
        { { 0x48, 0x89, 0xc8 }, NONE },               /* mov */
        { { 0x58, 0x58, 0x58 }, NONE },               /* pop */
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        hn_trace t = { 0 };
        hn_trace_count(&t, row[i].code);
        const unsigned long all[] = { 0,         t.scalar_fp, t.packed_sse, t.vex_128,
                                      t.vex_256, t.evex_512,  t.evex_other };
        for (unsigned k = 1; k < 7; k++)
            if (all[k] != (k == (row[i].what & 15))) fail_msg("row %zu: counter %u", i, k);
        if (t.dot_product != row[i].what / DOT) fail_msg("row %zu: dot", i);
    }
}

int hn_test_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_is_named_with_its_place),
        cmocka_unit_test(batches_are_compared_row_by_row),
        cmocka_unit_test(what_was_checked_is_noted),
        cmocka_unit_test(every_output_is_checked),
        cmocka_unit_test(same_bits_have_one_verdict_under_one_spec),
        cmocka_unit_test(modes_make_mxcsr_and_specs),
        cmocka_unit_test(large_outputs_are_sampled),
        cmocka_unit_test(instructions_are_told_apart),
    };
    return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
