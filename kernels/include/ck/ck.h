/* SPDX-License-Identifier: MIT */
/* Status codes, instruction sets, dispatch and strict-parity mode. */
#ifndef CK_H
#define CK_H

#include "ck_subject.h"

typedef enum ck_status {
    CK_OK = 0,
    CK_ERR_NULL,     /* a required pointer is NULL */
    CK_ERR_SHAPE,    /* a size or leading dimension is out of range */
    CK_ERR_MULTIPLE, /* a length is no multiple of the block or of the kernel's k_multiple */
    CK_ERR_ALIAS,    /* output and input overlap in a way the op does not permit */
    CK_ERR_ISA,      /* no variant of the op may run: mask or cap excludes them all */
    CK_ERR_VALUE     /* a scalar, an index or a position is out of range */
} ck_status;
CK_API const char *ck_status_text(ck_status status);

/* Instruction-set bundles, worst to best. A bundle is probed as a whole, OS state included:
 *   sse41       SSE3 SSSE3 SSE4.1                     avx2       AVX AVX2 FMA F16C
 *   avx512      avx2 + F BW DQ VL, ZMM state          avx512vnni avx512 + VNNI
 *   avxvnni     avx2 + AVX-VNNI                       avx512bf16 avx512 + BF16 */
typedef enum ck_isa {
    CK_ISA_scalar,
    CK_ISA_sse41,
    CK_ISA_avx2,
    CK_ISA_avxvnni,
    CK_ISA_avx512,
    CK_ISA_avx512vnni,
    CK_ISA_avx512bf16,
    CK_ISA_COUNT
} ck_isa;
CK_API const char *ck_isa_name(ck_isa isa);
/* The isa of that name, CK_ISA_COUNT if there is none. */
CK_API ck_isa ck_isa_find(const char *name);

/* NULL if the CPU and the OS can run the bundle, else what is missing ("CPU lacks avx512f"). */
CK_API const char *ck_cpu_lacks(ck_isa isa);
/* Bit i set: bundle i may be dispatched to. Starts as all that the CPU runs, cut at CK_ISA_MAX=name
 * of the environment, which is read once, before main(). The cap leaves the bundles that the named
 * one contains: avx512vnni leaves avx512, avx2, sse41 and scalar, but not avxvnni, which only its
 * own name and no cap leave. Unset or empty: no cap. A name that is no bundle leaves nothing. */
CK_API unsigned ck_isa_mask(void);
/* NULL, or what is wrong with CK_ISA_MAX, printed to stderr at start as well. Every public entry
 * then returns CK_ERR_ISA. */
CK_API const char *ck_isa_max_error(void);
/* Narrows or widens dispatch to `mask` (within what the CPU runs and CK_ISA_MAX leaves); returns
 * the mask in force. */
CK_API unsigned ck_isa_set_mask(unsigned mask);

/* The variant that the public entry ck_<stem>() would run now, or NULL if none may. */
CK_API const ck_kernel *ck_dispatch(const char *stem);

/* Strict-parity mode: the public entries run fn_strict, whose bits are the same on every ISA,
 * machine and compiler. Off at start; may change at any time between calls. docs/strict.md. */
CK_API void ck_set_strict_parity(int on);
CK_API int ck_strict_parity(void);

#endif
