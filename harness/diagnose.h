/* SPDX-License-Identifier: MIT */
/* What the wrong outputs have in common. */
#ifndef HN_DIAGNOSE_H
#define HN_DIAGNOSE_H

#include "compare.h"

/* Which outputs of a tile are outside their balls; bad[i] for component i. Returns their number. */
size_t hn_find_bad(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                   unsigned family_flags, bool *bad);

/* True if every bad component lies in its ball of `other` (the same tile of another reference). */
bool hn_explains(const hn_output *y, const ref_tile *tile, const hn_balls *other,
                 unsigned family_flags, const bool *bad);

/* One or two lines about the pattern of the bad outputs: rows, columns, residues, tail, zero, sign,
 * constant ratio or difference, neighbours, swapped pairs. `vector`: the kernel's lanes or unroll. */
void hn_describe_pattern(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                         const bool *bad, size_t vector, char *text, size_t size);

#endif
