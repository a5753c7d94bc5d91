/* SPDX-License-Identifier: MIT */
/* The text of embedding of every format, compiled once per ISA, after simd/<isa>.h: a row is what
 * dequant_row's own text makes of it, then positions are added. */
#ifndef CK_EMBEDDING_ROWS_H
#define CK_EMBEDDING_ROWS_H

#include <assert.h>

#include "ck_dtype.h"
#include "copy_f32.h"
#include "embedding.h"
#include "kernel.h"
#include "quant.h"
#include "strict.h"

#define CK_EMBEDDING_SPEC(multiple)                                         \
    {                                                                       \
        .lanes = 0, .accs = 1, .ku = CK_VF_LANES, .k_multiple = (multiple), \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,          \
    }

typedef void embedding_row(const void *args); /* ck_dequant_args */
typedef void embedding_add(float *y, const float *pos, size_t n);

static inline void embedding_row_f32(const void *args)
{
    const ck_dequant_args *const r = args;
    copy_f32(r->y, r->x, r->n);
}

static inline void embedding_sum(float *y, const float *pos, size_t n)
{
    size_t j = 0;
    for (; n - j >= CK_VF_LANES; j += CK_VF_LANES)
        ck_vf_store(y + j, ck_vf_add(ck_vf_load(y + j), ck_vf_load(pos + j)));
    if (j == n) return;
    const ck_vf row = ck_vf_load_n(y + j, n - j, 0.0f), more = ck_vf_load_n(pos + j, n - j, 0.0f);
    ck_vf_store_n(y + j, ck_vf_add(row, more), n - j);
}

static inline void embedding_sum_strict(float *y, const float *pos, size_t n)
{
    size_t j = 0;
    for (; n - j >= CK_VD_LANES; j += CK_VD_LANES)
        ck_vd_store(y + j, ck_vd_add(ck_vd_load(y + j), ck_vd_load(pos + j)));
    if (j == n) return;
    const ck_vd row = ck_vd_load_n(y + j, n - j, 0.0f), more = ck_vd_load_n(pos + j, n - j, 0.0f);
    ck_vd_store_n(y + j, ck_vd_add(row, more), n - j);
}

/* `row` and `add` are constant functions; rows of the table are ldw units of `bytes` apart. */
static inline void embedding_rows(const ck_embedding_args *g, size_t bytes, embedding_row *row,
                                  embedding_add *add)
{
    const unsigned char *const w = g->w;
    assert(g->t == 0 || g->cols == 0 || (g->y && g->ids));
    assert(g->cols >= g->d && g->ldy >= g->cols);
    for (size_t i = 0; i < g->t; i++) {
        float *const y = g->y + i * g->ldy;
        assert(g->ids[i] >= 0 && (size_t)g->ids[i] < g->vocab);
        if (g->d) {
            row(&(const ck_dequant_args){ y, w + (size_t)g->ids[i] * g->ldw * bytes, g->d });
            if (g->pos) add(y, g->pos + (g->pos0 + i) * g->ldp, g->d);
        }
        for (size_t j = g->d; j < g->cols; j++) y[j] = 0.0f;
    }
}

/* The fast and the strict kernel of a format and an ISA; dequant_row's text does the same in both, but
 * for the caller's rounding. */
#define CK_EMBEDDING(dtype, isa, bytes, row)                    \
    static void strict(const void *args)                        \
    {                                                           \
        embedding_rows(args, bytes, row, embedding_sum_strict); \
    }                                                           \
    void ck_embedding_##dtype##_##isa(const void *args)         \
    {                                                           \
        embedding_rows(args, bytes, row, embedding_sum);        \
    }                                                           \
    void ck_embedding_##dtype##_##isa##_strict(const void *args) { ck_strict_run(strict, args); }

#endif
