/* SPDX-License-Identifier: MIT */
/* The calls of a case, watched step by step. */
#include "trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../hash.h"
#include "../memory.h"
#include "ck.h"
#include "ck_threads.h"
#include "model.h"
#include "whole.h"

ref_fn ref_rope_cache_f32;

/* Floats behind the logits that nobody may write. */
enum { CANARY = 16 };

static bool failed(const hn_rt_trial *t) { return t->result->verdict != HN_OK; }

static unsigned char *arena(const hn_rt_trial *t) { return ck_model_arena(t->m); }

void hn_rt_trial_where(const hn_rt_trial *t, char *text, size_t size)
{
    const hn_rt_decoder *const d = t->s->d;
    const hn_rt_stage *const s = t->next < d->nstages ? &d->stages[t->next] : NULL;
    if (!t->expected || !s)
        snprintf(text, size, "%s", t->word);
    else
        snprintf(text, size, "%s: layer %zu %s", t->word, s->layer, s->name);
}

/* A failure of what is under way. */
__attribute__((format(printf, 3, 4))) static void fail(hn_rt_trial *t, hn_check check,
                                                       const char *format, ...)
{
    char where[80], what[HN_WHAT_MAX];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    hn_rt_trial_where(t, where, sizeof where);
    hn_record(t->result, HN_FAIL, check, "%s: %s", where, what);
}

/* --- memory */

static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t n)
{
    size_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    return i;
}

/* The arena is what it must be. */
static void check_memory(hn_rt_trial *t)
{
    const size_t total = t->s->d->total;
    char name[48];
    t->result->ran |= 1u << HN_CHECK_SLACK | 1u << HN_CHECK_INPUT;
    if (failed(t) || memcmp(arena(t), t->shadow, total) == 0) return;
    const size_t at = first_difference(arena(t), t->shadow, total);
    const hn_rt_buffer *const b = hn_rt_buffer_at(t->s->d, at);
    const bool input = b && b->role != HN_RT_ACTIVATION;
    hn_rt_buffer_name(b, name, sizeof name);
    fail(t, input ? HN_CHECK_INPUT : HN_CHECK_SLACK, "writes byte %zu of %s",
         b ? at - b->offset : at, name);
}

/* --- steps */

static void hash_stretch(void *context, size_t offset, size_t bytes)
{
    hn_rt_trial *const t = context;
    const unsigned char *const from = arena(t) + offset;
    uint64_t hash = t->history.hash[t->history.count], word;
    for (size_t i = 0; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, from + i, sizeof word);
        hash = hn_mix(hash ^ word) + 1;
    }
    for (size_t i = bytes / sizeof word * sizeof word; i < bytes; i++)
        hash = hn_mix(hash ^ from[i]) + 1;
    t->history.hash[t->history.count] = hash;
}

static void accept_stretch(void *context, size_t offset, size_t bytes)
{
    hn_rt_trial *const t = context;
    memcpy(t->shadow + offset, arena(t) + offset, bytes);
}

/* Whether the step has the bits that another trial's had. */
static bool hash_step(hn_rt_trial *t, const hn_rt_stage *s)
{
    hn_rt_history *const h = &t->history;
    if (h->count == h->room) {
        h->room = h->room ? 2 * h->room : 256;
        h->hash = hn_checked(realloc(h->hash, h->room * sizeof *h->hash));
    }
    h->hash[h->count] = 0;
    hn_rt_written(s, &t->pass, hash_stretch, t);
    const size_t i = h->count++;
    return t->like && i < t->like->count && t->like->hash[i] == h->hash[i];
}

static void check_values(hn_rt_trial *t, const hn_rt_stage *s)
{
    hn_rt_found f;
    char element[64];
    const hn_rt_work work = { t->s->d, s, &t->pass, t->strict, t->shadow, arena(t) };
    hn_rt_check(&work, &t->cells, &f);
    t->result->ran |= 1u << HN_CHECK_VALUE | 1u << HN_CHECK_NAN;
    if (!f.exact) t->result->exact = false;
    if (f.utilisation > t->result->utilisation) t->result->utilisation = f.utilisation;
    if (t->witness) t->witness(t->context, t, s, &f);
    hn_rt_element(s, &f, element, sizeof element);
    if (f.pad) fail(t, HN_CHECK_SLACK, "pad lane %s is %.9g, wanted +0", element, f.got);
    if (!f.bad) return;
    fail(t, isnan(f.got) != isnan(f.wanted) ? HN_CHECK_NAN : HN_CHECK_VALUE,
         "%s got %.9g, wanted %.9g, radius %.3g", element, f.got, f.wanted, f.radius);
    snprintf(t->result->detail, sizeof t->result->detail,
             "    got    %a\n    wanted %a\n    radius %a   error/radius %.4g\n", f.got, f.wanted,
             f.radius, fabs(f.got - f.wanted) / f.radius);
}

