/* SPDX-License-Identifier: MIT */
/* The harness's own speed: thread CPU time, median of runs. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#include "bench/statistics.h"
#include "clock.h"
#include "group.h"
#include "subject.h"

enum { CASES = 4000, RUNS = 9 };

/* Every available variant, both modes. */
static void plan_all(hn_plan *plan, const ck_subject *subject, const char *stem)
{
    *plan = (hn_plan){ .op = hn_op_find(stem) };
    for (unsigned i = 0; i < subject->count; i++) {
        const ck_kernel *k = &subject->kernels[i];
        if (strcmp(k->stem, stem) != 0 || k->unavailable) continue;
        hn_plan_add(plan, k, false, 0);
        hn_plan_add(plan, k, true, 0);
    }
}

/* Drawn placements, fills and strides of a 256-element dot; returns the cases that came out wrong. */
static unsigned long one_run(hn_runner *runner, const hn_plan *plan, uint32_t seed, uint64_t *ran)
{
    static hn_result results[HN_MAX_VARIANTS];
    unsigned long wrong = 0;
    for (uint32_t n = 0; n < CASES; n++) {
        char error[128];
        hn_fixed fixed = 0;
        hn_case c;
        hn_case_init(&c, plan->op);
        hn_case_set(&c, "M", "1", &fixed, error, sizeof error);
        hn_case_set(&c, "N", "1", &fixed, error, sizeof error);
        hn_case_set(&c, "K", "256", &fixed, error, sizeof error);
        c.seed = seed + n;
        hn_case_draw(&c, fixed);
        hn_group_run(runner, plan, &c, results);
        for (size_t i = 0; i < plan->nvariants; i++) {
            wrong += results[i].verdict >= HN_FAIL && results[i].verdict <= HN_HANG;
            for (unsigned k = 0; k < HN_CHECK_COUNT; k++) ran[k] += results[i].ran >> k & 1;
        }
    }
    return wrong;
}

static unsigned long bench_op(const ck_subject *subject, const char *stem)
{
    double seconds[RUNS];
    uint64_t ran[HN_CHECK_COUNT] = { 0 };
    unsigned long wrong = 0;
    static hn_plan plan;
    hn_runner *runner = hn_runner_new();
    plan_all(&plan, subject, stem);
    for (uint32_t r = 0; r < RUNS; r++) {
        const double began = hn_thread_seconds();
        wrong += one_run(runner, &plan, r * CASES, ran);
        seconds[r] = hn_thread_seconds() - began;
    }
    hn_runner_free(runner);
    const hn_summary run = hn_summarize(seconds, RUNS);
    const double cases = (double)CASES * (double)plan.nvariants;
    printf("%-20s K=256: %8.0f cases/s a core (median of %d; %.0f..%.0f), %zu rows\n", stem,
           cases / run.median, RUNS, cases / run.most, cases / run.least, plan.nvariants);
    for (unsigned k = 1; k < HN_CHECK_COUNT; k++)
        if (ran[k]) printf("    %-10s %9llu\n", hn_check_names[k], (unsigned long long)ran[k]);
    if (wrong) printf("    %lu cases failed\n", wrong);
    return wrong;
}

int hn_bench_harness(void)
{
    char error[256];
    const ck_subject *subject = hn_subject_open(NULL, error, sizeof error);
    if (!subject) {
        fprintf(stderr, "ckparity: %s\n", error);
        return 2;
    }
    hn_call_init();
    const unsigned long wrong =
        bench_op(subject, "gemm_nt_f32") + bench_op(subject, "gemm_nt_q8_0_q8_0");
    return wrong ? 1 : 0;
}
