/* SPDX-License-Identifier: MIT */
/* Mutants of packed weights: of packing, and of products that read what is packed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ck_dtype.h"
#include "gemm.h"
#include "mutant.h"
#include "quant.h"

enum { ROWS = CK_X8_ROWS, BYTES = CK_Q4_KX8_BYTES, Q8_K = CK_Q8_K_BYTES, LAST = ROWS - 1 };
/* Parts of a row: d, dmin, scales, minimums, codes. */
enum { D, DMIN, S, M = S + 8, Q = M + 8, PARTS = Q + CK_K_BLOCK };

static void *allocate(size_t bytes)
{
    void *const at = malloc(bytes + 1);
    if (!at) exit(1);
    return at;
}

/* --- The wrapped product on wrong arguments. */

#define CHANGED(name, change)                             \
    static void name(const void *args)                    \
    {                                                     \
        ck_gemm_p_args g = *(const ck_gemm_p_args *)args; \
        change;                                           \
        hn_wrapped(&g);                                   \
    }
CHANGED(own, (void)g)
CHANGED(last_block, if (g.k / CK_K_BLOCK % 4 == 3) g.k -= CK_K_BLOCK)
CHANGED(incomplete_eight, g.n -= g.n % ROWS)
CHANGED(last_of_eight, g.n -= g.n % ROWS == 0)
CHANGED(last_of_four, g.m -= g.m % 4 == 3)
CHANGED(bias_ignored, g.bias = NULL)
CHANGED(weights_tight, g.ldb = g.k / CK_K_BLOCK)
CHANGED(activations_tight, g.lda = g.k / CK_K_BLOCK)
CHANGED(first_eight_for_all, g.ldb = 0)
#undef CHANGED

/* --- The wrapped product on weights that are read wrongly. */

/* Of a block its rows, in parts, that of another one, the block before or else itself. */
typedef struct rows {
    uint32_t part[ROWS][PARTS];
} rows;
typedef void fault_fn(rows *x, const rows *before);

static void open_rows(rows *x, const unsigned char *unit)
{
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < PARTS; i++)
            x->part[r][i] = (uint32_t)hn_part(&hn_block->row[r], unit, i);
}

/* Spoils the last block of each eight rows. */
static void misread(const void *args, fault_fn *fault)
{
    ck_gemm_p_args g = *(const ck_gemm_p_args *)args;
    const size_t blocks = g.k / CK_K_BLOCK, eights = (g.n + ROWS - 1) / ROWS;
    const unsigned char *from = g.b;
    unsigned char *const all = allocate(eights * blocks * BYTES);
    for (size_t j = 0; j < eights && blocks; j++) {
        unsigned char *const row = all + j * blocks * BYTES, *last = row + (blocks - 1) * BYTES;
        rows x, before;
        memcpy(row, from + j * g.ldb * BYTES, blocks * BYTES);
        open_rows(&x, last);
        open_rows(&before, blocks > 1 ? last - BYTES : last);
        fault(&x, &before);
        hn_pack(hn_block, x.part[0], last);
    }
    g.b = all;
    g.ldb = blocks;
    hn_wrapped(&g);
    free(all);
}