static void check_step(hn_rt_trial *t, const hn_rt_stage *s)
{
    const bool alike = hash_step(t, s);
    if (!alike || t->witness) check_values(t, s);
    if (t->like) t->result->ran |= 1u << HN_CHECK_STRICT;
    if (!failed(t) && t->like && !alike)
        fail(t, HN_CHECK_STRICT, "differs from the strict bits of %s", t->like_isa);
    hn_rt_written(s, &t->pass, accept_stretch, t);
    check_memory(t);
}

/* Steps come in their order, each before and after, on the rows that the call is about. */
static void check_order(hn_rt_trial *t, const ck_step *step, const ck_run *run, size_t layer,
                        int after)
{
    const hn_rt_decoder *const d = t->s->d;
    const hn_rt_stage *const s = t->next < d->nstages ? &d->stages[t->next] : NULL;
    if (!t->expected || !s || strcmp(s->name, step->name) != 0 || s->layer != layer)
        fail(t, HN_CHECK_PROGRAM, "step %s of layer %zu comes in its place", step->name, layer);
    else if (t->inside != (after != 0))
        fail(t, HN_CHECK_PROGRAM, "begins or ends twice");
    else if (run->first != t->pass.first || run->rows != t->pass.rows)
        fail(t, HN_CHECK_SEQUENCE, "%zu rows from %zu on, wanted %zu from %zu", run->rows,
             run->first, t->pass.rows, t->pass.first);
}

static void go_on(const hn_rt_trial *t)
{
    if (t->session) t->session->announce(t->session->context, t->variant);
}

static void tap(void *context, const ck_model *m, const ck_step *step, const ck_run *run,
                size_t layer, int after)
{
    hn_rt_trial *const t = context;
    (void)m;
    if (!failed(t)) check_order(t, step, run, layer, after);
    if (failed(t)) return;
    t->inside = !after;
    if (!after) return;
    go_on(t);
    check_step(t, &t->s->d->stages[t->next]);
    if (!failed(t)) t->next++;
}

/* --- calls */

static void expect_status(hn_rt_trial *t, int got, int want)
{
    t->result->ran |= 1u << HN_CHECK_SEQUENCE;
    if (got != want && !failed(t))
        fail(t, HN_CHECK_SEQUENCE, "returned %d, wanted %d: %.80s", got, want,
             ck_model_error(t->m));
}

static void expect_position(hn_rt_trial *t)
{
    const size_t got = ck_model_position(t->m);
    if (got != t->position && !failed(t))
        fail(t, HN_CHECK_SEQUENCE, "the position is %zu, wanted %zu", got, t->position);
}

static void paint_canary(float *at, size_t count)
{
    for (size_t i = 0; i < count; i++) at[i] = -12345.0f;
}

static bool is_canary(const float *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (at[i] != -12345.0f) return false;
    return true;
}

static void draw_tokens(hn_rt_trial *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        t->tokens[t->position + i] = (int32_t)hn_below(&t->rng, t->s->d->d.vocab);
    t->data = hn_hash(t->data, t->tokens + t->position, n * sizeof *t->tokens);
}

/* n tokens more, and what they gave. */
static void run_pass(hn_rt_trial *t, size_t n, bool decode)
{
    const hn_rt_decoder *const d = t->s->d;
    const size_t vocab = d->d.vocab;
    float *const to = t->logits + t->position * vocab;
    draw_tokens(t, n);
    const int32_t *const tokens = t->tokens + t->position;
    paint_canary(to, n * vocab + CANARY);
    t->pass = (hn_rt_pass){ tokens, t->position, n };
    t->next = 0;
    t->inside = false;
    t->expected = true;
    const int status = decode ? t->s->api->decode(t->m, *tokens, to, vocab)
                              : t->s->api->prefill(t->m, tokens, n, to, n * vocab);
    expect_status(t, status, CK_MODEL_OK);
    if (!failed(t) && t->next != d->nstages) fail(t, HN_CHECK_PROGRAM, "the pass ends before");
    t->expected = false;
    t->position += n;
    t->reached = t->position;
    expect_position(t);
    check_memory(t);
    const size_t at = d->stages[d->nstages - 1].y + t->pass.first * vocab * sizeof(float);
    if (!failed(t) && memcmp(to, arena(t) + at, n * vocab * sizeof(float)) != 0)
        fail(t, HN_CHECK_SEQUENCE, "hands out other logits than it computed");
    if (!failed(t) && !is_canary(to + n * vocab, CANARY))
        fail(t, HN_CHECK_SLACK, "writes behind the logits");
}

