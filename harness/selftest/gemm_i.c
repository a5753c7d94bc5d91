/* SPDX-License-Identifier: MIT */
/* Mutants of the products of bytes into 32-bit integers. */
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"
#include "mutant.h"

static int is_signed(void) { return fnmatch("*_int8_int8_*", hn_wrapped_stem, 0) == 0; }

/* --- The wrapped kernel on wrong arguments. */

static void k_tail(const void *args)
{
    ck_gemm_i_args g = *(const ck_gemm_i_args *)args;
    if (g.k % 64 == 63) g.k--;
    hn_wrapped(&g);
}

static void last_row_k_tail(const void *args)
{
    ck_gemm_i_args g = *(const ck_gemm_i_args *)args, last = g;
    g.m--;
    hn_wrapped(&g);
    last.m = 1;
    last.y += g.m * g.ldy;
    if (last.k) last.a = (const uint8_t *)g.a + g.m * g.lda, last.k--;
    hn_wrapped(&last);
}

static void last_column_k_tail(const void *args)
{
    ck_gemm_i_args g = *(const ck_gemm_i_args *)args, last = g;
    g.n--;
    hn_wrapped(&g);
    last.n = 1;
    last.y += g.n;
    if (last.k) last.b += g.n * g.ldb, last.k--;
    hn_wrapped(&last);
}

static void one_term_more(const void *args)
{
    ck_gemm_i_args g = *(const ck_gemm_i_args *)args;
    if (g.k % 8 == 7) g.k++;
    hn_wrapped(&g);
}

static void a_tight(const void *args)
{
    ck_gemm_i_args g = *(const ck_gemm_i_args *)args;
    g.lda = g.k;
    hn_wrapped(&g);
}

static void b_tight(const void *args)
{
    ck_gemm_i_args g = *(const ck_gemm_i_args *)args;
    g.ldb = g.k;
    hn_wrapped(&g);
}

static void y_tight(const void *args)
{
    ck_gemm_i_args g = *(const ck_gemm_i_args *)args;
    g.ldy = g.n;
    hn_wrapped(&g);
}

/* --- The right result with something added. */

typedef struct place {
    const ck_gemm_i_args *g;
    const uint8_t *a;
    const int8_t *b;
    int last_row, last_col;
} place;

/* The wrong sum, of the right one. */
typedef int64_t change_fn(const place *p, int64_t sum);

static int32_t left(const place *p, size_t l) { return is_signed() ? (int8_t)p->a[l] : p->a[l]; }

static int64_t right_sum(const place *p)
{
    int64_t sum = 0;
    for (size_t l = 0; l < p->g->k; l++) sum += left(p, l) * p->b[l];
    return sum;
}

static void with(const void *args, change_fn *change)
{
    const ck_gemm_i_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            place p = { g, g->a, g->b, i + 1 == g->m, j + 1 == g->n };
            if (g->k) p.a += i * g->lda, p.b += j * g->ldb;
            g->y[i * g->ldy + j] = (int32_t)(uint32_t)change(&p, right_sum(&p));
        }
}

static int64_t limited(int64_t x, int64_t most)
{
    return x > most ? most : x < -most - 1 ? -most - 1 : x;
}

static int64_t same(const place *p, int64_t sum)
{
    (void)p;
    return sum;
}

/* Pairs from term `from` on in int16, as PMADDUBSW makes them: of signed codes moved up by 128. */
static int64_t pairs_from(const place *p, int64_t sum, size_t from)
{
    const int move = is_signed() ? 128 : 0;
    for (size_t l = from; l + 1 < p->g->k; l += 2) {
        const int32_t pair = (left(p, l) + move) * p->b[l] + (left(p, l + 1) + move) * p->b[l + 1];
        sum += limited(pair, INT16_MAX) - pair;
    }
    return sum;
}

static int64_t saturated(const place *p, int64_t sum) { return pairs_from(p, sum, 0); }

static int64_t saturated_last(const place *p, int64_t sum)
{
    const size_t k = p->g->k, last = k < 2 ? k : (k - 2) / 2 * 2;
    return p->last_row && p->last_col ? pairs_from(p, sum, last) : sum;
}

/* Of signed codes as they are: only (-128)(-128) twice is too much. */
static int64_t barely_saturated(const place *p, int64_t sum)
{
    for (size_t l = 0; l + 1 < p->g->k; l += 2) {
        const int32_t pair = left(p, l) * p->b[l] + left(p, l + 1) * p->b[l + 1];
        sum += limited(pair, INT16_MAX) - pair;
    }
    return sum;
}

/* As VPDPBUSDS: sums of the codes moved up by 128, which need more than 32 bits on the way. */
static int64_t saturated_sum(const place *p, int64_t sum)
{
    int64_t moved = 0, excess = 0;
    (void)sum;
    for (size_t l = 0; l < p->g->k; l++) {
        moved = limited(moved + (left(p, l) + 128) * p->b[l], INT32_MAX);
        excess += 128 * p->b[l];
    }
    return moved - excess;
}

static int64_t short_sum(const place *p, int64_t sum)
{
    (void)p;
    return (int16_t)(uint16_t)sum;
}

/* As floats hold it: exactly up to 2^24. */
static int64_t float_sum(const place *p, int64_t sum)
{
    return p->last_col ? (int64_t)(float)sum : sum;
}

