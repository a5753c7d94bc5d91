/* SPDX-License-Identifier: MIT */
/* pack_q4_k_q4_kx8, plain C. */
#include "pack/pack_q4_kx8.h"

const ck_numspec ck_pack_q4_k_q4_kx8_scalar_spec = CK_PACK_SPEC(CK_K_BLOCK);

static inline void turn_codes(unsigned char *y, const unsigned char *const *at)
{
    for (int e = 0; e < CODES; e += 8)
        for (int r = 0; r < EIGHT; r++, y += 8) memcpy(y, at[r] + e, 8);
}

void ck_pack_q4_k_q4_kx8_scalar(const void *args) { pack_q4_kx8(args); }

void ck_pack_q4_k_q4_kx8_scalar_strict(const void *args) { ck_strict_run(pack_q4_kx8, args); }
