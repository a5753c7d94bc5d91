/* SPDX-License-Identifier: MIT */
/* Deliberately wrong kernels: each must be reported, with the verdict and the check it names. */
#ifndef HN_SELFTEST_H
#define HN_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

/* Runs every mutant against the smoke suite with `seeds` seeds from `seed` on. `filter`: a part
 * of mutants' names or a pattern over them, NULL: all. Prints a line a mutant and a closing line.
 * `shrink`: shrinks the failing case of each as well and tries whether it is minimal; fails if fewer
 * than 95 of a hundred are. `fail_fast`: the first that goes wrong ends it, with no closing line.
 * Returns an exit code. */
int hn_selftest(uint64_t seed, unsigned seeds, const char *filter, bool shrink, bool fail_fast);

#endif
