/* SPDX-License-Identifier: MIT */
/* One case of a bench: kernels of several subjects, checked, then timed in turns. */
#ifndef HN_CONTEST_H
#define HN_CONTEST_H

#include "../group.h"
#include "limits.h"

enum { HN_ROUNDS_LEAST = 9, HN_ROUNDS_MOST = 501 };

/* One kernel in one mode. */
typedef struct hn_contestant {
    const ck_subject *subject;
    const ck_kernel *kernel;
    bool own, strict;
    hn_verdict verdict; /* of the check; only HN_OK is timed */
    char what[HN_WHAT_MAX];
    size_t calls;    /* of one sample */
    double *seconds; /* of one call, a sample each round */
    hn_summary time;
} hn_contestant;

typedef struct hn_contest {
    hn_case c;
    hn_contestant of[HN_MAX_VARIANTS];
    size_t count;
    double products; /* of one call; 0: the op is none of products */
    bool int8;
    size_t bytes;   /* that a call must read or write */
    hn_level level; /* of memory that they are in */
    bool cold;
    size_t rounds;
    char skip[HN_WHAT_MAX]; /* why nothing was timed; "" */
} hn_contest;

/* A contestant more; false if there is no room. */
bool hn_contest_add(hn_contest *contest, const hn_contestant *one);

/* Runs the group's checks on all contestants, each that takes its process down alone in its death. */
void hn_contest_check(hn_contest *contest);

/* Times those that were right, for about so many seconds, at least HN_ROUNDS_LEAST rounds. All use the
 * same operands, or, cold, in turn copies of them that no cache holds. */
void hn_contest_time(hn_contest *contest, const hn_machine *machine, double seconds);

/* Ratios of two that were timed, round by round: seconds of a / seconds of b. */
hn_summary hn_contest_ratio(const hn_contest *contest, size_t a, size_t b);

void hn_contest_free(hn_contest *contest);

#endif
