/* SPDX-License-Identifier: MIT */
/* Presents the mutants to the harness, each in a process of its own, and weighs what it says. */
#include "../selftest.h"

#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../run.h"
#include "../runtime/wrong.h"
#include "../subject.h"
#include "minimal.h"
#include "mutant.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_INPUT = 2 };

/* A presentation that has not ended after this long is killed. What the harness says of a mutant
 * that hangs does not depend on data: few seeds of it are enough. */
enum { PATIENCE_SECONDS = 600, HANG_SEEDS = 2, PRESENTED_MAX = 64 };

/* Of a hundred shrunk cases, how many must be minimal. */
enum { MINIMAL_LEAST = 95 };

enum { TEXT_MAX = 2 * HN_LINE_MAX + HN_WHAT_MAX };

/* A mutant on one op in one mode. */
typedef struct item {
    char name[96];
    const hn_mutant *mutant;
    const struct target *target;
    bool strict;
    const char *skip;
    unsigned seeds, pending;
    /* of the seed that took longest, or of the first that went wrong */
    bool wrong;
    hn_verdict verdict;
    hn_check check;
    unsigned long cases;
    char what[TEXT_MAX];
} item;

/* What a child tells. */
typedef struct outcome {
    bool done;
    hn_verdict verdict;
    hn_check check;
    unsigned long cases; /* or candidates for a smaller one */
    bool minimal;
    char what[TEXT_MAX];
} outcome;

/* A child at work. */
typedef struct presentation {
    pid_t pid;
    item *of;
    outcome *outcome; /* shared */
} presentation;

/* An op that mutants are planted in. */
typedef struct target {
    const hn_op *op;
    hn_suite *suite;
} target;

static const ck_subject *subject;
static target *targets;
static size_t target_count;
static bool shrinks; /* failing cases, and tries whether they are minimal */
static bool stops;   /* at the first that goes wrong */

static const ck_kernel *wrapped_kernel(const item *it)
{
    return hn_find_kernel(subject, it->target->op->stem,
                          it->mutant->wraps ? it->mutant->wraps : "scalar");
}

/* The mutant as a kernel; its other mode is right. */
static ck_kernel make_kernel(const item *it)
{
    ck_kernel kernel = hn_plant(it->mutant, wrapped_kernel(it), it->strict);
    kernel.isa = it->mutant->isa ? it->mutant->isa : "mutant";
    return kernel;
}

static bool is_failure(hn_verdict v) { return v != HN_OK && v != HN_SKIP && v != HN_WEAK; }

/* The shrunk case, and the one that shows that it is not minimal. */
static void shrink_found(const hn_plan *plan, size_t variant, const hn_result *like,
                         const hn_case *c, outcome *o)
{
    const hn_result wanted = *like;
    hn_shrunk shrunk;
    hn_shrink_and_try(plan, variant, &wanted, c, &shrunk);
    o->minimal = shrunk.minimal;
    o->cases = shrunk.candidates;
    if (shrunk.minimal)
        snprintf(o->what, sizeof o->what, "%s", shrunk.line);
    else
        snprintf(o->what, sizeof o->what, "%s%s%s", shrunk.line,
                 shrunk.smaller[0] ? "\n     also " : ": does not fail like that by itself",
                 shrunk.smaller);
}

/* Steps of a suite that leads through all of it, and soon to every line: the golden section of its length, or the
 * next step that shares no divisor with it. */
