/* SPDX-License-Identifier: MIT */
/* SLEEF as a subject: its exponential, in every variant that libsleef.so.3 exports. They are called
 * by name, not through its own dispatcher. docs/subjects.md. */
#include "sleef.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "load.h"

typedef float scalar_fn(float x);

static void apply_scalar(hn_sleef_fn *any, const ck_unary_args *u)
{
    scalar_fn *const f = (scalar_fn *)any;
    for (size_t i = 0; i < u->n; i++) u->y[i] = f(u->x[i]);
}

/* Variant, its function, how it is called, and what it needs of the CPU ("": nothing). */
#define VARIANTS(X)                                                        \
    X(avx, Sleef_expf8_u10avx, hn_sleef_256, "avx")                        \
    X(avx2, Sleef_expf8_u10avx2, hn_sleef_256, "avx2")                     \
    X(avx2128, Sleef_expf4_u10avx2128, hn_sleef_128, "avx2")               \
    X(avx512f, Sleef_expf16_u10avx512f, hn_sleef_512, "avx512f")           \
    X(avx512fnofma, Sleef_expf16_u10avx512fnofma, hn_sleef_512, "avx512f") \
    X(fma4, Sleef_expf8_u10fma4, hn_sleef_256, "fma4")                     \
    X(purec, Sleef_expf1_u10purec, apply_scalar, "")                       \
    X(purecfma, Sleef_expf1_u10purecfma, apply_scalar, "fma")              \
    X(sse2, Sleef_expf4_u10sse2, hn_sleef_128, "")                         \
    X(sse4, Sleef_expf4_u10sse4, hn_sleef_128, "sse4.1")

#define ENUM(variant, symbol, call, needs) VARIANT_##variant,
enum { VARIANTS(ENUM) VARIANT_COUNT };
#undef ENUM

static hn_sleef_fn *exp_of[VARIANT_COUNT];
static char reasons[VARIANT_COUNT][256];

#define THUNKS(variant, symbol, call, needs) \
    static void exp_f32_##variant(const void *args) { call(exp_of[VARIANT_##variant], args); }
VARIANTS(THUNKS)
#undef THUNKS

/* u10: at most 1.0 ulp, which is 2 u at worst. Source: sleef.org, single precision. The code returns
 * 0 below -104, where the rounded result is 0. */
static const ck_numspec spec = {
    .accs = 1, .rexp = 2.0, .exp_zero_below = -104.0, .alias = 1u << 1
};
static const ck_domain domain = { .code_min = -128, .flags = CK_DOMAIN_NEAREST };

#define EXP_F32(variant, symbol, call, needs)                \
    { sizeof(ck_kernel), "exp_f32", "unary", #variant, NULL, \
      exp_f32_##variant, NULL,      &spec,   &domain,  NULL },
static ck_kernel kernels[] = { VARIANTS(EXP_F32) };
#undef EXP_F32

/* The compiler's test takes names in quotes only. */
static int cpu_has(const char *what)
{
#define HAS(name) \
    if (strcmp(what, name) == 0) return __builtin_cpu_supports(name) != 0
    HAS("avx");
    HAS("avx2");
    HAS("avx512f");
    HAS("fma");
    HAS("fma4");
    HAS("sse4.1");
#undef HAS
    return *what == '\0';
}

static void find_variants(void *library)
{
    static const struct {
        const char *symbol, *needs;
    } variants[] = {
#define ROW(variant, symbol, call, needs) { #symbol, needs },
        VARIANTS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < VARIANT_COUNT; i++) {
        if (!cpu_has(variants[i].needs))
            snprintf(reasons[i], sizeof reasons[i], "CPU lacks %s", variants[i].needs);
        else if (!hn_load_symbol(&exp_of[i], library, variants[i].symbol))
            snprintf(reasons[i], sizeof reasons[i], "no %s in libsleef.so.3", variants[i].symbol);
        if (reasons[i][0]) kernels[i].unavailable = reasons[i];
    }
}

/* The library does not tell its version: the name of its file does. */
const ck_subject *ck_subject_v1(void)
{
    static const char *const paths[] = { "/usr/lib/x86_64-linux-gnu/libsleef.so.3", NULL };
    static char version[4096 + 256];
    static ck_subject subject = { CK_SUBJECT_ABI, sizeof subject, "sleef", version, 0, kernels };
    static int loaded;
    if (loaded++) return &subject;
    const char *const path = hn_load_path("CK_SLEEF", paths, version, sizeof version);
    void *const library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (path && !library) snprintf(version, sizeof version, "%s", dlerror());
    if (!library) return &subject;
    hn_load_real_name(path, version, sizeof version);
    find_variants(library);
    subject.count = sizeof kernels / sizeof *kernels;
    return &subject;
}
