/* SPDX-License-Identifier: MIT */
/* What the families of products M x N x K share: they have these keys first. */
#ifndef HN_FAMILY_PRODUCT_H
#define HN_FAMILY_PRODUCT_H

#include "../family.h"

enum { HN_KEY_M, HN_KEY_N, HN_KEY_K };

/* K, and what is added behind: a bias, or the 0 that the sum begins with. */
static inline size_t hn_product_terms(const hn_case *c) { return (size_t)c->num[HN_KEY_K] + 1; }

static inline double hn_products(const hn_case *c)
{
    return (double)c->num[HN_KEY_M] * (double)c->num[HN_KEY_N] * (double)c->num[HN_KEY_K];
}

/* Of families with the operands y, a, b and, if a fourth, a bias, whose structure has the family's name. */
static inline void hn_product_emit_args(const hn_case *c, const size_t *ld, FILE *out)
{
    const hn_family *family = c->op->family;
    fprintf(out,
            "    const ck_%s_args args = {\n"
            "        .y = at[0], .a = at[1], .b = at[2],%s\n"
            "        .m = %lld, .n = %lld, .k = %lld,\n"
            "        .ldy = %zu, .lda = %zu, .ldb = %zu,\n    };\n",
            family->name, family->noperands > 3 ? " .bias = at[3]," : "",
            (long long)c->num[HN_KEY_M], (long long)c->num[HN_KEY_N], (long long)c->num[HN_KEY_K],
            ld[0], ld[1], ld[2]);
}

#endif
