/* SPDX-License-Identifier: MIT */
/* How mutants see the arguments of each family: the glue that lets a fault be written once. */
#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../half.h"
#include "attention.h"
#include "binary.h"
#include "ck_dtype.h"
#include "embedding.h"
#include "gemm.h"
#include "mutant.h"
#include "norm.h"
#include "quant.h"
#include "rope.h"
#include "softmax.h"
#include "unary.h"

const char *hn_wrapped_stem;
ck_fn *hn_wrapped, *hn_wrapped_fast;
ck_threads_fn *hn_wrapped_threads;
hn_view_fn *hn_viewer;
const hn_dtype_info *hn_block, *hn_second_block;

/* Mutants may write where kernels must not. */
static hn_seen see(const void *at, size_t rows, size_t cols, size_t ld, size_t unit)
{
    hn_seen seen = { .rows = rows, .cols = cols, .ld = ld, .unit = unit };
    memcpy(&seen.at, &at, sizeof seen.at);
    return seen;
}

/* Of operands in the format that the op is named after. */
static size_t element_bytes(void) { return hn_block ? hn_block->bytes : sizeof(float); }

static void view_gemm(const ck_gemm_args *g, hn_view *v)
{
    v->of[0] = see(g->y, g->m, g->n, g->ldy, sizeof(float));
    v->of[3] = see(g->c, g->m, g->n, g->ldc, sizeof(float));
    v->of[4] = see(g->bias, 1, g->n, g->n, sizeof(float));
}

static void view_gemm_nt(const void *args, hn_view *v)
{
    const ck_gemm_args *g = args;
    view_gemm(g, v);
    v->of[1] = see(g->a, g->m, g->k, g->lda, sizeof(float));
    v->of[2] = see(g->b, g->n, g->k, g->ldb, sizeof(float));
}

static void view_gemm_nn(const void *args, hn_view *v)
{
    const ck_gemm_args *g = args;
    view_gemm(g, v);
    v->of[1] = see(g->a, g->m, g->k, g->lda, sizeof(float));
    v->of[2] = see(g->b, g->k, g->n, g->ldb, sizeof(float));
}

static void view_gemm_tn(const void *args, hn_view *v)
{
    const ck_gemm_args *g = args;
    view_gemm(g, v);
    v->of[1] = see(g->a, g->k, g->m, g->lda, sizeof(float));
    v->of[2] = see(g->b, g->k, g->n, g->ldb, sizeof(float));
}

static void view_gemv(const void *args, hn_view *v)
{
    const ck_gemv_args *g = args;
    v->of[0] = see(g->y, 1, g->n, g->n, sizeof(float));
    v->of[1] = see(g->x, 1, g->k, g->k, sizeof(float));
    v->of[2] = see(g->b, g->n, g->k, g->ldb, sizeof(float));
    v->of[3] = see(g->c, 1, g->n, g->n, sizeof(float));
    v->of[4] = see(g->bias, 1, g->n, g->n, sizeof(float));
}

static void view_gemm_act(const void *args, hn_view *v)
{
    const ck_gemm_act_args *g = args;
    v->of[0] = see(g->y, g->m, g->n, g->ldy, sizeof(float));
    v->of[1] = see(g->a, g->m, g->k, g->lda, sizeof(float));
    v->of[2] = see(g->b, g->n, g->k, g->ldb, sizeof(float));
    v->of[3] = see(g->bias, 1, g->n, g->n, sizeof(float));
}

static void view_gemm_glu(const void *args, hn_view *v)
{
    const ck_gemm_glu_args *g = args;
    v->of[0] = see(g->y, g->m, g->n, g->ldy, sizeof(float));
    v->of[1] = see(g->a, g->m, g->k, g->lda, sizeof(float));
    v->of[2] = see(g->b, g->n, g->k, g->ldb, sizeof(float));
    v->of[3] = see(g->d, g->n, g->k, g->ldd, sizeof(float));
    v->of[4] = see(g->bias_b, 1, g->n, g->n, sizeof(float));
    v->of[5] = see(g->bias_d, 1, g->n, g->n, sizeof(float));
}

