/* SPDX-License-Identifier: MIT */
/* Family rope: rows of heads, head by head or token by token, and the table that they are turned by. */
#include "rope.h"
#include "../family.h"
#include "heads.h"

enum { H, T, D, REST, PAD, POS, TOKEN };
enum { Y, X, COS, SIN, OPERANDS };

static const hn_key keys[] = {
    [H] = { "H", HN_DIM, 1, 1 << 12, 1, 0, 6 },     [T] = { "T", HN_DIM, 1, 1 << 14, 1, 0, 40 },
    [D] = { "D", HN_DIM, 0, 1 << 12, 2, 0, 300 },   [REST] = { "rest", HN_INT, 0, 64, 1, 0.0, 24 },
    [PAD] = { "pad", HN_INT, 0, 64, 1, 0.0, 24 },   [POS] = { "pos", HN_INT, 0, 64, 1, 0.0, 64 },
    [TOKEN] = { "token", HN_INT, 0, 1, 1, 0.0, 1 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [X] = { "x", HN_F32, HN_ROLE_LEFT, true },
    [COS] = { "c", HN_F32, HN_ROLE_RIGHT, true },
    [SIN] = { "s", HN_F32, HN_ROLE_RIGHT, true },
};

/* D elements are turned, `rest` more are copied. */
static size_t head(const hn_case *c) { return (size_t)(c->num[D] + c->num[REST]); }

static size_t cols(const hn_case *c) { return head(c) + (size_t)c->num[PAD]; }

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t rows = (size_t)(c->num[H] * c->num[T]), half = (size_t)c->num[D] / 2;
    e[Y] = (hn_extent){ rows, cols(c), 0 };
    e[X] = (hn_extent){ rows, head(c), 0 };
    e[COS] = e[SIN] = (hn_extent){ (size_t)(c->num[POS] + c->num[T]), half, 0 };
}

/* Angles of tokens before the first are junk. */
static size_t live(const hn_case *c, size_t operand, size_t row)
{
    if (operand == COS || operand == SIN)
        return row < (size_t)c->num[POS] ? 0 : (size_t)c->num[D] / 2;
    return operand == X ? head(c) : cols(c);
}

static size_t terms(const hn_case *c)
{
    (void)c;
    return 2;
}

static hn_strides strides_of(const hn_case *c, size_t ld)
{
    return hn_head_strides(c->num[TOKEN] != 0, (size_t)c->num[H], (size_t)c->num[T], ld);
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_rope_args *)args = (ck_rope_args){
        .y = at[Y],
        .x = at[X],
        .cos = at[COS],
        .sin = at[SIN],
        .heads = (size_t)c->num[H],
        .t = (size_t)c->num[T],
        .rotary = (size_t)c->num[D],
        .d = head(c),
        .cols = cols(c),
        .ldy = strides_of(c, ld[Y]).token,
        .ldx = strides_of(c, ld[X]).token,
        .ldc = ld[COS],
        .lds = ld[SIN],
        .head_y = strides_of(c, ld[Y]).head,
        .head_x = strides_of(c, ld[X]).head,
        .pos0 = (size_t)c->num[POS],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_rope_args *)args = (ref_rope_args){
        .x = at[X],
        .cos = at[COS],
        .sin = at[SIN],
        .heads = (size_t)c->num[H],
        .t = (size_t)c->num[T],
        .rotary = (size_t)c->num[D],
        .d = head(c),
        .ldx = strides_of(c, ld[X]).token,
        .ldc = ld[COS],
        .lds = ld[SIN],
        .head_x = strides_of(c, ld[X]).head,
        .pos0 = (size_t)c->num[POS],
        .token_major = (int)c->num[TOKEN],
    };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    const ck_rope_args args = {\n"
            "        .y = at[0], .x = at[1], .cos = at[2], .sin = at[3],\n"
            "        .heads = %lld, .t = %lld, .rotary = %lld, .d = %zu, .cols = %zu,\n"
            "        .ldy = %zu, .ldx = %zu, .ldc = %zu, .lds = %zu,\n"
            "        .head_y = %zu, .head_x = %zu, .pos0 = %lld,\n    };\n",
            (long long)c->num[H], (long long)c->num[T], (long long)c->num[D], head(c), cols(c),
            strides_of(c, ld[Y]).token, strides_of(c, ld[X]).token, ld[COS], ld[SIN],
            strides_of(c, ld[Y]).head, strides_of(c, ld[X]).head, (long long)c->num[POS]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_rope = {
    .name = "rope",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = -1,
    .fills = FILL(UNIT) | FILL(INT) | FILL(POW2) | FILL(CANCEL) | FILL(WIDE) | FILL(DENORMAL) |
             FILL(EDGE),
    .exact_fills = FILL(INT),
    .flags = HN_SIGNED_ZERO | HN_FP_MODES,
    .extents = extents,
    .live = live,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "rope.h",
};
