/* SPDX-License-Identifier: MIT */
/* The public entries, made from kernels.def: each validates once, by its family, reads the strict
 * switch once and runs the best variant. Order of the checks: args, empty output (nothing is looked
 * at then), sizes, pointers, overlap. */
#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "attention.h"
#include "binary.h"
#include "block.h"
#include "ck_dtype.h"
#include "ck_ops.h"
#include "embedding.h"
#include "gemm.h"
#include "kv.h"
#include "loss.h"
#include "norm.h"
#include "quant.h"
#include "rope.h"
#include "softmax.h"
#include "split.h"
#include "table.h"
#include "unary.h"

#define X(code, name, elements, bytes) static const block block_##name = { (elements), (bytes), 0 };
CK_DTYPES(X)
#undef X
static const block block_bf16_f32 = { CK_BF16_BLOCK, CK_BF16_BYTES, 0 };
static const block block_bf16_bf16_f32 = { CK_BF16_BLOCK, CK_BF16_BYTES, 0 };
static const block block_bf16_bf16_bf16 = { CK_BF16_BLOCK, CK_BF16_BYTES, 0 };
static const block block_f16_f32 = { CK_F16_BLOCK, CK_F16_BYTES, 0 };
static const block block_f16_f16_f32 = { CK_F16_BLOCK, CK_F16_BYTES, 0 };
static const block block_f16_f16_f16 = { CK_F16_BLOCK, CK_F16_BYTES, 0 };
static const block block_int8_int8_i32 = { CK_INT8_BLOCK, CK_INT8_BYTES, CK_INT8_BYTES };
static const block block_uint8_int8_i32 = { CK_INT8_BLOCK, CK_INT8_BYTES, CK_INT8_BYTES };
static const block block_q4_0_f32 = { CK_Q4_0_BLOCK, CK_Q4_0_BYTES, 0 };
static const block block_q4_1_f32 = { CK_Q4_1_BLOCK, CK_Q4_1_BYTES, 0 };
static const block block_q4_k_f32 = { CK_Q4_K_BLOCK, CK_Q4_K_BYTES, 0 };
static const block block_q5_0_f32 = { CK_Q5_0_BLOCK, CK_Q5_0_BYTES, 0 };
static const block block_q5_1_f32 = { CK_Q5_1_BLOCK, CK_Q5_1_BYTES, 0 };
static const block block_q5_k_f32 = { CK_Q5_K_BLOCK, CK_Q5_K_BYTES, 0 };
static const block block_q6_k_f32 = { CK_Q6_K_BLOCK, CK_Q6_K_BYTES, 0 };
static const block block_q8_0_f32 = { CK_Q8_0_BLOCK, CK_Q8_0_BYTES, 0 };
static const block block_q4_0_q8_0 = { CK_Q4_0_BLOCK, CK_Q4_0_BYTES, CK_Q8_0_BYTES };
static const block block_q4_1_q8_1 = { CK_Q4_1_BLOCK, CK_Q4_1_BYTES, CK_Q8_1_BYTES };
static const block block_q4_k_q8_k = { CK_Q4_K_BLOCK, CK_Q4_K_BYTES, CK_Q8_K_BYTES };
static const block block_q5_0_q8_0 = { CK_Q5_0_BLOCK, CK_Q5_0_BYTES, CK_Q8_0_BYTES };
static const block block_q5_1_q8_1 = { CK_Q5_1_BLOCK, CK_Q5_1_BYTES, CK_Q8_1_BYTES };
static const block block_q5_k_q8_k = { CK_Q5_K_BLOCK, CK_Q5_K_BYTES, CK_Q8_K_BYTES };
static const block block_q6_k_q8_k = { CK_Q6_K_BLOCK, CK_Q6_K_BYTES, CK_Q8_K_BYTES };
static const block block_q8_0_q8_0 = { CK_Q8_0_BLOCK, CK_Q8_0_BYTES, CK_Q8_0_BYTES };
/* Packed weights, and what is packed. */
static const block block_q4_0x8_q8_0 = { CK_Q4_0_BLOCK, CK_Q4_0X8_BYTES, CK_Q8_0_BYTES };
static const block block_q4_0_q4_0x8 = { CK_Q4_0_BLOCK, CK_Q4_0X8_BYTES, CK_Q4_0_BYTES };
static const block block_q4_kx8_q8_k = { CK_K_BLOCK, CK_Q4_KX8_BYTES, CK_Q8_K_BYTES };
static const block block_q4_k_q4_kx8 = { CK_K_BLOCK, CK_Q4_KX8_BYTES, CK_Q4_K_BYTES };

/* A call of a public entry; args is not NULL. */
typedef struct call {
    ck_op op;
    const void *args;
    const block *of;
    const char *family;
} call;

