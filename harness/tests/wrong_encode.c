/* SPDX-License-Identifier: MIT */
/* A harness in whose weights all blocks of a row are alike. */
#include <string.h>

#include "runtime/format.h"

void __real_hn_rt_encode(const hn_rt_format *f, const float *x, size_t n, unsigned char *blocks);
void __wrap_hn_rt_encode(const hn_rt_format *f, const float *x, size_t n, unsigned char *blocks);

void __wrap_hn_rt_encode(const hn_rt_format *f, const float *x, size_t n, unsigned char *blocks)
{
    __real_hn_rt_encode(f, x, n, blocks);
    for (size_t at = f->bytes; f->elements > 1 && at < hn_rt_row_bytes(f, n); at += f->bytes)
        memcpy(blocks + at, blocks, f->bytes);
}
