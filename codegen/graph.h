/* SPDX-License-Identifier: MIT */
/* The graph of a decoder (IR): nodes by layer, and what their inputs are. */
#ifndef CG_GRAPH_H
#define CG_GRAPH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config.h"
#include "io.h"

/* In the order of their codes; the second half are the gradients of the first. */
#define CG_OPS(X) X(RMSNORM) X(LINEAR_QKV) X(ATTENTION) X(ADD) X(LINEAR) X(SPLIT) X(SWIGLU)
typedef enum cg_op {
#define X(name) CG_##name,
    CG_OPS(X)
#undef X
#define X(name) CG_##name##_BWD,
        CG_OPS(X)
#undef X
            CG_OP_COUNT
} cg_op;
/* "RMSNORM", "RMSNORM_BWD", ...; "UNKNOWN". */
const char *cg_op_name(cg_op op);
/* Whether it has a kernel in a forward plan. */
bool cg_op_supported(cg_op op);

enum { CG_BLOCK_INPUT = 0xffff, CG_MAX_INPUTS = 4, CG_MAX_OUTPUTS = 255 };

/* Output `slot` of a node; node CG_BLOCK_INPUT: what the layer before gave, or the embedding. */
typedef struct cg_ref {
    uint16_t layer, node;
    uint8_t slot;
} cg_ref;

typedef struct cg_node {
    uint16_t layer, node;
    cg_op op;
    unsigned inputs, outputs;
    cg_ref input[CG_MAX_INPUTS];
} cg_node;

/* A graph of zeros is empty. */
typedef struct cg_graph {
    cg_config config;
    size_t count;
    cg_node *nodes;
} cg_graph;
void cg_graph_free(cg_graph *g); /* also of NULL, and twice */

/* What a node of the canonical layer is: its number there. */
typedef enum cg_role {
    CG_ROLE_NORM1,
    CG_ROLE_QKV,
    CG_ROLE_ATTENTION, /* with RoPE and the output projection */
    CG_ROLE_ADD1,
    CG_ROLE_NORM2,
    CG_ROLE_UP,
    CG_ROLE_SPLIT,
    CG_ROLE_SWIGLU,
    CG_ROLE_DOWN,
    CG_ROLE_ADD2,
    CG_ROLE_COUNT
} cg_role;

/* The canonical decoder: per layer norm1(IN), qkv, attention, add1(IN, .), norm2, up, split, swiglu,
 * down, add2(add1, .). 0 or -1. */
int cg_graph_build(cg_graph *g, const cg_config *config, cg_error *error);
/* Its nodes in reverse order, each op by its gradient, inputs and outputs counted the other way
 * round; the references stay those of the forward graph. 0 or -1. */
int cg_graph_reverse(cg_graph *backward, const cg_graph *forward, cg_error *error);

/* Proves that g is the canonical decoder up to the numbers and the order of its nodes: ids are
 * unique, every input exists, there is no cycle, all ops are supported, each layer has the canonical
 * shape. roles, if not NULL, becomes the index in g->nodes by [layer][role], to be freed. 0 or -1. */
int cg_graph_check(const cg_graph *g, const char *path, size_t **roles, cg_error *error);

/* A line of the config, then one a node. */
void cg_graph_dump(const cg_graph *g, FILE *out);

/* As a file; cg_graph_parse gives back the same graph, and of a file written by cg_graph_write, the
 * same bytes again. */
void cg_graph_write(const cg_graph *g, FILE *out);
/* 0, or -1 and g is as before. Only references inside the file are not checked. */
int cg_graph_parse(cg_graph *g, const char *text, size_t size, const char *path, cg_error *error);
int cg_graph_read(cg_graph *g, const char *path, cg_error *error);

#endif
