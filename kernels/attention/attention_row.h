/* SPDX-License-Identifier: MIT */
/* The text of attention, compiled once per format of keys and values and ISA, after simd/<isa>.h. */
#ifndef CK_ATTENTION_ROW_H
#define CK_ATTENTION_ROW_H

#include <assert.h>
#include <math.h>
#include <string.h>

#include "attention.h"
#include "simd/element.h"
#include "simd/exp.h"
#include "strict.h"

/* Keys whose scores are made at once, elements of v that are summed at once, rows of k or v that
 * share a load. */
enum { ATTENTION_TILE = 32, ATTENTION_WIDTH = 256, ATTENTION_ROWS = 4 };

/* One row of y: its query and the keys and values that it sees. */
typedef struct attention_row {
    const float *q;
    const unsigned char *k, *v;
    size_t keys, d, ldk, ldv; /* ldk, ldv in bytes */
    float *y;
    float scale;
} attention_row;

/* Row `index` of `most` from p on, the last one repeated: what is beyond is read, not used. */
static inline const unsigned char *attention_at(const unsigned char *p, size_t index, size_t most,
                                                size_t ld)
{
    return p + (index < most ? index : most - 1) * ld;
}

/* s[0 .. ROWS) of keys j on. */
CK_INLINE void attention_scores(const ck_element *e, const attention_row *r, size_t j, float *s)
{
    const unsigned char *k[ATTENTION_ROWS];
    ck_vf acc[ATTENTION_ROWS];
    size_t l = 0;
    for (size_t i = 0; i < ATTENTION_ROWS; i++) {
        k[i] = attention_at(r->k, j + i, r->keys, r->ldk);
        acc[i] = ck_vf_set1(0.0f);
    }
    for (; r->d - l >= CK_VF_LANES; l += CK_VF_LANES) {
        const ck_vf q = ck_vf_load(r->q + l);
        for (size_t i = 0; i < ATTENTION_ROWS; i++)
            acc[i] = ck_vf_muladd(q, e->load(k[i] + l * e->bytes), acc[i]);
    }
    if (l < r->d) { /* the lanes beyond d add 0 * 0 */
        const ck_vf q = ck_vf_load_n(r->q + l, r->d - l, 0.0f);
        for (size_t i = 0; i < ATTENTION_ROWS; i++)
            acc[i] = ck_vf_muladd(q, e->load_n(k[i] + l * e->bytes, r->d - l), acc[i]);
    }
    for (size_t i = 0; i < ATTENTION_ROWS; i++) s[i] = r->scale * ck_vf_sum(acc[i]);
}

/* The greatest of n <= TILE scores that is not NaN, at least m. */
static inline float attention_max(const float *s, size_t n, float m)
{
    ck_vf most = ck_vf_set1(m);
    size_t j = 0;
    for (; n - j >= CK_VF_LANES; j += CK_VF_LANES) most = ck_vf_max(ck_vf_load(s + j), most);
    if (j < n) most = ck_vf_max(ck_vf_load_n(s + j, n - j, -INFINITY), most);
    return ck_vf_hmax(most);
}

/* s becomes exp(s - m); gives their sum. */
static inline float attention_weights(float *s, size_t n, float m)
{
    const ck_vf most = ck_vf_set1(m);
    ck_vf sum = ck_vf_set1(0.0f);
    size_t j = 0;
    for (; n - j >= CK_VF_LANES; j += CK_VF_LANES) {
        const ck_vf p = ck_vf_exp(ck_vf_sub(ck_vf_load(s + j), most));
        ck_vf_store(s + j, p);
        sum = ck_vf_add(sum, p);
    }
    if (j < n) { /* the lanes beyond n add exp(-inf) = 0 */
        const ck_vf p = ck_vf_exp(ck_vf_sub(ck_vf_load_n(s + j, n - j, -INFINITY), most));
        ck_vf_store_n(s + j, p, n - j);
        sum = ck_vf_add(sum, p);
    }
    return ck_vf_sum(sum);
}

static inline void attention_scale(float *acc, size_t width, float factor)
{
    const ck_vf f = ck_vf_set1(factor);
    for (size_t l = 0; l < width; l += CK_VF_LANES)
        ck_vf_store(acc + l, ck_vf_mul(ck_vf_load(acc + l), f));
}

