/* SPDX-License-Identifier: MIT */
/* Comparison of outputs with the reference's balls. */
#ifndef HN_COMPARE_H
#define HN_COMPARE_H

#include "family.h"
#include "verdict.h"

/* Outputs of one case as the kernel left them, rows packed. */
typedef struct hn_output {
    const unsigned char *bytes;
    size_t rows, cols;
    const hn_dtype_info *info;
} hn_output;

/* Compares a tile; sets verdict, check, utilisation, exact and the message of the first output that
 * is out of its ball. `e` is the tile's row of radii for this variant's spec. */
void hn_compare(const hn_output *y, const ref_tile *tile, const ref_out *ref, const double *e,
                unsigned family_flags, hn_result *result);

/* True if some output of the tile could have shown a fault: its radius is 0, or below half of the
 * mean term. */
bool hn_has_power(const ref_out *ref, const double *e);

/* Records a failure unless one is recorded already. */
void hn_record(hn_result *result, hn_verdict verdict, hn_check check, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends the units around `index` of a row, as bytes, to result->detail. */
void hn_dump_units(hn_result *result, const char *title, const unsigned char *row, size_t cols,
                   size_t unit, size_t index);

#endif
