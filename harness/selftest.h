/* SPDX-License-Identifier: MIT */
/* Deliberately wrong kernels: each must be reported, with the verdict and the check it names. */
#ifndef HN_SELFTEST_H
#define HN_SELFTEST_H

#include <stdint.h>

/* Runs every mutant against the smoke suite with `seeds` seeds from `seed` on. `filter`: a part
 * of mutants' names or a pattern over them, NULL: all. Prints a line a mutant and a closing line.
 * Returns an exit code. */
int hn_selftest(uint64_t seed, unsigned seeds, const char *filter);

#endif
