/* SPDX-License-Identifier: MIT */
/* Mutants of attention: a plain online kernel that does one thing wrong, and wrong arguments. */
#include <math.h>
#include <stdlib.h>

#include "attention.h"
#include "mutant.h"

enum { TILE = 32, WIDTH_MOST = 1 << 11 };

/* What may be wrong. */
typedef enum fault {
    NONE,
    FUTURE_KEY,
    NOT_ITSELF,
    NOT_THE_FIRST,
    NO_PAST,
    WINDOW_SHORT,
    WINDOW_LONG,
    GROUP_MODULO,
    LAST_HEAD_GROUP,
    SCORE_SHORT,
    SUM_NOT_RESCALED,
    VALUES_NOT_RESCALED,
    MAX_OF_FIRST_TILE,
    MAX_FORGOTTEN,
    NO_MAX,
    TILE_BOUNDARY,
    LAST_KEY_VALUE,
    SUM_SHORT,
    NAN_AS_ZERO,
    LAST_ROW_UNSCALED
} fault;

typedef struct head {
    const ck_attention_args *a;
    size_t h, i, group, first, last; /* keys first .. last */
    fault fault;
} head;

static float score(const head *r, size_t j)
{
    const ck_attention_args *a = r->a;
    const float *q = a->q + r->h * a->head_q + r->i * a->ldq;
    const size_t k = r->group * a->head_k + j * a->ldk;
    const size_t d = a->d - (r->fault == SCORE_SHORT && a->d % 8 == 7);
    float s = 0;
    for (size_t l = 0; l < d; l++) s += q[l] * hn_element(a->k, k + l);
    if (r->fault == LAST_ROW_UNSCALED && r->h + 1 == a->heads && r->i + 1 == a->tq) return s;
    s *= a->scale;
    return r->fault == NAN_AS_ZERO && isnan(s) ? 0 : s;
}

static size_t first_key(const head *r)
{
    const ck_attention_args *a = r->a;
    size_t window = a->window, last = a->tk - a->tq + r->i;
    if (window && r->fault == WINDOW_SHORT) window -= window > 1;
    if (window && r->fault == WINDOW_LONG) window++;
    const size_t first = window && last >= window ? last + 1 - window : 0;
    return first + (r->fault == NOT_THE_FIRST && first < last);
}

static size_t last_key(const head *r)
{
    const ck_attention_args *a = r->a;
    const size_t last = a->tk - a->tq + r->i;
    if (r->fault == FUTURE_KEY) return last + (last + 1 < a->tk);
    if (r->fault == NOT_ITSELF) return last - (last > r->first);
    if (r->fault == NO_PAST) return r->i;
    return last;
}

static size_t group_of(const head *r)
{
    const ck_attention_args *a = r->a;
    if (r->fault == GROUP_MODULO) return r->h % a->kv_heads;
    if (r->fault == LAST_HEAD_GROUP && r->h + 1 == a->heads) return 0;
    return r->h / (a->heads / a->kv_heads);
}

typedef struct state {
    float max, sum, acc[WIDTH_MOST];
} state;

static float tile_max(const head *r, const float *s, size_t n, float max, size_t j)
{
    if (r->fault == NO_MAX) return 0;
    if (r->fault == MAX_OF_FIRST_TILE && j > r->first) return max;
    for (size_t k = 0; k < n; k++) max = s[k] > max ? s[k] : max;
    return max;
}

static void rescale(const head *r, state *st, float max)
{
    const float factor = expf(st->max - max);
    if (r->fault != SUM_NOT_RESCALED) st->sum *= factor;
    for (size_t l = 0; l < r->a->d && r->fault != VALUES_NOT_RESCALED; l++) st->acc[l] *= factor;
    if (r->fault != MAX_FORGOTTEN || st->max == -INFINITY) st->max = max;
}

static void tile(const head *r, state *st, size_t j, size_t n)
{
    const ck_attention_args *a = r->a;
    float s[TILE];
    for (size_t k = 0; k < n; k++) s[k] = score(r, j + k);
    const float max = tile_max(r, s, n, st->max, j);
    if (max == -INFINITY) {
        for (size_t k = 0; k < n; k++) st->sum += isnan(s[k]) ? NAN : 0;
        return;
    }
    if (max > st->max) rescale(r, st, max);
    for (size_t k = 0; k < n; k++) {
        const bool last = j + k == r->last;
        const float p = expf(s[k] - max);
        size_t v = r->group * a->head_v + (j + k) * a->ldv;
        if (r->fault == LAST_KEY_VALUE && last && j + k > 0) v -= a->ldv;
        if (!(r->fault == SUM_SHORT && last && n > 1)) st->sum += p;
        for (size_t l = 0; l < a->d; l++) st->acc[l] += p * hn_element(a->v, v + l);
    }
}

