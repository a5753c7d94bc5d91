/* SPDX-License-Identifier: MIT */
/* Wrong runtimes, and whether they are reported at the step that is wrong. */
#include "wrong.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attention.h"
#include "binary.h"
#include "ck_ops.h"
#include "ck_threads.h"
#include "embedding.h"
#include "gemm.h"
#include "kv.h"
#include "model.h"
#include "norm.h"
#include "rope.h"
#include "runtime.h"

/* A decoder in which nothing is the same by chance: pads everywhere, all biases, grouped heads. */
#define ROPE                                                                                \
    "runtime gen=1 L=2 D=20 I=24 H=4 G=2 hd=6 V=19 T=12 theta=10000 bias=7 tied=1 guard=1 " \
    "calls=p4,d2,xt,p3,r,p5,d1 seed=5"
/* The same with learned positions, norms of q and k and a head of its own. */
#define LEARNED                                                                   \
    "runtime gen=1 L=2 D=20 I=24 H=4 G=2 hd=6 V=19 T=12 bias=7 qknorm=1 guard=1 " \
    "calls=p4,d2,xt,p3,r,p5,d1 seed=5"

/* Blocks of 256 and 32: of 250 used columns, of 60, and of four heads of 6 in rows of 16; so that wo and w2
 * are in q5_0. */
#define BLOCKS                                                                               \
    "runtime gen=1 L=2 D=250 I=60 H=4 G=2 hd=6 V=19 T=12 theta=10000 bias=7 tied=1 guard=1 " \
    "w=q4_k wv=q6_k calls=p4,d2,xt,p3,r,p5,d1 seed=5"
/* Formats of one matrix each, learned positions. */
#define MIXED                                                                   \
    "runtime gen=1 L=2 D=60 I=60 H=4 G=2 hd=6 V=19 T=12 bias=7 guard=1 w=q8_0 " \
    "token_emb=q5_1 lm_head_weight=bf16 wo=f16 w2=q4_0 calls=p4,d2,xt,p3,r,p5,d1 seed=5"

/* Products that are compared in a sample. */
#define LARGE "runtime gen=1 L=1 D=80 I=1024 H=2 G=1 hd=8 V=9 T=4 theta=10000 seed=5"
/* With all steps fused that can be. */
#define FUSED                                                                               \
    "runtime gen=1 L=2 D=20 I=24 H=4 G=2 hd=6 V=19 T=12 theta=10000 bias=7 tied=1 guard=1 " \
    "fuse=3 calls=p4,d2,xt,p3,r,p5,d1 seed=5"
/* With products in blocks and sums fused: w2 and wo are in q5_0. */
#define FUSED_BLOCKS                                                                         \
    "runtime gen=1 L=2 D=250 I=60 H=4 G=2 hd=6 V=19 T=12 theta=10000 bias=7 tied=1 guard=1 " \
    "w=q4_k fuse=2 calls=p4,d2,xt,p3,r,p5,d1 seed=5"
/* With keys and values in 16 bits, of either kind. */
#define CACHED                                                                              \
    "runtime gen=1 L=2 D=20 I=24 H=4 G=2 hd=6 V=19 T=12 theta=10000 bias=7 tied=1 guard=1 " \
    "kv=bf16 calls=p4,d2,xt,p3,r,p5,d1 seed=5"
#define CACHED_F16                                                                       \
    "runtime gen=1 L=2 D=20 I=24 H=4 G=2 hd=6 V=19 T=12 bias=7 qknorm=1 guard=1 kv=f16 " \
    "calls=p4,d2,xt,p3,r,p5,d1 seed=5"
/* In several threads. */
#define THREADS                                                                             \
    "runtime gen=1 L=2 D=20 I=24 H=4 G=2 hd=6 V=19 T=12 theta=10000 bias=7 tied=1 guard=1 " \
    "calls=p4,d2,xt,p3,r,p5,d1 thr=3 seed=5"

enum { EDITS_MAX = 2 };

typedef struct wrong {
    const char *name, *line;
    hn_check check;
    const char *says; /* how the report must begin */
    hn_rt_edit edits[EDITS_MAX + 1];
    hn_rt_binding bindings[2];
    hn_rt_api api; /* NULL members: ours */
} wrong;

/* --- wrong kernels, each around the right one */

#define KERNEL(name, family, op) static ck_status name(const ck_##family##_args *a)

KERNEL(last_of_product, gemm, gemm_nt_f32)
{
    const ck_status status = ck_gemm_nt_f32(a);
    if (a->n == 19) a->y[(a->m - 1) * a->ldy + a->n - 1] *= 1.0001f;
    return status;
}

KERNEL(last_of_large_product, gemm, gemm_nt_f32)
{
    const ck_status status = ck_gemm_nt_f32(a);
    if (a->n == 2048) a->y[(a->m - 1) * a->ldy + a->n - 1] *= 1.0001f;
    return status;
}

static void flip_lowest_bit(float *x)
{
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    bits ^= 1;
    memcpy(x, &bits, sizeof bits);
}

/* Other bits where there are several threads, within any radius. */
KERNEL(bit_of_threads, gemm, gemm_nt_f32)
{
    const ck_status status = ck_gemm_nt_f32(a);
    if (ck_get_num_threads() > 1 && a->n == 19 && !ck_strict_parity())
        flip_lowest_bit(&a->y[(a->m - 1) * a->ldy + a->n - 1]);
    return status;
}

/* Terms of the product that merges heads, and of no other: four heads in rows of 16. */
enum { MERGED = 64 };

/* One bit of the last element, where heads are merged, on what is better than scalar. */
KERNEL(bit_of_merge, gemm, gemm_nt_f32)
{
    const ck_status status = ck_gemm_nt_f32(a);
    const unsigned better = ck_isa_mask() & ~(1u << CK_ISA_scalar);
    if (a->k == MERGED && better && ck_strict_parity())
        flip_lowest_bit(&a->y[(a->m - 1) * a->ldy + 19]);
    return status;
}

/* One bit in passes of one row: within the radius, but not what a longer pass gives. */
KERNEL(bit_of_single_rows, gemm, gemm_nt_f32)
{
    const ck_status status = ck_gemm_nt_f32(a);
    if (a->m == 1 && a->k == MERGED) flip_lowest_bit(&a->y[19]);
    return status;
}

KERNEL(last_head_alike, attention, attention_f32)
{
    const ck_status status = ck_attention_f32(a);
    float *const y = a->y + (a->tq - 1) * a->ldy;
    memcpy(y + 3 * a->head_y, y + 2 * a->head_y, a->d * sizeof *y);
    return status;
}

