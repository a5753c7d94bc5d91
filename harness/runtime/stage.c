/* SPDX-License-Identifier: MIT */
/* The check of one step. */
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "../memory.h"
#include "ck.h"
#include "ref.h"

/* Terms above which a product is compared in a sample, of so many columns each. */
enum { SAMPLE_TERMS = 1 << 18, SAMPLE_COLS = 16 };

ref_fn ref_rmsnorm_f32, ref_rope_half_f32, ref_residual_add_f32, ref_swiglu_f32;
ref_fn ref_gemm_nt_f32, ref_gemm_nt_swiglu_f32;

void hn_rt_cells_free(hn_rt_cells *cells)
{
    free(cells->v);
    *cells = (hn_rt_cells){ 0 };
}

static ref_out room(hn_rt_cells *cells, size_t n)
{
    if (cells->count < 3 * n) {
        free(cells->v);
        cells->count = 3 * n;
        cells->v = hn_checked(malloc(cells->count * sizeof *cells->v));
    }
    return (ref_out){ .n = n, .v = cells->v, .e = cells->v + n, .term = cells->v + 2 * n };
}

static const float *at(const unsigned char *arena, size_t offset)
{
    return offset == HN_RT_ABSENT ? NULL : (const float *)(const void *)(arena + offset);
}

/* The first row of the pass in rows of `width`. */
static const float *row_at(const unsigned char *arena, size_t offset, size_t width,
                           const hn_rt_pass *p)
{
    return at(arena, offset) + p->first * width;
}

ref_spec hn_rt_spec(const hn_rt_stage *s, bool strict)
{
    return (ref_spec){ .num = ck_dispatch(s->stem)->spec, .strict = strict, .u = 0x1p-24 };
}

/* --- the references, each of one piece of the output */

typedef struct view {
    const hn_rt_decoder *d;
    const hn_rt_stage *s;
    const hn_rt_pass *p;
    const unsigned char *before;
    const ref_spec *spec;
    ref_out *out;
} view;

static const float *input(const view *v, int i, size_t width)
{
    return row_at(v->before, v->s->in[i], width, v->p);
}

/* Copies are given as their bits. */
static void from_bits(ref_out *out)
{
    for (size_t i = 0; i < out->n; i++) {
        const uint32_t bits = (uint32_t)out->v[i];
        float x;
        memcpy(&x, &bits, sizeof x);
        out->v[i] = (double)x;
    }
}

static void embed(const view *v, const ref_tile *tile)
{
    const hn_rt_format *const f = v->s->format;
    const bool adds = v->s->in[1] != HN_RT_ABSENT;
    const ref_embedding_args a = { .w = v->before + v->s->in[0],
                                   .ids = v->p->tokens,
                                   .pos = adds ? input(v, 1, v->d->aD) : NULL,
                                   .d = v->s->used,
                                   .ldw = v->d->aD / f->elements,
                                   .ldp = v->d->aD };
    f->ref_embedding(&a, tile, v->spec, 1, v->out);
    if (!adds && !f->decode) from_bits(v->out);
}

/* `statistics`: of the rows alone. */
static void norm(const view *v, const ref_tile *tile, size_t head, bool statistics)
{
    const ref_norm_args a = { .x = input(v, 0, v->s->ld) + head * v->s->piece,
                              .gamma = at(v->before, v->s->in[1]),
                              .d = v->s->used,
                              .cols = v->s->used,
                              .ldx = v->s->ld,
                              .eps = v->d->eps,
                              .statistics = statistics };
    ref_rmsnorm_f32(&a, tile, v->spec, 1, v->out);
}

