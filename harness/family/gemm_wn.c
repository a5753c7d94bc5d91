/* SPDX-License-Identifier: MIT */
/* Family gemm_wn: y = a b, a f32, b rows of blocks, the weights: dX = dY W. */
#include "../family.h"
#include "gemm.h"
#include "product.h"

enum { M = HN_KEY_M, N = HN_KEY_N, K = HN_KEY_K };
enum { Y, A, B, OPERANDS };

static const hn_key keys[] = {
    [M] = { "M", HN_DIM, 1, 1 << 20, 1, 0, 12 },
    [N] = { "N", HN_DIM, 1, 1 << 20, HN_BLOCKS, 0, 512 },
    [K] = { "K", HN_DIM, 0, 1 << 20, 1, 0, 90 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_F32, HN_ROLE_OUTPUT, true },
    [A] = { "a", HN_F32, HN_ROLE_LEFT, true },
    [B] = { "b", HN_TYPE_0, HN_ROLE_RIGHT, true },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t m = (size_t)c->num[M], n = (size_t)c->num[N], k = (size_t)c->num[K];
    e[Y] = (hn_extent){ m, n, 1 };
    e[A] = (hn_extent){ m, k, 1 };
    e[B] = (hn_extent){ k, n / (size_t)hn_key_unit(c->op, N), 0 };
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_gemm_wn_args *)args = (ck_gemm_wn_args){
        .y = at[Y],
        .a = at[A],
        .b = at[B],
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
    *(ref_gemm_w_args *)args = (ref_gemm_w_args){
        .a = at[A],
        .b = at[B],
        .k = (size_t)c->num[K],
        .lda = ld[A],
        .ldb = ld[B],
    };
}

#define FILL(name) (1u << HN_FILL_##name)
const hn_family hn_family_gemm_wn = {
    .name = "gemm_wn",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = M,
    .fills = FILL(UNIT) | FILL(INT) | FILL(PROBE) | FILL(WIDE) | FILL(DENORMAL) | FILL(STAGNATION) |
             FILL(EDGE) | FILL(SAT),
    .exact_fills = FILL(INT) | FILL(PROBE),
    .flags = HN_FP_MODES | HN_DIVIDED,
    .extents = extents,
    .terms = hn_product_terms,
    .products = hn_products,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = hn_product_emit_args,
    .header = "gemm.h",
};
