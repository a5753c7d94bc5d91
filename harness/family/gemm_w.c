/* SPDX-License-Identifier: MIT */
/* Family gemm_w: y = RN(a b^T + c) + bias, a f32, b rows of blocks, the weights. */
#include "../family.h"
#include "gemm.h"
#include "product.h"

enum { M = HN_KEY_M, N = HN_KEY_N, K = HN_KEY_K, BIAS, ADD };
enum { Y, A, B, BIAS_ROW, C, OPERANDS };

static const hn_key keys[] = {
    [M] = { "M", HN_DIM, 1, 1 << 20, 1, 0, 32 },
    [N] = { "N", HN_DIM, 1, 1 << 20, 1, 0, 32 },
    [K] = { "K", HN_DIM, 0, 1 << 24, HN_BLOCKS, 0, 4096 },
    [BIAS] = { "bias", HN_INT, 0, 1, 1, 0.0, 1 },
    [ADD] = { "add", HN_INT, 0, 1, 1, 0.0, 1 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [A] = { "a", HN_F32, HN_ROLE_LEFT, true },
    [B] = { "b", HN_TYPE_0, HN_ROLE_RIGHT, true },
    [BIAS_ROW] = { "v", HN_F32, HN_ROLE_ADDEND, false },
    [C] = { "c", HN_F32, HN_ROLE_ADDEND, true },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t m = (size_t)c->num[M], n = (size_t)c->num[N], k = (size_t)c->num[K];
    e[Y] = (hn_extent){ m, n, 1 };
    e[A] = (hn_extent){ m, k, 1 };
    e[B] = (hn_extent){ n, k / (size_t)hn_key_unit(c->op, K), 0 };
    e[BIAS_ROW] = (hn_extent){ c->num[BIAS] ? 1u : 0u, n, 0 };
    e[C] = c->num[ADD] ? (hn_extent){ m, n, 1 } : (hn_extent){ 0, n, 0 };
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_gemm_w_args *)args = (ck_gemm_w_args){
        .y = at[Y],
        .a = at[A],
        .b = at[B],
        .bias = at[BIAS_ROW],
        .m = (size_t)c->num[M],
        .n = (size_t)c->num[N],
        .k = (size_t)c->num[K],
        .ldy = ld[Y],
        .lda = ld[A],
        .ldb = ld[B],
        .c = at[C],
        .ldc = ld[C],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_gemm_w_args *)args = (ref_gemm_w_args){
        .a = at[A],
        .b = at[B],
        .bias = at[BIAS_ROW],
        .k = (size_t)c->num[K],
        .lda = ld[A],
        .ldb = ld[B],
        .c = at[C],
        .ldc = ld[C],
    };
}

/* The sum, what is added behind or the 0 that it begins with, and the bias. */
static size_t terms(const hn_case *c) { return hn_product_terms(c) + (c->num[ADD] ? 1u : 0u); }

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    const ck_gemm_w_args args = {\n"
            "        .y = at[0], .a = at[1], .b = at[2], .bias = at[3], .c = at[4],\n"
            "        .m = %lld, .n = %lld, .k = %lld,\n"
            "        .ldy = %zu, .lda = %zu, .ldb = %zu, .ldc = %zu,\n    };\n",
            (long long)c->num[M], (long long)c->num[N], (long long)c->num[K], ld[Y], ld[A], ld[B],
            ld[C]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_gemm_w = {
    .name = "gemm_w",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = M,
    .fills = FILL(UNIT) | FILL(INT) | FILL(PROBE) | FILL(CANCEL) | FILL(WIDE) | FILL(DENORMAL) |
             FILL(STAGNATION) | FILL(EDGE) | FILL(SAT),
    .exact_fills = FILL(INT) | FILL(PROBE),
    .flags = HN_FP_MODES | HN_DIVIDED,
    .extents = extents,
    .terms = terms,
    .products = hn_products,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "gemm.h",
};