/* What a check says beside a ck_status: there is no output, so nothing was looked at. */
enum { EMPTY = -1 };

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

static ck_status run(const call *c)
{
    const ck_kernel *const kernel = best(c->op);

    if (!kernel) return CK_ERR_ISA;
    ck_fn *const fn = ck_strict_parity() ? kernel->fn_strict : kernel->fn;
    ck_run_call(c->family, &(ck_call){ c->op, c->of, fn, kernel->spec, c->args });
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
    case CK_ERR_VALUE: return "a scalar, an index or a position is out of range";
    case CK_ERR_ISA: return "no variant may run on this CPU under this mask and CK_ISA_MAX";
    }
    return "unknown status";
}

/* Rows and used columns of a and of b as they lie in memory. */
typedef struct gemm_shape {
    size_t a_rows, a_cols, b_rows, b_cols;
} gemm_shape;

static ck_status gemm_overlap(const ck_gemm_args *g, const gemm_shape *s, bool reads_c, size_t size)
{
    const span y = span_of(g->y, g->m, g->ldy, g->n, size);
    const span a = span_of(g->a, s->a_rows, g->lda, s->a_cols, size);
    const span b = span_of(g->b, s->b_rows, g->ldb, s->b_cols, size);
    const span c = span_of(g->c, reads_c ? g->m : 0, g->ldc, g->n, size);
    const span bias = span_of(g->bias, g->bias ? 1 : 0, g->n, g->n, size);
    const bool in_place = g->y == g->c && g->ldy == g->ldc;

    if (overlap(&y, &a) || overlap(&y, &b) || overlap(&y, &bias)) return CK_ERR_ALIAS;
    return !in_place && overlap(&y, &c) ? CK_ERR_ALIAS : CK_OK;
}

static int check_product(const ck_gemm_args *g, const gemm_shape *s, size_t size)
{
    const bool reads_c = g->beta != 0.0f;

    if (g->m == 0 || g->n == 0) return EMPTY;
    if (!fits(g->m, g->ldy, g->n, size) || !fits(s->a_rows, g->lda, s->a_cols, size) ||
        !fits(s->b_rows, g->ldb, s->b_cols, size) || (reads_c && !fits(g->m, g->ldc, g->n, size)))
        return CK_ERR_SHAPE;
    if (!g->y || (g->k && (!g->a || !g->b)) || (reads_c && !g->c)) return CK_ERR_NULL;
    return (int)gemm_overlap(g, s, reads_c, size);
}

static int check_gemm(const call *c)
{
    const ck_gemm_args *const g = c->args;
    gemm_shape s = { g->m, g->k, g->n, g->k };

    if (c->op == CK_OP_gemm_tn_f32) s.a_rows = g->k, s.a_cols = g->m;
    if (c->op != CK_OP_gemm_nt_f32) s.b_rows = g->k, s.b_cols = g->n;
    return check_product(g, &s, c->of->bytes);
}

/* A product whose one row is x. */
static int check_gemv(const call *c)
{
    const ck_gemv_args *const v = c->args;
    const ck_gemm_args row = { .y = v->y,
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
                               .beta = v->beta };

    return check_product(&row, &(gemm_shape){ 1, v->k, v->n, v->k }, c->of->bytes);
}

/* A product of rows that nothing is added to but a bias. */
static int check_nt(const ck_gemm_act_args *g, size_t size)
{
    const ck_gemm_args product = { .y = g->y,
                                   .a = g->a,
                                   .b = g->b,
                                   .bias = g->bias,
                                   .m = g->m,
                                   .n = g->n,
                                   .k = g->k,
                                   .ldy = g->ldy,
                                   .lda = g->lda,
                                   .ldb = g->ldb };

    return check_product(&product, &(gemm_shape){ g->m, g->k, g->n, g->k }, size);
}

static int check_gemm_act(const call *c) { return check_nt(c->args, c->of->bytes); }

static int check_gemm_glu(const call *c)
{
    const ck_gemm_glu_args *const g = c->args;
    ck_gemm_act_args half = {
        g->y, g->a, g->b, g->bias_b, g->m, g->n, g->k, g->ldy, g->lda, g->ldb
    };
    const int gate = check_nt(&half, c->of->bytes);

    half.b = g->d;
    half.ldb = g->ldd;
    half.bias = g->bias_d;
    return gate == CK_OK ? check_nt(&half, c->of->bytes) : gate;
}

