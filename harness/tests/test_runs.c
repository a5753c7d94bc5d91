/* SPDX-License-Identifier: MIT */
/* Tests of suites, expectations, jobs and reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "tests.h"

static void bad_suite_is_named_with_its_line(void **state)
{
    static const struct {
        const char *text, *says[3];
    } table[] = {
        { "gemm_nt_f99\n", { "here:1: ", "gemm_nt_f99" } },
        { "# fine\n\ngemm_nt_f32 M=1..x\n", { "here:3: ", "M=1..x" } },
        { "gemm_nt_f32 M=3..1\n", { "here:1: ", "M=3..1" } },
        { "gemm_nt_f32 M=1..3/0\n", { "here:1: ", "M=1..3/0" } },
        { "gemm_nt_f32 M=1,0\n", { "here:1: ", "M=0", "1..1048576" } },
        { "gemm_nt_f32 M=\n", { "here:1: ", "M" } },
        { "gemm_nt_f32 M=1 M=2\n", { "here:1: ", "\"M\" is given twice" } },
        { "gemm_nt_f32 T=1\n", { "here:1: ", "\"T\"" } },
        { "gemm_nt_f32 fill=unit,odd\n", { "here:1: ", "fill=odd" } },
        { "gemm_nt_f32 fill=unit,sat\n", { "here:1: ", "fill=sat" } },
        { "gemm_nt_q8_0_q8_0 K=32..65\n", { "here:1: ", "K=33", "32" } },
        { "gemm_nt_f32 repeat=0\n", { "here:1: ", "repeat=0" } },
        { "gemm_nt_f32 repeat=1e9\n", { "here:1: ", "repeat=1e9" } },
        { "gemm_nt_f32 word\n", { "here:1: ", "\"word\"" } },
        { "gemm_nt_f32 M=1..1000 N=1..1000 K=1..1000\n", { "here:1: ", "100000000" } },
        { "exp_f32 N=1\nexp_f32 gen=1 N=0\n", { "here:2: ", "N=0" } },
        { "exp_f32 gen=1\n", { "here:1: ", "needs N=" } },
        { "*\n", { "here:1: ", "* repeat=N" } },
        { "* fill=int\n", { "here:1: ", "* repeat=N" } },
        { "* repeat=0\n", { "here:1: ", "repeat=0" } },
        { "* repeat=1 fill=int\n", { "here:1: ", "* repeat=N" } },
    };
    char error[512];
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        error[0] = '\0';
        if (hn_suite_parse(table[i].text, "here", error, sizeof error))
            fail_msg("accepted: %s", table[i].text);
        for (size_t k = 0; k < 3 && table[i].says[k]; k++)
            if (!strstr(error, table[i].says[k]))
                fail_msg("%s: \"%s\" does not say \"%s\"", table[i].text, error, table[i].says[k]);
    }
    assert_null(hn_suite_open("/nowhere/no.cases", error, sizeof error));
    assert_non_null(strstr(error, "/nowhere/no.cases"));
}

static void expansions_are_counted(void **state)
{
    static const struct {
        const char *text;
        size_t count;
    } table[] = {
        { "", 0 },
        { "# nothing\n\n   \n", 0 },
        { "exp_f32\n", 1 },
        { "exp_f32", 1 },
        { "exp_f32 repeat=7 # why\r\n", 7 },
        { "gemm_nt_f32 K=0..70 M=1,2 N=1,3 repeat=2\n", 71 * 2 * 2 * 2 },
        { "gemm_nt_q8_0_q8_0 K=0..2304/32\n", 73 },
        { "exp_f32 N=1..3,7,9..10\n", 6 },
        { "exp_f32 seed=fe..101\n", 4 },
        { "exp_f32 gen=1 N=3\nexp_f32 N=3 repeat=4\n", 5 },
        { "gemm_nt_f32 at=a:e,b:s repeat=3\n", 3 },
    };
    char error[512];
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        hn_suite *suite = hn_suite_parse(table[i].text, "here", error, sizeof error);
        if (!suite) fail_msg("%s: %s", table[i].text, error);
        if (hn_suite_count(suite) != table[i].count)
            fail_msg("%s: %zu cases", table[i].text, hn_suite_count(suite));
        hn_suite_free(suite);
    }
}

/* "*" is every op that no line above names. */
static void other_ops_have_a_line(void **state)
{
    char error[512];
    bool seen = false;
    hn_suite *all = hn_suite_parse("* repeat=2\n", "here", error, sizeof error);
    hn_suite *rest = hn_suite_parse("exp_f32 N=3\n* repeat=2\n", "here", error, sizeof error);
    (void)state;
    assert_true(all && rest);
    assert_int_equal(hn_suite_count(all), 2 * hn_op_count);
    assert_int_equal(hn_suite_count(rest), 1 + 2 * (hn_op_count - 1));
    for (size_t i = 0; i < hn_suite_count(rest); i++) {
        hn_case c;
        assert_int_equal(hn_suite_case(rest, i, 1, &c, error, sizeof error), 0);
        if (strcmp(c.op->stem, "exp_f32") == 0) assert_false(seen), seen = true;
    }
    assert_true(seen);
    hn_suite_free(all);
    hn_suite_free(rest);
}

