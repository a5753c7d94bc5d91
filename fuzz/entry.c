/* SPDX-License-Identifier: MIT */
/* Fuzz target: a batch of cases on every variant that runs here. A failure is printed with its case
 * line, then the process aborts. FZ_SUBJECT names another library, as `ckparity run --subject` does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "ck.h"
#include "group.h"
#include "subject.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hn_plan *plans;    /* of each op */
static const hn_op **ops; /* those that the subject has */
static size_t nops;
static hn_runner *runner;

static void stop(const char *what, const char *line)
{
    fprintf(stderr, "fuzz: %s: %s\n", what, line);
    abort();
}

/* Not before main: the library finds out what the CPU has in a constructor of its own. */
static void make_plans(void)
{
    char error[512];
    const ck_subject *subject = hn_subject_open(getenv("FZ_SUBJECT"), error, sizeof error);
    plans = calloc(hn_op_count, sizeof *plans);
    ops = calloc(hn_op_count, sizeof *ops);
    runner = hn_runner_new();
    if (!subject || !plans || !ops) stop("no subject", subject ? "out of memory" : error);
    for (size_t i = 0; i < hn_op_count; i++) plans[i].op = &hn_ops[i];
    for (unsigned i = 0; i < subject->count; i++) {
        const ck_kernel *k = &subject->kernels[i];
        const hn_op *op = hn_op_find(k->stem);
        if (!op || k->unavailable) continue;
        hn_plan *plan = &plans[op - hn_ops];
        if (plan->nvariants + 2 > HN_MAX_VARIANTS) stop("too many variants", k->stem);
        hn_plan_add(plan, k, false, 0);
        if (k->fn_strict) hn_plan_add(plan, k, true, 0);
    }
    for (size_t i = 0; i < hn_op_count; i++)
        if (plans[i].nvariants > 0) ops[nops++] = &hn_ops[i];
    if (nops == 0) stop("no kernel can run", subject->name);
}

/* What the decoder makes is a case, and its line is the same case. */
static void check_case(const hn_case *c)
{
    char line[HN_LINE_MAX], again[HN_LINE_MAX], error[512];
    hn_case parsed;
    hn_case_print(c, line, sizeof line);
    if (hn_case_check(c, error, sizeof error) != 0) stop(error, line);
    if (hn_case_parse(&parsed, line, error, sizeof error) != 0) stop(error, line);
    hn_case_print(&parsed, again, sizeof again);
    if (strcmp(line, again) != 0) stop("printed otherwise when parsed", line);
}

static bool report(const hn_case *c, const hn_variant *v, const hn_result *result)
{
    char line[HN_LINE_MAX];
    hn_case mine = *c;
    if (result->verdict < HN_FAIL || result->verdict > HN_HANG || result->verdict == HN_FAIL_EDGE)
        return false;
    /* bits that differ between variants need both of them */
    if (result->check != HN_CHECK_STRICT) snprintf(mine.isa, sizeof mine.isa, "%s", v->kernel->isa);
    mine.mode = v->strict ? HN_STRICT : HN_FAST;
    hn_case_print(&mine, line, sizeof line);
    fprintf(stderr, "\n%s %s_%s %s: %s: %s\n%s    case   ckparity run '%s'\n",
            hn_verdict_names[result->verdict], c->op->stem, v->kernel->isa,
            v->strict ? "strict" : "fast", hn_check_names[result->check], result->what,
            result->detail, line);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hn_result results[HN_MAX_VARIANTS];
    static bool ready;
    hn_case c;
    bool failed = false;
    /* libFuzzer has its handlers by now: what is not a kernel's own fault goes on to them */
    if (!ready) {
        make_plans();
        hn_call_init();
        ready = true;
    }
    for (size_t i = 0; fz_decode(&c, data, size, i, ops, nops) == 0; i++) {
        const hn_plan *plan = &plans[c.op - hn_ops];
        check_case(&c);
        hn_group_run(runner, plan, &c, results);
        for (size_t v = 0; v < plan->nvariants; v++)
            failed |= report(&c, &plan->variants[v], &results[v]);
    }
    if (failed) abort();
    return 0;
}
