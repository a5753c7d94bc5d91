/* SPDX-License-Identifier: MIT */
/* Comparison of outputs with the reference's balls. */
#ifndef HN_COMPARE_H
#define HN_COMPARE_H

#include <math.h>
#include <string.h>

#include "family.h"
#include "verdict.h"

/* An output of one case as the kernel left it, rows packed. */
typedef struct hn_output {
    const char *name;
    const unsigned char *bytes;
    size_t rows, cols;
    const hn_dtype_info *info;
    bool numbers; /* the one part of a unit is the number that it stands for */
    bool copies;  /* the one part of a unit is its 32 bits */
} hn_output;

/* What is compared of a unit. */
static inline double hn_output_part(const hn_output *y, const unsigned char *unit, size_t part)
{
    uint32_t bits;
    if (y->copies) {
        memcpy(&bits, unit, sizeof bits);
        return (double)bits;
    }
    return y->numbers ? hn_number(y->info, unit) : hn_part(y->info, unit, part);
}

/* The balls of a tile's outputs under one spec, and the mean term of each. */
typedef struct hn_balls {
    size_t n;
    const double *v, *e, *term;
} hn_balls;

/* Compares a tile; sets verdict, check, utilisation, exact and the message of the first output that
 * is out of its ball. */
void hn_compare(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                unsigned family_flags, hn_result *result);

/* error / radius of one output inside its ball, 0 where that means nothing; NaN if it is outside. */
static inline double hn_judge(double got, double v, double e, bool signed_zero)
{
    if (e == REF_ANY) return 0.0;
    if (isnan(v)) return isnan(got) ? 0.0 : (double)NAN;
    if (isinf(v)) return got == v ? 0.0 : (double)NAN;
    const double error = fabs(got - v);
    if (!(error <= e)) return (double)NAN;
    if (signed_zero && e == 0.0 && v == 0.0 && signbit(got) != signbit(v)) return (double)NAN;
    return e > 0.0 ? error / e : 0.0;
}

/* True if some output of the tile could have shown a fault: its radius is 0, or below half of the
 * mean term. */
bool hn_has_power(const hn_balls *balls);

/* Records a failure unless one is recorded already. */
void hn_record(hn_result *result, hn_verdict verdict, hn_check check, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends the units around `index` of a row, as bytes, to result->detail. */
void hn_dump_units(hn_result *result, const char *title, const unsigned char *row, size_t cols,
                   size_t unit, size_t index);

#endif
