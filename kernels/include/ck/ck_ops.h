/* SPDX-License-Identifier: MIT */
/* The public entry of every op of kernels.def: ck_<op>_<dtype>(args) checks its arguments, then runs
 * the best variant that may run, or its strict kernel. What it computes is said in its family's
 * header and, where the ops of a family differ, above its row of kernels.def. The one header here
 * that needs that list beside it. */
#ifndef CK_OPS_H
#define CK_OPS_H

#include "ck.h"

#define CK_OP(family, op, dtype) \
    struct ck_##family##_args;   \
    CK_API ck_status ck_##op##_##dtype(const struct ck_##family##_args *args);
#define CK_KERNEL(family, op, dtype, isa)
#include "../../kernels.def"
#undef CK_OP
#undef CK_KERNEL

#endif