static void exchange(uint32_t *a, uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void neighbour_scale(rows *x, const rows *before)
{
    (void)before;
    x->part[LAST][D] = x->part[LAST - 1][D];
}
static void scale_before(rows *x, const rows *before) { x->part[0][D] = before->part[0][D]; }
static void neighbour_minimum(rows *x, const rows *before)
{
    (void)before;
    x->part[LAST][DMIN] = x->part[LAST - 1][DMIN];
}
static void neighbour_sub_scale(rows *x, const rows *before)
{
    (void)before;
    x->part[LAST][S + 7] = x->part[LAST - 1][S + 7];
}
static void neighbour_sub_minimum(rows *x, const rows *before)
{
    (void)before;
    x->part[3][M + 7] = x->part[4][M + 7];
}
/* Upper bits are looked for with the first four rows only. */
static void upper_bits(rows *x, const rows *before)
{
    (void)before;
    x->part[LAST][S + 7] &= 15;
}
/* The rule for rows taken for the rule for sub-blocks. */
static void across(rows *x, const rows *before)
{
    (void)before;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t j = 0; j < r; j++) exchange(&x->part[r][S + j], &x->part[j][S + r], 1);
}
/* Four bytes of each row in turn. */
static void by_fours(rows *x, const rows *before)
{
    (void)before;
    for (size_t e = 4; e < CK_K_BLOCK; e += 8) exchange(&x->part[6][Q + e], &x->part[7][Q + e], 4);
}
/* The order that a horizontal addition leaves. */
static void halves_mixed(rows *x, const rows *before)
{
    (void)before;
    exchange(x->part[2], x->part[4], PARTS);
    exchange(x->part[3], x->part[5], PARTS);
}
static void nibbles_mixed(rows *x, const rows *before)
{
    (void)before;
    exchange(&x->part[LAST][Q + 223], &x->part[LAST][Q + 255], 1);
}
static void sub_blocks_mixed(rows *x, const rows *before)
{
    (void)before;
    exchange(&x->part[LAST][Q + 64], &x->part[LAST][Q + 128], 64);
}
static void last_code_lost(rows *x, const rows *before)
{
    (void)before;
    x->part[LAST][Q + 255] = 0;
}
static void no_minimum(rows *x, const rows *before)
{
    (void)before;
    x->part[LAST][DMIN] = 0;
}
static void minimum_added(rows *x, const rows *before)
{
    (void)before;
    x->part[LAST][DMIN] ^= 0x8000;
}

#define MISREAD(X)           \
    X(neighbour_scale)       \
    X(scale_before)          \
    X(neighbour_minimum)     \
    X(neighbour_sub_scale)   \
    X(neighbour_sub_minimum) \
    X(upper_bits)            \
    X(across)                \
    X(by_fours)              \
    X(halves_mixed)          \
    X(nibbles_mixed) X(sub_blocks_mixed) X(last_code_lost) X(no_minimum) X(minimum_added)
#define BODY(fault) \
    static void product_##fault(const void *args) { misread(args, fault); }
MISREAD(BODY)
#undef BODY

/* --- The wrapped product on activations that are read wrongly: the last block of each row. */

typedef void spoil_fn(unsigned char *block);

static void misread_a(const void *args, spoil_fn *spoil)
{
    ck_gemm_p_args g = *(const ck_gemm_p_args *)args;
    const size_t blocks = g.k / CK_K_BLOCK;
    const unsigned char *from = g.a;
    unsigned char *const all = allocate(g.m * blocks * Q8_K);
    for (size_t i = 0; i < g.m && blocks; i++) {
        memcpy(all + i * blocks * Q8_K, from + i * g.lda * Q8_K, blocks * Q8_K);
        spoil(all + ((i + 1) * blocks - 1) * Q8_K);
    }
    g.a = all;
    g.lda = blocks;
    hn_wrapped(&g);
    free(all);
}

static void as_minus_127(unsigned char *block)
{
    for (size_t e = 4; e < 4 + CK_K_BLOCK; e++)
        if (block[e] == 0x80) block[e] = 0x81;
}
static void own_sums(unsigned char *block)
{
    for (size_t n = 0; n < 16; n++) {
        int16_t sum = 0;
        for (size_t e = 0; e < 16; e++) sum = (int16_t)(sum + (signed char)block[4 + 16 * n + e]);
        memcpy(block + 260 + 2 * n, &sum, sizeof sum);
    }
}
/* Both sums of a sub-block in 16 bits, as PHADDW has it. */
static void sums_in_16_bits(unsigned char *block)
{
    int16_t sum[16];
    memcpy(sum, block + 260, sizeof sum);
    for (size_t n = 0; n < 16; n += 2) {
        sum[n] = (int16_t)(sum[n] + sum[n + 1]);
        sum[n + 1] = 0;
    }
    memcpy(block + 260, sum, sizeof sum);
}
static void last_sum_lost(unsigned char *block) { block[290] = block[291] = 0; }

