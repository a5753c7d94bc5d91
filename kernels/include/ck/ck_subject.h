/* SPDX-License-Identifier: MIT */
/* The plug-in ABI: what a library exports to be run under ckparity's suites. docs/subjects.md has a
 * worked example. Fields are only ever added at the end; `size` tells which of them exist. */
#ifndef CK_SUBJECT_H
#define CK_SUBJECT_H

#include "ck_numspec.h"

enum { CK_SUBJECT_ABI = 1 };

/* Marks what a library exports; everything else is compiled with -fvisibility=hidden. */
#define CK_API __attribute__((visibility("default")))

/* A kernel takes one pointer, to the argument struct of its family (gemm.h, softmax.h, ...). */
typedef void ck_fn(const void *args);

/* fn, the fast or the strict one of a kernel with that spec, computed by `threads` threads: its outputs in
 * parts, each as a call of fn. The bits are those of one call. */
typedef void ck_threads_fn(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads);

/* What a kernel's own contract admits where that is less than the family's. Failures outside it are
 * reported as FAIL(edge). */
enum {
    CK_DOMAIN_FINITE = 1u << 0, /* inputs hold no NaN and no infinity */
    CK_DOMAIN_NORMAL = 1u << 1, /* inputs hold no subnormal and nothing near overflow */
    CK_DOMAIN_NEAREST = 1u << 2 /* the caller rounds to nearest, without flush to zero */
};
typedef struct ck_domain {
    int code_min;   /* least int8 activation code in contract (operand a); -128: all */
    unsigned flags; /* CK_DOMAIN_* */
} ck_domain;

typedef struct ck_kernel {
    unsigned size;           /* sizeof(ck_kernel) of the library's build */
    const char *stem;        /* op_dtype, the name of the case: "gemm_nt_f32" */
    const char *family;      /* whose argument struct fn takes: "gemm" */
    const char *isa;         /* variant; the kernel's full name is stem_isa */
    const char *unavailable; /* NULL: runs on this CPU; otherwise the reason why it does not */
    ck_fn *fn;               /* fast */
    ck_fn *fn_strict;        /* strict-parity; NULL: has none */
    const ck_numspec *spec;
    const ck_domain *domain; /* NULL: the family's whole contract */
    ck_threads_fn *threads;  /* NULL: always runs in one thread */
} ck_kernel;

typedef struct ck_subject {
    unsigned abi;  /* CK_SUBJECT_ABI */
    unsigned size; /* sizeof(ck_subject) of the library's build */
    const char *name;
    const char *version;
    unsigned count;
    const ck_kernel *kernels; /* count of them, sorted by stem, then variant */
} ck_subject;

/* The library's table; valid until it is closed. The only symbol a subject must export. */
CK_API const ck_subject *ck_subject_v1(void);

#endif
