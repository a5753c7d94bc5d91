/* SPDX-License-Identifier: MIT */
/* One case on every variant: data, placement and reference once, then each variant in each mode. */
#ifndef HN_GROUP_H
#define HN_GROUP_H

#include "call.h"
#include "compare.h"
#include "place.h"

enum { HN_MAX_VARIANTS = 48 };

/* A kernel in one mode: one row of the report. */
typedef struct hn_variant {
    const ck_kernel *kernel;
    bool strict;
    size_t spec; /* index into the plan's specs */
    size_t row;  /* index into the report */
} hn_variant;

/* What of a subject is to be run for one op. */
typedef struct hn_plan {
    const hn_op *op;
    size_t nvariants, nspecs;
    hn_variant variants[HN_MAX_VARIANTS];
    ref_spec specs[HN_MAX_VARIANTS];
} hn_plan;

void hn_plan_add(hn_plan *plan, const ck_kernel *kernel, bool strict, size_t row);

/* What a family that runs its cases itself is given. */
typedef struct hn_session {
    const hn_plan *plan;
    const hn_case *c;
    /* before each variant runs, and again while it does if that takes long */
    void (*announce)(void *context, const hn_variant *variant);
    void *context;
    unsigned ticks_most; /* hn_runner_ticks */
} hn_session;

/* A part of an output. */
typedef struct hn_tile {
    size_t operand;
    ref_tile part;
} hn_tile;

/* Its components. */
static inline size_t hn_tile_cells(const hn_op *op, const hn_tile *tile)
{
    return tile->part.rows * tile->part.cols * hn_dtypes[hn_operand_dtype(op, tile->operand)].parts;
}

typedef struct hn_runner hn_runner;
hn_runner *hn_runner_new(void);
void hn_runner_free(hn_runner *runner);

/* Called with each variant before it runs, so that whoever watches the process knows what ran. */
typedef void hn_announce(void *context, const hn_variant *variant);
void hn_runner_announce(hn_runner *runner, hn_announce *announce, void *context);

/* Failures come with their pattern and likely cause from now on; costs several references each. */
void hn_runner_explain(hn_runner *runner);

/* The caller's MXCSR in a case. */
uint32_t hn_case_mxcsr(const hn_case *c);

/* No call gets more than this many tenths of a CPU second; 0: what the size of the case asks for. */
void hn_runner_ticks(hn_runner *runner, unsigned most);

/* Runs the case on every variant of the plan that its isa= and mode= admit; results[i] belongs to
 * variants[i] (verdict HN_SKIP with an empty `what`: not admitted). */
void hn_group_run(hn_runner *runner, const hn_plan *plan, const hn_case *c, hn_result *results);

/* Data and placement alone; nothing runs. Returns 0, or -1 with one line in `error`. */
int hn_group_prepare(hn_runner *runner, const hn_plan *plan, const hn_case *c, char *error,
                     size_t size);

/* Of the case that ran last, or was prepared: a variant's output (of its first call), all of them packed one
 * after the other, and an operand where it lies; *live: the live units of each row, NULL: all. */
hn_output hn_group_output(const hn_runner *runner, size_t variant, size_t operand);
const unsigned char *hn_group_outputs(const hn_runner *runner, size_t variant, size_t *bytes);
const hn_placed *hn_group_operand(const hn_runner *runner, size_t operand, const size_t **live);
/* The tiles that are compared, and what a variant is held to. */
size_t hn_group_tiles(const hn_runner *runner, const hn_tile **tiles);
ref_spec hn_group_spec(const hn_runner *runner, size_t variant);

/* The reference on a tile under any spec, to cells of the caller: v, e and term of out->n components. */
void hn_group_balls(hn_runner *runner, const hn_tile *tile, const ref_spec *spec, ref_out *out);
/* One call, nothing checked: for a debugger. */
void hn_group_call(hn_runner *runner, const hn_variant *variant, hn_outcome *outcome);

/* Proves by single-stepping `c` that the variant executes the instructions its isa name promises. */
void hn_group_trace(hn_runner *runner, const hn_variant *variant, const hn_case *c,
                    hn_result *result);

#endif
