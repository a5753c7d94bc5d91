/* SPDX-License-Identifier: MIT */
/* Configs for tests. */
#ifndef CG_DRAW_H
#define CG_DRAW_H

#include "config.h"
#include "mutate.h"

/* The small decoder of the specification's figures. */
static const cg_config cg_small = { .layers = 2,
                                    .hidden = 32,
                                    .intermediate = 48,
                                    .heads = 4,
                                    .kv_heads = 2,
                                    .head_dim = 8,
                                    .vocab = 50,
                                    .context = 16,
                                    .eps = 1e-5f,
                                    .theta = 10000,
                                    .qkv_bias = true,
                                    .output_bias = true,
                                    .mlp_bias = true,
                                    .tied = true };

/* A small decoder of any kind. */
static inline cg_config cg_draw_config(uint64_t *seed)
{
    cg_config c = cg_small;
    c.layers = 1 + cg_draw(seed) % 4;
    c.hidden = 1 + cg_draw(seed) % 70;
    c.intermediate = 1 + cg_draw(seed) % 70;
    c.kv_heads = 1 + cg_draw(seed) % 3;
    c.heads = c.kv_heads * (1 + cg_draw(seed) % 3);
    c.head_dim = 2 * (1 + cg_draw(seed) % 20);
    c.vocab = 1 + cg_draw(seed) % 90;
    c.context = 1 + cg_draw(seed) % 40;
    c.theta = cg_draw(seed) % 4 ? 10000 : 0;
    c.qkv_bias = cg_draw(seed) % 2;
    c.output_bias = cg_draw(seed) % 2;
    c.mlp_bias = cg_draw(seed) % 2;
    c.tied = cg_draw(seed) % 2;
    c.qk_norm = cg_draw(seed) % 2;
    if (c.theta > 0 && cg_draw(seed) % 3 == 0) c.scaling = (cg_scaling){ 8, 1, 4, 16 };
    return c;
}

#endif
