/* SPDX-License-Identifier: MIT */
/* pack of eight rows of blocks interleaved: what the formats share. The including file brings one block. Strict
 * kernels are the fast ones. */
#ifndef CK_PACK_X8_H
#define CK_PACK_X8_H

#include <assert.h>
#include <string.h>

#include "ck_dtype.h"
#include "kernel.h"
#include "quant.h"
#include "strict.h"

#define CK_PACK_SPEC(block)                                \
    {                                                      \
        .accs = 1, .nr = CK_X8_ROWS, .k_multiple = (block) \
    }

enum { EIGHT = CK_X8_ROWS };

/* A format: a block of a row, and one that becomes zero bytes. */
typedef struct rows_of {
    size_t elements, bytes;
    const unsigned char *missing;
} rows_of;

/* One block of each of eight rows. */
typedef void pack_block_fn(unsigned char *y, const unsigned char *const *x);

/* Rows from `first` on, those that are missing too. */
static inline void pack_rows(const ck_pack_args *p, const rows_of *f, pack_block_fn *pack_block,
                             size_t first)
{
    const size_t to = EIGHT * f->bytes;
    unsigned char *y = (unsigned char *)p->y + first / EIGHT * p->ldy * to;

    for (size_t l = 0; l < p->k / f->elements; l++, y += to) {
        const unsigned char *x[EIGHT];
        for (size_t r = 0; r < EIGHT; r++) {
            const size_t at = ((first + r) * p->ldx + l) * f->bytes;
            x[r] = first + r < p->m ? (const unsigned char *)p->x + at : f->missing;
        }
        pack_block(y, x);
    }
}

static inline void pack_x8(const void *args, const rows_of *f, pack_block_fn *pack_block)
{
    const ck_pack_args *const p = args;

    assert(p->k % f->elements == 0);
    assert(p->ldx >= p->k / f->elements && p->ldy >= p->k / f->elements);
    for (size_t i = 0; i < p->m; i += EIGHT) pack_rows(p, f, pack_block, i);
}

#endif
