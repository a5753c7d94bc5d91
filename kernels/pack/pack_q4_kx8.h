/* SPDX-License-Identifier: MIT */
/* pack_q4_k_q4_kx8: eight rows of q4_k interleaved. The including file brings the turning of codes. Nothing
 * is computed, so that strict kernels are the fast ones. */
#ifndef CK_PACK_Q4_KX8_H
#define CK_PACK_Q4_KX8_H

#include <assert.h>
#include <string.h>

#include "ck_dtype.h"
#include "kernel.h"
#include "quant.h"
#include "scales_k.h"
#include "strict.h"

#define CK_PACK_SPEC                                              \
    {                                                             \
        .accs = 1, .nr = CK_Q4_KX8_ROWS, .k_multiple = CK_K_BLOCK \
    }

enum { EIGHT = CK_Q4_KX8_ROWS, X_DMIN = 2, X_SCALES = 4, X_CODES = 16 };
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

/* Rows from `first` on, the missing ones of zeros. */
static inline void pack_rows(const ck_pack_args *p, size_t first)
{
    static const unsigned char zeros[CK_Q4_K_BYTES];
    unsigned char *y = (unsigned char *)p->y + first / EIGHT * p->ldy * CK_Q4_KX8_BYTES;

    for (size_t l = 0; l < p->k / CK_K_BLOCK; l++, y += CK_Q4_KX8_BYTES) {
        const unsigned char *x[EIGHT];
        for (size_t r = 0; r < EIGHT; r++) {
            const size_t at = ((first + r) * p->ldx + l) * CK_Q4_K_BYTES;
            x[r] = first + r < p->m ? (const unsigned char *)p->x + at : zeros;
        }
        pack_block(y, x);
    }
}

static inline void pack_q4_kx8(const void *args)
{
    const ck_pack_args *const p = args;

    assert(p->k % CK_K_BLOCK == 0 && p->ldx >= p->k / CK_K_BLOCK && p->ldy >= p->k / CK_K_BLOCK);
    for (size_t i = 0; i < p->m; i += EIGHT) pack_rows(p, i);
}

#endif
