/* SPDX-License-Identifier: MIT */
/* References of steps that are no op by themselves. */
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

void ref_embed(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
               ref_out *out)
{
    const ref_embed_args *const g = args;
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
        const double x = (double)g->table[(size_t)g->tokens[row] * g->ld + col];
        const double p = g->positions ? (double)g->positions[row * g->ld + col] : 0;
        out->term[i] = fabs(x) + fabs(p);
        for (size_t s = 0; s < nspecs; s++) {
            const ref_ball sum = ref_add(ref_fp_of(&specs[s]), ref_exact(x), ref_exact(p));
            /* a sum that is a float is what every rounding gives */
            put(out, s, i, ref_is_float(x + p) ? ref_exact(x + p) : stored(&specs[s], sum));
        }
    }
}

void ref_turn(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
              ref_out *out)
{
    const ref_turn_args *const g = args;
    for (size_t cell = 0; cell < tile->rows * tile->cols; cell++) {
        const size_t t = tile->r0 + cell / tile->cols, col = tile->c0 + cell % tile->cols;
        const size_t i = col % g->half, upper = col >= g->half;
        const float *const x = g->x + t * g->ldx;
        const ref_ball a = ref_exact((double)x[i]), b = ref_exact((double)x[i + g->half]);
        const ref_ball c = ref_exact((double)g->cosines[t * g->half + i]);
        const ref_ball s = ref_exact((double)g->sines[t * g->half + i]);
        out->term[cell] = 0.5 * (fabs(a.v) + fabs(b.v));
        for (size_t k = 0; k < nspecs; k++) {
            const ref_fp fp = ref_fp_of(&specs[k]);
            const ref_ball y = upper ? ref_add(fp, ref_mul(fp, a, s), ref_mul(fp, b, c))
                                     : ref_sub(fp, ref_mul(fp, a, c), ref_mul(fp, b, s));
            put(out, k, cell, stored(&specs[k], y));
        }
    }
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

void ref_turn_table(const ref_model *m, size_t t, size_t i, double *cosine, double *sine,
                    double *radius)
{
    const double angle = (double)t * ref_model_frequency(m, i);
    *cosine = cos(angle);
    *sine = sin(angle);
    *radius = 0x1p-25 + 16 * REF_UD * (angle + 1);
}
