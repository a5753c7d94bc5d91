/* SPDX-License-Identifier: MIT */
/* What all trials of a case share: the program, its proved tables, and the weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../hash.h"
#include "../memory.h"
#include "ck_dtype.h"
#include "trial.h"

/* Of so many cases one is compared with the whole decoder as well. */
enum { WHOLE_EVERY = 16 };

/* --- the layout, against ref/layout.c */

static const ck_buffer *find_buffer(const ck_program *p, const char *name)
{
    for (size_t i = 0; i < p->buffer_count; i++)
        if (strcmp(p->buffers[i].name, name) == 0) return &p->buffers[i];
    return NULL;
}

static void wrong(hn_result *result, const char *what, const char *name, size_t got, size_t want)
{
    hn_record(result, HN_FAIL, HN_CHECK_PROGRAM, "layout: %s: %s is %zu, wanted %zu", name, what,
              got, want);
}

/* Neither the input of a layer nor a tied head has a row of its own in the table. */
static bool has_row(const hn_rt_decoder *d, const hn_rt_buffer *b)
{
    return strcmp(b->name, "input") != 0 && !(d->d.tied && strcmp(b->name, "lm_head_weight") == 0);
}

static void check_buffer(const ck_program *p, const hn_rt_buffer *b, hn_result *result)
{
    const ck_buffer *const have = find_buffer(p, b->name);
    char name[48];
    hn_rt_buffer_name(b, name, sizeof name);
    if (!have) {
        hn_record(result, HN_FAIL, HN_CHECK_PROGRAM, "layout: %s is missing", name);
        return;
    }
    const bool layered = b->layer != HN_RT_ABSENT;
    const size_t offset = have->offset + (layered ? b->layer * have->stride : 0);
    if (offset != b->offset) wrong(result, "offset", name, offset, b->offset);
    if (have->bytes != b->bytes) wrong(result, "bytes", name, have->bytes, b->bytes);
    if (have->dtype != b->format->code)
        wrong(result, "dtype", name, (size_t)have->dtype, (size_t)b->format->code);
    if ((have->of_layer != 0) != layered)
        wrong(result, "of_layer", name, (size_t)have->of_layer, layered);
}

static void check_layout(const ck_program *p, const hn_rt_decoder *d, hn_result *result)
{
    size_t rows = 0;
    if (p->bytes != d->total) wrong(result, "bytes", "the arena", p->bytes, d->total);
    if (p->guard != d->guard) wrong(result, "guard", "the arena", p->guard, d->guard);
    for (size_t i = 0; i < d->nbuffers; i++) {
        const hn_rt_buffer *const b = &d->buffers[i];
        if (!has_row(d, b)) continue;
        check_buffer(p, b, result);
        rows += b->layer == HN_RT_ABSENT || b->layer == 0;
    }
    if (p->buffer_count != rows) wrong(result, "buffers", "the table", p->buffer_count, rows);
}

static void check_decoder(const ck_decoder *have, const hn_rt_decoder *d, hn_result *result)
{
    const struct {
        const char *name;
        double got, want;
    } fields[] = {
        { "layers", (double)have->layers, (double)d->d.layers },
        { "hidden", (double)have->hidden, (double)d->d.hidden },
        { "intermediate", (double)have->intermediate, (double)d->d.intermediate },
        { "heads", (double)have->heads, (double)d->d.heads },
        { "kv_heads", (double)have->kv_heads, (double)d->d.kv_heads },
        { "head_dim", (double)have->head_dim, (double)d->d.head_dim },
        { "vocab", (double)have->vocab, (double)d->d.vocab },
        { "context", (double)have->context, (double)d->d.context },
        { "eps", (double)have->eps, (double)d->eps },
        { "theta", (double)have->theta, (double)d->theta },
        { "qkv_bias", have->qkv_bias, d->d.qkv_bias },
        { "output_bias", have->output_bias, d->d.output_bias },
        { "mlp_bias", have->mlp_bias, d->d.mlp_bias },
        { "tied", have->tied, d->d.tied },
        { "qk_norm", have->qk_norm, d->d.qk_norm },
        { "factor", (double)have->factor, (double)d->factor },
        { "original_context", (double)have->original_context, (double)d->original },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].got != fields[i].want)
            hn_record(result, HN_FAIL, HN_CHECK_PROGRAM, "decoder: %s is %.9g, wanted %.9g",
                      fields[i].name, fields[i].got, fields[i].want);
}

/* --- data */

/* Words as f32, and their halves as 16 bits of either kind: a NaN and a huge number; of both, nothing may
 * depend on it. */
static const uint32_t junk[2] = { 0x7fa57fa5, 0x7b5a7b5a };

