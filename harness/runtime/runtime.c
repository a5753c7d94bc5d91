/* SPDX-License-Identifier: MIT */
/* A case on every variant. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../hash.h"
#include "ck.h"
#include "ck_threads.h"

/* Multiply-adds that a trial does at least in a tenth of a second, its reference included. */
enum { TERMS_PER_TICK = 1000000, TICKS_LEAST = 50, MXCSR = 0x1f80, MXCSR_CONTROL = 0xffc0 };

/* --- variants */

static void unused(const void *args) { (void)args; }
static void unused_threads(ck_fn *fn, const ck_numspec *num, const void *args, unsigned threads)
{
    (void)fn, (void)num, (void)args, (void)threads;
}

static const ck_numspec spec = { .accs = 1 };

#define VARIANT(name)                                                                    \
    {                                                                                    \
        .size = sizeof(ck_kernel), .stem = "runtime", .family = "runtime", .isa = #name, \
        .fn = unused, .fn_strict = unused, .spec = &spec, .threads = unused_threads      \
    }
static ck_kernel kernels[] = { VARIANT(scalar), VARIANT(sse41), VARIANT(avx2), VARIANT(avx512) };

const ck_kernel *hn_rt_kernels(size_t *count)
{
    *count = sizeof kernels / sizeof *kernels;
    for (size_t i = 0; i < *count; i++) {
        const ck_isa isa = ck_isa_find(kernels[i].isa);
        kernels[i].unavailable = hn_rt_lacks() ? hn_rt_lacks() : ck_cpu_lacks(isa);
        if (!kernels[i].unavailable && !(ck_isa_mask() >> isa & 1))
            kernels[i].unavailable = "capped by CK_ISA_MAX";
    }
    return kernels;
}

unsigned hn_rt_mask(const char *isa) { return 1u << ck_isa_find(isa) | 1u << CK_ISA_scalar; }

/* --- one variant */

static void run_trial(const void *args) { hn_rt_trial_run(*(hn_rt_trial *const *)args); }

/* Multiply-adds of one pass over all positions. */
static size_t terms(const hn_rt_decoder *d)
{
    const size_t heads = (d->d.heads + d->d.kv_heads) * d->d.head_dim;
    const size_t row = d->d.hidden * (2 * heads + 3 * d->d.intermediate) +
                       d->d.context * d->d.heads * d->d.head_dim * 2;
    return d->d.context * (d->d.layers * row + d->d.vocab * d->d.hidden);
}

static unsigned ticks(const hn_rt_trial *t)
{
    size_t passes = 16; /* of the whole decoder in double */
    for (size_t i = 0; i < t->s->ncalls; i++) passes += t->s->calls[i].kind == HN_RT_RESET;
    return TICKS_LEAST + (unsigned)(passes * terms(t->s->d) / TERMS_PER_TICK);
}

static void judge(const hn_rt_trial *t, const hn_outcome *o)
{
    char where[80], damage[64];
    hn_rt_trial_where(t, where, sizeof where);
    hn_damage_text(o->damage, damage, sizeof damage);
    t->result->ran |= 1u << HN_CHECK_CRASH | 1u << HN_CHECK_HANG;
    if (o->how == HN_HUNG) hn_record(t->result, HN_HANG, HN_CHECK_HANG, "%s: no return", where);
    if (o->how == HN_SIGNALLED)
        hn_record(t->result, HN_CRASH, HN_CHECK_CRASH, "%s: signal %d at address %p", where,
                  o->signal, o->address);
    if (o->how != HN_RETURNED) return;
    t->result->ran |= 1u << HN_CHECK_ABI | 1u << HN_CHECK_FPENV;
    if (o->damage) hn_record(t->result, HN_FAIL, HN_CHECK_ABI, "does not preserve %s", damage);
    if ((o->mxcsr_in ^ o->mxcsr_out) & MXCSR_CONTROL || o->fcw_in != o->fcw_out)
        hn_record(t->result, HN_FAIL, HN_CHECK_FPENV, "changes the floating-point environment");
}

void hn_rt_try(hn_rt_trial *t, const char *isa, unsigned ticks_most)
{
    const unsigned mask = ck_isa_mask(), most = ticks(t);
    const int strict = ck_strict_parity();
    hn_outcome outcome;
    hn_call_poison(0x7fa5a5a5, 0);
    ck_isa_set_mask(hn_rt_mask(isa));
    ck_set_strict_parity(t->strict);
    const unsigned threads = t->s->c->threads > 1 ? t->s->c->threads : 1;
    const int before = ck_get_num_threads();
    ck_set_num_threads((int)threads);
    ck_set_thread_terms(1); /* so that anything is divided */
    hn_call_threads(threads > 1);
    hn_call(run_trial, &t, MXCSR, threads * (ticks_most && ticks_most < most ? ticks_most : most),
            &outcome);
    hn_call_threads(false);
    ck_set_thread_terms(0);
    ck_set_num_threads(before);
    ck_set_strict_parity(strict);
    ck_isa_set_mask(mask);
    judge(t, &outcome);
    hn_rt_trial_free(t, outcome.how == HN_RETURNED);
}

/* --- all of them */

static void run_variants(const hn_session *session, const hn_rt_subject *s, hn_result *results)
{
    const hn_plan *const plan = session->plan;
    hn_rt_history bits = { 0 };
    const char *bits_isa = NULL;
    for (size_t i = 0; i < plan->nvariants; i++) {
        const hn_variant *const v = &plan->variants[i];
        if (results[i].verdict != HN_OK) continue;
        hn_rt_trial t = { .s = s,
                          .strict = v->strict,
                          .like = v->strict && bits_isa ? &bits : NULL,
                          .like_isa = bits_isa,
                          .session = session,
                          .variant = v,
                          .result = &results[i] };
        session->announce(session->context, v);
        hn_rt_try(&t, v->kernel->isa, session->ticks_most);
        results[i].data = t.data;
        results[i].out =
            hn_hash(HN_HASH_START, t.history.hash, t.history.count * sizeof *t.history.hash);
        if (v->strict && !bits_isa && results[i].verdict == HN_OK) {
            bits = t.history;
            bits_isa = v->kernel->isa;
        } else {
            free(t.history.hash);
        }
    }
    free(bits.hash);
}

void hn_rt_run_with(const hn_session *session, const hn_rt_compiler *compiler, hn_result *results)
{
    const hn_plan *const plan = session->plan;
    hn_rt_subject s;
    hn_rt_program program;
    hn_result made = { .verdict = HN_OK };
    const int bad = hn_rt_session_open(&s, session, compiler, &program, &made);
    for (size_t i = 0; i < plan->nvariants; i++) {
        if (results[i].verdict != HN_OK) continue;
        results[i].ran |= made.ran;
        if (bad) hn_record(&results[i], made.verdict, made.check, "%s", made.what);
    }
    if (!bad) run_variants(session, &s, results);
    hn_rt_subject_close(&s, &program);
}

void hn_rt_run(const hn_session *session, hn_result *results)
{
    hn_rt_run_with(session, NULL, results);
}
