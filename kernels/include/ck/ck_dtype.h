/* SPDX-License-Identifier: MIT */
/* Storage formats: elements and bytes of one block. Layouts: docs/formats.md. */
#ifndef CK_DTYPE_H
#define CK_DTYPE_H

/* q8_0: 32 elements in 34 bytes, no alignment: d f16 @0, int8 qs[32] @2; y = d * q. */
enum { CK_Q8_0_BLOCK = 32, CK_Q8_0_BYTES = 34 };

/* The k formats: 256 elements, no alignment.
 *   q4_k   d f16 @0, dmin f16 @2, scales[12] @4, qs[128] @16; y = d s q - dmin m
 *   q5_k   d f16 @0, dmin f16 @2, scales[12] @4, qh[32] @16, qs[128] @48; the same
 *   q6_k   ql[128] @0, qh[64] @128, int8 s[16] @192, d f16 @208; y = d s q
 *   q8_k   d f32 @0, int8 q[256] @4, int16 bsums[16] @260; y = d q */
enum {
    CK_K_BLOCK = 256,
    CK_Q4_K_BYTES = 144,
    CK_Q5_K_BYTES = 176,
    CK_Q6_K_BYTES = 210,
    CK_Q8_K_BYTES = 292
};

#endif