static ck_status gemm_q_overlap(const ck_gemm_q_args *g, size_t blocks, const block *of)
{
    const span y = span_of(g->y, g->m, g->ldy, g->n, sizeof(float));
    const span a = span_of(g->a, g->m, g->lda, blocks, of->a_bytes);
    const span b = span_of(g->b, g->n, g->ldb, blocks, of->bytes);
    const span bias = span_of(g->bias, g->bias ? 1 : 0, g->n, g->n, sizeof(float));

    return overlap(&y, &a) || overlap(&y, &b) || overlap(&y, &bias) ? CK_ERR_ALIAS : CK_OK;
}

static int check_gemm_q(const call *c)
{
    const ck_gemm_q_args *const g = c->args;
    const block *const of = c->of;
    const size_t blocks = g->k / of->elements;

    if (g->m == 0 || g->n == 0) return EMPTY;
    if (g->k % of->elements) return CK_ERR_MULTIPLE;
    if (!fits(g->m, g->ldy, g->n, sizeof(float)) || !fits(g->m, g->lda, blocks, of->a_bytes) ||
        !fits(g->n, g->ldb, blocks, of->bytes))
        return CK_ERR_SHAPE;
    if (!g->y || (g->k && (!g->a || !g->b))) return CK_ERR_NULL;
    return (int)gemm_q_overlap(g, blocks, of);
}

/* Packed rows of n rows. */
static size_t packed_rows(size_t n) { return n / CK_X8_ROWS + (n % CK_X8_ROWS != 0); }

static ck_status gemm_p_overlap(const ck_gemm_p_args *g, size_t blocks, const block *of)
{
    const span y = span_of(g->y, g->m, g->ldy, g->n, sizeof(float));
    const span a = span_of(g->a, g->m, g->lda, blocks, of->a_bytes);
    const span b = span_of(g->b, packed_rows(g->n), g->ldb, blocks, of->bytes);
    const span bias = span_of(g->bias, g->bias ? 1 : 0, g->n, g->n, sizeof(float));

    return overlap(&y, &a) || overlap(&y, &b) || overlap(&y, &bias) ? CK_ERR_ALIAS : CK_OK;
}

static int check_gemm_p(const call *c)
{
    const ck_gemm_p_args *const g = c->args;
    const block *const of = c->of;
    const size_t blocks = g->k / of->elements;

    if (g->m == 0 || g->n == 0) return EMPTY;
    if (g->k % of->elements) return CK_ERR_MULTIPLE;
    if (!fits(g->m, g->ldy, g->n, sizeof(float)) || !fits(g->m, g->lda, blocks, of->a_bytes) ||
        !fits(packed_rows(g->n), g->ldb, blocks, of->bytes))
        return CK_ERR_SHAPE;
    if (!g->y || (g->k && (!g->a || !g->b))) return CK_ERR_NULL;
    return (int)gemm_p_overlap(g, blocks, of);
}

static int check_pack(const call *c)
{
    const ck_pack_args *const p = c->args;
    const block *const of = c->of;
    const size_t blocks = p->k / of->elements, rows = packed_rows(p->m);

    if (p->m == 0 || p->k == 0) return EMPTY;
    if (p->k % of->elements) return CK_ERR_MULTIPLE;
    if (!fits(p->m, p->ldx, blocks, of->a_bytes) || !fits(rows, p->ldy, blocks, of->bytes))
        return CK_ERR_SHAPE;
    if (!p->y || !p->x) return CK_ERR_NULL;
    const span y = span_of(p->y, rows, p->ldy, blocks, of->bytes);
    const span x = span_of(p->x, p->m, p->ldx, blocks, of->a_bytes);
    return overlap(&y, &x) ? CK_ERR_ALIAS : CK_OK;
}

static ck_status gemm_w_overlap(const ck_gemm_w_args *g, size_t blocks, size_t bytes)
{
    const span y = span_of(g->y, g->m, g->ldy, g->n, sizeof(float));
    const span a = span_of(g->a, g->m, g->lda, g->k, sizeof(float));
    const span b = span_of(g->b, g->n, g->ldb, blocks, bytes);
    const span c = span_of(g->c, g->c ? g->m : 0, g->ldc, g->n, sizeof(float));
    const span bias = span_of(g->bias, g->bias ? 1 : 0, g->n, g->n, sizeof(float));

    if (overlap(&y, &a) || overlap(&y, &b) || overlap(&y, &c)) return CK_ERR_ALIAS;
    return overlap(&y, &bias) ? CK_ERR_ALIAS : CK_OK;
}