KERNEL(sees_the_future, attention, attention_f32)
{
    ck_attention_args b = *a;
    b.tk += b.tk < 12;
    return ck_attention_f32(&b);
}

KERNEL(last_pair, rope, rope_half_f32)
{
    const ck_status status = ck_rope_half_f32(a);
    a->y[(a->heads - 1) * a->head_y + (a->t - 1) * a->ldy + a->d - 1] += 0.001f;
    return status;
}

KERNEL(other_row_of_table, embedding, embedding_f32)
{
    int32_t ids[12];
    ck_embedding_args b = *a;
    memcpy(ids, a->ids, a->t * sizeof *ids);
    ids[a->t - 1] = ids[a->t - 1] ? 0 : 1;
    b.ids = ids;
    return ck_embedding_f32(&b);
}

KERNEL(last_statistic, rmsnorm, rmsnorm_f32)
{
    const ck_status status = ck_rmsnorm_f32(a);
    if (a->rstd) a->rstd[(a->t - 1) * a->ldr] *= 1.001f;
    return status;
}

KERNEL(writes_its_input, rmsnorm, rmsnorm_f32)
{
    const ck_status status = ck_rmsnorm_f32(a);
    if (a->x != a->y && a->rstd) ((float *)(uintptr_t)a->gamma)[a->d - 1] += 1;
    return status;
}

KERNEL(writes_a_row_more, binary, swiglu_f32)
{
    ck_binary_args b = *a;
    b.t += b.t < 5;
    return ck_swiglu_f32(&b);
}

KERNEL(refuses, binary, swiglu_f32) { return a->t == 1 ? CK_ERR_SHAPE : ck_swiglu_f32(a); }

KERNEL(never_returns, binary, residual_add_f32)
{
    for (volatile int on = 1; on && a;) {
    }
    return CK_OK;
}

KERNEL(falls, binary, residual_add_f32)
{
    *(volatile int *)(uintptr_t)(a->t == 1 ? 8 : (uintptr_t)a->y) = 1;
    return ck_residual_add_f32(a);
}

/* --- of caches: in the last head, token and element */

static size_t last_of_cache(const ck_kv_args *a)
{
    return (a->kv_heads - 1) * a->head_y + (a->position + a->t - 1) * a->ldy + a->d - 1;
}

/* Its lower half is left out. */
KERNEL(truncates, kv, kv_write_bf16)
{
    const ck_status status = ck_kv_write_bf16(a);
    const size_t from = (a->kv_heads - 1) * a->head_x + (a->t - 1) * a->ldx + a->d - 1;
    uint32_t bits;
    memcpy(&bits, &a->v[from], sizeof bits);
    ((uint16_t *)a->v_cache)[last_of_cache(a)] = (uint16_t)(bits >> 16);
    return status;
}

/* One bit where a pass has one row. */
KERNEL(bit_of_single_tokens, kv, kv_write_f16)
{
    const ck_status status = ck_kv_write_f16(a);
    if (a->t == 1) ((uint16_t *)a->v_cache)[last_of_cache(a)] ^= 1;
    return status;
}

/* The last key of the last head is taken for the one before, in decoding. */
KERNEL(last_key_is_stale, attention, attention_f16)
{
    uint16_t copy[2 * 12 * 16];
    ck_attention_args b = *a;
    if (a->tq > 1) return ck_attention_f16(a);
    memcpy(copy, a->k, sizeof copy);
    uint16_t *const last = copy + a->head_k + (a->tk - 1) * a->ldk;
    memcpy(last, last - a->ldk, a->d * sizeof *last);
    b.k = copy;
    return ck_attention_f16(&b);
}

/* --- of blocks: what they are given is a copy with one mistake */

enum { COPY = 1 << 14, LAST_OF_W2 = 249, LAST_OF_HEAD = 18 };

static ck_gemm_w_args copied(const ck_gemm_w_args *a, size_t row_bytes, unsigned char copy[COPY])
{
    ck_gemm_w_args b = *a;
    memcpy(copy, a->b, a->n * row_bytes);
    b.b = copy;
    return b;
}

/* Of the last used row, the last block has the scale of the one before. */
KERNEL(scale_of_neighbour, gemm_w, gemm_nt_q5_0_f32)
{
    unsigned char copy[COPY];
    const ck_gemm_w_args b = copied(a, 2 * CK_Q5_0_BYTES, copy);
    unsigned char *const row = copy + LAST_OF_W2 * 2 * CK_Q5_0_BYTES;
    memcpy(row + CK_Q5_0_BYTES, row, 2);
    return ck_gemm_nt_q5_0_f32(&b);
}

/* Of the last used row, the fifth bits of the last block are those of the one before. */
KERNEL(fifth_bits_of_neighbour, gemm_w, gemm_nt_q5_0_f32)
{
    unsigned char copy[COPY];
    const ck_gemm_w_args b = copied(a, 2 * CK_Q5_0_BYTES, copy);
    unsigned char *const row = copy + LAST_OF_W2 * 2 * CK_Q5_0_BYTES;
    memcpy(row + CK_Q5_0_BYTES + 2, row + 2, 4);
    return ck_gemm_nt_q5_0_f32(&b);
}

/* The last word of the vocabulary is a sum without minimums. */
KERNEL(minimum_left_out, gemm_w, gemm_nt_q4_k_f32)
{
    unsigned char copy[COPY];
    if (a->n != LAST_OF_HEAD + 1) return ck_gemm_nt_q4_k_f32(a);
    const ck_gemm_w_args b = copied(a, CK_Q4_K_BYTES, copy);
    memset(copy + LAST_OF_HEAD * CK_Q4_K_BYTES + 2, 0, 2);
    return ck_gemm_nt_q4_k_f32(&b);
}

/* Sub-scale 15 is taken for that of sub-block 14, in the last row of the last head. */
KERNEL(sub_scale_of_neighbour, gemm_w, gemm_nt_q6_k_f32)
{
    unsigned char copy[COPY];
    const ck_gemm_w_args b = copied(a, CK_Q6_K_BYTES, copy);
    unsigned char *const scales = copy + 5 * CK_Q6_K_BYTES + 192;
    scales[15] = scales[14];
    return ck_gemm_nt_q6_k_f32(&b);
}

