/* SPDX-License-Identifier: MIT */
/* The command line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "bisect.h"
#include "bounds.h"
#include "ck.h"
#include "digest.h"
#include "report.h"
#include "runtime/runtime.h"
#include "runtime/trace.h"
#include "selftest.h"
#include "shrink.h"
#include "subject.h"
#include "tools.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_INPUT = 2, EXIT_ALL_SKIPPED = 77 };
/* What `git bisect run` understands: 125 skips the commit, above 127 stops the bisection. */
enum { BISECT_SKIP = 125, BISECT_STOP = 255 };

enum { FILTERS_MAX = 64, REQUIRED_MAX = 16, SUBJECTS_MAX = 16 };

typedef struct options {
    const char *filters[FILTERS_MAX], *cases[FILTERS_MAX], *required[REQUIRED_MAX];
    const char *subjects[SUBJECTS_MAX]; /* of bench, which takes several; `subject` is the last */
    size_t nfilters, ncases, nrequired, nsubjects;
    hn_case parsed[FILTERS_MAX]; /* of `cases` */
    bool loaded;                 /* the subject could be opened */
    bool runtimes;               /* the command takes cases of generated runtimes */
    const char *suite, *isa, *json, *junit, *subject, *expect, *check, *old, *out, *dump;
    const char *diff, *with, *libs[2]; /* of trace */
    hn_mode mode;
    bool both; /* that mode was asked for */
    uint64_t seed;
    double budget;
    unsigned jobs, seeds;
    bool cells, shrink, unguarded, bisect, harness, cold, fail_fast, no_trace, editor;
} options;

static const char usage[] =
    "ckparity: every kernel against its double-precision twin\n"
    "\n"
    "  ckparity list [--subject X]             kernels, and why one cannot run here\n"
    "  ckparity run [FILTER | 'CASE'] ...      run a suite, or single cases\n"
    "  ckparity explain 'CASE'                 all about one case: order, radius, operands, cause\n"
    "  ckparity shrink 'CASE'                  the smallest case that fails alike\n"
    "  ckparity emit-c 'CASE' [-o FILE]        one C file that shows it without this program\n"
    "  ckparity gdb 'CASE'                     a debugger that stops at the kernel\n"
    "  ckparity trace 'CASE'                   each step of a generated runtime; two of them:\n"
    "        [--diff isa=X | mode=M] [--with OP=ISA] [--libs A.so B.so]   where they part\n"
    "  ckparity selftest [--seeds N]           prove that deliberately wrong kernels are caught\n"
    "  ckparity selftest --shrink              and that their shrunk cases are minimal\n"
    "  ckparity digest [FILTER | 'CASE'] ...   digests of the results, for golden files\n"
    "  ckparity bounds [FILTER | 'CASE'] ...   how wide the references' radii are, for golden "
    "files\n"
    "  ckparity bisect --good REV --bad REV ['CASE']   the commit that a failure came with;\n"
    "                                          also of libraries, compilers: docs/bisect.md\n"
    "  ckparity bench [FILTER | 'CASE'] ...    time against the machine's ceilings and other "
    "libraries\n"
    "  ckparity bench --harness                cases a second, checks made\n"
    "\n"
    "run:\n"
    "  FILTER            kernels to run: a part of their name (gemm, _avx2) or a pattern\n"
    "                    ('gemm_nt_f32_*')\n"
    "  'CASE'            one case, as a failure prints it:\n"
    "                    'gemm_nt_f32 isa=avx2 gen=1 M=3 N=17 K=129 fill=int seed=7f31'\n"
    "  --suite S         smoke (default), ci, nightly, or a file of cases\n"
    "  --isa X           only this instruction set\n"
    "  --require-isa X   fail if X cannot run here; may be repeated\n"
    "  --mode M          fast, strict or both (default)\n"
    "  --seed HEX        other drawn cases (default 1); the same seed gives the same run\n"
    "  --budget SECONDS  go on with new seeds until the time is up; bench: for all cases\n"
    "  --jobs N          processes (default: one a core); results do not depend on it\n"
    "  --subject X       test another library: a path, or a name (ggml); bench: compare with it,\n"
    "                    may be repeated (default: all that are installed)\n"
    "  --fail-fast       stop at the first failure\n"
    "  --no-trace        do not check which instructions are executed\n"
    "  --cells           fail if a residue, or a pair of residues, of a tile was not run\n"
    "  --expect FILE     known failures, with reasons\n"
    "  --json FILE, --junit FILE\n"
    "  --format editor   a line \"file:line: error: ...\" for each failure\n"
    "  --dump-operands DIR   of one case (run, explain): data in files, and the case that reads "
    "them\n"
    "  --cold            bench: operands come from memory that no cache holds\n"
    "  --check FILE      digest, bounds: compare with a golden file; digest --old X: and say how\n"
    "                    far apart\n"
    "  --unguarded       digest --check: keep operands away from unmapped pages (emulators)\n"
    "  --exit-style bisect   for git bisect run: 125 where nothing could be tested\n"
    "\n"
    "exit: 0 ok, 1 failed or nothing run, 2 bad input or nothing matches, 77 all skipped\n"
    "docs: docs/index.md\n";

