/* SPDX-License-Identifier: MIT */
/* Steps of a decoder that are several ops of kernels.def, or none. They are references like those of
 * ref.h, on what the step itself was given. */
#ifndef REF_STAGE_H
#define REF_STAGE_H

#include <stdint.h>

#include "ref.h"
#include "ref_model.h"

/* y[t,:] = table[tokens[t],:] (+ positions[t,:], one sum of floats). Without positions a copy. */
typedef struct ref_embed_args {
    const float *table, *positions; /* positions may be NULL */
    const int32_t *tokens;
    size_t ld;
} ref_embed_args;
ref_fn ref_embed;

/* The pair (x_i, x_{i+half}) of row t turned by an angle whose cosine and sine are given as floats:
 * y_i = x_i c - x_{i+half} s, y_{i+half} = x_i s + x_{i+half} c. Tile columns: 0 .. 2 half. Error: two
 * products and a sum of floats each, fused or not; strict: in double, one rounding.
 * Source: Su et al. 2021, arXiv:2104.09864, in halves. */
typedef struct ref_turn_args {
    const float *x, *cosines, *sines; /* [rows][ldx], [rows][half], [rows][half] */
    size_t ldx, half;
} ref_turn_args;
ref_fn ref_turn;

/* y = sum_h x_h w_h^T + b: head after head onto y, each sum stored as a float.
 * Element (t, l) of head h of x is x[h head_x + t ldx + l], (n, l) of w is w[h head_w + n ldw + l]. */
typedef struct ref_merge_args {
    const float *x, *w, *bias; /* bias may be NULL */
    size_t heads, k, head_x, ldx, head_w, ldw;
} ref_merge_args;
ref_fn ref_merge;

/* Cosine and sine of the angle of pair i at position t, and how far a table in floats may be off that
 * was computed in double and rounded once: half an ulp, and 16 ulp of double of an angle of that size. */
void ref_turn_table(const ref_model *m, size_t t, size_t i, double *cosine, double *sine,
                    double *radius);

#endif