static size_t stride_through(size_t count)
{
    size_t step = count - (size_t)((double)count * 0.38196601125);
    for (;; step++) {
        size_t a = step, b = count;
        while (b) {
            const size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return step;
    }
}

/* Cases after which nothing is wrong with a right kernel; the parity run sees all of them. */
enum { RIGHT_CASES = 500 };

/* Case after case, until something is reported. */
static void present_cases(const item *it, uint64_t seed, outcome *o)
{
    const ck_kernel kernel = make_kernel(it);
    const ck_kernel *scalar = hn_find_kernel(subject, it->target->op->stem, "scalar");
    static hn_result results[HN_MAX_VARIANTS];
    hn_plan plan = { .op = it->target->op };
    hn_runner *runner = hn_runner_new();
    char line[HN_LINE_MAX], error[256];
    hn_case c;
    hn_call_init();
    /* strict bits are those of another kernel */
    if (it->strict) hn_plan_add(&plan, scalar, true, 0);
    hn_plan_add(&plan, &kernel, it->strict, 1);
    const hn_result *result = &results[plan.nvariants - 1];
    const size_t count = hn_suite_count(it->target->suite), step = stride_through(count);
    const size_t most = it->mutant->checks == 0 && count > RIGHT_CASES ? RIGHT_CASES : count;
    for (size_t i = 0, at = 0; i < most; i++, at = (at + step) % count) {
        if (hn_suite_case(it->target->suite, at, seed, &c, error, sizeof error) < 0) continue;
        hn_group_run(runner, &plan, &c, results);
        o->cases += result->verdict != HN_SKIP;
        if (!is_failure(result->verdict)) continue;
        hn_case_print(&c, line, sizeof line);
        o->verdict = result->verdict;
        o->check = result->check;
        snprintf(o->what, sizeof o->what, "%s: %s", line, result->what);
        if (shrinks) shrink_found(&plan, plan.nvariants - 1, result, &c, o);
        break;
    }
    hn_runner_free(runner);
}

/* A right kernel and the mutant, in rows 0 and 1, through the supervised jobs. */
static int run_jobs(const item *it, const ck_kernel *kernel, uint64_t seed, const char *lines,
                    hn_run *run, outcome *o)
{
    static hn_row rows[2];
    static hn_plan plan;
    const hn_op *op = it->target->op;
    plan.op = op;
    rows[0] = (hn_row){ .kernel = wrapped_kernel(it), .op = op, .name = "right" };
    rows[1] = (hn_row){ .kernel = kernel, .op = op, .strict = it->strict, .name = "mutant" };
    for (size_t i = 0; i < 2; i++) hn_plan_add(&plan, rows[i].kernel, rows[i].strict, i);
    *run = (hn_run){ .rows = rows,
                     .nrows = 2,
                     .plans = &plan,
                     .nplans = 1,
                     .seed = seed,
                     .jobs = 1,
                     .trace = it->mutant->stage == HN_BY_TRACE };
    run->suite = hn_suite_parse(lines, "selftest", o->what, sizeof o->what);
    return run->suite ? hn_run_all(run, o->what, sizeof o->what) : -1;
}

static void present_trace(const item *it, uint64_t seed, outcome *o)
{
    const ck_kernel kernel = make_kernel(it);
    char line[HN_LINE_MAX];
    hn_run run;
    snprintf(line, sizeof line, "%s repeat=4", it->target->op->stem);
    if (run_jobs(it, &kernel, seed, line, &run, o) != 0) {
        o->verdict = HN_STALE;
        return;
    }
    o->cases = 1;
    if (run.nfailures == 0) return;
    o->verdict = run.failures[0].result.verdict;
    o->check = run.failures[0].result.check;
    snprintf(o->what, sizeof o->what, "%s: %s", run.failures[0].line, run.failures[0].result.what);
    if (run.nfailures == 1 && run.failures[0].row == 1) return;
    o->verdict = HN_STALE;
    snprintf(o->what, sizeof o->what, "%zu failures in place of one", run.nfailures);
}

/* What the jobs kept of a process that died. */
static void shrink_death(const hn_run *run, outcome *o)
{
    hn_case c;
    for (size_t i = 0; i < run->nfailures; i++) {
        const hn_failure *f = &run->failures[i];
        if (f->row != 1 || hn_case_parse(&c, f->line, o->what, sizeof o->what) != 0) continue;
        shrink_found(run->plans, 1, &f->result, &c, o);
        return;
    }
}

/* Every death is a failure of the mutant's row, and the other cases are run. */
static void present_run(const item *it, uint64_t seed, outcome *o)
{
    const ck_kernel kernel = make_kernel(it);
    char lines[HN_LINE_MAX];
    hn_run run;
    snprintf(lines, sizeof lines, "%s M=1..4 N=1..5 thr=%s repeat=2", it->target->op->stem,
             it->mutant->threads ? "2" : "1");
    if (run_jobs(it, &kernel, seed, lines, &run, o) != 0) {
        o->verdict = HN_STALE;
        return;
    }
    const uint64_t hangs = run.stats[1].failed[HN_HANG][HN_CHECK_HANG];
    const uint64_t deaths = run.stats[1].failed[HN_CRASH][HN_CHECK_CRASH] + hangs;
    o->cases = hn_suite_count(run.suite);
    if (deaths + run.groups != o->cases) {
        o->verdict = HN_STALE;
        snprintf(o->what, sizeof o->what, "of %lu cases %llu died and %llu ended: the rest is lost",
                 o->cases, (unsigned long long)deaths, (unsigned long long)run.groups);
    } else if (deaths > 0) {
        o->verdict = hangs ? HN_HANG : HN_CRASH;
        o->check = hangs ? HN_CHECK_HANG : HN_CHECK_CRASH;
        if (shrinks) shrink_death(&run, o);
    }
}

static void present(const item *it, uint64_t seed, outcome *o)
{
    switch (it->mutant->stage) {
    case HN_BY_TRACE: present_trace(it, seed, o); break;
    case HN_BY_RUN: present_run(it, seed, o); break;
    default: present_cases(it, seed, o);
    }
    o->done = true;
}

static hn_verdict verdict_of(unsigned check)
{
    if (check == HN_CHECK_GUARD || check == HN_CHECK_CRASH) return HN_CRASH;
    return check == HN_CHECK_HANG ? HN_HANG : HN_FAIL;
}

static bool as_expected(const item *it, const outcome *o)
{
    if (!o->done || o->cases == 0) return false;
    if (it->mutant->checks == 0) return o->verdict == HN_OK;
    if (shrinks && !o->minimal) return false;
    return it->mutant->checks >> o->check & 1 && o->verdict == verdict_of(o->check);
}

static void weigh(item *it, const outcome *o, int status)
{
    it->pending--;
    if (it->wrong) return;
    it->wrong = !as_expected(it, o);
    if (o->cases < it->cases && !it->wrong) return;
    it->cases = o->cases;
    it->verdict = o->verdict;
    it->check = o->check;
    memcpy(it->what, o->what, sizeof it->what);
    if (!o->done) {
        it->verdict = HN_STALE;
        snprintf(it->what, sizeof it->what, "the selftest's own process died (status 0x%x)",
                 (unsigned)status);
    } else if (it->wrong && it->what[0] == '\0') {
        snprintf(it->what, sizeof it->what, "not caught in %lu cases", o->cases);
    }
}

/* "FAIL nan|value|strict". */
static void expectation(const hn_mutant *m, char *text, size_t size)
{
    hn_verdict said = HN_OK;
    size_t used = 0;
    snprintf(text, size, "ok");
    for (unsigned c = 0; c < HN_CHECK_COUNT && used < size; c++) {
        const hn_verdict verdict = verdict_of(c);
        if (!(m->checks >> c & 1)) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", used ? "|" : "",
                                 verdict == said ? "" : hn_verdict_names[verdict],
                                 verdict == said ? "" : " ", hn_check_names[c]);
        said = verdict;
    }
}