static int bad_input(const char *format, const char *detail)
{
    fputs("ckparity: ", stderr);
    fprintf(stderr, format, detail);
    fputc('\n', stderr);
    return EXIT_INPUT;
}

static int parse_unsigned(const char *text, int base, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, base);
    return end == text || *end != '\0' || errno != 0 || *value > most || *text == '-' ? -1 : 0;
}

static int parse_mode(const char *text, hn_mode *mode)
{
    static const char *const names[] = { "both", "fast", "strict" };
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], text) == 0) return *mode = (hn_mode)i, 0;
    return -1;
}

static int set_number(options *o, const char *name, const char *value)
{
    uint64_t number;
    if (strcmp(name, "--seed") == 0) {
        if (parse_unsigned(value, 16, UINT64_MAX, &o->seed) != 0)
            return bad_input("--seed %s is no hexadecimal number", value);
        return 0;
    }
    if (strcmp(name, "--budget") == 0) {
        char *end;
        o->budget = strtod(value, &end);
        if (end == value || *end != '\0' || !(o->budget > 0 && o->budget < 1e7))
            return bad_input("--budget %s is no number of seconds above 0 and below 1e7", value);
        return 0;
    }
    if (parse_unsigned(value, 10, strcmp(name, "--jobs") == 0 ? 256 : 10000, &number) != 0 ||
        number == 0)
        return bad_input(strcmp(name, "--jobs") == 0 ? "--jobs %s is outside 1..256"
                                                     : "--seeds %s is outside 1..10000",
                         value);
    if (strcmp(name, "--jobs") == 0)
        o->jobs = (unsigned)number;
    else
        o->seeds = (unsigned)number;
    return 0;
}

static int set_option(options *o, const char *name, const char *value)
{
    const struct {
        const char *name, **to;
    } texts[] = {
        { "--suite", &o->suite }, { "--isa", &o->isa },       { "--json", &o->json },
        { "--junit", &o->junit }, { "--expect", &o->expect }, { "--check", &o->check },
        { "--old", &o->old },     { "-o", &o->out },          { "--dump-operands", &o->dump },
        { "--diff", &o->diff },   { "--with", &o->with }
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(texts[i].name, name) == 0) return *texts[i].to = value, 0;
    if (strcmp(name, "--subject") == 0) {
        if (o->nsubjects == SUBJECTS_MAX) return bad_input("too many --subject, at %s", value);
        o->subject = o->subjects[o->nsubjects++] = value;
        return 0;
    }
    if (strcmp(name, "--require-isa") == 0) {
        if (o->nrequired == REQUIRED_MAX) return bad_input("too many --require-isa, at %s", value);
        o->required[o->nrequired++] = value;
        return 0;
    }
    if (strcmp(name, "--mode") == 0) {
        o->both = strcmp(value, "both") == 0;
        return parse_mode(value, &o->mode) == 0
                   ? 0
                   : bad_input("--mode %s is none of fast strict both", value);
    }
    if (strcmp(name, "--exit-style") == 0) {
        if (strcmp(value, "bisect") != 0) return bad_input("--exit-style %s is not bisect", value);
        o->bisect = true;
        return 0;
    }
    if (strcmp(name, "--format") == 0) {
        if (strcmp(value, "editor") != 0) return bad_input("--format %s is not editor", value);
        o->editor = true;
        return 0;
    }
    if (strcmp(name, "--seed") == 0 || strcmp(name, "--budget") == 0 ||
        strcmp(name, "--jobs") == 0 || strcmp(name, "--seeds") == 0)
        return set_number(o, name, value);
    return bad_input("unknown option %s (ckparity --help)", name);
}

