/* SPDX-License-Identifier: MIT */
/* What every reference takes and gives. A reference computes, in double and from the mathematics,
 * the value of each output and how far a correct kernel of a declared precision may be from it. */
#ifndef REF_H
#define REF_H

#include <stddef.h>
#include <stdint.h>

#include "ck_numspec.h"

/* One precision that radii are wanted for. */
typedef struct ref_spec {
    const ck_numspec *num;
    int strict;   /* the strict-parity contract; num then only says which tail and kc exist */
    double u;     /* unit roundoff of the caller's rounding: 2^-24 nearest, 2^-23 directed */
    int ftz, daz; /* the caller's MXCSR flushes results / operands */
} ref_spec;

/* REF_ANY as a radius: an intermediate may or may not overflow, every result is right. */
#define REF_ANY (-1.0)

/* One cell for each output component, row by row of the tile; those of products are numbers, of 16 bits
 * too. With `specs` of them asked for, value
 * and radius of component i under spec s are v[s * n + i], e[s * n + i]:
 *   e = REF_ANY: no demand, whatever v is;
 *   v NaN: the result must be a NaN; v infinite: that infinity; else |y - v| <= e, where e = 0
 * means equality. e is never NaN or +inf: that is a harness error. term[i], the same for all specs:
 * mean magnitude of what is summed up into the component, by which a case's power is judged: a fault
 * smaller than e is invisible. */
typedef struct ref_out {
    size_t n;
    double *v;
    double *term;
    double *e;
} ref_out;

/* Rows [r0, r0 + rows) and columns [c0, c0 + cols) of the output are wanted. */
typedef struct ref_tile {
    size_t r0, rows, c0, cols;
} ref_tile;

/* The reference of op_dtype is the function ref_op_dtype; whoever calls it declares it so. `args` is
 * the family's struct below. Pure, single-threaded; uses only what it is given. To be
 * called under the default MXCSR: nearest, gradual underflow. */
typedef void ref_fn(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                    ref_out *out);

/* The argument structs: the operands the kernel really used, strides in elements or blocks. */
typedef struct ref_gemm_args {
    const float *a, *b, *c, *bias; /* c, bias may be NULL */
    size_t k, lda, ldb, ldc;
    float alpha, beta;
} ref_gemm_args;

typedef struct ref_gemm_act_args {
    const float *a, *b, *bias; /* bias may be NULL */
    size_t k, lda, ldb;
} ref_gemm_act_args;

typedef struct ref_gemm_glu_args {
    const float *a, *b, *d, *bias_b, *bias_d; /* biases may be NULL */
    size_t k, lda, ldb, ldd;
} ref_gemm_glu_args;

/* Tile columns must be 0 .. 1. */
typedef struct ref_gemv_args {
    const float *x, *b, *c, *bias; /* c, bias may be NULL */
    size_t k, ldb;
    float alpha, beta;
} ref_gemv_args;

/* Blocks of b may be packed ones, of eight rows. */
typedef struct ref_gemm_q_args {
    const unsigned char *a, *b; /* blocks */
    const float *bias;          /* may be NULL */
    size_t k, lda, ldb;         /* k in elements, lda and ldb in blocks */
} ref_gemm_q_args;

/* Of the products nn: b [k][ldb], no bias. */
typedef struct ref_gemm_w_args {
    const float *a;
    const unsigned char *b; /* blocks */
    const float *bias;      /* may be NULL */
    size_t k, lda, ldb;     /* k and lda in elements, ldb in blocks */
    const float *c;         /* may be NULL */
    size_t ldc;
} ref_gemm_w_args;

typedef struct ref_gemm_h_args {
    const unsigned char *a, *b; /* 16 bits an element */
    const float *bias;          /* may be NULL */
    size_t k, lda, ldb;         /* in elements */
} ref_gemm_h_args;

typedef struct ref_gemm_i_args {
    const unsigned char *a, *b; /* a byte an element */
    size_t k, lda, ldb;
} ref_gemm_i_args;

/* Tile rows are h * t + i; its columns must be 0 .. cols of the output, whole rows. */
typedef struct ref_softmax_args {
    const float *x;
    size_t t, ldx;
} ref_softmax_args;