/* Weights of a piece are the rows from piece * width on; `c`: what is added, or NULL. */
static void product(const view *v, const ref_tile *tile, size_t piece, const float *c)
{
    const hn_rt_stage *const s = v->s;
    const hn_rt_format *const f = s->format;
    const unsigned char *const b =
        v->before + s->in[1] + piece * s->width * hn_rt_row_bytes(f, s->ldx);
    const float *const bias = at(v->before, s->in[2]);
    const ref_gemm_w_args blocks = { .a = input(v, 0, s->ldx),
                                     .b = b,
                                     .bias = bias ? bias + piece * s->width : NULL,
                                     .k = s->k,
                                     .lda = s->ldx,
                                     .ldb = s->ldx / f->elements,
                                     .c = c,
                                     .ldc = s->ld };
    const ref_gemm_args floats = { .a = blocks.a,
                                   .b = (const float *)(const void *)b,
                                   .bias = blocks.bias,
                                   .k = s->k,
                                   .lda = s->ldx,
                                   .ldb = s->ldx,
                                   .c = c,
                                   .ldc = s->ld,
                                   .alpha = 1,
                                   .beta = c ? 1 : 0 };
    const void *const args = f->decode ? (const void *)&blocks : &floats;
    f->ref_product(args, tile, v->spec, 1, v->out);
}

/* The same, of floats, with the gate behind it. */
static void product_gated(const view *v, const ref_tile *tile)
{
    const hn_rt_stage *const s = v->s;
    const float *const w = at(v->before, s->in[1]), *const bias = at(v->before, s->in[2]);
    const ref_gemm_glu_args a = { .a = input(v, 0, s->ldx),
                                  .b = w,
                                  .d = w + s->width * s->ldx,
                                  .bias_b = bias,
                                  .bias_d = bias ? bias + s->width : NULL,
                                  .k = s->k,
                                  .lda = s->ldx,
                                  .ldb = s->ldx,
                                  .ldd = s->ldx };
    ref_gemm_nt_swiglu_f32(&a, tile, v->spec, 1, v->out);
}

static void turn(const view *v, const ref_tile *tile, size_t head)
{
    const size_t half = v->d->d.head_dim / 2;
    const ref_rope_args a = { .x = input(v, 0, v->s->ld) + head * v->s->piece,
                              .cos = input(v, 1, half),
                              .sin = input(v, 2, half),
                              .heads = 1,
                              .t = v->p->rows,
                              .rotary = 2 * half,
                              .d = v->s->used,
                              .ldx = v->s->ld,
                              .ldc = half,
                              .lds = half };
    ref_rope_half_f32(&a, tile, v->spec, 1, v->out);
}

static void attend(const view *v, const ref_tile *tile, size_t head)
{
    const hn_rt_stage *const s = v->s;
    const ref_decoder *const d = &v->d->d;
    const size_t width = v->d->aH, apart = d->context * width;
    const ref_tile rows = { head * v->p->rows, tile->rows, 0, tile->cols };
    const ref_attention_args a = { .q = input(v, 0, width),
                                   .k = v->before + s->in[1],
                                   .v = v->before + s->in[2],
                                   .heads = d->heads,
                                   .kv_heads = d->kv_heads,
                                   .tq = v->p->rows,
                                   .tk = v->p->first + v->p->rows,
                                   .d = d->head_dim,
                                   .ldq = width,
                                   .ldk = width,
                                   .ldv = width,
                                   .head_q = apart,
                                   .head_k = apart,
                                   .head_v = apart,
                                   .scale = (float)(1 / sqrt((double)d->head_dim)) };
    v->d->cache->ref_attention(&a, &rows, v->spec, 1, v->out);
}

/* What must be in the cache, as bits. Pieces are the heads of keys, then those of values. */
static void cache(const view *v, const ref_tile *tile, size_t piece)
{
    const ref_decoder *const d = &v->d->d;
    const size_t width = v->d->aH;
    const ref_tile rows = { piece * d->context + v->p->first, tile->rows, tile->c0, tile->cols };
    const ref_kv_args a = { .k = input(v, 0, width),
                            .v = input(v, 1, width),
                            .kv_heads = d->kv_heads,
                            .t = v->p->rows,
                            .position = v->p->first,
                            .room = d->context,
                            .d = d->head_dim,
                            .ldx = width,
                            .head_x = d->context * width };
    v->d->cache->ref_write(&a, &rows, v->spec, 1, v->out);
}

