/* SPDX-License-Identifier: MIT */
/* Steps of one runtime as a table, and the first step at which two of them part. */
#include "trace.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "ck_ops.h"
#include "runtime.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_INPUT = 2, EXIT_ALL_SKIPPED = 77 };

static int bad_input(const char *format, const char *a, const char *b)
{
    fputs("ckparity: ", stderr);
    fprintf(stderr, format, a, b);
    fputc('\n', stderr);
    return EXIT_INPUT;
}

/* --- one op of another variant */

static unsigned substitute_mask;

static unsigned enter(void)
{
    const unsigned mask = ck_isa_mask();
    ck_isa_set_mask(substitute_mask);
    return mask;
}

#define CK_KERNEL(fam, op, dt, isa)
#define CK_OP(fam, op, dt)                                                      \
    static ck_status substitute_##op##_##dt(const struct ck_##fam##_args *args) \
    {                                                                           \
        const unsigned mask = enter();                                          \
        const ck_status status = ck_##op##_##dt(args);                          \
        ck_isa_set_mask(mask);                                                  \
        return status;                                                          \
    }
#include "kernels.def"
#undef CK_OP

static const struct {
    const char *stem, *entry;
    void (*function)(void);
} ops[] = {
#define CK_OP(fam, op, dt) \
    { #op "_" #dt, "ck_" #op "_" #dt, (void (*)(void))substitute_##op##_##dt },
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
};
enum { OPS = sizeof ops / sizeof *ops };

/* --- two sides */

typedef struct side {
    char isa[HN_ISA_MAX];
    bool strict;
    const char *path; /* of its library; NULL: ours */
    void *library;
    hn_rt_binding bindings[2]; /* an op of its own; no name: none */
} side;

/* What a step left. */
typedef struct entry {
    const hn_rt_stage *stage; /* of the decoder that all sides have */
    hn_rt_pass pass;
    hn_rt_found found;
    char word[16];
    size_t from, count; /* of its elements, as floats */
} entry;

typedef struct record {
    size_t count, room, nvalues, values_room;
    entry *entries;
    float *values;
    const hn_rt_trial *t; /* while it runs */
    const hn_rt_format *stored;
} record;

static void keep_stretch(void *context, size_t offset, size_t bytes)
{
    record *const r = context;
    const size_t n = bytes / r->stored->bytes;
    if (r->nvalues + n > r->values_room) {
        r->values_room = 2 * (r->nvalues + n);
        r->values = hn_checked(realloc(r->values, r->values_room * sizeof *r->values));
    }
    hn_rt_decode(r->stored, ck_model_arena(r->t->m) + offset, n, r->values + r->nvalues);
    r->nvalues += n;
}

static void keep(void *context, const hn_rt_trial *t, const hn_rt_stage *s, const hn_rt_found *f)
{
    record *const r = context;
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->entries = hn_checked(realloc(r->entries, r->room * sizeof *r->entries));
    }
    entry *const e = &r->entries[r->count++];
    *e = (entry){ .stage = s, .pass = t->pass, .found = *f, .from = r->nvalues };
    memcpy(e->word, t->word, sizeof e->word);
    r->t = t;
    r->stored = s->stored;
    hn_rt_written(s, &t->pass, keep_stretch, r);
    e->count = r->nvalues - e->from;
}

static void forget(record *r)
{
    free(r->entries);
    free(r->values);
}

/* Mode and dispatch of a library that is not ours. */
static int set_library(const side *s)
{
    unsigned (*set_mask)(unsigned mask);
    void (*set_strict)(int on);
    void *const mask = dlsym(s->library, "ck_isa_set_mask");
    void *const strict = dlsym(s->library, "ck_set_strict_parity");
    if (!mask || !strict)
        return bad_input("%s: exports no %s", s->path,
                         mask ? "ck_set_strict_parity" : "ck_isa_set_mask");
    memcpy(&set_mask, &mask, sizeof set_mask);
    memcpy(&set_strict, &strict, sizeof set_strict);
    set_mask(hn_rt_mask(s->isa));
    set_strict(s->strict);
    return EXIT_OK;
}

