/* SPDX-License-Identifier: MIT */
/* Family pack: rows of blocks interleaved; the op's name gives their format first, then that of y. */
#include "../family.h"
#include "quant.h"

enum { M, K };
enum { Y, X, OPERANDS };

static const hn_key keys[] = {
    [M] = { "M", HN_DIM, 1, 1 << 20, 1, 0, 40 },
    [K] = { "K", HN_DIM, 1, 1 << 24, HN_BLOCKS, 0, 1100 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_TYPE_1, HN_ROLE_OUTPUT, true },
    [X] = { "x", HN_TYPE_0, HN_ROLE_VALUE, true },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t m = (size_t)c->num[M], units = (size_t)(c->num[K] / hn_key_unit(c->op, K));
    const size_t rows = hn_dtypes[hn_operand_dtype(c->op, Y)].rows;
    e[Y] = (hn_extent){ (m + rows - 1) / rows, units, 0 };
    e[X] = (hn_extent){ m, units, 0 };
}

static size_t terms(const hn_case *c) { return (size_t)hn_key_unit(c->op, K); }

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_pack_args *)args = (ck_pack_args){ .y = at[Y],
                                            .x = at[X],
                                            .m = (size_t)c->num[M],
                                            .k = (size_t)c->num[K],
                                            .ldy = ld[Y],
                                            .ldx = ld[X] };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_pack_args *)args = (ref_pack_args){ .x = at[X], .m = (size_t)c->num[M], .ldx = ld[X] };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(
        out,
        "    const ck_pack_args args = {\n"
        "        .y = at[0], .x = at[1], .m = %lld, .k = %lld, .ldy = %zu, .ldx = %zu,\n    };\n",
        (long long)c->num[M], (long long)c->num[K], ld[Y], ld[X]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_pack = {
    .name = "pack",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = -1,
    .fills = FILL(UNIT) | FILL(INT) | FILL(EDGE) | FILL(SAT),
    .exact_fills = FILL(UNIT) | FILL(INT) | FILL(EDGE) | FILL(SAT),
    .flags = HN_FP_MODES,
    .extents = extents,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "quant.h",
};
