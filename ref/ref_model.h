/* SPDX-License-Identifier: MIT */
/* A whole decoder in double, from the mathematics: no cache of its own, no pads, no buffers shared by steps. */
#ifndef REF_MODEL_H
#define REF_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "ref_layout.h"

/* Element (i, j) of a matrix is at[i * ld + j]; of a vector, at[i]. A bias may be absent: NULL. */
typedef struct ref_matrix {
    const float *at;
    size_t ld;
} ref_matrix;

/* Keys or values as a runtime keeps them, in fewer bits than it computes with: element i of head g at
 * position t is at[g * head + t * ld + i]. NULL: they are those of the run. */
typedef struct ref_kv {
    const float *at;
    size_t head, ld;
} ref_kv;

/* What they are rounded to. */
typedef enum ref_cache { REF_CACHE_F32, REF_CACHE_BF16, REF_CACHE_F16 } ref_cache;

/* Weights of a layer. Row r of head h of wq, bq, wk, ... is row h * width + r, width being
 * ref_model.head_width; input r of head h of wo is column h * width + r. w1 has the gates in its rows 0 to
 * intermediate - 1, and the other factor from row mlp_width on. */
typedef struct ref_layer {
    const float *ln1, *ln2, *bq, *bk, *bv, *q_norm, *k_norm, *bo, *b1, *b2;
    ref_matrix wq, wk, wv, wo, w1, w2;
    ref_kv k, v; /* unless the cache is in f32 */
} ref_layer;

typedef struct ref_model {
    ref_decoder d;
    double eps, theta;                          /* theta 0: learned positions */
    double factor, low, high, original_context; /* of llama3's scaling; factor 0: none */
    size_t head_width, mlp_width;
    ref_matrix tokens, positions, head; /* [vocab][hidden], [context][hidden], [vocab][hidden] */
    const float *final_norm;
    const ref_layer *layers;
    ref_cache cache;
} ref_model;

/* How a run is disturbed as f32 arithmetic would: every value v that a step stores is moved by a uniform
 * draw within u (|v| + (n / 8 + 4) S), u = 2^-24, n and S the number and the absolute sum of the terms
 * of its dot product. seed 0: not at all. strict: without S, since such sums are in double. */
typedef struct ref_noise {
    uint64_t seed;
    int strict;
} ref_noise;

/* Number of values that a run of n tokens gives: n vocab logits and, unless the cache is in f32, the run's own
 * keys and values, [layers][2][kv_heads][n][head_dim]. */
size_t ref_model_values(const ref_model *m, size_t n);

/* values: logits [n][vocab] of the n tokens at positions 0 to n - 1. Row t depends on tokens 0 to t alone, so
 * that what decode gives for token t is row t. Attention takes the keys and values that a runtime keeps, if
 * there are any: near a tie a right one may have rounded either way, and what follows is judged by what it
 * did; whether it may have done so, ref_model_misrounded says. -1: no memory.
 *   x_t = E[id_t] (+ P[t] without RoPE)
 *   per layer: a = norm(x, ln1); q_h, k_g, v_g = W a + b; optionally norm each head of q, k; rotate;
 *     o_h,t = sum_{s<=t} softmax_s(q_h,t . k_g,s / sqrt(head_dim)) v_g,s with g = floor(h G / H);
 *     x += W_o o + b_o; x += W_2 (silu(u) * w) + b_2, (u, w) = W_1 norm(x, ln2) + b_1
 *   logits = H norm(x, final)
 *   norm(x, g)_i = g_i x_i / sqrt(mean(x^2) + eps); rotation of (x_i, x_{i+head_dim/2}) by the angle
 *   t f_i, f_i = theta^(-2i/head_dim).
 * Sources: Touvron et al. 2023, arXiv:2302.13971; Su et al. 2021, arXiv:2104.09864; Ainslie et al. 2023,
 * arXiv:2305.13245. */
int ref_model_forward(const ref_model *m, const int32_t *tokens, size_t n, ref_noise noise,
                      double *values);

/* radius, of each value: how far a right runtime in f32 may be off, a stochastic estimate: 8 times the most
 * that any of 6 disturbed runs is off, plus 4 u |value|. -1: no memory. */
int ref_model_radius(const ref_model *m, const int32_t *tokens, size_t n, int strict,
                     const double *values, double *radius);

/* The first key or value that is kept as something to which no number within the radius is rounded, as an index
 * of the values; SIZE_MAX: there is none. */
size_t ref_model_misrounded(const ref_model *m, size_t n, const double *values,
                            const double *radius);

#endif
