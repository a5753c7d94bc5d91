/* SPDX-License-Identifier: MIT */
/* Family attention: heads of queries over grouped heads of keys and values. */
#include <math.h>

#include "../family.h"
#include "attention.h"
#include "heads.h"

enum { G, R, T, P, D, PAD, ROOM, WINDOW, TOKEN, SCALE };
enum { Y, Q, KEYS, VALUES, OPERANDS };

static const hn_key keys[] = {
    [G] = { "G", HN_DIM, 1, 64, 1, 0, 3 },
    [R] = { "R", HN_DIM, 1, 64, 1, 0, 4 },
    [T] = { "T", HN_DIM, 1, 1 << 11, 1, 0, 40 },
    [P] = { "P", HN_DIM, 0, 1 << 11, 1, 0, 80 },
    [D] = { "D", HN_DIM, 1, 1 << 11, 1, 0, 80 },
    [PAD] = { "pad", HN_INT, 0, 64, 1, 0.0, 24 },
    [ROOM] = { "room", HN_INT, 0, 1 << 10, 1, 0.0, 9 },
    [WINDOW] = { "window", HN_INT, 0, 1 << 12, 1, 0.0, 40 },
    [TOKEN] = { "token", HN_INT, 0, 1, 1, 0.0, 1 },
    [SCALE] = { "scale", HN_REAL, 0, 0, 0, 0.0, 0 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [Q] = { "q", HN_F32, HN_ROLE_QUERY, true },
    [KEYS] = { "k", HN_TYPE_0, HN_ROLE_KEY, true },
    [VALUES] = { "v", HN_TYPE_0, HN_ROLE_RIGHT, true },
};

/* R query heads for each of G heads of keys; T queries after P tokens of the past. */
static size_t heads(const hn_case *c) { return (size_t)(c->num[G] * c->num[R]); }

static size_t tokens(const hn_case *c) { return (size_t)(c->num[P] + c->num[T]); }

/* k and v are caches with room for more tokens. */
static size_t capacity(const hn_case *c) { return tokens(c) + (size_t)c->num[ROOM]; }

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t queries = heads(c) * (size_t)c->num[T], d = (size_t)c->num[D];
    const size_t places = (size_t)c->num[G] * capacity(c);
    e[Y] = (hn_extent){ queries, d + (size_t)c->num[PAD], 0 };
    e[Q] = (hn_extent){ queries, d, 0 };
    e[KEYS] = (hn_extent){ places, d, 0 };
    e[VALUES] = (hn_extent){ places, d, 0 };
}

/* Junk: tokens that have not come yet, and those that the first query's window has left behind. */
static size_t live(const hn_case *c, size_t operand, size_t row)
{
    const size_t d = (size_t)c->num[D], token = row % capacity(c);
    if (operand == Y) return d + (size_t)c->num[PAD];
    if (operand == Q) return d;
    const int64_t first = c->num[WINDOW] ? c->num[P] + 1 - c->num[WINDOW] : 0;
    return (int64_t)token < first || token >= tokens(c) ? 0 : d;
}

static size_t terms(const hn_case *c)
{
    const size_t d = (size_t)c->num[D];
    return (tokens(c) > d ? tokens(c) : d) + 2;
}

/* 0: the usual 1 / sqrt(D). */
static float scale(const hn_case *c)
{
    return (float)(c->real[SCALE] == 0.0 ? 1.0 / sqrt((double)c->num[D]) : c->real[SCALE]);
}

static hn_strides strides_of(const hn_case *c, size_t ld)
{
    return hn_head_strides(c->num[TOKEN] != 0, heads(c), (size_t)c->num[T], ld);
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_attention_args *)args = (ck_attention_args){
        .y = at[Y],
        .q = at[Q],
        .k = at[KEYS],
        .v = at[VALUES],
        .heads = heads(c),
        .kv_heads = (size_t)c->num[G],
        .tq = (size_t)c->num[T],
        .tk = tokens(c),
        .d = (size_t)c->num[D],
        .cols = (size_t)(c->num[D] + c->num[PAD]),
        .window = (size_t)c->num[WINDOW],
        .ldy = strides_of(c, ld[Y]).token,
        .ldq = strides_of(c, ld[Q]).token,
        .ldk = ld[KEYS],
        .ldv = ld[VALUES],
        .head_y = strides_of(c, ld[Y]).head,
        .head_q = strides_of(c, ld[Q]).head,
        .head_k = capacity(c) * ld[KEYS],
        .head_v = capacity(c) * ld[VALUES],
        .scale = scale(c),
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_attention_args *)args = (ref_attention_args){
        .q = at[Q],
        .k = at[KEYS],
        .v = at[VALUES],
        .heads = heads(c),
        .kv_heads = (size_t)c->num[G],
        .tq = (size_t)c->num[T],
        .tk = tokens(c),
        .d = (size_t)c->num[D],
        .window = (size_t)c->num[WINDOW],
        .ldq = strides_of(c, ld[Q]).token,
        .ldk = ld[KEYS],
        .ldv = ld[VALUES],
        .head_q = strides_of(c, ld[Q]).head,
        .head_k = capacity(c) * ld[KEYS],
        .head_v = capacity(c) * ld[VALUES],
        .scale = scale(c),
        .token_major = (int)c->num[TOKEN],
    };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    const ck_attention_args args = {\n"
            "        .y = at[0], .q = at[1], .k = at[2], .v = at[3],\n"
            "        .heads = %zu, .kv_heads = %lld, .tq = %lld, .tk = %zu, .d = %lld,\n"
            "        .cols = %lld, .window = %lld,\n"
            "        .ldy = %zu, .ldq = %zu, .ldk = %zu, .ldv = %zu,\n"
            "        .head_y = %zu, .head_q = %zu, .head_k = %zu, .head_v = %zu,\n"
            "        .scale = %af,\n    };\n",
            heads(c), (long long)c->num[G], (long long)c->num[T], tokens(c), (long long)c->num[D],
            (long long)(c->num[D] + c->num[PAD]), (long long)c->num[WINDOW],
            strides_of(c, ld[Y]).token, strides_of(c, ld[Q]).token, ld[KEYS], ld[VALUES],
            strides_of(c, ld[Y]).head, strides_of(c, ld[Q]).head, capacity(c) * ld[KEYS],
            capacity(c) * ld[VALUES], (double)scale(c));
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_attention = {
    .name = "attention",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = -1,
    .fills = FILL(UNIT) | FILL(INT) | FILL(PROBE) | FILL(WIDE) | FILL(STAGNATION) | FILL(DENORMAL) |
             FILL(EDGE),
    .exact_fills = FILL(INT),
    .flags = HN_WHOLE_ROWS | HN_FP_MODES | HN_DIVIDED,
    .extents = extents,
    .live = live,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "attention.h",
};
