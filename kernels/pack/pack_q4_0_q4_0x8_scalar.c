/* SPDX-License-Identifier: MIT */
/* pack_q4_0_q4_0x8, plain C. */
#include "pack/pack_q4_0x8.h"

const ck_numspec ck_pack_q4_0_q4_0x8_scalar_spec = CK_PACK_SPEC(CK_Q4_0_BLOCK);

static inline void turn_codes(unsigned char *y, const unsigned char *const *at)
{
    for (int e = 0; e < 16; e++)
        for (int r = 0; r < EIGHT; r++) y[e / 8 * CHUNK + 8 * r + e % 8] = at[r][e] ^ 0x88;
}

void ck_pack_q4_0_q4_0x8_scalar(const void *args) { pack_q4_0x8(args); }

void ck_pack_q4_0_q4_0x8_scalar_strict(const void *args) { ck_strict_run(pack_q4_0x8, args); }
