/* SPDX-License-Identifier: MIT */
/* Prototypes of all kernels, and the library's own view of its table. */
#ifndef CK_TABLE_H
#define CK_TABLE_H

#include "ck.h"

#define CK_OP(family, op, dtype)
#define CK_KERNEL(family, op, dtype, isa)                                \
    ck_fn ck_##op##_##dtype##_##isa, ck_##op##_##dtype##_##isa##_strict; \
    extern const ck_numspec ck_##op##_##dtype##_##isa##_spec;
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL

/* One number per op, in the order of kernels.def: CK_OP_gemm_nt_f32. */
typedef enum ck_op {
#define CK_OP(family, op, dtype) CK_OP_##op##_##dtype,
#define CK_KERNEL(family, op, dtype, isa)
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
    CK_OP_COUNT
} ck_op;

/* The op's stem: "gemm_nt_f32". */
const char *ck_op_stem(ck_op op);
/* The op's variant for that isa, NULL if kernels.def has none. */
const ck_kernel *ck_op_variant(ck_op op, ck_isa isa);

/* What runs the op's kernels in several threads, NULL if nothing does. */
ck_threads_fn *ck_op_threads(ck_op op);

/* Probes the CPU and reads CK_ISA_MAX. The constructor in table.c calls it, once. */
void ck_cpu_init(void);
/* NULL if kernels of the isa may run: the CPU can, and CK_ISA_MAX does not forbid it. */
const char *ck_isa_unavailable(ck_isa isa);

#endif
