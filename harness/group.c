/* SPDX-License-Identifier: MIT */
/* The generic run of a case. Every check is on for every kernel of every family. */
#include <limits.h>
#include <string.h>

#include "group/runner.h"

enum { MXCSR_DEFAULT = 0x1f80 };

hn_runner *hn_runner_new(void)
{
    hn_runner *runner = hn_checked(calloc(1, sizeof *runner));
    runner->args = hn_checked(malloc(HN_ARGS_MAX));
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
    for (size_t i = 0; num->flags & CK_NUM_INT_STRIDES && i < r->family->noperands; i++)
        if (r->ld[i] > INT_MAX) return "a stride is beyond what its interface takes";
    if (num->k_multiple > 1 && r->c->num[hn_last_dim(r->c->op)] % num->k_multiple != 0)
        return "the last dimension is no multiple of what it requires";
    return NULL;
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
    const int placed = hn_runner_set_up(r, plan, c);
    reset(r, results);
    if (placed != 0)
        for (size_t i = 0; i < plan->nvariants; i++)
            hn_record(&results[i], HN_SKIP, HN_CHECK_NONE, "not enough memory for the operands");
    if (placed != 0) return;
    hn_runner_first_pass(r, results);
    hn_runner_second_pass(r, results);
    hn_runner_set_tiles(r);
    for (size_t t = 0; t < r->ntiles; t++) hn_runner_compare(r, &r->tiles[t], results);
    for (size_t i = 0; i < plan->nvariants; i++) {
        if (results[i].verdict != HN_OK) continue;
        if (r->announce) r->announce(r->announce_context, &plan->variants[i]);
        hn_runner_check_alias(r, i, &results[i]);
        if (results[i].verdict == HN_OK) hn_runner_check_batch(r, i, &results[i]);
        if (results[i].verdict == HN_OK) hn_runner_check_threads(r, i, &results[i]);
    }
    hn_runner_check_strict(r, results);
    settle(r, results);
}

int hn_group_prepare(hn_runner *r, const hn_plan *plan, const hn_case *c, char *error, size_t size)
{
    if (hn_runner_set_up(r, plan, c) != 0)
        return snprintf(error, size, "not enough memory for the operands"), -1;
    if (r->stale[0]) return snprintf(error, size, "%s", r->stale), -1;
    hn_runner_set_tiles(r);
    hn_runner_set_junk(r, HN_JUNK_A);
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
    hn_trail t;
    hn_runner_call_plain(r, variant, HN_PREFILL_A, &t);
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
    /* max_avx512_core_vnni is a limit of oneDNN's, whose code is not where its adapter is */
    if (strncmp(isa, "avx", 3) == 0 && strstr(isa, "vnni") && !t->dot_product)
        return "executes no vpdpbusd";
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
    static const unsigned steps[] = { 1000, STEPS_MOST };
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