KERNEL(bit_of_strict_blocks, gemm_w, gemm_nt_q5_0_f32)
{
    const ck_status status = ck_gemm_nt_q5_0_f32(a);
    const unsigned better = ck_isa_mask() & ~(1u << CK_ISA_scalar);
    if (better && ck_strict_parity()) flip_lowest_bit(&a->y[(a->m - 1) * a->ldy + LAST_OF_W2]);
    return status;
}

KERNEL(bit_of_single_rows_of_blocks, gemm_w, gemm_nt_q5_0_f32)
{
    const ck_status status = ck_gemm_nt_q5_0_f32(a);
    if (a->m == 1) flip_lowest_bit(&a->y[LAST_OF_W2]);
    return status;
}

/* Nothing is added to the last row. */
KERNEL(sum_of_last_row_left_out, gemm_w, gemm_nt_q5_0_f32)
{
    ck_gemm_w_args last = *a;
    const ck_status status = ck_gemm_nt_q5_0_f32(a);
    if (status != CK_OK || !a->c || a->m < 2) return status;
    last.m = 1;
    last.a += (a->m - 1) * a->lda;
    last.y += (a->m - 1) * a->ldy;
    last.c = NULL;
    return ck_gemm_nt_q5_0_f32(&last);
}

/* The last block of the last token's row is the first one. */
KERNEL(block_of_embedding, embedding, embedding_q5_1)
{
    ck_embedding_args b = *a;
    unsigned char copy[COPY];
    const size_t row = a->ldw * CK_Q5_1_BYTES;
    memcpy(copy, a->w, a->vocab * row);
    unsigned char *const last = copy + (size_t)a->ids[a->t - 1] * row;
    memcpy(last + CK_Q5_1_BYTES, last, CK_Q5_1_BYTES);
    b.w = copy;
    return ck_embedding_q5_1(&b);
}

#define BIND(entry, function)                                          \
    {                                                                  \
        { entry, (const void *)(uintptr_t)(function) }, { NULL, NULL } \
    }

/* --- wrong calls, each around the right one */

static int open_dirty(ck_model **m, const ck_program *program)
{
    const int status = ck_model_open(m, program);
    if (status == CK_MODEL_OK) ck_model_arena(*m)[program->bytes - program->guard - 1] = 1;
    return status;
}

static int open_with_stale_tables(ck_model **m, const ck_program *program)
{
    const int status = ck_model_open(m, program);
    const ck_buffer *const b = ck_find_buffer(program, "rope_sin_cache");
    float *const last = (float *)(void *)(ck_model_arena(*m) + b->offset) + b->bytes / 4 - 1;
    *last = last[-(ptrdiff_t)b->dim[1]];
    return status;
}

static int reset_nothing(ck_model *m)
{
    (void)m;
    return CK_MODEL_OK;
}

static int reset_and_clear(ck_model *m)
{
    memset(ck_model_arena(m) + ck_find_buffer(m->program, "k")->offset, 0, 4);
    return ck_model_reset(m);
}

static int decode_at_zero(ck_model *m, int32_t token, float *logits, size_t room)
{
    const size_t position = m->position;
    m->position = 0;
    const int status = ck_model_decode(m, token, logits, room);
    m->position += position;
    return status;
}

static int decode_twice(ck_model *m, int32_t token, float *logits, size_t room)
{
    const int status = ck_model_decode(m, token, logits, room);
    if (status == CK_MODEL_OK) m->position++;
    return status;
}

static int prefill_keeps_position(ck_model *m, const int32_t *tokens, size_t n, float *logits,
                                  size_t room)
{
    const size_t position = m->position;
    const int status = ck_model_prefill(m, tokens, n, logits, room);
    m->position = position;
    return status;
}

static int prefill_counts_errors(ck_model *m, const int32_t *tokens, size_t n, float *logits,
                                 size_t room)
{
    const int status = ck_model_prefill(m, tokens, n, logits, room);
    m->position += status == CK_MODEL_TOKEN;
    return status;
}

static int prefill_takes_all(ck_model *m, const int32_t *tokens, size_t n, float *logits,
                             size_t room)
{
    const int status = ck_model_prefill(m, tokens, n, logits, room);
    return status == CK_MODEL_TOKEN ? CK_MODEL_OK : status;
}

static int prefill_of_first_logits(ck_model *m, const int32_t *tokens, size_t n, float *logits,
                                   size_t room)
{
    const int status = ck_model_prefill(m, tokens, n, logits, room);
    if (status == CK_MODEL_OK && logits && n > 1)
        memcpy(logits + (n - 1) * 19, logits, 19 * sizeof *logits);
    return status;
}

static int prefill_writes_behind(ck_model *m, const int32_t *tokens, size_t n, float *logits,
                                 size_t room)
{
    const int status = ck_model_prefill(m, tokens, n, logits, room);
    if (status == CK_MODEL_OK && logits) logits[n * 19] = 0;
    return status;
}

#define EDIT(step, from, to)                     \
    {                                            \
        { step, from, to }, { NULL, NULL, NULL } \
    }
#define PROGRAM2(name, line, check, says, ...)                                \
    {                                                                         \
        name, line, HN_CHECK_##check, says, { __VA_ARGS__ }, { { 0 } }, { 0 } \
    }
#define PROGRAM(name, line, check, says, step, from, to)                           \
    {                                                                              \
        name, line, HN_CHECK_##check, says, EDIT(step, from, to), { { 0 } }, { 0 } \
    }
#define CALLS(name, line, check, says, ...)                                       \
    {                                                                             \
        name, line, HN_CHECK_##check, says, { { 0 } }, { { 0 } }, { __VA_ARGS__ } \
    }
#define BELOW(name, line, check, says, entry, function)                                   \
    {                                                                                     \
        name, line, HN_CHECK_##check, says, { { 0 } }, BIND("ck_" entry, function), { 0 } \
    }

