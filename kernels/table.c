/* SPDX-License-Identifier: MIT */
/* The table of all kernels, made from kernels.def, and its export as a subject. */
#include <stddef.h>

#include "table.h"

static ck_kernel kernels[] = {
#define CK_OP(family, op, dtype)
#define CK_KERNEL(family, op, dtype, isa) \
    { sizeof(ck_kernel),                  \
      #op "_" #dtype,                     \
      #family,                            \
      #isa,                               \
      "library not initialised",          \
      ck_##op##_##dtype##_##isa,          \
      ck_##op##_##dtype##_##isa##_strict, \
      &ck_##op##_##dtype##_##isa##_spec,  \
      NULL,                               \
      NULL },
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
};

enum { KERNEL_COUNT = sizeof kernels / sizeof *kernels };

static const ck_isa isas[] = {
#define CK_OP(family, op, dtype)
#define CK_KERNEL(family, op, dtype, isa) CK_ISA_##isa,
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
};

static const ck_op ops[] = {
#define CK_OP(family, op, dtype)
#define CK_KERNEL(family, op, dtype, isa) CK_OP_##op##_##dtype,
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
};

static const char *const stems[CK_OP_COUNT] = {
#define CK_OP(family, op, dtype) #op "_" #dtype,
#define CK_KERNEL(family, op, dtype, isa)
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
};

static const ck_kernel *variants[CK_OP_COUNT][CK_ISA_COUNT];

/* Before main(), so that the table is complete and constant whenever anyone can see it. CPUID may
 * trap to a hypervisor, which costs microseconds. */
__attribute__((constructor)) static void init(void)
{
    ck_cpu_init();
    for (int i = 0; i < KERNEL_COUNT; i++) {
        kernels[i].unavailable = ck_isa_unavailable(isas[i]);
        kernels[i].threads = ck_op_threads(ops[i]);
        variants[ops[i]][isas[i]] = &kernels[i];
    }
}

const char *ck_op_stem(ck_op op) { return stems[op]; }

const ck_kernel *ck_op_variant(ck_op op, ck_isa isa) { return variants[op][isa]; }

const ck_subject *ck_subject_v1(void)
{
    static const ck_subject subject = {
        CK_SUBJECT_ABI, sizeof(ck_subject), "ck", CK_VERSION, KERNEL_COUNT, kernels,
    };

    return &subject;
}
