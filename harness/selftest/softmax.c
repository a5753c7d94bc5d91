/* SPDX-License-Identifier: MIT */
/* Mutants of softmax_causal_f32 and exp_f32. */
#include "softmax.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "mutant.h"
#include "unary.h"

/* --- softmax: a body in double, so that only the fault can be caught. */

typedef struct fault {
    bool future_key;  /* the sum takes one key too many */
    bool short_sum;   /* or one too few */
    bool no_max;      /* exp(x) instead of exp(x - max) */
    bool nan_row;     /* a row of nothing but -inf divides 0 by 0 */
    bool other_exp;   /* the second pass uses an exponential of 16 bits */
    bool reciprocal;  /* of 12 bits, and no Newton step */
    bool short_row;   /* the last row misses its last key */
    bool head_stride; /* the last head lies where it would if rows were tight */
} fault;

static double term(float x, float max, const fault *f)
{
    const float from = f->no_max ? 0.0f : max;
    const float d = x - from;
    if (f->no_max) return (double)expf(x);
    /* the scalar kernel's exp_zero_below */
    return d < -87.0f ? 0.0 : exp((double)d);
}

static void own_row(float *y, const float *x, size_t n, const fault *f)
{
    const size_t keys = f->future_key ? n + 1 : f->short_sum && n > 1 ? n - 1 : n;
    float max = -INFINITY;
    bool nan = false;
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        nan |= isnan(x[j]) || x[j] == (float)INFINITY;
        if (x[j] > max) max = x[j];
    }
    if (max == -(float)INFINITY && f->nan_row) nan = true;
    for (size_t j = 0; j < n && (nan || max == -(float)INFINITY); j++)
        y[j] = nan ? (float)NAN : 0.0f;
    if (nan || max == -(float)INFINITY) return;
    for (size_t j = 0; j < keys; j++) sum += term(x[j], max, f);
    for (size_t j = 0; j < n; j++) {
        double e = term(x[j], max, f);
        if (f->no_max) {
            y[j] = (float)e / (float)sum;
            continue;
        }
        if (f->other_exp) e *= 1.0 - 0x1p-16;
        if (f->reciprocal) {
            float r = (float)(1.0 / sum);
            uint32_t bits;
            memcpy(&bits, &r, sizeof bits);
            bits &= 0xfffff000u;
            memcpy(&r, &bits, sizeof r);
            y[j] = (float)e * r;
            continue;
        }
        y[j] = (float)(e / sum);
    }
}

static void own_rows(const ck_softmax_args *s, const fault *f)
{
    for (size_t r = 0; r < s->heads * s->t; r++) {
        const size_t i = r % s->t, head = r / s->t;
        const bool last_head = head > 0 && head == s->heads - 1;
        const bool short_row = f->short_row && i == s->t - 1 && i > 0;
        const float *x = s->x + r * s->ldx;
        float *y = s->y + r * s->ldy;
        const fault inner = { f->future_key && i < s->t - 1,
                              f->short_sum,
                              f->no_max,
                              f->nan_row,
                              f->other_exp,
                              f->reciprocal,
                              false,
                              false };
        if (f->head_stride && last_head) x = s->x + head * s->t * s->t + i * s->ldx;
        own_row(y, x, short_row ? i : i + 1, &inner);
        for (size_t j = short_row ? i : i + 1; j < s->cols; j++) y[j] = 0.0f;
    }
}

static void own(const void *args) { own_rows(args, &(fault){ 0 }); }
static void future_key(const void *args) { own_rows(args, &(fault){ .future_key = true }); }
static void short_sum(const void *args) { own_rows(args, &(fault){ .short_sum = true }); }
static void no_max(const void *args) { own_rows(args, &(fault){ .no_max = true }); }
static void nan_row(const void *args) { own_rows(args, &(fault){ .nan_row = true }); }
static void other_exp(const void *args) { own_rows(args, &(fault){ .other_exp = true }); }
static void reciprocal(const void *args) { own_rows(args, &(fault){ .reciprocal = true }); }
static void last_row_mask(const void *args) { own_rows(args, &(fault){ .short_row = true }); }
static void head_stride(const void *args) { own_rows(args, &(fault){ .head_stride = true }); }

/* --- softmax: what lies beyond the diagonal. */

/* Columns from `first` of each row are left as they were. */
static void leave(const ck_softmax_args *s, bool padding_only)
{
    const size_t rows = s->heads * s->t;
    float *before = malloc(rows * s->cols * sizeof *before);
    for (size_t r = 0; r < rows; r++)
        memcpy(before + r * s->cols, s->y + r * s->ldy, s->cols * sizeof *before);
    hn_wrapped(s);
    for (size_t r = 0; r < rows; r++)
        for (size_t j = padding_only ? s->t : r % s->t + 1; j < s->cols; j++)
            s->y[r * s->ldy + j] = before[r * s->cols + j];
    free(before);
}

static void padding_unwritten(const void *args) { leave(args, true); }
static void future_unwritten(const void *args) { leave(args, false); }

static void last_padding(const void *args)
{
    const ck_softmax_args *s = args;
    hn_wrapped(args);
    if (s->cols > s->t) s->y[(s->heads * s->t - 1) * s->ldy + s->cols - 1] = 0x1p-149f;
}

