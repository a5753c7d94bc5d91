/* SPDX-License-Identifier: MIT */
/* A harness with one prefill: what a kernel does not write is the same in both passes. */
#include "place.h"

void __real_hn_paint(unsigned char *from, size_t bytes, hn_pattern pattern);
void __wrap_hn_paint(unsigned char *from, size_t bytes, hn_pattern pattern);

void __wrap_hn_paint(unsigned char *from, size_t bytes, hn_pattern pattern)
{
    __real_hn_paint(from, bytes, pattern == HN_PREFILL_B ? HN_PREFILL_A : pattern);
}