/* A run of one side; entries of records refer to its subject. */
typedef struct session {
    hn_rt_subject subject;
    hn_rt_program program;
    hn_result result;
} session;

static int run_side(session *run, const hn_case *c, const side *s, hn_rt_witness *witness,
                    void *context)
{
    const hn_rt_compiler compiler = { .bindings = s->bindings, .library = s->library };
    hn_result *const result = &run->result;
    *run = (session){ .result = { .verdict = HN_OK } };
    if (s->library && set_library(s) != EXIT_OK) return EXIT_INPUT;
    if (hn_rt_subject_open(&run->subject, c, &compiler, &run->program, result) != 0)
        return EXIT_FAILED;
    hn_rt_trial t = { .s = &run->subject, .strict = s->strict, .result = result };
    t.witness = witness;
    t.context = context;
    hn_rt_try(&t, s->isa, 0);
    free(t.history.hash);
    return result->verdict == HN_OK ? EXIT_OK : EXIT_FAILED;
}

static void end_run(session *run) { hn_rt_subject_close(&run->subject, &run->program); }

static const char *mode_name(const side *s) { return s->strict ? "strict" : "fast"; }

static void side_name(const side *s, char *text, size_t size)
{
    snprintf(text, size, "%.23s %s%s%.100s", s->isa, mode_name(s), s->path ? " of " : "",
             s->path ? s->path : "");
}

/* --- the table */

static void print_step(void *context, const hn_rt_trial *t, const hn_rt_stage *s,
                       const hn_rt_found *f)
{
    const ck_kernel *const kernel = ck_dispatch(s->stem);
    char element[64], name[64], layer[24] = "-";
    (void)context;
    hn_rt_element(s, f, element, sizeof element);
    snprintf(name, sizeof name, "%s_%s", kernel->stem, kernel->isa);
    if (s->step != HN_RT_EMBED) snprintf(layer, sizeof layer, "%zu", s->layer);
    printf("%-5s %6zu %5s  %-12s %-26s", t->word, t->pass.first, layer, s->name, name);
    if (f->bad || f->pad)
        printf("    FAIL  %s\n", element);
    else if (f->exact || f->utilisation == 0)
        printf(" %7s\n", f->exact ? "exact" : "0.000");
    else
        printf(" %7.3f  %s\n", f->utilisation, element);
}

static int print_table(const hn_case *c, const side *s)
{
    session run;
    printf("%-5s %6s %5s  %-12s %-26s %7s  %s\n", "call", "from", "layer", "step", "kernel",
           "|err|/r", "worst element");
    const int status = run_side(&run, c, s, print_step, NULL);
    end_run(&run);
    if (status == EXIT_FAILED)
        printf("%s %s: %s\n%s", hn_verdict_names[run.result.verdict],
               hn_check_names[run.result.check], run.result.what, run.result.detail);
    else if (status == EXIT_OK)
        printf("ok: every step within its radius, the worst at %.3f of it\n",
               run.result.utilisation);
    return status;
}

/* --- where two part */

/* "y[2,7]" of float i of what a step wrote. */
static void name_value(const entry *e, size_t i, char *text, size_t size)
{
    const hn_rt_stage *const s = e->stage;
    const size_t each = e->pass.rows * s->ld, rows = i % each / s->ld;
    hn_rt_found f = { .piece = i / each, .row = e->pass.first + rows, .col = i % s->ld };
    if (s->pieces > 1 && s->piece < s->ld) { /* side by side */
        f.piece = f.col / s->piece;
        f.col %= s->piece;
    } else if (f.piece == s->pieces) {
        f.row = e->pass.first + i % each;
        f.col = HN_RT_STATISTIC;
    }
    hn_rt_element(s, &f, text, size);
}

static void print_parting(const side sides[2], const entry *e, const record r[2], size_t i)
{
    const size_t k = (size_t)(e - r[0].entries);
    char element[64], name[160];
    size_t differ = 0;
    for (size_t j = 0; j < e->count; j++)
        differ += memcmp(&r[0].values[e->from + j], &r[1].values[e->from + j], sizeof(float)) != 0;
    name_value(e, i, element, sizeof element);
    printf("parts at %s, rows from %zu: layer %zu %s: %zu of %zu floats, first %s\n", e->word,
           e->pass.first, e->stage->layer, e->stage->name, differ, e->count, element);
    for (size_t s = 0; s < 2; s++) {
        const float x = r[s].values[e->from + i];
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        side_name(&sides[s], name, sizeof name);
        printf("  %-24s %.9g (%08x); the step's worst |err|/radius %.3f\n", name, (double)x,
               (unsigned)bits, r[s].entries[k].found.utilisation);
    }
}

