/* SPDX-License-Identifier: MIT */
/* The text of gemm_nt_swiglu_f32, compiled once per ISA: gemm_f32.h says after what. Each sum is that
 * of gemm_nt_f32. */
#ifndef CK_GEMM_NT_GLU_H
#define CK_GEMM_NT_GLU_H

#include "gemm_nt/gemm_nt_act.h"

/* The gates of a block while the other factors are summed up. */
typedef struct glu_room {
    gemm_room half;
    _Alignas(64) float gate[GEMM_MC * GEMM_NC];
} glu_room;

/* Both factors as products; that of the gates has y as well. */
typedef struct glu {
    ck_gemm_args gate, up;
} glu;

static inline glu glu_of(const ck_gemm_glu_args *g)
{
    const ck_gemm_act_args gate = { g->y, g->a, g->b,   g->bias_b, g->m,
                                    g->n, g->k, g->ldy, g->lda,    g->ldb };
    glu both = { gemm_act_product(&gate), gemm_act_product(&gate) };
    both.up.b = g->d;
    both.up.ldb = g->ldd;
    both.up.bias = g->bias_d;
    return both;
}

static inline ck_vf glu_biased(const ck_gemm_args *g, size_t j, size_t n, ck_vf sum)
{
    return g->bias ? ck_vf_add(sum, gemm_load(g->bias + j, n)) : sum;
}

/* y = silu(gate) up, from the sums of these columns. */
static inline void glu_store(const glu *g, float *y, gemm_part columns, const float *gate,
                             const float *up)
{
    for (size_t v = 0; v < columns.wide; v += CK_VF_LANES) {
        const size_t j = columns.at + v, n = columns.wide - v;
        const ck_vf x = glu_biased(&g->gate, j, n, ck_vf_load(gate + v));
        const ck_vf factor = glu_biased(&g->up, j, n, ck_vf_load(up + v));
        gemm_put(y + j, ck_vf_mul(ck_vf_silu(x), factor), n);
    }
}

static inline void glu_run(const glu *g, const gemm_way *way)
{
    glu_room room;
    for (size_t j = 0; j < g->gate.n; j += GEMM_NC)
        for (size_t i = 0; i < g->gate.m; i += GEMM_MC) {
            const gemm_part rows = { i, gemm_least(GEMM_MC, g->gate.m - i), 0, 0 };
            const gemm_part columns = { j, gemm_least(GEMM_NC, g->gate.n - j), 0, 0 };
            gemm_sums(&g->gate, way, &room.half, rows, columns);
            for (size_t s = 0; s < rows.wide * GEMM_NC; s += CK_VF_LANES)
                ck_vf_store(room.gate + s, ck_vf_load(room.half.sum + s));
            gemm_sums(&g->up, way, &room.half, rows, columns);
            for (size_t r = 0; r < rows.wide; r++)
                glu_store(g, g->gate.y + (i + r) * g->gate.ldy, columns, room.gate + r * GEMM_NC,
                          room.half.sum + r * GEMM_NC);
        }
}

static inline void glu_vector(const glu *g)
{
    for (size_t j = 0; j < g->gate.n; j += CK_VF_LANES) {
        const gemm_part columns = { j, gemm_least(CK_VF_LANES, g->gate.n - j), 0, 0 };
        float gate[CK_VF_LANES], up[CK_VF_LANES];
        ck_vf_store(gate, gemm_vector_sums(&g->gate, columns));
        ck_vf_store(up, gemm_vector_sums(&g->up, columns));
        glu_store(g, g->gate.y, columns, gate, up);
    }
}

static inline void gemm_swiglu(const void *args)
{
    const glu g = glu_of(args);
    const gemm_way way = { NULL, gemm_pack_b_columns, gemm_fetch_b_columns, NULL };
    gemm_check(&g.gate, g.gate.k, g.gate.k);
    gemm_check(&g.up, g.up.k, g.up.k);
    if (g.gate.m == 1)
        glu_vector(&g);
    else
        glu_run(&g, &way);
}

static inline void gemm_swiglu_strict(const void *args)
{
    const ck_gemm_glu_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const float *a = gemm_row(g->a, i, g->lda, g->k);
            const float *b = gemm_row(g->b, j, g->ldb, g->k), *d = gemm_row(g->d, j, g->ldd, g->k);
            const double gate = gemm_act_sum_strict(a, b, g->bias_b ? g->bias_b + j : NULL, g->k);
            const double up = gemm_act_sum_strict(a, d, g->bias_d ? g->bias_d + j : NULL, g->k);
            const ck_vd y = ck_vd_mul(ck_vd_silu(ck_vd_set1(gate)), ck_vd_set1(up));
            ck_vd_store_n(g->y + i * g->ldy + j, y, 1);
        }
}

#endif
