/* SPDX-License-Identifier: MIT */
/* What a decoder is made of, and its description in a config.json. */
#ifndef CG_CONFIG_H
#define CG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "io.h"

/* Scaling of the frequencies of RoPE; factor 0: none. Source: the "llama3" rope_type of Hugging
 * Face transformers (modeling_rope_utils.py). */
typedef struct cg_scaling {
    float factor, low, high; /* low_freq_factor, high_freq_factor */
    size_t context;          /* original_max_position_embeddings */
} cg_scaling;

typedef struct cg_config {
    size_t layers, hidden, intermediate, heads, kv_heads, head_dim, vocab, context;
    float eps;
    float theta;                          /* 0: learned positions are added instead of RoPE */
    bool qkv_bias, output_bias, mlp_bias; /* biases of q k v, of attention's output, of the MLP */
    bool tied;                            /* the head's weights are the embedding's */
    bool qk_norm;                         /* RMSNorm of each head of q and k, before RoPE */
    cg_scaling scaling;
} cg_config;

enum {
    CG_MAX_LAYERS = 65534, /* ids of the graph are 16 bits, 0xffff is "block input" */
    CG_MAX_CONTEXT = 1 << 24,
    CG_DEFAULT_CONTEXT = 2048,
    CG_MAX_JSON = 64 << 20
};

/* Reads a config.json in the style of Hugging Face; fields of the object `text_config`, if there is
 * one. The names that a field may have, its limits and its default: docs/codegen.md. Without
 * model_type and architectures it is the plain decoder: all biases, a tied head, RoPE only if
 * rope_theta is given. `context` 0: the model's, at most CG_DEFAULT_CONTEXT; else at most the
 * model's. 0; or -1, and config is as before. */
int cg_config_read(cg_config *config, const char *path, size_t context, cg_error *error);
/* The same of text in memory; `path` is for errors. */
int cg_config_parse(cg_config *config, const char *text, size_t size, const char *path,
                    size_t context, cg_error *error);

/* 0, or -1 if some field is out of its limits or two contradict each other. */
int cg_config_check(const cg_config *config, const char *path, cg_error *error);

#endif
