/* SPDX-License-Identifier: MIT */
/* The tables that layout, calls, manifest and the harness's tables are made from: buffers, kernels
 * with their parameters, and the steps of a forward pass. */
#ifndef CG_REGISTRY_H
#define CG_REGISTRY_H

#include "graph.h"

/* Conditions of a config, or of training. */
typedef enum cg_when {
    CG_WHEN_ALWAYS,
    CG_WHEN_ROPE,
    CG_WHEN_LEARNED, /* positions, in place of RoPE */
    CG_WHEN_TRAINING,
    CG_WHEN_QK_NORM,
    CG_WHEN_QKV_BIAS,
    CG_WHEN_OUTPUT_BIAS,
    CG_WHEN_MLP_BIAS,
    CG_WHEN_UNTIED,
    CG_WHEN_MLP_APART,      /* CG_FUSE_MLP is not chosen */
    CG_WHEN_RESIDUAL_APART, /* CG_FUSE_RESIDUAL is not */
    CG_WHEN_CACHE_APART     /* the cache has 16 bits, so that nothing can be computed in it */
} cg_when;
/* Steps that are made one, in layouts and plans: the MLP's first product and its gate; products and the
 * residual sums behind them. A sum. */
enum { CG_FUSE_MLP = 1, CG_FUSE_RESIDUAL = 2 };
/* What is chosen beside the config. */
typedef struct cg_choice {
    bool training, cache_apart;
    unsigned fuse;
} cg_choice;
bool cg_holds(cg_when when, const cg_config *config, const cg_choice *choice);

typedef enum cg_dim {
    CG_DIM_END,
    CG_DIM_T,
    CG_DIM_V,
    CG_DIM_H,
    CG_DIM_G,
    CG_DIM_half,
    CG_DIM_aD,
    CG_DIM_aH,
    CG_DIM_aC,
    CG_DIM_aI,
    CG_DIM_aI2
} cg_dim;
size_t cg_dim_of(cg_dim dim, const cg_config *config);
/* A width rounded up to whole cache lines of floats. */
size_t cg_aligned(size_t elements);

enum { CG_LINE = 64, CG_MAX_DIMS = 4 };

typedef enum cg_buffer_role {
    CG_MATRIX,
    CG_VECTOR,
    CG_TABLE,
    CG_INPUT,
    CG_CACHE,
    CG_ACTIVATION,
    CG_SCRATCH,
    CG_GRADIENT
} cg_buffer_role;

/* The names of buffers.def as numbers: cg_b_token_emb, ... */
typedef enum cg_buffer_id {
#define CG_BUFFER(name, scope, role, when, alias, row, dims) cg_b_##name,
#include "buffers.def"
#undef CG_BUFFER
    CG_BUFFERS,
    CG_GLOBALS = cg_b_input, /* the buffers before it are global */
    cg_b_NONE = CG_BUFFERS
} cg_buffer_id;

typedef struct cg_buffer {
    const char *name;
    bool layer;
    cg_buffer_role role;
    cg_when when;
    cg_buffer_id alias;
    unsigned row;
    cg_dim dims[CG_MAX_DIMS];
} cg_buffer;
extern const cg_buffer cg_buffers[CG_BUFFERS];

/* What a kernel does to an operand. */
typedef enum cg_access { CG_READ = 1, CG_WRITE = 2, CG_UPDATE = 3 } cg_access;

/* What an operand may be in: f32 alone; a format of weights; that of the cache. */
typedef enum cg_kind { CG_FLOATS, CG_BLOCKS, CG_CACHED } cg_kind;

/* A parameter. Its dims are letters, each of one value within a call, maybe with a factor: "M2F". */
typedef struct cg_param {
    const char *name; /* NULL ends the list */
    cg_access access;
    bool optional; /* may be missing */
    cg_kind kind;
    const char *dims;
} cg_param;

#define CG_KERNELS(X) \
    X(embed)          \
    X(norm)           \
    X(head_norm)      \
    X(linear)         \
    X(head_linear)    \
    X(rope)           \
    X(attention)      \
    X(head_merge) X(add) X(swiglu) X(linear_swiglu) X(linear_add) X(head_merge_add) X(kv_write)
typedef enum cg_kernel_id {
#define X(name) cg_k_##name,
    CG_KERNELS(X)
#undef X
        CG_KERNEL_COUNT
} cg_kernel_id;

enum { CG_MAX_PARAMS = 6 };

typedef struct cg_kernel {
    const char *name, *entry; /* the public entry that its calls run */
    /* The same of weights or of a cache in another format than f32, whose name is put for the '%'; NULL
     * where all parameters are floats. */
    const char *of_format;
    cg_param params[CG_MAX_PARAMS + 1];
} cg_kernel;
extern const cg_kernel cg_kernels[CG_KERNEL_COUNT];

typedef enum cg_phase { CG_BEFORE, CG_LAYER, CG_AFTER } cg_phase;

/* A step of the forward pass: a call of a kernel, with a buffer for each parameter, in their order;
 * cg_b_NONE where an optional one is never given. In CG_AFTER, cg_b_output is the last layer's. k_new and
 * v_new are the cache itself where that is in f32. */
typedef struct cg_step_spec {
    const char *name;
    cg_phase phase;
    cg_kernel_id kernel;
    cg_role role; /* the node that it is part of, CG_ROLE_COUNT outside of layers */
    cg_when when;
    cg_buffer_id args[CG_MAX_PARAMS];
} cg_step_spec;
extern const cg_step_spec cg_steps[];
extern const size_t cg_step_count;

/* Two steps, one behind the other, that become one if `fuse` is chosen. What the first writes for the
 * second is written no more, and its buffer is gone. */
typedef struct cg_rewrite {
    unsigned fuse;
    const char *first, *second;
    cg_step_spec fused;
} cg_rewrite;
extern const cg_rewrite cg_rewrites[];
extern const size_t cg_rewrite_count;
/* The buffer that stands for an argument of a step, under a choice. */
cg_buffer_id cg_standing_for(cg_buffer_id id, const cg_choice *choice);
/* The name of a choice in options and messages. */
const char *cg_fuse_name(unsigned fuse);

/* Proves of the rewrites: the steps follow one another in a layer, always; the fused one has another name
 * than any step, the node of the first, the output of the second, and for inputs those of both but for what
 * the first writes, whose buffer is there only without the choice and has no other step. 0 or -1. */
int cg_rewrites_check(const cg_rewrite *rewrites, size_t count, const cg_step_spec *steps,
                      size_t step_count, cg_error *error);

/* Proves what can be said of the tables alone: names are unique; an alias is an earlier buffer of the
 * same scope and shape; each matrix and vector has a gradient d_<name> of its shape under the same
 * condition, except final_ln_bias, which nothing reads; kernels have an entry, an output, unique
 * parameters, and either one that may be in blocks or some of the cache exactly if they have entries for
 * that; steps give every required parameter. 0 or -1. */
int cg_registry_check(const cg_buffer *buffers, size_t buffer_count, const cg_kernel *kernels,
                      size_t kernel_count, const cg_step_spec *steps, size_t step_count,
                      cg_error *error);

#endif