/* acc += sum_i p[i] v[i], ascending; elements from d0 on, `width` of them. */
CK_INLINE void attention_values(const ck_element *e, const attention_row *r, const float *p,
                                size_t j, size_t n, size_t d0, size_t width, float *acc)
{
    size_t l = 0;
    for (; width - l >= CK_VF_LANES; l += CK_VF_LANES) {
        const unsigned char *v = r->v + j * r->ldv + (d0 + l) * e->bytes;
        ck_vf sum = ck_vf_load(acc + l);
        for (size_t i = 0; i < n; i++, v += r->ldv)
            sum = ck_vf_muladd(ck_vf_set1(p[i]), e->load(v), sum);
        ck_vf_store(acc + l, sum);
    }
    if (l < width) {
        const unsigned char *v = r->v + j * r->ldv + (d0 + l) * e->bytes;
        ck_vf sum = ck_vf_load(acc + l);
        for (size_t i = 0; i < n; i++, v += r->ldv)
            sum = ck_vf_muladd(ck_vf_set1(p[i]), e->load_n(v, width - l), sum);
        ck_vf_store(acc + l, sum);
    }
}

/* Scores of a tile that has no maximum above -inf so far: NaN if one of them is NaN, else 0. */
static inline float attention_nan(const float *s, size_t n)
{
    int nan = 0;
    for (size_t j = 0; j < n; j++) nan |= s[j] != s[j];
    return nan ? NAN : 0.0f;
}

/* What has been seen of a row. */
typedef struct attention_state {
    float max, sum;
    float acc[ATTENTION_WIDTH + CK_VF_LANES];
} attention_state;

/* The tile's keys j .. j + n - 1 into the state, older sums scaled down if there is a new maximum. */
CK_INLINE void attention_tile(const ck_element *e, const attention_row *r, size_t j, size_t n,
                              size_t d0, size_t width, attention_state *st)
{
    float s[ATTENTION_TILE + ATTENTION_ROWS];
    for (size_t i = 0; i < n; i += ATTENTION_ROWS) attention_scores(e, r, j + i, s + i);
    const float max = attention_max(s, n, st->max);
    if (max == -INFINITY) {
        st->sum += attention_nan(s, n);
        return;
    }
    if (max > st->max) {
        float factor[CK_VF_LANES];
        ck_vf_store(factor, ck_vf_exp(ck_vf_set1(st->max - max)));
        attention_scale(st->acc, width, factor[0]);
        st->sum *= factor[0];
        st->max = max;
    }
    st->sum += attention_weights(s, n, max);
    attention_values(e, r, s, j, n, d0, width, st->acc);
}

/* Elements d0 on, `width` of them. A NaN among the scores makes sum and acc NaN. */
CK_INLINE void attention_part(const ck_element *e, const attention_row *r, size_t d0, size_t width)
{
    attention_state st;
    st.max = -INFINITY;
    st.sum = 0.0f;
    memset(st.acc, 0, (width + CK_VF_LANES) * sizeof *st.acc);
    for (size_t j = 0; j < r->keys; j += ATTENTION_TILE) {
        const size_t left = r->keys - j;
        attention_tile(e, r, j, left < ATTENTION_TILE ? left : ATTENTION_TILE, d0, width, &st);
    }
    const ck_vf sum = ck_vf_set1(st.max == -INFINITY && st.sum == 0.0f ? 1.0f : st.sum);
    size_t l = 0;
    for (; width - l >= CK_VF_LANES; l += CK_VF_LANES)
        ck_vf_store(r->y + d0 + l, ck_vf_div(ck_vf_load(st.acc + l), sum));
    if (l < width) ck_vf_store_n(r->y + d0 + l, ck_vf_div(ck_vf_load(st.acc + l), sum), width - l);
}

CK_INLINE double attention_score_strict(const ck_element *e, const attention_row *r, size_t j)
{
    const void *const q = r->q;
    const unsigned char *const floats = q, *const k = r->k + j * r->ldk;
    ck_vd16 acc = ck_vd16_set1(0.0);
    for (size_t l = 0; l < r->d; l += 16) {
        const ck_vd16 x = element_f32.load_d(floats + l * element_f32.bytes, r->d - l);
        acc = ck_vd16_add(acc, ck_vd16_mul(x, e->load_d(k + l * e->bytes, r->d - l)));
    }
    return (double)r->scale * ck_vd16_sum(acc);
}

/* The greatest score; NaN if one is NaN. */
CK_INLINE double attention_max_strict(const ck_element *e, const attention_row *r)
{
    double max = (double)-INFINITY;
    int nan = 0;
    for (size_t j = 0; j < r->keys; j++) {
        const double s = attention_score_strict(e, r, j);
        nan |= s != s;
        if (s > max) max = s;
    }
    return nan ? (double)NAN : max;
}

/* exp(s - m) of up to 16 keys. */
CK_INLINE void attention_weights_strict(const ck_element *e, const attention_row *r, size_t j,
                                        size_t n, double m, double *p)
{
    ck_vd16 x;
    _Static_assert(sizeof x == 16 * sizeof(double), "lanes lie in order");
    for (size_t i = 0; i < 16; i++)
        p[i] = i < n ? attention_score_strict(e, r, j + i) - m : (double)-INFINITY;
    memcpy(&x, p, sizeof x);
    x = ck_vd16_exp(x);
    memcpy(p, &x, sizeof x);
}

