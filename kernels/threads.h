/* SPDX-License-Identifier: MIT */
/* The pool of threads. */
#ifndef CK_POOL_H
#define CK_POOL_H

#include <stddef.h>

#include "ck_threads.h"

typedef void ck_part_fn(const void *context, size_t part);

/* run(context, part) for each part below `parts`, by at most `threads` threads, the caller among them, in
 * any order. Returns when all have. Where others have the pool, or no thread can be started, the caller
 * does it all. */
void ck_parallel(unsigned threads, size_t parts, ck_part_fn *run, const void *context);

/* The threads for a call of so many products. */
unsigned ck_threads_for(double terms);

#endif
