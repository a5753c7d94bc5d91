/* SPDX-License-Identifier: MIT */
/* Seconds of a clock, for limits and medians; never in a result. */
#ifndef HN_CLOCK_H
#define HN_CLOCK_H

#include <time.h>

static inline double hn_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double hn_wall_seconds(void) { return hn_seconds(CLOCK_MONOTONIC); }

/* CPU time of this thread. */
static inline double hn_thread_seconds(void) { return hn_seconds(CLOCK_THREAD_CPUTIME_ID); }

#endif
