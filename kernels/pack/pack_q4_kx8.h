/* SPDX-License-Identifier: MIT */
/* pack_q4_k_q4_kx8: eight rows of q4_k interleaved. The including file brings the turning of codes. Nothing
 * is computed, so that strict kernels are the fast ones. */
#ifndef CK_PACK_Q4_KX8_H
#define CK_PACK_Q4_KX8_H

#include "pack_x8.h"
#include "scales_k.h"

enum { X_DMIN = 2, X_SCALES = 4, X_CODES = 16 };
enum { Y_DMIN = 16, Y_SCALES = 32, Y_CODES = 128, SUB_SCALES = 12, CODES = 128 };

/* CODES bytes from at[r] on of each row r: eight of row 0, eight of row 1, ... */
static inline void turn_codes(unsigned char *y, const unsigned char *const *at);

/* Where q4_k has its sub-blocks' scales, a sub-block has its rows'. */
static inline void turn_scales(unsigned char *y, const unsigned char *const *x)
{
    scales_k of_row[EIGHT], of_sub;

    for (int r = 0; r < EIGHT; r++) of_row[r] = scales_k_unpack(x[r] + X_SCALES);
    for (int j = 0; j < 8; j++) {
        for (int r = 0; r < EIGHT; r++) {
            of_sub.s[r] = of_row[r].s[j];
            of_sub.m[r] = of_row[r].m[j];
        }
        scales_k_pack(y + Y_SCALES + SUB_SCALES * j, &of_sub);
    }
}

static inline void pack_block(unsigned char *y, const unsigned char *const *x)
{
    const unsigned char *codes[EIGHT];

    for (int r = 0; r < EIGHT; r++) {
        memcpy(y + 2 * r, x[r], 2);
        memcpy(y + Y_DMIN + 2 * r, x[r] + X_DMIN, 2);
        codes[r] = x[r] + X_CODES;
    }
    turn_scales(y, x);
    turn_codes(y + Y_CODES, codes);
}

static inline void pack_q4_kx8(const void *args)
{
    static const unsigned char zeros[CK_Q4_K_BYTES];
    static const rows_of q4_k = { CK_K_BLOCK, CK_Q4_K_BYTES, zeros };

    pack_x8(args, &q4_k, pack_block);
}

#endif
