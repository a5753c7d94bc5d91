/* SPDX-License-Identifier: MIT */
/* The check and the clock. */
#include "contest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
#include "../isolate.h"

/* A sample is long against the clock's own cost, a fraction of a microsecond. */
#define SAMPLE_SECONDS 0.0002
/* A call as long as this needs no other to warm it up. */
#define WARM_SECONDS 0.005
enum { SETS_MOST = 1 << 16, CACHE_LINE = 64, STAGGER_LINES = 13 };

bool hn_contest_add(hn_contest *contest, const hn_contestant *one)
{
    if (contest->count == HN_MAX_VARIANTS) return false;
    contest->of[contest->count++] = *one;
    return true;
}

/* Runs the group of those that are not judged yet. Returns whether one of them died and left the
 * others without a verdict. */
static bool check_rest(hn_contest *contest)
{
    static hn_result results[HN_MAX_VARIANTS];
    static hn_plan plan;
    size_t of[HN_MAX_VARIANTS];
    bool died = false;
    plan = (hn_plan){ .op = contest->c.op };
    for (size_t i = 0; i < contest->count; i++) {
        const hn_contestant *one = &contest->of[i];
        if (one->verdict != HN_VERDICT_COUNT) continue;
        of[plan.nvariants] = i;
        hn_plan_add(&plan, one->kernel, one->strict, i);
    }
    if (plan.nvariants == 0) return false;
    hn_isolate(hn_isolated_run, NULL, &plan, &contest->c, 0, results);
    for (size_t v = 0; v < plan.nvariants; v++)
        died |= results[v].verdict == HN_CRASH || results[v].verdict == HN_HANG;
    for (size_t v = 0; v < plan.nvariants; v++) {
        hn_contestant *one = &contest->of[of[v]];
        if (died && results[v].verdict == HN_SKIP) continue;
        one->verdict = results[v].verdict;
        snprintf(one->what, sizeof one->what, "%.*s%s%s", HN_WHAT_MAX - 20,
                 hn_check_names[results[v].check], results[v].what[0] ? ": " : "", results[v].what);
    }
    return died;
}

void hn_contest_check(hn_contest *contest)
{
    for (size_t i = 0; i < contest->count; i++) contest->of[i].verdict = HN_VERDICT_COUNT;
    while (check_rest(contest)) {
    }
}

/* Operands of the case, `sets` times, and the arguments of a call on each. */
typedef struct arena {
    unsigned char *memory;
    size_t bytes, sets, next;
    unsigned char *args; /* HN_ARGS_MAX each */
} arena;

static size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

static size_t span(const hn_placed *p)
{
    return p->at ? ((p->rows - 1) * p->ld + p->cols) * p->unit : 0;
}

/* What a call must touch: live units of inputs, all of the outputs. */
static size_t count_bytes(const hn_runner *runner, const hn_op *op)
{
    size_t bytes = 0;
    for (size_t k = 0; k < op->family->noperands; k++) {
        const size_t *live;
        const hn_placed *p = hn_group_operand(runner, k, &live);
        for (size_t row = 0; p->at && row < p->rows; row++)
            bytes += (!hn_is_output(op, k) && live ? live[row] : p->cols) * p->unit;
    }
    return bytes;
}

/* Operands begin at 64-byte boundaries, at different places of their pages: at the same, stores would
 * look like conflicts to loads. */
static size_t set_bytes(const hn_runner *runner, size_t noperands)
{
    size_t bytes = 0;
    for (size_t k = 0; k < noperands; k++) {
        const size_t *live;
        bytes += round_up(span(hn_group_operand(runner, k, &live)), CACHE_LINE) +
                 STAGGER_LINES * CACHE_LINE;
    }
    return bytes;
}

static void fill_set(arena *a, size_t set, const hn_case *c, const hn_runner *runner)
{
    const hn_family *family = c->op->family;
    void *at[HN_MAX_OPERANDS] = { 0 };
    size_t ld[HN_MAX_OPERANDS] = { 0 };
    unsigned char *to = a->memory + set * set_bytes(runner, family->noperands);
    for (size_t k = 0; k < family->noperands; k++) {
        const size_t *live;
        const hn_placed *p = hn_group_operand(runner, k, &live);
        ld[k] = p->ld;
        if (!p->at) continue;
        memcpy(to, p->at, span(p));
        at[k] = to;
        to += round_up(span(p), CACHE_LINE) + STAGGER_LINES * CACHE_LINE;
    }
    family->kernel_args(c, at, ld, a->args + set * HN_ARGS_MAX);
}

