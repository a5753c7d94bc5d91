/* SPDX-License-Identifier: MIT */
/* What an emitted file is: the tables and steps of one decoder, which ck_model.h runs. */
#ifndef CK_PROGRAM_H
#define CK_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "ck_dtype.h"

enum { CK_PROGRAM_ABI = 1, CK_PROGRAM_DIMS = 4, CK_PROGRAM_OPERANDS = 6 };

/* The decoder. theta 0: learned positions; factor 0: frequencies of RoPE are not scaled. */
typedef struct ck_decoder {
    size_t layers, hidden, intermediate, heads, kv_heads, head_dim, vocab, context;
    float eps, theta;
    int qkv_bias, output_bias, mlp_bias, tied, qk_norm;
    float factor, low, high;
    size_t original_context;
} ck_decoder;

/* One pass: the rows of positions first to first + rows - 1. */
typedef struct ck_run {
    unsigned char *arena;
    const int32_t *tokens; /* [rows] */
    size_t first, rows;
} ck_run;

/* A step of layer `layer`; 0 or what the kernel returned. */
typedef int ck_step_fn(const ck_run *r, size_t layer);

typedef enum ck_role { CK_MATRIX, CK_VECTOR, CK_TABLE, CK_ACTIVATION, CK_SCRATCH } ck_role;

/* A buffer: of layer l at offset + l * stride; stride 0: global. */
typedef struct ck_buffer {
    const char *name;
    ck_role role;
    ck_dtype dtype;
    int of_layer;
    size_t offset, stride, bytes;
    size_t dims, dim[CK_PROGRAM_DIMS];
    size_t used[CK_PROGRAM_DIMS]; /* of each dim; beyond are pad lanes, which are +0 */
} ck_buffer;

/* access: "r", "w", "rw"; buffer: its index, -1: not given, -2: the input of the layer. */
typedef struct ck_operand {
    const char *name, *access;
    int buffer;
} ck_operand;

typedef struct ck_step {
    const char *name, *kernel;
    ck_step_fn *run;
    ck_operand operands[CK_PROGRAM_OPERANDS]; /* up to a NULL name */
} ck_step;

typedef struct ck_steps {
    size_t count;
    const ck_step *steps;
} ck_steps;

typedef struct ck_program {
    size_t abi;
    ck_decoder decoder;
    size_t bytes, guard; /* of the arena; free before and behind each buffer */
    size_t buffer_count;
    const ck_buffer *buffers;
    ck_steps before, layer, after; /* once, for each layer, once */
} ck_program;

/* The f32 at an offset of the arena. */
static inline float *ck_at(const ck_run *r, size_t offset)
{
    return (float *)(void *)(r->arena + offset);
}

/* The first row of the pass in rows of `width` f32 from an offset on. */
static inline float *ck_row(const ck_run *r, size_t offset, size_t width)
{
    return ck_at(r, offset) + r->first * width;
}

/* Pad lanes of rows of `width` f32, those from `used` on, are +0 then. */
static inline void ck_clear_pads(float *y, size_t rows, size_t used, size_t width)
{
    for (size_t t = 0; t < rows; t++)
        for (size_t i = used; i < width; i++) y[t * width + i] = 0;
}

#endif
