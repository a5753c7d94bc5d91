/* SPDX-License-Identifier: MIT */
/* The generic run of a case. Every check here is on for every kernel of every family. */
#include "group.h"

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "diagnose.h"
#include "fill.h"

/* Tiles of one output, of all. */
enum { TILES_EACH = 8, TILES_MAX = 4 * TILES_EACH };
enum { MXCSR_DEFAULT = 0x1f80, MXCSR_CONTROL = 0xffc0 };

/* Terms above which the reference looks at a sample of the outputs: corners and drawn ones. */
enum { SAMPLE_TERMS = 1 << 22, SAMPLE_COLS = 48 };

/* Every kernel does at least this many terms in a tenth of a second. */
enum { TERMS_PER_TICK = 5000000, TICKS_LEAST = 20 };

/* Of the stack, in words; the most is what contracts allow. */
enum { STACK_WORDS = 512, STACK_WORDS_MOST = 23 * 1024, STACK_MOST_EVERY = 32 };

/* What a call did to memory and to the machine. */
typedef struct trail {
    hn_outcome outcome;
    bool input_changed;
    const unsigned char *overwrite; /* beside that output; NULL: nowhere */
    size_t overwritten;
} trail;

/* A call by several threads. */
typedef struct crew {
    ck_threads_fn *run;
    ck_fn *fn;
    const ck_numspec *spec;
    const void *args;
    unsigned threads;
} crew;

struct hn_runner {
    hn_slot slots[HN_MAX_OPERANDS];
    unsigned char *kept[HN_MAX_OPERANDS]; /* inputs and their surroundings as they must stay */
    size_t kept_bytes[HN_MAX_OPERANDS];
    void *args;
    crew crew;
    unsigned char *saved; /* each variant's outputs of the first pass, packed */
    size_t saved_bytes;
    unsigned char *packed; /* outputs of the call just made */
    size_t packed_bytes;
    double *cells; /* v, term, e of one tile */
    size_t ncells;
    size_t *live[HN_MAX_OPERANDS];
    size_t nlive[HN_MAX_OPERANDS];
    bool explain;
    unsigned ticks_most;     /* 0: no limit of its own */
    char stale[HN_WHAT_MAX]; /* why captured operands are not those of the case; "" */
    hn_announce *announce;
    void *announce_context;

    /* of the case in hand */
    const hn_plan *plan;
    const hn_case *c;
    const hn_family *family;
    hn_extent extents[HN_MAX_OPERANDS];
    hn_placed placed[HN_MAX_OPERANDS];
    size_t ld[HN_MAX_OPERANDS];
    size_t out_from[HN_MAX_OPERANDS]; /* where an output begins among the packed ones */
    size_t out_bytes;                 /* of all of them */
    unsigned ticks;
    hn_tile tiles[TILES_MAX];
    size_t ntiles;
    ref_spec specs[HN_MAX_VARIANTS];
    bool power[HN_MAX_VARIANTS];
};

static void *checked(void *memory)
{
    if (memory) return memory;
    fprintf(stderr, "ckparity: out of memory\n");
    exit(1);
}

hn_runner *hn_runner_new(void)
{
    hn_runner *runner = checked(calloc(1, sizeof *runner));
    runner->args = checked(malloc(HN_ARGS_MAX));
    return runner;
}

void hn_runner_free(hn_runner *runner)
{
    for (size_t i = 0; i < HN_MAX_OPERANDS; i++) {
        hn_slot_free(&runner->slots[i]);
        free(runner->kept[i]);
        free(runner->live[i]);
    }
    free(runner->args);
    free(runner->saved);
    free(runner->packed);
    free(runner->cells);
    free(runner);
}

void hn_runner_announce(hn_runner *runner, hn_announce *announce, void *context)
{
    runner->announce = announce;
    runner->announce_context = context;
}

void hn_runner_explain(hn_runner *runner) { runner->explain = true; }

void hn_runner_ticks(hn_runner *runner, unsigned most) { runner->ticks_most = most; }

static void *grow(void *memory, size_t *have, size_t want, size_t unit)
{
    if (*have >= want) return memory;
    free(memory);
    *have = want;
    return checked(malloc(want * unit));
}

/* Specs that promise the same share their radii. */
static bool same_spec(const ref_spec *a, const ref_spec *b)
{
    return a->strict == b->strict &&
           (a->num == b->num || memcmp(a->num, b->num, sizeof *a->num) == 0);
}

void hn_plan_add(hn_plan *plan, const ck_kernel *kernel, bool strict, size_t row)
{
    const ref_spec spec = { .num = kernel->spec, .strict = strict };
    size_t s = 0;
    while (s < plan->nspecs && !same_spec(&plan->specs[s], &spec)) s++;
    if (s == plan->nspecs) plan->specs[plan->nspecs++] = spec;
    plan->variants[plan->nvariants++] = (hn_variant){ kernel, strict, s, row };
}

uint32_t hn_case_mxcsr(const hn_case *c)
{
    static const uint32_t control[HN_FP_COUNT] = {
        [HN_FP_NEAREST] = 0,   [HN_FP_DOWN] = 0x2000, [HN_FP_UP] = 0x4000,
        [HN_FP_ZERO] = 0x6000, [HN_FP_FTZ] = 0x8040,
    };
    return MXCSR_DEFAULT | control[c->fp];
}

static void set_specs(hn_runner *r)
{
    const bool directed = r->c->fp == HN_FP_DOWN || r->c->fp == HN_FP_UP || r->c->fp == HN_FP_ZERO;
    for (size_t s = 0; s < r->plan->nspecs; s++) {
        r->specs[s] = r->plan->specs[s];
        r->specs[s].u = directed && !r->specs[s].strict ? 0x1p-23 : 0x1p-24;
        r->specs[s].ftz = r->specs[s].daz = r->c->fp == HN_FP_FTZ && !r->specs[s].strict;
    }
}

static void set_live(hn_runner *r, size_t i)
{
    if (!r->family->live || r->extents[i].rows == 0) return;
    r->live[i] = grow(r->live[i], &r->nlive[i], r->extents[i].rows, sizeof *r->live[i]);
    for (size_t row = 0; row < r->extents[i].rows; row++)
        r->live[i][row] = r->family->live(r->c, i, row);
}

static const size_t *live_of(const hn_runner *r, size_t i)
{
    return r->family->live ? r->live[i] : NULL;
}

