/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks, plain C: one ascending chain over the blocks, a second one over their
 * minimums. */
#ifndef CK_GEMM_NT_Q_SCALAR_H
#define CK_GEMM_NT_Q_SCALAR_H

#include "gemm_nt_q.h"
#include "scales_k.h"

typedef integers block_dot_fn(const unsigned char *a, const unsigned char *b);

typedef struct dots {
    const formats *f;
    block_dot_fn *dot;
} dots;

/* 32 codes of four bits less zero, with those of a; qh, if there is one, has their fifth bits. */
static inline integers dot_nibbles(const unsigned char *a, const unsigned char *qs,
                                   const unsigned char *qh, int zero)
{
    int8_t qa[32];
    uint32_t fifths = 0;
    int32_t sum = 0;

    memcpy(qa, a, sizeof qa);
    if (qh) memcpy(&fifths, qh, sizeof fifths);
    for (int e = 0; e < 16; e++) {
        const int low = (qs[e] & 15) + (int)(fifths >> e & 1) * 16;
        const int high = (qs[e] >> 4) + (int)(fifths >> (e + 16) & 1) * 16;
        sum += (low - zero) * qa[e] + (high - zero) * qa[e + 16];
    }
    return (integers){ sum, 0 };
}

static inline integers dot_q4_0(const unsigned char *a, const unsigned char *b)
{
    return dot_nibbles(a + 2, b + 2, NULL, 8);
}
static inline integers dot_q5_0(const unsigned char *a, const unsigned char *b)
{
    return dot_nibbles(a + 2, b + 6, b + 2, 16);
}
static inline integers dot_q4_1(const unsigned char *a, const unsigned char *b)
{
    return dot_nibbles(a + 4, b + 4, NULL, 0);
}
static inline integers dot_q5_1(const unsigned char *a, const unsigned char *b)
{
    return dot_nibbles(a + 4, b + 8, b + 4, 0);
}

static inline integers dot_q8_0(const unsigned char *a, const unsigned char *b)
{
    int8_t qa[CK_Q8_0_BLOCK], qb[CK_Q8_0_BLOCK];
    int32_t sum = 0;

    memcpy(qa, a + 2, sizeof qa);
    memcpy(qb, b + 2, sizeof qb);
    for (int e = 0; e < CK_Q8_0_BLOCK; e++) sum += qa[e] * qb[e];
    return (integers){ sum, 0 };
}

static inline int32_t bsums_of(const unsigned char *a, int j)
{
    int16_t pair[2];

    memcpy(pair, a + A_BSUMS_K + 4 * j, sizeof pair);
    return pair[0] + pair[1];
}

/* q4_k, and q5_k where qh is not NULL: sub-block j has nibbles j mod 2 of the 32 bytes j / 2. */
static inline integers dot_q45_k(const unsigned char *a, const unsigned char *b,
                                 const unsigned char *qh, const unsigned char *qs)
{
    const scales_k k = scales_k_unpack(b + 4);
    int8_t qa[CK_K_BLOCK];
    integers sum = { 0, 0 };

    memcpy(qa, a + A_CODES_K, sizeof qa);
    for (int j = 0; j < 8; j++) {
        int32_t codes = 0;
        for (int l = 0; l < 32; l++) {
            const int low = qs[j / 2 * 32 + l] >> j % 2 * 4 & 15;
            codes += (low + (qh ? (qh[l] >> j & 1) * 16 : 0)) * qa[32 * j + l];
        }
        sum.codes += k.s[j] * codes;
        sum.minimums += k.m[j] * bsums_of(a, j);
    }
    return sum;
}

static inline integers dot_q4_k(const unsigned char *a, const unsigned char *b)
{
    return dot_q45_k(a, b, NULL, b + 16);
}
static inline integers dot_q5_k(const unsigned char *a, const unsigned char *b)
{
    return dot_q45_k(a, b, b + 16, b + 48);
}

/* Runs of 32 elements, four of each half h: run r has nibble r / 2 of the bytes 32 (r % 2) on of the
 * half's ql, and the bits 2r, 2r + 1 of its qh. */
static inline integers dot_q6_k(const unsigned char *a, const unsigned char *b)
{
    int8_t qa[CK_K_BLOCK], scales[16];
    int32_t sum = 0;

    memcpy(qa, a + A_CODES_K, sizeof qa);
    memcpy(scales, b + 192, sizeof scales);
    for (int j = 0; j < 16; j++) {
        int32_t codes = 0;
        for (int e = 16 * j; e < 16 * j + 16; e++) {
            const int h = e / 128, r = e / 32 % 4, l = e % 32;
            const int low = b[64 * h + 32 * (r % 2) + l] >> r / 2 * 4 & 15;
            const int high = b[128 + 32 * h + l] >> 2 * r & 3;
            codes += (low + 16 * high - 32) * qa[e];
        }
        sum += scales[j] * codes;
    }
    return (integers){ sum, 0 };
}

#include "gemm_nt_q_rows.h"

static inline float row_dot(const dots *d, const unsigned char *a, const unsigned char *b,
                            size_t blocks)
{
    const formats *const f = d->f;
    float sum = 0, min = 0;

    for (size_t l = 0; l < blocks; l++, a += f->a_bytes, b += f->b_bytes) {
        const integers i = d->dot(a, b);
        sum += a_scale(f, a) * half_at(b + f->b_scale) * (float)i.codes;
        if (!f->has_min) continue;
        const float m = a_sum(f, a) * half_at(b + MIN);
        min += is_k(f) ? m * (float)i.minimums : m;
    }
    if (!f->has_min) return sum;
    return is_k(f) ? sum - min : sum + min;
}

static inline void row_dots(float *sum, const dots *d, const unsigned char *a, const columns *c,
                            size_t blocks)
{
    for (size_t k = 0; k < c->count; k++)
        sum[k] = row_dot(d, a, blocks ? c->b + k * c->ld : c->b, blocks);
}

static inline void block_dots(integers *to, const dots *d, const unsigned char *a,
                              const unsigned char *b, size_t count)
{
    for (size_t l = 0; l < count; l++) to[l] = d->dot(a + l * d->f->a_bytes, b + l * d->f->b_bytes);
}

#endif
