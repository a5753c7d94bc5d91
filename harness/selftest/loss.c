/* SPDX-License-Identifier: MIT */
/* Mutants of cross-entropy: a plain kernel that does one thing wrong, and wrong arguments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loss.h"
#include "mutant.h"

/* What may be wrong. */
typedef enum fault {
    NONE,
    NO_SHIFT,
    IGNORED_IN_MEAN,
    IGNORED_IN_LOSS,
    IGNORED_IN_GRADIENT,
    IGNORED_GRADIENT_STALE,
    MEAN_OF_ALL_ROWS,
    SUM_NOT_MEAN,
    GRADIENT_OF_SUM,
    GRADIENT_OVER_ALL_ROWS,
    WITHOUT_ONE,
    ONE_AT_THE_NEXT,
    LOSS_AT_THE_NEXT,
    LAST_CLASS_DROPPED,
    LAST_CLASS_NO_TARGET,
    FIRST_CLASS_IS_IGNORED,
    LAST_ROW_STALE,
    LAST_ROW_NOT_COUNTED,
    LAST_COLUMN_STALE,
    MAX_OF_ALL_BUT_LAST,
    LOG_OF_P_PLUS_EPS,
    LOG_OF_P,
    NAN_AS_ZERO,
    LOSS_CLAMPED,
    ONE_CHAIN,
    LOSSES_IN_FLOAT,
    NONE_COUNTS_IS_NAN,
    COUNT_OF_ALL,
    COUNT_AS_FLOAT,
    COUNT_BEHIND_LOSS,
    SIGN
} fault;

/* 8 lanes and their tree, as the mutants below add. */
static const ck_numspec plain = { .lanes = 8,
                                  .accs = 1,
                                  .tail = CK_TAIL_LANE,
                                  .tree = CK_TREE_HALVING,
                                  .flags = CK_NUM_MULADD | CK_NUM_TRUE_DIV,
                                  .rexp = 2.5,
                                  .exp_zero_below = -87 };

typedef struct state {
    const ck_cross_entropy_args *c;
    fault fault;
    int32_t n, rows; /* that count, and that are divided by */
} state;

static float max_of(const state *s, const float *x)
{
    const size_t v = s->c->v - (s->fault == MAX_OF_ALL_BUT_LAST && s->c->v > 1);
    float m = -INFINITY;
    if (s->fault == NO_SHIFT) return 0;
    for (size_t j = 0; j < v; j++) m = x[j] > m ? x[j] : m;
    return m;
}

static float exp_of(const state *s, float x)
{
    if (s->fault == NAN_AS_ZERO && isnan(x)) return 0;
    return x < (float)plain.exp_zero_below ? 0 : expf(x);
}

static float sum_of(const state *s, const float *x, float m)
{
    const size_t v = s->c->v - (s->fault == LAST_CLASS_DROPPED && s->c->v > 1);
    float lane[8] = { 0 };
    for (size_t j = 0; j < v; j++) lane[s->fault == ONE_CHAIN ? 0 : j % 8] += exp_of(s, x[j] - m);
    for (size_t h = 4; h > 0; h /= 2)
        for (size_t l = 0; l < h; l++) lane[l] += lane[l + h];
    return lane[0];
}

static double loss_of(const state *s, double sum, float m, const float *x, size_t target)
{
    const size_t next = target + (s->fault == LOSS_AT_THE_NEXT && target + 1 < s->c->v);
    const double p = exp((double)x[next] - (double)m) / sum;
    if (s->fault == LOG_OF_P_PLUS_EPS) return -log(p + 1e-10);
    if (s->fault == LOG_OF_P) return -log((double)(float)p);
    const double l = log(sum) + ((double)m - (double)x[next]);
    return s->fault == LOSS_CLAMPED && l > 100 ? 100 : l;
}

static void gradient(const state *s, float *dx, const float *x, float m, float sum, size_t target)
{
    const size_t v = s->c->v - (s->fault == LAST_COLUMN_STALE && s->c->v > 1);
    const size_t next = target + (s->fault == ONE_AT_THE_NEXT && target + 1 < s->c->v);
    for (size_t j = 0; j < v; j++) {
        float p = exp_of(s, x[j] - m) / sum;
        if (s->fault == SIGN) p = -p;
        if (j == next && s->fault != WITHOUT_ONE) p += s->fault == SIGN ? 1.0f : -1.0f;
        if (s->fault == GRADIENT_OF_SUM)
            dx[j] = p;
        else if (s->fault == GRADIENT_OVER_ALL_ROWS)
            dx[j] = p / (float)s->c->t;
        else
            dx[j] = p / (float)s->rows;
    }
}

static bool counts(const state *s, size_t i)
{
    const ck_cross_entropy_args *c = s->c;
    if (s->fault == FIRST_CLASS_IS_IGNORED && c->target[i] == 0) return false;
    if (s->fault == LAST_CLASS_NO_TARGET && c->v > 1 && c->target[i] == (int32_t)c->v - 1)
        return false;
    if (s->fault == LAST_ROW_NOT_COUNTED && i > 0 && i + 1 == c->t) return false;
    return c->target[i] != CK_IGNORE;
}

