/* SPDX-License-Identifier: MIT */
/* The bench: subjects, cases, contests. */
#include "../bench.h"

#include <stdlib.h>
#include <string.h>

#include "../json.h"
#include "../subject.h"
#include "print.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_INPUT = 2, EXIT_ALL_SKIPPED = 77 };
enum { SUBJECTS_MAX = 16, JSON_SCHEMA = 1 };

/* The adapters that come with ckparity. */
static const char *const adapters[] = { "openblas", "blis", "onednn", "ggml", "sleef" };

typedef struct bench {
    const hn_bench_options *o;
    FILE *out;
    hn_file json;
    ck_subject subjects[SUBJECTS_MAX]; /* ours is the first */
    size_t nsubjects;
    hn_machine machine;
    size_t contests, timed, wrong;
    bool failed; /* one of ours was wrong, or of a peer that was asked for by name */
} bench;

static int fail(const char *text)
{
    fprintf(stderr, "ckparity: %s\n", text);
    return EXIT_INPUT;
}

/* A peer that is not there is one line, unless it was asked for and is not even an adapter. */
static int open_peer(bench *b, const char *name, bool asked)
{
    char error[768];
    if (b->nsubjects == SUBJECTS_MAX) return fail("too many --subject");
    const ck_subject *peer = hn_subject_open(name, error, sizeof error);
    if (!peer && asked) return fail(error);
    if (!peer)
        fprintf(b->out, "SKIP %s: %s\n", name, error);
    else if (peer->count == 0)
        fprintf(b->out, "SKIP %s: %s\n", peer->name, peer->version);
    else
        b->subjects[b->nsubjects++] = *peer;
    return EXIT_OK;
}

static int open_peers(bench *b)
{
    const bool asked = b->o->nsubjects > 0;
    const char *const *names = asked ? b->o->subjects : adapters;
    const size_t count = asked ? b->o->nsubjects : sizeof adapters / sizeof adapters[0];
    for (size_t i = 0; i < count; i++) {
        const int status = open_peer(b, names[i], asked);
        if (status != EXIT_OK) return status;
    }
    return EXIT_OK;
}

/* Whether options and case want this row of ours. */
static bool wanted(const bench *b, const hn_case *c, const ck_kernel *k)
{
    char name[80];
    if (c->isa[0] && strcmp(c->isa, k->isa) != 0) return false;
    if (b->o->isa && strcmp(b->o->isa, k->isa) != 0) return false;
    snprintf(name, sizeof name, "%s_%s", k->stem, k->isa);
    for (size_t i = 0; i < b->o->nfilters; i++)
        if (hn_filter_matches(b->o->filters[i], name)) return true;
    return b->o->nfilters == 0;
}

static bool mode_wanted(const bench *b, const hn_case *c, bool strict)
{
    const hn_mode other = strict ? HN_FAST : HN_STRICT;
    return b->o->mode != other && c->mode != other;
}

/* Ours: the rows that are wanted, and the fast scalar one, which is the baseline. Returns how many
 * are wanted and run here. */
static size_t add_own(const bench *b, const hn_case *c, hn_contest *contest)
{
    const ck_subject *own = &b->subjects[0];
    size_t count = 0;
    for (unsigned i = 0; i < own->count; i++) {
        const ck_kernel *k = &own->kernels[i];
        if (strcmp(k->stem, c->op->stem) != 0 || k->unavailable) continue;
        const bool ask = wanted(b, c, k), base = strcmp(k->isa, "scalar") == 0;
        hn_contestant one = { .subject = own, .kernel = k, .own = true };
        if ((ask && mode_wanted(b, c, false)) || base) hn_contest_add(contest, &one);
        one.strict = true;
        if (ask && mode_wanted(b, c, true) && k->fn_strict) hn_contest_add(contest, &one);
        count += ask;
    }
    return count;
}

static void add_peers(const bench *b, const hn_case *c, hn_contest *contest)
{
    for (size_t s = 1; s < b->nsubjects; s++) {
        const ck_subject *peer = &b->subjects[s];
        for (unsigned i = 0; i < peer->count; i++) {
            const hn_contestant one = { .subject = peer, .kernel = &peer->kernels[i] };
            if (strcmp(one.kernel->stem, c->op->stem) != 0 || one.kernel->unavailable) continue;
            if (!hn_contest_add(contest, &one))
                fprintf(b->out, "SKIP %s %s: more than %d rows of one op\n", peer->name,
                        one.kernel->isa, HN_MAX_VARIANTS);
        }
    }
}

/* Shape, factors and data are the case's; placement and rounding are ordinary, as users' are. */
static hn_case ordinary(const hn_case *c)
{
    hn_case plain = *c;
    plain.isa[0] = '\0';
    plain.mode = HN_BOTH;
    plain.fp = HN_FP_NEAREST;
    plain.threads = 1;
    for (size_t i = 0; i < c->op->family->noperands; i++) plain.at[i] = (hn_place){ HN_MIDDLE, 0 };
    return plain;
}

