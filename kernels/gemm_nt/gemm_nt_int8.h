/* SPDX-License-Identifier: MIT */
/* gemm_nt of bytes into 32-bit integers: the text of all variants. The including file declares before
 *   STEP, MR, NR    terms of a vector, rows and columns of a tile
 *   bytes, sums     vectors: STEP elements of a row, and 32-bit sums of products, modulo 2^32
 * and defines behind what is declared here. The exact sum fits 32 bits, so its residue modulo 2^32 is the
 * sum itself, and what wraps on the way does no harm. */
#ifndef CK_GEMM_NT_INT8_H
#define CK_GEMM_NT_INT8_H

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "gemm.h"
#include "kernel.h"

#define INT8_INLINE __attribute__((always_inline)) static inline

/* Sums are integers: their order is nobody's business. */
#define CK_GEMM_INT8_SPEC                                          \
    {                                                              \
        .lanes = 0, .accs = 1, .mr = MR, .nr = NR, .ku = STEP,     \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT, \
    }

enum { COLUMNS = 32 /* rows of b that are used again while they are near */ };

/* STEP elements of a row of a, of int8_t if is_signed, else of uint8_t, and of one of b. */
INT8_INLINE bytes read_a(const unsigned char *p, bool is_signed);
INT8_INLINE bytes read_b(const unsigned char *p, bool is_signed);
/* The sums with the products of both; if is_signed, with 128 times the elements of a, where moves(). */
INT8_INLINE sums add_products(sums s, bytes a, bytes b, bool is_signed);
INT8_INLINE bool moves(bool is_signed);
/* The sums with 128 times the signed elements of a. */
INT8_INLINE sums add_moves(sums s, bytes a);
INT8_INLINE sums no_sums(void);
INT8_INLINE uint32_t total(sums s);

/* Rows i .. i + rows - 1, columns j .. j + cols - 1. rows and cols are constants where they are used. */
typedef struct tile {
    size_t i, j, rows, cols;
} tile;

/* Row i; p may be NULL if rows are empty. */
INT8_INLINE const unsigned char *int8_row(const void *p, size_t i, size_t ld, size_t k)
{
    return k ? (const unsigned char *)p + i * ld : p;
}

/* The last n < STEP elements of a row, zeros behind them. */
INT8_INLINE const unsigned char *int8_rest(unsigned char *to, const unsigned char *p, size_t n)
{
    memset(to, 0, STEP);
    memcpy(to, p, n);
    return to;
}

/* What products of row i have too much. */
INT8_INLINE uint32_t int8_excess(const ck_gemm_i_args *g, size_t i, bool is_signed)
{
    const unsigned char *const a = int8_row(g->a, i, g->lda, g->k);
    const size_t whole = g->k - g->k % STEP;
    unsigned char rest[STEP];
    sums s = no_sums();
    for (size_t l = 0; l < whole; l += STEP) s = add_moves(s, read_a(a + l, is_signed));
    if (whole < g->k) s = add_moves(s, read_a(int8_rest(rest, a + whole, g->k - whole), is_signed));
    return total(s);
}

INT8_INLINE void int8_tile(const ck_gemm_i_args *g, tile t, const uint32_t *excess, bool is_signed)
{
    const size_t whole = g->k - g->k % STEP;
    const unsigned char *a[MR], *b[NR];
    unsigned char rest[STEP];
    sums s[MR][NR];
    for (size_t r = 0; r < t.rows; r++) a[r] = int8_row(g->a, t.i + r, g->lda, g->k);
    for (size_t c = 0; c < t.cols; c++) b[c] = int8_row(g->b, t.j + c, g->ldb, g->k);
    for (size_t r = 0; r < t.rows; r++)
        for (size_t c = 0; c < t.cols; c++) s[r][c] = no_sums();
    for (size_t l = 0; l < whole; l += STEP) {
        bytes x[NR];
        for (size_t c = 0; c < t.cols; c++) x[c] = read_b(b[c] + l, is_signed);
        for (size_t r = 0; r < t.rows; r++) {
            const bytes v = read_a(a[r] + l, is_signed);
            for (size_t c = 0; c < t.cols; c++) s[r][c] = add_products(s[r][c], v, x[c], is_signed);
        }
    }
    for (size_t r = 0; whole < g->k && r < t.rows; r++) {
        const bytes v = read_a(int8_rest(rest, a[r] + whole, g->k - whole), is_signed);
        for (size_t c = 0; c < t.cols; c++) {
            const bytes x = read_b(int8_rest(rest, b[c] + whole, g->k - whole), is_signed);
            s[r][c] = add_products(s[r][c], v, x, is_signed);
        }
    }
    for (size_t r = 0; r < t.rows; r++)
        for (size_t c = 0; c < t.cols; c++)
            g->y[(t.i + r) * g->ldy + t.j + c] = (int32_t)(total(s[r][c]) - excess[r]);
}

/* So many rows, columns from .. to - 1. */
INT8_INLINE void int8_rows(const ck_gemm_i_args *g, tile t, size_t to, bool is_signed)
{
    uint32_t excess[MR] = { 0 };
    for (size_t r = 0; moves(is_signed) && r < t.rows; r++)
        excess[r] = int8_excess(g, t.i + r, is_signed);
    for (; to - t.j >= NR; t.j += NR)
        int8_tile(g, (tile){ t.i, t.j, t.rows, NR }, excess, is_signed);
    for (; t.j < to; t.j++) int8_tile(g, (tile){ t.i, t.j, t.rows, 1 }, excess, is_signed);
}

INT8_INLINE void gemm_int8(const ck_gemm_i_args *g, bool is_signed)
{
    assert(g->k <= (is_signed ? CK_GEMM_INT8_MOST : CK_GEMM_UINT8_MOST));
    assert(g->m == 0 || g->n == 0 || (g->y && g->ldy >= g->n && g->lda >= g->k && g->ldb >= g->k));
    for (size_t j = 0; j < g->n; j += COLUMNS) {
        const size_t to = g->n - j < COLUMNS ? g->n : j + COLUMNS;
        size_t i = 0;
        for (; g->m - i >= MR; i += MR) int8_rows(g, (tile){ i, j, MR, NR }, to, is_signed);
        for (; i < g->m; i++) int8_rows(g, (tile){ i, j, 1, NR }, to, is_signed);
    }
}

#endif
