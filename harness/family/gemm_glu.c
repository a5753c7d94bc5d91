/* SPDX-License-Identifier: MIT */
/* Family gemm_glu: y = act(a b^T + bias) (a d^T + bias), f32. */
#include "../family.h"
#include "gemm.h"
#include "product.h"

enum { M = HN_KEY_M, N = HN_KEY_N, K = HN_KEY_K, BIAS };
enum { Y, A, B, D, BIAS_B, BIAS_D, OPERANDS };

static const hn_key keys[] = {
    [M] = { "M", HN_DIM, 1, 1 << 20, 1, 0, 64 },
    [N] = { "N", HN_DIM, 1, 1 << 20, 1, 0, 64 },
    [K] = { "K", HN_DIM, 0, 1 << 24, 1, 0, 1100 },
    [BIAS] = { "bias", HN_INT, 0, 3, 1, 0.0, 3 }, /* 1: of the gate, 2: of the other, 3: both */
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [A] = { "a", HN_F32, HN_ROLE_LEFT, true },
    [B] = { "b", HN_F32, HN_ROLE_RIGHT, true },
    [D] = { "d", HN_F32, HN_ROLE_RIGHT, true },
    [BIAS_B] = { "v", HN_F32, HN_ROLE_ADDEND, false },
    [BIAS_D] = { "w", HN_F32, HN_ROLE_ADDEND, false },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t m = (size_t)c->num[M], n = (size_t)c->num[N], k = (size_t)c->num[K];
    e[Y] = (hn_extent){ m, n, 1 };
    e[A] = (hn_extent){ m, k, 1 };
    e[B] = (hn_extent){ n, k, 0 };
    e[D] = (hn_extent){ n, k, 0 };
    e[BIAS_B] = (hn_extent){ c->num[BIAS] & 1 ? 1u : 0u, n, 0 };
    e[BIAS_D] = (hn_extent){ c->num[BIAS] & 2 ? 1u : 0u, n, 0 };
}

static double products(const hn_case *c) { return 2.0 * hn_products(c); }

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_gemm_glu_args *)args = (ck_gemm_glu_args){
        .y = at[Y],
        .a = at[A],
        .b = at[B],
        .d = at[D],
        .bias_b = at[BIAS_B],
        .bias_d = at[BIAS_D],
        .m = (size_t)c->num[M],
        .n = (size_t)c->num[N],
        .k = (size_t)c->num[K],
        .ldy = ld[Y],
        .lda = ld[A],
        .ldb = ld[B],
        .ldd = ld[D],
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_gemm_glu_args *)args = (ref_gemm_glu_args){
        .a = at[A],
        .b = at[B],
        .d = at[D],
        .bias_b = at[BIAS_B],
        .bias_d = at[BIAS_D],
        .k = (size_t)c->num[K],
        .lda = ld[A],
        .ldb = ld[B],
        .ldd = ld[D],
    };
}

static void emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    fprintf(out,
            "    const ck_gemm_glu_args args = {\n"
            "        .y = at[0], .a = at[1], .b = at[2], .d = at[3], .bias_b = at[4],\n"
            "        .bias_d = at[5],\n"
            "        .m = %lld, .n = %lld, .k = %lld,\n"
            "        .ldy = %zu, .lda = %zu, .ldb = %zu, .ldd = %zu,\n    };\n",
            (long long)c->num[M], (long long)c->num[N], (long long)c->num[K], ld[Y], ld[A], ld[B],
            ld[D]);
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_gemm_glu = {
    .name = "gemm_glu",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = M,
    .fills = FILL(UNIT) | FILL(INT) | FILL(POW2) | FILL(PROBE) | FILL(CANCEL) | FILL(WIDE) |
             FILL(DENORMAL) | FILL(STAGNATION) | FILL(EDGE),
    .exact_fills = FILL(INT),
    .flags = HN_FP_MODES | HN_GATED | HN_DIVIDED,
    .extents = extents,
    .terms = hn_product_terms,
    .products = products,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = emit_args,
    .header = "gemm.h",
};
