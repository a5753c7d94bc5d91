/* SPDX-License-Identifier: MIT */
/* Jobs, their supervision and the merging of what they found. */
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

/* Of one row, at most this many failures leave a worker: the first ones, and the first of each check. */
enum { FAILURES_PER_ROW = 8 };

/* A worker that has not called a kernel for this long is killed; CPU-bound hangs end far earlier. */
enum { DEADLOCK_SECONDS = 60, DEATHS_MAX = 200 };

#define NO_ROW SIZE_MAX

/* Status of a worker that came to a suite's line that makes no case. */
enum { BAD_CASE = 2 };

typedef struct shared {
    _Atomic uint64_t next;   /* task to take */
    _Atomic uint64_t groups; /* done */
    _Atomic uint64_t cases, failed;
} shared;

/* What one worker shares with the supervisor. */
typedef struct worker {
    pid_t pid;
    _Atomic uint64_t beat; /* counts kernel calls */
    _Atomic size_t row;    /* running now, NO_ROW: none */
    uint64_t index;
    char line[HN_LINE_MAX];
    uint64_t seen_beat;
    double seen_at;
    bool killed;
    bool done; /* ran out of tasks: a kernel may call exit(0) as well */
    size_t nfailures;
    unsigned *kept; /* of each row */
    hn_stats *stats;
    hn_failure *failures;
} worker;

static void *map_shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool first_of_check(const worker *w, size_t row, hn_check check)
{
    for (size_t i = 0; i < w->nfailures; i++)
        if (w->failures[i].row == row && w->failures[i].result.check == check) return false;
    return true;
}

static void keep_failure(worker *w, size_t row, const hn_result *result)
{
    if (w->kept[row] >= FAILURES_PER_ROW) return;
    if (w->kept[row] >= HN_KEPT_FAILURES && !first_of_check(w, row, result->check)) return;
    w->kept[row]++;
    hn_failure *f = &w->failures[w->nfailures];
    *f = (hn_failure){ .index = w->index, .row = row, .result = *result };
    strcpy(f->line, w->line);
    w->nfailures++;
}

static bool is_failure(hn_verdict v) { return v >= HN_FAIL && v <= HN_HANG; }

static bool weaker(const hn_stats *s, bool drawn, uint64_t index)
{
    if (!s->weak_line[0]) return true;
    return s->weak_is_drawn != drawn ? !drawn : index < s->weak_index;
}

static void keep_weak(hn_stats *s, bool drawn, uint64_t index, const char *line)
{
    if (!weaker(s, drawn, index)) return;
    s->weak_is_drawn = drawn;
    s->weak_index = index;
    strcpy(s->weak_line, line);
}

static void account(worker *w, shared *s, size_t row, const hn_result *result, bool drawn)
{
    hn_stats *stats = &w->stats[row];
    stats->cases++;
    stats->verdicts[result->verdict]++;
    atomic_fetch_add_explicit(&s->cases, 1, memory_order_relaxed);
    for (unsigned c = 0; c < HN_CHECK_COUNT; c++) stats->ran[c] += result->ran >> c & 1;
    if (result->verdict == HN_OK) {
        stats->exact += result->exact;
        stats->bound += !result->exact;
    }
    if (result->verdict == HN_WEAK) {
        stats->weak_drawn += drawn;
        keep_weak(stats, drawn, w->index, w->line);
    }
    if (result->utilisation > stats->util) {
        stats->util = result->utilisation;
        stats->util_index = w->index;
        strcpy(stats->util_line, w->line);
    }
    if (result->verdict == HN_STALE) keep_failure(w, row, result);
    if (!is_failure(result->verdict)) return;
    stats->failed[result->verdict][result->check]++;
    atomic_fetch_add_explicit(&s->failed, 1, memory_order_relaxed);
    keep_failure(w, row, result);
}

static void announce(void *context, const hn_variant *variant)
{
    worker *w = context;
    atomic_store_explicit(&w->row, variant->row, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->beat, 1, memory_order_relaxed);
}

const hn_plan *hn_run_plan(const hn_run *run, const hn_op *op)
{
    for (size_t i = 0; i < run->nplans; i++)
        if (run->plans[i].op == op) return &run->plans[i];
    return NULL;
}

