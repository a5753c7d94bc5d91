/* SPDX-License-Identifier: MIT */
/* The public entries: each validates once, reads the strict switch once and runs the best variant.
 * Order of the checks: args, empty output (nothing is looked at then), sizes, pointers, overlap. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ck_dtype.h"
#include "gemm.h"
#include "quant.h"
#include "softmax.h"
#include "table.h"
#include "unary.h"

/* `rows` rows of `row` bytes, `ld` bytes apart, from `at` on. */
typedef struct span {
    uintptr_t at;
    size_t rows, ld, row;
} span;

/* True if rows * ld elements of `size` bytes stay below PTRDIFF_MAX, and each row fits its ld. */
static bool fits(size_t rows, size_t ld, size_t row, size_t size)
{
    const size_t most = (size_t)PTRDIFF_MAX / size;

    if (rows == 0 || row == 0) return true;
    return row <= ld && ld <= most / rows;
}

static span span_of(const void *p, size_t rows, size_t ld, size_t row, size_t size)
{
    return (span){ (uintptr_t)p, row ? rows : 0, ld * size, row * size };
}

static uintptr_t span_end(const span *s) { return s->at + (s->rows - 1) * s->ld + s->row; }

/* True if a byte of [from, to) is a byte of a row of s. */
static bool touches(const span *s, uintptr_t from, uintptr_t to)
{
    const uintptr_t first_end = s->at + s->row;
    const size_t r = from < first_end ? 0 : (from - first_end) / s->ld + 1;

    return r < s->rows && s->at + r * s->ld < to;
}

/* True if rows of both share a byte. Rows that lie between each other's, such as two column ranges
 * of one matrix, do not. */
static bool overlap(const span *a, const span *b)
{
    if (a->rows == 0 || b->rows == 0) return false;
    if (span_end(a) <= b->at || span_end(b) <= a->at) return false;
    for (size_t i = 0; i < a->rows; i++) {
        const uintptr_t from = a->at + i * a->ld;
        if (touches(b, from, from + a->row)) return true;
    }
    return false;
}

static const ck_kernel *best(ck_op op)
{
    const unsigned mask = ck_isa_mask();

    for (unsigned isa = CK_ISA_COUNT; isa-- > 0;) {
        const ck_kernel *const kernel = mask >> isa & 1 ? ck_op_variant(op, (ck_isa)isa) : NULL;
        if (kernel) return kernel;
    }
    return NULL;
}

static ck_status run(ck_op op, const void *args)
{
    const ck_kernel *const kernel = best(op);

    if (!kernel) return CK_ERR_ISA;
    (ck_strict_parity() ? kernel->fn_strict : kernel->fn)(args);
    return CK_OK;
}

const ck_kernel *ck_dispatch(const char *stem)
{
    for (int op = 0; stem && op < CK_OP_COUNT; op++)
        if (strcmp(ck_op_stem((ck_op)op), stem) == 0) return best((ck_op)op);
    return NULL;
}

const char *ck_status_text(ck_status status)
{
    switch (status) {
    case CK_OK: return "ok";
    case CK_ERR_NULL: return "a required pointer is NULL";
    case CK_ERR_SHAPE: return "a size or leading dimension is out of range";
    case CK_ERR_MULTIPLE: return "a length is no multiple of the block";
    case CK_ERR_ALIAS: return "output and input overlap";
    case CK_ERR_ISA: return "no variant may run on this CPU under this mask and CK_ISA_MAX";
    }
    return "unknown status";
}

static ck_status gemm_overlap(const ck_gemm_args *g, bool reads_c)
{
    const span y = span_of(g->y, g->m, g->ldy, g->n, sizeof(float));
    const span a = span_of(g->a, g->m, g->lda, g->k, sizeof(float));
    const span b = span_of(g->b, g->n, g->ldb, g->k, sizeof(float));
    const span c = span_of(g->c, reads_c ? g->m : 0, g->ldc, g->n, sizeof(float));
    const span bias = span_of(g->bias, g->bias ? 1 : 0, g->n, g->n, sizeof(float));
    const bool in_place = g->y == g->c && g->ldy == g->ldc;

    if (overlap(&y, &a) || overlap(&y, &b) || overlap(&y, &bias)) return CK_ERR_ALIAS;
    return !in_place && overlap(&y, &c) ? CK_ERR_ALIAS : CK_OK;
}

ck_status ck_gemm_nt_f32(const ck_gemm_args *g)
{
    if (!g) return CK_ERR_NULL;
    if (g->m == 0 || g->n == 0) return CK_OK;
    const bool reads_c = g->beta != 0.0f;
    const size_t size = sizeof(float);
    if (!fits(g->m, g->ldy, g->n, size) || !fits(g->m, g->lda, g->k, size) ||
        !fits(g->n, g->ldb, g->k, size) || (reads_c && !fits(g->m, g->ldc, g->n, size)))
        return CK_ERR_SHAPE;
    if (!g->y || (g->k && (!g->a || !g->b)) || (reads_c && !g->c)) return CK_ERR_NULL;
    const ck_status status = gemm_overlap(g, reads_c);
    return status ? status : run(CK_OP_gemm_nt_f32, g);
}

static ck_status gemm_q_overlap(const ck_gemm_q_args *g, size_t blocks, size_t bytes)
{
    const span y = span_of(g->y, g->m, g->ldy, g->n, sizeof(float));
    const span a = span_of(g->a, g->m, g->lda, blocks, bytes);
    const span b = span_of(g->b, g->n, g->ldb, blocks, bytes);
    const span bias = span_of(g->bias, g->bias ? 1 : 0, g->n, g->n, sizeof(float));

    return overlap(&y, &a) || overlap(&y, &b) || overlap(&y, &bias) ? CK_ERR_ALIAS : CK_OK;
}