static void paint(unsigned char *from, size_t bytes, uint32_t word)
{
    for (size_t i = 0; i + sizeof word <= bytes; i += sizeof word)
        memcpy(from + i, &word, sizeof word);
}

static double uniform(hn_rng *rng) { return (double)(hn_next(rng) >> 11) * 0x1p-52 - 1; }

static bool in_use(const hn_rt_shape *s, size_t element)
{
    const size_t row = element / s->width, col = element % s->width;
    return row % s->row_period < s->row_used && col % s->col_period < s->col_used;
}

/* Terms of a row's dot product. */
static double length(const hn_rt_shape *s)
{
    return (double)(s->width / s->col_period * s->col_used);
}

/* Weights of a whole model take longer to quantise than a session waits for a sign of life. */
static void go_on(const hn_session *session)
{
    if (session) session->announce(session->context, &session->plan->variants[0]);
}

/* Matrices keep the magnitude of what they multiply; gains and biases are of magnitude 1, so that none
 * of them is lost beside the rest. */
static void fill(const hn_rt_buffer *b, hn_rng *rng, unsigned char *image,
                 const hn_session *session)
{
    const size_t width = b->shape.width, row = hn_rt_row_bytes(b->format, width);
    const double scale = b->role == HN_RT_MATRIX ? sqrt(3 / length(&b->shape)) : 0.5;
    float *const x = hn_checked(malloc(width * sizeof *x));
    for (size_t r = 0; r < b->bytes / row; r++) {
        go_on(session);
        for (size_t i = 0; i < width; i++) {
            const double by = scale * uniform(rng), value = b->role == HN_RT_GAIN ? 1 + by : by;
            x[i] = in_use(&b->shape, r * width + i) ? (float)value : 0;
        }
        hn_rt_encode(b->format, x, width, image + b->offset + r * row);
    }
    free(x);
}

static bool has_weights(const hn_rt_decoder *d, const hn_rt_buffer *b)
{
    return b->role != HN_RT_ACTIVATION && b->role != HN_RT_TABLE && has_row(d, b);
}

static void make_images(hn_rt_subject *s, const hn_session *session)
{
    const hn_rt_decoder *const d = s->d;
    for (size_t i = 0; i < 2; i++) {
        s->image[i] = hn_checked(aligned_alloc(64, (d->total + 63) / 64 * 64));
        paint(s->image[i], d->total, junk[i]);
    }
    s->data = HN_HASH_START;
    for (size_t i = 0; i < d->nbuffers; i++) {
        const hn_rt_buffer *const b = &d->buffers[i];
        hn_rng rng = hn_stream(s->c->seed, 0x77656967, i);
        if (!has_weights(d, b)) continue;
        fill(b, &rng, s->image[0], session);
        s->data = hn_hash(s->data, s->image[0] + b->offset, b->bytes);
        memcpy(s->image[1] + b->offset, s->image[0] + b->offset, b->bytes);
    }
}

static int open_subject(hn_rt_subject *s, const hn_case *c, const hn_session *session,
                        const hn_rt_compiler *compiler, hn_rt_program *program, hn_result *result)
{
    char error[HN_WHAT_MAX];
    *s = (hn_rt_subject){ .c = c };
    s->ncalls = hn_rt_calls(c, s->calls, error, sizeof error);
    if (hn_rt_compile(program, c, compiler, error, sizeof error) != 0) {
        hn_record(result, HN_FAIL, HN_CHECK_PROGRAM, "%s", error);
        return -1;
    }
    s->program = program->program;
    s->api = compiler && compiler->api ? compiler->api : &hn_rt_own_api;
    s->d = hn_rt_decoder_new(c);
    s->whole = hn_mix(c->seed) % WHOLE_EVERY == 0;
    check_decoder(&s->program->decoder, s->d, result);
    check_layout(s->program, s->d, result);
    result->ran |= 1u << HN_CHECK_PROGRAM;
    if (result->verdict != HN_OK) return -1;
    make_images(s, session);
    return 0;
}

int hn_rt_subject_open(hn_rt_subject *s, const hn_case *c, const hn_rt_compiler *compiler,
                       hn_rt_program *program, hn_result *result)
{
    return open_subject(s, c, NULL, compiler, program, result);
}

int hn_rt_session_open(hn_rt_subject *s, const hn_session *session, const hn_rt_compiler *compiler,
                       hn_rt_program *program, hn_result *result)
{
    return open_subject(s, session->c, session, compiler, program, result);
}

void hn_rt_subject_close(hn_rt_subject *s, hn_rt_program *program)
{
    if (!s->d) return;
    for (size_t i = 0; i < 2; i++) free(s->image[i]);
    hn_rt_decoder_free(s->d);
    hn_rt_unload(program);
}