static const wrong list[] = {
    /* emitted programs: one mistake each, in the last layer, head, row or lane where there is a choice */
    PROGRAM("embeds_row_less", ROPE, NAN, "p4: layer 0 embed: y[3,0]", "embed", ".t = r->rows",
            ".t = r->rows - 1"),
    PROGRAM("positions_from_zero", LEARNED, VALUE, "d2: layer 0 embed_at: y[4,0]", "embed_at",
            "ck_row(r, POS_EMB, 32)", "ck_at(r, POS_EMB)"),
    PROGRAM("norm_of_first_layer", ROPE, VALUE, "p4: layer 1 norm1: y[0,0]", "norm1", "INPUT(l)",
            "INPUT(0)"),
    PROGRAM("wrong_gamma", ROPE, VALUE, "p4: layer 0 norm1: y[0,0]", "norm1", "LN1_GAMMA(l)",
            "LN2_GAMMA(l)"),
    PROGRAM("wrong_epsilon", ROPE, VALUE, "p4: layer 0 norm1: y[0,", "norm1", "9.99999975e-06f",
            "1e-4f"),
    PROGRAM("last_head_of_q", ROPE, NAN, "p4: layer 0 project_q: y[3,0,0]", "project_q", "h < 4",
            "h < 3"),
    PROGRAM("weights_of_first_head", ROPE, VALUE, "p4: layer 0 project_q: y[1,0,0]", "project_q",
            "+ h * 512,\n            .bias", ",\n            .bias"),
    PROGRAM("last_layers_weights_twice", ROPE, VALUE, "p4: layer 0 project_q: y[0,0,0]",
            "project_q", "WQ(l)", "WQ(1)"),
    PROGRAM("first_layers_weights_twice", ROPE, VALUE, "p4: layer 1 project_v: y[0,0,0]",
            "project_v", "WV(l)", "WV(0)"),
    PROGRAM("bias_of_first_head", ROPE, VALUE, "p4: layer 0 project_k: y[1,0,0]", "project_k",
            ") + h * 16,\n            .m", "),\n            .m"),
    PROGRAM("bias_missing", ROPE, VALUE, "p4: layer 0 project_v: y[0,0,0]", "project_v", ".bias",
            ".c"),
    PROGRAM("last_kv_row_one_further", ROPE, NAN, "p4: layer 1 project_v: y[0,0,0]", "project_v",
            "ck_row(r, V(l), 16)", "ck_row(r, V(l), 16) + 16 * l"),
    PROGRAM("kv_row_not_appended", ROPE, NAN, "d2: layer 0 project_k: y[0,4,0]", "project_k",
            "ck_row(r, K(l), 16)", "ck_at(r, K(l))"),
    PROGRAM("norm_of_q_twice", LEARNED, VALUE, "p4: layer 0 norm_k: y[0,0,0]", "norm_k", "K(l)",
            "Q(l)"),
    PROGRAM("last_head_not_normed", LEARNED, VALUE, "p4: layer 0 norm_q: y[3,0,", "norm_q", "h < 4",
            "h < 3"),
    PROGRAM("last_head_not_turned", ROPE, VALUE, "p4: layer 0 rope_q: y[3,1,0]", "rope_q",
            ".heads = 4", ".heads = 3"),
    PROGRAM("turned_from_zero", ROPE, VALUE, "d2: layer 0 rope_k: y[0,4,0]", "rope_k",
            "ck_row(r, ROPE_COS_CACHE, 3)", "ck_at(r, ROPE_COS_CACHE)"),
    PROGRAM("stale_turn", ROPE, VALUE, "d2: layer 0 rope_k: y[0,4,0]", "rope_k", "    return",
            "    if (r->first) return 0;\n    return"),
    PROGRAM("turned_backwards", ROPE, VALUE, "p4: layer 0 rope_q: y[0,0,0]", "rope_q",
            "ROPE_SIN_CACHE", "ROPE_COS_CACHE"),
    PROGRAM("mask_one_further", ROPE, VALUE, "p4: layer 0 attend: y[0,0,0]", "attend",
            "r->first + r->rows,", "r->first + r->rows + 1,"),
    PROGRAM("past_not_seen", ROPE, VALUE, "d2: layer 0 attend: y[0,4,", "attend",
            "r->first + r->rows,", "r->rows,"),
    PROGRAM("values_are_keys", ROPE, VALUE, "p4: layer 0 attend: y[0,0,0]", "attend", "V(l)",
            "K(l)"),
    PROGRAM("one_group_of_heads", ROPE, VALUE, "p4: layer 0 attend: y[2,0,0]", "attend",
            ".kv_heads = 2", ".kv_heads = 1"),
    PROGRAM("keys_of_other_layer", ROPE, VALUE, "p4: layer 1 attend: y[0,1,", "attend",
            "ck_at(r, K(l))", "ck_at(r, K(0))"),
    PROGRAM("wrong_scale", ROPE, VALUE, "p4: layer 0 attend: y[", "attend", "0.40824830", "0.4082"),
    PROGRAM("heads_on_each_other", ROPE, VALUE, "p4: layer 0 attend: y[0,0,0]", "attend",
            ".head_y = 16", ".head_y = 0"),
    PROGRAM("last_head_not_merged", ROPE, VALUE, "p4: layer 0 merge_heads: y[0,0]", "merge_heads",
            ".k = 64", ".k = 48"),
    PROGRAM("heads_of_first_row", ROPE, VALUE, "d2: layer 0 merge_heads: y[4,0]", "merge_heads",
            "ck_row(r, ATTN_OUT(l), 64)", "ck_at(r, ATTN_OUT(l))"),
    PROGRAM("bias_not_merged", ROPE, VALUE, "p4: layer 0 merge_heads: y[0,0]", "merge_heads",
            "ck_at(r, BO(l))", "NULL"),
    PROGRAM("residual_of_other_layer", ROPE, VALUE, "p4: layer 1 add1: y[0,0]", "add1", "INPUT(l)",
            "INPUT(0)"),
    PROGRAM("residual_missing", ROPE, VALUE, "p4: layer 0 add2: y[0,0]", "add2", "RESIDUAL1(l)",
            "MLP_OUT(l)"),
    PROGRAM("last_row_of_mlp", ROPE, NAN, "p4: layer 0 mlp_down: y[3,0]", "mlp_down",
            ".m = r->rows", ".m = r->rows - 1"),
    PROGRAM("last_term_of_mlp", ROPE, VALUE, "p4: layer 0 mlp_down: y[0,0]", "mlp_down", ".k = 24",
            ".k = 23"),
    PROGRAM("gates_exchanged", ROPE, VALUE, "p4: layer 0 swiglu: y[0,0]", "swiglu",
            ".a = ck_row(r, FC1_OUT(l), 64)", ".a = ck_row(r, FC1_OUT(l), 64) + 32"),
    PROGRAM("pads_not_written", ROPE, SLACK, "p4: layer 0 swiglu: pad lane y[0,24]", "swiglu",
            ".cols = 32", ".cols = 24"),
    PROGRAM("last_column_of_mlp", ROPE, VALUE, "p4: layer 0 swiglu: y[0,23]", "swiglu", ".d = 24",
            ".d = 23"),
    PROGRAM("final_norm_of_first_layer", ROPE, VALUE, "p4: layer 1 final_norm: y[0,0]",
            "final_norm", "OUTPUT(l)", "OUTPUT(0)"),
    PROGRAM("tied_head_one_row_off", ROPE, VALUE, "p4: layer 1 head: y[0,0]", "head",
            "ck_at(r, TOKEN_EMB)", "ck_at(r, TOKEN_EMB) + 32"),
    PROGRAM("head_is_tied", LEARNED, VALUE, "p4: layer 1 head: y[0,0]", "head", "LM_HEAD_WEIGHT",
            "TOKEN_EMB"),
    PROGRAM("last_of_vocabulary", ROPE, NAN, "p4: layer 1 head: y[0,18]", "head", ".n = 19",
            ".n = 18"),
    PROGRAM("writes_a_bias", ROPE, INPUT, "p4: layer 1 mlp_down: writes byte 76 of b2 of layer 1",
            "mlp_down", "    return ck_gemm_nt_f32(&a);",
            "    const int status = ck_gemm_nt_f32(&a);\n    if (l == 1) ck_at(r, B2(l))[19] += "
            "1;\n    return status;"),
    PROGRAM("writes_a_guard", ROPE, SLACK, "p4: layer 1 add2: writes byte", "add2", "    return",
            "    if (l == 1) ck_at(r, OUTPUT(l))[-1] = 0;\n    return"),
    PROGRAM("writes_the_cache", ROPE, SLACK, "d2: layer 1 norm2: writes byte 0 of k of layer 0",
            "norm2", "    return",
            "    if (l == 1 && r->first == 5) ck_at(r, K(0))[0] = 0;\n    return"),
    PROGRAM("fused_gate_is_factor", FUSED, VALUE, "p4: layer 0 mlp_gate: y[0,0]", "mlp_gate",
            "W1(l)) + 1024", "W1(l))"),
    PROGRAM("fused_bias_of_gate", FUSED, VALUE, "p4: layer 0 mlp_gate: y[0,0]", "mlp_gate",
            "B1(l)) + 32", "B1(l))"),
    PROGRAM("fused_last_column", FUSED, NAN, "p4: layer 0 mlp_gate: y[0,23]", "mlp_gate", ".n = 24",
            ".n = 23"),
    PROGRAM("fused_pads_not_cleared", FUSED, SLACK, "p4: layer 0 mlp_gate: pad lane y[0,24]",
            "mlp_gate", "status == 0", "status != 0"),
    PROGRAM("fused_residual_of_other_layer", FUSED, VALUE, "p4: layer 1 merge_heads_add: y[0,0]",
            "merge_heads_add", "INPUT(l)", "INPUT(0)"),
    PROGRAM("fused_residual_of_first_row", FUSED, VALUE, "d2: layer 0 merge_heads_add: y[4,0]",
            "merge_heads_add", "ck_row(r, INPUT(l), 32)", "ck_at(r, INPUT(l))"),
    PROGRAM("fused_residual_missing", FUSED, VALUE, "p4: layer 0 mlp_down_add: y[0,0]",
            "mlp_down_add", ".beta = 1", ".beta = 0"),
    PROGRAM("fused_last_term", FUSED, VALUE, "p4: layer 0 mlp_down_add: y[0,0]", "mlp_down_add",
            ".k = 24", ".k = 23"),
    PROGRAM("fused_last_row", FUSED, NAN, "p4: layer 0 mlp_down_add: y[3,0]", "mlp_down_add",
            ".m = r->rows", ".m = r->rows - 1"),
    PROGRAM("fused_blocks_residual_of_other_layer", FUSED_BLOCKS, VALUE,
            "p4: layer 1 merge_heads_add: y[0,0]", "merge_heads_add", "INPUT(l)", "INPUT(0)"),
    PROGRAM("fused_blocks_residual_of_first_row", FUSED_BLOCKS, VALUE,
            "d2: layer 0 mlp_down_add: y[4,0]", "mlp_down_add", "ck_row(r, RESIDUAL1(l), 256)",
            "ck_at(r, RESIDUAL1(l))"),
    PROGRAM("fused_blocks_residual_missing", FUSED_BLOCKS, VALUE,
            "p4: layer 0 merge_heads_add: y[0,0]", "merge_heads_add",
            ".c = ck_row(r, INPUT(l), 256)", ".c = NULL"),
    PROGRAM("fused_blocks_residual_rows_apart", FUSED_BLOCKS, VALUE,
            "p4: layer 0 mlp_down_add: y[1,0]", "mlp_down_add", ".ldc = 256", ".ldc = 512"),
    PROGRAM("fused_blocks_last_block", FUSED_BLOCKS, VALUE, "p4: layer 0 mlp_down_add: y[0,0]",
            "mlp_down_add", ".k = 64", ".k = 32"),
    PROGRAM("fused_blocks_in_other_format", FUSED_BLOCKS, VALUE,
            "p4: layer 0 merge_heads_add: y[0,0]", "merge_heads_add", "ck_gemm_nt_q5_0_f32",
            "ck_gemm_nt_q4_0_f32"),
    PROGRAM("fused_blocks_pads_stay", FUSED_BLOCKS, SLACK,
            "p4: layer 0 mlp_down_add: pad lane y[0,250]", "mlp_down_add", "status == 0",
            "status != 0"),
    /* caches of 16 bits */
    PROGRAM("cache_row_stale", CACHED, VALUE, "d2: layer 0 kv_write: k[0,4,0]", "kv_write",
            "    return", "    if (r->first) return 0;\n    return"),
    PROGRAM("cache_row_stale_in_last_layer", CACHED, VALUE, "d2: layer 1 kv_write: k[0,5,0]",
            "kv_write", "    return", "    if (l == 1 && r->first == 5) return 0;\n    return"),
    PROGRAM("cache_without_last_token", CACHED, VALUE, "p4: layer 0 kv_write: k[0,3,0]", "kv_write",
            ".t = r->rows", ".t = r->rows - 1"),
    PROGRAM("cache_without_last_head", CACHED, VALUE, "p4: layer 0 kv_write: k[1,0,0]", "kv_write",
            ".kv_heads = 2", ".kv_heads = 1"),
    PROGRAM("cache_from_position_zero", CACHED, VALUE, "d2: layer 0 kv_write: k[0,4,0]", "kv_write",
            ".position = r->first", ".position = 0"),
    PROGRAM2("cache_rows_of_four_bytes", CACHED, VALUE, "d2: layer 0 kv_write: v[0,4,0]",
             { "kv_write", "ck_at(r, V(l))", "ck_row(r, V(l), 8) + r->first * 8" },
             { NULL, NULL, NULL }),
    PROGRAM("cache_last_head_a_row_further", CACHED, VALUE, "p4: layer 0 kv_write: k[1,0,0]",
            "kv_write", ".head_y = 192", ".head_y = 208"),
    PROGRAM("cache_keys_are_values", CACHED, VALUE, "p4: layer 0 kv_write: k[0,0,0]", "kv_write",
            "ck_row(r, K_NEW, 16)", "ck_row(r, V_NEW, 16)"),
    PROGRAM2("cache_keys_and_values_exchanged", CACHED, VALUE, "p4: layer 0 kv_write: k[0,0,0]",
             { "kv_write", ".k_cache = ck_at(r, K(l))", ".k_cache = ck_at(r, V(l))" },
             { "kv_write", ".v_cache = ck_at(r, V(l))", ".v_cache = ck_at(r, K(l))" }),
    PROGRAM("cache_of_last_layer_in_other_format", CACHED, VALUE, "p4: layer 1 kv_write: k[0,0,0]",
            "kv_write", "ck_kv_write_bf16(&a)", "l ? ck_kv_write_f16(&a) : ck_kv_write_bf16(&a)"),
    PROGRAM("cache_of_last_layer_read_as_other", CACHED_F16, VALUE, "p4: layer 1 attend: y[0,0,",
            "attend", "ck_attention_f16(&a)", "l ? ck_attention_bf16(&a) : ck_attention_f16(&a)"),
    PROGRAM("cache_before_rope", CACHED, PROGRAM,
            "p4: layer 0 rope_q: step kv_write of layer 0 comes in its place", NULL,
            "\"rope_q\", \"rope\", rope_q", "\"kv_write\", \"kv_write\", kv_write"),
    PROGRAM("cache_shared_with_layer_before", CACHED, VALUE, "p4: layer 1 kv_write: v[0,0,0]",
            "kv_write", "V(l)", "V(0)"),
    PROGRAM("cache_of_layer_before_read", CACHED, VALUE, "p4: layer 1 attend: y[0,0,0]", "attend",
            "V(l)", "V(0)"),
    PROGRAM("cache_not_read", CACHED, VALUE, "p4: layer 0 attend: y[0,", "attend", "K(l)", "K_NEW"),
    PROGRAM("cache_pads_not_written", CACHED, SLACK, "p4: layer 0 kv_write: pad lane k[0,0,6]",
            "kv_write", ".cols = 16", ".cols = 6"),
    PROGRAM("cache_without_last_element", CACHED_F16, VALUE, "p4: layer 0 kv_write: k[0,0,5]",
            "kv_write", ".d = 6", ".d = 5"),
    PROGRAM("cache_writes_the_past", CACHED, SLACK, "d2: layer 0 kv_write: writes byte", "kv_write",
            "    return",
            "    if (r->first) ((unsigned char *)a.v_cache)[2 * 16 * (r->first - 1)] ^= 1;\n"
            "    return"),
    PROGRAM("cache_table_in_f32", CACHED, PROGRAM, "layout: v of layer 0: dtype is 0, wanted", NULL,
            "{ \"v\", CK_ACTIVATION, CK_DTYPE_BF16", "{ \"v\", CK_ACTIVATION, CK_DTYPE_F32"),
    PROGRAM("steps_exchanged", ROPE, PROGRAM,
            "p4: layer 0 rope_q: step rope_k of layer 0 comes in its place", NULL,
            "\"rope_q\", \"rope\", rope_q", "\"rope_k\", \"rope\", rope_k"),
    PROGRAM("table_of_other_offset", ROPE, PROGRAM, "layout: b2 of layer 0: offset is", NULL,
            "{ \"b2\", CK_VECTOR, CK_DTYPE_F32, 1, ",
            "{ \"b2\", CK_VECTOR, CK_DTYPE_F32, 1, 64 + "),
    PROGRAM("does_not_compile", ROPE, PROGRAM, "the emitted C: ", "head", "return", "retrun"),
    PROGRAM("warns", ROPE, PROGRAM, "the emitted C: ", "head", "    const",
            "    int *p = 1.0f + r;\n    const"),
    /* weights in blocks */
    PROGRAM("blocks_embedded_as_others", BLOCKS, VALUE, "p4: layer 0 embed: y[0,0]", "embed",
            "ck_embedding_q4_k", "ck_embedding_q5_k"),
    PROGRAM("blocks_of_other_row", MIXED, VALUE, "p4: layer 0 embed_at: y[0,", "embed_at",
            ".ldw = 2", ".ldw = 3"),
    PROGRAM("pads_of_blocks_stay", BLOCKS, SLACK, "p4: layer 0 embed: pad lane y[0,250]", "embed",
            "if (status == 0)", "if (status)"),
    PROGRAM("pads_of_last_row_stay", BLOCKS, SLACK, "p4: layer 0 embed: pad lane y[3,250]", "embed",
            "ck_clear_pads(a.y, r->rows,", "ck_clear_pads(a.y, r->rows - 1,"),
    PROGRAM("last_layer_in_other_format", BLOCKS, VALUE, "p4: layer 1 project_v: y[0,0,0]",
            "project_v", "ck_gemm_nt_q6_k_f32(&a)",
            "l ? ck_gemm_nt_q4_k_f32(&a) : ck_gemm_nt_q6_k_f32(&a)"),
    PROGRAM("last_matrix_in_other_format", BLOCKS, VALUE, "p4: layer 0 mlp_down: y[0,0]",
            "mlp_down", "ck_gemm_nt_q5_0_f32", "ck_gemm_nt_q4_0_f32"),
    PROGRAM("heads_apart_as_in_other_format", BLOCKS, VALUE, "p4: layer 0 project_v: y[1,0,0]",
            "project_v", "h * 3360", "h * 2304"),
    PROGRAM("last_head_as_in_other_format", BLOCKS, VALUE, "p4: layer 0 project_q: y[3,0,0]",
            "project_q", "h * 2304", "h * (h == 3 ? 2816 : 2304)"),
    PROGRAM("rows_a_block_further_apart", BLOCKS, VALUE, "p4: layer 0 project_k: y[0,0,1]",
            "project_k", ".ldb = 1", ".ldb = 2"),
    PROGRAM("last_block_left_out", BLOCKS, VALUE, "p4: layer 0 mlp_down: y[0,0]", "mlp_down",
            ".k = 64", ".k = 32"),
    PROGRAM("used_part_of_blocks", BLOCKS, SEQUENCE, "p4: layer 0 mlp_up: returned", "mlp_up",
            ".k = 256", ".k = 250"),
    PROGRAM("factors_are_gates", BLOCKS, VALUE, "p4: layer 0 mlp_up: y[0,64]", "mlp_up",
            "    return ck_gemm_nt_q4_k_f32(&a);",
            "    ck_gemm_w_args b = a;\n    b.n = 64;\n    int status = ck_gemm_nt_q4_k_f32(&b);\n"
            "    b.y += 64;\n    b.bias += 64;\n    return status ? status : "
            "ck_gemm_nt_q4_k_f32(&b);"),
    PROGRAM("tied_head_as_floats", BLOCKS, NAN, "p4: layer 1 head: y[", "head",
            "    return ck_gemm_nt_q4_k_f32(&a);",
            "    const ck_gemm_args b = { .y = a.y, .a = a.a, .b = a.b, .m = a.m, .n = a.n, .k = "
            "a.k,\n        .ldy = a.ldy, .lda = a.lda, .ldb = a.lda, .alpha = 1 };\n    return "
            "ck_gemm_nt_f32(&b);"),
    PROGRAM("tied_head_in_other_format", BLOCKS, VALUE, "p4: layer 1 head: y[0,0]", "head",
            "ck_gemm_nt_q4_k_f32", "ck_gemm_nt_q5_k_f32"),
    PROGRAM("halves_are_brains", MIXED, VALUE, "p4: layer 1 head: y[0,0]", "head",
            "ck_gemm_nt_bf16_f32", "ck_gemm_nt_f16_f32"),
    PROGRAM("halves_without_last_head", MIXED, VALUE, "p4: layer 0 merge_heads: y[0,0]",
            "merge_heads", ".k = 64", ".k = 48"),
    PROGRAM("fallback_ignored", BLOCKS, PROGRAM, "layout: w2 of layer 0: dtype is 7, wanted 11",
            NULL, "{ \"w2\", CK_MATRIX, CK_DTYPE_Q5_0", "{ \"w2\", CK_MATRIX, CK_DTYPE_Q4_K"),
    PROGRAM("bytes_of_other_format", BLOCKS, PROGRAM,
            "layout: w1 of layer 0: bytes is 22528, wanted 18432", NULL, "173056, 18432",
            "173056, 22528"),
    PROGRAM("embedding_as_tied_in_f32", BLOCKS, PROGRAM, "layout: token_emb: dtype is 0, wanted 7",
            NULL, "{ \"token_emb\", CK_MATRIX, CK_DTYPE_Q4_K",
            "{ \"token_emb\", CK_MATRIX, CK_DTYPE_F32"),
    /* kernels that the runtime calls */
    BELOW("kernel_last_of_product", ROPE, VALUE, "p4: layer 1 head: y[3,18]", "gemm_nt_f32",
          last_of_product),
    BELOW("kernel_last_of_large_product", LARGE, VALUE, "p4: layer 0 mlp_up: y[3,2047]",
          "gemm_nt_f32", last_of_large_product),
    BELOW("kernel_last_head", ROPE, VALUE, "p4: layer 0 attend: y[3,3,0]", "attention_f32",
          last_head_alike),
    BELOW("kernel_sees_the_future", ROPE, VALUE, "p4: layer 0 attend: y[0,0,0]", "attention_f32",
          sees_the_future),
    BELOW("kernel_last_pair", ROPE, VALUE, "p4: layer 0 rope_q: y[3,3,5]", "rope_half_f32",
          last_pair),
    BELOW("kernel_other_token", ROPE, VALUE, "p4: layer 0 embed: y[3,0]", "embedding_f32",
          other_row_of_table),
    BELOW("kernel_last_statistic", ROPE, VALUE, "p4: layer 0 norm1: rstd[3]", "rmsnorm_f32",
          last_statistic),
    BELOW("kernel_writes_gamma", ROPE, INPUT,
          "p4: layer 0 norm1: writes byte 76 of ln1_gamma of layer 0", "rmsnorm_f32",
          writes_its_input),
    BELOW("kernel_row_more", ROPE, SLACK, "p4: layer 0 swiglu: writes byte", "swiglu_f32",
          writes_a_row_more),
    BELOW("kernel_refuses", ROPE, SEQUENCE,
          "d2: layer 0 swiglu: returned -8, wanted 0: layer 0, step swiglu", "swiglu_f32", refuses),
    BELOW("kernel_strict_bit", ROPE, VALUE, "p4: layer 0 merge_heads: y[3,19]", "gemm_nt_f32",
          bit_of_merge),
    BELOW("kernel_bit_of_single_rows", ROPE, SEQUENCE, "r: logits[4,", "gemm_nt_f32",
          bit_of_single_rows),
    BELOW("kernel_scale_of_neighbour", BLOCKS, VALUE, "p4: layer 0 merge_heads: y[0,249]",
          "gemm_nt_q5_0_f32", scale_of_neighbour),
    BELOW("kernel_fifth_bits", BLOCKS, VALUE, "p4: layer 0 merge_heads: y[0,249]",
          "gemm_nt_q5_0_f32", fifth_bits_of_neighbour),
    BELOW("kernel_without_minimum", BLOCKS, VALUE, "p4: layer 1 head: y[0,18]", "gemm_nt_q4_k_f32",
          minimum_left_out),
    BELOW("kernel_sub_scale", BLOCKS, VALUE, "p4: layer 0 project_v: y[0,0,5]", "gemm_nt_q6_k_f32",
          sub_scale_of_neighbour),
    BELOW("kernel_strict_bit_of_blocks", BLOCKS, VALUE, "p4: layer 0 merge_heads: y[3,249]",
          "gemm_nt_q5_0_f32", bit_of_strict_blocks),
    BELOW("kernel_bit_of_single_rows_of_blocks", BLOCKS, SEQUENCE, "r: logits[4,",
          "gemm_nt_q5_0_f32", bit_of_single_rows_of_blocks),
    BELOW("kernel_block_of_embedding", MIXED, VALUE, "p4: layer 0 embed_at: y[3,32]",
          "embedding_q5_1", block_of_embedding),
    BELOW("kernel_bit_of_threads", THREADS, SEQUENCE, "r: logits[", "gemm_nt_f32", bit_of_threads),
    BELOW("kernel_sum_of_last_row", FUSED_BLOCKS, VALUE, "p4: layer 0 merge_heads_add: y[3,0]",
          "gemm_nt_q5_0_f32", sum_of_last_row_left_out),
    BELOW("kernel_truncates", CACHED, VALUE, "p4: layer 1 kv_write: v[1,3,5]", "kv_write_bf16",
          truncates),
    BELOW("kernel_bit_of_single_tokens", CACHED_F16, VALUE, "d2: layer 0 kv_write: v[1,4,5]",
          "kv_write_f16", bit_of_single_tokens),
    BELOW("kernel_last_key_is_stale", CACHED_F16, VALUE, "d2: layer 0 attend: y[2,4,",
          "attention_f16", last_key_is_stale),
    BELOW("kernel_hangs", ROPE, HANG, "p4: layer 0 add1: no return", "residual_add_f32",
          never_returns),
    BELOW("kernel_crashes", ROPE, CRASH, "d2: layer 0 add1: signal 11 at address 0x8",
          "residual_add_f32", falls),
    /* calls of the runtime */
    CALLS("arena_not_zeroed", ROPE, SLACK, "open: writes byte", .open = open_dirty),
    CALLS("last_of_table", ROPE, VALUE, "open: rope_sin_cache[11,2] got",
          .open = open_with_stale_tables),
    CALLS("reset_does_nothing", ROPE, SEQUENCE, "r: the position is 9, wanted 0",
          .reset = reset_nothing),
    CALLS("reset_clears_keys", ROPE, SLACK, "r: writes byte 0 of k of layer 0",
          .reset = reset_and_clear),
    CALLS("decode_at_position_zero", ROPE, SEQUENCE,
          "d2: layer 0 embed: 1 rows from 0 on, wanted 1 from 4", .decode = decode_at_zero),
    CALLS("decode_counts_two", ROPE, SEQUENCE, "d2: the position is 6, wanted 5",
          .decode = decode_twice),
    CALLS("prefill_does_not_count", ROPE, SEQUENCE, "p4: the position is 0, wanted 4",
          .prefill = prefill_keeps_position),
    CALLS("error_takes_a_position", ROPE, SEQUENCE, "xt: the position is 7, wanted 6",
          .prefill = prefill_counts_errors),
    CALLS("any_token_will_do", ROPE, SEQUENCE, "xt: returned 0, wanted -5",
          .prefill = prefill_takes_all),
    CALLS("logits_of_first_row", ROPE, SEQUENCE, "p4: hands out other logits than it computed",
          .prefill = prefill_of_first_logits),
    CALLS("writes_behind_logits", ROPE, SLACK, "p4: writes behind the logits",
          .prefill = prefill_writes_behind),
};
enum { WRONG = sizeof list / sizeof *list };