/* Returns NULL, or why there is none. */
static const char *make_arena(arena *a, hn_contest *contest, const hn_machine *machine)
{
    static hn_plan plan;
    static char error[HN_WHAT_MAX];
    const hn_case *c = &contest->c;
    const size_t noperands = c->op->family->noperands;
    hn_runner *runner = hn_runner_new();
    plan = (hn_plan){ .op = c->op };
    *a = (arena){ .sets = 1 };
    const char *why = NULL;
    if (hn_group_prepare(runner, &plan, c, error, sizeof error) != 0) why = error;
    if (!why) {
        const size_t bytes = set_bytes(runner, noperands);
        contest->bytes = count_bytes(runner, c->op);
        if (contest->cold) a->sets = hn_cold_bytes(machine) / contest->bytes + 1;
        a->bytes = bytes * a->sets;
        if (a->sets > SETS_MOST) why = "operands are too small for --cold";
    }
    if (!why) {
        a->memory = hn_map(a->bytes);
        a->args = aligned_alloc(CACHE_LINE, a->sets * HN_ARGS_MAX);
        if (!a->memory || !a->args) why = "not enough memory for the operands";
    }
    for (size_t set = 0; !why && set < a->sets; set++) fill_set(a, set, c, runner);
    hn_runner_free(runner);
    return why;
}

static void free_arena(arena *a)
{
    hn_unmap(a->memory, a->bytes);
    free(a->args);
}

static double seconds_of(ck_fn *fn, arena *a, size_t calls)
{
    const double began = hn_thread_seconds();
    for (size_t i = 0; i < calls; i++) {
        fn(a->args + a->next * HN_ARGS_MAX);
        if (++a->next == a->sets) a->next = 0;
    }
    return (hn_thread_seconds() - began) / (double)calls;
}

static ck_fn *entry(const hn_contestant *one)
{
    return one->strict ? one->kernel->fn_strict : one->kernel->fn;
}

/* One sample: on warm operands after a call that is not timed, so that nobody pays for what the one
 * before left in the caches. */
static double take_sample(const hn_contestant *one, arena *a, double expected)
{
    if (a->sets == 1 && expected < WARM_SECONDS) entry(one)(a->args);
    return seconds_of(entry(one), a, one->calls);
}

/* Sets the calls of a sample; returns about how long one takes. */
static double calibrate(hn_contestant *one, arena *a)
{
    seconds_of(entry(one), a, 1);
    for (one->calls = 1;; one->calls *= 2) {
        const double seconds = seconds_of(entry(one), a, one->calls) * (double)one->calls;
        if (seconds >= SAMPLE_SECONDS) return seconds;
    }
}

/* Rounds: each times everybody once, and begins with another. */
static void take_rounds(hn_contest *contest, arena *a, const size_t *of, size_t count,
                        const double *expected)
{
    for (size_t r = 0; r < contest->rounds; r++)
        for (size_t i = 0; i < count; i++) {
            const size_t k = (r + i) % count;
            hn_contestant *one = &contest->of[of[k]];
            one->seconds[r] = take_sample(one, a, expected[k] / (double)one->calls);
        }
}

static void summarize(hn_contestant *one, size_t rounds)
{
    double sorted[HN_ROUNDS_MOST];
    memcpy(sorted, one->seconds, rounds * sizeof *sorted);
    one->time = hn_summarize(sorted, rounds);
}

void hn_contest_time(hn_contest *contest, const hn_machine *machine, double seconds)
{
    arena a;
    size_t of[HN_MAX_VARIANTS], count = 0;
    double expected[HN_MAX_VARIANTS], round = 0;
    const char *why = make_arena(&a, contest, machine);
    const hn_family *family = contest->c.op->family;
    contest->products = family->products ? family->products(&contest->c) : 0;
    contest->int8 = family->flags & HN_INT8_PRODUCTS;
    contest->level = contest->cold ? HN_DRAM : hn_level_of(machine, contest->bytes);
    for (size_t i = 0; !why && i < contest->count; i++) {
        if (contest->of[i].verdict != HN_OK) continue;
        expected[count] = calibrate(&contest->of[i], &a);
        contest->of[i].seconds = calloc(HN_ROUNDS_MOST, sizeof(double));
        if (!contest->of[i].seconds) why = "out of memory";
        round += expected[count];
        of[count++] = i;
    }
    if (!why && count == 0) why = "no kernel was right";
    if (!why) {
        const double wanted = seconds / round;
        contest->rounds = wanted > HN_ROUNDS_MOST ? HN_ROUNDS_MOST : (size_t)wanted;
        if (contest->rounds < HN_ROUNDS_LEAST) contest->rounds = HN_ROUNDS_LEAST;
        take_rounds(contest, &a, of, count, expected);
        for (size_t i = 0; i < count; i++) summarize(&contest->of[of[i]], contest->rounds);
    }
    if (why) snprintf(contest->skip, sizeof contest->skip, "%s", why);
    free_arena(&a);
}

hn_summary hn_contest_ratio(const hn_contest *contest, size_t a, size_t b)
{
    double ratio[HN_ROUNDS_MOST];
    for (size_t r = 0; r < contest->rounds; r++)
        ratio[r] = contest->of[a].seconds[r] / contest->of[b].seconds[r];
    return hn_summarize(ratio, contest->rounds);
}

void hn_contest_free(hn_contest *contest)
{
    for (size_t i = 0; i < contest->count; i++) free(contest->of[i].seconds);
}
