/* SPDX-License-Identifier: MIT */
/* Greedy shrinking: a case is a pure function of its line, so the line is what shrinks. */
#include "shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "isolate.h"
#include "reach.h"

enum { SHRUNK_MAX = 24, RUNS_MAX = 20000, NEAR = 64, LARGEST_LEAP = 64 };
static const double seconds_each = 0.5, where_seconds = 5; /* the latter is hardly ever used up */

typedef struct search {
    const hn_plan *plan;
    hn_runner *runner;
    size_t variant;
    hn_verdict verdict;
    hn_check check;
    unsigned runs, seeds;
    double until;
    bool isolated; /* each candidate in a process of its own; runner is NULL */
} search;

static bool spent(const search *s) { return s->runs > RUNS_MAX || hn_wall_seconds() > s->until; }

static bool fails_alike(search *s, const hn_case *c)
{
    static hn_result results[HN_MAX_VARIANTS];
    char error[256];
    if (spent(s) || hn_case_check(c, error, sizeof error) != 0) return false;
    s->runs++;
    if (s->isolated)
        hn_isolate(hn_isolated_run, NULL, s->plan, c, s->verdict == HN_HANG ? HN_SHRINK_TICKS : 0,
                   results);
    else
        hn_group_run(s->runner, s->plan, c, results);
    return results[s->variant].verdict == s->verdict && results[s->variant].check == s->check;
}

/* Other data may fail where these no longer do: the nearest seeds are tried as well. */
static bool accept(search *s, hn_case *c, hn_case next)
{
    for (uint32_t k = 0; k < s->seeds; k++) {
        if (fails_alike(s, &next)) {
            *c = next;
            return true;
        }
        next.seed = next.seed + 1;
    }
    return false;
}

static bool accept_size(search *s, hn_case *c, size_t i, int64_t size)
{
    static const size_t tight[HN_MAX_OPERANDS] = { 0 };
    hn_case next = *c;
    next.num[i] = size;
    memcpy(next.ld, tight, sizeof next.ld);
    if (accept(s, c, next)) return true;
    if (memcmp(c->ld, tight, sizeof tight) == 0) return false;
    memcpy(next.ld, c->ld, sizeof next.ld);
    return accept(s, c, next);
}

/* Steps down from c->num[i], not below `low`: doubled where one succeeds, halved where it fails. */
static bool step_down(search *s, hn_case *c, size_t i, int64_t low, int64_t unit)
{
    bool better = false;
    for (int64_t step = (c->num[i] - low) / 2 / unit * unit; step >= unit && !spent(s);) {
        if (c->num[i] - step < low || !accept_size(s, c, i, c->num[i] - step)) {
            step = step / 2 / unit * unit;
        } else {
            better = true;
            step *= 2;
        }
    }
    return better;
}

/* The least size comes first. A fault may live in one residue, so that all small sizes are tried, and
 * those next below. */
static bool shrink_dimension(search *s, hn_case *c, size_t i, int64_t least)
{
    const int64_t unit = hn_key_unit(c->op, i), low = least + NEAR * unit;
    for (int64_t size = least; size < low && size < c->num[i]; size += unit)
        if (accept_size(s, c, i, size)) return true;
    for (int64_t half = c->num[i]; (half = half / 2 / unit * unit) >= low;)
        if (accept_size(s, c, i, half)) return true;
    if (step_down(s, c, i, low, unit)) return true;
    const int64_t near = c->num[i] - NEAR * unit;
    for (int64_t size = c->num[i] - unit; size >= low && size >= near; size -= unit)
        if (accept_size(s, c, i, size)) return true;
    return false;
}

/* The text with [from, to) put otherwise. */
static bool accept_text(search *s, hn_case *c, size_t from, size_t to, const char *with)
{
    hn_case next = *c;
    memset(next.text, 0, sizeof next.text);
    snprintf(next.text, sizeof next.text, "%.*s%s%s", (int)from, c->text, with, c->text + to);
    return accept(s, c, next);
}

/* The number that a word ends with: 1, half of it, one less. */
static bool shrink_number(search *s, hn_case *c, size_t word, size_t end)
{
    char number[24];
    size_t from = end;
    while (from > word && c->text[from - 1] >= '0' && c->text[from - 1] <= '9') from--;
    const unsigned long n = from < end ? strtoul(c->text + from, NULL, 10) : 0;
    const unsigned long smaller[] = { 1, n / 2, n - 1 };
    for (size_t i = 0; i < 3 && n > 1; i++) {
        snprintf(number, sizeof number, "%lu", smaller[i]);
        if (accept_text(s, c, from, end, number)) return true;
    }
    return false;
}

