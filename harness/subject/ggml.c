/* SPDX-License-Identifier: MIT */
/* ggml as a subject: its q8_0 kernels in every per-ISA CPU build that @node-llama-cpp/linux-x64
 * has. docs/subjects.md tells what it shows. Nothing of ggml is linked or copied; the few
 * declarations below hold for the one version that is accepted. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ck_dtype.h"
#include "gemm.h"
#include "quant.h"

#define GGML_VERSION "0.25.1"
#define PACKAGE      "node_modules/@node-llama-cpp/linux-x64/bins/linux-x64"

enum { GGML_TYPE_Q8_0 = 8 };

typedef void ggml_to_float(const void *x, float *y, int64_t n);
typedef void ggml_from_float(const float *x, void *y, int64_t n);
/* s = x . y; x is a row of weights, y of activations, one of each: nrc = 1, strides unused. */
typedef void ggml_vec_dot(int n, float *s, size_t bs, const void *x, size_t bx, const void *y,
                          size_t by, int nrc);

typedef struct ggml_type_traits {
    const char *type_name;
    int64_t blck_size, blck_size_interleave;
    size_t type_size;
    bool is_quantized;
    ggml_to_float *to_float;
    ggml_from_float *from_float_ref;
} ggml_type_traits;

typedef struct ggml_type_traits_cpu {
    ggml_from_float *from_float;
    ggml_vec_dot *vec_dot;
    int vec_dot_type; /* an enum there */
    int64_t nrows;
} ggml_type_traits_cpu;

/* The builds, in alphabetical order, and the numerics of their vec_dot and from_float. */
#define BUILDS(X)                               \
    X(alderlake, &dot_fma, &quantize_same)      \
    X(cannonlake, &dot_fma, &quantize_same)     \
    X(cascadelake, &dot_fma, &quantize_same)    \
    X(cooperlake, &dot_fma, &quantize_same)     \
    X(haswell, &dot_fma, &quantize_same)        \
    X(icelake, &dot_fma, &quantize_same)        \
    X(ivybridge, &dot_muladd, &quantize_same)   \
    X(piledriver, &dot_fma, &quantize_same)     \
    X(sandybridge, &dot_muladd, &quantize_same) \
    X(sapphirerapids, &dot_fma, &quantize_same) \
    X(skylakex, &dot_fma, &quantize_same)       \
    X(sse42, &dot_muladd, &quantize_ties)       \
    X(x64, &dot_muladd, &quantize_ties)         \
    X(zen4, &dot_fma, &quantize_same)

#define ENUM(name, dot, quantize) BUILD_##name,
enum { BUILDS(ENUM) BUILD_COUNT };
#undef ENUM

/* What was found in one libggml-cpu-*.so. */
typedef struct build {
    ggml_vec_dot *vec_dot;
    ggml_from_float *from_float;
    char reason[256]; /* why it cannot run, "" if it can */
} build;

static build builds[BUILD_COUNT];
static ggml_to_float *to_float;

static void gemm(ggml_vec_dot *vec_dot, const ck_gemm_q_args *g)
{
    const char *const a = g->a, *const b = g->b;
    for (size_t i = 0; i < g->m; i++) {
        for (size_t j = 0; j < g->n; j++) {
            float sum = 0;
            if (g->k != 0)
                vec_dot((int)g->k, &sum, 0, b + j * g->ldb * CK_Q8_0_BYTES, 0,
                        a + i * g->lda * CK_Q8_0_BYTES, 0, 1);
            g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
        }
    }
}

static void quantize(ggml_from_float *from_float, const ck_quantize_args *q)
{
    from_float(q->x, q->y, (int64_t)q->n);
}

static void dequant_base(const void *args)
{
    const ck_dequant_args *const d = args;
    to_float(d->x, d->y, (int64_t)d->n);
}

