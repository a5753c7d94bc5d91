/* SPDX-License-Identifier: MIT */
/* Family gemm_i: y = a b^T, a and b of bytes, y of 32-bit integers. */
#include "../family.h"
#include "gemm.h"
#include "product.h"

enum { M = HN_KEY_M, N = HN_KEY_N, K = HN_KEY_K };
enum { Y, A, B, OPERANDS };

static const hn_key keys[] = {
    [M] = { "M", HN_DIM, 1, 1 << 20, 1, 0, 64 },
    [N] = { "N", HN_DIM, 1, 1 << 20, 1, 0, 64 },
    [K] = { "K", HN_DIM, 0, CK_GEMM_INT8_MOST, 1, 0, 1100 },
};

static const hn_operand operands[] = {
    [Y] = { "y", HN_TYPE_2, HN_ROLE_OUTPUT, true },
    [A] = { "a", HN_TYPE_0, HN_ROLE_LEFT, true },
    [B] = { "b", HN_TYPE_1, HN_ROLE_RIGHT, true },
};

static void extents(const hn_case *c, hn_extent *e)
{
    const size_t m = (size_t)c->num[M], n = (size_t)c->num[N], k = (size_t)c->num[K];
    e[Y] = (hn_extent){ m, n, 1 };
    e[A] = (hn_extent){ m, k, 1 };
    e[B] = (hn_extent){ n, k, 0 };
}

static size_t terms(const hn_case *c) { return (size_t)c->num[K]; }

static const char *refuse(const hn_case *c)
{
    static char error[80];
    const bool is_signed = hn_operand_dtype(c->op, A) == HN_INT8;
    if (is_signed || c->num[K] <= CK_GEMM_UINT8_MOST) return NULL;
    snprintf(error, sizeof error, "K=%lld is above %d, beyond which sums overflow",
             (long long)c->num[K], CK_GEMM_UINT8_MOST);
    return error;
}

static void kernel_args(const hn_case *c, void *const *at, const size_t *ld, void *args)
{
    *(ck_gemm_i_args *)args = (ck_gemm_i_args){
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
    *(ref_gemm_i_args *)args = (ref_gemm_i_args){
        .a = at[A],
        .b = at[B],
        .k = (size_t)c->num[K],
        .lda = ld[A],
        .ldb = ld[B],
    };
}

#define FILL(name) (1u << HN_FILL_##name)
enum { FILLS = FILL(UNIT) | FILL(INT) | FILL(PROBE) | FILL(EDGE) | FILL(SAT) | FILL(CENSUS) };
const hn_family hn_family_gemm_i = {
    .name = "gemm_i",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .operands = operands,
    .noperands = OPERANDS,
    .batch_key = M,
    .fills = FILLS,
    .exact_fills = FILLS,
    .flags = HN_FP_MODES | HN_INT8_PRODUCTS | HN_DIVIDED,
    .extents = extents,
    .terms = terms,
    .products = hn_products,
    .refuse = refuse,
    .kernel_args = kernel_args,
    .ref_args = ref_args,
    .emit_args = hn_product_emit_args,
    .header = "gemm.h",
};