/* The loss of a row. */
static double row(const state *s, size_t i)
{
    const ck_cross_entropy_args *c = s->c;
    const bool stale = s->fault == LAST_ROW_STALE && i > 0 && i + 1 == c->t;
    const float *x = c->x + i * c->ldx, m = max_of(s, x), sum = sum_of(s, x, m);
    float *dx = c->dx ? c->dx + i * c->lddx : NULL;
    const size_t target = c->target[i] < 0 ? 0 : (size_t)c->target[i];
    if (!counts(s, i)) {
        const bool kept = s->fault == IGNORED_IN_GRADIENT;
        for (size_t j = 0; dx && j < c->v && s->fault != IGNORED_GRADIENT_STALE; j++)
            dx[j] = kept ? exp_of(s, x[j] - m) / sum / (float)(s->rows ? s->rows : 1) : 0;
        return s->fault == IGNORED_IN_LOSS ? log((double)sum) : 0;
    }
    if (dx && !stale) gradient(s, dx, x, m, sum, target);
    return loss_of(s, (double)sum, m, x, target);
}

static void entropy(const void *args, fault f)
{
    const ck_cross_entropy_args *c = args;
    state s = { .c = c, .fault = f };
    double sum = 0;
    float sum_f = 0;
    for (size_t i = 0; i < c->t; i++) s.n += counts(&s, i);
    s.rows = f == IGNORED_IN_MEAN || f == MEAN_OF_ALL_ROWS ? (int32_t)c->t : s.n;
    for (size_t i = 0; i < c->t; i++) {
        const double l = row(&s, i);
        sum += l;
        sum_f += (float)l;
    }
    if (f == LOSSES_IN_FLOAT) sum = (double)sum_f;
    *c->loss =
        (float)(s.rows || f == NONE_COUNTS_IS_NAN ? sum / (f == SUM_NOT_MEAN ? 1 : s.rows) : 0);
    *c->count = f == COUNT_OF_ALL || f == IGNORED_IN_MEAN ? (int32_t)c->t : s.n;
    if (f == COUNT_AS_FLOAT) *(float *)(void *)c->count = (float)s.n;
    if (f == COUNT_BEHIND_LOSS) c->loss[1] = (float)s.n;
}

#define FAULT(name, f) \
    static void name(const void *args) { entropy(args, f); }
FAULT(own, NONE)
FAULT(no_shift, NO_SHIFT)
FAULT(ignored_in_mean, IGNORED_IN_MEAN)
FAULT(ignored_in_loss, IGNORED_IN_LOSS)
FAULT(ignored_in_gradient, IGNORED_IN_GRADIENT)
FAULT(ignored_gradient_stale, IGNORED_GRADIENT_STALE)
FAULT(mean_of_all_rows, MEAN_OF_ALL_ROWS)
FAULT(sum_not_mean, SUM_NOT_MEAN)
FAULT(gradient_of_sum, GRADIENT_OF_SUM)
FAULT(gradient_over_all_rows, GRADIENT_OVER_ALL_ROWS)
FAULT(without_one, WITHOUT_ONE)
FAULT(one_at_the_next, ONE_AT_THE_NEXT)
FAULT(loss_at_the_next, LOSS_AT_THE_NEXT)
FAULT(last_class_dropped, LAST_CLASS_DROPPED)
FAULT(last_class_no_target, LAST_CLASS_NO_TARGET)
FAULT(first_class_is_ignored, FIRST_CLASS_IS_IGNORED)
FAULT(last_row_stale, LAST_ROW_STALE)
FAULT(last_row_not_counted, LAST_ROW_NOT_COUNTED)
FAULT(last_column_stale, LAST_COLUMN_STALE)
FAULT(max_of_all_but_last, MAX_OF_ALL_BUT_LAST)
FAULT(log_of_p_plus_eps, LOG_OF_P_PLUS_EPS)
FAULT(log_of_p, LOG_OF_P)
FAULT(nan_as_zero, NAN_AS_ZERO)
FAULT(loss_clamped, LOSS_CLAMPED)
FAULT(one_chain, ONE_CHAIN)
FAULT(losses_in_float, LOSSES_IN_FLOAT)
FAULT(none_counts_is_nan, NONE_COUNTS_IS_NAN)
FAULT(count_of_all, COUNT_OF_ALL)
FAULT(count_as_float, COUNT_AS_FLOAT)
FAULT(count_behind_loss, COUNT_BEHIND_LOSS)
FAULT(sign, SIGN)
#undef FAULT

static void tight_logits(const void *args)
{
    ck_cross_entropy_args c = *(const ck_cross_entropy_args *)args;
    c.ldx = c.v;
    hn_wrapped(&c);
}

/* Rows of the gradient as far apart as those of the logits. */
static void stride_of_logits(const void *args)
{
    ck_cross_entropy_args c = *(const ck_cross_entropy_args *)args;
    if (c.ldx < c.lddx) c.lddx = c.ldx;
    hn_wrapped(&c);
}

