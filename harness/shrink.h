/* SPDX-License-Identifier: MIT */
/* Smaller cases that fail alike. */
#ifndef HN_SHRINK_H
#define HN_SHRINK_H

#include "run.h"

/* Shrinks the cases of the failures (shape, strides, placement, options, environment) and writes
 * `shrunk` where something smaller fails with the same verdict and check; adds pattern and likely cause.
 * In a process of its own. */
void hn_shrink_all(hn_run *run);

#endif
