/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks: what the variants share. Each brings the sum of one output, fast, and
 * the exact integers of one block pair; no output's order of summation depends on m or n. */
#ifndef CK_GEMM_NT_Q_H
#define CK_GEMM_NT_Q_H

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "ck_dtype.h"
#include "f16.h"
#include "gemm.h"
#include "kernel.h"
#include "strict.h"

/* Block sums are terms; with `width` lanes term l is in lane l mod width. */
#define CK_GEMM_Q_SPEC(width, block, more)                                                         \
    {                                                                                              \
        .lanes = (width), .accs = 1, .tail = CK_TAIL_LANE, .tree = CK_TREE_HALVING, .ku = (width), \
        .k_multiple = (block), .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT | (more), \
    }

/* A pair of formats. The scale of a block of a is at its begin, an f32 in blocks of 256, else an f16;
 * that of b an f16 at b_scale. A minimum of b is an f16 at MIN: blocks of 256 have the integers m[j]
 * that it multiplies and take it off, others add it to each element. */
typedef struct formats {
    size_t elements, a_bytes, b_bytes, b_scale;
    bool has_min;
    int zero; /* of blocks of 32: the code that stands for 0 */
} formats;
enum { MIN = 2, A_SUM = 2 /* s of q8_1 */, A_CODES_K = 4, A_BSUMS_K = 260 };

static const formats q4_0_q8_0 = { 32, CK_Q8_0_BYTES, CK_Q4_0_BYTES, 0, false, 8 };
static const formats q4_1_q8_1 = { 32, CK_Q8_1_BYTES, CK_Q4_1_BYTES, 0, true, 0 };
static const formats q4_k_q8_k = { CK_K_BLOCK, CK_Q8_K_BYTES, CK_Q4_K_BYTES, 0, true, 0 };
static const formats q5_0_q8_0 = { 32, CK_Q8_0_BYTES, CK_Q5_0_BYTES, 0, false, 16 };
static const formats q5_1_q8_1 = { 32, CK_Q8_1_BYTES, CK_Q5_1_BYTES, 0, true, 0 };
static const formats q5_k_q8_k = { CK_K_BLOCK, CK_Q8_K_BYTES, CK_Q5_K_BYTES, 0, true, 0 };
static const formats q6_k_q8_k = { CK_K_BLOCK, CK_Q8_K_BYTES, CK_Q6_K_BYTES, 208, false, 0 };
static const formats q8_0_q8_0 = { 32, CK_Q8_0_BYTES, CK_Q8_0_BYTES, 0, false, 0 };

/* The integers of a block pair, each below 2^28 in magnitude:
 *   codes    sum of the products of codes; blocks of 256: of s[j] times that of sub-block j
 *   minimums blocks of 256 with minimums: sum of m[j] times the sum of a's codes there, as stored in
 *            bsums, whatever is stored; else unused */
typedef struct integers {
    int32_t codes, minimums;
} integers;

static inline float f32_load(const unsigned char *p)
{
    float x;

    memcpy(&x, p, sizeof x);
    return x;
}

static inline float half_at(const unsigned char *p) { return f16_to_f32(f16_load(p)); }

static inline bool is_k(const formats *f) { return f->elements == CK_K_BLOCK; }

/* a's scale, and what multiplies b's minimum of a block: s, or the scale again. */
static inline float a_scale(const formats *f, const unsigned char *a)
{
    return is_k(f) ? f32_load(a) : half_at(a);
}
static inline float a_sum(const formats *f, const unsigned char *a)
{
    return is_k(f) ? f32_load(a) : half_at(a + A_SUM);
}

/* The row that starts `first` blocks from base, which may be NULL if rows are empty. */
static inline const unsigned char *row_at(const void *base, size_t first, size_t bytes,
                                          size_t blocks)
{
    return blocks ? (const unsigned char *)base + first * bytes : NULL;
}

static inline void gemm_check(const ck_gemm_q_args *g, const formats *f)
{
    assert(g->k % f->elements == 0 && g->ldy >= g->n);
    assert(g->lda >= g->k / f->elements && g->ldb >= g->k / f->elements);
    (void)g;
    (void)f;
}

/* One block pair of the strict sum. Halves have 11 bits, so that in blocks of 32 every product is
 * exact; else each is rounded to double. */
static inline double strict_term(double sum, const formats *f, const unsigned char *a,
                                 const unsigned char *b, integers i)
{
    sum += (double)a_scale(f, a) * (double)half_at(b + f->b_scale) * (double)i.codes;
    if (!f->has_min) return sum;
    const double min = (double)a_sum(f, a) * (double)half_at(b + MIN);
    return is_k(f) ? sum - min * (double)i.minimums : sum + min;
}

#endif