/* A shape in which every variant executes its main loop. */
static void trace_case(hn_case *c, const hn_op *op)
{
    const size_t last = hn_last_dim(op);
    hn_case_init(c, op);
    for (size_t i = 0; i <= last; i++) {
        const hn_key *k = &op->family->keys[i];
        const int64_t unit = hn_key_unit(op, i), want = i == last ? 64 : 4;
        if (k->kind == HN_DIM) c->num[i] = unit > want ? 2 * unit : want;
    }
    for (size_t i = 0; i < HN_MAX_OPERANDS; i++) c->at[i] = (hn_place){ HN_MIDDLE, 0 };
}

static void do_trace(const hn_run *run, shared *s, worker *w, hn_runner *runner, size_t index)
{
    const hn_row *row = &run->rows[index];
    static hn_result result;
    hn_case c;
    if (row->skip || row->op->family->run) return;
    trace_case(&c, row->op);
    snprintf(c.isa, sizeof c.isa, "%s", row->kernel->isa);
    c.mode = row->strict ? HN_STRICT : HN_FAST;
    hn_case_print(&c, w->line, sizeof w->line);
    const hn_variant variant = { row->kernel, row->strict, 0, index };
    memset(&result, 0, sizeof result);
    hn_group_trace(runner, &variant, &c, &result);
    account(w, s, index, &result, false);
}

static void account_group(const hn_plan *plan, const hn_case *c, shared *s, worker *w,
                          const hn_result *results, bool drawn)
{
    for (size_t i = 0; i < plan->nvariants; i++) {
        if (results[i].verdict == HN_SKIP && results[i].what[0] == '\0') continue;
        if (is_failure(results[i].verdict)) {
            hn_case mine = *c;
            /* bits that differ between variants need both of them */
            if (results[i].check != HN_CHECK_STRICT)
                snprintf(mine.isa, sizeof mine.isa, "%s", plan->variants[i].kernel->isa);
            mine.mode = plan->variants[i].strict ? HN_STRICT : HN_FAST;
            hn_case_print(&mine, w->line, sizeof w->line);
        }
        account(w, s, plan->variants[i].row, &results[i], drawn);
        if (results[i].verdict == HN_OK)
            hn_cells_mark(&w->stats[plan->variants[i].row].cells, c,
                          plan->variants[i].kernel->spec);
    }
}

static void do_case(const hn_run *run, shared *s, worker *w, hn_runner *runner, uint64_t task)
{
    static hn_result results[HN_MAX_VARIANTS];
    const uint64_t count = hn_suite_count(run->suite);
    hn_case c;
    char error[256];
    const int given =
        hn_suite_case(run->suite, task % count, run->seed + task / count, &c, error, sizeof error);
    const hn_plan *plan = hn_run_plan(run, c.op);
    hn_case_print(&c, w->line, sizeof w->line);
    if (given < 0 || !plan) {
        snprintf(w->line + strlen(w->line), sizeof w->line - strlen(w->line), " (%.100s)", error);
        _exit(BAD_CASE);
    }
    hn_group_run(runner, plan, &c, results);
    account_group(plan, &c, s, w, results, given == 0);
}

/* Takes tasks until there are none. Tasks are first the rows to trace, then the cases. */
static void work(const hn_run *run, shared *s, worker *w, double deadline)
{
    const uint64_t traces = run->trace ? run->nrows : 0;
    const uint64_t last = run->budget > 0 ? UINT64_MAX : traces + hn_suite_count(run->suite);
    hn_runner *runner = hn_runner_new();
    hn_runner_announce(runner, announce, w);
    for (;;) {
        const uint64_t task = atomic_fetch_add(&s->next, 1);
        if (task >= last || (deadline > 0 && hn_wall_seconds() > deadline)) break;
        if (run->fail_fast && atomic_load_explicit(&s->failed, memory_order_relaxed) > 0) break;
        w->index = task;
        if (task < traces)
            do_trace(run, s, w, runner, (size_t)task);
        else
            do_case(run, s, w, runner, task - traces);
        atomic_store_explicit(&w->row, NO_ROW, memory_order_relaxed);
        atomic_fetch_add_explicit(&s->groups, 1, memory_order_relaxed);
    }
    hn_runner_free(runner);
}

