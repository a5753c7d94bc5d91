/* SPDX-License-Identifier: MIT */
/* The tables of RoPE. */
#include "rope.h"
#include "ck_ops.h"
#include "model.h"

int ck_fill_rope(const ck_program *p, unsigned char *arena)
{
    const ck_decoder *const d = &p->decoder;
    const ck_buffer *const cosines = ck_find_buffer(p, "rope_cos_cache");
    const ck_buffer *const sines = ck_find_buffer(p, "rope_sin_cache");
    const size_t half = d->head_dim / 2;
    if (!cosines || !sines) return CK_MODEL_OK;
    const ck_rope_cache_args a = {
        .cos = (float *)(void *)(arena + cosines->offset),
        .sin = (float *)(void *)(arena + sines->offset),
        .t = d->context,
        .d = d->head_dim,
        .ldc = half,
        .lds = half,
        .theta = d->theta,
        .factor = d->factor,
        .low = d->low,
        .high = d->high,
        .context = d->original_context,
    };
    return ck_rope_cache_f32(&a) == CK_OK ? CK_MODEL_OK : CK_MODEL_KERNEL;
}
