/* SPDX-License-Identifier: MIT */
/* Work in a process of its own, for kernels that take their process down. */
#ifndef HN_ISOLATE_H
#define HN_ISOLATE_H

#include "group.h"

/* Done in the child, with handlers installed; it announces each variant before it is called. */
typedef void hn_isolated(void *context, hn_runner *runner, const hn_plan *plan, const hn_case *c,
                         hn_result *results);

/* Runs work, then takes over the plan's results. A child that dies is a CRASH, and one that does not
 * end a HANG, of the variant that ran; the results of the others are then SKIP. `ticks`: hn_runner_ticks. */
void hn_isolate(hn_isolated *work, void *context, const hn_plan *plan, const hn_case *c,
                unsigned ticks, hn_result *results);
/* The work that is hn_group_run and nothing else. */
hn_isolated hn_isolated_run;

#endif
