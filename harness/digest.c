/* SPDX-License-Identifier: MIT */
/* Digests, printed and checked. */
#include "digest.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

enum { OK = 0, FAILED = 1, INPUT = 2, ALL_SKIPPED = 77 };
enum { HASH_DIGITS = 16 };

/* How far two outputs are apart. */
typedef struct distance {
    size_t units, differ;        /* in units of the outputs; parts of a block count as one */
    size_t operand, first, part; /* of the first that differs */
    double was, is, most;        /* there; ulps of f32, steps of any other part */
} distance;

typedef struct tally {
    const hn_op *op;
    uint64_t lines, changed, stale, skipped;
    double most;
} tally;

/* One check of a file. */
typedef struct check {
    const hn_run *run, *old;
    bool unguarded;
    hn_runner *runner, *old_runner;
    hn_result results[HN_MAX_VARIANTS], old_results[HN_MAX_VARIANTS];
    tally *tallies;
} check;

typedef struct line {
    uint64_t out, data;
    hn_case c;
} line;

/* Fast kernels may give any NaN, so that all of them count as one; strict ones may not. */
static uint64_t hash_f32(uint64_t h, const unsigned char *bytes, size_t n)
{
    static const unsigned char nan_bytes[] = { 0, 0, 0xc0, 0x7f };
    for (size_t i = 0; i < n; i += sizeof(float)) {
        float value;
        memcpy(&value, bytes + i, sizeof value);
        h = hn_hash(h, isnan(value) ? nan_bytes : bytes + i, sizeof value);
    }
    return h;
}

/* All outputs, one after the other. `result`: of the variant; what is no kernel has its digests there. */
static uint64_t output_digest(const hn_runner *runner, const hn_op *op, const hn_variant *v,
                              size_t index, const hn_result *result)
{
    uint64_t h = HN_HASH_START;
    if (op->family->run) return result->out;
    for (size_t k = 0; k < op->family->noperands; k++) {
        if (!hn_is_output(op, k)) continue;
        const hn_output y = hn_group_output(runner, index, k);
        const size_t bytes = y.rows * y.cols * y.info->bytes;
        h = !v->strict && hn_operand_dtype(op, k) == HN_F32 ? hash_f32(h, y.bytes, bytes)
                                                            : hn_hash(h, y.bytes, bytes);
    }
    return h;
}

/* The live units of each input, row by row; an operand that is not passed leaves no byte. */
static uint64_t data_digest(const hn_runner *runner, const hn_op *op, const hn_result *result)
{
    if (op->family->run) return result->data;
    uint64_t h = HN_HASH_START;
    for (size_t k = 0; k < op->family->noperands; k++) {
        const size_t *live;
        if (hn_is_output(op, k)) continue;
        const hn_placed *p = hn_group_operand(runner, k, &live);
        for (size_t row = 0; p->at && row < p->rows; row++)
            h = hn_hash(h, p->at + row * p->ld * p->unit, (live ? live[row] : p->cols) * p->unit);
    }
    return h;
}

/* Of what runs itself the first failure is the end. */
static bool has_output(const hn_op *op, const hn_result *r)
{
    if (op->family->run) return r->verdict == HN_OK;
    return r->verdict != HN_CRASH && r->verdict != HN_HANG;
}

static bool is_failure(const hn_result *r)
{
    return r->verdict >= HN_FAIL && r->verdict <= HN_HANG;
}

/* The case as its line has it: of one variant if fast, of all if strict. */
static void name_case(const hn_case *c, const hn_variant *v, char *text, size_t size)
{
    hn_case mine = *c;
    mine.mode = v->strict ? HN_STRICT : HN_FAST;
    mine.isa[0] = '\0';
    if (!v->strict) snprintf(mine.isa, sizeof mine.isa, "%s", v->kernel->isa);
    hn_case_print(&mine, text, size);
}

static void complain(const hn_variant *v, const hn_result *r, const char *text)
{
    fprintf(stderr, "%s %s_%s: %s: %s\n    case   ckparity run '%s'\n",
            hn_verdict_names[r->verdict], v->kernel->stem, v->kernel->isa, hn_check_names[r->check],
            r->what, text);
}

/* --- Printing. */

typedef struct printed {
    uint64_t lines, failed, skipped;
} printed;