static int check_gemm_w(const call *c)
{
    const ck_gemm_w_args *const g = c->args;
    const block *const of = c->of;
    const size_t blocks = g->k / of->elements;

    if (g->m == 0 || g->n == 0) return EMPTY;
    if (g->k % of->elements) return CK_ERR_MULTIPLE;
    if (!fits(g->m, g->ldy, g->n, sizeof(float)) || !fits(g->m, g->lda, g->k, sizeof(float)) ||
        !fits(g->n, g->ldb, blocks, of->bytes) ||
        (g->c && !fits(g->m, g->ldc, g->n, sizeof(float))))
        return CK_ERR_SHAPE;
    if (!g->y || (g->k && (!g->a || !g->b))) return CK_ERR_NULL;
    return (int)gemm_w_overlap(g, blocks, of->bytes);
}

static int check_gemm_wn(const call *c)
{
    const ck_gemm_wn_args *const g = c->args;
    const block *const of = c->of;
    const size_t blocks = g->n / of->elements;

    if (g->m == 0 || g->n == 0) return EMPTY;
    if (g->n % of->elements) return CK_ERR_MULTIPLE;
    if (!fits(g->m, g->ldy, g->n, sizeof(float)) || !fits(g->m, g->lda, g->k, sizeof(float)) ||
        !fits(g->k, g->ldb, blocks, of->bytes))
        return CK_ERR_SHAPE;
    if (!g->y || (g->k && (!g->a || !g->b))) return CK_ERR_NULL;
    const span y = span_of(g->y, g->m, g->ldy, g->n, sizeof(float));
    const span a = span_of(g->a, g->m, g->lda, g->k, sizeof(float));
    const span b = span_of(g->b, g->k, g->ldb, blocks, of->bytes);
    return overlap(&y, &a) || overlap(&y, &b) ? CK_ERR_ALIAS : CK_OK;
}

/* An operand of heads: rows of row elements of `size` bytes. */
typedef struct head_rows {
    const void *at;
    size_t heads, rows, head, ld, row, size;
} head_rows;

/* Elements from the first to behind the last; SIZE_MAX if they do not fit into memory, or a row does
 * not fit its ld. */
static size_t heads_extent(const head_rows *h)
{
    const size_t most = (size_t)PTRDIFF_MAX / sizeof(float) / 4;

    if (h->heads == 0 || h->rows == 0 || h->row == 0) return 0;
    if (h->row > h->ld || h->row > most || h->ld > most / h->rows) return SIZE_MAX;
    if (h->head > most / h->heads) return SIZE_MAX;
    return (h->heads - 1) * h->head + (h->rows - 1) * h->ld + h->row;
}

static span head_span(const head_rows *h, size_t i)
{
    const unsigned char *at = h->at;
    return span_of(at + i * h->head * h->size, h->rows, h->ld, h->row, h->size);
}

/* True if rows of y and x share a byte. */
static bool heads_overlap(const head_rows *y, const head_rows *x)
{
    const uintptr_t from_y = (uintptr_t)y->at, from_x = (uintptr_t)x->at;

    if (from_y + heads_extent(y) * y->size <= from_x ||
        from_x + heads_extent(x) * x->size <= from_y)
        return false;
    for (size_t i = 0; i < y->heads; i++)
        for (size_t j = 0; j < x->heads; j++) {
            const span a = head_span(y, i), b = head_span(x, j);
            if (overlap(&a, &b)) return true;
        }
    return false;
}

/* Rows of one head after the other, or of all heads before the next row. */
static bool heads_apart(const head_rows *y)
{
    return y->head >= (y->rows - 1) * y->ld + y->row || y->ld >= (y->heads - 1) * y->head + y->row;
}

static int check_attention(const call *c)
{
    const ck_attention_args *const a = c->args;
    const size_t size = c->of->bytes, single = sizeof(float);
    const head_rows y = { a->y, a->heads, a->tq, a->head_y, a->ldy, a->cols, single };
    const head_rows of[] = { { a->q, a->heads, a->tq, a->head_q, a->ldq, a->d, single },
                             { a->k, a->kv_heads, a->tk, a->head_k, a->ldk, a->d, size },
                             { a->v, a->kv_heads, a->tk, a->head_v, a->ldv, a->d, size } };

    if (a->heads == 0 || a->tq == 0 || a->cols == 0) return EMPTY;
    if (a->kv_heads == 0 || a->heads % a->kv_heads || a->tq > a->tk || a->d > a->cols)
        return CK_ERR_SHAPE;
    if (heads_extent(&y) == SIZE_MAX || !heads_apart(&y)) return CK_ERR_SHAPE;
    for (size_t i = 0; i < 3; i++)
        if (heads_extent(&of[i]) == SIZE_MAX) return CK_ERR_SHAPE;
    if (!a->y || (a->d && (!a->q || !a->k || !a->v))) return CK_ERR_NULL;
    for (size_t i = 0; i < 3; i++)
        if (heads_overlap(&y, &of[i])) return CK_ERR_ALIAS;
    return CK_OK;
}

