/* SPDX-License-Identifier: MIT */
/* fma and read, over the vf (of FLOATS floats) and vi (of BYTES bytes) of the including file. */
#include "ceiling.h"

/* Twelve chains: a multiplication and an addition apart, of three cycles each, at two a cycle. */
#define CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
enum { FMA_CHAINS = 12 };

static double fma_peak(size_t steps, void *sink)
{
    const vf x = vf_set(0.5f), y = vf_set(1.0f);
#define START(i) vf sum##i = vf_set((float)(i));
#define STEP(i)  sum##i = vf_muladd(sum##i, x, y);
#define STORE(i) vf_store((float *)sink + (i)*FLOATS, sum##i);
    CHAINS(START)
    for (size_t s = 0; s < steps; s++) {
        CHAINS(STEP)
    }
    CHAINS(STORE)
#undef START
#undef STEP
#undef STORE
    return 2.0 * FLOATS * FMA_CHAINS * (double)steps;
}
#undef CHAINS

#define STREAMS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
enum { READ_STREAMS = 8 };

static void read_all(const void *from, size_t bytes, void *sink)
{
    const char *at = from;
#define START(i) vi sum##i = vi_load(at + (i)*BYTES);
#define STEP(i)  sum##i = vi_xor(sum##i, vi_load(at + (i)*BYTES));
#define STORE(i) vi_store((char *)sink + (i)*BYTES, sum##i);
    STREAMS(START)
    for (size_t s = READ_STREAMS * BYTES; s < bytes; s += READ_STREAMS * BYTES) {
        at += READ_STREAMS * BYTES;
        STREAMS(STEP)
    }
    STREAMS(STORE)
#undef START
#undef STEP
#undef STORE
}
#undef STREAMS
