/* SPDX-License-Identifier: MIT */
/* Mutants of softmax, exp and of the conversion of rows after faults that other projects had, and
 * near relations of these. Where each comes from: docs/museum.md. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mutant.h"
#include "quant.h"
#include "softmax.h"
#include "unary.h"

/* --- softmax: a body in double. The row is x[0 .. n - 1]. */

typedef struct fault {
    bool max_above_zero; /* the search begins at the least positive float */
    bool max_of_first;   /* only the first vector is searched */
    bool equal_once;     /* of several maxima one is in the sum */
    bool reread;         /* x is read again after y was written */
    bool taylor;         /* four terms about 0 */
} fault;

static double exponential(double x, const fault *f)
{
    if (f->taylor) return fmax(1 + x + x * x / 2 + x * x * x / 6 + x * x * x * x / 24, 0);
    return x < -87.0 ? 0.0 : exp(x);
}

static float largest(const float *x, size_t n, const fault *f)
{
    float max = f->max_above_zero ? FLT_MIN : -INFINITY;
    for (size_t j = 0; j < n && (j < 8 || !f->max_of_first); j++)
        if (x[j] > max) max = x[j];
    return max;
}

static void own_row(float *y, const float *x, size_t n, const fault *f)
{
    const float max = largest(x, n, f);
    size_t equal = 0;
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        if (f->reread) y[j] = (float)exponential((double)(x[j] - max), f);
        if (!(f->equal_once && x[j] == max && equal++)) sum += exponential((double)(x[j] - max), f);
    }
    for (size_t j = 0; j < n; j++)
        y[j] = (float)((f->reread ? (double)y[j] : exponential((double)(x[j] - max), f)) / sum);
}

/* Rows of numbers; the right kernel has done the others. */
static void own_rows(const ck_softmax_args *s, const fault *f)
{
    for (size_t r = 0; r < s->heads * s->t; r++) {
        const ck_softmax_args row = { .y = s->y + r * s->ldy,
                                      .x = s->x + r * s->ldx,
                                      .heads = 1,
                                      .t = 1,
                                      .cols = 1,
                                      .ldy = s->ldy,
                                      .ldx = s->ldx };
        const size_t n = r % s->t + 1;
        bool numbers = largest(row.x, n, &(fault){ 0 }) > -(float)INFINITY;
        for (size_t j = 0; j < n; j++) numbers &= row.x[j] < (float)INFINITY;
        if (numbers) {
            own_row(row.y, row.x, n, f);
        } else {
            for (size_t j = 0; j < n; j++) numbers |= !(row.x[j] < (float)INFINITY);
            for (size_t j = 0; j < n; j++) row.y[j] = numbers ? (float)NAN : 0.0f;
        }
        for (size_t j = n; j < s->cols; j++) row.y[j] = 0.0f;
    }
}

static void own_softmax(const void *args) { own_rows(args, &(fault){ 0 }); }
static void max_above_zero(const void *args) { own_rows(args, &(fault){ .max_above_zero = true }); }
static void max_of_first(const void *args) { own_rows(args, &(fault){ .max_of_first = true }); }
static void equal_once(const void *args) { own_rows(args, &(fault){ .equal_once = true }); }
static void reread(const void *args) { own_rows(args, &(fault){ .reread = true }); }
static void taylor(const void *args) { own_rows(args, &(fault){ .taylor = true }); }

/* No probability is below 1e-10. */
static void probability_clamped(const void *args)
{
    const ck_softmax_args *s = args;
    hn_wrapped(args);
    for (size_t r = 0; r < s->heads * s->t; r++)
        for (size_t j = 0; j <= r % s->t; j++)
            if (s->y[r * s->ldy + j] < 1e-10f) s->y[r * s->ldy + j] = 1e-10f;
}

/* As long a row as x has is written. */
static void writes_row_of_x(const void *args)
{
    const ck_softmax_args *s = args;
    hn_wrapped(args);
    for (size_t j = s->cols; j < s->ldx && s->y != s->x; j++)
        s->y[(s->heads * s->t - 1) * s->ldy + j] = 0.0f;
}

/* --- exp. */

/* What `value` makes of the results of the right kernel. */
static void each(const void *args, float (*value)(float x, float right, size_t i, size_t n))
{
    const ck_unary_args *u = args;
    float *x = malloc(u->n * sizeof *x);
    memcpy(x, u->x, u->n * sizeof *x);
    hn_wrapped(args);
    for (size_t i = 0; i < u->n; i++) u->y[i] = value(x[i], u->y[i], i, u->n);
    free(x);
}

static float one_constant(float x, float right, size_t i, size_t n)
{
    const float turns = rintf(x * 0x1.715476p+0f);
    (void)i;
    (void)n;
    if (!(fabsf(x) < 80.0f)) return right;
    return (float)ldexp(exp((double)(x - turns * 0x1.62e43p-1f)), (int)turns);
}

