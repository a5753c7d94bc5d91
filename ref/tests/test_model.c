/* SPDX-License-Identifier: MIT */
/* Tests of the reference of a whole decoder: the same in matrices of long double, rotations as complex
 * numbers and attention as a full matrix of weights; and its noise, by what a decoder of one number shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <complex.h>
#undef I
#include <math.h>
#include <string.h>

#include "draw.h"
#include "ref_model.h"

enum { L = 2, D = 6, I = 5, H = 4, G = 2, V = 7, T = 5, LD = 9, WIDE = 6, MLP = 7, MOST = 64 };

typedef long double real;
typedef struct table {
    real at[MOST][MOST];
} table;

/* A decoder's numbers; what lies behind the columns and rows of each is NaN. */
typedef struct numbers {
    float tokens[V][LD], positions[T][LD], head[V][LD], final_norm[D];
    float ln1[L][D], ln2[L][D], qn[L][WIDE], kn[L][WIDE], bo[L][D], b1[L][2 * MLP], b2[L][D];
    float bq[L][H * WIDE], bk[L][G * WIDE], bv[L][G * WIDE];
    float wq[L][H * WIDE][LD], wk[L][G * WIDE][LD], wv[L][G * WIDE][LD];
    float wo[L][D][H * WIDE + 1], w1[L][2 * MLP][LD], w2[L][D][MLP + 1];
} numbers;

static numbers w;
static ref_layer layers[L];
static table x, a, q, k, v, p, o, u, y;

/* Rows of n floats of which the first `cols` are used, in groups of `period` rows of which `used` are. */
static void draw(float *at, size_t rows, size_t n, size_t cols, size_t period, size_t used)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < n; c++)
            at[r * n + c] = c < cols && r % period < used ? 0.5f * normal() : NAN;
}

static void draw_vector(float *at, size_t n, size_t period, size_t used)
{
    draw(at, n, 1, 1, period, used);
}

static void draw_layer(size_t l, size_t hd)
{
    draw_vector(w.ln1[l], D, 1, 1);
    draw_vector(w.ln2[l], D, 1, 1);
    draw_vector(w.bo[l], D, 1, 1);
    draw_vector(w.b2[l], D, 1, 1);
    draw_vector(w.b1[l], (size_t)2 * MLP, MLP, I);
    draw_vector(w.qn[l], WIDE, WIDE, hd);
    draw_vector(w.kn[l], WIDE, WIDE, hd);
    draw_vector(w.bq[l], (size_t)H * WIDE, WIDE, hd);
    draw_vector(w.bk[l], (size_t)G * WIDE, WIDE, hd);
    draw_vector(w.bv[l], (size_t)G * WIDE, WIDE, hd);
    draw(w.wq[l][0], (size_t)H * WIDE, LD, D, WIDE, hd);
    draw(w.wk[l][0], (size_t)G * WIDE, LD, D, WIDE, hd);
    draw(w.wv[l][0], (size_t)G * WIDE, LD, D, WIDE, hd);
    draw(w.w1[l][0], (size_t)2 * MLP, LD, D, MLP, I);
    draw(w.w2[l][0], D, MLP + 1, I, 1, 1);
    draw(w.wo[l][0], D, H * WIDE + 1, H * WIDE, 1, 1);
    for (size_t i = 0; i < D; i++)
        for (size_t c = 0; c < (size_t)H * WIDE; c++)
            if (c % WIDE >= hd) w.wo[l][i][c] = NAN;
}

