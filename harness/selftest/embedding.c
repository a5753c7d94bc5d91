/* SPDX-License-Identifier: MIT */
/* Mutants of embedding: calls of the right kernel for other rows than were asked for, and what it writes
 * changed afterwards. */
#include "embedding.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mutant.h"

/* Row i by the right kernel, of another id, or of another position. */
static void row_of(const ck_embedding_args *g, size_t i, int32_t id, size_t position)
{
    ck_embedding_args one = *g;
    one.y += i * g->ldy;
    one.ids = &id;
    one.t = 1;
    one.pos0 = position;
    hn_wrapped(&one);
}

typedef int32_t other_id(const ck_embedding_args *g, size_t i);

static void by_ids(const ck_embedding_args *g, other_id *id)
{
    for (size_t i = 0; i < g->t; i++) row_of(g, i, id(g, i), g->pos0 + i);
}

static bool is_last(const ck_embedding_args *g, size_t i) { return i + 1 == g->t; }

static int32_t one_more(const ck_embedding_args *g, size_t i)
{
    return (size_t)g->ids[i] + 1 < g->vocab ? g->ids[i] + 1 : g->ids[i];
}

/* Ids from 1 on. */
static int32_t one_less(const ck_embedding_args *g, size_t i)
{
    return g->ids[i] > 0 ? g->ids[i] - 1 : g->ids[i];
}

static int32_t last_is_clamped(const ck_embedding_args *g, size_t i)
{
    const int32_t most = (int32_t)g->vocab - 2;
    return g->ids[i] > most && most >= 0 ? most : g->ids[i];
}

static int32_t stale_id(const ck_embedding_args *g, size_t i)
{
    return is_last(g, i) && i > 0 ? g->ids[i - 1] : g->ids[i];
}

static int32_t its_position(const ck_embedding_args *g, size_t i)
{
    return is_last(g, i) ? (int32_t)(i % g->vocab) : g->ids[i];
}

static int32_t one_byte(const ck_embedding_args *g, size_t i) { return (int8_t)g->ids[i] & 15; }

static int32_t from_the_end(const ck_embedding_args *g, size_t i)
{
    return is_last(g, i) ? (int32_t)g->vocab - 1 - g->ids[i] : g->ids[i];
}

/* An id that came before leaves the row as the first one's neighbour. */
static int32_t repeated_is_first(const ck_embedding_args *g, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (g->ids[k] == g->ids[i]) return g->ids[0];
    return g->ids[i];
}

#define IDS(name) \
    static void name##_row(const void *args) { by_ids(args, name); }
IDS(one_more)
IDS(one_less)
IDS(last_is_clamped)
IDS(stale_id)
IDS(its_position)
IDS(one_byte)
IDS(from_the_end)
IDS(repeated_is_first)
#undef IDS

static void own(const void *args)
{
    const ck_embedding_args *g = args;
    for (size_t i = g->t; i-- > 0;) row_of(g, i, g->ids[i], g->pos0 + i);
}

/* --- positions. */

static void position_left_out(const void *args)
{
    const ck_embedding_args *g = args;
    ck_embedding_args last = *g;
    hn_wrapped(args);
    last.pos = NULL;
    row_of(&last, g->t - 1, g->ids[g->t - 1], 0);
}

static void positions_from_0(const void *args)
{
    ck_embedding_args g = *(const ck_embedding_args *)args;
    g.pos0 = 0;
    hn_wrapped(&g);
}

static void last_position_stale(const void *args)
{
    const ck_embedding_args *g = args;
    hn_wrapped(args);
    if (g->t > 1) row_of(g, g->t - 1, g->ids[g->t - 1], g->pos0 + g->t - 2);
}

static void position_of_the_id(const void *args)
{
    const ck_embedding_args *g = args;
    for (size_t i = 0; i < g->t; i++) row_of(g, i, g->ids[i], g->pos0 + (size_t)g->ids[i] % g->t);
}

static void positions_tight(const void *args)
{
    ck_embedding_args g = *(const ck_embedding_args *)args;
    g.ldp = g.d;
    hn_wrapped(&g);
}

/* The sum in half as many bits as a float has. */
static void position_rounded(const void *args)
{
    const ck_embedding_args *g = args;
    float *const last = g->y + (g->t - 1) * g->ldy + g->d - 1;
    hn_wrapped(args);
    if (g->pos && g->d > 0) *last *= 1.0f + 0x1p-14f;
}

/* --- widths. */

static void table_tight(const void *args)
{
    ck_embedding_args g = *(const ck_embedding_args *)args;
    g.ldw = hn_block ? g.d / hn_block->elements : g.d;
    hn_wrapped(&g);
}