/* The float of a step that differs first; e->count: none. */
static size_t first_other(const entry *e, const record r[2])
{
    for (size_t i = 0; i < e->count; i++)
        if (memcmp(&r[0].values[e->from + i], &r[1].values[e->from + i], sizeof(float)) != 0)
            return i;
    return e->count;
}

/* The largest difference of logits; NAN counts as largest. */
static double logits_apart(const record *a, const record *b)
{
    double most = 0;
    for (size_t k = 0; k < a->count && k < b->count; k++) {
        const entry *const e = &a->entries[k];
        for (size_t i = 0; i < e->count && strcmp(e->stage->name, "head") == 0; i++) {
            const double x = (double)a->values[e->from + i], y = (double)b->values[e->from + i];
            const double apart = x == y ? 0 : fabs(x - y);
            if (!(apart <= most)) most = apart;
        }
    }
    return most;
}

static bool uses(const hn_rt_decoder *d, const char *stem)
{
    for (size_t i = 0; i < d->nstages; i++)
        if (strcmp(d->stages[i].stem, stem) == 0) return true;
    return false;
}

static const void *function_of(size_t op, const side *other)
{
    const void *at;
    if (other->library) return dlsym(other->library, ops[op].entry);
    memcpy(&at, &ops[op].function, sizeof at);
    return at;
}

/* Each op in turn is taken from the other side: what that does to the logits. */
static void print_blame(const hn_case *c, const side sides[2], const record *first,
                        const hn_rt_decoder *d)
{
    char name[160];
    side_name(&sides[1], name, sizeof name);
    if (sides[0].strict != sides[1].strict || sides[1].bindings[0].name) return;
    for (size_t i = 0; i < OPS; i++) {
        side s = sides[0];
        record r = { 0 };
        session run;
        if (!uses(d, ops[i].stem)) continue;
        s.bindings[0] = (hn_rt_binding){ ops[i].entry, function_of(i, &sides[1]) };
        substitute_mask = hn_rt_mask(sides[1].isa);
        run_side(&run, c, &s, keep, &r);
        const double apart = logits_apart(first, &r);
        printf("  with %s of %s alone: logits %s", ops[i].stem, name, apart == 0 ? "the same" : "");
        if (apart != 0) printf("apart by up to %.3g", apart);
        putchar('\n');
        forget(&r);
        end_run(&run);
    }
}

static int compare_records(const hn_case *c, const side sides[2], const record r[2],
                           const hn_rt_decoder *d)
{
    const size_t count = r[0].count < r[1].count ? r[0].count : r[1].count;
    for (size_t k = 0; k < count; k++) {
        const entry *const e = &r[0].entries[k];
        const size_t i = first_other(e, r);
        if (i == e->count) continue;
        print_parting(sides, e, r, i);
        printf("logits apart by up to %.3g\n", logits_apart(&r[0], &r[1]));
        print_blame(c, sides, &r[0], d);
        return EXIT_FAILED;
    }
    if (r[0].count != r[1].count) return EXIT_FAILED;
    printf("the same bits in all %zu steps\n", count);
    return EXIT_OK;
}

static int print_diff(const hn_case *c, const side sides[2])
{
    record r[2] = { { 0 }, { 0 } };
    session run[2];
    char name[160];
    int status[2] = { EXIT_INPUT, EXIT_INPUT };
    for (size_t s = 0; s < 2; s++) {
        status[s] = run_side(&run[s], c, &sides[s], keep, &r[s]);
        if (status[s] == EXIT_INPUT) return EXIT_INPUT;
        side_name(&sides[s], name, sizeof name);
        if (status[s] == EXIT_FAILED)
            printf("%s: %s %s: %s\n", name, hn_verdict_names[run[s].result.verdict],
                   hn_check_names[run[s].result.check], run[s].result.what);
    }
    const int apart = compare_records(c, sides, r, run[0].subject.d);
    for (size_t s = 0; s < 2; s++) {
        forget(&r[s]);
        end_run(&run[s]);
    }
    return status[0] == EXIT_OK && status[1] == EXIT_OK ? apart : EXIT_FAILED;
}