static void run_case(bench *b, const hn_case *c, double seconds)
{
    static hn_contest contest;
    memset(&contest, 0, sizeof contest);
    contest.c = ordinary(c);
    contest.cold = b->o->cold;
    if (add_own(b, c, &contest) == 0) return;
    add_peers(b, c, &contest);
    hn_contest_check(&contest);
    hn_contest_time(&contest, &b->machine, seconds);
    hn_print_contest(&b->machine, &contest, b->out);
    if (b->o->json) {
        fputs(b->contests ? ",\n" : "", b->json.file);
        hn_json_contest(&b->machine, &contest, b->json.file);
    }
    for (size_t i = 0; i < contest.count; i++) {
        const hn_verdict v = contest.of[i].verdict;
        const bool bad = v != HN_OK && v != HN_SKIP && v != HN_FAIL_EDGE;
        b->wrong += bad;
        b->failed |= bad && (contest.of[i].own || b->o->nsubjects > 0);
        b->timed += contest.of[i].time.n > 0;
    }
    b->contests++;
    hn_contest_free(&contest);
}

/* Whether some row of ours is wanted, even if it cannot run here. */
static bool any_wanted(const bench *b, const hn_case *c)
{
    const ck_subject *own = &b->subjects[0];
    for (unsigned i = 0; i < own->count; i++)
        if (strcmp(own->kernels[i].stem, c->op->stem) == 0 && wanted(b, c, &own->kernels[i]))
            return true;
    return false;
}

/* Cases with a row of ours that is wanted, and of them those where one runs. Returns 0, or -1 with
 * one line on stderr. */
static int count_cases(const bench *b, size_t *asked, size_t *count)
{
    static hn_contest contest;
    *asked = *count = 0;
    for (size_t i = 0; i < hn_suite_count(b->o->suite); i++) {
        hn_case c;
        char error[256] = "";
        if (hn_suite_case(b->o->suite, i, 1, &c, error, sizeof error) < 0) return fail(error), -1;
        contest.count = 0;
        *asked += any_wanted(b, &c);
        *count += add_own(b, &c, &contest) > 0;
    }
    return 0;
}

static void begin_json(bench *b)
{
    FILE *file = b->json.file;
    fprintf(file, "{\n  \"schema\": %d,\n  ", JSON_SCHEMA);
    hn_json_build(file);
    hn_json_machine(&b->machine, file);
    fprintf(file, ",\n  \"subjects\": [\n");
    for (size_t i = 0; i < b->nsubjects; i++) {
        fprintf(file, "    { ");
        hn_json_field(file, "name", b->subjects[i].name);
        fprintf(file, ", ");
        hn_json_field(file, "version", b->subjects[i].version);
        fprintf(file, " }%s\n", i + 1 < b->nsubjects ? "," : "");
    }
    fprintf(file, "  ],\n  \"cases\": [\n");
}

static int run_cases(bench *b, size_t count)
{
    char error[512];
    const double seconds = b->o->budget > 0 ? b->o->budget / (double)count : 1.0;
    if (b->o->json) {
        if (hn_file_open(&b->json, b->o->json, error, sizeof error) != 0) return fail(error);
        begin_json(b);
    }
    for (size_t i = 0; i < hn_suite_count(b->o->suite); i++) {
        hn_case c;
        hn_suite_case(b->o->suite, i, 1, &c, error, sizeof error);
        run_case(b, &c, seconds);
    }
    if (!b->o->json) return EXIT_OK;
    fprintf(b->json.file, "\n  ]\n}\n");
    return hn_file_close(&b->json, error, sizeof error) == 0 ? EXIT_OK : fail(error);
}

/* One line for each instruction set of a subject that has something it cannot run. */
static void print_unavailable(const bench *b)
{
    for (size_t s = 0; s < b->nsubjects; s++)
        for (unsigned i = 0; i < b->subjects[s].count; i++) {
            const ck_kernel *k = b->subjects[s].kernels;
            unsigned first = 0;
            while (!k[first].unavailable || strcmp(k[first].isa, k[i].isa) != 0)
                if (++first > i) break;
            if (first == i)
                fprintf(b->out, "SKIP %s %s: %s\n", b->subjects[s].name, k[i].isa,
                        k[i].unavailable);
        }
}

int hn_bench(const hn_bench_options *options, FILE *out)
{
    static bench b;
    size_t asked, count;
    b = (bench){ .o = options, .out = out, .nsubjects = 1 };
    b.subjects[0] = *options->own; /* whose place the next one that is opened takes */
    if (count_cases(&b, &asked, &count) != 0) return EXIT_INPUT;
    if (asked == 0) return fail("bench: nothing matches");
    int status = count ? open_peers(&b) : EXIT_OK;
    if (status != EXIT_OK) return status;
    print_unavailable(&b);
    if (count == 0) return EXIT_ALL_SKIPPED;
    if (hn_machine_measure(&b.machine) != 0) return fail("not enough memory for the ceilings");
    hn_print_machine(&b.machine, out);
    status = run_cases(&b, count);
    fprintf(out, "\n%zu cases, %zu rows timed, %zu wrong\n", b.contests, b.timed, b.wrong);
    if (status != EXIT_OK) return status;
    if (b.failed) return EXIT_FAILED;
    return b.timed ? EXIT_OK : EXIT_ALL_SKIPPED;
}
