/* SPDX-License-Identifier: MIT */
/* Family rope_cache: the table of angles. There is no input; a row of y has the cosines, then the sines. */
#include "../family.h"
#include "rope.h"

enum { T, D, POS, THETA };
enum { Y, OPERANDS };

static const hn_key keys[] = {
    [T] = { "T", HN_DIM, 1, 1 << 14, 1, 0, 40 },
    [D] = { "D", HN_DIM, 2, 1 << 12, 2, 0, 300 },
    [POS] = { "pos", HN_INT, 0, 1 << 20, 1, 0.0, 1 << 20 },
    [THETA] = { "theta", HN_REAL, 1, 1 << 30, 0, 10000.0, 0 },
};

static const hn_operand operands[] = { [Y] = { "y", HN_F32, HN_ROLE_VALUE, true } };

static void extents(const hn_case *c, hn_extent *e)
{
    e[Y] = (hn_extent){ (size_t)c->num[T], (size_t)c->num[D], 0 };
}

static size_t terms(const hn_case *c)
{
    (void)c;
    return 40;
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
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    (void)at;
    (void)ld;
    *(ref_rope_cache_args *)args = (ref_rope_cache_args){ .d = (size_t)c->num[D],
                                                          .pos0 = (size_t)c->num[POS],
                                                          .theta = (float)c->real[THETA] };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    float *const y = at[0];\n"
            "    const ck_rope_cache_args args = {\n"
            "        .cos = y, .sin = y + %lld, .t = %lld, .d = %lld, .ldc = %zu, .lds = %zu,\n"
            "        .pos0 = %lld, .theta = %af,\n    };\n",
            (long long)c->num[D] / 2, (long long)c->num[T], (long long)c->num[D], ld[Y], ld[Y],
            (long long)c->num[POS], c->real[THETA]);
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