/* bias: the sum that `bias=` of a runtime's case line is. */
static ref_model make(size_t hd, double theta, int bias, int qk_norm)
{
    draw(w.tokens[0], V, LD, D, 1, 1);
    draw(w.positions[0], T, LD, D, 1, 1);
    draw(w.head[0], V, LD, D, 1, 1);
    draw_vector(w.final_norm, D, 1, 1);
    for (size_t l = 0; l < L; l++) {
        draw_layer(l, hd);
        layers[l] = (ref_layer){ .ln1 = w.ln1[l],
                                 .ln2 = w.ln2[l],
                                 .bq = bias & 1 ? w.bq[l] : NULL,
                                 .bk = bias & 1 ? w.bk[l] : NULL,
                                 .bv = bias & 1 ? w.bv[l] : NULL,
                                 .bo = bias & 2 ? w.bo[l] : NULL,
                                 .b1 = bias & 4 ? w.b1[l] : NULL,
                                 .b2 = bias & 4 ? w.b2[l] : NULL,
                                 .q_norm = qk_norm ? w.qn[l] : NULL,
                                 .k_norm = qk_norm ? w.kn[l] : NULL,
                                 .wq = { w.wq[l][0], LD },
                                 .wk = { w.wk[l][0], LD },
                                 .wv = { w.wv[l][0], LD },
                                 .wo = { w.wo[l][0], H * WIDE + 1 },
                                 .w1 = { w.w1[l][0], LD },
                                 .w2 = { w.w2[l][0], MLP + 1 } };
    }
    return (ref_model){ .d = { L, D, I, H, G, hd, V, T, theta > 0, bias & 1, !!(bias & 2),
                               !!(bias & 4), 0, qk_norm },
                        .eps = 1e-3,
                        .theta = theta,
                        .head_width = WIDE,
                        .mlp_width = MLP,
                        .tokens = { w.tokens[0], LD },
                        .positions = { w.positions[0], LD },
                        .head = { w.head[0], LD },
                        .final_norm = w.final_norm,
                        .layers = layers };
}

/* --- the same in matrices */

/* to = from W^T + b, W [n][terms] with rows `ld` apart. */
static void times(table *to, const table *from, const float *W, size_t ld, const float *b, size_t n,
                  size_t terms)
{
    for (size_t t = 0; t < T; t++)
        for (size_t j = 0; j < n; j++) {
            to->at[t][j] = b ? (real)b[j] : 0;
            for (size_t i = terms; i-- > 0;) to->at[t][j] += (real)W[j * ld + i] * from->at[t][i];
        }
}

static void normed(real *to, const real *from, const float *gain, size_t n, real eps)
{
    real length = 0;
    for (size_t i = 0; i < n; i++) length = hypotl(length, from[i]);
    const real rms = sqrtl(length * length / (real)n + eps);
    for (size_t i = 0; i < n; i++) to[i] = (real)gain[i] * from[i] / rms;
}

/* The angle of pair i for one position, by the lengths of the waves. */
static real speed(const ref_model *m, size_t i)
{
    const real pi = 3.14159265358979323846264338327950288L;
    const real wave = 2 * pi * powl(m->theta, (real)(2 * i) / (real)m->d.head_dim);
    if (m->factor == 0 || wave < (real)m->original_context / (real)m->high) return 2 * pi / wave;
    if (wave > (real)m->original_context / (real)m->low) return 2 * pi / wave / (real)m->factor;
    const real near =
        ((real)m->original_context / wave - (real)m->low) / ((real)m->high - (real)m->low);
    return near * 2 * pi / wave + (1 - near) * 2 * pi / wave / (real)m->factor;
}

static void turned(const ref_model *m, real *z, size_t t)
{
    const size_t half = m->d.head_dim / 2;
    for (size_t i = 0; i < half; i++) {
        const long double complex by = cexpl(_Complex_I * (real)t * speed(m, i));
        const long double complex to = (z[i] + _Complex_I * z[half + i]) * by;
        z[i] = creall(to);
        z[half + i] = cimagl(to);
    }
}

/* Norms and rotations of the heads of q or k. */
static void heads(const ref_model *m, table *z, size_t n, const float *gain)
{
    for (size_t t = 0; t < T; t++)
        for (size_t h = 0; h < n; h++) {
            real *const head = z->at[t] + h * WIDE;
            if (gain) normed(head, head, gain, m->d.head_dim, (real)m->eps);
            if (m->theta > 0) turned(m, head, t);
        }
}