static void table_as_wide_as_y(const void *args)
{
    ck_embedding_args g = *(const ck_embedding_args *)args;
    if (!hn_block && g.cols < g.ldw) g.ldw = g.cols;
    hn_wrapped(&g);
}

static void last_element_old(const void *args)
{
    const ck_embedding_args *g = args;
    float *const last = g->y + (g->t - 1) * g->ldy + g->d - 1;
    float before = 0.0f;
    if (g->d > 0) memcpy(&before, last, sizeof before);
    hn_wrapped(args);
    if (g->d > 0) memcpy(last, &before, sizeof before);
}

/* The last block, or eight elements, as the block before. */
static void last_block_stale(const void *args)
{
    const ck_embedding_args *g = args;
    const size_t n = hn_block && hn_block->elements > 1 ? hn_block->elements : 8;
    float *const end = g->y + (g->t - 1) * g->ldy + g->d;
    hn_wrapped(args);
    if (g->d >= 2 * n) memcpy(end - n, end - 2 * n, n * sizeof *end);
}

static void pad_old(const void *args)
{
    ck_embedding_args g = *(const ck_embedding_args *)args;
    g.cols -= g.cols > g.d;
    hn_wrapped(&g);
}

/* --- bits. */

static void quiets_nans(const void *args)
{
    const ck_embedding_args *g = args;
    hn_wrapped(args);
    for (size_t i = 0; i < g->t; i++)
        for (size_t j = 0; j < g->d; j++) {
            float *const at = g->y + i * g->ldy + j;
            uint32_t bits;
            memcpy(&bits, at, sizeof bits);
            if (*at != *at) bits |= 0x400000u;
            memcpy(at, &bits, sizeof bits);
        }
}

/* -0 becomes 0. */
static void adds_zero(const void *args)
{
    const ck_embedding_args *g = args;
    hn_wrapped(args);
    for (size_t i = 0; i < g->t; i++)
        for (size_t j = 0; j < g->d; j++) {
            float *const at = g->y + i * g->ldy + j;
            if (*at == 0.0f) *at = 0.0f;
        }
}

static void flushes(const void *args)
{
    const ck_embedding_args *g = args;
    hn_wrapped(args);
    for (size_t i = 0; i < g->t; i++)
        for (size_t j = 0; j < g->d; j++) {
            float *const at = g->y + i * g->ldy + j;
            if (*at < 0x1p-126f && *at > -0x1p-126f && *at != 0.0f) *at = 0.0f;
        }
}

#define ROW(what, f, ons, by)                                                \
    {                                                                        \
        .name = #what, .on = ons, .modes = HN_IN_BOTH, .fn = f, .checks = by \
    }
#define EACH     "embedding_*"
#define ID(name) ROW(name, name##_row, EACH, HN_BY_NUMBERS | HN_BY_PARTS)
static const hn_mutant list[] = {
    ROW(own, own, EACH, 0),
    ID(one_more),
    ID(one_less),
    ID(last_is_clamped),
    ID(stale_id),
    ID(its_position),
    ROW(one_byte, one_byte_row, EACH, HN_BY_NUMBERS | HN_BY(GUARD) | HN_BY(JUNK)),
    ID(from_the_end),
    ID(repeated_is_first),
    ROW(position_left_out, position_left_out, EACH, HN_BY_NUMBERS),
    ROW(positions_from_0, positions_from_0, EACH, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(last_position_stale, last_position_stale, EACH, HN_BY_NUMBERS),
    ROW(position_of_the_id, position_of_the_id, EACH, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(positions_tight, positions_tight, EACH, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(position_rounded, position_rounded, EACH, HN_BY_NUMBERS),
    ROW(table_tight, table_tight, EACH, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(table_as_wide_as_y, table_as_wide_as_y, "embedding_f32", HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(last_element_old, last_element_old, EACH, HN_BY(UNWRITTEN)),
    ROW(last_block_stale, last_block_stale, EACH, HN_BY_NUMBERS),
    ROW(pad_old, pad_old, EACH, HN_BY(UNWRITTEN)),
    ROW(quiets_nans, quiets_nans, "embedding_f32", HN_BY_NUMBERS),
    ROW(adds_zero, adds_zero, EACH, HN_BY_NUMBERS),
    ROW(flushes, flushes, "embedding_f32 embedding_bf16", HN_BY_NUMBERS),
};
#undef ROW
#undef EACH
#undef ID

const hn_mutants hn_mutants_embedding = { list, sizeof list / sizeof list[0] };