/* Every combination of a small suite comes, and each case is what its line fixes. */
static void expansion_has_every_combination(void **state)
{
    char error[512];
    unsigned seen[4][4] = { 0 };
    hn_suite *suite = hn_suite_parse("gemm_nt_f32 M=1..3 N=1..3 fill=int fp=up repeat=2\n", "here",
                                     error, sizeof error);
    (void)state;
    assert_non_null(suite);
    for (size_t i = 0; i < hn_suite_count(suite); i++) {
        hn_case c, other;
        assert_int_equal(hn_suite_case(suite, i, 1, &c, error, sizeof error), 0);
        assert_int_equal(c.fill, HN_FILL_INT);
        assert_int_equal(c.fp, HN_FP_UP);
        seen[c.num[0]][c.num[1]]++;
        hn_suite_case(suite, i, 1, &other, error, sizeof error);
        assert_memory_equal(&c, &other, sizeof c);
        hn_suite_case(suite, i, 2, &other, error, sizeof error);
        assert_int_not_equal(c.seed, other.seed);
        for (size_t j = 0; j < i; j++) {
            hn_suite_case(suite, j, 1, &other, error, sizeof error);
            assert_int_not_equal(c.seed, other.seed);
        }
    }
    for (size_t m = 1; m < 4; m++)
        for (size_t n = 1; n < 4; n++) assert_int_equal(seen[m][n], 2);
    hn_suite_free(suite);
}

static void built_in_suites_make_cases(void **state)
{
    static const char *const names[] = { "smoke", "ci", "nightly" };
    char error[512], line[HN_LINE_MAX];
    (void)state;
    for (size_t s = 0; s < 3; s++) {
        hn_suite *suite = hn_suite_open(names[s], error, sizeof error);
        if (!suite) fail_msg("%s", error);
        const size_t count = hn_suite_count(suite), step = count / 5000 + 1;
        assert_true(count > 1000);
        for (size_t i = 0; i < count; i += step) {
            hn_case c, parsed;
            if (hn_suite_case(suite, i, 1, &c, error, sizeof error) < 0) fail_msg("%s", error);
            hn_case_print(&c, line, sizeof line);
            if (hn_case_parse(&parsed, line, error, sizeof error) != 0) fail_msg("%s", error);
        }
        hn_suite_free(suite);
    }
}

/* --- files */

static char path[64];

static void write_file(const char *text)
{
    strcpy(path, "/tmp/ckparity.XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

static char *read_file(const char *from)
{
    static char text[1 << 20];
    FILE *file = fopen(from, "r");
    assert_non_null(file);
    const size_t got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = '\0';
    return text;
}

static void bad_expectation_is_named_with_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } table[] = {
        { "gemm* fast FAIL\n", ":1: " },
        { "# fine\ngemm* fast FAIL value\n", ":2: " },
        { "gemm* fast FAIL value #\n", "reason" },
        { "gemm* slow FAIL value # why\n", "mode" },
        { "gemm* fast ok value # why\n", "verdict" },
        { "gemm* fast SKIP value # why\n", "verdict" },
        { "gemm* fast FAIL nothing # why\n", "check" },
        { "gemm* fast FAIL none # why\n", "check" },
    };
    char error[768];
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        write_file(table[i].text);
        error[0] = '\0';
        hn_expectations *e = hn_expect_open(path, error, sizeof error);
        unlink(path);
        if (e) fail_msg("accepted: %s", table[i].text);
        if (!strstr(error, path) || !strstr(error, table[i].says))
            fail_msg("%s: \"%s\" does not say \"%s\"", table[i].text, error, table[i].says);
    }
    assert_null(hn_expect_open("/nowhere/known", error, sizeof error));
    assert_non_null(strstr(error, "/nowhere/known"));
}

