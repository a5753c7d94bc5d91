/* SPDX-License-Identifier: MIT */
/* Mutants of packed weights: of packing, and of products that read what is packed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../half.h"
#include "ck_dtype.h"
#include "gemm.h"
#include "mutant.h"
#include "quant.h"

enum { ROWS = CK_X8_ROWS, LAST = ROWS - 1 };
/* Parts of a row: d, of q4_k dmin, scales and minimums, then codes. */
enum { D, DMIN, S, M = S + 8, MOST_PARTS = M + 8 + CK_K_BLOCK };

/* Of the packed format that hn_block is. */
static size_t elements(void) { return hn_block->elements; }
static size_t bytes(void) { return hn_block->bytes; }
static size_t parts(void) { return hn_block->row->parts; }
static size_t a_bytes(void) { return hn_second_block->bytes; }
static size_t codes(void) { return parts() - elements(); }

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
CHANGED(last_block, if (g.k / elements() % 4 == 3) g.k -= elements())
CHANGED(incomplete_eight, g.n -= g.n % ROWS)
CHANGED(last_of_eight, g.n -= g.n % ROWS == 0)
CHANGED(last_of_four, g.m -= g.m % 4 == 3)
CHANGED(bias_ignored, g.bias = NULL)
CHANGED(weights_tight, g.ldb = g.k / elements())
CHANGED(activations_tight, g.lda = g.k / elements())
CHANGED(first_eight_for_all, g.ldb = 0)
#undef CHANGED

/* --- The wrapped product on weights that are read wrongly. */

/* Of a block its rows, in parts, that of another one, the block before or else itself. */
typedef struct rows {
    uint32_t part[ROWS][MOST_PARTS];
} rows;
typedef void fault_fn(rows *x, const rows *before);

static void open_rows(rows *x, const unsigned char *unit)
{
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < parts(); i++)
            x->part[r][i] = (uint32_t)(int32_t)hn_part(&hn_block->row[r], unit, i);
}

static void close_rows(const rows *x, unsigned char *unit)
{
    memset(unit, 0, bytes());
    for (size_t r = 0; r < ROWS; r++) hn_put(&hn_block->row[r], x->part[r], unit);
}

