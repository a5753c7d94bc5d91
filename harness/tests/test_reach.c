/* SPDX-License-Identifier: MIT */
/* Rules for the sizes that a fault needs. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "case.h"
#include "family.h"
#include "reach.h"
#include "tests.h"

/* What the fault needs of the dimensions M, N, K. */
typedef bool condition(int64_t m, int64_t n, int64_t k);

static bool fails(void *context, const hn_case *c)
{
    condition *const wrong = *(condition **)context;
    return wrong(c->num[0], c->num[1], c->num[2]);
}

static void says(const char *line, condition *wrong, const char *wanted)
{
    char text[200], error[256];
    hn_case c;
    if (hn_case_parse(&c, line, error, sizeof error) != 0) fail_msg("%s", error);
    hn_reach(text, sizeof text, &c, fails, (void *)&wrong);
    assert_string_equal(text, wanted);
}

static bool always(int64_t m, int64_t n, int64_t k) { return m + n + k > 0; }
static bool long_sums(int64_t m, int64_t n, int64_t k) { return m > 0 && n > 0 && k >= 33; }
static bool odd_lane(int64_t m, int64_t n, int64_t k) { return m > 0 && n % 8 == 7 && k >= 0; }
static bool tails(int64_t m, int64_t n, int64_t k) { return m > 1 && n > 0 && k > 9 && k % 4; }
static bool one_size(int64_t m, int64_t n, int64_t k) { return m == 5 && n > 0 && k < 3; }
static bool some_sizes(int64_t m, int64_t n, int64_t k) { return n < 4 && (k == 3 || k == m + 7); }
static bool in_disorder(int64_t m, int64_t n, int64_t k) { return m && n && (k * k) % 7 == 2; }

static void sizes_are_put_into_rules(void **state)
{
    (void)state;
    says("gemm_nt_f32 gen=1 M=1 N=1 K=1", always, "any M, N, K");
    says("gemm_nt_f32 gen=1 M=1 N=1 K=33", long_sums, "K >= 33; any M, N");
    says("gemm_nt_f32 gen=1 M=1 N=7 K=0", odd_lane, "N % 8 = 7; any M, K");
    says("gemm_nt_f32 gen=1 M=2 N=1 K=10", tails, "M >= 2; K % 4 != 0 from 10 on; any N");
    says("gemm_nt_f32 gen=1 M=5 N=1 K=0", one_size, "M = 5; K = 0..2; any N");
    says("gemm_nt_f32 gen=1 M=1 N=1 K=3", some_sizes, "N = 1..3; K = 3, 8; any M");
    says("gemm_nt_f32 gen=1 M=1 N=1 K=3", in_disorder, "any M, N");
}

static bool two_blocks(int64_t m, int64_t n, int64_t k) { return m && n && k % 128 == 64; }

static void blocks_are_whole(void **state)
{
    (void)state;
    says("gemm_nt_q8_0_f32 gen=1 M=1 N=1 K=64", two_blocks, "K % 128 = 64; any M, N");
}

int hn_test_reach(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_put_into_rules),
        cmocka_unit_test(blocks_are_whole),
    };
    return cmocka_run_group_tests_name("reach", tests, NULL, NULL);
}
