/* SPDX-License-Identifier: MIT */
/* Runs of mutated kernels, references and harnesses. */
#include "judge.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "run.h"
#include "subject.h"

enum { RUN_SECONDS = 90, ALL_SECONDS = 60, ROWS_MAX = 1024 };

/* For the ablation: every fill and every residue, once or twice. */
static const char all_suite[] =
    "gemm_nt_f32 K=0..40 M=1,2 N=1,3\n"
    "gemm_nt_f32 M=1..5 N=1..9\n"
    "gemm_nt_f32 fill=unit,int,pow2,probe,cancel,wide,denormal,stagnation,edge repeat=80\n"
    "gemm_nt_f32 repeat=600\n"
    "gemm_nn_f32 K=0..40 M=1,2 N=1,3\n"
    "gemm_nn_f32 repeat=400\n"
    "gemm_tn_f32 K=0..40 M=1,2 N=1,3\n"
    "gemm_tn_f32 repeat=400\n"
    "gemm_nt_f32 M=133 N=145 K=3,130\n"
    "gemm_nn_f32 M=133 N=145 K=3,130\n"
    "gemm_tn_f32 M=133 N=145 K=3,130\n"
    "gemv_f32 K=0..40 N=1,3\n"
    "gemv_f32 repeat=400\n"
    "gemm_nt_q8_0_q8_0 K=0..1152/32 M=1,2\n"
    "gemm_nt_q8_0_q8_0 fill=unit,int,probe,cancel,wide,denormal,stagnation,edge,sat repeat=80\n"
    "gemm_nt_q8_0_q8_0 repeat=600\n"
    "softmax_causal_f32 T=1..40 H=1,3\n"
    "softmax_causal_f32 fill=unit,int,probe,wide,stagnation,edge repeat=80\n"
    "softmax_causal_f32 repeat=400\n"
    "exp_f32 N=65536 fill=census repeat=4\n"
    "exp_f32 N=1..70 repeat=2\n"
    "exp_f32 repeat=800\n"
    "quantize_row_q8_0 fill=unit,int,pow2,probe,wide,denormal,edge,sat repeat=150\n"
    "dequant_row_q8_0 K=65536 fill=census repeat=2\n"
    "dequant_row_q8_0 fill=unit,int,wide,denormal,edge,sat repeat=150\n"
    "* repeat=500\n";

/* What the child found. */
typedef struct finding {
    bool done;
    uint32_t seen;
    hn_fate fate;
} finding;

static void add_row(hn_run *run, const ck_kernel *kernel, bool strict)
{
    hn_row *row = &run->rows[run->nrows];
    *row = (hn_row){ .kernel = kernel, .op = hn_op_find(kernel->stem), .strict = strict };
    snprintf(row->name, sizeof row->name, "%s_%s", kernel->stem, kernel->isa);
    if (row->op && !kernel->unavailable && run->nrows < ROWS_MAX) run->nrows++;
}

/* Another variant of the op that runs here and has strict bits; NULL: there is none. */
static const ck_kernel *other_variant(const ck_subject *subject, const char *stem, const char *isa)
{
    for (unsigned i = 0; stem && i < subject->count; i++) {
        const ck_kernel *k = &subject->kernels[i];
        if (strcmp(k->stem, stem) == 0 && strcmp(k->isa, isa) != 0 && k->fn_strict &&
            !k->unavailable)
            return k;
    }
    return NULL;
}

/* The variant in both modes and, for its strict bits, another one; with stem NULL, all. */
static void select_rows(hn_run *run, const ck_subject *subject, const char *stem, const char *isa)
{
    const ck_kernel *other = other_variant(subject, stem, isa);
    for (unsigned i = 0; i < subject->count; i++) {
        const ck_kernel *k = &subject->kernels[i];
        if (stem && strcmp(stem, k->stem) != 0) continue;
        const bool mine = !stem || strcmp(isa, k->isa) == 0;
        if (mine) add_row(run, k, false);
        if (k->fn_strict && (mine || k == other)) add_row(run, k, true);
    }
    for (size_t i = 0; i < run->nrows; i++) {
        hn_plan *plan = NULL;
        for (size_t p = 0; p < run->nplans; p++)
            if (run->plans[p].op == run->rows[i].op) plan = &run->plans[p];
        if (!plan) (plan = &run->plans[run->nplans++])->op = run->rows[i].op;
        hn_plan_add(plan, run->rows[i].kernel, run->rows[i].strict, i);
    }
}

static int has_plan(void *context, const hn_op *op) { return hn_run_plan(context, op) != NULL; }

