/* SPDX-License-Identifier: MIT */
/* Family rope_cache: the table of angles. There is no input; a row of y has the cosines, then the sines. */
#include "../family.h"
#include "rope.h"

enum { T, D, POS, THETA, FACTOR, LOW, HIGH, CONTEXT };
enum { Y, OPERANDS };

/* The scaling's `low` is below its `high` whatever is drawn. */
static const hn_key keys[] = {
    [T] = { "T", HN_DIM, 1, 1 << 14, 1, 0, 40 },
    [D] = { "D", HN_DIM, 2, 1 << 12, 2, 0, 300 },
    [POS] = { "pos", HN_INT, 0, (1 << 24) - (1 << 14), 1, 0.0, (1 << 24) - (1 << 14) },
    [THETA] = { "theta", HN_REAL, 1, 1000000000, 0, 10000.0, 0 },
    [FACTOR] = { "factor", HN_REAL, 0, 1024, 0, 0.0, 0 },
    [LOW] = { "low", HN_REAL, 0, 2, 0, 1.0, 0 },
    [HIGH] = { "high", HN_REAL, 3, 64, 0, 4.0, 0 },
    [CONTEXT] = { "context", HN_INT, 0, 1 << 20, 1, 8192.0, 1 << 20 },
};

static const hn_operand operands[] = { [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true } };

static void extents(const hn_case *c, hn_extent *e)
{
    e[Y] = (hn_extent){ (size_t)c->num[T], (size_t)c->num[D], 0 };
}

static size_t terms(const hn_case *c)
{
    (void)c;
    return 40;
}

/* Between 0, no scaling, and 1 there is none. */
static float factor(const hn_case *c)
{
    return c->real[FACTOR] >= 1.0 ? (float)c->real[FACTOR] : 0.0f;
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    float *const y = at[Y];
    *(ck_rope_cache_args *)args = (ck_rope_cache_args){
        .cos = y,
        .sin = y + c->num[D] / 2,
        .t = (size_t)c->num[T],
        .d = (size_t)c->num[D],
        .ldc = ld[Y],
        .lds = ld[Y],
        .pos0 = (size_t)c->num[POS],
        .theta = (float)c->real[THETA],
        .factor = factor(c),
        .low = (float)c->real[LOW],
        .high = (float)c->real[HIGH],
        .context = (size_t)c->num[CONTEXT],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    (void)at;
    (void)ld;
    *(ref_rope_cache_args *)args = (ref_rope_cache_args){
        .d = (size_t)c->num[D],
        .pos0 = (size_t)c->num[POS],
        .context = (size_t)c->num[CONTEXT],
        .theta = (float)c->real[THETA],
        .factor = factor(c),
        .low = (float)c->real[LOW],
        .high = (float)c->real[HIGH],
    };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    float *const y = at[0];\n"
            "    const ck_rope_cache_args args = {\n"
            "        .cos = y, .sin = y + %lld, .t = %lld, .d = %lld, .ldc = %zu, .lds = %zu,\n"
            "        .pos0 = %lld, .theta = %af, .factor = %af, .low = %af, .high = %af,\n"
            "        .context = %lld,\n    };\n",
            (long long)c->num[D] / 2, (long long)c->num[T], (long long)c->num[D], ld[Y], ld[Y],
            (long long)c->num[POS], c->real[THETA], (double)factor(c), c->real[LOW], c->real[HIGH],
            (long long)c->num[CONTEXT]);
}

const hn_family hn_family_rope_cache = {
    .name = "rope_cache",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = -1,
    .fills = 1u << HN_FILL_UNIT,
    .flags = HN_FP_MODES,
    .extents = extents,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "rope.h",
};