/* The strict variants' one line; the others must agree with the first. */
static void print_strict(const hn_plan *plan, const hn_case *c, const hn_runner *runner,
                         const hn_result *results, printed *sum)
{
    const hn_variant *first = NULL;
    char text[HN_LINE_MAX];
    uint64_t out = 0;
    for (size_t i = 0; i < plan->nvariants; i++) {
        const hn_variant *v = &plan->variants[i];
        if (!v->strict || results[i].verdict == HN_SKIP || !has_output(c->op, &results[i]))
            continue;
        const uint64_t mine = output_digest(runner, c->op, v, i, &results[i]);
        if (!first) {
            first = v;
            out = mine;
            name_case(c, v, text, sizeof text);
            printf("%016" PRIx64 " %016" PRIx64 " %s\n", out,
                   data_digest(runner, c->op, &results[i]), text);
            sum->lines++;
        } else if (mine != out) {
            fprintf(stderr, "FAIL strict bits of %s differ from those of %s: '%s'\n",
                    v->kernel->isa, first->kernel->isa, text);
            sum->failed++;
        }
    }
}

static void print_fast(const hn_plan *plan, const hn_case *c, const hn_runner *runner,
                       const hn_result *results, printed *sum)
{
    for (size_t i = 0; i < plan->nvariants; i++) {
        const hn_variant *v = &plan->variants[i];
        char text[HN_LINE_MAX];
        if (v->strict || results[i].verdict == HN_SKIP || !has_output(c->op, &results[i])) continue;
        name_case(c, v, text, sizeof text);
        printf("%016" PRIx64 " %016" PRIx64 " %s\n",
               output_digest(runner, c->op, v, i, &results[i]),
               data_digest(runner, c->op, &results[i]), text);
        sum->lines++;
    }
}

static void print_case(const hn_plan *plan, const hn_case *c, hn_runner *runner, printed *sum)
{
    static hn_result results[HN_MAX_VARIANTS];
    hn_group_run(runner, plan, c, results);
    for (size_t i = 0; i < plan->nvariants; i++) {
        char text[HN_LINE_MAX];
        sum->skipped += results[i].verdict == HN_SKIP && results[i].what[0];
        if (!is_failure(&results[i])) continue;
        name_case(c, &plan->variants[i], text, sizeof text);
        complain(&plan->variants[i], &results[i], text);
        sum->failed++;
    }
    print_strict(plan, c, runner, results, sum);
    if (c->fp == HN_FP_NEAREST && !c->op->family->run) print_fast(plan, c, runner, results, sum);
}

int hn_digest_print(const hn_run *run)
{
    const size_t count = hn_suite_count(run->suite);
    hn_runner *runner = hn_runner_new();
    printed sum = { 0 };
    hn_call_init();
    for (size_t i = 0; i < count; i++) {
        char error[256];
        hn_case c;
        if (hn_suite_case(run->suite, i, run->seed, &c, error, sizeof error) < 0) {
            fprintf(stderr, "ckparity: case %zu of the suite: %s\n", i + 1, error);
            return INPUT;
        }
        const hn_plan *plan = hn_run_plan(run, c.op);
        if (plan) print_case(plan, &c, runner, &sum);
    }
    hn_runner_free(runner);
    if (sum.failed) {
        fprintf(stderr, "ckparity: %" PRIu64 " lines, %" PRIu64 " failures\n", sum.lines,
                sum.failed);
        return FAILED;
    }
    return sum.lines ? OK : sum.skipped || run->nrows ? ALL_SKIPPED : FAILED;
}

/* --- Checking. */

static int parse_hash(const char *text, uint64_t *value)
{
    if (strspn(text, "0123456789abcdef") != HASH_DIGITS || text[HASH_DIGITS] != ' ') return -1;
    *value = strtoull(text, NULL, 16);
    return 0;
}

static int parse_line(line *l, const char *text, char *error, size_t size)
{
    if (parse_hash(text, &l->out) != 0 || parse_hash(text + HASH_DIGITS + 1, &l->data) != 0)
        return snprintf(error, size, "does not begin with two digests of 16 digits"), -1;
    if (hn_case_parse(&l->c, text + 2 * (HASH_DIGITS + 1), error, size) != 0) return -1;
    if (l->c.mode == HN_BOTH) return snprintf(error, size, "the case has no mode="), -1;
    if (l->c.mode == HN_FAST && l->c.op->family->run)
        return snprintf(error, size, "runtimes have strict digests only"), -1;
    if (l->c.mode == HN_FAST && !l->c.isa[0])
        return snprintf(error, size, "the case is fast and has no isa="), -1;
    return 0;
}