static void attended(const ref_model *m)
{
    static const size_t group[H] = { 0, 0, 1, 1 };
    const size_t hd = m->d.head_dim;
    memset(&o, 0, sizeof o);
    for (size_t h = 0; h < H; h++)
        for (size_t t = 0; t < T; t++) {
            real all = 0;
            for (size_t s = 0; s < T; s++) {
                real score = 0;
                for (size_t i = 0; i < hd; i++)
                    score += q.at[t][h * WIDE + i] * k.at[s][group[h] * WIDE + i];
                p.at[t][s] = s > t ? 0 : expl(score / sqrtl((real)hd));
                all += p.at[t][s];
            }
            for (size_t s = 0; s < T; s++)
                for (size_t i = 0; i < hd; i++)
                    o.at[t][h * WIDE + i] += p.at[t][s] / all * v.at[s][group[h] * WIDE + i];
        }
}

/* Pads of heads are 0 on one side of a product and NaN on the other: left out of W_o. */
static void merged(const ref_model *m, const ref_layer *l)
{
    for (size_t t = 0; t < T; t++)
        for (size_t i = 0; i < D; i++) {
            if (l->bo) x.at[t][i] += (real)l->bo[i];
            for (size_t c = 0; c < (size_t)H * WIDE; c++)
                if (c % WIDE < m->d.head_dim)
                    x.at[t][i] += (real)l->wo.at[i * l->wo.ld + c] * o.at[t][c];
        }
}

/* --- a cache: what is in it, in place of keys and values that are set aside */

static float kept[L][2][G][T + 1][WIDE + 1];
static table ours[L][2]; /* keys and values before they are exchanged */

static void keep(ref_model *m)
{
    draw(kept[0][0][0][0], (size_t)L * 2 * G * (T + 1), WIDE + 1, m->d.head_dim, T + 1, T);
    for (size_t l = 0; l < L; l++) {
        layers[l].k = (ref_kv){ kept[l][0][0][0], sizeof *kept[l][0] / 4, WIDE + 1 };
        layers[l].v = (ref_kv){ kept[l][1][0][0], sizeof *kept[l][1] / 4, WIDE + 1 };
    }
    m->cache = REF_CACHE_BF16;
}

static void exchange(table *own, table *z, const float at[G][T + 1][WIDE + 1], size_t hd)
{
    *own = *z;
    for (size_t t = 0; t < T; t++)
        for (size_t c = 0; c < (size_t)G * WIDE; c++)
            if (c % WIDE < hd) z->at[t][c] = (real)at[c / WIDE][t][c % WIDE];
}

static void layered(const ref_model *m, const ref_layer *l)
{
    for (size_t t = 0; t < T; t++) normed(a.at[t], x.at[t], l->ln1, D, (real)m->eps);
    times(&q, &a, l->wq.at, l->wq.ld, l->bq, (size_t)H * WIDE, D);
    times(&k, &a, l->wk.at, l->wk.ld, l->bk, (size_t)G * WIDE, D);
    times(&v, &a, l->wv.at, l->wv.ld, l->bv, (size_t)G * WIDE, D);
    heads(m, &q, H, l->q_norm);
    heads(m, &k, G, l->k_norm);
    if (m->cache != REF_CACHE_F32) {
        const size_t at = (size_t)(l - layers);
        exchange(&ours[at][0], &k, kept[at][0], m->d.head_dim);
        exchange(&ours[at][1], &v, kept[at][1], m->d.head_dim);
    }
    attended(m);
    merged(m, l);
    for (size_t t = 0; t < T; t++) normed(a.at[t], x.at[t], l->ln2, D, (real)m->eps);
    times(&u, &a, l->w1.at, l->w1.ld, l->b1, (size_t)2 * MLP, D);
    for (size_t t = 0; t < T; t++)
        for (size_t i = 0; i < I; i++)
            a.at[t][i] = u.at[t][i] * (1 + tanhl(u.at[t][i] / 2)) / 2 * u.at[t][MLP + i];
    times(&y, &a, l->w2.at, l->w2.ld, l->b2, D, I);
    for (size_t t = 0; t < T; t++)
        for (size_t i = 0; i < D; i++) x.at[t][i] += y.at[t][i];
}