/* Without one of its words, or with a smaller number; from the last on, since words may depend on
 * those before. */
static bool shrink_text(search *s, hn_case *c)
{
    for (size_t end = strlen(c->text), word = end; end > 0; end = word ? word - 1 : 0) {
        for (word = end; word > 0 && c->text[word - 1] != ',';) word--;
        const bool last = c->text[end] == '\0';
        /* the word and one comma */
        if (accept_text(s, c, word && last ? word - 1 : word, last ? end : end + 1, ""))
            return true;
        if (shrink_number(s, c, word, end)) return true;
    }
    return false;
}

static bool shrink_key(search *s, hn_case *c, size_t i)
{
    const hn_key *k = &c->op->family->keys[i];
    const int64_t def = (int64_t)k->def;
    hn_case next = *c;
    if (k->kind == HN_TEXT) return shrink_text(s, c);
    if (k->kind == HN_DIM) return shrink_dimension(s, c, i, hn_key_least(c->op, i));
    if (k->kind == HN_INT && c->num[i] >= def) return shrink_dimension(s, c, i, def);
    if (k->kind == HN_REAL ? c->real[i] == k->def : c->num[i] == def) return false;
    next.real[i] = k->def;
    next.num[i] = def;
    return accept(s, c, next);
}

static bool is_large(const hn_case *c)
{
    for (size_t i = 0; i < c->op->family->nkeys; i++)
        if (c->op->family->keys[i].kind == HN_DIM &&
            c->num[i] > LARGEST_LEAP * hn_key_unit(c->op, i))
            return true;
    return false;
}

/* No dimension above `units`. */
static hn_case cut(const hn_case *c, int64_t units)
{
    hn_case small = *c;
    memset(small.ld, 0, sizeof small.ld);
    for (size_t i = 0; i < c->op->family->nkeys; i++) {
        const int64_t size = units * hn_key_unit(c->op, i);
        if (c->op->family->keys[i].kind == HN_DIM && c->num[i] > size)
            small.num[i] = size > hn_key_least(c->op, i) ? size : hn_key_least(c->op, i);
    }
    return small;
}

/* Other data may show the fault in a case that is small at once: what one step at a time does not come
 * to, and what is cheap to try. */
static void leap(search *s, hn_case *c)
{
    for (int64_t units = 1; units <= LARGEST_LEAP; units *= 2)
        for (unsigned f = 0; f < HN_FILL_COUNT; f++) {
            hn_case next = cut(c, units);
            if (!(hn_op_fills(c->op) >> f & 1)) continue;
            next.fill = (hn_fill)f;
            next.file[0] = '\0';
            next.file_hash = 0;
            if (f != (unsigned)c->fill) next.seed = 0;
            if (accept(s, c, next)) return;
        }
}

static bool shrink_layout(search *s, hn_case *c, size_t i)
{
    hn_case next = *c;
    bool better = false;
    if (c->ld[i]) {
        next.ld[i] = 0;
        better |= accept(s, c, next);
    }
    next = *c;
    if (c->at[i].edge == HN_END) return better;
    next.at[i] = (hn_place){ HN_END, 0 };
    if (accept(s, c, next)) return true;
    next.at[i] = (hn_place){ HN_MIDDLE, 0 };
    return (c->at[i].edge == HN_MIDDLE && c->at[i].offset > 0 && accept(s, c, next)) || better;
}

/* Simpler data: integers, then one term a row, then any numbers; then the least seeds. */
static bool shrink_data(search *s, hn_case *c)
{
    static const hn_fill simple[] = { HN_FILL_INT, HN_FILL_PROBE, HN_FILL_UNIT };
    for (size_t i = 0; i < sizeof simple / sizeof simple[0] && c->fill != simple[i]; i++) {
        hn_case next = *c;
        next.fill = simple[i];
        next.file[0] = '\0';
        next.file_hash = 0;
        if (accept(s, c, next)) return true;
    }
    hn_case next = *c;
    for (next.seed = 0; next.seed < HN_SHRINK_SEEDS && next.seed < c->seed; next.seed++)
        if (fails_alike(s, &next)) return *c = next, true;
    return false;
}

/* One, or two. */
static bool shrink_threads(search *s, hn_case *c)
{
    for (unsigned threads = 1; threads <= 2 && threads < c->threads; threads++) {
        hn_case next = *c;
        next.threads = threads;
        if (accept(s, c, next)) return true;
    }
    return false;
}