static bool is_output(const hn_runner *r, size_t i) { return hn_is_output(r->c->op, i); }

/* Whether it is an output that the case has. */
static bool is_written(const hn_runner *r, size_t i) { return r->placed[i].at && is_output(r, i); }

static const hn_dtype_info *format_of(const hn_runner *r, size_t i)
{
    return &hn_dtypes[hn_operand_dtype(r->c->op, i)];
}

/* Of an output or input, without what lies between its rows. */
static size_t packed_bytes(const hn_placed *p) { return p->rows * p->cols * p->unit; }

/* Captured operands: all there, and those that the case means? */
static void check_captured(hn_runner *r)
{
    uint64_t hash = HN_HASH_START;
    r->stale[0] = '\0';
    if (r->c->fill != HN_FILL_FILE) return;
    for (size_t i = 0; i < r->family->noperands; i++) {
        if (is_output(r, i)) continue;
        if (hn_capture_read(r->c, i, &r->placed[i], live_of(r, i), r->stale, sizeof r->stale) != 0)
            return;
        hash = hn_capture_hash(hash, &r->placed[i], live_of(r, i));
    }
    if (hash != r->c->file_hash)
        snprintf(r->stale, sizeof r->stale, "the captured operands hash to %016llx",
                 (unsigned long long)hash);
}

/* The outputs one after the other. */
static size_t set_outputs(hn_runner *r)
{
    size_t units = 0;
    r->out_bytes = 0;
    for (size_t i = 0; i < r->family->noperands; i++) {
        if (!is_output(r, i)) continue;
        r->out_from[i] = r->out_bytes;
        r->out_bytes += packed_bytes(&r->placed[i]);
        units += r->placed[i].rows * r->placed[i].cols;
    }
    return units;
}

static int set_up(hn_runner *r, const hn_plan *plan, const hn_case *c)
{
    r->plan = plan;
    r->c = c;
    r->family = c->op->family;
    memset(r->extents, 0, sizeof r->extents);
    r->family->extents(c, r->extents);
    for (size_t i = 0; i < r->family->noperands; i++) {
        r->ld[i] = hn_ld(c, i, &r->extents[i]);
        if (hn_place_operand(&r->slots[i], &r->extents[i], r->ld[i], format_of(r, i), c->at[i],
                             &r->placed[i]) != 0)
            return -1;
        set_live(r, i);
        if (!is_output(r, i) && r->placed[i].at)
            hn_fill_operand(c, i, &r->placed[i], live_of(r, i));
    }
    const size_t outputs = set_outputs(r);
    r->saved = grow(r->saved, &r->saved_bytes, r->out_bytes * plan->nvariants, 1);
    r->packed = grow(r->packed, &r->packed_bytes, r->out_bytes, 1);
    r->ticks = TICKS_LEAST + (unsigned)(outputs * r->family->terms(c) / TERMS_PER_TICK);
    if (r->ticks_most && r->ticks > r->ticks_most) r->ticks = r->ticks_most;
    check_captured(r);
    set_specs(r);
    return 0;
}

/* Junk wherever an input must not be read. */
static void set_junk(hn_runner *r, hn_pattern junk)
{
    /* painting all the stack that a kernel may take is slow: now and then */
    hn_call_poison(hn_pattern_word(junk),
                   r->c->seed % STACK_MOST_EVERY ? STACK_WORDS : STACK_WORDS_MOST);
    for (size_t i = 0; i < r->family->noperands; i++) {
        const hn_placed *p = &r->placed[i];
        if (!p->at || is_output(r, i)) continue;
        const size_t bytes = (size_t)(p->hi - p->lo);
        hn_paint_slack(p, live_of(r, i), junk);
        r->kept[i] = grow(r->kept[i], &r->kept_bytes[i], bytes, 1);
        memcpy(r->kept[i], p->lo, bytes);
    }
}

static bool inputs_changed(const hn_runner *r)
{
    for (size_t i = 0; i < r->family->noperands; i++) {
        const hn_placed *p = &r->placed[i];
        if (p->at && !is_output(r, i) && memcmp(r->kept[i], p->lo, (size_t)(p->hi - p->lo)) != 0)
            return true;
    }
    return false;
}

static void set_prefill(const hn_runner *r, hn_pattern prefill)
{
    for (size_t i = 0; i < r->family->noperands; i++) {
        const hn_placed *y = &r->placed[i];
        const size_t *live = live_of(r, i);
        if (!is_written(r, i)) continue;
        hn_paint_slack(y, live, HN_CANARY);
        for (size_t row = 0; row < y->rows; row++)
            hn_paint(y->at + row * y->ld * y->unit, (live ? live[row] : y->cols) * y->unit,
                     prefill);
    }
}

/* The outputs as they are, into r->packed. */
static void pack(hn_runner *r)
{
    for (size_t i = 0; i < r->family->noperands; i++) {
        const hn_placed *y = &r->placed[i];
        const size_t bytes = y->cols * y->unit;
        if (!is_written(r, i)) continue;
        for (size_t row = 0; row < y->rows; row++)
            memcpy(r->packed + r->out_from[i] + row * bytes, y->at + row * y->ld * y->unit, bytes);
    }
}

static void find_overwrite(const hn_runner *r, trail *t)
{
    for (size_t i = 0; i < r->family->noperands && !t->overwrite; i++) {
        if (!is_written(r, i)) continue;
        t->overwrite = hn_find_overwrite(&r->placed[i], live_of(r, i));
        t->overwritten = i;
    }
}

static ck_fn *entry(const hn_variant *v)
{
    return v->strict ? v->kernel->fn_strict : v->kernel->fn;
}

/* What a call on prepared memory did; the outputs are left in r->packed. */
static void follow(hn_runner *r, trail *t)
{
    find_overwrite(r, t);
    t->input_changed = inputs_changed(r);
    pack(r);
}

static void call(hn_runner *r, const hn_variant *v, const hn_case *c, void *const *at,
                 const size_t *ld, trail *t)
{
    *t = (trail){ 0 };
    r->family->kernel_args(c, at, ld, r->args);
    hn_call(entry(v), r->args, hn_case_mxcsr(c), r->ticks, &t->outcome);
    follow(r, t);
}

static void run_crew(const void *args)
{
    const crew *c = args;
    c->run(c->fn, c->spec, c->args, c->threads);
}