/* Tile rows are places of the cache of keys, then of values: g * room + token or, token_major, token *
 * kv_heads + g. Components are bits. No demand on places that are not written. */
typedef struct ref_kv_args {
    const float *k, *v;
    size_t kv_heads, t, position, room, d, ldx, head_x;
    int token_major;
} ref_kv_args;

/* Of the gradient tile rows are rows, whole ones; mean and count are one element each. No demand on a
 * gradient that is not wanted. target < 0: does not count. */
typedef enum ref_loss_output {
    REF_LOSS_GRADIENT,
    REF_LOSS_MEAN,
    REF_LOSS_COUNT,
    REF_LOSS_NOTHING
} ref_loss_output;
typedef struct ref_cross_entropy_args {
    const float *x;
    const int32_t *target;
    size_t t, v, ldx;
    ref_loss_output of;
} ref_cross_entropy_args;

/* Tile rows are h * tq + i or, token_major, i * heads + h; its columns must be 0 .. cols of the
 * output, whole rows. tk <= 2^12, d <= 2^11. */
typedef struct ref_attention_args {
    const float *q;    /* element l of row i of head h: q[h * head_q + i * ldq + l] */
    const void *k, *v; /* in the op's format */
    size_t heads, kv_heads, tq, tk, d, window;
    size_t ldq, ldk, ldv, head_q, head_k, head_v;
    float scale;
    int token_major;
} ref_attention_args;

/* Tile columns are those of y or, if statistics, mean (layernorm) and rstd; whole rows. */
typedef struct ref_norm_args {
    const void *x;             /* in the op's format */
    const float *gamma, *beta; /* beta of layernorm only */
    size_t d, cols, ldx;
    float eps;
    int statistics;
} ref_norm_args;

/* Tile columns are those of y. */
typedef struct ref_binary_args {
    const void *a, *b; /* in the op's format */
    size_t d, lda, ldb;
} ref_binary_args;

/* Tile columns are those of y. Components are numbers but for copies, f32 without positions, which are
 * bits. */
typedef struct ref_embedding_args {
    const unsigned char *w; /* floats or blocks */
    const int32_t *ids;
    const float *pos;         /* may be NULL */
    size_t d, ldw, ldp, pos0; /* ldw in elements or blocks */
} ref_embedding_args;

/* Tile columns are d / 2 cosines, then d / 2 sines. factor 0: frequencies are not scaled. */
typedef struct ref_rope_cache_args {
    size_t d, pos0, context;
    float theta, factor, low, high;
} ref_rope_cache_args;

/* Tile rows are h * t + i or, token_major, i * heads + h; columns are those of y. */
typedef struct ref_rope_args {
    const float *x, *cos, *sin; /* element l of row i of head h: x[h * head_x + i * ldx + l] */
    size_t heads, t, rotary, d, ldx, ldc, lds, head_x, pos0;
    int token_major;
} ref_rope_args;

/* Tile: rows 0 .. 1, columns are elements. */
typedef struct ref_unary_args {
    const float *x;
} ref_unary_args;

/* Tile columns are blocks. Components, in this order, floating-point ones as their bits:
 *   f16, bf16, int8  the element
 *   int4             2 codes
 *   q4_0, q5_0, q8_0 d, 32 codes as stored
 *   q4_1, q5_1       d, m, 32 codes
 *   q8_1             d, s, 32 codes
 *   q4_k, q5_k       d, dmin, 8 scales, 8 minimums, 256 codes
 *   q6_k             d, 16 scales, 256 codes as stored, 32 above what they stand for
 *   q8_k             d, 256 codes, 16 bsums */
typedef struct ref_quantize_args {
    const float *x;
} ref_quantize_args;

/* Tile columns are elements. */
typedef struct ref_dequant_args {
    const unsigned char *x;
} ref_dequant_args;

/* Tile rows and columns are packed blocks, m rows being packed. Components: of each row in turn those of
 * its block as above, but that codes of q4_0 are the numbers they stand for. */
typedef struct ref_pack_args {
    const unsigned char *x; /* blocks */
    size_t m, ldx;          /* in rows, in blocks */
} ref_pack_args;

#endif