/* logits: and what comes behind them. */
static void agrees_with(const ref_model *m, double *logits)
{
    const int32_t ids[T] = { 6, 0, 3, 3, 1 };
    assert_int_equal(ref_model_forward(m, ids, T, (ref_noise){ 0, 0 }, logits), 0);
    for (size_t t = 0; t < T; t++)
        for (size_t i = 0; i < D; i++)
            x.at[t][i] = (real)w.tokens[ids[t]][i] + (m->theta > 0 ? 0 : (real)w.positions[t][i]);
    for (size_t l = 0; l < m->d.layers; l++) layered(m, &m->layers[l]);
    for (size_t t = 0; t < T; t++) normed(a.at[t], x.at[t], m->final_norm, D, (real)m->eps);
    times(&y, &a, m->head.at, m->head.ld, NULL, V, D);
    for (size_t t = 0; t < T; t++)
        for (size_t i = 0; i < V; i++)
            assert_true(fabsl((real)logits[t * V + i] - y.at[t][i]) <=
                        0x1p-40L * (1 + fabsl(y.at[t][i])));
}

static void agrees(const ref_model *m)
{
    double logits[T * V];
    agrees_with(m, logits);
}

static void decoders_are_those_of_matrices(void **unused)
{
    (void)unused;
    for (int bias = 0; bias < 8; bias++)
        for (int qk_norm = 0; qk_norm < 2; qk_norm++) {
            const ref_model m = make(bias & 1 ? 4 : 6, 100, bias, qk_norm);
            agrees(&m);
        }
}

static void positions_may_be_learned(void **unused)
{
    (void)unused;
    for (int bias = 0; bias < 8; bias++) {
        const ref_model m = make(5, 0, bias, bias & 1);
        agrees(&m);
    }
}

/* Waves below, within and above the band of llama3's scaling. */
static void frequencies_may_be_scaled(void **unused)
{
    (void)unused;
    for (double original = 4; original < 4096; original *= 1.5) {
        ref_model m = make(6, 50, 1, 0);
        m.factor = 8;
        m.low = 1;
        m.high = 4;
        m.original_context = original;
        agrees(&m);
    }
}

/* --- a cache */

/* Attention takes what is kept, whatever it is; the run's own come behind the logits. */
static void kept_keys_are_taken(void **unused)
{
    enum { KEPT = L * 2 * G * T * WIDE };
    (void)unused;
    for (size_t hd = 4; hd <= WIDE; hd += 2) {
        ref_model m = make(hd, 100, 7, hd == 4);
        double values[T * V + KEPT];
        keep(&m);
        assert_int_equal(ref_model_values(&m, T), (size_t)T * V + (size_t)L * 2 * G * T * hd);
        agrees_with(&m, values);
        for (size_t i = 0; i < (size_t)L * 2 * G * T * hd; i++) {
            const size_t row = i / hd, t = row % T, g = row / T % G, which = row / T / G;
            const real own = ours[which / 2][which % 2].at[t][g * WIDE + i % hd];
            assert_true(fabsl((real)values[T * V + i] - own) <= 0x1p-40L * (1 + fabsl(own)));
        }
        m.cache = REF_CACHE_F32;
        assert_int_equal(ref_model_values(&m, T), (size_t)T * V);
    }
}

