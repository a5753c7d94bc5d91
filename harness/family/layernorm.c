/* SPDX-License-Identifier: MIT */
/* Family layernorm. */
#include "../family.h"
#include "../norm_fill.h"
#include "norm.h"

enum { T, D, PAD, STATS, EPS };
enum { Y, X, GAMMA, BETA, STATISTICS, OPERANDS };
enum { COLUMNS = 2 /* of statistics: mean, rstd */ };

static const hn_key keys[] = {
    [T] = { "T", HN_DIM, 1, 1 << 14, 1, 0, 40 },   [D] = { "D", HN_DIM, 1, 1 << 20, 1, 0, 300 },
    [PAD] = { "pad", HN_INT, 0, 64, 1, 0.0, 64 },  [STATS] = { "stats", HN_INT, 0, 1, 1, 1.0, 1 },
    [EPS] = { "eps", HN_REAL, 0, 4, 0, 1e-5f, 0 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_TYPE_0, HN_ROLE_OUTPUT, true },
    [X] = { "x", HN_TYPE_0, HN_ROLE_LEFT, true },
    [GAMMA] = { "g", HN_F32, HN_ROLE_RIGHT, false },
    [BETA] = { "b", HN_F32, HN_ROLE_ADDEND, false },
    [STATISTICS] = { "s", HN_F32, HN_ROLE_OUTPUT, true },
};

static size_t row_of(const hn_case *c) { return (size_t)(c->num[D] + c->num[PAD]); }

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t t = (size_t)c->num[T], d = (size_t)c->num[D];
    e[Y] = (hn_extent){ t, row_of(c), 1 };
    e[X] = (hn_extent){ t, d, 1 };
    e[GAMMA] = (hn_extent){ 1, d, 0 };
    e[BETA] = (hn_extent){ 1, d, 0 };
    e[STATISTICS] = (hn_extent){ c->num[STATS] ? t : 0, COLUMNS, 1 };
}

static size_t terms(const hn_case *c) { return (size_t)c->num[D]; }

static bool fill(const hn_case *c, size_t operand, size_t index, hn_rng *rng, float *x, size_t n)
{
    (void)index;
    return operand == X && hn_fill_norm(c, c->real[EPS], true, rng, x, n);
}

static bool exact(const hn_case *c)
{
    return hn_norm_exact(c->real[EPS]) && c->num[D] % 2 == 0 && c->num[D] <= 8192;
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    float *const stats = at[STATISTICS];
    *(ck_layernorm_args *)args = (ck_layernorm_args){
        .y = at[Y],
        .mean = stats,
        .rstd = stats ? stats + 1 : NULL,
        .x = at[X],
        .gamma = at[GAMMA],
        .beta = at[BETA],
        .t = (size_t)c->num[T],
        .d = (size_t)c->num[D],
        .cols = row_of(c),
        .ldy = ld[Y],
        .ldr = ld[STATISTICS],
        .ldx = ld[X],
        .eps = (float)c->real[EPS],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_norm_args *)args = (ref_norm_args){
        .x = at[X],
        .gamma = at[GAMMA],
        .beta = at[BETA],
        .d = (size_t)c->num[D],
        .cols = row_of(c),
        .ldx = ld[X],
        .eps = (float)c->real[EPS],
    };
}

static void pick(void *args, size_t operand)
{
    ((ref_norm_args *)args)->statistics = operand == STATISTICS;
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(
        out,
        "    float *const stats = at[4];\n"
        "    const ck_layernorm_args args = {\n"
        "        .y = at[0], .mean = stats, .rstd = stats ? stats + 1 : NULL, .x = at[1], .gamma = "
        "at[2], .beta = at[3],\n"
        "        .t = %lld, .d = %lld, .cols = %zu, .ldy = %zu, .ldr = %zu, .ldx = %zu,\n"
        "        .eps = %af,\n    };\n",
        (long long)c->num[T], (long long)c->num[D], row_of(c), ld[Y], ld[STATISTICS], ld[X],
        c->real[EPS]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_layernorm = {
    .name = "layernorm",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = T,
    .fills = FILL(UNIT) | FILL(INT) | FILL(PROBE) | FILL(CANCEL) | FILL(WIDE) | FILL(DENORMAL) |
             FILL(STAGNATION) | FILL(EDGE),
    .exact_fills = FILL(INT),
    .flags = HN_SIGNED_ZERO | HN_WHOLE_ROWS | HN_FP_MODES | HN_NUMBERS,
    .extents = extents,
    .fill = fill,
    .exact = exact,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .select = pick,
    .emit_args = emit_args,
    .header = "norm.h",
};