ck_status ck_gemm_nt_q8_0_q8_0(const ck_gemm_q_args *g)
{
    if (!g) return CK_ERR_NULL;
    if (g->m == 0 || g->n == 0) return CK_OK;
    if (g->k % CK_Q8_0_BLOCK) return CK_ERR_MULTIPLE;
    const size_t blocks = g->k / CK_Q8_0_BLOCK;
    if (!fits(g->m, g->ldy, g->n, sizeof(float)) || !fits(g->m, g->lda, blocks, CK_Q8_0_BYTES) ||
        !fits(g->n, g->ldb, blocks, CK_Q8_0_BYTES))
        return CK_ERR_SHAPE;
    if (!g->y || (g->k && (!g->a || !g->b))) return CK_ERR_NULL;
    const ck_status status = gemm_q_overlap(g, blocks, CK_Q8_0_BYTES);
    return status ? status : run(CK_OP_gemm_nt_q8_0_q8_0, g);
}

ck_status ck_softmax_causal_f32(const ck_softmax_args *s)
{
    if (!s) return CK_ERR_NULL;
    if (s->heads == 0 || s->t == 0) return CK_OK;
    const size_t size = sizeof(float);
    if (s->cols < s->t || s->heads > SIZE_MAX / s->t) return CK_ERR_SHAPE;
    const size_t rows = s->heads * s->t;
    if (!fits(rows, s->ldy, s->cols, size) || !fits(rows, s->ldx, s->t, size)) return CK_ERR_SHAPE;
    if (!s->y || !s->x) return CK_ERR_NULL;
    const span y = span_of(s->y, rows, s->ldy, s->cols, size);
    const span x = span_of(s->x, rows, s->ldx, s->t, size);
    const bool in_place = s->y == s->x && s->ldy == s->ldx;
    if (!in_place && overlap(&y, &x)) return CK_ERR_ALIAS;
    return run(CK_OP_softmax_causal_f32, s);
}

ck_status ck_exp_f32(const ck_unary_args *e)
{
    if (!e) return CK_ERR_NULL;
    if (e->n == 0) return CK_OK;
    if (!fits(1, e->n, e->n, sizeof(float))) return CK_ERR_SHAPE;
    if (!e->y || !e->x) return CK_ERR_NULL;
    const span y = span_of(e->y, 1, e->n, e->n, sizeof(float));
    const span x = span_of(e->x, 1, e->n, e->n, sizeof(float));
    if (e->y != e->x && overlap(&y, &x)) return CK_ERR_ALIAS;
    return run(CK_OP_exp_f32, e);
}

/* The checks of quantize and dequantize: n values at `values`, their blocks at `packed`. */
static ck_status row_check(const void *values, const void *packed, size_t n, size_t block,
                           size_t bytes)
{
    const size_t blocks = n / block;

    if (n % block) return CK_ERR_MULTIPLE;
    if (!fits(1, n, n, sizeof(float))) return CK_ERR_SHAPE; /* blocks are no larger than values */
    if (!values || !packed) return CK_ERR_NULL;
    const span v = span_of(values, 1, n, n, sizeof(float));
    const span p = span_of(packed, 1, blocks, blocks, bytes);
    return overlap(&v, &p) ? CK_ERR_ALIAS : CK_OK;
}

static ck_status quantize(ck_op op, const ck_quantize_args *q, size_t block, size_t bytes)
{
    if (!q) return CK_ERR_NULL;
    if (q->n == 0) return CK_OK;
    const ck_status status = row_check(q->x, q->y, q->n, block, bytes);
    return status ? status : run(op, q);
}

static ck_status dequant(ck_op op, const ck_dequant_args *d, size_t block, size_t bytes)
{
    if (!d) return CK_ERR_NULL;
    if (d->n == 0) return CK_OK;
    const ck_status status = row_check(d->y, d->x, d->n, block, bytes);
    return status ? status : run(op, d);
}

#define FORMAT(dtype, block, bytes)                                   \
    ck_status ck_quantize_row_##dtype(const ck_quantize_args *q)      \
    {                                                                 \
        return quantize(CK_OP_quantize_row_##dtype, q, block, bytes); \
    }                                                                 \
    ck_status ck_dequant_row_##dtype(const ck_dequant_args *d)        \
    {                                                                 \
        return dequant(CK_OP_dequant_row_##dtype, d, block, bytes);   \
    }
FORMAT(bf16, CK_BF16_BLOCK, CK_BF16_BYTES)
FORMAT(f16, CK_F16_BLOCK, CK_F16_BYTES)
FORMAT(int4, CK_INT4_BLOCK, CK_INT4_BYTES)
FORMAT(int8, CK_INT8_BLOCK, CK_INT8_BYTES)
FORMAT(q4_0, CK_Q4_0_BLOCK, CK_Q4_0_BYTES)
FORMAT(q4_1, CK_Q4_1_BLOCK, CK_Q4_1_BYTES)
FORMAT(q4_k, CK_Q4_K_BLOCK, CK_Q4_K_BYTES)
FORMAT(q5_0, CK_Q5_0_BLOCK, CK_Q5_0_BYTES)
FORMAT(q5_1, CK_Q5_1_BLOCK, CK_Q5_1_BYTES)
FORMAT(q5_k, CK_Q5_K_BLOCK, CK_Q5_K_BYTES)
FORMAT(q6_k, CK_Q6_K_BLOCK, CK_Q6_K_BYTES)
FORMAT(q8_0, CK_Q8_0_BLOCK, CK_Q8_0_BYTES)
FORMAT(q8_1, CK_Q8_1_BLOCK, CK_Q8_1_BYTES)
FORMAT(q8_k, CK_Q8_K_BLOCK, CK_Q8_K_BYTES)
#undef FORMAT
