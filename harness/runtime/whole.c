/* SPDX-License-Identifier: MIT */
/* End to end. */
#include "whole.h"

#include <math.h>
#include <stdlib.h>

#include "../memory.h"
#include "ref_model.h"

static ref_model dimensions(const hn_rt_decoder *d)
{
    return (ref_model){ .d = d->d,
                        .eps = (double)d->eps,
                        .theta = (double)d->theta,
                        .factor = (double)d->factor,
                        .low = (double)d->low,
                        .high = (double)d->high,
                        .original_context = (double)d->original,
                        .head_width = d->aH,
                        .mlp_width = d->aI,
                        .cache = d->cache->code == CK_DTYPE_BF16  ? REF_CACHE_BF16
                                 : d->cache->code == CK_DTYPE_F16 ? REF_CACHE_F16
                                                                  : REF_CACHE_F32 };
}

/* Weights by name in an arena. */
typedef struct weights {
    const hn_rt_decoder *d;
    const unsigned char *arena, *kept; /* with weights, with the cache */
    size_t layer;
    float *room; /* where what is not in f32 is decoded to */
} weights;

static const float *vector(const weights *w, const char *name)
{
    const hn_rt_buffer *const b = hn_rt_find(w->d, name, w->layer);
    return b ? (const float *)(const void *)(w->arena + b->offset) : NULL;
}

static size_t elements(const hn_rt_buffer *b)
{
    return b->bytes / b->format->bytes * b->format->elements;
}

/* Elements of all matrices and caches that are not in f32. */
static size_t decoded_elements(const hn_rt_decoder *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->nbuffers; i++)
        if (d->buffers[i].format->decode) count += elements(&d->buffers[i]);
    return count;
}

static ref_matrix matrix(weights *w, const char *name)
{
    const hn_rt_buffer *const b = hn_rt_find(w->d, name, w->layer);
    if (!b || !b->format->decode) return (ref_matrix){ vector(w, name), b ? b->shape.width : 0 };
    const float *const decoded = w->room;
    hn_rt_decode(b->format, w->arena + b->offset, elements(b), w->room);
    w->room += elements(b);
    return (ref_matrix){ decoded, b->shape.width };
}

/* Keys or values, if they are not computed where they are kept. */
static ref_kv kept(weights *w, const char *name)
{
    const hn_rt_buffer *const b = hn_rt_find(w->d, name, w->layer);
    const float *const decoded = w->room;
    if (!b->format->decode) return (ref_kv){ NULL, 0, 0 };
    hn_rt_decode(b->format, w->kept + b->offset, elements(b), w->room);
    w->room += elements(b);
    return (ref_kv){ decoded, w->d->d.context * w->d->aH, w->d->aH };
}

static ref_layer layer(weights *w)
{
    return (ref_layer){
        .ln1 = vector(w, "ln1_gamma"),
        .ln2 = vector(w, "ln2_gamma"),
        .bq = vector(w, "bq"),
        .bk = vector(w, "bk"),
        .bv = vector(w, "bv"),
        .q_norm = vector(w, "q_norm_gamma"),
        .k_norm = vector(w, "k_norm_gamma"),
        .bo = vector(w, "bo"),
        .b1 = vector(w, "b1"),
        .b2 = vector(w, "b2"),
        .wq = matrix(w, "wq"),
        .wk = matrix(w, "wk"),
        .wv = matrix(w, "wv"),
        .wo = matrix(w, "wo"),
        .w1 = matrix(w, "w1"),
        .w2 = matrix(w, "w2"),
        .k = kept(w, "k"),
        .v = kept(w, "v"),
    };
}

/* Of index i of the values behind the logits, [layers][2][kv_heads][n][head_dim]. */
static void record_kept(const ref_model *m, const hn_rt_text *text, size_t i, double value,
                        double radius, hn_result *result)
{
    const size_t hd = m->d.head_dim, g = m->d.kv_heads, row = i / hd;
    hn_record(
        result, HN_FAIL, HN_CHECK_LOGITS,
        "%c[%zu,%zu,%zu] of layer %zu is no rounding of the whole decoder's %.9g, radius %.3g",
        row / text->n / g % 2 ? 'v' : 'k', row / text->n % g, row % text->n, i % hd,
        row / text->n / g / 2, value, radius);
}

/* `room`: values, then their radii. */
static void compare(const ref_model *m, const hn_rt_text *text, double *room, hn_result *result)
{
    const size_t vocab = m->d.vocab, logits = text->n * vocab;
    const size_t count = ref_model_values(m, text->n);
    double *const value = room, *const radius = room + count;
    if (ref_model_forward(m, text->tokens, text->n, (ref_noise){ 0, 0 }, value) != 0 ||
        ref_model_radius(m, text->tokens, text->n, text->strict, value, radius) != 0) {
        hn_record(result, HN_SKIP, HN_CHECK_NONE, "not enough memory for the decoder in double");
        return;
    }
    result->ran |= 1u << HN_CHECK_LOGITS;
    const size_t off = ref_model_misrounded(m, text->n, value, radius);
    if (off != SIZE_MAX) {
        record_kept(m, text, off - logits, value[off], radius[off], result);
        return;
    }
    for (size_t i = 0; i < logits; i++)
        if (!(fabs((double)text->logits[i] - value[i]) <= radius[i])) {
            hn_record(result, HN_FAIL, HN_CHECK_LOGITS,
                      "logits[%zu,%zu] got %.9g, the whole decoder gives %.9g, radius %.3g",
                      i / vocab, i % vocab, (double)text->logits[i], value[i], radius[i]);
            return;
        }
}

void hn_rt_whole_check(const hn_rt_decoder *d, const unsigned char *arena, const hn_rt_text *text,
                       hn_result *result)
{
    ref_model m = dimensions(d);
    ref_layer *const layers = hn_checked(calloc(d->d.layers, sizeof *layers));
    double *const room = hn_checked(malloc(2 * ref_model_values(&m, text->n) * sizeof *room));
    float *const decoded = hn_checked(malloc((decoded_elements(d) + 1) * sizeof *decoded));
    weights w = { d, arena, text->kept, HN_RT_ABSENT, decoded };
    m.tokens = matrix(&w, "token_emb");
    m.positions = matrix(&w, "pos_emb");
    m.head = matrix(&w, "lm_head_weight");
    m.final_norm = vector(&w, "final_ln_weight");
    for (w.layer = 0; w.layer < d->d.layers; w.layer++) layers[w.layer] = layer(&w);
    m.layers = layers;
    compare(&m, text, room, result);
    free(decoded);
    free(room);
    free(layers);
}
