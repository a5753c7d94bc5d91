/* SPDX-License-Identifier: MIT */
/* Smaller cases that fail alike. */
#ifndef HN_SHRINK_H
#define HN_SHRINK_H

#include "run.h"

/* A candidate is tried with this many seeds from its own on, a hang with its own only, and hangs after
 * so many tenths of a CPU second: as many as a hang is worth waiting for. */
enum { HN_SHRINK_SEEDS = 4, HN_SHRINK_TICKS = 3 };

/* Shrinks the cases of the failures (shape, strides, placement, options, environment) and writes
 * `shrunk` where something smaller fails with the same verdict and check; adds pattern and likely cause.
 * In a process of its own. */
void hn_shrink_all(hn_run *run);

/* Shrinks one case to the smallest that `like`, the result of plan->variants[variant], also is of;
 * simplifies its data, too. Unless the time is up, no dimension can then be made smaller, all else as it
 * is: not by one of its 64 least sizes, of the 64 next below, or half. Each candidate runs in a process
 * of its own, so crashes and hangs shrink as well. Returns how many were tried; 0: the case does not
 * fail like this. */
unsigned hn_shrink_case(const hn_plan *plan, size_t variant, const hn_result *like, double seconds,
                        hn_case *c);

#endif
