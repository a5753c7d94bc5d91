/* SPDX-License-Identifier: MIT */
/* Runs of emitted programs for tests. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

ck_model *cg_open_model(const cg_loaded *l, uint64_t seed)
{
    ck_model *m = NULL;
    assert_int_equal(ck_model_open(&m, l->program), CK_MODEL_OK);
    assert_int_equal(ck_model_randomise(m, seed), CK_MODEL_OK);
    return m;
}

void cg_draw_tokens(int32_t *tokens, size_t n, size_t vocab, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++) tokens[i] = (int32_t)(cg_draw(seed) % vocab);
}

int cg_run_whole(ck_model *m, const int32_t *tokens, size_t n, float *logits)
{
    ck_model_reset(m);
    return ck_model_prefill(m, tokens, n, logits, n * ck_model_program(m)->decoder.vocab);
}

int cg_run_cut(ck_model *m, const int32_t *tokens, size_t n, float *logits, uint64_t *seed)
{
    const size_t vocab = ck_model_program(m)->decoder.vocab;
    int status = CK_MODEL_OK;
    ck_model_reset(m);
    for (size_t at = 0; at < n && status == CK_MODEL_OK;) {
        const size_t left = n - at, length = 1 + cg_draw(seed) % (left < 4 ? left : 4);
        float *const to = logits + at * vocab;
        status = length == 1 ? ck_model_decode(m, tokens[at], to, vocab)
                             : ck_model_prefill(m, tokens + at, length, to, length * vocab);
        at += length;
        if (status == CK_MODEL_OK) assert_int_equal(ck_model_position(m), at);
    }
    return status;
}

double cg_compare(const ck_model *m, const int32_t *tokens, size_t n, int strict,
                  const float *logits)
{
    ref_model r = cg_reference(m);
    const size_t count = ref_model_values(&r, n);
    double *const value = malloc(count * sizeof *value), *const radius =
                                                             malloc(count * sizeof *radius);
    double worst = 0;
    assert_true(value && radius);
    assert_int_equal(ref_model_forward(&r, tokens, n, (ref_noise){ 0, 0 }, value), 0);
    assert_int_equal(ref_model_radius(&r, tokens, n, strict, value, radius), 0);
    for (size_t i = 0; i < n * r.d.vocab; i++) {
        const double off = fabs((double)logits[i] - value[i]);
        worst = fmax(worst, off <= radius[i] ? off / radius[i] : INFINITY);
    }
    if (ref_model_misrounded(&r, n, value, radius) != SIZE_MAX) worst = INFINITY;
    free(value);
    free(radius);
    cg_reference_free(&r);
    return worst;
}

void cg_paint_guards(const ck_model *m)
{
    const ck_program *const p = ck_model_program(m);
    for (size_t i = 0; i < p->buffer_count; i++) {
        const ck_buffer *const b = &p->buffers[i];
        for (size_t l = 0; l < (b->of_layer ? p->decoder.layers : 1); l++)
            memset(ck_model_arena(m) + b->offset + l * b->stride - p->guard, 0xa5, p->guard);
    }
}

/* Whether element k is a pad lane; of a whole row of them: but for its last dimension. */
static int is_pad(const ck_buffer *b, size_t k, int row)
{
    size_t rest = k;
    for (size_t d = b->dims; d-- > 0; rest /= b->dim[d])
        if (rest % b->dim[d] >= b->used[d] && !(row && d == b->dims - 1)) return 1;
    return 0;
}

static size_t elements(const ck_buffer *b)
{
    size_t count = 1;
    for (size_t d = 0; d < b->dims; d++) count *= b->dim[d];
    return count;
}

/* The first pad lane, of floats or of 16 bits, that is not +0, or SIZE_MAX. */
static size_t find_pad(const ck_buffer *b, const unsigned char *at)
{
    static const unsigned char zero[4];
    const size_t count = elements(b), bytes = b->bytes / count;
    for (size_t k = 0; k < count; k++)
        if (memcmp(at + bytes * k, zero, bytes) != 0 && is_pad(b, k, 0)) return k;
    return SIZE_MAX;
}

