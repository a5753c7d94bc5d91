/* SPDX-License-Identifier: MIT */
/* From a case to its decoder. */
#include "decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"

const char *const hn_rt_words[HN_RT_WORDS] = { "all",  "f32",  "bf16", "f16",  "q4_0", "q4_1",
                                               "q5_0", "q5_1", "q8_0", "q4_k", "q5_k", "q6_k" };
const char *const hn_rt_matrices[HN_RT_MATRICES] = {
    "token_emb", "lm_head_weight", "wq", "wk", "wv", "wo", "w1", "w2"
};

static size_t key(const hn_case *c, int i) { return (size_t)c->num[i]; }

static size_t wide(size_t n) { return (n + 15) / 16 * 16; }

static ref_decoder dimensions(const hn_case *c)
{
    return (ref_decoder){
        .layers = key(c, HN_RT_L),
        .hidden = key(c, HN_RT_D),
        .intermediate = key(c, HN_RT_I),
        .heads = key(c, HN_RT_H),
        .kv_heads = key(c, HN_RT_G),
        .head_dim = key(c, HN_RT_HD),
        .vocab = key(c, HN_RT_V),
        .context = key(c, HN_RT_T),
        .rope = c->real[HN_RT_THETA] > 0,
        .qkv_bias = c->num[HN_RT_BIAS] & 1,
        .output_bias = c->num[HN_RT_BIAS] >> 1 & 1,
        .mlp_bias = c->num[HN_RT_BIAS] >> 2 & 1,
        .tied = c->num[HN_RT_TIED] != 0,
        .qk_norm = c->num[HN_RT_QKNORM] != 0,
    };
}

/* --- calls */

static int parse_word(const char *word, hn_rt_call *call)
{
    static const struct {
        const char *word;
        hn_rt_kind kind;
    } fixed[] = { { "r", HN_RT_RESET },
                  { "xt", HN_RT_BAD_TOKEN },
                  { "xf", HN_RT_BEYOND },
                  { "xn", HN_RT_NOTHING },
                  { "xr", HN_RT_NO_ROOM } };
    char *end;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(word, fixed[i].word) == 0) return *call = (hn_rt_call){ fixed[i].kind, 1 }, 0;
    if ((*word != 'p' && *word != 'd') || word[1] < '1' || word[1] > '9') return -1;
    const unsigned long n = strtoul(word + 1, &end, 10);
    *call = (hn_rt_call){ *word == 'p' ? HN_RT_PREFILL : HN_RT_DECODE, n };
    return *end == '\0' ? 0 : -1;
}

/* Where the calls lead; 0, or -1 if this one cannot be made. */
static int advance(const hn_rt_call *call, size_t context, size_t *position)
{
    if (call->kind == HN_RT_RESET) *position = 0;
    if (call->kind == HN_RT_BAD_TOKEN || call->kind == HN_RT_NO_ROOM)
        return *position < context ? 0 : -1;
    if (call->kind != HN_RT_PREFILL && call->kind != HN_RT_DECODE) return 0;
    if (call->n > context - *position) return -1;
    *position += call->n;
    return 0;
}

size_t hn_rt_calls(const hn_case *c, hn_rt_call *calls, char *error, size_t size)
{
    char copy[HN_TEXT_MAX], *save = NULL;
    size_t count = 0, position = 0;
    if (!c->text[0]) return calls[0] = (hn_rt_call){ HN_RT_PREFILL, key(c, HN_RT_T) }, 1;
    strcpy(copy, c->text);
    for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        if (parse_word(word, &calls[count]) != 0)
            return snprintf(error, size, "calls: \"%s\" is none of pN dN r xt xf xn xr", word), 0u;
        if (advance(&calls[count++], key(c, HN_RT_T), &position) != 0)
            return snprintf(error, size, "calls: no room for \"%s\" at position %zu of T=%zu", word,
                            position, key(c, HN_RT_T)),
                   0u;
    }
    return count;
}

/* --- buffers */

/* Rows of n elements of a matrix: what is asked for it, or what all have, as far as it fits. A tied head
 * is the table of tokens. */
static const hn_rt_format *format_of(const hn_rt_decoder *m, const char *name, size_t n)
{
    size_t i = 0;
    while (strcmp(hn_rt_matrices[i], name) != 0) i++;
    if (m->d.tied && i == HN_RT_LM_HEAD - HN_RT_TOKEN_EMB) i = 0;
    return m->of[i] ? m->of[i] : hn_rt_format_fit(m->all, n);
}