static void view_gemm_q(const void *args, hn_view *v)
{
    const ck_gemm_q_args *g = args;
    const size_t blocks = g->k / hn_block->elements;
    const hn_dtype_info *a = hn_second_block;
    v->of[0] = see(g->y, g->m, g->n, g->ldy, sizeof(float));
    v->of[1] = see(g->a, g->m, blocks, g->lda, a->bytes);
    v->of[2] = see(g->b, g->n, blocks, g->ldb, hn_block->bytes);
    v->of[3] = see(g->bias, 1, g->n, g->n, sizeof(float));
}

static void view_gemm_wn(const void *args, hn_view *v)
{
    const ck_gemm_wn_args *g = args;
    v->of[0] = see(g->y, g->m, g->n, g->ldy, sizeof(float));
    v->of[1] = see(g->a, g->m, g->k, g->lda, sizeof(float));
    v->of[2] = see(g->b, g->k, g->n / hn_block->elements, g->ldb, hn_block->bytes);
}

static void view_gemm_p(const void *args, hn_view *v)
{
    const ck_gemm_p_args *g = args;
    const size_t blocks = g->k / hn_block->elements, rows = hn_block->rows;
    v->of[0] = see(g->y, g->m, g->n, g->ldy, sizeof(float));
    v->of[1] = see(g->a, g->m, blocks, g->lda, hn_second_block->bytes);
    v->of[2] = see(g->b, (g->n + rows - 1) / rows, blocks, g->ldb, hn_block->bytes);
    v->of[3] = see(g->bias, 1, g->n, g->n, sizeof(float));
}

static void view_pack(const void *args, hn_view *v)
{
    const ck_pack_args *p = args;
    const size_t blocks = p->k / hn_block->elements, rows = hn_second_block->rows;
    v->of[0] = see(p->y, (p->m + rows - 1) / rows, blocks, p->ldy, hn_second_block->bytes);
    v->of[1] = see(p->x, p->m, blocks, p->ldx, hn_block->bytes);
}

static void view_gemm_w(const void *args, hn_view *v)
{
    const ck_gemm_w_args *g = args;
    v->of[0] = see(g->y, g->m, g->n, g->ldy, sizeof(float));
    v->of[1] = see(g->a, g->m, g->k, g->lda, sizeof(float));
    v->of[2] = see(g->b, g->n, g->k / hn_block->elements, g->ldb, hn_block->bytes);
    v->of[3] = see(g->bias, 1, g->n, g->n, sizeof(float));
    v->of[4] = see(g->c, g->m, g->n, g->ldc, sizeof(float));
}

static void view_gemm_h(const void *args, hn_view *v)
{
    const ck_gemm_h_args *g = args;
    const size_t y_unit = fnmatch("*_f32", hn_wrapped_stem, 0) == 0 ? sizeof(float) : 2;
    v->of[0] = see(g->y, g->m, g->n, g->ldy, y_unit);
    v->of[1] = see(g->a, g->m, g->k, g->lda, 2);
    v->of[2] = see(g->b, g->n, g->k, g->ldb, 2);
    v->of[3] = see(g->bias, 1, g->n, g->n, sizeof(float));
}

static void view_gemm_i(const void *args, hn_view *v)
{
    const ck_gemm_i_args *g = args;
    v->of[0] = see(g->y, g->m, g->n, g->ldy, sizeof *g->y);
    v->of[1] = see(g->a, g->m, g->k, g->lda, 1);
    v->of[2] = see(g->b, g->n, g->k, g->ldb, 1);
}

static void view_softmax(const void *args, hn_view *v)
{
    const ck_softmax_args *s = args;
    v->of[0] = see(s->y, s->heads * s->t, s->cols, s->ldy, sizeof(float));
    v->of[1] = see(s->x, s->heads * s->t, s->t, s->ldx, sizeof(float));
    v->of[1].period = s->t;
}

