/* SPDX-License-Identifier: MIT */
/* The merge of heads. */
#include "ref_stage.h"

#include <stdlib.h>

#include "ball.h"

ref_fn ref_gemm_nt_f32;

/* What a kernel stores: strict ones round once more, to a float. */
static ref_ball stored(const ref_spec *spec, ref_ball y)
{
    if (spec->strict && y.e >= 0) y.e += ref_half_ulp(fabs(y.v) + y.e);
    return y;
}

static void put(ref_out *out, size_t spec, size_t cell, ref_ball y)
{
    out->v[spec * out->n + cell] = y.v;
    out->e[spec * out->n + cell] = y.e;
}

/* Adds one head's product to what the heads before left in `out`. */
static void add_head(const ref_out *head, const ref_spec *specs, size_t nspecs, ref_out *out)
{
    for (size_t i = 0; i < out->n; i++) out->term[i] += head->term[i];
    for (size_t k = 0; k < nspecs * out->n; k++) {
        const ref_spec *const spec = &specs[k / out->n];
        const ref_ball y = { out->v[k], out->e[k] }, x = { head->v[k], head->e[k] };
        const int any = y.e < 0 || x.e < 0;
        const ref_ball sum = any ? (ref_ball){ 0, REF_ANY } : ref_add(ref_fp_of(spec), y, x);
        put(out, 0, k, any ? sum : stored(spec, sum));
    }
}

void ref_merge(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
               ref_out *out)
{
    const ref_merge_args *const g = args;
    ref_out head = { .n = out->n };
    double *const room = malloc((2 * nspecs + 1) * out->n * sizeof *room);
    if (!room) abort();
    head.v = room;
    head.e = room + nspecs * out->n;
    head.term = head.e + nspecs * out->n;
    for (size_t h = 0; h < g->heads; h++) {
        const ref_gemm_args product = { .a = g->x + h * g->head_x,
                                        .b = g->w + h * g->head_w,
                                        .bias = h == 0 ? g->bias : NULL,
                                        .k = g->k,
                                        .lda = g->ldx,
                                        .ldb = g->ldw,
                                        .alpha = 1 };
        ref_gemm_nt_f32(&product, tile, specs, nspecs, h == 0 ? out : &head);
        if (h > 0) add_head(&head, specs, nspecs, out);
    }
    for (size_t i = 0; i < out->n; i++) out->term[i] /= (double)g->heads;
    free(room);
}