static void minus_128(const void *args) { misread_a(args, as_minus_127); }
static void sums_made_anew(const void *args) { misread_a(args, own_sums); }
static void short_sums(const void *args) { misread_a(args, sums_in_16_bits); }
static void last_sum(const void *args) { misread_a(args, last_sum_lost); }

/* --- Right operands, wrong results. */

/* What an incomplete eight has beyond n takes the place of its last row. */
static void padding_for_last(const void *args)
{
    const ck_gemm_p_args *g = args;
    ck_gemm_p_args more = *g;
    hn_wrapped(args);
    if (g->n % ROWS == 0) return;
    more.n++;
    more.ldy = more.n;
    more.bias = NULL;
    more.y = allocate(more.m * more.n * sizeof *more.y);
    hn_wrapped(&more);
    for (size_t i = 0; i < g->m; i++) g->y[i * g->ldy + g->n - 1] = more.y[i * more.ldy + g->n];
    free(more.y);
}

/* Sums of the first row of a tile of 32 go on in the next. */
static void sums_go_on(const void *args)
{
    const ck_gemm_p_args *g = args;
    hn_wrapped(args);
    for (size_t j = 0; g->m > 32 && j < g->n; j++) g->y[32 * g->ldy + j] += g->y[j];
}

/* The last row, where it is left over by fours, is summed in halves. */
static void rest_in_halves(const void *args)
{
    const ck_gemm_p_args *g = args;
    const size_t half = g->k / CK_K_BLOCK / 2, i = g->m - 1;
    float *const y = g->y + i * g->ldy;
    hn_wrapped(args);
    if (g->m % 4 != 1 || half == 0 || g->k > 4096) return;
    ck_gemm_p_args part = *g;
    float *const first = allocate(g->n * sizeof *first);
    part.m = 1, part.bias = NULL, part.ldy = g->n, part.y = first;
    part.a = (const unsigned char *)g->a + i * g->lda * Q8_K;
    part.k = half * CK_K_BLOCK;
    hn_wrapped(&part);
    part.y = y, part.k = g->k - part.k;
    part.a = (const unsigned char *)part.a + half * Q8_K;
    part.b = (const unsigned char *)part.b + half * BYTES;
    hn_wrapped(&part);
    for (size_t j = 0; j < g->n; j++) {
        y[j] += first[j];
        if (g->bias) y[j] += g->bias[j];
    }
    free(first);
}

static void reads_eight_after(const void *args)
{
    const ck_gemm_p_args *g = args;
    const size_t eights = (g->n + ROWS - 1) / ROWS;
    const unsigned char *end =
        (const unsigned char *)g->b + ((eights - 1) * g->ldb + g->k / CK_K_BLOCK) * BYTES;
    hn_wrapped(args);
    if (g->k) (void)*(const volatile unsigned char *)end;
}

static void stores_eight(const void *args)
{
    const ck_gemm_p_args *g = args;
    hn_wrapped(args);
    if (g->n % ROWS) *(volatile float *)(g->y + (g->m - 1) * g->ldy + g->n) = 0;
}

/* --- Packing. */

#define CHANGED(name, change)                         \
    static void name(const void *args)                \
    {                                                 \
        ck_pack_args p = *(const ck_pack_args *)args; \
        change;                                       \
        hn_wrapped(&p);                               \
    }
CHANGED(own_pack, (void)p)
CHANGED(last_row_missing, p.m -= p.m % ROWS != 1)
CHANGED(last_eight_missing, p.m -= p.m > ROWS ? (p.m - 1) % ROWS + 1 : 0)
CHANGED(last_block_missing, p.k -= p.k > CK_K_BLOCK ? CK_K_BLOCK : 0)
CHANGED(rows_tight, p.ldx = p.k / CK_K_BLOCK)
CHANGED(packed_tight, p.ldy = p.k / CK_K_BLOCK)
#undef CHANGED

