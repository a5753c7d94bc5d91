/* SPDX-License-Identifier: MIT */
/* The steps of a forward pass over a graph, bound to the places of a layout. */
#ifndef CG_PLAN_H
#define CG_PLAN_H

#include "layout.h"

/* An argument; place CG_ABSENT: an optional parameter that is not given. */
typedef struct cg_arg {
    size_t place; /* index in the layout */
} cg_arg;

typedef struct cg_step {
    const cg_step_spec *spec;
    size_t layer;
    size_t node; /* index in the graph; CG_ABSENT outside of layers */
    size_t also; /* the node of the step that was made one with it; CG_ABSENT: none was */
    cg_arg args[CG_MAX_PARAMS];
} cg_step;

typedef struct cg_plan {
    size_t count;
    cg_step *steps;
} cg_plan;

/* The steps of g, in the order in which they run, fused as the layout's options say. The graph and the layout are of the same config and
 * have been checked. 0 or -1. */
int cg_plan_make(cg_plan *plan, const cg_graph *g, const size_t *roles, const cg_layout *l,
                 cg_error *error);
void cg_plan_free(cg_plan *plan);

/* The format of the weights or of the cache that a step has, f32 if it has neither. */
ck_dtype cg_step_format(const cg_step *s, const cg_layout *l);
enum { CG_ENTRY = 64 };
/* The function that it calls, for that format. */
void cg_step_entry(const cg_step *s, const cg_layout *l, char entry[CG_ENTRY]);

/* Proves it: arguments are there as far as the layout has them, and of the step's layer; their shapes
 * agree within each call; formats are permitted; no weight or table is written; outputs overlap no
 * other operand; whatever is read was written before; every node of the graph has its steps and the
 * logits are written; nothing is left apart that was to be fused. 0 or -1. */
int cg_plan_check(const cg_plan *plan, const cg_graph *g, const cg_layout *l, cg_error *error);

/* A line a step: kernel, arguments with R, W or RW, dtype, shape and bytes. */
void cg_plan_dump(const cg_plan *plan, const cg_graph *g, const cg_layout *l, FILE *out);

#endif
