/* SPDX-License-Identifier: MIT */
/* Storage formats as the harness sees them: units (an element or a block) made of parts that are
 * compared one by one. Everything about a format follows from its fields. */
#ifndef HN_DTYPE_H
#define HN_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum hn_dtype {
    HN_F32,
    HN_F16,
    HN_BF16,
    HN_I32,
    HN_INT8,
    HN_UINT8,
    HN_INT4,
    HN_Q4_0,
    HN_Q4_1,
    HN_Q5_0,
    HN_Q5_1,
    HN_Q8_0,
    HN_Q8_1,
    HN_Q4_K,
    HN_Q5_K,
    HN_Q6_K,
    HN_Q8_K,
    HN_Q4_0X8,
    HN_Q4_KX8,
    HN_DTYPE_COUNT,
    /* In a family's operands: the first, second, third format of the op's name, the last one again
     * where it names fewer. */
    HN_TYPE_0 = HN_DTYPE_COUNT,
    HN_TYPE_1,
    HN_TYPE_2
} hn_dtype;

/* What a field means: fills draw by it. */
typedef enum hn_meaning {
    HN_NUMBER,    /* an element itself */
    HN_SCALE,     /* factor of all codes of a block */
    HN_MIN,       /* added to all elements of a block, or factor of all sub-minimums */
    HN_SUB_SCALE, /* factors of some codes */
    HN_SUB_MIN,   /* of some codes, times the block's HN_MIN */
    HN_CODE,      /* integers */
    HN_SUM        /* follows from the others: the scale, if it is f16, times a sum of codes */
} hn_meaning;

typedef enum hn_encoding { HN_UNSIGNED, HN_SIGNED, HN_HALF, HN_BRAIN, HN_SINGLE } hn_encoding;

/* `width` bits of part i: they begin at bit first + the sum of step[b] over the bits b that are set in
 * i, counted from the unit's first byte and in it from the lowest bit; none crosses a byte's end
 * unless it begins at one. */
typedef struct hn_slice {
    unsigned width, first;
    unsigned step[8];
} hn_slice;

/* HN_PARTS_MAX: of a unit, or of a row of a packed one. */
enum { HN_SLICES = 2, HN_FIELDS_MAX = 8, HN_PARTS_MAX = 288 };

/* The parts name[from] .. name[from + count - 1]; of one part alone, name. */
typedef struct hn_field {
    const char *name;
    hn_meaning meaning;
    hn_encoding encoding;
    unsigned from, count;
    unsigned zero;              /* of unsigned codes: the one that stands for 0 */
    hn_slice slices[HN_SLICES]; /* lowest bits first; width 0: none */
} hn_field;

typedef struct hn_dtype_info {
    const char *name;
    size_t bytes;    /* of a unit */
    size_t elements; /* of a unit */
    size_t align;    /* bytes every unit is aligned to */
    size_t parts;    /* compared components of a unit; together they are all of its bits */
    hn_field fields[HN_FIELDS_MAX]; /* in the order of the parts; the first of count 0 ends them */
    /* Of a packed format: its rows, which follow each other in the parts. fields are those of the first. Each
     * is described as a unit of its own, which has the whole unit's bytes. */
    size_t rows; /* 0: it is none */
    const struct hn_dtype_info *row;
} hn_dtype_info;

extern const hn_dtype_info hn_dtypes[HN_DTYPE_COUNT];

/* Part `index` of a unit: an f32 element as a number; other floating-point fields as their bits, so
 * that NaN and signed zero compare exactly; integers. */
double hn_part(const hn_dtype_info *info, const unsigned char *unit, size_t index);
/* An f32, f16, bf16 or i32 element as a number. */
double hn_number(const hn_dtype_info *info, const unsigned char *unit);
/* ".d", ".q[17]"; "" where a unit is one number. Valid until the next call. */
const char *hn_part_name(const hn_dtype_info *info, size_t index);
/* Makes a unit of the bits of its parts; higher bits than a part has are ignored. */
void hn_pack(const hn_dtype_info *info, const uint32_t *parts, unsigned char *unit);
/* The same, of a unit whose bits are 0 there. */
void hn_put(const hn_dtype_info *info, const uint32_t *parts, unsigned char *unit);
/* Bits of a part of the field. */
unsigned hn_field_width(const hn_field *f);
/* Whether a unit lies outside a domain: CK_DOMAIN_ flags, least signed code. */
bool hn_leaves(const hn_dtype_info *info, const unsigned char *unit, unsigned flags, int code_min);

#endif
