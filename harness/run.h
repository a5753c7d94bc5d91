/* SPDX-License-Identifier: MIT */
/* A run: jobs that take cases off a suite, and what came of it. */
#ifndef HN_RUN_H
#define HN_RUN_H

#include "cells.h"
#include "group.h"
#include "suite.h"

enum { HN_KEPT_FAILURES = 3 }; /* reported of one row */

/* One kernel in one mode. */
typedef struct hn_row {
    const ck_kernel *kernel;
    const hn_op *op;
    bool strict;
    char name[80];    /* stem_isa */
    const char *skip; /* why it cannot run; NULL: it ran */
} hn_row;

typedef struct hn_stats {
    uint64_t cases, exact, bound, weak_drawn;
    uint64_t verdicts[HN_VERDICT_COUNT];
    uint64_t ran[HN_CHECK_COUNT];
    uint64_t failed[HN_VERDICT_COUNT][HN_CHECK_COUNT];
    uint64_t expected; /* failures that --expect names; no longer in `failed` */
    double util;
    uint64_t util_index;
    char util_line[HN_LINE_MAX];
    bool weak_is_drawn; /* the case below: one that is not comes before */
    uint64_t weak_index;
    char weak_line[HN_LINE_MAX]; /* a case that could not have shown a fault; "" */
    hn_cells cells;              /* of cases that passed */
} hn_stats;

typedef struct hn_failure {
    uint64_t index; /* of the case in the run: failures are reported in this order */
    size_t row;
    hn_result result;
    char line[HN_LINE_MAX];
    char shrunk[HN_LINE_MAX]; /* smallest case found that fails alike; "" */
    char where[200];          /* at which sizes that one does; "" */
    bool expected;
} hn_failure;

typedef struct hn_run {
    /* what to do */
    hn_row *rows;
    size_t nrows;
    hn_plan *plans; /* one for each op that has a row to run */
    size_t nplans;
    hn_suite *suite;
    uint64_t seed;
    double budget; /* seconds; 0: the suite once */
    unsigned jobs;
    bool fail_fast; /* stop once a case has failed */
    bool trace;     /* prove the instructions of each row */
    bool progress;  /* a line on stderr */
    /* what came of it */
    hn_stats *stats; /* a row each */
    hn_failure *failures;
    size_t nfailures;
    uint64_t groups;
} hn_run;

/* Runs, with `jobs` forked processes. The outcome does not depend on their number. Returns 0, or -1
 * with one line in `error`. */
int hn_run_all(hn_run *run, char *error, size_t size);

/* The plan of an op; NULL: none of its rows runs. */
const hn_plan *hn_run_plan(const hn_run *run, const hn_op *op);

#endif