static int32_t ordered(const unsigned char *unit)
{
    int32_t bits;
    memcpy(&bits, unit, sizeof bits);
    return bits < 0 ? (int32_t)(INT32_MIN - (int64_t)bits) : bits;
}

/* Ulps of f32; of anything else the difference of the parts' values. */
static double apart(hn_dtype dtype, const unsigned char *a, const unsigned char *b, size_t part)
{
    const double x = hn_part(&hn_dtypes[dtype], a, part), y = hn_part(&hn_dtypes[dtype], b, part);
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y) ? 0.0 : (double)INFINITY;
    return dtype == HN_F32 ? fabs((double)ordered(a) - (double)ordered(b)) : fabs(x - y);
}

/* Adds what output k does. */
static void measure(const hn_op *op, size_t k, const hn_output *was, const hn_output *is,
                    distance *d)
{
    const hn_dtype dtype = hn_operand_dtype(op, k);
    const hn_dtype_info *info = is->info;
    d->units += is->rows * is->cols;
    for (size_t u = 0; u < is->rows * is->cols; u++) {
        const unsigned char *a = was->bytes + u * info->bytes, *b = is->bytes + u * info->bytes;
        if (memcmp(a, b, info->bytes) == 0) continue;
        size_t first = info->parts;
        for (size_t p = 0; p < info->parts; p++) {
            const double step = apart(dtype, a, b, p);
            if (step > 0.0 && first == info->parts) first = p;
            if (step > d->most) d->most = step;
        }
        if (d->differ++ > 0) continue;
        d->operand = k;
        d->first = u;
        d->part = first < info->parts ? first : 0;
        d->was = hn_part(info, a, d->part);
        d->is = hn_part(info, b, d->part);
    }
}

/* The variant of that isa and mode; nvariants: none. */
static size_t find_variant(const hn_plan *plan, const char *isa, bool strict)
{
    size_t i = 0;
    for (; plan && i < plan->nvariants; i++)
        if (plan->variants[i].strict == strict && strcmp(plan->variants[i].kernel->isa, isa) == 0)
            break;
    return i;
}

/* Says how the output of variant i differs from the old subject's. */
static void print_distance(check *k, const hn_case *c, const hn_variant *v, size_t i, tally *t)
{
    if (!k->old || c->op->family->run) return;
    const hn_plan *plan = hn_run_plan(k->old, c->op);
    const size_t other = find_variant(plan, v->kernel->isa, v->strict);
    distance d = { 0 };
    if (!plan || other == plan->nvariants) {
        printf("    the old library has no %s_%s that runs here\n", v->kernel->stem,
               v->kernel->isa);
        return;
    }
    hn_group_run(k->old_runner, plan, c, k->old_results);
    if (!has_output(c->op, &k->old_results[other])) return;
    for (size_t o = 0; o < c->op->family->noperands; o++) {
        if (!hn_is_output(c->op, o)) continue;
        const hn_output was = hn_group_output(k->old_runner, other, o);
        const hn_output is = hn_group_output(k->runner, i, o);
        measure(c->op, o, &was, &is, &d);
    }
    const hn_output y = hn_group_output(k->runner, i, d.operand);
    if (d.most > t->most) t->most = d.most;
    if (d.differ == 0)
        printf("    the old library gives the same bits as the new one\n");
    else
        printf("    %s[%zu,%zu]%s was %a, is %a; %zu of %zu %s differ, by at most %.9g %s\n",
               y.name, d.first / y.cols, d.first % y.cols, hn_part_name(y.info, d.part), d.was,
               d.is, d.differ, d.units, y.info->elements > 1 ? "blocks" : "elements", d.most,
               hn_operand_dtype(c->op, d.operand) == HN_F32 ? "ulp" : "steps");
}

static tally *tally_of(const check *k, const hn_op *op)
{
    size_t i = 0;
    while (k->tallies[i].op && k->tallies[i].op != op) i++;
    k->tallies[i].op = op;
    return &k->tallies[i];
}

/* One variant's output against its line. Returns false if it differs. */
static bool check_variant(check *k, const line *l, const hn_variant *v, size_t i, const char *text,
                          tally *t)
{
    const uint64_t out = output_digest(k->runner, l->c.op, v, i, &k->results[i]);
    if (!has_output(l->c.op, &k->results[i])) {
        printf("%s %s_%s: %s: %s\n    case   ckparity run '%s'\n",
               hn_verdict_names[k->results[i].verdict], v->kernel->stem, v->kernel->isa,
               hn_check_names[k->results[i].check], k->results[i].what, text);
        return false;
    }
    if (out == l->out) return true;
    printf("CHANGED %s_%s %s: %016" PRIx64 " is now %016" PRIx64 "\n    case   ckparity run '%s'\n",
           v->kernel->stem, v->kernel->isa, v->strict ? "strict" : "fast", l->out, out, text);
    print_distance(k, &l->c, v, i, t);
    return false;
}

