/* SPDX-License-Identifier: MIT */
/* Family quantize: a row of f32 to blocks. */
#include "../family.h"
#include "quant.h"

enum { K };
enum { Y, X, OPERANDS };

static const hn_key keys[] = { [K] = { "K", HN_DIM, 1, 1 << 24, HN_BLOCKS, 0, 1100 } };

static const hn_operand operands[] = {
    [Y] = { "y", HN_TYPE_0, HN_ROLE_OUTPUT, false },
    [X] = { "x", HN_F32, HN_ROLE_VALUE, false },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t k = (size_t)c->num[K];
    e[Y] = (hn_extent){ 1, k / (size_t)hn_key_unit(c->op, K), 0 };
    e[X] = (hn_extent){ 1, k, 0 };
}

static size_t terms(const hn_case *c) { return (size_t)hn_key_unit(c->op, K); }

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    (void)ld;
    *(ck_quantize_args *)args =
        (ck_quantize_args){ .y = at[Y], .x = at[X], .n = (size_t)c->num[K] };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    (void)c;
    (void)ld;
    *(ref_quantize_args *)args = (ref_quantize_args){ .x = at[X] };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    (void)ld;
    fprintf(out, "    const ck_quantize_args args = { .y = at[0], .x = at[1], .n = %lld };\n",
            (long long)c->num[K]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_quantize = {
    .name = "quantize",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = -1,
    .fills = FILL(UNIT) | FILL(INT) | FILL(POW2) | FILL(PROBE) | FILL(WIDE) | FILL(DENORMAL) |
             FILL(EDGE) | FILL(SAT) | FILL(CENSUS),
    .exact_fills = FILL(UNIT) | FILL(INT) | FILL(POW2) | FILL(PROBE) | FILL(WIDE) | FILL(DENORMAL) |
                   FILL(EDGE) | FILL(SAT) | FILL(CENSUS),
    .element_fills = FILL(CENSUS),
    .extents = extents,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "quant.h",
};
