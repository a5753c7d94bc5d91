/* SPDX-License-Identifier: MIT */
/* Rows of libraries with the C interface of BLAS: this text is shared by their adapters, which open
 * one library for each variant. Source: BLAS Technical Forum Standard, chapter 2 and appendix B. */
#ifndef HN_BLAS_H
#define HN_BLAS_H

#include <string.h>

#include "gemm.h"
#include "load.h"

/* The enumerators of cblas.h. */
enum { CBLAS_ROW_MAJOR = 101, CBLAS_NO_TRANS = 111, CBLAS_TRANS = 112 };

/* c = alpha op(a) op(b) + beta c. */
typedef void cblas_sgemm_fn(int order, int transa, int transb, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c,
                            int ldc);
/* y = alpha op(a) x + beta y. */
typedef void cblas_sgemv_fn(int order, int trans, int m, int n, float alpha, const float *a,
                            int lda, const float *x, int incx, float beta, float *y, int incy);

/* One library that was opened. */
typedef struct blas {
    cblas_sgemm_fn *sgemm;
    cblas_sgemv_fn *sgemv;
    char reason[256]; /* why it cannot run, "" if it can */
} blas;

static inline void blas_find(blas *b, void *library)
{
    if (!hn_load_symbol(&b->sgemm, library, "cblas_sgemm") ||
        !hn_load_symbol(&b->sgemv, library, "cblas_sgemv"))
        strcpy(b->reason, "has no C interface");
}

/* Leading dimensions are at least 1 there, of an empty row, too. */
static inline int blas_ld(size_t ld) { return ld ? (int)ld : 1; }

/* Before: c lies in y when BLAS begins, which adds to what it finds. */
static inline void blas_copy_c(const ck_gemm_args *g)
{
    for (size_t i = 0; i < g->m && g->beta != 0 && g->y != g->c; i++)
        memcpy(g->y + i * g->ldy, g->c + i * g->ldc, g->n * sizeof *g->y);
}

/* Afterwards. */
static inline void blas_add_bias(const ck_gemm_args *g)
{
    for (size_t i = 0; i < g->m && g->bias; i++)
        for (size_t j = 0; j < g->n; j++) g->y[i * g->ldy + j] += g->bias[j];
}

/* How the factors lie. */
typedef enum blas_layout { BLAS_NN, BLAS_NT, BLAS_TN } blas_layout;

/* One row, b's rows along the sum, is a product of a matrix and a vector: what a caller of BLAS would
 * choose. */
static inline void blas_gemm_f32(const blas *b, blas_layout layout, const ck_gemm_args *g)
{
    blas_copy_c(g);
    if (layout == BLAS_NT && g->m == 1 && g->k > 0)
        b->sgemv(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, (int)g->n, (int)g->k, g->alpha, g->b,
                 blas_ld(g->ldb), g->a, 1, g->beta, g->y, 1);
    else
        b->sgemm(CBLAS_ROW_MAJOR, layout == BLAS_TN ? CBLAS_TRANS : CBLAS_NO_TRANS,
                 layout == BLAS_NT ? CBLAS_TRANS : CBLAS_NO_TRANS, (int)g->m, (int)g->n, (int)g->k,
                 g->alpha, g->a, blas_ld(g->lda), g->b, blas_ld(g->ldb), g->beta, g->y,
                 blas_ld(g->ldy));
    blas_add_bias(g);
}

/* gemv_f32 as a product of one row. */
static inline ck_gemm_args blas_row(const ck_gemv_args *v)
{
    return (ck_gemm_args){ .y = v->y,
                           .a = v->x,
                           .b = v->b,
                           .c = v->c,
                           .bias = v->bias,
                           .m = 1,
                           .n = v->n,
                           .k = v->k,
                           .ldy = v->n,
                           .lda = v->k,
                           .ldb = v->ldb,
                           .ldc = v->n,
                           .alpha = v->alpha,
                           .beta = v->beta };
}

/* The standard says nothing of the order of a sum, nor whether alpha is applied to it or to its
 * terms. alpha = 0 does not look at the factors, and a NaN or an overflow among them is lost. */
static const ck_numspec blas_spec = { .accs = 1, .flags = CK_NUM_INT_STRIDES, .alias = 1u << 3 };
static const ck_domain blas_domain = {
    .code_min = -128, .flags = CK_DOMAIN_FINITE | CK_DOMAIN_NORMAL | CK_DOMAIN_NEAREST
};

/* A ck_fn has no place for the library, so each variant has functions of its own: one for each op,
 * made of call(library, layout, product); and one row in the table for each. */
#define BLAS_THUNKS(variant, call)                          \
    static void gemm_nn_f32_##variant(const void *g)        \
    {                                                       \
        call(&libraries[VARIANT_##variant], BLAS_NN, g);    \
    }                                                       \
    static void gemm_nt_f32_##variant(const void *g)        \
    {                                                       \
        call(&libraries[VARIANT_##variant], BLAS_NT, g);    \
    }                                                       \
    static void gemm_tn_f32_##variant(const void *g)        \
    {                                                       \
        call(&libraries[VARIANT_##variant], BLAS_TN, g);    \
    }                                                       \
    static void gemv_f32_##variant(const void *g)           \
    {                                                       \
        const ck_gemm_args row = blas_row(g);               \
        call(&libraries[VARIANT_##variant], BLAS_NT, &row); \
    }
#define BLAS_ROW(stem, family, variant)                         \
    { sizeof(ck_kernel), #stem, #family,    #variant,     NULL, \
      stem##_##variant,  NULL,  &blas_spec, &blas_domain, NULL },
#define BLAS_GEMM_NN_F32(variant) BLAS_ROW(gemm_nn_f32, gemm, variant)
#define BLAS_GEMM_NT_F32(variant) BLAS_ROW(gemm_nt_f32, gemm, variant)
#define BLAS_GEMM_TN_F32(variant) BLAS_ROW(gemm_tn_f32, gemm, variant)
#define BLAS_GEMV_F32(variant)    BLAS_ROW(gemv_f32, gemv, variant)
/* Sorted by stem, then variant. */
#define BLAS_TABLE(variants)                                                             \
    {                                                                                    \
        variants(BLAS_GEMM_NN_F32) variants(BLAS_GEMM_NT_F32) variants(BLAS_GEMM_TN_F32) \
            variants(BLAS_GEMV_F32)                                                      \
    }

#endif