static void check_line(check *k, const line *l)
{
    const hn_plan *plan = hn_run_plan(k->run, l->c.op);
    tally *t = tally_of(k, l->c.op);
    hn_case c = l->c;
    char text[HN_LINE_MAX];
    bool same = true;
    const hn_result *ran = NULL, *gave = NULL; /* some variant's; one that has an output */
    hn_case_print(&c, text, sizeof text);
    t->lines++;
    for (size_t i = 0; k->unguarded && i < HN_MAX_OPERANDS; i++)
        c.at[i] = (hn_place){ HN_MIDDLE, 0 };
    if (plan) hn_group_run(k->runner, plan, &c, k->results);
    for (size_t i = 0; plan && i < plan->nvariants; i++) {
        if (k->results[i].verdict == HN_SKIP) continue;
        ran = &k->results[i];
        if (has_output(l->c.op, ran)) gave = ran;
    }
    if (!ran) {
        t->skipped++;
        return;
    }
    if (gave && data_digest(k->runner, l->c.op, gave) != l->data) {
        printf("STALE this case has other data than when it was stored\n"
               "    case   ckparity run '%s'\n",
               text);
        t->stale++;
        return;
    }
    for (size_t i = 0; i < plan->nvariants; i++) {
        if (k->results[i].verdict != HN_SKIP)
            same &= check_variant(k, l, &plan->variants[i], i, text, t);
    }
    t->changed += !same;
}

static int check_file(check *k, FILE *file, const char *path)
{
    char text[HN_LINE_MAX + 64], error[256];
    for (unsigned number = 1; fgets(text, sizeof text, file); number++) {
        line l;
        text[strcspn(text, "\n")] = '\0';
        if (text[0] == '#' || text[0] == '\0') continue;
        if (parse_line(&l, text, error, sizeof error) != 0) {
            fprintf(stderr, "ckparity: %s:%u: %s\n", path, number, error);
            return -1;
        }
        check_line(k, &l);
    }
    if (!ferror(file)) return 0;
    fprintf(stderr, "ckparity: %s: %s\n", path, strerror(errno));
    return -1;
}

static int sum_up(const check *k)
{
    tally all = { 0 };
    for (const tally *t = k->tallies; t->op; t++) {
        all.lines += t->lines;
        all.changed += t->changed;
        all.stale += t->stale;
        all.skipped += t->skipped;
        if (t->changed + t->stale == 0) continue;
        printf("%-24s %" PRIu64 " of %" PRIu64 " lines changed, %" PRIu64 " stale", t->op->stem,
               t->changed, t->lines, t->stale);
        if (t->most > 0.0)
            printf(", by at most %.9g %s", t->most,
                   hn_operand_dtype(t->op, 0) == HN_F32 ? "ulp" : "steps");
        printf("\n");
    }
    const uint64_t bad = all.changed + all.stale;
    const uint64_t good = all.lines - all.skipped - bad;
    printf("%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " skipped\n", good, bad, all.skipped);
    if (bad) return FAILED;
    return good ? OK : all.skipped ? ALL_SKIPPED : FAILED;
}

int hn_digest_check(const hn_run *run, const hn_run *old, bool unguarded, const char *path)
{
    check *k = calloc(1, sizeof *k);
    tally *tallies = calloc(hn_op_count + 2, sizeof *tallies);
    FILE *file = fopen(path, "r");
    int status = INPUT;
    if (!file) fprintf(stderr, "ckparity: --check %s: %s\n", path, strerror(errno));
    if (file && (!k || !tallies)) fprintf(stderr, "ckparity: out of memory\n");
    if (file && k && tallies) {
        *k = (check){ .run = run, .old = old, .unguarded = unguarded, .tallies = tallies };
        k->runner = hn_runner_new();
        k->old_runner = hn_runner_new();
        hn_call_init();
        if (check_file(k, file, path) == 0) status = sum_up(k);
        hn_runner_free(k->runner);
        hn_runner_free(k->old_runner);
    }
    if (file) fclose(file);
    free(tallies);
    free(k);
    return status;
}