static float short_taylor(float x, float right, size_t i, size_t n)
{
    (void)i;
    (void)n;
    if (!(fabsf(x) < 0.25f)) return right;
    return 1.0f + x * (1.0f + x * (0.5f + x * (1.0f / 6.0f + x * (1.0f / 24.0f))));
}

static float clamped(float x, float right, size_t i, size_t n)
{
    (void)i;
    (void)n;
    return x < -87.0f ? 0x1.6p-126f : right;
}

static float tail_squared(float x, float right, size_t i, size_t n)
{
    (void)x;
    return n % 8 == 1 && i + 1 == n ? right * right : right;
}

static void reduced_by_one_constant(const void *args) { each(args, one_constant); }
static void taylor_near_zero(const void *args) { each(args, short_taylor); }
static void argument_clamped(const void *args) { each(args, clamped); }
static void last_squared(const void *args) { each(args, tail_squared); }

/* The last vector begins a vector before the end: in place, some elements go through twice. */
static void tail_overlaps(const void *args)
{
    const ck_unary_args *u = args;
    hn_wrapped(args);
    if (u->x != u->y || u->n < 8 || u->n % 8 == 0) return;
    const ck_unary_args again = { .y = u->y + u->n - 8, .x = u->y + u->n - 8, .n = 8 - u->n % 8 };
    hn_wrapped(&again);
}

/* Of equal neighbours the second is off. */
static void equal_neighbours(const void *args)
{
    const ck_unary_args *u = args;
    float *x = malloc(u->n * sizeof *x);
    memcpy(x, u->x, u->n * sizeof *x);
    hn_wrapped(args);
    for (size_t i = 1; i < u->n; i++)
        if (x[i] == x[i - 1]) u->y[i] += 0.01f;
    free(x);
}

/* --- rows. */

/* A block of zeros is written, but x is not moved on. */
static void zero_block_stays(const void *args)
{
    const ck_quantize_args *q = args;
    const size_t block = hn_block->elements;
    ck_quantize_args one = *q;
    one.n = block;
    for (size_t at = 0; at < q->n; at += block) {
        bool zero = true;
        for (size_t i = 0; i < block; i++) zero &= one.x[i] == 0.0f;
        hn_wrapped(&one);
        one.y = (unsigned char *)one.y + hn_block->bytes;
        if (!zero) one.x += block;
    }
}

/* The last but one of four elements is the one before it. */
static void index_twice(const void *args)
{
    const ck_dequant_args *d = args;
    hn_wrapped(args);
    if (d->n >= 4) d->y[d->n - 2] = d->y[d->n - 3];
}

/* As many units are written as there are elements. */
static void elements_for_blocks(const void *args)
{
    const ck_quantize_args *q = args;
    hn_wrapped(args);
    ((unsigned char *)q->y)[q->n / hn_block->elements * hn_block->bytes] = 0;
}

static void blocks_read_by_elements(const void *args)
{
    const ck_dequant_args *d = args;
    hn_wrapped(args);
    (void)*(const volatile unsigned char *)((const unsigned char *)d->x +
                                            d->n / hn_block->elements * hn_block->bytes);
}

#define ROW(what, ons, by)                                                        \
    {                                                                             \
        .name = #what, .on = ons, .modes = HN_IN_FAST, .fn = what, .checks = (by) \
    }
#define SOFTMAX "softmax_causal_f32"
#define BLOCKS  "quantize_row_q*"
static const hn_mutant list[] = {
    ROW(own_softmax, SOFTMAX, 0),
    ROW(max_above_zero, SOFTMAX, HN_BY_NUMBERS),
    ROW(max_of_first, SOFTMAX, HN_BY_NUMBERS),
    ROW(equal_once, SOFTMAX, HN_BY(VALUE)),
    ROW(reread, SOFTMAX, HN_BY(ALIAS)),
    ROW(taylor, SOFTMAX, HN_BY_NUMBERS),
    ROW(probability_clamped, SOFTMAX, HN_BY(VALUE)),
    ROW(writes_row_of_x, SOFTMAX, HN_BY(SLACK) | HN_BY(GUARD)),
    ROW(reduced_by_one_constant, "exp_f32", HN_BY(VALUE)),
    ROW(taylor_near_zero, "exp_f32", HN_BY(VALUE)),
    ROW(argument_clamped, "exp_f32", HN_BY(VALUE)),
    ROW(last_squared, "exp_f32", HN_BY_NUMBERS),
    ROW(tail_overlaps, "exp_f32", HN_BY(ALIAS)),
    ROW(equal_neighbours, "exp_f32", HN_BY(VALUE) | HN_BY(ALIAS)),
    ROW(zero_block_stays, BLOCKS, HN_BY(VALUE)),
    ROW(elements_for_blocks, BLOCKS, HN_BY(SLACK) | HN_BY(GUARD)),
    ROW(index_twice, "dequant_row_q* dequant_row_*16", HN_BY(VALUE) | HN_BY(NAN)),
    ROW(blocks_read_by_elements, "dequant_row_q*", HN_BY(GUARD)),
};
#undef ROW

const hn_mutants hn_mutants_history_row = { list, sizeof list / sizeof list[0] };