/* Its own logits, exponentials in their place: an input is written. */
static void exponentials_in_logits(const void *args)
{
    const ck_cross_entropy_args *c = args;
    hn_wrapped(args);
    if (c->t && c->v) ((float *)(uintptr_t)c->x)[(c->t - 1) * c->ldx + c->v - 1] += 1.0f;
}

static void loss_stale(const void *args)
{
    const ck_cross_entropy_args *c = args;
    float before;
    memcpy(&before, c->loss, sizeof before);
    hn_wrapped(args);
    memcpy(c->loss, &before, sizeof before);
}

static void count_stale(const void *args)
{
    const ck_cross_entropy_args *c = args;
    const int32_t before = *c->count;
    hn_wrapped(args);
    *c->count = before;
}

/* Of three rows on, by one. */
static void count_off(const void *args)
{
    const ck_cross_entropy_args *c = args;
    hn_wrapped(args);
    *c->count += c->t > 2;
}

static void gradient_adds(const void *args)
{
    const ck_cross_entropy_args *c = args;
    float *last = c->dx && c->t ? c->dx + (c->t - 1) * c->lddx + c->v - 1 : NULL;
    const float old = last ? *last : 0;
    hn_wrapped(args);
    if (last) *last += old;
}

static void reads_target_after(const void *args)
{
    const ck_cross_entropy_args *c = args;
    hn_wrapped(args);
    if (c->t) (void)*(const volatile int32_t *)(c->target + c->t);
}

#define ROW(what, mode, by)                                                                     \
    {                                                                                           \
        .name = #what, .on = "softmax_cross_entropy_*", .modes = mode, .fn = what, .checks = by \
    }
#define PLAIN(what, by)                                                                  \
    {                                                                                    \
        .name = #what, .on = "softmax_cross_entropy_*", .modes = HN_IN_FAST, .fn = what, \
        .checks = by, .spec = &plain                                                     \
    }
static const hn_mutant list[] = {
    PLAIN(own, 0),
    PLAIN(no_shift, HN_BY_NUMBERS),
    PLAIN(ignored_in_mean, HN_BY_NUMBERS),
    PLAIN(ignored_in_loss, HN_BY_NUMBERS),
    PLAIN(ignored_in_gradient, HN_BY_NUMBERS),
    PLAIN(ignored_gradient_stale, HN_BY(UNWRITTEN)),
    PLAIN(mean_of_all_rows, HN_BY_NUMBERS),
    PLAIN(sum_not_mean, HN_BY_NUMBERS),
    PLAIN(gradient_of_sum, HN_BY_NUMBERS),
    PLAIN(gradient_over_all_rows, HN_BY_NUMBERS),
    PLAIN(without_one, HN_BY_NUMBERS),
    PLAIN(one_at_the_next, HN_BY_NUMBERS),
    PLAIN(loss_at_the_next, HN_BY_NUMBERS),
    PLAIN(last_class_dropped, HN_BY_NUMBERS),
    PLAIN(last_class_no_target, HN_BY_NUMBERS),
    PLAIN(first_class_is_ignored, HN_BY_NUMBERS),
    PLAIN(last_row_stale, HN_BY(UNWRITTEN)),
    PLAIN(last_row_not_counted, HN_BY_NUMBERS),
    PLAIN(last_column_stale, HN_BY(UNWRITTEN)),
    PLAIN(max_of_all_but_last, HN_BY_NUMBERS),
    PLAIN(log_of_p_plus_eps, HN_BY_NUMBERS),
    PLAIN(log_of_p, HN_BY_NUMBERS),
    PLAIN(nan_as_zero, HN_BY_NUMBERS),
    PLAIN(loss_clamped, HN_BY_NUMBERS),
    PLAIN(one_chain, HN_BY_NUMBERS),
    PLAIN(losses_in_float, HN_BY_NUMBERS),
    PLAIN(none_counts_is_nan, HN_BY_NUMBERS),
    PLAIN(count_of_all, HN_BY_NUMBERS),
    PLAIN(count_as_float, HN_BY_NUMBERS),
    PLAIN(count_behind_loss, HN_BY(SLACK) | HN_BY(GUARD)),
    PLAIN(sign, HN_BY_NUMBERS),
    ROW(tight_logits, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(stride_of_logits, HN_IN_BOTH, HN_BY(UNWRITTEN) | HN_BY(SLACK) | HN_BY_NUMBERS),
    ROW(exponentials_in_logits, HN_IN_BOTH, HN_BY(INPUT)),
    ROW(loss_stale, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(count_stale, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(count_off, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(gradient_adds, HN_IN_BOTH, HN_BY(PREFILL) | HN_BY(UNWRITTEN)),
    ROW(reads_target_after, HN_IN_BOTH, HN_BY(GUARD)),
};
#undef ROW
#undef PLAIN

const hn_mutants hn_mutants_loss = { list, sizeof list / sizeof list[0] };