/* The t rows of each head that are written. */
static head_rows kv_written(const ck_kv_args *a, const void *cache, size_t size)
{
    const unsigned char *const first = cache;

    return (head_rows){
        first + a->position * a->ldy * size, a->kv_heads, a->t, a->head_y, a->ldy, a->cols, size
    };
}

static int check_kv(const call *c)
{
    const ck_kv_args *const a = c->args;
    const size_t size = c->of->bytes;
    const head_rows cache = { NULL, a->kv_heads, a->room, a->head_y, a->ldy, a->cols, size };
    const head_rows k = { a->k, a->kv_heads, a->t, a->head_x, a->ldx, a->d, sizeof(float) };
    const head_rows v = { a->v, a->kv_heads, a->t, a->head_x, a->ldx, a->d, sizeof(float) };

    if (a->kv_heads == 0 || a->t == 0 || a->cols == 0) return EMPTY;
    if (a->position > a->room || a->t > a->room - a->position) return CK_ERR_VALUE;
    if (a->d > a->cols || heads_extent(&cache) == SIZE_MAX || !heads_apart(&cache) ||
        heads_extent(&k) == SIZE_MAX)
        return CK_ERR_SHAPE;
    if (!a->k_cache || !a->v_cache || (a->d && (!a->k || !a->v))) return CK_ERR_NULL;
    const head_rows to_k = kv_written(a, a->k_cache, size), to_v = kv_written(a, a->v_cache, size);
    const bool bad = heads_overlap(&to_k, &k) || heads_overlap(&to_k, &v) ||
                     heads_overlap(&to_v, &k) || heads_overlap(&to_v, &v) ||
                     heads_overlap(&to_k, &to_v);
    return bad ? CK_ERR_ALIAS : CK_OK;
}

/* Bytes of an element of y. */
static size_t gemm_h_bytes(ck_op op)
{
    const bool f32 = op == CK_OP_gemm_nt_bf16_bf16_f32 || op == CK_OP_gemm_nt_f16_f16_f32;
    return f32 ? sizeof(float) : 2;
}

static ck_status gemm_h_overlap(const ck_gemm_h_args *g, size_t bytes, size_t size)
{
    const span y = span_of(g->y, g->m, g->ldy, g->n, size);
    const span a = span_of(g->a, g->m, g->lda, g->k, bytes);
    const span b = span_of(g->b, g->n, g->ldb, g->k, bytes);
    const span bias = span_of(g->bias, g->bias ? 1 : 0, g->n, g->n, sizeof(float));

    return overlap(&y, &a) || overlap(&y, &b) || overlap(&y, &bias) ? CK_ERR_ALIAS : CK_OK;
}

static int check_gemm_h(const call *c)
{
    const ck_gemm_h_args *const g = c->args;
    const size_t bytes = c->of->bytes, size = gemm_h_bytes(c->op);

    if (g->m == 0 || g->n == 0) return EMPTY;
    if (!fits(g->m, g->ldy, g->n, size) || !fits(g->m, g->lda, g->k, bytes) ||
        !fits(g->n, g->ldb, g->k, bytes) || !fits(1, g->n, g->n, sizeof(float)))
        return CK_ERR_SHAPE;
    if (!g->y || (g->k && (!g->a || !g->b))) return CK_ERR_NULL;
    return (int)gemm_h_overlap(g, bytes, size);
}

static ck_status gemm_i_overlap(const ck_gemm_i_args *g, const block *of)
{
    const span y = span_of(g->y, g->m, g->ldy, g->n, sizeof(int32_t));
    const span a = span_of(g->a, g->m, g->lda, g->k, of->a_bytes);
    const span b = span_of(g->b, g->n, g->ldb, g->k, of->bytes);

    return overlap(&y, &a) || overlap(&y, &b) ? CK_ERR_ALIAS : CK_OK;
}

static int check_gemm_i(const call *c)
{
    const ck_gemm_i_args *const g = c->args;
    const block *const of = c->of;
    const bool is_signed = c->op == CK_OP_gemm_nt_int8_int8_i32;

    if (g->m == 0 || g->n == 0) return EMPTY;
    if (g->k > (is_signed ? CK_GEMM_INT8_MOST : CK_GEMM_UINT8_MOST)) return CK_ERR_SHAPE;
    if (!fits(g->m, g->ldy, g->n, sizeof(int32_t)) || !fits(g->m, g->lda, g->k, of->a_bytes) ||
        !fits(g->n, g->ldb, g->k, of->bytes))
        return CK_ERR_SHAPE;
    if (!g->y || (g->k && (!g->a || !g->b))) return CK_ERR_NULL;
    return (int)gemm_i_overlap(g, of);
}

