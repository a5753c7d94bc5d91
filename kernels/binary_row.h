/* SPDX-License-Identifier: MIT */
/* The text of elementwise functions of two operands, compiled once per op, format and ISA, after
 * simd/<isa>.h and
 *   CK_BINARY_FAST(a, b), CK_BINARY_STRICT(a, b)   the function of vectors. */
#ifndef CK_BINARY_ROW_H
#define CK_BINARY_ROW_H

#include <assert.h>

#include "binary.h"
#include "simd/element.h"

/* y may be a or b. */
CK_INLINE void binary_row(const ck_element *e, unsigned char *y, const unsigned char *a,
                          const unsigned char *b, size_t n)
{
    size_t j = 0;
    for (; n - j >= CK_VF_LANES; j += CK_VF_LANES)
        e->store(y + j * e->bytes,
                 CK_BINARY_FAST(e->load(a + j * e->bytes), e->load(b + j * e->bytes)));
    if (j == n) return;
    const ck_vf u = e->load_n(a + j * e->bytes, n - j), v = e->load_n(b + j * e->bytes, n - j);
    e->store_n(y + j * e->bytes, CK_BINARY_FAST(u, v), n - j);
}

CK_INLINE void binary_row_strict(const ck_element *e, unsigned char *y, const unsigned char *a,
                                 const unsigned char *b, size_t n)
{
    for (size_t j = 0; j < n; j += 16) {
        const ck_vd16 u = e->load_d(a + j * e->bytes, n - j),
                      v = e->load_d(b + j * e->bytes, n - j);
        ck_vd16 z;
        for (size_t i = 0; i < CK_VD16_REGS; i++) z.r[i] = CK_BINARY_STRICT(u.r[i], v.r[i]);
        e->store_d(y + j * e->bytes, z, n - j);
    }
}

typedef void binary_row_fn(const ck_element *e, unsigned char *y, const unsigned char *a,
                           const unsigned char *b, size_t n);

/* All rows by `row`, a constant function, and +0 beyond each. */
CK_INLINE void binary_rows(const void *args, const ck_element *e, binary_row_fn *row)
{
    const ck_binary_args *const g = args;
    const unsigned char *const a = g->a, *const b = g->b;
    unsigned char *const all = g->y;
    assert(g->t == 0 || (g->y && (g->d == 0 || (g->a && g->b))));
    assert(g->cols >= g->d && g->lda >= g->d && g->ldb >= g->d && g->ldy >= g->cols);
    for (size_t i = 0; i < g->t; i++) {
        unsigned char *const y = all + i * g->ldy * e->bytes;
        if (g->d > 0) row(e, y, a + i * g->lda * e->bytes, b + i * g->ldb * e->bytes, g->d);
        memset(y + g->d * e->bytes, 0, (g->cols - g->d) * e->bytes);
    }
}

CK_INLINE void binary(const void *args, const ck_element *e) { binary_rows(args, e, binary_row); }
CK_INLINE void binary_strict(const void *args, const ck_element *e)
{
    binary_rows(args, e, binary_row_strict);
}

#endif
