/* SPDX-License-Identifier: MIT */
/* Which sizes a fault needs: what a small failing case says of the kernel's loops. */
#ifndef HN_REACH_H
#define HN_REACH_H

#include <stdbool.h>

#include "case.h"

/* Sizes tried of a dimension, the least ones: above the residues of all vectors; of blocks fewer, since
 * these are long. */
enum { HN_REACH_SIZES = 80, HN_REACH_BLOCKS = 20 };

/* Whether a case shows the fault. */
typedef bool hn_fails(void *context, const hn_case *c);

/* The sizes at which c, which fails, does so as well, one dimension at a time, all else as it is:
 * "K >= 32; N % 8 = 7; any M". A size that only some data shows as wrong counts if `fails` finds one.
 * What no short rule tells is listed as ranges, or left out. "" if c has no dimension. */
void hn_reach(char *text, size_t size, const hn_case *c, hn_fails *fails, void *context);

#endif