static void expectations_are_met_or_due(void **state)
{
    char error[768];
    size_t next = 0;
    (void)state;
    write_file(
        "gemm_* fast FAIL value # a\nexp_* both CRASH guard # b\nsoftmax* strict HANG hang # c\n");
    static hn_expectations *e; /* never freed */
    e = hn_expect_open(path, error, sizeof error);
    unlink(path);
    assert_non_null(e);
    assert_true(hn_expect_meet(e, "gemm_nt_f32_avx2", false, HN_FAIL, HN_CHECK_VALUE));
    assert_false(hn_expect_meet(e, "gemm_nt_f32_avx2", true, HN_FAIL, HN_CHECK_VALUE));
    assert_false(hn_expect_meet(e, "gemm_nt_f32_avx2", false, HN_FAIL_EDGE, HN_CHECK_VALUE));
    assert_false(hn_expect_meet(e, "gemm_nt_f32_avx2", false, HN_FAIL, HN_CHECK_NAN));
    assert_null(hn_expect_unmet(e, &next));
    hn_expect_ran(e, "gemm_nt_f32_avx2", false);
    hn_expect_ran(e, "exp_f32_avx2", true);
    next = 0;
    const char *unmet = hn_expect_unmet(e, &next);
    assert_non_null(unmet);
    assert_non_null(strstr(unmet, ":2: exp_*"));
    assert_null(hn_expect_unmet(e, &next)); /* softmax did not run */
}

/* --- jobs */

static ck_fn *right;

/* Wrong in the last place of a few cases. */
static void sometimes_wrong(const void *args)
{
    unsigned char *y;
    right(args);
    memcpy(&y, args, sizeof y);
    if (y[0] % 16 == 3) y[3] ^= 0x80;
}

enum { ROWS = 4 };

static void make_run(hn_run *run, hn_row *rows, hn_plan *plan, ck_kernel *wrong)
{
    char error[512];
    const ck_kernel *scalar = hn_test_scalar("gemm_nt_f32");
    right = scalar->fn;
    *wrong = *scalar;
    wrong->fn = sometimes_wrong;
    wrong->isa = "wrong";
    const ck_kernel *const kernels[ROWS] = { scalar, scalar, wrong, wrong };
    memset(plan, 0, sizeof *plan);
    plan->op = hn_op_find("gemm_nt_f32");
    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = (hn_row){ .kernel = kernels[i], .op = plan->op, .strict = i % 2 };
        snprintf(rows[i].name, sizeof rows[i].name, "gemm_nt_f32_%s", kernels[i]->isa);
        hn_plan_add(plan, kernels[i], i % 2, i);
    }
    *run = (hn_run){
        .rows = rows, .nrows = ROWS, .plans = plan, .nplans = 1, .seed = 5, .trace = true
    };
    run->suite = hn_suite_parse("gemm_nt_f32 repeat=300\n", "here", error, sizeof error);
    assert_non_null(run->suite);
}