/* bf16 has 8 bits, f16 11: what lies nearer than the radius to the middle of two may be either. */
static void roundings_are_judged(void **unused)
{
    static const struct {
        ref_cache cache;
        double value, radius;
        float kept;
        int right;
    } facts[] = {
        { REF_CACHE_BF16, 1, 0, 1, 1 },
        { REF_CACHE_BF16, 1.0039, 0, 1, 1 }, /* the middle is 1 + 2^-8 */
        { REF_CACHE_BF16, 1.0039, 0, 1.0078125f, 0 },
        { REF_CACHE_BF16, 1.0039, 1e-5, 1.0078125f, 1 },
        { REF_CACHE_BF16, 1.0040, 0, 1, 0 },
        { REF_CACHE_BF16, 1.0040, 1e-4, 1, 1 },
        { REF_CACHE_BF16, 1.0040, 1e-4, 1.015625f, 0 },
        { REF_CACHE_BF16, -3.0078126, 1e-6, -3, 1 },
        { REF_CACHE_BF16, -3.0078126, 1e-9, -3, 0 },
        { REF_CACHE_BF16, 1.0040, 1e-4, NAN, 0 },
        { REF_CACHE_F16, 1.00048, 0, 1, 1 }, /* 1 + 2^-11 */
        { REF_CACHE_F16, 1.00048, 0, 1.0009765625f, 0 },
        { REF_CACHE_F16, 1.00048, 1e-5, 1.0009765625f, 1 },
        { REF_CACHE_F16, 1.0039, 1e-5, 1.0078125f, 0 },
        { REF_CACHE_F16, 65519, 0, 65504, 1 },
        { REF_CACHE_F16, 65519, 0, INFINITY, 0 },
    };
    (void)unused;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        for (size_t at = 0; at < 16; at++) {
            float one[16]; /* k, v: heads of two elements at two positions */
            double values[2 + 16], radius[2 + 16] = { 0 };
            const ref_layer layer = { .k = { one, 4, 2 }, .v = { one + 8, 4, 2 } };
            const ref_layer both[2] = { layer, layer };
            const ref_model m = { .d = { .layers = 1, .kv_heads = 2, .head_dim = 2, .vocab = 1 },
                                  .layers = both,
                                  .cache = facts[i].cache };
            for (size_t n = 0; n < 16; n++) one[n] = 2, values[2 + n] = 2;
            one[at] = facts[i].kept;
            values[2 + at] = facts[i].value;
            radius[2 + at] = facts[i].radius;
            assert_int_equal(ref_model_misrounded(&m, 2, values, radius),
                             facts[i].right ? SIZE_MAX : 2 + at);
        }
}

/* --- noise */

/* A decoder of one number and no layer: its logit is +-gain * weight whatever the number; the embedding's
 * error goes away in the norm. */
static ref_model single(const float *number, const float *gain, const float *weight)
{
    return (ref_model){ .d = { .hidden = 1, .heads = 1, .kv_heads = 1, .head_dim = 2, .vocab = 1 },
                        .theta = 10,
                        .tokens = { number, 1 },
                        .head = { weight, 1 },
                        .final_norm = gain };
}

/* Of a step whose sum has n terms: u (|v| + (n / 8 + 4) S), or u |v| if strict. The norm counts 8 terms,
 * the head has one; both errors are uniform, and as often up as down. */
static void noise_is_that_of_two_steps(void **unused)
{
    static const float number = 0.75f, gain = 3, weight = -2;
    const ref_model m = single(&number, &gain, &weight);
    const int32_t id = 0;
    (void)unused;
    for (int strict = 0; strict < 2; strict++) {
        const double norm = strict ? 1 : 1 + 5, head = strict ? 1 : 1 + 4.125, size = norm + head;
        double most = 0, sum = 0, squares = 0, right, logit;
        enum { RUNS = 20000 };
        assert_int_equal(ref_model_forward(&m, &id, 1, (ref_noise){ 0, strict }, &right), 0);
        assert_true(right == -6);
        for (uint64_t seed = 1; seed <= RUNS; seed++) {
            assert_int_equal(ref_model_forward(&m, &id, 1, (ref_noise){ seed, strict }, &logit), 0);
            const double e = (logit / right - 1) * 0x1p24;
            most = fmax(most, fabs(e));
            sum += e;
            squares += e * e;
        }
        const double variance = (norm * norm + head * head) / 3;
        assert_true(most <= size * (1 + 0x1p-20) && most > 0.95 * size);
        assert_true(fabs(sum / RUNS) < 5 * sqrt(variance / RUNS));
        assert_true(within(squares / RUNS, variance, 0.05 * variance));
    }
}

/* A layer that adds nothing to a large number and a small one, of which the small one is looked at: each element's
 * noise is of its own size. Variances of uniform draws, in u relative to the element: those of the two
 * additions, (1 + (1 / 8 + 4)), count for either number, the second by way of the norm. */
