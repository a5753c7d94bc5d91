/* SPDX-License-Identifier: MIT */
/* Storage formats as the harness sees them: units (an element or a block) made of parts that are
 * compared one by one. */
#ifndef HN_DTYPE_H
#define HN_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum hn_dtype {
    HN_F32,
    HN_Q8_0,
    HN_DTYPE_COUNT,
    /* In a family's operands: the first, second, third format of the op's name, the last one again
     * where it names fewer. */
    HN_TYPE_0 = HN_DTYPE_COUNT,
    HN_TYPE_1,
    HN_TYPE_2
} hn_dtype;

typedef struct hn_dtype_info {
    const char *name;
    size_t bytes;    /* of a unit */
    size_t elements; /* of a unit */
    size_t align;    /* bytes every unit is aligned to */
    size_t parts;    /* compared components of a unit */
    double (*part)(const unsigned char *unit, size_t index);
    const char *(*part_name)(size_t index); /* "" where a unit is one number */
    /* Whether a unit lies outside a domain: CK_DOMAIN_ flags, least code. */
    bool (*leaves)(const unsigned char *unit, unsigned flags, int code_min);
} hn_dtype_info;

extern const hn_dtype_info hn_dtypes[HN_DTYPE_COUNT];

#endif