static void add(const view *v, const ref_tile *tile)
{
    const size_t ld = v->s->ld;
    const ref_binary_args a = { input(v, 0, ld), input(v, 1, ld), v->s->used, ld, ld };
    ref_residual_add_f32(&a, tile, v->spec, 1, v->out);
}

static void gate(const view *v, const ref_tile *tile)
{
    const float *const x = input(v, 0, 2 * v->d->aI);
    const ref_binary_args a = { x, x + v->d->aI, v->s->used, 2 * v->d->aI, 2 * v->d->aI };
    ref_swiglu_f32(&a, tile, v->spec, 1, v->out);
}

static void reference(const view *v, const ref_tile *tile, size_t piece)
{
    switch (v->s->step) {
    case HN_RT_EMBED: embed(v, tile); break;
    case HN_RT_NORM:
    case HN_RT_HEAD_NORM: norm(v, tile, piece, false); break;
    case HN_RT_PROJECT:
    case HN_RT_LINEAR: product(v, tile, piece, NULL); break;
    case HN_RT_TURN: turn(v, tile, piece); break;
    case HN_RT_CACHE: cache(v, tile, piece); break;
    case HN_RT_ATTEND: attend(v, tile, piece); break;
    case HN_RT_ADD: add(v, tile); break;
    case HN_RT_SWIGLU: gate(v, tile); break;
    case HN_RT_GATED: product_gated(v, tile); break;
    case HN_RT_ADDED: product(v, tile, piece, input(v, 3, v->s->ld)); break;
    }
}

/* --- comparison */

/* Whether the element, of whose ball the cell is, is bad. */
static bool judge(const view *v, size_t cell, hn_rt_found element, hn_rt_found *f)
{
    const double wanted = v->out->v[cell], radius = v->out->e[cell];
    const double ratio = hn_judge(element.got, wanted, radius, false);
    const bool bad = isnan(ratio), exact = f->exact && radius == 0;
    const double worst = ratio > f->utilisation ? ratio : f->utilisation;
    if (bad || ratio > f->utilisation) {
        *f = element;
        f->wanted = wanted;
        f->radius = radius;
    }
    f->utilisation = worst;
    f->exact = exact;
    return f->bad = bad;
}

/* An element of the output: a number, or the bits of one of 16. */
static double value_at(const hn_rt_stage *s, const unsigned char *after, size_t piece, size_t row,
                       size_t col)
{
    const unsigned char *const from = after + hn_rt_place(s, piece, row, col);
    float x;
    if (s->stored->bytes < sizeof x) return from[0] | from[1] << 8;
    memcpy(&x, from, sizeof x);
    return (double)x;
}

/* Whether all is well with the pad lanes behind a piece: +0, whose bits are 0 in every format. */
static bool check_pads(const view *v, const unsigned char *after, size_t piece, hn_rt_found *f)
{
    static const unsigned char zero[sizeof(float)];
    const hn_rt_stage *const s = v->s;
    for (size_t row = v->p->first; row < v->p->first + v->p->rows; row++)
        for (size_t col = s->used; col < s->width; col++) {
            if (memcmp(after + hn_rt_place(s, piece, row, col), zero, s->stored->bytes) == 0)
                continue;
            *f = (hn_rt_found){ .pad = true, .piece = piece, .row = row, .col = col };
            f->got = value_at(s, after, piece, row, col);
            return false;
        }
    return true;
}

/* Whether all is well with the columns of a tile. */
static bool check_tile(const view *v, const unsigned char *after, size_t piece,
                       const ref_tile *tile, hn_rt_found *f)
{
    const hn_rt_stage *const s = v->s;
    v->out->n = tile->rows * tile->cols;
    reference(v, tile, piece);
    for (size_t i = 0; i < v->out->n; i++) {
        hn_rt_found e = { .piece = piece, .row = v->p->first + i / tile->cols };
        e.col = tile->c0 + i % tile->cols;
        e.got = value_at(s, after, piece, e.row, e.col);
        if (judge(v, i, e, f)) return false;
    }
    return true;
}