static int parse_options(options *o, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        char *name = argv[i], *equals = strchr(name, '=');
        if (strcmp(name, "--harness") == 0) {
            o->harness = true;
        } else if (strcmp(name, "--shrink") == 0) {
            o->shrink = true;
        } else if (strcmp(name, "--cold") == 0) {
            o->cold = true;
        } else if (strcmp(name, "--fail-fast") == 0) {
            o->fail_fast = true;
        } else if (strcmp(name, "--no-trace") == 0) {
            o->no_trace = true;
        } else if (strcmp(name, "--cells") == 0) {
            o->cells = true;
        } else if (strcmp(name, "--unguarded") == 0) {
            o->unguarded = true;
        } else if (strcmp(name, "--libs") == 0) {
            if (i + 2 >= argc) return bad_input("%s needs two libraries", name);
            for (int k = 0; k < 2; k++) o->libs[k] = argv[++i];
        } else if (strncmp(name, "--", 2) == 0 || strcmp(name, "-o") == 0) {
            if (equals) *equals = '\0';
            if (!equals && i + 1 == argc) return bad_input("%s needs a value", name);
            if (set_option(o, name, equals ? equals + 1 : argv[++i]) != 0) return EXIT_INPUT;
        } else {
            const bool is_case = equals || strchr(name, ' ');
            if ((is_case ? o->ncases : o->nfilters) == FILTERS_MAX)
                return bad_input("too many arguments, at %s", name);
            if (is_case)
                o->cases[o->ncases++] = name;
            else
                o->filters[o->nfilters++] = name;
        }
    }
    return 0;
}

/* Whether one of the case lines runs on this row; without case lines every row is wanted. */
static bool in_cases(const hn_row *row, const options *o)
{
    for (size_t i = 0; i < o->ncases; i++) {
        const hn_case *c = &o->parsed[i];
        const bool isa = !c->isa[0] || strcmp(c->isa, row->kernel->isa) == 0;
        const bool mode = c->mode == HN_BOTH || (c->mode == HN_STRICT) == row->strict;
        if (c->op == row->op && isa && mode) return true;
    }
    return o->ncases == 0;
}

static bool row_matches(const hn_row *row, const options *o)
{
    if (!in_cases(row, o)) return false;
    if (o->isa && strcmp(o->isa, row->kernel->isa) != 0) return false;
    if (o->mode != HN_BOTH && (o->mode == HN_STRICT) != row->strict) return false;
    for (size_t i = 0; i < o->nfilters; i++)
        if (hn_filter_matches(o->filters[i], row->name)) return true;
    return o->nfilters == 0;
}

static void add_row(hn_run *run, const options *o, const ck_kernel *kernel, const hn_op *op,
                    bool strict)
{
    hn_row *row = &run->rows[run->nrows];
    *row = (hn_row){ .kernel = kernel, .op = op, .strict = strict, .skip = kernel->unavailable };
    snprintf(row->name, sizeof row->name, "%s_%s", kernel->stem, kernel->isa);
    if (!row_matches(row, o)) return;
    if (!run->suite || hn_suite_has(run->suite, op)) run->nrows++;
}