/* A number of jobs, and the JSON file of what they found. */
static char *json_of(unsigned jobs, char *to)
{
    char error[768];
    hn_row rows[ROWS];
    hn_plan plan;
    ck_kernel wrong;
    hn_run run;
    make_run(&run, rows, &plan, &wrong);
    run.jobs = jobs;
    assert_int_equal(hn_run_all(&run, error, sizeof error), 0);
    assert_int_equal(run.groups, 304);
    const hn_totals totals = hn_report_weigh(&run, NULL);
    assert_true(totals.failed > 3 && totals.passed > 700);
    assert_true(run.nfailures >= HN_KEPT_FAILURES);
    for (size_t i = 0; i < run.nfailures; i++) assert_int_equal(run.failures[i].row, 2);
    write_file("");
    assert_int_equal(hn_report_json(&run, &totals, hn_test_subject(), path, error, sizeof error),
                     0);
    strcpy(to, read_file(path));
    unlink(path);
    hn_suite_free(run.suite);
    free(run.stats);
    free(run.failures);
    return to;
}

static void jobs_do_not_change_the_outcome(void **state)
{
    static char one[1 << 20], more[1 << 20];
    (void)state;
    json_of(1, one);
    for (unsigned jobs = 2; jobs <= 3; jobs++) assert_string_equal(one, json_of(jobs, more));
}

/* A budget is spent: the suite is drawn again with other seeds. Without one it is run once. */
static void budgets_go_on_after_the_suite(void **state)
{
    char error[768];
    hn_row rows[ROWS];
    hn_plan plan;
    ck_kernel wrong;
    hn_run run;
    (void)state;
    make_run(&run, rows, &plan, &wrong);
    hn_suite_free(run.suite);
    run.suite = hn_suite_parse("gemm_nt_f32 repeat=2\n", "here", error, sizeof error);
    run.trace = false;
    run.jobs = 1;
    run.budget = 0.3;
    assert_int_equal(hn_run_all(&run, error, sizeof error), 0);
    assert_true(run.groups > 8);
    hn_suite_free(run.suite);
    free(run.stats);
    free(run.failures);
}

static void slow(const void *args)
{
    nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    right(args);
}

/* Runs with the standard error in the file at `path`. */
static char *shown_by(hn_run *run)
{
    char error[768];
    fflush(stderr);
    write_file("");
    const int kept = dup(2);
    assert_true(kept >= 0 && freopen(path, "w", stderr));
    const int status = hn_run_all(run, error, sizeof error);
    fflush(stderr);
    assert_true(dup2(kept, 2) == 2);
    close(kept);
    assert_int_equal(status, 0);
    char *text = read_file(path);
    unlink(path);
    return text;
}

/* After the first second it is said how much of a run is done: never less than before, at the end nearly all. */
static void progress_rises_to_the_end(void **state)
{
    char error[768];
    hn_row rows[ROWS];
    hn_plan plan;
    ck_kernel wrong;
    hn_run run;
    double before = 0, first = -1, share;
    (void)state;
    make_run(&run, rows, &plan, &wrong);
    wrong.fn = slow;
    hn_suite_free(run.suite);
    run.suite = hn_suite_parse("gemm_nt_f32 repeat=100\n", "here", error, sizeof error);
    run.trace = false;
    run.jobs = 1;
    run.progress = true;
    const char *at = shown_by(&run);
    for (; (at = strchr(at, '\r')); at++) {
        if (sscanf(at + 1, "%lf %%", &share) != 1) continue;
        if (first < 0) first = share;
        assert_true(share >= before && share <= 100);
        before = share;
    }
    assert_true(first >= 0 && first < 75 && before > 90);
    hn_suite_free(run.suite);
    free(run.stats);
    free(run.failures);
}

/* --- JSON: a value of RFC 8259, followed by blanks. Returns the rest, NULL if it is none. */

static const char *blanks(const char *s) { return s + strspn(s, " \t\r\n"); }

static const char *json_string(const char *s)
{
    if (*s++ != '"') return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20) return NULL;
        if (*s != '\\') continue;
        s++;
        if (*s == 'u') {
            for (int i = 0; i < 4; i++)
                if (!isxdigit((unsigned char)*++s)) return NULL;
        } else if (!*s || !strchr("\"\\/bfnrt", *s)) {
            return NULL;
        }
    }
    return s + 1;
}

static const char *json_number(const char *s)
{
    char *end;
    if (*s != '-' && !isdigit((unsigned char)*s)) return NULL;
    const double value = strtod(s, &end);
    return isfinite(value) && end != s && !strpbrk("xXnN", (char[]){ s[1], '\0' }) ? end : NULL;
}

