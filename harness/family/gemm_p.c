/* SPDX-License-Identifier: MIT */
/* Family gemm_p: y = a b^T + bias, b packed rows of blocks, the weights; the op's name gives its format
 * first. */
#include "../family.h"
#include "gemm.h"
#include "product.h"

enum { M = HN_KEY_M, N = HN_KEY_N, K = HN_KEY_K, BIAS };
enum { Y, A, B, BIAS_ROW, OPERANDS };

static const hn_key keys[] = {
    [M] = { "M", HN_DIM, 1, 1 << 20, 1, 0, 40 },
    [N] = { "N", HN_DIM, 1, 1 << 20, 1, 0, 40 },
    [K] = { "K", HN_DIM, 0, 1 << 24, HN_BLOCKS, 0, 2048 },
    [BIAS] = { "bias", HN_INT, 0, 1, 1, 0.0, 1 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [A] = { "a", HN_TYPE_1, HN_ROLE_LEFT, true },
    [B] = { "b", HN_TYPE_0, HN_ROLE_RIGHT, true },
    [BIAS_ROW] = { "v", HN_F32, HN_ROLE_ADDEND, false },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t m = (size_t)c->num[M], n = (size_t)c->num[N];
    const size_t units = (size_t)(c->num[K] / hn_key_unit(c->op, K));
    const size_t rows = hn_dtypes[hn_operand_dtype(c->op, B)].rows;
    e[Y] = (hn_extent){ m, n, 1 };
    e[A] = (hn_extent){ m, units, 1 };
    e[B] = (hn_extent){ (n + rows - 1) / rows, units, 0 };
    e[BIAS_ROW] = (hn_extent){ c->num[BIAS] ? 1u : 0u, n, 0 };
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_gemm_p_args *)args = (ck_gemm_p_args){
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
const hn_family hn_family_gemm_p = {
    .name = "gemm_p",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = M,
    .fills = FILL(UNIT) | FILL(INT) | FILL(PROBE) | FILL(CANCEL) | FILL(WIDE) | FILL(DENORMAL) |
             FILL(STAGNATION) | FILL(EDGE) | FILL(SAT),
    .exact_fills = FILL(INT) | FILL(PROBE),
    .flags = HN_FP_MODES | HN_INT8_PRODUCTS,
    .extents = extents,
    .terms = hn_product_terms,
    .products = hn_products,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = hn_product_emit_args,
    .header = "gemm.h",
};
