/* SPDX-License-Identifier: MIT */
/* dot8, over the vi (of BYTES bytes) of the including file. Each chain multiplies its own sum, so
 * that no product can be moved out of the loop. */
#include "ceiling.h"

#define CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
enum { DOT8_CHAINS = 8 };

static double dot8_peak(size_t steps, void *sink)
{
    const vi x = vi_set8(3);
#define START(i) vi sum##i = vi_set8((signed char)(i));
#define STEP(i)  sum##i = vi_dot(sum##i, sum##i, x);
#define STORE(i) vi_store((char *)sink + (i)*BYTES, sum##i);
    CHAINS(START)
    for (size_t s = 0; s < steps; s++) {
        CHAINS(STEP)
    }
    CHAINS(STORE)
#undef START
#undef STEP
#undef STORE
    return 2.0 * PRODUCTS * DOT8_CHAINS * (double)steps;
}
#undef CHAINS
