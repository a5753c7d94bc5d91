/* SPDX-License-Identifier: MIT */
/* oneDNN as a subject: its products of floats and of bytes at each instruction set that it generates
 * code for. The limit can be set once in each copy of the library. docs/subjects.md. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "blas.h"

#define VARIANTS(X) \
    X(max_avx)      \
    X(max_avx2) X(max_avx512_core) X(max_avx512_core_vnni) X(max_sse41)

#define ENUM(variant) VARIANT_##variant,
enum { VARIANTS(ENUM) VARIANT_COUNT };
#undef ENUM

typedef struct dnnl_version {
    int major, minor, patch; /* and more */
} dnnl_version;

/* c = alpha op(a) op(b) + beta c, all row-major. Returns 0 if all went well. */
typedef int dnnl_sgemm_fn(char transa, char transb, int64_t m, int64_t n, int64_t k, float alpha,
                          const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                          float *c, int64_t ldc);

/* c = alpha (op(a) - ao) (op(b) - bo) + beta c + co, all row-major; offsetc 'F': co is one number for all of c.
 * a and ao are int8_t or uint8_t. */
typedef int dnnl_gemm_s8s8s32_fn(char transa, char transb, char offsetc, int64_t m, int64_t n,
                                 int64_t k, float alpha, const int8_t *a, int64_t lda, int8_t ao,
                                 const int8_t *b, int64_t ldb, int8_t bo, float beta, int32_t *c,
                                 int64_t ldc, const int32_t *co);
typedef int dnnl_gemm_u8s8s32_fn(char transa, char transb, char offsetc, int64_t m, int64_t n,
                                 int64_t k, float alpha, const uint8_t *a, int64_t lda, uint8_t ao,
                                 const int8_t *b, int64_t ldb, int8_t bo, float beta, int32_t *c,
                                 int64_t ldc, const int32_t *co);

typedef struct library {
    dnnl_sgemm_fn *sgemm;
    dnnl_gemm_s8s8s32_fn *s8s8s32;
    dnnl_gemm_u8s8s32_fn *u8s8s32;
    char reason[256]; /* why it cannot run, "" if it can */
} library;

static library libraries[VARIANT_COUNT];

/* dnnl_cpu_isa_t of dnnl_types.h 2.6. */
static const int isas[] = { [VARIANT_max_avx] = 0x3,
                            [VARIANT_max_avx2] = 0x7,
                            [VARIANT_max_avx512_core] = 0x27,
                            [VARIANT_max_avx512_core_vnni] = 0x67,
                            [VARIANT_max_sse41] = 0x1 };

static void gemm_f32(const library *l, blas_layout layout, const ck_gemm_args *g)
{
    blas_copy_c(g);
    const int64_t one =
        g->k == 0; /* leading dimensions are at least 1 there, of an empty row, too */
    l->sgemm(layout == BLAS_TN ? 'T' : 'N', layout == BLAS_NT ? 'T' : 'N', (int64_t)g->m,
             (int64_t)g->n, (int64_t)g->k, g->alpha, g->a, (int64_t)g->lda + one, g->b,
             (int64_t)g->ldb + one, g->beta, g->y, (int64_t)g->ldy);
    blas_add_bias(g);
}

static void int8_int8_i32(const library *l, const ck_gemm_i_args *g)
{
    const int32_t no_offset = 0;
    const int64_t one = g->k == 0;
    l->s8s8s32('N', 'T', 'F', (int64_t)g->m, (int64_t)g->n, (int64_t)g->k, 1.0f, g->a,
               (int64_t)g->lda + one, 0, g->b, (int64_t)g->ldb + one, 0, 0.0f, g->y,
               (int64_t)g->ldy, &no_offset);
}

static void uint8_int8_i32(const library *l, const ck_gemm_i_args *g)
{
    const int32_t no_offset = 0;
    const int64_t one = g->k == 0;
    l->u8s8s32('N', 'T', 'F', (int64_t)g->m, (int64_t)g->n, (int64_t)g->k, 1.0f, g->a,
               (int64_t)g->lda + one, 0, g->b, (int64_t)g->ldb + one, 0, 0.0f, g->y,
               (int64_t)g->ldy, &no_offset);
}

