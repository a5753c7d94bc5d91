/* SPDX-License-Identifier: MIT */
/* The layout of a decoder's arena: one straight line of code in the order of memory. */
#include "ref_layout.h"

typedef struct cursor {
    const ref_layout_options *o;
    ref_place_fn *tell;
    void *to;
    size_t layer, at; /* `at`: the first byte that is not taken */
} cursor;

static size_t up(size_t n, size_t multiple) { return n + (multiple - n % multiple) % multiple; }

static size_t take(cursor *c, const char *name, size_t bytes)
{
    const size_t offset = up(c->at, 64) + c->o->guard;
    c->tell(c->to, name, c->layer, offset, bytes);
    c->at = offset + bytes;
    return offset;
}

static size_t floats(cursor *c, const char *name, size_t n) { return take(c, name, 4 * n); }

static size_t matrix(cursor *c, const char *name, size_t n)
{
    const ref_block f32 = { 1, 4 };
    const ref_block b = c->o->block ? c->o->block(c->o->context, name, c->layer) : f32;
    return take(c, name, n / b.elements * b.bytes);
}

static void cached(cursor *c, const char *name, size_t n)
{
    take(c, name, n * (c->o->cache ? c->o->cache : 4));
}

static size_t layer(cursor *c, const ref_decoder *d, size_t input)
{
    const size_t T = d->context, D = up(d->hidden, 16), h = up(d->head_dim, 16);
    const size_t I = up(d->intermediate, 16), C = up(T, 16), H = d->heads, G = d->kv_heads;
    c->tell(c->to, "input", c->layer, input, 4 * T * D);
    floats(c, "ln1_gamma", D);
    floats(c, "ln1_out", T * D);
    floats(c, "ln1_rstd", T);
    matrix(c, "wq", H * h * D);
    if (d->qkv_bias) floats(c, "bq", H * h);
    matrix(c, "wk", G * h * D);
    if (d->qkv_bias) floats(c, "bk", G * h);
    matrix(c, "wv", G * h * D);
    if (d->qkv_bias) floats(c, "bv", G * h);
    if (d->qk_norm) floats(c, "q_norm_gamma", h);
    if (d->qk_norm) floats(c, "k_norm_gamma", h);
    floats(c, "q", H * T * h);
    cached(c, "k", G * T * h);
    cached(c, "v", G * T * h);
    if (c->o->training) floats(c, "scores", H * C * C);
    floats(c, "attn_out", H * T * h);
    matrix(c, "wo", D * H * h);
    if (d->output_bias) floats(c, "bo", D);
    if (!c->o->one_residual) floats(c, "proj_tmp", T * D);
    floats(c, "proj_scratch", T * D);
    floats(c, "residual1", T * D);
    floats(c, "ln2_gamma", D);
    floats(c, "ln2_out", T * D);
    floats(c, "ln2_rstd", T);
    matrix(c, "w1", 2 * I * D);
    if (d->mlp_bias) floats(c, "b1", 2 * I);
    if (!c->o->one_mlp) floats(c, "fc1_out", T * 2 * I);
    floats(c, "swiglu_out", T * I);
    matrix(c, "w2", D * I);
    if (d->mlp_bias) floats(c, "b2", D);
    if (!c->o->one_residual) floats(c, "mlp_out", T * D);
    return floats(c, "output", T * D);
}

static void layer_gradients(cursor *c, const ref_decoder *d)
{
    const size_t T = d->context, D = up(d->hidden, 16), h = up(d->head_dim, 16);
    const size_t I = up(d->intermediate, 16), C = up(T, 16), H = d->heads, G = d->kv_heads;
    floats(c, "d_output", T * D);
    floats(c, "d_residual1", T * D);
    floats(c, "d_mlp_out", T * D);
    floats(c, "d_swiglu_out", T * I);
    floats(c, "d_w2", D * I);
    if (d->mlp_bias) floats(c, "d_b2", D);
    floats(c, "d_fc1_out", T * 2 * I);
    floats(c, "d_ln2_out", T * D);
    floats(c, "d_w1", 2 * I * D);
    if (d->mlp_bias) floats(c, "d_b1", 2 * I);
    floats(c, "d_ln2_gamma", D);
    floats(c, "d_input", T * D);
    floats(c, "d_proj_tmp", T * D);
    floats(c, "d_attn_out", H * T * h);
    floats(c, "d_wo", D * H * h);
    if (d->output_bias) floats(c, "d_bo", D);
    floats(c, "d_q", H * T * h);
    floats(c, "d_k", G * T * h);
    floats(c, "d_v", G * T * h);
    floats(c, "d_scores", H * C * C);
    floats(c, "d_ln1_out", T * D);
    floats(c, "d_wq", H * h * D);
    if (d->qkv_bias) floats(c, "d_bq", H * h);
    floats(c, "d_wk", G * h * D);
    if (d->qkv_bias) floats(c, "d_bk", G * h);
    floats(c, "d_wv", G * h * D);
    if (d->qkv_bias) floats(c, "d_bv", G * h);
    if (d->qk_norm) floats(c, "d_q_norm_gamma", h);
    if (d->qk_norm) floats(c, "d_k_norm_gamma", h);
    floats(c, "d_ln1_gamma", D);
}

size_t ref_layout(const ref_decoder *d, const ref_layout_options *options, ref_place_fn *place,
                  void *context, size_t *layers_start)
{
    const size_t T = d->context, D = up(d->hidden, 16), V = d->vocab;
    const ref_block f32 = { 1, 4 };
    cursor c = { options, place, context, (size_t)-1, 0 };
    const size_t tokens = matrix(&c, "token_emb", V * D);
    floats(&c, "pos_emb", T * D);
    size_t input = floats(&c, "embedded_input", T * D);
    if (d->rope) floats(&c, "rope_cos_cache", T * (d->head_dim / 2));
    if (d->rope) floats(&c, "rope_sin_cache", T * (d->head_dim / 2));
    floats(&c, "final_ln_weight", D);
    floats(&c, "final_ln_bias", D);
    floats(&c, "final_ln_mean", T);
    floats(&c, "final_ln_rstd", T);
    floats(&c, "final_output", T * D);
    if (d->tied) {
        const ref_block b =
            options->block ? options->block(options->context, "token_emb", c.layer) : f32;
        place(context, "lm_head_weight", c.layer, tokens, V * D / b.elements * b.bytes);
    } else {
        matrix(&c, "lm_head_weight", V * D);
    }
    floats(&c, "logits", T * V);
    if (options->cache && options->cache < 4) {
        floats(&c, "k_new", d->kv_heads * T * up(d->head_dim, 16));
        floats(&c, "v_new", d->kv_heads * T * up(d->head_dim, 16));
    }
    if (options->training) {
        floats(&c, "d_token_emb", V * D);
        floats(&c, "d_pos_emb", T * D);
        floats(&c, "d_final_output", T * D);
        floats(&c, "d_final_input", T * D);
        floats(&c, "d_final_ln_weight", D);
        if (!d->tied) floats(&c, "d_lm_head_weight", V * D);
        floats(&c, "d_logits", T * V);
    }
    *layers_start = c.at;
    for (c.layer = 0; c.layer < d->layers; c.layer++) {
        input = layer(&c, d, input);
        if (options->training) layer_gradients(&c, d);
    }
    return up(c.at, 64) + options->guard;
}