/* The rows of the subject that options and suite select, and a plan for each op. */
static int select_rows(hn_run *run, const options *o, const ck_subject *subject)
{
    size_t nruntimes;
    const ck_kernel *const runtimes = hn_rt_kernels(&nruntimes);
    run->rows = calloc(2 * (subject->count + nruntimes), sizeof *run->rows);
    run->plans = calloc(hn_op_count + 1, sizeof *run->plans);
    if (!run->rows || !run->plans) return bad_input("%s", "out of memory");
    for (unsigned i = 0; i < subject->count; i++) {
        const ck_kernel *k = &subject->kernels[i];
        const hn_op *op = hn_op_find(k->stem);
        if (!op) {
            fprintf(stderr, "SKIP %s_%s: no op of that name here\n", k->stem, k->isa);
            continue;
        }
        add_row(run, o, k, op, false);
        if (k->fn_strict) add_row(run, o, k, op, true);
    }
    for (size_t i = 0; i < 2 * nruntimes && o->runtimes && !o->subject; i++)
        add_row(run, o, &runtimes[i / 2], hn_op_runtime, i % 2);
    for (size_t i = 0; i < run->nrows; i++) {
        hn_plan *plan = NULL;
        if (run->rows[i].skip) continue;
        for (size_t p = 0; p < run->nplans; p++)
            if (run->plans[p].op == run->rows[i].op) plan = &run->plans[p];
        if (!plan) (plan = &run->plans[run->nplans++])->op = run->rows[i].op;
        if (plan->nvariants == HN_MAX_VARIANTS)
            return bad_input("%s: too many variants", run->rows[i].op->stem);
        hn_plan_add(plan, run->rows[i].kernel, run->rows[i].strict, i);
    }
    return 0;
}

static int has_plan(void *context, const hn_op *op) { return hn_run_plan(context, op) != NULL; }

/* The case lines of the command line, read first so that errors name them. */
static int parse_cases(options *o)
{
    char error[512];
    for (size_t i = 0; i < o->ncases; i++) {
        const int bad = hn_case_parse(&o->parsed[i], o->cases[i], error, sizeof error);
        if (!bad && (o->runtimes || !o->parsed[i].op->family->run)) continue;
        fprintf(stderr, "ckparity: case '%s': %s\n", o->cases[i],
                bad ? error : "a runtime is for run, shrink, digest and trace alone");
        return EXIT_INPUT;
    }
    return EXIT_OK;
}

/* The case lines as a suite, or the suite of that name; NULL, with one line on stderr. */
static hn_suite *open_suite(const options *o, const char *otherwise)
{
    char error[512], text[FILTERS_MAX * (HN_LINE_MAX + 1)] = "";
    for (size_t i = 0; i < o->ncases; i++) strcat(strcat(text, o->cases[i]), "\n");
    hn_suite *suite = o->ncases
                          ? hn_suite_parse(text, "command line", error, sizeof error)
                          : hn_suite_open(o->suite ? o->suite : otherwise, error, sizeof error);
    if (!suite) bad_input("%s", error);
    return suite;
}

static int select_cases(hn_run *run, const options *o)
{
    run->suite = open_suite(o, "smoke");
    if (!run->suite) return EXIT_INPUT;
    run->trace = o->ncases == 0 && !o->no_trace;
    return EXIT_OK;
}

static bool isa_exists(const ck_subject *subject, const char *isa)
{
    if (ck_isa_find(isa) != CK_ISA_COUNT) return true;
    for (unsigned i = 0; i < subject->count; i++)
        if (strcmp(subject->kernels[i].isa, isa) == 0) return true;
    return false;
}