/* The same by the threads of the case. The clock counts the time of all of them. */
static void call_crew(hn_runner *r, const hn_variant *v, trail *t)
{
    void *at[HN_MAX_OPERANDS] = { 0 };
    for (size_t i = 0; i < r->family->noperands; i++) at[i] = r->placed[i].at;
    *t = (trail){ 0 };
    r->family->kernel_args(r->c, at, r->ld, r->args);
    r->crew = (crew){ v->kernel->threads, entry(v), v->kernel->spec, r->args, r->c->threads };
    hn_call_threads(true);
    hn_call(run_crew, &r->crew, hn_case_mxcsr(r->c), r->ticks * r->c->threads, &t->outcome);
    hn_call_threads(false);
    follow(r, t);
}

static void call_plain(hn_runner *r, const hn_variant *v, hn_pattern prefill, trail *t)
{
    void *at[HN_MAX_OPERANDS] = { 0 };
    for (size_t i = 0; i < r->family->noperands; i++) at[i] = r->placed[i].at;
    set_prefill(r, prefill);
    call(r, v, r->c, at, r->ld, t);
}

/* "memset of libc.so.6" or "libck.so+0x1a2b", for addr2line: where the instruction is. */
static const char *place_of(const void *pc, char *text, size_t size)
{
    Dl_info info;
    if (!dladdr(pc, &info) || !info.dli_fname) return "code of no file";
    const char *slash = strrchr(info.dli_fname, '/');
    const char *const file = slash ? slash + 1 : info.dli_fname;
    if (info.dli_sname)
        snprintf(text, size, "%s of %s", info.dli_sname, file);
    else
        snprintf(text, size, "%s+%#tx", file, (const char *)pc - (const char *)info.dli_fbase);
    return text;
}

static void record_signal(const hn_runner *r, const hn_outcome *o, hn_result *result)
{
    for (size_t i = 0; i < r->family->noperands; i++) {
        const hn_placed *p = &r->placed[i];
        if (!p->at) continue;
        const int side = o->address ? hn_guard_side(&r->slots[i], o->address) : 0;
        const unsigned char *end = p->at + ((p->rows - 1) * p->ld + p->cols) * p->unit;
        const char *name = r->family->operands[i].name;
        if (side > 0)
            hn_record(result, HN_CRASH, HN_CHECK_GUARD, "signal %d at byte %+td past the end of %s",
                      o->signal, (const unsigned char *)o->address - end, name);
        if (side < 0)
            hn_record(result, HN_CRASH, HN_CHECK_GUARD,
                      "signal %d at byte %+td from the start of %s", o->signal,
                      (const unsigned char *)o->address - p->at, name);
    }
    char place[128];
    const char *const at = o->signal == SIGABRT ? ""
                           : o->address         ? " at an address of no operand"
                                                : " at address 0 or a malformed one";
    hn_record(result, HN_CRASH, HN_CHECK_CRASH, "signal %d%s, in %s", o->signal, at,
              place_of(o->pc, place, sizeof place));
}

static void record_overwrite(const hn_runner *r, const trail *t, hn_result *result)
{
    const hn_placed *y = &r->placed[t->overwritten];
    const size_t *live = live_of(r, t->overwritten);
    const char *name = r->family->operands[t->overwritten].name;
    const ptrdiff_t offset = t->overwrite - y->at, stride = (ptrdiff_t)(y->ld * y->unit);
    const size_t row = offset < 0 ? 0 : (size_t)(offset / stride);
    const size_t units = live && row < y->rows ? live[row] : y->cols;
    if (offset < 0)
        hn_record(result, HN_FAIL, HN_CHECK_SLACK, "wrote %td bytes before %s", -offset, name);
    hn_record(result, HN_FAIL, HN_CHECK_SLACK,
              "wrote beyond row %zu of %s, byte %td (the row has %zu)", row, name, offset % stride,
              units * y->unit);
}

/* Everything but values. Returns false if the outputs mean nothing. */
static bool check_trail(const hn_runner *r, const trail *t, hn_result *result)
{
    const hn_outcome *o = &t->outcome;
    char text[80];
    if (o->how == HN_HUNG)
        hn_record(result, HN_HANG, HN_CHECK_HANG, "no return within %u.%u CPU seconds",
                  r->ticks / 10, r->ticks % 10);
    if (o->how == HN_SIGNALLED) record_signal(r, o, result);
    if (o->how != HN_RETURNED) return false;
    if (o->damage) {
        hn_damage_text(o->damage, text, sizeof text);
        hn_record(result, HN_FAIL, HN_CHECK_ABI, "calling convention broken: %s", text);
    }
    if ((o->mxcsr_in ^ o->mxcsr_out) & MXCSR_CONTROL)
        hn_record(result, HN_FAIL, HN_CHECK_FPENV, "MXCSR control bits 0x%04x came back as 0x%04x",
                  o->mxcsr_in & MXCSR_CONTROL, o->mxcsr_out & MXCSR_CONTROL);
    if (o->fcw_in != o->fcw_out)
        hn_record(result, HN_FAIL, HN_CHECK_FPENV, "x87 control word 0x%04x came back as 0x%04x",
                  o->fcw_in, o->fcw_out);
    if (t->overwrite) record_overwrite(r, t, result);
    if (t->input_changed)
        hn_record(result, HN_FAIL, HN_CHECK_INPUT, "an input or its surroundings changed");
    return true;
}

static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && a[i] == b[i]) i++;
    return i;
}

/* A unit of the packed outputs. */
typedef struct spot {
    size_t operand, row, col;
    size_t from, start; /* bytes before its row, before itself */
} spot;

static spot spot_of(const hn_runner *r, size_t byte)
{
    size_t k = 0;
    while (!is_written(r, k) || byte >= r->out_from[k] + packed_bytes(&r->placed[k])) k++;
    const size_t cols = r->placed[k].cols, bytes = r->placed[k].unit;
    const size_t unit = (byte - r->out_from[k]) / bytes, row = unit / cols;
    return (spot){ k, row, unit % cols, r->out_from[k] + row * cols * bytes,
                   r->out_from[k] + unit * bytes };
}

/* "y[r,c]" of a byte of the packed outputs. */
static void name_unit(const hn_runner *r, size_t byte, char *text, size_t size)
{
    const spot s = spot_of(r, byte);
    snprintf(text, size, "%s[%zu,%zu]", r->family->operands[s.operand].name, s.row, s.col);
}

