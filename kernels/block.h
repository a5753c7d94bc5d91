/* SPDX-License-Identifier: MIT */
/* Blocks of operands. */
#ifndef CK_BLOCK_H
#define CK_BLOCK_H

#include <stddef.h>

/* Elements and bytes of one block of the operands that are not plain f32; of products the weights'. a's
 * blocks have as many elements; a_bytes where both have blocks. */
typedef struct block {
    size_t elements, bytes, a_bytes;
} block;

#endif