/* --- their presentation */

static hn_rt_api api_of(const wrong *w)
{
    hn_rt_api api = hn_rt_own_api;
    if (w->api.open) api.open = w->api.open;
    if (w->api.prefill) api.prefill = w->api.prefill;
    if (w->api.decode) api.decode = w->api.decode;
    if (w->api.reset) api.reset = w->api.reset;
    return api;
}

static void nobody(void *context, const hn_variant *variant)
{
    (void)context;
    (void)variant;
}

/* In a child: the first variant that fails; strict bits need those of scalar before. */
static void present(const wrong *w, hn_result *result)
{
    const hn_rt_api api = api_of(w);
    const hn_rt_compiler compiler = { w->edits, w->bindings, NULL, &api };
    hn_result results[HN_MAX_VARIANTS] = { { .verdict = HN_OK } };
    hn_plan plan = { .op = hn_op_runtime };
    char error[256];
    size_t count;
    hn_case c;
    const ck_kernel *const kernels = hn_rt_kernels(&count);
    if (hn_case_parse(&c, w->line, error, sizeof error) != 0) {
        hn_record(result, HN_STALE, HN_CHECK_NONE, "%s", error);
        return;
    }
    for (size_t i = 0; i < 2 * count; i++)
        if (!kernels[i / 2].unavailable) hn_plan_add(&plan, &kernels[i / 2], i % 2, i);
    const hn_session session = { &plan, &c, nobody, NULL, 10 };
    hn_call_init();
    hn_rt_run_with(&session, &compiler, results);
    for (size_t i = plan.nvariants; i-- > 0;)
        if (results[i].verdict != HN_OK) *result = results[i];
}