/* The columns that are compared: all; of a large product the first, the last and some between them. */
static size_t choose_tiles(const view *v, size_t piece, ref_tile tiles[3])
{
    const hn_rt_stage *const s = v->s;
    const size_t rows = v->p->rows, used = s->used;
    hn_rng rng = hn_stream(s->y, v->p->first, piece);
    tiles[0] = (ref_tile){ 0, rows, 0, used };
    if (s->step != HN_RT_PROJECT && s->step != HN_RT_LINEAR && s->step != HN_RT_ADDED) return 1;
    if (rows * used * s->k <= SAMPLE_TERMS || used <= 3 * SAMPLE_COLS) return 1;
    tiles[0].cols = SAMPLE_COLS;
    tiles[1] = tiles[2] = tiles[0];
    tiles[1].c0 = SAMPLE_COLS + hn_below(&rng, used - 3 * SAMPLE_COLS);
    tiles[2].c0 = used - SAMPLE_COLS;
    return 3;
}

/* Whether all is well with one piece. */
static bool check_piece(const view *v, const unsigned char *after, size_t piece, hn_rt_found *f)
{
    ref_tile tiles[3];
    const size_t count = choose_tiles(v, piece, tiles);
    for (size_t i = 0; i < count; i++)
        if (!check_tile(v, after, piece, &tiles[i], f)) return false;
    return check_pads(v, after, piece, f);
}

/* Whether all is well with the statistics of a norm. */
static bool check_statistics(const view *v, const unsigned char *after, hn_rt_found *f)
{
    norm(v, &(ref_tile){ 0, v->p->rows, 0, 1 }, 0, true);
    for (size_t t = 0; t < v->p->rows; t++) {
        hn_rt_found element = { .row = v->p->first + t, .col = HN_RT_STATISTIC };
        element.got = (double)at(after, v->s->rstd)[element.row];
        if (judge(v, t, element, f)) return false;
    }
    return true;
}

void hn_rt_check(const hn_rt_work *w, hn_rt_cells *cells, hn_rt_found *found)
{
    const ref_spec spec = hn_rt_spec(w->s, w->strict);
    ref_out out = room(cells, w->p->rows * w->s->used);
    const view v = { w->d, w->s, w->p, w->before, &spec, &out };
    *found = (hn_rt_found){ .exact = true };
    for (size_t piece = 0; piece < w->s->pieces; piece++)
        if (!check_piece(&v, w->after, piece, found)) return;
    out.n = w->p->rows;
    if (w->s->rstd != HN_RT_ABSENT) check_statistics(&v, w->after, found);
}

void hn_rt_written(const hn_rt_stage *s, const hn_rt_pass *p, hn_rt_stretch *each, void *context)
{
    /* pieces that lie side by side make one row */
    const bool beside = s->pieces > 1 && s->piece < s->ld;
    for (size_t i = 0; i < (beside ? 1 : s->pieces); i++)
        each(context, hn_rt_place(s, i, p->first, 0), p->rows * s->ld * s->stored->bytes);
    if (s->rstd != HN_RT_ABSENT)
        each(context, s->rstd + p->first * sizeof(float), p->rows * sizeof(float));
}

void hn_rt_element(const hn_rt_stage *s, const hn_rt_found *f, char *text, size_t size)
{
    if (f->col == HN_RT_STATISTIC)
        snprintf(text, size, "rstd[%zu]", f->row);
    else if (s->step == HN_RT_CACHE)
        snprintf(text, size, "%c[%zu,%zu,%zu]", f->piece < s->pieces / 2 ? 'k' : 'v',
                 f->piece % (s->pieces / 2), f->row, f->col);
    else if (s->pieces > 1 && s->step != HN_RT_LINEAR)
        snprintf(text, size, "y[%zu,%zu,%zu]", f->piece, f->row, f->col);
    else
        snprintf(text, size, "y[%zu,%zu]", f->row, f->piece * s->piece + f->col);
}
