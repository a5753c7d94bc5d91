/* SPDX-License-Identifier: MIT */
/* What every strict-parity kernel shares: the floating-point mode and the one final rounding. */
#ifndef CK_STRICT_H
#define CK_STRICT_H

#include <stdint.h>
#include <string.h>

#include "ck_subject.h"

/* body(args) under round-to-nearest with gradual underflow and all exceptions masked. The caller's
 * MXCSR is back afterwards, flags included. In a file of its own, so that no arithmetic of the body
 * can be moved past the switch. */
void ck_strict_run(ck_fn *body, const void *args);

/* The one rounding of a strict result: RN32(v), every NaN as 0x7fc00000. */
static inline float ck_strict_f32(double v)
{
    const uint32_t nan_bits = 0x7fc00000;
    float y = (float)v;

    if (v != v) memcpy(&y, &nan_bits, sizeof y);
    return y;
}

/* The float on either side of v whose last bit is set, or v: rounded to nearest even with fewer bits it
 * gives what v does. */
static inline float ck_strict_odd(double v)
{
    const float y = (float)v;
    uint32_t bits;
    if (v != v || (double)y == v) return y;
    memcpy(&bits, &y, sizeof bits);
    if (bits % 2 == 0) bits += (v < 0.0 ? -v : v) > (double)(y < 0.0f ? -y : y) ? 1u : 0u - 1u;
    float odd;
    memcpy(&odd, &bits, sizeof odd);
    return odd;
}

#endif
