/* SPDX-License-Identifier: MIT */
/* Tests of the bench: intervals, decisions, ceilings, and what it writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "bench/limits.h"
#include "bench/statistics.h"
#include "rng.h"
#include "subject.h"
#include "tests.h"

/* P(B < k) of n and 1/2 in another way: Pascal's triangle. */
static double chance_below(size_t n, size_t k)
{
    static double row[64];
    double sum = 0;
    memset(row, 0, sizeof row);
    row[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j > 0; j--) row[j] += row[j - 1];
    for (size_t j = 0; j < k; j++) sum += row[j];
    return sum / pow(2, (double)n);
}

static void interval_covers_99_per_cent_and_no_narrower_one_does(void **state)
{
    (void)state;
    for (size_t n = 1; n < 60; n++) {
        const size_t k = hn_interval_rank(n);
        assert_true(2 * chance_below(n, k) <= 0.01);
        assert_true(k == n / 2 || 2 * chance_below(n, k + 1) > 0.01);
        assert_int_equal(k == 0, n < 8);
    }
    assert_true(hn_interval_rank(501) > 200 && hn_interval_rank(501) < 250);
}

static void interval_of_noise_holds_its_median(void **state)
{
    enum { TRIALS = 4000, N = 21 };
    hn_rng rng = hn_stream(1, 2, 3);
    unsigned missed = 0;
    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        double x[N];
        for (int i = 0; i < N; i++) x[i] = exp2((double)hn_below(&rng, 1001) / 100); /* skewed */
        const hn_summary s = hn_summarize(x, N);
        missed += s.low > exp2(5) || s.high < exp2(5);
    }
    assert_true(missed < TRIALS / 100);
    assert_true(missed > 0);
}

static hn_decision decide(const double *ratios, size_t n)
{
    double copy[32];
    memcpy(copy, ratios, n * sizeof *copy);
    const hn_summary s = hn_summarize(copy, n);
    return hn_decide(&s);
}

static void no_win_if_the_interval_contains_1(void **state)
{
    static const double wins[] = { 1.5, 1.4, 1.6, 1.5, 1.3, 1.7, 1.5, 1.4, 1.6 };
    double x[9];
    (void)state;
    assert_int_equal(decide(wins, 9), HN_WIN);
    assert_int_equal(decide(wins, 7), HN_UNDECIDED); /* too few for 99 % */
    assert_int_equal(decide(wins, 0), HN_UNDECIDED);
    for (int i = 0; i < 9; i++) x[i] = 1 / wins[i];
    assert_int_equal(decide(x, 9), HN_LOSS);
    memcpy(x, wins, sizeof x);
    x[8] = 0.999; /* of nine, the interval is all of them */
    assert_int_equal(decide(x, 9), HN_UNDECIDED);
    x[8] = 1.0;
    assert_int_equal(decide(x, 9), HN_UNDECIDED);
    for (int i = 0; i < 9; i++) x[i] = 1.0;
    assert_int_equal(decide(x, 9), HN_UNDECIDED);
    for (int i = 0; i < 9; i++) x[i] = (double)NAN;
    assert_int_equal(decide(x, 9), HN_UNDECIDED);
}

static void median_is_of_the_middle(void **state)
{
    double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 3, 2 }, many[9] = { 9, 8, 7, 6, 5, 4, 3, 2, 1 };
    (void)state;
    const hn_summary three = hn_summarize(odd, 3), four = hn_summarize(even, 4);
    const hn_summary nine = hn_summarize(many, 9);
    assert_true(three.median == 2 && !three.has_interval && three.least == 1 && three.most == 3);
    assert_true(four.median == 2.5);
    assert_true(nine.median == 5 && nine.has_interval && nine.low == 1 && nine.high == 9);
}

static void level_is_the_smallest_that_holds(void **state)
{
    const hn_machine m = { .cache = { 1000, 10000, 0 } };
    (void)state;
    assert_int_equal(hn_level_of(&m, 1000), HN_L1);
    assert_int_equal(hn_level_of(&m, 1001), HN_L2);
    assert_int_equal(hn_level_of(&m, 10001), HN_DRAM);
    assert_true(hn_cold_bytes(&m) >= (size_t)256 << 20);
}

static void filters_are_parts_or_patterns(void **state)
{
    (void)state;
    assert_true(hn_filter_matches("gemm", "gemm_nt_f32_avx2"));
    assert_true(hn_filter_matches("*_avx2", "gemm_nt_f32_avx2"));
    assert_false(hn_filter_matches("gemm*f32", "gemm_nt_f32_avx2"));
    assert_false(hn_filter_matches("sse", "gemm_nt_f32_avx2"));
}

/* A whole bench of one case: well-formed JSON, in which everything was checked and timed. */
static void bench_writes_json(void **state)
{
    static char text[1 << 20];
    static const char *const filters[] = { "exp_f32_scalar", "exp_f32_sse41" };
    char path[] = "/tmp/ckparity-bench-XXXXXX", error[256];
    const int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    close(fd);
    hn_bench_options o = { .filters = filters, .nfilters = 2, .mode = HN_BOTH, .json = path };
    o.budget = 0.02;
    const ck_subject own = *hn_test_subject();
    o.own = &own;
    o.suite =
        hn_suite_parse("exp_f32 gen=1 N=64 fill=unit\ngemm_nt_f32 gen=1 M=1 N=1 K=1 fill=int\n",
                       "here", error, sizeof error);
    FILE *out = tmpfile(), *file;
    assert_true(o.suite && out);
    assert_int_equal(hn_bench(&o, out), 0);
    assert_non_null(file = fopen(path, "r"));
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    fclose(out);
    unlink(path);
    hn_suite_free(o.suite);
    if (!hn_test_is_json(text)) fail_msg("not JSON: %s", text);
    assert_non_null(strstr(text, "\"case\": \"exp_f32 gen=1 N=64\""));
    assert_null(strstr(text, "gemm_nt_f32 gen=1"));
    assert_non_null(strstr(text, "\"mode\": \"strict\", \"verdict\": \"ok\""));
    assert_null(strstr(text, "\"seconds\": { \"n\": 0 }"));
    assert_non_null(strstr(text, "\"what\": \"FMA\""));
    assert_non_null(strstr(text, "\"decision\": "));
}

int hn_test_bench(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_covers_99_per_cent_and_no_narrower_one_does),
        cmocka_unit_test(interval_of_noise_holds_its_median),
        cmocka_unit_test(no_win_if_the_interval_contains_1),
        cmocka_unit_test(median_is_of_the_middle),
        cmocka_unit_test(level_is_the_smallest_that_holds),
        cmocka_unit_test(filters_are_parts_or_patterns),
        cmocka_unit_test(bench_writes_json),
    };
    return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