static const char *verdict_of(hn_check check)
{
    return check == HN_CHECK_CRASH ? "CRASH" : check == HN_CHECK_HANG ? "HANG" : "FAIL";
}

/* Whether it is reported as it should be. */
static bool try_one(const wrong *w, hn_result *shared)
{
    char wanted[32], got[32];
    *shared = (hn_result){ .verdict = HN_OK };
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        present(w, shared);
        _exit(0);
    }
    if (pid > 0) waitpid(pid, NULL, 0);
    const bool good =
        shared->check == w->check && strncmp(shared->what, w->says, strlen(w->says)) == 0;
    snprintf(wanted, sizeof wanted, "%s %s", verdict_of(w->check), hn_check_names[w->check]);
    snprintf(got, sizeof got, "%s %s", hn_verdict_names[shared->verdict],
             shared->verdict == HN_OK ? "" : hn_check_names[shared->check]);
    printf("%-4s runtime.%-38s %-14s %-14s %6d\n", good ? "ok" : "FAIL", w->name, wanted, got, 1);
    if (!good) printf("     %s\n     wanted %s...\n", shared->what, w->says);
    return good;
}

static bool is_wanted(const wrong *w, bool (*wanted)(const char *filter, const char *name),
                      const char *filter)
{
    char name[96];
    snprintf(name, sizeof name, "runtime.%s", w->name);
    return !filter || wanted(filter, name);
}

size_t hn_rt_wrong_count(bool (*wanted)(const char *filter, const char *name), const char *filter)
{
    size_t count = 0;
    for (size_t i = 0; i < WRONG; i++) count += is_wanted(&list[i], wanted, filter);
    return count;
}

void hn_rt_selftest(bool (*wanted)(const char *filter, const char *name), const char *filter,
                    size_t *passed, size_t *failed, size_t *skipped)
{
    hn_result *const shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        fprintf(stderr, "ckparity: out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < WRONG; i++) {
        if (!is_wanted(&list[i], wanted, filter)) continue;
        if (hn_rt_lacks()) {
            printf("SKIP runtime.%-38s %s\n", list[i].name, hn_rt_lacks());
            ++*skipped;
        } else if (try_one(&list[i], shared)) {
            ++*passed;
        } else {
            ++*failed;
        }
    }
    munmap(shared, sizeof *shared);
}