static size_t find_pad_row(const ck_buffer *b, const unsigned char *at)
{
    const size_t count = elements(b);
    size_t found = SIZE_MAX;
    float *const x = malloc(count * sizeof *x);
    assert_non_null(x);
    cg_decode(b->dtype, at, count, x);
    for (size_t k = count; k-- > 0;)
        if (x[k] != 0 && is_pad(b, k, 1)) found = k;
    free(x);
    return found;
}

const char *cg_arena_fault(const ck_model *m)
{
    static char text[120];
    const ck_program *const p = ck_model_program(m);
    for (size_t i = 0; i < p->buffer_count; i++) {
        const ck_buffer *const b = &p->buffers[i];
        for (size_t l = 0; l < (b->of_layer ? p->decoder.layers : 1); l++) {
            const unsigned char *const at = ck_model_arena(m) + b->offset + l * b->stride;
            const bool blocks = b->role == CK_MATRIX && b->dtype != CK_DTYPE_F32;
            const size_t pad = blocks ? find_pad_row(b, at) : find_pad(b, at);
            size_t k = 1;
            while (k <= p->guard && at[-(ptrdiff_t)k] == 0xa5) k++;
            if (k <= p->guard)
                snprintf(text, sizeof text, "%s of layer %zu: byte -%zu was overwritten", b->name,
                         l, k);
            else if (pad != SIZE_MAX)
                snprintf(text, sizeof text, "%s of layer %zu: pad %zu is not +0", b->name, l, pad);
            else
                continue;
            return text;
        }
    }
    return NULL;
}

static void must(const ck_model *m, int status)
{
    if (status != CK_MODEL_OK) fail_msg("%s", ck_model_error(m));
}

/* Strict runs have the same bits without SIMD. */
static void check_scalar(ck_model *m, const int32_t *tokens, size_t n, const float *logits)
{
    const size_t bytes = n * ck_model_program(m)->decoder.vocab * sizeof *logits;
    const unsigned mask = ck_isa_mask();
    float *const scalar = malloc(bytes);
    assert_non_null(scalar);
    ck_isa_set_mask(1u << CK_ISA_scalar);
    must(m, cg_run_whole(m, tokens, n, scalar));
    ck_isa_set_mask(mask);
    assert_memory_equal(logits, scalar, bytes);
    free(scalar);
}

void cg_check_config(const cg_config *c, const cg_formats *formats, uint64_t *seed, double worst[2])
{
    cg_loaded l = cg_load_formats(c, cg_draw(seed) % 2 ? 64 : 0, formats);
    cg_check_loaded(&l, c, seed, worst);
}

void cg_check_loaded(cg_loaded *l, const cg_config *c, uint64_t *seed, double worst[2])
{
    ck_model *const m = cg_open_model(l, cg_draw(seed));
    const size_t n = 1 + cg_draw(seed) % c->context, bytes = n * c->vocab * sizeof(float);
    int32_t *const tokens = malloc(n * sizeof *tokens);
    float *const whole = malloc(bytes), *const cut = malloc(bytes);
    assert_true(tokens && whole && cut);
    cg_draw_tokens(tokens, n, c->vocab, seed);
    cg_paint_guards(m);
    for (int strict = 0; strict < 2; strict++) {
        ck_set_strict_parity(strict);
        must(m,
             cg_run_cut(m, tokens, n, cut, seed)); /* first, so that no row is left of the other */
        must(m, cg_run_whole(m, tokens, n, whole));
        assert_memory_equal(whole, cut, bytes);
        worst[strict] = fmax(worst[strict], cg_compare(m, tokens, n, strict, whole));
        if (!(worst[strict] <= 1)) fail_msg("strict %d: a logit is off", strict);
        const char *const fault = cg_arena_fault(m);
        if (fault) fail_msg("%s", fault);
        if (strict) check_scalar(m, tokens, n, whole);
    }
    ck_set_strict_parity(0);
    free(tokens);
    free(whole);
    free(cut);
    ck_model_close(m);
    cg_unload(l);
}