/* A call that must fail and change nothing, logits included. */
static void run_error(hn_rt_trial *t, hn_rt_kind kind)
{
    const size_t vocab = t->s->d->d.vocab, left = t->s->d->d.context - t->position;
    int32_t tokens[2] = { 0, (int32_t)vocab };
    float *const to = t->logits + t->position * vocab;
    const size_t room = (left + 1) * vocab;
    int status = 0, want = 0;
    paint_canary(to, left * vocab + CANARY);
    switch (kind) {
    case HN_RT_BAD_TOKEN:
        if (hn_below(&t->rng, 2)) tokens[1] = -1;
        if (left == 1) tokens[0] = tokens[1];
        status = left == 1 ? t->s->api->decode(t->m, tokens[0], to, vocab)
                           : t->s->api->prefill(t->m, tokens, 2, to, 2 * vocab);
        want = CK_MODEL_TOKEN;
        break;
    case HN_RT_BEYOND:
        /* tokens are not looked at, since there are too many */
        status = left == 0 ? t->s->api->decode(t->m, 0, to, room)
                           : t->s->api->prefill(t->m, t->tokens, left + 1, to, room);
        want = CK_MODEL_FULL;
        break;
    case HN_RT_NOTHING:
        status = t->s->api->prefill(t->m, tokens, 0, to, room);
        want = CK_MODEL_ARGUMENT;
        break;
    default: status = t->s->api->decode(t->m, 0, to, vocab - 1); want = CK_MODEL_ROOM;
    }
    expect_status(t, status, want);
    expect_position(t);
    check_memory(t);
    if (!failed(t) && !is_canary(to, left * vocab + CANARY))
        fail(t, HN_CHECK_SLACK, "writes logits in spite of the error");
}

/* --- a model of its own */

/* The arena as the image has it, but for the tables, which are the model's. It takes no call of the runtime
 * to give a model weights, since those are from a seed or a file. */
static void dress(const hn_rt_trial *t, ck_model *m, size_t image)
{
    const hn_rt_decoder *const d = t->s->d;
    unsigned char *const to = ck_model_arena(m);
    const unsigned char *const from = t->s->image[image];
    size_t done = 0;
    for (size_t i = 0; i < d->nbuffers; i++) {
        const hn_rt_buffer *const b = &d->buffers[i];
        if (b->role != HN_RT_TABLE) continue;
        memcpy(to + done, from + done, b->offset - done);
        done = b->offset + b->bytes;
    }
    memcpy(to + done, from + done, d->total - done);
    m->has_weights = 1;
}

static ck_model *open_model(hn_rt_trial *t)
{
    ck_model *m = NULL;
    int status = t->s->api->open(&m, t->s->program);
    if (status != CK_MODEL_OK && !failed(t))
        hn_record(t->result, HN_FAIL, HN_CHECK_SEQUENCE, "open: returned %d", status);
    return m;
}

/* Before there are weights: all is +0 but the tables, and no pass runs. */
static void check_new(hn_rt_trial *t)
{
    const hn_rt_decoder *const d = t->s->d;
    snprintf(t->word, sizeof t->word, "open");
    memset(t->shadow, 0, d->total);
    for (size_t i = 0; i < d->nbuffers; i++) {
        const hn_rt_buffer *const b = &d->buffers[i];
        if (b->role == HN_RT_TABLE) memcpy(t->shadow + b->offset, arena(t) + b->offset, b->bytes);
    }
    check_memory(t);
    expect_status(t, t->s->api->decode(t->m, 0, NULL, 0), CK_MODEL_WEIGHTS);
    check_memory(t);
}

/* One of the two tables of RoPE against its half of a reference's columns. */
static void check_table(hn_rt_trial *t, const char *name, const ref_out *out, size_t from)
{
    const hn_rt_decoder *const d = t->s->d;
    const hn_rt_buffer *const b = hn_rt_find(d, name, HN_RT_ABSENT);
    const float *const x = (const float *)(const void *)(arena(t) + b->offset);
    const size_t half = d->d.head_dim / 2;
    for (size_t i = 0; i < half * d->d.context && !failed(t); i++) {
        const size_t cell = i / half * 2 * half + from + i % half;
        if (isnan(hn_judge((double)x[i], out->v[cell], out->e[cell], false)))
            fail(t, HN_CHECK_VALUE, "%s[%zu,%zu] got %.9g, wanted %.9g, radius %.3g", name,
                 i / half, i % half, (double)x[i], out->v[cell], out->e[cell]);
    }
}