/* Spoils the last block of each eight rows. */
static void misread(const void *args, fault_fn *fault)
{
    ck_gemm_p_args g = *(const ck_gemm_p_args *)args;
    const size_t blocks = g.k / elements(), eights = (g.n + ROWS - 1) / ROWS;
    const unsigned char *from = g.b;
    unsigned char *const all = allocate(eights * blocks * bytes());
    for (size_t j = 0; j < eights && blocks; j++) {
        unsigned char *const row = all + j * blocks * bytes(), *last = row + (blocks - 1) * bytes();
        rows x, before;
        memcpy(row, from + j * g.ldb * bytes(), blocks * bytes());
        open_rows(&x, last);
        open_rows(&before, blocks > 1 ? last - bytes() : last);
        fault(&x, &before);
        close_rows(&x, last);
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
    for (size_t i = codes() + 4; i < parts(); i += 8) exchange(&x->part[6][i], &x->part[7][i], 4);
}
/* The order that a horizontal addition leaves. */
static void halves_mixed(rows *x, const rows *before)
{
    (void)before;
    exchange(x->part[2], x->part[4], parts());
    exchange(x->part[3], x->part[5], parts());
}
/* Those of the last byte. */
static void nibbles_mixed(rows *x, const rows *before)
{
    (void)before;
    const size_t last = parts() - 1, apart = elements() == CK_K_BLOCK ? 32 : 16;
    exchange(&x->part[LAST][last - apart], &x->part[LAST][last], 1);
}
static void sub_blocks_mixed(rows *x, const rows *before)
{
    (void)before;
    exchange(&x->part[LAST][codes() + 64], &x->part[LAST][codes() + 128], 64);
}
static void last_code_lost(rows *x, const rows *before)
{
    (void)before;
    x->part[LAST][parts() - 1] = 0;
}
/* The sign bit of two's complement read as it is in q4_0, where 8 stands for 0. */
static void sign_as_offset(rows *x, const rows *before)
{
    (void)before;
    for (size_t i = codes(); i < parts(); i++) x->part[LAST][i] ^= 8;
}
/* The two nibbles of a byte as neighbours. */
static void nibbles_in_turn(rows *x, const rows *before)
{
    (void)before;
    uint32_t turned[CK_Q4_0_BLOCK];
    for (size_t e = 0; e < CK_Q4_0_BLOCK; e++)
        turned[e] = x->part[LAST][codes() + e / 2 + e % 2 * 16];
    memcpy(&x->part[LAST][codes()], turned, sizeof turned);
}
static void chunks_mixed(rows *x, const rows *before)
{
    (void)before;
    exchange(&x->part[LAST][codes()], &x->part[LAST][codes() + 8], 8);
}
/* What is multiplied in the first block again. */
static void codes_before(rows *x, const rows *before)
{
    memcpy(&x->part[LAST][codes()], &before->part[LAST][codes()], elements() * sizeof(uint32_t));
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

/* Of any packed format, of q4_kx8 and of q4_0x8. */
#define MISREAD(X)     \
    X(neighbour_scale) \
    X(scale_before)    \
    X(by_fours)        \
    X(halves_mixed)    \
    X(nibbles_mixed) X(last_code_lost) X(codes_before)
#define MISREAD_K(X)         \
    X(neighbour_minimum)     \
    X(neighbour_sub_scale)   \
    X(neighbour_sub_minimum) \
    X(upper_bits)            \
    X(across)                \
    X(sub_blocks_mixed) X(no_minimum) X(minimum_added)
#define MISREAD_0(X) X(sign_as_offset) X(nibbles_in_turn) X(chunks_mixed)
#define BODY(fault) \
    static void product_##fault(const void *args) { misread(args, fault); }
MISREAD(BODY)
MISREAD_K(BODY)
MISREAD_0(BODY)
#undef BODY

/* --- The wrapped product on activations that are read wrongly: the last block of each row. */

typedef void spoil_fn(unsigned char *block);

static void misread_a(const void *args, spoil_fn *spoil)
{
    ck_gemm_p_args g = *(const ck_gemm_p_args *)args;
    const size_t blocks = g.k / elements();
    const unsigned char *from = g.a;
    unsigned char *const all = allocate(g.m * blocks * a_bytes());
    for (size_t i = 0; i < g.m && blocks; i++) {
        memcpy(all + i * blocks * a_bytes(), from + i * g.lda * a_bytes(), blocks * a_bytes());
        spoil(all + ((i + 1) * blocks - 1) * a_bytes());
    }
    g.a = all;
    g.lda = blocks;
    hn_wrapped(&g);
    free(all);
}

static void as_minus_127(unsigned char *block)
{
    const size_t first = hn_second_block->elements == CK_K_BLOCK ? 4 : 2;
    for (size_t e = first; e < first + elements(); e++)
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

/* --- What is made of blocks of q8_0 for many rows of weights: of the wrong block, or wrongly. */

enum { HELD = 512, TILE = 32 };

static ck_gemm_p_args copied_a(const ck_gemm_p_args *g)
{
    ck_gemm_p_args to = *g;
    const size_t row = g->k / elements() * a_bytes();
    unsigned char *const all = allocate(g->m * row);
    for (size_t i = 0; i < g->m; i++)
        memcpy(all + i * row, (const unsigned char *)g->a + i * g->lda * a_bytes(), row);
    to.a = all;
    to.lda = g->k / elements();
    return to;
}

/* The last row has the scale of the row before in its last block. */
static void scale_of_row_before(const void *args)
{
    const ck_gemm_p_args g = copied_a(args);
    const size_t row = g.lda * a_bytes();
    unsigned char *const last = (unsigned char *)g.a + g.m * row - a_bytes();
    if (g.m > 1 && row) memcpy(last, last - row, 2);
    hn_wrapped(&g);
    free((void *)g.a);
}

/* The block behind those that are held at a time has the scale of the first of them. */
static void scale_held(const void *args)
{
    const ck_gemm_p_args g = copied_a(args);
    const size_t first = HELD / (g.m < TILE ? g.m : TILE);
    unsigned char *const all = (unsigned char *)g.a;
    if (g.lda > first) memcpy(all + first * a_bytes(), all, 2);
    hn_wrapped(&g);
    free(all);
}

/* Columns beyond the first 64, a group, have its bias. */
static void bias_of_first_group(const void *args)
{
    ck_gemm_p_args g = *(const ck_gemm_p_args *)args;
    float *const bias = g.bias ? allocate(g.n * sizeof *bias) : NULL;
    for (size_t j = 0; bias && j < g.n; j++) bias[j] = g.bias[j % 64];
    g.bias = bias;
    hn_wrapped(&g);
    free(bias);
}

/* A block of a and one of a row of weights: the scale of both, sums of a's codes and of products. */
typedef struct dot_of {
    float scale;
    int codes, products;
} dot_of;

static dot_of dot_at(const ck_gemm_p_args *g, size_t i, size_t j, size_t l)
{
    const unsigned char *a = (const unsigned char *)g->a + (i * g->lda + l) * a_bytes();
    const unsigned char *b = (const unsigned char *)g->b + (j / ROWS * g->ldb + l) * bytes();
    const hn_dtype_info *const row = &hn_block->row[j % ROWS];
    dot_of x = { hn_half_of((unsigned)hn_part(hn_second_block, a, 0)) *
                     hn_half_of((unsigned)hn_part(row, b, D)),
                 0, 0 };
    for (size_t e = 0; e < elements(); e++) {
        const int code = (int)hn_part(hn_second_block, a, 1 + e);
        x.codes += code;
        x.products += code * (int)hn_part(row, b, codes() + e);
    }
    return x;
}

typedef float error_fn(const ck_gemm_p_args *g, size_t i, size_t j);

static void with_error(const void *args, error_fn *error)
{
    const ck_gemm_p_args *g = args;
    hn_wrapped(args);
    for (size_t i = 0; i < g->m && g->k; i++)
        for (size_t j = 0; j < g->n; j++) {
            const float off = error(g, i, j);
            if (off != 0) g->y[i * g->ldy + j] += off;
        }
}

/* 8 times the sum of a's codes is not taken off in the last block. */
static float kept_zero(const ck_gemm_p_args *g, size_t i, size_t j)
{
    const dot_of x = dot_at(g, i, j, g->k / elements() - 1);
    return x.scale * (float)(8 * x.codes);
}
/* Or that of the row before in the last row. */
static float zero_of_other_row(const ck_gemm_p_args *g, size_t i, size_t j)
{
    const size_t l = g->k / elements() - 1;
    if (i == 0 || i + 1 < g->m) return 0;
    const dot_of own = dot_at(g, i, j, l), other = dot_at(g, i - 1, j, l);
    return own.scale * (float)(8 * (own.codes - other.codes));
}
/* 32 products -8 * -128 as 16 bits, in which they are -32,768. */
static float wrapped_sum(const ck_gemm_p_args *g, size_t i, size_t j)
{
    float off = 0;
    for (size_t l = 0; l < g->k / elements(); l++) {
        const dot_of x = dot_at(g, i, j, l);
        if (x.products == 32768) off -= x.scale * 65536.0f;
    }
    return off;
}
static void zero_not_taken_off(const void *args) { with_error(args, kept_zero); }
static void zero_of_row_before(const void *args) { with_error(args, zero_of_other_row); }
static void sum_in_16_bits(const void *args) { with_error(args, wrapped_sum); }

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
    const size_t half = g->k / elements() / 2, i = g->m - 1;
    float *const y = g->y + i * g->ldy;
    hn_wrapped(args);
    if (g->m % 4 != 1 || half == 0 || g->k > 4096) return;
    ck_gemm_p_args part = *g;
    float *const first = allocate(g->n * sizeof *first);
    part.m = 1, part.bias = NULL, part.ldy = g->n, part.y = first;
    part.a = (const unsigned char *)g->a + i * g->lda * a_bytes();
    part.k = half * elements();
    hn_wrapped(&part);
    part.y = y, part.k = g->k - part.k;
    part.a = (const unsigned char *)part.a + half * a_bytes();
    part.b = (const unsigned char *)part.b + half * bytes();
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
        (const unsigned char *)g->b + ((eights - 1) * g->ldb + g->k / elements()) * bytes();
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
CHANGED(last_block_missing, p.k -= p.k > elements() ? elements() : 0)
CHANGED(rows_tight, p.ldx = p.k / elements())
CHANGED(packed_tight, p.ldy = p.k / elements())
#undef CHANGED

/* Repacks the last block of each packed row wrongly. */
static void repack(const void *args, fault_fn *fault)
{
    const ck_pack_args *p = args;
    const size_t blocks = p->k / elements();
    hn_wrapped(args);
    for (size_t i = 0; i < (p->m + ROWS - 1) / ROWS; i++) {
        unsigned char *const last = (unsigned char *)p->y + (i * p->ldy + blocks - 1) * bytes();
        rows x, before;
        open_rows(&x, last);
        open_rows(&before, blocks > 1 ? last - bytes() : last);
        fault(&x, &before);
        close_rows(&x, last);
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
MISREAD_K(BODY)
MISREAD_0(BODY)
#undef BODY

/* The rows that are missing are copies of the last one, or what was there. */
static void missing_rows(const void *args, bool copied)
{
    const ck_pack_args *p = args;
    const size_t rest = p->m % ROWS, last = p->m / ROWS, size = hn_second_block->bytes;
    unsigned char *const y = (unsigned char *)p->y + last * p->ldy * size;
    unsigned char old[CK_Q4_KX8_BYTES];
    if (rest) memcpy(old, y, size);
    hn_wrapped(args);
    for (size_t r = rest; rest && r < ROWS; r++)
        for (size_t at = size - ROWS * elements() / 2; at < size; at += 8 * ROWS)
            memcpy(y + at + 8 * r, copied ? y + at + 8 * (rest - 1) : old + at + 8 * r, 8);
}

static void copies_for_missing(const void *args) { missing_rows(args, true); }
static void missing_untouched(const void *args) { missing_rows(args, false); }

#define ON(stems, what, mode, by)                                           \
    {                                                                       \
        .name = #what, .on = stems, .modes = mode, .fn = what, .checks = by \
    }
#define ROW(what, mode, by)   ON("gemm_nt_*x8_q8_?", what, mode, by)
#define ROW_K(what, mode, by) ON("gemm_nt_q4_kx8_q8_k", what, mode, by)
#define ROW_0(what, mode, by) ON("gemm_nt_q4_0x8_q8_0", what, mode, by)
#define PACKING(what, by)     ON("pack_*", what, HN_IN_BOTH, by)
#define READ(fault)           ROW(product_##fault, HN_IN_BOTH, HN_BY_NUMBERS),
#define READ_K(fault)         ROW_K(product_##fault, HN_IN_BOTH, HN_BY_NUMBERS),
#define READ_0(fault)         ROW_0(product_##fault, HN_IN_BOTH, HN_BY_NUMBERS),
#define WRITTEN               HN_BY(VALUE) | HN_BY(STRICT)
#define WRITE(fault)          PACKING(pack_##fault, WRITTEN),
#define WRITE_K(fault)        ON("pack_q4_k_q4_kx8", pack_##fault, HN_IN_BOTH, WRITTEN),
#define WRITE_0(fault)        ON("pack_q4_0_q4_0x8", pack_##fault, HN_IN_BOTH, WRITTEN),
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
    MISREAD(READ) MISREAD_K(READ_K) MISREAD_0(READ_0) ROW(minus_128, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(bias_of_first_group, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW_K(sums_made_anew, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW_K(short_sums, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW_K(last_sum, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW_0(scale_of_row_before, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW_0(scale_held, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW_0(zero_not_taken_off, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW_0(zero_of_row_before, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW_0(sum_in_16_bits, HN_IN_BOTH, HN_BY_NUMBERS),
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
    MISREAD(WRITE) MISREAD_K(WRITE_K) MISREAD_0(WRITE_0) PACKING(copies_for_missing, HN_BY(VALUE)),
    PACKING(missing_untouched, HN_BY(UNWRITTEN) | HN_BY(PREFILL)),
};
#undef ON
#undef ROW
#undef ROW_K
#undef ROW_0
#undef PACKING
#undef READ
#undef READ_K
#undef READ_0
#undef WRITTEN
#undef WRITE
#undef WRITE_K
#undef WRITE_0

const hn_mutants hn_mutants_gemm_p = { list, sizeof list / sizeof list[0] };
