/* SPDX-License-Identifier: MIT */
/* One step of a pass against its reference, which takes the step's own inputs: errors do not add up, and
 * the first wrong step is the one that is named. */
#ifndef HN_RUNTIME_STAGE_H
#define HN_RUNTIME_STAGE_H

#include "decoder.h"

/* A pass: rows [first, first + rows) of `tokens`. */
typedef struct hn_rt_pass {
    const int32_t *tokens; /* [rows] */
    size_t first, rows;
} hn_rt_pass;

#define HN_RT_STATISTIC SIZE_MAX
/* What a step did. */
typedef struct hn_rt_found {
    bool bad, pad;      /* an element out of its ball; a pad lane that is not +0 */
    double utilisation; /* worst error / radius */
    bool exact;         /* every radius was 0 */
    /* of the worst element, or of the first that is bad; row: the position; col HN_RT_STATISTIC: of the
     * statistics */
    size_t piece, row, col;
    double got, wanted, radius;
} hn_rt_found;

/* Room for references, to be reused. */
typedef struct hn_rt_cells {
    double *v;
    size_t count;
} hn_rt_cells;
void hn_rt_cells_free(hn_rt_cells *cells);

/* A step of a pass, and the arena before and after it. */
typedef struct hn_rt_work {
    const hn_rt_decoder *d;
    const hn_rt_stage *s;
    const hn_rt_pass *p;
    bool strict;
    const unsigned char *before, *after;
} hn_rt_work;
/* Compares what the step left with the reference on what was there before. */
void hn_rt_check(const hn_rt_work *w, hn_rt_cells *cells, hn_rt_found *found);

/* The precision that a step's op promises now: of the variant that would be dispatched to. */
ref_spec hn_rt_spec(const hn_rt_stage *s, bool strict);

/* Calls `each` with every stretch of bytes that a step may write in this pass. */
typedef void hn_rt_stretch(void *context, size_t offset, size_t bytes);
void hn_rt_written(const hn_rt_stage *s, const hn_rt_pass *p, hn_rt_stretch *each, void *context);

/* "y[2,7]" (with heads "y[head,position,column]", in the cache "k[...]" or "v[...]"), for messages. */
void hn_rt_element(const hn_rt_stage *s, const hn_rt_found *f, char *text, size_t size);

#endif