static void check_tables(hn_rt_trial *t)
{
    const hn_rt_decoder *const d = t->s->d;
    const size_t half = d->d.head_dim / 2, n = 2 * half * d->d.context;
    const ref_rope_cache_args a = { .d = 2 * half,
                                    .context = d->original,
                                    .theta = d->theta,
                                    .factor = d->factor,
                                    .low = d->low,
                                    .high = d->high };
    const ck_kernel *const kernel = ck_dispatch("rope_cache_f32");
    const ref_spec spec = { .num = kernel->spec, .strict = t->strict, .u = 0x1p-24 };
    const ref_tile tile = { 0, d->d.context, 0, 2 * half };
    if (!d->d.rope) return;
    double *const cells = hn_checked(malloc(3 * n * sizeof *cells));
    ref_out out = { .n = n, .v = cells, .e = cells + n, .term = cells + 2 * n };
    ref_rope_cache_f32(&a, &tile, &spec, 1, &out);
    check_table(t, "rope_cos_cache", &out, 0);
    check_table(t, "rope_sin_cache", &out, half);
    free(cells);
}

static void tap_again(void *context, const ck_model *m, const ck_step *step, const ck_run *run,
                      size_t layer, int after)
{
    (void)m, (void)step, (void)run, (void)layer, (void)after;
    go_on(context);
}

/* The same tokens in one pass of a new model, whose stale memory is another, and in one thread. */
static void recompute(hn_rt_trial *t)
{
    const hn_rt_decoder *const d = t->s->d;
    const size_t n = t->reached, vocab = d->d.vocab;
    if (failed(t) || n == 0) return;
    const int threads = ck_get_num_threads();
    ck_model *const m = open_model(t);
    float *const again = hn_checked(malloc(n * vocab * sizeof *again));
    if (m) {
        dress(t, m, 1);
        ck_model_set_tap(m, tap_again, t);
        ck_set_num_threads(1);
        expect_status(t, t->s->api->prefill(m, t->tokens, n, again, n * vocab), CK_MODEL_OK);
        ck_set_num_threads(threads);
    }
    for (size_t i = 0; i < n * vocab && !failed(t); i++)
        if (memcmp(&again[i], &t->logits[i], sizeof *again) != 0)
            hn_record(t->result, HN_FAIL, HN_CHECK_SEQUENCE,
                      "%s: logits[%zu,%zu] is %.9g, in one pass of a new model %.9g", t->word,
                      i / vocab, i % vocab, (double)t->logits[i], (double)again[i]);
    free(again);
    ck_model_close(m);
    if (t->s->whole && !failed(t))
        hn_rt_whole_check(d, t->s->image[0],
                          &(hn_rt_text){ t->tokens, n, t->logits, t->strict, arena(t) }, t->result);
}

static void reset(hn_rt_trial *t)
{
    recompute(t);
    t->position = t->reached = 0;
    expect_status(t, t->s->api->reset(t->m), CK_MODEL_OK);
    expect_position(t);
    check_memory(t);
}

static void run_call(hn_rt_trial *t, const hn_rt_call *call)
{
    static const char *const words[] = { "p", "d", "r", "xt", "xf", "xn", "xr" };
    snprintf(t->word, sizeof t->word, "%s", words[call->kind]);
    if (call->kind <= HN_RT_DECODE)
        snprintf(t->word, sizeof t->word, "%s%zu", words[call->kind], call->n);
    switch (call->kind) {
    case HN_RT_PREFILL: run_pass(t, call->n, false); break;
    case HN_RT_DECODE:
        for (size_t i = 0; i < call->n && !failed(t); i++) run_pass(t, 1, true);
        break;
    case HN_RT_RESET: reset(t); break;
    default: run_error(t, call->kind);
    }
}

void hn_rt_trial_run(hn_rt_trial *t)
{
    const hn_rt_decoder *const d = t->s->d;
    t->shadow = hn_checked(malloc(d->total));
    t->logits = hn_checked(malloc((d->d.context * d->d.vocab + CANARY) * sizeof *t->logits));
    t->tokens = hn_checked(calloc(d->d.context + 1, sizeof *t->tokens));
    t->rng = hn_stream(t->s->c->seed, 0x746f6b65, 0);
    t->data = t->s->data;
    t->m = open_model(t);
    if (!t->m) return;
    check_new(t);
    check_tables(t);
    dress(t, t->m, 0);
    memcpy(t->shadow, arena(t), d->total);
    ck_model_set_tap(t->m, tap, t);
    for (size_t i = 0; i < t->s->ncalls && !failed(t); i++) run_call(t, &t->s->calls[i]);
    recompute(t);
}

void hn_rt_trial_free(hn_rt_trial *t, bool returned)
{
    if (returned) ck_model_close(t->m);
    free(t->shadow);
    free(t->logits);
    free(t->tokens);
    hn_rt_cells_free(&t->cells);
}
