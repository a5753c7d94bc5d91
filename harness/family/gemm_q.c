/* SPDX-License-Identifier: MIT */
/* Family gemm_q: y = a b^T + bias, b rows of blocks, the weights; the op's name gives its format first. */
#include "../family.h"
#include "gemm.h"
#include "product.h"

enum { M = HN_KEY_M, N = HN_KEY_N, K = HN_KEY_K, BIAS };
enum { Y, A, B, BIAS_ROW, OPERANDS };

static const hn_key keys[] = {
    [M] = { "M", HN_DIM, 1, 1 << 20, 1, 0, 32 },
    [N] = { "N", HN_DIM, 1, 1 << 20, 1, 0, 32 },
    [K] = { "K", HN_DIM, 0, 1 << 24, HN_BLOCKS, 0, 4096 },
    [BIAS] = { "bias", HN_INT, 0, 1, 1, 0.0, 1 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [A] = { "a", HN_TYPE_1, HN_ROLE_LEFT, true },
    [B] = { "b", HN_TYPE_0, HN_ROLE_RIGHT, true },
    [BIAS_ROW] = { "v", HN_F32, HN_ROLE_ADDEND, false },
};

/* Units of a row of operand i. */
static size_t units(const hn_case *c, size_t i)
{
    return (size_t)c->num[K] / hn_dtypes[hn_operand_dtype(c->op, i)].elements;
}

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t m = (size_t)c->num[M], n = (size_t)c->num[N];
    e[Y] = (hn_extent){ m, n, 1 };
    e[A] = (hn_extent){ m, units(c, A), 1 };
    e[B] = (hn_extent){ n, units(c, B), 0 };
    e[BIAS_ROW] = (hn_extent){ c->num[BIAS] ? 1u : 0u, n, 0 };
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_gemm_q_args *)args = (ck_gemm_q_args){
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
    };
}

static void ref_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ref_gemm_q_args *)args = (ref_gemm_q_args){
        .a = at[A],
        .b = at[B],
        .bias = at[BIAS_ROW],
        .k = (size_t)c->num[K],
        .lda = ld[A],
        .ldb = ld[B],
    };
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_gemm_q = {
    .name = "gemm_q",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = M,
    .fills = FILL(UNIT) | FILL(INT) | FILL(PROBE) | FILL(CANCEL) | FILL(WIDE) | FILL(DENORMAL) |
             FILL(STAGNATION) | FILL(EDGE) | FILL(SAT),
    .exact_fills = FILL(INT) | FILL(PROBE),
    .flags = HN_FP_MODES | HN_INT8_PRODUCTS | HN_DIVIDED,
    .extents = extents,
    .terms = hn_product_terms,
    .products = hn_products,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = hn_product_emit_args,
    .header = "gemm.h",
};