static int check_softmax(const call *c)
{
    const ck_softmax_args *const s = c->args;
    const size_t size = c->of->bytes;

    if (s->heads == 0 || s->t == 0) return EMPTY;
    if (s->cols < s->t || s->heads > SIZE_MAX / s->t) return CK_ERR_SHAPE;
    const size_t rows = s->heads * s->t;
    if (!fits(rows, s->ldy, s->cols, size) || !fits(rows, s->ldx, s->t, size)) return CK_ERR_SHAPE;
    if (!s->y || !s->x) return CK_ERR_NULL;
    const span y = span_of(s->y, rows, s->ldy, s->cols, size);
    const span x = span_of(s->x, rows, s->ldx, s->t, size);
    const bool in_place = s->y == s->x && s->ldy == s->ldx;
    return !in_place && overlap(&y, &x) ? CK_ERR_ALIAS : CK_OK;
}

static ck_status cross_entropy_overlap(const ck_cross_entropy_args *g)
{
    const span dx = span_of(g->dx, g->dx ? g->t : 0, g->lddx, g->v, sizeof(float));
    const span written[] = { dx, span_of(g->loss, 1, 1, 1, sizeof(float)),
                             span_of(g->count, 1, 1, 1, sizeof(int32_t)) };
    const span read[] = { span_of(g->x, g->t, g->ldx, g->v, sizeof(float)),
                          span_of(g->target, 1, g->t, g->t, sizeof(int32_t)) };

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++)
            if (overlap(&written[i], &read[j])) return CK_ERR_ALIAS;
        for (int j = 0; j < i; j++)
            if (overlap(&written[i], &written[j])) return CK_ERR_ALIAS;
    }
    return CK_OK;
}

static int check_cross_entropy(const call *c)
{
    const ck_cross_entropy_args *const g = c->args;
    const size_t most = (size_t)1 << 24;

    if (g->t > most || g->v > most || !fits(g->t, g->ldx, g->v, sizeof(float)) ||
        (g->dx && !fits(g->t, g->lddx, g->v, sizeof(float))))
        return CK_ERR_SHAPE;
    if (!g->loss || !g->count || (g->t && (!g->target || (g->v && !g->x)))) return CK_ERR_NULL;
    for (size_t i = 0; i < g->t; i++) {
        const int32_t target = g->target[i];
        if (target != CK_IGNORE && (target < 0 || (size_t)target >= g->v)) return CK_ERR_VALUE;
    }
    return (int)cross_entropy_overlap(g);
}

/* What the norms share: x and y, the vectors of d elements, the columns of t elements. */
typedef struct norm_shape {
    const void *y, *x, *vector[2], *column[2];
    size_t t, d, cols, ldy, ldr, ldx, size;
} norm_shape;

static bool norm_overlap(const norm_shape *s)
{
    const span y = span_of(s->y, s->t, s->ldy, s->cols, s->size);
    const span x = span_of(s->x, s->t, s->ldx, s->d, s->size);
    bool bad = !(s->y == s->x && s->ldy == s->ldx) && overlap(&y, &x);
    span column[2];
    for (int i = 0; i < 2; i++) {
        column[i] = span_of(s->column[i], s->column[i] ? s->t : 0, s->ldr, 1, sizeof(float));
        bad |= overlap(&column[i], &x) || overlap(&column[i], &y);
    }
    for (int i = 0; i < 2; i++) {
        const span vector = span_of(s->vector[i], s->vector[i] ? 1 : 0, s->d, s->d, sizeof(float));
        bad |= overlap(&y, &vector) || overlap(&column[0], &vector) || overlap(&column[1], &vector);
    }
    return bad || overlap(&column[0], &column[1]);
}

static int check_norm(const norm_shape *s, float eps)
{
    const bool columns = s->column[0] || s->column[1];

    if (s->t == 0) return EMPTY;
    if (s->d == 0 || s->d > (size_t)1 << 24 || s->cols < s->d ||
        !fits(s->t, s->ldy, s->cols, s->size) || !fits(s->t, s->ldx, s->d, s->size) ||
        (columns && !fits(s->t, s->ldr, 1, sizeof(float))))
        return CK_ERR_SHAPE;
    if (!(eps >= 0.0f)) return CK_ERR_VALUE;
    if (!s->y || !s->x || !s->vector[0]) return CK_ERR_NULL;
    return norm_overlap(s) ? CK_ERR_ALIAS : CK_OK;
}

static int check_rmsnorm(const call *c)
{
    const ck_rmsnorm_args *const g = c->args;
    const norm_shape s = {
        g->y,   g->x,   { g->gamma, NULL }, { g->rstd, NULL }, g->t, g->d, g->cols, g->ldy,
        g->ldr, g->ldx, c->of->bytes
    };

    return check_norm(&s, g->eps);
}

