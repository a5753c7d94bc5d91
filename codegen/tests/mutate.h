/* SPDX-License-Identifier: MIT */
/* Damaged text: seeded, so that a damage can be had again. */
#ifndef CG_MUTATE_H
#define CG_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* The next number of the seed (splitmix64, public domain). */
uint64_t cg_draw(uint64_t *seed);
/* Changes 1 to 4 places of the bytes: flips, cuts, doubles, numbers, brackets, quotes. Room is for
 * twice the size; the new size. */
size_t cg_mutate(unsigned char *bytes, size_t size, size_t room, uint64_t *seed);

#endif
