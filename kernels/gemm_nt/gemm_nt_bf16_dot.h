/* SPDX-License-Identifier: MIT */
/* gemm_nt of bf16 by bf16 with VDPBF16PS, after gemm_nt_16.h. The instruction rounds to nearest and takes and
 * gives zeros for subnormals, whatever MXCSR says. */
#ifndef CK_GEMM_NT_BF16_DOT_H
#define CK_GEMM_NT_BF16_DOT_H

/* Elements 2i and 2i + 1 of 32 go to lane i, whose two sums may be rounded apart or not. */
#define CK_GEMM_BF16_DOT_SPEC                                                                \
    {                                                                                        \
        .lanes = 0, .accs = 1, .mr = CK_GEMM_16_MR, .ku = 32,                                \
        .flags = CK_NUM_FTZ | CK_NUM_DAZ | CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT, \
    }

enum { PAIRS = 32 /* elements of a register */ };

/* PAIRS elements of a row of which n >= 1 are left; those beyond are 0. */
static inline __m512bh read_pairs(const unsigned char *p, size_t n)
{
    unsigned char rest[2 * PAIRS] = { 0 };
    if (n >= PAIRS) return (__m512bh)_mm512_loadu_si512(p);
    memcpy(rest, p, 2 * n);
    return (__m512bh)_mm512_loadu_si512(rest);
}

/* As gemm_16_tile. */
CK_INLINE void bf16_dot_tile(const rows_16 *g, const sixteen *w, size_t i, size_t j)
{
    const size_t last = g->m - 1 - i;
    const unsigned char *b = g->k ? g->b + j * g->ldb : g->b, *a[CK_GEMM_16_MR];
    __m512 acc[CK_GEMM_16_MR];
    for (size_t r = 0; r < CK_GEMM_16_MR; r++) {
        a[r] = g->k ? g->a + (i + (r < last ? r : last)) * g->lda : g->a;
        acc[r] = _mm512_setzero_ps();
    }
    for (size_t l = 0; l < g->k; l += PAIRS) {
        const __m512bh bv = read_pairs(b + 2 * l, g->k - l);
        for (size_t r = 0; r < CK_GEMM_16_MR; r++)
            acc[r] = _mm512_dpbf16_ps(acc[r], read_pairs(a[r] + 2 * l, g->k - l), bv);
    }
    for (size_t r = 0; r < CK_GEMM_16_MR && r <= last; r++) {
        const float sum = ck_vf_sum(acc[r]);
        w->y->store_n(g->y + (i + r) * g->ldy + j * w->y->bytes,
                      ck_vf_set1(g->bias ? sum + g->bias[j] : sum), 1);
    }
}

CK_INLINE void bf16_dot(const rows_16 *g, const sixteen *w)
{
    gemm_16_check(g, w);
    for (size_t j = 0; j < g->n; j++)
        for (size_t i = 0; i < g->m; i += CK_GEMM_16_MR) bf16_dot_tile(g, w, i, j);
}

#endif