/* Repacks the last block of each packed row wrongly. */
static void repack(const void *args, fault_fn *fault)
{
    const ck_pack_args *p = args;
    const size_t blocks = p->k / CK_K_BLOCK;
    hn_wrapped(args);
    for (size_t i = 0; i < (p->m + ROWS - 1) / ROWS; i++) {
        unsigned char *const last = (unsigned char *)p->y + (i * p->ldy + blocks - 1) * BYTES;
        rows x, before;
        open_rows(&x, last);
        open_rows(&before, blocks > 1 ? last - BYTES : last);
        fault(&x, &before);
        hn_pack(hn_second_block, x.part[0], last);
    }
}

#define BODY(fault)                                 \
    static void pack_##fault(const void *args)      \
    {                                               \
        const hn_dtype_info *const kept = hn_block; \
        hn_block = hn_second_block;                 \
        repack(args, fault);                        \
        hn_block = kept;                            \
    }
MISREAD(BODY)
#undef BODY

/* The rows that are missing are copies of the last one, or what was there. */
static void missing_rows(const void *args, bool copied)
{
    const ck_pack_args *p = args;
    const size_t rest = p->m % ROWS, last = p->m / ROWS;
    unsigned char *const y = (unsigned char *)p->y + last * p->ldy * BYTES;
    unsigned char old[BYTES];
    if (rest) memcpy(old, y, BYTES);
    hn_wrapped(args);
    for (size_t r = rest; rest && r < ROWS; r++)
        for (size_t at = 128; at < BYTES; at += 8 * ROWS)
            memcpy(y + at + 8 * r, copied ? y + at + 8 * (rest - 1) : old + at + 8 * r, 8);
}

static void copies_for_missing(const void *args) { missing_rows(args, true); }
static void missing_untouched(const void *args) { missing_rows(args, false); }

#define PRODUCT "gemm_nt_q4_kx8_q8_k"
#define PACK    "pack_q4_k_q4_kx8"
#define ROW(what, mode, by)                                                   \
    {                                                                         \
        .name = #what, .on = PRODUCT, .modes = mode, .fn = what, .checks = by \
    }
#define PACKING(what, by)                                                        \
    {                                                                            \
        .name = #what, .on = PACK, .modes = HN_IN_BOTH, .fn = what, .checks = by \
    }
#define READ(fault)  ROW(product_##fault, HN_IN_BOTH, HN_BY_NUMBERS),
#define WRITE(fault) PACKING(pack_##fault, HN_BY(VALUE) | HN_BY(STRICT)),
static const hn_mutant list[] = {
    ROW(own, HN_IN_BOTH, 0),
    ROW(last_block, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(incomplete_eight, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(last_of_eight, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(last_of_four, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(bias_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(weights_tight, HN_IN_BOTH, HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(activations_tight, HN_IN_BOTH, HN_BY(JUNK) | HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(first_eight_for_all, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY(CRASH)),
    MISREAD(READ) ROW(minus_128, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(sums_made_anew, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(short_sums, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(last_sum, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(padding_for_last, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(sums_go_on, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(rest_in_halves, HN_IN_FAST, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(rest_in_halves, HN_IN_STRICT, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(reads_eight_after, HN_IN_BOTH, HN_BY(GUARD)),
    ROW(stores_eight, HN_IN_BOTH, HN_BY(SLACK) | HN_BY(GUARD)),
    PACKING(own_pack, 0),
    PACKING(last_row_missing, HN_BY(VALUE) | HN_BY(UNWRITTEN)),
    PACKING(last_eight_missing, HN_BY(UNWRITTEN)),
    PACKING(last_block_missing, HN_BY(UNWRITTEN)),
    PACKING(rows_tight, HN_BY(VALUE) | HN_BY(JUNK)),
    PACKING(packed_tight, HN_BY(SLACK) | HN_BY(UNWRITTEN)),
    MISREAD(WRITE) PACKING(copies_for_missing, HN_BY(VALUE)),
    PACKING(missing_untouched, HN_BY(UNWRITTEN) | HN_BY(PREFILL)),
};
#undef ROW
#undef PACKING
#undef READ
#undef WRITE
#undef PRODUCT
#undef PACK

const hn_mutants hn_mutants_gemm_p = { list, sizeof list / sizeof list[0] };