static void dump_both(const hn_runner *r, const char *title, const unsigned char *a,
                      const char *other, const unsigned char *b, size_t byte, hn_result *result)
{
    const spot s = spot_of(r, byte);
    const hn_placed *p = &r->placed[s.operand];
    if (result->detail[0] != '\0') return;
    hn_dump_units(result, title, a + s.from, p->cols, p->unit, s.col);
    hn_dump_units(result, other, b + s.from, p->cols, p->unit, s.col);
}

/* The second pass (other junk, other prefill) gave other bits: why? */
static void diagnose_difference(hn_runner *r, const hn_variant *v, const unsigned char *first,
                                hn_result *result)
{
    trail t;
    char name[48];
    unsigned char *second = checked(malloc(r->out_bytes));
    memcpy(second, r->packed, r->out_bytes);
    const size_t byte = first_difference(first, second, r->out_bytes);
    const spot s = spot_of(r, byte);
    const size_t start = s.start, unit = r->placed[s.operand].unit;
    name_unit(r, byte, name, sizeof name);
    dump_both(r, "first", first, "second", second, byte, result);
    call_plain(r, v, HN_PREFILL_B, &t);
    const bool repeats = memcmp(second, r->packed, r->out_bytes) == 0;
    call_plain(r, v, HN_PREFILL_A, &t);
    const bool prefill_only = memcmp(first, r->packed, r->out_bytes) == 0;
    set_prefill(r, HN_PREFILL_A);
    pack(r);
    bool untouched = memcmp(first + start, r->packed + start, unit) == 0;
    set_prefill(r, HN_PREFILL_B);
    pack(r);
    untouched &= memcmp(second + start, r->packed + start, unit) == 0;
    if (!repeats) hn_record(result, HN_FAIL, HN_CHECK_REPEAT, "%s differs from call to call", name);
    if (untouched) hn_record(result, HN_FAIL, HN_CHECK_UNWRITTEN, "%s was not written", name);
    if (prefill_only)
        hn_record(result, HN_FAIL, HN_CHECK_PREFILL, "%s depends on what the output held before",
                  name);
    hn_record(result, HN_FAIL, HN_CHECK_JUNK, "%s depends on memory outside the operands", name);
    free(second);
}

static bool admitted(const hn_runner *r, const hn_variant *v)
{
    const hn_case *c = r->c;
    if (c->isa[0] && strcmp(c->isa, v->kernel->isa) != 0) return false;
    return c->mode == HN_BOTH || (c->mode == HN_STRICT) == v->strict;
}

/* Why this variant cannot be held to this case; NULL: it can. */
static const char *inapplicable(const hn_runner *r, const hn_variant *v)
{
    const ck_numspec *num = v->kernel->spec;
    if (!v->strict && r->c->fp == HN_FP_FTZ && !(num->flags & CK_NUM_FTZ))
        return "fast results are not promised under flush-to-zero";
    if (!v->strict && r->c->fp != HN_FP_NEAREST && !(r->family->flags & HN_FP_MODES))
        return "fast results are not promised under directed rounding";
    if (r->c->threads > 1 && !v->kernel->threads) return "it runs in one thread only";
    for (size_t i = 0; num->align && i < r->family->noperands; i++)
        if ((uintptr_t)r->placed[i].at % num->align != 0)
            return "operands are not aligned as it requires";
    if (num->k_multiple > 1 && r->c->num[hn_last_dim(r->c->op)] % num->k_multiple != 0)
        return "the last dimension is no multiple of what it requires";
    return NULL;
}

/* Writes the inputs anew after a kernel that changed them, so that nobody else is blamed. */
static void repair(hn_runner *r, const trail *t, hn_pattern junk)
{
    if (!t->input_changed) return;
    for (size_t k = 0; k < r->family->noperands; k++)
        if (r->placed[k].at && !is_output(r, k))
            hn_fill_operand(r->c, k, &r->placed[k], live_of(r, k));
    set_junk(r, junk);
}

/* First pass: junk A, prefill A, outputs saved. */
static void first_pass(hn_runner *r, hn_result *results)
{
    trail t;
    set_junk(r, HN_JUNK_A);
    for (size_t i = 0; i < r->plan->nvariants; i++) {
        if (results[i].verdict != HN_OK) continue;
        if (r->announce) r->announce(r->announce_context, &r->plan->variants[i]);
        call_plain(r, &r->plan->variants[i], HN_PREFILL_A, &t);
        memcpy(r->saved + i * r->out_bytes, r->packed, r->out_bytes);
        check_trail(r, &t, &results[i]);
        repair(r, &t, HN_JUNK_A);
    }
}

/* Second pass: junk B, prefill B; the bits must be the same. */
static void second_pass(hn_runner *r, hn_result *results)
{
    trail t;
    set_junk(r, HN_JUNK_B);
    for (size_t i = 0; i < r->plan->nvariants; i++) {
        const unsigned char *first = r->saved + i * r->out_bytes;
        if (results[i].verdict != HN_OK) continue;
        if (r->announce) r->announce(r->announce_context, &r->plan->variants[i]);
        call_plain(r, &r->plan->variants[i], HN_PREFILL_B, &t);
        const bool returned = check_trail(r, &t, &results[i]);
        repair(r, &t, HN_JUNK_B);
        if (!returned) continue;
        if (memcmp(first, r->packed, r->out_bytes) != 0)
            diagnose_difference(r, &r->plan->variants[i], first, &results[i]);
        results[i].ran |= 1u << HN_CHECK_GUARD | 1u << HN_CHECK_CRASH | 1u << HN_CHECK_HANG |
                          1u << HN_CHECK_ABI | 1u << HN_CHECK_FPENV | 1u << HN_CHECK_SLACK |
                          1u << HN_CHECK_INPUT | 1u << HN_CHECK_UNWRITTEN | 1u << HN_CHECK_REPEAT |
                          1u << HN_CHECK_JUNK | 1u << HN_CHECK_PREFILL;
    }
}

static void add_tile(hn_runner *r, size_t k, ref_tile part)
{
    r->tiles[r->ntiles++] = (hn_tile){ k, part };
}

/* The whole output if it is small, else its first and last rows and some drawn ones, of each the
 * first, the last and some drawn columns. */
