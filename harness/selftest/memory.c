/* SPDX-License-Identifier: MIT */
/* Mutants of every family with right values that touch memory which is not theirs, or results that
 * depend on it. */
#include <math.h>
#include <string.h>

#include "gemm.h"
#include "mutant.h"

/* The byte after the last live one of operand k, and the one before its first. */
static void read_after(const void *args, size_t k)
{
    const hn_view v = hn_view_of(args);
    const hn_seen *o = &v.of[k];
    hn_wrapped(args);
    if (!o->at) return;
    (void)*(const volatile unsigned char *)hn_seen_at(o, o->rows - 1, hn_seen_live(o, o->rows - 1));
}

static void read_before(const void *args, size_t k)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    if (v.of[k].at) (void)*(const volatile unsigned char *)(v.of[k].at - 1);
}

static void reads_after_1(const void *args) { read_after(args, 1); }
static void reads_after_2(const void *args) { read_after(args, 2); }
static void reads_after_3(const void *args) { read_after(args, 3); }
static void reads_after_4(const void *args) { read_after(args, 4); }
static void reads_after_5(const void *args) { read_after(args, 5); }
static void reads_before_1(const void *args) { read_before(args, 1); }
static void reads_before_2(const void *args) { read_before(args, 2); }
static void reads_before_3(const void *args) { read_before(args, 3); }
static void reads_before_4(const void *args) { read_before(args, 4); }
static void reads_before_5(const void *args) { read_before(args, 5); }

/* Where row `row` of operand k is taken to begin by an index of 32 bits, signed or not. */
static unsigned char *wrapped_row(const hn_seen *o, size_t row, int is_signed)
{
    const uint32_t index = (uint32_t)(row * o->ld);
    const ptrdiff_t units = is_signed ? (ptrdiff_t)(int32_t)index : (ptrdiff_t)index;
    return o->at + units * (ptrdiff_t)o->unit;
}

/* Of the last row of operand k, the first byte. */
static void read_wrapped(const void *args, size_t k)
{
    const hn_view v = hn_view_of(args);
    const hn_seen *o = &v.of[k];
    hn_wrapped(args);
    if (o->at && o->rows) (void)*(const volatile unsigned char *)wrapped_row(o, o->rows - 1, 1);
}

static void last_row_in_int_1(const void *args) { read_wrapped(args, 1); }
static void last_row_in_int_2(const void *args) { read_wrapped(args, 2); }

/* The last row of the output; not onto itself, where another thread may be writing its part of it. */
static void write_wrapped(const void *args, int is_signed)
{
    const hn_view v = hn_view_of(args);
    const hn_seen *y = &v.of[0];
    hn_wrapped(args);
    if (!y->rows) return;
    const unsigned char *from = hn_seen_at(y, y->rows - 1, 0);
    unsigned char *to = wrapped_row(y, y->rows - 1, is_signed);
    if (to != from) memmove(to, from, hn_seen_live(y, y->rows - 1) * y->unit);
}

static void writes_last_row_in_int(const void *args) { write_wrapped(args, 1); }
static void writes_last_row_in_unsigned(const void *args) { write_wrapped(args, 0); }

/* Into the slack of the last row but one. */
static void writes_slack(const void *args)
{
    const hn_view v = hn_view_of(args);
    const hn_seen *y = &v.of[0];
    hn_wrapped(args);
    if (y->rows > 1 && y->ld > y->cols) *hn_seen_at(y, y->rows - 2, y->cols) = 0;
}

static void writes_last_slack(const void *args)
{
    const hn_view v = hn_view_of(args);
    const hn_seen *y = &v.of[0];
    hn_wrapped(args);
    if (y->rows > 1 && y->ld > y->cols) hn_seen_at(y, y->rows - 1, 0)[-1] = 0;
}

static void writes_after(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    *hn_seen_at(&v.of[0], v.of[0].rows - 1, v.of[0].cols) = 0;
}

static void writes_before(const void *args)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    v.of[0].at[-1] = 0;
}

/* Writes the last element back as it was. */
static void last_unwritten(const void *args)
{
    const hn_view v = hn_view_of(args);
    unsigned char *last = hn_seen_at(&v.of[0], v.of[0].rows - 1, v.of[0].cols - 1);
    unsigned char before[2048];
    memcpy(before, last, v.of[0].unit);
    hn_wrapped(args);
    memcpy(last, before, v.of[0].unit);
}