#define THUNKS(variant)                                         \
    BLAS_THUNKS(variant, gemm_f32)                              \
    static void gemm_nt_int8_int8_i32_##variant(const void *g)  \
    {                                                           \
        int8_int8_i32(&libraries[VARIANT_##variant], g);        \
    }                                                           \
    static void gemm_nt_uint8_int8_i32_##variant(const void *g) \
    {                                                           \
        uint8_int8_i32(&libraries[VARIANT_##variant], g);       \
    }
VARIANTS(THUNKS)
#undef THUNKS

/* Nothing but the value is promised; the caller's rounding is not spoken of. */
static const ck_numspec int_spec = { .accs = 1 };
#define INT8_ROW(stem, variant)                            \
    { sizeof(ck_kernel), #stem, "gemm_i",  #variant, NULL, \
      stem##_##variant,  NULL,  &int_spec, NULL,     NULL },
#define INT8(variant)  INT8_ROW(gemm_nt_int8_int8_i32, variant)
#define UINT8(variant) INT8_ROW(gemm_nt_uint8_int8_i32, variant)

/* Products of floats are promised no more than BLAS does. */
static ck_kernel kernels[] = { VARIANTS(BLAS_GEMM_NN_F32) VARIANTS(BLAS_GEMM_NT_F32) VARIANTS(
    INT8) VARIANTS(UINT8) VARIANTS(BLAS_GEMM_TN_F32) VARIANTS(BLAS_GEMV_F32) };

static const char *load_isa(int variant, const char *path, char *version)
{
    /* threads of OpenMP would not survive the fork into a job */
    const hn_setting settings[] = { { "OMP_NUM_THREADS", "1" },
                                    { "DNNL_MAX_CPU_ISA", NULL },
                                    { NULL, NULL } };
    library *const l = &libraries[variant];
    int (*set_isa)(int isa), (*isa_of)(void);
    const dnnl_version *(*version_of)(void);
    void *const opened = hn_load_copy(path, settings, NULL, l->reason, sizeof l->reason);
    if (!opened) return l->reason;
    if (!hn_load_symbol(&l->sgemm, opened, "dnnl_sgemm") ||
        !hn_load_symbol(&l->s8s8s32, opened, "dnnl_gemm_s8s8s32") ||
        !hn_load_symbol(&l->u8s8s32, opened, "dnnl_gemm_u8s8s32") ||
        !hn_load_symbol(&set_isa, opened, "dnnl_set_max_cpu_isa") ||
        !hn_load_symbol(&isa_of, opened, "dnnl_get_effective_cpu_isa") ||
        !hn_load_symbol(&version_of, opened, "dnnl_version")) {
        strcpy(l->reason, "is not oneDNN");
        return l->reason;
    }
    const dnnl_version v = *version_of();
    snprintf(version, 32, "%d.%d.%d", v.major, v.minor, v.patch);
    if (v.major != 2)
        snprintf(l->reason, sizeof l->reason, "is oneDNN %s, wanted 2", version);
    else if (set_isa(isas[variant]) != 0)
        strcpy(l->reason, "the instruction set cannot be chosen");
    else if (isa_of() != isas[variant])
        snprintf(l->reason, sizeof l->reason, "CPU has dnnl_cpu_isa_t 0x%x only", isa_of());
    return l->reason;
}

const ck_subject *ck_subject_v1(void)
{
    static const char *const paths[] = { "/usr/lib/x86_64-linux-gnu/libdnnl.so.2", NULL };
    static const hn_adapter adapter = {
        "onednn",      "CK_ONEDNN", paths, kernels, sizeof kernels / sizeof *kernels,
        VARIANT_COUNT, load_isa
    };
    return hn_load_subject(&adapter);
}
