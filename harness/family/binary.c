/* SPDX-License-Identifier: MIT */
/* Family binary: y = f(a, b), elementwise, row by row. */
#include "binary.h"

#include <string.h>

#include "../family.h"
#include "../fill_row.h"

enum { T, D, PAD };
enum { Y, A, B, OPERANDS };

static const hn_key keys[] = {
    [T] = { "T", HN_DIM, 1, 1 << 14, 1, 0, 40 },
    [D] = { "D", HN_DIM, 1, 1 << 20, 1, 0, 300 },
    [PAD] = { "pad", HN_INT, 0, 64, 1, 0.0, 64 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_TYPE_0, HN_ROLE_OUTPUT, true },
    [A] = { "a", HN_TYPE_0, HN_ROLE_LEFT, true },
    [B] = { "b", HN_TYPE_0, HN_ROLE_RIGHT, true },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t t = (size_t)c->num[T], d = (size_t)c->num[D];
    e[Y] = (hn_extent){ t, d + (size_t)c->num[PAD], 1 };
    e[A] = e[B] = (hn_extent){ t, d, 1 };
}

/* Gates whose sigmoid is 0, 1 or a half for certain, or all that it can be; beside powers of two those whose
 * SiLU is hard to round. */
static bool fill_gate(hn_fill f, hn_rng *rng, float *x, size_t n)
{
    static const float edges[] = { 0.0f, -0.0f, -200.0f, -INFINITY, -1e30f };
    if (f != HN_FILL_INT && f != HN_FILL_UNIT && f != HN_FILL_CANCEL && f != HN_FILL_POW2)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (f == HN_FILL_POW2)
            x[i] = hn_hard_arg(rng);
        else if (f == HN_FILL_INT)
            x[i] = hn_below(rng, 4) ? (float)hn_range(rng, 24, 1024) : edges[hn_below(rng, 5)];
        else
            x[i] = 12.0f * uniform(rng);
    }
    return true;
}

static bool fill(const hn_case *c, size_t operand, size_t index, hn_rng *rng, float *x, size_t n)
{
    (void)index;
    return operand == A && strncmp(c->op->stem, "swiglu_", 7) == 0 && fill_gate(c->fill, rng, x, n);
}

static size_t terms(const hn_case *c)
{
    (void)c;
    return 2;
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_binary_args *)args = (ck_binary_args){
        .y = at[Y],
        .a = at[A],
        .b = at[B],
        .t = (size_t)c->num[T],
        .d = (size_t)c->num[D],
        .cols = (size_t)(c->num[D] + c->num[PAD]),
        .ldy = ld[Y],
        .lda = ld[A],
        .ldb = ld[B],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_binary_args *)args = (ref_binary_args){
        .a = at[A], .b = at[B], .d = (size_t)c->num[D], .lda = ld[A], .ldb = ld[B]
    };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    const ck_binary_args args = {\n"
            "        .y = at[0], .a = at[1], .b = at[2], .t = %lld, .d = %lld, .cols = %lld,\n"
            "        .ldy = %zu, .lda = %zu, .ldb = %zu,\n    };\n",
            (long long)c->num[T], (long long)c->num[D], (long long)(c->num[D] + c->num[PAD]), ld[Y],
            ld[A], ld[B]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_binary = {
    .name = "binary",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = T,
    .fills = FILL(UNIT) | FILL(INT) | FILL(POW2) | FILL(CANCEL) | FILL(WIDE) | FILL(DENORMAL) |
             FILL(EDGE),
    .exact_fills = FILL(INT),
    .flags = HN_SIGNED_ZERO | HN_FP_MODES | HN_NUMBERS,
    .extents = extents,
    .fill = fill,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "binary.h",
};