/* Names that mean nothing are bad input; a known set that cannot run here is a failure. */
static int check_isas(const options *o, const ck_subject *subject)
{
    int status = EXIT_OK;
    if (o->isa && !isa_exists(subject, o->isa))
        return bad_input("--isa %s: no kernel has that instruction set (ckparity list)", o->isa);
    for (size_t i = 0; i < o->nrequired; i++) {
        const ck_isa isa = ck_isa_find(o->required[i]);
        if (isa == CK_ISA_COUNT)
            return bad_input("--require-isa %s: no such instruction set", o->required[i]);
        const char *lacks = ck_cpu_lacks(isa);
        if (!lacks && !(ck_isa_mask() >> isa & 1)) lacks = "capped by CK_ISA_MAX";
        if (!lacks) continue;
        fprintf(stderr, "ckparity: --require-isa %s: %s\n", o->required[i], lacks);
        status = EXIT_FAILED;
    }
    return status;
}

static bool all_skipped(const hn_run *run)
{
    for (size_t i = 0; i < run->nrows; i++)
        if (!run->rows[i].skip) return false;
    return true;
}

static bool use_color(FILE *out)
{
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(out)) && !(no_color && *no_color);
}

static int write_files(const options *o, const hn_run *run, const hn_totals *totals,
                       const ck_subject *subject)
{
    char error[512];
    if (o->json && hn_report_json(run, totals, subject, o->json, error, sizeof error) != 0)
        return bad_input("--json %s", error);
    if (o->junit && hn_report_junit(run, totals, o->junit, error, sizeof error) != 0)
        return bad_input("--junit %s", error);
    return EXIT_OK;
}

static int report(const options *o, hn_run *run, hn_expectations *expect, const ck_subject *subject)
{
    const bool color = use_color(stdout);
    const hn_totals totals = hn_report_weigh(run, expect);
    if ((o->ncases == 0 || totals.failed == 0) && !o->editor) hn_report_table(run, color, stdout);
    if (o->editor)
        hn_tool_editor(run, o->subject);
    else
        hn_report_failures(run, expect, color, stdout);
    const size_t lacking = o->cells ? hn_report_cells(run, stdout) : 0;
    const int status = write_files(o, run, &totals, subject);
    if (totals.expected)
        printf("\n%llu expected failures, counted as skipped\n",
               (unsigned long long)totals.expected);
    if (o->no_trace) printf("\ninstructions not traced\n");
    printf("\nseed %llx\n%llu passed, %llu failed, %llu skipped\n", (unsigned long long)run->seed,
           (unsigned long long)totals.passed, (unsigned long long)totals.failed,
           (unsigned long long)totals.skipped);
    if (status != EXIT_OK) return status;
    if (lacking) printf("%zu rows lack cells\n", lacking);
    if (totals.failed || lacking) return EXIT_FAILED;
    if (totals.passed == 0 && totals.skipped > 0) return EXIT_ALL_SKIPPED;
    return totals.passed ? EXIT_OK : EXIT_FAILED;
}

static int run_selected(const options *o, hn_run *run, hn_expectations *expect,
                        const ck_subject *subject)
{
    char error[768];
    if (run->nrows == 0)
        return bad_input("nothing matches %s", o->nfilters ? o->filters[0] : "the options");
    if (!all_skipped(run)) {
        hn_suite_keep(run->suite, has_plan, run);
        if (hn_run_all(run, error, sizeof error) != 0) {
            fprintf(stderr, "ckparity: %s\n", error);
            return EXIT_FAILED;
        }
        hn_shrink_all(run);
    } else {
        run->stats = calloc(run->nrows, sizeof *run->stats);
        if (!run->stats) return bad_input("%s", "out of memory");
    }
    return report(o, run, expect, subject);
}

static void free_run(hn_run *run)
{
    hn_suite_free(run->suite);
    free(run->rows);
    free(run->plans);
    free(run->stats);
    free(run->failures);
}