/* Role, shape and format by name; what is not listed is an activation. */
static void describe(hn_rt_buffer *b, const hn_rt_decoder *m)
{
    const ref_decoder *const d = &m->d;
    const size_t q = d->heads * m->aH, half = d->head_dim / 2;
    const struct {
        const char *name;
        hn_rt_role role;
        hn_rt_shape shape;
    } known[] = {
        { "token_emb", HN_RT_MATRIX, { m->aD, 1, 1, m->aD, d->hidden } },
        { "lm_head_weight", HN_RT_MATRIX, { m->aD, 1, 1, m->aD, d->hidden } },
        { "pos_emb", HN_RT_VECTOR, { m->aD, 1, 1, m->aD, d->hidden } },
        { "rope_cos_cache", HN_RT_TABLE, { half, 1, 1, half, half } },
        { "rope_sin_cache", HN_RT_TABLE, { half, 1, 1, half, half } },
        { "final_ln_weight", HN_RT_GAIN, { m->aD, 1, 1, m->aD, d->hidden } },
        { "final_ln_bias", HN_RT_VECTOR, { m->aD, 1, 1, m->aD, d->hidden } },
        { "ln1_gamma", HN_RT_GAIN, { m->aD, 1, 1, m->aD, d->hidden } },
        { "ln2_gamma", HN_RT_GAIN, { m->aD, 1, 1, m->aD, d->hidden } },
        { "wq", HN_RT_MATRIX, { m->aD, m->aH, d->head_dim, m->aD, d->hidden } },
        { "wk", HN_RT_MATRIX, { m->aD, m->aH, d->head_dim, m->aD, d->hidden } },
        { "wv", HN_RT_MATRIX, { m->aD, m->aH, d->head_dim, m->aD, d->hidden } },
        { "bq", HN_RT_VECTOR, { m->aH, 1, 1, m->aH, d->head_dim } },
        { "bk", HN_RT_VECTOR, { m->aH, 1, 1, m->aH, d->head_dim } },
        { "bv", HN_RT_VECTOR, { m->aH, 1, 1, m->aH, d->head_dim } },
        { "q_norm_gamma", HN_RT_GAIN, { m->aH, 1, 1, m->aH, d->head_dim } },
        { "k_norm_gamma", HN_RT_GAIN, { m->aH, 1, 1, m->aH, d->head_dim } },
        { "wo", HN_RT_MATRIX, { q, m->aD, d->hidden, m->aH, d->head_dim } },
        { "bo", HN_RT_VECTOR, { m->aD, 1, 1, m->aD, d->hidden } },
        { "w1", HN_RT_MATRIX, { m->aD, m->aI, d->intermediate, m->aD, d->hidden } },
        { "b1", HN_RT_VECTOR, { m->aI, 1, 1, m->aI, d->intermediate } },
        { "w2", HN_RT_MATRIX, { m->aI, m->aD, d->hidden, m->aI, d->intermediate } },
        { "b2", HN_RT_VECTOR, { m->aD, 1, 1, m->aD, d->hidden } },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(b->name, known[i].name) != 0) continue;
        b->role = known[i].role;
        b->shape = known[i].shape;
    }
    b->format = b->role == HN_RT_MATRIX ? format_of(m, b->name, b->shape.width) : hn_rt_formats;
    if (strcmp(b->name, "k") == 0 || strcmp(b->name, "v") == 0) b->format = m->cache;
}

static ref_block block_of(void *context, const char *name, size_t layer)
{
    hn_rt_buffer b = { .layer = layer };
    snprintf(b.name, sizeof b.name, "%s", name);
    describe(&b, context);
    return (ref_block){ b.format->elements, b.format->bytes };
}

static void add_buffer(void *context, const char *name, size_t layer, size_t offset, size_t bytes)
{
    hn_rt_decoder *const m = context;
    if ((m->nbuffers & (m->nbuffers - 1)) == 0)
        m->buffers = hn_checked(
            realloc(m->buffers, (m->nbuffers ? 2 * m->nbuffers : 1) * sizeof *m->buffers));
    hn_rt_buffer *const b = &m->buffers[m->nbuffers++];
    *b = (hn_rt_buffer){ .layer = layer, .offset = offset, .bytes = bytes };
    snprintf(b->name, sizeof b->name, "%s", name);
    describe(b, m);
}

