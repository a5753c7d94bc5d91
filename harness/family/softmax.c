/* SPDX-License-Identifier: MIT */
/* Family softmax: causal rows of heads, zeros beyond. */
#include "softmax.h"
#include "../family.h"

enum { H, T, COLS };
enum { Y, X, OPERANDS };

static const hn_key keys[] = {
    [H] = { "H", HN_DIM, 1, 1 << 12, 1, 0, 6 },
    [T] = { "T", HN_DIM, 1, 1 << 14, 1, 0, 90 },
    [COLS] = { "pad", HN_INT, 0, 64, 1, 0.0, 64 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [X] = { "x", HN_F32, HN_ROLE_SCORE, true },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t h = (size_t)c->num[H], t = (size_t)c->num[T];
    e[Y] = (hn_extent){ h * t, t + (size_t)c->num[COLS], t };
    e[X] = (hn_extent){ h * t, t, t };
}

/* Future keys are junk. */
static size_t live(const hn_case *c, size_t operand, size_t row)
{
    const size_t t = (size_t)c->num[T];
    return operand == X ? row % t + 1 : t + (size_t)c->num[COLS];
}

static size_t terms(const hn_case *c)
{
    (void)c;
    return 2;
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    const size_t t = (size_t)c->num[T];
    *(ck_softmax_args *)args = (ck_softmax_args){
        .y = at[Y],
        .x = at[X],
        .heads = (size_t)c->num[H],
        .t = t,
        .cols = t + (size_t)c->num[COLS],
        .ldy = ld[Y],
        .ldx = ld[X],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_softmax_args *)args =
        (ref_softmax_args){ .x = at[X], .t = (size_t)c->num[T], .ldx = ld[X] };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    const ck_softmax_args args = {\n"
            "        .y = at[0], .x = at[1], .heads = %lld, .t = %lld, .cols = %lld,\n"
            "        .ldy = %zu, .ldx = %zu,\n    };\n",
            (long long)c->num[H], (long long)c->num[T], (long long)(c->num[T] + c->num[COLS]),
            ld[Y], ld[X]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_softmax = {
    .name = "softmax",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = H,
    .fills = FILL(UNIT) | FILL(INT) | FILL(PROBE) | FILL(WIDE) | FILL(STAGNATION) | FILL(EDGE),
    .exact_fills = FILL(INT),
    .flags = HN_SIGNED_ZERO | HN_WHOLE_ROWS | HN_FP_MODES,
    .extents = extents,
    .live = live,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "softmax.h",
};
