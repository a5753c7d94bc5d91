/* SPDX-License-Identifier: MIT */
/* OpenBLAS as a subject: one row for each core that it has kernels for. It chooses one when it is
 * loaded, by OPENBLAS_CORETYPE, so each row has a copy of the library. docs/subjects.md. */
#include <stdio.h>
#include <string.h>

#include "blas.h"

#define VARIANTS(X) X(haswell) X(nehalem) X(sandybridge) X(skylakex) X(zen)

#define ENUM(variant) VARIANT_##variant,
enum { VARIANTS(ENUM) VARIANT_COUNT };
#undef ENUM

static blas libraries[VARIANT_COUNT];

#define THUNKS(variant) BLAS_THUNKS(variant, blas_gemm_f32)
VARIANTS(THUNKS)
#undef THUNKS

static ck_kernel kernels[] = BLAS_TABLE(VARIANTS);

/* The core's name to OpenBLAS, which is trusted if it is set: on a CPU that lacks its instructions
 * it must not be loaded. */
static const char *const cores[] = {
    [VARIANT_haswell] = "Haswell",
    [VARIANT_nehalem] = "Nehalem",
    [VARIANT_sandybridge] = "Sandybridge",
    [VARIANT_skylakex] = "SkylakeX",
    [VARIANT_zen] = "Zen",
};

static const char *cpu_lacks(int variant)
{
    switch (variant) {
    case VARIANT_nehalem: return __builtin_cpu_supports("sse4.2") ? NULL : "CPU lacks sse4.2";
    case VARIANT_sandybridge: return __builtin_cpu_supports("avx") ? NULL : "CPU lacks avx";
    case VARIANT_skylakex: return hn_load_lacks_avx512();
    default: return hn_load_lacks_avx2();
    }
}

/* Threads would not survive the fork into a job; the size of L2 is a tuning of the user's machine. */
static const char *load_core(int variant, const char *path, char *version)
{
    const hn_setting settings[] = { { "OPENBLAS_CORETYPE", cores[variant] },
                                    { "OPENBLAS_NUM_THREADS", "1" },
                                    { "OPENBLAS_L2_SIZE", NULL },
                                    { NULL, NULL } };
    blas *const b = &libraries[variant];
    char *(*core_of)(void), *(*config_of)(void);
    const char *const lacks = cpu_lacks(variant);
    if (lacks) return lacks;
    void *const library = hn_load_copy(path, settings, NULL, b->reason, sizeof b->reason);
    if (!library) return b->reason;
    blas_find(b, library);
    if (!hn_load_symbol(&core_of, library, "openblas_get_corename") ||
        !hn_load_symbol(&config_of, library, "openblas_get_config"))
        strcpy(b->reason, "is not OpenBLAS");
    if (b->reason[0]) return b->reason;
    if (strcmp(core_of(), cores[variant]) != 0)
        snprintf(b->reason, sizeof b->reason, "OpenBLAS runs its kernels for %s instead",
                 core_of());
    sscanf(config_of(), "OpenBLAS %31s", version);
    return b->reason;
}

const ck_subject *ck_subject_v1(void)
{
    static const char *const paths[] = {
        "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
        "/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0",
        "/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0", NULL
    };
    static const hn_adapter adapter = {
        "openblas",    "CK_OPENBLAS", paths, kernels, sizeof kernels / sizeof *kernels,
        VARIANT_COUNT, load_core
    };
    return hn_load_subject(&adapter);
}