static void tile_output(hn_runner *r, size_t operand)
{
    const size_t rows = r->extents[operand].rows, cols = r->extents[operand].cols;
    if (rows * cols * r->family->terms(r->c) <= SAMPLE_TERMS) {
        add_tile(r, operand, (ref_tile){ 0, rows, 0, cols });
        return;
    }
    hn_rng rng = hn_stream(r->c->seed, 0x74696c65, operand);
    const bool whole = r->family->flags & HN_WHOLE_ROWS || cols <= SAMPLE_COLS;
    const size_t width = whole ? cols : SAMPLE_COLS;
    for (size_t k = 0; k < TILES_EACH; k++) {
        const size_t row = k < 2 ? 0 : k < 4 ? rows - 1 : (size_t)hn_below(&rng, rows);
        const size_t last = cols - width;
        const size_t col = k % 2 ? last : k < 4 ? 0 : (size_t)hn_below(&rng, last + 1);
        add_tile(r, operand, (ref_tile){ row, 1, col, width });
    }
}

static void set_tiles(hn_runner *r)
{
    r->ntiles = 0;
    for (size_t i = 0; i < r->family->noperands; i++)
        if (is_output(r, i) && (r->extents[i].rows || i == 0)) tile_output(r, i);
}

static ref_out reference(hn_runner *r, const hn_tile *tile)
{
    void *at[HN_MAX_OPERANDS] = { 0 };
    const size_t n = hn_tile_cells(r->c->op, tile);
    for (size_t i = 0; i < r->family->noperands; i++) at[i] = r->placed[i].at;
    r->cells = grow(r->cells, &r->ncells, n * (1 + 2 * r->plan->nspecs), sizeof *r->cells);
    double *term = r->cells + n * r->plan->nspecs;
    ref_out out = { n, r->cells, term, term + n };
    hn_ref_args(r->c, tile->operand, at, r->ld, r->args);
    r->c->op->ref(r->args, &tile->part, r->specs, r->plan->nspecs, &out);
    return out;
}

bool hn_plain_factors(const hn_case *c)
{
    bool plain = true;
    for (size_t k = 0; k < c->op->family->nkeys; k++) {
        const double x = c->real[k];
        plain &= fabs(x) <= 4.0 && x * 4.0 == floor(x * 4.0);
    }
    return plain;
}

/* A radius that is no number, or an exact fill that is not exact, is the harness's own fault. */
static const char *check_radii(const hn_runner *r, const hn_balls *balls, const hn_variant *v)
{
    const bool either = v->kernel->spec->flags & CK_NUM_TIE_EITHER;
    const bool exact = !v->strict && !either && r->c->fp == HN_FP_NEAREST &&
                       hn_must_be_exact(r->c) && r->family->exact_fills >> r->c->fill & 1;
    for (size_t i = 0; i < balls->n; i++) {
        const double e = balls->e[i];
        if (e != REF_ANY && !(e >= 0.0 && e < (double)INFINITY)) return "a radius is not finite";
        if (exact && isfinite(balls->v[i]) && e != 0.0)
            return "an exact fill has a radius other than 0";
    }
    return NULL;
}

/* The reference of another case on the same operands: would it make the outputs right? */
static bool would_explain(hn_runner *r, size_t i, const hn_tile *tile, const hn_case *other,
                          const hn_output *y, const bool *bad)
{
    void *at[HN_MAX_OPERANDS] = { 0 };
    hn_extent extents[HN_MAX_OPERANDS] = { 0 };
    const size_t n = hn_tile_cells(r->c->op, tile);
    double *cells = checked(malloc(3 * n * sizeof *cells));
    ref_out out = { n, cells, cells + n, cells + 2 * n };
    r->family->extents(other, extents);
    for (size_t k = 0; k < r->family->noperands; k++)
        at[k] = extents[k].rows ? r->placed[k].at : NULL;
    hn_ref_args(other, tile->operand, at, r->ld, r->args);
    r->c->op->ref(r->args, &tile->part, &r->specs[r->plan->variants[i].spec], 1, &out);
    const hn_balls balls = { n, out.v, out.e, out.term };
    const bool explains = hn_explains(y, &tile->part, &balls, r->family->flags, bad);
    free(cells);
    return explains;
}

/* Whether another case of the op has as many outputs. */
static bool same_output(const hn_runner *r, const hn_case *other)
{
    hn_extent extents[HN_MAX_OPERANDS] = { 0 };
    bool same = true;
    r->family->extents(other, extents);
    for (size_t k = 0; k < r->family->noperands; k++)
        same &= !is_output(r, k) ||
                (extents[k].rows == r->extents[k].rows && extents[k].cols == r->extents[k].cols);
    return same;
}

/* Cases that differ from this one in the way of a common mistake: a shorter sum, an option left out. */
static size_t likely_mistakes(const hn_runner *r, size_t lanes, hn_case *cases, size_t most)
{
    size_t count = 0;
    for (size_t k = 0; k < r->family->nkeys; k++) {
        const hn_key *key = &r->family->keys[k];
        const int64_t unit = hn_key_unit(r->c->op, k), now = r->c->num[k];
        const int64_t shorter[] = { now - unit,
                                    now - now % (4 * unit),
                                    now - now % (8 * unit),
                                    now - now % (16 * unit),
                                    now - now % (32 * unit),
                                    now - now % ((int64_t)(lanes ? lanes : 1) * unit) };
        for (size_t t = 0; t < 6 && key->kind == HN_DIM; t++) {
            hn_case *other = &cases[count];
            *other = *r->c;
            other->num[k] = shorter[t];
            if (count + 1 < most && shorter[t] != now && shorter[t] >= key->least &&
                same_output(r, other))
                count++;
        }
        if (key->kind == HN_DIM || count + 1 >= most) continue;
        cases[count] = *r->c;
        cases[count].num[k] = (int64_t)key->def;
        cases[count].real[k] = key->def;
        count += memcmp(&cases[count], r->c, sizeof *r->c) != 0 && same_output(r, &cases[count]);
    }
    return count;
}

