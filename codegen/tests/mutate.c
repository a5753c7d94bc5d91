/* SPDX-License-Identifier: MIT */
/* Damaged text. */
#include "mutate.h"

#include <string.h>

uint64_t cg_draw(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* What numbers, strings and structure break on. */
static const char *const pieces[] = {
    "-1",    "0",       "4294967296", "99999999999999999999",
    "1e999", "2.5",     "NaN",        "null",
    "true",  "\"x\"",   "{",          "}",
    "[",     "]",       ",",          ":",
    "\"",    "\\u0000", "1e-9",       "\xff",
    "\\",    "0x10",    "L0:N0:0",    "IN",
    "65535", "\n",      "ADD",
};

static size_t replace(unsigned char *bytes, size_t size, size_t at, size_t cut, const char *piece)
{
    const size_t length = strlen(piece);
    memmove(bytes + at + length, bytes + at + cut, size - at - cut);
    memcpy(bytes + at, piece, length);
    return size - cut + length;
}

size_t cg_mutate(unsigned char *bytes, size_t size, size_t room, uint64_t *seed)
{
    const size_t places = 1 + cg_draw(seed) % 4;
    for (size_t i = 0; i < places && size > 0; i++) {
        const size_t at = cg_draw(seed) % size;
        size_t length = 1 + cg_draw(seed) % 24;
        if (length > size - at) length = size - at;
        switch (cg_draw(seed) % 5) {
        case 0: bytes[at] ^= (unsigned char)(1u << cg_draw(seed) % 8); break;
        case 1: size = replace(bytes, size, at, length, ""); break;
        case 2: size = at; break;
        case 3:
            if (size + length > room) break;
            memmove(bytes + at + length, bytes + at, size - at);
            size += length;
            break;
        default:
            if (size + 24 > room) break;
            size = replace(bytes, size, at, cg_draw(seed) % 2 ? length : 0,
                           pieces[cg_draw(seed) % (sizeof pieces / sizeof *pieces)]);
        }
    }
    return size;
}
