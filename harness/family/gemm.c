/* SPDX-License-Identifier: MIT */
/* Family gemm: y = RN(RN(alpha A B) + beta c) + bias, f32; A and B lie as the op says. */
#include "gemm.h"
#include "product.h"

#include <string.h>

#include "../family.h"

enum { M = HN_KEY_M, N = HN_KEY_N, K = HN_KEY_K, ALPHA, BETA, BIAS };
enum { Y, A, B, C, BIAS_ROW, OPERANDS };

static const hn_key keys[] = {
    [M] = { "M", HN_DIM, 1, 1 << 20, 1, 0, 64 },   [N] = { "N", HN_DIM, 1, 1 << 20, 1, 0, 64 },
    [K] = { "K", HN_DIM, 0, 1 << 24, 1, 0, 1100 }, [ALPHA] = { "alpha", HN_REAL, 0, 0, 0, 1.0, 0 },
    [BETA] = { "beta", HN_REAL, 0, 0, 0, 0.0, 0 }, [BIAS] = { "bias", HN_INT, 0, 1, 1, 0.0, 1 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [A] = { "a", HN_F32, HN_ROLE_LEFT, true },
    [B] = { "b", HN_F32, HN_ROLE_RIGHT, true },
    [C] = { "c", HN_F32, HN_ROLE_ADDEND, true },
    [BIAS_ROW] = { "v", HN_F32, HN_ROLE_ADDEND, false },
};

/* nt: neither operand; nn: b is [K][N]; tn: a is [K][M] as well. */
static bool down(const hn_case *c, size_t operand)
{
    const bool nt = strncmp(c->op->stem, "gemm_nt", 7) == 0;
    return operand == A ? strncmp(c->op->stem, "gemm_tn", 7) == 0 : operand == B && !nt;
}

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t m = (size_t)c->num[M], n = (size_t)c->num[N], k = (size_t)c->num[K];
    e[Y] = (hn_extent){ m, n, 1 };
    e[A] = down(c, A) ? (hn_extent){ k, m, 1 } : (hn_extent){ m, k, 1 };
    e[B] = down(c, B) ? (hn_extent){ k, n, 0 } : (hn_extent){ n, k, 0 };
    e[C] = (hn_extent){ m, n, 1 };
    e[BIAS_ROW] = (hn_extent){ c->num[BIAS] ? 1u : 0u, n, 0 };
}

/* beta = 0 must not read c: all of it is junk then. */
static size_t live(const hn_case *c, size_t operand, size_t row)
{
    (void)row;
    if (operand == C) return c->real[BETA] == 0.0 ? 0 : (size_t)c->num[N];
    if (operand == A) return (size_t)c->num[down(c, A) ? M : K];
    return (size_t)c->num[operand == B && !down(c, B) ? K : N];
}

static size_t terms(const hn_case *c) { return (size_t)c->num[K] + 2; }

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_gemm_args *)args = (ck_gemm_args){
        .y = at[Y],
        .a = at[A],
        .b = at[B],
        .c = at[C],
        .bias = at[BIAS_ROW],
        .m = (size_t)c->num[M],
        .n = (size_t)c->num[N],
        .k = (size_t)c->num[K],
        .ldy = ld[Y],
        .lda = ld[A],
        .ldb = ld[B],
        .ldc = ld[C],
        .alpha = (float)c->real[ALPHA],
        .beta = (float)c->real[BETA],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_gemm_args *)args = (ref_gemm_args){
        .a = at[A],
        .b = at[B],
        .c = at[C],
        .bias = at[BIAS_ROW],
        .k = (size_t)c->num[K],
        .lda = ld[A],
        .ldb = ld[B],
        .ldc = ld[C],
        .alpha = (float)c->real[ALPHA],
        .beta = (float)c->real[BETA],
    };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    const ck_gemm_args args = {\n"
            "        .y = at[0], .a = at[1], .b = at[2], .c = at[3], .bias = at[4],\n"
            "        .m = %lld, .n = %lld, .k = %lld,\n"
            "        .ldy = %zu, .lda = %zu, .ldb = %zu, .ldc = %zu,\n"
            "        .alpha = %af, .beta = %af,\n    };\n",
            (long long)c->num[M], (long long)c->num[N], (long long)c->num[K], ld[Y], ld[A], ld[B],
            ld[C], c->real[ALPHA], c->real[BETA]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_gemm = {
    .name = "gemm",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = M,
    .fills = FILL(UNIT) | FILL(INT) | FILL(POW2) | FILL(PROBE) | FILL(CANCEL) | FILL(WIDE) |
             FILL(DENORMAL) | FILL(STAGNATION) | FILL(EDGE),
    .exact_fills = FILL(INT) | FILL(POW2) | FILL(PROBE),
    .flags = HN_FP_MODES | HN_DIVIDED,
    .extents = extents,
    .live = live,
    .down = down,
    .terms = terms,
    .products = hn_products,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "gemm.h",
};
