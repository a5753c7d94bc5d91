/* SPDX-License-Identifier: MIT */
/* CK_NUM_TIE_EITHER: quantisers that may take either code where a value lies next to the middle. */
#ifndef REF_TIE_H
#define REF_TIE_H

#include <math.h>

#include "ref.h"

static inline int ref_either(const ref_spec *spec)
{
    return !spec->strict && (spec->num->flags & CK_NUM_TIE_EITHER);
}

/* Whether t, a code before it is rounded, which arithmetic in floats makes with up to four roundings
 * of numbers no larger than `most`, may land on either side of *tie. 4 REF_UD is this file's own
 * error. */
static inline int ref_near_tie(double t, double most, double *tie)
{
    *tie = floor(t) + 0.5;
    return fabs(t - *tie) <= (0x1p-22 + 4 * REF_UD) * most;
}

#endif
