/* SPDX-License-Identifier: MIT */
/* Data of a case: a pure function of its fill, seed, shape and the operand's role. */
#ifndef HN_FILL_H
#define HN_FILL_H

#include "place.h"

/* Writes the live units of every row of operand `index`; live[r] units of row r, NULL: all. */
void hn_fill_operand(const hn_case *c, size_t index, const hn_placed *p, const size_t *live);

#endif