static void noise_is_of_each_element(void **unused)
{
    static float tokens[2] = { 1024, 1 }, ones[4] = { 1, 1, 1, 1 }, none[16], head[2] = { 0, 1 };
    static const ref_layer layer = { .ln1 = ones,
                                     .ln2 = ones,
                                     .wq = { none, 2 },
                                     .wk = { none, 2 },
                                     .wv = { none, 2 },
                                     .wo = { none, 2 },
                                     .w1 = { none, 2 },
                                     .w2 = { none, 1 } };
    const ref_model m = { .d = { 1, 2, 1, 1, 1, 2, 1, 1, 1, 0, 0, 0, 0, 0 },
                          .theta = 10,
                          .head_width = 2,
                          .mlp_width = 1,
                          .tokens = { tokens, 2 },
                          .head = { head, 2 },
                          .final_norm = ones,
                          .layers = &layer };
    const int32_t id = 0;
    enum { RUNS = 20000 };
    double squares = 0, right, logit;
    (void)unused;
    assert_int_equal(ref_model_forward(&m, &id, 1, (ref_noise){ 0, 0 }, &right), 0);
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        assert_int_equal(ref_model_forward(&m, &id, 1, (ref_noise){ seed, 0 }, &logit), 0);
        squares += pow((logit / right - 1) * 0x1p24, 2);
    }
    const double embedding = 1, addition = 5.125 * 5.125, norm = 36, product = 5.25 * 5.25;
    const double variance = (2 * (embedding + 2 * addition) + norm + product) / 3;
    assert_true(within(squares / RUNS, variance, 0.05 * variance));
}

static void same_seed_same_noise(void **unused)
{
    const int32_t ids[T] = { 1, 2, 3, 4, 5 };
    double right[T * V], first[T * V], again[T * V], other[T * V];
    const ref_model m = make(4, 100, 7, 1);
    (void)unused;
    assert_int_equal(ref_model_forward(&m, ids, T, (ref_noise){ 0, 0 }, right), 0);
    assert_int_equal(ref_model_forward(&m, ids, T, (ref_noise){ 9, 0 }, first), 0);
    assert_int_equal(ref_model_forward(&m, ids, T, (ref_noise){ 9, 0 }, again), 0);
    assert_int_equal(ref_model_forward(&m, ids, T, (ref_noise){ 10, 0 }, other), 0);
    assert_memory_equal(first, again, sizeof first);
    for (size_t i = 0; i < (size_t)T * V; i++)
        assert_true(first[i] != right[i] && other[i] != right[i] && first[i] != other[i]);
}

/* Eight times the most that one of six runs is off, and four roundings of the logit. Nothing behind the last
 * is written, and a radius that is there before does not count. */
static void radius_is_of_six_runs(void **unused)
{
    const int32_t ids[T] = { 5, 4, 3, 2, 1 };
    double right[T * V + 1] = { 0 }, runs[6][T * V], radius[T * V + 1];
    const ref_model m = make(4, 100, 7, 1);
    (void)unused;
    for (int strict = 0; strict < 2; strict++) {
        assert_int_equal(ref_model_forward(&m, ids, T, (ref_noise){ 0, strict }, right), 0);
        for (uint64_t seed = 0; seed < 6; seed++)
            ref_model_forward(&m, ids, T, (ref_noise){ seed + 1, strict }, runs[seed]);
        right[T * V] = 1;
        for (size_t i = 0; i <= (size_t)T * V; i++) radius[i] = i < (size_t)T * V ? 1000 : -1;
        assert_int_equal(ref_model_radius(&m, ids, T, strict, right, radius), 0);
        for (size_t i = 0; i < (size_t)T * V; i++) {
            double most = 0;
            for (size_t seed = 0; seed < 6; seed++)
                if (fabs(runs[seed][i] - right[i]) > most) most = fabs(runs[seed][i] - right[i]);
            assert_true(radius[i] == 8 * most + fabs(right[i]) / 4194304);
        }
        assert_true(radius[T * V] == -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(decoders_are_those_of_matrices), TEST(positions_may_be_learned),
        TEST(frequencies_may_be_scaled),      TEST(noise_is_that_of_two_steps),
        TEST(noise_is_of_each_element),       TEST(same_seed_same_noise),
        TEST(radius_is_of_six_runs),          TEST(kept_keys_are_taken),
        TEST(roundings_are_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