/* "as if K were 128". */
static void name_mistake(const hn_runner *r, const hn_case *other, hn_result *result)
{
    for (size_t k = 0; k < r->family->nkeys; k++) {
        const hn_key *key = &r->family->keys[k];
        if (key->kind == HN_REAL && other->real[k] != r->c->real[k])
            snprintf(result->cause, sizeof result->cause, "right if %s were %.9g", key->name,
                     other->real[k]);
        else if (other->num[k] != r->c->num[k])
            snprintf(result->cause, sizeof result->cause,
                     "right if %s were %lld instead of %lld: %s", key->name,
                     (long long)other->num[k], (long long)r->c->num[k],
                     key->kind == HN_DIM ? "the last ones are left out" : "the option is ignored");
    }
}

static void explain(hn_runner *r, size_t i, const hn_tile *tile, const hn_output *y,
                    const hn_balls *balls, hn_result *result)
{
    enum { MISTAKES_MAX = 32 };
    hn_case mistakes[MISTAKES_MAX];
    const ck_numspec *num = r->plan->variants[i].kernel->spec;
    bool *bad = checked(calloc(balls->n, sizeof *bad));
    hn_find_bad(y, &tile->part, balls, r->family->flags, bad);
    hn_describe_pattern(y, &tile->part, balls, bad, num->lanes > 1 ? num->lanes : 8,
                        result->pattern, sizeof result->pattern);
    const size_t count = likely_mistakes(r, num->lanes * num->accs, mistakes, MISTAKES_MAX);
    for (size_t m = 0; m < count && !result->cause[0]; m++)
        if (would_explain(r, i, tile, &mistakes[m], y, bad)) name_mistake(r, &mistakes[m], result);
    free(bad);
}

hn_output hn_group_output(const hn_runner *r, size_t variant, size_t operand)
{
    const hn_placed *p = &r->placed[operand];
    return (hn_output){ r->family->operands[operand].name,
                        r->saved + variant * r->out_bytes + r->out_from[operand],
                        p->rows,
                        p->cols,
                        format_of(r, operand),
                        r->family->flags & HN_NUMBERS,
                        hn_copies(r->c) };
}

static void compare_tile(hn_runner *r, const hn_tile *tile, hn_result *results)
{
    const ref_out out = reference(r, tile);
    for (size_t i = 0; i < r->plan->nvariants; i++) {
        const hn_variant *v = &r->plan->variants[i];
        const hn_balls balls = { out.n, out.v + v->spec * out.n, out.e + v->spec * out.n,
                                 out.term };
        const hn_output y = hn_group_output(r, i, tile->operand);
        if (results[i].verdict != HN_OK) continue;
        const char *why = check_radii(r, &balls, v);
        if (why) hn_record(&results[i], HN_FAIL, HN_CHECK_HARNESS, "harness: %s", why);
        hn_compare(&y, &tile->part, &balls, r->family->flags, &results[i]);
        if (r->explain && results[i].verdict != HN_OK && !why)
            explain(r, i, tile, &y, &balls, &results[i]);
        r->power[i] |= hn_has_power(&balls);
        results[i].ran |= 1u << HN_CHECK_VALUE | 1u << HN_CHECK_NAN | 1u << HN_CHECK_HARNESS;
    }
}

/* First byte of the first unit that differs; `bytes` if none does. Which NaN comes out of two is the
 * order of operands, which fast kernels do not promise; strict ones have one NaN only. */
static size_t first_other_unit(const hn_dtype_info *info, const unsigned char *a,
                               const unsigned char *b, size_t bytes, bool strict)
{
    for (size_t at = first_difference(a, b, bytes) / info->bytes * info->bytes; at < bytes;
         at += info->bytes) {
        const bool nans = !strict && info->parts == 1 && isnan(hn_part(info, a + at, 0)) &&
                          isnan(hn_part(info, b + at, 0));
        if (!nans && memcmp(a + at, b + at, info->bytes) != 0) return at;
    }
    return bytes;
}

/* Bytes [from, from + bytes) of output k: as in the first pass? */
static void compare_bits(const hn_runner *r, size_t i, size_t k, size_t from, size_t bytes,
                         hn_check check, const char *what, hn_result *result)
{
    const unsigned char *saved = r->saved + i * r->out_bytes;
    const bool strict = r->plan->variants[i].strict;
    char name[48];
    from += r->out_from[k];
    result->ran |= 1u << check;
    if (memcmp(saved + from, r->packed + from, bytes) == 0) return;
    const size_t byte =
        from + first_other_unit(format_of(r, k), saved + from, r->packed + from, bytes, strict);
    if (byte == from + bytes) return;
    name_unit(r, byte, name, sizeof name);
    dump_both(r, "alone", saved, "now", r->packed, byte, result);
    hn_record(result, HN_FAIL, check, "%s %s", name, what);
}

/* All outputs. */
static void compare_all(const hn_runner *r, size_t i, hn_check check, const char *what,
                        hn_result *result)
{
    for (size_t k = 0; k < r->family->noperands; k++)
        if (is_written(r, k))
            compare_bits(r, i, k, 0, packed_bytes(&r->placed[k]), check, what, result);
}

/* Of a variant's name: what is drawn by it does not depend on the company that it runs in. */
static uint64_t number_of(const hn_variant *v)
{
    uint64_t number = v->strict;
    for (const char *at = v->kernel->isa; *at; at++) number = 256 * number + (unsigned char)*at;
    return number;
}

/* Runs one step of the batch dimension by itself: its rows must come out as they did among others. */
static void check_batch(hn_runner *r, size_t i, hn_result *result)
{
    const hn_variant *v = &r->plan->variants[i];
    const int key = r->family->batch_key;
    if (key < 0 || r->c->num[key] < 2) return;
    if (!v->strict && !(v->kernel->spec->flags & CK_NUM_BATCH_INVARIANT)) return;
    hn_rng rng = hn_stream(r->c->seed, 0x62617463, number_of(v));
    const size_t count = (size_t)r->c->num[key];
    const size_t step = hn_below(&rng, 2) ? count - 1 : (size_t)hn_below(&rng, count);
    hn_case one = *r->c;
    one.num[key] = 1;
    void *at[HN_MAX_OPERANDS] = { 0 };
    for (size_t k = 0; k < r->family->noperands; k++)
        if (r->placed[k].at)
            at[k] = r->placed[k].at +
                    step * hn_batch_step(r->c, k, &r->extents[k], r->ld[k]) * r->placed[k].unit;
    trail t;
    set_prefill(r, HN_PREFILL_B);
    call(r, v, &one, at, r->ld, &t);
    if (!check_trail(r, &t, result)) return;
    for (size_t k = 0; k < r->family->noperands; k++) {
        const size_t bytes = r->extents[k].batch_rows * r->extents[k].cols * r->placed[k].unit;
        if (is_written(r, k))
            compare_bits(r, i, k, step * bytes, bytes, HN_CHECK_BATCH, "depends on the batch size",
                         result);
    }
}

