/* SPDX-License-Identifier: MIT */
/* Calls in parts. */
#ifndef CK_SPLIT_H
#define CK_SPLIT_H

#include "block.h"
#include "table.h"

/* A call of one kernel. */
typedef struct ck_call {
    ck_op op;
    const block *of; /* the op's blocks */
    ck_fn *fn;
    const ck_numspec *spec;
    const void *args;
} ck_call;

/* Whether the family's calls are divided. */
int ck_divides(const char *family);
/* The call, divided among at most `threads` threads. Its family is one that is. */
void ck_divide(const char *family, const ck_call *call, unsigned threads);
/* The call by as many threads as it pays for and ck_set_num_threads admits. */
void ck_run_call(const char *family, const ck_call *call);

#endif