static int start(const hn_run *run, shared *s, worker *w, double deadline)
{
    fflush(NULL);
    atomic_store(&w->row, NO_ROW);
    w->seen_at = hn_wall_seconds();
    w->seen_beat = atomic_load(&w->beat);
    w->killed = w->done = false;
    const pid_t pid = fork();
    if (pid > 0) w->pid = pid; /* shared memory: the child must not write it */
    if (pid != 0) return pid < 0 ? -1 : 0;
    hn_call_init();
    work(run, s, w, deadline);
    w->done = true;
    _exit(0);
}

/* A worker died in a kernel: the row that it ran is to blame. Returns false if it ran none. */
static bool bury(shared *s, worker *w, int status)
{
    static hn_result result;
    const size_t row = atomic_load(&w->row);
    if (row == NO_ROW) return false;
    memset(&result, 0, sizeof result);
    if (w->killed)
        hn_record(&result, HN_HANG, HN_CHECK_HANG, "no return within %d seconds", DEADLOCK_SECONDS);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        hn_record(&result, HN_HANG, HN_CHECK_HANG,
                  "no return of several threads within their time");
    else if (WIFSIGNALED(status))
        hn_record(&result, HN_CRASH, HN_CHECK_CRASH, "the process died of signal %d",
                  WTERMSIG(status));
    else
        hn_record(&result, HN_CRASH, HN_CHECK_CRASH, "the process ended with status %d",
                  WEXITSTATUS(status));
    account(w, s, row, &result, false);
    return true;
}

static void watch(worker *w)
{
    const uint64_t beat = atomic_load(&w->beat);
    if (beat != w->seen_beat || atomic_load(&w->row) == NO_ROW) {
        w->seen_beat = beat;
        w->seen_at = hn_wall_seconds();
    } else if (hn_wall_seconds() - w->seen_at > DEADLOCK_SECONDS && !w->killed) {
        w->killed = true;
        kill(w->pid, SIGKILL);
    }
}

static void show_progress(const hn_run *run, shared *s, double began)
{
    const uint64_t tasks = hn_suite_count(run->suite) + (run->trace ? run->nrows : 0);
    const double elapsed = hn_wall_seconds() - began;
    const uint64_t done = atomic_load(&s->groups);
    const double share = run->budget > 0 ? elapsed / run->budget : (double)done / (double)tasks;
    if (!run->progress || elapsed < 1.0) return;
    fprintf(stderr, "\r%3.0f %%  %llu cases, %llu failed ", 100.0 * (share > 1.0 ? 1.0 : share),
            (unsigned long long)atomic_load(&s->cases),
            (unsigned long long)atomic_load(&s->failed));
}

static const char *stop_reason(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == BAD_CASE
               ? "a line of the suite makes no case"
               : "a job died outside any kernel, at";
}

static int supervise(const hn_run *run, shared *s, worker *workers, double deadline, char *error,
                     size_t size)
{
    const double began = hn_wall_seconds();
    unsigned alive = run->jobs, deaths = 0;
    while (alive > 0) {
        int status;
        for (unsigned j = 0; j < run->jobs; j++) {
            worker *w = &workers[j];
            if (w->pid == 0) continue;
            if (waitpid(w->pid, &status, WNOHANG) != w->pid) {
                watch(w);
                continue;
            }
            w->pid = 0;
            alive--;
            if (w->done && WIFEXITED(status)) continue;
            if (!bury(s, w, status) || ++deaths > DEATHS_MAX)
                return snprintf(error, size, "%s: %s", stop_reason(status), w->line), -1;
            if (start(run, s, w, deadline) != 0)
                return snprintf(error, size, "fork: %s", strerror(errno)), -1;
            alive++;
        }
        show_progress(run, s, began);
        if (alive > 0) nanosleep(&(struct timespec){ .tv_nsec = 4000000 }, NULL);
    }
    if (run->progress && hn_wall_seconds() - began >= 1.0) fprintf(stderr, "\r%60s\r", "");
    return 0;
}

