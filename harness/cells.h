/* SPDX-License-Identifier: MIT */
/* Which sizes of a kernel's tiles and unrolled loops have been run: residues of the dimensions modulo what
 * its numspec declares (mr, nr, ku), and pairs of residues. A fault in a remainder shows only there. */
#ifndef HN_CELLS_H
#define HN_CELLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "case.h"
#include "ck_subject.h"

enum { HN_CELL_AXES = 3, HN_CELL_MOST = 128 };

/* Residues and pairs as bits: pair (i, j) of axes a < b is bit i * HN_CELL_MOST + j of pairs[a + b - 1]. */
typedef struct hn_cells {
    uint64_t residues[HN_CELL_AXES][HN_CELL_MOST / 64];
    uint64_t pairs[HN_CELL_AXES][HN_CELL_MOST * HN_CELL_MOST / 64];
} hn_cells;

/* How many of a kind there are, and were run. */
typedef struct hn_cell_count {
    size_t seen, all;
} hn_cell_count;

/* The axes of an op: rows, columns and what is summed or walked along, as far as it has them: the name
 * of the dimension and its modulus; 1 where the kernel has no tile. */
typedef struct hn_cell_axis {
    const char *name; /* NULL: the op has no such axis */
    size_t key;
    unsigned modulus;
} hn_cell_axis;
void hn_cell_axes(const struct hn_op *op, const ck_numspec *num, hn_cell_axis axes[HN_CELL_AXES]);

/* Marks the cells of a case that the kernel has passed. */
void hn_cells_mark(hn_cells *cells, const hn_case *c, const ck_numspec *num);
void hn_cells_merge(hn_cells *into, const hn_cells *from);

/* Residues of one axis; pairs of all. */
hn_cell_count hn_cells_residues(const hn_cells *cells, const hn_cell_axis *axis, size_t a);
hn_cell_count hn_cells_pairs(const hn_cells *cells, const hn_cell_axis axes[HN_CELL_AXES]);
/* "M % 4 = 3; M % 4, K % 16 = 1, 0": what was not run, at most a few of each. */
void hn_cells_missing(const hn_cells *cells, const hn_cell_axis axes[HN_CELL_AXES], FILE *out);

#endif
