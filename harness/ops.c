/* SPDX-License-Identifier: MIT */
/* The ops, from kernels.def. An op without a family or a reference does not link. */
#include <string.h>

#include "family.h"

#define CK_KERNEL(fam, op, dt, isa)
#define CK_OP(fam, op, dt) extern const hn_family hn_family_##fam;
#include "kernels.def"
#undef CK_OP

#define CK_OP(fam, op, dt) { #op "_" #dt, &hn_family_##fam, ref_##op##_##dt },
const hn_op hn_ops[] = {
#include "kernels.def"
};
#undef CK_OP
#undef CK_KERNEL

const size_t hn_op_count = sizeof hn_ops / sizeof hn_ops[0];

const hn_op *hn_op_find(const char *stem)
{
    for (size_t i = 0; i < hn_op_count; i++)
        if (strcmp(hn_ops[i].stem, stem) == 0) return &hn_ops[i];
    return NULL;
}