static void row(const head *r)
{
    const ck_attention_args *a = r->a;
    float *y = a->y + r->h * a->head_y + r->i * a->ldy;
    state st = { .max = -INFINITY };
    if (r->fault == NO_MAX) st.max = 0;
    for (size_t j = r->first; j <= r->last; j += TILE) {
        size_t n = r->last + 1 - j < TILE ? r->last + 1 - j : TILE;
        /* the 64th key of three tiles */
        if (r->fault == TILE_BOUNDARY && j == r->first + TILE && r->last >= j + TILE) n--;
        tile(r, &st, j, n);
    }
    if (st.max == -INFINITY && st.sum == 0) st.sum = 1;
    for (size_t l = 0; l < a->d; l++) y[l] = st.acc[l] / st.sum;
    for (size_t l = a->d; l < a->cols; l++) y[l] = 0;
}

static void attend(const void *args, fault f)
{
    const ck_attention_args *a = args;
    for (size_t h = 0; h < a->heads; h++)
        for (size_t i = 0; i < a->tq; i++) {
            head r = { .a = a, .h = h, .i = i, .fault = f };
            r.group = group_of(&r);
            r.first = first_key(&r);
            r.last = last_key(&r);
            row(&r);
        }
}

#define FAULT(name, f) \
    static void name(const void *args) { attend(args, f); }
FAULT(own, NONE)
FAULT(future_key, FUTURE_KEY)
FAULT(not_itself, NOT_ITSELF)
FAULT(not_the_first, NOT_THE_FIRST)
FAULT(no_past, NO_PAST)
FAULT(window_short, WINDOW_SHORT)
FAULT(window_long, WINDOW_LONG)
FAULT(group_modulo, GROUP_MODULO)
FAULT(last_head_group, LAST_HEAD_GROUP)
FAULT(score_short, SCORE_SHORT)
FAULT(sum_not_rescaled, SUM_NOT_RESCALED)
FAULT(values_not_rescaled, VALUES_NOT_RESCALED)
FAULT(max_of_first_tile, MAX_OF_FIRST_TILE)
FAULT(max_forgotten, MAX_FORGOTTEN)
FAULT(no_max, NO_MAX)
FAULT(tile_boundary, TILE_BOUNDARY)
FAULT(last_key_value, LAST_KEY_VALUE)
FAULT(sum_short, SUM_SHORT)
FAULT(nan_as_zero, NAN_AS_ZERO)
FAULT(last_row_unscaled, LAST_ROW_UNSCALED)
#undef FAULT

static void pad_unwritten(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    a.cols = a.d;
    hn_wrapped(&a);
}

static void window_ignored(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    a.window = 0;
    hn_wrapped(&a);
}

/* Every key head begins where the one before would end if the cache were full. */
static void no_room(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    a.head_k = a.tk * a.ldk;
    a.head_v = a.tk * a.ldv;
    hn_wrapped(&a);
}

static void scale_ignored(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    a.scale = 1;
    hn_wrapped(&a);
}

/* 1 / sqrt(d) of a head that is padded to a multiple of 16. */
static void scale_of_padded(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    const size_t padded = (a.d + 15) / 16 * 16;
    a.scale *= sqrtf((float)a.d / (float)padded);
    hn_wrapped(&a);
}

static void tight_values(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    a.ldv = a.d;
    hn_wrapped(&a);
}

/* Heads of the query lie one after the other, whatever the caller says. */
static void head_major(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    if (a.head_q < a.ldq) {
        a.ldq = a.head_q;
        a.head_q = a.tq * a.ldq;
    }
    hn_wrapped(&a);
}

static void last_pad_is_old(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    a.cols -= a.cols > a.d;
    hn_wrapped(&a);
}

/* One accurate digit less in the exponential's argument: 2^-18 of a weight. */
static void weights_in_half_precision(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    a.scale *= 1 + 0x1p-14f;
    hn_wrapped(&a);
}

/* Keys as values. */
static void keys_twice(const void *args)
{
    ck_attention_args a = *(const ck_attention_args *)args;
    a.v = a.k;
    a.ldv = a.ldk;
    a.head_v = a.head_k;
    hn_wrapped(&a);
}

#define ROW(what, mode, by)                                                         \
    {                                                                               \
        .name = #what, .on = "attention_*", .modes = mode, .fn = what, .checks = by \
    }
static const hn_mutant list[] = {
    ROW(own, HN_IN_FAST, 0),
    ROW(future_key, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(not_itself, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(not_the_first, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(no_past, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(window_short, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(window_long, HN_IN_FAST, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(group_modulo, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(last_head_group, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(score_short, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(sum_not_rescaled, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(values_not_rescaled, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(max_of_first_tile, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(max_forgotten, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(no_max, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(tile_boundary, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(last_key_value, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(sum_short, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(nan_as_zero, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(last_row_unscaled, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(pad_unwritten, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(last_pad_is_old, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(window_ignored, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(no_room, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(scale_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(scale_of_padded, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(tight_values, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(head_major, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(weights_in_half_precision, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(keys_twice, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY(JUNK)),
};
#undef ROW

const hn_mutants hn_mutants_attention = { list, sizeof list / sizeof list[0] };
