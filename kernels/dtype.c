/* SPDX-License-Identifier: MIT */
/* The table of storage formats. */
#include <stdint.h>
#include <string.h>

#include "quant.h"

static const struct {
    const char *name;
    size_t block, bytes;
} dtypes[CK_DTYPE_COUNT] = {
#define X(code, name, elements, bytes) [CK_DTYPE_##code] = { #name, (elements), (bytes) },
    CK_DTYPES(X)
#undef X
};

const char *ck_dtype_name(ck_dtype dtype)
{
    return (unsigned)dtype < CK_DTYPE_COUNT ? dtypes[dtype].name : "unknown";
}

ck_dtype ck_dtype_find(const char *name)
{
    for (unsigned t = 0; name && t < CK_DTYPE_COUNT; t++)
        if (strcmp(dtypes[t].name, name) == 0) return (ck_dtype)t;
    return CK_DTYPE_COUNT;
}

size_t ck_dtype_block(ck_dtype dtype)
{
    return (unsigned)dtype < CK_DTYPE_COUNT ? dtypes[dtype].block : 0;
}

size_t ck_row_bytes(ck_dtype dtype, size_t n)
{
    if ((unsigned)dtype >= CK_DTYPE_COUNT) return SIZE_MAX;
    const size_t block = dtypes[dtype].block, blocks = n / block + (n % block != 0);
    return blocks <= (size_t)PTRDIFF_MAX / dtypes[dtype].bytes ? blocks * dtypes[dtype].bytes
                                                               : SIZE_MAX;
}