const hn_rt_buffer *hn_rt_find(const hn_rt_decoder *d, const char *name, size_t layer)
{
    for (size_t i = 0; i < d->nbuffers; i++)
        if (d->buffers[i].layer == layer && strcmp(d->buffers[i].name, name) == 0)
            return &d->buffers[i];
    return NULL;
}

/* The input of a layer lies where another buffer does. */
static bool is_alias(const hn_rt_buffer *b) { return strcmp(b->name, "input") == 0; }

const hn_rt_buffer *hn_rt_buffer_at(const hn_rt_decoder *d, size_t at)
{
    for (size_t i = 0; i < d->nbuffers; i++) {
        const hn_rt_buffer *const b = &d->buffers[i];
        if (!is_alias(b) && at >= b->offset && at - b->offset < b->bytes) return b;
    }
    return NULL;
}

void hn_rt_buffer_name(const hn_rt_buffer *b, char *text, size_t size)
{
    if (!b)
        snprintf(text, size, "what is no buffer");
    else if (b->layer == HN_RT_ABSENT)
        snprintf(text, size, "%s", b->name);
    else
        snprintf(text, size, "%s of layer %zu", b->name, b->layer);
}

/* --- steps */

size_t hn_rt_place(const hn_rt_stage *s, size_t piece, size_t row, size_t col)
{
    const size_t half = s->pieces / 2;
    const bool second = s->also != HN_RT_ABSENT && piece >= half;
    const size_t element = (second ? piece - half : piece) * s->piece + row * s->ld + col;
    return (second ? s->also : s->y) + element * s->stored->bytes;
}

/* A step as it is written down below: buffers by name, NULL: none. */
typedef struct sketch {
    const char *name;
    hn_rt_step step;
    const char *stem;               /* NULL: it follows from the format of the weights */
    const char *y, *second, *in[4]; /* second: statistics, or values behind keys */
} sketch;

static const hn_rt_buffer *buffer_of(const hn_rt_decoder *m, const char *name, size_t layer)
{
    const hn_rt_buffer *const b = name ? hn_rt_find(m, name, layer) : NULL;
    return b || !name ? b : hn_rt_find(m, name, HN_RT_ABSENT);
}

static size_t offset_of(const hn_rt_decoder *m, const char *name, size_t layer)
{
    const hn_rt_buffer *const b = buffer_of(m, name, layer);
    return b ? b->offset : HN_RT_ABSENT;
}

static void set_shape(hn_rt_stage *s, size_t pieces, size_t piece, size_t used, size_t width,
                      size_t ld)
{
    s->pieces = pieces;
    s->piece = piece;
    s->used = used;
    s->width = width;
    s->ld = ld;
}

/* The op of a step that reads weights follows from their format. Of rows in blocks a product reads all
 * elements: activations are +0 in pad lanes. */
static void set_format(const hn_rt_decoder *m, hn_rt_stage *s, const char *weights)
{
    s->format = buffer_of(m, weights, s->layer)->format;
    s->stem = s->step == HN_RT_EMBED ? s->format->embedding : s->format->product;
    if (s->step != HN_RT_EMBED && s->format->elements > 1) s->k = s->ldx;
}