static void print_item(const item *it)
{
    char wanted[256], got[64];
    expectation(it->mutant, wanted, sizeof wanted);
    if (it->skip) {
        printf("SKIP %-46s %s\n", it->name, it->skip);
        return;
    }
    if (it->verdict == HN_OK)
        snprintf(got, sizeof got, "ok");
    else if (it->verdict == HN_STALE)
        snprintf(got, sizeof got, "broken");
    else
        snprintf(got, sizeof got, "%s %s", hn_verdict_names[it->verdict],
                 hn_check_names[it->check]);
    printf("%-4s %-46s %-14s %-14s %6lu\n", it->wrong ? "FAIL" : "ok", it->name, wanted, got,
           it->cases);
    if (it->wrong || shrinks) printf("     %s\n", it->what);
}

static int start(presentation *p, item *it, uint64_t seed)
{
    memset(p->outcome, 0, sizeof *p->outcome);
    p->of = it;
    fflush(NULL);
    p->pid = fork();
    if (p->pid != 0) return p->pid < 0 ? -1 : 0;
    alarm(PATIENCE_SECONDS);
    present(it, seed, p->outcome);
    _exit(0);
}

/* Waits for one child. */
static void finish_one(presentation *at, size_t count)
{
    int status = 0;
    const pid_t pid = waitpid(-1, &status, 0);
    for (size_t i = 0; i < count; i++) {
        if (at[i].pid == 0 || at[i].pid != pid) continue;
        weigh(at[i].of, at[i].outcome, status);
        at[i].pid = 0;
    }
}