static int check_layernorm(const call *c)
{
    const ck_layernorm_args *const g = c->args;
    const norm_shape s = {
        g->y,   g->x,   { g->gamma, g->beta }, { g->mean, g->rstd }, g->t, g->d, g->cols, g->ldy,
        g->ldr, g->ldx, c->of->bytes
    };

    if (g->t > 0 && !g->beta) return CK_ERR_NULL;
    return check_norm(&s, g->eps);
}

static bool rope_values(const ck_rope_cache_args *g)
{
    const size_t most = (size_t)1 << 24;
    if (g->t > most || g->pos0 > most - g->t) return false;
    if (!(g->theta >= 1.0f && g->theta <= FLT_MAX)) return false;
    if (g->factor == 0.0f) return true;
    return g->factor >= 1.0f && g->factor <= FLT_MAX && g->low >= 0.0f && g->low < g->high &&
           g->high <= FLT_MAX && g->context <= most;
}

static int check_rope_cache(const call *c)
{
    const ck_rope_cache_args *const g = c->args;
    const size_t half = g->d / 2, size = c->of->bytes;

    if (g->t == 0) return EMPTY;
    if (g->d == 0 || g->d % 2 || g->d > (size_t)1 << 20 || !fits(g->t, g->ldc, half, size) ||
        !fits(g->t, g->lds, half, size))
        return CK_ERR_SHAPE;
    if (!rope_values(g)) return CK_ERR_VALUE;
    if (!g->cos || !g->sin) return CK_ERR_NULL;
    const span cosines = span_of(g->cos, g->t, g->ldc, half, size);
    const span sines = span_of(g->sin, g->t, g->lds, half, size);
    return overlap(&cosines, &sines) ? CK_ERR_ALIAS : CK_OK;
}

static int check_rope(const call *c)
{
    const ck_rope_args *const g = c->args;
    const size_t half = g->rotary / 2;
    const head_rows y = { g->y, g->heads, g->t, g->head_y, g->ldy, g->cols, c->of->bytes };
    const head_rows x = { g->x, g->heads, g->t, g->head_x, g->ldx, g->d, c->of->bytes };

    if (g->heads == 0 || g->t == 0 || g->cols == 0) return EMPTY;
    if (g->rotary % 2 || g->rotary > g->d || g->d > g->cols || g->pos0 > SIZE_MAX - g->t)
        return CK_ERR_SHAPE;
    const head_rows cosines = { g->cos, 1, g->pos0 + g->t, 0, g->ldc, half, c->of->bytes };
    const head_rows sines = { g->sin, 1, g->pos0 + g->t, 0, g->lds, half, c->of->bytes };
    if (heads_extent(&y) == SIZE_MAX || !heads_apart(&y) || heads_extent(&x) == SIZE_MAX ||
        heads_extent(&cosines) == SIZE_MAX || heads_extent(&sines) == SIZE_MAX)
        return CK_ERR_SHAPE;
    if (!g->y || (g->d && !g->x) || (half && (!g->cos || !g->sin))) return CK_ERR_NULL;
    const bool in_place = g->y == g->x && g->head_y == g->head_x && g->ldy == g->ldx;
    if (heads_overlap(&y, &cosines) || heads_overlap(&y, &sines)) return CK_ERR_ALIAS;
    return !in_place && heads_overlap(&y, &x) ? CK_ERR_ALIAS : CK_OK;
}

static ck_status embedding_overlap(const ck_embedding_args *g, size_t blocks, const block *of)
{
    const span y = span_of(g->y, g->t, g->ldy, g->cols, sizeof(float));
    const span ids = span_of(g->ids, 1, g->t, g->t, sizeof *g->ids);
    const span w = span_of(g->w, g->vocab, g->ldw, blocks, of->bytes);
    const size_t rows = g->pos && g->d ? g->pos0 + g->t : 0;
    const span pos = span_of(g->pos, rows, g->ldp, g->d, sizeof(float));

    return overlap(&y, &ids) || overlap(&y, &w) || overlap(&y, &pos) ? CK_ERR_ALIAS : CK_OK;
}

static bool ids_are_rows(const ck_embedding_args *g)
{
    for (size_t i = 0; i < g->t; i++)
        if (g->ids[i] < 0 || (size_t)g->ids[i] >= g->vocab) return false;
    return true;
}