/* Rows of y and q as they lie, head by head or token by token. */
static hn_seen see_heads(const float *at, const ck_attention_args *a, size_t head, size_t ld,
                         size_t cols)
{
    return see(at, a->heads * a->tq, cols, head < ld ? head : ld, sizeof(float));
}

static void view_attention(const void *args, hn_view *v)
{
    const ck_attention_args *a = args;
    v->of[0] = see_heads(a->y, a, a->head_y, a->ldy, a->cols);
    v->of[1] = see_heads(a->q, a, a->head_q, a->ldq, a->d);
    v->of[2] = see(a->k, a->kv_heads * (a->head_k / a->ldk), a->d, a->ldk, element_bytes());
    v->of[3] = see(a->v, a->kv_heads * (a->head_v / a->ldv), a->d, a->ldv, element_bytes());
}

static void view_rmsnorm(const void *args, hn_view *v)
{
    const ck_rmsnorm_args *g = args;
    v->of[0] = see(g->y, g->t, g->cols, g->ldy, element_bytes());
    v->of[1] = see(g->x, g->t, g->d, g->ldx, element_bytes());
    v->of[2] = see(g->gamma, 1, g->d, g->d, sizeof(float));
}

static void view_layernorm(const void *args, hn_view *v)
{
    const ck_layernorm_args *g = args;
    v->of[0] = see(g->y, g->t, g->cols, g->ldy, element_bytes());
    v->of[1] = see(g->x, g->t, g->d, g->ldx, element_bytes());
    v->of[2] = see(g->gamma, 1, g->d, g->d, sizeof(float));
    v->of[3] = see(g->beta, 1, g->d, g->d, sizeof(float));
}

static void view_binary(const void *args, hn_view *v)
{
    const ck_binary_args *g = args;
    v->of[0] = see(g->y, g->t, g->cols, g->ldy, element_bytes());
    v->of[1] = see(g->a, g->t, g->d, g->lda, element_bytes());
    v->of[2] = see(g->b, g->t, g->d, g->ldb, element_bytes());
}

static void view_embedding(const void *args, hn_view *v)
{
    const ck_embedding_args *g = args;
    const size_t elements = hn_block ? hn_block->elements : 1;
    const size_t rows = g->pos ? g->pos0 + g->t : 0;
    v->of[0] = see(g->y, g->t, g->cols, g->ldy, sizeof(float));
    v->of[1] = see(g->w, g->vocab, g->d / elements, g->ldw, hn_block ? hn_block->bytes : 4);
    v->of[2] = see(g->ids, g->t, 1, 1, sizeof *g->ids);
    v->of[3] = see(g->pos, rows, g->d, g->ldp, sizeof(float));
}

static void view_rope(const void *args, hn_view *v)
{
    const ck_rope_args *g = args;
    const size_t rows = g->heads * g->t;
    v->of[0] = see(g->y, rows, g->cols, g->head_y < g->ldy ? g->head_y : g->ldy, sizeof(float));
    v->of[1] = see(g->x, rows, g->d, g->head_x < g->ldx ? g->head_x : g->ldx, sizeof(float));
    v->of[2] = see(g->cos, g->pos0 + g->t, g->rotary / 2, g->ldc, sizeof(float));
    v->of[3] = see(g->sin, g->pos0 + g->t, g->rotary / 2, g->lds, sizeof(float));
}

/* The sines lie behind the cosines. */
static void view_rope_cache(const void *args, hn_view *v)
{
    const ck_rope_cache_args *g = args;
    v->of[0] = see(g->cos, g->t, g->d, g->ldc, sizeof(float));
}

static void view_unary(const void *args, hn_view *v)
{
    const ck_unary_args *u = args;
    v->of[0] = see(u->y, 1, u->n, u->n, sizeof(float));
    v->of[1] = see(u->x, 1, u->n, u->n, sizeof(float));
}