/* Several threads have the bits of one, NaNs too: each output is computed in the same order. */
static void check_threads(hn_runner *r, size_t i, hn_result *result)
{
    const unsigned char *first = r->saved + i * r->out_bytes;
    trail t;
    char name[48];
    if (r->c->threads < 2) return;
    set_prefill(r, HN_PREFILL_B);
    call_crew(r, &r->plan->variants[i], &t);
    const bool returned = check_trail(r, &t, result);
    repair(r, &t, HN_JUNK_B);
    result->ran |= 1u << HN_CHECK_THREADS;
    if (!returned || memcmp(first, r->packed, r->out_bytes) == 0) return;
    const size_t byte = first_difference(first, r->packed, r->out_bytes);
    name_unit(r, byte, name, sizeof name);
    dump_both(r, "one", first, "several", r->packed, byte, result);
    hn_record(result, HN_FAIL, HN_CHECK_THREADS, "%s differs in %u threads", name, r->c->threads);
}

/* The first output may be the very buffer of operand k: same bits. */
static void check_one_alias(hn_runner *r, size_t i, size_t k, hn_result *result)
{
    const hn_placed *y = &r->placed[0], *x = &r->placed[k];
    void *at[HN_MAX_OPERANDS] = { 0 };
    size_t ld[HN_MAX_OPERANDS];
    trail t;
    memcpy(ld, r->ld, sizeof ld);
    for (size_t j = 0; j < r->family->noperands; j++) at[j] = r->placed[j].at;
    set_prefill(r, HN_PREFILL_B);
    for (size_t row = 0; row < x->rows; row++)
        memcpy(y->at + row * y->ld * y->unit, x->at + row * x->ld * x->unit,
               (r->live[k] && r->family->live ? r->live[k][row] : x->cols) * x->unit);
    at[k] = y->at;
    ld[k] = ld[0];
    call(r, &r->plan->variants[i], r->c, at, ld, &t);
    if (!check_trail(r, &t, result)) return;
    compare_all(r, i, HN_CHECK_ALIAS, "differs when the output is an input", result);
}

static void check_alias(hn_runner *r, size_t i, hn_result *result)
{
    const unsigned mask = r->plan->variants[i].kernel->spec->alias;
    for (size_t k = 1; k < r->family->noperands; k++)
        if (mask >> k & 1 && r->placed[k].rows == r->placed[0].rows &&
            r->placed[k].cols <= r->placed[0].cols)
            check_one_alias(r, i, k, result);
}

/* Strict bits of every variant are those of the first. */
static void check_strict(hn_runner *r, hn_result *results)
{
    size_t base = r->plan->nvariants;
    for (size_t i = 0; i < r->plan->nvariants; i++) {
        char what[64];
        if (!r->plan->variants[i].strict || results[i].verdict != HN_OK) continue;
        if (base == r->plan->nvariants) {
            base = i;
            memcpy(r->packed, r->saved + i * r->out_bytes, r->out_bytes);
            continue;
        }
        snprintf(what, sizeof what, "differs from the strict bits of %s",
                 r->plan->variants[base].kernel->isa);
        compare_all(r, i, HN_CHECK_STRICT, what, &results[i]);
    }
}

/* Whether a live unit of operand k lies outside; the others are junk, whatever it looks like. */
static bool operand_leaves(const hn_runner *r, size_t k, const ck_domain *domain)
{
    const hn_placed *p = &r->placed[k];
    const hn_dtype_info *info = format_of(r, k);
    const int least = r->family->operands[k].role == HN_ROLE_LEFT ? domain->code_min : -128;
    for (size_t row = 0; p->at && row < p->rows; row++) {
        const unsigned char *at = p->at + row * p->ld * p->unit;
        const size_t cols = r->family->live ? r->live[k][row] : p->cols;
        for (size_t u = 0; u < cols; u++)
            if (hn_leaves(info, at + u * p->unit, domain->flags, least)) return true;
    }
    return false;
}

/* Whether inputs or environment leave the domain that the kernel declares. */
static bool outside_domain(const hn_runner *r, const ck_domain *domain)
{
    if (!domain) return false;
    if (domain->flags & CK_DOMAIN_NEAREST && r->c->fp != HN_FP_NEAREST) return true;
    for (size_t k = 0; k < r->family->noperands; k++)
        if (!is_output(r, k) && operand_leaves(r, k, domain)) return true;
    return false;
}

/* Of subnormals alone, which it is allowed to lose: nobody's fault. */
static bool may_flush_all(const hn_runner *r, const hn_variant *v)
{
    return !v->strict && r->c->fill == HN_FILL_DENORMAL && v->kernel->spec->flags & CK_NUM_DAZ;
}

static void settle(hn_runner *r, hn_result *results)
{
    for (size_t i = 0; i < r->plan->nvariants; i++) {
        hn_result *result = &results[i];
        if (result->verdict == HN_OK && !r->power[i] && may_flush_all(r, &r->plan->variants[i]))
            hn_record(result, HN_SKIP, HN_CHECK_NONE, "flushed subnormals could not show a fault");
        else if (result->verdict == HN_OK && !r->power[i])
            hn_record(result, HN_WEAK, HN_CHECK_NONE, "no output could have shown a fault");
        else if (result->verdict == HN_FAIL && result->check != HN_CHECK_HARNESS &&
                 outside_domain(r, r->plan->variants[i].kernel->domain))
            result->verdict = HN_FAIL_EDGE;
    }
}

static void reset(hn_runner *r, hn_result *results)
{
    for (size_t i = 0; i < r->plan->nvariants; i++) {
        const hn_variant *v = &r->plan->variants[i];
        hn_result *result = &results[i];
        result->verdict = HN_OK;
        result->check = HN_CHECK_NONE;
        result->exact = true;
        result->utilisation = 0.0;
        result->ran = 0;
        result->out = result->data = 0;
        result->what[0] = result->detail[0] = result->pattern[0] = result->cause[0] = '\0';
        r->power[i] = false;
        const char *why = admitted(r, v) ? inapplicable(r, v) : "";
        if (why) hn_record(result, HN_SKIP, HN_CHECK_NONE, "%s", why);
        if (r->stale[0]) hn_record(result, HN_STALE, HN_CHECK_NONE, "%s", r->stale);
    }
}