static void last_code_unwritten(const void *args)
{
    const hn_view v = hn_view_of(args);
    unsigned char *end = hn_seen_at(&v.of[0], 0, v.of[0].cols);
    const unsigned char before = end[-1];
    hn_wrapped(args);
    end[-1] = before;
}

/* The last bit of the last live unit of operand k. */
static void change_input(const void *args, size_t k)
{
    const hn_view v = hn_view_of(args);
    const hn_seen *o = &v.of[k];
    hn_wrapped(args);
    const size_t live = o->at ? hn_seen_live(o, o->rows - 1) : 0;
    if (live) hn_seen_at(o, o->rows - 1, live)[-1] ^= 1;
}

static void changes_1(const void *args) { change_input(args, 1); }
static void changes_2(const void *args) { change_input(args, 2); }
static void changes_3(const void *args) { change_input(args, 3); }

/* The first byte of what follows the first row of operand k; NULL: nothing does, or another row. */
static unsigned char *beyond_row(const hn_view *v, size_t k)
{
    const hn_seen *o = &v->of[k];
    const size_t live = hn_seen_live(o, 0);
    if (!o->at || live == o->ld || (o->rows == 1 && live == o->cols)) return NULL;
    return hn_seen_at(o, 0, live);
}

static void scribbles_1(const void *args)
{
    const hn_view v = hn_view_of(args);
    unsigned char *beyond = beyond_row(&v, 1);
    hn_wrapped(args);
    if (beyond) *beyond ^= 1;
}

/* Another result for other junk. */
static void use_junk(const void *args, size_t k)
{
    const hn_view v = hn_view_of(args);
    const unsigned char *beyond = beyond_row(&v, k);
    const unsigned char junk = beyond ? *beyond : 0;
    hn_wrapped(args);
    v.of[0].at[0] ^= junk;
}

static void uses_slack_1(const void *args) { use_junk(args, 1); }
static void uses_slack_2(const void *args) { use_junk(args, 2); }

/* Where no row follows, a guard page may. */
static void uses_beyond(const void *args)
{
    const hn_view v = hn_view_of(args);
    const hn_seen *o = &v.of[1];
    hn_wrapped(args);
    if (!o->at) return;
    v.of[0].at[0] ^= *hn_seen_at(o, o->rows - 1, hn_seen_live(o, o->rows - 1));
}

/* y += what was there. A sum that rounds to what was there looks like nothing written. */
static void add_old(const void *args, int only_finite)
{
    const hn_view v = hn_view_of(args);
    unsigned char *last = hn_seen_at(&v.of[0], v.of[0].rows - 1, v.of[0].cols - 1);
    float before, y;
    memcpy(&before, last, sizeof before);
    hn_wrapped(args);
    memcpy(&y, last, sizeof y);
    if (!only_finite || isfinite(before)) y += before;
    memcpy(last, &y, sizeof y);
}

static void adds_old(const void *args) { add_old(args, 0); }
static void adds_old_finite(const void *args) { add_old(args, 1); }

static void adds_old_code(const void *args)
{
    const hn_view v = hn_view_of(args);
    unsigned char *end = hn_seen_at(&v.of[0], 0, v.of[0].cols);
    const unsigned char before = end[-1];
    hn_wrapped(args);
    end[-1] = (unsigned char)(end[-1] + before);
}

/* beta = 0 times what must not be read. */
static void beta_zero_reads_c(const void *args)
{
    const ck_gemm_args *g = args;
    hn_wrapped(args);
    for (size_t i = 0; g->beta == 0.0f && g->c && i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) g->y[i * g->ldy + j] += 0.0f * g->c[i * g->ldc + j];
}

#define ON_FACTORS                                                                 \
    "gemm_??_f32 gemv_f32 gemm_nt_q8_0_q8_0 gemm_nt_q4_kx8_q8_k gemm_nt_silu_f32 " \
    "gemm_nt_swiglu_f32"
/* The first row is the other, or nothing is. */
#define BY_OTHER_ROW (HN_BY(GUARD) | HN_BY(CRASH) | HN_BY(SLACK) | HN_BY(VALUE))
#define ON_STRIDES                                                                          \
    "gemm_* attention_* rmsnorm_* layernorm_* swiglu_* residual_* rope_half_* rope_pair_* " \
    "softmax_causal_f32"
#define ROW(what, ons, mode, by)                                          \
    {                                                                     \
        .name = #what, .on = ons, .modes = mode, .fn = what, .checks = by \
    }
