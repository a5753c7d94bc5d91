/* SPDX-License-Identifier: MIT */
/* What the rotations share: all rows of all heads by the op's own row. */
#ifndef CK_ROPE_F32_H
#define CK_ROPE_F32_H

#include <assert.h>

#include "rope.h"

typedef void rope_row(float *y, const float *x, const float *c, const float *s, size_t half);

/* `row` is a constant function. */
static inline void rope_rows(const ck_rope_args *g, rope_row *row)
{
    assert(g->heads == 0 || g->t == 0 || g->cols == 0 || g->y);
    assert(g->heads == 0 || g->t == 0 || g->d == 0 || (g->x && g->cos && g->sin));
    assert(g->d % 2 == 0 && g->cols >= g->d);
    for (size_t h = 0; h < g->heads; h++)
        for (size_t i = 0; i < g->t; i++) {
            float *y = g->y + h * g->head_y + i * g->ldy;
            row(y, g->x + h * g->head_x + i * g->ldx, g->cos + (g->pos0 + i) * g->ldc,
                g->sin + (g->pos0 + i) * g->lds, g->d / 2);
            for (size_t j = g->d; j < g->cols; j++) y[j] = 0.0f;
        }
}

#endif
