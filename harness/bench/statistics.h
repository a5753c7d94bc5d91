/* SPDX-License-Identifier: MIT */
/* Medians and their confidence intervals. */
#ifndef HN_STATISTICS_H
#define HN_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Of n values: median, extremes, and an interval that holds the median of what they were drawn from
 * with a probability of at least 99 %, whatever its distribution, if they are independent. */
typedef struct hn_summary {
    size_t n;
    double median, least, most;
    bool has_interval; /* fewer than 8 values have none */
    double low, high;
} hn_summary;

/* The rank k, from 1, of the interval [k-th least, k-th greatest] of n values; 0: there is none. The
 * median lies outside with probability 2 P(B < k), B binomial of n and 1/2.
 * Source: Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2. */
size_t hn_interval_rank(size_t n);

/* Sorts the values. */
hn_summary hn_summarize(double *values, size_t n);

/* What ratios (other's time / ours) say: nothing unless the interval excludes 1. */
typedef enum hn_decision { HN_UNDECIDED, HN_WIN, HN_LOSS } hn_decision;
hn_decision hn_decide(const hn_summary *ratio);
extern const char *const hn_decision_names[]; /* "" "win" "loss" */

#endif
