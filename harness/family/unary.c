/* SPDX-License-Identifier: MIT */
/* Family unary: y = f(x), elementwise. */
#include "unary.h"

#include "../family.h"

enum { LENGTH };
enum { Y, X, OPERANDS };

static const hn_key keys[] = { [LENGTH] = { "N", HN_DIM, 1, 1 << 24, 1, 0, 300 } };

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, false },
    [X] = { "x", HN_F32, HN_ROLE_ARG, false },
};

static void extents(const hn_case *c, hn_extent *e)
{
    e[Y] = e[X] = (hn_extent){ 1, (size_t)c->num[LENGTH], 0 };
}

static size_t terms(const hn_case *c)
{
    (void)c;
    return 1;
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    (void)ld;
    *(ck_unary_args *)args = (ck_unary_args){ .y = at[Y], .x = at[X], .n = (size_t)c->num[LENGTH] };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    (void)c;
    (void)ld;
    *(ref_unary_args *)args = (ref_unary_args){ .x = at[X] };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    (void)ld;
    fprintf(out, "    const ck_unary_args args = { .y = at[0], .x = at[1], .n = %lld };\n",
            (long long)c->num[LENGTH]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_unary = {
    .name = "unary",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = -1,
    .fills = FILL(UNIT) | FILL(INT) | FILL(WIDE) | FILL(DENORMAL) | FILL(EDGE) | FILL(CENSUS),
    .exact_fills = FILL(INT),
    .flags = HN_SIGNED_ZERO | HN_FP_MODES,
    .extents = extents,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "unary.h",
};