static void add_stage(hn_rt_decoder *m, size_t layer, const sketch *k)
{
    const ref_decoder *const d = &m->d;
    hn_rt_stage *const s = &m->stages[m->nstages++];
    *s = (hn_rt_stage){ .name = k->name, .step = k->step, .stem = k->stem, .layer = layer };
    s->y = offset_of(m, k->y, layer);
    s->also = s->rstd = HN_RT_ABSENT;
    *(k->step == HN_RT_CACHE ? &s->also : &s->rstd) = offset_of(m, k->second, layer);
    s->stored = buffer_of(m, k->y, layer)->format;
    for (int i = 0; i < 4; i++) s->in[i] = offset_of(m, k->in[i], layer);
    const bool of_k = *k->y == 'k' || *k->y == 'v'; /* or what becomes them */
    const size_t heads = of_k ? d->kv_heads : d->heads;
    set_shape(s, 1, 0, d->hidden, m->aD, m->aD);
    s->k = d->hidden;
    s->ldx = m->aD;
    switch (k->step) {
    case HN_RT_PROJECT:
    case HN_RT_HEAD_NORM:
    case HN_RT_TURN: set_shape(s, heads, d->context * m->aH, d->head_dim, m->aH, m->aH); break;
    case HN_RT_CACHE: set_shape(s, 2 * heads, d->context * m->aH, d->head_dim, m->aH, m->aH); break;
    case HN_RT_ATTEND: set_shape(s, heads, m->aH, d->head_dim, m->aH, heads * m->aH); break;
    case HN_RT_GATED:
    case HN_RT_SWIGLU: set_shape(s, 1, 0, d->intermediate, m->aI, m->aI); break;
    default: break;
    }
    if (strcmp(k->name, "mlp_up") == 0) set_shape(s, 2, m->aI, d->intermediate, m->aI, 2 * m->aI);
    if (strncmp(k->name, "mlp_down", 8) == 0) s->k = d->intermediate, s->ldx = m->aI;
    if (strncmp(k->name, "merge_heads", 11) == 0) s->k = s->ldx = heads * m->aH;
    if (strcmp(k->name, "head") == 0) set_shape(s, 1, 0, d->vocab, d->vocab, d->vocab);
    if (!k->stem) set_format(m, s, k->in[k->step == HN_RT_EMBED ? 0 : 1]);
}

static const char norm[] = "rmsnorm_f32", add[] = "residual_add_f32", rope[] = "rope_half_f32";

/* Keys and values are computed in the cache itself if it is in f32. */
static void add_layer(hn_rt_decoder *m, size_t layer)
{
    const bool apart = m->cache->bytes < sizeof(float);
    const char *const keys = apart ? "k_new" : "k", *const values = apart ? "v_new" : "v";
    const sketch project[] = {
        { "norm1", HN_RT_NORM, norm, "ln1_out", "ln1_rstd", { "input", "ln1_gamma" } },
        { "project_q", HN_RT_PROJECT, NULL, "q", NULL, { "ln1_out", "wq", "bq" } },
        { "project_k", HN_RT_PROJECT, NULL, keys, NULL, { "ln1_out", "wk", "bk" } },
        { "project_v", HN_RT_PROJECT, NULL, values, NULL, { "ln1_out", "wv", "bv" } },
    };
    const sketch norms[] = {
        { "norm_q", HN_RT_HEAD_NORM, norm, "q", NULL, { "q", "q_norm_gamma" } },
        { "norm_k", HN_RT_HEAD_NORM, norm, keys, NULL, { keys, "k_norm_gamma" } },
    };
    const sketch turns[] = {
        { "rope_q", HN_RT_TURN, rope, "q", NULL, { "q", "rope_cos_cache", "rope_sin_cache" } },
        { "rope_k", HN_RT_TURN, rope, keys, NULL, { keys, "rope_cos_cache", "rope_sin_cache" } },
    };
    const sketch write = {
        "kv_write", HN_RT_CACHE, m->cache->write, "k", "v", { "k_new", "v_new" }
    };
    const sketch rest[] = {
        { "attend", HN_RT_ATTEND, m->cache->attention, "attn_out", NULL, { "q", "k", "v" } },
        { "merge_heads", HN_RT_LINEAR, NULL, "proj_tmp", NULL, { "attn_out", "wo", "bo" } },
        { "add1", HN_RT_ADD, add, "residual1", NULL, { "input", "proj_tmp" } },
        { "norm2", HN_RT_NORM, norm, "ln2_out", "ln2_rstd", { "residual1", "ln2_gamma" } },
        { "mlp_up", HN_RT_LINEAR, NULL, "fc1_out", NULL, { "ln2_out", "w1", "b1" } },
        { "swiglu", HN_RT_SWIGLU, "swiglu_f32", "swiglu_out", NULL, { "fc1_out" } },
        { "mlp_down", HN_RT_LINEAR, NULL, "mlp_out", NULL, { "swiglu_out", "w2", "b2" } },
        { "add2", HN_RT_ADD, add, "output", NULL, { "residual1", "mlp_out" } },
    };
    static const sketch gate = { "mlp_gate",   HN_RT_GATED, "gemm_nt_swiglu_f32",
                                 "swiglu_out", NULL,        { "ln2_out", "w1", "b1" } };
    static const sketch merge = {
        "merge_heads_add", HN_RT_ADDED, NULL, "residual1", NULL, { "attn_out", "wo", "bo", "input" }
    };
    static const sketch down = { "mlp_down_add", HN_RT_ADDED,
                                 NULL,           "output",
                                 NULL,           { "swiglu_out", "w2", "b2", "residual1" } };
    /* in the place of the step of that name and the one behind it */
    const struct {
        const char *name;
        bool fused;
        const sketch *as;
    } pairs[] = { { "merge_heads", m->fused_residual, &merge },
                  { "mlp_up", m->fused_mlp, &gate },
                  { "mlp_down", m->fused_residual, &down } };
    for (size_t i = 0; i < sizeof project / sizeof *project; i++) add_stage(m, layer, &project[i]);
    for (size_t i = 0; i < 2 && m->d.qk_norm; i++) add_stage(m, layer, &norms[i]);
    for (size_t i = 0; i < 2 && m->d.rope; i++) add_stage(m, layer, &turns[i]);
    if (apart) add_stage(m, layer, &write);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        const sketch *s = &rest[i];
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
            if (pairs[p].fused && strcmp(pairs[p].name, rest[i].name) == 0) s = pairs[p].as;
        add_stage(m, layer, s);
        i += s != &rest[i];
    }
}