static int check_embedding(const call *c)
{
    const ck_embedding_args *const g = c->args;
    const block *const of = c->of;
    const size_t blocks = g->d / of->elements;

    if (g->t == 0 || g->cols == 0) return EMPTY;
    if (g->d % of->elements) return CK_ERR_MULTIPLE;
    if (g->cols < g->d || !fits(g->t, g->ldy, g->cols, sizeof(float)) ||
        !fits(1, g->t, g->t, sizeof *g->ids) || !fits(g->vocab, g->ldw, blocks, of->bytes) ||
        (g->pos &&
         (g->pos0 > SIZE_MAX - g->t || !fits(g->pos0 + g->t, g->ldp, g->d, sizeof(float)))))
        return CK_ERR_SHAPE;
    if (!g->y || !g->ids || (g->d && !g->w)) return CK_ERR_NULL;
    if (!ids_are_rows(g)) return CK_ERR_VALUE;
    return (int)embedding_overlap(g, blocks, of);
}

static int check_unary(const call *c)
{
    const ck_unary_args *const u = c->args;

    if (u->n == 0) return EMPTY;
    if (!fits(1, u->n, u->n, c->of->bytes)) return CK_ERR_SHAPE;
    if (!u->y || !u->x) return CK_ERR_NULL;
    const span y = span_of(u->y, 1, u->n, u->n, c->of->bytes);
    const span x = span_of(u->x, 1, u->n, u->n, c->of->bytes);
    return u->y != u->x && overlap(&y, &x) ? CK_ERR_ALIAS : CK_OK;
}

static int check_binary(const call *c)
{
    const ck_binary_args *const g = c->args;
    const size_t size = c->of->bytes;

    if (g->t == 0 || g->cols == 0) return EMPTY;
    if (g->cols < g->d || !fits(g->t, g->ldy, g->cols, size) || !fits(g->t, g->lda, g->d, size) ||
        !fits(g->t, g->ldb, g->d, size))
        return CK_ERR_SHAPE;
    if (!g->y || (g->d && (!g->a || !g->b))) return CK_ERR_NULL;
    const span y = span_of(g->y, g->t, g->ldy, g->cols, size);
    const span a = span_of(g->a, g->t, g->lda, g->d, size);
    const span b = span_of(g->b, g->t, g->ldb, g->d, size);
    const bool is_a = g->y == g->a && g->ldy == g->lda, is_b = g->y == g->b && g->ldy == g->ldb;
    return (!is_a && overlap(&y, &a)) || (!is_b && overlap(&y, &b)) ? CK_ERR_ALIAS : CK_OK;
}

/* n values at `values`, their blocks at `packed`. */
static int check_row(const void *values, const void *packed, size_t n, const block *of)
{
    const size_t blocks = n / of->elements;

    if (n == 0) return EMPTY;
    if (n % of->elements) return CK_ERR_MULTIPLE;
    if (!fits(1, n, n, sizeof(float))) return CK_ERR_SHAPE; /* blocks are no larger than values */
    if (!values || !packed) return CK_ERR_NULL;
    const span v = span_of(values, 1, n, n, sizeof(float));
    const span p = span_of(packed, 1, blocks, blocks, of->bytes);
    return overlap(&v, &p) ? CK_ERR_ALIAS : CK_OK;
}

static int check_quantize(const call *c)
{
    const ck_quantize_args *const q = c->args;
    return check_row(q->x, q->y, q->n, c->of);
}

static int check_dequant(const call *c)
{
    const ck_dequant_args *const d = c->args;
    return check_row(d->y, d->x, d->n, c->of);
}

static ck_status enter(const call *c, int (*check)(const call *c))
{
    if (!c->args) return CK_ERR_NULL;
    const int status = check(c);
    if (status == EMPTY) return CK_OK;
    return status == CK_OK ? run(c) : (ck_status)status;
}

#define CK_OP(family, op, dtype)                                                               \
    ck_status ck_##op##_##dtype(const ck_##family##_args *args)                                \
    {                                                                                          \
        return enter(&(const call){ CK_OP_##op##_##dtype, args, &block_##dtype, #family },     \
                     check_##family);                                                          \
    }                                                                                          \
    static void threads_##op##_##dtype(ck_fn *fn, const ck_numspec *spec, const void *args,    \
                                       unsigned threads)                                       \
    {                                                                                          \
        ck_divide(#family, &(ck_call){ CK_OP_##op##_##dtype, &block_##dtype, fn, spec, args }, \
                  threads);                                                                    \
    }
#define CK_KERNEL(family, op, dtype, isa)
#include "kernels.def"
#undef CK_OP

static const struct divided {
    const char *family;
    ck_threads_fn *threads;
} divided[CK_OP_COUNT] = {
#define CK_OP(family, op, dtype) { #family, threads_##op##_##dtype },
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
};

ck_threads_fn *ck_op_threads(ck_op op)
{
    return ck_divides(divided[op].family) ? divided[op].threads : NULL;
}