/* --- options */

/* 0, or an exit code after one line. */
static int set_isa(side *s, const char *isa)
{
    size_t count;
    const ck_kernel *const kernels = hn_rt_kernels(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(kernels[i].isa, isa) != 0) continue;
        snprintf(s->isa, sizeof s->isa, "%s", isa);
        if (!kernels[i].unavailable) return EXIT_OK;
        printf("SKIP runtime_%s: %s\n", isa, kernels[i].unavailable);
        return EXIT_ALL_SKIPPED;
    }
    return bad_input("%s is no instruction set of a runtime: scalar, sse41, avx2, avx512%s", isa,
                     "");
}

/* The best that runs here. */
static int set_best(side *s)
{
    size_t count;
    const ck_kernel *const kernels = hn_rt_kernels(&count);
    for (size_t i = count; i-- > 0;)
        if (!kernels[i].unavailable) return set_isa(s, kernels[i].isa);
    printf("SKIP runtime: %s\n", kernels[0].unavailable);
    return EXIT_ALL_SKIPPED;
}

static int set_diff(side *s, const char *diff)
{
    if (strncmp(diff, "isa=", 4) == 0) return set_isa(s, diff + 4);
    if (strcmp(diff, "mode=fast") == 0 || strcmp(diff, "mode=strict") == 0) {
        s->strict = diff[5] == 's';
        return EXIT_OK;
    }
    return bad_input("--diff %s is none of isa=X mode=fast mode=strict%s", diff, "");
}

/* "op=isa". */
static int set_with(side *s, const char *with)
{
    const char *const equals = strchr(with, '=');
    side other = { 0 };
    for (size_t i = 0; equals && i < OPS; i++) {
        if (strlen(ops[i].stem) != (size_t)(equals - with) ||
            strncmp(ops[i].stem, with, (size_t)(equals - with)) != 0)
            continue;
        const int status = set_isa(&other, equals + 1);
        if (status != EXIT_OK) return status;
        s->bindings[0] = (hn_rt_binding){ ops[i].entry, function_of(i, &other) };
        substitute_mask = hn_rt_mask(other.isa);
        return EXIT_OK;
    }
    return bad_input("--with %s is no op=isa (ckparity list)%s", with, "");
}

static int set_library_of(side *s, const char *path)
{
    s->path = path;
    s->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return s->library ? EXIT_OK : bad_input("--libs %s: %s", path, dlerror());
}

static int set_sides(const hn_rt_trace *o, const hn_case *c, side sides[2])
{
    int status = c->isa[0] ? set_isa(&sides[0], c->isa) : set_best(&sides[0]);
    sides[0].strict = c->mode == HN_STRICT;
    sides[1] = sides[0];
    if (status == EXIT_OK && o->with) status = set_with(&sides[1], o->with);
    if (status == EXIT_OK && o->diff) status = set_diff(&sides[1], o->diff);
    for (size_t i = 0; i < 2 && status == EXIT_OK && o->libs[0]; i++)
        status = set_library_of(&sides[i], o->libs[i]);
    return status;
}

int hn_rt_tool_trace(const hn_rt_trace *o)
{
    char error[512];
    side sides[2] = { { .strict = false }, { .strict = false } };
    hn_case c;
    if (hn_case_parse(&c, o->line, error, sizeof error) != 0)
        return bad_input("case '%s': %s", o->line, error);
    if (c.op != hn_op_runtime)
        return bad_input("case '%s': %s", o->line, "trace is for runtimes (explain for kernels)");
    const int status = set_sides(o, &c, sides);
    if (status != EXIT_OK) return status;
    hn_call_init();
    return o->diff || o->libs[0] || o->with ? print_diff(&c, sides) : print_table(&c, &sides[0]);
}
