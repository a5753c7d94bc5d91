/* SPDX-License-Identifier: MIT */
/* Family embedding: rows of a table by token ids, with learned positions or without. */
#include <string.h>

#include "../family.h"
#include "../rng.h"
#include "embedding.h"

enum { V, T, D, PAD, ADD, POS };
enum { Y, W, IDS, P, OPERANDS };

static const hn_key keys[] = {
    [V] = { "V", HN_DIM, 1, 1 << 16, 1, 0, 40 },
    [T] = { "T", HN_DIM, 1, 1 << 14, 1, 0, 40 },
    [D] = { "D", HN_DIM, 0, 1 << 14, HN_BLOCKS, 0, 1100 },
    [PAD] = { "pad", HN_INT, 0, 64, 1, 0.0, 64 },
    [ADD] = { "add", HN_INT, 0, 1, 1, 0.0, 1 },
    [POS] = { "pos", HN_INT, 0, 64, 1, 0.0, 64 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [W] = { "w", HN_TYPE_0, HN_ROLE_RIGHT, true },
    [IDS] = { "i", HN_I32, HN_ROLE_VALUE, false },
    [P] = { "p", HN_F32, HN_ROLE_ADDEND, true },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t t = (size_t)c->num[T], d = (size_t)c->num[D];
    const size_t positions = c->num[ADD] ? (size_t)c->num[POS] + t : 0;
    e[Y] = (hn_extent){ t, d + (size_t)c->num[PAD], 1 };
    e[W] = (hn_extent){ (size_t)c->num[V], d / (size_t)hn_key_unit(c->op, D), 0 };
    e[IDS] = (hn_extent){ t, 1, 1 };
    e[P] = (hn_extent){ positions, d, 1 };
}

/* Positions before the first are junk. */
static size_t live(const hn_case *c, size_t operand, size_t row)
{
    const size_t d = (size_t)c->num[D];
    switch (operand) {
    case Y: return d + (size_t)c->num[PAD];
    case W: return d / (size_t)hn_key_unit(c->op, D);
    case IDS: return 1;
    default: return row < (size_t)c->num[POS] ? 0 : d;
    }
}

/* The last row as often as a quarter, so that some come twice. */
static void ids(const hn_case *c, size_t operand, size_t row, hn_rng *rng, int32_t *x, size_t n)
{
    const uint64_t rows = (uint64_t)c->num[V];
    (void)operand;
    (void)row;
    for (size_t i = 0; i < n; i++)
        x[i] = (int32_t)(hn_below(rng, 4) == 0 ? rows - 1 : hn_below(rng, rows));
}

/* Any bits; of every four elements about one is a NaN, one a zero, one subnormal. */
static bool fill(const hn_case *c, size_t operand, size_t row, hn_rng *rng, float *x, size_t n)
{
    (void)row;
    if (operand != W || c->fill != HN_FILL_EDGE || hn_operand_dtype(c->op, W) != HN_F32)
        return false;
    for (size_t j = 0; j < n; j++) {
        const uint32_t any = (uint32_t)(hn_next(rng) >> 32);
        const uint32_t kinds[] = { any, any | 0x7f800000u, any & 0x80000000u, any & 0x807fffffu };
        memcpy(x + j, &kinds[hn_below(rng, 4)], sizeof *x);
    }
    return true;
}

static bool is_exact(const hn_case *c)
{
    (void)c;
    return true;
}

static bool copies(const hn_case *c)
{
    return !c->num[ADD] && hn_operand_dtype(c->op, W) == HN_F32;
}

static size_t terms(const hn_case *c)
{
    (void)c;
    return 1;
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_embedding_args *)args = (ck_embedding_args){
        .y = at[Y],
        .ids = at[IDS],
        .w = at[W],
        .pos = at[P],
        .t = (size_t)c->num[T],
        .vocab = (size_t)c->num[V],
        .d = (size_t)c->num[D],
        .cols = (size_t)(c->num[D] + c->num[PAD]),
        .ldy = ld[Y],
        .ldw = ld[W],
        .ldp = ld[P],
        .pos0 = (size_t)c->num[POS],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_embedding_args *)args = (ref_embedding_args){
        .w = at[W],
        .ids = at[IDS],
        .pos = at[P],
        .d = (size_t)c->num[D],
        .ldw = ld[W],
        .ldp = ld[P],
        .pos0 = (size_t)c->num[POS],
    };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    const ck_embedding_args args = {\n"
            "        .y = at[0], .w = at[1], .ids = at[2], .pos = at[3],\n"
            "        .t = %lld, .vocab = %lld, .d = %lld, .cols = %lld,\n"
            "        .ldy = %zu, .ldw = %zu, .ldp = %zu, .pos0 = %lld,\n    };\n",
            (long long)c->num[T], (long long)c->num[V], (long long)c->num[D],
            (long long)(c->num[D] + c->num[PAD]), ld[Y], ld[W], ld[P], (long long)c->num[POS]);
}

#define FILL(name) (1u << HN_FILL_##name)
#define FILLS      (FILL(UNIT) | FILL(INT) | FILL(WIDE) | FILL(DENORMAL) | FILL(EDGE))
const hn_family hn_family_embedding = {
    .name = "embedding",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = T,
    .fills = FILLS,
    .exact_fills = FILLS,
    .flags = HN_SIGNED_ZERO | HN_FP_MODES,
    .extents = extents,
    .live = live,
    .ids = ids,
    .fill = fill,
    .exact = is_exact,
    .copies = copies,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "embedding.h",
};
