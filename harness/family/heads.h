/* SPDX-License-Identifier: MIT */
/* Operands of heads: rows that lie head by head, or token by token. */
#ifndef HN_FAMILY_HEADS_H
#define HN_FAMILY_HEADS_H

#include <stdbool.h>
#include <stddef.h>

/* From head to head, and from token to token of a head. */
typedef struct hn_strides {
    size_t head, token;
} hn_strides;

/* Of `heads` times `tokens` rows that are ld apart. */
static inline hn_strides hn_head_strides(bool token_major, size_t heads, size_t tokens, size_t ld)
{
    return token_major ? (hn_strides){ ld, heads * ld } : (hn_strides){ tokens * ld, ld };
}

#endif
