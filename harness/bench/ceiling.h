/* SPDX-License-Identifier: MIT */
/* What no kernel of an instruction set can exceed: micro-kernels that do nothing but multiply and
 * add, or read. One file each, compiled as that instruction set's kernels are. */
#ifndef HN_CEILING_H
#define HN_CEILING_H

#include <stddef.h>

/* Room for the accumulators, which are stored so that the work is not optimised away. */
enum { HN_SINK_BYTES = 1024 };

/* Bytes are read in pieces of this size. */
enum { HN_READ_STEP = 1024 };

typedef struct hn_ceiling {
    /* `steps` rounds of independent chains sum = sum x + y, f32, as FMA where the set has it. Returns
     * the operations done, two a product. NULL: as the set that this one extends. */
    double (*fma)(size_t steps, void *sink);
    /* The same of int8 products added up in int32. */
    double (*dot8)(size_t steps, void *sink);
    /* Reads [from, from + bytes), bytes a multiple of HN_READ_STEP, 64-byte aligned. */
    void (*read)(const void *from, size_t bytes, void *sink);
} hn_ceiling;

extern const hn_ceiling hn_ceiling_scalar, hn_ceiling_sse41, hn_ceiling_avx2, hn_ceiling_avxvnni;
extern const hn_ceiling hn_ceiling_avx512, hn_ceiling_avx512vnni;

#endif
