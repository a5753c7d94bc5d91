/* SPDX-License-Identifier: MIT */
/* Guard-paged slots, one for each operand, mapped once and used by every case. */
#ifndef HN_PLACE_H
#define HN_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "family.h"

typedef struct hn_slot {
    unsigned char *map; /* guard page, data, guard page */
    size_t data_bytes;
    bool apart; /* of the data only the rows are mapped */
} hn_slot;

/* An operand in its slot. What lies between the rows' live units, and up to HN_MARGIN bytes on both
 * sides, is junk or canary: [lo, hi) is all that may ever differ. */
enum { HN_MARGIN = 256 };
/* Bytes from row to row: of as many or more, what lies between is left unmapped. */
enum { HN_APART = 1 << 28 };
typedef struct hn_placed {
    unsigned char *at; /* NULL: operand not passed */
    unsigned char *lo, *hi;
    size_t rows, cols, ld, unit;
} hn_placed;

/* Patterns: two kinds of junk for inputs, two of prefill and one of canary for outputs. As f32 they
 * are a signalling NaN, a huge finite number, a NaN, a finite number and a NaN; no two share one of their
 * three low bytes. */
typedef enum hn_pattern { HN_JUNK_A, HN_JUNK_B, HN_PREFILL_A, HN_PREFILL_B, HN_CANARY } hn_pattern;

/* Places rows x cols units of `info` (ld units from row to row). Rows that lie very far apart have
 * unmapped pages between them. Returns 0, or -1 if out of memory. */
int hn_place_operand(hn_slot *slot, const hn_extent *extent, size_t ld, const hn_dtype_info *info,
                     hn_place place, hn_placed *placed);
void hn_slot_free(hn_slot *slot);

/* Of an operand all that may be touched, between lo and hi: its bytes, a copy, whether it is as it was. */
size_t hn_placed_bytes(const hn_placed *p);
void hn_placed_save(const hn_placed *p, unsigned char *to);
bool hn_placed_same(const hn_placed *p, const unsigned char *saved);

/* The word that a pattern repeats. */
uint32_t hn_pattern_word(hn_pattern pattern);
void hn_paint(unsigned char *from, size_t bytes, hn_pattern pattern);
bool hn_painted(const unsigned char *from, size_t bytes, hn_pattern pattern);
/* Paints all of [lo, hi) but the live units; live[r] units of row r, NULL: cols. */
void hn_paint_slack(const hn_placed *p, const size_t *live, hn_pattern pattern);
/* First byte outside the live units of an output that is no longer canary; NULL: intact. */
const unsigned char *hn_find_overwrite(const hn_placed *p, const size_t *live);

/* Which side of the slot a faulting address hits: -1 the lower guard page, 1 the upper or what is
 * unmapped between rows, 0 neither. */
int hn_guard_side(const hn_slot *slot, const void *address);

#endif