static void shrink_case(search *s, hn_case *c)
{
    if (is_large(c)) leap(s, c);
    for (bool better = true; better && !spent(s);) {
        better = false;
        for (size_t i = 0; i < c->op->family->nkeys; i++)
            while (shrink_key(s, c, i)) better = true;
        for (size_t i = 0; i < c->op->family->noperands; i++) better |= shrink_layout(s, c, i);
        hn_case next = *c;
        next.fp = HN_FP_NEAREST;
        if (c->fp != HN_FP_NEAREST) better |= accept(s, c, next);
        better |= shrink_threads(s, c);
        better |= shrink_data(s, c);
    }
}

unsigned hn_shrink_case(const hn_plan *plan, size_t variant, const hn_result *like, double seconds,
                        hn_case *c)
{
    search s = { .plan = plan,
                 .variant = variant,
                 .verdict = like->verdict,
                 .check = like->check,
                 .seeds = like->verdict == HN_HANG ? 1 : HN_SHRINK_SEEDS,
                 .until = hn_wall_seconds() + seconds,
                 .isolated = true };
    if (!fails_alike(&s, c)) return 0;
    shrink_case(&s, c);
    return s.runs;
}

/* With one of the seeds. */
static bool fails_somehow(void *context, const hn_case *c)
{
    hn_case next = *c;
    return accept(context, &next, *c);
}

/* What is not finished in time is not said. */
static void find_where(search *s, const hn_case *c, hn_failure *f)
{
    s->runs = 0;
    s->until = hn_wall_seconds() + where_seconds;
    hn_reach(f->where, sizeof f->where, c, fails_somehow, s);
    if (spent(s)) f->where[0] = '\0';
}

/* Taken from a failure before f, in the same array, that shrank to the same case. */
static bool known_where(const hn_failure *first, hn_failure *f)
{
    for (const hn_failure *e = first; e < f; e++) {
        if (!f->shrunk[0] || strcmp(e->shrunk, f->shrunk) != 0 || e->row != f->row) continue;
        strcpy(f->where, e->where);
        return f->where[0] != '\0';
    }
    return false;
}

static void shrink_one(const hn_run *run, const hn_failure *first, hn_failure *f)
{
    const hn_row *row = &run->rows[f->row];
    char error[256];
    hn_case c;
    if (f->result.verdict == HN_HANG || f->result.verdict == HN_STALE ||
        f->result.check == HN_CHECK_ISA)
        return;
    if (hn_case_parse(&c, f->line, error, sizeof error) != 0) return;
    search s = { .plan = hn_run_plan(run, row->op),
                 .runner = hn_runner_new(),
                 .verdict = f->result.verdict,
                 .check = f->result.check,
                 .seeds = HN_SHRINK_SEEDS,
                 .until = hn_wall_seconds() + seconds_each };
    for (s.variant = 0; s.variant < s.plan->nvariants; s.variant++)
        if (s.plan->variants[s.variant].row == f->row) break;
    if (s.variant < s.plan->nvariants && fails_alike(&s, &c)) {
        const hn_case before = c;
        shrink_case(&s, &c);
        if (memcmp(&before, &c, sizeof c) != 0) hn_case_print(&c, f->shrunk, sizeof f->shrunk);
        if (!c.op->family->run && !known_where(first, f)) find_where(&s, &c, f);
    }
    hn_runner_free(s.runner);
}

/* Pattern and cause of the case as it was found: a shrunk one has little of a pattern left. */
static void explain_one(const hn_run *run, hn_failure *f)
{
    static hn_result results[HN_MAX_VARIANTS];
    const hn_plan *plan = hn_run_plan(run, run->rows[f->row].op);
    char error[256];
    hn_case c;
    if (f->result.verdict == HN_HANG || hn_case_parse(&c, f->line, error, sizeof error) != 0)
        return;
    hn_runner *runner = hn_runner_new();
    hn_runner_explain(runner);
    hn_group_run(runner, plan, &c, results);
    for (size_t i = 0; i < plan->nvariants; i++) {
        if (plan->variants[i].row != f->row || results[i].check != f->result.check) continue;
        strcpy(f->result.pattern, results[i].pattern);
        strcpy(f->result.cause, results[i].cause);
    }
    hn_runner_free(runner);
}

void hn_shrink_all(hn_run *run)
{
    size_t count = run->nfailures < SHRUNK_MAX ? run->nfailures : SHRUNK_MAX;
    const size_t bytes = (count + 1) * sizeof *run->failures;
    if (count == 0) return;
    hn_failure *shared =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return;
    memcpy(shared, run->failures, count * sizeof *shared);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        hn_call_init();
        for (size_t i = 0; i < count; i++) {
            shrink_one(run, shared, &shared[i]);
            explain_one(run, &shared[i]);
        }
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
    memcpy(run->failures, shared, count * sizeof *shared);
    munmap(shared, bytes);
}