static int run_command(options *o)
{
    char error[768];
    o->runtimes = true;
    if (parse_cases(o) != EXIT_OK) return EXIT_INPUT;
    const ck_subject *subject = hn_subject_open(o->subject, error, sizeof error);
    if (!subject) return bad_input("%s", error);
    o->loaded = true;
    if (subject->count == 0) {
        printf("SKIP %s: %s\n0 passed, 0 failed, 1 skipped\n", subject->name, subject->version);
        return EXIT_ALL_SKIPPED;
    }
    const int isas = check_isas(o, subject);
    if (isas == EXIT_INPUT) return isas;
    hn_expectations *expect = o->expect ? hn_expect_open(o->expect, error, sizeof error) : NULL;
    if (o->expect && !expect) return bad_input("%s", error);
    hn_run run = { .seed = o->seed,
                   .budget = o->budget,
                   .jobs = o->jobs,
                   .fail_fast = o->fail_fast,
                   .progress = isatty(fileno(stderr)) };
    int status = select_cases(&run, o);
    if (status == EXIT_OK) status = select_rows(&run, o, subject);
    if (status == EXIT_OK) status = run_selected(o, &run, expect, subject);
    free_run(&run);
    hn_expect_free(expect);
    return status == EXIT_OK ? isas : status;
}

/* Digests of a suite or a check of a golden file, of the rows that the options select. */
static int digest_command(options *o)
{
    char error[768];
    static hn_run run, before; /* until the end, as the subjects */
    run.seed = o->seed;
    o->runtimes = true;
    if (parse_cases(o) != EXIT_OK) return EXIT_INPUT;
    const ck_subject *opened = o->old ? hn_subject_open(o->old, error, sizeof error) : NULL;
    if (o->old && !opened) return bad_input("%s", error);
    if (o->old && select_rows(&before, o, opened) != EXIT_OK) return EXIT_INPUT;
    opened = hn_subject_open(o->subject, error, sizeof error);
    if (!opened) return bad_input("%s", error);
    if (check_isas(o, opened) == EXIT_INPUT || select_rows(&run, o, opened) != EXIT_OK)
        return EXIT_INPUT;
    if (run.nrows == 0)
        return bad_input("nothing matches %s", o->nfilters ? o->filters[0] : "the options");
    if (o->check) return hn_digest_check(&run, o->old ? &before : NULL, o->unguarded, o->check);
    if (select_cases(&run, o) != EXIT_OK) return EXIT_INPUT;
    return hn_digest_print(&run);
}

/* Radii of a suite, of the rows that the options select. */
static int bounds_command(options *o)
{
    char error[768];
    static hn_run run; /* until the end, as the subject */
    run.seed = o->seed;
    if (parse_cases(o) != EXIT_OK) return EXIT_INPUT;
    const ck_subject *opened = hn_subject_open(o->subject, error, sizeof error);
    if (!opened) return bad_input("%s", error);
    if (check_isas(o, opened) == EXIT_INPUT || select_cases(&run, o) != EXIT_OK ||
        select_rows(&run, o, opened) != EXIT_OK)
        return EXIT_INPUT;
    return o->check ? hn_bounds_check(&run, o->check) : hn_bounds_print(&run);
}

static void list_kernel(const ck_kernel *k)
{
    printf("%s_%s\t%s\t%s\t%s\n", k->stem, k->isa, k->family ? k->family : "?", k->isa,
           k->unavailable ? k->unavailable : "available");
}

static int list_command(const options *o)
{
    char error[768];
    const ck_subject *subject = hn_subject_open(o->subject, error, sizeof error);
    if (!subject) return bad_input("%s", error);
    for (unsigned i = 0; i < subject->count; i++) list_kernel(&subject->kernels[i]);
    size_t count;
    const ck_kernel *const runtimes = hn_rt_kernels(&count);
    for (size_t i = 0; i < count && !o->subject; i++) list_kernel(&runtimes[i]);
    if (subject->count == 0) printf("SKIP %s: %s\n", subject->name, subject->version);
    return subject->count ? EXIT_OK : EXIT_ALL_SKIPPED;
}

