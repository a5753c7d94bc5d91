/* SPDX-License-Identifier: MIT */
/* What the file of a kernel includes first: prototypes of what it has to define. They are of this kernel
 * only, so that a new row of kernels.def compiles none of the others again. */
#ifndef CK_KERNEL_H
#define CK_KERNEL_H

#include "ck.h"

/* CK_THIS: <op>_<dtype>_<isa>, from kernels.cmake. */
#define CK_KERNEL_PROTOTYPES_(name)      \
    ck_fn ck_##name, ck_##name##_strict; \
    extern const ck_numspec ck_##name##_spec;
#define CK_KERNEL_PROTOTYPES(name) CK_KERNEL_PROTOTYPES_(name)
CK_KERNEL_PROTOTYPES(CK_THIS)

#endif