static void add_stages(hn_rt_decoder *m)
{
    enum { LAYER_MOST = 17, OTHERS = 3 };
    const char *const table = m->d.tied ? "token_emb" : "lm_head_weight";
    const sketch before = { m->d.rope ? "embed" : "embed_at",
                            HN_RT_EMBED,
                            NULL,
                            "embedded_input",
                            NULL,
                            { "token_emb", m->d.rope ? NULL : "pos_emb" } };
    const sketch after[] = {
        { "final_norm",
          HN_RT_NORM,
          norm,
          "final_output",
          "final_ln_rstd",
          { "output", "final_ln_weight" } },
        { "head", HN_RT_LINEAR, NULL, "logits", NULL, { "final_output", table } }
    };
    m->stages = hn_checked(calloc(m->d.layers * LAYER_MOST + OTHERS, sizeof *m->stages));
    add_stage(m, 0, &before);
    for (size_t l = 0; l < m->d.layers; l++) add_layer(m, l);
    for (size_t i = 0; i < 2; i++) add_stage(m, m->d.layers - 1, &after[i]);
}

hn_rt_decoder *hn_rt_decoder_new(const hn_case *c)
{
    hn_rt_decoder *const m = hn_checked(calloc(1, sizeof *m));
    size_t start;
    m->d = dimensions(c);
    m->eps = (float)c->real[HN_RT_EPS];
    m->theta = (float)c->real[HN_RT_THETA];
    m->factor = (float)c->real[HN_RT_FACTOR];
    m->low = (float)c->real[HN_RT_LOW];
    m->high = (float)c->real[HN_RT_HIGH];
    m->original = key(c, HN_RT_ORIGINAL);
    m->guard = 64 * key(c, HN_RT_GUARD);
    m->aD = wide(m->d.hidden);
    m->aH = wide(m->d.head_dim);
    m->aI = wide(m->d.intermediate);
    m->all = &hn_rt_formats[c->num[HN_RT_W] - HN_RT_F32];
    for (int i = 0; i < HN_RT_MATRICES; i++)
        if (c->num[HN_RT_TOKEN_EMB + i] != HN_RT_ALL)
            m->of[i] = &hn_rt_formats[c->num[HN_RT_TOKEN_EMB + i] - HN_RT_F32];
    m->cache = &hn_rt_formats[c->num[HN_RT_KV] - HN_RT_F32];
    m->fused_mlp = key(c, HN_RT_FUSE) & 1;
    m->fused_residual = key(c, HN_RT_FUSE) >> 1 & 1;
    const ref_layout_options options = { .guard = m->guard,
                                         .one_mlp = m->fused_mlp,
                                         .one_residual = m->fused_residual,
                                         .cache = m->cache->bytes,
                                         .block = block_of,
                                         .context = m };
    m->total = ref_layout(&m->d, &options, add_buffer, m, &start);
    add_stages(m);
    return m;
}

void hn_rt_decoder_free(hn_rt_decoder *d)
{
    free(d->buffers);
    free(d->stages);
    free(d);
}

size_t hn_rt_bytes(const hn_case *c)
{
    hn_rt_decoder *const m = hn_rt_decoder_new(c);
    const size_t bytes = m->total;
    hn_rt_decoder_free(m);
    return bytes;
}