static const char *json_value(const char *s)
{
    const bool object = *s == '{';
    if (*s == '"') return json_string(s);
    if (strncmp(s, "true", 4) == 0 || strncmp(s, "null", 4) == 0) return s + 4;
    if (strncmp(s, "false", 5) == 0) return s + 5;
    if (*s != '{' && *s != '[') return json_number(s);
    s = blanks(s + 1);
    if (*s == (object ? '}' : ']')) return s + 1;
    for (;;) {
        if (object) {
            if (!(s = json_string(s))) return NULL;
            s = blanks(s);
            if (*s != ':') return NULL;
            s = blanks(s + 1);
        }
        if (!(s = json_value(s))) return NULL;
        s = blanks(s);
        if (*s == (object ? '}' : ']')) return s + 1;
        if (*s != ',') return NULL;
        s = blanks(s + 1);
    }
}

bool hn_test_is_json(const char *s)
{
    s = json_value(blanks(s));
    return s && *blanks(s) == '\0';
}

static void json_is_well_formed(void **state)
{
    static char text[1 << 20];
    static hn_failure failures[1];
    static hn_stats stats[1];
    char error[768];
    (void)state;
    assert_true(hn_test_is_json("{\"a\": [1, -2.5e3, \"\\u0001\\n\", {}, [], true]}\n"));
    assert_false(hn_test_is_json("{\"a\": nan}") || hn_test_is_json("[1,]") ||
                 hn_test_is_json("[1") || hn_test_is_json("{\"a\" 1}"));
    assert_true(hn_test_is_json(json_of(2, text)));
    assert_non_null(strstr(text, "\"schema\": 1"));
    assert_non_null(strstr(text, "\"seed\": \"5\""));

    /* whatever a plug-in's name or a message holds */
    hn_row row = { .op = &hn_ops[0], .name = "a\"b\\c\n\001", .skip = "no \"such\"\ttool" };
    hn_run run = { .rows = &row, .nrows = 1, .stats = stats, .failures = failures, .nfailures = 1 };
    const ck_kernel kernel = { .stem = hn_ops[0].stem,
                               .isa = "x",
                               .family = hn_ops[0].family->name };
    const ck_subject subject = { .name = "\"quoted\"", .version = "\\1\t" };
    row.kernel = &kernel;
    strcpy(failures[0].result.what, "got \"x\"\n\\");
    strcpy(failures[0].line, "case \"\\");
    write_file("");
    assert_int_equal(hn_report_json(&run, &(hn_totals){ 0 }, &subject, path, error, sizeof error),
                     0);
    if (!hn_test_is_json(read_file(path))) fail_msg("not JSON: %s", read_file(path));
    unlink(path);
}

static void files_that_cannot_be_written_are_named(void **state)
{
    char error[768] = "";
    hn_run run = { 0 };
    const ck_subject subject = { .name = "n", .version = "v" };
    (void)state;
    assert_int_equal(
        hn_report_json(&run, &(hn_totals){ 0 }, &subject, "/nowhere/a.json", error, sizeof error),
        -1);
    assert_non_null(strstr(error, "/nowhere/a.json"));
    error[0] = '\0';
    assert_int_equal(
        hn_report_junit(&run, &(hn_totals){ 0 }, "/nowhere/a.xml", error, sizeof error), -1);
    assert_non_null(strstr(error, "/nowhere/a.xml"));
}

int hn_test_runs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_suite_is_named_with_its_line),
        cmocka_unit_test(expansions_are_counted),
        cmocka_unit_test(other_ops_have_a_line),
        cmocka_unit_test(expansion_has_every_combination),
        cmocka_unit_test(built_in_suites_make_cases),
        cmocka_unit_test(bad_expectation_is_named_with_its_line),
        cmocka_unit_test(expectations_are_met_or_due),
        cmocka_unit_test(jobs_do_not_change_the_outcome),
        cmocka_unit_test(budgets_go_on_after_the_suite),
        cmocka_unit_test(progress_rises_to_the_end),
        cmocka_unit_test(json_is_well_formed),
        cmocka_unit_test(files_that_cannot_be_written_are_named),
    };
    return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
