/* SPDX-License-Identifier: MIT */
/* Reference of writing to a cache of keys and values: what each place must hold afterwards. */
#include "step.h"

ref_fn ref_kv_write_f32, ref_kv_write_f16, ref_kv_write_bf16;
ref_fn ref_quantize_row_f16, ref_quantize_row_bf16;

/* Cells as bits, one after the other. */
static void copy_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out)
{
    const float *x = ((const ref_quantize_args *)args)->x;
    (void)specs;
    for (size_t i = 0; i < tile->cols; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        ref_put_all(out, nspecs, i, (double)bits);
    }
}

/* Which token of which head of k or v belongs into row r of the caches, all rows of keys coming first;
 * NULL: none is written there. */
static const float *source_of(const ref_kv_args *a, size_t r)
{
    const size_t half = a->kv_heads * a->room, place = r % half;
    const size_t head = a->token_major ? place % a->kv_heads : place / a->room;
    const size_t token = a->token_major ? place / a->kv_heads : place % a->room;
    if (token < a->position || token - a->position >= a->t) return NULL;
    return (r < half ? a->k : a->v) + head * a->head_x + (token - a->position) * a->ldx;
}

static void each(const ref_kv_args *a, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                 ref_out *out, ref_fn *row)
{
    for (size_t i = 0; i < tile->rows; i++) {
        const size_t at = i * tile->cols;
        const float *x = source_of(a, tile->r0 + i);
        ref_out cells = { out->n, out->v + at, out->term + at, out->e + at };
        for (size_t c = 0; c < tile->cols; c++) ref_put_all(&cells, nspecs, c, 0);
        for (size_t c = 0; !x && c < tile->cols; c++)
            for (size_t s = 0; s < nspecs; s++)
                ref_put(&cells, s, c, (ref_ball){ (double)NAN, REF_ANY });
        if (!x || tile->c0 >= a->d) continue;
        const size_t left = a->d - tile->c0;
        const ref_tile part = { 0, 1, 0, left < tile->cols ? left : tile->cols };
        row(&(ref_quantize_args){ x + tile->c0 }, &part, specs, nspecs, &cells);
    }
}

/* The bits of k or v, +0 beyond d, no demand where nothing is written. Source: kv.h. */
void ref_kv_write_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                      ref_out *out)
{
    each(args, tile, specs, nspecs, out, copy_f32);
}

/* The same of the numbers rounded to f16. Source: kv.h; docs/formats.md. */
void ref_kv_write_f16(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                      ref_out *out)
{
    each(args, tile, specs, nspecs, out, ref_quantize_row_f16);
}

/* And to bf16. */
void ref_kv_write_bf16(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                       ref_out *out)
{
    each(args, tile, specs, nspecs, out, ref_quantize_row_bf16);
}