static int bench_command(options *o)
{
    char error[768];
    if (o->harness) return hn_bench_harness();
    if (parse_cases(o) != EXIT_OK) return EXIT_INPUT;
    const ck_subject *own = hn_subject_open(NULL, error, sizeof error);
    if (!own) return bad_input("%s", error);
    if (check_isas(o, own) == EXIT_INPUT) return EXIT_INPUT;
    hn_bench_options bench = { .own = own,
                               .suite = open_suite(o, "bench"),
                               .filters = o->filters,
                               .nfilters = o->nfilters,
                               .isa = o->isa,
                               .mode = o->mode == HN_BOTH && !o->both ? HN_FAST : o->mode,
                               .subjects = o->subjects,
                               .nsubjects = o->nsubjects,
                               .json = o->json,
                               .budget = o->budget,
                               .cold = o->cold };
    if (!bench.suite) return EXIT_INPUT;
    const int status = hn_bench(&bench, stdout);
    hn_suite_free(bench.suite);
    return status;
}

/* The commands about one case; -1: none of them. */
static int tool_command(const char *command, const options *o)
{
    static const struct {
        const char *name;
        int (*run)(const hn_tool *tool);
    } tools[] = { { "explain", hn_tool_explain },
                  { "shrink", hn_tool_shrink },
                  { "emit-c", hn_tool_emit },
                  { "gdb", hn_tool_gdb },
                  { "call", hn_tool_call } };
    const hn_tool tool = { o->cases[0], o->subject, o->out, o->dump,
                           strcmp(command, "shrink") == 0 };
    if (strcmp(command, "trace") == 0) {
        if (o->ncases != 1 || o->nfilters) return bad_input("%s needs one 'CASE'", command);
        return hn_rt_tool_trace(
            &(hn_rt_trace){ o->cases[0], o->diff, o->with, { o->libs[0], o->libs[1] } });
    }
    const bool dumps = strcmp(command, "run") == 0 || strcmp(command, "explain") == 0;
    if (o->dump && (!dumps || o->ncases != 1 || o->nfilters))
        return bad_input("--dump-operands %s: needs run or explain, and one case", o->dump);
    if (o->dump && strcmp(command, "run") == 0) {
        const int status = hn_tool_dump(&tool);
        return status == EXIT_OK ? -1 : status;
    }
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        if (strcmp(tools[i].name, command) != 0) continue;
        if (o->ncases != 1 || o->nfilters) return bad_input("%s needs one 'CASE'", command);
        return tools[i].run(&tool);
    }
    return -1;
}

static int for_bisect(int status, bool loaded)
{
    if (status == EXIT_ALL_SKIPPED || (status == EXIT_INPUT && !loaded)) return BISECT_SKIP;
    return status == EXIT_INPUT ? BISECT_STOP : status;
}

static int dispatch(const char *command, options *o)
{
    const int tool = tool_command(command, o);
    if (tool >= 0) return tool;
    if (strcmp(command, "list") == 0) return list_command(o);
    if (strcmp(command, "digest") == 0) return digest_command(o);
    if (strcmp(command, "bounds") == 0) return bounds_command(o);
    if (strcmp(command, "selftest") == 0)
        return hn_selftest(o->seed, o->seeds, o->nfilters ? o->filters[0] : NULL, o->shrink,
                           o->fail_fast);
    if (strcmp(command, "bench") == 0) return bench_command(o);
    if (strcmp(command, "run") != 0)
        return bad_input("unknown command %s (ckparity --help)", command);
    const int status = run_command(o);
    return o->bisect ? for_bisect(status, o->loaded) : status;
}

int main(int argc, char **argv)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    options o = { .seed = 1, .seeds = 1, .jobs = cores > 0 ? (unsigned)cores : 1 };
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        fputs(usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_INPUT : EXIT_OK;
    }
    if (ck_isa_max_error()) return bad_input("%s", ck_isa_max_error());
    if (strcmp(argv[1], "bisect") == 0 && argc > 2 && strcmp(argv[2], "--help") != 0)
        return hn_bisect(argc - 2, argv + 2);
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) return fputs(usage, stdout), EXIT_OK;
    if (parse_options(&o, argc - 2, argv + 2) != 0) return EXIT_INPUT;
    const int status = dispatch(argv[1], &o);
    if (fflush(stdout) != 0) return bad_input("standard output: %s", strerror(errno));
    return status;
}