static void killed(hn_fate *fate, const char *by, const char *what)
{
    fate->kind = HN_FATE_KILLED;
    snprintf(fate->by, sizeof fate->by, "%s", by);
    snprintf(fate->what, sizeof fate->what, "%s", what);
}

/* In the child. */
static void try_subject(const char *library, const char *stem, const char *isa,
                        const hn_ordeal *ordeal, hn_fate *fate)
{
    char error[1024] = "";
    hn_run run = { .rows = calloc(ROWS_MAX, sizeof *run.rows),
                   .plans = calloc(hn_op_count, sizeof *run.plans),
                   .seed = ordeal->seed,
                   .jobs = 1,
                   .fail_fast = !ordeal->all,
                   .trace = ordeal->trace };
    const ck_subject *subject = hn_subject_open(library, error, sizeof error);
    run.suite = ordeal->all ? hn_suite_parse(all_suite, "ablation", error, sizeof error)
                            : hn_suite_open(ordeal->suite, error, sizeof error);
    if (!subject || !run.suite || !run.rows || !run.plans) {
        killed(fate, "load", error);
        return;
    }
    select_rows(&run, subject, stem, isa);
    hn_suite_keep(run.suite, has_plan, &run);
    if (hn_run_all(&run, error, sizeof error) != 0) {
        killed(fate, "crash", error);
        return;
    }
    const hn_totals totals = hn_report_weigh(&run, NULL);
    fate->kind = HN_FATE_SURVIVED;
    if (totals.failed == 0 && totals.passed > 0) return;
    killed(fate, "weak", "cases that prove nothing");
    if (run.nfailures == 0) return;
    killed(fate, hn_check_names[run.failures[0].result.check], run.failures[0].result.what);
    fate->traced = run.trace && run.failures[0].index < run.nrows;
    snprintf(fate->line, sizeof fate->line, "%s", run.failures[0].line);
}

static void list_seen(uint32_t seen, hn_fate *fate)
{
    for (unsigned c = 1; c < HN_CHECK_COUNT; c++)
        if (seen >> c & 1) strcat(strcat(fate->all, hn_check_names[c]), " ");
}

void hn_judge_kernel(const char *library, const char *stem, const char *isa,
                     const hn_ordeal *ordeal, hn_fate *fate)
{
    finding *found =
        mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) return;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(127);
        hn_limit_cpu(ordeal->all ? ALL_SECONDS : RUN_SECONDS);
        if (ordeal->all) hn_seen = &found->seen;
        try_subject(library, stem, isa, ordeal, &found->fate);
        found->done = true;
        _exit(0);
    }
    const int status = pid < 0 ? 127 : hn_wait(pid, ordeal->all ? ALL_SECONDS : RUN_SECONDS);
    if (ordeal->all) {
        list_seen(found->seen, fate);
    } else if (found->done) {
        *fate = found->fate;
    } else {
        killed(fate, status == -1 ? "hang" : "crash", "the run as a whole");
    }
    munmap(found, sizeof *found);
}

/* The names in lines "[  FAILED  ] name", up to the sum at the end. */
static void list_failed(char *text, hn_fate *fate)
{
    static const char mark[] = "[  FAILED  ] ";
    for (char *p = text; (p = strstr(p, mark));) {
        char name[100];
        p += sizeof mark - 1;
        if (strchr("0123456789", *p)) break;
        snprintf(name, sizeof name, "%.*s ", (int)strcspn(p, ":\n \r"), p);
        if (!strstr(fate->all, name) && strlen(fate->all) + strlen(name) < sizeof fate->all)
            strcat(fate->all, name);
    }
}

void hn_judge_program(const char *command, const char *name, const char *folder, double seconds,
                      hn_fate *fate)
{
    char log[1200];
    snprintf(log, sizeof log, "%s/output", folder);
    const int status = hn_shell(command, folder, log, seconds);
    char *text = hn_read_file(log, NULL);
    if (fate->kind != HN_FATE_KILLED) fate->kind = HN_FATE_SURVIVED;
    if (status != 0) {
        const size_t before = strlen(fate->all);
        if (text) list_failed(text, fate);
        if (strlen(fate->all) == before) /* no test of cmocka: the program itself */
            snprintf(fate->all + before, sizeof fate->all - before, "%.*s ",
                     (int)strcspn(name, " "), name);
        if (fate->kind != HN_FATE_KILLED) {
            killed(fate, status == -1 ? "hang" : "", status > 128 ? "by a signal" : "");
            if (status != -1)
                snprintf(fate->by, sizeof fate->by, "%.*s", (int)strcspn(fate->all, " "),
                         fate->all);
        }
    }
    free(text);
}
