/* SPDX-License-Identifier: MIT */
/* What the rotations share, after simd/<isa>.h: all rows of all heads, the turn of a pair. */
#ifndef CK_ROPE_F32_H
#define CK_ROPE_F32_H

#include <assert.h>
#include <string.h>

#include "rope.h"

typedef void rope_row(float *y, const float *x, const float *c, const float *s, size_t half);

/* `row` is a constant function. */
static inline void rope_rows(const ck_rope_args *g, rope_row *row)
{
    assert(g->heads == 0 || g->t == 0 || g->cols == 0 || g->y);
    assert(g->heads == 0 || g->t == 0 || g->d == 0 || g->x);
    assert(g->heads == 0 || g->t == 0 || g->rotary == 0 || (g->cos && g->sin));
    assert(g->rotary % 2 == 0 && g->rotary <= g->d && g->d <= g->cols);
    for (size_t h = 0; h < g->heads; h++)
        for (size_t i = 0; i < g->t; i++) {
            const size_t turn = g->pos0 + i;
            float *y = g->y + h * g->head_y + i * g->ldy;
            const float *x = g->d ? g->x + h * g->head_x + i * g->ldx : NULL;
            if (g->rotary) row(y, x, g->cos + turn * g->ldc, g->sin + turn * g->lds, g->rotary / 2);
            if (y != x && g->d > g->rotary)
                memcpy(y + g->rotary, x + g->rotary, (g->d - g->rotary) * sizeof *y);
            for (size_t j = g->d; j < g->cols; j++) y[j] = 0.0f;
        }
}

typedef struct rope_turned {
    ck_vf first, second;
} rope_turned;

/* (a c - b s, b c + a s); -s by a product, which is exact in every rounding mode. */
static inline rope_turned rope_turn(ck_vf a, ck_vf b, ck_vf c, ck_vf s)
{
    const ck_vf minus = ck_vf_mul(s, ck_vf_set1(-1.0f));
    return (rope_turned){ ck_vf_muladd(a, c, ck_vf_mul(b, minus)),
                          ck_vf_muladd(b, c, ck_vf_mul(a, s)) };
}

typedef struct rope_turned_strict {
    ck_vd first, second;
} rope_turned_strict;

static inline rope_turned_strict rope_turn_strict(ck_vd a, ck_vd b, ck_vd c, ck_vd s)
{
    return (rope_turned_strict){ ck_vd_sub(ck_vd_mul(a, c), ck_vd_mul(b, s)),
                                 ck_vd_add(ck_vd_mul(b, c), ck_vd_mul(a, s)) };
}

#endif
