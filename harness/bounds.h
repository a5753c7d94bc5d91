/* SPDX-License-Identifier: MIT */
/* How wide the references' radii are, kept as golden digests are: a bound that is loosened, or a value that
 * moves, is seen whether a kernel notices or not. A line is
 *     HASH OP ISA MODE CELLS EXACT BITS
 * HASH: FNV-1a of value and radius of every component of the suite's cases of OP as the kernel of ISA and
 * MODE is held to them, whether it runs here or not: values to an eighth of their radius, radii to a
 * sixteenth of a binade, so that no machine's libm matters. CELLS: components; EXACT: those of radius 0;
 * BITS: mean of log2(term / radius) of the others, the significant bits of the terms that are judged. */
#ifndef HN_BOUNDS_H
#define HN_BOUNDS_H

#include "run.h"

/* Prints the lines of the run's rows over its suite. Returns an exit code. */
int hn_bounds_print(const hn_run *run);

/* Compares them with those of a file; rows that have none there have changed. Returns an exit code. */
int hn_bounds_check(const hn_run *run, const char *path);

#endif
