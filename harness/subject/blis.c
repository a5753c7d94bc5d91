/* SPDX-License-Identifier: MIT */
/* BLIS as a subject: one row for each configuration that it has kernels for. It chooses one when it
 * is first used, by BLIS_ARCH_TYPE, so each row has a copy of the library. docs/subjects.md. */
#include <stdio.h>
#include <string.h>

#include "blas.h"

#define VARIANTS(X) X(generic) X(haswell) X(penryn) X(sandybridge) X(skx) X(zen3)

#define ENUM(variant) VARIANT_##variant,
enum { VARIANTS(ENUM) VARIANT_COUNT };
#undef ENUM

static blas libraries[VARIANT_COUNT];

#define THUNKS(variant) BLAS_THUNKS(variant, blas_gemm_f32)
VARIANTS(THUNKS)
#undef THUNKS

static ck_kernel kernels[] = BLAS_TABLE(VARIANTS);

/* arch_t of BLIS 0.9, which is what BLIS_ARCH_TYPE takes, and the name that it is checked by. */
static const struct {
    const char *id, *name;
} configurations[] = {
    [VARIANT_generic] = { "25", "generic" }, [VARIANT_haswell] = { "3", "haswell" },
    [VARIANT_penryn] = { "5", "penryn" },    [VARIANT_sandybridge] = { "4", "sandybridge" },
    [VARIANT_skx] = { "0", "skx" },          [VARIANT_zen3] = { "6", "zen3" },
};

static const char *cpu_lacks(int variant)
{
    switch (variant) {
    case VARIANT_generic: return NULL;
    case VARIANT_penryn: return __builtin_cpu_supports("sse4.1") ? NULL : "CPU lacks sse4.1";
    case VARIANT_sandybridge: return __builtin_cpu_supports("avx") ? NULL : "CPU lacks avx";
    case VARIANT_skx: return hn_load_lacks_avx512();
    default: return hn_load_lacks_avx2();
    }
}

static void choose(void *library)
{
    void (*init)(void);
    if (hn_load_symbol(&init, library, "bli_init")) init();
}

static const char *load_configuration(int variant, const char *path, char *version)
{
    const hn_setting settings[] = { { "BLIS_ARCH_TYPE", configurations[variant].id },
                                    { "BLIS_NUM_THREADS", "1" },
                                    { NULL, NULL } };
    blas *const b = &libraries[variant];
    int (*id_of)(void);
    const char *(*name_of)(int id), *(*version_of)(void);
    const char *const lacks = cpu_lacks(variant);
    if (lacks) return lacks;
    void *const library = hn_load_copy(path, settings, choose, b->reason, sizeof b->reason);
    if (!library) return b->reason;
    blas_find(b, library);
    if (!hn_load_symbol(&id_of, library, "bli_arch_query_id") ||
        !hn_load_symbol(&name_of, library, "bli_arch_string") ||
        !hn_load_symbol(&version_of, library, "bli_info_get_version_str"))
        strcpy(b->reason, "is not BLIS");
    if (b->reason[0]) return b->reason;
    if (strcmp(name_of(id_of()), configurations[variant].name) != 0)
        snprintf(b->reason, sizeof b->reason, "BLIS runs its kernels for %s instead",
                 name_of(id_of()));
    snprintf(version, 32, "%s", version_of());
    return b->reason;
}

const ck_subject *ck_subject_v1(void)
{
    static const char *const paths[] = { "/usr/lib/x86_64-linux-gnu/blis-serial/libblis.so.4",
                                         "/usr/lib/x86_64-linux-gnu/blis-pthread/libblis.so.4",
                                         "/usr/lib/x86_64-linux-gnu/blis-openmp/libblis.so.4",
                                         NULL };
    static const hn_adapter adapter = {
        "blis",        "CK_BLIS",         paths, kernels, sizeof kernels / sizeof *kernels,
        VARIANT_COUNT, load_configuration
    };
    return hn_load_subject(&adapter);
}
