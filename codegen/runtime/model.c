/* SPDX-License-Identifier: MIT */
/* A decoder at work. */
#include "model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ck_alloc.h"
#include "codec.h"
#include "quant.h"
#include "weights.h"

int ck_model_fail(ck_model *m, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->error, sizeof m->error, format, args);
    va_end(args);
    for (char *c = m->error; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    return status;
}

const ck_buffer *ck_find_buffer(const ck_program *p, const char *name)
{
    for (size_t i = 0; i < p->buffer_count; i++)
        if (strcmp(p->buffers[i].name, name) == 0) return &p->buffers[i];
    return NULL;
}

unsigned char *ck_tensor_bytes(unsigned char *arena, const ck_buffer *b, size_t layer)
{
    return arena + b->offset + layer * b->stride;
}

static int is_weight(const ck_buffer *b) { return b->role == CK_MATRIX || b->role == CK_VECTOR; }

static size_t count_weights(const ck_program *p, int of_layer)
{
    size_t count = 0;
    for (size_t i = 0; i < p->buffer_count; i++)
        count += is_weight(&p->buffers[i]) && p->buffers[i].of_layer == of_layer;
    return count;
}

size_t ck_tensor_count(const ck_program *p)
{
    return count_weights(p, 0) + p->decoder.layers * count_weights(p, 1);
}

ck_tensor ck_tensor_at(const ck_program *p, unsigned char *arena, size_t i)
{
    const size_t global = count_weights(p, 0), each = count_weights(p, 1);
    const int of_layer = i >= global;
    const size_t layer = of_layer ? (i - global) / each : 0;
    size_t left = of_layer ? (i - global) % each : i, k = 0;
    for (;; k++) {
        const ck_buffer *const b = &p->buffers[k];
        if (is_weight(b) && b->of_layer == of_layer && left-- == 0)
            return (ck_tensor){ b, layer, ck_tensor_bytes(arena, b, layer) };
    }
}