/* Scores are made again for each 256 elements: there is no room to keep them. */
CK_INLINE void attention_part_strict(const ck_element *e, const attention_row *r, size_t d0,
                                     size_t width, double m)
{
    ck_vd16 acc[ATTENTION_WIDTH / 16];
    double sum = 0.0, p[16];
    for (size_t l = 0; l < width; l += 16) acc[l / 16] = ck_vd16_set1(0.0);
    for (size_t j = 0; j < r->keys; j += 16) {
        const size_t n = r->keys - j < 16 ? r->keys - j : 16;
        attention_weights_strict(e, r, j, n, m, p);
        for (size_t i = 0; i < n; i++) {
            const unsigned char *v = r->v + (j + i) * r->ldv + d0 * e->bytes;
            const ck_vd16 weight = ck_vd16_set1(p[i]);
            sum += p[i];
            for (size_t l = 0; l < width; l += 16) {
                const ck_vd16 x = e->load_d(v + l * e->bytes, width - l);
                acc[l / 16] = ck_vd16_add(acc[l / 16], ck_vd16_mul(weight, x));
            }
        }
    }
    for (size_t l = 0; l < width; l += 16) {
        const ck_vd16 y = ck_vd16_div(acc[l / 16], ck_vd16_set1(sum));
        if (width - l < 16)
            ck_vd16_store_n(r->y + d0 + l, y, width - l);
        else
            ck_vd16_store(r->y + d0 + l, y);
    }
}

CK_INLINE void attention_row_fast(const ck_element *e, const attention_row *r)
{
    for (size_t d0 = 0; d0 < r->d; d0 += ATTENTION_WIDTH)
        attention_part(e, r, d0, r->d - d0 < ATTENTION_WIDTH ? r->d - d0 : ATTENTION_WIDTH);
}

CK_INLINE void attention_row_strict(const ck_element *e, const attention_row *r)
{
    const double max = attention_max_strict(e, r);
    if (!(max > (double)-INFINITY && max < (double)INFINITY)) {
        const float y = max == (double)-INFINITY ? 0.0f : ck_strict_f32((double)NAN);
        for (size_t l = 0; l < r->d; l++) r->y[l] = y;
        return;
    }
    for (size_t d0 = 0; d0 < r->d; d0 += ATTENTION_WIDTH)
        attention_part_strict(e, r, d0, r->d - d0 < ATTENTION_WIDTH ? r->d - d0 : ATTENTION_WIDTH,
                              max);
}

/* Row i of head h, and its first key. */
static inline attention_row attention_row_of(const ck_attention_args *a, size_t bytes, size_t h,
                                             size_t i)
{
    const size_t group = h / (a->heads / a->kv_heads), last = a->tk - a->tq + i;
    const size_t first = a->window > 0 && last >= a->window ? last + 1 - a->window : 0;
    const unsigned char *const k = a->k, *const v = a->v;
    return (attention_row){ .q = a->q + h * a->head_q + i * a->ldq,
                            .k = k + (group * a->head_k + first * a->ldk) * bytes,
                            .v = v + (group * a->head_v + first * a->ldv) * bytes,
                            .keys = last + 1 - first,
                            .d = a->d,
                            .ldk = a->ldk * bytes,
                            .ldv = a->ldv * bytes,
                            .y = a->y + h * a->head_y + i * a->ldy,
                            .scale = a->scale };
}

CK_INLINE void attention_rows(const void *args, const ck_element *e,
                              void (*row)(const ck_element *e, const attention_row *r))
{
    const ck_attention_args *const a = args;
    assert(a->heads == 0 || a->tq == 0 || (a->y && (a->d == 0 || (a->q && a->k && a->v))));
    assert(a->heads == 0 || (a->kv_heads > 0 && a->heads % a->kv_heads == 0));
    assert(a->tq <= a->tk && a->cols >= a->d);
    for (size_t h = 0; h < a->heads; h++)
        for (size_t i = 0; i < a->tq; i++) {
            float *y = a->y + h * a->head_y + i * a->ldy;
            if (a->d > 0) {
                const attention_row r = attention_row_of(a, e->bytes, h, i);
                row(e, &r);
            }
            for (size_t l = a->d; l < a->cols; l++) y[l] = 0.0f;
        }
}

CK_INLINE void attention(const void *args, const ck_element *e)
{
    attention_rows(args, e, attention_row_fast);
}

CK_INLINE void attention_strict(const void *args, const ck_element *e)
{
    attention_rows(args, e, attention_row_strict);
}

#endif