static void nobody(void *context, const hn_variant *variant)
{
    (void)context;
    (void)variant;
}

/* A case of what is no kernel. */
static void run_family(hn_runner *r, const hn_plan *plan, const hn_case *c, hn_result *results)
{
    r->plan = plan;
    r->c = c;
    r->family = c->op->family;
    r->stale[0] = '\0';
    reset(r, results);
    const hn_session session = { plan, c, r->announce ? r->announce : nobody, r->announce_context,
                                 r->ticks_most };
    r->family->run(&session, results);
}

void hn_group_run(hn_runner *r, const hn_plan *plan, const hn_case *c, hn_result *results)
{
    if (c->op->family->run) {
        run_family(r, plan, c, results);
        return;
    }
    const int placed = set_up(r, plan, c);
    reset(r, results);
    if (placed != 0)
        for (size_t i = 0; i < plan->nvariants; i++)
            hn_record(&results[i], HN_SKIP, HN_CHECK_NONE, "not enough memory for the operands");
    if (placed != 0) return;
    first_pass(r, results);
    second_pass(r, results);
    set_tiles(r);
    for (size_t t = 0; t < r->ntiles; t++) compare_tile(r, &r->tiles[t], results);
    for (size_t i = 0; i < plan->nvariants; i++) {
        if (results[i].verdict != HN_OK) continue;
        if (r->announce) r->announce(r->announce_context, &plan->variants[i]);
        check_alias(r, i, &results[i]);
        if (results[i].verdict == HN_OK) check_batch(r, i, &results[i]);
        if (results[i].verdict == HN_OK) check_threads(r, i, &results[i]);
    }
    check_strict(r, results);
    settle(r, results);
}

int hn_group_prepare(hn_runner *r, const hn_plan *plan, const hn_case *c, char *error, size_t size)
{
    if (set_up(r, plan, c) != 0)
        return snprintf(error, size, "not enough memory for the operands"), -1;
    if (r->stale[0]) return snprintf(error, size, "%s", r->stale), -1;
    set_tiles(r);
    set_junk(r, HN_JUNK_A);
    return 0;
}

size_t hn_group_tiles(const hn_runner *r, const hn_tile **tiles)
{
    *tiles = r->tiles;
    return r->ntiles;
}

ref_spec hn_group_spec(const hn_runner *r, size_t variant)
{
    return r->specs[r->plan->variants[variant].spec];
}

const unsigned char *hn_group_outputs(const hn_runner *r, size_t variant, size_t *bytes)
{
    *bytes = r->out_bytes;
    return r->saved + variant * r->out_bytes;
}

const hn_placed *hn_group_operand(const hn_runner *r, size_t operand, const size_t **live)
{
    *live = live_of(r, operand);
    return &r->placed[operand];
}

void hn_group_balls(hn_runner *r, const hn_tile *tile, const ref_spec *spec, ref_out *out)
{
    void *at[HN_MAX_OPERANDS] = { 0 };
    for (size_t i = 0; i < r->family->noperands; i++) at[i] = r->placed[i].at;
    hn_ref_args(r->c, tile->operand, at, r->ld, r->args);
    r->c->op->ref(r->args, &tile->part, spec, 1, out);
}

void hn_group_call(hn_runner *r, const hn_variant *variant, hn_outcome *outcome)
{
    trail t;
    call_plain(r, variant, HN_PREFILL_A, &t);
    *outcome = t.outcome;
}

/* What an isa name promises of the instructions executed; NULL: kept, or nothing promised. */
static const char *broken_promise(const char *isa, const hn_trace *t)
{
    const bool beyond_sse = t->vex_256 || t->vex_128 || t->evex_512 || t->evex_other;
    if (strcmp(isa, "scalar") == 0) return beyond_sse ? "executes AVX instructions" : NULL;
    if (strcmp(isa, "sse41") == 0)
        return beyond_sse                     ? "executes AVX instructions"
               : t->packed_sse > t->scalar_fp ? NULL
                                              : "executes more scalar than packed SSE arithmetic";
    if (strcmp(isa, "avx2") == 0 || strcmp(isa, "avxvnni") == 0) {
        if (t->evex_512 || t->evex_other) return "executes AVX-512 instructions";
        if (!t->vex_256) return "executes no 256-bit instruction";
    }
    if (strncmp(isa, "avx512", 6) == 0 && !t->evex_512) return "executes no 512-bit instruction";
    if (strstr(isa, "vnni") && !t->dot_product) return "executes no vpdpbusd";
    return NULL;
}

#ifndef __has_feature
#define __has_feature(x) 0 /* of clang */
#endif

/* Sanitizers mark each byte of large locals first. */
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { STEPS_MOST = 100000 };
#else
enum { STEPS_MOST = 10000 };
#endif

void hn_group_trace(hn_runner *r, const hn_variant *variant, const hn_case *c, hn_result *result)
{
    static const unsigned steps[] = { 2500, STEPS_MOST };
    hn_plan plan = { .op = c->op };
    void *at[HN_MAX_OPERANDS] = { 0 };
    hn_trace trace;
    hn_plan_add(&plan, variant->kernel, variant->strict, variant->row);
    hn_group_run(r, &plan, c, result);
    if (result->verdict != HN_OK) return;
    for (size_t i = 0; i < r->family->noperands; i++) at[i] = r->placed[i].at;
    r->family->kernel_args(c, at, r->ld, r->args);
    const char *why = NULL;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        hn_call_traced(entry(variant), r->args, steps[i], &trace);
        why = broken_promise(variant->kernel->isa, &trace);
        if (!why || trace.complete) break;
    }
    if (trace.steps == 0) { /* an emulator: every kernel has an instruction */
        hn_record(result, HN_SKIP, HN_CHECK_NONE, "cannot be single-stepped here");
        return;
    }
    result->ran |= 1u << HN_CHECK_ISA;
    /* an integer dot in strict mode may well do without vector floating point, but not without its dot */
    if (why)
        hn_record(result, HN_FAIL, HN_CHECK_ISA, "under the name %s it %s", variant->kernel->isa,
                  why);
}
