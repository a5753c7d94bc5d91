/* SPDX-License-Identifier: MIT */
/* What becomes of a mutant: the checks or tests that catch it. */
#ifndef HN_MUTATE_JUDGE_H
#define HN_MUTATE_JUDGE_H

#include "build.h"
#include "case.h"

typedef enum hn_fate_kind {
    HN_FATE_NONE,
    HN_FATE_INVALID, /* does not compile */
    HN_FATE_SAME,    /* compiles to the same object */
    HN_FATE_KILLED,
    HN_FATE_SURVIVED
} hn_fate_kind;

typedef struct hn_fate {
    hn_fate_kind kind;
    char by[100];   /* the check or test that reported it first */
    char all[1200]; /* all that do, each followed by a blank; of the ablation run */
    char what[200]; /* what was reported, or the case */
    char line[HN_LINE_MAX];
    uint32_t missed; /* bit s: survives under the run seed s of the list */
    bool traced;     /* killed by what it executes, whatever cases are drawn */
    double seconds;
} hn_fate;

/* Which mutants only one check catches is found by runs in which no check ends a case. */
typedef struct hn_ordeal {
    const char *suite;
    uint64_t seed;
    bool all;   /* collect every check, in fate->all, on a suite of its own */
    bool trace; /* which instructions are executed: the same under any seed */
} hn_ordeal;

/* Runs the subject at `library` on the op `stem`, the variant `isa` against its reference and one
 * other variant's strict bits. With stem NULL: everything. */
void hn_judge_kernel(const char *library, const char *stem, const char *isa,
                     const hn_ordeal *ordeal, hn_fate *fate);

/* Runs a program of cmocka tests, or one whose exit code says it all; killed after so many seconds. */
void hn_judge_program(const char *command, const char *name, const char *folder, double seconds,
                      hn_fate *fate);

/* Of the checks that reported while no check ended a case; bit c is check c. In shared memory. */
extern uint32_t *hn_seen;

#endif