static void padding_minus_zero(const void *args)
{
    const ck_softmax_args *s = args;
    hn_wrapped(args);
    if (s->cols > s->t) s->y[s->cols - 1] = -0.0f;
}

static void last_head(const void *args)
{
    const ck_softmax_args *s = args;
    const hn_view v = hn_view_of(args);
    hn_wrapped(args);
    for (size_t i = 0; s->heads > 1 && i < s->t; i++)
        hn_spoil(&v.of[0], (s->heads - 1) * s->t + i, i);
}

/* The last row of the last head, if it is one of several, in another rounding. */
static void batch_head(const void *args)
{
    const ck_softmax_args *s = args;
    const size_t last = s->heads * s->t - 1;
    float *x = malloc(s->t * sizeof *x);
    memcpy(x, s->x + last * s->ldx, s->t * sizeof *x);
    hn_wrapped(args);
    if (s->heads > 1) own_row(s->y + last * s->ldy, x, s->t, &(fault){ 0 });
    free(x);
}

/* --- exp. */

static void threshold(const void *args)
{
    const ck_unary_args *u = args;
    hn_wrapped(args);
    for (size_t i = 0; u->x != u->y && i < u->n; i++)
        if (u->x[i] < -43.5f) u->y[i] = 0.0f;
}

/* Results that are no longer normal, kept. */
static void no_threshold(const void *args)
{
    const ck_unary_args *u = args;
    hn_wrapped(args);
    for (size_t i = 0; u->x != u->y && i < u->n; i++)
        if (u->y[i] == 0.0f && u->x[i] > -87.3f) u->y[i] = (float)exp((double)u->x[i]);
}

/* As the last coefficient of a polynomial might, away from 0. */
static void four_u(const void *args)
{
    const ck_unary_args *u = args;
    hn_wrapped(args);
    for (size_t i = 0; i < u->n; i++)
        if (u->y[i] != 1.0f && u->y[i] != 0.0f) u->y[i] *= 1.0f + 0x1p-22f;
}

static void one_at_zero(const void *args)
{
    const ck_unary_args *u = args;
    hn_wrapped(args);
    for (size_t i = 0; i < u->n; i++)
        if (u->y[i] == 1.0f) u->y[i] = 1.0f - 0x1p-24f;
}

static void saturates(const void *args)
{
    const ck_unary_args *u = args;
    hn_wrapped(args);
    for (size_t i = 0; i < u->n; i++)
        if (u->y[i] == (float)INFINITY) u->y[i] = FLT_MAX;
}

/* Infinity one binade early. */
static void overflows_early(const void *args)
{
    const ck_unary_args *u = args;
    hn_wrapped(args);
    for (size_t i = 0; i < u->n; i++)
        if (u->y[i] > 0x1p127f) u->y[i] = (float)INFINITY;
}

/* A strict kernel that trusts the caller's rounding. */
static void strict_callers_mode(const void *args)
{
    const ck_unary_args *u = args;
    for (size_t i = 0; i < u->n; i++) {
        const double y = exp((double)u->x[i]);
        u->y[i] = isnan(y) ? (float)NAN : (float)y;
    }
}

#define ROW(what, ons, mode, by)                                          \
    {                                                                     \
        .name = #what, .on = ons, .modes = mode, .fn = what, .checks = by \
    }
static const hn_mutant list[] = {
    ROW(own, "softmax_causal_f32", HN_IN_FAST, 0),
    ROW(future_key, "softmax_causal_f32", HN_IN_FAST, HN_BY(JUNK)),
    ROW(short_sum, "softmax_causal_f32", HN_IN_FAST, HN_BY_NUMBERS),
    ROW(no_max, "softmax_causal_f32", HN_IN_FAST, HN_BY(VALUE) | HN_BY(NAN)),
    ROW(nan_row, "softmax_causal_f32", HN_IN_FAST, HN_BY(NAN)),
    ROW(other_exp, "softmax_causal_f32", HN_IN_FAST, HN_BY(VALUE)),
    ROW(reciprocal, "softmax_causal_f32", HN_IN_FAST, HN_BY(VALUE)),
    ROW(last_row_mask, "softmax_causal_f32", HN_IN_FAST, HN_BY_NUMBERS),
    ROW(head_stride, "softmax_causal_f32", HN_IN_FAST,
        HN_BY(JUNK) | HN_BY_NUMBERS | HN_BY_PARTS | HN_BY(ALIAS)),
    ROW(padding_unwritten, "softmax_causal_f32", HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(future_unwritten, "softmax_causal_f32", HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(last_padding, "softmax_causal_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(padding_minus_zero, "softmax_causal_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(last_head, "softmax_causal_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(batch_head, "softmax_causal_f32", HN_IN_FAST, HN_BY_PARTS),
    ROW(threshold, "exp_f32", HN_IN_FAST, HN_BY(VALUE)),
    ROW(no_threshold, "exp_f32", HN_IN_FAST, HN_BY(VALUE)),
    ROW(four_u, "exp_f32", HN_IN_FAST, HN_BY(VALUE)),
    ROW(one_at_zero, "exp_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(saturates, "exp_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(overflows_early, "exp_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(strict_callers_mode, "exp_f32", HN_IN_STRICT, HN_BY(VALUE) | HN_BY(STRICT)),
};
#undef ROW

const hn_mutants hn_mutants_softmax = { list, sizeof list / sizeof list[0] };
