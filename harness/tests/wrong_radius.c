/* SPDX-License-Identifier: MIT */
/* A harness whose radii are four times too wide. */
#include <stdlib.h>

#include "compare.h"

void __real_hn_compare(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                       unsigned family_flags, hn_result *result);
void __wrap_hn_compare(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                       unsigned family_flags, hn_result *result);

void __wrap_hn_compare(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                       unsigned family_flags, hn_result *result)
{
    double *e = calloc(balls->n, sizeof *e);
    hn_balls wide = *balls;
    for (size_t i = 0; e && i < balls->n; i++)
        e[i] = balls->e[i] > 0.0 ? 4.0 * balls->e[i] : balls->e[i];
    wide.e = e;
    __real_hn_compare(y, tile, &wide, family_flags, result);
    free(e);
}