static presentation *free_place(presentation *at, size_t count)
{
    for (;;) {
        for (size_t i = 0; i < count; i++)
            if (at[i].pid == 0) return &at[i];
        finish_one(at, count);
    }
}

/* Returns whether that was enough. */
static bool print_finished(const item *items, size_t count, size_t *printed)
{
    for (; *printed < count && items[*printed].pending == 0; ++*printed) {
        print_item(&items[*printed]);
        if (stops && items[*printed].wrong) return true;
    }
    return *printed == count;
}

static int present_no_more(presentation *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (at[i].pid > 0) kill(at[i].pid, SIGKILL);
    return munmap(at[0].outcome, count * sizeof *at[0].outcome);
}

static int present_all(item *items, size_t count, uint64_t seed)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t places = cores < 1 ? 1 : cores > PRESENTED_MAX ? PRESENTED_MAX : (size_t)cores;
    presentation at[PRESENTED_MAX] = { 0 };
    size_t printed = 0;
    outcome *shared = mmap(NULL, places * sizeof *shared, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return fprintf(stderr, "ckparity: out of memory\n"), -1;
    for (size_t i = 0; i < places; i++) at[i].outcome = &shared[i];
    for (size_t i = 0; i < count; i++)
        for (unsigned s = 0; s < items[i].seeds; s++) {
            presentation *place = free_place(at, places);
            if (print_finished(items, count, &printed)) return present_no_more(at, places);
            if (start(place, &items[i], seed + s) != 0) return perror("ckparity: fork"), -1;
        }
    while (!print_finished(items, count, &printed)) finish_one(at, places);
    return present_no_more(at, places);
}

/* As for kernels: a pattern, or a part of the name. */
static bool matches(const char *filter, const char *name)
{
    return strpbrk(filter, "*?[") ? fnmatch(filter, name, 0) == 0 : strstr(name, filter) != NULL;
}

static void add_item(item *items, size_t *count, const hn_mutant *m, const target *on, bool strict,
                     unsigned seeds, const char *filter)
{
    item *it = &items[*count];
    memset(it, 0, sizeof *it);
    it->mutant = m;
    it->target = on;
    it->strict = strict;
    hn_mutant_name(m, on->op->stem, strict, it->name, sizeof it->name);
    if (filter && !matches(filter, it->name)) return;
    const ck_kernel *wraps = wrapped_kernel(it);
    if (shrinks && m->checks == 0) return;
    it->skip = m->lacks ? m->lacks() : NULL;
    if (shrinks && m->stage == HN_BY_TRACE) it->skip = "found in any case: there is none to shrink";
    if (!it->skip) it->skip = wraps ? wraps->unavailable : "there is no kernel to wrap";
    it->seeds = seeds;
    if (m->stage != HN_BY_CASES) it->seeds = 1;
    if (m->checks == HN_BY(HANG) && seeds > HANG_SEEDS) it->seeds = HANG_SEEDS;
    if (it->skip) it->seeds = 0;
    it->pending = it->seeds;
    ++*count;
}

static void add_modes(item *items, size_t *count, const hn_mutant *m, unsigned seeds,
                      const char *filter)
{
    for (size_t t = 0; t < target_count; t++)
        for (int strict = 0; strict < 2 && hn_mutant_on(m, targets[t].op->stem); strict++)
            if (m->modes >> strict & 1)
                add_item(items, count, m, &targets[t], strict, seeds, filter);
}

