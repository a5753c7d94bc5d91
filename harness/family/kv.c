/* SPDX-License-Identifier: MIT */
/* Family kv: tokens written into caches of keys and values. The values lie behind the keys, of
 * what is read and of the caches, so that every check sees both; places that are not written are canary. */
#include <string.h>

#include "../family.h"
#include "../fill_row.h"
#include "heads.h"
#include "kv.h"

enum { G, T, P, D, PAD, ROOM, TOKEN, CACHE_TOKEN };
enum { Y, X, OPERANDS };

static const hn_key keys[] = {
    [G] = { "G", HN_DIM, 1, 64, 1, 0, 5 },
    [T] = { "T", HN_DIM, 1, 1 << 11, 1, 0, 20 },
    [P] = { "P", HN_DIM, 0, 1 << 11, 1, 0, 40 },
    [D] = { "D", HN_DIM, 1, 1 << 11, 1, 0, 80 },
    [PAD] = { "pad", HN_INT, 0, 64, 1, 0.0, 24 },
    [ROOM] = { "room", HN_INT, 0, 1 << 10, 1, 0.0, 9 },
    [TOKEN] = { "token", HN_INT, 0, 1, 1, 0.0, 1 },
    [CACHE_TOKEN] = { "cache_token", HN_INT, 0, 1, 1, 0.0, 1 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_TYPE_0, HN_ROLE_OUTPUT, true },
    [X] = { "x", HN_F32, HN_ROLE_VALUE, true },
};

/* Tokens that a cache has room for. */
static size_t capacity(const hn_case *c) { return (size_t)(c->num[P] + c->num[T] + c->num[ROOM]); }

static size_t cols(const hn_case *c) { return (size_t)(c->num[D] + c->num[PAD]); }

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t g = (size_t)c->num[G], d = (size_t)c->num[D];
    e[Y] = (hn_extent){ 2 * g * capacity(c), cols(c), 0 };
    e[X] = (hn_extent){ 2 * g * (size_t)c->num[T], d, 0 };
}

static size_t live(const hn_case *c, size_t operand, size_t index)
{
    const size_t g = (size_t)c->num[G], place = index % (g * capacity(c));
    const size_t token = c->num[CACHE_TOKEN] ? place / g : place % capacity(c);
    const size_t first = (size_t)c->num[P], end = first + (size_t)c->num[T];
    if (operand != Y) return (size_t)c->num[D];
    return token >= first && token < end ? cols(c) : 0;
}

/* Bits that are copied: numbers, or whatever there is. */
static bool fill(const hn_case *c, size_t operand, size_t index, hn_rng *rng, float *x, size_t n)
{
    (void)index;
    if (operand == Y || hn_operand_dtype(c->op, Y) != HN_F32) return false;
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)(hn_next(rng) >> 32);
        if (c->fill == HN_FILL_UNIT)
            x[i] = uniform(rng);
        else
            memcpy(&x[i], &bits, sizeof bits);
    }
    return true;
}

static size_t terms(const hn_case *c)
{
    (void)c;
    return 1;
}

static hn_strides strides_of(const hn_case *c, bool token_major, size_t tokens, size_t ld)
{
    return hn_head_strides(token_major, (size_t)c->num[G], tokens, ld);
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    const size_t g = (size_t)c->num[G], t = (size_t)c->num[T], room = capacity(c);
    const hn_strides y = strides_of(c, c->num[CACHE_TOKEN] != 0, room, ld[Y]);
    const hn_strides x = strides_of(c, c->num[TOKEN] != 0, t, ld[X]);
    const size_t unit = hn_dtypes[hn_operand_dtype(c->op, Y)].bytes;
    unsigned char *const cache = at[Y];
    const float *const keys_of = at[X];
    *(ck_kv_args *)args = (ck_kv_args){
        .k_cache = cache,
        .v_cache = cache + g * room * ld[Y] * unit,
        .k = keys_of,
        .v = keys_of + g * t * ld[X],
        .kv_heads = g,
        .t = t,
        .position = (size_t)c->num[P],
        .room = room,
        .d = (size_t)c->num[D],
        .cols = cols(c),
        .ldy = y.token,
        .ldx = x.token,
        .head_y = y.head,
        .head_x = x.head,
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    const size_t g = (size_t)c->num[G], t = (size_t)c->num[T];
    const hn_strides x = strides_of(c, c->num[TOKEN] != 0, t, ld[X]);
    const float *const keys_of = at[X];
    *(ref_kv_args *)args = (ref_kv_args){
        .k = keys_of,
        .v = keys_of + g * t * ld[X],
        .kv_heads = g,
        .t = t,
        .position = (size_t)c->num[P],
        .room = capacity(c),
        .d = (size_t)c->num[D],
        .ldx = x.token,
        .head_x = x.head,
        .token_major = c->num[CACHE_TOKEN] != 0,
    };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    const size_t g = (size_t)c->num[G], t = (size_t)c->num[T], room = capacity(c);
    const hn_strides y = strides_of(c, c->num[CACHE_TOKEN] != 0, room, ld[Y]);
    const hn_strides x = strides_of(c, c->num[TOKEN] != 0, t, ld[X]);
    fprintf(
        out,
        "    unsigned char *const cache = at[0];\n"
        "    const float *const keys = at[1];\n"
        "    const ck_kv_args args = {\n"
        "        .k_cache = cache, .v_cache = cache + %zu, .k = keys, .v = keys + %zu,\n"
        "        .kv_heads = %zu, .t = %zu, .position = %lld, .room = %zu,\n"
        "        .d = %lld, .cols = %zu, .ldy = %zu, .ldx = %zu, .head_y = %zu, .head_x = %zu,\n"
        "    };\n",
        g * room * ld[Y] * hn_dtypes[hn_operand_dtype(c->op, Y)].bytes, g * t * ld[X], g, t,
        (long long)c->num[P], room, (long long)c->num[D], cols(c), y.token, x.token, y.head,
        x.head);
}

static bool copies(const hn_case *c) { return hn_operand_dtype(c->op, Y) == HN_F32; }

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_kv = {
    .name = "kv",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = -1,
    .fills = FILL(UNIT) | FILL(INT) | FILL(WIDE) | FILL(DENORMAL) | FILL(SAT) | FILL(EDGE),
    .exact_fills = FILL(UNIT) | FILL(INT) | FILL(WIDE) | FILL(DENORMAL) | FILL(SAT) | FILL(EDGE),
    .flags = HN_FP_MODES,
    .extents = extents,
    .live = live,
    .fill = fill,
    .copies = copies,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "kv.h",
};
