/* SPDX-License-Identifier: MIT */
/* Family cross_entropy. */
#include "../family.h"
#include "../fill_row.h"
#include "loss.h"

enum { T, V, GRADIENT };
enum { Y, X, TARGET, LOSS, COUNT, OPERANDS };

static const hn_key keys[] = {
    [T] = { "T", HN_DIM, 0, 1 << 14, 1, 0, 24 },
    [V] = { "V", HN_DIM, 1, 1 << 20, 1, 0, 300 },
    [GRADIENT] = { "grad", HN_INT, 0, 1, 1, 1.0, 1 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [X] = { "x", HN_F32, HN_ROLE_SCORE, true },
    [TARGET] = { "t", HN_I32, HN_ROLE_VALUE, false },
    [LOSS] = { "l", HN_F32, HN_ROLE_OUTPUT, false },
    [COUNT] = { "n", HN_I32, HN_ROLE_OUTPUT, false },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t t = (size_t)c->num[T], v = (size_t)c->num[V];
    e[Y] = (hn_extent){ t, v, 0 };
    e[X] = (hn_extent){ t, v, 0 };
    e[TARGET] = (hn_extent){ t > 0, t, 0 };
    e[LOSS] = e[COUNT] = (hn_extent){ 1, 1, 0 };
}

/* Without a gradient nothing of its place is written. */
static size_t live(const hn_case *c, size_t operand, size_t index)
{
    (void)index;
    if (operand == TARGET) return (size_t)c->num[T];
    if (operand == LOSS || operand == COUNT) return 1;
    return operand == Y && !c->num[GRADIENT] ? 0 : (size_t)c->num[V];
}

static size_t terms(const hn_case *c)
{
    (void)c;
    return 2;
}

/* One maximum, the others integers so far below that they vanish: D is 1. */
static void fill_int(hn_rng *rng, float *x, size_t n)
{
    const float top = (float)hn_range(rng, -80, 80);
    for (size_t j = 0; j < n; j++) x[j] = top - 128.0f - (float)hn_below(rng, 1024);
    x[pick_index(rng, n)] = top;
}

/* Edges in one row of eight: one makes the loss NaN. */
static bool fill(const hn_case *c, size_t operand, size_t index, hn_rng *rng, float *x, size_t n)
{
    (void)index;
    if (operand != X) return false;
    if (c->fill == HN_FILL_INT) {
        fill_int(rng, x, n);
        return true;
    }
    if (c->fill != HN_FILL_EDGE || hn_below(rng, 8) == 0) return false;
    for (size_t j = 0; j < n; j++) x[j] = 8.0f * uniform(rng);
    return true;
}

/* How many of t rows count: all, all but a few, one, none; of exact sums a power of two. */
static size_t counted(const hn_case *c, hn_rng *rng, size_t t)
{
    const uint64_t kind = hn_below(rng, 8);
    size_t n = kind < 4 ? t : kind < 6 ? (size_t)hn_below(rng, t + 1) : kind == 6;
    while (c->fill == HN_FILL_INT && n & (n - 1)) n &= n - 1;
    return n;
}

/* The last class and the first more often than others. */
static void ids(const hn_case *c, size_t operand, size_t index, hn_rng *rng, int32_t *x, size_t n)
{
    const uint64_t v = (uint64_t)c->num[V];
    size_t left = counted(c, rng, n);
    (void)operand;
    (void)index;
    for (size_t i = 0; i < n; i++) {
        const bool counts = hn_below(rng, n - i) < left;
        const uint64_t kind = hn_below(rng, 4), any = hn_below(rng, v);
        left -= counts;
        x[i] = !counts ? CK_IGNORE : (int32_t)(kind == 0 ? v - 1 : kind == 1 ? 0 : any);
    }
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_cross_entropy_args *)args = (ck_cross_entropy_args){
        .dx = c->num[GRADIENT] ? at[Y] : NULL,
        .loss = at[LOSS],
        .count = at[COUNT],
        .x = at[X],
        .target = at[TARGET],
        .t = (size_t)c->num[T],
        .v = (size_t)c->num[V],
        .lddx = ld[Y],
        .ldx = ld[X],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_cross_entropy_args *)args = (ref_cross_entropy_args){
        .x = at[X],
        .target = at[TARGET],
        .t = (size_t)c->num[T],
        .v = (size_t)c->num[V],
        .ldx = ld[X],
        .of = c->num[GRADIENT] ? REF_LOSS_GRADIENT : REF_LOSS_NOTHING,
    };
}

static void pick(void *args, size_t operand)
{
    ref_cross_entropy_args *const g = args;
    if (operand != Y) g->of = operand == LOSS ? REF_LOSS_MEAN : REF_LOSS_COUNT;
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    const ck_cross_entropy_args args = {\n"
            "        .dx = %s, .loss = at[3], .count = at[4], .x = at[1], .target = at[2],\n"
            "        .t = %lld, .v = %lld, .lddx = %zu, .ldx = %zu,\n    };\n",
            c->num[GRADIENT] ? "at[0]" : "NULL", (long long)c->num[T], (long long)c->num[V], ld[Y],
            ld[X]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_cross_entropy = {
    .name = "cross_entropy",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = -1,
    .fills = FILL(UNIT) | FILL(INT) | FILL(PROBE) | FILL(WIDE) | FILL(STAGNATION) | FILL(EDGE),
    .exact_fills = FILL(INT),
    .flags = HN_WHOLE_ROWS | HN_FP_MODES,
    .extents = extents,
    .live = live,
    .fill = fill,
    .ids = ids,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .select = pick,
    .emit_args = emit_args,
    .header = "loss.h",
};