/* splitmix64 (public domain), to [-1, 1). */
static double draw(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

size_t ck_buffer_elements(const ck_buffer *b)
{
    size_t count = 1;
    for (size_t d = 0; d < b->dims; d++) count *= b->dim[d];
    return count;
}

int ck_in_use(const ck_buffer *b, size_t i)
{
    for (size_t d = b->dims; d-- > 0; i /= b->dim[d])
        if (i % b->dim[d] >= b->used[d]) return 0;
    return 1;
}

/* Draws a tensor, which is whole blocks, and puts it into its format. */
static int fill_tensor(const ck_tensor *t, uint64_t *seed)
{
    const ck_buffer *const b = t->buffer;
    const int gain = strstr(b->name, "gamma") || strcmp(b->name, "final_ln_weight") == 0;
    const double row = (double)b->used[b->dims - 1];
    const double scale = b->role == CK_MATRIX ? sqrt(3 / row) : 0.02;
    const size_t count = ck_buffer_elements(b);
    float x[CK_K_BLOCK];
    for (size_t first = 0; first < count; first += CK_K_BLOCK) {
        const size_t n = count - first < CK_K_BLOCK ? count - first : CK_K_BLOCK;
        for (size_t k = 0; k < n; k++) {
            const double by = draw(seed), value = gain ? 1 + 0.1 * by : scale * by;
            x[k] = ck_in_use(b, first + k) ? (float)value : 0;
        }
        const int status = ck_encode(b->dtype, t->bytes + ck_row_bytes(b->dtype, first), x, n);
        if (status != 0) return status;
    }
    return 0;
}

int ck_fill_random(const ck_program *p, unsigned char *arena, uint64_t seed)
{
    int status = 0;
    for (size_t i = 0; i < ck_tensor_count(p) && status == 0; i++) {
        const ck_tensor t = ck_tensor_at(p, arena, i);
        status = fill_tensor(&t, &seed);
    }
    return status;
}

/* Zeros. Large pages pay where there are several. */
static int is_large(const ck_program *p) { return p->bytes >= 2 * (size_t)CK_HUGE_PAGE; }

static unsigned char *allocate(const ck_program *p)
{
    if (is_large(p)) return ck_huge_alloc(p->bytes);
    unsigned char *const arena = aligned_alloc(64, p->bytes);
    if (arena) memset(arena, 0, p->bytes);
    return arena;
}

static void give_back(const ck_program *p, unsigned char *arena)
{
    if (is_large(p))
        ck_huge_free(arena, p->bytes);
    else
        free(arena);
}

int ck_model_open(ck_model **m, const ck_program *program)
{
    if (!m) return CK_MODEL_ARGUMENT;
    *m = NULL;
    if (!program || program->abi != CK_PROGRAM_ABI) return CK_MODEL_ARGUMENT;
    ck_model *const made = calloc(1, sizeof *made);
    unsigned char *const arena = allocate(program);
    const int status = made && arena ? ck_fill_rope(program, arena) : CK_MODEL_MEMORY;
    if (status != CK_MODEL_OK) {
        free(made);
        give_back(program, arena);
        return status;
    }
    *made = (ck_model){ .program = program, .arena = arena };
    *m = made;
    return CK_MODEL_OK;
}

void ck_model_close(ck_model *m)
{
    if (!m) return;
    give_back(m->program, m->arena);
    free(m);
}

const char *ck_model_error(const ck_model *m) { return m ? m->error : "no model"; }

const ck_program *ck_model_program(const ck_model *m) { return m->program; }

unsigned char *ck_model_arena(const ck_model *m) { return m->arena; }

size_t ck_model_position(const ck_model *m) { return m->position; }

void ck_model_set_tap(ck_model *m, ck_tap *tap, void *context)
{
    m->tap = tap;
    m->tap_context = context;
}

int ck_model_reset(ck_model *m)
{
    if (!m) return CK_MODEL_ARGUMENT;
    m->position = 0;
    return CK_MODEL_OK;
}

int ck_model_randomise(ck_model *m, uint64_t seed)
{
    if (!m) return CK_MODEL_ARGUMENT;
    const int status = ck_fill_random(m->program, m->arena, seed);
    m->has_weights = status == 0;
    m->position = 0;
    if (status == 0) return CK_MODEL_OK;
    return ck_model_fail(m, CK_MODEL_KERNEL, "randomise: quantising: %s",
                         ck_status_text((ck_status)status));
}

int ck_model_load(ck_model *m, const char *path)
{
    if (!m) return CK_MODEL_ARGUMENT;
    if (!path) return ck_model_fail(m, CK_MODEL_ARGUMENT, "load: no path");
    const int status = ck_weights_load(m, path);
    if (status != CK_MODEL_OK) return status;
    m->has_weights = 1;
    m->position = 0;
    return CK_MODEL_OK;
}

int ck_model_save(ck_model *m, const char *path, ck_weights_kind kind)
{
    if (!m) return CK_MODEL_ARGUMENT;
    if (!path) return ck_model_fail(m, CK_MODEL_ARGUMENT, "save: no path");
    if (!m->has_weights)
        return ck_model_fail(m, CK_MODEL_WEIGHTS, "save: the model has no weights");
    return ck_weights_save(m, path, kind);
}

static int run_step(ck_model *m, const ck_run *r, const ck_step *s, size_t layer)
{
    if (m->tap) m->tap(m->tap_context, m, s, r, layer, 0);
    const int status = s->run(r, layer);
    if (status != 0)
        return ck_model_fail(m, CK_MODEL_KERNEL, "layer %zu, step %s: kernel %s: %s", layer,
                             s->name, s->kernel, ck_status_text((ck_status)status));
    if (m->tap) m->tap(m->tap_context, m, s, r, layer, 1);
    return CK_MODEL_OK;
}

static int run_steps(ck_model *m, const ck_run *r, const ck_steps *steps, size_t layer)
{
    for (size_t i = 0; i < steps->count; i++) {
        const int status = run_step(m, r, &steps->steps[i], layer);
        if (status != CK_MODEL_OK) return status;
    }
    return CK_MODEL_OK;
}

static int forward(ck_model *m, const ck_run *r)
{
    const ck_program *const p = m->program;
    int status = run_steps(m, r, &p->before, 0);
    for (size_t l = 0; l < p->decoder.layers && status == CK_MODEL_OK; l++)
        status = run_steps(m, r, &p->layer, l);
    return status == CK_MODEL_OK ? run_steps(m, r, &p->after, p->decoder.layers - 1) : status;
}

/* Everything about a pass that can be wrong, before anything is changed. */
static int check_pass(ck_model *m, const int32_t *tokens, size_t n, const float *logits,
                      size_t room)
{
    const ck_decoder *const d = &m->program->decoder;
    if (!m->has_weights) return ck_model_fail(m, CK_MODEL_WEIGHTS, "the model has no weights");
    if (!tokens || n == 0) return ck_model_fail(m, CK_MODEL_ARGUMENT, "no tokens");
    if (n > d->context - m->position)
        return ck_model_fail(m, CK_MODEL_FULL, "%zu tokens after %zu, the context has %zu", n,
                             m->position, d->context);
    for (size_t i = 0; i < n; i++)
        if (tokens[i] < 0 || (size_t)tokens[i] >= d->vocab)
            return ck_model_fail(m, CK_MODEL_TOKEN, "token %zu: %ld, the vocabulary has %zu", i,
                                 (long)tokens[i], d->vocab);
    if (logits && room / d->vocab < n)
        return ck_model_fail(m, CK_MODEL_ROOM,
                             "logits: room for %zu floats, wanted %zu of %zu each", room, n,
                             d->vocab);
    return CK_MODEL_OK;
}

int ck_model_prefill(ck_model *m, const int32_t *tokens, size_t n, float *logits, size_t room)
{
    if (!m) return CK_MODEL_ARGUMENT;
    int status = check_pass(m, tokens, n, logits, room);
    if (status != CK_MODEL_OK) return status;
    const ck_run r = { m->arena, tokens, m->position, n };
    status = forward(m, &r);
    if (status != CK_MODEL_OK) return status;
    if (logits) {
        const ck_buffer *const b = ck_find_buffer(m->program, "logits");
        const size_t vocab = m->program->decoder.vocab;
        memcpy(logits, ck_row(&r, b->offset, vocab), n * vocab * sizeof *logits);
    }
    m->position += n;
    return CK_MODEL_OK;
}

int ck_model_decode(ck_model *m, int32_t token, float *logits, size_t room)
{
    return ck_model_prefill(m, &token, 1, logits, room);
}
