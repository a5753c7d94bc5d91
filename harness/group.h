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

typedef struct hn_runner hn_runner;
hn_runner *hn_runner_new(void);
void hn_runner_free(hn_runner *runner);

/* Called with each variant before it runs, so that whoever watches the process knows what ran. */
typedef void hn_announce(void *context, const hn_variant *variant);
void hn_runner_announce(hn_runner *runner, hn_announce *announce, void *context);

/* Failures come with their pattern and likely cause from now on; costs several references each. */
void hn_runner_explain(hn_runner *runner);

/* Runs the case on every variant of the plan that its isa= and mode= admit; results[i] belongs to
 * variants[i] (verdict HN_SKIP with an empty `what`: not admitted). */
void hn_group_run(hn_runner *runner, const hn_plan *plan, const hn_case *c, hn_result *results);

/* Of the case that ran last: a variant's packed output (of its first call), and an operand where it
 * lies; *live: the live units of each row, NULL: all. */
const unsigned char *hn_group_output(const hn_runner *runner, size_t variant, size_t *bytes);
const hn_placed *hn_group_operand(const hn_runner *runner, size_t operand, const size_t **live);

/* Proves by single-stepping `c` that the variant executes the instructions its isa name promises. */
void hn_group_trace(hn_runner *runner, const hn_variant *variant, const hn_case *c,
                    hn_result *result);

#endif
