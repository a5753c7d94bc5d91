/* SPDX-License-Identifier: MIT */
/* Losses over logits. */
#ifndef CK_LOSS_H
#define CK_LOSS_H

#include <stddef.h>
#include <stdint.h>

#include "ck.h"

/* The target of a row that does not count. */
enum { CK_IGNORE = -100 };

/* loss = (1/n) sum_i l_i over the n rows that count, l_i = log(D_i) + (m_i - x[i,target[i]]),
 * D_i = sum_j exp(x[i,j] - m_i), m_i the row's maximum; count = n; loss = 0 if n = 0. Its gradient:
 * dx[i,j] = (p - [j = target[i]]) / n, p = exp(x[i,j] - m_i) / D_i; +0 in rows that do not count.
 * Shapes: x [t][ldx], v of each row used; target [t]; dx [t][lddx], v of each row written, or NULL: not
 *   wanted; loss and count one each, always written.
 * Requires: t <= 2^24, v <= 2^24, ldx >= v, lddx >= v; each target CK_IGNORE or 0 <= target < v; 4-byte
 *   aligned; nothing that is written overlaps anything else.
 * Error: docs/oracle.md, "cross-entropy"; the l_i and their mean are doubles in fast kernels, too. A row
 *   that counts and holds a NaN, +inf or nothing but -inf is NaN, and so is the loss; the target's
 *   x = -inf makes it +inf. What rows hold that do not count does not matter.
 * Strict: all in double, D in 16 lanes, the l_i one ascending chain over the rows; (e / D - [.]) / n; log by
 *   + - * / alone (simd/log.h); one rounding of each output.
 * Source: log-sum-exp about the maximum: Blanchard, Higham, Higham 2021, IMA J. Numer. Anal. 41(4). */
typedef struct ck_cross_entropy_args {
    float *dx, *loss;
    int32_t *count;
    const float *x;
    const int32_t *target;
    size_t t, v;
    size_t lddx, ldx;
} ck_cross_entropy_args;

#endif
