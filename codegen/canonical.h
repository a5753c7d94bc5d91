/* SPDX-License-Identifier: MIT */
/* One layer of the canonical decoder, as a table by role. */
#ifndef CG_CANONICAL_H
#define CG_CANONICAL_H

#include "graph.h"

typedef struct cg_canonical {
    cg_op op;
    unsigned inputs, outputs;
    struct {
        int role; /* CG_ROLE_COUNT: the block's input */
        uint8_t slot;
    } input[2];
} cg_canonical;
extern const cg_canonical cg_canonical_layer[CG_ROLE_COUNT];

#endif