static void view_quantize(const void *args, hn_view *v)
{
    const ck_quantize_args *q = args;
    const size_t blocks = q->n / hn_block->elements;
    v->of[0] = see(q->y, 1, blocks, blocks, hn_block->bytes);
    v->of[1] = see(q->x, 1, q->n, q->n, sizeof(float));
}

static void view_dequant(const void *args, hn_view *v)
{
    const ck_dequant_args *d = args;
    const size_t blocks = d->n / hn_block->elements;
    v->of[0] = see(d->y, 1, d->n, d->n, sizeof(float));
    v->of[1] = see(d->x, 1, blocks, blocks, hn_block->bytes);
}

/* The first that matches. */
static const struct {
    const char *stems;
    hn_view_fn *view;
} views[] = {
    { "gemm_nt_f32", view_gemm_nt },
    { "gemm_nn_f32", view_gemm_nn },
    { "gemm_tn_f32", view_gemm_tn },
    { "gemv_f32", view_gemv },
    { "gemm_nt_*x8_q8_?", view_gemm_p },
    { "gemm_nt_*_q8_?", view_gemm_q },
    { "pack_*", view_pack },
    { "gemm_nt_*f16_*f16_*", view_gemm_h },
    { "gemm_nt_*_i32", view_gemm_i },
    { "gemm_nt_?elu_f32", view_gemm_act },
    { "gemm_nt_silu_f32", view_gemm_act },
    { "gemm_nt_swiglu_f32", view_gemm_glu },
    { "gemm_nt_*_f32", view_gemm_w },
    { "gemm_nn_*_f32", view_gemm_wn },
    { "softmax_causal_*", view_softmax },
    { "attention_*", view_attention },
    { "quantize_row_*", view_quantize },
    { "dequant_row_*", view_dequant },
    { "rmsnorm_*", view_rmsnorm },
    { "layernorm_*", view_layernorm },
    { "embedding_*", view_embedding },
    { "rope_cache_*", view_rope_cache },
    { "rope_*", view_rope },
    { "swiglu_*", view_binary },
    { "residual_add_*", view_binary },
    { "*", view_unary },
};

hn_view_fn *hn_view_for(const char *stem)
{
    size_t i = 0;
    while (fnmatch(views[i].stems, stem, 0) != 0) i++;
    return views[i].view;
}

float hn_element(const void *p, size_t i)
{
    const unsigned char *const bytes = p;
    float x;
    if (hn_block) return (float)hn_number(hn_block, bytes + i * hn_block->bytes);
    memcpy(&x, bytes + i * sizeof x, sizeof x);
    return x;
}

uint16_t hn_short_bits(const hn_dtype_info *info, float x)
{
    return info == &hn_dtypes[HN_F16] ? hn_half_nearest(x) : hn_brain_nearest(x);
}

float hn_short_value(const hn_dtype_info *info, uint16_t bits)
{
    return (float)hn_number(info, (const unsigned char *)&bits);
}

void hn_set_element(void *p, size_t i, float x)
{
    unsigned char *const bytes = p;
    const uint16_t bits = hn_block ? hn_short_bits(hn_block, x) : 0;
    if (hn_block)
        memcpy(bytes + i * sizeof bits, &bits, sizeof bits);
    else
        memcpy(bytes + i * sizeof x, &x, sizeof x);
}

void hn_spoil(const hn_seen *o, size_t row, size_t col)
{
    unsigned char *unit = hn_seen_at(o, row, col);
    float y;
    if (o->unit != sizeof y) {
        unit[o->unit - 1] ^= 1;
        return;
    }
    memcpy(&y, unit, sizeof y);
    /* beyond that any result may be right */
    if (!(fabsf(y) < 0x1p90f)) return;
    y = 0x1p96f;
    memcpy(unit, &y, sizeof y);
}
