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

#endif
