/* SPDX-License-Identifier: MIT */
/* The eight scales and eight minimums of q4_k and q5_k, six bits each in twelve bytes:
 *   bit     7 6  5 4 3 2 1 0              7 6 5 4   3 2 1 0
 *   b[n]    s[4+n] s[n]         b[8+n]    m[4+n]    s[4+n]       the upper two bits, all six,
 *   b[4+n]  m[4+n] m[n]                                          the lower four; n = 0..3 */
#ifndef CK_SCALES_K_H
#define CK_SCALES_K_H

typedef struct scales_k {
    unsigned char s[8], m[8];
} scales_k;

static inline scales_k scales_k_unpack(const unsigned char *b)
{
    scales_k k;

    for (int n = 0; n < 4; n++) {
        k.s[n] = b[n] & 63;
        k.m[n] = b[4 + n] & 63;
        k.s[4 + n] = (unsigned char)((b[8 + n] & 15) | b[n] >> 6 << 4);
        k.m[4 + n] = (unsigned char)(b[8 + n] >> 4 | b[4 + n] >> 6 << 4);
    }
    return k;
}

static inline void scales_k_pack(unsigned char *b, const scales_k *k)
{
    for (int n = 0; n < 4; n++) {
        b[n] = (unsigned char)(k->s[n] | k->s[4 + n] >> 4 << 6);
        b[4 + n] = (unsigned char)(k->m[n] | k->m[4 + n] >> 4 << 6);
        b[8 + n] = (unsigned char)((k->s[4 + n] & 15) | (k->m[4 + n] & 15) << 4);
    }
}

#endif
