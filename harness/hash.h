/* SPDX-License-Identifier: MIT */
/* The hash of golden files and captured data: FNV-1a, 64 bits. */
#ifndef HN_HASH_H
#define HN_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HN_HASH_START UINT64_C(0xcbf29ce484222325)

/* The hash of what was hashed to h, and then these bytes. */
static inline uint64_t hn_hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *const from = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ from[i]) * UINT64_C(0x100000001b3);
    return h;
}

#endif