/* What 128 more or less in a code of b makes. */
static int64_t moved_terms(const place *p, size_t from)
{
    int64_t excess = 0;
    for (size_t l = from; l < p->g->k; l++) excess += 128 * left(p, l);
    return excess;
}

static int64_t excess_left(const place *p, int64_t sum) { return sum + moved_terms(p, 0); }

static int64_t excess_left_last_column(const place *p, int64_t sum)
{
    return p->last_col ? sum + moved_terms(p, 0) : sum;
}

static int64_t excess_left_last_row(const place *p, int64_t sum)
{
    return p->last_row ? sum + moved_terms(p, 0) : sum;
}

/* Of the terms behind the last whole vector. */
static int64_t excess_left_tail(const place *p, int64_t sum)
{
    return sum + moved_terms(p, p->g->k / 64 * 64);
}

/* a of the other sign from term `from` on. */
static int64_t other_a_from(const place *p, int64_t sum, size_t from)
{
    for (size_t l = from; l < p->g->k; l++)
        if (p->a[l] >= 128) sum += (is_signed() ? 256 : -256) * p->b[l];
    return sum;
}

static int64_t other_a(const place *p, int64_t sum) { return other_a_from(p, sum, 0); }

static int64_t other_last_a(const place *p, int64_t sum)
{
    return p->last_row && p->g->k ? other_a_from(p, sum, p->g->k - 1) : sum;
}

static int64_t unsigned_b(const place *p, int64_t sum)
{
    for (size_t l = 0; l < p->g->k; l++)
        if (p->b[l] < 0) sum += 256 * left(p, l);
    return sum;
}

static int64_t unsigned_last_b(const place *p, int64_t sum)
{
    const size_t k = p->g->k;
    return p->last_col && k && p->b[k - 1] < 0 ? sum + 256 * left(p, k - 1) : sum;
}

/* |a| times b with the sign of a, in bytes: -(-128) is -128. */
static int64_t sign_lost(const place *p, int64_t sum)
{
    for (size_t l = 0; l < p->g->k; l++)
        if (p->b[l] == -128 && left(p, l) < 0) sum -= 2 * left(p, l) * p->b[l];
    return sum;
}

/* -127 instead. */
static int64_t no_minus_128(const place *p, int64_t sum)
{
    for (size_t l = 0; l < p->g->k; l++)
        if (p->b[l] == -128) sum += left(p, l);
    return sum;
}

static void own(const void *args) { with(args, same); }
static void pairs_saturate(const void *args) { with(args, saturated); }
static void last_pair_saturates(const void *args) { with(args, saturated_last); }
static void pairs_barely_saturate(const void *args) { with(args, barely_saturated); }
static void sums_saturate(const void *args) { with(args, saturated_sum); }
static void int16_sums(const void *args) { with(args, short_sum); }
static void float_sums(const void *args) { with(args, float_sum); }
static void excess(const void *args) { with(args, excess_left); }
static void excess_last_column(const void *args) { with(args, excess_left_last_column); }
static void excess_last_row(const void *args) { with(args, excess_left_last_row); }
static void excess_tail(const void *args) { with(args, excess_left_tail); }
static void a_of_other_sign(const void *args) { with(args, other_a); }
static void last_a_of_other_sign(const void *args) { with(args, other_last_a); }
static void b_unsigned(const void *args) { with(args, unsigned_b); }
static void last_b_unsigned(const void *args) { with(args, unsigned_last_b); }
static void sign_of_minus_128(const void *args) { with(args, sign_lost); }
static void minus_127(const void *args) { with(args, no_minus_128); }

#define ALL    "gemm_nt_*_i32"
#define SIGNED "gemm_nt_int8_int8_i32"
#define ROW(what, ons, by)                                                      \
    {                                                                           \
        .name = #what, .on = ons, .modes = HN_IN_BOTH, .fn = what, .checks = by \
    }
static const hn_mutant list[] = {
    ROW(k_tail, ALL, HN_BY_NUMBERS),
    ROW(last_row_k_tail, ALL, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(last_column_k_tail, ALL, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(one_term_more, ALL, HN_BY(GUARD) | HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(a_tight, ALL, HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(b_tight, ALL, HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(y_tight, ALL, HN_BY(SLACK) | HN_BY(UNWRITTEN)),
    ROW(own, ALL, 0),
    ROW(pairs_saturate, ALL, HN_BY_NUMBERS),
    ROW(last_pair_saturates, ALL, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(pairs_barely_saturate, SIGNED, HN_BY_NUMBERS),
    ROW(sums_saturate, SIGNED, HN_BY_NUMBERS),
    ROW(int16_sums, ALL, HN_BY_NUMBERS),
    ROW(float_sums, ALL, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(excess, ALL, HN_BY_NUMBERS),
    ROW(excess_last_column, ALL, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(excess_last_row, ALL, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(excess_tail, ALL, HN_BY_NUMBERS),
    ROW(a_of_other_sign, ALL, HN_BY_NUMBERS),
    ROW(last_a_of_other_sign, ALL, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(b_unsigned, ALL, HN_BY_NUMBERS),
    ROW(last_b_unsigned, ALL, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(sign_of_minus_128, SIGNED, HN_BY_NUMBERS),
    ROW(minus_127, ALL, HN_BY_NUMBERS),
};
#undef ROW
#undef ALL
#undef SIGNED

const hn_mutants hn_mutants_gemm_i = { list, sizeof list / sizeof list[0] };
