/* SPDX-License-Identifier: MIT */
/* Whether a shrunk case is minimal: by trying everything smaller, not by trusting the search. */
#ifndef HN_MINIMAL_H
#define HN_MINIMAL_H

#include "../group.h"

/* What shrinking made of one failing case. */
typedef struct hn_shrunk {
    bool minimal;
    unsigned candidates;       /* that shrinking ran */
    char line[HN_LINE_MAX];    /* what it came to */
    char smaller[HN_LINE_MAX]; /* not minimal: a smaller case that fails alike; "": the shrunk one
                                * does not, or is larger than what was found */
} hn_shrunk;

/* Shrinks `found`, of which plan->variants[variant] makes the result `like`, as `ckparity shrink` does,
 * but for as long as it takes. Then tries each dimension and count at every smaller value, the others
 * as they are: all admissible ones if they are at most 2 * 64, else the least 64, the next 64 below,
 * and halves; each with leading dimensions as they are and tight, and with the seeds that shrinking
 * has. The case is minimal if none of these fails with the same verdict and check. */
void hn_shrink_and_try(const hn_plan *plan, size_t variant, const hn_result *like,
                       const hn_case *found, hn_shrunk *shrunk);

#endif
