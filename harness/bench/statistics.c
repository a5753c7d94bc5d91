/* SPDX-License-Identifier: MIT */
/* Order statistics. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

const char *const hn_decision_names[] = { "", "win", "loss" };

/* One side of the interval's 1 %. */
static const double side = 0.005;

size_t hn_interval_rank(size_t n)
{
    double chance = ldexp(1.0, -(int)n), below = 0.0; /* P(B = k), P(B < k + 1) */
    size_t k = 0;
    while (k < n / 2 && below + chance <= side) {
        below += chance;
        chance *= (double)(n - k) / (double)(k + 1);
        k++;
    }
    return k;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

hn_summary hn_summarize(double *values, size_t n)
{
    hn_summary s = { .n = n };
    if (n == 0) return s;
    qsort(values, n, sizeof *values, ascending);
    s.median = (values[(n - 1) / 2] + values[n / 2]) / 2;
    s.least = values[0];
    s.most = values[n - 1];
    const size_t rank = hn_interval_rank(n);
    if (rank == 0) return s;
    s.has_interval = true;
    s.low = values[rank - 1];
    s.high = values[n - rank];
    return s;
}

hn_decision hn_decide(const hn_summary *ratio)
{
    if (!ratio->has_interval) return HN_UNDECIDED;
    if (ratio->low > 1.0) return HN_WIN;
    return ratio->high < 1.0 ? HN_LOSS : HN_UNDECIDED;
}