static const hn_mutant list[] = {
    ROW(reads_after_1, HN_ON_ALL, HN_IN_BOTH, HN_BY(GUARD)),
    ROW(reads_after_2, ON_FACTORS " rmsnorm_f32 layernorm_f32 swiglu_f32", HN_IN_BOTH,
        HN_BY(GUARD)),
    ROW(reads_after_3, ON_FACTORS " layernorm_f32", HN_IN_FAST, HN_BY(GUARD)),
    ROW(reads_after_4, "gemm_??_f32 gemv_f32 gemm_nt_swiglu_f32", HN_IN_FAST, HN_BY(GUARD)),
    ROW(reads_after_5, "gemm_nt_swiglu_f32", HN_IN_FAST, HN_BY(GUARD)),
    ROW(reads_before_1, HN_ON_ALL, HN_IN_BOTH, HN_BY(GUARD)),
    ROW(reads_before_2, ON_FACTORS " rmsnorm_f32 layernorm_f32 swiglu_f32", HN_IN_BOTH,
        HN_BY(GUARD)),
    ROW(reads_before_3, ON_FACTORS " layernorm_f32", HN_IN_FAST, HN_BY(GUARD)),
    ROW(reads_before_4, "gemm_??_f32 gemv_f32 gemm_nt_swiglu_f32", HN_IN_FAST, HN_BY(GUARD)),
    ROW(reads_before_5, "gemm_nt_swiglu_f32", HN_IN_FAST, HN_BY(GUARD)),
    ROW(last_row_in_int_1, ON_STRIDES, HN_IN_BOTH, HN_BY(GUARD) | HN_BY(CRASH)),
    ROW(last_row_in_int_2, ON_FACTORS, HN_IN_FAST, HN_BY(GUARD) | HN_BY(CRASH)),
    ROW(writes_last_row_in_int, ON_STRIDES, HN_IN_BOTH, BY_OTHER_ROW),
    ROW(writes_last_row_in_unsigned,
        "gemm_nt_f32 gemm_nt_q8_0_q8_0 attention_f32 rmsnorm_f32 rope_half_f32 softmax_causal_f32",
        HN_IN_FAST, BY_OTHER_ROW),
    ROW(writes_slack, HN_ON_ROWS, HN_IN_BOTH, HN_BY(SLACK)),
    ROW(writes_last_slack, HN_ON_ROWS, HN_IN_FAST, HN_BY(SLACK)),
    ROW(writes_after, HN_ON_ALL, HN_IN_BOTH, HN_BY(SLACK) | HN_BY(GUARD)),
    ROW(writes_before, HN_ON_ALL, HN_IN_BOTH, HN_BY(SLACK) | HN_BY(GUARD)),
    ROW(last_unwritten, HN_ON_ALL, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(last_code_unwritten, "quantize_row_q8_0", HN_IN_BOTH, HN_BY(PREFILL)),
    ROW(changes_1, HN_ON_ALL, HN_IN_BOTH, HN_BY(INPUT)),
    ROW(changes_2, ON_FACTORS " rmsnorm_f32 layernorm_f32 swiglu_f32", HN_IN_FAST, HN_BY(INPUT)),
    ROW(changes_3, ON_FACTORS " layernorm_f32", HN_IN_FAST, HN_BY(INPUT)),
    ROW(scribbles_1, HN_ON_ROWS, HN_IN_FAST, HN_BY(INPUT) | HN_BY(ALIAS)),
    ROW(uses_slack_1, HN_ON_ROWS, HN_IN_BOTH, HN_BY(JUNK) | HN_BY(ALIAS) | HN_BY(BATCH)),
    ROW(uses_slack_2, ON_FACTORS, HN_IN_FAST, HN_BY(JUNK)),
    ROW(uses_beyond, HN_ON_ALL, HN_IN_FAST, HN_BY(JUNK) | HN_BY(GUARD)),
    ROW(adds_old, HN_ON_F32, HN_IN_BOTH, HN_BY(PREFILL) | HN_BY(UNWRITTEN)),
    ROW(adds_old_finite, HN_ON_F32, HN_IN_FAST, HN_BY(PREFILL)),
    ROW(adds_old_code, "quantize_row_q8_0", HN_IN_FAST, HN_BY(PREFILL)),
    ROW(beta_zero_reads_c, "gemm_??_f32", HN_IN_BOTH, HN_BY(JUNK)),
};
#undef ROW
#undef ON_FACTORS
#undef ON_STRIDES
#undef BY_OTHER_ROW

const hn_mutants hn_mutants_memory = { list, sizeof list / sizeof list[0] };