static void merge_stats(hn_stats *into, const hn_stats *from)
{
    into->cases += from->cases;
    into->exact += from->exact;
    into->bound += from->bound;
    into->weak_drawn += from->weak_drawn;
    for (unsigned v = 0; v < HN_VERDICT_COUNT; v++) {
        into->verdicts[v] += from->verdicts[v];
        for (unsigned c = 0; c < HN_CHECK_COUNT; c++) into->failed[v][c] += from->failed[v][c];
    }
    for (unsigned c = 0; c < HN_CHECK_COUNT; c++) into->ran[c] += from->ran[c];
    hn_cells_merge(&into->cells, &from->cells);
    if (from->weak_line[0]) keep_weak(into, from->weak_is_drawn, from->weak_index, from->weak_line);
    if (from->util > into->util ||
        (from->util == into->util && from->util_index < into->util_index)) {
        into->util = from->util;
        into->util_index = from->util_index;
        strcpy(into->util_line, from->util_line);
    }
}

static int by_index(const void *a, const void *b)
{
    const hn_failure *x = a, *y = b;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Of each row the first failures and the first of each check, whoever found them. */
static void select_failures(hn_run *run)
{
    worker seen = { .failures = run->failures };
    seen.kept = calloc(run->nrows, sizeof *seen.kept);
    qsort(run->failures, run->nfailures, sizeof *run->failures, by_index);
    for (size_t i = 0; seen.kept && i < run->nfailures; i++) {
        const hn_failure f = run->failures[i];
        if (seen.kept[f.row] >= FAILURES_PER_ROW) continue;
        if (seen.kept[f.row] >= HN_KEPT_FAILURES && !first_of_check(&seen, f.row, f.result.check))
            continue;
        seen.kept[f.row]++;
        run->failures[seen.nfailures++] = f;
    }
    if (seen.kept) run->nfailures = seen.nfailures;
    free(seen.kept);
}

static int merge(hn_run *run, const worker *workers)
{
    size_t total = 0;
    for (unsigned j = 0; j < run->jobs; j++) total += workers[j].nfailures;
    run->failures = calloc(total + 1, sizeof *run->failures);
    run->stats = calloc(run->nrows + 1, sizeof *run->stats);
    if (!run->failures || !run->stats) return -1;
    for (unsigned j = 0; j < run->jobs; j++) {
        for (size_t i = 0; i < workers[j].nfailures; i++)
            run->failures[run->nfailures++] = workers[j].failures[i];
        for (size_t i = 0; i < run->nrows; i++) merge_stats(&run->stats[i], &workers[j].stats[i]);
    }
    select_failures(run);
    return 0;
}

static int make_worker(worker *w, size_t nrows)
{
    w->kept = map_shared(nrows * sizeof *w->kept);
    w->stats = map_shared(nrows * sizeof *w->stats);
    w->failures = map_shared(nrows * FAILURES_PER_ROW * sizeof *w->failures);
    return w->kept && w->stats && w->failures ? 0 : -1;
}

static void free_worker(worker *w, size_t nrows)
{
    if (w->kept) munmap(w->kept, nrows * sizeof *w->kept);
    if (w->stats) munmap(w->stats, nrows * sizeof *w->stats);
    if (w->failures) munmap(w->failures, nrows * FAILURES_PER_ROW * sizeof *w->failures);
}

int hn_run_all(hn_run *run, char *error, size_t size)
{
    const double deadline = run->budget > 0 ? hn_wall_seconds() + run->budget : 0;
    shared *s = map_shared(sizeof *s);
    worker *workers = map_shared(run->jobs * sizeof *workers);
    int failed = !s || !workers;
    for (unsigned j = 0; !failed && j < run->jobs; j++)
        failed = make_worker(&workers[j], run->nrows);
    if (failed) return snprintf(error, size, "out of memory for %u jobs", run->jobs), -1;
    for (unsigned j = 0; !failed && j < run->jobs; j++) {
        failed = start(run, s, &workers[j], deadline);
        if (failed) snprintf(error, size, "fork: %s", strerror(errno));
    }
    if (!failed) failed = supervise(run, s, workers, deadline, error, size);
    if (!failed && merge(run, workers) != 0) failed = snprintf(error, size, "out of memory");
    run->groups = atomic_load(&s->groups);
    for (unsigned j = 0; j < run->jobs; j++) {
        if (workers[j].pid > 0) kill(workers[j].pid, SIGKILL);
        free_worker(&workers[j], run->nrows);
    }
    munmap(workers, run->jobs * sizeof *workers);
    munmap(s, sizeof *s);
    return failed ? -1 : 0;
}
