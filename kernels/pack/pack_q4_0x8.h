/* SPDX-License-Identifier: MIT */
/* pack_q4_0_q4_0x8: eight rows of q4_0 interleaved. The including file brings the turning of codes. */
#ifndef CK_PACK_Q4_0X8_H
#define CK_PACK_Q4_0X8_H

#include "pack_x8.h"

enum { X_CODES = 2, Y_CODES = 16, CHUNK = 64 /* eight bytes of each row */ };

/* Sixteen bytes from at[r] on of each row r: eight of row 0, eight of row 1, ..., then the other eight. Codes
 * with 8 for 0 become two's complement. */
static inline void turn_codes(unsigned char *y, const unsigned char *const *at);

static inline void pack_block(unsigned char *y, const unsigned char *const *x)
{
    const unsigned char *codes[EIGHT];

    for (int r = 0; r < EIGHT; r++) {
        memcpy(y + 2 * r, x[r], 2);
        codes[r] = x[r] + X_CODES;
    }
    turn_codes(y + Y_CODES, codes);
}

static inline void pack_q4_0x8(const void *args)
{
    static const unsigned char missing[CK_Q4_0_BYTES] = { 0,    0,    0x88, 0x88, 0x88, 0x88,
                                                          0x88, 0x88, 0x88, 0x88, 0x88, 0x88,
                                                          0x88, 0x88, 0x88, 0x88, 0x88, 0x88 };
    static const rows_of q4_0 = { CK_Q4_0_BLOCK, CK_Q4_0_BYTES, missing };

    pack_x8(args, &q4_0, pack_block);
}

#endif