/* A ck_fn has no place for the build, so each build has functions of its own. */
#define THUNKS(name, dot, quantize_spec)                                                    \
    static void gemm_##name(const void *args) { gemm(builds[BUILD_##name].vec_dot, args); } \
    static void quantize_##name(const void *args)                                           \
    {                                                                                       \
        quantize(builds[BUILD_##name].from_float, args);                                    \
    }
BUILDS(THUNKS)
#undef THUNKS

static const ck_numspec dot_fma = { .accs = 1, .flags = CK_NUM_BATCH_INVARIANT };
static const ck_numspec dot_muladd = { .accs = 1, .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT };
static const ck_numspec quantize_same = { .accs = 1 };
/* roundf(x * (1 / d)): half away from zero, and two roundings in the scale. */
static const ck_numspec quantize_ties = { .accs = 1, .flags = CK_NUM_TIE_EITHER };
static const ck_numspec dequant_spec = { .accs = 1 };

/* ggml's quantiser makes codes -127..127, and no promise on NaN, infinity, a scale's underflow or
 * another rounding mode. */
static const ck_domain dot_domain = { .code_min = -127,
                                      .flags = CK_DOMAIN_FINITE | CK_DOMAIN_NEAREST };
static const ck_domain dequant_domain = { .code_min = -128, .flags = CK_DOMAIN_NEAREST };
static const ck_domain quantize_domain = {
    .code_min = -128, .flags = CK_DOMAIN_FINITE | CK_DOMAIN_NORMAL | CK_DOMAIN_NEAREST
};

#define GEMM(build, dot, quantize_spec)                                                        \
    { sizeof(ck_kernel), "gemm_nt_q8_0_q8_0", "gemm_q", #build, NULL, gemm_##build, NULL, dot, \
      &dot_domain },
#define QUANTIZE(build, dot, quantize_spec)                                                     \
    { sizeof(ck_kernel), "quantize_row_q8_0", "quantize", #build, NULL, quantize_##build, NULL, \
      quantize_spec,     &quantize_domain },
enum { FIRST_GEMM = 1, FIRST_QUANTIZE = FIRST_GEMM + BUILD_COUNT };
static ck_kernel kernels[] = { { sizeof(ck_kernel), "dequant_row_q8_0", "dequant", "base", NULL,
                                 dequant_base, NULL, &dequant_spec, &dequant_domain },
                               BUILDS(GEMM) BUILDS(QUANTIZE) };
#undef GEMM
#undef QUANTIZE

/* The function of that name into *slot, a pointer to a function pointer; 0 if there is none. POSIX
 * has the two kinds of pointers share one representation, ISO C no cast between them. */
static int find(void *slot, void *library, const char *name)
{
    void *const symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

static const char *environment(const char *name)
{
    const char *const value = getenv(name);
    return value && *value ? value : NULL;
}

static void locate(char *directory, size_t size)
{
    const char *value;
    if ((value = environment("CK_GGML_DIR")))
        snprintf(directory, size, "%s", value);
    else if ((value = environment("CK_PEERS")))
        snprintf(directory, size, "%s/" PACKAGE, value);
    else if ((value = environment("XDG_CACHE_HOME")))
        snprintf(directory, size, "%s/ckparity/peers/" PACKAGE, value);
    else if ((value = environment("HOME")))
        snprintf(directory, size, "%s/.cache/ckparity/peers/" PACKAGE, value);
    else
        snprintf(directory, size, "%s", PACKAGE);
}

/* Checks libggml-base.so and takes to_float from it. Fills `version`; 0 if ggml is not usable, and
 * then `version` says why. */
static int load_base(const char *directory, char *version, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/libggml-base.so", directory);
    if (access(path, F_OK) != 0) {
        snprintf(version, size, "not installed: %s", path);
        return 0;
    }
    void *const base = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *(*version_of)(void), *(*commit_of)(void);
    const ggml_type_traits *(*traits_of)(int type);
    if (!base) {
        snprintf(version, size, "%s", dlerror());
        return 0;
    }
    if (!find(&version_of, base, "ggml_version") || !find(&commit_of, base, "ggml_commit") ||
        !find(&traits_of, base, "ggml_get_type_traits")) {
        snprintf(version, size, "%s: is not ggml " GGML_VERSION, path);
        return 0;
    }
    if (strcmp(version_of(), GGML_VERSION) != 0) {
        snprintf(version, size, "%s: is ggml %s, wanted " GGML_VERSION, path, version_of());
        return 0;
    }
    const ggml_type_traits *const traits = traits_of(GGML_TYPE_Q8_0);
    if (strcmp(traits->type_name, "q8_0") != 0 || traits->blck_size != CK_Q8_0_BLOCK ||
        traits->type_size != CK_Q8_0_BYTES) {
        snprintf(version, size, "%s: type %d is not q8_0 of %d elements in %d bytes", path,
                 GGML_TYPE_Q8_0, CK_Q8_0_BLOCK, CK_Q8_0_BYTES);
        return 0;
    }
    to_float = traits->to_float;
    snprintf(version, size, "%s (%s)", version_of(), commit_of());
    return 1;
}

/* Only the score may be asked of a build before it is known that this CPU runs it. */
static void load_build(build *b, const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/libggml-cpu-%s.so", directory, name);
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*score)(void);
    void (*init)(void);
    const ggml_type_traits_cpu *(*traits_of)(int type);
    if (!library) {
        snprintf(b->reason, sizeof b->reason, "%s", dlerror());
        return;
    }
    if (!find(&score, library, "ggml_backend_score") || !find(&init, library, "ggml_cpu_init") ||
        !find(&traits_of, library, "ggml_get_type_traits_cpu")) {
        snprintf(b->reason, sizeof b->reason, "libggml-cpu-%s.so lacks a symbol", name);
        return;
    }
    if (score() == 0) {
        snprintf(b->reason, sizeof b->reason, "ggml_backend_score() is 0 here");
        return;
    }
    init(); /* without it every scale that goes through ggml's f16 table is 0 */
    const ggml_type_traits_cpu *const traits = traits_of(GGML_TYPE_Q8_0);
    b->vec_dot = traits->vec_dot;
    b->from_float = traits->from_float;
    if (!b->vec_dot || !b->from_float || traits->vec_dot_type != GGML_TYPE_Q8_0)
        snprintf(b->reason, sizeof b->reason, "no q8_0 x q8_0 in libggml-cpu-%s.so", name);
}

static void load_builds(const char *directory)
{
#define NAME(name, dot, quantize_spec) #name,
    static const char *const names[] = { BUILDS(NAME) };
#undef NAME
    for (size_t i = 0; i < BUILD_COUNT; i++) {
        load_build(&builds[i], directory, names[i]);
        const char *const reason = builds[i].reason[0] ? builds[i].reason : NULL;
        kernels[FIRST_GEMM + i].unavailable = reason;
        kernels[FIRST_QUANTIZE + i].unavailable = reason;
    }
}

/* The libraries stay open: their functions are in the table. */
const ck_subject *ck_subject_v1(void)
{
    static char version[4096 + 256];
    static ck_subject subject = { CK_SUBJECT_ABI, sizeof subject, "ggml", version, 0, kernels };
    static int loaded;
    if (!loaded) {
        loaded = 1;
        char directory[4000];
        locate(directory, sizeof directory);
        if (load_base(directory, version, sizeof version)) {
            load_builds(directory);
            subject.count = sizeof kernels / sizeof *kernels;
        }
    }
    return &subject;
}
