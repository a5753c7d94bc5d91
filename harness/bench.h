/* SPDX-License-Identifier: MIT */
/* How fast the harness itself is, and how fast the kernels are. */
#ifndef HN_BENCH_H
#define HN_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "ck_subject.h"
#include "suite.h"

/* Cases a second of one core, all checks on, for a 256-element dot, and how often each check was
 * made. Returns an exit code. */
int hn_bench_harness(void);

typedef struct hn_bench_options {
    const ck_subject *own;      /* our kernels */
    hn_suite *suite;            /* the cases */
    const char *const *filters; /* rows of ours that are wanted; none: all */
    size_t nfilters;
    const char *isa; /* NULL: all */
    hn_mode mode;
    const char *const *subjects; /* peers; none: all adapters that are there */
    size_t nsubjects;
    const char *json; /* NULL: none */
    double budget;    /* seconds for all cases; 0: one for each */
    bool cold;        /* operands come from memory that no cache holds */
} hn_bench_options;

/* Times our kernels and the peers' on each case, against the machine's ceilings; docs/bench.md.
 * Returns an exit code. */
int hn_bench(const hn_bench_options *options, FILE *out);

#endif
