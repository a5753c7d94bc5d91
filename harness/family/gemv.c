/* SPDX-License-Identifier: MIT */
/* Family gemv: y = RN(RN(alpha b x) + beta c) + bias, f32. The outputs are the batch. */
#include "../family.h"
#include "gemm.h"

enum { N, K, ALPHA, BETA, BIAS };
enum { Y, X, B, C, BIAS_COLUMN, OPERANDS };

static const hn_key keys[] = {
    [N] = { "N", HN_DIM, 1, 1 << 20, 1, 0, 64 },     [K] = { "K", HN_DIM, 0, 1 << 24, 1, 0, 1100 },
    [ALPHA] = { "alpha", HN_REAL, 0, 0, 0, 1.0, 0 }, [BETA] = { "beta", HN_REAL, 0, 0, 0, 0.0, 0 },
    [BIAS] = { "bias", HN_INT, 0, 1, 1, 0.0, 1 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, false },
    [X] = { "x", HN_F32, HN_ROLE_LEFT, false },
    [B] = { "b", HN_F32, HN_ROLE_RIGHT, true },
    [C] = { "c", HN_F32, HN_ROLE_ADDEND, false },
    [BIAS_COLUMN] = { "v", HN_F32, HN_ROLE_ADDEND, false },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t n = (size_t)c->num[N], k = (size_t)c->num[K];
    e[Y] = (hn_extent){ n, 1, 1 };
    e[X] = (hn_extent){ 1, k, 0 };
    e[B] = (hn_extent){ n, k, 1 };
    e[C] = (hn_extent){ n, 1, 1 };
    e[BIAS_COLUMN] = (hn_extent){ c->num[BIAS] ? n : 0, 1, 1 };
}

/* beta = 0 must not read c: all of it is junk then. */
static size_t live(const hn_case *c, size_t operand, size_t row)
{
    (void)row;
    if (operand == C && c->real[BETA] == 0.0) return 0;
    return operand == X || operand == B ? (size_t)c->num[K] : 1;
}

static size_t terms(const hn_case *c) { return (size_t)c->num[K] + 2; }

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_gemv_args *)args = (ck_gemv_args){
        .y = at[Y],
        .x = at[X],
        .b = at[B],
        .c = at[C],
        .bias = at[BIAS_COLUMN],
        .n = (size_t)c->num[N],
        .k = (size_t)c->num[K],
        .ldb = ld[B],
        .alpha = (float)c->real[ALPHA],
        .beta = (float)c->real[BETA],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_gemv_args *)args = (ref_gemv_args){
        .x = at[X],
        .b = at[B],
        .c = at[C],
        .bias = at[BIAS_COLUMN],
        .k = (size_t)c->num[K],
        .ldb = ld[B],
        .alpha = (float)c->real[ALPHA],
        .beta = (float)c->real[BETA],
    };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    const ck_gemv_args args = {\n"
            "        .y = at[0], .x = at[1], .b = at[2], .c = at[3], .bias = at[4],\n"
            "        .n = %lld, .k = %lld, .ldb = %zu,\n"
            "        .alpha = %af, .beta = %af,\n    };\n",
            (long long)c->num[N], (long long)c->num[K], ld[B], c->real[ALPHA], c->real[BETA]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_gemv = {
    .name = "gemv",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = N,
    .fills = FILL(UNIT) | FILL(INT) | FILL(POW2) | FILL(PROBE) | FILL(CANCEL) | FILL(WIDE) |
             FILL(DENORMAL) | FILL(STAGNATION) | FILL(EDGE),
    .exact_fills = FILL(INT) | FILL(POW2) | FILL(PROBE),
    .flags = HN_FP_MODES | HN_DIVIDED,
    .extents = extents,
    .live = live,
    .terms = terms,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "gemm.h",
};
