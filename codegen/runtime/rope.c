/* SPDX-License-Identifier: MIT */
/* The tables of RoPE. */
#include <math.h>

#include "model.h"

/* f as llama3 scales it. */
static double scaled(double f, const ck_decoder *d)
{
    const double wave = 2 * 3.14159265358979323846 / f, context = (double)d->original_context;
    const double factor = (double)d->factor, low = (double)d->low, high = (double)d->high;
    if (d->factor == 0 || wave < context / high) return f;
    if (wave > context / low) return f / factor;
    const double s = (context / wave - low) / (high - low);
    return (1 - s) * f / factor + s * f;
}

void ck_fill_rope(const ck_program *p, unsigned char *arena)
{
    const ck_decoder *const d = &p->decoder;
    const ck_buffer *const cosines = ck_find_buffer(p, "rope_cos_cache");
    const ck_buffer *const sines = ck_find_buffer(p, "rope_sin_cache");
    const size_t half = d->head_dim / 2;
    if (!cosines || !sines) return;
    float *const c = (float *)(void *)(arena + cosines->offset);
    float *const s = (float *)(void *)(arena + sines->offset);
    for (size_t i = 0; i < half; i++) {
        const double f = scaled(pow((double)d->theta, -2 * (double)i / (double)d->head_dim), d);
        for (size_t t = 0; t < d->context; t++) {
            c[t * half + i] = (float)cos((double)t * f);
            s[t * half + i] = (float)sin((double)t * f);
        }
    }
}