static item *make_items(unsigned seeds, const char *filter, size_t *count)
{
    size_t most = 0;
    *count = 0;
    for (size_t l = 0; hn_mutant_lists[l]; l++) most += hn_mutant_lists[l]->count;
    item *items = calloc(most * target_count * 2, sizeof *items);
    for (size_t l = 0; items && hn_mutant_lists[l]; l++)
        for (size_t i = 0; i < hn_mutant_lists[l]->count; i++)
            add_modes(items, count, &hn_mutant_lists[l]->list[i], seeds, filter);
    return items;
}

static int is_target(void *context, const hn_op *op) { return ((target *)context)->op == op; }

static bool has_mutants(const char *stem)
{
    for (size_t l = 0; hn_mutant_lists[l]; l++)
        for (size_t i = 0; i < hn_mutant_lists[l]->count; i++)
            if (hn_mutant_on(&hn_mutant_lists[l]->list[i], stem)) return true;
    return false;
}

/* Every op of the kernels that a mutant is planted in. */
static int open_all(void)
{
    char error[512] = "out of memory";
    subject = hn_subject_open(NULL, error, sizeof error);
    targets = subject ? calloc(subject->count, sizeof *targets) : NULL;
    for (unsigned i = 0; targets && i < subject->count; i++) {
        const char *stem = subject->kernels[i].stem;
        if (strcmp(subject->kernels[i].isa, "scalar") != 0 || !has_mutants(stem)) continue;
        target *t = &targets[target_count];
        *t = (target){ hn_op_find(stem), hn_suite_open("smoke", error, sizeof error) };
        if (!t->suite) return fprintf(stderr, "ckparity: %s\n", error), -1;
        hn_suite_keep(t->suite, is_target, t);
        target_count++;
    }
    return targets ? 0 : (fprintf(stderr, "ckparity: %s\n", error), -1);
}

static void close_all(void)
{
    for (size_t t = 0; t < target_count; t++) hn_suite_free(targets[t].suite);
    free(targets);
}

/* The sum, and whether it will do. */
static int conclude(size_t passed, size_t failed, size_t skipped)
{
    const size_t all = passed + failed;
    if (!shrinks) {
        printf("%zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
        return failed || passed == 0 ? EXIT_FAILED : EXIT_OK;
    }
    printf("%zu skipped\n%zu of %zu minimal (%.1f %%)\n", skipped, passed, all,
           all ? floor(1000.0 * (double)passed / (double)all) / 10.0 : 0.0);
    return all == 0 || 100 * passed < MINIMAL_LEAST * all ? EXIT_FAILED : EXIT_OK;
}

int hn_selftest(uint64_t seed, unsigned seeds, const char *filter, bool shrink, bool fail_fast)
{
    size_t count, passed = 0, failed = 0, skipped = 0;
    shrinks = shrink;
    stops = fail_fast;
    if (open_all() != 0) return EXIT_FAILED;
    item *items = make_items(seeds, filter, &count);
    if (!items) return fprintf(stderr, "ckparity: out of memory\n"), EXIT_FAILED;
    if (count == 0 && (shrink || hn_rt_wrong_count(matches, filter) == 0)) {
        fprintf(stderr, "ckparity: no mutant matches %s\n", filter);
        free(items);
        return EXIT_INPUT;
    }
    printf("     %-46s %-14s %-14s %6s\n", "mutant", "expected", "got", shrink ? "tried" : "cases");
    const int broken = present_all(items, count, seed);
    for (size_t i = 0; i < count; i++) {
        skipped += items[i].skip != NULL;
        failed += items[i].wrong;
        passed += !items[i].skip && !items[i].wrong;
    }
    close_all();
    free(items);
    if (!shrink && !(fail_fast && failed))
        hn_rt_selftest(matches, filter, &passed, &failed, &skipped);
    printf("\nseed %llx, %u seeds\n", (unsigned long long)seed, seeds);
    const int status = conclude(passed, failed, skipped);
    return broken ? EXIT_FAILED : status;
}
